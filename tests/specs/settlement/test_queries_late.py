"""Queries where news comes late, tables stay open, and an id was spent for nothing before."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from services.chassis.decider import Record
from services.contracts.round import SERVICE as ROUND
from services.contracts.shoe import SERVICE as SHOE
from services.contracts.wager import SERVICE as WAGER
from services.contracts.wager import DebitRequested
from services.round.commands import CloseTable, OpenTable
from services.settlement.domain import SERVICE as SETTLEMENT
from services.settlement.queries.resources import (
    COUPS,
    EXCEPTIONS,
    INCIDENTS,
    LIMITS,
    SHOES,
    TABLES,
    WAGERS,
    Table,
)
from services.settlement.reports.facts import MoneyFact
from services.settlement.reports.fold import facts_of, heard
from services.settlement.reports.state import Known
from services.wager.commands import RecordDebit
from tests.property.rough import RoughTable
from tests.support.paying import CARDS, arranged, behind, log_of, paying
from tests.support.played import CASINO_SUPERVISOR, DUTY_MANAGER, SIX_SEVEN, Played, person
from tests.support.queried import Folded

DAY_US = 86_400_000_000


def folded(records: Sequence[Record]) -> Folded:
    found = Folded()
    for record in records:
        found.add(record)
    return found


# --- ids ---


def test_a_wager_is_whose_it_is_though_another_player_was_rejected_under_its_id() -> None:
    """N-3: the id was spent for nothing; who stakes under it then is told of it, and nobody else."""
    story = paying().shoe(CARDS).betting()
    story.wager("w1", "p2", "nowhere", 700)
    assert story.reason == "UNKNOWN_AREA"
    rejected = folded(log_of(story)).get(WAGERS, "T1/w1")
    assert (rejected.player, rejected.status, rejected.stake_minor) == ("p2", "REJECTED", 700)
    story.wager("w1", "p1", "banker", 1000).do("no_more_bets").do("deal")
    assert story.refused is None
    records = log_of(story)
    for log in (records, behind(records, SETTLEMENT)):
        stood = folded(log).get(WAGERS, "T1/w1")
        assert (stood.player, stood.area, stood.status) == ("p1", "BANKER", "WON")
        assert stood.movement_ids[0] == "T1/w1/1"
        assert stood.at_us > rejected.at_us


def test_a_wager_of_another_coup_than_the_rejected_one_is_of_its_own_coup() -> None:
    """The id may be spent for nothing in one coup and stand for a wager in the next."""
    story = paying().shoe(CARDS).betting().wager("w1", "p2", "nowhere", 700)
    story.do("no_more_bets").do("deal").betting().wager("w1", "p1", "banker", 1000)
    stood = folded(log_of(story)).get(WAGERS, "T1/w1")
    assert (stood.player, stood.coup_id, stood.status) == ("p1", "T1:1:2", "OPEN")


def test_a_wager_that_the_wallet_refused_keeps_its_id() -> None:
    """Money was asked for: from then on the id means this wager for everybody, refused or not."""
    story = Played("live-studio", table=Refusing("T1", 2, lags=False)).shoe(CARDS).betting()
    story.wager("w1", "p1", "banker", 1000)
    refused = folded(log_of(story)).get(WAGERS, "T1/w1")
    assert (refused.status, refused.movement_ids) == ("REJECTED", ("T1/w1/1",))


class Refusing(RoughTable):
    """A table whose wallet has nothing."""

    def wallet(self, asked: DebitRequested, command: Any) -> RecordDebit:
        return RecordDebit(
            at_us=command.at_us, by=command.by, movement_id=asked.movement_id, outcome="REFUSED"
        )


# --- coups without a result ---


def test_what_a_void_coup_had_won_already_is_paid_and_turned_over_nothing() -> None:
    """Domain 4: a fifth card had won on BIG; turnover is what a result decided, as in reports."""
    story = paying("super-six")
    story.shoe("KH QH AH 2H 9H 4H 3D KC TD 3H QH 6D 7C 4S 5H 6H 7H 8H 9S 2D").betting()
    story.wager("w1", "p1", "big", 100).wager("w2", "p1", "banker", 100).do("no_more_bets")
    story.draws(5).ruling(
        "void", CASINO_SUPERVISOR, second=DUTY_MANAGER, coup=1, reason="EQUIPMENT_FAILED"
    )
    assert story.refused is None
    records = log_of(story)
    found = folded(records)
    won, back = found.get(WAGERS, "T1/w1"), found.get(WAGERS, "T1/w2")
    assert (won.status, won.returned_minor, won.winnings_minor) == ("WON", 100, 54)
    assert (back.status, back.returned_minor) == ("REFUNDED", 100)
    known = Known()
    money = [
        fact
        for record in records
        if (each := heard(record)) is not None
        for fact in facts_of(record.position, each, known)
        if isinstance(fact, MoneyFact)
    ]
    assert sum(fact.turnover_minor for fact in money) == 0
    assert (won.turnover_minor, won.valid_bet_minor) == (0, 0)


# --- sessions ---


def two_sessions() -> list[Record]:
    """A table that is closed, and opened again under another rulebook, with another dealer."""
    story = paying("nsw-mini", decks=6)
    story.do("assign_dealer", dealer="d1", by={"id": "gs1", "role": "game_supervisor"})
    story.do("change_limits", limits={"*": {"min": 200, "max": 2_000}})
    story.shoe(f"AC 9D {SIX_SEVEN}").coup(("w1", "p1", "banker"))
    story.ruling("void_wager", CASINO_SUPERVISOR, wager="w1", reason="PROHIBITED_DEVICE")
    by = person("GAME_SUPERVISOR")
    story.send("round", CloseTable(at_us=story.at_us, by=by, exemption="x"))
    assert story.refused is None
    other = replace(Played("super-six").round.settings, table_id="T1")
    story.send("round", OpenTable(at_us=story.at_us, by=person("DEALER"), settings=other))
    story.do("assign_dealer", dealer="d2", by={"id": "gs1", "role": "game_supervisor"})
    story.shoe(f"AC 9D {SIX_SEVEN}").coup(("w2", "p1", "banker"))
    assert story.refused is None
    assert (story.round.session, story.round.coups) == (2, 1)
    return log_of(story)


def told(found: Folded) -> dict[str, Any]:
    """What does not depend on which topic is heard first."""
    at = found.get(TABLES, "T1")
    assert isinstance(at, Table)
    names = ("session", "status", "phase", "rulebook_id", "dealer", "shoe_id", "coup_id", "seats")
    more = ("limits", "limits_version", "incidents_open", "held", "road_tail", "updated_us")
    return {
        "table": {name: getattr(at, name) for name in (*names, *more)},
        "coups": {each.id: (each.dealer, each.status, each.winner) for each in found.all(COUPS)},
        "limits": {each.id: (each.session, bool(each.replaced_us)) for each in found.all(LIMITS)},
        "shoes": {each.id: (each.session, each.status) for each in found.all(SHOES)},
    }


@pytest.mark.parametrize("late", [ROUND, SHOE, WAGER, SETTLEMENT])
def test_a_service_that_is_heard_late_says_nothing_of_the_session_that_others_are_in(
    late: str,
) -> None:
    """Its words on the session before are kept where they belong, and its own of the new one count."""
    records = two_sessions()
    expected = told(folded(records))
    assert expected["table"]["session"] == 2
    assert expected["table"]["dealer"] == "d2"
    assert {each[0] for each in expected["coups"].values()} == {"d1", "d2"}
    assert told(folded(behind(records, late))) == expected
    others = {ROUND, SHOE, WAGER, SETTLEMENT} - {late}
    assert told(folded(behind(records, *others))) == expected


@pytest.mark.parametrize("seed", range(20))
def test_two_sessions_are_the_same_in_any_order_of_topics(seed: int) -> None:
    records = two_sessions()
    chance = Random(seed)
    assert told(folded(arranged(records, lambda _: chance.random()))) == told(folded(records))


# --- days ---


def late_by_a_day(records: Sequence[Record], *, first: int) -> list[Record]:
    """The log, recorded by settlement a day later from this place on."""
    kept = [replace(each, recorded_at_us=each.recorded_at_us + DAY_US) for each in records[first:]]
    return [*records[:first], *kept]


def test_records_that_are_heard_late_are_of_the_day_on_which_they_are_heard() -> None:
    """N-7: as in reports, a list of exceptions of a day that is over gets no entry any more."""
    story = paying("nsw-mini").shoe(CARDS).betting().wager("w1", "p1", "banker", 1000)
    first = len(log_of(story))
    story.do("incident", code="DETENTION", note="by the police")
    story.ruling("void_wager", CASINO_SUPERVISOR, wager="w1", reason="PROHIBITED_DEVICE")
    assert story.refused is None
    found = folded(late_by_a_day(log_of(story), first=first))
    for kind in (INCIDENTS, EXCEPTIONS):
        assert {each.gaming_day for each in found.all(kind)} == {"2026-01-02"}, kind.name
    # What is on the table is of the day it came up on, like the coup of a report.
    for kind in (TABLES, COUPS, WAGERS):
        assert {each.gaming_day for each in found.all(kind)} == {"2026-01-01"}, kind.name


def test_a_table_that_stays_open_says_which_day_it_is() -> None:
    """Of its opening there is one day, and of what is played now another."""
    story = paying("nsw-mini").shoe(CARDS)
    at = folded(log_of(story)).get(TABLES, "T1")
    assert (at.gaming_day, at.latest_gaming_day) == ("2026-01-01", "2026-01-01")
    story.betting(at="2026-01-03T10:00:00Z")
    assert story.refused is None
    at = folded(log_of(story)).get(TABLES, "T1")
    assert (at.gaming_day, at.latest_gaming_day) == ("2026-01-01", "2026-01-03")
