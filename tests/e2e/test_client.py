"""The client package and its examples against real services, as an integrator runs them."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from sabot.query.v1.query_service_pb2 import GetCoupRequest
from sabot.round.v1.round_service_pb2 import GetTableRequest, OpenBettingRequest
from sabot_client import Addresses, CallFailed, Client, Person, development
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, Desk
from tests.e2e.support import COMMAND_S, ROOT, environment, fresh

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]


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


async def test_an_integrators_day(stack: Stack, tmp_path: Path) -> None:
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
        following = asyncio.create_task(
            asyncio.to_thread(example, stack, "follow_table.py", desk.table_id, "--coups", "1")
        )
        await desk.act("round", "CallNoMoreBets", DEALER)
        await desk.act("round", "DealCoup", DEALER)
        await desk.coup_over()
        last = (await following).splitlines()[-1]
        assert last.endswith("player 3D 2D 5C, banker KH 4S 9D | BANKER 0:3"), last
        coup_id = f"{desk.table_id}:1:1"
        got = await client.call(client.query.GetCoup, GetCoupRequest(id=coup_id))
        exported(stack, tmp_path / "day.sqlite", got.item.gaming_day, coup_id)


def exported(stack: Stack, path: Path, day: str, coup_id: str) -> None:
    """A day into a database: the same rows however often, and the second time nothing comes again."""
    first = example(stack, "export_day.py", day, str(path)).splitlines()
    again = example(stack, "export_day.py", day, str(path)).splitlines()
    assert [each.partition(": ")[0] for each in first] == ["coups", "wagers"]
    assert [each.partition(", ")[2] for each in first] == [
        each.partition(", ")[2] for each in again
    ]
    assert all(": 0 came" in each for each in again), again
    with closing(sqlite3.connect(path)) as database:
        coups = database.execute("select winner from coups where id = ?", (coup_id,)).fetchall()
        wagers = database.execute(
            "select area, stake_minor, status from wagers where coup_id = ? and status = 'WON'",
            (coup_id,),
        ).fetchall()
    assert coups == [("BANKER",)]
    assert wagers == [("BANKER", 2_000, "WON")]
