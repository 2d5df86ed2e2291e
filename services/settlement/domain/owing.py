"""What the wallet has refused: debits of corrections, and credits. Never dropped (N-7).

A movement that the wallet refuses for good is an open item: it stays owed, it is visible, and
somebody has it asked for again. Everything else goes on meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.settlement import (
    CreditDelivered,
    CreditOutstanding,
    CreditRepeated,
    ReversalCollected,
    ReversalOutstanding,
    ReversalRepeated,
)
from services.rules.roles import CASINO_SUPERVISOR
from services.settlement.commands import (
    RecordCredit,
    RecordReversal,
    RepeatCredit,
    RepeatReversal,
)
from services.settlement.domain.state import SettlementState


def record_reversal(command: RecordReversal, state: SettlementState) -> Sequence[Event]:
    """Made, or outstanding: never dropped."""
    owed = state.debits.get(command.movement_id)
    if owed is None:
        raise Refused("UNKNOWN", f"no debit {command.movement_id} is due")
    if command.outcome == "DONE":
        return [
            ReversalCollected(
                movement_id=command.movement_id,
                player=owed.player,
                currency=owed.currency,
                amount_minor=owed.amount_minor,
            )
        ]
    return [
        ReversalOutstanding(
            movement_id=command.movement_id,
            coup_id=owed.coup_id,
            wager_id=owed.wager_id,
            player=owed.player,
            currency=owed.currency,
            amount_minor=owed.amount_minor,
            reason=command.reason,
            attempts=owed.attempts + 1,
            context=owed.context,
        )
    ]


def repeat_reversal(command: RepeatReversal, state: SettlementState) -> Sequence[Event]:
    require_role(command, CASINO_SUPERVISOR, what="asking for a debit again")
    owed = state.debits.get(command.movement_id)
    if owed is None:
        raise Refused("UNKNOWN", f"no debit {command.movement_id} is due")
    if not owed.attempts or owed.under_way:
        raise Refused("STATE", f"debit {command.movement_id} is under way")
    return [
        ReversalRepeated(
            movement_id=command.movement_id,
            player=owed.player,
            currency=owed.currency,
            amount_minor=owed.amount_minor,
            context=owed.context,
        )
    ]


def record_credit(command: RecordCredit, state: SettlementState) -> Sequence[Event]:
    """Refused: the player is owed it still. Done: an open item is closed, or nothing is said."""
    owed = state.credits.get(command.movement_id)
    if command.outcome == "DONE":
        if owed is None:
            return ()
        return [
            CreditDelivered(
                movement_id=command.movement_id,
                player=owed.player,
                currency=owed.currency,
                amount_minor=owed.amount_minor,
            )
        ]
    return [
        CreditOutstanding(
            movement_id=command.movement_id,
            coup_id=command.coup_id,
            wager_id=command.wager_id,
            player=command.player,
            currency=command.currency,
            amount_minor=command.amount_minor,
            reason=command.reason,
            attempts=1 if owed is None else owed.attempts + 1,
            context=command.context,
            wagers=command.wagers,
        )
    ]


def repeat_credit(command: RepeatCredit, state: SettlementState) -> Sequence[Event]:
    require_role(command, CASINO_SUPERVISOR, what="delivering a credit again")
    owed = state.credits.get(command.movement_id)
    if owed is None:
        raise Refused("UNKNOWN", f"no credit {command.movement_id} is outstanding")
    if owed.under_way:
        raise Refused("STATE", f"credit {command.movement_id} is under way")
    return [
        CreditRepeated(
            movement_id=command.movement_id,
            coup_id=owed.coup_id,
            wager_id=owed.wager_id,
            player=owed.player,
            currency=owed.currency,
            amount_minor=owed.amount_minor,
            context=owed.context,
            wagers=owed.wagers,
        )
    ]
