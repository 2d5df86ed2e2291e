"""Services that answer as they are told, for tests of the client."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from sabot.query.v1 import query_service_pb2, watch_service_pb2
from sabot.round.v1 import round_service_pb2
from sabot.settlement.v1 import report_service_pb2, settlement_service_pb2
from sabot.shoe.v1 import shoe_service_pb2
from sabot.wager.v1 import wager_service_pb2, wallet_service_pb2
from sabot_client import Addresses, Client, Person, Timing, development

SERVICES: tuple[Any, ...] = (
    shoe_service_pb2,
    round_service_pb2,
    wager_service_pb2,
    wallet_service_pb2,
    settlement_service_pb2,
    query_service_pb2,
    watch_service_pb2,
    report_service_pb2,
)
QUICK = Timing(attempt_s=0.5, total_s=2.0, pause_s=0.01, pause_s_max=0.05)
PIT = development(Person("petra", "CASINO_SUPERVISOR"))

Step = Callable[[Any, Any], Any]
"""Answers a request: with a response, by raising, or by aborting the context."""


class Fake:
    """Calls that came, and what is answered: by name of the call, else by the next step.

    Of the steps the last one stays.
    """

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.metadata: list[dict[str, str]] = []
        self.steps: deque[Step] = deque()
        self.answers: dict[str, Step] = {}
        self.called: list[str] = []
        self.target = ""

    async def answer(self, name: str, request: Any, context: Any) -> Any:
        self.called.append(name)
        self.requests.append(request)
        self.metadata.append(dict(context.invocation_metadata()))
        found = self._step(name)(request, context)
        return await found if asyncio.iscoroutine(found) else found

    def _step(self, name: str) -> Step:
        if name in self.answers:
            return self.answers[name]
        return self.steps.popleft() if len(self.steps) > 1 else self.steps[0]

    def last(self, name: str) -> Any:
        """The last request of this call."""
        return next(
            request
            for called, request in zip(reversed(self.called), reversed(self.requests), strict=True)
            if called == name
        )


class _Everything(grpc.GenericRpcHandler):
    """Every method of every service, by its descriptor; one that streams sends what its step lists."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake
        self.handlers = {
            f"/{service.full_name}/{method.name}": self._handler(method)
            for module in SERVICES
            for service in module.DESCRIPTOR.services_by_name.values()
            for method in service.methods
        }

    def service(self, handler_call_details: Any) -> Any:
        return self.handlers.get(handler_call_details.method)

    def _handler(self, method: Any) -> Any:
        async def single(request: Any, context: Any) -> Any:
            return await self.fake.answer(method.name, request, context)

        async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
            for each in await self.fake.answer(method.name, request, context):
                if callable(each):
                    await each(request, context)
                yield each

        request, response = map(GetMessageClass, (method.input_type, method.output_type))
        if method.server_streaming:
            return grpc.unary_stream_rpc_method_handler(
                stream, request.FromString, response.SerializeToString
            )
        return grpc.unary_unary_rpc_method_handler(
            single, request.FromString, response.SerializeToString
        )


@asynccontextmanager
async def fake_services() -> AsyncIterator[Fake]:
    """A server on this machine that stands for all services."""
    fake = Fake()
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((_Everything(fake),))
    fake.target = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield fake
    finally:
        await server.stop(None)


@asynccontextmanager
async def connected(timing: Timing = QUICK) -> AsyncIterator[tuple[Client, Fake]]:
    """The client, and the services that it calls."""
    async with fake_services() as fake:
        where = Addresses(
            shoe=fake.target, round=fake.target, wager=fake.target, settlement=fake.target
        )
        async with Client.connect(where, PIT, timing=timing) as client:
            yield client, fake


def failing(code: grpc.StatusCode, reason: str = "", *, field: str = "") -> Step:
    """A step that ends the call with an error in the model of the services."""

    async def step(request: Any, context: Any) -> None:
        details = []
        if reason:
            info = error_details_pb2.ErrorInfo(
                reason=reason, domain="round.sabot", metadata={"needed": "DEALER"}
            )
            details.append(_packed(info))
        if field:
            fault = error_details_pb2.BadRequest()
            fault.field_violations.add(field=field, description="is missing")
            details.append(_packed(fault))
        status = status_pb2.Status(code=code.value[0], message="it did not work", details=details)
        await context.abort_with_status(rpc_status.to_status(status))

    return step


def _packed(message: Any) -> any_pb2.Any:
    packed = any_pb2.Any()
    packed.Pack(message)
    return packed
