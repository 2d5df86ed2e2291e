"""A connection to the database that can be slow, silent or cut: a proxy on the loopback address."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

import uvloop

from services.devstack.ports import LOOPBACK, free_port

CHUNK_BYTES = 64 * 1024
CALL_TIMEOUT_S = 10.0

T = TypeVar("T")


class Proxies:
    """All proxies of a run, on an event loop in a thread of their own."""

    def __init__(self) -> None:
        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._made: list[Proxy] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for proxy in self._made:
            self.call(proxy.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CALL_TIMEOUT_S)
        self._loop.close()

    def to(self, port: int) -> Proxy:
        """A proxy in front of a port of this machine."""
        proxy = Proxy(self, port)
        self.call(proxy.open())
        self._made.append(proxy)
        return proxy

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the loop of the proxies, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CALL_TIMEOUT_S)


class Proxy:
    """One port that leads to another. What is set here holds from the next bytes on."""

    def __init__(self, proxies: Proxies, target: int) -> None:
        self.port = free_port()
        self.delay_s = 0.0
        """Seconds that all bytes wait, in both directions."""

        self._proxies = proxies
        self._target = target
        self._heard = asyncio.Event()
        self._heard.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, LOOPBACK, self.port)

    async def close(self) -> None:
        self._server.close()
        await self._drop()

    def cut(self) -> None:
        """Break every connection off, as a network does that fails."""
        self._proxies.call(self._drop())

    def mute(self, *, silent: bool) -> None:
        """Keep back what the database says; what it is told still reaches it."""

        async def switched() -> None:
            if silent:
                self._heard.clear()
            else:
                self._heard.set()

        self._proxies.call(switched())

    async def _drop(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            upstream, into = await asyncio.open_connection(LOOPBACK, self._target)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, into}
        try:
            await asyncio.gather(
                self._carry(reader, into, asyncio.Event()),
                self._carry(upstream, writer, self._heard),
            )
        finally:
            self._writers -= {writer, into}

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, may: asyncio.Event
    ) -> None:
        """Pass on what comes; an end on one side is an end on the other."""
        # The event loop calls writing on a connection that broke a moment ago a `RuntimeError`.
        with contextlib.suppress(OSError, RuntimeError):
            while data := await reader.read(CHUNK_BYTES):
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if may is self._heard:
                    await may.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
