"""Errors of calls: what a handler raises, and what the caller learns of it."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import grpc
import pytest

from sabot.common.v1 import common_pb2
from services.chassis import auth, executor, logs, rpc_errors, telemetry
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import GrpcSettings
from services.chassis.projection import RebuildRuns
from services.chassis.registry import BodyTooLarge
from services.chassis.rpc_errors import CallFailed, FieldFault, call_failed
from services.chassis.store import ConcurrencyConflict, StoreUnavailable
from services.contracts.core import Actor, NotYet, Refused
from tests.chassis.edge import REQUEST, running, until

CODES = grpc.StatusCode


async def failure_of(call: Any) -> CallFailed:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    return call_failed(raised.value)


async def failure(error: BaseException) -> CallFailed:
    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        raise error

    async with running(say) as place:
        return await failure_of(place.client.say())


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    logs.configure(service="test", level="info", clock=SYSTEM_CLOCK, stream=stream)
    yield stream
    logs.configure(service="test", level="info", clock=SYSTEM_CLOCK, stream=io.StringIO())


EDGE_ERRORS = [
    (rpc_errors.InvalidCommand, CODES.INVALID_ARGUMENT),
    (rpc_errors.NotFound, CODES.NOT_FOUND),
    (rpc_errors.CommandIdReused, CODES.ALREADY_EXISTS),
    (rpc_errors.NotAllowedHere, CODES.FAILED_PRECONDITION),
    (rpc_errors.Conflict, CODES.ABORTED),
    (rpc_errors.Overloaded, CODES.RESOURCE_EXHAUSTED),
    (rpc_errors.Unavailable, CODES.UNAVAILABLE),
    (rpc_errors.TooLate, CODES.DEADLINE_EXCEEDED),
    (rpc_errors.Unauthenticated, CODES.UNAUTHENTICATED),
    (rpc_errors.PermissionDenied, CODES.PERMISSION_DENIED),
]


@pytest.mark.parametrize(("kind", "code"), EDGE_ERRORS)
async def test_every_class_of_the_model_arrives_whole(
    kind: type[rpc_errors.EdgeError], code: grpc.StatusCode
) -> None:
    """Code, reason, message, domain and metadata of an error survive the wire."""
    failed = await failure(kind("what is wrong", metadata={"needed": "x"}))
    assert failed.code is code
    assert (failed.reason, failed.message) == (kind.reason, "what is wrong")
    assert (failed.domain, failed.metadata) == ("test.sabot", {"needed": "x"})


OTHERS = [
    (
        BodyTooLarge("900001 bytes"),
        CODES.INVALID_ARGUMENT,
        "INVALID_COMMAND",
        "what follows from it would not fit into one event",
    ),
    (RebuildRuns("stories"), CODES.ABORTED, "REBUILD_RUNS", "a rebuild of stories runs already"),
    (NotYet("no such coup heard of"), CODES.UNAVAILABLE, "NOT_YET", "no such coup heard of"),
    (ConcurrencyConflict("taken: x"), CODES.ABORTED, "CONFLICT", "others wrote first"),
    (StoreUnavailable("host db7"), CODES.UNAVAILABLE, "UNAVAILABLE", "the database is away"),
    (executor.Overloaded("many"), CODES.RESOURCE_EXHAUSTED, "OVERLOADED", "many"),
    (
        asyncpg.TooManyConnectionsError("x"),
        CODES.RESOURCE_EXHAUSTED,
        "OVERLOADED",
        "no database connection is free",
    ),
    # Its base class stands in the table, not the class itself.
    (
        asyncpg.ConnectionDoesNotExistError("secret host"),
        CODES.UNAVAILABLE,
        "UNAVAILABLE",
        "the database is away",
    ),
    (
        asyncpg.InternalClientError("cannot switch to state 15"),
        CODES.UNAVAILABLE,
        "UNAVAILABLE",
        "the database is away",
    ),
    (
        ConnectionResetError("peer 10.0.0.1"),
        CODES.UNAVAILABLE,
        "UNAVAILABLE",
        "a connection was lost",
    ),
]


@pytest.mark.parametrize(("error", "code", "reason", "message"), OTHERS)
async def test_exceptions_of_others_are_translated_without_their_texts(
    error: Exception, code: grpc.StatusCode, reason: str, message: str
) -> None:
    """What a library raised becomes the model's code, and its inner texts stay inside."""
    failed = await failure(error)
    assert (failed.code, failed.reason, failed.message) == (code, reason, message)


async def test_fields_that_are_wrong_are_named() -> None:
    """A caller can tell which fields to mend."""
    fields = [FieldFault("meta.command_id", "is missing"), FieldFault("amount", "is negative")]
    failed = await failure(rpc_errors.InvalidCommand("two faults", fields=fields))
    assert list(failed.fields) == fields


async def test_a_refusal_outside_a_command_keeps_reason_and_clauses() -> None:
    """A refused query is FAILED_PRECONDITION under the reason of the rules."""
    failed = await failure(Refused("BURN_OWED", "burn first", ("004:12.4", "004:12.5")))
    assert failed.code is CODES.FAILED_PRECONDITION
    assert (failed.reason, failed.metadata) == ("BURN_OWED", {"clauses": "004:12.4,004:12.5"})


async def test_a_bug_tells_the_caller_nothing_and_the_log_everything(lines: io.StringIO) -> None:
    """INTERNAL carries only the trace id, and the log line with the same id has the cause."""
    telemetry.in_memory()
    failed = await failure(KeyError("ace of spades"))
    assert (failed.code, failed.reason, failed.message) == (
        CODES.INTERNAL,
        "INTERNAL",
        "internal error",
    )
    logged = [json.loads(line) for line in lines.getvalue().splitlines()]
    (line,) = [line for line in logged if line["event"] == "a handler failed"]
    assert line["trace_id"] == failed.metadata["trace_id"]
    assert "ace of spades" in line["exception"]
    assert "ace of spades" not in failed.message + str(failed.metadata)


async def test_an_abort_of_the_handler_is_left_alone() -> None:
    """A handler that ends the call by itself is not taken for a failing one."""

    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        await context.abort(CODES.OUT_OF_RANGE, "its own words")
        raise AssertionError("an abort does not return")

    async with running(say) as place:
        failed = await failure_of(place.client.say())
        assert (failed.code, failed.message, failed.reason) == (
            CODES.OUT_OF_RANGE,
            "its own words",
            "",
        )
        await until(lambda: place.edge.in_flight == 0)


async def test_errors_of_streams_are_answered_in_the_model_too() -> None:
    """A stream that fails after its first answer ends with the model's error."""

    async def many(request: common_pb2.CommandMeta, context: Any) -> Any:
        yield common_pb2.CommandResult()
        raise rpc_errors.NotFound("gone")

    async with running(many=many) as place:
        stream = place.client.many()
        assert await stream.read() == common_pb2.CommandResult()
        failed = await failure_of(stream.read())
        assert (failed.code, failed.reason) == (CODES.NOT_FOUND, "NOT_FOUND")


async def test_errors_of_the_transport_can_be_read() -> None:
    """A call that no handler answered has a code and an empty reason."""
    async with running() as place:
        call: Any = place.client.channel.unary_unary("/test.v1.TestService/Nothing")
        failed = await failure_of(call(b""))
        assert (failed.code, failed.reason, failed.fields) == (CODES.UNIMPLEMENTED, "", ())
        assert not failed.may_retry


async def test_work_without_time_is_refused_before_it_begins() -> None:
    """A call whose remaining time is below the floor never reaches its handler."""
    reached = []

    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        reached.append(request)
        return common_pb2.CommandResult()

    settings = GrpcSettings(port=0, deadline_floor_ms=2_000)
    async with running(say, settings=settings) as place:
        failed = await failure_of(place.client.say(timeout=1.0))
        assert (failed.code, failed.reason) == (CODES.DEADLINE_EXCEEDED, "DEADLINE_TOO_SHORT")
        assert not reached
        await place.client.say(timeout=4.0)
        assert len(reached) == 1


async def test_an_answer_is_bounded_even_if_the_caller_waits_for_ever() -> None:
    """A call without a deadline, or with a distant one, ends at the server's own limit."""

    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        await asyncio.sleep(30)
        return common_pb2.CommandResult()

    settings = GrpcSettings(port=0, call_time_s_max=0.1)
    async with running(say, settings=settings) as place:
        failed = await failure_of(place.client.say(timeout=20))
        assert (failed.code, failed.reason) == (CODES.DEADLINE_EXCEEDED, "TOO_SLOW")


async def test_more_calls_than_allowed_are_told_to_back_off() -> None:
    """Beyond the limit of calls in flight the answer is RESOURCE_EXHAUSTED, and then room is free."""
    release = asyncio.Event()

    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        await release.wait()
        return common_pb2.CommandResult()

    settings = GrpcSettings(port=0, in_flight_max=2)
    async with running(say, settings=settings) as place:
        held = [asyncio.ensure_future(place.client.say()) for _ in range(2)]
        await until(lambda: place.edge.in_flight == 2)
        failed = await failure_of(place.client.say())
        assert (failed.code, failed.reason) == (CODES.RESOURCE_EXHAUSTED, "OVERLOADED")
        release.set()
        await asyncio.gather(*held)
        await place.client.say()


async def test_one_caller_cannot_take_all_places() -> None:
    """His share is named and refused beyond; others come in meanwhile, and what ended is free."""
    release = asyncio.Event()

    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        await release.wait()
        return common_pb2.CommandResult()

    async def watch(request: common_pb2.CommandMeta, context: Any) -> Any:
        await release.wait()
        yield common_pb2.CommandResult()

    settings = GrpcSettings(port=0, in_flight_max=4, in_flight_per_caller_max=2)
    other = auth.development_credentials(Actor("other", "DEALER"))
    async with running(say, watch, settings=settings) as place:
        held = [asyncio.ensure_future(place.client.say())]
        stream = asyncio.ensure_future(anext(aiter(place.client.many())))
        await until(lambda: place.edge.in_flight == 2)
        failed = await failure_of(place.client.say())
        assert (failed.code, failed.reason) == (CODES.RESOURCE_EXHAUSTED, "OVERLOADED")
        assert failed.metadata["setting"] == "SABOT_GRPC_IN_FLIGHT_PER_CALLER_MAX"
        assert failed.metadata["caller"] in failed.message
        held += [asyncio.ensure_future(place.client.say(metadata=other())) for _ in range(2)]
        await until(lambda: place.edge.in_flight == 4)
        assert set(place.edge.callers.values()) == {2}
        release.set()
        await asyncio.gather(*held, stream)
        await place.client.say()
        await until(lambda: place.edge.callers == {})


async def test_a_request_that_is_too_large_is_refused() -> None:
    """The limit of a message holds on the server."""
    settings = GrpcSettings(port=0, request_bytes_max=1024)
    async with running(settings=settings) as place:
        large = common_pb2.CommandMeta(command_id="x" * 2_000)
        failed = await failure_of(place.client.say(large))
        assert failed.code is CODES.RESOURCE_EXHAUSTED


async def test_who_is_not_signed_in_gets_no_further() -> None:
    """Without an identity no handler runs."""
    async with running(credentials=lambda: ()) as place:
        failed = await failure_of(place.client.say(REQUEST))
        assert (failed.code, failed.reason) == (CODES.UNAUTHENTICATED, "UNAUTHENTICATED")


async def test_a_missing_role_is_named() -> None:
    """Who lacks a role learns which one is needed."""

    async def say(request: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        auth.require_role("AUDITOR", "INSPECTOR")
        return common_pb2.CommandResult()

    async with running(say) as place:
        failed = await failure_of(place.client.say())
        assert (failed.code, failed.reason) == (CODES.PERMISSION_DENIED, "ROLE")
        assert failed.metadata == {"needed": "AUDITOR, INSPECTOR", "has": "DEALER"}
