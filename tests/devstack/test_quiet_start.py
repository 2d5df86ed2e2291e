"""What a newcomer sees at the start is only what matters."""

from __future__ import annotations

import inspect
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from aiokafka import AIOKafkaConsumer
from faststream.kafka.subscriber import usecase

from services.chassis import bus
from services.devstack.brokers import build_broker, create_topics
from tests.support.broker import chosen_kind

FORKING = """
import asyncio, subprocess, sys
import {first}
import grpc

async def main():
    server = grpc.aio.server()
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{{port}}") as channel:
        call = channel.unary_unary("/nobody.Nowhere/Never")
        async def calls():
            for _ in range(300):
                try:
                    await call(b"")
                except grpc.aio.AioRpcError:
                    pass
        calling = asyncio.create_task(calls())
        await asyncio.sleep(0.05)
        for _ in range(5):
            # Another group or user is what PostgreSQL is started with: no vfork then.
            await asyncio.to_thread(subprocess.run, ["true"], group={group})
        await calling
    await server.stop(None)

asyncio.run(main())
"""


def forking(first: str) -> str:
    """What a process says that starts programs while calls are under way."""
    code = FORKING.format(first=first, group=os.getgid())
    environment = {k: v for k, v in os.environ.items() if k != "GRPC_ENABLE_FORK_SUPPORT"}
    ended = subprocess.run(
        (sys.executable, "-c", code),
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[2],
        timeout=50,
    )
    return ended.stderr


@pytest.mark.slow
def test_grpc_says_nothing_of_forks() -> None:
    """Whoever imports one of our packages first starts programs in silence."""
    assert "fork" in forking("json"), "this no longer shows what is to be silenced"
    assert forking("services") == ""


def test_the_bus_does_not_warn_of_what_was_chosen(caplog: pytest.LogCaptureFixture) -> None:
    """FastStream's warning about topics is kept back, every other one of its warnings is not."""
    known = "Auto create topics is disabled. Make sure the topics exist."
    assert known in inspect.getsource(usecase), "FastStream says it in other words now"
    with caplog.at_level(logging.WARNING, logger=bus.BUS_LOG.name):
        for text in (known, "Another"):
            bus.BUS_LOG.warning(text)
    assert [record.getMessage() for record in caplog.records] == ["Another"]


@pytest.mark.integration
@pytest.mark.apache
async def test_a_group_can_be_joined_as_soon_as_its_topics_are_there(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The first consumer of a fresh broker finds its coordinator at once and logs no error."""
    if chosen_kind() != "apache":
        pytest.skip("only Apache Kafka makes its groups late")
    with build_broker(chosen_kind()) as broker:
        await create_topics(broker.bootstrap_servers, ["first"], partitions=1)
        with caplog.at_level(logging.ERROR, logger="aiokafka"):
            consumer = AIOKafkaConsumer(
                "first", bootstrap_servers=broker.bootstrap_servers, group_id="g"
            )
            await consumer.start()
            await consumer.stop()
    assert caplog.records == []
