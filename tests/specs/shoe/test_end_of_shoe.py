"""The cutting card, the last coup, and what counts for it (Procedure 5)."""

from __future__ import annotations

import pytest

from services.contracts.shoe import CardDrawn, CutCardReached, LastCoupDesignated, ShoeRetired
from tests.support.played import GAME_SUPERVISOR, NATURAL_NINE, SIX_CARDS, SIX_SEVEN, Played

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"


def streamed(cut_after: int) -> Played:
    """A streamed table's shoe; its first coup has six cards, with the draw numbers 7 to 12."""
    cards = f"{ASIDE} {SIX_CARDS} {NATURAL_NINE} {SIX_SEVEN}"
    return Played("live-studio").shoe(cards, cut_card_after=cut_after)


def seated(cut_after: int) -> Played:
    """A seated table's shoe; its first coup has six cards, with the draw numbers 3 to 8."""
    cards = f"{BURN} {SIX_CARDS} {NATURAL_NINE} {SIX_SEVEN}"
    return Played("nsw-mini").shoe(cards, cut_card_after=cut_after)


@pytest.mark.parametrize("before_card", [1, 2, 3, 4, 5, 6])
def test_a_streamed_table_finishes_the_coup_and_no_other(before_card: int) -> None:
    """A-40, A-67, A-68, X-2: whichever card it comes before, coup 1 is the last."""
    played = streamed(5 + before_card).coup(("w1", "p1", "tie"))
    [reached] = played.events(CutCardReached)
    assert (reached.after_draw_number, reached.as_first) == (5 + before_card, before_card == 1)
    [last] = played.events(LastCoupDesignated)
    assert (last.coup, last.call) == (1, "AT_APPEARANCE")
    assert len(played.line("coup")["player"]) == 3
    assert played.now(ShoeRetired)[0].reason == "LAST_COUP"
    assert played.betting().reason == "SHOE_ENDED"
    assert played.do("draw").reason == "SHOE_ENDED"


@pytest.mark.parametrize("before_card", [2, 3, 4, 5, 6])
def test_a_seated_table_finishes_and_deals_one_more(before_card: int) -> None:
    """D-14, F-51: coup 1 ends, coup 2 is the last, coup 3 is refused."""
    played = seated(1 + before_card).coup()
    [last] = played.events(LastCoupDesignated)
    assert (last.coup, last.call) == (2, "AFTER_COUP")
    assert not played.now(ShoeRetired)
    assert played.coup().now(ShoeRetired)[0].reason == "LAST_COUP"
    assert played.betting().reason == "SHOE_ENDED"


def test_before_the_first_card_it_ends_the_shoe_with_that_coup() -> None:
    """D-15, F-52: n is last, n+1 refused."""
    played = seated(2).coup()
    assert played.events(CutCardReached)[0].as_first
    assert played.events(LastCoupDesignated)[0].coup == 1
    assert played.betting().reason == "SHOE_ENDED"


def test_the_card_is_told_before_the_draw_that_brought_it_out() -> None:
    """A-67: the marker comes out in front of its card."""
    played = streamed(8).coup()
    order = [
        each.event.draw_number if isinstance(each.event, CardDrawn) else "cut"
        for each in played.story
        if type(each.event) in (CardDrawn, CutCardReached)
    ]
    assert order == [7, 8, "cut", 9, 10, 11, 12]


def test_a_coup_that_was_started_counts_whatever_its_end() -> None:
    """Procedure 5: a void last coup is the last all the same."""
    played = seated(4).coup().betting().do("no_more_bets").do("draw")
    played.ruling(
        "void",
        {"id": "cs1", "role": "casino_supervisor"},
        coup=2,
        reason="EVACUATION",
        second=GAME_SUPERVISOR,
    )
    assert played.line("coup")["status"] == "void"
    assert played.betting().reason == "SHOE_ENDED"


def test_a_coup_that_never_started_leaves_the_last_one_to_come() -> None:
    """Procedure 5: void before its first card, so one more may be dealt."""
    played = seated(4).coup().betting()
    played.ruling("void", GAME_SUPERVISOR, coup=2, reason="wrong limits on the screens")
    assert played.now(LastCoupDesignated)[0].coup == 3
    assert played.coup().line("coup")["status"] == "settled"
    assert played.betting().reason == "SHOE_ENDED"


def test_the_next_shoe_begins_with_a_burn_and_without_a_last_coup() -> None:
    """A-40, D-02: after the end a new shoe, with its own burn."""
    played = seated(2).coup().shoe(f"{BURN} {NATURAL_NINE}")
    assert played.line("burned")["reason"] == "new_shoe"
    assert played.coup().line("coup")["coup"] == 2
