"""Burns: how many, when, on whose word, and what a forgotten one does."""

from __future__ import annotations

from typing import Any

import pytest

from services.contracts.round import BettingOpened, CardDealt, CoupVoided, IncidentRecorded
from services.contracts.shoe import (
    CardDrawn,
    CardIdentified,
    CardsBurned,
    CutCardReached,
    ErrorBurnApproved,
    LastCoupDesignated,
    ShoeInvalidated,
    ShoeRetired,
)
from services.shoe.commands import ApproveErrorBurn, BurnCards, DrawCard
from tests.support.played import (
    DEALER,
    GAME_SUPERVISOR,
    NATURAL_NINE,
    SIX_SEVEN,
    Played,
    person,
)

SIX_ASIDE = "9S 9H 9D 9C KS KH"
BURN_TWO = "AC 9D"
TEN_MORE = "2H 3H 4H 5H 6H 7H 8H 9H TH JH"


@pytest.mark.parametrize("rulebook", ["super-six", "nsw-baccarat", "nsw-mini"])
@pytest.mark.parametrize(("rank", "count"), [*zip("A23456789", range(2, 11), strict=True)])
def test_the_first_card_tells_how_many_are_burned(rulebook: str, rank: str, count: int) -> None:
    """C-15, D-11, D-12, F-49, F-50: it comes on top of as many as it shows."""
    played = Played(rulebook).shoe(f"{rank}S {TEN_MORE}")
    [burned] = played.events(CardsBurned)
    assert (burned.reason, burned.count, burned.first_card) == ("NEW_SHOE", count, f"{rank}S")


@pytest.mark.parametrize("rank", "TJQK")
def test_tens_and_faces_burn_ten_more_and_count_nothing_in_a_hand(rank: str) -> None:
    """D-13, F-50, D-10: ten for the burn, zero for the count; the first card is public."""
    played = Played().shoe(f"{rank}S" + f" {TEN_MORE} {rank}D 9D {rank}C 9C")
    assert played.events(CardsBurned)[0].count == 11
    assert played.events(CardsBurned)[0].first_card == f"{rank}S"
    assert played.coup().line("coup")["player_points"] == 0


def test_six_are_burned_unseen_and_the_coup_begins_with_the_seventh() -> None:
    """A-48: a fixed number, face down; no hand has a card with these numbers (A-01, F-04)."""
    played = Played("live-studio").shoe(f"{SIX_ASIDE} {SIX_SEVEN}").coup()
    [burned] = played.events(CardsBurned)
    assert (burned.count, burned.first_card, burned.first_draw_number) == (6, None, 1)
    assert [dealt.draw_number for dealt in played.events(CardDealt)] == [7, 8, 9, 10]
    assert played.cards.shoe is not None
    assert played.cards.shoe.left == 416 - 10


def test_betting_stays_shut_while_a_burn_is_owed() -> None:
    """A-48, C-16, F-48: refused until it is made, and then taken."""
    played = Played("nsw-mini", auto_burn=False).shoe(f"{BURN_TWO} {SIX_SEVEN}")
    assert played.betting().reason == "BURN_OWED"
    assert played.do("burn", reason="new_shoe").reason is None
    assert played.betting().reason is None


def test_a_card_before_the_new_shoes_burn_is_refused_where_the_rulebook_refuses_it() -> None:
    """C-16 in the other rulebooks: the shoe stays good."""
    played = Played("nsw-mini", auto_burn=False).shoe(f"{BURN_TWO} {SIX_SEVEN}")
    assert played.do("draw").reason == "BURN_OWED"
    assert not played.events(ShoeInvalidated)


def test_a_forgotten_burn_spoils_the_shoe_and_the_coup_that_it_began() -> None:
    """C-16: incident, void coup, invalid shoe; coups of it are refused afterwards."""
    played = Played("super-six", auto_burn=False).shoe(f"{BURN_TWO} {SIX_SEVEN}").do("draw")
    assert played.now(ShoeInvalidated)[0].reason == "NO_BURN"
    assert played.now(IncidentRecorded)[0].code == "BURN_MISSING"
    assert played.now(CoupVoided)[0].reason == "SHOE_INVALID"
    assert played.line("coup")["status"] == "void"
    assert played.betting().reason == "SHOE_ENDED"
    assert played.do("draw").reason == "SHOE_ENDED"


def test_coups_before_a_spoiled_shoe_stand() -> None:
    """C-16: a new shoe plays on, and the earlier coup keeps its result."""
    played = Played("super-six").shoe(f"{BURN_TWO} {SIX_SEVEN}").coup(("w1", "p1", "banker"))
    before = played.line("coup")
    played.shoe(f"{BURN_TWO} {NATURAL_NINE}").coup(("w2", "p1", "player"))
    assert before["status"] == "settled"
    assert played.line("coup")["wagers"][0]["outcome"] == "won"


def test_one_card_between_coups_none_before_the_first_or_after_the_last() -> None:
    """C-17: the burn opens the next coup; after the last coup of a shoe none is owed."""
    cards = f"{BURN_TWO} {SIX_SEVEN} 5D {NATURAL_NINE}"
    played = Played("super-six").shoe(cards, cut_card_after=9).coup()
    assert [one.reason for one in played.events(CardsBurned)] == ["NEW_SHOE"]
    played.betting()
    assert [one.reason for one in played.now(CardsBurned)] == ["BETWEEN_COUPS"]
    played.do("no_more_bets").do("deal")
    assert played.now(ShoeRetired)[0].lapsed == ()
    assert len(played.events(CardsBurned)) == 2


def test_each_change_of_dealer_owes_a_card_of_its_own() -> None:
    """A-50: two changes, two burns, and betting is shut until both are made (X-5)."""
    played = Played("live-studio", auto_burn=False).do("assign_dealer", dealer="d1")
    played.shoe(f"{SIX_ASIDE} {SIX_SEVEN} 2S 2D").do("burn", reason="new_shoe")
    played.do("change_dealer", dealer="d2").do("change_dealer", dealer="d3")
    for _ in range(2):
        assert played.betting().reason == "BURN_OWED"
        assert played.do("burn", reason="dealer_change").reason is None
    assert played.betting().reason is None


def test_a_dealer_changes_inside_a_coup_on_a_supervisors_word_and_burns_behind_it() -> None:
    """A-50, Procedure 2: refused to the dealer; the burn follows the coup."""
    played = Played("live-studio").do("assign_dealer", dealer="d1")
    played.shoe(f"{SIX_ASIDE} {SIX_SEVEN} 5D").betting()
    assert played.do("change_dealer", dealer="d2", by=DEALER).reason == "ROLE"
    played.do("change_dealer", dealer="d2", by=GAME_SUPERVISOR)
    assert not played.now(CardsBurned)
    played.do("no_more_bets").do("deal")
    assert [line["kind"] for line in played.lines] == ["coup", "burned"]


def test_the_house_burns_one_to_ten_cards_between_coups() -> None:
    """A-47: a supervisor, no betting open; 11 refused, nothing during a coup."""
    played = Played("live-studio").shoe(f"{SIX_ASIDE} {TEN_MORE} {SIX_SEVEN}")
    for count, reason in ((0, "NOT_PERMITTED"), (11, "NOT_PERMITTED"), (10, None)):
        played.do("burn", reason="discretion", count=count, by=GAME_SUPERVISOR)
        assert played.reason == reason
    assert played.do("burn", reason="discretion", count=1, by=DEALER).reason == "ROLE"
    played.betting().do("burn", reason="discretion", count=1, by=GAME_SUPERVISOR)
    assert played.reason == "STATE"
    assert (
        Played("super-six")
        .shoe(BURN_TWO)
        .do("burn", reason="discretion", by=GAME_SUPERVISOR)
        .reason
        == "NOT_PERMITTED"
    )


# --- game errors ---


def after_needless(count: int, **options: Any) -> Played:
    """A coup in which so many cards came out that no hand needed."""
    settings: dict[str, Any] = {"options": options} if options else {}
    played = Played("live-studio", **settings)
    played.shoe(f"{SIX_ASIDE} {SIX_SEVEN} 2S 3S 4S 5S 2D 3D {NATURAL_NINE}").betting()
    return played.do("no_more_bets").draws(4 + count).do("announce")


@pytest.mark.parametrize(
    ("aside", "counts", "burned", "drawn"),
    [(1, True, 3, 2), (2, True, 3, 1), (3, True, 3, 0), (4, True, 4, 0), (1, False, 4, 3)],
)
def test_cards_set_aside_go_first_and_the_rest_is_drawn(
    aside: int, counts: bool, burned: int, drawn: int
) -> None:
    """A-49, X-6: three in all; more set aside are all burned; with the field false three on top."""
    played = after_needless(aside, **{"burn.game_error_counts_set_aside": counts})
    assert played.betting().reason == "BURN_OWED"
    before = played.cards.shoe
    played.do("approve", what="three_card_burn", by=GAME_SUPERVISOR)
    played.do("burn", reason="game_error")
    [made] = played.now(CardsBurned)
    assert (made.reason, made.count, made.set_aside) == ("GAME_ERROR", burned, aside)
    assert before is not None
    assert played.cards.shoe is not None
    assert before.left - played.cards.shoe.left == drawn
    assert played.betting().reason is None


def test_the_error_burn_waits_for_a_supervisors_word() -> None:
    """A-49: without approval refused, two cards refused, the approval counts once."""
    played = after_needless(1)
    assert played.do("burn", reason="game_error").reason == "APPROVAL"
    assert played.do("approve", what="three_card_burn", by=DEALER).reason == "ROLE"
    played.do("approve", what="three_card_burn", by=GAME_SUPERVISOR)
    assert len(played.events(ErrorBurnApproved)) == 1
    assert played.do("approve", what="three_card_burn", by=GAME_SUPERVISOR).reason == "STATE"
    assert played.do("burn", reason="game_error", count=2).reason == "STATE"
    assert played.do("burn", reason="game_error", count=3).reason is None
    assert played.do("burn", reason="game_error").reason == "APPROVAL"


def test_rulebooks_without_an_error_burn_have_no_approval_for_it() -> None:
    """A-49 elsewhere: what the rulebook does not know is not permitted."""
    played = Played("nsw-mini").shoe(f"{BURN_TWO} {SIX_SEVEN}")
    assert played.do("approve", what="three_card_burn").reason == "NOT_PERMITTED"
    assert played.do("burn", reason="game_error").reason == "NOT_PERMITTED"


# --- the cutting card in a burn, and burned cards as they were read ---


def test_a_cutting_card_in_a_burn_ends_the_shoe_at_a_streamed_table() -> None:
    """X-46, A-40: retired at once, and the betting that was asked for does not open."""
    cards = f"{BURN_TWO} {SIX_SEVEN} 5D {NATURAL_NINE}"
    played = Played("super-six").shoe(cards, cut_card_after=6).coup().betting()
    assert played.now(CutCardReached)[0].in_burn
    assert played.now(ShoeRetired)[0].reason == "CUT_CARD_IN_BURN"
    assert not played.now(BettingOpened)
    assert played.line("refused")["reason"] == "SHOE_ENDED"


def test_a_cutting_card_in_a_burn_makes_the_next_coup_the_last_at_a_seated_table() -> None:
    """F-52, X-46: it counts as first card of the next coup."""
    played = Played("nsw-mini").shoe(f"{BURN_TWO} {SIX_SEVEN}", cut_card_after=1)
    assert played.now(LastCoupDesignated)[0].coup == 1
    assert played.coup().now(ShoeRetired)[0].reason == "LAST_COUP"


def test_what_an_electronic_shoe_reads_in_a_burn_stays_inside() -> None:
    """A-73: burned cards are known to the count of copies and to nobody else."""
    played = Played("live-studio", auto_burn=False).shoe("")
    read = ("2S", "3S", "4S", "5S", "6S", "7S")
    burn = BurnCards(at_us=played.at_us, by=person("DEALER"), reason="NEW_SHOE", cards=read)
    played.send("shoe", burn)
    assert [one.card for one in played.now(CardIdentified)] == list(read)
    assert not CardIdentified.published
    assert played.now(CardsBurned)[0].first_card is None


def test_a_card_drawn_between_coups_is_the_burn_that_is_owed() -> None:
    """C-16: no coup begins, nothing is owed any more, and a second card has no place."""
    played = Played("super-six").shoe(f"{BURN_TWO} {SIX_SEVEN} 5D {NATURAL_NINE}").coup()
    played.do("draw")
    assert played.now(CardsBurned)[0].reason == "BETWEEN_COUPS"
    assert not played.now(CardDrawn)
    assert played.do("draw").reason == "STATE"
    assert played.coup().line("coup")["player"] == ["9S", "KD"]


def test_a_scanned_card_that_is_the_burn_is_not_told() -> None:
    """C-16, A-73: its identity stays inside."""
    played = Played("super-six").shoe(f"{BURN_TWO} {SIX_SEVEN}").coup()
    draw = DrawCard(at_us=played.at_us, by=person("DEALER"), card="5D")
    played.send("shoe", draw)
    assert [one.card for one in played.now(CardIdentified)] == ["5D"]
    assert played.now(CardsBurned)[0].first_card is None


def test_a_burn_for_the_error_of_another_coup_is_not_agreed_to() -> None:
    """A-49: a form that was filled in for an earlier coup; without a number the last one is meant."""
    played = Played("live-studio").shoe(f"{SIX_ASIDE} {SIX_SEVEN} {NATURAL_NINE}").coup()
    asked: dict[str, Any] = {"at_us": played.at_us, "by": person("GAME_SUPERVISOR")}
    assert played.send("shoe", ApproveErrorBurn(coup=2, **asked)).reason == "STATE"
    assert played.refused is not None
    assert played.refused.message == "coup 2 was meant, and the last one is 1"
    assert played.send("shoe", ApproveErrorBurn(coup=1, **asked)).reason is None
