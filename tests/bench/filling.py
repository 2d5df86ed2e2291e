"""Large logs made of a small one: what real tables left in the four databases, many times over.

A copy has ids, streams and positions of its own, and the same sizes and indexes as what it was made of. The
copies of a table are later sessions of it, until it has as many events as a table of a full day; then comes
another table. What only one row can be, such as a rulebook, stays one. Digests are those of the original, so
that nobody may rebuild a copy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import asyncpg
from msgspec import Struct

from services.devstack.stack import Stack

TABLE_EVENTS: Final = 100_000
"""In the stream of a copied table."""

CHUNK_EVENTS: Final = 100_000
FILL_S_MAX: Final = 7_200.0

NOT_COPIED: Final = frozenset(
    {"log_head", "checkpoints", "schema_version", "projections", "accounts", "inbox", "snapshots"}
)
TEXTS: Final = frozenset({"meta", "body", "doc", "story"})
"""Columns of bytes that hold JSON, in which a table is named."""

UNIQUE: Final = frozenset({"command_key", "command_id", "movement_id"})

TABLES: Final = """
select table_schema, table_name from information_schema.tables
where table_type = 'BASE TABLE' and (table_schema = 'public' or table_schema like 'p\\_%')
order by table_schema, table_name
"""
COLUMNS: Final = """
select column_name, data_type from information_schema.columns
where table_schema = $1 and table_name = $2 and is_identity = 'NO' order by ordinal_position
"""


class Kept(Struct, frozen=True):
    """What a database had when its rows were kept to be copied."""

    head: int
    statements: tuple[str, ...]
    """Copies of each table's rows: of the copies $1 to $2, behind the position $3."""


async def keep(stack: Stack, tables: Sequence[str]) -> dict[str, Kept]:
    """Keep all rows that these tables have by now; nothing is at work."""
    kept: dict[str, Kept] = {}
    for name in stack.services:
        connection = await asyncpg.connect(stack.database_url(name))
        try:
            kept[name] = await keep_one(connection, tables)
        finally:
            await connection.close()
    return kept


async def fill(stack: Stack, kept: Mapping[str, Kept], events: int) -> None:
    """Copy until the logs have so many events together; nothing is at work, and nothing will be to do."""
    copies = max(0, events // sum(each.head for each in kept.values()) - 1)
    await asyncio.gather(
        *(fill_one(stack.database_url(name), each, copies) for name, each in kept.items())
    )


async def stored(stack: Stack) -> tuple[int, int]:
    """Events in the four logs, and bytes of the four databases."""
    events, size = 0, 0
    for name in stack.services:
        connection = await asyncpg.connect(stack.database_url(name))
        try:
            events += await connection.fetchval("select position from log_head")
            size += await connection.fetchval("select pg_database_size(current_database())")
        finally:
            await connection.close()
    return events, size


async def keep_one(connection: Any, tables: Sequence[str]) -> Kept:
    """Keep all rows of one database."""
    head: int = await connection.fetchval("select position from log_head")
    await connection.execute("create schema kept")
    lengths = dict(
        await connection.fetch("select stream_id, max(version) from events group by stream_id")
    )
    longest = max(lengths.values())
    statements: list[str] = []
    for schema, name in await connection.fetch(TABLES):
        if name in NOT_COPIED:
            continue
        columns = await connection.fetch(COLUMNS, schema, name)
        kept = f'kept."{schema}_{name}"'
        await connection.execute(f'create table {kept} as select * from "{schema}"."{name}"')
        values = ", ".join(
            _value(column, kind, tables, head, max(1, TABLE_EVENTS // longest), longest)
            for column, kind in columns
        )
        listed = ", ".join(f'"{column}"' for column, _ in columns)
        order = ", position" if "position" in [column for column, _ in columns] else ""
        statements.append(
            f'insert into "{schema}"."{name}" ({listed}) select {values} '
            f"from {kept} cross join generate_series($1::bigint, $2::bigint) as copy "
            f"where $3::bigint >= 0 order by copy{order} on conflict do nothing"
        )
    return Kept(head, tuple(statements))


def _value(  # noqa: PLR0917 - of one column
    column: str, kind: str, tables: Sequence[str], head: int, sessions: int, longest: int
) -> str:
    """What a copy has in the place of a column: what was kept is copy 0, the first session of its table."""
    name = f'"{column}"'
    session, other = f"copy % {sessions} + 1", f"copy / {sessions}"
    if kind in {"text", "bytea"} and (kind == "text" or column in TEXTS):
        text = name if kind == "text" else f"convert_from({name}, 'UTF8')"
        for number, table in enumerate(tables):
            # Coups of its first session first, so that they are not taken for the table.
            text = f"replace({text}, '{table}:1:', '<{number}>')"
            copied = f"case {other} when 0 then '{table}' else '{table}-' || {other} end"
            text = f"replace({text}, '{table}', {copied})"
            text = f"replace({text}, '<{number}>', ({copied}) || ':' || {session} || ':')"
        if column in UNIQUE:
            text = f"{text} || '.' || copy"
        return text if kind == "text" else f"convert_to({text}, 'UTF8')"
    if column == "position":
        return f"$3 + (copy - 1) * {head} + {name}"
    if column == "previous":
        return f"case when {name} = 0 then 0 else $3 + (copy - 1) * {head} + {name} end"
    if column == "version" and kind == "integer":
        return f"{name} + ({session} - 1) * {longest}"
    if column == "session":
        return session
    return name


async def fill_one(dsn: str, kept: Kept, copies: int) -> int:
    """Make so many copies of what one database had; gives how many events its log has then."""
    connection = await asyncpg.connect(dsn, command_timeout=FILL_S_MAX)
    try:
        await connection.execute("set synchronous_commit = off")
        begin: int = await connection.fetchval("select position from log_head")
        step = max(1, CHUNK_EVENTS // kept.head)
        for first in range(1, copies + 1, step):
            last = min(first + step - 1, copies)
            for statement in kept.statements:
                await connection.execute(statement, first, last, begin)
        end = begin + copies * kept.head
        await connection.execute("update log_head set position = $1", end)
        # As in a service that has worked for long: everything is published, folded and paid.
        await connection.execute("update checkpoints set position = $1 where position <> 0", end)
        await connection.execute("vacuum analyze")
        await connection.execute("checkpoint")
        return end
    finally:
        await connection.close()
