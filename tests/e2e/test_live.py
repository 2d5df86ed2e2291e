"""Live tables through calls: clocks, money, cards that nobody may know, and one trace."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
import pytest_asyncio

from sabot.common.v1 import common_pb2
from sabot.shoe.v1 import shoe_service_pb2
from services.chassis import envelope
from services.chassis.topics import topic
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e import secrecy
from tests.e2e.desk import DEALER, DECKS, PIT, Desk, betting, dealt, player, prepared
from tests.e2e.forging import kafka
from tests.e2e.support import database, fresh, rows, sabot, until, value
from tests.integration.messaging.rig import read_topic

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

BETTING_S = 2


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


async def live_table(services: Services) -> Desk:
    """A studio's table whose betting closes by the clock, with a shoe that is read card by card."""
    desk = Desk(services, fresh("live"))
    await desk.open("live-studio", decks=DECKS, betting_seconds=BETTING_S)
    await prepared(desk)
    await desk.act("shoe", "LoadShoe", DEALER, shoe_id=f"{desk.table_id}-1", source="SCANNED")
    await desk.waits_for("")
    return desk


async def test_the_clock_closes_betting_and_a_wager_after_it_is_late(services: Services) -> None:
    """Nobody calls: the timer of the table does it, in its time, and money is exact at the end."""
    desk = await live_table(services)
    await desk.fund("a", 5_000)
    await desk.fund("b", 5_000)
    began = time.monotonic()
    await betting(desk)
    assert (await desk.wager("w1", "a", "PLAYER", 1_000)).status == "ACCEPTED"
    assert (await desk.wager("w2", "b", "BANKER", 1_000)).status == "ACCEPTED"
    await desk.in_phase("DEALING")
    assert BETTING_S <= time.monotonic() - began < BETTING_S + 10
    late = await desk.wager("w3", "a", "TIE", 500)
    assert (late.status, late.code) == ("REJECTED", "LATE")
    assert late.message
    await dealt(desk, "9S", "7D", "KD", "TC")
    await desk.act("round", "AnnounceResult", DEALER, winner="PLAYER")
    await desk.coup_over()

    async def paid() -> bool:
        return (await desk.balance("a"), await desk.balance("b")) == (6_000, 4_000)

    await until(paid, what="the winner to be paid")


async def test_a_live_table_takes_no_order_from_outside_and_no_borrowed_person(
    services: Services,
) -> None:
    """Both would choose outcomes or names; they belong to recordings."""
    desk = Desk(services, fresh("live"))
    await desk.open("live-studio", decks=DECKS)
    await prepared(desk)
    answer = await desk.ask(
        "shoe", "LoadShoe", DEALER, shoe_id="s", source="PRESET", order=["9S", "7D"], partial=True
    )
    assert answer.result.refusal.reason == "NOT_PERMITTED", answer
    request = shoe_service_pb2.LoadShoeRequest(
        table_id=desk.table_id, shoe_id="s", source="SCANNED"
    )
    request.meta.command_id = fresh("recorded")
    request.meta.recorded.CopyFrom(
        common_pb2.Recorded(at_us=1, by=common_pb2.Actor(id="x", role="DEALER"))
    )
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await services.stub("shoe").LoadShoe(request)
    assert refused.value.code() in {
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.FAILED_PRECONDITION,
    }
    assert (await desk.look("shoe", "GetShoe")).shoe_id == ""


async def test_of_two_live_tables_one_bears_a_number(services: Services) -> None:
    """A-12: the second is refused until the first is closed, and a recording bears it beside them."""
    number = fresh("number")
    first, second, third, trial = (Desk(services, fresh("numbered")) for _ in range(4))
    wanted: dict[str, Any] = {"rulebook_id": "live-studio", "table_number": number}
    await first.open("live-studio", table_number=number)
    refused = (await second.ask("round", "OpenTable", PIT, **wanted)).result.refusal
    assert (refused.reason, list(refused.clauses)) == ("DUPLICATE", ["000:1.2.2"])
    assert first.table_id in refused.message
    await trial.open("live-studio", mode="TEST", table_number=number)
    await first.act("round", "CloseTable", PIT, exemption="no cards were out")
    answers = await asyncio.gather(
        *(desk.ask("round", "OpenTable", PIT, **wanted) for desk in (second, third))
    )
    reasons = sorted(answer.result.refusal.reason for answer in answers)
    assert reasons == ["", "DUPLICATE"]
    tables = [await desk.look("round", "GetTable") for desk in (second, third)]
    assert [table.open for table in tables].count(True) == 1


async def test_a_generated_shoe_gives_no_card_before_the_book_is_closed(
    stack: Stack, services: Services, tmp_path: Path
) -> None:
    """Asked for a card while wagers are taken, it refuses, and after the call it waits for the book."""
    desk = Desk(services, fresh("generated"))
    await desk.open("nsw-mini", mode="TEST", decks=DECKS)
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=f"{desk.table_id}-1",
        source="GENERATED",
        stands_for_preparation=True,
    )
    await desk.waits_for("")
    await betting(desk)
    await desk.fund("a", 1_000)
    assert (await desk.wager("w1", "a", "TIE", 1_000)).status == "ACCEPTED"
    for _ in range(2):
        early = await desk.ask("shoe", "DrawCard", DEALER)
        assert early.result.refusal.reason == "STATE", early
    assert (await desk.wager("w2", "a", "TIE", 100)).code == "INSUFFICIENT_FUNDS"
    await desk.act("round", "CallNoMoreBets", DEALER)
    assert (await desk.ask("shoe", "DrawCard", DEALER)).draw_number == 0
    await desk.act("round", "DealCoup", DEALER)
    await desk.coup_over()
    heard = (
        "select version, type = 'card-drawn' from events where stream_id = $1 and (type = "
        "'card-drawn' or position(convert_to('\"dealing-opened\"', 'UTF8') in body) > 0) "
        "order by version"
    )
    order = [row[1] for row in await rows(stack, "shoe", heard, desk.table_id)]
    assert order[0] is False
    # Four to six that the coup needs, and perhaps the one that was asked for besides.
    assert all(order[1:])
    assert 4 <= len(order[1:]) <= 7
    shoe_id = f"{desk.table_id}-1"
    assert sabot(stack, "shoe", "proof", desk.table_id, "S9").returncode == 1
    proof = sabot(stack, "shoe", "proof", desk.table_id, shoe_id)
    assert proof.returncode == 0, proof.stderr
    assert "shoe-committed" in proof.stdout
    assert "shoe-revealed" not in proof.stdout, "not before the shoe has ended"
    await desk.act("shoe", "LoadShoe", DEALER, shoe_id=f"{desk.table_id}-2", source="GENERATED",
                   stands_for_preparation=True)  # fmt: skip
    file = tmp_path / "proof"
    file.write_text(sabot(stack, "shoe", "proof", desk.table_id, shoe_id).stdout)
    checked = sabot(stack, "shoe", "check", str(file))
    assert checked.returncode == 0, checked.stdout
    assert "8 decks" in checked.stdout


async def test_a_stake_that_nobody_can_pay_is_rejected_and_moves_nothing(
    services: Services,
) -> None:
    """The wager and its debit are one transaction; what is left can still be staked."""
    desk = await live_table(services)
    await desk.fund("a", 700)
    await betting(desk)
    poor = await desk.wager("w1", "a", "PLAYER", 1_000)
    assert (poor.status, poor.code) == ("REJECTED", "INSUFFICIENT_FUNDS")
    assert await desk.balance("a") == 700
    assert (await desk.wager("w2", "a", "PLAYER", 700)).status == "ACCEPTED"
    assert await desk.balance("a") == 0
    again = await desk.wager("w1", "a", "PLAYER", 1_000)
    assert (again.status, again.code) == ("REJECTED", "INSUFFICIENT_FUNDS")


async def test_a_player_who_is_barred_from_the_casino_stakes_at_no_live_table(
    services: Services,
) -> None:
    """F-169: the bar is given at one table, and the wager is rejected at another."""
    first, second = await live_table(services), await live_table(services)
    await first.fund("a", 1_000)
    await first.fund("b", 1_000)
    names = [f"{first.table_id}.{name}" for name in ("a", "b")]
    await first.act(
        "wager", "BarPlayer", PIT, player=names[0], scope="CASINO", reason="PROHIBITED_DEVICE"
    )
    await betting(second)
    answers = [
        await second.ask(
            "wager",
            "PlaceWager",
            player(name),
            wager_id=name,
            player=name,
            area="PLAYER",
            amount_minor=1_000,
        )
        for name in names
    ]
    assert [answer.status for answer in answers] == ["REJECTED", "ACCEPTED"]
    assert answers[0].code == "BARRED"
    assert [await first.balance(name) for name in ("a", "b")] == [1_000, 0]


# --- credits ---


async def won(services: Services) -> Desk:
    """A coup that is drawn but for its last card, in which `a` wins 1,000 and `b` loses as much."""
    desk = await live_table(services)
    await desk.fund("a", 1_000)
    await desk.fund("b", 1_000)
    await betting(desk)
    assert (await desk.wager("w1", "a", "PLAYER", 1_000)).status == "ACCEPTED"
    assert (await desk.wager("w2", "b", "BANKER", 1_000)).status == "ACCEPTED"
    await dealt(desk, "9S", "7D", "KD")
    return desk


CREDITS = "select count(*) from movements where kind = 'CREDIT' and table_id = $1"
SETTLED = "select count(*) from events where stream_id = $1 and type = 'coup-settled'"


async def finished(stack: Stack, desk: Desk) -> None:
    """The last card, and settlement's decision."""
    await desk.act("shoe", "DrawCard", DEALER, card="TC")
    await desk.until("round", "GetTable", lambda table: len(table.banker) == 2, "the last card")
    await desk.act("round", "AnnounceResult", DEALER)

    async def settled() -> bool:
        return bool(await value(stack, "settlement", SETTLED, desk.table_id))

    await until(settled, what="the coup to be settled")


async def paid_once(stack: Stack, desk: Desk) -> None:
    async def paid() -> bool:
        return await desk.balance("a") == 2_000

    await until(paid, what="the credit to arrive")
    await desk.until(
        "settlement",
        "GetTableProgress",
        lambda answer: answer.progress.open_wallet_movements == 0,
        "no credit to be open",
    )
    await asyncio.sleep(0.3)
    assert await value(stack, "wager", CREDITS, desk.table_id) == 1
    assert (await desk.balance("a"), await desk.balance("b")) == (2_000, 0)


async def test_a_credit_arrives_once_though_settlement_dies_before_it_was_sent(
    stack: Stack, services: Services
) -> None:
    """The event is stored, the wallet does not answer, and the process is killed."""
    desk = await won(services)
    stack.pause_service("wager")
    await finished(stack, desk)
    stack.kill_service("settlement")
    assert await value(stack, "wager", CREDITS, desk.table_id) == 0
    stack.resume_service("wager")
    await asyncio.to_thread(stack.start_service, "settlement")
    await paid_once(stack, desk)


NOT_NOTED = """
create function keep_credits_open() returns trigger language plpgsql as $$
begin
    if exists (
        select 1 from events where type = 'wager-settled' and stream_id = '{table}'
        and position > old.position and position <= new.position
    ) then
        raise exception 'the database is not what it was';
    end if;
    return new;
end
$$;
create trigger credits_stay_open before update on checkpoints
for each row when (new.name = 'subscription:credits') execute function keep_credits_open()
"""


async def test_a_credit_arrives_once_though_settlement_dies_before_it_was_noted(
    stack: Stack, services: Services
) -> None:
    """The wallet has it, the checkpoint cannot say so: it is sent again, and moves nothing."""
    desk = await won(services)
    async with database(stack, "settlement") as connection:
        await connection.execute(NOT_NOTED.format(table=desk.table_id))
        await finished(stack, desk)

        async def credited() -> bool:
            return bool(await value(stack, "wager", CREDITS, desk.table_id))

        await until(credited, what="the wallet to have the credit")
        stack.kill_service("settlement")
        await connection.execute("drop function keep_credits_open cascade")
    await asyncio.to_thread(stack.start_service, "settlement")
    await paid_once(stack, desk)


async def test_a_credit_into_a_full_account_is_an_open_item_until_there_is_room(
    stack: Stack, services: Services
) -> None:
    """N-7, D13: refused for good, listed, the coup over, and delivered once somebody has it repeated."""
    desk = await won(services)
    account = "update accounts set balance_minor = $2 where player = $1"
    who = f"{desk.table_id}.a"
    async with database(stack, "wager") as connection:
        await connection.execute(account, who, 10**17)
    await finished(stack, desk)
    listed = await desk.until(
        "settlement", "ListOpenItems", lambda answer: len(answer.items) == 1, "an open item"
    )
    item = listed.items[0]
    assert (item.kind, item.status, item.reason) == ("CREDIT", "REFUSED", "BALANCE_MAXIMUM")
    assert (item.player, item.amount_minor) == (who, 2_000)
    await desk.coup_over()
    async with database(stack, "wager") as connection:
        await connection.execute(account, who, 0)
    await desk.act("settlement", "RepeatCredit", PIT, movement_id=item.movement_id)
    await desk.until("settlement", "ListOpenItems", lambda answer: not answer.items, "no open item")
    await paid_once(stack, desk)


# --- cards that nobody may know ---


@pytest.mark.parametrize(
    "leak",
    [
        b"the order is 8S8CQS5C",
        b'["8S","8C","QS"]',
        b"".join(b"\xa2" + card.encode() for card in secrecy.UNDEALT),
        "".join(secrecy.UNDEALT).encode().hex().encode(),
        base64.b64encode(b"x" + "".join(secrecy.UNDEALT).encode()),
        base64.b64encode(b"xy" + ",".join(secrecy.UNDEALT).encode()),
    ],
)
def test_an_order_that_leaks_is_seen_in_whatever_form(leak: bytes) -> None:
    """Or the test below could not fail."""
    assert secrecy.ORDERS.search(leak)


async def test_no_undealt_card_is_anywhere(stack: Stack, services: Services) -> None:
    """In no row of any database, no line of any log, no message and no answer; dealt ones are."""
    desk = Desk(services, fresh("secret"))
    await secrecy.loaded(desk)
    await secrecy.coup_of(desk)
    scan = secrecy.Scan()
    await scan.everywhere(stack, services, desk)
    assert scan.leaks == []


# --- one trace ---


async def test_one_trace_goes_from_the_call_through_the_topics_to_the_payment(
    stack: Stack, services: Services
) -> None:
    """All events of the chain, in all services, and the messages that carried them."""
    desk = Desk(services, fresh("traced"))
    await desk.open("live-studio", mode="TEST", decks=DECKS)
    order = [*["2H"] * 6, *secrecy.DEALT]
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=f"{desk.table_id}-1",
        source="PRESET",
        order=order,
        partial=True,
        stands_for_preparation=True,
    )
    await desk.waits_for("")
    await betting(desk)
    await desk.fund("a", 1_000)
    await desk.wager("w1", "a", "PLAYER", 1_000)
    await desk.act("round", "CallNoMoreBets", DEALER)
    await desk.in_phase("DEALING")
    ((meta,),) = await rows(
        stack,
        "wager",
        "select meta from events where stream_id = $1 and type = 'wager-accepted'",
        desk.table_id,
    )
    placed = msgspec.json.decode(meta)["traceparent"].split("-")[1]
    trace_id = "5ab07" + "0" * 26 + "1"
    command_id = fresh("deal")
    hop = ("traceparent", f"00-{trace_id}-00000000000000a1-01")
    await desk.act("round", "DealCoup", DEALER, command_id=command_id, metadata=(hop,))
    await desk.coup_over()
    chain: dict[str, set[str]] = {}
    for service in stack.services:
        query = "select type, meta from events where command_id = $1 and type <> 'noted'"
        for kind, meta in await rows(stack, service, query, command_id):
            traceparent = msgspec.json.decode(meta)["traceparent"]
            expected = placed if kind == "wager-settled" else trace_id
            assert traceparent.split("-")[1] == expected, (service, kind, traceparent)
            chain.setdefault(service, set()).add(kind)
    assert "deal-called" in chain["round"]
    assert "coup-closed" in chain["round"]
    assert "card-drawn" in chain["shoe"]
    assert "wager-locked" in chain["wager"]
    assert {"wager-settled", "coup-settled"} <= chain["settlement"]
    messages = await read_topic(kafka(stack), topic("settlement"))
    headers = [dict(m.headers) for m in messages if m.key == desk.table_id.encode()]
    settled = [each for each in headers if b"coup-settled" in each[envelope.TYPE]]
    assert [each[envelope.STARTING_TRACE].split(b"-")[1] for each in settled] == [trace_id.encode()]
    assert [each[envelope.HOP_TRACE].split(b"-")[1] for each in settled] == [trace_id.encode()]
