"""A message broker in memory, below the functions of `services.chassis.bus` and nothing else.

It keeps what Kafka promises: a partition is an order, an idempotent producer's batches arrive in
sequence or not at all, and a group's offsets are those that were committed. Everything else it does
as badly as a broker may: late, twice, from an older offset, or not any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from aiokafka import ConsumerRebalanceListener, TopicPartition
from aiokafka.errors import KafkaConnectionError
from aiokafka.structs import OffsetAndMetadata
from msgspec import Struct

from services.chassis import bus, consumer, topics
from tests.simulation.chance import Chance, Trace
from tests.simulation.virtual import OWNER, Owner

SEND_S = 0.001, 0.02
FETCH_S = 0.001, 0.05
STALL_S = 0.2, 6.0
IDLE_S = 0.25
PARTITIONS = 3
REJOIN_S = 0.05, 3.0
"""How long a member goes on with what it believes after its group has forgotten it."""

BATCH_MESSAGES_MAX = 100
POLL_RECORDS = (1, 2, 5, 50, 500)
"""Records of one poll are at most one of these many."""


class Stored(Struct):
    """A message in a partition; what a consumer gets."""

    topic: str
    partition: int
    offset: int
    key: bytes
    value: bytes
    headers: Sequence[tuple[str, bytes]]


class Topic:
    """The partitions of a topic in one of its lives."""

    def __init__(self, topic_id: str, partitions: int) -> None:
        self.topic_id = topic_id
        self.logs: list[list[Stored]] = [[] for _ in range(partitions)]


class Cluster:
    """The broker."""

    def __init__(self, chance: Chance, trace: Trace) -> None:
        self.chance = chance
        self.trace = trace
        self.topics: dict[str, Topic] = {}
        self.offsets: dict[str, dict[TopicPartition, OffsetAndMetadata]] = {}
        self.members: dict[str, list[SimConsumer]] = {}
        self.crash: Callable[[Owner, str], None] = lambda *_: None
        self.away = False
        self._lives = 0

    def check(self) -> None:
        """Raise what a client gets while the broker is away."""
        if self.away:
            raise KafkaConnectionError("the broker is away")

    def create(self, name: str, partitions: int) -> None:
        if name not in self.topics:
            self._lives += 1
            self.topics[name] = Topic(f"{self._lives:032x}", partitions)

    def empty(self) -> None:
        """Lose everything: messages, topics and what groups had committed."""
        self.trace("the broker loses all its data")
        for name in list(self.topics):
            self.replace(name)
        self.forget_offsets()

    def replace(self, name: str) -> None:
        """Delete a topic and create it again; the offsets of groups stay, and mean nothing in it."""
        self.trace(f"{name} is made anew")
        self.create(name, len(self.topics.pop(name).logs))

    def cut(self, name: str, partition: int, messages: int) -> None:
        """Lose the end of a partition, as after the election of a replica that lagged."""
        log = self.topics[name].logs[partition]
        lost = min(messages, len(log))
        self.trace(f"{name}/{partition} loses its last {lost} messages")
        if lost:
            del log[-lost:]

    def forget_offsets(self) -> None:
        """Forget the groups: their members notice after a while, and begin at the start."""
        self.offsets.clear()
        for members in self.members.values():
            for member in members:
                member.rejoin_after(self.chance.between(*REJOIN_S))

    def append(self, name: str, partition: int, message: tuple[Any, Any, Any]) -> int:
        log = self.topics[name].logs[partition]
        key, value, headers = message
        log.append(Stored(name, partition, len(log), key, value, headers))
        for members in self.members.values():
            for member in members:
                member.grown.set()
        return len(log) - 1

    def join(self, member: SimConsumer) -> None:
        self.members.setdefault(member.group, []).append(member)
        self._share(member.group)

    def leave(self, member: SimConsumer) -> None:
        members = self.members.get(member.group, [])
        if member in members:
            members.remove(member)
            self._share(member.group)

    def _share(self, group: str) -> None:
        """Give every member its range of every topic's partitions, from what was committed."""
        members = self.members[group]
        for number, member in enumerate(members):
            mine: list[TopicPartition] = []
            for name in member.topics:
                count = len(self.topics[name].logs)
                low = count * number // len(members)
                high = count * (number + 1) // len(members)
                mine += [TopicPartition(name, partition) for partition in range(low, high)]
            member.assign(mine)


class _Metadata(Struct):
    offset: int


class SimBatch:
    """Records of one partition that are sent together."""

    def __init__(self) -> None:
        self.messages: list[tuple[Any, Any, Any]] = []

    def append(self, *, timestamp: Any, key: Any, value: Any, headers: Any) -> object | None:
        if len(self.messages) >= BATCH_MESSAGES_MAX:
            return None
        self.messages.append((key, value, headers))
        return self

    def record_count(self) -> int:
        return len(self.messages)


class SimProducer:
    """An idempotent producer: its batches arrive in their order, and none after one that did not."""

    def __init__(self, cluster: Cluster, owner: Owner) -> None:
        self._cluster = cluster
        self._owner = owner
        self._at_s = 0.0
        self._broken = False
        self.client = self

    async def start(self) -> None:
        await asyncio.sleep(self._cluster.chance.between(*SEND_S))
        self._cluster.check()

    async def partitions_for(self, topic: str) -> set[int]:
        self._cluster.check()
        return set(range(len(self._cluster.topics[topic].logs)))

    def create_batch(self) -> SimBatch:
        return SimBatch()

    async def send_batch(self, batch: SimBatch, topic: str, partition: int) -> Any:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        wait_s = self._cluster.chance.between(*SEND_S)
        self._at_s = max(self._at_s, loop.time() + wait_s)
        loop.call_at(self._at_s, self._arrive, batch, topic, partition, future)
        return future

    async def send(self, topic: str, value: bytes, key: bytes, headers: Any) -> Any:
        batch = SimBatch()
        batch.append(timestamp=None, key=key, value=value, headers=headers)
        return await self.send_batch(batch, topic, 0)

    def _arrive(
        self, batch: SimBatch, topic: str, partition: int, future: asyncio.Future[Any]
    ) -> None:
        cluster, chance = self._cluster, self._cluster.chance
        if not self._owner.dead and chance.hits("crash before publish"):
            cluster.crash(self._owner, "before a publish")
        # What a dead process had sent may arrive all the same, as far as it had got.
        if self._owner.dead and chance.random.random() < 0.5:
            self._broken = True
        if self._broken or cluster.away or chance.hits("publish fails"):
            self._broken = True
            if not future.done():
                future.set_exception(KafkaConnectionError("the batch was not taken"))
            return
        offsets = [cluster.append(topic, partition, message) for message in batch.messages]
        cluster.trace(f"{topic}/{partition} takes {len(offsets)} messages from {offsets[0]}")
        if not self._owner.dead and chance.hits("crash after publish"):
            cluster.crash(self._owner, "after a publish")
        if future.done():
            return
        if chance.hits("acknowledgement lost"):
            self._broken = True
            return
        future.set_result(_Metadata(offsets[0]))

    def close(self) -> None:
        self._broken = True


class _Idle:
    fetcher_idle_time = 0.0
    subscription = None
    reassignment_in_progress = False


class SimConsumer:
    """A member of a group."""

    # The library's background tasks, of which there are none here.
    _coordinator = SimpleNamespace(_coordination_task=None)
    _fetcher = SimpleNamespace(_fetch_task=None)
    _client = SimpleNamespace(_sync_task=None)

    def __init__(
        self,
        cluster: Cluster,
        group: str,
        names: Sequence[str],
        listener: ConsumerRebalanceListener,
    ) -> None:
        owner = OWNER.get()
        assert owner is not None, "a consumer belongs to a process"
        self.group = group
        self.owner = owner
        self.topics = names
        self._cluster = cluster
        self._positions: dict[TopicPartition, int] = {}
        self._stalled: dict[TopicPartition, float] = {}
        self._subscription = _Idle()
        self.grown = asyncio.Event()
        self._rejoin_s: float | None = None
        self._listener = listener
        self._told: asyncio.Task[None] | None = None
        self._paused: set[TopicPartition] = set()
        self.fetched: Callable[[], None] = lambda: None

    def assign(self, partitions: Sequence[TopicPartition]) -> None:
        """Nothing is read before the listener has said from where."""
        if self._told is not None:
            self._told.cancel()
        self._positions = dict.fromkeys(partitions, 0)
        self._paused = set(partitions)
        told = self._listener.on_partitions_assigned(partitions)
        self._told = self.owner.begin(told, "partitions assigned")

    def pause(self, *partitions: TopicPartition) -> None:
        self._paused.update(partitions)

    def resume(self, *partitions: TopicPartition) -> None:
        self._paused.difference_update(partitions)

    def rejoin_after(self, seconds: float) -> None:
        self._rejoin_s = asyncio.get_running_loop().time() + seconds

    def assignment(self) -> Iterable[TopicPartition]:
        return self._positions

    def seek(self, partition: TopicPartition, offset: int) -> None:
        if partition in self._positions:
            self._positions[partition] = offset

    def set_back(self, records: int) -> None:
        """Read again what was handled already, as after a rebalance before the commit."""
        for partition, position in self._positions.items():
            self._positions[partition] = max(0, position - records)

    def delay(self, topic: str, seconds: float) -> None:
        """Get nothing of a topic for a while, as from a broker that is slow."""
        until_s = asyncio.get_running_loop().time() + seconds
        self._stalled.update(
            dict.fromkeys((p for p in self._positions if p.topic == topic), until_s)
        )

    async def commit(self, offsets: dict[TopicPartition, OffsetAndMetadata]) -> None:
        await asyncio.sleep(self._cluster.chance.between(*SEND_S))
        self._cluster.check()
        if self._rejoin_s is None:
            self._cluster.offsets.setdefault(self.group, {}).update(offsets)

    async def getmany(self) -> tuple[Stored, ...]:
        """What there is of the partitions that are not slow just now."""
        chance = self._cluster.chance
        now_s = asyncio.get_running_loop().time()
        if self._rejoin_s is not None and now_s >= self._rejoin_s:
            self._rejoin_s = None
            self.assign(list(self._positions))
        if self._cluster.away or self._paused:
            return ()
        self.fetched()
        found: list[Stored] = []
        room = chance.random.choice(POLL_RECORDS)
        for partition in chance.random.sample(list(self._positions), len(self._positions)):
            taken = self._fetch(partition, room - len(found), now_s)
            if taken:
                found += taken
                self._positions[partition] = taken[-1].offset + 1
        return tuple(found)

    def _fetch(self, partition: TopicPartition, room: int, now_s: float) -> list[Stored]:
        log = self._cluster.topics[partition.topic].logs[partition.partition]
        position = self._positions[partition]
        if room <= 0 or now_s < self._stalled.get(partition, 0.0):
            return []
        if position > len(log):
            position = self._positions[partition] = 0  # out of range: from the earliest
        if position == len(log):
            return []
        if self._cluster.chance.hits("slow partition"):
            self._stalled[partition] = now_s + self._cluster.chance.between(*STALL_S)
            return []
        # Its own copies: what a consumer does to them is nothing to the broker.
        return [copy(message) for message in log[position : position + room]]


class SimSubscriber:
    """Polls, hands batches over and acknowledges them, as the library does."""

    def __init__(
        self,
        cluster: Cluster,
        names: Iterable[str],
        *,
        group: str,
        parser: Any,
        decoder: Any,
        listener: ConsumerRebalanceListener,
        **_: Any,
    ) -> None:
        self.consumer: SimConsumer | None = SimConsumer(cluster, group, tuple(names), listener)
        self._cluster = cluster
        self._parser = parser
        self._decoder = decoder
        self._handler: Callable[[Any], Awaitable[None]] | None = None
        self._stopping = False
        self._task: asyncio.Task[None] | None = None

    def __call__(self, handler: Callable[[Any], Awaitable[None]]) -> None:
        self._handler = handler

    async def start(self) -> None:
        self._cluster.check()
        assert self.consumer is not None, "a subscriber is started once"
        self._cluster.join(self.consumer)
        self._task = asyncio.create_task(self._run(), name="subscriber")

    async def stop(self) -> None:
        self._stopping = True
        if self._task is not None:
            await asyncio.wait([self._task])
        self.leave()

    def leave(self) -> None:
        consumer, self.consumer = self.consumer, None
        if consumer is not None:
            self._cluster.leave(consumer)

    async def _run(self) -> None:
        assert self.consumer is not None, "it was started"
        while not self._stopping:
            await asyncio.sleep(self._cluster.chance.between(*FETCH_S))
            self.consumer.grown.clear()
            records = await self.consumer.getmany()
            if not records:
                with suppress(TimeoutError):
                    async with asyncio.timeout(IDLE_S):
                        await self.consumer.grown.wait()
                continue
            batch = await self._decoder(await self._parser(records))
            try:
                await self._handled(batch)
            except Exception:  # noqa: BLE001 - whatever it is, the batch is read again
                await batch.nack()
            else:
                await batch.ack()

    async def _handled(self, batch: Any) -> None:
        assert self._handler is not None, "somebody handles"
        if self._cluster.chance.hits("handler breaks"):
            raise RuntimeError("the handler broke")
        await self._handler(batch)


class SimBroker:
    """The subscribers of one process."""

    def __init__(self) -> None:
        self.subscribers: list[SimSubscriber] = []

    async def start(self) -> None:
        for subscriber in self.subscribers:
            await subscriber.start()

    async def stop(self) -> None:
        for subscriber in self.subscribers:
            await subscriber.stop()


class _Client:
    """Stands for a connection that only asks about topics."""

    def __init__(self, **_: Any) -> None:
        pass

    async def bootstrap(self) -> None:
        pass

    async def close(self) -> None:
        pass


@contextmanager
def installed(cluster: Cluster) -> Iterator[None]:
    """Let everything in this process that asks the bus for a broker have this one."""

    def make_producer(_: bus.Bus) -> SimProducer:
        owner = OWNER.get()
        assert owner is not None, "a producer belongs to a process"
        return SimProducer(cluster, owner)

    async def close_producer(producer: SimProducer, *, flush: bool) -> None:
        producer.close()

    async def ensure_topics(_: bus.Bus, services: Iterable[str], *, replication: int) -> None:
        cluster.check()
        for service in services:
            name = topics.topic(service)
            cluster.create(name, PARTITIONS)
            cluster.create(topics.dead_letter_topic(name), topics.DEAD_LETTER_PARTITIONS)

    async def topic_facts(_: Any, name: str) -> bus.TopicFacts:
        await asyncio.sleep(cluster.chance.between(*SEND_S))
        cluster.check()
        topic = cluster.topics[name]
        ends = {number: len(log) for number, log in enumerate(topic.logs)}
        return bus.TopicFacts(topic_id=topic.topic_id, ends=ends)

    async def topic_lives(_: Any, name: str) -> dict[TopicPartition, str]:
        await asyncio.sleep(cluster.chance.between(*SEND_S))
        cluster.check()
        topic = cluster.topics[name]
        return {TopicPartition(name, each): topic.topic_id for each in range(len(topic.logs))}

    async def committed(
        member: SimConsumer, partitions: Sequence[TopicPartition]
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        await asyncio.sleep(cluster.chance.between(*SEND_S))
        while cluster.away:
            await asyncio.sleep(IDLE_S)
        known = cluster.offsets.get(member.group, {})
        return {each: known[each] for each in partitions if each in known}

    def pace(member: SimConsumer, fetched: Callable[[], None]) -> None:
        member.fetched = fetched

    def subscribe(broker: SimBroker, names: Iterable[str], **options: Any) -> SimSubscriber:
        subscriber = SimSubscriber(cluster, names, **options)
        broker.subscribers.append(subscriber)
        return subscriber

    async def kill_subscriber(subscriber: SimSubscriber) -> None:
        subscriber.leave()

    async def close_client(client: _Client) -> None:
        await client.close()

    with ExitStack() as stack:
        for function in (
            make_producer, close_producer, ensure_topics, topic_facts, topic_lives, committed,
            pace, subscribe, kill_subscriber, close_client,
        ):  # fmt: skip
            stack.enter_context(patch.object(bus, function.__name__, function))
        stack.enter_context(patch.object(bus, "make_broker", lambda _: SimBroker()))
        stack.enter_context(patch.object(consumer, "AIOKafkaClient", _Client))
        yield
