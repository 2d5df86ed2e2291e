"""A table where chips alone are staked: it deals and records without the wager service."""

from __future__ import annotations

import pytest

from services.contracts.core import Heard
from services.contracts.round import (
    BookCloseRequested,
    CoupClosed,
    CoupResulted,
    CoupVoided,
    DealingOpened,
    NoBetCoupDeclared,
)
from services.contracts.round_table import SeatIdleCounted
from services.contracts.settlement import CoupSettled
from services.round.commands import SelectMethod
from services.tablelog.inprocess import InProcessTable
from services.tablelog.render import Told
from tests.support.played import CASINO_SUPERVISOR, NATURAL_NINE, SIX_SEVEN, Played, person

RULEBOOKS = ("live-studio", "super-six", "nsw-baccarat", "nsw-mini")
BURNS = {"live-studio": "9S 9H 9D 9C KS KH", "super-six": "AC 9D 2S"}


class WithoutWager(InProcessTable):
    """Nobody hears for the wager service: it is not there."""

    def _hear(self, name: str, heard: Heard, told: list[Told]) -> list[Heard]:
        return [] if name == "wager" else super()._hear(name, heard, told)


def chips_only(rulebook: str = "nsw-mini", cards: str = SIX_SEVEN, **settings: object) -> Played:
    """Such a table, without the wager service and without limits."""
    opening = {"limits": {}, "book": "none", **settings}
    played = Played(rulebook, table=WithoutWager("T1"), **opening)
    return played.shoe(f"{BURNS.get(rulebook, 'AC 9D')} {cards} {NATURAL_NINE}")


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_it_deals_coup_after_coup_without_the_wager_service(rulebook: str) -> None:
    """Nothing is asked of a book, the deal waits for none, and nothing is settled."""
    played = chips_only(rulebook)
    for number in (1, 2):
        played.betting().do("no_more_bets").do("deal")
        assert played.refused is None
        assert [each.book_wagers for each in played.events(DealingOpened)] == [0] * number
        [result] = played.now(CoupResulted)
        assert (result.coup, result.no_bet, result.book_revision) == (number, False, 0)
        [settled] = played.now(CoupSettled)
        assert (settled.status, settled.wagers, settled.totals) == ("SETTLED", 0, {})
        line = played.line("coup")
        assert (line["status"], line["wagers"]) == ("settled", [])
    assert not played.events(BookCloseRequested)
    assert [each.status for each in played.events(CoupClosed)] == ["SETTLED", "SETTLED"]


def test_dealing_opens_as_betting_is_closed() -> None:
    """D5: there is no book to wait for, and none to close."""
    played = chips_only().betting()
    assert not played.events(DealingOpened)
    played.do("no_more_bets")
    assert [each.book_digest for each in played.now(DealingOpened)] == [""]
    played = chips_only().betting()
    assert played.do("close_book").reason == "STATE"
    assert played.refused is not None
    assert "keeps no book" in played.refused.message


def test_a_void_coup_waits_for_nobody_to_give_stakes_back() -> None:
    """Procedure 13: before the first card and after it."""
    played = chips_only().betting()
    played.ruling("void", CASINO_SUPERVISOR, coup=1, reason="a word")
    assert [each.status for each in played.now(CoupClosed)] == ["VOID"]
    played.betting().do("no_more_bets").do("draw")
    second = {"id": "gs2", "role": "game_supervisor"}
    played.ruling("void", CASINO_SUPERVISOR, coup=2, reason="EVACUATION", second=second)
    assert [each.coup for each in played.events(CoupVoided)] == [1, 2]
    assert [each.status for each in played.now(CoupClosed)] == ["VOID"]
    assert not played.table.states["settlement"].coups


def test_a_card_that_was_seen_makes_a_coup_without_bets_at_once() -> None:
    """004 12.5: betting had been open, and there is no book to close for it."""
    played = chips_only().betting().do("expose_next")
    assert [each.reason for each in played.now(NoBetCoupDeclared)] == ["EXPOSED_CARD"]
    played.do("deal")
    assert [each.status for each in played.now(CoupClosed)] == ["NO_BET"]


def test_nobody_is_idle_where_nobody_is_seen_to_stake() -> None:
    """004 14.10: rounds are counted by wagers, and chips say nothing here."""
    played = chips_only(seats=1, left_of_dealer=1).do("seat", player="p1", seat=1)
    for _ in range(2):
        played.betting().do("no_more_bets").do("deal")
    assert played.refused is None
    assert not played.events(SeatIdleCounted)


def test_cards_and_shoe_go_to_players_by_what_they_staked_so_not_here() -> None:
    """Procedure 10: method A alone."""
    played = Played("nsw-mini", book="none", method="B")
    assert played.reason == "METHOD"
    played = chips_only()
    assert played.do("approve", what="method", method="B").refused is None
    command = SelectMethod(at_us=played.at_us, by=person("DUTY_MANAGER"), method="B")
    assert played.send("round", command).reason == "METHOD"


def test_a_wager_is_refused_clearly_where_the_service_is_there() -> None:
    """With what the table is, and neither late nor too early."""
    played = Played("nsw-mini", book="none").shoe(f"AC 9D {SIX_SEVEN}")
    for _ in range(2):
        assert played.wager("w1", "p1", "banker").reason == "NOT_PERMITTED"
        assert played.refused is not None
        assert "keeps no book" in played.refused.message
        played.betting()
    played.do("no_more_bets").do("deal")
    assert played.line("coup")["status"] == "settled"
    assert played.table.states["wager"].book is None
