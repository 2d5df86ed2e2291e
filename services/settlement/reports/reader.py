"""Reading facts as of a position: rows in a fixed order in chunks, and sums over groups."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol

from services.settlement.reports.asked import Asked
from services.settlement.reports.facts import TABLES

CHUNK_ROWS: Final = 1_000
STATEMENT_S: Final = 900.0
"""Of one statement: what is added up may be a year's rows. Whoever asks says how long he waits."""

_TEXT: Final = frozenset({"table_id", "shoe_id", "coup_id"})
_FILTERED: Final = ("table_id", "rulebook_id", "dealer", "area", "currency", "player")


class Connections(Protocol):
    """Where connections come from."""

    def acquire(self) -> AbstractAsyncContextManager[Any]: ...


class Reader:
    """The facts of one schema, cut down to what was asked for.

    Facts are never changed, so that chunks read one after the other are of one piece without a long
    transaction. Texts are ordered byte by byte, whatever language the database speaks.
    """

    def __init__(self, connections: Connections, schema: str, asked: Asked) -> None:
        self.asked = asked
        self._connections = connections
        self._schema = schema

    async def listed(
        self,
        table: str,
        columns: Sequence[str],
        *,
        order: Sequence[str] = ("position", "ordinal"),
        where: str = "true",
        last_of: Sequence[str] = (),
        day: str = "gaming_day",
    ) -> AsyncIterator[Any]:
        """Rows of a table in order.

        `last_of`: only the last row of each of these up to the position. `day` names the column that
        the period is of; none where it is empty.
        """
        conditions, values = self._conditions(table, where, last_of, day)
        keys = [f'f.{name} collate "C"' if name in _TEXT else f"f.{name}" for name in order]
        wanted = list(dict.fromkeys((*columns, *order)))
        after: list[Any] = []
        while True:
            bound = ""
            if after:
                places = ", ".join(f"${len(values) + place + 1}" for place in range(len(after)))
                bound = f" and ({', '.join(keys)}) > ({places})"
            async with self._connections.acquire() as connection:
                rows = await connection.fetch(
                    f"select {', '.join(f'f.{name}' for name in wanted)} "  # noqa: S608
                    f'from "{self._schema}".{table} as f where {conditions}{bound} '
                    f"order by {', '.join(keys)} limit {CHUNK_ROWS}",
                    *values,
                    *after,
                    timeout=STATEMENT_S,
                )
            for row in rows:
                yield row
            if len(rows) < CHUNK_ROWS:
                return
            after = [rows[-1][name] for name in order]

    async def grouped(
        self,
        table: str,
        by: Sequence[str],
        sums: Sequence[str],
        *,
        counts: Sequence[str] = (),
        where: str = "true",
        last_of: Sequence[str] = (),
        day: str = "gaming_day",
    ) -> list[Any]:
        """Sums of columns and counts of things over groups, in no order.

        `counts` are expressions of SQL with the names they are to have.
        """
        conditions, values = self._conditions(table, where, last_of, day)
        groups = [f"f.{name}" for name in by]
        told = [*groups, *(f"sum(f.{name})::bigint as {name}" for name in sums), *counts]
        grouping = f" group by {', '.join(groups)}" if groups else ""
        async with self._connections.acquire() as connection:
            found: list[Any] = await connection.fetch(
                f"select {', '.join(told)} "  # noqa: S608
                f'from "{self._schema}".{table} as f where {conditions}{grouping}',
                *values,
                timeout=STATEMENT_S,
            )
            return found

    async def rulebook(self, rulebook_hash: str) -> bytes:
        """The document of a rulebook that coups were played under."""
        async with self._connections.acquire() as connection:
            document: bytes = await connection.fetchval(
                f'select document from "{self._schema}".rulebooks where rulebook_hash = $1',  # noqa: S608
                rulebook_hash,
            )
        return document

    def _conditions(
        self, table: str, where: str, last_of: Sequence[str], day: str
    ) -> tuple[str, list[Any]]:
        asked = self.asked
        told = [f"({where})", "f.position <= $1", "f.test = $2"]
        values: list[Any] = [asked.as_of, asked.test]
        if last_of:
            same = " and ".join(f"later.{name} = f.{name}" for name in last_of)
            told.append(
                f'not exists (select from "{self._schema}".{table} as later where {same} '
                "and (later.position, later.ordinal) > (f.position, f.ordinal) "
                "and later.position <= $1)"
            )
        bounds = (("from_day", ">="), ("to_day", "<=")) if day else ()
        for name, sign in bounds:
            if (value := getattr(asked, name)) is not None:
                values.append(value)
                told.append(f"f.{day} {sign} ${len(values)}")
        fields = TABLES[table].__struct_fields__
        for name in _FILTERED:
            if (value := getattr(asked, name)) and name in fields:
                values.append(value)
                told.append(f"f.{name} = ${len(values)}")
        return " and ".join(told), values
