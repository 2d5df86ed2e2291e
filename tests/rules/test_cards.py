"""Cards, values, composition and the new-pack test."""

from __future__ import annotations

import random

import pytest

from services.rules.cards import (
    FULL_DECK,
    burn_value,
    new_deck_neighbours,
    overfull,
    parse_card,
    point_value,
)
from services.rules.hands import is_natural, is_pair, points
from tests.rules.oracle import cards, oracle


@pytest.mark.parametrize(
    ("text", "card"),
    [("10h", "TH"), ("th", "TH"), ("TH", "TH"), ("as", "AS"), ("9C", "9C"), ("kD", "KD")],
)
def test_a_card_is_read_in_any_case_and_ten_in_two_ways(text: str, card: str) -> None:
    """A-16: `10` and `T` are one rank and case does not matter."""
    assert parse_card(text) == card


@pytest.mark.parametrize(
    "text",
    [
        "",
        "S",
        "10",
        "1D",
        "2T",
        "0H",
        "11S",
        "AS ",
        " AS",
        "ASS",
        "10TH",
        "JK",
        "A♠",
        "a\u017f",
        "1OH",
    ],
)
def test_what_is_no_card_is_refused(text: str) -> None:
    """A-13: jokers, spaces, other alphabets and cards that do not exist are no cards."""
    with pytest.raises(ValueError, match="no card"):
        parse_card(text)


def test_a_refused_card_names_the_part_that_is_wrong() -> None:
    """The person at the keyboard is told whether the rank or the suit is wrong."""
    with pytest.raises(ValueError, match="suit"):
        parse_card("AX")
    with pytest.raises(ValueError, match="rank"):
        parse_card("1S")


def test_the_deck_has_52_cards_with_the_values_of_the_oracle() -> None:
    """F-24, F-25, C-15: 52 different cards; ace 1, pips as printed, tens and faces 0."""
    assert len(set(FULL_DECK)) == len(FULL_DECK) == 52
    for rank, value in oracle("play")["values"].items():
        for suit in "SHDC":
            assert point_value(parse_card(rank + suit)) == value
            assert burn_value(parse_card(rank + suit), 10) == (value or 10)
    assert burn_value("KS", 7) == 7


def test_worked_hands() -> None:
    """A-09, A-16: only the last digit counts; ace, two, four is 7 and ace, two, nine is 2."""
    assert points(cards("A", "2", "4")) == 7
    assert points(cards("A", "2", "9")) == 2
    assert points(cards("J", "K", "Q")) == 0
    assert points(()) == 0


def test_a_natural_has_exactly_two_cards() -> None:
    """A-07: king, three, five is 8 and no natural."""
    assert is_natural(cards("K", "8"))
    assert is_natural(cards("4", "5"))
    assert not is_natural(cards("K", "3", "5"))
    assert not is_natural(cards("K", "7"))
    assert not is_natural(cards("8"))


def test_a_pair_is_two_of_one_rank_at_the_start() -> None:
    """C-12: rank and not value; a third card neither makes nor breaks a pair."""
    assert is_pair(cards("JS", "JH"))
    assert is_pair(cards("6D", "6H", "2S"))
    assert not is_pair(cards("JS", "QS"))
    assert not is_pair(cards("10S", "KS"))
    assert not is_pair(cards("6D", "4H", "6S"))
    assert not is_pair(cards("6D"))


def test_the_first_card_too_many_is_found() -> None:
    """A-13: eight copies of a card fit eight decks, the ninth is the breach."""
    assert overfull(FULL_DECK * 8, 8) is None
    assert overfull([*FULL_DECK, "KD", "AS"], 1) == "KD"
    assert overfull(["AS"] * 9, 8) == "AS"


def test_a_factory_pack_shows_itself() -> None:
    """F-28: an unshuffled pack has 48 neighbours, a shuffled shoe about 1.8 on average."""
    assert new_deck_neighbours(FULL_DECK * 8) == 48
    assert new_deck_neighbours(["KS", "AS", "2S", "2H", "3H", "2H", "4H"]) == 3
    shoe = list(FULL_DECK * 8)
    order = random.Random(20240917)
    counted = 0
    for _ in range(500):
        order.shuffle(shoe)
        counted += new_deck_neighbours(shoe)
    assert 1.5 < counted / 500 < 2.1


def test_only_the_first_deck_of_cards_is_looked_at() -> None:
    """Later cards change nothing: the count is about the first 52 identified cards."""
    quiet = ["AS", "AH"] * 26
    assert new_deck_neighbours([*quiet, *FULL_DECK]) == 0
