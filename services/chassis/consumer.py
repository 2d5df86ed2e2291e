"""Hearing other services: records from the broker to the executor, each with one effect or a reason.

The broker delivers at least once and in the order of each partition. Here every record of a batch is
brought to one of four ends, and only then may the batch's offsets be committed:

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
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, cast

from aiokafka import AIOKafkaClient, AIOKafkaConsumer, TopicPartition
from aiokafka.errors import IllegalStateError, KafkaError
from faststream.kafka import KafkaBroker
from faststream.kafka.message import KafkaMessage
from faststream.kafka.security import parse_security
from faststream.kafka.subscriber.usecase import BatchSubscriber
from faststream.message import AckStatus
from msgspec import Struct
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, StatusCode

from services.chassis import bus, envelope, telemetry, topics
from services.chassis.clock import SECOND_US, Clock
from services.chassis.dead_letters import DeadLetters, DeadLettersAway, Letter, Reason
from services.chassis.decider import Record
from services.chassis.envelope import BadMessage, Received
from services.chassis.hearing import Result, Verdict
from services.chassis.offsets import COMMIT_S, Offsets
from services.chassis.parking import Parking, is_too_early
from services.chassis.standstill import LOOK_S, Movement
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

OPEN_TIMEOUT_S: Final = 60.0
"""How long all subscribers of a service may take to get partitions."""

HEAL_S: Final = 5.0
"""How often parked tables are looked through for what has passed by itself."""

HEAL_SOON_S: Final = 0.1
"""The same, after a record for a parked table has come: it may be the missing one."""


_NONE_KNOWN: Final[Mapping[TopicPartition, str]] = {}

STOPPING: Final = frozenset({Result.FAILED, Result.GAP, Result.BEHIND})
"""What a record is told that was not handled while its table is not parked."""


class TooManyFailures(Exception):
    """So much of a batch fails that waiting is better than putting tables aside."""


class Ears(Protocol):
    """The part of an executor that hears."""

    async def hear(self, records: Sequence[Record], consumer: str) -> list[Verdict]: ...

    async def park(self, consumer: str, record: Record, *, reason: str) -> None: ...


class Status(Struct, frozen=True, kw_only=True):
    """How the hearing of a service is doing."""

    open: bool
    """The subscriber runs."""

    reason: str
    """Why it does not, or why a batch waits, for a person; empty where all is well."""

    partitions: int
    """Partitions that this instance has, of all topics."""

    lag: Mapping[str, int]
    """By upstream, records in them that are not handled, as far as the broker has told."""

    poll_age_s: float
    """Time since the last poll; large where the loop hangs."""

    parked_tables: int


class _Batch(KafkaMessage):
    """A batch whose acknowledgement names the offsets that it means, and is told to `handled`.

    The library's own commits whatever the consumer's position is by then: after a rebalance in the
    middle of a batch that is not what was handled.
    """

    def __init__(
        self,
        records: tuple[Any, ...],
        consumer: AIOKafkaConsumer,
        handled: Callable[[Sequence[Any]], Awaitable[None]],
    ) -> None:
        # Neither headers nor bodies are decoded here. The library decodes all headers of a batch at
        # once, so that one bad header would lose the batch.
        super().__init__(
            raw_message=records, body=b"", message_id="", correlation_id="", consumer=consumer
        )
        self.committed = None
        self.records = records
        self._handled = handled

    def spend(self) -> None:
        """Let go of what was handled.

        The library keeps a batch in a cycle of its own until the collector of garbage comes by: a
        thousand objects for fifty records, which cost a quarter of all the time to find.
        """
        for record in self.records:
            record.value = None
            record.headers = ()

    async def ack(self) -> None:
        if self.committed is None:
            await self._handled(self.records)
            self.committed = AckStatus.ACKED

    async def nack(self) -> None:
        if self.committed is None:
            for partition, offset in self._firsts().items():
                with suppress(IllegalStateError):  # it belongs to somebody else by now
                    self.consumer.seek(partition, offset)
            self.committed = AckStatus.NACKED

    async def reject(self) -> None:
        await self.nack()

    def _firsts(self) -> dict[TopicPartition, int]:
        firsts: dict[TopicPartition, int] = {}
        for record in self.records:
            firsts.setdefault(TopicPartition(record.topic, record.partition), record.offset)
        return firsts


class _Heard(Struct, frozen=True):
    """A message of a batch that is a record."""

    message: Any
    received: Received


class _Listener:
    """Brings batches to their ends."""

    def __init__(
        self,
        *,
        service: str,
        upstreams: Mapping[str, Collection[str]],
        ears: Ears,
        letters: DeadLetters,
        clock: Clock,
        on_parked: Callable[[], None],
    ) -> None:
        self._service = service
        self._known = {upstream: frozenset(known) for upstream, known in upstreams.items()}
        self._ears = ears
        self._letters = letters
        self._clock = clock
        self._on_parked = on_parked
        self._owed: list[Letter] = []

    async def handle(self, messages: Sequence[Any]) -> None:
        """Return when every message has reached its end; whatever is raised means: read it again."""
        began_s = self._clock.steady_s()
        heard, letters = self._sort(messages)
        spans = [_begin_span(item) for item in heard]
        try:
            verdicts = await self._bring_to_ends(heard) if heard else []
            for item, verdict, span in zip(heard, verdicts, spans, strict=True):
                _describe(span, verdict)
                letters.extend(self._passed_over(item, verdict))
        finally:
            for span in spans:
                span.end()
        await self._put_aside(letters)
        self._measure(verdicts, began_s)

    async def _put_aside(self, letters: Sequence[Letter]) -> None:
        """Write the letters of a batch, and those that are owed from the last attempt.

        What was passed over is known as handled when the batch is read again, so nothing would ask
        for its copy a second time.
        """
        everything = [*self._owed, *letters]
        try:
            await self._letters.send(everything)
        except DeadLettersAway:
            self._owed = [letter for letter in everything if letter.reason == Reason.UNKNOWN_TYPE]
            raise
        self._owed = []

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
            if topics.topic(received.record.service) == message.topic:
                heard.append(_Heard(message, received))
            else:
                what = f"a record of {received.record.service} on another's topic"
                letters.append(Letter(message, Reason.BAD_MESSAGE, what))
        return heard, letters

    def _passed_over(self, item: _Heard, verdict: Verdict) -> list[Letter]:
        """The copy of a record whose type nobody here knows."""
        record = item.received.record
        if verdict.result is not Result.PASSED or record.type in self._known[record.service]:
            return []
        what = f"{record.service}.{record.type}.v{record.schema_version}"
        return [Letter(item.message, Reason.UNKNOWN_TYPE, what)]

    async def _bring_to_ends(self, heard: Sequence[_Heard]) -> list[Verdict]:
        """One final verdict for each record: handled, or its table is parked with it."""
        verdicts = await self._ears.hear([item.received.record for item in heard], self._service)
        troubled: dict[str, list[int]] = {}
        for number, verdict in enumerate(verdicts):
            stream = verdict.record.stream
            if stream in troubled or verdict.result in STOPPING:
                troubled.setdefault(stream, []).append(number)
        deadline_s = self._clock.steady_s() + BATCH_RETRIES_S_MAX
        for numbers in troubled.values():
            settled = await self._settle([heard[number] for number in numbers], deadline_s)
            for number, verdict in zip(numbers, settled, strict=True):
                verdicts[number] = verdict
        if any(verdict.result is Result.PARKED for verdict in verdicts):
            self._on_parked()
        return verdicts

    async def _settle(self, items: Sequence[_Heard], deadline_s: float) -> list[Verdict]:
        """The records of one table from the first that was not handled on."""
        verdicts: list[Verdict] = []
        for number, item in enumerate(items):
            verdict = await self._insist(item.received.record, deadline_s)
            verdicts.append(verdict)
            if verdict.result in STOPPING:
                await self._park(item, verdict)
                behind = [later.received.record for later in items[number + 1 :]]
                return verdicts + await self._ears.hear(behind, self._service)
        return verdicts

    async def _park(self, item: _Heard, verdict: Verdict) -> None:
        """Stop a table. The letter comes first: once parked, the record is not looked at again."""
        record, reason = verdict.record, repr(verdict.error)
        if verdict.result is Result.GAP:
            telemetry.count("sabot.consumer.gaps", consumer=self._service, upstream=record.service)
        else:
            await self._letters.send([Letter(item.message, Reason.FAILED, reason)])
        await self._ears.park(self._service, record, reason=reason)
        log.error("%s stops %s: %s", self._service, record.stream, reason)
        self._on_parked()

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

    def _measure(self, verdicts: Sequence[Verdict], began_s: float) -> None:
        counts = Counter((v.record.service, v.result.value) for v in verdicts)
        for (upstream, outcome), count in counts.items():
            telemetry.count(
                "sabot.consumer.records",
                count,
                consumer=self._service,
                upstream=upstream,
                outcome=outcome,
            )
        oldest_us: dict[str, int] = {}
        for verdict in verdicts:
            record = verdict.record
            before_us = oldest_us.get(record.service, record.recorded_at_us)
            oldest_us[record.service] = min(before_us, record.recorded_at_us)
        for upstream, recorded_at_us in oldest_us.items():
            delay_s = max(0.0, (self._clock.now_us() - recorded_at_us) / SECOND_US)
            telemetry.record("sabot.consumer.delay", delay_s, upstream=upstream)
        telemetry.record(
            "sabot.consumer.duration", self._clock.steady_s() - began_s, consumer=self._service
        )


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
    if meta.traceparent and not telemetry.is_sampled(meta.traceparent):
        return trace.INVALID_SPAN
    return telemetry.TRACER.start_span(
        f"hear {record.service}.{record.type}",
        context=telemetry.parent(meta.traceparent),
        kind=SpanKind.CONSUMER,
        links=telemetry.links(item.received.hop),
        attributes=telemetry.span_attributes(
            event_id=record.event_id,
            position=record.position,
            table_id=record.stream,
            command_id=meta.command_id,
        ),
    )


def _describe(span: Span, verdict: Verdict) -> None:
    if not span.is_recording():
        return
    span.set_attributes(telemetry.span_attributes(outcome=verdict.result.value))
    if verdict.error is not None:
        span.record_exception(verdict.error)
        span.set_status(StatusCode.ERROR, type(verdict.error).__name__)


class Consumers:
    """Everything that one service hears: a batch subscriber for all upstream topics.

    One and not one for each topic: every further member of the group would cost a rebalance of all
    of them at every start, and the partitions of a stream would be spread over processes.
    """

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
        assert upstreams, "who hears nobody needs no consumers"
        assert service not in upstreams, "a service does not hear itself"
        self._service = service
        self._upstreams = tuple(upstreams)
        self._kafka = kafka
        self._instance = instance
        self._parking = parking
        self._letters = DeadLetters(kafka=kafka, consumer=service)
        self._stopping = asyncio.Event()
        self._heal_now = asyncio.Event()
        self._listener = _Listener(
            service=service,
            upstreams=upstreams,
            ears=ears,
            letters=self._letters,
            clock=clock,
            on_parked=self._heal_now.set,
        )
        self._subscriber: BatchSubscriber | None = None
        self._broker: KafkaBroker | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._offsets = Offsets(lambda: None, {})
        self._movement = Movement(clock)
        self._failures = 0
        self._reason = "not started"
        self._parked_tables = 0

    async def start(self) -> None:
        """Begin in the background; neither the broker nor the topics need to be there yet."""
        assert not self._tasks, "consumers are started once"
        self._reason = "starting"
        self._tasks = [
            asyncio.create_task(self._stay_open(), name=f"{self._service} hears"),
            asyncio.create_task(self._commit_in_time(), name=f"{self._service} offsets"),
            asyncio.create_task(self._heal_in_time(), name=f"{self._service} parked tables"),
        ]

    async def stop(self, timeout_s: float) -> None:
        """Finish the batch in flight and commit it, within `timeout_s`."""
        self._stopping.set()
        self._heal_now.set()
        try:
            async with asyncio.timeout(bus.patience_s(timeout_s)):
                if self._tasks:
                    await asyncio.wait(self._tasks)
                await self._close()
            await self._letters.close(flush=True)
        except TimeoutError:
            log.warning("%s did not stop hearing within %g s", self._service, timeout_s)
            for task in self._tasks:
                task.cancel()
            await self._abandon()
            await self._letters.close(flush=False)
        self._reason = "stopped"

    def status(self) -> Status:
        consumer = None if self._subscriber is None else self._subscriber.consumer
        idle_s = 0.0 if consumer is None else float(consumer._subscription.fetcher_idle_time)  # noqa: SLF001
        return Status(
            open=self._broker is not None,
            reason=self._reason,
            partitions=0 if consumer is None else len(consumer.assignment()),
            lag={} if consumer is None else _lag(consumer),
            poll_age_s=idle_s,
            parked_tables=self._parked_tables,
        )

    def declare(
        self, broker: KafkaBroker, lives: Mapping[TopicPartition, str] = _NONE_KNOWN
    ) -> BatchSubscriber:
        """Put the subscriber on a broker; also used for the AsyncAPI document."""
        subscriber: BatchSubscriber
        offsets = self._offsets = Offsets(lambda: subscriber.consumer, lives)

        async def handled(records: Sequence[Any]) -> None:
            """A batch is at its end. While stopping, its consumer is closed next."""
            offsets.handled(records)
            if self._stopping.is_set():
                await offsets.commit()

        async def parse(records: tuple[Any, ...]) -> _Batch:
            return _Batch(records, cast("AIOKafkaConsumer", subscriber.consumer), handled)

        async def decode(message: _Batch) -> _Batch:
            return message

        subscriber = bus.subscribe(
            broker,
            [topics.topic(upstream) for upstream in self._upstreams],
            group=topics.consumer_group(self._service),
            member=self._instance,
            parser=parse,
            decoder=decode,
            listener=offsets,
            description=f"What {self._service} hears of others.",
        )
        subscriber(self._hear)
        return subscriber

    # --- hearing ------------------------------------------------------------------------------

    async def _hear(self, batch: _Batch) -> None:
        """Handle a batch, or pause and let it be read again."""
        self._movement.began()
        try:
            await self._listener.handle(batch.records)
        except Exception as error:
            self._failures += 1
            self._stand(error, f"a batch waits: {error!r}")
            await self._pause(_pause_s(self._failures))
            raise
        finally:
            self._movement.ended()
        batch.spend()
        self._failures = 0
        self._reason = ""
        for upstream, lag in self.status().lag.items():
            telemetry.gauge("sabot.consumer.lag", lag, upstream=upstream)

    async def _commit_in_time(self) -> None:
        while not self._stopping.is_set():
            await self._pause(COMMIT_S)
            await self._offsets.commit()

    async def _stay_open(self) -> None:
        """Open, and open again whenever the consumer stands still."""
        failures = 0
        while not self._stopping.is_set():
            try:
                if self._broker is None:
                    await self._unless_stopping(self._open())
                    failures = 0
                await self._pause(LOOK_S)
                await self._unless_stopping(self._look_after())
                if await self._unless_stopping(self._topics_replaced()):
                    await self._close()
            except Exception as error:  # noqa: BLE001 - it tries again, and says why
                failures += 1
                self._stand(error, f"the broker cannot be used: {error!r}")
                await self._pause(_pause_s(failures))

    async def _open(self) -> None:
        lives = await self._find_topics()
        broker = bus.make_broker(self._kafka)
        subscriber = self.declare(broker, lives)
        try:
            async with asyncio.timeout(OPEN_TIMEOUT_S):
                await broker.start()
        except BaseException:
            await bus.kill_subscriber(subscriber)
            await broker.stop()
            raise
        consumer = subscriber.consumer
        bus.pace(consumer, lambda: self._movement.fetched(consumer))
        self._movement.ended()
        self._broker, self._subscriber, self._reason = broker, subscriber, ""

    async def _look_after(self) -> None:
        """Close a consumer that stands still although the broker is there."""
        broker, subscriber = self._broker, self._subscriber
        if broker is None or subscriber is None or subscriber.consumer is None:
            return
        why = self._movement.why_not(subscriber.consumer)
        if not why:
            return
        try:
            await self._find_topics()
        except (KafkaError, OSError, TimeoutError):
            self._movement.moved()  # it comes back by itself, and gets time for that from then on
            return
        log.error("%s hears nothing and is connected anew: %s", self._service, why)
        telemetry.count("sabot.consumer.standstills", consumer=self._service)
        # First of all: however the old one ends, there will be a new one.
        self._broker, self._reason = None, f"connects anew: {why}"
        await bus.kill_subscriber(subscriber)
        await broker.stop()

    async def _topics_replaced(self) -> bool:
        """Whether a topic was made anew: what this consumer believes of its places is of no use."""
        if self._broker is None or self._subscriber is None or self._subscriber.consumer is None:
            return False
        client, lives = self._subscriber.consumer._client, dict[TopicPartition, str]()  # noqa: SLF001
        try:
            async with asyncio.timeout(LOOK_S):
                for upstream in self._upstreams:
                    lives.update(await bus.topic_lives(client, topics.topic(upstream)))
        except (KafkaError, OSError, TimeoutError):
            return False  # the next look will tell
        replaced = self._offsets.replaced(lives)
        if replaced:
            names = ", ".join(sorted(replaced))
            log.warning("%s begins anew: another topic has replaced %s", self._service, names)
            self._reason = f"begins anew with {names}"
        return bool(replaced)

    async def _find_topics(self) -> dict[TopicPartition, str]:
        """Return when all topics exist, with the lives of the partitions that are heard.

        A consumer that asked for a missing one might create it, with whatever number of partitions
        the broker thinks right.
        """
        replication = self._kafka.topic_replication
        if replication is not None:
            await bus.ensure_topics(self._kafka, self._upstreams, replication=replication)
        client = AIOKafkaClient(
            bootstrap_servers=self._kafka.servers(),
            client_id=self._kafka.client_id,
            request_timeout_ms=bus.REQUEST_TIMEOUT_MS,
            **parse_security(self._kafka.security),
        )
        lives: dict[TopicPartition, str] = {}
        try:
            async with asyncio.timeout(bus.ADMIN_TIMEOUT_S):
                await client.bootstrap()
                for upstream in self._upstreams:
                    name = topics.topic(upstream)
                    lives.update(await bus.topic_lives(client, name))
                    await bus.topic_facts(client, topics.dead_letter_topic(name))
        finally:
            await bus.close_client(client)
        return lives

    async def _close(self) -> None:
        broker, self._broker = self._broker, None
        if broker is None:
            return
        await self._offsets.commit()
        try:
            await broker.stop()
        except Exception as error:  # noqa: BLE001 - a broken one ends as well, only without goodbye
            log.warning("%s could not stop hearing in order: %r", self._service, error)
            await self._abandon()

    async def _abandon(self) -> None:
        """Leave the broker without saying goodbye: it does not answer."""
        self._broker = None
        if self._subscriber is not None:
            await bus.kill_subscriber(self._subscriber)

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

    def _stand(self, error: Exception, reason: str) -> None:
        if self._reason != reason:
            log.warning("%s: %s", self._service, reason, exc_info=error)
        self._reason = reason

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


def _pause_s(failures: int) -> float:
    return min(PAUSE_S_MIN * 2.0 ** min(failures - 1, 10), PAUSE_S_MAX)


def _lag(consumer: Any) -> dict[str, int]:
    """By upstream, what the broker has beyond the consumer's position."""
    lag: dict[str, int] = {}
    subscription = consumer._subscription.subscription  # noqa: SLF001
    for partition in consumer.assignment():
        upstream = topics.service_of(partition.topic)
        lag.setdefault(upstream, 0)
        with suppress(IllegalStateError, AssertionError, AttributeError):
            state = subscription.assignment.state_value(partition)
            if state.highwater is not None and state.has_valid_position:
                lag[upstream] += max(0, state.highwater - state.position)
    return lag
