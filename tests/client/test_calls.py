"""Calls of the client: command ids, attempts, deadlines, refusals, errors, pages, streams."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import any_pb2
from google.rpc import status_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status

from sabot.common.v1 import common_pb2
from sabot.query.v1 import query_service_pb2 as queries
from sabot.round.v1 import round_service_pb2 as rounds
from sabot.settlement.v1 import settlement_service_pb2 as money
from sabot.wager.v1 import wager_service_pb2 as wagers
from sabot_client import (
    Addresses,
    CallFailed,
    Client,
    Person,
    Refused,
    Timing,
    Tls,
    bearer,
    development,
)
from sabot_client.client import give_ids
from sabot_client.connecting import on_this_machine
from tests.client.fake import PIT, QUICK, Fake, Step, connected, failing

OPEN = rounds.OpenBettingRequest(table_id="T1")
DONE = rounds.OpenBettingResponse(result=common_pb2.CommandResult(position_token="p7"))
Code = grpc.StatusCode


def done(request: Any, context: Any) -> rounds.OpenBettingResponse:
    return DONE


def opening() -> rounds.OpenBettingRequest:
    """A request of one's own: the client writes its id into it."""
    request = rounds.OpenBettingRequest()
    request.CopyFrom(OPEN)
    return request


@pytest.mark.parametrize(
    "code",
    [Code.UNAVAILABLE, Code.ABORTED, Code.RESOURCE_EXHAUSTED, Code.DEADLINE_EXCEEDED],
)
async def test_a_command_is_repeated_under_one_id(code: grpc.StatusCode) -> None:
    """What may have been carried out is sent again as the same command."""
    async with connected() as (client, fake):
        fake.steps.extend([failing(code, "NOT_YET"), failing(code), done])
        answer = await client.command(client.round.OpenBetting, opening())
    ids = [request.meta.command_id for request in fake.requests]
    assert len(ids) == 3
    assert set(ids) == {answer.command_id}
    assert len(answer.command_id) == 36
    assert answer.position_token == "p7"
    assert answer.refusal is None


async def test_a_command_keeps_the_id_that_it_has() -> None:
    """So that it can be repeated by another process."""
    request = opening()
    request.meta.command_id = "mine"
    async with connected() as (client, fake):
        fake.steps.append(done)
        assert (await client.command(client.round.OpenBetting, request)).command_id == "mine"


async def test_every_wager_of_a_list_gets_an_id() -> None:
    """A list of commands may be repeated as one command may."""
    request = wagers.PlaceWagersRequest(
        wagers=[wagers.PlaceWagerRequest(wager_id=each) for each in "ab"]
    )
    give_ids(request)
    ids = [each.meta.command_id for each in request.wagers]
    assert all(ids)
    assert len(set(ids)) == 2
    give_ids(request)
    assert [each.meta.command_id for each in request.wagers] == ids


@pytest.mark.parametrize("code", [Code.INVALID_ARGUMENT, Code.PERMISSION_DENIED, Code.INTERNAL])
async def test_what_a_repetition_does_not_mend_is_not_repeated(code: grpc.StatusCode) -> None:
    """The error is typed, and the service was asked once."""
    async with connected() as (client, fake):
        fake.steps.append(failing(code, "ROLE", field="meta.command_id"))
        with pytest.raises(CallFailed) as raised:
            await client.command(client.round.OpenBetting, opening())
    error = raised.value
    assert len(fake.requests) == 1
    assert (error.code, error.reason, error.domain) == (code, "ROLE", "round.sabot")
    assert error.metadata == {"needed": "DEALER"}
    assert [(each.field, each.problem) for each in error.fields] == [
        ("meta.command_id", "is missing")
    ]
    assert not error.repeatable
    assert "ROLE" in str(error)


async def test_attempts_end_when_the_time_is_up() -> None:
    """A service that is away for good is an error within the time that was given."""
    timing = Timing(attempt_s=0.2, total_s=0.4, pause_s=0.02, pause_s_max=0.05)
    async with connected(timing) as (client, fake):
        fake.steps.append(failing(Code.UNAVAILABLE))
        began = time.monotonic()
        with pytest.raises(CallFailed) as raised:
            await client.call(client.round.GetTable, rounds.GetTableRequest(table_id="T1"))
        assert time.monotonic() - began < 1.5
    assert raised.value.repeatable
    assert raised.value.reason == ""
    assert 3 < len(fake.requests) < 60


async def test_every_attempt_has_a_deadline() -> None:
    """A service that does not answer is asked again, and its answer is waited for so long."""

    async def asleep(request: Any, context: Any) -> None:
        assert 0 < context.time_remaining() <= 0.31
        await asyncio.sleep(30)

    async with connected(Timing(attempt_s=0.3, total_s=5, pause_s=0.01)) as (client, fake):
        fake.steps.extend([asleep, done])
        answer = await client.command(client.round.OpenBetting, opening())
    assert answer.refusal is None
    assert len({request.meta.command_id for request in fake.requests}) == 1
    assert len(fake.requests) == 2


async def test_a_refusal_is_an_answer() -> None:
    """Reason, sentence and clauses; raised only where the caller says that he cannot go on."""

    def refused(request: Any, context: Any) -> rounds.OpenBettingResponse:
        response = rounds.OpenBettingResponse()
        response.result.refusal.reason = "BURN_OWED"
        response.result.refusal.message = "a card is to be burned first"
        response.result.refusal.clauses.append("004:8.2")
        return response

    async with connected() as (client, fake):
        fake.steps.append(refused)
        answer = await client.command(client.round.OpenBetting, opening())
    assert len(fake.requests) == 1
    assert answer.refusal is not None
    assert answer.refusal.clauses == ("004:8.2",)
    with pytest.raises(Refused, match="BURN_OWED: a card"):
        answer.allowed()


async def test_who_calls_is_asked_before_every_attempt() -> None:
    """A token that was renewed meanwhile is the one that is shown."""
    tokens = iter(("old", "new"))

    async def renewed() -> str:
        return next(tokens)

    async with connected() as (client, fake):
        fake.steps.extend([failing(Code.UNAVAILABLE), done])
        acting = client.acting(bearer(renewed, acting_role="DEALER", second="other"))
        await acting.command(acting.round.OpenBetting, opening())
        second = development(Person("dan", "DEALER"), second=Person("petra", "DUTY_MANAGER"))
        await client.acting(second).command(client.acting(second).round.OpenBetting, opening())
    old, new, believed = fake.metadata
    assert (old["authorization"], new["authorization"]) == ("Bearer old", "Bearer new")
    assert new["sabot-acting-role"] == "DEALER"
    assert new["sabot-second-authorization"] == "Bearer other"
    assert "sabot-actor-id" not in new
    assert (believed["sabot-actor-id"], believed["sabot-second-id"]) == ("dan", "petra")


def listed(fake: Fake, *tokens: str) -> None:
    """Pages of coups; each names the next one by its token, the last one by none."""

    def step(page: int, token: str) -> Step:
        coups = [money.Coup(coup_id=f"c{page}")] if page != 1 else []
        return lambda request, context: money.ListCoupsResponse(coups=coups, next_page_token=token)

    fake.steps.extend(step(page, token) for page, token in enumerate(tokens))


async def test_all_pages_are_read() -> None:
    """Also past an empty one, and each once, though a page fails first."""
    async with connected() as (client, fake):
        fake.steps.append(failing(Code.UNAVAILABLE))
        listed(fake, "t1", "t2", "")
        request = money.ListCoupsRequest(table_id="T1", page_size=1)
        found = [
            coup.coup_id
            async for coup in client.items(
                client.settlement.ListCoups, request, lambda page: page.coups
            )
        ]
    assert found == ["c0", "c2"]
    assert [each.page_token for each in fake.requests] == ["", "", "t1", "t2"]
    assert {each.table_id for each in fake.requests} == {"T1"}
    assert not request.page_token, "the caller's request is left alone"


def batches(*cursors: str, broken: bool = False) -> Step:
    """An export that ends, or breaks."""

    def step(request: Any, context: Any) -> list[Any]:
        sent: list[Any] = [queries.ExportCoupsResponse(resume_cursor=each) for each in cursors]
        return [*sent, failing(Code.UNAVAILABLE, "STOPPING")] if broken else sent

    return step


async def test_a_feed_that_breaks_is_taken_up_where_it_was() -> None:
    """The caller sees one feed, and the service is asked for what comes after the last message."""
    async with connected() as (client, fake):
        fake.steps.extend([batches("a", "b", broken=True), failing(Code.UNAVAILABLE), batches("c")])
        request = queries.ExportCoupsRequest(table_id="T1")
        found = [
            batch.resume_cursor async for batch in client.stream(client.query.ExportCoups, request)
        ]
    assert found == ["a", "b", "c"]
    assert [each.resume_cursor for each in fake.requests] == ["", "b", "b"]
    assert not request.resume_cursor, "the caller's request is left alone"


async def test_a_feed_that_was_quiet_for_long_is_taken_up_too() -> None:
    """It was there all the time; what is given up is a feed that is away so long."""

    async def quiet(request: Any, context: Any) -> None:
        await asyncio.sleep(0.5)
        await failing(Code.UNAVAILABLE, "STOPPING")(request, context)

    async with connected(Timing(total_s=0.4, pause_s=0.01)) as (client, fake):
        fake.steps.extend([quiet, batches("a")])
        stream = client.stream(client.query.ExportCoups, queries.ExportCoupsRequest())
        assert [each.resume_cursor async for each in stream] == ["a"]


async def test_a_stream_without_a_cursor_is_not_taken_up() -> None:
    """Else its caller would see its beginning twice."""

    def evidence(request: Any, context: Any) -> list[Any]:
        return [money.GetEvidenceResponse(position=1), failing(Code.UNAVAILABLE, "STOPPING")]

    async with connected() as (client, fake):
        fake.steps.append(evidence)
        with pytest.raises(CallFailed, match="STOPPING"):
            async for _ in client.stream(client.settlement.GetEvidence, money.GetEvidenceRequest()):
                pass
    assert len(fake.requests) == 1


async def test_a_stream_that_nobody_reads_is_cancelled() -> None:
    """A caller who has seen enough leaves no call behind."""
    cancelled = asyncio.Event()

    async def endless(request: Any, context: Any) -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()

    def step(request: Any, context: Any) -> list[Any]:
        return [money.GetEvidenceResponse(position=1), endless]

    async with connected() as (client, fake):
        fake.steps.append(step)
        stream = client.stream(client.settlement.GetEvidence, money.GetEvidenceRequest())
        assert (await anext(stream)).position == 1
        await stream.aclose()
        await asyncio.wait_for(cancelled.wait(), 5)


@pytest.mark.parametrize("second", [False, True])
async def test_a_token_does_not_leave_the_machine_in_plain_text(second: bool) -> None:
    """Unless somebody says that a mesh encrypts; a name that is believed is no secret."""
    secret = bearer("", second="s") if second else bearer("t")
    addresses = Addresses(shoe="127.0.0.1:1", round="[::1]:1", wager="svc:1", settlement="x:1")
    request = rounds.GetTableRequest(table_id="T1")
    quick = Timing(total_s=0.1)
    async with Client.connect(addresses, secret, timing=quick) as client:
        for each in (client, client.acting(secret)):
            with pytest.raises(ValueError, match="not sent in plain text"):
                await each.call(each.round.GetTable, request)
            with pytest.raises(ValueError, match="not sent in plain text"):
                await anext(each.stream(each.query.ExportCoups, queries.ExportCoupsRequest()))
        believed = client.acting(PIT)
        with pytest.raises(CallFailed):
            await believed.call(believed.round.GetTable, request)
    async with Client.connect(addresses, secret, plaintext=True, timing=quick) as told:
        with pytest.raises(CallFailed):
            await told.call(told.round.GetTable, request)


@pytest.mark.parametrize(
    ("target", "here"),
    [
        ("127.0.0.1:1", True),
        ("localhost:1", True),
        ("[::1]:1", True),
        ("ipv6:[::1]:1", True),
        ("unix:/run/x.sock", True),
        ("dns:///localhost:1", True),
        ("ipv4:127.0.0.1:1,10.0.0.1:1", False),
        ("dns:///sabot:1", False),
        ("127.0.0.1.example:1", False),
        ("localhost.example:1", False),
        ("10.0.0.1:1", False),
    ],
)
def test_what_stays_on_this_machine_is_known(target: str, here: bool) -> None:
    """By its address, not by how it begins."""
    assert on_this_machine(target) is here


def test_tls_is_read_from_the_environment() -> None:
    """None of it is plain text."""
    assert Tls.from_environment({}) is None
    found = Tls.from_environment({"SABOT_CLIENT_CA_FILE": "/ca.pem"})
    assert found == Tls(ca=Path("/ca.pem"))


async def test_pages_that_lead_to_themselves_end() -> None:
    """A list is not read for ever."""
    async with connected() as (client, fake):
        fake.steps.append(lambda request, context: money.ListCoupsResponse(next_page_token="t"))
        pages = client.pages(client.settlement.ListCoups, money.ListCoupsRequest())
        await anext(pages)
        await anext(pages)
        with pytest.raises(CallFailed, match="leads to itself"):
            await anext(pages)


async def test_a_message_without_a_cursor_does_not_take_a_feed_back_to_its_beginning() -> None:
    """It is taken up behind the last one that had one."""
    async with connected() as (client, fake):
        fake.steps.extend([batches("a", "", broken=True), batches("b")])
        stream = client.stream(client.query.ExportCoups, queries.ExportCoupsRequest())
        assert [each.resume_cursor async for each in stream] == ["a", "", "b"]
        assert [each.resume_cursor for each in fake.requests] == ["", "a"]


async def test_a_faulty_detail_leaves_code_and_message() -> None:
    """An error is told, whatever its details are."""

    async def garbled(request: Any, context: Any) -> None:
        detail = any_pb2.Any(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=b"\xff")
        status = status_pb2.Status(code=5, message="gone", details=[detail])
        await context.abort_with_status(rpc_status.to_status(status))

    async with connected() as (client, fake):
        fake.steps.append(garbled)
        with pytest.raises(CallFailed, match="NOT_FOUND: gone"):
            await client.call(client.round.GetTable, rounds.GetTableRequest())


def test_times_are_bounded() -> None:
    """Pauses grow up to their bound and never to nothing."""
    pauses = [QUICK.pause_after(attempt) for attempt in range(1, 200)]
    assert all(0 < each <= QUICK.pause_s_max for each in pauses)
    assert max(pauses[:1]) <= QUICK.pause_s
    with pytest.raises(ValueError, match="above 0"):
        Timing(total_s=0)


def test_addresses_say_what_is_missing() -> None:
    """All of it at once."""
    found = {"SABOT_SHOE_TARGET": "a:1", "SABOT_ROUND_TARGET": "b:1"}
    with pytest.raises(ValueError, match="SABOT_WAGER_TARGET, SABOT_SETTLEMENT_TARGET"):
        Addresses.from_environment(found)
