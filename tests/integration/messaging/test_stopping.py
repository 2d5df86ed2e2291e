"""Stopping and standing: batches in flight, a database that is away, a broker that is not there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from services.chassis import bus
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.decider import Record
from services.chassis.hearing import Result
from services.chassis.store import StoreUnavailable
from services.devstack.brokers import BrokerKind, make_broker
from services.devstack.ports import free_port
from tests.integration.messaging.rig import (
    Faults,
    Rig,
    Sink,
    assert_once,
    fresh,
    memory_store,
    until,
)

TABLES = [f"T{number}" for number in range(8)]
BATCH = 20


def watch(sink: Sink, monkeypatch: pytest.MonkeyPatch, *, delay_s: float = 0.0) -> list[Result]:
    """What the executor says to every record, each batch after a delay."""
    results: list[Result] = []
    hear = sink.executor.hear

    async def watched(records: Sequence[Record], consumer: str) -> Any:
        await asyncio.sleep(delay_s)
        verdicts = await hear(records, consumer)
        results.extend(verdict.result for verdict in verdicts)
        return verdicts

    monkeypatch.setattr(sink.executor, "hear", watched)
    return results


async def test_a_stop_finishes_the_batch_in_flight_and_commits_it(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a planned restart repeats nothing."""
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    results = watch(sink, monkeypatch, delay_s=0.5)
    await until(lambda: sink.consumers.status().open, what="an open consumer")
    await source.append(TABLES)
    await source.relayed()
    await asyncio.sleep(0.2)
    await sink.consumers.stop(10.0)
    assert results
    handled = len(results)
    again = await memory_rig.sink(source, store=sink.store)
    results = watch(again, monkeypatch)
    await source.append(TABLES)
    await again.has(16)
    assert_once(await again.causes(), await source.log())
    assert results == [Result.DONE] * (16 - handled)


async def test_a_stop_takes_nothing_new_of_a_backlog(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a planned stop ends with what is in hand, however much waits behind it."""
    monkeypatch.setattr(bus, "BATCH_RECORDS_MAX", BATCH)
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    results = watch(sink, monkeypatch, delay_s=0.3)
    await until(lambda: sink.consumers.status().open, what="an open consumer")
    await source.append(TABLES * 25)
    await source.relayed()
    await asyncio.sleep(0.4)
    at_the_signal = len(results)
    await sink.consumers.stop(10.0)
    assert at_the_signal <= len(results) <= at_the_signal + BATCH
    again = await memory_rig.sink(source, store=sink.store)
    await again.has(len(TABLES) * 25)
    assert_once(await again.causes(), await source.log())


async def test_a_database_that_is_away_costs_time_and_nothing_else(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that nothing is committed, parked or dead-lettered while the database is away."""
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)
    hear, away = sink.executor.hear, True

    async def unavailable(records: Sequence[Record], consumer: str) -> Any:
        if away:
            raise StoreUnavailable("the database is away")
        return await hear(records, consumer)

    monkeypatch.setattr(sink.executor, "hear", unavailable)
    await source.append(TABLES * 3)
    await until(lambda: "away" in sink.consumers.status().reason, what="a reason in the status")
    await asyncio.sleep(0.5)
    away = False
    await sink.has(24)
    assert_once(await sink.causes(), await source.log())
    assert await sink.parking.tables() == []
    await until(lambda: sink.consumers.status().reason == "", what="no reason any more")


async def test_a_stop_does_not_wait_for_a_database_that_is_away(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a waiting batch is left to the next process, uncommitted."""
    source = await memory_rig.source()
    sink = await memory_rig.sink(source)

    async def unavailable(records: Sequence[Record], consumer: str) -> Any:
        raise StoreUnavailable("the database is away")

    monkeypatch.setattr(sink.executor, "hear", unavailable)
    await source.append(TABLES)
    await until(lambda: "away" in sink.consumers.status().reason, what="a reason in the status")
    began_s = SYSTEM_CLOCK.steady_s()
    await sink.consumers.stop(5.0)
    assert SYSTEM_CLOCK.steady_s() - began_s < 3.0
    again = await memory_rig.sink(source, store=sink.store)
    await again.has(8)
    assert_once(await again.causes(), await source.log())


async def test_consumers_without_a_broker_say_so_and_stop_in_time() -> None:
    """Proves that a service starts and stops where there is no broker."""
    kafka = bus.Bus(
        bootstrap_servers=f"127.0.0.1:{free_port()}",
        client_id="t",
        security=None,
        topic_replication=None,
    )
    store = await memory_store(fresh("sink"))
    sink = Sink(store, kafka, upstreams=["nobody"], faults=Faults())
    await sink.consumers.start()
    await until(lambda: "broker" in sink.consumers.status().reason, what="a reason in the status")
    began_s = SYSTEM_CLOCK.steady_s()
    await sink.consumers.stop(2.0)
    assert SYSTEM_CLOCK.steady_s() - began_s < 3.0


async def test_consumers_stop_in_time_when_the_broker_has_died() -> None:
    """Proves that a dead broker holds neither a stop nor a task."""
    broker, choice = make_broker(report=lambda _: None)
    if choice.kind is BrokerKind.EXTERNAL:
        pytest.skip("somebody else's broker is not ours to kill")
    await asyncio.to_thread(broker.start)
    try:
        rig = Rig(broker.bootstrap_servers, memory_store)
        async with rig.stack:
            source = await rig.source()
            sink = await rig.sink(source)
            await source.append(TABLES)
            await sink.has(8)
            await asyncio.to_thread(broker.kill)
            await asyncio.sleep(0.5)
            began_s = SYSTEM_CLOCK.steady_s()
            await sink.consumers.stop(2.0)
            assert SYSTEM_CLOCK.steady_s() - began_s < 8.0
    finally:
        await asyncio.to_thread(broker.close)
    await asyncio.sleep(0.1)
    left = [task for task in asyncio.all_tasks() if "aiokafka" in repr(task.get_coro())]
    assert left == []
