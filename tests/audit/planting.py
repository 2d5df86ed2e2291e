"""Changes that somebody with all rights can make to a log in its database, each to be undone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
from msgspec import Struct

from services.devstack.stack import Stack

SERVICE: Final = "round"
STATEMENT_S: Final = 30.0


class Change(Struct, frozen=True, kw_only=True):
    """Statements on one event; `{at}` in them stands for its position."""

    name: str
    change: tuple[str, ...]
    undo: tuple[str, ...]
    found: str
    """The beginning of the line that has to tell of it; `{at}` and `{table}` stand for the place."""


_BACK: Final = "insert into events select * from kept where position = {at}"
_AWAY: Final = "delete from events where position = {at}"

CHANGES: Final = (
    Change(
        name="a body edited",
        change=(
            (
                "update events set body = replace(encode(body, 'escape'), 'coup', 'c0up')::bytea"
                " where position = {at}"
            ),
        ),
        undo=(_AWAY, _BACK),
        found="EDITED round {at} round:{table}:",
    ),
    Change(
        name="an envelope edited",
        change=(
            (
                "update events set meta = replace(encode(meta, 'escape'), 'role', 'r0le')::bytea"
                " where position = {at}"
            ),
        ),
        undo=(_AWAY, _BACK),
        found="EDITED round {at} round:{table}:",
    ),
    Change(
        name="filed under another coup",
        change=("update events set coup_id = 'another' where position = {at}",),
        undo=(_AWAY, _BACK),
        found="EDITED round {at} round:{table}:",
    ),
    Change(
        name="removed",
        change=(_AWAY,),
        undo=(_BACK,),
        found="MISSING round {at} ",
    ),
    Change(
        name="the end removed",
        change=("delete from events where position = (select position from log_head)",),
        undo=(
            "insert into events select * from kept where position = (select position from log_head)",
        ),
        found="MISSING round ",
    ),
    Change(
        name="the end removed, and the head moved",
        change=(
            "delete from events where position = (select position from log_head)",
            "update log_head set position = position - 1",
        ),
        undo=(
            "update log_head set position = position + 1",
            "insert into events select * from kept where position = (select position from log_head)",
        ),
        found="MISSING round ",
    ),
    Change(
        name="added at the end",
        change=(
            (
                "insert into events select (select max(position) + 1 from events), stream_id, 999999, type,"
                " schema_version, published, previous, coup_id, command_id, meta, body, previous_digest,"
                " digest, recorded_at from kept where position = {at}"
            ),
        ),
        undo=("delete from events where version = 999999",),
        found="ADDED round ",
    ),
    Change(
        name="two swapped",
        change=(
            "delete from events where position in ({at}, {at} - 1)",
            (
                "insert into events select 2 * {at} - 1 - position, stream_id, version, type,"
                " schema_version, published, least(previous, 2 * {at} - 2 - position), coup_id, command_id, meta,"
                " body, previous_digest, digest, recorded_at from kept where position in ({at}, {at} - 1)"
            ),
        ),
        undo=(
            "delete from events where position in ({at}, {at} - 1)",
            "insert into events select * from kept where position in ({at}, {at} - 1)",
        ),
        found="UNCHAINED round {at} round:{table}:",
    ),
)


async def middle(stack: Stack, table_id: str) -> int:
    """The position of the first result of the table."""
    connection = await asyncpg.connect(stack.database_url(SERVICE))
    try:
        return int(
            await connection.fetchval(
                "select min(position) from events where stream_id = $1 and type = 'coup-resulted'",
                table_id,
            )
        )
    finally:
        await connection.close()


@asynccontextmanager
async def planted(stack: Stack, change: Change, at: int) -> AsyncIterator[None]:
    """The log with the change in it; as it was, afterwards.

    Its service is held meanwhile: one that reads a log with a hole in it ends, as it must.
    """
    stack.pause_service(SERVICE)
    connection = await asyncpg.connect(stack.database_url(SERVICE), command_timeout=STATEMENT_S)
    try:
        await connection.execute("set session_replication_role = replica")
        await connection.execute("create temporary table kept as select * from events")
        for statement in change.change:
            await connection.execute(statement.format(at=at))
        try:
            yield
        finally:
            for statement in change.undo:
                await connection.execute(statement.format(at=at))
    finally:
        await connection.close()
        stack.resume_service(SERVICE)
