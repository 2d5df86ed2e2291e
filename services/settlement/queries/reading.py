"""Get, BatchGet, List and Export of any kind of resource: one implementation for all.

Every answer is one snapshot of the database, so that what it holds and the position that it names
belong together. Lists go by `(at_us, id)`, which never changes; exports by `(position, id)`, so that
what changes while one runs comes again at its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from msgspec import Struct

from services.chassis import projection
from services.chassis.app import Runtime
from services.chassis.auth import identity
from services.chassis.positions import Position, position_of
from services.chassis.rpc_errors import (
    FieldFault,
    InvalidCommand,
    NotAllowedHere,
    NotFound,
    Unavailable,
)
from services.contracts.core import NotYet
from services.rules.roles import PLAYER
from services.settlement import domain
from services.settlement.queries import tokens
from services.settlement.queries.filters import Condition, conditions
from services.settlement.queries.messages import shown
from services.settlement.queries.projection import DECODE, RESOURCES, Resources
from services.settlement.queries.resources import Kind, Resource

PAGE: Final = 50
PAGE_MAX: Final = 1_000
EXPORT_BATCH: Final = 500
FOLLOW_PAUSE_S: Final = 0.2
BASIC, FULL = 1, 2
"""Numbers of `View`."""


class AsOf(Struct, frozen=True):
    """What an answer reflects."""

    schema: str
    position: int
    recorded_us: int


class Snapshot:
    """The projection as it is at one moment."""

    def __init__(self, connection: Any, as_of: AsOf) -> None:
        self._connection = connection
        self.as_of = as_of

    async def fetch(self, kind: Kind, tail: str, arguments: Sequence[Any]) -> list[Resource]:
        """Resources by the end of a statement, from `where` on."""
        rows = await self._connection.fetch(
            f'select doc from "{self.as_of.schema}".{kind.name} {tail}',  # noqa: S608
            *arguments,
        )
        decode = DECODE[kind.name]
        return [decode(row[0]) for row in rows]

    async def rows(self, select: str, kind: Kind, tail: str, arguments: Sequence[Any]) -> list[Any]:
        """What else is asked of the table of a kind."""
        statement = f'select {select} from "{self.as_of.schema}".{kind.name} {tail}'  # noqa: S608
        found: list[Any] = await self._connection.fetch(statement, *arguments)
        return found


class Reader:
    """Reads resources for calls."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    @contextlib.asynccontextmanager
    async def snapshot(
        self, min_position: str = "", *, table_id: str = ""
    ) -> AsyncIterator[Snapshot]:
        """What is there once the position of a caller's token is reflected."""
        if min_position:
            await self._reached(min_position, table_id)
        async with (
            self.runtime.pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            live = await self._live(connection)
            recorded = await connection.fetchval(
                "select (extract(epoch from recorded_at) * 1000000)::bigint from events "
                "where position = $1",
                live.position,
            )
            yield Snapshot(connection, AsOf(live.schema, live.position, recorded or 0))

    async def _live(self, connection: Any) -> projection.Live:
        """The tables in use: of this release, or it is told that they are not there yet."""
        try:
            live = await projection.live(connection, RESOURCES)
        except projection.UnknownProjection:
            raise Unavailable("nothing was folded for queries yet", reason="FOLDING") from None
        if live.version != Resources.version:
            # Columns and meanings may be others than this code knows.
            raise Unavailable("queries are being folded for another release", reason="FOLDING")
        return live

    async def _reached(self, token: str, table_id: str) -> None:
        """Wait for a position of this service's log, or of another one's as far as it was heard."""
        wanted = position_of(token, field="min_position")
        position = wanted.position
        try:
            if wanted.service != domain.SERVICE:
                position = await self._heard(wanted, table_id)
            await projection.reached(self.runtime.pool, RESOURCES, position)
        except (NotYet, TimeoutError, projection.UnknownProjection):
            raise NotAllowedHere(
                "queries have not reached min_position yet", reason="NOT_REACHED"
            ) from None

    async def _heard(self, wanted: Position, table_id: str) -> int:
        """The end of the own log once it holds what another service said of a table up to there."""
        problem = ""
        if wanted.service not in domain.HEARS:
            problem = f"a token of {wanted.service}, which is not heard here"
        elif not table_id:
            problem = f"a token of {wanted.service}, which says nothing where no table is named"
        if problem:
            fault = FieldFault("min_position", problem)
            raise InvalidCommand(f"min_position is {problem}", fields=[fault])
        async with asyncio.timeout(projection.READ_WAIT_S):
            while True:
                row = await self.runtime.pool.fetchrow(
                    "select coalesce((select position from inbox where upstream = $1 "
                    "and table_id = $2), 0), (select position from log_head)",
                    wanted.service,
                    table_id,
                )
                assert row is not None, "a query without a condition has a row"
                handled, end = row
                if handled >= wanted.position:
                    return int(end)
                await asyncio.sleep(projection.READ_PAUSE_S)

    def stamp(self, answer: Any, as_of: AsOf) -> Any:
        """Say in an answer what it reflects."""
        answer.as_of_token = self.runtime.token(as_of.position)
        answer.as_of_us = as_of.recorded_us
        return answer

    async def get(self, kind: Kind, request: Any, response: type[Message]) -> Any:
        """One resource by its id, in full unless it is asked for less."""
        answer: Any = response()
        table_id = kind.table_of(request.id)
        async with self.snapshot(request.min_position, table_id=table_id) as snapshot:
            found = await self._by_ids(snapshot, kind, [request.id])
        if not found:
            raise NotFound(f"there is no {request.id} among the {kind.name}")
        show = _shower(answer, "item", kind, full=request.view != BASIC)
        answer.item.CopyFrom(show(found[0]))
        return self.stamp(answer, snapshot.as_of)

    async def batch_get(self, kind: Kind, request: Any, response: type[Message]) -> Any:
        """Several by their ids, in the order in which they were asked for."""
        answer: Any = response()
        tables = {kind.table_of(key) for key in request.ids}
        table_id = tables.pop() if len(tables) == 1 else ""
        async with self.snapshot(request.min_position, table_id=table_id) as snapshot:
            found = await self._by_ids(snapshot, kind, list(request.ids))
        by_id = {each.id: each for each in found}
        show = _shower(answer, "items", kind, full=request.view == FULL)
        answer.items.extend(show(by_id[key]) for key in dict.fromkeys(request.ids) if key in by_id)
        return self.stamp(answer, snapshot.as_of)

    async def _by_ids(self, snapshot: Snapshot, kind: Kind, ids: list[str]) -> list[Resource]:
        own, arguments = _only_own(kind, [ids])
        where = " and ".join(["id = any($1::text[])", *own])
        return await snapshot.fetch(kind, f"where {where}", arguments)

    async def page(self, kind: Kind, request: Any, response: type[Message]) -> Any:
        """A page, with a token for the next one where there is more."""
        size = min(request.page_size or PAGE, PAGE_MAX)
        descending = _descending(request.order_by)
        after = tokens.read(request.page_token, request, field="page_token")
        where, arguments = _where(kind, conditions(kind, request))
        if after is not None:
            sign = "<" if descending else ">"
            where.append(f"(at_us, id) {sign} (${len(arguments) + 1}, ${len(arguments) + 2})")
            arguments += [after.value, after.id]
        way = " desc" if descending else ""
        tail = f"{_clause(where)} order by at_us{way}, id{way} limit {size + 1}"
        answer: Any = response()
        table_id = getattr(request, "table_id", "")
        async with self.snapshot(request.min_position, table_id=table_id) as snapshot:
            found = await snapshot.fetch(kind, tail, arguments)
        show = _shower(answer, "items", kind, full=request.view == FULL)
        answer.items.extend(map(show, found[:size]))
        if len(found) > size:
            last = found[size - 1]
            place = tokens.Place(tokens.FORM, tokens.bound_to(request), last.at_us, last.id)
            answer.next_page_token = tokens.written(place)
        return self.stamp(answer, snapshot.as_of)

    async def export(self, kind: Kind, request: Any, response: type[Message]) -> AsyncIterator[Any]:
        """All of them in batches; `complete` says that the answer's position is reached."""
        bound = tokens.bound_to(request)
        place = tokens.read(request.resume_cursor, request, field="resume_cursor")
        place = place or tokens.Place(tokens.FORM, bound, -1, "")
        where, arguments = _where(kind, conditions(kind, request))
        n = len(arguments)
        where.append(f"(position, id) > (${n + 1}, ${n + 2})")
        tail = f"{_clause(where)} order by position, id limit {EXPORT_BATCH}"
        min_position, told = request.min_position, -1
        table_id = getattr(request, "table_id", "")
        while True:
            async with self.snapshot(min_position, table_id=table_id) as snapshot:
                found = await snapshot.fetch(kind, tail, [*arguments, place.value, place.id])
            min_position, position = "", snapshot.as_of.position
            if not found and position <= told:
                await asyncio.sleep(FOLLOW_PAUSE_S)
                continue
            answer: Any = response(complete=not found)
            place = _sent(answer, kind, found, place, full=request.view == FULL)
            answer.resume_cursor = tokens.written(place)
            yield self.stamp(answer, snapshot.as_of)
            if not found:
                told = position
                if not request.follow:
                    return


def _sent(
    answer: Any, kind: Kind, found: Sequence[Resource], place: tokens.Place, *, full: bool
) -> tokens.Place:
    """Put a batch into its message; returns where the export is after it."""
    digest = hashlib.sha256(place.checksum)
    show = _shower(answer, "items", kind, full=full)
    for item in map(show, found):
        digest.update(item.SerializeToString(deterministic=True))
        answer.items.append(item)
    checksum = digest.digest() if found else place.checksum
    answer.checksum = checksum.hex()
    answer.count = place.count + len(found)
    value, key = (found[-1].position, found[-1].id) if found else (place.value, place.id)
    return tokens.Place(tokens.FORM, place.bound, value, key, answer.count, checksum)


def _shower(answer: Any, field: str, kind: Kind, *, full: bool) -> Callable[[Resource], Any]:
    """What makes messages for a field of an answer, for who asks."""
    message = GetMessageClass(answer.DESCRIPTOR.fields_by_name[field].message_type)
    actor = identity().actor
    return lambda resource: shown(message, kind, resource, actor, full=full)


def _descending(order_by: str) -> bool:
    if order_by not in ("", "at", "at desc"):
        fault = FieldFault("order_by", "needs `at` or `at desc`")
        raise InvalidCommand("order_by needs `at` or `at desc`", fields=[fault])
    return order_by.endswith("desc")


def _where(kind: Kind, wanted: Sequence[Condition]) -> tuple[list[str], list[Any]]:
    where, arguments = _only_own(kind, [])
    for each in wanted:
        arguments.append(each.value)
        where.append(f"{each.column} {each.operator} ${len(arguments)}")
    return where, arguments


def _only_own(kind: Kind, arguments: list[Any]) -> tuple[list[str], list[Any]]:
    """A player is shown what is his, where a kind belongs to players."""
    actor = identity().actor
    if not kind.owner or actor.role != PLAYER:
        return [], arguments
    return [f"{kind.owner} = ${len(arguments) + 1}"], [*arguments, actor.id]


def _clause(where: Sequence[str]) -> str:
    return f"where {' and '.join(where)}" if where else ""
