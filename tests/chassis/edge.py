"""A server with one small service, and a client for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from sabot.common.v1 import common_pb2
from services.chassis import auth, rpc
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import GrpcSettings
from services.contracts.core import Actor
from services.rules.roles import ROLES

NAME = "test.v1.TestService"
SAY = f"/{NAME}/Say"
MANY = f"/{NAME}/Many"
PIPE = f"/{NAME}/Pipe"
DEALER = Actor("anna", "DEALER")
OPEN = {method[1:]: frozenset(ROLES) for method in (SAY, MANY, PIPE)}
"""Every method open to everybody."""

REQUEST = common_pb2.CommandMeta(command_id="one")

Unary = Callable[[common_pb2.CommandMeta, Any], Awaitable[common_pb2.CommandResult]]
Stream = Callable[[common_pb2.CommandMeta, Any], AsyncIterator[common_pb2.CommandResult]]


async def echo(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
    """Answer with the command id."""
    return common_pb2.CommandResult(position_token=request.command_id)


async def count(
    request: common_pb2.CommandMeta, context: Any
) -> AsyncIterator[common_pb2.CommandResult]:
    """Answer three times."""
    for number in range(3):
        yield common_pb2.CommandResult(position_token=str(number))


async def pipe(requests: Any, context: Any) -> AsyncIterator[common_pb2.CommandResult]:
    """Answer every request of a stream."""
    async for request in requests:
        yield common_pb2.CommandResult(position_token=request.command_id)


def served(say: Unary, many: Stream = count) -> rpc.Served:
    """Make the service of this module from functions."""
    read, write = common_pb2.CommandMeta.FromString, common_pb2.CommandResult.SerializeToString
    handlers: Any = {
        "Say": grpc.unary_unary_rpc_method_handler(say, read, write),
        "Many": grpc.unary_stream_rpc_method_handler(many, read, write),
        "Pipe": grpc.stream_stream_rpc_method_handler(pipe, read, write),
    }

    def add(_servicer: Any, server: Any) -> None:
        server.add_registered_method_handlers(NAME, handlers)

    return rpc.Served(NAME, add, None)


@dataclass
class Client:
    """Calls to the service of this module."""

    channel: grpc.aio.Channel

    def say(self, request: common_pb2.CommandMeta = REQUEST, **options: Any) -> Any:
        return self.channel.unary_unary(
            SAY,
            request_serializer=common_pb2.CommandMeta.SerializeToString,
            response_deserializer=common_pb2.CommandResult.FromString,
        )(request, **options)

    def many(self, request: common_pb2.CommandMeta = REQUEST, **options: Any) -> Any:
        return self.channel.unary_stream(
            MANY,
            request_serializer=common_pb2.CommandMeta.SerializeToString,
            response_deserializer=common_pb2.CommandResult.FromString,
        )(request, **options)

    def pipe(self, requests: Any, **options: Any) -> Any:
        return self.channel.stream_stream(
            PIPE,
            request_serializer=common_pb2.CommandMeta.SerializeToString,
            response_deserializer=common_pb2.CommandResult.FromString,
        )(requests, **options)


@dataclass
class Place:
    """A running server."""

    server: rpc.GrpcServer
    edge: rpc.Edge
    client: Client

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.server.port}"


@contextlib.asynccontextmanager
async def running(
    say: Unary = echo,
    many: Stream = count,
    *,
    settings: GrpcSettings | None = None,
    authenticator: auth.Authenticator | None = None,
    credentials: auth.Credentials | None = None,
    repeatable: Sequence[str] = (),
    tls: rpc.ClientTls | None = None,
    host: str = "127.0.0.1",
    access: Mapping[str, frozenset[str]] | None = None,
) -> AsyncIterator[Place]:
    """Serve on a free port, with a client that is ANNA the dealer."""
    settings = settings or GrpcSettings(port=0)
    edge = rpc.Edge(
        service="test",
        authenticator=authenticator
        or auth.DevelopmentAuthenticator(environment="development", roles=frozenset(ROLES)),
        settings=settings,
        clock=SYSTEM_CLOCK,
        access=OPEN if access is None else access,
    )
    server = rpc.GrpcServer(settings=settings, edge=edge, served=[served(say, many)])
    await server.start()
    channel = rpc.connect(
        f"{host}:{server.port}",
        credentials=credentials or auth.development_credentials(DEALER),
        deadline_s=5.0,
        repeatable=repeatable,
        tls=tls,
        clock=SYSTEM_CLOCK,
    )
    try:
        yield Place(server, edge, Client(channel))
    finally:
        await channel.close()
        await server.stop(2.0)


async def until(condition: Callable[[], bool], timeout_s: float = 5.0) -> None:
    """Return when something has become true."""
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.005)
