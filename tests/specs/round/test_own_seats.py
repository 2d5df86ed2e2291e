"""Seats, offers and consent are for the player himself or the dealer, never for another player."""

from __future__ import annotations

import pytest

from services.contracts.round import SeatTaken, SeatVacated
from services.round.commands import ShowHand
from tests.support.played import DEALER, NATURAL_NINE, SIX_CARDS, Played, person

OTHER = {"id": "p9", "role": "player"}
INSPECTOR = {"id": "i1", "role": "inspector"}
BURN = "AC 9D"


def at_table(method: str) -> Played:
    """An approved method on layout C; p1 sits at 2 and has staked, and it is time to deal."""
    played = Played(method=method, layout="C").approved(method)
    played.seated(p1=2, p2=5).shoe(f"{BURN} {SIX_CARDS} {NATURAL_NINE}").betting()
    played.wager("w1", "p1", "player").wager("w2", "p2", "banker")
    return played.do("no_more_bets").do("close_book")


@pytest.mark.parametrize("by", [OTHER, INSPECTOR])
def test_a_seat_is_taken_and_left_by_who_sits_there_or_by_the_dealer(by: dict[str, str]) -> None:
    """F-17: nobody is put on a seat, or off it, by another player or an inspector."""
    played = Played(seats=3)
    assert played.do("seat", player="p1", seat=2, by=by).reason == "ROLE"
    assert played.do("seat", player="p1", seat=2).now(SeatTaken)
    assert played.do("unseat", player="p1", seat=2, by=by).reason == "ROLE"
    assert played.do("unseat", player="p1", seat=2, by=DEALER).now(SeatVacated)
    assert played.do("seat", player="p1", seat=2, by=DEALER).now(SeatTaken)


def test_cards_are_taken_refused_shown_and_returned_by_who_was_asked() -> None:
    """F-96, F-101: an offer to one seat is answered from no other."""
    played = at_table("B").draws(4).do("offer_cards", hand="player", seat=2)
    for action in ("accept_cards", "decline_cards"):
        assert played.do(action, hand="player", seat=2, by=OTHER).reason == "ROLE"
    assert played.do("accept_cards", hand="player", seat=2).reason is None
    show = ShowHand(at_us=played.at_us, by=person("PLAYER", "p9"), hand="PLAYER", seat=2)
    assert played.send("round", show).reason == "ROLE"
    assert played.do("return_cards", hand="player", seat=2, by=OTHER).reason == "ROLE"
    assert played.do("return_cards", hand="player", seat=2, by=DEALER).reason is None


def test_the_shoe_is_taken_refused_and_passed_on_by_who_has_the_seat() -> None:
    """F-105, F-109: nobody takes the shoe for another, or takes it from him."""
    played = at_table("D").do("offer_shoe", seat=2)
    assert played.do("accept_shoe", seat=2, hand="banker", by=OTHER).reason == "ROLE"
    assert played.do("decline_shoe", seat=2, by=OTHER).reason == "ROLE"
    assert played.do("accept_shoe", seat=2, hand="banker").reason is None
    assert played.do("pass_shoe", seat=2, by=OTHER).reason == "ROLE"
    assert played.do("pass_shoe", seat=2).reason is None


def test_consent_to_another_game_is_each_players_own() -> None:
    """F-176: nobody agrees for another; the dealer may say what a player said."""
    played = Played().seated(p1=2, p2=5)
    assert played.do("consent", change="game", player="p1", by=OTHER).reason == "ROLE"
    assert played.do("consent", change="game", player="p1").reason is None
    assert played.do("consent", change="game", player="p2", by=DEALER).reason is None
