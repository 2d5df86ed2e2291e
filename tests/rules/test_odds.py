"""Exact odds against an enumeration made elsewhere."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from services.rulebooks.catalogue import document, load_catalogue, rulebook
from services.rules.ends import End
from services.rules.odds import ends, events, joint, odds, odds_among
from services.rules.rulebook import rulebook_of
from tests.rules.oracle import oracle

DECKS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)


@pytest.mark.parametrize("decks", DECKS)
def test_every_event_is_counted_as_the_oracle_counts_it(decks: int) -> None:
    """3.2: all 99 events, the total and the mean number of cards, as whole numbers."""
    expected = oracle("odds")[str(decks)]
    found = odds(rulebook("live-studio"), decks)
    assert found.total_deals == int(expected["total_deals"])
    assert found.mean_cards == Fraction(expected["mean_cards"])
    assert dict(found.events) == {name: int(ways) for name, ways in expected["events"].items()}


@pytest.mark.parametrize("decks", [1, 8])
def test_the_joint_table_is_the_oracles(decks: int) -> None:
    """3.1: deals by both counts and both numbers of cards; they are all deals."""
    rows = oracle("odds")[str(decks)]["joint"]
    expected = {tuple(key): int(ways) for *key, ways in rows}
    assert {end: ways for end, ways in joint(decks).items() if ways} == expected
    assert sum(expected.values()) == int(oracle("odds")[str(decks)]["total_deals"])


@pytest.mark.parametrize("decks", DECKS)
@pytest.mark.parametrize("name", sorted(load_catalogue()))
def test_expectations_are_the_oracles(name: str, decks: int) -> None:
    """8.5: the exact expectation of every area of every rulebook."""
    expected = oracle("odds")[str(decks)]["expectation"]
    book = rulebook(name)
    found = odds(book, decks).areas
    assert set(found) == set(book.areas)
    for area, held in found.items():
        key = area
        if area == "BANKER":
            key = "BANKER_HALF_ON_SIX" if book.pay_on_six else "BANKER_COMMISSION"
        assert held.expectation == Fraction(expected[key]), (area, decks)
        assert held.house_edge == -held.expectation
        assert held.wins + held.pushes + held.loses == int(
            oracle("odds")[str(decks)]["total_deals"]
        )


def test_house_edges_of_eight_decks() -> None:
    """8.5: the percentages a reader would look up, four places."""
    edges = {
        "PLAYER": "1.2351", "BANKER": "1.4581", "TIE": "14.3596", "PLAYER_PAIR": "10.3614",
        "BANKER_PAIR": "10.3614", "BIG": "4.3457", "SMALL": "5.2829",
    }  # fmt: skip
    found = odds(rulebook("super-six"), 8).areas
    assert {area: f"{float(held.house_edge) * 100:.4f}" for area, held in found.items()} == edges
    commission = odds(rulebook("super-six-commission"), 8).areas["BANKER"]
    assert f"{float(commission.house_edge) * 100:.4f}" == "1.0579"


def test_a_tie_that_loses_is_in_the_odds() -> None:
    """The odds read the rulebook: without the push, ties are losses."""
    doc = document("live-studio")
    doc["tie_main_areas"] = "LOSE"
    held = odds(rulebook_of(doc), 8).areas["PLAYER"]
    assert held.pushes == 0
    assert held.loses == held_loses_with_push() + events(8)["ties"]


def held_loses_with_push() -> int:
    return odds(rulebook("live-studio"), 8).areas["PLAYER"].loses


def test_eight_decks_take_under_a_second() -> None:
    """The enumeration is by value and not by card, so that a console can ask for it."""
    joint.cache_clear()
    events.cache_clear()
    before = time.process_time()
    odds(rulebook("super-six"), 8)
    assert time.process_time() - before < 1


@pytest.mark.parametrize("decks", [0, 13, -1])
def test_decks_have_bounds(decks: int) -> None:
    """V-2: 1 to 12 decks."""
    with pytest.raises(ValueError, match="1 to 12"):
        odds(rulebook("live-studio"), decks)


def test_odds_among_all_deals_are_the_odds() -> None:
    """What is counted from deals is told by the same code as the exact odds."""
    book = rulebook("super-six")
    assert odds_among(book, 8, ends(8)) == odds(book, 8)
    one = End(9, 0)
    found = odds_among(book, 8, {one: 3})
    assert found.total_deals == 3
    assert found.mean_cards == 4
    assert found.events["player_natural"] == found.areas["PLAYER"].wins == 3
    assert found.areas["BANKER"].expectation == -1
    with pytest.raises(ValueError, match="at least one deal"):
        odds_among(book, 8, {one: 0})


def test_the_variance_is_that_of_the_gain() -> None:
    """Mean of squares less square of mean: half on six counts a quarter, lost stakes one."""
    held = odds(rulebook("super-six"), 8).areas["BANKER"]
    total = held.wins + held.pushes + held.loses
    on_six, others = held.cases
    assert on_six == sum(events(8)[f"banker_wins_6_{cards}_cards"] for cards in ("two", "three"))
    square = Fraction(on_six, 4 * total) + Fraction(others + held.loses, total)
    assert held.variance == square - held.expectation**2
