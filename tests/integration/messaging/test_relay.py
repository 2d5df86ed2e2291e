"""The relay: in order, at least once, one at a time, and its own judge of what the broker kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions

from services.chassis import bus, envelope, relay, topics
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.relay import State
from services.chassis.store import Advance, Store, StoreUnavailable
from services.devstack.brokers import Broker, BrokerKind, make_broker
from services.devstack.ports import free_port
from tests.integration.messaging.rig import (
    NoLock,
    Rig,
    Source,
    advisory_lock,
    assert_once,
    fresh,
    memory_store,
    read_topic,
    until,
)
from tests.support.postgres import MakeDatabase

TABLES = [f"T{number}" for number in range(8)]
patient = pytest.mark.timeout(180)
"""Apache Kafka takes a while to come back after it was killed, longer on a busy machine."""


class Intercepted:
    """A store with a hook before and after every move of a checkpoint."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.lost_answers = 0
        """So many moves are carried out, and nobody is told."""

        self.lost_moves = 0
        """So many moves are not even carried out."""

        self.moves = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def advance_checkpoint(self, name: str, **move: Any) -> Advance:
        if self.lost_moves:
            self.lost_moves -= 1
            raise StoreUnavailable("killed after the acknowledgement, before the checkpoint")
        answer = await self._store.advance_checkpoint(name, **move)
        self.moves += 1
        if self.lost_answers:
            self.lost_answers -= 1
            raise StoreUnavailable("killed after the checkpoint, before the answer")
        return answer


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def own_broker() -> AsyncIterator[Broker]:
    """A broker that may be stopped, killed and wiped."""
    broker, choice = make_broker(report=lambda _: None)
    if choice.kind is BrokerKind.EXTERNAL:
        pytest.skip("somebody else's broker is not ours to kill")
    try:
        await asyncio.to_thread(broker.start)
        yield broker
    finally:
        await asyncio.to_thread(broker.close)


@pytest_asyncio.fixture(loop_scope="session")
async def fragile(own_broker: Broker, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    """A rig on the broker that may be killed, with less patience than in production."""
    monkeypatch.setattr(relay, "ACKNOWLEDGE_TIMEOUT_S", 2.0)
    monkeypatch.setattr(bus, "METADATA_MAX_AGE_MS", 1_000)
    if own_broker.process is None:
        await asyncio.to_thread(own_broker.start)
    made = Rig(own_broker.bootstrap_servers, memory_store)
    async with made.stack:
        yield made


async def published(source: Source) -> list[str]:
    """Ids of what is on the topic, duplicates included."""
    messages = await read_topic(source.kafka, source.topic)
    return [
        envelope.decode(message.key, message.value, message.headers).record.event_id
        for message in messages
    ]


@pytest.mark.parametrize("lost", ["move", "answer"])
async def test_a_crash_after_the_acknowledgement_repeats_and_loses_nothing(
    memory_rig: Rig, lost: str
) -> None:
    """Proves that the checkpoint follows the acknowledgement, and that readers skip repetitions."""
    store = Intercepted(await memory_store(fresh("source")))
    source = await memory_rig.source(store=store, start=False)
    sink = await memory_rig.sink(source)
    await source.append(TABLES * 5)
    if lost == "move":
        store.lost_moves = 2
    else:
        store.lost_answers = 1
    await source.relay.start()
    await source.relayed()
    await source.append(TABLES)
    await source.relayed()
    await sink.has(48)
    on_topic = await published(source)
    repeated = len(on_topic) - len(set(on_topic))
    assert repeated == (80 if lost == "move" else 0)
    assert_once(await sink.causes(), await source.log())


async def test_the_checkpoint_moves_seldom_and_at_a_stop(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that who publishes little at a time saves commits, and a planned stop repeats nothing."""
    monkeypatch.setattr(relay, "CHECKPOINT_S", 60.0)
    store = Intercepted(await memory_store(fresh("source")))
    source = await memory_rig.source(store=store)
    for number in range(1, 4):
        await source.append(TABLES)
        await until(
            lambda done=8 * number: source.relay.status().published == done, what="acknowledged"
        )
    assert store.moves == 0
    await source.relay.stop(5.0)
    checkpoint = await store.checkpoint(relay.checkpoint_name(source.service))
    assert (checkpoint.position, store.moves) == (24, 1)


@patient
async def test_the_checkpoint_waits_for_the_broker(fragile: Rig, own_broker: Broker) -> None:
    """Proves that nothing counts as published before the broker says so, and that status tells."""
    source = await fragile.source()
    await source.append(TABLES)
    await source.relayed()
    await asyncio.to_thread(own_broker.stop)
    await source.append(TABLES)
    await asyncio.sleep(0.5)
    checkpoint = await source.store.checkpoint(relay.checkpoint_name(source.service))
    assert checkpoint.position == 8
    await until(lambda: source.relay.status().state is State.STANDING, what="a relay that stands")
    status = source.relay.status()
    assert "broker" in status.reason
    assert status.lag_events == 8
    assert status.oldest_age_s > 0.4
    await asyncio.to_thread(own_broker.start)
    await source.relayed()
    assert source.relay.status().reason == ""


@patient
async def test_the_producer_is_replaced_when_the_broker_was_restarted(
    fragile: Rig, own_broker: Broker
) -> None:
    """Proves that a producer whose sequence the broker does not know is not used again."""
    source = await fragile.source()
    sink = await fragile.sink(source)
    for _ in range(2):
        await source.append(TABLES * 3)
        await source.relayed()
        await asyncio.to_thread(own_broker.stop)
        await source.append(TABLES * 3)
        await asyncio.to_thread(own_broker.start)
        await source.relayed()
    await source.append(TABLES)
    await source.relayed()
    await sink.has(13 * 8)
    assert_once(await sink.causes(), await source.log())


@patient
async def test_a_killed_broker_loses_nothing_that_the_log_has(
    fragile: Rig, own_broker: Broker
) -> None:
    """Proves that what a broker forgets after it acknowledged is published again."""
    source = await fragile.source()
    sink = await fragile.sink(source)
    await sink_is_open(sink)
    for _ in range(2):
        await source.append(TABLES * 3)
        await source.relayed()
        await asyncio.to_thread(own_broker.kill)
        await source.append(TABLES)
        await asyncio.to_thread(own_broker.start)
    await source.relayed()
    await sink.has(8 * 8)
    assert_once(await sink.causes(), await source.log())


@patient
@pytest.mark.parametrize("moment", ["busy", "idle"])
async def test_a_broker_that_lost_its_disk_gets_the_whole_log_again(
    fragile: Rig, own_broker: Broker, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves the rewind without anybody's help, and that its repetitions have no effect."""
    monkeypatch.setattr(relay, "INSPECT_S", 0.5)
    source = await fragile.source()
    sink = await fragile.sink(source)
    await source.append(TABLES * 5)
    await source.relayed()
    await sink.has(40)
    await asyncio.to_thread(own_broker.stop)
    own_broker.delete_data()
    if moment == "busy":
        await source.append(TABLES)
    await asyncio.to_thread(own_broker.start)
    await until(lambda: source.relay.status().rewinds > 0, what="a rewind")
    await source.relayed()
    await source.append(TABLES)
    await source.relayed()
    log = await source.log()
    await sink.has(len(log))
    assert_once(await sink.causes(), log)
    await until_published(source, {record.event_id for record in log})


async def until_published(source: Source, expected: set[str]) -> None:
    async def all_there() -> bool:
        return set(await published(source)) == expected

    await until(all_there, what="the whole log on the topic")


async def sink_is_open(sink: Any) -> None:
    await until(lambda: sink.consumers.status().open, what="subscribers with partitions")


async def test_a_topic_that_was_made_anew_gets_the_whole_log_again(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a lost topic is noticed on a broker that has kept everything else."""
    monkeypatch.setattr(relay, "INSPECT_S", 0.3)
    source = await memory_rig.source()
    await source.append(TABLES * 2)
    await source.relayed()
    await memory_rig.make_anew(source.topic)
    await until(lambda: source.relay.status().rewinds > 0, what="a rewind")
    await source.relayed()
    await until_published(source, {record.event_id for record in await source.log()})


async def test_a_rewind_by_hand_is_noticed_and_has_no_effect_twice(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a person can have the log published again while the relay runs."""
    monkeypatch.setattr(relay, "INSPECT_S", 0.3)
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    await source.append(TABLES * 2)
    await source.relayed()
    await sink.has(16)
    await relay.rewind(source.store, position=0)

    async def twice() -> bool:
        return len(await published(source)) == 32

    await until(twice, what="everything on the topic twice")
    await source.append(["T0"])
    await sink.has(17)
    assert_once(await sink.causes(), await source.log())


async def test_one_relay_leads_and_the_other_takes_over_when_it_dies(
    memory_rig: Rig, make_database: MakeDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves the lock: one at a time, and a dead holder holds nothing."""
    monkeypatch.setattr(relay, "STANDBY_S", 0.1)
    monkeypatch.setattr(relay, "INSPECT_S", 0.2)
    dsn = await make_database()
    store = await memory_store(fresh("source"))
    first, second = [
        Source(store, memory_rig.kafka(store.service), lock=advisory_lock(dsn, store.service))
        for _ in range(2)
    ]
    await bus.ensure_topics(first.kafka, [first.service], replication=1)
    async with AsyncExitStack() as stack:
        for source in (first, second):
            await source.relay.start()
            stack.push_async_callback(source.relay.stop, 5.0)
            await asyncio.sleep(0.2)
        await until(lambda: first.relay.status().state is State.LEADING, what="a leader")
        assert second.relay.status().state is State.STANDBY
        await first.append(TABLES)
        await first.relayed()
        connection = await asyncpg.connect(dsn)
        await connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity "
            "where pid <> pg_backend_pid() and datname = current_database() and pid in "
            "(select pid from pg_locks where locktype = 'advisory' and granted)"
        )
        await connection.close()
        await until(lambda: second.relay.status().state is State.LEADING, what="another leader")
        await first.append(TABLES)
        await first.relayed()
        assert len(set(await published(first))) == 16
        await second.relay.stop(5.0)
        await until(lambda: first.relay.status().state is State.LEADING, what="the first again")
        assert second.relay.status().state is State.STOPPED


async def test_two_relays_at_once_are_noticed_and_do_no_harm(memory_rig: Rig) -> None:
    """Proves that a lock which failed costs repetitions and nothing else."""
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    other = Source(source.store, source.kafka, lock=NoLock())
    await other.relay.start()
    try:
        for _ in range(20):
            await source.append(TABLES)
            await asyncio.sleep(0.01)
        await source.relayed()
        await sink.has(160)
        assert_once(await sink.causes(), await source.log())
    finally:
        await other.relay.stop(5.0)


async def test_another_number_of_partitions_stops_the_relay(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that the order of keys is not given up silently."""
    monkeypatch.setattr(relay, "INSPECT_S", 0.2)
    source = await memory_rig.source()
    await source.append(TABLES)
    await source.relayed()
    admin = AIOKafkaAdminClient(bootstrap_servers=memory_rig.bootstrap)
    await admin.start()
    try:
        more = topics.PARTITIONS_PER_TOPIC + 2
        await admin.create_partitions({source.topic: NewPartitions(total_count=more)})
    finally:
        await admin.close()
    await until(lambda: source.relay.status().state is State.STANDING, what="a relay that stands")
    assert "PartitionsChanged" in source.relay.status().reason


async def test_a_missing_topic_is_named_and_not_invented(memory_rig: Rig) -> None:
    """Proves that where topics belong to the deployment the relay waits for them."""
    store = await memory_store(fresh("source"))
    kafka = bus.Bus(
        bootstrap_servers=memory_rig.bootstrap, client_id="t", security=None, topic_replication=None
    )
    source = Source(store, kafka, lock=NoLock())
    await source.append(TABLES)
    await source.relay.start()
    try:
        await until(lambda: source.relay.status().state is State.STANDING, what="it stands")
        assert "UnknownTopic" in source.relay.status().reason
        await bus.ensure_topics(kafka, [source.service], replication=1)
        await source.relayed()
    finally:
        await source.relay.stop(5.0)


async def test_a_relay_without_a_broker_stops_in_time() -> None:
    """Proves that a stop does not wait for a broker that is not there."""
    store = await memory_store(fresh("source"))
    kafka = bus.Bus(
        bootstrap_servers=f"127.0.0.1:{free_port()}",
        client_id="t",
        security=None,
        topic_replication=None,
    )
    source = Source(store, kafka, lock=NoLock())
    await source.append(TABLES)
    await source.relay.start()
    await until(lambda: source.relay.status().state is State.STANDING, what="it stands")
    began = SYSTEM_CLOCK.steady_s()
    await source.relay.stop(1.0)
    assert SYSTEM_CLOCK.steady_s() - began < 2.0
    assert source.relay.status().state is State.STOPPED


async def test_a_relay_stops_in_time_when_the_broker_dies_in_the_middle(
    fragile: Rig, own_broker: Broker
) -> None:
    """Proves that a batch which is never acknowledged does not hold the process."""
    source = await fragile.source()
    await source.append(TABLES)
    await source.relayed()
    await asyncio.to_thread(own_broker.kill)
    await source.append(TABLES)
    await asyncio.sleep(0.3)
    began = SYSTEM_CLOCK.steady_s()
    await source.relay.stop(1.0)
    assert SYSTEM_CLOCK.steady_s() - began < 5.0
