"""Refunds that the wallet has refused. Never dropped, and in nobody's way.

A refund that the wallet refuses for good is an open item: the player is owed it, it is visible, and
somebody has it delivered again. Table and coup go on meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.wager import RefundDelivered, RefundOutstanding, RefundRepeated
from services.rules.roles import CASINO_SUPERVISOR
from services.wager.commands import RecordRefund, RepeatRefund
from services.wager.domain.state import BookState


def record_refund(command: RecordRefund, state: BookState) -> Sequence[Event]:
    """Refused: the player is owed it still. Done: an open item is closed, or nothing is said."""
    owed = state.refunds.get(command.movement_id)
    if command.outcome == "DONE":
        if owed is None:
            return ()
        return [
            RefundDelivered(
                movement_id=command.movement_id,
                player=owed.player,
                currency=owed.currency,
                amount_minor=owed.amount_minor,
            )
        ]
    return [
        RefundOutstanding(
            movement_id=command.movement_id,
            coup_id=command.coup_id,
            wager_id=command.wager_id,
            player=command.player,
            currency=command.currency,
            amount_minor=command.amount_minor,
            reason=command.reason,
            attempts=1 if owed is None else owed.attempts + 1,
            context=command.context,
        )
    ]


def repeat_refund(command: RepeatRefund, state: BookState) -> Sequence[Event]:
    require_role(command, CASINO_SUPERVISOR, what="delivering a refund again")
    owed = state.refunds.get(command.movement_id)
    if owed is None:
        raise Refused("UNKNOWN", f"no refund {command.movement_id} is outstanding")
    if owed.under_way:
        raise Refused("STATE", f"refund {command.movement_id} is under way")
    return [
        RefundRepeated(
            movement_id=command.movement_id,
            coup_id=owed.coup_id,
            wager_id=owed.wager_id,
            player=owed.player,
            currency=owed.currency,
            refund_minor=owed.amount_minor,
            context=owed.context,
        )
    ]
