"""Cards and shoe go only to who was asked, in his turn (methods B, C and D)."""

from __future__ import annotations

import pytest

from services.contracts.round_hands import HandPassed, ShoeAccepted, ShoeOffered
from tests.support.played import SEVEN_ALL, SIX_SEVEN, Played

BURN = "AC 9D"


def staked(method: str, *stakes: tuple[str, str, int]) -> Played:
    """Players at 2, 5 and 7; these stakes, and the book closed."""
    played = Played(method=method, layout="C").approved(method).seated(p1=2, p2=5, p3=7)
    return closed(played.shoe(f"{BURN} {SIX_SEVEN} {SEVEN_ALL} {SIX_SEVEN}"), *stakes)


def closed(played: Played, *stakes: tuple[str, str, int]) -> Played:
    played.betting()
    for player, area, amount in stakes:
        played.wager(f"{player}-{played._number}", player, area, amount)
    return played.do("no_more_bets").do("close_book")


@pytest.mark.parametrize("method", ["C", "D"])
def test_nobody_takes_the_shoe_that_was_not_offered_to_him(method: str) -> None:
    """F-105, F-115: the offer comes first, and is for one seat."""
    played = staked(method, ("p1", "banker", 900), ("p2", "banker", 500))
    assert played.do("accept_shoe", seat=2, hand="banker").reason == "STATE"
    assert played.do("decline_shoe", seat=2).reason == "STATE"
    played.do("offer_shoe", seat=2)
    assert played.do("accept_shoe", seat=5, hand="banker").reason == "STATE"
    assert played.do("decline_shoe", seat=5).reason == "STATE"
    assert not played.events(ShoeAccepted)
    assert played.do("accept_shoe", seat=2, hand="banker").reason is None


def test_a_shoe_that_somebody_keeps_is_offered_to_nobody() -> None:
    """F-109, F-122: who won with it has it in the next coup, whoever else stakes."""
    played = staked("C", ("p1", "banker", 500)).do("offer_shoe", seat=2)
    played.do("accept_shoe", seat=2, hand="banker").do("deal")
    closed(played, ("p1", "banker", 500), ("p2", "banker", 900), ("p3", "player", 900))
    for seat in (2, 5, 7):
        assert played.do("offer_shoe", seat=seat).reason == "STATE"
    assert len(played.events(ShoeOffered)) == 1


@pytest.mark.parametrize("action", ["accept_cards", "decline_cards"])
def test_nobody_takes_cards_that_were_not_offered_to_him(action: str) -> None:
    """F-92, F-93: neither the highest stake before its offer, nor another seat after it."""
    played = staked("B", ("p1", "player", 900), ("p2", "player", 500)).draws(4)
    assert played.do(action, hand="player", seat=2).reason == "STATE"
    played.do("offer_cards", hand="player", seat=2)
    assert played.do(action, hand="player", seat=5).reason == "STATE"
    assert played.do(action, hand="banker", seat=2).reason == "STATE"
    assert not played.events(HandPassed)
    assert played.do(action, hand="player", seat=2).reason is None


def test_a_standing_player_is_offered_neither_cards_nor_shoe() -> None:
    """D-24, F-92, F-105: who has no seat is passed over, however much he staked."""
    cards = Played(method="B", layout="C").approved("B").seated(p1=2).do("standing", permitted=True)
    cards.shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "player", 500)
    assert cards.wager("w2", "p9", "player", 5000, box=3).reason is None
    cards.do("no_more_bets").do("close_book").draws(4)
    assert cards.do("offer_cards", hand="player", seat=3).reason == "STATE"
    assert cards.do("offer_cards", hand="player", seat=2).reason is None
