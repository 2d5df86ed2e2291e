"""Hearing other services: records from the broker to the executor, each with one effect or a reason.

The broker delivers at least once and in the order of each partition. Here every record of a batch is
brought to one of four ends, and only then is the batch's offset committed:

- *handled*: its effect and its place in the inbox are in one transaction; or it was known already.
- *dead-lettered only*: it is no record of ours. It goes to the topic's dead letters with a reason.
- *passed over*: its type is unknown here. The inbox moves on, and a copy goes to the dead letters.
- *parked*: it failed, or its predecessor is missing. The table stops for this service and later
  records of it are stored in their order, so that the partition and all other tables go on.

Where an end cannot be reached because the database or the dead letters are away, nothing is
committed: the batch is read again after a pause, and what was already handled is skipped.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, cast

from aiokafka import AIOKafkaClient, AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError
from faststream.kafka import KafkaBroker
from faststream.kafka.message import KafkaMessage
from faststream.kafka.security import parse_security
from faststream.kafka.subscriber.usecase import BatchSubscriber
from faststream.message import AckStatus
from msgspec import Struct
from opentelemetry import trace
from opentelemetry.trace import Link, Span, SpanKind, StatusCode

from services.chassis import bus, envelope, telemetry, topics
from services.chassis.clock import SECOND_US, Clock
from services.chassis.decider import Record
from services.chassis.envelope import BadMessage, Received
from services.chassis.hearing import Result, Verdict
from services.chassis.parking import Parking, is_too_early
from services.chassis.store import ConcurrencyConflict, StoreUnavailable

log = logging.getLogger(__name__)

RETRIES_MAX: Final = 3
"""How often a record is tried again that failed for a reason that may pass."""

RETRY_DELAY_S: Final = 0.1
"""Pause before the first repetition, doubled for each further one."""

BATCH_RETRIES_S_MAX: Final = 20.0
"""All repetitions within one batch. When so many records fail, it is not the records."""

PAUSE_S_MIN: Final = 0.2
PAUSE_S_MAX: Final = 5.0
"""Pause before a batch is read again that could not be brought to an end, doubled each time. Far
below the poll interval, so that a pause costs no partition."""

COMMIT_TIMEOUT_S: Final = 5.0
"""A commit of offsets may take so long. Without it the batch is read again, which does no harm."""

LETTER_TIMEOUT_S: Final = 10.0
"""How long the dead letters of one batch may take to be acknowledged."""

LETTER_BYTES_MAX: Final = 1_000_000
"""A dead letter gets headers on top of what it was; a value that would not fit is cut."""

LETTER_OVERHEAD_BYTES: Final = 4_096
WHAT_CHARACTERS_MAX: Final = 500
"""Length of the explanation in a dead letter's header."""

OPEN_TIMEOUT_S: Final = 60.0
"""How long all subscribers of a service may take to get partitions."""

HEAL_S: Final = 5.0
"""How often parked tables are looked through for what has passed by itself."""

HEAL_SOON_S: Final = 0.1
"""The same, after a record for a parked table has come: it may be the missing one."""


class Reason:
    """Codes in the header `dlq-reason`."""

    NO_KEY: Final = "NO_KEY"
    BAD_MESSAGE: Final = "BAD_MESSAGE"
    UNKNOWN_TYPE: Final = "UNKNOWN_TYPE"
    FAILED: Final = "FAILED"


class Letter(Struct, frozen=True):
    """A message that goes to the dead letters."""

    message: Any
    reason: str
    what: str


class DeadLettersAway(Exception):
    """The dead letters cannot be written, so nothing may be put aside."""


class TooManyFailures(Exception):
    """So much of a batch fails that waiting is better than putting tables aside."""


class Ears(Protocol):
    """The part of an executor that hears."""

    async def hear(self, records: Sequence[Record], consumer: str) -> list[Verdict]: ...

    async def park(self, consumer: str, record: Record, *, reason: str) -> None: ...


class UpstreamStatus(Struct, frozen=True, kw_only=True):
    """How a consumer is doing with one upstream."""

    partitions: int
    """Partitions that this instance has."""

    lag: int
    """Records in them that are not handled, as far as the broker has told."""

    poll_age_s: float
    """Time since the last poll; large where the loop hangs."""


class Status(Struct, frozen=True, kw_only=True):
    """How the hearing of a service is doing."""

    open: bool
    """The subscribers run."""

    reason: str
    """Why they do not, or why a batch waits, for a person; empty where all is well."""

    parked_tables: int
    upstreams: Mapping[str, UpstreamStatus]


class _Batch(KafkaMessage):
    """A batch whose acknowledgement names the offsets that it means.

    The library's own commits whatever the consumer's position is by then: after a rebalance in the
    middle of a batch that is not what was handled.
    """

    def __init__(self, records: tuple[Any, ...], consumer: AIOKafkaConsumer) -> None:
        # Neither headers nor bodies are decoded here. The library decodes all headers of a batch at
        # once, so that one bad header would lose the batch.
        super().__init__(
            raw_message=records, body=b"", message_id="", correlation_id="", consumer=consumer
        )
        self.committed = None
        self.records = records

    async def ack(self) -> None:
        if self.committed is None:
            await _commit(self.consumer, self._offsets(max, 1))
            self.committed = AckStatus.ACKED

    async def nack(self) -> None:
        if self.committed is None:
            for partition, offset in self._offsets(min, 0).items():
                with suppress(IllegalStateError):  # it belongs to somebody else by now
                    self.consumer.seek(partition, offset)
            self.committed = AckStatus.NACKED

    async def reject(self) -> None:
        await self.nack()

    def _offsets(self, choose: Callable[[int, int], int], add: int) -> dict[TopicPartition, int]:
        chosen: dict[TopicPartition, int] = {}
        for record in self.records:
            partition = TopicPartition(record.topic, record.partition)
            offset = record.offset + add
            chosen[partition] = choose(chosen.get(partition, offset), offset)
        return chosen


async def _commit(consumer: Any, offsets: dict[TopicPartition, int]) -> None:
    """Commit what is still ours. A failure means that somebody will read it again and skip it."""
    assigned = consumer.assignment()
    ours = {partition: offset for partition, offset in offsets.items() if partition in assigned}
    if not ours:
        return
    try:
        async with asyncio.timeout(COMMIT_TIMEOUT_S):
            await consumer.commit(ours)
    except (CommitFailedError, IllegalStateError) as error:
        log.info("not committed, somebody else will handle it again: %s", error)
    except (KafkaError, TimeoutError) as error:
        log.warning("offsets could not be committed: %r", error)


class DeadLetters:
    """Writes what cannot be handled to the dead letters of its topic."""

    def __init__(self, *, kafka: bus.Bus, consumer: str) -> None:
        self._kafka = kafka
        self._consumer = consumer
        self._producer: AIOKafkaProducer | None = None

    async def send(self, letters: Sequence[Letter]) -> None:
        """Return when the broker has acknowledged all of them. Raises `DeadLettersAway`."""
        if not letters:
            return
        try:
            async with asyncio.timeout(LETTER_TIMEOUT_S):
                await self._send(letters)
        except (KafkaError, OSError, TimeoutError) as error:
            await self.close(flush=False)
            raise DeadLettersAway(f"dead letters cannot be written: {error!r}") from error
        for letter in letters:
            telemetry.count(
                "sabot.consumer.dead_letters", consumer=self._consumer, reason=letter.reason
            )
            log.warning("dead letter: %s at %s: %s", letter.reason, _origin(letter), letter.what)

    async def close(self, *, flush: bool) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            await bus.close_producer(producer, flush=flush)

    async def _send(self, letters: Sequence[Letter]) -> None:
        if self._producer is None:
            self._producer = bus.make_producer(self._kafka)
            await self._producer.start()
        sent = []
        for letter in letters:
            message = letter.message
            sent.append(
                await self._producer.send(
                    topics.dead_letter_topic(message.topic),
                    _fitting(message),
                    key=message.key,
                    headers=self._headers(letter),
                )
            )
        await asyncio.gather(*sent)

    def _headers(self, letter: Letter) -> list[tuple[str, bytes]]:
        original = [(name, value or b"") for name, value in letter.message.headers]
        return [
            *original,
            (envelope.DEAD_LETTER_REASON, letter.reason.encode()),
            (envelope.DEAD_LETTER_ORIGIN, _origin(letter).encode()),
            (envelope.DEAD_LETTER_CONSUMER, self._consumer.encode()),
            (
                envelope.DEAD_LETTER_WHAT,
                letter.what[:WHAT_CHARACTERS_MAX].encode(errors="replace"),
            ),
        ]


def _origin(letter: Letter) -> str:
    message = letter.message
    return f"{message.topic}/{message.partition}/{message.offset}"


def _fitting(message: Any) -> bytes:
    """The value, cut where the letter would be larger than the message was allowed to be."""
    headers = sum(len(name) + len(value or b"") for name, value in message.headers)
    room = LETTER_BYTES_MAX - LETTER_OVERHEAD_BYTES - headers - len(message.key or b"")
    value: bytes = message.value or b""
    return value[: max(room, 0)]


class _Heard(Struct, frozen=True):
    """A message of a batch that is a record."""

    message: Any
    received: Received


class _Listener:
    """Brings the batches of one upstream to their ends."""

    def __init__(
        self,
        *,
        service: str,
        upstream: str,
        known: Collection[str],
        ears: Ears,
        letters: DeadLetters,
        clock: Clock,
        on_parked: Callable[[], None],
    ) -> None:
        self.upstream = upstream
        self._service = service
        self._known = frozenset(known)
        self._ears = ears
        self._letters = letters
        self._clock = clock
        self._on_parked = on_parked

    async def handle(self, messages: Sequence[Any]) -> None:
        """Return when every message has reached its end; whatever is raised means: read it again."""
        began_s = self._clock.steady_s()
        heard, letters = self._sort(messages)
        spans = [_begin_span(item) for item in heard]
        try:
            records = [item.received.record for item in heard]
            verdicts = await self._bring_to_ends(records) if records else []
            for item, verdict, span in zip(heard, verdicts, spans, strict=True):
                _describe(span, verdict)
                letters.extend(self._letter(item, verdict))
        finally:
            for span in spans:
                span.end()
        await self._letters.send(letters)
        self._measure(heard, verdicts, len(messages) - len(heard), began_s)

    def _sort(self, messages: Sequence[Any]) -> tuple[list[_Heard], list[Letter]]:
        heard: list[_Heard] = []
        letters: list[Letter] = []
        for message in messages:
            try:
                envelope.read_key(message.key)
            except BadMessage as bad:
                letters.append(Letter(message, Reason.NO_KEY, bad.what))
                continue
            try:
                received = envelope.decode(message.key, message.value, message.headers)
            except BadMessage as bad:
                letters.append(Letter(message, Reason.BAD_MESSAGE, bad.what))
                continue
            if received.record.service == self.upstream:
                heard.append(_Heard(message, received))
            else:
                what = f"a record of {received.record.service} on the topic of {self.upstream}"
                letters.append(Letter(message, Reason.BAD_MESSAGE, what))
        return heard, letters

    def _letter(self, item: _Heard, verdict: Verdict) -> list[Letter]:
        """The dead letter that a verdict calls for, if any."""
        record = item.received.record
        if verdict.result is Result.FAILED:
            return [Letter(item.message, Reason.FAILED, repr(verdict.error))]
        if verdict.result is Result.PASSED and record.type not in self._known:
            what = f"{record.service}.{record.type}.v{record.schema_version}"
            return [Letter(item.message, Reason.UNKNOWN_TYPE, what)]
        return []

    async def _bring_to_ends(self, records: Sequence[Record]) -> list[Verdict]:
        """One final verdict for each record: handled, or its table is parked with it."""
        ends = {id(v.record): v for v in await self._ears.hear(records, self._service)}
        troubled: dict[str, list[Record]] = {}
        for record in records:
            stopped = ends[id(record)].result in (Result.FAILED, Result.GAP, Result.BEHIND)
            if stopped or record.stream in troubled:
                troubled.setdefault(record.stream, []).append(record)
        deadline_s = self._clock.steady_s() + BATCH_RETRIES_S_MAX
        for stopped_records in troubled.values():
            for verdict in await self._settle(stopped_records, deadline_s):
                ends[id(verdict.record)] = verdict
        if any(verdict.result is Result.PARKED for verdict in ends.values()):
            self._on_parked()
        return [ends[id(record)] for record in records]

    async def _settle(self, records: Sequence[Record], deadline_s: float) -> list[Verdict]:
        """The records of one table from the first that was not handled on."""
        verdicts: list[Verdict] = []
        for number, record in enumerate(records):
            verdict = await self._insist(record, deadline_s)
            verdicts.append(verdict)
            if verdict.result not in (Result.FAILED, Result.GAP):
                continue
            await self._ears.park(self._service, record, reason=repr(verdict.error))
            log.error("%s stops %s: %r", self._service, record.stream, verdict.error)
            if verdict.result is Result.GAP:
                telemetry.count(
                    "sabot.consumer.gaps", consumer=self._service, upstream=self.upstream
                )
            self._on_parked()
            behind = records[number + 1 :]
            if behind:
                verdicts += await self._ears.hear(behind, self._service)
            break
        return verdicts

    async def _insist(self, record: Record, deadline_s: float) -> Verdict:
        """Hear a record, several times where its failure may pass."""
        for attempt in range(RETRIES_MAX + 1):
            (verdict,) = await self._ears.hear([record], self._service)
            may_pass = verdict.result is Result.FAILED and is_transient(verdict.error)
            if not may_pass or attempt == RETRIES_MAX:
                return verdict
            delay_s = RETRY_DELAY_S * 2.0**attempt * random.uniform(0.5, 1.0)  # noqa: S311
            if self._clock.steady_s() + delay_s > deadline_s:
                raise TooManyFailures(f"the last one: {verdict.error!r}") from verdict.error
            await asyncio.sleep(delay_s)
        raise AssertionError("the last attempt returns")

    def _measure(
        self, heard: Sequence[_Heard], verdicts: Sequence[Verdict], bad: int, began_s: float
    ) -> None:
        counts: dict[str, int] = {"bad": bad} if bad else {}
        for verdict in verdicts:
            counts[verdict.result.value] = counts.get(verdict.result.value, 0) + 1
        for outcome, count in counts.items():
            telemetry.count(
                "sabot.consumer.records",
                count,
                consumer=self._service,
                upstream=self.upstream,
                outcome=outcome,
            )
        telemetry.record(
            "sabot.consumer.duration", self._clock.steady_s() - began_s, consumer=self._service
        )
        if heard:
            oldest_us = min(item.received.record.recorded_at_us for item in heard)
            delay_s = max(0.0, (self._clock.now_us() - oldest_us) / SECOND_US)
            telemetry.record("sabot.consumer.delay", delay_s, upstream=self.upstream)


def is_transient(error: BaseException | None) -> bool:
    """Whether the same record may succeed a moment later."""
    passing = (ConnectionError, TimeoutError, StoreUnavailable, ConcurrencyConflict)
    if isinstance(error, passing) or (isinstance(error, Exception) and is_too_early(error)):
        return True
    return getattr(error, "sqlstate", "")[:2] in _PASSING_SQL_STATES


_PASSING_SQL_STATES: Final = frozenset({"08", "40", "53", "55", "57"})
"""Classes of PostgreSQL errors that pass: connection, rollback (deadlock), resources, object in use,
intervention by an operator."""


def _begin_span(item: _Heard) -> Span:
    """The span of one record, under the trace in which its chain began."""
    meta, record = item.received.meta, item.received.record
    if meta.traceparent.endswith("-00"):
        return trace.INVALID_SPAN
    hop = trace.get_current_span(telemetry.parent(item.received.hop)).get_span_context()
    return telemetry.TRACER.start_span(
        f"hear {record.service}.{record.type}",
        context=telemetry.parent(meta.traceparent),
        kind=SpanKind.CONSUMER,
        links=[Link(hop)] if hop.is_valid else [],
        attributes=telemetry.span_attributes(
            event_id=record.event_id,
            position=record.position,
            table_id=record.stream,
            command_id=meta.command_id,
        ),
    )


def _describe(span: Span, verdict: Verdict) -> None:
    span.set_attributes(telemetry.span_attributes(outcome=verdict.result.value))
    if verdict.error is not None:
        span.record_exception(verdict.error)
        span.set_status(StatusCode.ERROR, type(verdict.error).__name__)


class Consumers:
    """Everything that one service hears: a batch subscriber for each upstream topic."""

    def __init__(
        self,
        *,
        service: str,
        upstreams: Mapping[str, Collection[str]],
        ears: Ears,
        parking: Parking,
        kafka: bus.Bus,
        clock: Clock,
        instance: str | None,
    ) -> None:
        """`upstreams` names the services that are heard, each with all the types it publishes.

        `instance` is a name that outlives a restart of this process, for static membership; None
        where there is no such name.
        """
        assert service not in upstreams, "a service does not hear itself"
        self._service = service
        self._kafka = kafka
        self._clock = clock
        self._instance = instance
        self._parking = parking
        self._letters = DeadLetters(kafka=kafka, consumer=service)
        self._stopping = asyncio.Event()
        self._heal_now = asyncio.Event()
        self._listeners = [
            _Listener(
                service=service,
                upstream=upstream,
                known=known,
                ears=ears,
                letters=self._letters,
                clock=clock,
                on_parked=self._heal_now.set,
            )
            for upstream, known in upstreams.items()
        ]
        self._subscribers: dict[str, BatchSubscriber] = {}
        self._broker: KafkaBroker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._failures: dict[str, int] = {}
        self._reasons: dict[str, str] = {}
        self._parked_tables = 0

    def declare(self, broker: KafkaBroker) -> dict[str, BatchSubscriber]:
        """Put a subscriber for every upstream on a broker; also used for the AsyncAPI document."""
        return {listener.upstream: self._declare(broker, listener) for listener in self._listeners}

    async def start(self) -> None:
        """Begin in the background; neither the broker nor the topics need to be there yet."""
        assert not self._tasks, "consumers are started once"
        self._tasks = [
            asyncio.create_task(self._open_in_time(), name=f"{self._service} consumers"),
            asyncio.create_task(self._heal_in_time(), name=f"{self._service} parked tables"),
        ]

    async def stop(self, timeout_s: float) -> None:
        """Finish the batches in flight and commit them; after `timeout_s` break off."""
        self._stopping.set()
        self._heal_now.set()
        try:
            async with asyncio.timeout(timeout_s):
                for task in self._tasks:
                    await asyncio.wait([task])
                await self._close()
        except TimeoutError:
            log.warning("%s: consumers did not stop within %g s", self._service, timeout_s)
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks, timeout=bus.CLOSE_TIMEOUT_S)
            await self._abandon()
        await self._letters.close(flush=True)

    def status(self) -> Status:
        reasons = [f"{upstream}: {reason}" for upstream, reason in self._reasons.items()]
        return Status(
            open=self._broker is not None,
            reason="; ".join(reasons),
            parked_tables=self._parked_tables,
            upstreams={
                upstream: _upstream_status(subscriber)
                for upstream, subscriber in self._subscribers.items()
            },
        )

    # --- subscribers --------------------------------------------------------------------------

    def _declare(self, broker: KafkaBroker, listener: _Listener) -> BatchSubscriber:
        member = self._instance
        topic = topics.topic(listener.upstream)
        subscriber: BatchSubscriber

        async def parse(records: tuple[Any, ...]) -> _Batch:
            return _Batch(records, cast("AIOKafkaConsumer", subscriber.consumer))

        async def decode(message: _Batch) -> _Batch:
            return message

        subscriber = bus.subscribe(
            broker,
            topic,
            group=topics.consumer_group(self._service),
            member=None if member is None else topics.group_member(member, listener.upstream),
            parser=parse,
            decoder=decode,
            listener=None,
            title=f"{self._service} hears {listener.upstream}",
            description=f"What {self._service} hears of {listener.upstream}.",
        )

        async def hear(batch: _Batch) -> None:
            await self._hear(listener, batch)

        hear.__name__ = f"{self._service}_hears_{listener.upstream}"
        subscriber(hear)
        return subscriber

    async def _hear(self, listener: _Listener, batch: _Batch) -> None:
        """Handle a batch, or pause and let it be read again."""
        upstream = listener.upstream
        try:
            await listener.handle(batch.records)
        except Exception as error:
            failures = self._failures[upstream] = self._failures.get(upstream, 0) + 1
            pause_s = min(PAUSE_S_MIN * 2.0 ** min(failures - 1, 10), PAUSE_S_MAX)
            self._stand(upstream, error, f"a batch waits: {error!r}")
            await self._pause(pause_s)
            raise
        self._failures.pop(upstream, None)
        self._reasons.pop(upstream, None)
        if upstream in self._subscribers:
            lag = _upstream_status(self._subscribers[upstream]).lag
            telemetry.gauge("sabot.consumer.lag", lag, upstream=upstream)

    async def _open_in_time(self) -> None:
        failures = 0
        while not self._stopping.is_set() and self._broker is None:
            try:
                await self._unless_stopping(self._open())
            except Exception as error:  # noqa: BLE001 - it tries again, and says why
                failures += 1
                self._stand("broker", error, f"the broker cannot be used: {error!r}")
                await self._pause(min(PAUSE_S_MIN * 2.0 ** min(failures - 1, 10), PAUSE_S_MAX))
        self._reasons.pop("broker", None)

    async def _open(self) -> None:
        await self._find_topics()
        broker = bus.make_broker(self._kafka)
        subscribers = self.declare(broker)
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await broker.start()
        except BaseException:
            await _close_broker(broker, list(subscribers.values()))
            raise
        self._broker, self._subscribers = broker, subscribers

    async def _find_topics(self) -> None:
        """Return when all topics exist.

        A consumer that asked for a missing one might create it, with whatever number of partitions
        the broker thinks right.
        """
        upstreams = [listener.upstream for listener in self._listeners]
        replication = self._kafka.topic_replication
        if replication is not None:
            await bus.ensure_topics(self._kafka, upstreams, replication=replication)
        client = AIOKafkaClient(
            bootstrap_servers=self._kafka.servers(),
            client_id=self._kafka.client_id,
            request_timeout_ms=bus.REQUEST_TIMEOUT_MS,
            **parse_security(self._kafka.security),
        )
        try:
            async with asyncio.timeout(bus.ADMIN_TIMEOUT_S):
                await client.bootstrap()
                for upstream in upstreams:
                    name = topics.topic(upstream)
                    await bus.topic_facts(client, name)
                    await bus.topic_facts(client, topics.dead_letter_topic(name))
        finally:
            await client.close()

    async def _close(self) -> None:
        broker, self._broker = self._broker, None
        if broker is not None:
            await _close_broker(broker, list(self._subscribers.values()))

    async def _abandon(self) -> None:
        """Leave the broker without saying goodbye: it does not answer."""
        self._broker = None
        for subscriber in self._subscribers.values():
            await bus.kill_subscriber(subscriber)

    # --- parked tables ------------------------------------------------------------------------

    async def _heal_in_time(self) -> None:
        while not self._stopping.is_set():
            self._heal_now.clear()
            try:
                self._parked_tables = await self._unless_stopping(self._parking.heal()) or 0
                telemetry.gauge(
                    "sabot.consumer.parked", self._parked_tables, consumer=self._service
                )
            except Exception as error:  # noqa: BLE001 - the next time will tell
                log.warning("%s cannot look at its parked tables: %r", self._service, error)
            with suppress(TimeoutError):
                async with asyncio.timeout(HEAL_S):
                    await self._heal_now.wait()
            await self._pause(HEAL_SOON_S)

    # --- waiting ------------------------------------------------------------------------------

    def _stand(self, where: str, error: Exception, reason: str) -> None:
        if self._reasons.get(where) != reason:
            log.warning("%s, %s: %s", self._service, where, reason, exc_info=error)
        self._reasons[where] = reason

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    async def _unless_stopping(self, work: Awaitable[Any]) -> Any:
        """The result of some work; it is cancelled, and there is none, when the service stops."""
        task = asyncio.ensure_future(work)
        stopping = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait([task, stopping], return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            return None
        finally:
            for waiting in (task, stopping):
                waiting.cancel()
            await asyncio.wait([task, stopping])


async def _close_broker(broker: KafkaBroker, subscribers: Sequence[BatchSubscriber]) -> None:
    """Stop the subscribers side by side: one after the other, each might use up the time."""
    await asyncio.gather(*(subscriber.stop() for subscriber in subscribers), return_exceptions=True)
    await broker.stop()


def _upstream_status(subscriber: BatchSubscriber) -> UpstreamStatus:
    consumer = subscriber.consumer
    if consumer is None:
        return UpstreamStatus(partitions=0, lag=0, poll_age_s=0.0)
    lag = 0
    assigned = consumer.assignment()
    for partition in assigned:
        with suppress(IllegalStateError, AssertionError):
            end = consumer.highwater(partition)
            state = consumer._subscription.subscription.assignment.state_value(partition)  # noqa: SLF001
            if end is not None and state.has_valid_position:
                lag += max(0, end - state.position)
    idle_s = float(consumer._subscription.fetcher_idle_time)  # noqa: SLF001
    return UpstreamStatus(partitions=len(assigned), lag=lag, poll_age_s=idle_s)
