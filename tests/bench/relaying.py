"""Messages a second that the relay publishes, beside a producer that is given ready bytes."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import asyncpg
from aiokafka import AIOKafkaProducer

from services.chassis import bus, envelope, topics
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.relay import AdvisoryLock, Relay, checkpoint_name, rewind
from services.devstack.stack import Stack
from tests.bench.figures import Goal, Row

EVENTS: Final = 20_000
CONNECTIONS: Final = 4
WAIT_S: Final = 60.0
POLL_S: Final = 0.005
STOP_S: Final = 5.0
READ_EVENTS: Final = 1_000
SERVICE: Final = "wager"


async def measure(stack: Stack, rounds: int) -> list[Row]:
    """Publish the end of a wager service's log again; the service itself is stopped."""
    pool = await open_pool(stack.database_url(SERVICE), connections_max=CONNECTIONS)
    try:
        store = PostgresStore(SERVICE, pool)
        head = await store.head_position()
        begin = max(0, head - EVENTS)
        messages = await _ready(store, begin)
        kafka = bus.Bus(
            bootstrap_servers=stack.bootstrap_servers,
            client_id="sabot-bench",
            security=None,
            topic_replication=None,
        )
        published, sent = [], []
        for _ in range(rounds):
            published.append(await _relayed(stack, store, kafka, begin, head) * len(messages))
            sent.append(await _sent(kafka, messages) * len(messages))
    finally:
        await pool.close()
    return [
        Row(
            name="G11",
            what="messages published by the relay, from the log to the checkpoint",
            unit="/s",
            rates=tuple(published),
            beside="aiokafka, pipelined send of ready bytes",
            beside_rates=tuple(sent),
            goal=Goal(0.5, 0.8, 2),
        )
    ]


async def _ready(store: PostgresStore, begin: int) -> list[envelope.Message]:
    """What the relay makes of the log, made before."""
    messages: list[envelope.Message] = []
    while records := await store.read_log(after_position=begin, limit=READ_EVENTS):
        begin = records[-1].position
        messages += [
            envelope.encode(record, envelope.meta_of(record), hop="")
            for record in records
            if record.published
        ]
    return messages


async def _relayed(
    stack: Stack, store: PostgresStore, kafka: bus.Bus, begin: int, head: int
) -> float:
    """How often a second the relay would do all of it, from its first batch to its last."""
    await rewind(store, position=begin)
    lock = AdvisoryLock(
        lambda: asyncpg.connect(stack.database_url(SERVICE)), name=checkpoint_name(SERVICE)
    )
    relay = Relay(store=store, lock=lock, kafka=kafka, clock=SYSTEM_CLOCK)
    await relay.start()
    try:
        async with asyncio.timeout(WAIT_S):
            while relay.status().checkpoint <= begin:
                await asyncio.sleep(POLL_S)
            began, first = time.perf_counter(), relay.status().checkpoint
            while relay.status().checkpoint < head:
                await asyncio.sleep(POLL_S)
        return (head - first) / (head - begin) / (time.perf_counter() - began)
    finally:
        await relay.stop(STOP_S)


async def _sent(kafka: bus.Bus, messages: list[envelope.Message]) -> float:
    """How often a second a producer would send all of them, each awaited in the end."""
    producer: AIOKafkaProducer = bus.make_producer(kafka)
    await producer.start()
    try:
        began = time.perf_counter()
        futures = [
            await producer.send(
                topics.topic(SERVICE),
                key=message.key,
                value=message.value,
                headers=list(message.headers),
            )
            for message in messages
        ]
        await asyncio.gather(*futures)
        return 1 / (time.perf_counter() - began)
    finally:
        await bus.close_producer(producer, flush=False)
