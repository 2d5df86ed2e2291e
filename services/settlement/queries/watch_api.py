"""The calls that watch tables."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from sabot.query.v1 import resources_pb2
from sabot.query.v1 import watch_service_pb2 as pb
from sabot.query.v1 import watch_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.auth import identity
from services.chassis.positions import read_position
from services.chassis.rpc_errors import NotFound
from services.settlement import domain
from services.settlement.queries.feed import Feed, News
from services.settlement.queries.messages import shown
from services.settlement.queries.reading import AsOf, Reader, Snapshot
from services.settlement.queries.resources import COUPS, SHOES, TABLES, Kind, Resource, Table


class WatchService(pb_grpc.WatchServiceServicer):
    """Tables as they are now."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._reader = Reader(runtime)
        self._feed = Feed(self._reader)

    async def WatchTable(self, request: Any, context: Any) -> AsyncGenerator[Any, None]:
        """A table with its shoe and its coup."""
        position = self._since(request)
        async with self._feed.watched() as box:
            while True:
                async with self._reader.snapshot() as snapshot:
                    found = await _at_table(snapshot, request.table_id)
                if not found:
                    raise NotFound(f"there is no table {request.table_id}")
                changed = max(each.position for each in found.values())
                if changed > position:
                    position = changed
                    yield self._table(found, snapshot.as_of)
                while request.table_id not in (await box.fetch()).touched:
                    pass

    def _table(self, found: dict[str, Resource], as_of: AsOf) -> Any:
        answer = pb.WatchTableResponse(
            resume_cursor=self._runtime.token(as_of.position), as_of_us=as_of.recorded_us
        )
        actor = identity().actor
        for name, (kind, message, full) in _PARTS.items():
            if name in found:
                part = shown(message, kind, found[name], actor, full=full)
                getattr(answer, name).CopyFrom(part)
        return answer

    async def WatchTables(self, request: Any, context: Any) -> AsyncGenerator[Any, None]:
        """All tables, or those that are named."""
        since = self._since(request)
        wanted = frozenset(request.table_ids)
        async with self._feed.watched() as box:
            async with self._reader.snapshot() as snapshot:
                known = await snapshot.fetch(TABLES, "where position > $1 order by id", [since])
            tables = {each.id: each for each in known if isinstance(each, Table)}
            if not since and not request.include_closed:
                tables = {key: each for key, each in tables.items() if each.status != "CLOSED"}
            begun = snapshot.as_of
            first = self._tables(News(tables, frozenset(), begun), wanted)
            if first.tables or not since:
                yield first
            while True:
                news = await box.fetch()
                # What the first look showed already may be in the box, too.
                later = {
                    key: each for key, each in news.tables.items() if each.position > begun.position
                }
                answer = self._tables(News(later, news.touched, news.as_of), wanted)
                if answer.tables:
                    yield answer

    def _tables(self, news: News, wanted: frozenset[str]) -> Any:
        answer = pb.WatchTablesResponse(
            resume_cursor=self._runtime.token(news.as_of.position), as_of_us=news.as_of.recorded_us
        )
        actor = identity().actor
        for key, each in news.tables.items():
            if not wanted or key in wanted:
                answer.tables.append(shown(resources_pb2.Table, TABLES, each, actor, full=False))
        return answer

    def _since(self, request: Any) -> int:
        return read_position(request.resume_cursor, service=domain.SERVICE, field="resume_cursor")


_PARTS: dict[str, tuple[Kind, Any, bool]] = {
    "table": (TABLES, resources_pb2.Table, True),
    "shoe": (SHOES, resources_pb2.Shoe, False),
    "coup": (COUPS, resources_pb2.Coup, True),
}
"""What is shown of a table, and whether in full."""


async def _at_table(snapshot: Snapshot, table_id: str) -> dict[str, Resource]:
    """The table with its shoe and its coup; empty where there is no such table."""
    found: dict[str, Resource] = {}
    for table in await snapshot.fetch(TABLES, "where id = $1", [table_id]):
        assert isinstance(table, Table)
        found["table"] = table
        for shoe in await snapshot.fetch(SHOES, "where id = $1", [f"{table_id}/{table.shoe_id}"]):
            found["shoe"] = shoe
        for coup in await snapshot.fetch(COUPS, "where id = $1", [table.coup_id]):
            found["coup"] = coup
    return found
