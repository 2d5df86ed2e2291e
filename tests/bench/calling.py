"""Callers that place wagers as fast as they are answered, and what their rates stand beside."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import asyncpg
import grpc

from sabot.wager.v1 import wager_service_pb2 as pb
from sabot.wager.v1 import wager_service_pb2_grpc as pb_grpc
from services.chassis.auth import development_credentials
from services.contracts.core import Actor
from services.devstack.ports import free_ports
from tests.bench.opening import DEALER, PLAYERS, TABLES

BATCH_WAGERS: Final = 100
BATCH_CALLERS: Final = 4
ROUND_S: Final = 2.0
ROWS_S: Final = 1.0
BODY: Final = b"x" * 200
DEALERS: Final = development_credentials(DEALER)()
CREDENTIALS: Final = [
    development_credentials(Actor(f"p{number}", "PLAYER"))() for number in range(PLAYERS)
]


async def rate(
    targets: Sequence[str],
    ids: Iterator[int],
    *,
    callers: int,
    tables: Sequence[int] = range(TABLES),
    seconds: float = ROUND_S,
) -> tuple[float, float]:
    """Wagers a second with all callers at work, and the time that one in a hundred exceeds.

    Each table is at one of the targets.
    """
    async with AsyncExitStack() as opened:
        stubs = [
            pb_grpc.WagerServiceStub(
                await opened.enter_async_context(grpc.aio.insecure_channel(target))
            )
            for target in targets
        ]
        times: list[float] = []
        until = time.perf_counter() + seconds

        async def caller() -> None:
            while (sent := time.perf_counter()) < until:
                number = next(ids)
                player = player_of(number)
                place = number % len(tables)
                request = wager(number, tables[place], f"p{player}")
                stub = stubs[place % len(stubs)]
                response = await stub.PlaceWager(request, metadata=CREDENTIALS[player])
                # What is not accepted is not measured: it must not come to pass unseen.
                assert response.status == "ACCEPTED", response
                times.append(time.perf_counter() - sent)

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(callers)))
        done_s = time.perf_counter() - began
        return len(times) / done_s, statistics.quantiles(times, n=100)[-1]


async def batches(target: str, ids: Iterator[int]) -> float:
    """Wagers a second where a call brings many."""
    async with grpc.aio.insecure_channel(target) as channel:
        stub = pb_grpc.WagerServiceStub(channel)
        until = time.perf_counter() + ROUND_S
        done = 0

        async def caller() -> None:
            nonlocal done
            while time.perf_counter() < until:
                numbers = [next(ids) for _ in range(BATCH_WAGERS)]
                wagers = list(map(numbered, numbers))
                request = pb.PlaceWagersRequest(wagers=wagers)
                response = await stub.PlaceWagers(request, metadata=DEALERS)
                statuses = {each.status for each in response.responses}
                assert statuses == {"ACCEPTED"}, response
                done += len(wagers)

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(BATCH_CALLERS)))
        return done / (time.perf_counter() - began)


async def bare_rows(database_url: str, rows: int) -> float:
    """Rows a second that one connection commits, so many at once."""
    connection = await asyncpg.connect(database_url)
    try:
        # Not a temporary table: what is written there is in no write-ahead log, so nothing is synced.
        await connection.execute("create table bare (key text primary key, body bytea)")
        statement = await connection.prepare(
            "insert into bare select * from unnest($1::text[], $2::bytea[])"
        )
        done, began = 0, time.perf_counter()
        while time.perf_counter() - began < ROWS_S:
            keys = [f"{done + number}" for number in range(rows)]
            await statement.fetch(keys, [BODY] * rows)
            done += rows
        return done / (time.perf_counter() - began)
    finally:
        await connection.execute("drop table if exists bare")
        await connection.close()


@asynccontextmanager
async def echo_server() -> AsyncIterator[str]:
    """Run the bare server; gives its address."""
    (port,) = free_ports(1)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.echo", str(port)
    )
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            await asyncio.wait_for(channel.channel_ready(), 20)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), 10)


def numbered(number: int) -> Any:
    """The wager of this number, at its table and by its player."""
    return wager(number, number % TABLES, f"p{player_of(number)}")


def player_of(number: int) -> int:
    """Whoever it is, so that in the course of a run every player stakes at every table."""
    return (number // TABLES) * 7919 % PLAYERS


def wager(number: int, table: int, player: str) -> Any:
    """A wager of this number at one of the tables that `opening` opens."""
    request = pb.PlaceWagerRequest(
        table_id=f"bench-{table}",
        wager_id=f"w{number}",
        player=player,
        area="BANKER",
        amount_minor=100,
    )
    request.meta.command_id = f"c{number}"
    return request
