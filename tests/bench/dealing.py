"""From the last card of a coup to the last of its wagers seen settled, beside two bare hops.

A bare hop is a message through the broker. The bare way has two of them with a commit between, and as
many messages as the coup has wagers in the second. Ours has three: the card goes from shoe to round, the
result from round to settlement, and what is settled to the subscriber.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
import uuid
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import asyncpg
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from services.chassis import bus
from services.contracts.round import CoupResulted
from services.contracts.settlement import WagerSettled
from services.contracts.shoe import CardDrawn
from services.devstack.brokers import create_topics
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.bench import databases
from tests.bench.coups import WAGERS, Heard, fund, opened, paced, subscribed
from tests.bench.figures import Goal, Row

TABLES: Final = 10
EVERY_S: Final = 0.5
COUPS: Final = 40
WARM_COUPS: Final = TABLES
PARTS: Final = (
    ("shoe", CardDrawn.type, "last card stored"),
    ("round", CoupResulted.type, "result stored"),
    ("settlement", WagerSettled.type, "last payment stored"),
)
"""What each service has in its log last, on the way from card to payment."""
VALUE: Final = b"x" * 400
TIMEOUT_S: Final = 60.0


async def measure(stack: Stack, rounds: int) -> list[Row]:
    """Coups at a steady pace, and then as many bare messages at the same pace, round by round."""
    sides: dict[str, list[float]] = {"p50": [], "p99": [], "bare p50": [], "bare p99": []}
    parts: list[list[float]] = []
    async with Services(stack.targets) as services, Heard.at(stack.bootstrap_servers) as heard:
        await fund(services)
        tables = await opened(services, range(TABLES))
        await paced(tables, heard, coups=WARM_COUPS, every_s=EVERY_S)
        for _ in range(rounds):
            before = set(heard.seen_us)
            for name, times in (
                ("", await paced(tables, heard, coups=COUPS, every_s=EVERY_S)),
                ("bare ", await _bare(stack)),
            ):
                hundredths = statistics.quantiles(times, n=100, method="inclusive")
                sides[f"{name}p50"].append(hundredths[49])
                sides[f"{name}p99"].append(hundredths[98])
            now = {coup: us for coup, us in heard.seen_us.items() if coup not in before}
            parts.append(await _parts(stack, now))
    what = (
        f"last card to the last of {WAGERS} wagers seen settled, {TABLES} tables, "
        f"{WAGERS / EVERY_S:.0f} wagers/s, {COUPS} coups a round"
    )
    return [
        Row(
            name=name,
            what=f"{part} {what}" if beside else f"the same {part}",
            unit="ms",
            rates=tuple(sides[part]),
            beside="two bare hops with a commit" if beside else "",
            beside_rates=tuple(sides[f"bare {part}"]) if beside else (),
            goal=goal,
        )
        for name, part, beside, goal in (
            ("G6", "p50", True, Goal(3, 2, 1.3, less=True)),
            ("G6", "p50", False, Goal(25, 15, 10, less=True)),
            ("G6b", "p99", True, Goal(3, 2, 2, less=True)),
            ("G6b", "p99", False, Goal(150, 75, 50, less=True)),
        )
    ] + [
        Row(name="G6 parts", what=f"median of {part}", unit="ms", rates=rates)
        for part, rates in zip(_told_parts(), zip(*parts, strict=True), strict=True)
    ]


def _told_parts() -> list[str]:
    steps = [*(step for _, _, step in PARTS), "seen by the subscriber"]
    return [f"{before} to {after}" for before, after in itertools.pairwise(steps)]


async def _parts(stack: Stack, seen_us: Mapping[str, int]) -> list[float]:
    """Median milliseconds from one log to the next, and to the subscriber, over these coups."""
    stored = [
        await _stored_us(stack.database_url(service), event, list(seen_us))
        for service, event, _ in PARTS
    ]
    return [
        statistics.median((after[coup] - before[coup]) / 1_000 for coup in seen_us)
        for before, after in itertools.pairwise([*stored, seen_us])
    ]


async def _stored_us(database_url: str, event: str, coups: list[str]) -> dict[str, int]:
    """When the log took the last event of this type of each coup, in microseconds of the epoch."""
    connection = await asyncpg.connect(database_url)
    try:
        rows = await connection.fetch(
            "select coup_id, (extract(epoch from max(recorded_at)) * 1000000)::bigint as us "
            "from events "
            "where type = $1 and coup_id = any($2) group by coup_id",
            event,
            coups,
        )
    finally:
        await connection.close()
    return {row["coup_id"]: row["us"] for row in rows}


async def _bare(stack: Stack) -> list[float]:
    """Milliseconds of each of the bare ways, from before its first send to its last message."""
    name = uuid.uuid4().hex[:8]
    first, second = f"bench.{name}.first", f"bench.{name}.second"
    await create_topics(stack.bootstrap_servers, (first, second))
    connection = await asyncpg.connect(await databases.new(stack))
    await connection.execute("create table seen (number text primary key, body bytea)")
    producer: AIOKafkaProducer = bus.make_producer(
        bus.Bus(
            bootstrap_servers=stack.bootstrap_servers,
            client_id="bench",
            security=None,
            topic_replication=1,
        )
    )
    await producer.start()
    hop: asyncio.Task[None] | None = None
    try:
        async with (
            subscribed(stack.bootstrap_servers, first) as near,
            subscribed(stack.bootstrap_servers, second) as far,
        ):
            hop = asyncio.create_task(_passed_on(near, connection, producer, second))
            begun: dict[bytes, float] = {}
            sending = asyncio.create_task(_sent(producer, first, begun))
            async with asyncio.timeout(TIMEOUT_S):
                times = await _arrived(far, begun)
            await sending
            return times
    finally:
        if hop is not None:
            hop.cancel()
            with suppress(asyncio.CancelledError):
                await hop
        await bus.close_producer(producer, flush=False)
        await connection.close()


async def _sent(producer: AIOKafkaProducer, topic: str, begun: dict[bytes, float]) -> None:
    for number in range(COUPS):
        key = b"%d" % number
        begun[key] = time.perf_counter()
        await producer.send(topic, key=key, value=VALUE)
        await asyncio.sleep(EVERY_S)


async def _passed_on(
    consumer: AIOKafkaConsumer,
    connection: asyncpg.Connection,
    producer: AIOKafkaProducer,
    topic: str,
) -> None:
    """One commit a message, and then as many messages as a coup has wagers."""
    async for message in consumer:
        await connection.execute(
            "insert into seen values ($1, $2)", message.key.decode(), message.value
        )
        for _ in range(WAGERS):
            await producer.send(topic, key=message.key, value=message.value)


async def _arrived(consumer: AIOKafkaConsumer, begun: dict[bytes, float]) -> list[float]:
    left: dict[bytes, int] = {}
    times: list[float] = []
    while len(times) < COUPS:
        message = await consumer.getone()
        left[message.key] = left.get(message.key, WAGERS) - 1
        if not left[message.key]:
            times.append((time.perf_counter() - begun[message.key]) * 1_000)
    return times
