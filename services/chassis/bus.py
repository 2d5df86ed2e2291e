"""The connection to the message broker: how brokers, producers and topics are made, all settings out.

The library's defaults would lose and reorder: a producer without idempotence that waits for one
acknowledgement, a consumer that commits before it works and starts at the end of the topic. So
nothing here is left to a default that matters for delivery.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import chain
from typing import Any, Final, NoReturn, TypeVar

from aiokafka import (
    AIOKafkaClient,
    AIOKafkaConsumer,
    AIOKafkaProducer,
    ConsumerRebalanceListener,
    ConsumerRecord,
    TopicPartition,
)
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.coordinator.assignors.range import RangePartitionAssignor
from aiokafka.errors import (
    ConsumerStoppedError,
    KafkaConnectionError,
    LeaderNotAvailableError,
    NotLeaderForPartitionError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)
from aiokafka.protocol.api import Request, RequestStruct, Response
from aiokafka.protocol.fetch import FetchRequest
from aiokafka.protocol.offset import OffsetRequest, OffsetResetStrategy
from aiokafka.protocol.types import (
    Boolean,
    CompactArray,
    CompactString,
    Int16,
    Int32,
    Int64,
    Schema,
    TaggedFields,
)
from aiokafka.structs import OffsetAndMetadata
from faststream import AckPolicy
from faststream.kafka import KafkaBroker
from faststream.kafka.security import parse_security
from faststream.kafka.subscriber.usecase import BatchSubscriber
from faststream.security import BaseSecurity
from msgspec import Struct

from services.chassis import topics
from services.chassis.connections import tell_broken_ones

log = logging.getLogger(__name__)

REQUEST_TIMEOUT_MS: Final = 10_000
"""One question to the broker. Below the time after which a relay gives up an acknowledgement."""

RETRY_BACKOFF_MS: Final = 100
METADATA_MAX_AGE_MS: Final = 10_000
"""After this the clients ask again which topics and partitions there are."""

CONNECTIONS_MAX_IDLE_MS: Final = 540_000
MESSAGE_BYTES_MAX: Final = 1_048_576
"""What a broker takes by default. Larger bodies never enter the log."""

BATCH_BYTES: Final = 262_144
"""Records of one partition that go to the broker as one unit."""

FETCH_WAIT_MS_MAX: Final = 100
"""How long the broker may keep an empty answer. It bounds the delay after a rebalance or a rewind,
which wait for the question under way; a record that comes in between is answered at once."""

PACE_S_MIN: Final = 0.002
PACE_S_MAX: Final = 0.02
"""Pause after an empty answer from a broker that does not keep it, doubled up to the longer one."""

FETCH_BYTES_MAX: Final = 16 * 1_048_576
PARTITION_FETCH_BYTES_MAX: Final = 1_048_576
POLL_WAIT_MS: Final = 250
"""How long one poll waits for records. It returns with the first of them."""

BATCH_RECORDS_MAX: Final = 250
"""Records that are handed over at once: one transaction handles them. Twice as many take a tenth more
CPU each, because their memory is none that is at hand."""

SESSION_TIMEOUT_MS: Final = 10_000
HEARTBEAT_MS: Final = 3_000
REBALANCE_TIMEOUT_MS: Final = 10_000
"""How long a group waits for members that do not join again. Ours do it at the next heartbeat,
whatever their handlers are doing; a longer time only prolongs the silence after a member's death."""

CONSUMER_REQUEST_TIMEOUT_MS: Final = 20_000
"""Joining a group is answered only when the others have joined too, so this is longer than that."""

POLL_INTERVAL_MS_MAX: Final = 300_000
"""A consumer that has not polled for this long loses its partitions. Everything that a handler
waits for is bounded far below."""

GRACE_S: Final = 15.0
"""How long a stopping subscriber waits for the batch in flight."""

CLOSE_TIMEOUT_S: Final = 1.0
"""Closing a client talks to the broker, and would wait for ever where there is none."""

STOP_RESERVE_S: Final = 3.0
"""Of the time that a stop may take, what is kept for breaking off what did not end by itself."""

CANCEL_WAIT_S: Final = 0.05
FACTS_ATTEMPTS_MAX: Final = 20
ADMIN_TIMEOUT_S: Final = 20.0
SINCE_EVER_MS: Final = 0
_Answer = TypeVar("_Answer")
_BITS_64: Final = 0xFFFF_FFFF_FFFF_FFFF


class Bus(Struct, frozen=True, kw_only=True):
    """Where the broker is and who we are there."""

    bootstrap_servers: str
    """`host:port`, several separated by commas."""

    client_id: str
    """Shown in the broker's logs and quotas: the service and its instance."""

    security: BaseSecurity | None
    """TLS and SASL as FastStream describes them; None only on a developer's machine."""

    topic_replication: int | None
    """Replicas of a topic that a service creates where it is missing. None in production, where
    topics belong to the deployment and the services may not create any."""

    def servers(self) -> list[str]:
        return [server.strip() for server in self.bootstrap_servers.split(",")]


class WithoutKnown(logging.Filter):
    """Keeps back a warning that FastStream writes at every start.

    That it creates no topics is our choice, in `make_broker`; they are there before it subscribes.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        return not record.getMessage().startswith("Auto create topics is disabled")


BUS_LOG: Final = logging.getLogger("sabot.bus")
BUS_LOG.addFilter(WithoutKnown())
tell_broken_ones()


def make_broker(bus: Bus) -> KafkaBroker:
    """A FastStream broker for subscribers: it consumes only, and creates no topic by itself."""
    return KafkaBroker(
        bus.servers(),
        client_id=bus.client_id,
        security=bus.security,
        request_timeout_ms=CONSUMER_REQUEST_TIMEOUT_MS,
        retry_backoff_ms=RETRY_BACKOFF_MS,
        metadata_max_age_ms=METADATA_MAX_AGE_MS,
        connections_max_idle_ms=CONNECTIONS_MAX_IDLE_MS,
        # What is published goes through the relay's own producer; should somebody publish through
        # the broker all the same, then not without idempotence.
        consumer_only=True,
        enable_idempotence=True,
        acks="all",
        allow_auto_create_topics=False,
        graceful_timeout=GRACE_S,
        ack_policy=AckPolicy.NACK_ON_ERROR,
        apply_types=False,
        logger=BUS_LOG,
        log_level=logging.DEBUG,
    )


def subscribe(
    broker: KafkaBroker,
    names: Iterable[str],
    *,
    group: str,
    member: str | None,
    parser: Callable[[Any], Any],
    decoder: Callable[[Any], Any],
    listener: ConsumerRebalanceListener,
    description: str,
) -> BatchSubscriber:
    """A batch subscriber to topics, with everything said. `member` makes its membership static."""
    subscriber = broker.subscriber(
        *names,
        batch=True,
        max_records=BATCH_RECORDS_MAX,
        batch_timeout_ms=POLL_WAIT_MS,
        group_id=group,
        group_instance_id=member,
        # By ranges, so that a member gets the same partitions of every topic: all that is heard of
        # a stream is then heard by one process, one record after the other.
        partition_assignment_strategy=(RangePartitionAssignor,),
        auto_offset_reset="earliest",
        ack_policy=AckPolicy.NACK_ON_ERROR,
        parser=parser,
        decoder=decoder,
        listener=listener,
        no_reply=True,
        fetch_min_bytes=1,
        fetch_max_bytes=FETCH_BYTES_MAX,
        fetch_max_wait_ms=FETCH_WAIT_MS_MAX,
        max_partition_fetch_bytes=PARTITION_FETCH_BYTES_MAX,
        max_poll_interval_ms=POLL_INTERVAL_MS_MAX,
        rebalance_timeout_ms=REBALANCE_TIMEOUT_MS,
        session_timeout_ms=SESSION_TIMEOUT_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        check_crcs=True,
        # We use no transactions, but whoever adds some must not be read before the commit.
        isolation_level="read_committed",
        description=description,
    )
    subscriber.__class__ = _WithoutPause
    return subscriber


class _WithoutPause(BatchSubscriber):
    """After an empty poll the library sleeps as long as the poll was: on average half of every hop.

    The poll itself waits for records, so nothing spins without that sleep.
    """

    __slots__ = ()

    async def get_msg(self, consumer: AIOKafkaConsumer) -> tuple[ConsumerRecord, ...]:
        messages = await consumer.getmany(
            timeout_ms=self.batch_timeout_ms, max_records=self.max_records
        )
        return tuple(chain.from_iterable(messages.values()))


def pace(consumer: AIOKafkaConsumer, fetched: Callable[[], None]) -> None:
    """Let a started consumer pause where the broker answers at once that there is nothing.

    A broker is asked to keep an empty answer for `FETCH_WAIT_MS_MAX`. The small one of developers'
    machines does not, and the library would ask it some thousand times a second. `fetched` is called
    after every answer that is not about errors alone.
    """
    client = consumer._client  # noqa: SLF001
    send = client.send
    patience_s = FETCH_WAIT_MS_MAX / 2_000
    pause_s = PACE_S_MIN

    async def paced(node: Any, request: Any, **more: Any) -> Any:
        nonlocal pause_s
        asked_s = time.perf_counter()
        response = await send(node, request, **more)
        if not isinstance(request, FetchRequest):
            return response
        if not _is_refused(response):
            fetched()
        if _has_records(response):
            pause_s = PACE_S_MIN
        elif time.perf_counter() - asked_s < patience_s:
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 2, PACE_S_MAX)
        return response

    client.send = paced


def _has_records(response: Any) -> bool:
    # The records, or the error that is as good a reason to go on, are last and second of each.
    return any(part[-1] or part[1] for _, parts in response.topics for part in parts)


def _is_refused(response: Any) -> bool:
    errors = [part[1] for _, parts in response.topics for part in parts]
    return bool(errors) and all(errors)


def make_producer(bus: Bus) -> AIOKafkaProducer:
    """An idempotent producer, not yet started. It never gives up a batch: the caller must.

    After any failure it is worthless (its sequence numbers no longer match the broker's) and has to
    be replaced with `close_producer` and a new one.
    """
    return AIOKafkaProducer(
        bootstrap_servers=bus.servers(),
        client_id=bus.client_id,
        enable_idempotence=True,
        acks="all",
        linger_ms=0,
        compression_type=None,
        max_batch_size=BATCH_BYTES,
        max_request_size=MESSAGE_BYTES_MAX,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
        retry_backoff_ms=RETRY_BACKOFF_MS,
        metadata_max_age_ms=METADATA_MAX_AGE_MS,
        connections_max_idle_ms=CONNECTIONS_MAX_IDLE_MS,
        **parse_security(bus.security),
    )


async def close_producer(producer: AIOKafkaProducer, *, flush: bool) -> None:
    """Close a producer within `CLOSE_TIMEOUT_S`, whatever the broker does.

    Without `flush` what it still holds is thrown away: a producer that failed must not go on
    sending old batches behind the back of the one that replaces it.
    """
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            if flush:
                await producer.stop()
                return
    except Exception as error:  # noqa: BLE001 - it is closed by force below
        log.warning("the producer could not be closed in order: %r", error)
    # Its `stop` would first wait until everything is sent. There is no public way past that.
    producer._closed = True  # noqa: SLF001
    await _kill(producer._sender.sender_task)  # noqa: SLF001
    await close_client(producer.client)


async def kill_subscriber(subscriber: BatchSubscriber) -> None:
    """Stop a subscriber whose broker does not answer, so that it cannot say goodbye to its group."""
    subscriber.running = False
    tasks: list[asyncio.Task[Any] | None] = list(subscriber.tasks)
    consumer, subscriber.consumer = subscriber.consumer, None
    if consumer is not None:
        consumer._closed = True  # noqa: SLF001
        # One that has not found its broker yet has none, and nothing that fetches.
        if (coordinator := consumer._coordinator) is not None:  # noqa: SLF001
            tasks += [
                coordinator._coordination_task,  # noqa: SLF001
                coordinator._heartbeat_task,  # noqa: SLF001
                coordinator._commit_refresh_task,  # noqa: SLF001
            ]
    try:
        await _kill(*tasks)
        if consumer is not None and consumer._fetcher is not None:  # noqa: SLF001
            await _give_up(consumer._fetcher)  # noqa: SLF001
    finally:
        if consumer is not None:
            await close_client(consumer._client)  # noqa: SLF001


async def close_client(client: AIOKafkaClient) -> None:
    """Close a client that may be broken, for good.

    What its background tasks ended with is of no use any more.
    """
    # Who still uses it, as a commit of offsets does that is under way, would connect it once more.
    client._get_conn = _no_more  # noqa: SLF001
    try:
        await _give_up(client)
    finally:
        # What it did not come to: a connection that stays open is a member that never leaves its group.
        for connection in client._conns.values():  # noqa: SLF001
            connection.close()


async def _no_more(*_: Any, **__: Any) -> NoReturn:
    raise ConsumerStoppedError("this client was closed")


async def _give_up(part: Any) -> None:
    task = asyncio.current_task()
    assert task is not None
    # Who cleans up because it was cancelled cleans up all the same.
    cancelled = task.cancelling()
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await part.close()
    except (Exception, asyncio.CancelledError) as error:  # it is not needed any more
        if task.cancelling() > cancelled:
            raise
        log.warning("%s could not be closed in order: %r", type(part).__name__, error)


async def _kill(*tasks: asyncio.Task[Any] | None) -> None:
    """Cancel tasks that, cancelled once, wait for their requests: the second time cancels those."""
    for _ in range(2):
        left = [task for task in tasks if task is not None and not task.done()]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=CANCEL_WAIT_S)


def patience_s(timeout_s: float) -> float:
    """How long a stop that may take `timeout_s` waits for an orderly end."""
    return max(timeout_s - STOP_RESERVE_S, timeout_s / 2)


class TopicFacts(Struct, frozen=True, kw_only=True):
    """What tells one life of a topic from the next."""

    topic_id: str
    """Given anew whenever a topic is created; empty where the broker knows no topic ids."""

    ends: Mapping[int, int]
    """By partition: the offset that the next record will get."""


class _MetadataResponse(Response):  # type: ignore[misc]
    API_KEY = 3
    API_VERSION = 12
    SCHEMA = Schema(
        ("throttle_time_ms", Int32),
        (
            "brokers",
            CompactArray(
                ("node_id", Int32),
                ("host", CompactString("utf-8")),
                ("port", Int32),
                ("rack", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("cluster_id", CompactString("utf-8")),
        ("controller_id", Int32),
        (
            "topics",
            CompactArray(
                ("error_code", Int16),
                ("topic", CompactString("utf-8")),
                ("topic_id_high", Int64),
                ("topic_id_low", Int64),
                ("is_internal", Boolean),
                (
                    "partitions",
                    CompactArray(
                        ("error_code", Int16),
                        ("partition", Int32),
                        ("leader", Int32),
                        ("leader_epoch", Int32),
                        ("replicas", CompactArray(Int32)),
                        ("isr", CompactArray(Int32)),
                        ("offline_replicas", CompactArray(Int32)),
                        ("tags", TaggedFields),
                    ),
                ),
                ("authorized_operations", Int32),
                ("tags", TaggedFields),
            ),
        ),
        ("tags", TaggedFields),
    )


class _MetadataRequest_v12(RequestStruct):  # type: ignore[misc]  # noqa: N801
    API_KEY = 3
    API_VERSION = 12
    FLEXIBLE_VERSION = True
    RESPONSE_TYPE = _MetadataResponse
    SCHEMA = Schema(
        (
            "topics",
            CompactArray(
                ("topic_id_high", Int64),
                ("topic_id_low", Int64),
                ("topic", CompactString("utf-8")),
                ("tags", TaggedFields),
            ),
        ),
        ("allow_auto_topic_creation", Boolean),
        ("include_topic_authorized_operations", Boolean),
        ("tags", TaggedFields),
    )


class _TopicIdRequest(Request[_MetadataRequest_v12]):  # type: ignore[misc]
    """Asks for a topic with its id, which the library's own metadata requests are too old for."""

    API_KEY = 3

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def build(self, request_struct_class: type[_MetadataRequest_v12]) -> _MetadataRequest_v12:
        return request_struct_class([(0, 0, self._topic, {})], False, False, {})


async def topic_facts(client: AIOKafkaClient, topic: str) -> TopicFacts:
    """Id and ends of a topic. Raises a `KafkaError` where broker or topic are not to be reached.

    A topic that was just created is not known everywhere yet, so that is asked about again.
    """
    return await _when_known(_topic_facts, client, topic)


async def topic_lives(client: AIOKafkaClient, topic: str) -> dict[TopicPartition, str]:
    """By partition of a topic, a text that tells its present life from every other one.

    It is the topic's id or, with a broker that knows no topic ids, the time of the partition's first
    record in milliseconds; empty where such a partition has no record. Raises as `topic_facts` does.
    """
    return await _when_known(_topic_lives, client, topic)


async def committed(
    consumer: AIOKafkaConsumer, partitions: Sequence[TopicPartition]
) -> Mapping[TopicPartition, OffsetAndMetadata]:
    """What the consumer's group has committed, with what was noted beside it."""
    found: Mapping[TopicPartition, OffsetAndMetadata]
    found = await consumer._coordinator.fetch_committed_offsets(partitions)  # noqa: SLF001
    return found


async def _when_known(
    ask: Callable[[AIOKafkaClient, str], Awaitable[_Answer]], client: AIOKafkaClient, topic: str
) -> _Answer:
    for _ in range(FACTS_ATTEMPTS_MAX - 1):
        with suppress(
            UnknownTopicOrPartitionError, NotLeaderForPartitionError, LeaderNotAvailableError
        ):
            return await ask(client, topic)
        await asyncio.sleep(RETRY_BACKOFF_MS / 1000)
    return await ask(client, topic)


async def _topic_facts(client: AIOKafkaClient, topic: str) -> TopicFacts:
    topic_id, leaders = await _describe(client, topic)
    places = await _places(client, topic, leaders, OffsetResetStrategy.LATEST)
    ends = {partition: offset for partition, (_, offset) in places.items()}
    return TopicFacts(topic_id=topic_id, ends=ends)


async def _topic_lives(client: AIOKafkaClient, topic: str) -> dict[TopicPartition, str]:
    topic_id, leaders = await _describe(client, topic)
    if topic_id:
        return {TopicPartition(topic, partition): topic_id for partition in leaders}
    places = await _places(client, topic, leaders, SINCE_EVER_MS)
    return {
        TopicPartition(topic, partition): life_since(ms) if offset >= 0 else ""
        for partition, (ms, offset) in places.items()
    }


def life_since(first_ms: int) -> str:
    """The life of a partition whose first record is of that time, where there are no topic ids."""
    return str(first_ms)


async def _describe(client: AIOKafkaClient, topic: str) -> tuple[str, dict[int, int]]:
    """The id of a topic, empty where the broker knows none, and its partitions with their leaders."""
    node = client.get_random_node()
    if node is None:
        raise KafkaConnectionError("no broker is known")
    response = await client.send(node, _TopicIdRequest(topic))
    ((error_code, _, high, low, _, partitions, _, _),) = response.topics
    if error_code:
        raise for_code(error_code)(topic)
    leaders: dict[int, int] = {}
    for partition_error, partition, leader, *_ in partitions:
        if partition_error or leader < 0:
            raise LeaderNotAvailableError(f"{topic}/{partition}")
        leaders[partition] = leader
    topic_id = "" if high == low == 0 else f"{high & _BITS_64:016x}{low & _BITS_64:016x}"
    return topic_id, leaders


async def _places(
    client: AIOKafkaClient, topic: str, leaders: Mapping[int, int], at: int
) -> dict[int, tuple[int, int]]:
    """By partition, time and offset of the first record from an instant on, or of one of the ends."""
    places: dict[int, tuple[int, int]] = {}
    for leader in set(leaders.values()):
        wanted = [(partition, at) for partition, other in leaders.items() if other == leader]
        answer = await client.send(leader, OffsetRequest(-1, 0, [(topic, wanted)]))
        for _, answered in answer.topics:
            for partition, partition_error, ms, offset, *_ in answered:
                if partition_error:
                    raise for_code(partition_error)(f"{topic}/{partition}")
                places[partition] = ms, offset
    return places


async def ensure_topics(bus: Bus, services: Iterable[str], *, replication: int) -> None:
    """Create the topics of these services and their dead letters, where they are missing."""
    wanted: list[NewTopic] = []
    for service in services:
        name = topics.topic(service)
        dead = topics.dead_letter_topic(name)
        wanted.append(NewTopic(name, topics.PARTITIONS_PER_TOPIC, replication))
        wanted.append(NewTopic(dead, topics.DEAD_LETTER_PARTITIONS, replication))
    async with _administration(bus) as admin:
        answer = await admin.create_topics(wanted)
    for name, error_code, *_ in answer.topic_errors:
        error = for_code(error_code)
        if error_code and error is not TopicAlreadyExistsError:
            raise error(name)


async def extend_topic(bus: Bus, topic: str, *, partitions: int) -> None:
    """Give a topic more partitions. Only for one that was just made: in a live one keys move."""
    async with _administration(bus) as admin:
        answer = await admin.create_partitions({topic: NewPartitions(total_count=partitions)})
    for name, error_code, *_ in answer.topic_errors:
        if error_code:
            raise for_code(error_code)(name)


@asynccontextmanager
async def _administration(bus: Bus) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(
        bootstrap_servers=bus.servers(),
        client_id=bus.client_id,
        request_timeout_ms=REQUEST_TIMEOUT_MS,
        **parse_security(bus.security),
    )
    async with asyncio.timeout(ADMIN_TIMEOUT_S):
        try:
            await admin.start()
            yield admin
        finally:
            await admin.close()
