"""Money that moves with the wager service's events, in their transaction: the built-in ledger.

A debit that was asked for is answered here and at once; what goes back goes back with the event
that says so. Another wallet would answer later, by the same command.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Event
from services.contracts.wager import (
    DebitRequested,
    WagerCancelled,
    WagerChanged,
    WagerReduced,
    WagerRefunded,
    WagerRejected,
    WagerVoided,
    WagerWithdrawn,
)
from services.wager.commands import RecordDebit
from services.wager.domain import BookState, decide
from services.wager.ledger import Movement, move


class WagerCompanion:
    """Keeps the built-in ledger."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: BookState) -> Decide:
        """`decide` looks at nothing beside its state."""
        del tx, table_id, command, state
        return decide

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Debits that were asked for, and stakes that go back."""
        asked = [(each, _movement(each)) for each in staged]
        moving = [(each, movement) for each, movement in asked if movement is not None]
        moved = await move(tx.connection, [movement for _, movement in moving])
        answers: list[tuple[Staged, Command]] = []
        for (each, movement), result in zip(moving, moved, strict=True):
            if movement.kind != "DEBIT":
                assert result.done, f"{movement.movement_id} can't be given back"
                continue
            answers.append(
                (
                    each,
                    RecordDebit(
                        at_us=each.meta.occurred_at_us,
                        by=each.meta.actor,
                        movement_id=movement.movement_id,
                        outcome="DONE" if result.done else "REFUSED",
                        reason="" if result.done else "INSUFFICIENT_FUNDS",
                    ),
                )
            )
        return answers

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""


def _movement(staged: Staged) -> Movement | None:
    make = _MOVES.get(type(staged.event))
    return make(staged) if make else None


def _debit(staged: Staged) -> Movement:
    event: DebitRequested = staged.event  # type: ignore[assignment]
    return Movement(
        movement_id=event.movement_id,
        player=event.player,
        currency=event.currency,
        kind="DEBIT",
        amount_minor=-event.amount_minor,
        table_id=staged.table_id,
        coup_id=event.coup_id,
    )


def _back(staged: Staged) -> Movement | None:
    event: Any = staged.event
    if not event.refund_minor or event.movement_id is None:
        return None
    return Movement(
        movement_id=event.movement_id,
        player=event.player,
        currency=event.currency,
        kind="CANCEL",
        amount_minor=event.refund_minor,
        table_id=staged.table_id,
        coup_id=event.coup_id,
    )


_MOVES: dict[type[Event], Callable[[Staged], Movement | None]] = {
    DebitRequested: _debit,
    WagerCancelled: _back,
    WagerRejected: _back,
    WagerRefunded: _back,
    WagerChanged: _back,
    WagerReduced: _back,
    WagerWithdrawn: _back,
    WagerVoided: _back,
}
