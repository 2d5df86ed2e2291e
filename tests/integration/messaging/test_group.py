"""Several replicas of a service in one group: nothing is lost or doubled when they come and go."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from aiokafka import TopicPartition

from services.chassis import bus
from services.chassis.decider import Record
from tests.integration.messaging.rig import Rig, Sink, Source, assert_once, until

TABLES = [f"T{number}" for number in range(24)]
BATCH_DELAY_S = 0.05


def slow_down(sink: Sink, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every batch take a while, so that members come and go in the middle of one."""
    hear = sink.executor.hear

    async def hear_slowly(records: Sequence[Record], consumer: str) -> Any:
        await asyncio.sleep(BATCH_DELAY_S)
        verdicts = await hear(records, consumer)
        await asyncio.sleep(BATCH_DELAY_S)
        return verdicts

    monkeypatch.setattr(sink.executor, "hear", hear_slowly)


async def append_for(source: Source, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        await source.append(TABLES)
        await asyncio.sleep(0.02)


def assigned(sink: Sink) -> set[TopicPartition]:
    subscriber = sink.consumers._subscriber
    consumer = None if subscriber is None else subscriber.consumer
    return set() if consumer is None else set(consumer.assignment())


async def both_have_partitions(*sinks: Sink) -> None:
    """The group has met: one who still has what another got is about to learn it."""

    def divided() -> bool:
        parts = [assigned(sink) for sink in sinks]
        return all(parts) and len(set().union(*parts)) == sum(map(len, parts))

    await until(
        divided,
        what=lambda: f"partitions for all: {[sink.consumers.status() for sink in sinks]}",
    )


NAMED = pytest.param(("pod-0", "pod-1"), id="named")
NAMELESS = pytest.param(
    # The embedded broker mistakes a commit during a rebalance for that of a dead member, and waits
    # for ever for the member that it made of it. Under a name a member replaces itself.
    (None, None),
    id="nameless",
    marks=pytest.mark.apache,
)


@pytest.mark.parametrize("names", [NAMED, NAMELESS])
async def test_a_rebalance_in_the_middle_loses_and_doubles_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, names: tuple[str | None, str | None]
) -> None:
    """Proves that a record read by two members has one effect, and that none is left out."""
    monkeypatch.setattr(bus, "SESSION_TIMEOUT_MS", 6_000)
    source = await rig.source()
    first = await rig.sink(source, instance=names[0])
    slow_down(first, monkeypatch)
    appending = asyncio.create_task(append_for(source, 6.0))
    await first.has(50)
    second = await rig.sink(source, store=first.store, instance=names[1])
    slow_down(second, monkeypatch)
    await both_have_partitions(first, second)
    assert first.consumers.status().partitions == second.consumers.status().partitions
    await asyncio.sleep(1.0)
    await first.consumers.stop(5.0)
    if names[0] is not None:
        first = await rig.sink(source, store=first.store, instance=names[0])
    await appending
    await source.relayed()
    log = await source.log()
    await second.has(len(log))
    assert_once(await second.causes(), log)


async def test_a_killed_replica_comes_back_under_its_name(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that the batch of a killed process is handled once, at once, by its successor."""
    source = await rig.source()
    first = await rig.sink(source, instance="pod-0")
    slow_down(first, monkeypatch)
    await until(lambda: first.consumers.status().open, what="an open consumer")
    appending = asyncio.create_task(append_for(source, 2.0))
    await asyncio.sleep(1.0)
    await first.consumers._abandon()
    second = await rig.sink(source, store=first.store, instance="pod-0")
    await until(lambda: second.consumers.status().open, what="the successor", wait_s=4.0)
    await appending
    await source.relayed()
    log = await source.log()
    await second.has(len(log))
    assert_once(await second.causes(), log)


@pytest.mark.apache
async def test_a_member_that_vanishes_is_replaced(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a killed replica's uncommitted batch is handled by the others, once.

    The embedded broker never gives up a silent member.
    """
    monkeypatch.setattr(bus, "SESSION_TIMEOUT_MS", 6_000)
    monkeypatch.setattr(bus, "HEARTBEAT_MS", 500)
    source = await rig.source()
    first = await rig.sink(source)
    second = await rig.sink(source, store=first.store)
    await both_have_partitions(first, second)
    slow_down(first, monkeypatch)
    appending = asyncio.create_task(append_for(source, 2.0))
    await asyncio.sleep(1.0)
    await first.consumers._abandon()
    await appending
    await source.relayed()
    log = await source.log()
    await second.has(len(log))
    assert_once(await second.causes(), log)


async def test_one_member_has_the_same_partitions_of_every_topic(memory_rig: Rig) -> None:
    """Proves that all that is heard of a table is heard by one process."""
    one, two = [await memory_rig.source() for _ in range(2)]
    first = await memory_rig.sink(one, two)
    second = await memory_rig.sink(one, two, store=first.store)
    await both_have_partitions(first, second)
    for sink in (first, second):
        by_topic = [
            {each.partition for each in assigned(sink) if each.topic == source.topic}
            for source in (one, two)
        ]
        assert by_topic[0] == by_topic[1]
        assert len(by_topic[0]) == 6


@pytest.mark.apache
async def test_a_static_member_gets_its_partitions_back_without_a_rebalance(
    memory_rig: Rig,
) -> None:
    """Proves that a restart under the same name moves nobody else's partitions.

    The embedded broker lets the group meet again all the same.
    """
    source = await memory_rig.source()
    first = await memory_rig.sink(source, instance="pod-0")
    second = await memory_rig.sink(source, store=first.store, instance="pod-1")
    await both_have_partitions(first, second)

    def partitions(sink: Sink) -> set[int]:
        return {each.partition for each in assigned(sink)}

    before = partitions(first), partitions(second)
    await second.consumers.stop(5.0)
    again = await memory_rig.sink(source, store=first.store, instance="pod-1")
    await both_have_partitions(first, again)
    assert (partitions(first), partitions(again)) == before
