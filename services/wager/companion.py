"""Money that moves with the wager service's events.

The built-in ledger moves it in their transaction: a debit that was asked for is answered here and at once; what goes back goes back with the event
that says so. What the ledger refuses to take back into an account is recorded as outstanding, and
holds up nothing else. An operator's wallet is asked after the commit (`sending`) and answers by the
same commands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Event
from services.contracts.wager import (
    DebitRequested,
    RefundRepeated,
    WagerAccepted,
    WagerChanged,
    WagerRejected,
)
from services.wager.commands import RecordDebit, RecordRefund
from services.wager.domain import BookState, decide
from services.wager.journal import Entry, Journal
from services.wager.ledger import Ledger
from services.wager.movements import movement_of
from services.wager.wallet import DONE, REFUSED, Answer, Movement


class WagerCompanion:
    """Keeps the built-in ledger, and what an operator's wallet is to be asked for.

    `ledger` makes the ledger from the transaction's connection, for whoever has another one.
    `elsewhere` says of which events the money is in the operator's wallet: their movements are
    written into the journal and sent after the commit.
    """

    def __init__(
        self,
        ledger: Callable[[Any], Any] = Ledger,
        elsewhere: Callable[[Staged], bool] | None = None,
        rules: Callable[[Command, BookState], None] | None = None,
    ) -> None:
        self._ledger = ledger
        self._elsewhere = elsewhere
        self._decide = decide if rules is None else _with(rules)

    async def decider(self, tx: Any, table_id: str, command: Command, state: BookState) -> Decide:
        """`decide`, and what the operator's wallet cannot do."""
        del tx, table_id, command, state
        return self._decide

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Debits that were asked for, and stakes that go back."""
        asked = [(each, movement_of(each.event, each.table_id)) for each in staged]
        moving = [(each, movement) for each, movement in asked if movement is not None]
        if self._elsewhere is not None:
            journal = Journal(tx.connection)
            away = [pair for pair in moving if self._elsewhere(pair[0])]
            moving = [pair for pair in moving if not self._elsewhere(pair[0])]
            await journal.ask([_entry(*pair) for pair in away])
            for each in staged:
                status = _decided(each.event)
                if status and self._elsewhere(each):
                    event: Any = each.event
                    await journal.close_debit(each.table_id, event.wager_id, status)
        moved = await self._ledger(tx.connection).move([movement for _, movement in moving])
        answers: list[tuple[Staged, Command]] = []
        for (each, movement), answer in zip(moving, moved, strict=True):
            command = answered(each, movement, answer)
            if command is not None:
                answers.append((each, command))
        return answers

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""


def _decided(event: Event) -> str:
    """What an event says of the debit that was pending for its wager; empty where nothing."""
    if isinstance(event, WagerAccepted) and event.token is None:
        return DONE
    if isinstance(event, WagerChanged) and not event.refund_minor:
        return DONE
    if isinstance(event, WagerRejected) and not event.accepted:
        return DONE if event.refund_minor else REFUSED
    return ""


def _with(rules: Callable[[Command, BookState], None]) -> Decide:
    """`decide` behind the rules of a wallet, which raise `Refused`."""

    def bound(command: Command, state: BookState) -> Sequence[Event]:
        rules(command, state)
        return decide(command, state)

    return bound


def _entry(staged: Staged, movement: Movement) -> Entry:
    meta = staged.meta
    return Entry(
        movement=movement,
        command_id=meta.command_id,
        # The event's own id is known at the commit only: its cause stands for it.
        cause=meta.cause,
        depth=meta.depth,
        traceparent=meta.traceparent,
        at_us=meta.occurred_at_us,
        test=meta.test,
        repeated=isinstance(staged.event, RefundRepeated),
    )


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
