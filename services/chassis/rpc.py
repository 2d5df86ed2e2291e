"""Calls: the server with everything that surrounds a handler, and channels to other services.

One wrapper surrounds every handler: it counts calls in flight, opens the span and measures,
finds out who calls, refuses what cannot be done in time or is too much, and answers errors in the
model of `rpc_errors`. One, and not a chain of six, because this runs for every wager.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf.message import Message
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status
from msgspec import Struct
from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, StatusCode

from services.chassis import auth, logs, telemetry
from services.chassis.clock import Clock
from services.chassis.config import GrpcSettings
from services.chassis.inputs import DEFAULT, UNREADABLE, Inputs, reading
from services.chassis.rpc_errors import (
    TRANSLATIONS,
    InvalidCommand,
    Overloaded,
    TooLate,
    Translate,
    Unavailable,
    internal_status,
    to_status,
    translate,
)

KEEPALIVE_TIME_MS: Final = 30_000
"""A silent connection is probed so often, so that a vanished peer is noticed."""

KEEPALIVE_TIMEOUT_MS: Final = 10_000
PING_INTERVAL_MS_MIN: Final = 10_000
"""A peer that probes more often is cut off; our clients' interval is above it."""

PENDING_CALLS_MAX: Final = 4_096
"""Calls that have come and were not looked at yet. Beyond it the library drops some of them, from
twice as many on all, with a status that does not tell the caller to try again."""

METADATA_BYTES_MAX: Final = 24 * 1024
"""Room for two tokens and a trace context."""

CONNECTION_AGE_GRACE_MS: Final = 60_000
"""After its age is reached a connection may finish its calls; streams then resume elsewhere."""

STREAM_STOP_S: Final = 1.0
"""A stopping server lets streams run so long, then ends them with UNAVAILABLE: their clients resume
at another replica. Without it each of them would last until the end of the grace period."""

STOP_SHARE: Final = 0.8
"""Part of the stop budget that calls get; the rest is for the handlers that they were taken from."""

log = logs.logger(__name__)


class Served(Struct, frozen=True):
    """One gRPC service of this process."""

    name: str
    """Its full name, such as `sabot.round.v1.RoundService`."""

    add: Callable[[Any, Any], None]
    """The generated `add_..._to_server`."""

    servicer: Any
    inputs: Inputs = DEFAULT
    """What its requests may hold."""


class Edge:
    """What surrounds every handler."""

    def __init__(
        self,
        *,
        service: str,
        authenticator: auth.Authenticator,
        settings: GrpcSettings,
        clock: Clock,
        access: Mapping[str, frozenset[str]],
        translations: Mapping[type[Exception], Translate] = TRANSLATIONS,
        inputs: Mapping[str, Inputs] | None = None,
    ) -> None:
        """Take what calls are held to: `inputs` by service, `access` by `package.Service/Method`."""
        self.domain = f"{service}.sabot"
        self.authenticator = authenticator
        self.in_flight_max = settings.in_flight_max
        self.per_caller_max = settings.in_flight_per_caller_max
        self.floor_s = settings.deadline_floor_ms / 1000
        self.call_time_s_max = settings.call_time_s_max
        self.clock = clock
        self.access = {method: tuple(sorted(roles)) for method, roles in access.items()}
        self.translations = translations
        self.inputs = {} if inputs is None else inputs
        self.in_flight = 0
        self.callers: dict[str, int] = {}
        """Calls in flight of each caller who has any."""

        self.ending_streams = False
        self.streams: set[asyncio.Task[Any]] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    def around(self, service: str, handlers: Mapping[str, Any]) -> grpc.GenericRpcHandler:
        """The handlers of a service, by method, each with everything that surrounds it."""
        wrapped = {name: self._wrap(f"/{service}/{name}", each) for name, each in handlers.items()}
        return grpc.method_handlers_generic_handler(service, wrapped)

    def _wrap(self, method: str, handler: Any) -> Any:
        if handler.response_streaming:
            inner = handler.stream_stream or handler.unary_stream
            make: Any = (
                grpc.stream_stream_rpc_method_handler
                if handler.request_streaming
                else grpc.unary_stream_rpc_method_handler
            )
            outer = self._streaming(method, inner)
        else:
            inner = handler.stream_unary or handler.unary_unary
            make = (
                grpc.stream_unary_rpc_method_handler
                if handler.request_streaming
                else grpc.unary_unary_rpc_method_handler
            )
            outer = self._unary(method, inner)
        return make(outer, reading(handler.request_deserializer), handler.response_serializer)

    def _unary(self, method: str, inner: Callable[[Any, Any], Awaitable[Any]]) -> Any:
        check = self._check(method)

        async def answer(request: Any, context: Any) -> Any:
            async with _Call(self, method, context) as call:
                call.admit()
                check(request)
                remaining_s = context.time_remaining()
                if remaining_s is not None and remaining_s <= self.call_time_s_max:
                    # The library cancels the handler at the caller's deadline by itself.
                    return await inner(request, context)
                return await self._bounded(inner(request, context))

        return answer

    def _check(self, method: str) -> Callable[[Any], None]:
        """What looks at a request before its handler does."""
        inputs = self.inputs.get(method[1:].partition("/")[0], DEFAULT)

        def check(request: Any) -> None:
            if request is UNREADABLE:
                raise InvalidCommand("the request's bytes are no message of this call")
            if isinstance(request, Message):
                inputs.check(request)

        return check

    async def _bounded(self, work: Awaitable[Any]) -> Any:
        try:
            async with asyncio.timeout(self.call_time_s_max) as timer:
                return await work
        except TimeoutError:
            if not timer.expired():
                raise
            raise TooLate(
                f"the answer took longer than {self.call_time_s_max:g} s", reason="TOO_SLOW"
            ) from None

    def _streaming(self, method: str, inner: Callable[[Any, Any], Any]) -> Any:
        check = self._check(method)

        # A coroutine that writes, and no generator around the handler's: a generator that a caller
        # abandons is finished in another task, where span and context cannot be closed.
        async def answer(request: Any, context: Any) -> None:
            task = asyncio.current_task()
            assert task is not None, "gRPC runs every call in a task"
            self.streams.add(task)
            try:
                async with _Call(self, method, context, streaming=True) as call:
                    call.admit()
                    check(request)
                    responses = inner(request, context)
                    if not hasattr(responses, "__aiter__"):
                        await responses
                        return
                    async with aclosing(responses):
                        async for response in responses:
                            call.identify()
                            await context.write(response)
            finally:
                self.streams.discard(task)

        return answer

    def enter(self) -> None:
        """Count a call."""
        self.in_flight += 1
        self._idle.clear()

    def enter_as(self, caller: str) -> None:
        """Count a call as its caller's, or raise: nobody takes all the places there are."""
        held = self.callers.get(caller, 0)
        if held >= self.per_caller_max:
            raise Overloaded(
                f"more than {self.per_caller_max} calls of {caller} at a time",
                metadata={"setting": "SABOT_GRPC_IN_FLIGHT_PER_CALLER_MAX", "caller": caller},
            )
        self.callers[caller] = held + 1

    def leave(self, caller: str | None) -> None:
        """Take a call off the count; called when everything of it has ended, `finally` included."""
        if caller is not None:
            held = self.callers.pop(caller) - 1
            if held:
                self.callers[caller] = held
        self.in_flight -= 1
        assert self.in_flight >= 0, "a call left twice"
        if self.in_flight == 0:
            self._idle.set()

    async def idle(self) -> None:
        """Wait until no handler runs."""
        await self._idle.wait()

    def end_streams(self) -> None:
        """End all streams so that their clients go on elsewhere."""
        self.ending_streams = True
        for task in tuple(self.streams):
            task.cancel()


class _Call:
    """One call from its arrival to its end."""

    __slots__ = ("_caller", "_code", "_context", "_edge", "_metadata", "_method", "_reason", "_span",
                 "_started_s", "_streaming", "_token")  # fmt: skip

    def __init__(self, edge: Edge, method: str, context: Any, *, streaming: bool = False) -> None:
        self._edge = edge
        self._method = method
        self._context = context
        self._streaming = streaming
        self._caller: str | None = None
        self._code = grpc.StatusCode.OK
        self._reason = ""

    async def __aenter__(self) -> Self:
        edge = self._edge
        edge.enter()
        self._started_s = edge.clock.steady_s()
        pairs = self._context.invocation_metadata() or ()
        self._metadata = {key: value for key, value in pairs if isinstance(value, str)}
        self._span = telemetry.TRACER.start_span(
            self._method[1:],
            context=telemetry.parent(self._metadata.get("traceparent", "")),
            kind=SpanKind.SERVER,
        )
        if self._span.is_recording():
            service, _, name = self._method[1:].partition("/")
            self._span.set_attributes(
                {"rpc.system": "grpc", "rpc.service": service, "rpc.method": name}
            )
        self._token = otel_context.attach(trace.set_span_in_context(self._span))
        return self

    def admit(self) -> None:
        """Let the call in, or raise."""
        edge = self._edge
        if edge.in_flight > edge.in_flight_max:
            raise Overloaded(f"more than {edge.in_flight_max} calls at a time")
        remaining_s = self._context.time_remaining()
        if remaining_s is not None and remaining_s < edge.floor_s:
            raise TooLate(f"less than {edge.floor_s:g} s are left: nothing was begun")
        caller = self.identify()
        edge.enter_as(caller.actor.id)
        self._caller = caller.actor.id
        auth.set_identity(caller)
        auth.require_role(*edge.access.get(self._method[1:], ()))
        self._span.set_attribute(telemetry.ATTRIBUTES["role"].name, caller.actor.role)

    def identify(self) -> auth.Identity:
        """Who calls, or raise. Of a stream with every answer: it may outlast its token or its key."""
        return self._edge.authenticator.authenticate(self._metadata, self._context.peer())

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace_back: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                self._code = self._context.code() or grpc.StatusCode.OK
            else:
                await self._fail(error)
        finally:
            self._end()

    async def _fail(self, error: BaseException) -> None:
        """Answer an error. Returns where somebody else has answered already."""
        if isinstance(error, grpc.aio.AbortError):
            # The handler ended the call by itself: that is no failure of ours to translate.
            self._code = self._context.code()
            return
        found: Any = None
        if isinstance(error, asyncio.CancelledError):
            self._code = grpc.StatusCode.CANCELLED
            if not (self._streaming and self._edge.ending_streams):
                return
            found = Unavailable("this replica stops: go on at another", reason="STOPPING")
        elif isinstance(error, Exception):
            found = translate(error, self._edge.translations)
        else:
            return
        if found is None:
            self._code, self._reason = grpc.StatusCode.INTERNAL, "INTERNAL"
            self._span.record_exception(error)
            log.error("a handler failed", method=self._method, exc_info=error)
            trace_id = trace.format_trace_id(self._span.get_span_context().trace_id)
            status = internal_status(domain=self._edge.domain, trace_id=trace_id)
        else:
            self._code, self._reason = found.code, found.stable_reason
            status = to_status(found, domain=self._edge.domain)
        await self._context.abort_with_status(rpc_status.to_status(status))

    def _end(self) -> None:
        edge, code = self._edge, self._code
        otel_context.detach(self._token)
        self._span.set_attribute("rpc.grpc.status_code", code.value[0])
        if code in _OUR_FAULT:
            self._span.set_status(StatusCode.ERROR, self._reason)
        self._span.end()
        elapsed_s = edge.clock.steady_s() - self._started_s
        telemetry.record(
            "sabot.rpc.server.duration", elapsed_s, method=self._method, code=code.name
        )
        if self._reason:
            telemetry.count(
                "sabot.rpc.errors", method=self._method, code=code.name, reason=self._reason
            )
        edge.leave(self._caller)


_OUR_FAULT: Final = frozenset(
    {
        grpc.StatusCode.DATA_LOSS,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.UNKNOWN,
    }
)
"""Codes that make a server's span an error; the others are the caller's affair."""


class _Handlers:
    """Stands for a server where generated code adds the handlers of a service, and keeps them.

    A server takes them in two forms. Registered by name, each method has a task of its own that waits
    for its next call, and every call has the server go through all of these tasks: with thirty methods
    that is 20 µs. In the generic form there is one task.
    """

    def __init__(self) -> None:
        self.by_service: dict[str, Mapping[str, Any]] = {}

    def add_generic_rpc_handlers(self, handlers: Any) -> None:
        """The other form of what is registered."""

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        self.by_service[service] = handlers


class GrpcServer:
    """The port for calls, as a part with a start and a stop."""

    def __init__(self, *, settings: GrpcSettings, edge: Edge, served: Sequence[Served]) -> None:
        """Prepare the server; it listens from `start` on."""
        assert served, "a server without services"
        self._settings = settings
        self._edge = edge
        self._served = tuple(served)
        self._server: grpc.aio.Server | None = None
        self.port = 0
        """The port that was really bound, from `start` on."""

    async def start(self) -> None:
        """Listen. Raises `RuntimeError` where the port is taken."""
        settings = self._settings
        server = grpc.aio.server(options=_server_options(settings))
        handlers = _Handlers()
        for service in self._served:
            service.add(service.servicer, handlers)
        server.add_generic_rpc_handlers(
            [self._edge.around(name, each) for name, each in handlers.by_service.items()]
        )
        if settings.reflection:  # schemas are no secret, so the edge is not around it
            names = [service.name for service in self._served]
            reflection.enable_server_reflection([*names, reflection.SERVICE_NAME], server)
        address = f"{settings.host}:{settings.port}"
        if settings.tls_certificate_file:
            self.port = server.add_secure_port(address, server_credentials(settings))
        else:
            self.port = server.add_insecure_port(address)
        await server.start()
        self._server = server
        telemetry.observe("sabot.rpc.server.in_flight", lambda: self._edge.in_flight)
        log.info("calls are answered", host=settings.host, port=self.port)

    async def stop(self, timeout_s: float) -> None:
        """Take no new calls, let the present ones end, and wait until their handlers are gone.

        The library's own stop may return while a handler that aborted still runs; whoever closes
        the database next would pull it from under its feet.
        """
        server, self._server = self._server, None
        if server is None:
            return
        async with asyncio.timeout(timeout_s):
            stopping = asyncio.create_task(server.stop(timeout_s * STOP_SHARE))
            try:
                await asyncio.wait([stopping], timeout=min(STREAM_STOP_S, timeout_s / 4))
                self._edge.end_streams()
                await stopping
                await self._edge.idle()
            finally:
                stopping.cancel()


def _server_options(settings: GrpcSettings) -> list[tuple[str, Any]]:
    return [
        # Two processes on one port would share the calls, and nobody would notice.
        ("grpc.so_reuseport", 0),
        ("grpc.server.max_pending_requests", PENDING_CALLS_MAX),
        ("grpc.server.max_pending_requests_hard_limit", 2 * PENDING_CALLS_MAX),
        ("grpc.max_receive_message_length", settings.request_bytes_max),
        ("grpc.max_send_message_length", settings.response_bytes_max),
        ("grpc.max_metadata_size", METADATA_BYTES_MAX),
        ("grpc.absolute_max_metadata_size", 2 * METADATA_BYTES_MAX),
        ("grpc.max_connection_age_ms", int(settings.connection_age_s_max * 1000)),
        ("grpc.max_connection_age_grace_ms", CONNECTION_AGE_GRACE_MS),
        ("grpc.keepalive_time_ms", KEEPALIVE_TIME_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", PING_INTERVAL_MS_MIN),
    ]


class _Certificates:
    """The server's certificate, read anew when its files change."""

    def __init__(self, settings: GrpcSettings) -> None:
        names = (settings.tls_certificate_file, settings.tls_key_file)
        authority = settings.tls_client_ca_file
        self._paths = [Path(name) for name in (*names, authority) if name]
        self._state = self._look()

    def _look(self) -> tuple[tuple[int, int], ...]:
        return tuple((s.st_mtime_ns, s.st_size) for s in (path.stat() for path in self._paths))

    def read(self) -> Any:
        chain, key, *authority = (path.read_bytes() for path in self._paths)
        return grpc.ssl_server_certificate_configuration(
            [(key, chain)], root_certificates=authority[0] if authority else None
        )

    def renewed(self) -> Any:
        """Called at every handshake, in a thread of the library; None keeps the present one."""
        try:
            state = self._look()
            if state == self._state:
                return None
            configuration = self.read()
        except OSError as error:
            log.warning("the certificate cannot be read, the old one stays", problem=str(error))
            return None
        self._state = state
        log.info("the certificate was read anew")
        return configuration


def server_credentials(settings: GrpcSettings) -> grpc.ServerCredentials:
    """Read the certificate; it can be exchanged without a restart."""
    certificates = _Certificates(settings)
    return grpc.dynamic_ssl_server_credentials(
        certificates.read(),
        certificates.renewed,
        require_client_authentication=bool(settings.tls_client_ca_file),
    )


# What every command carries


def input_hash(request: Message) -> bytes:
    """Hash what a command asks for and who asks, to tell a repetition from another command.

    The same person may repeat it with a fresh token; another person may not have it answered.
    """
    caller = auth.identity()
    second = "" if caller.second is None else caller.second.id
    digest = hashlib.sha256()
    for part in (type(request).DESCRIPTOR.full_name, caller.actor.id, second):
        digest.update(part.encode() + b"\x00")
    digest.update(request.SerializeToString(deterministic=True))
    return digest.digest()


# Calls to others


class ClientTls(Struct, frozen=True):
    """Whom a client trusts, and how it shows who it is where a server asks for certificates."""

    ca_file: str
    certificate_file: str
    key_file: str


RETRIES: Final[Mapping[str, Any]] = {
    "maxAttempts": 4,
    "initialBackoff": "0.1s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
RETRY_THROTTLING: Final[Mapping[str, Any]] = {"maxTokens": 20, "tokenRatio": 0.2}
"""A server that fails half of all calls is not retried against: that would only double its load."""

RESOLUTION_INTERVAL_MS_MIN: Final = 5_000


def connect(
    target: str,
    *,
    credentials: auth.Credentials,
    deadline_s: float,
    repeatable: Sequence[str],
    tls: ClientTls | None,
    clock: Clock,
) -> grpc.aio.Channel:
    """Open a channel to another service.

    `deadline_s` is for calls that say none. `repeatable` names services, or methods as
    `service/Method`, whose calls change nothing or carry a command id: they are tried again at
    UNAVAILABLE.
    """
    options: list[tuple[str, Any]] = [
        ("grpc.service_config", json.dumps(_service_config(repeatable))),
        ("grpc.enable_retries", 1),
        ("grpc.keepalive_time_ms", KEEPALIVE_TIME_MS),
        ("grpc.keepalive_timeout_ms", KEEPALIVE_TIMEOUT_MS),
        ("grpc.dns_min_time_between_resolutions_ms", RESOLUTION_INTERVAL_MS_MIN),
        (
            "grpc.max_receive_message_length",
            GrpcSettings.model_fields["response_bytes_max"].default,
        ),
    ]
    interceptors = _interceptors(_Outgoing(credentials, deadline_s, clock))
    address = target if "://" in target or ":///" in target else f"dns:///{target}"
    if tls is None:
        return grpc.aio.insecure_channel(address, options=options, interceptors=interceptors)
    return grpc.aio.secure_channel(
        address, _channel_credentials(tls), options=options, interceptors=interceptors
    )


def _service_config(repeatable: Sequence[str]) -> dict[str, Any]:
    names = []
    for name in repeatable:
        service, _, method = name.partition("/")
        names.append({"service": service, "method": method} if method else {"service": service})
    config: dict[str, Any] = {"loadBalancingConfig": [{"round_robin": {}}]}
    if names:
        config["methodConfig"] = [{"name": names, "retryPolicy": RETRIES}]
        config["retryThrottling"] = RETRY_THROTTLING
    return config


def _channel_credentials(tls: ClientTls) -> grpc.ChannelCredentials:
    def content(name: str) -> bytes | None:
        return Path(name).read_bytes() if name else None

    return grpc.ssl_channel_credentials(
        content(tls.ca_file), content(tls.key_file), content(tls.certificate_file)
    )


class _Outgoing:
    """What is added to every call that goes out: a deadline, who we are, the trace, a measurement."""

    def __init__(self, credentials: auth.Credentials, deadline_s: float, clock: Clock) -> None:
        self._credentials = credentials
        self._deadline_s = deadline_s
        self._clock = clock
        self._endings: set[asyncio.Task[None]] = set()

    async def call(
        self, continuation: Callable[[Any, Any], Awaitable[Any]], details: Any, request: Any
    ) -> Any:
        name = details.method.decode() if isinstance(details.method, bytes) else details.method
        span = telemetry.TRACER.start_span(
            name.removeprefix("/"), context=_told_trace(details.metadata), kind=SpanKind.CLIENT
        )
        started_s = self._clock.steady_s()
        token = otel_context.attach(trace.set_span_in_context(span))
        try:
            call = await continuation(self._completed(details), request)
        except BaseException:
            span.end()
            raise
        finally:
            otel_context.detach(token)

        async def ending() -> None:
            code = await call.code()
            span.set_attribute("rpc.grpc.status_code", code.value[0])
            if code is not grpc.StatusCode.OK:
                span.set_status(StatusCode.ERROR, code.name)
            span.end()
            elapsed_s = self._clock.steady_s() - started_s
            telemetry.record("sabot.rpc.client.duration", elapsed_s, method=name, code=code.name)

        def ended(_call: Any) -> None:
            task = asyncio.ensure_future(ending())
            self._endings.add(task)
            task.add_done_callback(self._endings.discard)

        call.add_done_callback(ended)
        return call

    def _completed(self, details: Any) -> Any:
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        for key, value in self._credentials():
            # What the caller of this one call said about himself stands.
            if metadata.get(key) is None:
                metadata.add(key, value)
        traceparent = telemetry.current_traceparent()
        if traceparent:
            metadata["traceparent"] = traceparent
        return grpc.aio.ClientCallDetails(
            method=details.method,
            timeout=self._deadline_s if details.timeout is None else details.timeout,
            metadata=metadata,
            credentials=details.credentials,
            wait_for_ready=details.wait_for_ready,
        )


def _told_trace(metadata: Any) -> Context | None:
    """The trace under which the caller of this one call puts it; None where he names none."""
    told = [value for key, value in metadata or () if key == "traceparent"]
    return telemetry.parent(told[-1]) if told else None


def _interceptors(outgoing: _Outgoing) -> list[grpc.aio.ClientInterceptor]:
    """Make one interceptor for each kind of call; the library asks for four classes."""

    class UnaryUnary(grpc.aio.UnaryUnaryClientInterceptor):
        async def intercept_unary_unary(
            self, continuation: Any, client_call_details: Any, request: Any
        ) -> Any:
            return await outgoing.call(continuation, client_call_details, request)

    class UnaryStream(grpc.aio.UnaryStreamClientInterceptor):
        async def intercept_unary_stream(
            self, continuation: Any, client_call_details: Any, request: Any
        ) -> Any:
            return await outgoing.call(continuation, client_call_details, request)

    class StreamUnary(grpc.aio.StreamUnaryClientInterceptor):
        async def intercept_stream_unary(
            self, continuation: Any, client_call_details: Any, request_iterator: Any
        ) -> Any:
            return await outgoing.call(continuation, client_call_details, request_iterator)

    class StreamStream(grpc.aio.StreamStreamClientInterceptor):
        async def intercept_stream_stream(
            self, continuation: Any, client_call_details: Any, request_iterator: Any
        ) -> Any:
            return await outgoing.call(continuation, client_call_details, request_iterator)

    return [UnaryUnary(), UnaryStream(), StreamUnary(), StreamStream()]
