"""What settlement hears a second from Kafka into PostgreSQL, beside a bare consumer with COPY.

The records are a recorded table's, many times over, from the executors in memory. Both sides read
the same topics from the beginning, with nothing else running.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import asyncpg
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from services import cli
from services.chassis import bus, migrations, postgres, topics
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.consumer import Consumers, Ears
from services.chassis.decider import Record
from services.chassis.envelope import encode
from services.chassis.executor import Executor
from services.chassis.hearing import MOVING, Verdict
from services.chassis.parking import Parking
from services.chassis.registry import decode_meta
from services.devstack.stack import Stack
from services.settlement import domain
from services.settlement.main import DEFINITION
from services.tablelog.reader import read
from services.tablelog.steps import steps
from tests.bench import alone, databases, growing, hearing
from tests.bench.figures import Goal, Row
from tests.support.world import World

LOG = Path(cli.__file__).parent / "data" / "recorded" / "dalembert-on-punto.jsonl"
TABLES = 24
UPSTREAMS = ("shoe", "round", "wager")
TIMEOUT_S = 180.0
FILL_S_MAX = 3_600.0
GETMANY_RECORDS = 500
ONE_BY_ONE = 1_000
"""Records of the slowest way: enough to see how slow it is."""

SAID: Final[tuple[tuple[str, str, str, str, Goal], ...]] = (
    ("G3", "settlement hears through FastStream and settles", "bare aiokafka and COPY", "bare",
     Goal(0.25, 0.40, 0.50)),
    ("G3b", "the same", "the same work without FastStream", "raw", Goal(0.65, 0.80, 0.90)),
    ("G3c", "the same", "the same work, one message a call", "one by one", Goal(15, 30, 40)),
)  # fmt: skip
"""Name, what is measured, what stands beside it, the side that it is, the goal."""


TABLE_IDS: Final = tuple(f"bench-{number}" for number in range(TABLES))


async def published(table_ids: Sequence[str] = TABLE_IDS) -> list[Record]:
    """What shoe, round and wager publish of some tables, in the order in which it came about."""
    records: list[Record] = []
    ends: dict[str, int] = {}
    async with World() as world:
        for number, table_id in enumerate(table_ids):
            for line in read(str(LOG)):
                for at, step in enumerate(steps(line, table_id)):
                    await world.run(step, table_id, f"{number}.{line.number}.{at}")
                for name in UPSTREAMS:
                    known = ends.get(name, 0)
                    new = await world.stores[name].read_log(after_position=known, limit=1_000_000)
                    ends[name] = known + len(new)
                    records += [record for record in new if record.published]
    return records


async def fill(stack: Stack, records: Sequence[Record]) -> None:
    """Put the records on their topics."""
    producer = AIOKafkaProducer(
        bootstrap_servers=stack.bootstrap_servers, enable_idempotence=True, linger_ms=5
    )
    await producer.start()
    try:
        sent = []
        for record in records:
            message = encode(record, decode_meta(record.meta), hop="")
            sent.append(
                await producer.send(
                    topics.topic(record.service),
                    message.value,
                    key=message.key,
                    headers=message.headers,
                )
            )
        await asyncio.gather(*sent)
    finally:
        await producer.stop()


async def measure(
    stack: Stack, rounds: int, events: int, only: Container[str] | None = None
) -> list[Row]:
    """The same records, heard by settlement and copied by a bare consumer, round by round.

    Settlement's log has so many events already. With `only`, some of the rows.
    """
    said = [row for row in SAID if only is None or row[0] in only]
    records = await published()
    await fill(stack, records)
    large = await _large(stack, events)
    kafka = bus.Bus(
        bootstrap_servers=stack.bootstrap_servers,
        client_id="bench",
        security=None,
        topic_replication=1,
    )
    ways: dict[str, Callable[[], Awaitable[float]]] = {
        "bare": lambda: _bare(stack, len(records)),
        "heard": lambda: _heard(stack, large, kafka, len(records)),
        "raw": lambda: _otherwise(stack, large, kafka, hearing.raw, len(records)),
        "one by one": lambda: _otherwise(stack, large, kafka, hearing.one_by_one, ONE_BY_ONE),
    }
    sides: dict[str, list[float]] = {
        name: [] for name in ways if name == "heard" or any(row[3] == name for row in said)
    }
    cpu_us: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, figures in sides.items():
            began_s = time.process_time()
            figures.append(await ways[name]())
            cpu_us[name].append((time.process_time() - began_s) / len(records) * 1e6)
    heard = tuple(sides["heard"])
    rows = [
        Row(
            name=name,
            what=what,
            unit="events/s",
            rates=heard,
            beside=beside,
            beside_rates=tuple(sides[side]),
            goal=goal,
        )
        for name, what, beside, side, goal in said
    ]
    if only is None:
        rows.append(
            Row(
                name="G3 CPU",
                what="CPU of an event of G3 in the process that hears",
                unit="µs",
                rates=tuple(cpu_us["heard"]),
                beside="in that of the bare consumer",
                beside_rates=tuple(cpu_us["bare"]),
            )
        )
    return rows


async def _large(stack: Stack, events: int) -> str:
    """The address of a database of settlement with so many events, of other streams than are heard of."""
    dsn = await databases.new(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=1, command_timeout_s=FILL_S_MAX)
    try:
        await growing.fill(pool, events)
    finally:
        await pool.close()
    return dsn


@asynccontextmanager
async def _settlement(
    stack: Stack, large: str
) -> AsyncIterator[tuple[postgres.PostgresStore, Executor]]:
    """The executor of settlement on a copy of a large log."""
    dsn = await databases.new(stack, like=large)
    pool = await postgres.open_pool(dsn, connections_max=8)
    store = postgres.PostgresStore(domain.SERVICE, pool)
    try:
        async with alone.settlement(store) as executor:
            yield store, executor
    finally:
        await pool.close()


async def _heard(stack: Stack, large: str, kafka: bus.Bus, total: int) -> float:
    """Events a second through the consumers and the executor of settlement."""
    async with _settlement(stack, large) as (store, executor):
        ears = Counting(executor)
        consumers = Consumers(
            # A group of its own each time: it begins at the beginning.
            service=f"settlement-{uuid.uuid4().hex[:8]}",
            upstreams=DEFINITION.hears,
            ears=ears,
            parking=Parking(store=store, executor=executor, consumer=domain.SERVICE),
            kafka=kafka,
            clock=SYSTEM_CLOCK,
            instance=None,
        )
        await consumers.start()
        try:
            return await ears.rate(total)
        finally:
            await consumers.stop(10)


async def _otherwise(
    stack: Stack,
    large: str,
    kafka: bus.Bus,
    way: Callable[[bus.Bus, Sequence[str], Ears], Coroutine[Any, Any, None]],
    total: int,
) -> float:
    """Events a second in another way of hearing."""
    async with _settlement(stack, large) as (_, executor):
        ears = Counting(executor)
        hearer = asyncio.create_task(way(kafka, UPSTREAMS, ears))
        try:
            return await ears.rate(total)
        finally:
            hearer.cancel()
            await asyncio.wait([hearer])


class Counting:
    """Ears that count, so that nobody has to ask the database how far they are."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._began_s = 0.0
        self._handled = 0
        self._moved = asyncio.Event()

    async def hear(self, records: Sequence[Record], consumer: str) -> list[Verdict]:
        """Hear, and count what was handled."""
        self._began_s = self._began_s or time.perf_counter()
        verdicts = await self._executor.hear(records, consumer)
        self._handled += sum(verdict.result in MOVING for verdict in verdicts)
        self._moved.set()
        return verdicts

    async def park(self, consumer: str, record: Record, *, reason: str) -> None:
        """What is parked is not measured: it must not come to pass unseen."""
        raise AssertionError(f"{consumer}: {record.event_id} was parked: {reason}")

    async def rate(self, total: int) -> float:
        """Records a second from the first batch on, when all of them are handled."""
        async with asyncio.timeout(TIMEOUT_S):
            while self._handled < total:
                self._moved.clear()
                await self._moved.wait()
        return total / (time.perf_counter() - self._began_s)


async def _bare(stack: Stack, total: int) -> float:
    """Records a second that a bare consumer copies into a table, a commit a batch."""
    connection = await asyncpg.connect(await databases.new(stack))
    await connection.execute("create table raw (key text, value bytea)")
    consumer = AIOKafkaConsumer(
        *(topics.topic(name) for name in UPSTREAMS),
        bootstrap_servers=stack.bootstrap_servers,
        auto_offset_reset="earliest",
        group_id=None,
    )
    await consumer.start()
    try:
        copied, began = 0, 0.0
        while copied < total:
            batches = await consumer.getmany(timeout_ms=1_000, max_records=GETMANY_RECORDS)
            rows = [
                ((message.key or b"").decode(), message.value)
                for messages in batches.values()
                for message in messages
            ]
            if rows and not began:
                began = time.perf_counter()
            async with connection.transaction():
                await connection.copy_records_to_table("raw", records=rows)
            copied += len(rows)
        return copied / (time.perf_counter() - began)
    finally:
        await consumer.stop()
        await connection.close()
