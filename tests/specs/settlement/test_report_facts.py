"""Facts of reports: tokens that are staked again, ids of shoes that are used again, and the lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import pytest

from services.chassis.decider import Record
from services.contracts.round import SERVICE as ROUND
from services.contracts.shoe import SERVICE as SHOE
from services.rules.roles import SYSTEM
from services.settlement.projections import CoupStories
from services.settlement.queries.resources import EXCEPTIONS
from services.settlement.reading import read
from services.settlement.reports.facts import (
    CoupFact,
    Fact,
    MoneyFact,
    NoteFact,
    ShoeFact,
    TokenFact,
)
from services.settlement.reports.fold import facts_of, heard
from services.settlement.reports.state import Known
from services.settlement.story import begun, told
from services.wager.commands import LiftStop, OrderStop
from tests.support.paying import CARDS, behind, log_of, paying
from tests.support.played import CASINO_SUPERVISOR, person
from tests.support.queried import Folded

F = TypeVar("F", bound=Fact)


def facts(records: Sequence[Record], kind: type[F]) -> list[F]:
    known = Known()
    return [
        fact
        for record in records
        if (each := heard(record)) is not None
        for fact in facts_of(record.position, each, known)
        if type(fact) is kind
    ]


def test_a_token_that_is_staked_again_is_spent_once() -> None:
    """D-20: it came back with the first wager, and is gone with the second one alone."""
    story = paying("nsw-mini").shoe(CARDS).betting().wager("w1", "p1", "banker", 1000, token="k1")
    story.do("cancel_wager", id="w1").wager("w2", "p1", "player", 1000, token="k1")
    story.do("no_more_bets").do("deal")
    assert story.refused is None
    became = [(fact.what, fact.wager_id) for fact in facts(log_of(story), TokenFact)]
    assert became == [("STAKED", "w1"), ("RETURNED", "w1"), ("STAKED", "w2"), ("SPENT", "w2")]


def two_shoes_of_one_name() -> list[Record]:
    story = paying("nsw-mini").shoe(CARDS, shoe="A").coup().shoe(CARDS, shoe="A").coup().coup()
    story.shoe(CARDS, shoe="B")
    assert story.refused is None
    return log_of(story)


def last_of_each(found: Sequence[ShoeFact]) -> list[ShoeFact]:
    return list({(fact.shoe_id, fact.loading): fact for fact in found}.values())


def test_a_shoe_whose_id_was_used_before_is_counted_from_its_own_first_card() -> None:
    """Cards in = dealt + burned + left: of each shoe, whatever another one was called."""
    first, second, third = last_of_each(facts(two_shoes_of_one_name(), ShoeFact))
    assert [(each.shoe_id, each.loading) for each in (first, second, third)] == [
        ("A", 1),
        ("A", 2),
        ("B", 1),
    ]
    assert (first.coups, second.coups) == (1, 2)
    for shoe in (first, second):
        assert shoe.status == "RETIRED"
        assert shoe.left_over is not None
        assert shoe.cards == shoe.dealt + shoe.burned + shoe.left_over
    assert (third.status, third.left_over, third.dealt, third.reason) == ("LOADED", None, 0, "")


@pytest.mark.parametrize("late", [ROUND, SHOE])
def test_coups_are_counted_whenever_they_are_heard_of(late: str) -> None:
    """Also of a shoe that is gone by then, or that nobody has heard of yet."""
    story = paying("nsw-mini").shoe(CARDS).coup().coup().shoe(CARDS)
    assert story.refused is None
    records = log_of(story)
    counted = {
        fact.shoe_id: (fact.coups, fact.dealt, fact.status)
        for fact in facts(behind(records, late), ShoeFact)
    }
    expected = {
        fact.shoe_id: (fact.coups, fact.dealt, fact.status) for fact in facts(records, ShoeFact)
    }
    assert counted == expected
    assert [coups for coups, _, status in expected.values() if status == "RETIRED"] == [2]


def test_odds_are_those_of_the_cards_in_the_shoe() -> None:
    """R-05: a table of eight decks may be dealt from a shoe of six."""
    story = paying("nsw-mini", decks=8).shoe(CARDS, decks=6).coup(("w1", "p1", "banker"))
    story.shoe(CARDS).coup(("w2", "p1", "banker"))
    assert story.refused is None
    records = log_of(story)
    assert {fact.coup_id: fact.decks for fact in facts(records, CoupFact)} == {
        "T1:1:1": 6,
        "T1:1:2": 8,
    }
    decided = [fact.decks for fact in facts(records, MoneyFact) if fact.kind == "SETTLED"]
    assert decided == [6, 8]


def test_stops_and_lifted_bars_stand_among_the_exceptions() -> None:
    """R-08: whoever stops wagers, or takes somebody's again, is on the list with what he did."""
    story = paying("live-studio")
    by = person(SYSTEM)
    stop: Any = {"by": by, "of": "PLAYER", "value": "p1", "reason": "SELF_EXCLUSION"}
    story.send("wager", OrderStop(at_us=story.at_us, **stop))
    story.send("wager", LiftStop(at_us=story.at_us, **stop))
    story.ruling("bar_player", CASINO_SUPERVISOR, player="p2")
    story.ruling("lift_bar", CASINO_SUPERVISOR, player="p2")
    assert story.refused is None
    records = log_of(story)
    listed = [
        (fact.code, fact.before, fact.after)
        for fact in facts(records, NoteFact)
        if fact.list == "EXCEPTION"
    ]
    told_of = "PLAYER p1: everybody, this table"
    assert listed == [
        ("BETTING_STOPPED", "", told_of),
        ("STOP_LIFTED", told_of, "LIFTED"),
        ("PLAYER_BARRED", "", "GAME"),
        ("BAR_LIFTED", "GAME", "LIFTED"),
    ]
    found = Folded()
    for record in records:
        found.add(record)
    entries = [(each.kind, each.player, each.reason) for each in found.all(EXCEPTIONS)][:2]
    assert entries == [("STOP", "p1", "SELF_EXCLUSION")] * 2


def test_a_token_wager_that_the_dealer_refuses_is_told_as_refused() -> None:
    """D-20: nothing goes back in cash, and it leaves the book all the same."""
    story = paying("nsw-mini", limits={"*": {"min": 100, "max": 500}}).shoe(CARDS).betting()
    story.wager("w1", "p1", "banker", 1000, token="k1", channel="layout")
    story.do("reject_wager", id="w1")
    assert story.refused is None
    happened = [each for record in log_of(story) if (each := read(record)) is not None]
    coup = [each for each in happened if getattr(each.event, "coup_id", "") == "T1:1:1"]
    ended = told(begun("T1:1:1", coup[0].meta), coup)
    assert ended.wagers["w1"].outcome == "REJECTED"
    assert CoupStories.version > 3
