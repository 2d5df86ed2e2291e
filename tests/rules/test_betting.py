"""Combinations, limits, differential, currencies."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.rulebooks.catalogue import document, rulebook
from services.rules.betting import (
    AreaLimits,
    BookWager,
    Reduction,
    area_full,
    combination_allowed,
    currency_exponent,
    differential_gap,
    limit_fault,
    opens_gap,
    reduce_to_differential,
)
from services.rules.currencies import EXPONENTS
from services.rules.rulebook import rulebook_of


@pytest.mark.parametrize("size", range(4))
def test_eight_subsets_of_the_three_main_areas(size: int) -> None:
    """D-25, D-26, F-71, F-72: only both hands together need an approval."""
    for areas in combinations(("PLAYER", "BANKER", "TIE"), size):
        both = {"PLAYER", "BANKER"} <= set(areas)
        expected = "APPROVAL" if both else True
        assert combination_allowed(rulebook("nsw-mini"), frozenset(areas)) == expected
        assert combination_allowed(rulebook("live-studio"), frozenset(areas)) is True


def test_a_house_may_refuse_opposing_wagers() -> None:
    """X-13: the answer is the rulebook's field."""
    doc = document("live-studio")
    doc["opposing_wagers"] = "REFUSE"
    book = rulebook_of(doc)
    assert combination_allowed(book, frozenset({"PLAYER", "BANKER"})) is False
    assert combination_allowed(book, frozenset({"PLAYER", "TIE"})) is True


def test_the_fourth_wager_on_an_area_does_not_fit() -> None:
    """A-19, X-12: three live wagers, where the rulebook counts them at all."""
    live = [area_full(rulebook("live-studio"), count) for count in range(5)]
    assert live == [False, False, False, True, True]
    assert not area_full(rulebook("nsw-mini"), 99)


@pytest.mark.parametrize(
    ("limits", "amount", "total", "chip", "fault"),
    [
        (AreaLimits(500, 1000), 499, 499, 1, "BELOW_MINIMUM"),
        (AreaLimits(500, 1000), 500, 500, 1, None),
        (AreaLimits(500, 1000), 1000, 1000, 1, None),
        (AreaLimits(500, 1000), 101, 1001, 1, "ABOVE_MAXIMUM"),
        (AreaLimits(500, 1000), 1, 501, 1, None),
        (AreaLimits(25, 500, step_minor=5), 27, 27, 1, "NOT_MULTIPLE"),
        (AreaLimits(25, 500, step_minor=5), 30, 30, 1, None),
        (AreaLimits(25, 500, step_minor=5), 3, 33, 1, "NOT_MULTIPLE"),
        (AreaLimits(None, 500, step_minor=5), 12, 12, 1, "NOT_MULTIPLE"),
        (AreaLimits(25, 500), 26, 26, 1, None),
        (AreaLimits(25, 500, multiples_of_minimum=True), 26, 26, 1, "NOT_MULTIPLE"),
        (AreaLimits(25, 500, multiples_of_minimum=True), 25, 50, 1, None),
        (AreaLimits(25, 500), 30, 30, 25, "NOT_IN_CHIPS"),
        (AreaLimits(25, 500), 25, 55, 25, None),
        (AreaLimits(), 1, 10**15, 1, None),
        (AreaLimits(25, 20, step_minor=7), 24, 24, 25, "BELOW_MINIMUM"),
        (AreaLimits(25, 100, step_minor=7), 101, 101, 25, "ABOVE_MAXIMUM"),
        (AreaLimits(25, 100, step_minor=7), 33, 33, 25, "NOT_MULTIPLE"),
    ],
)
def test_limits_in_their_order(
    limits: AreaLimits, amount: int, total: int, chip: int, fault: str | None
) -> None:
    """F-74..F-76, 8.6: bounds on the total, chips on the wager, the first fault told."""
    found = limit_fault(limits, amount_minor=amount, total_minor=total, chip_minor=chip)
    assert found == fault


def cut(book: list[BookWager], differential: int, unit: int = 1) -> dict[str, tuple[int, int]]:
    found = reduce_to_differential(book, differential_minor=differential, unit_minor=unit)
    return {one.wager: (one.from_minor, one.to_minor) for one in found}


def test_the_larger_side_is_cut_pro_rata() -> None:
    """F-77: 1600 against 300 with 1000: shares of 1300, the odd unit to the largest rest."""
    book = [
        BookWager("w1", "PLAYER", 700),
        BookWager("w2", "PLAYER", 500),
        BookWager("w3", "PLAYER", 400),
        BookWager("w4", "BANKER", 300),
        BookWager("w5", "TIE", 9000),
    ]
    assert cut(book, 1000) == {"w1": (700, 569), "w2": (500, 406), "w3": (400, 325)}
    assert cut(book, 1300) == {}
    assert differential_gap(book) == 1300


def test_cuts_are_whole_chips() -> None:
    """F-77: shares are whole units; the two left over go to the largest remainders."""
    book = [
        BookWager("w1", "PLAYER", 1000),
        BookWager("w2", "PLAYER", 725),
        BookWager("w3", "PLAYER", 500),
        BookWager("w4", "BANKER", 200),
    ]
    assert cut(book, 1010, 25) == {"w1": (1000, 525), "w2": (725, 400), "w3": (500, 275)}


def test_a_tie_of_remainders_goes_to_the_earlier_wager() -> None:
    """Procedure 7: two equal wagers and one unit left: the first has it."""
    book = [BookWager("w1", "BANKER", 10), BookWager("w2", "BANKER", 10)]
    assert cut(book, 15) == {"w1": (10, 8), "w2": (10, 7)}


def test_tokens_stay_whole_while_they_fit() -> None:
    """Procedure 7: only cash is shared when the tokens fit under the target."""
    book = [BookWager("t", "BANKER", 500, token=True), BookWager("c", "BANKER", 800)]
    assert cut(book, 600) == {"c": (800, 100)}


def test_tokens_that_do_not_fit_go_back_latest_first() -> None:
    """Procedure 7: cash goes to nothing, then the latest tokens until the rest fits."""
    book = [
        BookWager("k1", "BANKER", 500, token=True),
        BookWager("k2", "BANKER", 800, token=True),
        BookWager("c", "BANKER", 300),
    ]
    assert cut(book, 600) == {"k2": (800, 0), "c": (300, 0)}
    assert cut(book, 400) == {"k1": (500, 0), "k2": (800, 0), "c": (300, 0)}
    found = reduce_to_differential(book, differential_minor=600, unit_minor=1)
    assert [one.wager for one in found] == ["k2", "c"]
    assert Reduction("k2", 800, 0).excess_minor == 800


def test_a_wager_that_opens_the_gap_is_seen() -> None:
    """Procedure 7, REJECT: only what widens the gap beyond the differential is refused."""
    book = [BookWager("w", "PLAYER", 100)]
    assert not opens_gap(book, area="PLAYER", amount_minor=50, differential_minor=150)
    assert opens_gap(book, area="PLAYER", amount_minor=51, differential_minor=150)
    assert not opens_gap(book, area="BANKER", amount_minor=250, differential_minor=150)
    assert opens_gap(book, area="BANKER", amount_minor=251, differential_minor=150)
    assert not opens_gap(book, area="BANKER", amount_minor=10, differential_minor=5)
    assert not opens_gap(book, area="TIE", amount_minor=10**6, differential_minor=150)


def test_a_token_that_goes_back_does_not_leave_the_other_hand_ahead() -> None:
    """Invariant 6: 1000 in a token against 100 with 50: both hands end within 50."""
    book = [BookWager("k", "BANKER", 1000, token=True), BookWager("c", "PLAYER", 100)]
    assert cut(book, 50) == {"k": (1000, 0), "c": (100, 50)}


book_entries = st.lists(
    st.tuples(st.sampled_from(["PLAYER", "BANKER", "TIE"]), st.integers(1, 5000), st.booleans()),
    max_size=8,
)


def after_cuts(book: list[BookWager], cuts: tuple[Reduction, ...]) -> list[BookWager]:
    left = {one.wager: one.to_minor for one in cuts}
    return [replace(w, stake_minor=left.get(w.wager, w.stake_minor)) for w in book]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    entries=book_entries,
    differential=st.integers(0, 4000),
    unit=st.sampled_from([1, 5, 25]),
    whole=st.booleans(),
)
def test_a_cut_book_is_within_the_differential(
    entries: list[tuple[str, int, bool]], differential: int, unit: int, whole: bool
) -> None:
    """F-77, invariant 6: within the differential, tight to the unit, nothing grows or splits."""
    book = [
        BookWager(f"w{at}", area, stake * (unit if whole else 1), token)
        for at, (area, stake, token) in enumerate(entries)
    ]
    cuts = reduce_to_differential(book, differential_minor=differential, unit_minor=unit)
    after = after_cuts(book, cuts)
    assert differential_gap(after) <= differential
    for wager, left in zip(book, after, strict=True):
        assert 0 <= left.stake_minor <= wager.stake_minor
        assert wager.area != "TIE" or left == wager
        assert not wager.token or left.stake_minor in (0, wager.stake_minor)
        assert left == wager or left.stake_minor % unit == 0
    cut_ids = {one.wager for one in cuts}
    assert [one.wager for one in cuts] == [w.wager for w in book if w.wager in cut_ids]
    if cuts and whole and not any(wager.token for wager in book):
        assert len({wager.area for wager in book if wager.wager in cut_ids}) == 1
        assert differential - differential_gap(after) < unit


def test_no_share_grows_when_stakes_are_no_whole_units() -> None:
    """F-77: each w' is at most w, also where stakes came in below the rounding unit."""
    book = [BookWager("a", "PLAYER", 4), BookWager("b", "PLAYER", 4)]
    assert cut(book, 7, 5) == {"a": (4, 0), "b": (4, 0)}


def test_currency_exponents() -> None:
    """4.3: minor units by ISO 4217; an unknown or lower-case code is an error."""
    expected = {"JPY": 0, "KRW": 0, "EUR": 2, "AUD": 2, "MOP": 2, "KWD": 3, "BHD": 3, "CLF": 4}
    assert {code: currency_exponent(code) for code in expected} == expected
    assert all(len(code) == 3 and code.isupper() for code in EXPONENTS)
    assert len(EXPONENTS) > 160
    for code in ("eur", "XAU", "BTC", "", "EU"):
        with pytest.raises(ValueError, match="no currency"):
            currency_exponent(code)
