"""Faults that other programs of this game had, each as a case that comes out right here.

`tests/known_faults` names, for all of them, the tests that show their cure.
"""

from __future__ import annotations

import pytest

from services.rulebooks.catalogue import document
from services.rules.cards import Card, parse_card
from services.rules.hands import points
from services.rules.outcome import Outcome, outcome
from services.rules.payout import settle_wager
from services.rules.roads import entries_of, roads
from services.rules.rulebook import rulebook_of
from services.rules.tableau import next_hand

FRONTS = {
    "third-card-02": ("2S AD 3H 2C KD 4S", "2S 3H KD", "AD 2C 4S", "banker"),
    "third-card-04": ("2S 7D 3H KC 4D 9S", "2S 3H 4D", "7D KC", "player"),
    "third-card-05": ("KS 2D 4H 4C 2S 9D", "KS 4H 2S", "2D 4C", "tie"),
    "third-card-06": ("5S 2D KH 4C 6S 2D", "5S KH 6S", "2D 4C 2D", "banker"),
    "third-card-07": ("2S 3D 5H AC 6S 9D", "2S 5H", "3D AC 6S", "player"),
    "third-card-08": ("2S 3D 3H TC 8S 5D", "2S 3H 8S", "3D TC", "tie"),
    "natural-02": ("6S QC 3H TH 5D 9C", "6S 3H", "QC TH", "player"),
    "natural-03": ("2S 7D 3H KC 4D 8C", "2S 3H 4D", "7D KC", "player"),
    "deal-order-01": ("9S 7D KH QC 2S 3D", "9S KH", "7D QC", "player"),
    "pair-01": ("6D 4D 6H 9S 2S 4S", "6D 6H 2S", "4D 9S 4S", "banker"),
    "pair-02": ("KS AD 9H 8C", "KS 9H", "AD 8C", "tie"),
    "pair-04": ("QS 5H QS 5D 7C 4H", "QS QS 7C", "5H 5D 4H", "player"),
}
"""By fault: the front of the shoe, the hands that it makes, and who wins."""

NATURALS = {"natural-02", "deal-order-01", "pair-02"}
PAIRS = {"pair-01": (True, False), "pair-04": (True, True)}
TIE_ON_NINE, SIX_TIE = "9S 9D KH QC", "6S 6D KH QC"
SEVEN_WINS = "2S 7D 4H KC"

PAID = {
    "tie-push-02": ("live-studio", TIE_ON_NINE, {"PLAYER": (4000, 4000), "BANKER": (4001, 4001)}),
    "tie-push-05": (
        "live-studio",
        "JS TD 5H 3C 8C 7H",
        {"PLAYER": (10, 10), "BANKER": (25, 25), "TIE": (5, 45)},
    ),
    "payout-01": (
        "live-studio",
        "9S 7D KH QC",
        {"BANKER": (100, 0), "TIE": (100, 0), "PLAYER": (100, 200)},
    ),
    "payout-03": ("live-studio", SIX_TIE, {"TIE": (2500, 22500)}),
    "commission-rounding-02": ("live-studio", SEVEN_WINS, {"BANKER": (5000, 9750)}),
    "commission-rounding-03": ("live-studio", SEVEN_WINS, {"BANKER": (11, 21)}),
    "commission-rounding-05": ("live-studio", SEVEN_WINS, {"BANKER": (101, 197)}),
    "commission-rounding-07": ("live-studio", SEVEN_WINS, {"BANKER": (1, 2)}),
    "banker6-half-02": ("super-six", SEVEN_WINS, {"BANKER": (5, 10)}),
    "banker6-half-04": ("super-six", SIX_TIE, {"BANKER": (700, 700)}),
    "side-bets-02": ("super-six", "9S 7D KH QC", {"BIG": (100, 0), "SMALL": (100, 250)}),
}
"""By fault: the rulebook, the front of the shoe, and stake and credit by area, in minor units."""

DRAWN = {
    "roads-01": ("PBTTP", [("P", 0, 0), ("B", 1, 0), ("P", 2, 0)]),
    "roads-02": ("TTB", [("B", 0, 0)]),
    "roads-03": ("B" * 8, [*(("B", 0, row) for row in range(6)), ("B", 1, 5), ("B", 2, 5)]),
}
MARKED = {"roads-06": ("BPPPB", "BRB"), "roads-08": ("BTPTB", "R")}


def dealt(front: str) -> Outcome:
    """The coup that a shoe with these cards in front gives."""
    hands: dict[str, list[Card]] = {"player": [], "banker": []}
    cards = [parse_card(card) for card in front.split()]
    while hand := next_hand(hands["player"], hands["banker"]):
        hands[hand].append(cards.pop(0))
    return outcome(hands["player"], hands["banker"])


@pytest.mark.parametrize("fault", FRONTS)
def test_the_front_of_a_shoe_makes_these_hands(fault: str) -> None:
    """F-84, A-07, C-10: third cards, naturals, the order of the deal, and pairs."""
    front, player, banker, winner = FRONTS[fault]
    end = dealt(front)
    assert (" ".join(end.player), " ".join(end.banker), end.winner) == (player, banker, winner)
    assert end.natural is (fault in NATURALS)
    assert (end.player_pair, end.banker_pair) == PAIRS.get(fault, (False, False))


@pytest.mark.parametrize("fault", PAID)
def test_a_wager_is_paid_what_it_is_due(fault: str) -> None:
    """A-20 to A-33: pushes, odds, commission and the half on six, to the minor unit."""
    rulebook, front, stakes = PAID[fault]
    rules, end = rulebook_of(document(rulebook)), dealt(front)
    for area, (stake, credit) in stakes.items():
        paid = settle_wager(rules, area, stake, end, unit_minor=1)
        assert paid.returned_minor + paid.winnings_minor == credit, area


@pytest.mark.parametrize(("cards", "total"), [("AS 5H", 6), ("JS KH QD", 0)])
def test_points_are_the_last_digit_of_the_sum(cards: str, total: int) -> None:
    """A-09, point-count-03 and 04: an ace and a five make six, three faces make nothing."""
    assert points([parse_card(card) for card in cards.split()]) == total


@pytest.mark.parametrize("text", ["1D", "2T", "0H", "11S", ""])
def test_a_card_that_does_not_exist_is_refused_and_not_counted(text: str) -> None:
    """A-13, point-count-06."""
    with pytest.raises(ValueError):  # noqa: PT011 - the words are tested beside the cards
        parse_card(text)


@pytest.mark.parametrize("fault", DRAWN)
def test_the_big_road_is_drawn_so(fault: str) -> None:
    """A new column at each change of winner, ties on the entry before, six rows, then right."""
    results, cells = DRAWN[fault]
    assert [(cell.mark, cell.column, cell.row) for cell in roads(entries_of(results)).big_road] == (
        cells
    )


@pytest.mark.parametrize("fault", MARKED)
def test_big_eye_boy_is_marked_so(fault: str) -> None:
    """It starts at the second entry of the second column; ties change nothing."""
    results, marks = MARKED[fault]
    assert "".join(roads(entries_of(results)).big_eye_boy.marks) == marks
