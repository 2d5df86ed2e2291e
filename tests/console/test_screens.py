"""Every screen: what it shows, for whom, and that nothing in it can become markup."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Any

import pytest

from sabot.common.v1 import common_pb2
from sabot.query.v1 import query_service_pb2 as queries
from sabot.query.v1 import resources_pb2 as resources
from sabot.query.v1 import watch_service_pb2 as watching
from sabot.round.v1 import round_service_pb2 as rounds
from sabot.settlement.v1 import report_service_pb2 as reports
from sabot.settlement.v1 import settlement_service_pb2 as money
from services.console import reading
from services.console.edge import HEADERS
from tests.client.fake import failing
from tests.console.rig import (
    EVENT_US,
    HOSTILE,
    Code,
    always,
    console,
    coup,
    evidence,
    parts,
    table,
    wager,
)

VENDORED = {
    "htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "hx-sse.min.js": "18ef2761356ec1fe0bb6d92612315b37517a7c1e9856b661c5ae81fef239d103",
}
SCREENS = ("/", "/tables/T1", "/coups/T1:1:7", "/exceptions", "/search?table=T1", "/search")


async def test_every_screen_is_a_page_and_keeps_the_policy() -> None:
    """Also pages of errors, files and probes have all headers, and no page has script or style in it."""
    async with console() as (browser, _):
        await browser.get("/sign-in")
        await browser.sign_in()
        for path in SCREENS:
            answer = await browser.get(path)
            assert answer.status_code == 200, (path, answer.text)
            assert "<script>" not in answer.text
            assert "<style" not in answer.text
            assert " style=" not in answer.text
            assert " on" not in answer.text.partition("<body>")[0]
        await browser.get("/nowhere")
        await browser.get("/static/console.css")
        await browser.get("/health/live")
        await browser.get("/health/ready")
        for answer in browser.answers:
            for name, value in HEADERS.items():
                assert answer.headers[name] == value, answer.url
        stored = {
            str(each.url.path)
            for each in browser.answers
            if "no-store" not in each.headers.get("cache-control", "")
        }
        assert stored == {"/static/console.css"}


async def test_the_pit_shows_each_table_with_its_road() -> None:
    """Open and suspended ones, by the number on their signs; a held one stands out."""

    def listed(request: Any, context: Any) -> queries.ListTablesResponse:
        status = "SUSPENDED" if "SUSPENDED" in request.filter else "OPEN"
        numbers = ("T9", "T2") if status == "OPEN" else ("T5",)
        return queries.ListTablesResponse(
            items=[table(each, status=status, reason="INTEGRITY") for each in numbers]
        )

    async with console() as (browser, fake):
        fake.answers["ListTables"] = listed
        await browser.sign_in()
        text = (await browser.get("/")).text
    assert text.index(">T2<") < text.index(">T5<") < text.index(">T9<")
    assert text.count('class="road mini"') == 3
    assert "suspended: integrity" in text
    assert "5.00 EUR to 1,000.00 EUR" in text
    assert "latest: Banker, Banker, Player, Tie, Player, Banker" in text


async def test_the_pit_shows_what_the_day_of_each_table_has_come_to() -> None:
    """Stakes, win and hold by currency, from the house's report of that day and mode."""
    asked: list[Any] = []

    def report(request: Any, context: Any) -> Any:
        asked.append((request.name, request.from_day, request.to_day, request.test))
        names = ("table_id", "currency", "turnover_minor", "win_minor", "win_rate", "hold")
        columns = [reports.ReportColumn(name=name) for name in names]
        header = reports.ReportHeader(report=reports.ReportDescription(columns=columns))
        rows = [
            reports.ReportRow(cells=cells)
            for cells in (
                ("T1", "EUR", "1234500", "-50000", "-0.040502", ""),
                ("T1", "JPY", "9000", "450", "0.050000", "0.200000"),
                ("T9", "EUR", "1", "1", "1.000000", ""),
            )
        ]
        return [
            reports.GetReportResponse(header=header),
            reports.GetReportResponse(rows=reports.ReportRows(rows=rows)),
        ]

    def listed(request: Any, context: Any) -> queries.ListTablesResponse:
        if "SUSPENDED" in request.filter:
            return queries.ListTablesResponse()
        day = {"gaming_day": "2026-11-29", "latest_gaming_day": "2026-11-30"}
        return queries.ListTablesResponse(items=[table(**day), table("T2", test=True, **day)])

    async with console() as (browser, fake):
        fake.answers["ListTables"] = listed
        fake.answers["GetReport"] = report
        await browser.sign_in()
        text = (await browser.get("/")).text
        fake.answers["GetReport"] = failing(Code.PERMISSION_DENIED)
        hidden = (await browser.get("/")).text
    assert sorted(asked) == [
        ("hold-by-table", "2026-11-30", "2026-11-30", False),
        ("hold-by-table", "2026-11-30", "2026-11-30", True),
    ]
    assert "12,345.00 EUR" in text
    assert "-500.00 EUR, -4.1% of stakes" in text
    assert "450 JPY, hold 20.0%" in text
    assert "0.01 EUR" not in text
    assert hidden.count("Your role is not told.") == 2


async def test_the_pit_says_where_it_shows_not_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the page and in its feed; with as many as there is room for nothing is said."""
    monkeypatch.setattr(reading, "OPEN_TABLES_MAX", 2)
    numbers = ["T1", "T2"]

    def listed(request: Any, context: Any) -> queries.ListTablesResponse:
        found = numbers if "OPEN" in request.filter else []
        return queries.ListTablesResponse(items=[table(each) for each in found])

    def watched(request: Any, context: Any) -> Any:
        return [watching.WatchTablesResponse(tables=[table(each) for each in numbers])]

    async with console() as (browser, fake):
        fake.answers |= {"ListTables": listed, "WatchTables": watched}
        await browser.sign_in()
        pages = [(await browser.get(path)).text for path in ("/", "/pit/feed")]
        numbers.append("T3")
        more = [(await browser.get(path)).text for path in ("/", "/pit/feed")]
    said = "More tables are open than are shown here"
    assert [said in text for text in (*pages, *more)] == [False, False, True, True]
    assert all(text.count('class="road mini"') == 2 for text in more)


async def test_the_table_shows_roads_shoe_and_what_it_waits_for() -> None:
    """What holds the coup leads to the decisions that it waits for."""
    async with console() as (browser, fake):
        fake.answers["GetTable"] = lambda request, context: (
            rounds.GetTableResponse(waits_for="the result to be confirmed or corrected")
            if isinstance(request, rounds.GetTableRequest)
            else queries.GetTableResponse(item=table(held="ANNOUNCEMENT_MISMATCH"))
        )
        await browser.sign_in()
        text = (await browser.get("/tables/T1")).text
    assert "Waits for the result to be confirmed or corrected." in text
    waiting = text.partition("Waiting for a decision")[2].partition("</ul>")[0]
    assert "/tables/T1/decide/round.ConfirmResult" in waiting
    assert "/tables/T1/decide/round.CorrectResult" in waiting
    for kind in ("bead", "big", "eye", "small", "pig"):
        assert f'class="road {kind}"' in text
    assert "40 drawn, 6 burned of 416" in text
    assert "a Banker win would add red, a Player win blue" in text
    assert 'aria-label="10 of hearts"' not in text
    assert 'aria-label="ten of hearts"' in text


async def test_a_table_is_shown_without_what_a_role_may_not_see() -> None:
    """A part that is refused is left out; the page stands."""
    async with console() as (browser, fake):
        for name in ("GetRoads", "GetShoe", "ListIncidents"):
            fake.answers[name] = failing(Code.PERMISSION_DENIED, "ROLE")
        await browser.sign_in()
        answer = await browser.get("/tables/T1")
    assert answer.status_code == 200
    assert answer.text.count("Your role is not told.") == 3
    assert "No shoe is on the table." not in answer.text


async def test_a_silent_service_is_not_taken_for_nothing() -> None:
    """No table is ready, without incident or debt, because nobody answered who would know."""

    def got(request: Any, context: Any) -> Any:
        if isinstance(request, rounds.GetTableRequest):
            return failing(Code.UNAVAILABLE)(request, context)
        return queries.GetTableResponse(item=table(request.id))

    async with console() as (browser, fake):
        await browser.sign_in()
        fake.answers["GetTable"] = got
        shown = await browser.get("/exceptions")
        for name in ("ListOpenItems", "GetTableProgress", "RebuildCoup", "GetRoads"):
            fake.answers[name] = failing(Code.INTERNAL)
        held, owed, coup_page = [
            (await browser.get(path)).text for path in ("/tables/T1", "/exceptions", SCREENS[2])
        ]
    assert "Nothing is owed." in shown.text
    assert "none at open tables" in shown.text
    assert "Ready for the next coup." not in held
    assert "Whether it is ready is not known." in held
    assert "No shoe is on the table." not in held
    assert "Nothing is owed." not in owed
    assert "What wager owes: Not known now" in owed
    assert "none at open tables" not in owed
    assert owed.count("settlement, 1 table: Not known now") == 2
    assert "Not rebuilt. Not known now" in coup_page


async def test_the_coup_is_replayed_with_its_proof() -> None:
    """Cards, decisions with clauses, money control, timeline with traces, and rebuilt = stored."""
    async with console() as (browser, fake):
        fake.answers["GetEvidence"] = parts(
            evidence(
                ("coup-resulted", {"winner": "TIE", "player": ["7H", "KD"]}),
                ("result-corrected", {"winner": "PLAYER", "reason": "misread"}),
            )
        )
        await browser.sign_in()
        text = (await browser.get("/coups/T1:1:7")).text
    assert "Rebuilt from the log: equal to what is stored." in text
    assert "004:9.4" in text
    assert "stakes in = out" in text
    assert "-60.00 EUR" in text
    assert "0.025" in text, "the commission of 5/2 cents"
    assert "4" * 32 in text
    assert "dan (DEALER)" in text
    assert "after 21.5 s" in text
    revisions = text.partition('id="revisions"')[2].partition('id="timeline"')[0]
    assert "coup resulted" in revisions
    assert "result corrected" in revisions
    assert "misread" in revisions


async def test_a_coup_that_differs_says_so() -> None:
    """Nothing green where the log tells another story, or the sums do not meet."""
    sums = resources.Money(currency="EUR", staked_minor=3_000, returned_minor=1, lost_minor=2)
    async with console() as (browser, fake):
        fake.answers["GetCoup"] = always(queries.GetCoupResponse(item=coup(totals=[sums])))
        fake.answers["RebuildCoup"] = always(
            money.RebuildCoupResponse(matches=False, differences=["differs in: winner"])
        )
        await browser.sign_in()
        text = (await browser.get("/coups/T1:1:7")).text
    assert "different from what is stored" in text
    assert "differs in: winner" in text
    assert "stakes do not balance" in text
    assert "equal to what is stored" not in text


async def test_a_player_gets_a_coup_without_the_log() -> None:
    """Who may not read the log sees no timeline, and is told why."""
    async with console() as (browser, fake):
        for name in ("RebuildCoup", "GetEvidence"):
            fake.answers[name] = failing(Code.PERMISSION_DENIED, "ROLE")
        await browser.sign_in(role="DEALER")
        text = (await browser.get("/coups/T1:1:7")).text
    assert "Your role may not read the log" in text
    assert "equal to what is stored" not in text


async def test_exceptions_show_what_is_owed_stuck_and_late() -> None:
    """An item that the wallet refused can be asked for again from here."""
    async with console() as (browser, fake):
        fake.answers["ListExceptionEntries"] = always(
            queries.ListExceptionEntriesResponse(
                items=[
                    resources.ExceptionEntry(
                        id="round:T1:9",
                        kind="VOID",
                        what="coup-voided",
                        table_id="T1",
                        coup_id="T1:1:7",
                        reason="EVACUATION",
                        by=common_pb2.Actor(id="petra", role="CASINO_SUPERVISOR"),
                        second=common_pb2.Actor(id="sven", role="GAME_SUPERVISOR"),
                        at_us=EVENT_US,
                    )
                ],
                next_page_token="more",
            )
        )
        item = common_pb2.OpenItem(
            movement_id="m/1",
            kind="REVERSAL",
            table_id="T1",
            coup_id="T1:1:7",
            currency="EUR",
            amount_minor=950,
            status="REFUSED",
            reason="INSUFFICIENT_FUNDS",
        )
        fake.answers["ListOpenItems"] = always(money.ListOpenItemsResponse(items=[item]))
        progress = common_pb2.TableProgress(
            published_position=12,
            handled=[common_pb2.Handled(upstream="round", position=9)],
            parked=[common_pb2.Parked(upstream="round", event_id="round:T1:8", reason="GAP")],
        )
        fake.answers["GetTableProgress"] = always(
            rounds.GetTableProgressResponse(progress=progress)
        )
        await browser.sign_in()
        text = (await browser.get("/exceptions?kind=VOID")).text
        assert fake.last("ListExceptionEntries").filter == 'kind = "VOID"'
    assert "coup voided" in text
    assert "petra (CASINO_SUPERVISOR), sven (GAME_SUPERVISOR)" in text
    assert "9.50 EUR" in text
    assert "/tables/T1/decide/settlement.RepeatReversal?movement_id=m/1" in text
    assert "does not get past round:T1:8" in text
    assert "has not handled round up to position, by 3" in text
    assert "page=more" in text


@pytest.mark.parametrize(
    ("words", "address"),
    [("T1:1:7", "/coups/T1%3A1%3A7"), ("T1/w1", "/coups/T1%3A1%3A7"), ("T1", "/tables/T1")],
)
async def test_an_id_leads_to_its_screen(words: str, address: str) -> None:
    """A coup, a wager's coup, a table."""
    async with console() as (browser, _):
        await browser.sign_in()
        answer = await browser.get("/search", params={"q": words})
    assert (answer.status_code, answer.headers["location"]) == (303, address)


async def test_a_movement_and_a_player_are_found() -> None:
    """What is no id of a screen may be money or a person."""
    async with console() as (browser, fake):
        fake.answers["GetTable"] = failing(Code.NOT_FOUND)
        fake.answers["FindWagers"] = always(queries.FindWagersResponse(items=[wager()]))
        recalled = queries.RecalledCoup(coup=coup())
        fake.answers["GetPlayerRecall"] = always(queries.GetPlayerRecallResponse(coups=[recalled]))
        await browser.sign_in()
        text = (await browser.get("/search", params={"q": "ann"})).text
    assert "Wagers of the movement" in text
    assert "Last coups of this player" in text


async def test_coups_are_listed_by_their_fields() -> None:
    """Each field reaches the service as it is meant, and a page leads to the next one."""
    async with console() as (browser, fake):
        fake.answers["ListCoups"] = always(
            queries.ListCoupsResponse(items=[coup()], next_page_token="p2")
        )
        await browser.sign_in()
        fields = {
            "table": "T1",
            "shoe": 'S"1\\',
            "day": "2026-11-30",
            "from": "2026-11-30T18:00",
            "status": "VOID",
            "corrected": "yes",
        }
        answer = await browser.get("/search", params=fields)
        request = fake.last("ListCoups")
        assert "page=p2" in answer.text
        bad = await browser.get("/search", params={"status": 'VOID" OR 1'})
        day = await browser.get("/search", params={"day": "soon"})
        zone = await browser.get("/search", params={"from": "2026-11-30T18:00+02:00"})
        await browser.get("/search", params={"day": "20261130"})
        assert fake.last("ListCoups").gaming_day == "2026-11-30"
    assert (request.table_id, request.gaming_day) == ("T1", "2026-11-30")
    assert request.from_us == 1_796_061_600_000_000
    assert request.filter == 'status = "VOID" AND revision >= 2 AND shoe_id = "S\\"1\\\\"'
    assert (bad.status_code, day.status_code, zone.status_code) == (400, 400, 400)
    assert "status is none of" in bad.text


async def test_no_name_becomes_markup() -> None:
    """Whatever a table, player, note or reason is called, it is text on every screen."""
    evil = table("T1", table_number=HOSTILE, dealer=HOSTILE, held=HOSTILE, shoe_id=HOSTILE)
    entry = resources.ExceptionEntry(reason=HOSTILE, player=HOSTILE, before=HOSTILE, kind="VOID")
    incident = resources.Incident(code=HOSTILE, note=HOSTILE)
    async with console() as (browser, fake):
        fake.answers["ListTables"] = always(queries.ListTablesResponse(items=[evil]))
        fake.answers["GetTable"] = lambda request, context: (
            rounds.GetTableResponse(waits_for=HOSTILE)
            if isinstance(request, rounds.GetTableRequest)
            else queries.GetTableResponse(item=evil)
        )
        fake.answers["GetCoup"] = always(
            queries.GetCoupResponse(item=coup(reason=HOSTILE, player=[HOSTILE], dealer=HOSTILE))
        )
        fake.answers["ListWagers"] = always(
            queries.ListWagersResponse(items=[wager(player=HOSTILE, currency="X<Y")])
        )
        fake.answers["GetEvidence"] = parts(evidence((HOSTILE, {"note": HOSTILE})))
        fake.answers["ListIncidents"] = always(queries.ListIncidentsResponse(items=[incident]))
        fake.answers["ListExceptionEntries"] = always(
            queries.ListExceptionEntriesResponse(items=[entry])
        )
        await browser.sign_in(person=HOSTILE)
        for path in (*SCREENS, "/tables/T1/decide/round.VoidCoup?reason=" + HOSTILE):
            text = (await browser.get(path)).text
            assert "<script>alert" not in text, path
            assert "<hx-partial" not in text, path
        found = await browser.get("/search", params={"q": HOSTILE.replace("/", "")})
        assert "<script>alert" not in found.text


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (Code.NOT_FOUND, 404),
        (Code.PERMISSION_DENIED, 403),
        (Code.INVALID_ARGUMENT, 400),
        (Code.UNAVAILABLE, 503),
        (Code.INTERNAL, 500),
    ],
)
async def test_an_error_of_a_service_is_a_page(code: Any, status: int) -> None:
    """In words, with the reason, and no trace of code."""
    async with console() as (browser, fake):
        await browser.sign_in()
        fake.answers["GetCoup"] = failing(code, "SOME_REASON")
        answer = await browser.get("/coups/T1:1:7")
    assert answer.status_code == status
    assert "SOME_REASON" in answer.text
    assert "Traceback" not in answer.text


async def test_an_error_that_nobody_thought_of_keeps_the_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is a page of ours, with all headers, and tells nothing of the code."""

    async def broken(client: Any) -> None:
        raise RuntimeError("secret of the code")

    monkeypatch.setattr(reading, "pit", broken)
    async with console() as (browser, _):
        await browser.sign_in()
        answer = await browser.get("/")
    assert answer.status_code == 500
    assert "The console could not make this page." in answer.text
    assert "secret" not in answer.text
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["/static/%00", "/static/../app.py", "/static/%2e%2e/app.py", "/static/" + "x" * 5000]
)
async def test_only_files_of_the_folder_are_served(path: str) -> None:
    """Whatever is asked for."""
    async with console() as (browser, _):
        assert (await browser.get(path)).status_code == 404


async def test_readiness_asks_the_services() -> None:
    """They need not know the console to be there; away, it is not ready, and still alive."""
    async with console() as (browser, fake):
        fake.answers["ListTables"] = failing(Code.UNAUTHENTICATED)
        assert (await browser.get("/health/ready")).status_code == 200
        fake.answers["ListTables"] = failing(Code.UNAVAILABLE)
        assert (await browser.get("/health/ready")).status_code == 503
        assert (await browser.get("/health/live")).status_code == 200


def test_vendored_files_are_the_ones_that_were_looked_at() -> None:
    """htmx.org 4.0.1 and its extension for server-sent events, with their licence."""
    static = files("services.console") / "static"
    for name, digest in VENDORED.items():
        assert hashlib.sha256((static / name).read_bytes()).hexdigest() == digest
    assert "Zero-Clause BSD" in (static / "htmx-LICENSE.txt").read_text()
