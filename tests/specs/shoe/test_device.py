"""A shuffling device in the shoe's place, and all that follows when it fails (Procedure 9)."""

from __future__ import annotations

from itertools import product

import pytest

from services.contracts.round import (
    CoupResulted,
    CoupTerminated,
    CoupVoided,
    WithdrawalWindowClosed,
    WithdrawalWindowOpened,
)
from services.contracts.round_hands import CoupHeld, CoupResumed
from services.contracts.shoe import (
    CardDrawn,
    CardsBurned,
    CardsRemoved,
    CardsReplaced,
    CardsTransferred,
    CutMade,
    DeviceLoaded,
    DiscardsReturned,
    LastCoupDesignated,
    ShoeIntegrityBreached,
    ShoeRetired,
    ShufflerFaulted,
)
from services.contracts.wager import WagerWithdrawn
from services.shoe.domain.device import branch_of
from tests.support.played import GAME_SUPERVISOR, NATURAL_NINE, SIX_SEVEN, Played

BURN = "AC 9D"
SPARE = {"disadvantage": False, "spare": True, "transferable": True}
NO_SPARE = {"disadvantage": False, "spare": False, "transferable": True}
HARM = {"disadvantage": True, "spare": True, "transferable": True}


def device(cards: str = f"{BURN} {SIX_SEVEN} {NATURAL_NINE}", **fields: object) -> Played:
    """A table whose cards come from a shuffling device."""
    return Played("nsw-mini").shoe(cards, source="device", **fields)


def in_a_coup(*wagers: tuple[str, str, str]) -> Played:
    """Two cards of a coup are out."""
    played = device().betting()
    for wager, player, area in wagers:
        played.wager(wager, player, area)
    return played.do("no_more_bets").draws(2)


# --- the usual course ---


def test_a_device_needs_no_cut_and_ends_no_shoe() -> None:
    """F-48, F-53, F-54, F-55: loaded, burned once, and no last coup ever comes."""
    played = device()
    assert played.now(DeviceLoaded)[0].cards == 416
    assert [one.reason for one in played.events(CardsBurned)] == ["NEW_SHOE"]
    played.coup().coup()
    assert not played.events(LastCoupDesignated)
    assert not played.events(ShoeRetired)


def test_cards_that_were_shuffled_in_a_device_are_not_cut() -> None:
    """F-56: the cut is refused, and a load of cut cards too."""
    played = Played().do("inspect_cards", witness="gs1", video="").do("shuffle", procedure="manual")
    played.do("shuffle", procedure="device")
    assert played.do("cut", position=200, by=GAME_SUPERVISOR).reason == "NOT_PERMITTED"
    other = Played().do("inspect_cards", witness="gs1", video="").do("shuffle", procedure="manual")
    other.do("cut", position=200, by=GAME_SUPERVISOR)
    assert other.now(CutMade)
    assert other.shoe(BURN, source="device").reason == "NOT_PERMITTED"


def test_a_streamed_table_takes_no_device() -> None:
    """F-53, F-57 elsewhere: no source of cards under that rulebook."""
    assert Played("live-studio").shoe(BURN, source="device").reason == "NOT_PERMITTED"
    assert Played("nsw-baccarat").shoe(BURN, source="device").reason == "NOT_PERMITTED"


def test_cards_come_back_and_may_come_again_but_never_too_often_in_one_coup() -> None:
    """F-20, F-55: per coup the composition is all cards less those on the table."""
    played = Played(decks=3).shoe(BURN, source="device")
    for _ in range(3):
        played.betting().do("no_more_bets")
        played.do("draw", card="9S").do("draw", card="7D").do("draw", card="9S")
        played.do("draw", card="TC").do("announce")
        assert played.line("coup")["status"] == "settled"
        assert played.now(DiscardsReturned)
        assert played.cards.shoe is not None
        assert played.cards.shoe.left == 156
    played.betting().do("no_more_bets").draws(4, card="9S")
    assert played.now(ShoeIntegrityBreached)[0].copies == 4


# --- the branch ---


def test_harm_comes_first_then_the_spare_and_the_transfer() -> None:
    """F-154, X-29: the branch is computed from all answers and never chosen."""
    for dealt, harm, spare, transferable in product((False, True), repeat=4):
        branch = branch_of(
            card_dealt=dealt, disadvantage=harm, spare=spare, transferable=transferable
        )
        if not dealt:
            wanted = "OUTSIDE"
        elif harm:
            wanted = "TERMINATE"
        else:
            wanted = "TRANSFER" if spare and transferable else "WINDOW"
        assert branch == wanted


def test_a_shoe_has_no_such_fault() -> None:
    """F-154: without a device in use the report is refused, whatever the answers."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets").do("draw")
    for harm, spare, transferable in product((False, True), repeat=3):
        answers = {"disadvantage": harm, "spare": spare, "transferable": transferable}
        assert played.do("shuffler_fault", **answers).reason == "STATE"
    assert played.do("deal").line("coup")["status"] == "settled"


def test_the_answers_and_the_person_are_kept() -> None:
    """F-154: a supervisor reports; the dealer's word is refused."""
    played = in_a_coup()
    dealer = {"id": "d1", "role": "dealer"}
    assert played.do("shuffler_fault", **SPARE, by=dealer).reason == "ROLE"
    [fault] = played.do("shuffler_fault", **SPARE).now(ShufflerFaulted)
    assert (fault.card_dealt, fault.disadvantage, fault.spare, fault.transferable) == (
        True,
        False,
        True,
        True,
    )
    assert played.do("shuffler_fault", **SPARE).reason == "STATE"


def test_with_no_card_dealt_wagers_go_back_and_the_device_is_loaded_anew() -> None:
    """Procedure 9: outside the rule's conditions; new burn, and betting opens anew."""
    played = device().betting().wager("w1", "p1", "tie").do("shuffler_fault", **SPARE)
    assert played.line("coup")["wagers"][0]["outcome"] == "refunded"
    assert played.now(ShoeRetired)[0].reason == "DEVICE_FAULT"
    assert played.betting().reason == "SHOE_ENDED"
    played.shoe(f"{BURN} {SIX_SEVEN}", source="device")
    assert played.line("burned")["reason"] == "new_shoe"
    assert played.coup().line("coup")["status"] == "settled"


def test_somebody_harmed_ends_the_coup_with_all_stakes_back() -> None:
    """F-160: refunds equal the accepted stakes; no commission, no rounding."""
    played = in_a_coup(("w1", "p1", "banker"), ("w2", "p2", "tie")).do("shuffler_fault", **HARM)
    assert played.now(CoupTerminated)[0].reason == "SHUFFLER"
    line = played.line("coup")
    assert (line["status"], line["reason"]) == ("terminated", "SHUFFLER")
    assert [(one["returned"], one["commission"]) for one in line["wagers"]] == [(500, "0")] * 2


# --- transfer to a spare ---


def test_the_cards_move_to_the_spare_and_the_coup_goes_on() -> None:
    """F-155, F-159: all undealt cards move, dealt cards and wagers stay, it is the same coup."""
    played = in_a_coup(("w1", "p1", "banker")).do("shuffler_fault", **SPARE)
    assert played.now(CoupHeld)[0].code == "DEVICE"
    assert played.do("deal").reason == "STATE"
    assert played.do("draw").reason == "STATE"
    played.do("resume_coup", cards=["TD", "KC"])
    moved = played.now(CardsTransferred)[0]
    assert (moved.to, moved.count) == ("DEVICE", 416 - 4)
    assert played.now(CoupResumed)[0].source == "DEVICE"
    played.do("deal")
    line = played.line("coup")
    assert (line["coup"], line["player"], line["banker"]) == (1, ["6S", "TD"], ["7H", "KC"])
    assert not played.events(WithdrawalWindowOpened)


def test_damaged_cards_leave_play_and_others_take_their_place() -> None:
    """F-156, F-157, F-158: listed, replaced from a new deck, the number of cards restored."""
    played = in_a_coup().do("shuffler_fault", **SPARE, damaged=["5H", "6H"])
    assert played.now(CardsRemoved)[0].cards == ("5H", "6H")
    assert played.now(CardsReplaced)[0].cards == ("5H", "6H")
    assert played.do("resume_coup").now(CardsTransferred)[0].count == 412


# --- no spare: window, shuffle, cut, and a shoe ---


def prepared(played: Played) -> Played:
    """Shuffled, cut and marked, as cards for a shoe are."""
    played.do("shuffle", procedure="manual").do("cut", position=200, by=GAME_SUPERVISOR)
    return played.do("place_cut_card", from_back=20)


def test_every_player_is_offered_his_stake_and_silence_returns_it() -> None:
    """F-161, F-164: the window can't be skipped; who stays is played for from a shoe."""
    played = in_a_coup(("w1", "p1", "banker"), ("w2", "p2", "tie"), ("w3", "p3", "player"))
    played.do("shuffler_fault", **NO_SPARE)
    assert played.now(WithdrawalWindowOpened)[0].cause == "DEVICE"
    assert played.do("resume_coup").reason == "STATE"
    played.do("keep_wager", id="w1").do("withdraw_wager", id="w3").do("close_withdrawals")
    assert [one.wager_id for one in played.events(WagerWithdrawn)] == ["w3", "w2"]
    assert played.do("resume_coup", cards=["3D", "KC"]).reason == "STATE"
    prepared(played).do("resume_coup", cards=["3D", "KC"])
    assert played.now(CoupResumed)[0].source == "SHOE"
    played.do("deal")
    line = played.line("coup")
    assert (line["player"], line["coup"]) == (["6S", "3D"], 1)
    assert [one["outcome"] for one in line["wagers"]] == ["lost", "withdrawn", "withdrawn"]
    assert played.events(CoupResulted)[0].book_revision > 1


def test_the_shoe_that_ends_the_coup_is_cut_and_not_burned_again() -> None:
    """F-162, F-163, X-30: no resume without shuffle and cut; no new burn; a last coup now exists."""
    played = in_a_coup().do("shuffler_fault", **NO_SPARE, damaged=["5H"])
    assert played.now(CardsReplaced)[0].cards == ("5H",)
    assert not played.events(WithdrawalWindowOpened)
    played.do("shuffle", procedure="manual")
    assert played.do("resume_coup").reason == "STATE"
    prepared(played).do("resume_coup", cards=["TD", "KC", *NATURAL_NINE.split()])
    assert played.now(CardsTransferred)[0].cuts_after == 416 - 20
    played.do("deal")
    assert len(played.events(CardsBurned)) == 1
    assert played.coup().line("coup")["player"] == ["9S", "KD"]
    assert [one.draw_number for one in played.events(CardDrawn)] == [3, 4, 5, 6, 7, 8, 9, 10]


def test_nobody_stays_and_the_coup_is_void() -> None:
    """F-164: void by rule, stakes back, and the failed device deals no more."""
    played = in_a_coup(("w1", "p1", "banker")).do("shuffler_fault", **NO_SPARE)
    played.do("tick", at="2026-01-01T00:30:00Z")
    assert played.now(WithdrawalWindowClosed)
    assert played.now(CoupVoided)[0].reason == "ALL_WITHDRAWN"
    assert played.line("coup")["wagers"][0]["outcome"] == "withdrawn"
    assert played.now(ShoeRetired)[0].reason == "DEVICE_FAULT"


@pytest.mark.parametrize("method", ["C", "D"])
def test_a_device_stays_with_the_dealer(method: str) -> None:
    """F-88, X-27: methods in which a player holds the shoe are refused with a device."""
    played = Played(method=method, layout="C").approved(method)
    assert played.shoe(BURN, source="device").betting().reason == "METHOD"
