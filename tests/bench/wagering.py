"""Wagers a second through gRPC into PostgreSQL, beside a bare echo with the same messages."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

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
from tests.bench.figures import Row

CALLERS = 64
TABLES = 64
PLAYERS = 256
ROUND_S = 2.0
REST_S = 0.01
FUNDS_MINOR = 10**14
START_US = 1_790_000_000_000_000
DEALER = Actor("dealer", "DEALER")
CREDENTIALS = [development_credentials(Actor(f"p{n}", "PLAYER"))() for n in range(PLAYERS)]


async def measure(stack: Stack, rounds: int) -> list[Row]:
    """Both servers, in turn, round by round."""
    async with Services(stack.targets) as services:
        await _prepare(services)
    async with _echo() as echo_port:
        ids = itertools.count()
        echo_rates: list[float] = []
        wager_rates: list[float] = []
        for _ in range(rounds):
            echo_rates.append(await _rate(f"127.0.0.1:{echo_port}", ids))
            wager_rates.append(await _rate(stack.targets["wager"], ids))
    return [
        Row(
            what=f"wagers accepted, {CALLERS} callers, {TABLES} tables",
            unit="wagers",
            rates=tuple(wager_rates),
            beside="bare grpc.aio echo",
            beside_rates=tuple(echo_rates),
        )
    ]


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


async def _rate(target: str, ids: Any) -> float:
    """Wagers a second with all callers at work."""
    async with grpc.aio.insecure_channel(target) as channel:
        stub = pb_grpc.WagerServiceStub(channel)
        done = 0
        until = time.perf_counter() + ROUND_S

        async def caller() -> None:
            nonlocal done
            while time.perf_counter() < until:
                number = next(ids)
                player = (number * 7919) % PLAYERS
                request = pb.PlaceWagerRequest(
                    table_id=f"bench-{number % TABLES}",
                    wager_id=f"w{number}",
                    player=f"p{player}",
                    area="BANKER",
                    amount_minor=100,
                )
                request.meta.command_id = f"c{number}"
                response = await stub.PlaceWager(request, metadata=CREDENTIALS[player])
                # What is not accepted is not measured: it must not come to pass unseen.
                assert response.status == "ACCEPTED", response
                done += 1

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(CALLERS)))
        return done / (time.perf_counter() - began)
