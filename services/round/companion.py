"""What the round service keeps beside its log: the numbers that its open live tables bear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from services.chassis.decider import Decide, Record, Staged
from services.contracts.core import Command, Decided
from services.contracts.round import TableClosed, TableOpened
from services.round.commands import OpenTable
from services.round.domain import TableState, decide, number_of
from services.round.numbers import Numbers, SameNumber


class RoundCompanion:
    """Binds `decide` to the table that bears the number of one that is to be opened."""

    def __init__(self) -> None:
        self._changed: WeakKeyDictionary[Any, set[str]] = WeakKeyDictionary()
        """By transaction: tables of which a command is decided already, so the register may be old."""

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Nothing is looked up for several commands at once."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: TableState) -> Decide:
        """`decide`; where a live table opens, with the one that bears its number.

        Raises `SameNumber` where that one may have closed in the same group of commands.
        """
        del state
        changed = self._changed.setdefault(tx, set())
        changed.add(table_id)
        number = number_of(command.settings) if isinstance(command, OpenTable) else ""
        if not number:
            return decide
        bearer = await Numbers(tx.connection).bearer(number)
        if bearer == table_id:
            return decide  # its own closing may stand before this in the group
        if bearer in changed:
            raise SameNumber(f"{bearer}, which bears {number}, is changed in the same group")

        def bound(command: Command, state: TableState) -> Decided:
            return decide(command, state, bearer)

        return bound

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """A table bears its number from its opening to its closing."""
        closed: set[str] = set()
        borne: dict[str, str] = {}
        for each in staged:
            if isinstance(each.event, TableClosed):
                closed.add(each.table_id)
                borne.pop(each.table_id, None)
            elif isinstance(each.event, TableOpened):
                number = number_of(each.event.settings)
                if number in borne.values():
                    raise SameNumber(f"two tables of one group want the number {number}")
                if number:
                    borne[each.table_id] = number
        numbers = Numbers(tx.connection)
        if closed:
            await numbers.release(closed)
        if borne:
            await numbers.take(borne)
        return ()

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing more is kept than the log has."""
