"""Cards laid wrong or pulled together, and the windows behind a rebuilt deal (Procedures 6, 8)."""

from __future__ import annotations

from itertools import product

import pytest

from services.contracts.round import (
    CardDealt,
    CoupResulted,
    CoupVoided,
    WithdrawalWindowClosed,
    WithdrawalWindowOpened,
)
from services.contracts.round_hands import (
    AlarmRaised,
    CardReassigned,
    CoupHeld,
    CoupResumed,
    ErrorApproved,
    MisdealDetected,
    PlacementCorrected,
    ReconstructionAttempted,
    ReconstructionCompleted,
    ReconstructionFailed,
)
from services.contracts.shoe import CardDrawn
from services.contracts.wager import BookRevised, WagerWithdrawn
from services.round.commands import ExtendWithdrawals
from services.rules.tableau import banker_draws
from services.shoe.commands import DrawCard
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
ASIDE = "9S 9H 9D 9C KS KH"
CARD_OF = {value: f"{rank}H" for value, rank in enumerate("KA23456789")}


def laid(hands: str, rulebook: str = "nsw-mini", cards: str = SIX_SEVEN, **draw: object) -> Played:
    """The first cards of a coup with a wager, laid on these hands: P and B."""
    front = ASIDE if rulebook.startswith("live") else BURN
    played = Played(rulebook).shoe(f"{front} {cards} {NATURAL_NINE}").betting()
    played.wager("w1", "p1", "banker").do("no_more_bets")
    for hand in hands:
        played.do("draw", to="player" if hand == "P" else "banker", **draw)
    return played


# --- REORDER ---


@pytest.mark.parametrize("rulebook", ["super-six", "live-studio"])
@pytest.mark.parametrize("hands", ["PBBP", "PPBB", "BPBP", "PBPP"])
def test_a_supervisor_puts_the_first_four_right_and_the_result_stands(
    rulebook: str, hands: str
) -> None:
    """C-22, A-53, X-16: numbers 1 to 4 are P, B, P, B; no window, wagers as they were."""
    played = laid(hands, rulebook)
    assert played.events(MisdealDetected)[0].kind == "WRONG_PLACEMENT"
    assert played.do("deal").reason == "STATE"
    assert played.do("announce").reason == "STATE"
    assert played.ruling("correct_placement", DEALER, coup=1).reason == "ROLE"
    played.ruling("correct_placement", GAME_SUPERVISOR, coup=1)
    assert played.now(PlacementCorrected)[0].hands == ("PLAYER", "BANKER", "PLAYER", "BANKER")
    played.do("deal")
    assert played.line("coup")["player"] == ["6S", "TD"]
    assert played.line("coup")["wagers"][0]["outcome"] == "won"
    assert not played.events(WithdrawalWindowOpened)


def test_the_other_way_of_putting_it_right_is_not_this_rulebooks() -> None:
    """X-16: REORDER or RECONSTRUCT, never both."""
    streamed, seated = laid("PBBP", "super-six"), laid("PBBP")
    for kind in ("reconstruct", "not_reconstructible"):
        assert streamed.ruling(kind, CASINO_SUPERVISOR, coup=1).reason == "NOT_PERMITTED"
    by = CASINO_SUPERVISOR
    assert seated.ruling("correct_placement", by, coup=1).reason == "NOT_PERMITTED"


def test_a_ruling_names_the_coup_that_waits_for_it() -> None:
    """C-22, F-142: an unknown coup, one that is over, and one that waits for nothing."""
    played = laid("PBBP", "super-six")
    assert played.ruling("correct_placement", GAME_SUPERVISOR, coup=9).reason == "UNKNOWN"
    played.ruling("correct_placement", GAME_SUPERVISOR, coup=1)
    assert played.ruling("correct_placement", GAME_SUPERVISOR, coup=1).reason == "STATE"
    played.do("deal").betting()
    assert played.ruling("correct_placement", GAME_SUPERVISOR, coup=1).reason == "STATE"


# --- RECONSTRUCT ---


def test_a_rebuilt_deal_goes_on_without_a_window_where_cards_were_seen() -> None:
    """F-142, F-143: the attempt and its mapping are kept; one exposed card, no window."""
    played = laid("PPBB").ruling("reconstruct", CASINO_SUPERVISOR, coup=1)
    assert played.now(ReconstructionAttempted)
    [rebuilt] = played.now(ReconstructionCompleted)
    assert rebuilt.exposed
    assert rebuilt.draw_numbers == (3, 4, 5, 6)
    assert played.now(CoupResumed)
    assert played.do("withdraw_wager", id="w1").reason is not None
    assert played.do("deal").line("coup")["banker"] == ["7H", "KC"]
    assert not played.events(WithdrawalWindowOpened)


def unseen(*wagers: tuple[str, str, str], rulebook: str = "nsw-mini") -> Played:
    """Four cards laid wrong, face down, and rebuilt."""
    played = Played(rulebook, method="B", layout="C").approved("B")
    played.seated(p1=1, p2=2).shoe(f"{BURN} {SEVEN_ALL}").betting()
    for wager, player, area in wagers:
        played.wager(wager, player, area)
    played.do("no_more_bets").do("close_book")
    for hand in ("player", "player", "banker", "banker"):
        played.do("draw", to=hand)
    return played.ruling("reconstruct", CASINO_SUPERVISOR, coup=1)


@pytest.mark.parametrize("rulebook", ["nsw-mini", "nsw-baccarat"])
def test_with_nothing_seen_each_player_may_take_his_wager_off(rulebook: str) -> None:
    """F-143, F-144, D6: the coup goes on only after the book's new revision."""
    played = unseen(("w1", "p1", "tie"), ("w2", "p2", "tie"), rulebook=rulebook)
    [window] = played.now(WithdrawalWindowOpened)
    assert window.cause == "RECONSTRUCTION"
    for action in ("deal", "announce", "no_more_bets"):
        assert played.do(action).reason == "STATE"
    played.do("withdraw_wager", id="w1").do("close_withdrawals")
    revised = played.now(BookRevised)[0]
    assert (revised.reason, revised.wagers) == ("WITHDRAWAL", 1)
    assert played.order(WithdrawalWindowClosed, BookRevised, CoupResumed) == [
        "WithdrawalWindowClosed",
        "BookRevised",
        "CoupResumed",
    ]
    played.do("deal")
    assert played.events(CoupResulted)[0].book_revision == revised.revision
    assert [one["outcome"] for one in played.line("coup")["wagers"]] == ["withdrawn", "won"]


def test_the_window_closes_by_itself_and_silence_leaves_the_wager() -> None:
    """F-143, X-44: sixty seconds, at its own moment."""
    played = unseen(("w1", "p1", "tie"))
    played.do("tick", at="2026-01-01T00:30:00Z")
    assert played.now(WithdrawalWindowClosed)
    assert played.do("withdraw_wager", id="w1").reason is not None
    assert played.do("deal").line("coup")["wagers"][0]["outcome"] == "won"


def test_the_last_withdrawal_voids_the_coup() -> None:
    """F-145: automatic, at once; the window is over with it."""
    played = unseen(("w1", "p1", "tie"), ("w2", "p1", "tie"))
    played.do("withdraw_wager", id="w1")
    assert not played.events(CoupVoided)
    played.do("withdraw_wager", id="w2")
    assert played.now(CoupVoided)[0].reason == "ALL_WITHDRAWN"
    assert played.printed("window")[0]["status"] == "closed"
    assert [one["outcome"] for one in played.line("coup")["wagers"]] == ["withdrawn"] * 2
    assert len(played.events(WagerWithdrawn)) == 2


def test_a_coup_that_never_had_wagers_needs_no_window() -> None:
    """F-143, F-145: it goes on."""
    played = unseen()
    assert not played.events(WithdrawalWindowOpened)
    assert played.do("deal").line("coup")["winner"] == "tie"


def test_a_supervisor_lengthens_the_window_to_five_minutes_at_the_most() -> None:
    """Procedure 8: 300 seconds in all; the dealer may not."""
    played = unseen(("w1", "p1", "tie"))
    first = played.now(WithdrawalWindowOpened)[0].until_us

    def extend(role: str, seconds: int) -> str | None:
        command = ExtendWithdrawals(at_us=played.at_us, by=person(role), seconds=seconds)
        return played.send("round", command).reason

    assert extend("DEALER", 300) == "ROLE"
    assert extend("GAME_SUPERVISOR", 301) == "NOT_PERMITTED"
    assert extend("GAME_SUPERVISOR", 60) == "NOT_PERMITTED"
    assert extend("GAME_SUPERVISOR", 300) is None
    assert played.round.coup.window.until_us == first + 240_000_000


def test_only_a_casino_supervisor_declares_a_reconstruction_failed() -> None:
    """F-146, X-45: all stakes back, once; an alarm comes after two minutes and voids nothing."""
    played = laid("PP").do("tick", at="2026-01-01T00:02:20Z")
    assert len(played.events(AlarmRaised)) == 1
    assert not played.events(CoupVoided)
    assert played.ruling("not_reconstructible", GAME_SUPERVISOR, coup=1).reason == "ROLE"
    played.ruling("not_reconstructible", CASINO_SUPERVISOR, coup=1)
    assert played.now(ReconstructionFailed)
    line = played.line("coup")
    assert (line["reason"], line["wagers"][0]["returned"]) == ("NOT_RECONSTRUCTIBLE", 500)


@pytest.mark.parametrize("hands", ["PBPP", "PPP", "BBB", "PBBB"])
def test_more_than_two_initial_cards_on_a_hand_void_the_coup_by_rule(hands: str) -> None:
    """F-147, X-17: without a choice, in New South Wales."""
    played = laid(hands)
    assert played.now(CoupVoided)[0].reason == "EXCESS_INITIAL"
    assert played.line("coup")["wagers"][0]["outcome"] == "refunded"


def test_the_same_is_put_in_order_where_the_rulebook_reorders() -> None:
    """X-17: `excess_initial` REORDER."""
    played = laid("PPPB", "super-six").ruling("correct_placement", GAME_SUPERVISOR, coup=1)
    assert played.do("deal").line("coup")["status"] == "settled"


# --- third cards ---


@pytest.mark.parametrize(("player", "banker"), list(product((6, 7), range(8))))
def test_a_needless_third_card_of_player_is_bankers_if_he_must_draw(
    player: int, banker: int
) -> None:
    """F-148, X-21: decided by the rule for a Player who stood; else it opens the next coup."""
    played = Played().shoe(f"{BURN} {CARD_OF[player]} {CARD_OF[banker]} TD KC 4S").betting()
    played.do("no_more_bets").draws(4).do("draw", to="player")
    if banker_draws(banker, None):
        assert played.now(CardReassigned)[0].to == "BANKER_3"
        assert played.line("carried") == {
            "kind": "carried",
            "line": played._number,
            "card": "4S",
            "to": "banker_third",
        }
        assert played.do("announce").line("coup")["banker"][2] == "4S"
    else:
        assert played.line("carried")["to"] == "next_coup_first"
        assert len(played.do("announce").line("coup")["banker"]) == 2


@pytest.mark.parametrize("rulebook", ["super-six", "live-studio", "nsw-mini"])
def test_a_third_card_on_the_wrong_hand_belongs_to_the_hand_that_needs_it(rulebook: str) -> None:
    """Procedure 6, F-148: in every rulebook, and without a ruling."""
    front = ASIDE if rulebook.startswith("live") else BURN
    played = Played(rulebook).shoe(f"{front} 2S 6H 3D KC KD").betting().do("no_more_bets")
    played.draws(4).do("draw", to="banker")
    assert played.now(PlacementCorrected)[0].cause == "THIRD_CARD"
    assert not played.events(CoupHeld)
    assert played.do("announce").line("coup")["player"] == ["2S", "3D", "KD"]


# --- pulled together ---


def test_cards_pulled_together_count_upper_first_however_they_were_read() -> None:
    """C-20, C-21: successive draw numbers; the scanner's order never wins."""
    played = Played(auto_burn=False).shoe(f"{BURN}").do("burn", reason="new_shoe").betting()
    played.do("no_more_bets").do("close_book")
    pull = DrawCard(
        at_us=played.at_us,
        by=person("DEALER"),
        count=3,
        cards=("7H", "TD", "6S"),
        layers=(2, 3, 1),
    )
    drawn = played.send("shoe", pull).now(CardDrawn)
    assert [one.card for one in drawn] == ["6S", "7H", "TD"]
    assert [one.draw_number for one in drawn] == [3, 4, 5]
    assert [one.hand for one in played.now(CardDealt)] == ["PLAYER", "BANKER", "PLAYER"]


@pytest.mark.parametrize("before", [True, False])
def test_a_supervisor_confirms_a_pull_before_or_after_it_but_before_the_result(
    before: bool,
) -> None:
    """C-20: without him announcement and deal are refused."""
    played = Played("super-six").shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets")
    if before:
        played.do("approve", what="multi_pull", by=GAME_SUPERVISOR)
    played.do("draw", count=2)
    if not before:
        assert played.do("deal").reason == "APPROVAL"
        assert played.do("approve", what="multi_pull", by=DEALER).reason == "ROLE"
        played.do("approve", what="multi_pull", by=GAME_SUPERVISOR)
    assert played.events(ErrorApproved)
    assert played.events(PlacementCorrected)[0].draw_numbers == (3, 4)
    assert played.do("deal").line("coup")["winner"] == "banker"


def test_a_second_pull_needs_no_second_word_in_the_same_coup() -> None:
    """C-20: the supervisor's word holds for the coup, and not for the next."""
    played = Played("super-six").shoe(f"{BURN} {SIX_SEVEN} 5D {NATURAL_NINE}").betting()
    played.do("no_more_bets").do("draw", count=2).do("approve", what="multi_pull")
    assert played.do("draw", count=2).do("announce").reason is None
    played.betting().do("no_more_bets").do("draw", count=2).draws(2)
    assert played.do("announce").reason == "APPROVAL"


def test_a_pull_that_was_foreseen_is_told_with_the_hand_of_every_card() -> None:
    """C-20: also of those that round has not heard of yet."""
    played = Played("super-six").shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets")
    played.do("approve", what="multi_pull").do("draw", count=3)
    [put] = played.events(PlacementCorrected)
    assert (put.draw_numbers, put.hands) == ((3, 4, 5), ("PLAYER", "BANKER", "PLAYER"))


@pytest.mark.parametrize("foreseen", [True, False])
def test_cards_pulled_too_early_are_told_to_come_behind_a_kept_card(foreseen: bool) -> None:
    """C-20, F-149: the hands that are told are those that the cards then go to."""
    played = Played(method="B", layout="C").approved("B").shoe(f"{BURN} 7S KH TD 6C 9C 7D KD TC")
    played.betting().do("no_more_bets").do("close_book").draws(5).do("announce").betting()
    for action in ("approve", "draw") if foreseen else ("draw", "approve"):
        played.do(action, **({"count": 2} if action == "draw" else {"what": "multi_pull"}))
    [put] = played.events(PlacementCorrected)
    played.do("ruling", kind="attest", seen=False)
    hands = {one.draw_number: one.hand for one in played.now(CardDealt)}
    assert hands == {7: "PLAYER", 8: "BANKER", 9: "PLAYER"}
    assert put.hands == tuple(hands[number] for number in put.draw_numbers) == ("BANKER", "PLAYER")


@pytest.mark.parametrize("rulebook", ["super-six", "live-studio", "nsw-mini"])
def test_four_or_more_together_void_the_coup(rulebook: str) -> None:
    """C-21, X-17: more than three, in every rulebook, approved or not."""
    played = Played(rulebook).shoe(f"{ASIDE} {SIX_SEVEN} {SIX_SEVEN} {SIX_SEVEN}").betting()
    played.wager("w1", "p1", "tie").do("no_more_bets").do("approve", what="multi_pull")
    played.do("draw", count=4)
    assert played.line("coup")["reason"] == "MULTI_PULL"
    assert played.line("coup")["wagers"][0]["outcome"] == "refunded"


def test_what_a_pull_leaves_over_is_a_needless_card() -> None:
    """C-21, Procedure 6: each goes to the hand that needs it, the rest is kept."""
    played = Played("super-six").shoe(f"{BURN} {SIX_SEVEN} 5D").betting().do("no_more_bets")
    played.draws(3).do("draw", count=2)
    assert played.line("carried")["card"] == "5D"
    played.do("approve", what="multi_pull").do("announce")
    assert played.line("coup")["banker"] == ["7H", "KC"]
