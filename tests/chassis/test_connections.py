"""Connections to the broker that broke a moment ago."""

from __future__ import annotations

import asyncio

import pytest
import uvloop
from aiokafka.conn import AIOKafkaConnection
from aiokafka.errors import KafkaConnectionError
from aiokafka.protocol.metadata import MetadataRequest

from services.chassis.connections import tell_broken_ones
from services.devstack.ports import LOOPBACK


async def written_after_it_broke() -> None:
    closed = asyncio.Event()

    async def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await closed.wait()
        writer.close()

    server = await asyncio.start_server(accepted, LOOPBACK, 0)
    port = server.sockets[0].getsockname()[1]
    connection = AIOKafkaConnection(LOOPBACK, port)
    connection._reader, connection._writer = await asyncio.open_connection(LOOPBACK, port)
    connection._read_task = connection._create_reader_task()
    connection._versions = {MetadataRequest.API_KEY: (99, 99)}
    with pytest.raises(NotImplementedError):  # a broker of another age is no broken connection
        await connection.send(MetadataRequest([]))
    assert connection.connected()
    connection._versions = {MetadataRequest.API_KEY: (0, 1)}
    connection._writer.transport.abort()
    await asyncio.sleep(0)
    try:
        with pytest.raises(KafkaConnectionError, match="handler is closed"):
            await connection.send(MetadataRequest([]))
        assert not connection.connected()
        with pytest.raises(KafkaConnectionError, match="No connection"):
            await connection.send(MetadataRequest([]))
    finally:
        closed.set()
        server.close()


def test_a_connection_that_broke_a_moment_ago_is_a_connection_error() -> None:
    """The library's tasks end for good on an error that is none of its own, as uvloop's is."""
    tell_broken_ones()
    once = AIOKafkaConnection.send
    tell_broken_ones()
    assert AIOKafkaConnection.send is once, "told twice is told in vain"
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(written_after_it_broke())
