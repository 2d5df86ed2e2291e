"""Tables are watched: states at once and with every change, bounded and resumable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sabot.query.v1 import watch_service_pb2 as pb
from services.chassis.decider import Record
from services.chassis.postgres import Pool
from services.chassis.rpc_errors import NotFound
from services.settlement.queries import feed
from services.settlement.queries.resources import COUPS, SHOES, TABLES
from services.settlement.queries.watch_api import WatchService
from tests.integration.queries.calls import stored
from tests.support.queried import Log, projector, runtime, sign_in

TABLE = "shoe-06"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often."""
    monkeypatch.setattr(feed, "LOOK_S", 0.005)


class Growing:
    """Tables that grow when they are told to."""

    def __init__(self, records: list[Record], pool: Pool) -> None:
        self.log = Log(records)
        self.filling = projector(self.log, pool)
        self.log.shown = 0

    async def grow(self, to: int) -> None:
        self.log.shown = to
        while await self.filling.step():
            pass


@asynccontextmanager
async def growing(records: list[Record], pool: Pool) -> AsyncIterator[Growing]:
    tables = Growing(records, pool)
    await tables.filling.prepare()
    async with asyncio.timeout(30):
        yield tables


def of(records: list[Record], table_id: str) -> list[int]:
    """Positions of the records of a table."""
    return [record.position for record in records if record.stream == table_id]


async def test_a_table_is_told_at_once_and_with_every_change(
    own: Pool, records: list[Record]
) -> None:
    """Event by event: what is seen in the end is what is stored, with shoe and coup."""
    sign_in()
    positions = of(records, TABLE)
    async with growing(records, own) as tables:
        await tables.grow(positions[5])
        service = WatchService(runtime(own))
        stream = service.WatchTable(pb.WatchTableRequest(table_id=TABLE), None)
        answer = await anext(stream)
        assert answer.table.id == TABLE
        phases = {answer.table.phase}
        shown = drawn = 0
        for position in positions[6:80]:
            await tables.grow(position)
            [table] = [each for each in await stored(own, TABLES) if each.id == TABLE]
            shoes = [each for each in await stored(own, SHOES) if each.table_id == TABLE]
            coups = [each for each in await stored(own, COUPS) if each.id == table.coup_id]
            last = max(each.position for each in (table, *shoes, *coups))
            while True:
                reached = (answer.table.position, answer.shoe.position, answer.coup.position)
                if max(reached) >= last:
                    break
                answer = await anext(stream)
                shown += 1
                drawn = max(drawn, answer.shoe.drawn)
                phases.add(answer.table.phase)
        assert shown > 20
        assert {"IDLE", "BETTING", "BETTING_CLOSED", "DEALING"} <= phases
        assert answer.table.limits
        assert drawn > 5
        assert answer.coup.id == answer.table.coup_id
        await stream.aclose()


async def test_a_lobby_is_told_of_every_table_that_changes(
    own: Pool, records: list[Record]
) -> None:
    """All at once first; then only what changed, and each table's latest state in the end."""
    sign_in()
    async with growing(records, own) as tables:
        await tables.grow(1_000)
        stream = WatchService(runtime(own)).WatchTables(
            pb.WatchTablesRequest(include_closed=True), None
        )
        first = await anext(stream)
        assert [each.id for each in first.tables] == sorted(
            each.id for each in await stored(own, TABLES)
        )
        seen = {each.id: each for each in first.tables}
        await tables.grow(len(records))
        wanted = {each.id: each.position for each in await stored(own, TABLES)}
        while {key: each.position for key, each in seen.items()} != wanted:
            answer = await anext(stream)
            seen |= {each.id: each for each in answer.tables}
        marks = {each.id: len(each.road_tail) for each in seen.values()}
        assert max(marks.values()) > 2
        assert all(not each.seats for each in seen.values())
        await stream.aclose()


async def test_a_lobby_is_resumed_by_its_cursor(own: Pool, records: list[Record]) -> None:
    """What had not changed since is not sent again, and nothing that had is missing."""
    sign_in()
    async with growing(records, own) as tables:
        await tables.grow(2_000)
        service = WatchService(runtime(own))
        stream = service.WatchTables(pb.WatchTablesRequest(include_closed=True), None)
        first = await anext(stream)
        await stream.aclose()
        await tables.grow(3_000)
        again = service.WatchTables(pb.WatchTablesRequest(resume_cursor=first.resume_cursor), None)
        later = await anext(again)
        await again.aclose()
        old = {each.id: each.position for each in first.tables}
        changed = {
            each.id for each in await stored(own, TABLES) if each.position > old.get(each.id, 0)
        }
        assert {each.id for each in later.tables} == changed
        assert 0 < len(changed) < len(await stored(own, TABLES))


async def test_closed_tables_are_left_out_of_a_lobby(own: Pool, records: list[Record]) -> None:
    """Unless they are asked for; and only tables that are named, where some are."""
    sign_in()
    async with growing(records, own) as tables:
        await tables.grow(len(records))
        values = await stored(own, TABLES)
        closed = {each.id for each in values if each.status == "CLOSED"}
        assert closed
        service = WatchService(runtime(own))
        for request, wanted in (
            (pb.WatchTablesRequest(), {each.id for each in values} - closed),
            (pb.WatchTablesRequest(table_ids=[TABLE, *closed]), {TABLE} - closed),
        ):
            stream = service.WatchTables(request, None)
            assert {each.id for each in (await anext(stream)).tables} == wanted
            await stream.aclose()
        stream = service.WatchTable(pb.WatchTableRequest(table_id="nowhere"), None)
        with pytest.raises(NotFound):
            await anext(stream)


async def test_a_reader_that_sleeps_finds_the_latest_and_no_queue(
    own: Pool, records: list[Record]
) -> None:
    """A box holds one state of each table, however much happens."""
    sign_in()
    async with growing(records, own) as tables:
        await tables.grow(1_000)
        service = WatchService(runtime(own))
        async with service._feed.watched() as box:
            for end in range(1_100, len(records), 200):
                await tables.grow(end)
                await asyncio.sleep(0.01)
            await tables.grow(len(records))
            while service._feed._position < len(records):
                await asyncio.sleep(0.01)
            assert len(box._tables) <= len(await stored(own, TABLES))
            news = await box.fetch()
            wanted = {each.id: each.position for each in await stored(own, TABLES)}
            assert {
                key: each.position for key, each in news.tables.items()
            }.items() <= wanted.items()
        assert service._feed._looking is None
