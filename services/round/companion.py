"""What the round service keeps beside its log: the numbers that its open live tables bear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Event
from services.contracts.round import TableClosed, TableOpened
from services.round.commands import OpenTable
from services.round.domain import TableState, decide, number_of
from services.round.numbers import Numbers


class RoundCompanion:
    """Binds `decide` to the table that bears the number of one that is to be opened."""

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Nothing is looked up for several commands at once."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: TableState) -> Decide:
        """`decide`; where a live table opens, with the one that bears its number."""
        del table_id, state
        number = number_of(command.settings) if isinstance(command, OpenTable) else ""
        if not number:
            return decide
        bearer = await Numbers(tx.connection).bearer(number)

        def bound(command: Command, state: TableState) -> Sequence[Event]:
            return decide(command, state, bearer)

        return bound

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """A table bears its number from its opening to its closing."""
        closed = {each.table_id for each in staged if isinstance(each.event, TableClosed)}
        opened = {
            each.table_id: number
            for each in staged
            if isinstance(each.event, TableOpened) and (number := number_of(each.event.settings))
        }
        numbers = Numbers(tx.connection)
        if closed:
            await numbers.release(closed)
        if opened:
            await numbers.take(opened)
        return ()

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""
