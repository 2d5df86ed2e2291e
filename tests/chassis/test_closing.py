"""Clients of the broker are closed for good, whatever ends, breaks or is cancelled meanwhile."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka import AIOKafkaClient, AIOKafkaConsumer
from aiokafka.errors import ConsumerStoppedError, KafkaConnectionError
from aiokafka.protocol.metadata import MetadataRequest

from services.chassis import bus

SOON_S = 0.02


class Connection:
    open = True

    def close(self) -> None:
        self.open = False


class Broken:
    """A client, or a part of one, whose end fails."""

    def __init__(self) -> None:
        self.connection = Connection()
        self._conns = {0: self.connection}

    async def close(self) -> None:
        raise KafkaConnectionError("it broke before")


async def waiting() -> None:
    await asyncio.Event().wait()


async def test_a_closed_client_connects_no_more() -> None:
    """A commit of offsets under way would open a connection that nobody closes."""
    client = AIOKafkaClient(bootstrap_servers="127.0.0.1:1")
    await bus.close_client(client)
    with pytest.raises(ConsumerStoppedError):
        await client.send(0, MetadataRequest([]))


async def test_who_was_cancelled_closes_all_the_same() -> None:
    """What a broken part ends with is of no use after a cancellation either."""
    client: Any = Broken()

    async def used() -> None:
        try:
            await waiting()
        finally:
            await bus.close_client(client)

    using = asyncio.create_task(used())
    await asyncio.sleep(0)
    using.cancel()
    await asyncio.wait([using])
    assert using.cancelled()
    assert not client.connection.open


async def test_a_subscriber_that_never_found_its_broker_is_killed_as_well() -> None:
    """Its end must not hide why it was not opened."""
    client = Broken()
    consumer = AIOKafkaConsumer(bootstrap_servers="127.0.0.1:1")
    consumer._client = client
    subscriber: Any = SimpleNamespace(running=True, tasks=[], consumer=consumer)
    await bus.kill_subscriber(subscriber)
    assert not client.connection.open


async def test_a_subscriber_that_is_killed_is_off_the_broker_though_killing_is_cancelled() -> None:
    async def stubborn() -> None:
        while True:
            try:
                await waiting()
            except asyncio.CancelledError:
                await asyncio.sleep(10 * SOON_S)

    consuming, beating = asyncio.create_task(stubborn()), asyncio.create_task(waiting())
    await asyncio.sleep(0)
    client = Broken()
    coordinator = SimpleNamespace(
        _coordination_task=None, _heartbeat_task=beating, _commit_refresh_task=None
    )
    subscriber: Any = SimpleNamespace(
        running=True,
        tasks=[consuming],
        consumer=SimpleNamespace(
            _closed=False, _coordinator=coordinator, _fetcher=Broken(), _client=client
        ),
    )
    killing = asyncio.create_task(bus.kill_subscriber(subscriber))
    await asyncio.sleep(SOON_S)
    killing.cancel()
    await asyncio.wait([killing])
    assert killing.cancelled()
    assert not client.connection.open
    assert beating.cancelled(), "one that does not end keeps no other from being ended"
    while not consuming.done():
        consuming.cancel()
        await asyncio.sleep(0)
