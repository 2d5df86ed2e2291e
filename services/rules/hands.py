"""What two or three cards are worth together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.rules.cards import POINT_VALUES, Card

INITIAL_CARDS: Final = 2
"""Cards of a hand before any third card."""

HAND_CARDS_MAX: Final = 3
"""No hand ever takes a fourth card (004 9.7)."""

NATURAL_POINTS_MIN: Final = 8


def points(cards: Sequence[Card]) -> int:
    """Return the point count of a hand, 0 to 9: the last digit of the sum (000 1.1)."""
    total = 0
    for card in cards:
        total += POINT_VALUES[card]
    return total % 10


def initial_points(cards: Sequence[Card]) -> int:
    """Return the count of the first two cards, which all decisions look at.

    Raises IndexError for fewer.
    """
    return (POINT_VALUES[cards[0]] + POINT_VALUES[cards[1]]) % 10


def begins_naturally(cards: Sequence[Card]) -> bool:
    """Tell whether the first two cards count 8 or 9, whatever came after them."""
    return len(cards) >= INITIAL_CARDS and initial_points(cards) >= NATURAL_POINTS_MIN


def is_natural(cards: Sequence[Card]) -> bool:
    """Tell whether the hand is exactly two cards that count 8 or 9 (000 1.1).

    A hand that reaches 8 or 9 with its third card is no natural.
    """
    return len(cards) == INITIAL_CARDS and points(cards) >= NATURAL_POINTS_MIN


def is_pair(cards: Sequence[Card]) -> bool:
    """Tell whether the first two cards have the same rank (002 L23-L24).

    Rank, not value: a jack and a queen count the same and are no pair. A hand with fewer
    than two cards is no pair.
    """
    return len(cards) >= INITIAL_CARDS and cards[0][0] == cards[1][0]
