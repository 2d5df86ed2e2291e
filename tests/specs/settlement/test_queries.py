"""What the log says of tables, coups and wagers, as queries show it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from sabot.query.v1 import query_service_pb2 as pb
from services.chassis.decider import Record
from services.chassis.rpc_errors import InvalidCommand
from services.contracts import settlement as money
from services.contracts import wager as book
from services.contracts.common import PlayerContext
from services.contracts.core import Actor, Meta
from services.settlement.queries import tokens
from services.settlement.queries.desk import Desk, Said, keys
from services.settlement.queries.folding import FOLDS
from services.settlement.queries.resources import (
    COUPS,
    DISPUTES,
    EXCEPTIONS,
    INCIDENTS,
    KINDS,
    LIMITS,
    RULEBOOKS,
    SHOES,
    TABLES,
    WAGERS,
    Coup,
    Wager,
)
from tests.support.queried import Folded, play, settled
from tests.support.world import World


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def records() -> list[Record]:
    """Settlement's log of all recorded cases."""
    return await settled(lambda _: True)


@pytest.fixture(scope="module")
def folded(records: list[Record]) -> Folded:
    """All of it."""
    found = Folded()
    for record in records:
        found.add(record)
    return found


def opened(record: Record) -> set[tuple[str, int]]:
    """The cards that an event tells, by coup and draw number."""
    event: Any = json.loads(record.body)
    event = event.get("body", event)
    if event.get("card") and event.get("coup_id") and "draw_number" in event:
        return {(event["coup_id"], event["draw_number"])}
    return set()


def test_no_card_that_lies_face_down_is_ever_shown(records: list[Record]) -> None:
    """Event by event of every case: a card is in no coup before an event has opened it."""
    found = Folded()
    public: set[tuple[str, int]] = set()
    hidden = 0
    for record in records:
        public |= opened(record)
        found.add(record)
        for coup_id in {place[0] for place in public}:
            coup = found.desk.changed.get((COUPS.name, coup_id))
            if coup is None or coup.position != record.position:
                continue
            assert isinstance(coup, Coup)
            shown = {(coup.id, each.draw_number) for each in coup.cards if each.card}
            assert shown <= public, record.event_id
            hidden += len(coup.cards) - len(shown)
            if not coup.winner and coup.status == "OPEN":
                assert len(coup.player) + len(coup.banker) == len(shown), record.event_id
    assert hidden > 10


def test_wagers_end_as_the_books_of_their_coup_say(folded: Folded) -> None:
    """Turnover, returns and winnings of a coup's wagers are its totals, in each currency."""
    compared = 0
    for coup in folded.all(COUPS):
        mine = [each for each in folded.all(WAGERS) if each.coup_id == coup.id]
        for books in coup.totals:
            if coup.status != "SETTLED":
                continue
            decided = [
                each
                for each in mine
                if each.currency == books.currency and each.status in ("WON", "LOST", "PUSH")
            ]
            cash = [each for each in decided if each.funding == "CASH"]
            assert sum(each.winnings_minor for each in decided) == books.winnings_minor
            assert sum(each.turnover_minor for each in cash) >= books.lost_minor
            assert sum(each.returned_minor for each in decided) == books.returned_minor
            compared += bool(decided)
    assert compared > 20


def test_the_valid_bet_is_what_was_at_risk(folded: Folded) -> None:
    """The stake of what was won or lost; nothing of a push, and of what went back."""
    outcomes = set()
    for each in folded.all(WAGERS):
        outcomes.add(each.status)
        at_risk = each.stake_minor if each.status in ("WON", "LOST") else 0
        turned_over = each.stake_minor if each.status in ("WON", "LOST", "PUSH") else 0
        if folded.get(COUPS, each.coup_id).status in ("VOID", "TERMINATED"):
            at_risk = turned_over = 0  # paid for what had been won, and no result
        assert (each.valid_bet_minor, each.turnover_minor) == (at_risk, turned_over), each.id
    assert {"WON", "LOST", "PUSH", "REJECTED", "CANCELLED", "WITHDRAWN", "REFUNDED"} <= outcomes
    assert {"FORFEITED", "VOIDED", "OPEN"} <= outcomes


def test_rejected_wagers_have_their_code(folded: Folded) -> None:
    """And the sentence beside it; a wager that stands has neither."""
    rejected = [each for each in folded.all(WAGERS) if each.status == "REJECTED"]
    assert {"LATE", "COMBINATION", "AREA_FULL"} <= {each.reason for each in rejected}
    assert all(each.message and not each.valid_bet_minor for each in rejected)


def test_game_errors_holds_and_incidents_are_told_apart(folded: Folded) -> None:
    """With what became of those that held a coup."""
    by_kind: dict[str, set[str]] = {}
    for each in folded.all(INCIDENTS):
        by_kind.setdefault(each.kind, set()).add(each.code)
    assert {"WRONG_PLACEMENT", "MULTI_PULL", "EXTRA_CARD"} <= by_kind["GAME_ERROR"]
    assert "CARD_BEFORE_CLOSE" in by_kind["HOLD"]
    assert by_kind["DEVICE"]
    held = [each for each in folded.all(INCIDENTS) if each.kind == "HOLD"]
    assert {each.status for each in held} <= {"RESOLVED", "OPEN", "RECORDED"}
    assert any(each.resolved_how for each in held)
    for table in folded.all(TABLES):
        still = [each for each in held if each.table_id == table.id and each.status == "OPEN"]
        assert table.incidents_open == len(still)


def test_exceptions_say_who_changed_what_from_what_to_what(folded: Folded) -> None:
    """R-08: before, after and reason of corrections, voids and invalidations, with both persons."""
    entries = folded.all(EXCEPTIONS)
    [corrected] = [
        each for each in entries if each.table_id == "result-02" and each.what == "result-corrected"
    ]
    assert corrected.before.startswith(("PLAYER", "BANKER", "TIE"))
    assert corrected.after != corrected.before
    assert corrected.second is not None
    assert corrected.second.id != corrected.by.id
    [fire] = [each for each in entries if each.what == "outcome-invalidated"][:1]
    assert (fire.before, fire.after) == ("SETTLED", "INVALIDATED")
    assert fire.reason
    void = next(each for each in entries if each.table_id == "void-01" and each.kind == "VOID")
    assert (void.before, void.after, void.by.role) == ("OPEN", "VOID", "CASINO_SUPERVISOR")
    [bar] = [each for each in entries if each.kind == "BAR"]
    assert bar.player


def test_disputes_keep_every_decision(folded: Folded) -> None:
    """By whom, at which level, and what became of the case."""
    [case] = [each for each in folded.all(DISPUTES) if each.table_id == "dispute-01"]
    assert [each.level for each in case.decisions] == [1, 2]
    assert len({each.decided_by for each in case.decisions}) == 2
    assert case.opened_by is not None
    assert any(each.inspector_advised for each in folded.all(DISPUTES))


def test_limits_are_a_history(folded: Folded) -> None:
    """Each version until the next one took its place; the table shows the last."""
    versions = [each for each in folded.all(LIMITS) if each.table_id == "notice-01"]
    assert [each.version for each in versions] == [1, 2]
    assert versions[0].replaced_us == versions[1].at_us
    assert versions[1].replaced_us == 0
    assert folded.get(TABLES, "notice-01").limits == versions[1].limits


def test_shoes_keep_roads_counts_and_custody(folded: Folded) -> None:
    """The results of its coups, what was burned, and who prepared it."""
    shoes = folded.all(SHOES)
    for shoe in shoes:
        results = [mark.result for mark in shoe.kept_road]
        counts = (shoe.banker_wins, shoe.player_wins, shoe.ties)
        assert counts == tuple(map(results.count, "BPT"))
        assert any(each.what == "shoe-loaded" for each in shoe.custody)
        assert [mark.coup for mark in shoe.kept_road] == sorted(
            mark.coup for mark in shoe.kept_road
        )
    numbers = [each.number for each in shoes if each.table_id == "shoe-08"]
    assert numbers == [1, 2]
    ended = [each for each in shoes if each.status == "RETIRED"]
    assert {"LAST_COUP", "CUT_CARD_IN_BURN"} <= {each.reason for each in ended}
    assert any(each.status == "INVALIDATED" for each in shoes)


def test_coups_are_numbered_in_their_shoe(folded: Folded) -> None:
    """1, 2, 3 and so on, also where the shoe is not the first of the table."""
    by_shoe: dict[tuple[str, str], list[int]] = {}
    for coup in folded.all(COUPS):
        assert coup.id == f"{coup.table_id}:{coup.session}:{coup.number}"
        if coup.shoe_id:
            by_shoe.setdefault((coup.table_id, coup.shoe_id), []).append(coup.number_in_shoe)
    assert len(by_shoe) > 50
    for numbers in by_shoe.values():
        assert numbers == list(range(1, len(numbers) + 1))


def test_a_void_coup_is_on_no_road(folded: Folded) -> None:
    """Results that were set aside leave the road, and the table's tail with it."""
    gone = [
        each for each in folded.all(COUPS) if each.status in ("VOID", "TERMINATED", "INVALIDATED")
    ]
    assert len(gone) > 5
    for coup in (each for each in gone if each.shoe_id):
        road = folded.get(SHOES, f"{coup.table_id}/{coup.shoe_id}").kept_road
        assert coup.number not in [mark.coup for mark in road]


def test_rulebooks_are_kept_under_their_hash(folded: Folded) -> None:
    """Each once, with the table that took it up first."""
    found = {each.rulebook_id for each in folded.all(RULEBOOKS)}
    assert {"nsw-mini", "live-studio", "super-six"} <= found
    assert all(each.document.startswith(b"{") for each in folded.all(RULEBOOKS))


def test_the_document_lists_the_fields_of_filters() -> None:
    """Each kind's row in docs/querying.md names exactly the fields that its filters know."""
    text = (Path(__file__).parents[3] / "docs" / "querying.md").read_text()
    for kind in KINDS:
        [row] = [line for line in text.splitlines() if line.startswith(f"| {kind.name} |")]
        listed = row.rsplit("|", 2)[1]
        assert tuple(re.findall(r"`(\w+)`", listed)) == kind.filters


@pytest.mark.parametrize(("value", "count"), [(0, -1), (0, 2**63 - 1), (2**63, 0)])
def test_a_token_that_no_answer_can_hold_is_none(value: int, count: int) -> None:
    """Who makes one up is told so, and finds no fault of ours."""
    request = pb.ExportCoupsRequest()
    bound = tokens.bound_to(request)
    token = tokens.written(tokens.Place(tokens.FORM, bound, value, "T1:1:1", count))
    with pytest.raises(InvalidCommand, match="no token of an answer"):
        tokens.read(token, request, field="resume_cursor")
    given = tokens.Place(tokens.FORM, bound, -1, "", 500)
    assert tokens.read(tokens.written(given), request, field="resume_cursor") is not None


def test_wagers_of_a_slip_wait_for_one_debit() -> None:
    """Each is pending with the movement of the slip, and stands or falls by itself afterwards."""
    asked = book.SlipDebitRequested(
        coup_id="T:1:1",
        slip_id="s",
        movement_id="T/s/1",
        player="p1",
        currency="EUR",
        amount_minor=300,
        wagers=(
            book.SlipStake(wager_id="s#1", area="TIE", stake_minor=100),
            book.SlipStake(wager_id="s#2", area="BANKER", stake_minor=200),
        ),
        channel="SCREEN",
        limits_version=1,
        context=PlayerContext(operator="op-1", brand="b"),
    )
    meta = Meta(
        table_id="T",
        occurred_at_us=5,
        actor=Actor("p1", "PLAYER"),
        command_id="c",
        cause="c",
        depth=1,
        coup_id="T:1:1",
    )
    said = Said(asked, meta, "wager:T:1", 1)
    desk = Desk()
    desk.held |= dict.fromkeys(keys(said))
    desk.fold(said, FOLDS)
    wagers = [desk.changed[WAGERS.name, f"T/s#{number}"] for number in (1, 2)]
    assert all(isinstance(each, Wager) for each in wagers)
    assert [(each.status, each.stake_minor) for each in wagers] == [  # type: ignore[attr-defined]
        ("PENDING", 100),
        ("PENDING", 200),
    ]
    assert {(each.movement_ids, each.operator) for each in wagers} == {  # type: ignore[attr-defined]
        (("T/s/1",), "op-1")
    }


def test_a_wager_that_is_paid_by_a_common_credit_has_its_key() -> None:
    """All wagers of a player in a coup may have one credit; each is found by it."""
    paid = money.WagerSettled(
        settlement_id="T:1:1/w1/1",
        coup_id="T:1:1",
        wager_id="w1",
        player="p1",
        area="TIE",
        currency="EUR",
        stake_minor=100,
        outcome="LOST",
        returned_minor=0,
        winnings_minor=0,
        winnings_exact="0",
        commission_exact="0",
        rounding_exact="0",
        credit_id="T:1:1/#1",
    )
    meta = Meta(
        table_id="T",
        occurred_at_us=5,
        actor=Actor("p1", "PLAYER"),
        command_id="c",
        cause="c",
        depth=1,
        coup_id="T:1:1",
    )
    said = Said(paid, meta, "settlement:T:1", 1)
    desk = Desk()
    desk.held |= dict.fromkeys(keys(said))
    desk.fold(said, FOLDS)
    wager = desk.changed[WAGERS.name, "T/w1"]
    assert isinstance(wager, Wager)
    assert wager.movement_ids == ("T:1:1/w1/1", "T:1:1/#1")


@pytest.mark.parametrize(
    ("zone", "starts", "day"),
    [("UTC", 0, "2026-01-01"), ("UTC", 60, "2025-12-31"), ("America/New_York", 0, "2025-12-31")],
)
async def test_gaming_days_are_those_of_the_table(zone: str, starts: int, day: str) -> None:
    """By its zone, and from its own hour: of everything that happens at it."""
    cards = ["AC", "9D", "6S", "7H", "TD", "KC", "9S", "7D"]
    limits = {"*": {"min": 100, "max": 1_000_000}}
    lines: list[dict[str, Any]] = [
        {
            "do": "open_table",
            "table": "T",
            "rulebook": "nsw-mini",
            "limits": limits,
            "time_zone": zone,
            "day_starts_minute": starts,
        },
        {"do": "load_shoe", "shoe": "S1", "partial": True, "cards": cards},
        {"do": "open_betting"},
        {"do": "wager", "id": "w1", "player": "p1", "area": "tie", "amount": 500},
    ]
    found = Folded()
    async with World() as world:
        await play(world, "T", lines)
        for record in await world.stores["settlement"].read_log(after_position=0, limit=10_000):
            found.add(record)
    for kind in (TABLES, SHOES, COUPS, WAGERS, LIMITS):
        assert {each.gaming_day for each in found.all(kind)} == {day}, kind.name
