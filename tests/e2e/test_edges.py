"""What comes in at the edge of the running services: odd requests, early wagers, many in one call."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio

from sabot.common.v1 import common_pb2
from sabot.round.v1 import round_service_pb2
from sabot.settlement.v1 import settlement_service_pb2
from sabot.wager.v1 import wager_service_pb2, wallet_service_pb2
from services.chassis.auth import development_credentials
from services.chassis.rpc_errors import CallFailed, call_failed
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, PIT, Desk, player
from tests.e2e.support import fresh, value

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

CODES = grpc.StatusCode


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


async def table_with_shoe(services: Services, **fields: Any) -> Desk:
    """A table in TEST mode, played live, with a shoe that the platform shuffled."""
    desk = Desk(services, fresh("edge"))
    await desk.open("nsw-mini", mode="TEST", decks=8, **fields)
    await desk.act("round", "AssignDealer", PIT, dealer=DEALER.id)
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=f"{desk.table_id}-1",
        source="GENERATED",
        stands_for_preparation=True,
    )
    await desk.waits_for("")
    return desk


async def failure(call: Any) -> CallFailed:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    return call_failed(raised.value)


def wager(desk: Desk, wager_id: str, **fields: Any) -> wager_service_pb2.PlaceWagerRequest:
    values = {
        "table_id": desk.table_id,
        "wager_id": wager_id,
        "player": f"{desk.table_id}.a",
        "area": "BANKER",
        "amount_minor": 1_000,
        **fields,
    }
    request = wager_service_pb2.PlaceWagerRequest(**values)
    request.meta.command_id = fresh("c")
    return request


async def test_a_wager_before_the_book_is_known_may_come_again(
    stack: Stack, services: Services
) -> None:
    """D5: nothing is stored of it, so the same id is taken when betting is open.

    N-3: nor does it harm that a stranger was refused under the id, or rejected; and he is never
    told what became of somebody else's wager.
    """
    desk = await table_with_shoe(services)
    await desk.fund("a", 10_000)
    await desk.act("round", "TakeSeat", player(f"{desk.table_id}.a"), seat=1,
                   player=f"{desk.table_id}.a")  # fmt: skip
    early = wager(desk, "w1")
    me = development_credentials(player(f"{desk.table_id}.a"))()
    place = services.stub("wager").PlaceWager
    failed = await failure(place(early, metadata=me))
    assert (failed.code, failed.reason) == (CODES.UNAVAILABLE, "NOT_YET")
    assert failed.may_retry
    stored = await value(
        stack,
        "wager",
        "select count(*) from commands where command_key like $1",
        f"wager/{desk.table_id}%",
    )
    assert stored == 0
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
    for name, whose, said in (("b", "a", ("ROLE", "")), ("c", "c", ("", "UNKNOWN_AREA"))):
        theirs = wager(desk, "w1", player=f"{desk.table_id}.{whose}", area="NOWHERE")
        theirs.meta.command_id = early.meta.command_id
        stranger = development_credentials(player(f"{desk.table_id}.{name}"))()
        answer = await place(theirs, metadata=stranger)
        assert (answer.result.refusal.reason, answer.code) == said
    assert (await place(early, metadata=me)).status == "ACCEPTED"
    assert (await place(early, metadata=me)).result.duplicate
    copied = wager_service_pb2.PlaceWagerRequest()
    copied.CopyFrom(early)
    copied.meta.command_id = fresh("c")
    stranger = development_credentials(player(f"{desk.table_id}.e"))()
    answer = await place(copied, metadata=stranger)
    assert (answer.result.refusal.reason, answer.status) == ("ROLE", "")
    taken = wager(desk, "w1", player=f"{desk.table_id}.d")
    stranger = development_credentials(player(f"{desk.table_id}.d"))()
    assert (await place(taken, metadata=stranger)).result.refusal.reason == "DUPLICATE"
    await desk.act("round", "CallNoMoreBets", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase != "OPEN", "the close")
    late = await place(wager(desk, "w2"), metadata=me)
    assert (late.status, late.code) == ("REJECTED", "LATE")


async def test_one_bad_wager_of_several_spoils_no_other(services: Services) -> None:
    """Each is answered alone, in order; what was malformed left nothing, and its id is free."""
    desk = await table_with_shoe(services)
    name = f"{desk.table_id}.a"
    await desk.fund("a", 10_000)
    await desk.act("round", "TakeSeat", player(name), seat=1, player=name)
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
    by = development_credentials(DEALER)()
    wagers = [
        wager(desk, "w1"),
        wager(desk, "w2", player="\0"),
        wager(desk, "w3", player=""),
        wager(desk, "w4", table_id="no/table"),
        wager(desk, "w5", area="MOON"),
        wager(desk, "w6", channel="PIGEON"),
        wager(desk, "w7", amount_minor=-1),
        wager(desk, "w8", coup_id=f"{desk.table_id}:1:7"),
        wager(desk, "w1", amount_minor=2_000),
        wager(desk, "w9", area="TIE"),
    ]
    request = wager_service_pb2.PlaceWagersRequest(wagers=wagers)
    answers = (await services.stub("wager").PlaceWagers(request, metadata=by)).responses
    told = [
        (a.error.code, a.error.reason)
        if a.HasField("error")
        else (a.result.refusal.reason or a.code or a.status,)
        for a in answers
    ]
    invalid = ("INVALID_ARGUMENT", "INVALID_COMMAND")
    assert told == [
        ("ACCEPTED",),
        invalid,
        invalid,
        invalid,
        ("UNKNOWN_AREA",),
        ("UNKNOWN",),
        invalid,
        ("UNAVAILABLE", "NOT_YET"),
        ("DUPLICATE",),
        ("ACCEPTED",),
    ]
    assert [a.error.message.split(" ")[0] for a in answers if a.HasField("error")] == [
        "player",
        "player",
        "table_id",
        "amount_minor",
        "the",
    ]
    book = await desk.look("wager", "GetBook")
    assert [(live.wager_id, live.stake_minor) for live in book.wagers] == [
        ("w1", 1_000),
        ("w9", 1_000),
    ]
    again = wager_service_pb2.PlaceWagersRequest(wagers=[wager(desk, "w2", area="PLAYER_PAIR")])
    answers = (await services.stub("wager").PlaceWagers(again, metadata=by)).responses
    assert not answers[0].HasField("error")


async def test_a_slip_is_answered_whole_and_paid_once(services: Services) -> None:
    """All of it or none, by one debit; asked again, it is answered as before."""
    desk = await table_with_shoe(services)
    name = f"{desk.table_id}.a"
    await desk.fund("a", 3_000)
    await desk.act("round", "TakeSeat", player(name), seat=1, player=name)
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")

    async def slip(slip_id: str, *stakes: tuple[str, int], command_id: str = "") -> Any:
        wagers = [{"area": area, "amount_minor": amount} for area, amount in stakes]
        told = (("sabot-context", "operator=acme,session=s1"),)
        return await desk.ask(
            "wager", "PlaceSlip", player(name), metadata=told, command_id=command_id,
            slip_id=slip_id, player=name, wagers=wagers,
        )  # fmt: skip

    both = ("BANKER", 1_000), ("TIE", 500)
    taken = await slip("s1", *both, command_id=f"{desk.table_id}:slip")
    assert (taken.status, list(taken.wager_ids)) == ("ACCEPTED", ["s1#slip-1", "s1#slip-2"])
    again = await slip("s1", *both, command_id=f"{desk.table_id}:slip")
    assert (again.status, again.result.duplicate) == ("ACCEPTED", True)
    other = await slip("s1", ("BANKER", 1_000))
    assert other.result.refusal.reason == "DUPLICATE"
    for stakes, code in (
        ((("TIE", 500), ("MOON", 100)), "UNKNOWN_AREA"),
        ((("BANKER", 1_000), ("TIE", 501)), "INSUFFICIENT_FUNDS"),
    ):
        no = await slip(f"s-{code}", *stakes)
        assert (no.status, no.code) == ("REJECTED", code)
    for bad in ("a\n", ""):
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await slip(bad, *both)
        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert await desk.balance("a") == 1_500
    await desk.act("wager", "CancelWager", player(name), wager_id="s1#slip-2")
    assert await desk.balance("a") == 2_000
    book = await desk.look("wager", "GetBook")
    assert [(live.wager_id, live.stake_minor) for live in book.wagers] == [("s1#slip-1", 1_000)]


@pytest.mark.parametrize("text", ["\0", "x" * 100_000])
async def test_queries_refuse_ids_that_cannot_be(services: Services, text: str) -> None:
    """No such text reaches the database; the field that holds it is named."""
    by = development_credentials(PIT)()
    settlement = settlement_service_pb2
    for stub, call, request, field in (
        ("settlement", "GetCoup", settlement.GetCoupRequest(coup_id=text), "coup_id"),
        ("settlement", "RebuildCoup", settlement.RebuildCoupRequest(coup_id=text), "coup_id"),
        (
            "settlement",
            "ListCoups",
            settlement.ListCoupsRequest(table_id="t", page_token=text),
            "page_token",
        ),
        (
            "wallet",
            "ListMovements",
            wallet_service_pb2.ListMovementsRequest(player="p", currency="EUR", page_token=text),
            "page_token",
        ),
        (
            "round",
            "GetTableProgress",
            round_service_pb2.GetTableProgressRequest(table_id=text),
            "table_id",
        ),
        (
            "wager",
            "ListCommandEvents",
            wager_service_pb2.ListCommandEventsRequest(table_id="t", command_ids=[text]),
            "command_ids[0]",
        ),
    ):
        failed = await failure(getattr(services.stub(stub), call)(request, metadata=by))
        assert failed.code is CODES.INVALID_ARGUMENT, call
        assert [fault.field for fault in failed.fields] == [field]


async def test_page_tokens_that_are_no_numbers_are_refused(services: Services) -> None:
    """Numbers beyond any column, digits of other scripts, halves of tokens."""
    by = development_credentials(PIT)()
    for token in ("9" * 40, "1.", ".1", "1.2.", "1.2.a b", "٣.٣.T", "-1.-1.T", "1.9999999999"):
        request = settlement_service_pb2.ListCoupsRequest(table_id="t", page_token=token)
        failed = await failure(services.stub("settlement").ListCoups(request, metadata=by))
        assert failed.code is CODES.INVALID_ARGUMENT, token


async def test_nobody_acts_in_a_role_that_does_not_exist(services: Services) -> None:
    """The person would be stored with the event for ever."""
    request = round_service_pb2.OpenTableRequest(
        table_id=fresh("edge"), rulebook_id="nsw-mini", mode="TEST", currency="EUR"
    )
    request.meta.command_id = fresh("c")
    request.meta.recorded.CopyFrom(
        common_pb2.Recorded(at_us=1, by=common_pb2.Actor(id="x", role="WIZARD"))
    )
    failed = await failure(services.stub("round").OpenTable(request))
    assert failed.code is CODES.INVALID_ARGUMENT
    assert [fault.field for fault in failed.fields] == ["meta.recorded.by.role"]
    assert "DUTY_MANAGER" in failed.fields[0].problem


@pytest.mark.parametrize("currency", ["eur", "Eur", " EUR", "XYZ", ""])
async def test_a_currency_has_one_name_and_a_player_one_account_in_it(
    services: Services, currency: str
) -> None:
    """Written otherwise it would be a second account, out of which no wager is paid."""
    player_id = fresh("p")
    request = wallet_service_pb2.FundAccountRequest(
        movement_id=f"{player_id}/1", player=player_id, currency=currency, amount_minor=100
    )
    refused = await failure(
        services.stub("wallet").FundAccount(request, metadata=development_credentials(PIT)())
    )
    assert refused.code is CODES.INVALID_ARGUMENT
    assert "currency" in refused.message
