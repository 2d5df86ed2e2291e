"""A consumer whose library has come to a standstill is made anew, and nothing is lost or doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiokafka.errors import KafkaConnectionError

from services.chassis import consumer as consumer_module
from services.chassis import standstill
from tests.integration.messaging.rig import Rig, Sink, assert_once, until

TABLES = ("T1", "T2", "T3")
STANDSTILL_S = 1.0
LOOK_S = 0.1


def fetching_ends(client: Any) -> None:
    """An error that the library does not expect."""
    client._fetcher._fetch_task.cancel()


def no_answer_comes(client: Any) -> None:
    async def silence(*_: Any, **__: Any) -> None:
        await asyncio.Event().wait()

    client._client.send = silence


def knowledge_ends(client: Any) -> None:
    """A background task that ended in an error, which closing the client raises once more."""

    async def refused() -> None:
        raise RuntimeError("unable to perform operation; the handler is closed")

    client._client._sync_task.cancel()
    client._client._sync_task = asyncio.ensure_future(refused())


async def running(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Sink, Any]:
    monkeypatch.setattr(consumer_module, "LOOK_S", LOOK_S)
    monkeypatch.setattr(standstill, "STANDSTILL_S", STANDSTILL_S)
    source = await rig.source()
    sink = await rig.sink(source, instance="pod-0")
    await source.append(TABLES)
    await sink.has(len(TABLES))
    subscriber = sink.consumers._subscriber
    assert subscriber is not None
    return source, sink, subscriber.consumer


@pytest.mark.parametrize("stop", [fetching_ends, no_answer_comes, knowledge_ends])
async def test_a_consumer_that_stands_still_is_made_anew(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch, stop: Callable[[Any], None]
) -> None:
    source, sink, client = await running(memory_rig, monkeypatch)
    stop(client)

    def anew() -> bool:
        subscriber = sink.consumers._subscriber
        return subscriber is not None and subscriber.consumer not in {client, None}

    await until(anew, what="another consumer", wait_s=15.0)
    await source.append(TABLES)
    await sink.has(2 * len(TABLES), wait_s=15.0)
    assert_once(await sink.causes(), await source.log())


async def test_a_broken_consumer_stops_all_the_same(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its tasks ended with is no reason to leave a stop half done."""
    _, sink, client = await running(memory_rig, monkeypatch)
    monkeypatch.setattr(sink.consumers, "_look_after", lambda: asyncio.sleep(0))
    knowledge_ends(client)
    await asyncio.sleep(2 * LOOK_S)
    await sink.consumers.stop(5.0)
    assert sink.consumers.status().reason == "stopped"
    assert not sink.consumers.status().open


async def test_one_that_moves_or_has_no_broker_is_left_alone(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, sink, client = await running(memory_rig, monkeypatch)
    await asyncio.sleep(2 * STANDSTILL_S)  # nothing comes, and it asks
    looked = 0

    async def away() -> None:
        nonlocal looked
        looked += 1
        raise KafkaConnectionError("connection refused")

    monkeypatch.setattr(sink.consumers, "_find_topics", away)
    no_answer_comes(client)
    await until(lambda: looked > 1, what="two looks", wait_s=8.0)
    subscriber = sink.consumers._subscriber
    assert subscriber is not None
    assert subscriber.consumer is client
