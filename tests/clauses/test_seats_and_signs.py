"""Seats, and what a table may only do after a sign or with everybody's consent."""

from __future__ import annotations

import pytest

from services.contracts.round import SeatTaken, SeatVacated, TableClosed
from services.contracts.round_table import (
    SeatIdleCounted,
    SeatVacateRequired,
    TableClosureNotified,
    VariantChanged,
    VariantChangeNotified,
    VariantConsentGiven,
)
from services.round.commands import AskConsent, RemoveSign, TakeSeat
from tests.support.played import (
    CASINO_SUPERVISOR,
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SEVEN_ALL,
    SIX_SEVEN,
    Played,
    person,
)

BURN = "AC 9D"
COUPS = f"{BURN} {SIX_SEVEN} {NATURAL_NINE} {SEVEN_ALL} {SIX_SEVEN} {NATURAL_NINE}"
OTHER_GAME = "nsw-mini-even-money"

SIGN, TIME = "2026-01-01T00:40:00Z", "2026-01-01T01:00:00Z"
BEFORE = "2026-01-01T00:59:59Z"
"""A sign of 00:40:00 takes effect at 01:00:00 and not a second before."""


def seated(count: int = 3) -> Played:
    played = Played(seats=count, left_of_dealer=count).shoe(COUPS)
    return played.seated(**{f"p{seat}": seat for seat in range(1, count + 1)})


# --- seats ---


@pytest.mark.parametrize("seat", [0, 4])
def test_a_seat_that_the_table_does_not_have_is_refused(seat: int) -> None:
    """F-17: seats are numbered from 1 to as many as the table has."""
    played = Played(seats=3, left_of_dealer=3)
    take = TakeSeat(at_us=played.at_us, by=person("PLAYER", "p1"), seat=seat, player="p1")
    assert played.send("round", take).reason == "UNKNOWN"


def test_a_seat_takes_one_player_and_a_player_one_seat() -> None:
    """F-17: a taken seat is refused, and free again once its player leaves."""
    played = Played().seated(p1=5)
    assert played.now(SeatTaken)[0].seat == 5
    assert played.do("seat", player="p2", seat=5).reason == "STATE"
    assert played.do("seat", player="p1", seat=6).reason == "STATE"
    played.do("unseat", player="p1", seat=5)
    assert played.do("seat", player="p2", seat=5).reason is None


def idle_coups(played: Played, count: int) -> Played:
    """Coups in which everybody but the player at seat 3 stakes."""
    for _ in range(count):
        played.betting()
        for seat in (1, 2):
            played.wager(f"w{played._number}", f"p{seat}", "tie")
        played.do("no_more_bets").do("deal")
    return played


def vacate(played: Played, seat: int = 3, by: dict[str, str] = GAME_SUPERVISOR) -> str | None:
    return played.ruling("vacate_seat", by, seat=seat).reason


def test_three_coups_without_a_wager_at_a_full_table_cost_the_seat() -> None:
    """F-178: two are not enough, the dealer cannot ask, and who staked keeps his seat."""
    played = idle_coups(seated(), 2)
    assert vacate(played) == "STATE"
    idle_coups(played, 1)
    assert [one.rounds for one in played.events(SeatIdleCounted) if one.seat == 3] == [1, 2, 3]
    assert vacate(played, by=DEALER) == "ROLE"
    assert vacate(played, seat=1) == "STATE"
    assert vacate(played) is None
    assert played.now(SeatVacateRequired)[0].player == "p3"
    assert played.now(SeatVacated)[0].seat == 3


def test_a_coup_with_a_free_seat_does_not_count() -> None:
    """F-178: a round counts only where every other seat was taken in it."""
    played = idle_coups(seated(), 1)
    played.do("unseat", player="p2", seat=2)
    played.betting().wager("x", "p1", "tie").do("no_more_bets").do("deal")
    played.seated(p2=2)
    assert vacate(idle_coups(played, 1)) == "STATE"
    assert vacate(idle_coups(played, 1)) is None


def test_any_accepted_wager_begins_the_count_anew() -> None:
    """F-178: three in a row and not three in all."""
    played = idle_coups(seated(), 2).betting().wager("x", "p3", "tie")
    played.do("no_more_bets").do("deal")
    assert vacate(idle_coups(played, 1)) == "STATE"


def test_coups_without_betting_neither_count_nor_begin_anew() -> None:
    """F-178: an empty round of the house's making says nothing about a player."""
    played = idle_coups(seated(), 2).betting(no_bet=True).do("deal")
    assert vacate(played) == "STATE"
    assert vacate(idle_coups(played, 1)) is None


# --- closing ---


def sign(played: Played, change: str, effective_at: str, **fields: str) -> Played:
    by = CASINO_SUPERVISOR
    return played.do("notice", change=change, effective_at=effective_at, by=by, at=SIGN, **fields)


def test_a_table_with_players_closes_when_its_sign_has_stood_for_twenty_minutes() -> None:
    """F-177: a second too early is refused, and so is a sign of less."""
    assert Played().seated(p1=1).do("close_table").reason == "NOTICE"
    played = sign(Played().seated(p1=1), "close", TIME)
    assert played.now(TableClosureNotified)[0].effective_at_us % 60_000_000 == 0
    assert played.do("close_table", at=BEFORE).reason == "NOTICE"
    assert played.do("close_table", at=TIME).now(TableClosed)
    short = sign(Played().seated(p1=1), "close", BEFORE)
    assert short.do("close_table", at="2026-01-01T02:00:00Z").reason == "NOTICE"


def test_a_sign_that_was_taken_down_is_none() -> None:
    """F-177: the notice goes with its sign."""
    played = sign(Played().seated(p1=1), "close", TIME)
    down = RemoveSign(at_us=played.at_us, by=person("GAME_SUPERVISOR"), sign="CLOSE")
    assert played.send("round", down).reason is None
    assert played.do("close_table", at=TIME).reason == "NOTICE"


def test_without_players_no_notice_and_in_a_coup_no_closing() -> None:
    """F-177: an empty table closes at once; a running coup is finished first."""
    assert Played().do("close_table").reason is None
    played = sign(Played().seated(p1=1).shoe(COUPS), "close", TIME).betting(at=TIME)
    assert played.do("close_table").reason == "STATE"
    played.do("no_more_bets").do("deal")
    assert played.do("close_table").now(TableClosed)


# --- another game ---


def change(played: Played, **fields: object) -> str | None:
    by = CASINO_SUPERVISOR
    return played.do("change_game", rulebook=OTHER_GAME, by=by, **fields).reason


def test_the_game_changes_when_its_sign_has_stood_for_twenty_minutes() -> None:
    """F-176: between coups, on a casino supervisor's word, and not a second before."""
    played = sign(seated(), "game", TIME, value=OTHER_GAME)
    assert played.now(VariantChangeNotified)[0].rulebook_id == OTHER_GAME
    assert change(played, at=BEFORE) == "NOTICE"
    dealer = {"rulebook": OTHER_GAME, "by": DEALER, "at": TIME}
    assert played.do("change_game", **dealer).reason == "ROLE"
    played.betting()
    assert change(played) == "STATE"
    played.do("no_more_bets").do("deal")
    assert change(played) is None
    assert not played.now(VariantChanged)[0].by_consent


def staked_by(played: Played, *players: str) -> Played:
    played.betting()
    for player in players:
        played.wager(f"{player}-{played._number}", player, "tie")
    return played.do("no_more_bets").do("deal")


def agree(played: Played, *players: str) -> Played:
    for player in players:
        played.do("consent", player=player, change="game")
    return played


def test_without_a_sign_everybody_who_plays_has_to_agree() -> None:
    """F-176: four of five are not enough; the fifth is."""
    players = [f"p{number}" for number in range(1, 6)]
    played = staked_by(seated(5), *players)
    assert change(played) == "NOTICE"
    agree(played, *players[:4])
    assert change(played) == "CONSENT"
    assert agree(played, players[4]).now(VariantConsentGiven)
    assert change(played) is None
    assert played.now(VariantChanged)[0].by_consent


def test_who_joins_before_the_set_is_complete_must_agree_too() -> None:
    """F-176: a newcomer is asked, by his seat as by his stake; who leaves is not asked any more."""
    played = staked_by(Played(seats=5, left_of_dealer=5).shoe(COUPS).seated(p1=1, p2=2), "p1", "p2")
    ask = AskConsent(at_us=played.at_us, by=person("CASINO_SUPERVISOR"))
    agree(played.send("round", ask), "p1").seated(p3=3)
    agree(played, "p2")
    assert change(played) == "CONSENT"
    assert change(agree(played, "p3")) is None
    left = staked_by(Played(seats=5, left_of_dealer=5).shoe(COUPS).seated(p1=1, p2=2), "p1", "p2")
    agree(left, "p1").do("unseat", player="p2", seat=2)
    assert change(left) is None
