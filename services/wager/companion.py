"""Money that moves with the wager service's events, in their transaction: the built-in ledger.

A debit that was asked for is answered here and at once; what goes back goes back with the event
that says so. What the ledger refuses to take back into an account is recorded as outstanding, and
holds up nothing else. Another wallet would answer later, by the same commands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command
from services.contracts.wager import DebitRequested, RefundRepeated
from services.wager.commands import RecordDebit, RecordRefund
from services.wager.domain import BookState, decide
from services.wager.ledger import Ledger
from services.wager.movements import movement_of
from services.wager.wallet import Answer, Movement


class WagerCompanion:
    """Keeps the built-in ledger.

    `ledger` makes it from the transaction's connection, for whoever has another one.
    """

    def __init__(self, ledger: Callable[[Any], Any] = Ledger) -> None:
        self._ledger = ledger

    async def decider(self, tx: Any, table_id: str, command: Command, state: BookState) -> Decide:
        """`decide` looks at nothing beside its state."""
        del tx, table_id, command, state
        return decide

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Debits that were asked for, and stakes that go back."""
        asked = [(each, movement_of(each.event, each.table_id)) for each in staged]
        moving = [(each, movement) for each, movement in asked if movement is not None]
        moved = await self._ledger(tx.connection).move([movement for _, movement in moving])
        answers: list[tuple[Staged, Command]] = []
        for (each, movement), answer in zip(moving, moved, strict=True):
            command = answered(each, movement, answer)
            if command is not None:
                answers.append((each, command))
        return answers

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""


def answered(staged: Staged, movement: Movement, answer: Answer) -> Command | None:
    """What the ledger's answer means to the table; a refund that arrives at once means nothing."""
    at_us, by = staged.meta.occurred_at_us, staged.meta.actor
    if isinstance(staged.event, DebitRequested):
        return RecordDebit(
            at_us=at_us,
            by=by,
            movement_id=movement.movement_id,
            outcome=answer.outcome,
            reason=answer.reason,
        )
    if answer.done and not isinstance(staged.event, RefundRepeated):
        return None
    return RecordRefund(
        at_us=at_us,
        by=by,
        movement_id=movement.movement_id,
        outcome=answer.outcome,
        coup_id=movement.coup_id,
        wager_id=movement.wager_id,
        player=movement.player,
        currency=movement.currency,
        amount_minor=movement.amount_minor,
        reason=answer.reason,
    )
