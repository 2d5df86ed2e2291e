"""A topic that was deleted and made anew: who hears it begins at its start, and misses nothing.

An old offset means nothing in the new topic. The old one has some records twice, so that it stands for
an earlier place of the log than the same offset of the new one; what lies between would be passed over,
and where those are the last events of a table, nothing would ever tell.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.protocol.fetch import FetchRequest

from services.chassis import consumer as consumer_module
from services.chassis import relay, topics
from tests.integration.messaging.rig import Rig, Sink, Source, assert_once, until

HEAL_WAIT_S = 20.0


def tables_of_one_partition() -> tuple[str, str, str]:
    """Tables whose events are in one partition."""
    wanted = relay._partition_of(b"T0", topics.PARTITIONS_PER_TOPIC)
    names = (f"T{number}" for number in range(1_000))
    mine = [
        name
        for name in names
        if relay._partition_of(name.encode(), topics.PARTITIONS_PER_TOPIC) == wanted
    ]
    return mine[0], mine[1], mine[2]


FIRST, LAST, LATER = tables_of_one_partition()
PARTITION = relay._partition_of(FIRST.encode(), topics.PARTITIONS_PER_TOPIC)
EVENTS = 4
"""Events of each table. The first ones are on the old topic twice, so its end is in the middle of the
new one, behind all that was published of the second table."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay, "INSPECT_S", 0.3)
    monkeypatch.setattr(consumer_module, "LOOK_S", 0.5)


async def handled_twice_as_much(rig: Rig) -> tuple[Source, Sink]:
    """A source whose topic has everything twice, and a sink that is at its end."""
    source = await rig.source()
    sink = await rig.sink(source)
    await source.append([FIRST] * EVENTS)
    await sink.has(EVENTS)
    await source.relayed()
    await relay.rewind(source.store, position=0)

    def at_the_end() -> bool:
        subscriber = sink.consumers._subscriber
        client: Any = subscriber and subscriber.consumer
        position = client._subscription.subscription.assignment.state_value(
            TopicPartition(source.topic, PARTITION)
        ).position
        return bool(position == 2 * EVENTS)

    await until(at_the_end, what="the sink behind the repetitions", wait_s=15.0)
    return source, sink


async def publish_on_a_new_topic(rig: Rig, source: Source) -> None:
    """Lose the topic; the relay fills the new one with the old events and others."""
    rewinds = source.relay.status().rewinds
    await rig.make_anew(source.topic)
    await until(lambda: source.relay.status().rewinds > rewinds, what="a rewind")
    await source.append([LAST] * EVENTS + [LATER] * EVENTS)
    await source.relayed()


@asynccontextmanager
async def group_of(sink: Sink) -> AsyncIterator[AIOKafkaConsumer]:
    """Somebody who may speak for the sink's group while it has no member."""
    client = AIOKafkaConsumer(
        bootstrap_servers=sink.consumers._kafka.servers(),
        group_id=topics.consumer_group(sink.service),
        enable_auto_commit=False,
    )
    await client.start()
    try:
        yield client
    finally:
        await client.stop()


async def test_a_consumer_that_went_on_in_a_new_topic_goes_back_to_its_start(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The consumer fetches nothing until the new topic has outgrown the old offset."""
    source, sink = await handled_twice_as_much(memory_rig)
    subscriber = sink.consumers._subscriber
    assert subscriber is not None
    client: Any = subscriber.consumer._client  # type: ignore[union-attr]
    fetch, look = asyncio.Event(), asyncio.Event()
    send, look_after = client.send, sink.consumers._look_after

    async def held(node: int, request: object, **more: object) -> object:
        if isinstance(request, FetchRequest):
            await fetch.wait()
        return await send(node, request, **more)

    async def blind() -> None:
        await look.wait()
        await look_after()

    monkeypatch.setattr(client, "send", held)
    monkeypatch.setattr(sink.consumers, "_look_after", blind)
    await publish_on_a_new_topic(memory_rig, source)
    fetch.set()
    await sink.has(2 * EVENTS)
    log = await source.log()
    passed_over = {record.event_id for record in log if record.stream == LAST}
    assert not passed_over & set(await sink.causes()), "the old offset lies behind them"
    look.set()
    await sink.has(3 * EVENTS, wait_s=HEAL_WAIT_S)
    assert_once(await sink.causes(), log)


async def test_an_old_offset_is_none_of_a_new_topic(memory_rig: Rig) -> None:
    """The offset is committed again when the new topic is there, as by a consumer that was busy."""
    source, sink = await handled_twice_as_much(memory_rig)
    await sink.consumers.stop(5.0)
    place = TopicPartition(source.topic, PARTITION)
    async with group_of(sink) as group:
        group.assign([place])
        old = await group._coordinator.fetch_committed_offsets([place])
        assert old[place].offset == 2 * EVENTS
        await publish_on_a_new_topic(memory_rig, source)
        await group.commit(old)
    again = await memory_rig.sink(source, store=sink.store)
    await again.has(3 * EVENTS, wait_s=HEAL_WAIT_S)
    assert_once(await again.causes(), await source.log())


async def test_in_the_same_topic_a_restart_reads_nothing_again(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the topic was empty when it was first heard, and whatever the broker knows it by."""
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    await until(lambda: sink.consumers.status().open, what="a sink before the first event")
    await source.append([FIRST] * EVENTS)
    await sink.has(EVENTS)
    await sink.consumers.stop(5.0)
    again = await memory_rig.sink(source, store=sink.store, start=False)
    listener, read = again.consumers._listener, list[int]()
    handle = listener.handle

    async def noted(messages: Any) -> None:
        read.extend(message.offset for message in messages)
        await handle(messages)

    monkeypatch.setattr(listener, "handle", noted)
    await again.consumers.start()
    await source.append([FIRST])
    await again.has(EVENTS + 1)
    assert read == [EVENTS]
