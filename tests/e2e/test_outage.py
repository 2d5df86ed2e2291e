"""A table where chips alone are staked goes on without the wager service, and takes coups in afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc
import pytest

from sabot.query.v1 import query_service_pb2 as queries
from sabot.query.v1 import query_service_pb2_grpc as queries_grpc
from sabot.settlement.v1 import report_service_pb2 as reports
from sabot.settlement.v1 import settlement_service_pb2 as settlement
from services.chassis.auth import development_credentials
from services.contracts.core import Actor
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, PIT, Desk, player, prepared
from tests.e2e.scene import SECOND
from tests.e2e.support import fresh, until

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

AUDITOR = development_credentials(Actor("au1", "AUDITOR"))()
SIX_SEVEN = ("6S", "7H", "TD", "KC")
NATURAL_NINE = ("9S", "7D", "KD", "TC")


async def test_a_chip_only_table_deals_and_backfills_while_the_wager_service_is_down(
    stack: Stack,
) -> None:
    """A coup is dealt, one of an outage is entered; roads, register, rebuild, and no wager ever."""
    await asyncio.to_thread(stack.stop_service, "wager")
    way = grpc.aio.insecure_channel(stack.targets["settlement"])
    async with Services(stack.targets) as services, way:
        query = queries_grpc.QueryServiceStub(way)
        desk = Desk(services, fresh("chips"))
        await desk.act(
            "round", "OpenTable", PIT, rulebook_id="live-studio", mode="LIVE", book="NONE"
        )
        await desk.until(
            "shoe",
            "GetTableProgress",
            lambda answer: answer.progress.own_position > 0,
            "the shoe to know the table",
        )
        await prepared(desk)
        await desk.act("shoe", "LoadShoe", DEALER, shoe_id="S1", source="SCANNED")
        await desk.waits_for("")
        await desk.act("round", "OpenBetting", DEALER)
        await desk.act("round", "CallNoMoreBets", DEALER)
        await _dealt(desk, SIX_SEVEN)
        await desk.act("round", "AnnounceResult", DEALER)
        table = await desk.look("round", "GetTable")
        assert (table.coups, table.coup_id, table.waits_for) == (1, "", "")
        entered: dict[str, Any] = {
            "coup": 2,
            "cards": NATURAL_NINE,
            "winner": "PLAYER",
            "reason": "power failure",
            "video": "camera-1, 01:10",
        }
        first = await _over(query, f"{desk.table_id}:1:1")
        entered["dealt_at_us"] = first.closed_us + 1
        alone = await desk.ask("round", "BackfillCoup", PIT, **entered)
        assert alone.result.refusal.reason == "APPROVAL"
        await desk.act("round", "BackfillCoup", PIT, metadata=SECOND, **entered)
        await desk.coup_over()
        await _over(query, f"{desk.table_id}:1:2")
        await _on_record(services, query, desk)
        await asyncio.to_thread(stack.start_service, "wager")

        async def refused() -> bool:
            answer = await desk.ask(
                "wager",
                "PlaceWager",
                player(f"{desk.table_id}.p1"),
                wager_id="w1",
                player=f"{desk.table_id}.p1",
                area="BANKER",
                amount_minor=500,
            )
            assert answer.result.refusal.reason == "NOT_PERMITTED", answer
            return "keeps no book" in answer.result.refusal.message

        await until(refused, what="the wager service to say what the table is")


async def _dealt(desk: Desk, cards: Sequence[str]) -> None:
    """Each card until the shoe takes it: no book is waited for, so it may not have heard of the coup."""
    for number, card in enumerate(cards, start=1):

        async def taken(card: str = card) -> bool:
            answer = await desk.ask("shoe", "DrawCard", DEALER, card=card)
            return not answer.result.HasField("refusal")

        await until(taken, what=f"card {number}")
        await desk.until(
            "round",
            "GetTable",
            lambda table, n=number: len(table.player) + len(table.banker) >= n,
            f"card {number} on a hand",
        )


async def _over(query: Any, coup_id: str) -> Any:
    """The coup, once it is over."""
    found: Any = None

    async def over() -> bool:
        nonlocal found
        asked = queries.ListCoupsRequest(table_id=coup_id.rsplit(":", 2)[0])
        answer = await query.ListCoups(asked, metadata=AUDITOR)
        found = next((coup for coup in answer.items if coup.id == coup_id), None)
        return found is not None and bool(found.closed_us)

    await until(over, what=f"{coup_id} to be over")
    return found


async def _on_record(services: Services, query: Any, desk: Desk) -> None:
    coup_id = f"{desk.table_id}:1:2"
    first, second = (
        await query.ListCoups(queries.ListCoupsRequest(table_id=desk.table_id), metadata=AUDITOR)
    ).items
    assert (first.status, first.backfilled, first.wagers) == ("SETTLED", False, 0)
    assert (second.status, second.backfilled, second.winner) == ("BACKFILLED", True, "PLAYER")
    assert second.dealt_us < second.at_us
    roads = await query.GetRoads(queries.GetRoadsRequest(table_id=desk.table_id), metadata=AUDITOR)
    assert [bead.mark.result for bead in roads.roads.bead_plate] == ["B", "P"]
    rebuilt = await services.stub("settlement").RebuildCoup(
        settlement.RebuildCoupRequest(coup_id=coup_id), metadata=AUDITOR
    )
    assert (rebuilt.matches, list(rebuilt.differences)) == (True, [])
    asked = reports.GetReportRequest(name="hold-by-table", table_id=desk.table_id)
    parts = [part async for part in services.stub("report").GetReport(asked, metadata=AUDITOR)]
    assert parts[-1].ending.rows == 0
