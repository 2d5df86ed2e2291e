"""Results, areas, and the ends that a coup can have."""

from __future__ import annotations

from itertools import product

import pytest

from services.rulebooks.catalogue import rulebook
from services.rules.cards import RANKS
from services.rules.hands import is_pair, points
from services.rules.outcome import (
    AREAS,
    BIG_CARDS_MIN,
    End,
    area_result,
    early_win,
    outcome,
    possible_ends,
    worst_win,
)
from services.rules.tableau import next_hand
from tests.rules.oracle import cards, hand_of, third


def test_equal_counts_tie_whatever_the_number_of_cards() -> None:
    """A-08: a two-card 6 against a three-card 6 is a tie, as is 8 against 8."""
    assert outcome(cards("6", "K"), cards("2", "2", "2")).winner == "tie"
    assert outcome(cards("8", "K"), cards("4", "4")).winner == "tie"


def test_of_two_naturals_the_higher_wins() -> None:
    """C-01, X-22: nine beats eight; no two naturals tie because they are naturals."""
    result = outcome(cards("9", "K"), cards("8", "K"))
    assert (result.winner, result.natural) == ("player", True)


def test_all_counts_are_compared_as_numbers() -> None:
    """A-65: 100 pairs of counts; nine is best and zero worst."""
    for player, banker in product(range(10), repeat=2):
        winner = outcome(hand_of(player), hand_of(banker)).winner
        assert winner == ("player" if player > banker else "banker" if banker > player else "tie")


def test_suits_change_nothing() -> None:
    """B-07: with other suits every result, pair and number of cards stays."""
    player, banker = cards("2S", "2H", "KD"), cards("7S", "7H")
    turned = outcome([c[0] + "D" for c in player], [c[0] + "C" for c in banker])
    first = outcome(player, banker)
    assert turned.winner == first.winner
    assert (turned.player_pair, turned.banker_pair) == (first.player_pair, first.banker_pair)
    assert (turned.player_points, turned.banker_points, turned.cards) == (4, 4, 5)


@pytest.mark.parametrize(
    ("area", "player_wins", "banker_wins", "tie"),
    [
        ("PLAYER", "WIN", "LOSE", "PUSH"),
        ("BANKER", "LOSE", "WIN", "PUSH"),
        ("TIE", "LOSE", "LOSE", "WIN"),
    ],
)
def test_main_areas(area: str, player_wins: str, banker_wins: str, tie: str) -> None:
    """A-20..A-23, D-17..D-19: three ends of a Player, a Banker and a Tie wager."""
    seven, six = hand_of(7), hand_of(6)
    assert area_result(area, outcome(seven, six), "PUSH") == player_wins
    assert area_result(area, outcome(six, seven), "PUSH") == banker_wins
    assert area_result(area, outcome(six, six), "PUSH") == tie


def test_a_tie_may_lose_where_a_rulebook_says_so() -> None:
    """X-14: the push is the rulebook's word and not built in."""
    tie = outcome(hand_of(6), hand_of(6))
    assert area_result("PLAYER", tie, "LOSE") == "LOSE"
    assert area_result("TIE", tie, "LOSE") == "WIN"


def test_side_areas_go_by_first_cards_and_by_number_of_cards() -> None:
    """C-08, C-12, C-14: pairs whoever wins, Big from five cards, Small at four."""
    pairs = outcome(cards("JS", "JH", "2S"), cards("QS", "KS", "9S"))
    assert area_result("PLAYER_PAIR", pairs, "PUSH") == "WIN"
    assert area_result("BANKER_PAIR", pairs, "PUSH") == "LOSE"
    for count in (4, 5, 6):
        end = End("tie", banker_six=False, player_pair=False, banker_pair=False, cards=count)
        assert area_result("BIG", end, "PUSH") == ("WIN" if count >= 5 else "LOSE")
        assert area_result("SMALL", end, "PUSH") == ("WIN" if count == 4 else "LOSE")


def test_an_area_without_a_definition_is_an_error() -> None:
    """A-10: no area is decided by chance of its name."""
    with pytest.raises(ValueError, match="SUPER_SIX"):
        area_result("SUPER_SIX", outcome(hand_of(1), hand_of(2)), "PUSH")


def test_what_open_cards_have_already_won() -> None:
    """Procedure 13: a pair is won on the fourth card, Big on the fifth, nothing else."""
    player, banker = cards("2S", "2H"), cards("3S", "KS")
    assert not early_win("PLAYER_PAIR", player, banker[:1])
    assert early_win("PLAYER_PAIR", player, banker)
    assert not early_win("BANKER_PAIR", player, banker)
    assert not early_win("BIG", player, banker)
    assert early_win("BIG", (*player, "5D"), banker)
    for area in ("PLAYER", "BANKER", "TIE", "SMALL"):
        assert not early_win(area, (*player, "5D"), banker)


def ends_by_dealing() -> set[End]:
    """Every end found by dealing coups with the table of play, rank by rank."""
    found = set()
    by_class = {
        (points(hand), is_pair(hand)): hand
        for hand in ((a + "S", b + "H") for a, b in product(RANKS, repeat=2))
    }
    for player, banker in product(by_class.values(), repeat=2):
        for fifth, sixth in product(range(10), repeat=2):
            hands = {"player": list(player), "banker": list(banker)}
            for value in (fifth, sixth):
                needs = next_hand(hands["player"], hands["banker"])
                if needs is not None:
                    hands[needs].append(third(value))
            end = outcome(hands["player"], hands["banker"])
            found.add(
                End(
                    end.winner,
                    end.banker_six,
                    end.player_pair,
                    end.banker_pair,
                    min(end.cards, BIG_CARDS_MIN),
                )
            )
    return found


def test_possible_ends_are_those_that_dealing_reaches() -> None:
    """8.6: ends counted for exposure are exactly the ends that coups can have."""
    assert possible_ends() == ends_by_dealing()


def test_impossible_ends_are_left_out() -> None:
    """Banker never wins with 6 on four cards: Player would have drawn on less."""
    six = [end for end in possible_ends() if end.banker_six]
    assert six
    assert {end.cards for end in six} == {5}
    assert {end.winner for end in six} == {"banker"}


def test_the_largest_win_is_one_end_and_not_a_sum() -> None:
    """8.6: of Player, Banker and Tie only one can win; a pair can come with any."""
    book = rulebook("super-six")
    assert worst_win(book, {"PLAYER": 100, "BANKER": 100, "TIE": 10}) == 100
    assert worst_win(book, {"PLAYER": 100, "TIE": 20}) == 160
    assert worst_win(book, {"PLAYER": 100, "PLAYER_PAIR": 10, "BANKER_PAIR": 10}) == 320
    assert worst_win(book, {"BIG": 100, "SMALL": 100}) == 150
    assert worst_win(book, {}) == 0


def test_the_largest_win_is_after_commission_and_rounding() -> None:
    """The largest win is what would be paid: less commission, in payable amounts."""
    mini = rulebook("nsw-mini")
    assert worst_win(mini, {"BANKER": 50}, unit_minor=1) == 48
    assert worst_win(mini, {"BANKER": 50}, unit_minor=25) == 50
    assert worst_win(rulebook("live-studio"), {"BANKER": 50}, unit_minor=25) == 48


def test_every_area_has_a_result_at_every_end() -> None:
    """No area is undecided at any end a coup can have."""
    for area, end in product(AREAS, possible_ends()):
        assert area_result(area, end, "PUSH") in ("WIN", "LOSE", "PUSH")
