"""The console on services that answer as they are told, and a browser that keeps cookies."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import httpx

from sabot.query.v1 import query_service_pb2 as queries
from sabot.query.v1 import resources_pb2 as resources
from sabot.round.v1 import round_service_pb2 as rounds
from sabot.settlement.v1 import settlement_service_pb2 as money
from services.chassis.config import load
from services.console.app import make, nobody
from services.console.config import ConsoleSettings
from tests.client.fake import QUICK, Fake, connected

ORIGIN = "http://127.0.0.1"
HOSTILE = '<script>alert("x")</script><hx-partial hx-target="body">'
EVENT_US = 1_796_000_000_000_000
Code = grpc.StatusCode


def settings(**more: str) -> ConsoleSettings:
    """Settings of a developer's machine, and what a test changes of them."""
    targets = {f"SABOT_{name}_TARGET": "x:1" for name in ("SHOE", "ROUND", "WAGER", "SETTLEMENT")}
    return load(ConsoleSettings, {"SABOT_ENVIRONMENT": "development", **targets, **more}, {})


class Browser:
    """Asks for pages, posts their forms, and keeps what it was answered."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.answers: list[httpx.Response] = []

    async def get(self, path: str, **options: Any) -> httpx.Response:
        return self._kept(await self.client.get(path, **options))

    async def post(self, path: str, fields: dict[str, str], **options: Any) -> httpx.Response:
        headers = {"origin": ORIGIN, **options.pop("headers", {})}
        return self._kept(await self.client.post(path, data=fields, headers=headers, **options))

    async def sign_in(self, person: str = "petra", role: str = "CASINO_SUPERVISOR") -> None:
        answer = await self.post("/sign-in", {"person": person, "role": role})
        assert answer.status_code == 303, answer.text

    async def form(self, path: str) -> dict[str, str]:
        """The hidden fields of a page's last form."""
        text = (await self.get(path)).text
        return hidden(text)

    def _kept(self, answer: httpx.Response) -> httpx.Response:
        self.answers.append(answer)
        return answer


def hidden(text: str) -> dict[str, str]:
    """Hidden fields by name."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', text)
    return {name: html.unescape(value) for name, value in found}


@asynccontextmanager
async def console(**more: str) -> AsyncIterator[tuple[Browser, Fake]]:
    """The console, with a browser before it and services behind it."""
    async with connected(QUICK) as (client, fake):
        fake.answers.update(usual())
        app = make(settings(**more), client.acting(nobody))
        # As a server does: an error that nobody caught is what the browser was sent.
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        base = "https://127.0.0.1" if more.get("SABOT_CONSOLE_PLAINTEXT") else ORIGIN
        async with httpx.AsyncClient(transport=transport, base_url=base) as browser:
            yield Browser(browser), fake


def always(message: Any) -> Callable[[Any, Any], Any]:
    """A step that answers the same to everybody."""
    return lambda request, context: message


def table(table_id: str = "T1", **more: Any) -> resources.Table:
    """A table between two coups."""
    values: dict[str, Any] = {
        "id": table_id,
        "table_id": table_id,
        "table_number": table_id,
        "status": "OPEN",
        "phase": "DEALING",
        "rulebook_id": "nsw-mini",
        "dealer": "dan",
        "supervisor": "gina",
        "shoe_id": "S1",
        "coup_id": f"{table_id}:1:7",
        "shift": 4,
        "updated_us": EVENT_US,
        "road_tail": [resources.RoadMark(result=each, coup=n) for n, each in enumerate("BBPTPB")],
        "limits": [resources.AreaLimit(currency="EUR", area="*", min_minor=500, max_minor=100_000)],
    }
    return resources.Table(**{**values, **more})


def coup(coup_id: str = "T1:1:7", **more: Any) -> resources.Coup:
    """A coup that was settled."""
    values: dict[str, Any] = {
        "id": coup_id,
        "table_id": coup_id.partition(":")[0],
        "session": 1,
        "number": 7,
        "status": "SETTLED",
        "player": ["7H", "KD"],
        "banker": ["4C", "3S", "TH"],
        "player_points": 7,
        "banker_points": 7,
        "winner": "TIE",
        "revision": 1,
        "at_us": EVENT_US,
        "closed_us": EVENT_US + 21_500_000,
        "totals": [
            resources.Money(
                currency="EUR",
                staked_minor=3_000,
                returned_minor=1_000,
                lost_minor=2_000,
                winnings_minor=8_000,
                house_minor=-6_000,
                commission_exact="5/2",
            )
        ],
        "cards": [resources.DealtCard(draw_number=1, hand="PLAYER", place=1, card="7H")],
        "decisions": [
            resources.CardDecision(hand="BANKER", draw=True, rule="TABLE", clause="004:9.4")
        ],
    }
    return resources.Coup(**{**values, **more})


def wager(**more: Any) -> resources.Wager:
    values: dict[str, Any] = {
        "id": "T1/w1",
        "wager_id": "w1",
        "coup_id": "T1:1:7",
        "player": "ann",
        "area": "TIE",
        "currency": "EUR",
        "stake_minor": 1_000,
        "status": "WON",
        "winnings_minor": 8_000,
        "returned_minor": 1_000,
        "clauses": ["004:10.1"],
    }
    return resources.Wager(**{**values, **more})


def evidence(*bodies: tuple[str, dict[str, Any]]) -> bytes:
    """A document of evidence with these events."""
    events = [
        {
            "service": "round",
            "event_id": f"round:T1:{version}",
            "type": kind,
            "position": version,
            "digest": "ab" * 32,
            "meta": _packed(
                {
                    "occurred_at_us": EVENT_US,
                    "actor": {"id": "dan", "role": "DEALER"},
                    "command_id": "c1",
                    "traceparent": f"00-{'4' * 32}-{'5' * 16}-01",
                }
            ),
            "body": _packed(body),
        }
        for version, (kind, body) in enumerate(bodies, start=1)
    ]
    lines = [{"event_id": each["event_id"], "clauses": ["004:9.4"]} for each in events]
    return json.dumps({"lines": lines, "events": events}).encode()


def _packed(content: dict[str, Any]) -> str:
    return base64.b64encode(json.dumps(content).encode()).decode()


def roads() -> resources.Roads:
    """Roads of five coups."""
    marks = [resources.RoadMark(result=each, banker_pair=each == "B") for each in "BPT"]
    return resources.Roads(
        bead_plate=[resources.Bead(column=0, row=row, mark=mark) for row, mark in enumerate(marks)],
        big_road=[
            resources.BigRoadCell(column=0, row=0, mark=marks[0]),
            resources.BigRoadCell(column=1, row=0, mark=marks[1], ties=2),
        ],
        big_eye_boy=resources.DerivedRoad(
            cells=[resources.DerivedCell(mark="R")], ask_banker="R", ask_player="B"
        ),
        cockroach_pig=resources.DerivedRoad(cells=[resources.DerivedCell(mark="B")]),
    )


def usual() -> dict[str, Any]:
    """What the services answer where a test says nothing else."""
    return {
        "ListTables": _listed_tables,
        "GetTable": _got_table,
        "GetShoe": always(
            queries.GetShoeResponse(
                item=resources.Shoe(shoe_id="S1", cards=416, drawn=40, burned=6, coups=7)
            )
        ),
        "GetRoads": always(queries.GetRoadsResponse(roads=roads())),
        "GetCoup": always(queries.GetCoupResponse(item=coup())),
        "ListCoups": always(queries.ListCoupsResponse(items=[coup()])),
        "GetReport": always(()),
        "ListIncidents": always(queries.ListIncidentsResponse()),
        "ListWagers": always(queries.ListWagersResponse(items=[wager()])),
        "ListExceptionEntries": always(queries.ListExceptionEntriesResponse()),
        "RebuildCoup": always(money.RebuildCoupResponse(matches=True, digest="cd" * 32)),
        "GetEvidence": parts(evidence(("coup-resulted", {"winner": "TIE"}))),
        "ListOpenItems": always(money.ListOpenItemsResponse()),
        "GetTableProgress": always(rounds.GetTableProgressResponse()),
        "GetWager": always(queries.GetWagerResponse(item=wager())),
        "FindWagers": always(queries.FindWagersResponse()),
        "GetPlayerRecall": always(queries.GetPlayerRecallResponse()),
    }


def _listed_tables(request: Any, context: Any) -> queries.ListTablesResponse:
    """One open table and no suspended one."""
    return queries.ListTablesResponse(items=[table()] if "OPEN" in request.filter else [])


def _got_table(request: Any, context: Any) -> Any:
    """Of the query service, or of round: both have a call of this name."""
    if isinstance(request, rounds.GetTableRequest):
        return rounds.GetTableResponse(open=True, waits_for="the result to be announced")
    return queries.GetTableResponse(item=table(request.id))


def parts(content: bytes) -> Callable[[Any, Any], Sequence[Any]]:
    """A step that sends evidence in two parts."""
    return lambda request, context: [
        money.GetEvidenceResponse(part=content[:100]),
        money.GetEvidenceResponse(part=content[100:]),
    ]
