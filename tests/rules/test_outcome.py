"""Results, areas, and the ends that a coup can have."""

from __future__ import annotations

from itertools import product

import pytest

from services.rulebooks.catalogue import document, rulebook
from services.rules.cards import RANKS
from services.rules.ends import one_rank, pair_kind
from services.rules.hands import points
from services.rules.outcome import (
    AREAS,
    End,
    area_result,
    early_win,
    outcome,
    possible_ends,
    worst_win,
)
from services.rules.rulebook import rulebook_of
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
    seven, six, book = hand_of(7), hand_of(6), rulebook("live-studio")
    assert area_result(book, area, outcome(seven, six)) == player_wins
    assert area_result(book, area, outcome(six, seven)) == banker_wins
    assert area_result(book, area, outcome(six, six)) == tie


def test_a_tie_may_lose_where_a_rulebook_says_so() -> None:
    """X-14: the push is the rulebook's word and not built in."""
    tie = outcome(hand_of(6), hand_of(6))
    losing = rulebook_of({**document("live-studio"), "tie_main_areas": "LOSE"})
    assert area_result(losing, "PLAYER", tie) == "LOSE"
    assert area_result(losing, "BANKER", tie) == "LOSE"
    assert area_result(losing, "TIE", tie) == "WIN"


def test_side_areas_go_by_first_cards_and_by_number_of_cards() -> None:
    """C-08, C-12, C-14: pairs whoever wins, Big from five cards, Small at four."""
    pairs = outcome(cards("JS", "JH", "2S"), cards("QS", "KS", "9S"))
    book = rulebook("super-six")
    assert area_result(book, "PLAYER_PAIR", pairs) == "WIN"
    assert area_result(book, "BANKER_PAIR", pairs) == "LOSE"
    for player_cards, banker_cards in product((2, 3), repeat=2):
        end = End(1, 1, player_cards, banker_cards)
        small = player_cards + banker_cards == 4
        assert area_result(book, "BIG", end) == ("LOSE" if small else "WIN")
        assert area_result(book, "SMALL", end) == ("WIN" if small else "LOSE")


def test_an_area_without_a_definition_is_an_error() -> None:
    """A-10: no area is decided by chance of its name, and none that is not offered."""
    for name, area in (("super-six", "SUPER_SIX"), ("live-studio", "BIG")):
        with pytest.raises(KeyError, match=area):
            area_result(rulebook(name), area, outcome(hand_of(1), hand_of(2)))
    assert not early_win("SUPER_SIX", hand_of(1), hand_of(2))


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
        assert not early_win(area, (*player, "5D"), (*banker, "6D"))
        assert not early_win(area, cards("9", "K"), cards("8", "K"))


def first_hands() -> list[tuple[str, ...]]:
    """Hands of two cards, one for each thing that an area could tell: count, rank, suits."""
    found = {}
    for one, two, suit in product(RANKS, RANKS, "SH"):
        hand = (one + "S", two + suit)
        kind = pair_kind(hand)
        found[points(hand), kind, one if kind != "NONE" else ""] = hand
    return list(found.values())


def ends_by_dealing() -> set[End]:
    """Every end found by dealing coups with the table of play, rank by rank."""
    found = set()
    finished: dict[tuple[int, int], set[tuple[int, int, int, int]]] = {}
    for first, second in product(first_hands(), repeat=2):
        counts = points(first), points(second)
        if counts not in finished:
            finished[counts] = {
                dealt(first, second, *tail) for tail in product(range(10), repeat=2)
            }
        pairs = pair_kind(first), pair_kind(second), one_rank(first, second)
        found |= {End(*end, *pairs) for end in finished[counts]}
    return found


def dealt(first: tuple[str, ...], second: tuple[str, ...], *tail: int) -> tuple[int, int, int, int]:
    """Counts and numbers of cards of a coup that begins with two hands and goes on so."""
    hands = {"player": list(first), "banker": list(second)}
    for value in tail:
        needs = next_hand(hands["player"], hands["banker"])
        if needs is not None:
            hands[needs].append(third(value))
    end = outcome(hands["player"], hands["banker"])
    return end.player_points, end.banker_points, end.player_cards, end.banker_cards


def test_possible_ends_are_those_that_dealing_reaches() -> None:
    """8.6: ends counted for exposure are exactly the ends that coups can have."""
    assert possible_ends() == ends_by_dealing()


def test_impossible_ends_are_left_out() -> None:
    """Banker never wins with 6 on four cards: Player would have drawn on less."""
    six = [end for end in possible_ends() if end.winner == "banker" and end.banker_points == 6]
    assert {end.cards for end in six} == {5, 6}
    assert not any(end.pairs_of_one_rank and "NONE" in pairs_of(end) for end in possible_ends())


def pairs_of(end: End) -> tuple[str, str]:
    return end.player_pair_kind, end.banker_pair_kind


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
    book = rulebook("super-six")
    assert set(book.definitions) == set(AREAS)
    for area, end in product(AREAS, possible_ends()):
        assert area_result(book, area, end) in ("WIN", "LOSE", "PUSH")
