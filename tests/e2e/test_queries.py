"""The query API on the running system: read what was written, watch a table, see only one's own."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from sabot.query.v1 import query_service_pb2 as pb
from sabot.query.v1 import query_service_pb2_grpc as pb_grpc
from sabot.query.v1 import watch_service_pb2, watch_service_pb2_grpc
from services.chassis.auth import development_credentials
from services.contracts.core import Actor
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, Desk
from tests.e2e.support import fresh, played, short_table, written
from tests.fuzz.system import opened

pytestmark = pytest.mark.once

AUDITOR = development_credentials(Actor("au1", "AUDITOR"))()


@pytest_asyncio.fixture(loop_scope="session")
async def channel(stack: Stack) -> Any:
    """To the settlement service, which answers queries."""
    async with grpc.aio.insecure_channel(stack.targets["settlement"]) as way:
        yield way


async def test_a_table_is_watched_and_then_read(stack: Stack, channel: Any, tmp_path: Path) -> None:
    """A lobby tells of it while it is played; lists, books and exports agree afterwards."""
    query, watch = (
        pb_grpc.QueryServiceStub(channel),
        watch_service_pb2_grpc.WatchServiceStub(channel),
    )
    run = fresh("queried")
    table_id = f"{run}.1.T1"
    lobby = watch.WatchTables(
        watch_service_pb2.WatchTablesRequest(table_ids=[table_id]), metadata=AUDITOR
    )
    playing = asyncio.create_task(played(stack, written(tmp_path, "queried", short_table()), run))
    coups: set[str] = set()
    async with asyncio.timeout(60):
        async for answer in lobby:
            for table in answer.tables:
                assert table.id == table_id
                coups.add(table.coup_id)
            if f"{table_id}:1:3" in coups and answer.tables[0].phase in {"IDLE", "CLOSED"}:
                break
    lobby.cancel()
    await playing
    listed = await query.ListCoups(
        pb.ListCoupsRequest(table_id=table_id, view="VIEW_FULL"), metadata=AUDITOR
    )
    assert [coup.id for coup in listed.items] == [f"{table_id}:1:{number}" for number in (1, 2, 3)]
    assert listed.as_of_us > 0
    wagers = await query.ListWagers(pb.ListWagersRequest(table_id=table_id), metadata=AUDITOR)
    for coup in listed.items:
        mine = [each for each in wagers.items if each.coup_id == coup.id]
        staked = sum(each.turnover_minor for each in mine)
        assert staked == sum(money.staked_minor for money in coup.totals)
    exported = [
        item.id
        async for message in query.ExportWagers(
            pb.ExportWagersRequest(table_id=table_id), metadata=AUDITOR
        )
        for item in message.items
    ]
    assert sorted(exported) == sorted(each.id for each in wagers.items)
    shoe = f"{table_id}/{listed.items[0].shoe_id}"
    roads = await query.GetRoads(pb.GetRoadsRequest(id=shoe), metadata=AUDITOR)
    assert len(roads.roads.bead_plate) == 3


async def test_who_wrote_reads_it_with_his_token_and_nobody_elses(
    stack: Stack, channel: Any
) -> None:
    """The wager service's token of a placed wager makes queries wait for it; players see their own."""
    query = pb_grpc.QueryServiceStub(channel)
    async with Services(stack.targets) as services:
        desk = Desk(services, fresh("own"))
        await opened(desk, "s")
        await desk.act("round", "OpenBetting", DEALER)
        await desk.until(
            "wager", "GetBook", lambda book: bool(book.coup_id), "the wager service to hear of it"
        )
        placed = await desk.wager("w1", "p1", "BANKER", 1_000)
    token = placed.result.position_token
    for name, seen in (("p1", 1), ("p2", 0)):
        answer = await query.ListWagers(
            pb.ListWagersRequest(table_id=desk.table_id, min_position=token),
            metadata=development_credentials(Actor(f"{desk.table_id}.{name}", "PLAYER"))(),
        )
        assert len(answer.items) == seen
    refused = query.ListIncidents(
        pb.ListIncidentsRequest(),
        metadata=development_credentials(Actor("p1", "PLAYER"))(),
    )
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await refused
    assert error.value.code() is grpc.StatusCode.PERMISSION_DENIED
