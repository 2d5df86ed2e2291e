"""Settlement of wagers: exact values, rounding, pushes, tokens."""

from __future__ import annotations

from fractions import Fraction

import pytest

from services.rulebooks.catalogue import document, load_catalogue, rulebook
from services.rules.money import payable_unit, round_amount
from services.rules.outcome import End, Outcome, outcome, possible_ends
from services.rules.payout import WagerResult, push_wager, settle_wager
from services.rules.rulebook import Rulebook, rulebook_of
from tests.rules.oracle import cards, hand_of, oracle

MODES = ("UP", "DOWN", "HALF_UP", "HALF_EVEN")
UNITS = (1, 5, 25, 100)

AREA_OF_BET = {
    "PLAYER": ("PLAYER", False),
    "BANKER_5PCT": ("BANKER", False),
    "BANKER_HALF_ON_6": ("BANKER", True),
    "TIE_8": ("TIE", False),
    "PAIR_11": ("PLAYER_PAIR", False),
    "BIG_0.54": ("BIG", False),
    "SMALL_1.5": ("SMALL", False),
}
"""The oracle's bets that a rulebook offers: the area, and whether Banker won with 6."""

BANKER_SEVEN = outcome(hand_of(0), hand_of(7))
BANKER_SIX = outcome(cards("7", "K", "8"), cards("2", "4"))
TIE_ON_SIX = outcome(hand_of(6), hand_of(6))


def exact(result: WagerResult) -> tuple[Fraction, ...]:
    """Gross, commission and rounding of a settled wager."""
    return result.gross, result.commission, result.rounding


def fractions(*values: int | Fraction) -> tuple[Fraction, ...]:
    return tuple(Fraction(value) for value in values)


def house(mode: str, bet: str) -> Rulebook:
    """A rulebook that offers the bet and rounds to chips in this mode."""
    name = "super-six" if bet == "BANKER_HALF_ON_6" else "super-six-commission"
    changed = document(name)
    changed["rounding"] = {"mode": mode, "unit": "SMALLEST_CHIP", "level": "WAGER"}
    return rulebook_of(changed)


def vectors() -> list[tuple[str, int, int, Fraction, dict[str, int]]]:
    """The oracle's settlement vectors of offered bets."""
    rows = [row for row in oracle("settlement")["rows"] if row[0] in AREA_OF_BET]
    return [
        (bet, stake, unit, Fraction(net), dict(zip(MODES, paid, strict=True)))
        for bet, stake, unit, net, *paid in rows
    ]


@pytest.mark.parametrize("mode", MODES)
def test_winnings_equal_the_oracle_in_every_mode(mode: str) -> None:
    """A-31..A-33, C-09..C-14, D-27, F-136..F-141: exact and paid winnings, four units."""
    checked = 0
    for bet, stake, unit, net, paid in vectors():
        area, six = AREA_OF_BET[bet]
        end = _winning_end(area, six=six)
        result = settle_wager(house(mode, bet), area, stake, end, unit_minor=unit)
        assert result.outcome == "won"
        assert result.net == net, (bet, stake)
        assert result.winnings_minor == paid[mode], (bet, stake, unit)
        assert result.rounding == paid[mode] - net
        assert result.returned_minor == stake
        checked += 1
    assert checked == 560


def _winning_end(area: str, *, six: bool) -> End:
    """A possible end at which the area wins."""
    winner = {"PLAYER": "player", "TIE": "tie"}.get(area, "banker")
    return next(
        end
        for end in sorted(possible_ends(), key=repr)
        if end.winner == winner
        and (winner == "banker" and end.banker_points == 6) is six
        and end.player_pair_kind != "NONE"
        and (end.cards == 4) == (area == "SMALL")
    )


def test_the_vectors_reach_every_mode_and_unit() -> None:
    """The oracle's vectors are not all exact: each mode differs from each other somewhere."""
    seen = {(one, two) for *_x, paid in vectors() for one in MODES for two in MODES
            if paid[one] != paid[two]}  # fmt: skip
    assert len(seen) == 12
    assert {unit for _bet, _stake, unit, *_rest in vectors()} == set(UNITS)


def test_rounding_is_per_wager() -> None:
    """X-15: three Banker wagers of 5 round one by one, never together."""
    for mode, together in oracle("settlement")["three_fives"].items():
        book = house(mode, "BANKER_5PCT")
        paid = settle_wager(book, "BANKER", 5, BANKER_SEVEN, unit_minor=1).winnings_minor
        assert 3 * paid == together


@pytest.mark.parametrize(
    ("numerator", "denominator", "unit", "expected"),
    [
        (5, 2, 1, (3, 2, 3, 2)),
        (7, 2, 1, (4, 3, 4, 4)),
        (10, 1, 1, (10, 10, 10, 10)),
        (0, 1, 25, (0, 0, 0, 0)),
        (75, 2, 25, (50, 25, 50, 50)),
        (125, 2, 25, (75, 50, 75, 50)),
        (1, 3, 1, (1, 0, 0, 0)),
        (10**30 + 1, 2, 1, (5 * 10**29 + 1, 5 * 10**29, 5 * 10**29 + 1, 5 * 10**29)),
    ],
)
def test_rounding_by_hand(
    numerator: int, denominator: int, unit: int, expected: tuple[int, ...]
) -> None:
    """V-10: midpoints, exact amounts and numbers beyond any binary fraction."""
    for mode, paid in zip(MODES, expected, strict=True):
        assert round_amount(numerator, denominator, mode=mode, unit_minor=unit) == paid


def test_an_unknown_rounding_mode_is_an_error() -> None:
    """V-10: no mode is guessed."""
    with pytest.raises(ValueError, match="CEILING"):
        round_amount(1, 2, mode="CEILING", unit_minor=1)


def test_rounding_to_chips_is_the_rulebooks_word() -> None:
    """X-15: the smallest chip counts only where the rulebook rounds to it."""
    assert payable_unit(rulebook("nsw-mini"), 25) == 25
    assert payable_unit(rulebook("live-studio"), 25) == 1
    chips = settle_wager(rulebook("nsw-mini"), "BANKER", 50, BANKER_SEVEN, unit_minor=25)
    assert (chips.winnings_minor, chips.rounding) == (50, Fraction(5, 2))
    minor = settle_wager(rulebook("live-studio"), "BANKER", 50, BANKER_SEVEN, unit_minor=25)
    assert (minor.winnings_minor, minor.rounding) == (48, Fraction(1, 2))


def test_banker_with_commission_in_full() -> None:
    """A-32, F-137: 50.00 wins 47.50; the commission is exact and booked with the rounding."""
    result = settle_wager(rulebook("nsw-mini"), "BANKER", 5000, BANKER_SEVEN, unit_minor=1)
    assert result.returned_minor == 5000
    assert result.winnings_minor == 4750
    assert exact(result) == fractions(5000, 250, 0)
    odd = settle_wager(rulebook("nsw-mini"), "BANKER", 50, BANKER_SEVEN, unit_minor=1)
    assert exact(odd) == fractions(50, Fraction(5, 2), Fraction(1, 2))
    assert odd.commission_booked == odd.gross - odd.winnings_minor == 2


def test_half_pay_on_six_and_on_nothing_else() -> None:
    """C-09, F-140: stake 5 wins 2.5, paid 3; another count pays in full; a tie is a push."""
    for name in ("super-six", "nsw-mini-even-money"):
        book = rulebook(name)
        half = settle_wager(book, "BANKER", 5, BANKER_SIX, unit_minor=1)
        assert half.winnings_minor == 3
        assert exact(half) == fractions(Fraction(5, 2), 0, Fraction(1, 2))
        assert half.commission_booked == 0
        assert settle_wager(book, "BANKER", 5, BANKER_SEVEN, unit_minor=1).winnings_minor == 5
        push = settle_wager(book, "BANKER", 700, TIE_ON_SIX, unit_minor=1)
        assert (push.outcome, push.returned_minor, push.winnings_minor) == ("push", 700, 0)
    three_cards = outcome(cards("K", "2", "3"), cards("K", "3", "3"))
    result = settle_wager(rulebook("super-six"), "BANKER", 100, three_cards, unit_minor=1)
    assert result.winnings_minor == 50
    commission = settle_wager(rulebook("nsw-mini"), "BANKER", 100, BANKER_SIX, unit_minor=1)
    assert commission.winnings_minor == 95


def test_a_tied_main_wager_comes_back_whole() -> None:
    """A-23, D-17, D-18: a push is without commission and rounding, to the unit."""
    for book in load_catalogue().values():
        for area in ("PLAYER", "BANKER"):
            result = settle_wager(book, area, 33, TIE_ON_SIX, unit_minor=25)
            assert result == push_wager(book, 33)
            assert (result.outcome, result.returned_minor, result.winnings_minor) == (
                "push",
                33,
                0,
            )
            assert exact(result) == fractions(0, 0, 0)


def test_the_push_is_the_rulebooks_word() -> None:
    """X-14: where a tie loses, the stake is gone."""
    changed = document("live-studio")
    changed["tie_main_areas"] = "LOSE"
    result = settle_wager(rulebook_of(changed), "PLAYER", 33, TIE_ON_SIX, unit_minor=1)
    assert (result.outcome, result.returned_minor) == ("lost", 0)


def test_tie_pays_eight_to_one_also_on_naturals() -> None:
    """A-22, A-33: 8-8 with two cards each wins eight times the stake and the stake."""
    tie = outcome(hand_of(8), cards("4", "4"))
    result = settle_wager(rulebook("live-lobby"), "TIE", 2500, tie, unit_minor=1)
    assert result.returned_minor + result.winnings_minor == 22500


def test_tokens_win_in_cash_and_are_never_returned() -> None:
    """F-05, X-37: spent when the wager wins or loses, given back as a token otherwise."""
    book = rulebook("nsw-mini")
    player_wins = outcome(hand_of(7), hand_of(6))
    won = settle_wager(book, "PLAYER", 500, player_wins, unit_minor=1, token=True)
    assert (won.returned_minor, won.winnings_minor, won.token_spent) == (0, 500, True)
    lost = settle_wager(book, "BANKER", 500, player_wins, unit_minor=1, token=True)
    assert (lost.returned_minor, lost.winnings_minor, lost.token_spent) == (0, 0, True)
    tied = settle_wager(book, "PLAYER", 500, TIE_ON_SIX, unit_minor=1, token=True)
    assert (tied.returned_minor, tied.winnings_minor, tied.token_spent) == (0, 0, False)
    cash = settle_wager(book, "PLAYER", 500, player_wins, unit_minor=1)
    assert not cash.token_spent


def test_an_area_without_pay_is_an_error() -> None:
    """V-5: nothing is paid that the pay table does not name."""
    for area in ("BIG", "DRAGON"):
        with pytest.raises(KeyError, match=area):
            settle_wager(rulebook("live-studio"), area, 1, BANKER_SEVEN, unit_minor=1)


@pytest.mark.parametrize("name", sorted(load_catalogue()))
def test_money_adds_up_exactly_for_every_area_and_end(name: str) -> None:
    """Invariant 5: paid = gross - commission + rounding, and no stake is returned twice."""
    book = rulebook(name)
    told_apart = {
        tuple(id(held.verdict(end)) for held in book.definitions.values()): end
        for end in possible_ends()
    }
    for end in told_apart.values():
        for area in book.areas:
            for stake in (1, 3, 5, 21, 100, 9999):
                result = settle_wager(book, area, stake, end, unit_minor=25)
                paid = result.gross - result.commission + result.rounding
                assert paid == result.winnings_minor
                assert result.returned_minor == (0 if result.outcome == "lost" else stake)
                assert (result.winnings_minor > 0) == (result.outcome == "won")
                assert isinstance(result.winnings_minor, int)


def test_an_outcome_of_cards_and_an_end_settle_alike() -> None:
    """Exposure and settlement use one function: both kinds of end give the same answer."""
    end = End(5, 6, player_cards=3, banker_cards=2)
    assert isinstance(BANKER_SIX, Outcome)
    for area in rulebook("super-six").areas:
        assert settle_wager(rulebook("super-six"), area, 77, end, unit_minor=1) == settle_wager(
            rulebook("super-six"), area, 77, BANKER_SIX, unit_minor=1
        )
