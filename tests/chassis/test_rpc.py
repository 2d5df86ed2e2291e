"""The server and its channels: stopping, streams, traces, measurements, TLS, retries."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from opentelemetry.sdk.trace import ReadableSpan

from sabot.common.v1 import common_pb2
from services.chassis import auth, rpc, rpc_errors, telemetry
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import GrpcSettings
from services.chassis.positions import Position, read_position
from services.chassis.rpc_errors import call_failed
from services.contracts.core import Actor
from tests.chassis.edge import (
    DEALER,
    MANY,
    NAME,
    REQUEST,
    SAY,
    Client,
    echo,
    running,
    served,
    until,
)
from tests.support.certificates import self_signed

Result = common_pb2.CommandResult


async def test_calls_of_all_kinds_are_answered() -> None:
    """Unary calls, streams down and streams both ways pass through the edge."""
    async with running() as place:
        assert (await place.client.say()).position_token == "one"
        assert [r.position_token async for r in place.client.many()] == ["0", "1", "2"]
        requests = iter([REQUEST, common_pb2.CommandMeta(command_id="two")])
        assert [r.position_token async for r in place.client.pipe(requests)] == ["one", "two"]
        await until(lambda: place.edge.in_flight == 0)


async def test_handlers_know_who_calls() -> None:
    """The identity of each call is its own, also when calls overlap."""
    seen: list[auth.Identity] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        await asyncio.sleep(0.02)
        seen.append(auth.identity())
        return Result()

    supervisor = Actor("boss", "GAME_SUPERVISOR")
    other = auth.development_credentials(DEALER, second=supervisor, permissions=["import_table"])
    async with running(say) as place:
        await asyncio.gather(place.client.say(), place.client.say(metadata=other()))
    assert {i.second for i in seen} == {None, supervisor}
    assert {i.permissions for i in seen} == {frozenset(), frozenset({"import_table"})}


async def test_stopping_waits_for_handlers_that_aborted() -> None:
    """The stop returns only after the `finally` of a handler that had ended its call already.

    The library's own stop returns earlier, and whoever closed the database next would pull it from
    under that handler.
    """
    order: list[str] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        try:
            await context.abort(grpc.StatusCode.ABORTED, "over")
        finally:
            await asyncio.sleep(0.3)
            order.append("handler")
        return Result()

    async with running(say) as place:
        with pytest.raises(grpc.aio.AioRpcError):
            await place.client.say()
        await place.server.stop(3.0)
        order.append("stopped")
    assert order == ["handler", "stopped"]


async def test_calls_in_flight_are_finished_and_new_ones_refused() -> None:
    """A stopping server answers what it has begun and takes nothing more."""
    begun = asyncio.Event()

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        begun.set()
        await asyncio.sleep(0.3)
        return Result(position_token="finished")

    async with running(say) as place:
        call = asyncio.ensure_future(place.client.say())
        await begun.wait()
        stopping = asyncio.ensure_future(place.server.stop(5.0))
        await asyncio.sleep(0.05)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await place.client.say(timeout=1.0)
        assert raised.value.code() is grpc.StatusCode.UNAVAILABLE
        assert (await call).position_token == "finished"
        await stopping


async def test_a_handler_that_never_ends_makes_the_stop_fail_in_time() -> None:
    """The budget of the stop holds whatever a handler does."""

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        while True:
            try:
                await asyncio.sleep(0.8)
                return Result()
            except asyncio.CancelledError:
                continue

    async with running(say) as place:
        call = asyncio.ensure_future(place.client.say())
        await until(lambda: place.edge.in_flight == 1)
        with pytest.raises(TimeoutError):
            await place.server.stop(0.3)
        with pytest.raises(grpc.aio.AioRpcError):
            await call


async def test_streams_are_sent_elsewhere_when_the_server_stops() -> None:
    """A long stream ends soon with UNAVAILABLE, its handler is closed in its own task."""
    closed: list[bool] = []

    async def many(request: common_pb2.CommandMeta, context: Any) -> Any:
        task = asyncio.current_task()
        try:
            while True:
                yield Result()
                await asyncio.sleep(0.01)
        finally:
            closed.append(asyncio.current_task() is task)

    async with running(many=many) as place:
        stream = place.client.many(timeout=30)
        await stream.read()
        stopping = asyncio.ensure_future(place.server.stop(4.0))
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            async for _ in stream:
                pass
        await stopping
        failed = call_failed(raised.value)
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        assert closed == [True]


class Ending:
    """Knows everybody until the tokens end."""

    def __init__(self) -> None:
        self.ended = False

    def authenticate(self, metadata: Any, peer: str) -> auth.Identity:
        if self.ended:
            raise rpc_errors.Unauthenticated("the token has expired", reason="TOKEN_EXPIRED")
        return auth.Identity(DEALER, frozenset(), None)


async def test_a_stream_tells_nothing_more_when_its_token_has_ended() -> None:
    """Who was let in once is not told for ever: a watch may last longer than the right to it."""
    ending = Ending()

    async def many(request: common_pb2.CommandMeta, context: Any) -> Any:
        while True:
            yield Result()
            await asyncio.sleep(0.01)

    async with running(many=many, authenticator=ending) as place:
        stream = place.client.many(timeout=3)
        await stream.read()
        ending.ended = True
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            async for _ in stream:
                pass
    failed = call_failed(raised.value)
    assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_EXPIRED")


async def test_an_abandoned_stream_is_closed_in_its_own_task() -> None:
    """When a client goes away the handler's generator ends where it ran, span included."""
    closed: list[bool] = []

    async def many(request: common_pb2.CommandMeta, context: Any) -> Any:
        task = asyncio.current_task()
        try:
            while True:
                yield Result()
                await asyncio.sleep(0.01)
        finally:
            closed.append(asyncio.current_task() is task)

    async with running(many=many) as place:
        stream = place.client.many()
        await stream.read()
        stream.cancel()
        await until(lambda: place.edge.in_flight == 0)
        assert closed == [True]


def spans(name: str) -> list[ReadableSpan]:
    return [s for s in telemetry.in_memory().spans.get_finished_spans() if s.name == name]


async def test_one_trace_runs_through_client_and_server() -> None:
    """Caller, client, server and handler are one trace, and what a handler stores continues it."""
    telemetry.in_memory().spans.clear()
    stored: list[str] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        stored.append(telemetry.current_traceparent())
        return Result()

    async with running(say) as place:
        with telemetry.span("caller"):
            await place.client.say()
        await until(lambda: len(spans(SAY[1:])) == 2)
    with telemetry.span("later", traceparent=stored[0]):
        pass
    (caller,), (later,) = spans("caller"), spans("later")
    client, server = sorted(spans(SAY[1:]), key=lambda span: span.start_time or 0)
    chain = [caller, client, server, later]
    assert len({span.context.trace_id for span in chain if span.context}) == 1
    parents = [span.parent.span_id if span.parent else None for span in chain]
    ids = [span.context.span_id if span.context else None for span in chain]
    assert parents == [None, *ids[:-1]]


async def test_a_trace_that_the_caller_names_for_one_call_is_gone_on_with() -> None:
    """Also where this process traces its own calls: those spans lie under the named one."""
    telemetry.in_memory().spans.clear()
    stored: list[str] = []
    trace_id = "5ab07" + "0" * 26 + "1"

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        stored.append(telemetry.current_traceparent())
        return Result()

    async with running(say) as place:
        named = (("traceparent", f"00-{trace_id}-00000000000000a1-01"),)
        with telemetry.span("caller"):
            await place.client.say(metadata=named)
        await until(lambda: len(spans(SAY[1:])) == 2)
    assert stored[0].split("-")[1] == trace_id
    client, server = sorted(spans(SAY[1:]), key=lambda span: span.start_time or 0)
    assert client.parent is not None
    assert server.parent is not None
    assert client.context is not None
    assert client.parent.span_id == 0xA1
    assert server.parent.span_id == client.context.span_id


def points(name: str) -> list[Any]:
    data = telemetry.in_memory().reader.get_metrics_data()
    assert data is not None
    return [
        point
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        if metric.name == name
        for point in metric.data.data_points
    ]


async def test_rate_errors_and_durations_are_measured() -> None:
    """Each call is counted under its method and code, each error under its reason."""
    telemetry.in_memory()

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        if request.command_id == "bad":
            raise rpc_errors.InvalidCommand("no", reason="MEASURED")
        return Result()

    def total(code: str) -> int:
        wanted = {"sabot.method": SAY, "sabot.code": code}
        measured = points("sabot.rpc.server.duration")
        return sum(point.count for point in measured if dict(point.attributes) == wanted)

    async with running(say) as place:
        before_ok, before_bad = total("OK"), total("INVALID_ARGUMENT")
        await place.client.say()
        with pytest.raises(grpc.aio.AioRpcError):
            await place.client.say(common_pb2.CommandMeta(command_id="bad"))
        await until(lambda: place.edge.in_flight == 0)
    assert (total("OK"), total("INVALID_ARGUMENT")) == (before_ok + 1, before_bad + 1)
    (error,) = [
        point
        for point in points("sabot.rpc.errors")
        if point.attributes["sabot.reason"] == "MEASURED"
    ]
    assert error.value == 1


async def test_a_call_without_a_deadline_gets_one() -> None:
    """A client that says nothing about time still waits only so long."""
    remaining: list[float] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        remaining.append(context.time_remaining())
        return Result()

    async with running(say) as place:
        await place.client.say()
        await place.client.say(timeout=1.5)
    assert 4.0 < remaining[0] <= 5.1
    assert 1.0 < remaining[1] <= 1.6


@pytest.mark.parametrize(("repeatable", "tries"), [((NAME,), 3), ((f"{NAME}/Say",), 3), ((), 1)])
async def test_only_repeatable_calls_are_tried_again(
    repeatable: tuple[str, ...], tries: int
) -> None:
    """UNAVAILABLE is tried again where the caller said that repetition does no harm."""
    tried: list[str] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        tried.append(request.command_id)
        if len(tried) < 3:
            raise rpc_errors.Unavailable("not now")
        return Result()

    async with running(say, repeatable=repeatable) as place:
        if tries == 3:
            await place.client.say()
        else:
            with pytest.raises(grpc.aio.AioRpcError):
                await place.client.say()
    assert len(tried) == tries


async def test_an_error_that_does_not_pass_is_not_tried_again() -> None:
    """What is wrong with a request stays wrong, also where repetition would do no harm."""
    tried: list[str] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        tried.append(request.command_id)
        raise rpc_errors.InvalidCommand("never")

    async with running(say, repeatable=(NAME,)) as place:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await place.client.say()
    assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert len(tried) == 1


async def test_a_taken_port_is_an_error() -> None:
    """A second process on the port fails instead of sharing the calls."""
    async with running() as place:
        settings = GrpcSettings(port=place.server.port)
        second = rpc.GrpcServer(settings=settings, edge=place.edge, served=[served(echo)])
        with pytest.raises(RuntimeError, match="bind"):
            await second.start()


async def test_the_server_waits_for_all_methods_with_one_task() -> None:
    """One for each method would make every call dearer by as much as a service has methods."""
    async with running():
        coroutines: list[Any] = [task.get_coro() for task in asyncio.all_tasks()]
        waiting = [each for each in coroutines if "_request_" in each.__qualname__]
        assert len(waiting) == 1


@pytest.mark.parametrize("on", [True, False])
async def test_reflection_is_served_only_where_it_is_switched_on(on: bool) -> None:
    """Tools can ask for the services where the configuration says so."""
    async with running(settings=GrpcSettings(port=0, reflection=on)) as place:
        channel: Any = place.client.channel  # the stubs know the synchronous one only
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        if on:
            request = reflection_pb2.ServerReflectionRequest(list_services="")
            call = stub.ServerReflectionInfo(iter([request]))
            answer = await call.read()
            listed = [service.name for service in answer.list_services_response.service]
            assert NAME in listed
        else:
            # Without a request: one that is written while the answer comes fails by itself.
            call = stub.ServerReflectionInfo()
            assert await call.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_certificate_is_exchanged_without_a_restart(tmp_path: Path) -> None:
    """New connections see the new certificate; before, they saw the old one."""
    first, second = self_signed(tmp_path, "first"), self_signed(tmp_path, "second")
    chain, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    shutil.copy(first.certificate, chain)
    shutil.copy(first.key, key)
    settings = GrpcSettings(port=0, tls_certificate_file=str(chain), tls_key_file=str(key))

    async def reached(port: int, authority: Path) -> bool:
        channel = rpc.connect(
            f"localhost:{port}",
            credentials=auth.development_credentials(DEALER),
            deadline_s=2.0,
            repeatable=(),
            tls=rpc.ClientTls(str(authority), "", ""),
            clock=SYSTEM_CLOCK,
        )
        try:
            await Client(channel).say()
        except grpc.aio.AioRpcError:
            return False
        finally:
            await channel.close()
        return True

    tls = rpc.ClientTls(str(first.certificate), "", "")
    async with running(settings=settings, tls=tls, host="localhost") as place:
        port = place.server.port
        assert await reached(port, first.certificate)
        assert not await reached(port, second.certificate)
        shutil.copy(second.certificate, chain)
        shutil.copy(second.key, key)
        assert await reached(port, second.certificate)
        assert not await reached(port, first.certificate)


async def test_clients_without_a_certificate_stay_out_where_one_is_asked_for(
    tmp_path: Path,
) -> None:
    """With an authority for clients, TLS is mutual."""
    own, theirs = self_signed(tmp_path, "server"), self_signed(tmp_path, "client")
    settings = GrpcSettings(
        port=0,
        tls_certificate_file=str(own.certificate),
        tls_key_file=str(own.key),
        tls_client_ca_file=str(theirs.certificate),
    )
    shown = rpc.ClientTls(str(own.certificate), str(theirs.certificate), str(theirs.key))
    silent = rpc.ClientTls(str(own.certificate), "", "")
    async with running(settings=settings, tls=shown, host="localhost") as place:
        await place.client.say()
    async with running(settings=settings, tls=silent, host="localhost") as place:
        with pytest.raises(grpc.aio.AioRpcError):
            await place.client.say(timeout=1.0)


async def test_bytes_that_are_no_message_are_the_callers_error() -> None:
    """The library itself would answer with a failure of the server."""
    async with running() as place:
        say: Any = place.client.channel.unary_unary(SAY)
        many: Any = place.client.channel.unary_stream(MANY)
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await say(b"\x0a\xff\xff")
        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            [_ async for _ in many(b"\x0a\x02\xff\xfe")]
        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        await place.client.say()


async def test_a_request_is_looked_at_before_its_handler_is_asked() -> None:
    """Unary or streaming, what can't be taken is refused with the field and goes no further."""
    asked: list[Any] = []

    async def say(request: Any, context: Any) -> common_pb2.CommandResult:
        asked.append(request)
        return common_pb2.CommandResult()

    async def many(request: Any, context: Any) -> AsyncIterator[common_pb2.CommandResult]:
        asked.append(request)
        yield common_pb2.CommandResult()

    bad = common_pb2.CommandMeta(command_id="a\0b")
    async with running(say, many) as place:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await place.client.say(bad)
        failed = rpc_errors.call_failed(raised.value)
        assert (failed.code, failed.reason) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_COMMAND",
        )
        assert [fault.field for fault in failed.fields] == ["command_id"]
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            [_ async for _ in place.client.many(bad)]
        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert not asked


async def test_the_input_hash_tells_repetitions_from_other_commands() -> None:
    """Same person and content: same hash. Another person, second person or content: another."""
    hashes: list[bytes] = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        hashes.append(rpc.input_hash(request))
        return Result()

    boss = Actor("boss", "GAME_SUPERVISOR")
    with_second = auth.development_credentials(DEALER, second=boss)
    somebody = auth.development_credentials(Actor("ben", "DEALER"))
    promoted = auth.development_credentials(Actor("anna", "GAME_SUPERVISOR"))
    async with running(say) as place:
        await place.client.say()
        await place.client.say()
        await place.client.say(metadata=promoted())
        await place.client.say(metadata=with_second())
        await place.client.say(metadata=somebody())
        await place.client.say(common_pb2.CommandMeta(command_id="two"))
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes)) == 4


def test_positions_are_opaque_and_belong_to_a_service() -> None:
    """A token comes back as it went out; malformed ones and those of others are refused."""
    token = Position("round", 0, 123).token()
    assert read_position(token, service="round", field="min_position") == 123
    assert read_position("", service="round", field="min_position") == 0
    others = Position("wager", 0, 123).token()
    beyond = Position("round", 0, 2**63).token()
    for bad in (others, "123", "%%%", token[:-3], token + "AAAA", beyond):
        with pytest.raises(rpc_errors.InvalidCommand) as raised:
            read_position(bad, service="round", field="min_position")
        assert raised.value.fields[0].field == "min_position"


async def test_the_in_flight_count_is_a_metric() -> None:
    """What is being answered now can be read from outside."""
    release = asyncio.Event()

    async def say(request: common_pb2.CommandMeta, context: Any) -> Result:
        await release.wait()
        return Result()

    telemetry.in_memory()
    async with running(say) as place:
        call = asyncio.ensure_future(place.client.say())
        await until(lambda: place.edge.in_flight == 1)
        assert [point.value for point in points("sabot.rpc.server.in_flight")] == [1]
        release.set()
        await call


async def test_streams_are_measured_too() -> None:
    """A stream is one call with its method and code."""
    telemetry.in_memory()
    async with running() as place:
        assert len([r async for r in place.client.many()]) == 3
        await until(lambda: place.edge.in_flight == 0)
    measured = points("sabot.rpc.server.duration")
    assert any(p.attributes == {"sabot.method": MANY, "sabot.code": "OK"} for p in measured)


async def test_a_method_is_open_to_its_roles_and_closed_where_nobody_said_so() -> None:
    """The handler never runs; the answer says what would be needed, and what the caller has."""
    calls: list[str] = []

    async def say(request: Any, context: Any) -> common_pb2.CommandResult:
        calls.append(request.command_id)
        return common_pb2.CommandResult()

    for access, needed in (({SAY[1:]: frozenset({"AUDITOR"})}, "AUDITOR"), ({}, "that nobody has")):
        async with running(say, access=access) as place:
            with pytest.raises(grpc.aio.AioRpcError) as raised:
                await place.client.say()
        failed = rpc_errors.call_failed(raised.value)
        assert (failed.code, failed.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE")
        assert failed.metadata == {"needed": needed, "has": "DEALER"}
    async with running(say, access={SAY[1:]: frozenset({"DEALER"})}) as place:
        await place.client.say()
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            [answer async for answer in place.client.many()]
    assert raised.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert calls == ["one"]
