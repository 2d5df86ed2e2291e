"""The deal: four cards, naturals, third cards, the result."""

from __future__ import annotations

from itertools import product

import pytest

from services.contracts.round import (
    BettingOpened,
    CardDealt,
    CoupClosed,
    CoupResulted,
    CoupStarted,
    DrawInstructed,
    NaturalDeclared,
    PointsAnnounced,
    ThirdCardDecision,
)
from services.contracts.settlement import CoupSettled
from services.contracts.shoe import CardDrawn
from services.rules.hands import points
from services.rules.tableau import banker_draws
from tests.support.played import NATURAL_NINE, SEVEN_ALL, SIX_CARDS, SIX_SEVEN, Played

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
CARD_OF = {value: f"{rank}H" for value, rank in enumerate("KA23456789")}
"""A card that counts so much."""

RULEBOOKS = ("live-studio", "live-lobby", "super-six", "nsw-baccarat", "nsw-mini")


def dealt(cards: str, rulebook: str = "nsw-mini") -> Played:
    """A coup that is dealt out."""
    front = ASIDE if rulebook.startswith("live") else BURN
    return Played(rulebook).shoe(f"{front} {cards}").coup()


# --- the first four ---


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_cards_one_and_three_are_players_two_and_four_are_bankers(rulebook: str) -> None:
    """A-02, A-06, A-53, B-10, F-83, F-84: exactly two hands, filled in turn, face up."""
    played = dealt(SIX_SEVEN, rulebook)
    placed = [(one.hand, one.position, one.card, one.face_up) for one in played.events(CardDealt)]
    assert placed == [
        ("PLAYER", 1, "6S", True),
        ("BANKER", 1, "7H", True),
        ("PLAYER", 2, "TD", True),
        ("BANKER", 2, "KC", True),
    ]


def test_a_coup_begins_with_its_first_card_and_ends_with_its_money() -> None:
    """F-08, X-36, N-15: burns are before it; without wagers it closes at its result."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN} {NATURAL_NINE}").coup(("w1", "p1", "tie"))
    assert played.now(CoupStarted)[0].draw_number == 3
    kinds = (CoupStarted, CoupResulted, CoupSettled, CoupClosed)
    assert played.order(*kinds) == [kind.__name__ for kind in kinds]
    played.coup()
    assert played.now(CoupClosed)[0].coup == 2
    assert [one.status for one in played.events(CoupClosed)] == ["SETTLED", "SETTLED"]


def test_a_coup_without_betting_closes_as_such() -> None:
    """F-150, F-166: a display can tell it from a coup that was played for money."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting(no_bet=True).do("deal")
    assert [one.status for one in played.events(CoupClosed)] == ["NO_BET"]


def test_the_dealer_deals_card_by_card_or_all_at_once() -> None:
    """F-08, A-66: the same coup either way."""
    slowly = Played().shoe(f"{BURN} {SIX_CARDS}").betting().do("no_more_bets").draws(6)
    slowly.do("announce")
    quickly = dealt(SIX_CARDS)
    assert slowly.line("coup")["banker"] == quickly.line("coup")["banker"] == ["AD", "2C", "4S"]
    assert [one.count for one in quickly.events(DrawInstructed)] == [4, 1, 1]
    assert not slowly.events(DrawInstructed)


@pytest.mark.parametrize(("kept", "asked"), [(1, [3]), (3, [1]), (4, [])])
def test_a_coup_that_is_dealt_out_asks_for_no_more_than_kept_cards_leave_wanting(
    kept: int, asked: list[int]
) -> None:
    """F-149: the kept ones come by themselves, and nothing is drawn that no hand needs."""
    played = Played(method="B", layout="C").approved("B")
    played.shoe(f"{BURN} 7S KH TD 6C {NATURAL_NINE} 2C 3C 4C 5C").betting()
    played.do("no_more_bets").do("close_book").draws(4 + kept).do("announce")
    played.betting().do("no_more_bets").do("deal")
    assert [one.count for one in played.events(DrawInstructed)] == asked
    drawn = [one for one in played.events(CardDrawn) if one.coup_id == "T1:1:2"]
    assert [one.draw_number for one in drawn] == [7, 8, 9, 10]
    assert [one.carried for one in drawn] == [True] * kept + [False] * (4 - kept)
    assert played.line("coup")["player"] == NATURAL_NINE.split()[::2]


# --- counts ---


@pytest.mark.parametrize(
    ("cards", "player", "banker"),
    [("AS 5H 2D 2C 4H", 7, 7), ("AS 7H 2D KC 9H", 2, 7), ("KS 9H KD TC", 0, 9)],
)
def test_counts_are_the_last_digit_of_the_sum(cards: str, player: int, banker: int) -> None:
    """A-05, A-09, A-16, B-05, B-06, F-03, F-13, F-25, F-26: A, 2, 4 make 7; A, 2, 9 make 2."""
    line = dealt(cards).line("coup")
    assert (line["player_points"], line["banker_points"]) == (player, banker)


def test_a_third_card_makes_no_natural() -> None:
    """A-07, F-12: K, 3, 5 count 8 with three cards."""
    line = dealt("KS 7H 3D KC 5H").line("coup")
    assert (line["player_points"], line["natural"]) == (8, False)


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize(
    ("cards", "winner"),
    [
        ("5S 9H KD KC", "banker"),
        ("9S 5H KD KC", "player"),
        ("9S 8H KD KC", "player"),
        ("8S 9H KD KC", "banker"),
        ("8S 8H KD KC", "tie"),
    ],
)
def test_a_natural_on_either_side_ends_drawing_and_the_higher_one_wins(
    rulebook: str, cards: str, winner: str
) -> None:
    """A-07, A-56, B-11, C-01, C-02, C-03, C-06, F-12, F-124, X-22: no third card for anybody."""
    played = dealt(cards, rulebook)
    assert played.line("coup")["winner"] == winner
    assert len(played.events(CardDealt)) == 4
    assert played.events(NaturalDeclared)
    assert {one.rule for one in played.events(ThirdCardDecision)} == {"natural"}


def test_a_tie_is_equal_counts_whatever_the_number_of_cards() -> None:
    """A-08, B-05, F-15: a two-card 6 against a three-card 6."""
    played = dealt("6S 2H KD KC 4H")
    assert played.line("coup")["winner"] == "tie"
    assert dealt(SEVEN_ALL).line("coup")["winner"] == "tie"


def test_suits_decide_nothing() -> None:
    """B-07: other suits, the same coup."""
    lines = [
        dealt(" ".join(card[0] + suit for card in SIX_CARDS.split())).line("coup")
        for suit in "SHDC"
    ]
    assert {(line["winner"], line["player_points"], line["banker_points"]) for line in lines} == {
        ("banker", 5, 7)
    }


# --- third cards ---


@pytest.mark.parametrize("rulebook", RULEBOOKS)
@pytest.mark.parametrize("total", range(8))
def test_player_draws_to_five_and_stands_on_six_and_seven(rulebook: str, total: int) -> None:
    """A-57, B-12, C-04, C-05, F-125: while Banker has no natural."""
    played = dealt(f"{CARD_OF[total]} 7H KD KC 9S 9C", rulebook)
    first = played.events(ThirdCardDecision)[0]
    assert (first.hand, first.draw) == ("PLAYER", total <= 5)
    assert first.clauses


@pytest.mark.parametrize(("total", "third"), list(product(range(8), [None, *range(10)])))
def test_banker_draws_by_the_table(total: int, third: int | None) -> None:
    """A-58 to A-64, A-59, A-60, A-61, A-62, A-63, A-64, C-07, F-126, F-127, X-23: 88 cells."""
    start = CARD_OF[6] if third is None else CARD_OF[5]
    extra = "" if third is None else CARD_OF[third]
    played = dealt(f"{start} {CARD_OF[total]} KD KC {extra} 2D")
    second = played.events(ThirdCardDecision)[1]
    assert (second.hand, second.draw) == ("BANKER", banker_draws(total, third))
    assert len(played.line("coup")["banker"]) == (3 if second.draw else 2)


def test_all_texts_that_state_the_table_give_the_same_coup() -> None:
    """B-13, X-20: 000, 001 and 002 agree, and 004 fills its missing table from them."""
    for total, third in product(range(8), range(10)):
        cards = f"{CARD_OF[5]} {CARD_OF[total]} KD KC {CARD_OF[third]} 2D"
        lines = [dealt(cards, rulebook).line("coup") for rulebook in RULEBOOKS]
        assert len({(tuple(line["banker"]), line["winner"]) for line in lines}) == 1


def test_a_third_card_is_marked_as_such_and_no_hand_takes_a_fourth() -> None:
    """A-54, A-55, F-132: position 3 is laid across; a seventh card belongs to no hand."""
    played = Played().shoe(f"{BURN} {SIX_CARDS} 9H").betting().do("no_more_bets").draws(7)
    thirds = [one for one in played.events(CardDealt) if one.position == 3]
    assert [one.hand for one in thirds] == ["PLAYER", "BANKER"]
    assert played.line("carried")["card"] == "9H"
    assert max(one.position for one in played.events(CardDealt)) == 3


def test_counts_are_called_before_third_cards_and_again_at_the_end() -> None:
    """F-90, F-104, F-123, F-134: Player's count, then Banker's; final ones with the result."""
    played = dealt(SIX_CARDS)
    called = [(one.hand, one.points, one.final) for one in played.events(PointsAnnounced)]
    assert called == [
        ("PLAYER", 5, False),
        ("BANKER", 3, False),
        ("PLAYER", 5, True),
        ("BANKER", 7, True),
    ]
    third = next(one.draw_number for one in played.events(CardDealt) if one.position == 3)
    first_call = next(
        at for at, each in enumerate(played.story) if isinstance(each.event, PointsAnnounced)
    )
    drawn = next(
        at
        for at, each in enumerate(played.story)
        if isinstance(each.event, CardDrawn) and each.event.draw_number == third
    )
    assert first_call < drawn
    assert not dealt(SIX_CARDS, "live-studio").events(PointsAnnounced)


# --- the result ---


@pytest.mark.parametrize(("player", "banker"), [(6, 7), (7, 6), (6, 6), (7, 7)])
def test_the_hand_nearer_to_nine_wins(player: int, banker: int) -> None:
    """A-08, A-65, B-01: compared as numbers, 9 best and 0 worst."""
    line = dealt(f"{CARD_OF[player]} {CARD_OF[banker]} KD KC").line("coup")
    wanted = "tie" if player == banker else ("player" if player > banker else "banker")
    assert line["winner"] == wanted


def test_the_result_is_one_event_that_screens_and_dealer_share() -> None:
    """A-66, B-01: hands, counts, winner, decisions with their clauses and the book it rests on."""
    played = dealt(SIX_CARDS)
    [result] = played.events(CoupResulted)
    assert (result.winner, result.player_points, result.banker_points) == ("BANKER", 5, 7)
    assert points(result.player) == 5
    assert [made.clause for made in result.decisions] == ["004:9.3.1", "004:9.4"]
    assert result.book_revision == 1
    assert played.events(BettingOpened)[0].coup_id == result.coup_id


def test_an_announcement_before_the_cards_are_out_is_refused() -> None:
    """F-103, F-123: a hand still needs a card."""
    played = Played().shoe(f"{BURN} {SIX_CARDS}").betting().do("no_more_bets").draws(4)
    assert played.do("announce").reason == "STATE"
    assert played.draws(2).do("announce").reason is None
    assert played.do("announce").reason == "STATE"
