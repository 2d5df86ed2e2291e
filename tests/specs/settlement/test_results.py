"""Results against the exact odds: what is within its band, and what is not (R-20, R-29)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import exp

import pytest

from services.settlement.reports.results import (
    DRIFT,
    OUTSIDE,
    PAIRS,
    TOO_FEW,
    WINNERS,
    WITHIN,
    Comparison,
    Counted,
    compared,
)

BANKER, PLAYER, TIE = 0.458597423, 0.446246609, 0.095155968
"""With 8 decks, from published tables."""


def seen(coups: int, banker: int, player: int, tie: int, *, pairs: int | None = None) -> Comparison:
    pair = round(coups * 0.0746988) if pairs is None else pairs
    counts = dict(zip(WINNERS.values(), (banker, player, tie), strict=True))
    counts |= dict.fromkeys(PAIRS.values(), pair)
    return compared(Counted(coups={8: coups}, seen=counts))


def test_what_was_to_be_expected_is_exact() -> None:
    """The shares are those of the exact odds, and the chi-square is the sum it is."""
    found = seen(100_000, 45_860, 44_625, 9_515)
    for name, share in zip(WINNERS.values(), (BANKER, PLAYER, TIE), strict=True):
        assert float(found.expected[name]) == pytest.approx(share * 100_000, rel=1e-8)
    by_hand = sum(
        (n - share * 100_000) ** 2 / (share * 100_000)
        for n, share in ((45_860, BANKER), (44_625, PLAYER), (9_515, TIE))
    )
    assert float(found.chi_square) == pytest.approx(by_hand, rel=1e-4)
    assert float(found.chance) == pytest.approx(exp(-by_hand / 2), rel=1e-6)
    assert found.verdict == WITHIN


@pytest.mark.parametrize(
    ("more", "verdict"),
    [(0, WITHIN), (300, WITHIN), (400, OUTSIDE), (700, OUTSIDE), (900, DRIFT), (2_000, DRIFT)],
)
def test_more_and_more_wins_of_banker_are_noticed(more: int, verdict: str) -> None:
    """A spread of 158 coups is one standard deviation here."""
    assert seen(100_000, 45_860 + more, 44_625 - more, 9_515).verdict == verdict


def test_pairs_that_never_come_are_drift() -> None:
    """Whoever wins: the shoe is not what it should be."""
    assert seen(10_000, 4_586, 4_462, 952, pairs=300).verdict == DRIFT


def test_a_few_coups_are_no_judgement() -> None:
    assert seen(99, 99, 0, 0).verdict == TOO_FEW
    assert seen(100, 100, 0, 0).verdict == DRIFT


def test_coups_of_several_numbers_of_decks_are_expected_each_by_its_own() -> None:
    both = compared(Counted(coups={1: 500, 8: 500}, seen={}))
    one, eight = (compared(Counted(coups={decks: 500}, seen={})) for decks in (1, 8))
    for name in WINNERS.values():
        assert both.expected[name] == one.expected[name] + eight.expected[name]
    assert sum(both.expected[name] for name in WINNERS.values()) == Fraction(1_000)


def test_a_band_is_narrower_the_more_was_played() -> None:
    low, high = seen(100, 46, 45, 9).band("banker_wins")
    closer = seen(10_000, 4_600, 4_500, 900).band("banker_wins")
    assert low < closer[0] < Decimal(str(BANKER)) < closer[1] < high
    assert float(high - low) == pytest.approx(2 * 1.959964 * 0.0498283, rel=1e-4)
