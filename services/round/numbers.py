"""The numbers of open live tables, in the service's database: each is borne once (000 1.2.2)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from services.chassis.store import ConcurrencyConflict


class SameNumber(Exception):
    """Whose number it is depends on the transaction itself: each command has to be tried alone."""


class Numbers:
    """Which table bears which number, within the transaction of a connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def bearer(self, number: str) -> str:
        """The open table that bears the number; "" where none does."""
        found = await self._connection.fetchval(
            "select table_id from table_numbers where number = $1", number
        )
        return str(found or "")

    async def release(self, tables: Collection[str]) -> None:
        """These tables bear no number any more."""
        await self._connection.execute(
            "delete from table_numbers where table_id = any($1::text[])", list(tables)
        )

    async def take(self, numbers: Mapping[str, str]) -> None:
        """Let tables bear numbers; `numbers` is by table.

        Raises `ConcurrencyConflict` where somebody else was faster: the number is looked up again.
        """
        # In one order everywhere: two transactions that want the same numbers cannot lock each
        # other out.
        wanted = sorted((number, table_id) for table_id, number in numbers.items())
        taken = await self._connection.fetch(
            "insert into table_numbers (number, table_id) "
            "select * from unnest($1::text[], $2::text[]) on conflict do nothing returning number",
            [number for number, _ in wanted],
            [table_id for _, table_id in wanted],
        )
        if len(taken) < len(wanted):
            raise ConcurrencyConflict("a table's number was taken a moment ago")
