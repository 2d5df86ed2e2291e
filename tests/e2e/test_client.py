"""The client package and its examples against real services, as an integrator runs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sabot.round.v1.round_service_pb2 import GetTableRequest, OpenBettingRequest
from sabot_client import Addresses, CallFailed, Client, Person, development
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, Desk
from tests.e2e.support import COMMAND_S, ROOT, environment, fresh

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]


def example(stack: Stack, name: str, *arguments: str) -> str:
    """What an example prints."""
    ended = subprocess.run(
        (sys.executable, f"examples/{name}", *arguments),
        check=False,
        capture_output=True,
        text=True,
        env=environment(stack),
        cwd=ROOT,
        timeout=COMMAND_S,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


async def preset_table(desk: Desk) -> None:
    """A table on paper with a shoe of a known order, ready for its first coup."""
    await desk.open("nsw-mini", mode="TEST", decks=8)
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=f"{desk.table_id}-1",
        source="PRESET",
        partial=True,
        stands_for_preparation=True,
        order=["2S", "7H", "4C", "3D", "KH", "2D", "4S", "5C", "9D", "JC", "6S", "8H"],
    )
    await desk.waits_for("")


async def test_an_integrators_day(stack: Stack) -> None:
    """Commands and their repetition, a refusal, an error, and the examples at a table that plays."""
    who = development(Person(DEALER.id, DEALER.role))
    where = Addresses.from_environment(stack.env())
    async with Services(stack.targets) as services, Client.connect(where, who) as client:
        desk = Desk(services, fresh("client"))
        await preset_table(desk)
        request = OpenBettingRequest(table_id=desk.table_id)
        first = await client.command(client.round.OpenBetting, request)
        again = await client.command(client.round.OpenBetting, request)
        assert (first.refusal, first.duplicate) == (None, False)
        assert (again.refusal, again.duplicate, again.command_id) == (None, True, first.command_id)
        refused = await client.command(
            client.round.OpenBetting, OpenBettingRequest(table_id=desk.table_id)
        )
        assert refused.refusal is not None
        assert refused.refusal.reason == "STATE"
        with pytest.raises(CallFailed, match="INVALID_ARGUMENT") as raised:
            await client.call(client.round.GetTable, GetTableRequest())
        assert raised.value.domain == "round.sabot"

        await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
        await desk.fund("ann", 10_000)
        player = f"{desk.table_id}.ann"
        placed = example(
            stack, "place_wagers.py", desk.table_id, player, "BANKER=20.00", "NOSUCH=5.00"
        )
        banker, unknown = placed.splitlines()
        assert banker == "BANKER: ACCEPTED"
        assert unknown.startswith("NOSUCH: ")
        assert "ACCEPTED" not in unknown
        await desk.act("round", "CallNoMoreBets", DEALER)
        await desk.act("round", "DealCoup", DEALER)
        await desk.coup_over()
