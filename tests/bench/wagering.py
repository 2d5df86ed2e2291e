"""Wagers a second through gRPC into PostgreSQL, beside a bare echo with the same messages."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import grpc

from sabot.wager.v1 import wager_service_pb2 as pb
from sabot.wager.v1 import wager_service_pb2_grpc as pb_grpc
from services.chassis.auth import development_credentials
from services.contracts.common import Limit
from services.contracts.core import Actor
from services.devstack.ports import free_ports
from services.devstack.stack import Stack
from services.round import commands as table
from services.rulebooks.settings import table_settings
from services.shoe import commands as cards
from services.tablelog.calls import Services
from services.tablelog.rest import unrest
from tests.bench.figures import Goal, Row, cpu_s

CALLERS = 64
CALLERS_MANY = 256
BATCH_WAGERS = 100
BATCH_CALLERS = 4
ROWS_S = 1.0
BODY = b"x" * 200
TABLES = 64
PLAYERS = 256
ROUND_S = 2.0
REST_S = 0.01
FUNDS_MINOR = 10**14
START_US = 1_790_000_000_000_000
DEALER = Actor("dealer", "DEALER")
DEALERS = development_credentials(DEALER)()
CREDENTIALS = [development_credentials(Actor(f"p{n}", "PLAYER"))() for n in range(PLAYERS)]


async def measure(stack: Stack, rounds: int) -> list[Row]:
    """All sides in turn, round by round; once the tables are open, the wager service is alone.

    In production the others run on machines of their own, and here they would take what both sides
    of a ratio share.
    """
    async with Services(stack.targets) as services:
        await _prepare(services)
    for name in ("settlement", "round", "shoe"):
        await asyncio.to_thread(stack.stop_service, name)
    ids = itertools.count()
    wager = stack.targets["wager"]
    sides: dict[str, list[float]] = {}
    async with _echo() as echo_port:
        echo = f"127.0.0.1:{echo_port}"
        for _ in range(rounds):
            for name, target, callers, tables in (
                ("echo", echo, CALLERS, TABLES),
                ("wager", wager, CALLERS, TABLES),
                ("echo many", echo, CALLERS_MANY, TABLES),
                ("wager many", wager, CALLERS_MANY, TABLES),
                ("wager alone", wager, CALLERS, 1),
            ):
                before_s = cpu_s()
                rate, p99_s = await _rate(target, ids, callers=callers, tables=tables)
                sides.setdefault(name, []).append(rate)
                cpu_us = (cpu_s() - before_s) / (rate * ROUND_S) * 1e6
                sides.setdefault(f"{name} cpu", []).append(cpu_us)
                sides.setdefault(f"{name} p99", []).append(p99_s * 1_000)
            sides.setdefault("rows 64", []).append(await _rows(stack, 64))
            sides.setdefault("rows 100", []).append(await _rows(stack, BATCH_WAGERS))
            sides.setdefault("batches", []).append(await _batches(wager, ids))
    return _told({name: tuple(values) for name, values in sides.items()})


def _told(sides: dict[str, tuple[float, ...]]) -> list[Row]:
    limit = tuple(
        1 / (1 / echo + 1 / rows)
        for echo, rows in zip(sides["echo"], sides["rows 64"], strict=True)
    )
    accepted = f"wagers accepted, debit in the commit, {CALLERS} callers, {TABLES} tables"
    many = f"the same, {CALLERS_MANY} callers"
    batch = f"wagers accepted by PlaceWagers of {BATCH_WAGERS}, {BATCH_CALLERS} callers"
    said: list[tuple[str, str, str, str, str, str, Goal]] = [
        ("G1L", accepted, "wager", "/s", "bare grpc.aio echo", "echo", Goal(0.5, 0.75, 0.9)),
        ("G1b", many, "wager many", "/s", "echo", "echo many", Goal(0.65, 0.85, 0.95)),
        ("G1c", "G1L", "wager", "/s", "serial limit of echo and unnest(64)", "limit",
         Goal(0.55, 0.75, 0.9)),
        ("G1d", "p99 of G1L", "wager p99", "ms", "p99 of echo", "echo p99",
         Goal(2.5, 1.8, 1.3, less=True)),
        ("G1 CPU", "CPU of G1L: caller, service, PostgreSQL and broker", "wager cpu", "µs",
         "CPU of echo: caller and server", "echo cpu", Goal(2, 1.33, 1.11, less=True)),
        ("G2", batch, "batches", "/s", "bare asyncpg unnest(100)", "rows 100",
         Goal(0.25, 0.4, 0.5)),
        ("G8", "G1L with all wagers on one table", "wager alone", "/s",
         f"spread on {TABLES} tables", "wager", Goal(0.55, 0.75, 0.85)),
    ]  # fmt: skip
    figures = {**sides, "limit": limit}
    return [
        Row(
            name=name,
            what=what,
            unit=unit,
            rates=figures[own],
            beside=beside,
            beside_rates=figures[other],
            goal=goal,
        )
        for name, what, own, unit, beside, other, goal in said
    ]


async def _rows(stack: Stack, rows: int) -> float:
    """Rows a second that one connection commits, so many at once."""
    connection = await asyncpg.connect(stack.database_url("wager"))
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


async def _batches(target: str, ids: Any) -> float:
    """Wagers a second where a call brings many."""
    async with grpc.aio.insecure_channel(target) as channel:
        stub = pb_grpc.WagerServiceStub(channel)
        until = time.perf_counter() + ROUND_S
        done = 0

        async def caller() -> None:
            nonlocal done
            while time.perf_counter() < until:
                numbers = [next(ids) for _ in range(BATCH_WAGERS)]
                wagers = [_wager(each, TABLES, f"p{_player(each)}") for each in numbers]
                request = pb.PlaceWagersRequest(wagers=wagers)
                response = await stub.PlaceWagers(request, metadata=DEALERS)
                statuses = {each.status for each in response.responses}
                assert statuses == {"ACCEPTED"}, response
                done += len(wagers)

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(BATCH_CALLERS)))
        return done / (time.perf_counter() - began)


async def _prepare(services: Services) -> None:
    for player in range(PLAYERS):
        await services.fund(f"bench/{player}", f"p{player}", "EUR", FUNDS_MINOR)
    for number in range(TABLES):
        await _open(services, f"bench-{number}")


async def _open(services: Services, table_id: str) -> None:
    settings = table_settings(
        table_id=table_id,
        table_number=table_id,
        rulebook_id="nsw-mini",
        options={},
        decks=8,
        currency="EUR",
        limits={"EUR": {"*": Limit(1, 10**12)}},
        left_of_dealer=None,
        seats=9,
        mode="TEST",
    )
    at_us = START_US
    story: list[tuple[str, Any]] = [
        ("round", table.OpenTable(at_us=at_us, by=DEALER, settings=settings)),
        (
            "shoe",
            cards.LoadShoe(
                at_us=at_us,
                by=DEALER,
                shoe_id=f"{table_id}-shoe",
                source="GENERATED",
                stands_for_preparation=True,
            ),
        ),
        # Open for as long as the bench takes, whatever the clock of the machine says.
        ("round", table.OpenBetting(at_us=at_us, by=DEALER, closes_in_us=10**15)),
    ]
    for number, (service, command) in enumerate(story):
        answered = await services.send(
            service,
            command,
            table_id=table_id,
            command_id=f"{table_id}-{number}",
            order=None,
        )
        assert answered.refused is None, answered.refused
        while unrest(await services.progress(table_id)):
            await asyncio.sleep(REST_S)


@asynccontextmanager
async def _echo() -> AsyncIterator[int]:
    (port,) = free_ports(1)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.echo", str(port)
    )
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            await asyncio.wait_for(channel.channel_ready(), 20)
        yield port
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), 10)


def _player(number: int) -> int:
    """Whoever it is, so that in the course of a run every player stakes at every table."""
    return (number // TABLES) * 7919 % PLAYERS


def _wager(number: int, tables: int, player: str) -> Any:
    request = pb.PlaceWagerRequest(
        table_id=f"bench-{number % tables}",
        wager_id=f"w{number}",
        player=player,
        area="BANKER",
        amount_minor=100,
    )
    request.meta.command_id = f"c{number}"
    return request


async def _rate(target: str, ids: Any, *, callers: int, tables: int) -> tuple[float, float]:
    """Wagers a second with all callers at work, and the time that one in a hundred exceeds."""
    async with grpc.aio.insecure_channel(target) as channel:
        stub = pb_grpc.WagerServiceStub(channel)
        times: list[float] = []
        until = time.perf_counter() + ROUND_S

        async def caller() -> None:
            while (sent := time.perf_counter()) < until:
                number = next(ids)
                player = _player(number)
                request = _wager(number, tables, f"p{player}")
                response = await stub.PlaceWager(request, metadata=CREDENTIALS[player])
                # What is not accepted is not measured: it must not come to pass unseen.
                assert response.status == "ACCEPTED", response
                times.append(time.perf_counter() - sent)

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(callers)))
        rate = len(times) / (time.perf_counter() - began)
        return rate, statistics.quantiles(times, n=100)[-1]
