"""Two tiny services and what connects them: one that publishes numbers, and one that adds them up.

The adder keeps one event for every number that it heard, so that a lost number and one counted
twice both show in its log, whatever happened on the way.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, ClassVar

import asyncpg
import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from services.chassis import bus, envelope, topics
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.consumer import Consumers
from services.chassis.decider import Record
from services.chassis.executor import Executor, Limits
from services.chassis.memory import MemoryStore
from services.chassis.parking import Parking
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.registry import Registry
from services.chassis.relay import AdvisoryLock, LeaderLock, Relay
from services.chassis.store import Batch, Store
from services.chassis.work import PlainCompanion
from services.contracts.core import (
    SYSTEM,
    Actor,
    Caused,
    Command,
    Decided,
    Event,
    Heard,
    Meta,
    NotYet,
    Scope,
)

AT_US = 1_764_460_800_000_000
WAIT_S = 50.0
POLL_S = 0.01
_numbers = itertools.count(1)


class Added(Event, frozen=True, kw_only=True):
    """A number was published."""

    type: ClassVar[str] = "added"
    amount: int


class Mentioned(Event, frozen=True, kw_only=True):
    """Published, known, and of no interest to the adder."""

    type: ClassVar[str] = "mentioned"


class Counted(Event, frozen=True, kw_only=True):
    """The adder took a number."""

    type: ClassVar[str] = "counted"
    amount: int


class Count(Command, frozen=True, kw_only=True):
    amount: int


class Sum(msgspec.Struct, frozen=True):
    total: int = 0
    count: int = 0


@dataclass
class Faults:
    """What goes wrong in the adder while a test says so."""

    broken: set[int] = field(default_factory=set)
    """Amounts that cannot be handled: a mistake in the code."""

    early: set[int] = field(default_factory=set)
    """Amounts that it is too early for."""

    flaky: Counter[int] = field(default_factory=Counter)
    """Amounts that fail so many times and then succeed."""

    slow_s: float = 0.0
    """Time that every reaction takes."""


class Adder:
    """The pure core of the listening service."""

    STATE_SCHEMA = 1
    EVENTS: Mapping[str, type[Event]] = {"counted": Counted}

    def __init__(self, service: str, upstreams: Iterable[str], faults: Faults) -> None:
        self.SERVICE = service
        self.HEARS: Mapping[str, Mapping[str, type[Event]]] = {
            upstream: {"added": Added} for upstream in upstreams
        }
        self._faults = faults

    def initial_state(self) -> Sum:
        return Sum()

    def decide(self, command: Count, state: Sum) -> Decided:
        return Decided(state, self.evolve).take([Counted(amount=command.amount)])

    def evolve(self, state: Sum, event: Counted | Heard) -> Sum:
        if isinstance(event, Heard):
            return state
        return Sum(state.total + event.amount, state.count + 1)

    def react(self, heard: Heard, state: Sum) -> Sequence[Command | Caused]:
        event = heard.event
        assert isinstance(event, Added)
        if self._faults.slow_s:
            time.sleep(self._faults.slow_s)
        if event.amount in self._faults.broken:
            raise ZeroDivisionError(f"cannot add {event.amount}")
        if event.amount in self._faults.early:
            raise NotYet(f"not yet: {event.amount}")
        if self._faults.flaky[event.amount] > 0:
            self._faults.flaky[event.amount] -= 1
            raise ConnectionError("away for a moment")
        return [Count(amount=event.amount, at_us=heard.meta.occurred_at_us, by=SYSTEM)]

    def scope(self, state: Sum, event: Event) -> Scope:
        return Scope()

    def answer(self, command: Count, events: Sequence[Event], state: Sum) -> Mapping[str, Any]:
        return {"total": state.total}


def fresh(name: str) -> str:
    """A service name that no other test and no other run uses, and with it topics of its own."""
    return f"{name}-{os.getpid()}-{next(_numbers)}"


async def until(
    condition: Callable[[], Awaitable[bool]] | Callable[[], bool],
    *,
    what: str | Callable[[], str],
    wait_s: float = WAIT_S,
) -> None:
    """Wait until something is so, and say what was not when the time is up."""
    deadline = time.monotonic() + wait_s
    while True:
        answer = condition()
        if answer if isinstance(answer, bool) else await answer:
            return
        if time.monotonic() > deadline:
            missing = what if isinstance(what, str) else what()
            raise AssertionError(f"not within {wait_s:g} s: {missing}")
        await asyncio.sleep(POLL_S)


class NoLock:
    """A lock for tests of a relay that is alone."""

    async def acquire(self) -> bool:
        return True

    async def check(self) -> None:
        """Nothing can be lost."""

    async def release(self) -> None:
        """Nothing is held."""


class Source:
    """The publishing service: a log, filled directly, and its relay."""

    def __init__(self, store: Store, kafka: bus.Bus, *, lock: LeaderLock) -> None:
        self.store = store
        self.service = store.service
        self.kafka = kafka
        self.topic = topics.topic(store.service)
        self.relay = Relay(store=store, lock=lock, kafka=kafka, clock=SYSTEM_CLOCK)
        self._amounts = itertools.count(1)

    async def append(
        self,
        tables: Iterable[str],
        *,
        published: bool = True,
        event: Event | None = None,
        kind: str | None = None,
        schema_version: int = 1,
        body: bytes | None = None,
        traceparent: str = "",
        chain_traceparent: str = "",
    ) -> list[Record]:
        """One event for each table named, with ever new amounts unless something else is asked."""
        streams = list(tables)
        async with self.store.transaction() as tx:
            await tx.lock(sorted(set(streams)))
            batch = Batch(self.service, await tx.heads(set(streams)))
            for stream in streams:
                number = next(self._amounts)
                value = event or Added(amount=number)
                meta = Meta(
                    table_id=stream,
                    occurred_at_us=AT_US + number,
                    actor=Actor("d-1", "DEALER"),
                    command_id=f"{self.service}-{number}",
                    cause=f"{self.service}-{number}",
                    depth=1,
                    traceparent=traceparent,
                    chain_traceparent=chain_traceparent,
                )
                batch.add(
                    stream,
                    kind=kind or value.type,
                    schema_version=schema_version,
                    published=published,
                    coup_id="",
                    command_id=meta.command_id,
                    meta=msgspec.json.encode(meta),
                    body=msgspec.json.encode(value) if body is None else body,
                )
            return await tx.append(batch)

    async def log(self) -> list[Record]:
        records: list[Record] = []
        while more := await self.store.read_log(after_position=len(records), limit=10_000):
            records += more
        return records

    async def relayed(self, *, wait_s: float = WAIT_S) -> None:
        """Wait until everything is acknowledged and the checkpoint stands at the end."""

        async def at_the_end() -> bool:
            name = f"relay:{self.topic}"
            checkpoint = await self.store.checkpoint(name)
            return checkpoint.position == await self.store.head_position()

        await until(at_the_end, what=lambda: f"at the end: {self.relay.status()}", wait_s=wait_s)


class Sink:
    """The listening service: one replica of it."""

    def __init__(
        self,
        store: Store,
        kafka: bus.Bus,
        *,
        upstreams: Sequence[str],
        faults: Faults,
        instance: str | None = None,
    ) -> None:
        self.store = store
        self.service = store.service
        self.faults = faults
        self._log: list[Record] = []
        adder = Adder(store.service, upstreams, faults)
        self.executor = Executor(
            adder,
            store,
            PlainCompanion(adder),
            Registry(store.service, adder.EVENTS),
            limits=Limits(),
            jitter=random.Random(1),
        )
        self.parking = Parking(store=store, executor=self.executor, consumer=store.service)
        self.consumers = Consumers(
            service=store.service,
            upstreams=dict.fromkeys(upstreams, ("added", "mentioned")),
            ears=self.executor,
            parking=self.parking,
            kafka=kafka,
            clock=SYSTEM_CLOCK,
            instance=instance,
        )

    async def counted(self) -> list[Record]:
        """What was counted, in the order of the log."""
        while more := await self.store.read_log(after_position=len(self._log), limit=10_000):
            self._log += more
        return [record for record in self._log if record.type == Counted.type]

    async def causes(self) -> list[str]:
        """What was counted, by the id of the event that it came from, in the order of the log."""
        return [envelope.meta_of(record).cause for record in await self.counted()]

    async def has(self, count: int, *, wait_s: float = WAIT_S) -> None:
        async def enough() -> bool:
            return len(await self.counted()) >= count

        await until(
            enough,
            what=lambda: f"{count} of {len(self._log)}: {self.consumers.status()}",
            wait_s=wait_s,
        )

    async def parked(self, *tables: str) -> None:
        async def exactly() -> bool:
            return {table.table_id for table in await self.parking.tables()} == set(tables)

        await until(exactly, what=f"exactly {tables} parked")


def assert_once(sink: Sequence[str], source: Iterable[Record]) -> None:
    """Everything was counted once and nothing else, each table in its order."""
    expected = [record.event_id for record in source if record.published and record.type == "added"]
    assert Counter(sink) == Counter(expected)
    by_table: dict[str, list[str]] = {}
    for event_id in sink:
        by_table.setdefault(event_id.rpartition(":")[0], []).append(event_id)
    for table, heard in by_table.items():
        order = [event_id for event_id in expected if event_id.rpartition(":")[0] == table]
        assert heard == order, f"{table} was heard in another order"


class Rig:
    """Makes sources and sinks and takes them down again."""

    def __init__(self, bootstrap: str, make_store: Callable[[str], Awaitable[Store]]) -> None:
        self.bootstrap = bootstrap
        self.stack = AsyncExitStack()
        self._make_store = make_store

    def kafka(self, client: str) -> bus.Bus:
        return bus.Bus(
            bootstrap_servers=self.bootstrap, client_id=client, security=None, topic_replication=1
        )

    async def make_anew(self, topic: str) -> None:
        """Delete a topic and create it again, on a broker that keeps everything else."""
        admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap)
        await admin.start()
        try:
            await admin.delete_topics([topic])
            await asyncio.sleep(0.3)
            await admin.create_topics([NewTopic(topic, topics.PARTITIONS_PER_TOPIC, 1)])
        finally:
            await admin.close()

    async def source(self, *, store: Store | None = None, start: bool = True) -> Source:
        if store is None:
            store = await self._make_store(fresh("source"))
        source = Source(store, self.kafka(store.service), lock=NoLock())
        await bus.ensure_topics(source.kafka, [source.service], replication=1)
        self.stack.push_async_callback(source.relay.stop, 5.0)
        if start:
            await source.relay.start()
        return source

    async def sink(
        self,
        *sources: Source,
        store: Store | None = None,
        faults: Faults | None = None,
        instance: str | None = None,
        start: bool = True,
    ) -> Sink:
        if store is None:
            store = await self._make_store(fresh("sink"))
        sink = Sink(
            store,
            self.kafka(store.service),
            upstreams=[source.service for source in sources],
            faults=faults or Faults(),
            instance=instance,
        )
        self.stack.push_async_callback(sink.consumers.stop, 5.0)
        if start:
            await sink.consumers.start()
        return sink


async def publish_raw(
    kafka: bus.Bus,
    topic: str,
    messages: Sequence[tuple[bytes | None, bytes | None, Sequence[tuple[str, bytes]]]],
    *,
    partition: int | None = None,
) -> None:
    """Put messages on a topic that no relay would write, in one batch of one partition."""
    producer = AIOKafkaProducer(
        bootstrap_servers=kafka.servers(), acks="all", enable_idempotence=True, linger_ms=20
    )
    await producer.start()
    try:
        sent = [
            await producer.send(topic, value, key=key, headers=list(headers), partition=partition)
            for key, value, headers in messages
        ]
        await asyncio.gather(*sent)
    finally:
        await producer.stop()


def message_of(record: Record) -> tuple[bytes, bytes, Sequence[tuple[str, bytes]]]:
    """What the relay would send for a record."""
    message = envelope.encode(record, envelope.meta_of(record), hop="")
    return message.key, message.value, message.headers


async def read_topic(kafka: bus.Bus, topic: str) -> list[Any]:
    """Everything on a topic, by partition and offset."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=kafka.servers(),
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    await consumer.start()
    try:
        client = consumer._client
        facts = await bus.topic_facts(client, topic)
        partitions = [TopicPartition(topic, number) for number in facts.ends]
        consumer.assign(partitions)
        for partition in partitions:
            consumer.seek(partition, 0)
        left = sum(facts.ends.values())
        found: list[Any] = []
        deadline = time.monotonic() + WAIT_S
        while len(found) < left and time.monotonic() < deadline:
            for records in (await consumer.getmany(timeout_ms=200)).values():
                found += records
        return sorted(found, key=lambda message: (message.partition, message.offset))
    finally:
        await consumer.stop()


async def dead_letters(kafka: bus.Bus, source: Source, *, count: int) -> list[dict[str, str]]:
    """The headers of a source's dead letters, once there are as many as expected."""
    topic = topics.dead_letter_topic(source.topic)
    found: list[Any] = []

    async def enough() -> bool:
        nonlocal found
        found = await read_topic(kafka, topic)
        return len(found) >= count

    await until(enough, what=f"{count} dead letters")
    assert len(found) == count
    return [
        {name: value.decode(errors="replace") for name, value in message.headers}
        for message in found
    ]


async def postgres_store(service: str, dsn: str, stack: AsyncExitStack) -> PostgresStore:
    pool = await open_pool(dsn, connections_max=6)
    stack.push_async_callback(pool.close)
    return PostgresStore(service, pool)


async def memory_store(service: str) -> MemoryStore:
    return MemoryStore(service, SYSTEM_CLOCK)


def advisory_lock(dsn: str, name: str) -> AdvisoryLock:
    async def connect() -> Any:
        return await asyncpg.connect(dsn)

    return AdvisoryLock(connect, name=name)
