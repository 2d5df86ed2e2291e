"""The table of play against numbers worked out elsewhere."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import product
from typing import Any

import pytest

from services.rules.cards import FULL_DECK, POINT_VALUES, point_value
from services.rules.outcome import dealt, outcome
from services.rules.tableau import (
    Decision,
    banker_draws,
    decision_after_four,
    decision_after_player_third,
    decisions,
    known_decisions,
    next_hand,
    player_draws,
)
from tests.rules.oracle import cards, hand_of, lines, oracle, parsed_lines, shared, third


def test_every_value_tuple_ends_as_the_oracle_says() -> None:
    """A-09, A-56..A-64: the digest over all 10^6 value tuples and the counts by cards."""
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    for p1, b1, p2, b2 in product(range(10), repeat=4):
        player, banker = (p1 + p2) % 10, (b1 + b2) % 10
        rows = []
        for fifth in range(10):
            p, b, player_cards, banker_cards, sixth_counts = player, banker, 2, 2, False
            if player < 8 and banker < 8:
                if player_draws(player):
                    p, player_cards = (player + fifth) % 10, 3
                    sixth_counts = banker_draws(banker, fifth)
                elif banker_draws(banker, None):
                    b, banker_cards = (banker + fifth) % 10, 3
            for sixth in range(10):
                last = (banker + sixth) % 10 if sixth_counts else b
                banker_now = 3 if sixth_counts else banker_cards
                side = "P" if p > last else "B" if last > p else "T"
                used = player_cards + banker_now
                rows.append(f"{p1}{b1}{p2}{b2}{fifth}{sixth} {side} {p} {last} {used}\n")
                counts[f"{side} player{player_cards}cards banker{banker_now}cards"] += 1
        digest.update("".join(rows).encode("ascii"))
    assert digest.hexdigest() == oracle("play")["value_tuples"]["sha256"]
    assert counts == oracle("play")["value_tuples"]["counts"]


def test_the_banker_matrix_cell_by_cell() -> None:
    """A-58..A-64, B-13, F-126, F-127: all 88 cells, the column of a standing Player too."""
    table = oracle("play")["banker_draw_table"]
    for banker, row in table.items():
        assert len(row) == 11
        for column, cell in row.items():
            value = None if column == "none" else int(column)
            assert banker_draws(int(banker), value) is (cell == "D"), (banker, column)


def test_the_matrix_agrees_with_what_others_assert() -> None:
    """X-20: public test suites assert the same cells, two of them corrected."""
    cells = lines("decisions")
    assert len(cells) == 90
    for cell in cells:
        drawn = banker_draws(cell["banker_two_card_total"], cell["player_third_pip"])
        assert drawn is cell["banker_draws"], cell


def test_the_player_table() -> None:
    """A-57, F-125: eight totals; naturals never draw."""
    table = oracle("play")["player_draw_table"]
    assert {str(points): "D" if player_draws(points) else "S" for points in range(8)} == table
    assert not player_draws(8)
    assert not player_draws(9)


def deal(order: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Deal from a known order; return both hands and how many cards were used."""
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    used = 0
    while (needs := next_hand(hands["player"], hands["banker"])) is not None:
        hands[needs].append(order[used])
        used += 1
    return tuple(hands["player"]), tuple(hands["banker"]), used


@pytest.mark.parametrize("golden", oracle("play")["golden"], ids=lambda g: g["name"])
def test_golden_coups(golden: dict[str, object]) -> None:
    """A-08, A-53, C-01..C-07: named coups dealt in order, with cards to spare behind them."""
    order = cards(*golden["cards_in_deal_order"])  # type: ignore[misc]
    player, banker, used = deal((*order, *cards("5", "5", "5")))
    result = outcome(player, banker)
    assert used == golden["cards_used"] == result.cards
    assert result.winner.upper() == golden["winner"]
    assert (result.player_points, result.banker_points) == (
        golden["player_total"],
        golden["banker_total"],
    )
    assert (result.player_pair, result.banker_pair) == (
        golden["player_pair"],
        golden["banker_pair"],
    )


def hand(vector: dict[str, Any], side: str) -> tuple[str, ...]:
    """The cards of one hand of a recorded coup, its third card last."""
    drawn = vector[f"{side}_third"]
    return cards(*vector[side], *([drawn] if drawn else []))


def check_coup(vector: dict[str, Any]) -> None:
    """Compare one recorded coup with the table of play and the result."""
    player, banker = hand(vector, "player"), hand(vector, "banker")
    order = [player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]]
    result = outcome(player, banker)
    assert result.winner == vector["winner"]
    assert result.player_points == vector["player_total"]
    assert result.banker_points == vector["banker_total"]
    assert result.natural is vector["natural"]
    assert result.player_pair is vector["player_pair"]
    assert result.banker_pair is vector["banker_pair"]
    try:
        dealt = deal(tuple(order))
    except IndexError:
        dealt = ((), (), 0)
    assert (dealt == (player, banker, len(order))) is vector["legal"]


@pytest.mark.parametrize("vector", lines("coups"), ids=lambda v: v["id"])
def test_recorded_coups(vector: dict[str, Any]) -> None:
    """Coups recorded or asserted elsewhere are dealt and decided the same way."""
    check_coup(vector)


def test_all_recorded_coups_of_the_reference_material() -> None:
    """The same for every coup of the reference material, impossible ones among them."""
    found = list(parsed_lines(shared("data/vectors.jsonl")))
    assert any(not vector["legal"] for vector in found)
    for vector in found:
        check_coup(vector)


@pytest.mark.parametrize(
    ("player", "banker"),
    [
        (("5", "K"), ("3", "3")),
        (("5", "K", "5"), ("7", "K", "2")),
        (("6", "K", "2"), ("7", "K")),
        (("4", "4", "A"), ("2", "4", "2")),
        (("9", "K"), ("3", "K", "4")),
    ],
)
def test_impossible_coups_are_seen(player: tuple[str, ...], banker: tuple[str, ...]) -> None:
    """Hands that the table of play cannot make are never what a deal leads to."""
    p, b = cards(*player), cards(*banker)
    order = (p[0], b[0], p[1], b[1], *p[2:], *b[2:], *cards("9", "9"))
    dealt_player, dealt_banker, _used = deal(order)
    assert (dealt_player, dealt_banker) != (p, b)


@pytest.mark.parametrize("example", oracle("play")["insufficient"], ids=str)
def test_too_few_cards_are_noticed(example: dict[str, object]) -> None:
    """F-153: what the last cards of a shoe complete and what they do not."""
    left = [third(value) for value in example["values"]]  # type: ignore[attr-defined]
    hands: dict[str, list[str]] = {"player": [], "banker": []}
    for card in left:
        needs = next_hand(hands["player"], hands["banker"])
        if needs is None:
            break
        hands[needs].append(card)
    complete = next_hand(hands["player"], hands["banker"]) is None
    assert complete is example["completes"]


def test_the_draw_order_is_player_banker_player_banker() -> None:
    """A-53, F-84: whose card the first four are, and Player's third before Banker's."""
    player, banker = cards("2", "3"), cards("2", "A")
    assert next_hand((), ()) == "player"
    assert next_hand(player[:1], ()) == "banker"
    assert next_hand(player[:1], banker[:1]) == "player"
    assert next_hand(player, banker[:1]) == "banker"
    assert next_hand(player, banker) == "player"
    assert next_hand((*player, "8D"), banker) is None
    assert next_hand((*player, "9D"), banker) == "banker"
    assert next_hand((*player, "9D"), (*banker, "KS")) is None


def every_start() -> list[tuple[int, int]]:
    """All 100 pairs of two-card counts."""
    return [(player, banker) for player in range(10) for banker in range(10)]


def test_decisions_name_their_rule() -> None:
    """A-56..A-64: for all starts and third cards, each decision is the draw that happened."""
    for player_points, banker_points in every_start():
        for value in range(10):
            order = (
                *(
                    c
                    for pair in zip(hand_of(player_points), hand_of(banker_points), strict=True)
                    for c in pair
                ),
                third(value),
                "2D",
            )
            player, banker, _used = deal(order)
            first, second = decisions(player, banker)
            assert (first.hand, second.hand) == ("player", "banker")
            assert first.draw is (len(player) == 3)
            assert second.draw is (len(banker) == 3)
            natural = player_points >= 8 or banker_points >= 8
            assert (first.rule == "natural") is natural
            assert (second.rule == "natural") is natural
            if not natural:
                assert first.rule == ("player_draws" if first.draw else "player_stands")
                stood = "banker_table" if first.draw else "banker_player_stood"
                assert second.rule == stood


def test_a_decision_is_known_as_soon_as_its_cards_are() -> None:
    """F-123: Player's with the fourth card, Banker's when Player stood or drew, not before."""
    player, banker = hand_of(4), hand_of(5)
    assert known_decisions(player, banker[:1]) == ()
    assert known_decisions(player, banker) == (Decision("player", draw=True, rule="player_draws"),)
    with_third = (*player, "4D")
    assert known_decisions(with_third, banker) == (
        Decision("player", draw=True, rule="player_draws"),
        Decision("banker", draw=True, rule="banker_table"),
    )
    stands = hand_of(7)
    assert known_decisions(stands, banker) == (
        Decision("player", draw=False, rule="player_stands"),
        Decision("banker", draw=True, rule="banker_player_stood"),
    )
    with pytest.raises(ValueError, match="fourth card"):
        decision_after_four(player, banker[:1])
    with pytest.raises(ValueError, match="third card"):
        decision_after_player_third(player, banker)
    with pytest.raises(ValueError, match="not complete"):
        decisions(with_third, banker)


def test_banker_is_never_asked_after_a_natural() -> None:
    """The matrix has no row for naturals: asking for one is a fault of the caller."""
    with pytest.raises(IndexError):
        banker_draws(8, None)
    with pytest.raises(KeyError):
        POINT_VALUES["XX"]


def test_a_coup_dealt_at_once_is_the_one_dealt_card_by_card() -> None:
    """Every sequence of five values, from the front of an order and from within it."""
    of_value = [next(card for card in FULL_DECK if point_value(card) == at) for at in range(10)]
    for values in product(of_value, repeat=5):
        order = (*values, "9D")
        player, banker, _used = deal(order)
        assert dealt(order) == outcome(player, banker)
    assert dealt(("AS", *order), 1) == outcome(player, banker)


def test_an_order_that_is_too_short_deals_no_coup() -> None:
    with pytest.raises(ValueError, match="unpack"):
        dealt(cards("2", "7", "3"))
    for short in (("2", "7", "3", "K"), ("2", "A", "3", "A", "K"), ("3", "2", "3", "2")):
        with pytest.raises(IndexError):
            dealt(cards(*short))  # Player's third card, Banker's behind it, and Banker's alone
