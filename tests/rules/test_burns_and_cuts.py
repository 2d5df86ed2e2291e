"""Burns, the cut, the cutting card, and who is asked to cut."""

from __future__ import annotations

from fractions import Fraction

import pytest

from services.rulebooks.catalogue import document, rulebook
from services.rules.burns import discretionary_ok, game_error_burn, new_shoe_burn, owed
from services.rules.cards import FULL_DECK
from services.rules.cutting import (
    clockwise_from,
    counter_clockwise_from,
    cut_depth_ok,
    cut_offers,
    cut_position_ok,
    from_dealers_right,
    last_coup,
    rotate,
)
from services.rules.rulebook import Rulebook, rulebook_of
from tests.rules.oracle import cards, oracle


def with_burn(base: str, **values: object) -> Rulebook:
    doc = document(base)
    doc["burn"] = {**doc["burn"], **values}  # type: ignore[dict-item]
    return rulebook_of(doc)


@pytest.mark.parametrize("name", ["super-six", "nsw-baccarat", "nsw-mini"])
def test_the_first_card_tells_how_many_burn(name: str) -> None:
    """C-15, D-11..D-13, F-49: 13 ranks, 2 to 11 cards, 98/13 on average."""
    expected = oracle("play")["burned_in_all"]
    found = {rank: new_shoe_burn(rulebook(name), cards(rank)[0]) for rank in expected}
    assert found == expected
    assert Fraction(sum(found.values()), 13) == Fraction(oracle("play")["mean_burned"])


def test_the_first_card_may_be_part_of_the_number() -> None:
    """X-3: with `first_counts` one card less burns each time, 1 to 10 in all."""
    counted = with_burn("super-six", first_counts=True)
    for rank, total in oracle("play")["burned_in_all"].items():
        assert new_shoe_burn(counted, cards(rank)[0]) == total - 1


def test_a_ten_that_burns_nothing_still_burns_itself() -> None:
    """`burn.ten_value` is data: with 0 only the turned card goes."""
    assert new_shoe_burn(with_burn("nsw-mini", ten_value=0), "KS") == 1
    assert new_shoe_burn(with_burn("nsw-mini", ten_value=0, first_counts=True), "KS") == 1


def test_a_fixed_burn_ignores_the_card() -> None:
    """A-48: six, whatever the first card is, and without knowing it."""
    for first in ("AS", "KS", None):
        assert new_shoe_burn(rulebook("live-studio"), first) == 6
    with pytest.raises(ValueError, match="first card"):
        new_shoe_burn(rulebook("nsw-mini"), None)


def test_standing_obligations_are_the_rulebooks() -> None:
    """A-50, C-17, X-4, X-5: which burns are owed, and how many cards."""
    expected = {
        "live-studio": (0, 1),
        "live-lobby": (0, 1),
        "super-six": (1, 0),
        "super-six-commission": (1, 0),
        "nsw-baccarat": (0, 0),
        "nsw-mini": (0, 0),
        "nsw-mini-even-money": (0, 0),
    }
    for name, burns in expected.items():
        book = rulebook(name)
        assert (owed(book, "between_coups"), owed(book, "dealer_change")) == burns
    with pytest.raises(ValueError, match="new_shoe"):
        owed(rulebook("live-studio"), "new_shoe")


@pytest.mark.parametrize(
    ("set_aside", "counted", "not_counted"),
    [(0, (3, 3), (3, 3)), (1, (3, 2), (4, 3)), (3, (3, 0), (6, 3)), (4, (4, 0), (7, 3))],
)
def test_an_error_burn_counts_what_was_set_aside_or_does_not(
    set_aside: int, counted: tuple[int, int], not_counted: tuple[int, int]
) -> None:
    """A-49, X-6: (burned in all, still to draw) under both choices of the house."""
    default = game_error_burn(rulebook("live-studio"), set_aside)
    assert (default.cards, default.to_draw) == counted
    other = with_burn("live-studio", game_error_counts_set_aside=False)
    on_top = game_error_burn(other, set_aside)
    assert (on_top.cards, on_top.to_draw) == not_counted


def test_no_error_burn_where_the_rulebook_has_none() -> None:
    """X-6: other rulebooks dispose of such cards in another way."""
    assert game_error_burn(rulebook("nsw-mini"), 2).cards == 0


def test_discretionary_burns_have_a_size() -> None:
    """A-47: 1 to 10 cards where allowed, none elsewhere."""
    allowed = [n for n in range(13) if discretionary_ok(rulebook("live-studio"), n)]
    assert allowed == list(range(1, 11))
    assert not any(discretionary_ok(rulebook("super-six"), n) for n in range(13))


@pytest.mark.parametrize(
    ("name", "decks", "first", "last"),
    [("live-studio", 8, 1, 415), ("nsw-mini", 8, 52, 364), ("nsw-mini", 3, 52, 104)],
)
def test_a_cut_is_so_far_from_either_end(name: str, decks: int, first: int, last: int) -> None:
    """A-43, D-08, F-46: the first and last position of a cut; one further is refused."""
    book, size = rulebook(name), 52 * decks
    allowed = [at for at in range(-1, size + 2) if cut_position_ok(book, at, size)]
    assert (allowed[0], allowed[-1], len(allowed)) == (first, last, last - first + 1)


@pytest.mark.parametrize(
    ("name", "decks", "first", "last"),
    [
        ("live-studio", 8, 52, 52),
        ("live-lobby", 8, 7, 7),
        ("nsw-baccarat", 8, 20, 364),
        ("nsw-mini", 3, 20, 104),
    ],
)
def test_the_cutting_card_lies_so_deep(name: str, decks: int, first: int, last: int) -> None:
    """A-46, B-03, D-09, F-47: exactly, or at least twenty and at most all but one deck."""
    book, size = rulebook(name), 52 * decks
    allowed = [at for at in range(size + 1) if cut_depth_ok(book, at, size)]
    assert (allowed[0], allowed[-1], len(allowed)) == (first, last, last - first + 1)


def test_a_cut_turns_the_stack_and_loses_nothing() -> None:
    """A-44: the part in front goes to the back; the multiset stays, the order turns."""
    stack = FULL_DECK * 3
    turned = rotate(stack, 60)
    assert turned == stack[60:] + stack[:60]
    assert sorted(turned) == sorted(stack)
    assert rotate(turned, len(stack) - 60) == stack
    for position in (0, len(stack), -1):
        with pytest.raises(ValueError, match="no cut"):
            rotate(stack, position)


@pytest.mark.parametrize(
    ("name", "as_first", "in_burn", "expected"),
    [
        ("live-studio", True, False, 9),
        ("live-studio", False, False, 9),
        ("live-studio", False, True, None),
        ("super-six", False, True, None),
        ("nsw-mini", True, False, 9),
        ("nsw-mini", False, False, 10),
        ("nsw-baccarat", False, True, 9),
    ],
)
def test_the_last_coup(name: str, as_first: bool, in_burn: bool, expected: int | None) -> None:
    """A-40, D-14, D-15, F-51, F-52, X-46: the three rows of procedure 5 under both policies."""
    assert last_coup(rulebook(name), coup=9, as_first=as_first, in_burn=in_burn) == expected


def test_seats_go_round_both_ways() -> None:
    """X-33: numbers rise counter-clockwise from the dealer's right."""
    assert clockwise_from(9, 9) == (9, 8, 7, 6, 5, 4, 3, 2, 1)
    assert clockwise_from(3, 5) == (3, 2, 1, 5, 4)
    assert counter_clockwise_from(3, 5) == (3, 4, 5, 1, 2)
    assert from_dealers_right(5, 5) == (1, 2, 3, 4, 5)
    assert from_dealers_right(2, 5) == (3, 4, 5, 1, 2)
    assert clockwise_from(8, (1, 2, 5, 8)) == (8, 5, 2, 1)
    with pytest.raises(ValueError, match="no seat 4"):
        clockwise_from(4, (1, 2, 5, 8))


def offers(seated: tuple[int, ...], *, first_shoe: bool, name: str = "nsw-mini") -> object:
    return cut_offers(
        rulebook(name), seated=seated, first_shoe=first_shoe, left_of_dealer=9, seats=9
    )


def test_the_first_cut_goes_to_who_came_first() -> None:
    """D-05, D-07, F-44: seats taken 5, 2, 7: 5, then clockwise, each once, then supervisor."""
    assert offers((5, 2, 7), first_shoe=True) == (5, 2, 7, "game_supervisor")


def test_later_cuts_begin_at_the_dealers_left() -> None:
    """D-06, F-44: the highest seat, or the next taken one clockwise from there."""
    assert offers((5, 9, 2), first_shoe=False) == (9, 5, 2, "game_supervisor")
    assert offers((3, 8), first_shoe=False) == (8, 3, "game_supervisor")


def test_nobody_seated_leaves_the_cut_to_the_supervisor() -> None:
    """F-45: no players, no offers; a dealer who cuts offers to nobody either (A-42)."""
    assert offers((), first_shoe=True) == ("game_supervisor",)
    assert offers((5, 2), first_shoe=True, name="live-studio") == ("dealer",)
