"""The relay: it publishes a service's log to the broker, in order and at least once.

The log is the outbox. The relay reads it after its checkpoint, sends the published records, waits
until the broker has acknowledged every one of them, and only then, and a little later where little
comes, moves the checkpoint. Killed at any instant it sends some records twice and none not at all;
readers skip what they know.

What it rests on, and how it notices that it is not so:

- *There is one relay.* A lock of a database connection says so; a second one shows at the
  checkpoint, which is moved by compare-and-set, and whoever loses starts over.
- *The producer keeps the order.* It is idempotent, so the broker takes the batches of a partition
  in sequence. After any failure that sequence is broken, and the producer is replaced.
- *The broker keeps what it acknowledged.* With the checkpoint the relay stores the topic's id and
  the last acknowledged offset of every partition. A topic with another id, or one that ends before
  an acknowledged offset, was lost: the relay begins again at the start of the log.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Protocol

import asyncpg
import msgspec
from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError
from aiokafka.partitioner import DefaultPartitioner
from msgspec import Struct
from opentelemetry.trace import Span, SpanKind

from services.chassis import bus, envelope, telemetry, topics
from services.chassis.clock import SECOND_US, Clock
from services.chassis.decider import Record
from services.chassis.store import Advance, LogBroken, Store, StoreUnavailable
from services.contracts.core import Meta

log = logging.getLogger(__name__)

BATCH_EVENTS_MAX: Final = 1_000
"""Records that are read, sent and acknowledged together. A crash repeats at most twice as many."""

CHECKPOINT_S: Final = 0.1
"""How long the checkpoint may stay behind what was acknowledged, while that is less than a batch. Each
move is a commit, beside those of others that somebody waits for."""

START_TIMEOUT_S: Final = 10.0
"""How long a producer may take to find the broker."""

FACTS_TIMEOUT_S: Final = 10.0
"""How long the questions about the topic may take."""

ACKNOWLEDGE_TIMEOUT_S: Final = 12.0
"""After this without an answer a batch counts as failed. The producer itself would never give up."""

POLL_S_MIN: Final = 0.005
POLL_S_MAX: Final = 0.25
"""The log is also read without being woken, since another process may append to it: soon after
something of its came, ever more rarely while nothing comes. What this process appends wakes it."""

BACKOFF_S_MIN: Final = 0.1
BACKOFF_S_MAX: Final = 5.0
"""Pause after a failure, doubled each time."""

STANDBY_S: Final = 1.0
"""How often an instance without the lock asks for it: the time until a dead holder is replaced."""

INSPECT_S: Final = 5.0
"""How often topic, lock and checkpoint are looked at while nothing is wrong."""

REWIND_PAUSE_S_MIN: Final = 1.0
REWIND_PAUSE_S_MAX: Final = 60.0
"""Time between two returns to the start of the log, doubled each time: a broker that keeps losing a
topic, or says so, is not flooded."""

LOCK_TIMEOUT_S: Final = 5.0
"""One question to the database about the lock."""

RELEASE_TIMEOUT_S: Final = 1.0
"""Saying goodbye to the database; without it the lock ends with the connection all the same."""

_AWAY: Final = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
"""What a question about the lock may end with when the database is away."""

PARTITION_CACHE_KEYS: Final = 65_536
"""Streams whose partition is remembered: hashing a key costs more than sending a record."""

telemetry.declare(
    telemetry.Metric(
        "sabot.relay.age", telemetry.Kind.GAUGE, "s", "age of the oldest event not yet published"
    )
)


class State(Enum):
    """What a relay is doing."""

    STOPPED = "stopped"
    STANDBY = "standby"
    """Another instance holds the lock; that is well."""

    STANDING = "standing"
    """Something is wrong, and it tries again."""

    LEADING = "leading"


class Status(Struct, frozen=True, kw_only=True):
    """What a relay says of itself."""

    state: State
    reason: str
    """Why it stands, for a person; empty where it does not."""

    since_us: int
    checkpoint: int
    lag_events: int
    oldest_age_s: float
    """Age of the oldest event that is not published, 0 where all are."""

    published: int
    """Records acknowledged since the start of the process."""

    rewinds: int


class Marks(Struct, frozen=True, kw_only=True):
    """What the relay knows of the topic it published to; kept as the note of its checkpoint."""

    topic_id: str
    partitions: int
    acknowledged: Mapping[int, int]
    """By partition, the offset of the last acknowledged record."""


class LockLost(Exception):
    """The connection that held the lock is gone."""


class SomebodyElseMoved(Exception):
    """The checkpoint is not where this relay left it: another one is at work, or a person was."""


class TopicLost(Exception):
    """The topic does not hold what was acknowledged."""


class LostAgain(Exception):
    """The topic was lost again so soon that publishing everything once more would not help."""


class PartitionsChanged(Exception):
    """The topic has another number of partitions than before, so the order of keys is gone."""


class NotAcknowledged(Exception):
    """The broker did not answer in time."""


class LeaderLock(Protocol):
    """Makes one instance the one that publishes."""

    async def acquire(self) -> bool:
        """Take the lock, or find that another instance has it."""
        ...

    async def check(self) -> None:
        """Raise `LockLost` unless the lock is still held."""
        ...

    async def release(self) -> None: ...


class AdvisoryLock:
    """A lock of PostgreSQL that ends with its connection, so that a dead holder holds nothing.

    The connection is its own: in a pool it would be reset and handed to somebody else.
    """

    def __init__(self, connect: Callable[[], Awaitable[Any]], *, name: str) -> None:
        """`connect` makes a new asyncpg connection; `name` is what is locked in that database."""
        digest = hashlib.sha256(f"sabot-lock:{name}".encode()).digest()
        self._key = int.from_bytes(digest[:8], "big", signed=True)
        self._connect = connect
        self._connection: Any = None

    async def acquire(self) -> bool:
        try:
            async with asyncio.timeout(LOCK_TIMEOUT_S):
                if self._connection is None or self._connection.is_closed():
                    self._connection = await self._connect()
                return bool(
                    await self._connection.fetchval("select pg_try_advisory_lock($1)", self._key)
                )
        except BaseException:
            self._drop()
            raise

    async def check(self) -> None:
        try:
            async with asyncio.timeout(LOCK_TIMEOUT_S):
                if self._connection is None or self._connection.is_closed():
                    raise LockLost("the connection that held the lock is closed")
                await self._connection.execute("select 1")
        except _AWAY as error:
            self._drop()
            raise LockLost(f"the connection that held the lock failed: {error!r}") from error

    async def release(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            async with asyncio.timeout(RELEASE_TIMEOUT_S):
                await connection.close()
        except _AWAY:
            connection.terminate()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()


def checkpoint_name(service: str) -> str:
    """The name of the relay's checkpoint in its service's database."""
    return f"relay:{topics.topic(service)}"


async def rewind(store: Store, *, position: int) -> None:
    """Make the relay publish again everything after `position`; 0 is the whole log.

    For people. A running relay notices within seconds, wherever it runs. What readers know already
    they skip.
    """
    await store.rewind_checkpoint(checkpoint_name(store.service), position=position, note=b"")
    telemetry.count("sabot.relay.rewinds", reason="by-hand")


class Relay:
    """Publishes the log of one service, as long as this instance holds the lock."""

    def __init__(self, *, store: Store, lock: LeaderLock, kafka: bus.Bus, clock: Clock) -> None:
        self._store = store
        self._lock = lock
        self._kafka = kafka
        self._clock = clock
        self._topic = topics.topic(store.service)
        self._name = checkpoint_name(store.service)
        self._wake = store.appended.listen()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._position = 0
        self._saved = 0
        self._unsaved_since_s = 0.0
        self._marks: Marks | None = None
        self._partition = lru_cache(maxsize=PARTITION_CACHE_KEYS)(_partition_of)
        self._failures = 0
        self._rewound_s: float | None = None
        self._rewind_pause_s = REWIND_PAUSE_S_MIN
        self._status = Status(
            state=State.STOPPED,
            reason="not started",
            since_us=clock.now_us(),
            checkpoint=0,
            lag_events=0,
            oldest_age_s=0.0,
            published=0,
            rewinds=0,
        )

    async def start(self) -> None:
        """Begin in the background; the broker need not be there yet."""
        assert self._task is None, "a relay is started once"
        self._task = asyncio.create_task(self._run(), name=f"relay {self._topic}")

    async def stop(self, timeout_s: float) -> None:
        """Finish the batch in flight and release the lock, within `timeout_s`."""
        self._stopping.set()
        self._wake.set()
        task, self._task = self._task, None
        if task is None:
            return
        await asyncio.wait([task], timeout=bus.patience_s(timeout_s))
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=bus.CLOSE_TIMEOUT_S)
        await self._lock.release()
        self._now(State.STOPPED, "stopped")

    def wake(self) -> None:
        """Something was appended."""
        self._wake.set()

    def status(self) -> Status:
        return self._status

    async def _run(self) -> None:
        while not self._stopping.is_set():
            pause_s = await self._attempt()
            if not self._stopping.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_s):
                        await self._stopping.wait()

    async def _attempt(self) -> float:
        """One term, whatever it ends with; returns how long to pause before the next."""
        try:
            if not await self._lock.acquire():
                self._now(State.STANDBY, "another instance holds the lock")
                await self._measure()
                return STANDBY_S
            await self._term()
        except Exception as error:  # noqa: BLE001 - the relay outlives every failure, and says it
            self._failures += 1
            self._stand(error)
            with suppress(Exception):
                await self._measure()
            # Who cannot publish lets others try.
            await self._lock.release()
            return min(BACKOFF_S_MIN * 2.0 ** min(self._failures - 1, 10), BACKOFF_S_MAX)
        return 0.0

    async def _term(self) -> None:
        """Publish with one producer until told to stop or something fails."""
        checkpoint = await self._store.checkpoint(self._name)
        self._position = self._saved = checkpoint.position
        self._marks = _read_marks(checkpoint.note)
        producer = bus.make_producer(self._kafka)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                await producer.start()
            await self._create_topic()
            await self._inspect(producer)
            self._now(State.LEADING, "")
            await self._publish_all(producer)
        except TopicLost as lost:
            await self._begin_again(producer, str(lost))
        finally:
            await bus.close_producer(producer, flush=False)

    async def _create_topic(self) -> None:
        if self._kafka.topic_replication is not None:
            service = self._store.service
            await bus.ensure_topics(
                self._kafka, [service], replication=self._kafka.topic_replication
            )

    async def _publish_all(self, producer: AIOKafkaProducer) -> None:
        poll_s, inspected_s = POLL_S_MIN, self._clock.steady_s()
        ahead: asyncio.Task[list[Record]] | None = None
        try:
            while not self._stopping.is_set():
                woken = self._wake.is_set()
                self._wake.clear()
                records = await (ahead or self._read(self._position))
                ahead = None
                if self._clock.steady_s() - inspected_s > INSPECT_S:
                    await self._inspect(producer)
                    inspected_s = self._clock.steady_s()
                if records:
                    if len(records) == BATCH_EVENTS_MAX:
                        ahead = asyncio.create_task(self._read(records[-1].position))
                    await self._publish(producer, records)
                    if not woken:
                        poll_s = POLL_S_MIN
                if self._save_in_s() <= 0.0:
                    await self._save()
                if records and (ahead is not None or self._wake.is_set()):
                    continue
                await self._observe([])
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(poll_s, self._save_in_s())):
                        await self._wake.wait()
                        continue
                poll_s = min(poll_s * 2, POLL_S_MAX)
            await self._save()
        finally:
            if ahead is not None:
                ahead.cancel()
                await asyncio.wait([ahead])

    async def _read(self, after_position: int) -> list[Record]:
        return await self._store.read_log(after_position=after_position, limit=BATCH_EVENTS_MAX)

    async def _publish(self, producer: AIOKafkaProducer, records: Sequence[Record]) -> None:
        """Send a stretch of the log; return when it is acknowledged."""
        began_s = self._clock.steady_s()
        await self._observe(records)
        published = [record for record in records if record.published]
        acknowledged: Mapping[int, int] = {}
        if published:
            try:
                async with asyncio.timeout(ACKNOWLEDGE_TIMEOUT_S):
                    acknowledged = await self._send(producer, published)
            except TimeoutError as error:
                raise NotAcknowledged(
                    f"no acknowledgement within {ACKNOWLEDGE_TIMEOUT_S:g} s"
                ) from error
        self._passed(records[-1].position, acknowledged)
        self._failures = 0
        telemetry.count("sabot.relay.published", len(published))
        telemetry.record("sabot.relay.duration", self._clock.steady_s() - began_s)
        self._status = msgspec.structs.replace(
            self._status, published=self._status.published + len(published)
        )

    async def _send(
        self, producer: AIOKafkaProducer, records: Sequence[Record]
    ) -> Mapping[int, int]:
        """Send records and await every acknowledgement: by partition, the last offset."""
        spans: list[Span] = []
        sent: list[tuple[int, int, asyncio.Future[Any]]] = []
        partitions = len(await producer.partitions_for(self._topic))
        try:
            for partition, batch in self._batches(producer, records, partitions, spans):
                count = batch.record_count()
                future = await producer.send_batch(batch, self._topic, partition=partition)
                sent.append((partition, count, future))
            outcomes = await asyncio.gather(*(future for *_, future in sent))
        finally:
            for *_, future in sent:
                # Another one failed first; this one's failure is heard too, or it is reported.
                future.add_done_callback(_heard)
            for span in spans:
                span.end()
        last: dict[int, int] = {}
        known = self._marks.acknowledged if self._marks is not None else {}
        for (partition, count, _), outcome in zip(sent, outcomes, strict=True):
            if outcome.offset < 0:
                continue  # the broker had it already and no longer says where
            before = last.get(partition, known.get(partition, -1))
            if outcome.offset <= before:
                raise TopicLost(
                    f"partition {partition} gave offset {outcome.offset} after {before}"
                )
            last[partition] = outcome.offset + count - 1
        return last

    def _batches(
        self,
        producer: AIOKafkaProducer,
        records: Sequence[Record],
        partitions: int,
        spans: list[Span],
    ) -> Iterator[tuple[int, Any]]:
        """The records as batches of one partition each, every partition in the order of the log."""
        filling: dict[int, Any] = {}
        for record in records:
            meta = envelope.meta_of(record)
            message = envelope.encode(record, meta, hop=_hop(record, meta, spans))
            partition = self._partition(message.key, partitions)
            batch = filling.get(partition)
            if batch is None or not _add(batch, message):
                if batch is not None:
                    yield partition, batch
                batch = filling[partition] = producer.create_batch()
                added = _add(batch, message)
                assert added, "an empty batch takes any one record"
        yield from filling.items()

    def _passed(self, position: int, acknowledged: Mapping[int, int]) -> None:
        """Everything up to here need not be sent again."""
        assert self._marks is not None, "a relay inspects its topic before it publishes"
        self._marks = msgspec.structs.replace(
            self._marks, acknowledged={**self._marks.acknowledged, **acknowledged}
        )
        if self._position == self._saved:
            self._unsaved_since_s = self._clock.steady_s()
        self._position = position

    def _save_in_s(self) -> float:
        """How long the checkpoint may stay where it is."""
        behind = self._position - self._saved
        if not behind:
            return POLL_S_MAX
        if behind >= BATCH_EVENTS_MAX:
            return 0.0
        return self._unsaved_since_s + CHECKPOINT_S - self._clock.steady_s()

    async def _save(self) -> None:
        """Move the checkpoint to what was acknowledged."""
        if self._position == self._saved:
            return
        answer = await self._store.advance_checkpoint(
            self._name,
            expected=self._saved,
            position=self._position,
            note=msgspec.json.encode(self._marks),
        )
        if answer is not Advance.UPDATED:
            raise SomebodyElseMoved(f"moving {self._saved} to {self._position}: {answer.value}")
        self._saved = self._position
        self._status = msgspec.structs.replace(self._status, checkpoint=self._saved)

    async def _inspect(self, producer: AIOKafkaProducer) -> None:
        """Look whether lock, checkpoint and topic are still as this relay believes."""
        await self._lock.check()
        checkpoint = await self._store.checkpoint(self._name)
        if checkpoint.position != self._saved:
            raise SomebodyElseMoved(f"at {checkpoint.position}, expected {self._saved}")
        async with asyncio.timeout(FACTS_TIMEOUT_S):
            facts = await bus.topic_facts(producer.client, self._topic)
        marks = self._marks
        if marks is None:
            if self._position > 0 and not any(facts.ends.values()):
                raise TopicLost("the topic is empty, and the log was published before")
            self._marks = Marks(
                topic_id=facts.topic_id, partitions=len(facts.ends), acknowledged={}
            )
            return
        if marks.topic_id != facts.topic_id:
            raise TopicLost(f"topic {facts.topic_id} has replaced {marks.topic_id}")
        for partition, offset in marks.acknowledged.items():
            end = facts.ends.get(partition, 0)
            if end <= offset:
                raise TopicLost(f"partition {partition} ends at {end}, acknowledged was {offset}")
        if marks.partitions != len(facts.ends):
            raise PartitionsChanged(f"{len(facts.ends)} partitions, before {marks.partitions}")

    async def _begin_again(self, producer: AIOKafkaProducer, reason: str) -> None:
        """The topic has forgotten what it acknowledged: publish the whole log once more."""
        now_s = self._clock.steady_s()
        since_s = now_s - self._rewound_s if self._rewound_s is not None else REWIND_PAUSE_S_MAX
        if since_s < self._rewind_pause_s:
            raise LostAgain(reason)
        longer_s = min(self._rewind_pause_s * 2.0, REWIND_PAUSE_S_MAX)
        self._rewind_pause_s = REWIND_PAUSE_S_MIN if since_s >= REWIND_PAUSE_S_MAX else longer_s
        log.warning("%s was lost (%s); the log is published again", self._topic, reason)
        async with asyncio.timeout(FACTS_TIMEOUT_S):
            facts = await bus.topic_facts(producer.client, self._topic)
            if self._may_extend(facts):
                facts = await self._extend(producer)
        marks = Marks(topic_id=facts.topic_id, partitions=len(facts.ends), acknowledged={})
        await self._store.rewind_checkpoint(self._name, position=0, note=msgspec.json.encode(marks))
        self._rewound_s = now_s
        telemetry.count("sabot.relay.rewinds", reason="topic-lost")
        self._status = msgspec.structs.replace(self._status, rewinds=self._status.rewinds + 1)

    def _may_extend(self, facts: bus.TopicFacts) -> bool:
        """Whether the new topic is smaller than the lost one, and ours to put right.

        Some brokers create a topic as soon as a client asks for it, with one partition.
        """
        ours = self._kafka.topic_replication is not None
        return ours and self._marks is not None and len(facts.ends) < self._marks.partitions

    async def _extend(self, producer: AIOKafkaProducer) -> bus.TopicFacts:
        assert self._marks is not None, "only a known topic is extended"
        await bus.extend_topic(self._kafka, self._topic, partitions=self._marks.partitions)
        return await bus.topic_facts(producer.client, self._topic)

    async def _measure(self) -> None:
        """Keep the lag true while this instance does not publish."""
        checkpoint = await self._store.checkpoint(self._name)
        self._position = self._saved = checkpoint.position
        oldest = await self._store.read_log(after_position=checkpoint.position, limit=1)
        head = await self._store.head_position()
        self._lag(oldest, max(head - checkpoint.position, len(oldest)))

    async def _observe(self, unpublished: Sequence[Record]) -> None:
        events = len(unpublished)
        if events == BATCH_EVENTS_MAX:
            events = await self._store.head_position() - self._position
        self._lag(unpublished, events)

    def _lag(self, unpublished: Sequence[Record], events: int) -> None:
        age_s = 0.0
        if unpublished:
            age_s = max(0.0, (self._clock.now_us() - unpublished[0].recorded_at_us) / SECOND_US)
        telemetry.gauge("sabot.relay.lag", events)
        telemetry.gauge("sabot.relay.age", age_s)
        self._status = msgspec.structs.replace(
            self._status, lag_events=events, oldest_age_s=age_s, checkpoint=self._saved
        )

    def _stand(self, error: Exception) -> None:
        reason = _reason(error)
        telemetry.count("sabot.relay.failures", reason=type(error).__name__)
        level = logging.WARNING if _expected(error) else logging.ERROR
        if self._status.reason != reason:
            trace = None if _expected(error) else error
            log.log(level, "the relay of %s stands: %s", self._topic, reason, exc_info=trace)
        self._now(State.STANDING, reason)

    def _now(self, state: State, reason: str) -> None:
        if (state, reason) != (self._status.state, self._status.reason):
            self._status = msgspec.structs.replace(
                self._status, state=state, reason=reason, since_us=self._clock.now_us()
            )


def _read_marks(note: bytes) -> Marks | None:
    return msgspec.json.decode(note, type=Marks) if note else None


def _partition_of(key: bytes, partitions: int) -> int:
    chosen: int = DefaultPartitioner()(key, range(partitions), ())
    return chosen


def _add(batch: Any, message: envelope.Message) -> bool:
    # The time is that of sending: a log that is published again must not look expired.
    added = batch.append(
        timestamp=None, key=message.key, value=message.value, headers=message.headers
    )
    return added is not None


def _hop(record: Record, meta: Meta, spans: list[Span]) -> str:
    """The trace context of this sending; a span of its own where the event's trace is kept."""
    if not telemetry.is_sampled(meta.traceparent):
        return meta.traceparent
    context = telemetry.parent(meta.traceparent)
    span = telemetry.TRACER.start_span(
        f"publish {record.service}.{record.type}",
        context=context,
        kind=SpanKind.PRODUCER,
        links=telemetry.links(meta.chain_traceparent),
        attributes=telemetry.span_attributes(event_id=record.event_id, position=record.position),
    )
    spans.append(span)
    of = span.get_span_context()
    return f"00-{of.trace_id:032x}-{of.span_id:016x}-{int(of.trace_flags):02x}"


def _heard(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()


def _expected(error: Exception) -> bool:
    return isinstance(
        error,
        KafkaError
        | OSError
        | TimeoutError
        | StoreUnavailable
        | LockLost
        | SomebodyElseMoved
        | LostAgain
        | NotAcknowledged,
    )


def _reason(error: Exception) -> str:
    """Why the relay stands, for a person."""
    if isinstance(error, NotAcknowledged):
        return f"the broker does not answer: {error}"
    if isinstance(error, KafkaError):
        return f"the broker cannot be used: {error!r}"
    if isinstance(error, StoreUnavailable):
        return f"the database is away: {error}"
    if isinstance(error, LogBroken):
        return f"the log is damaged: {error}"
    return f"{type(error).__name__}: {error}"
