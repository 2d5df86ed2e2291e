"""The table of play: which hand gets the next card, and by which rule.

The draw order alone decides. Both hands get two cards alternately, Player first; after
that at most one card each, Player first. Player's decision is known with the fourth card,
Banker's as soon as Player has drawn or stood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from services.rules.cards import POINT_VALUES, Card
from services.rules.hands import INITIAL_CARDS, NATURAL_POINTS_MIN, initial_points

Hand = Literal["player", "banker"]
Rule = Literal["natural", "player_draws", "player_stands", "banker_player_stood", "banker_table"]

PLAYER_DRAWS_MAX: Final = 5
"""Player takes a third card up to this point count (000 3.6.1, 004 Table 1)."""

_MATRIX: Final = {
    # Player's third card, one column per value:
    #    0123456789
    0: "DDDDDDDDDD",
    1: "DDDDDDDDDD",
    2: "DDDDDDDDDD",
    3: "DDDDDDDDSD",
    4: "SSDDDDDDSS",
    5: "SSSSDDDDSS",
    6: "SSSSSSDDSS",
    7: "SSSSSSSSSS",
}
_PLAYER_STOOD: Final = "DDDDDDSS"
"""Banker's decision by his point count when Player took no third card (004 9.5)."""

_DRAWS_AGAINST: Final = tuple(
    tuple(cell == "D" for cell in _MATRIX[points_]) for points_ in sorted(_MATRIX)
)
_DRAWS_WHEN_STOOD: Final = tuple(cell == "D" for cell in _PLAYER_STOOD)


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether a hand takes a third card, and the rule that says so.

    `rule` is a key for `services.rules.citations.cite`.
    """

    hand: Hand
    draw: bool
    rule: Rule


_NATURAL: Final[dict[Hand, Decision]] = {
    "player": Decision("player", draw=False, rule="natural"),
    "banker": Decision("banker", draw=False, rule="natural"),
}
_PLAYER_DRAWS: Final = Decision("player", draw=True, rule="player_draws")
_PLAYER_STANDS: Final = Decision("player", draw=False, rule="player_stands")
_BANKER_ALONE: Final = tuple(
    Decision("banker", draw=draw, rule="banker_player_stood") for draw in (False, True)
)
_BANKER_TABLE: Final = tuple(
    Decision("banker", draw=draw, rule="banker_table") for draw in (False, True)
)


def player_draws(player_points: int) -> bool:
    """Tell whether Player takes a third card on this two-card count.

    Naturals are looked at before this question is asked; 8 and 9 answer no.
    """
    return player_points <= PLAYER_DRAWS_MAX


def banker_draws(banker_points: int, player_third: int | None) -> bool:
    """Tell whether Banker takes a third card on this two-card count.

    `player_third` is the point value of Player's third card, None when Player stood.
    Raises IndexError for a count of 8 or 9: a natural ends the coup before this question.
    """
    if player_third is None:
        return _DRAWS_WHEN_STOOD[banker_points]
    return _DRAWS_AGAINST[banker_points][player_third]


def next_hand(player: Sequence[Card], banker: Sequence[Card]) -> Hand | None:
    """Return the hand that needs the next card of the draw order, None when none does.

    The hands must have been filled by this function's own answers; then the order of
    draws is P, B, P, B and at most one third card each, Player's before Banker's.
    """
    if len(banker) < INITIAL_CARDS:
        return "player" if len(player) <= len(banker) else "banker"
    player_points = initial_points(player)
    banker_points = initial_points(banker)
    if player_points >= NATURAL_POINTS_MIN or banker_points >= NATURAL_POINTS_MIN:
        return None
    third: int | None = None
    if player_draws(player_points):
        if len(player) == INITIAL_CARDS:
            return "player"
        third = POINT_VALUES[player[INITIAL_CARDS]]
    if len(banker) == INITIAL_CARDS and banker_draws(banker_points, third):
        return "banker"
    return None


def decision_after_four(player: Sequence[Card], banker: Sequence[Card]) -> Decision:
    """Return Player's decision, known once both hands have two cards.

    Raises ValueError when a hand has fewer than two cards.
    """
    if len(player) < INITIAL_CARDS or len(banker) < INITIAL_CARDS:
        message = "Player's decision is not known before the fourth card"
        raise ValueError(message)
    player_points = initial_points(player)
    banker_points = initial_points(banker)
    if player_points >= NATURAL_POINTS_MIN or banker_points >= NATURAL_POINTS_MIN:
        return _NATURAL["player"]
    return _PLAYER_DRAWS if player_draws(player_points) else _PLAYER_STANDS


def decision_after_player_third(player: Sequence[Card], banker: Sequence[Card]) -> Decision:
    """Return Banker's decision, known once Player has taken his third card or stood.

    After a natural nobody draws. Raises ValueError when Player's third card is still to
    come, or when a hand has fewer than two cards.
    """
    first = decision_after_four(player, banker)
    if first.rule == "natural":
        return _NATURAL["banker"]
    banker_points = initial_points(banker)
    if not first.draw:
        return _BANKER_ALONE[banker_draws(banker_points, None)]
    if len(player) == INITIAL_CARDS:
        message = "Banker's decision is not known before Player's third card"
        raise ValueError(message)
    third = POINT_VALUES[player[INITIAL_CARDS]]
    return _BANKER_TABLE[banker_draws(banker_points, third)]


def known_decisions(player: Sequence[Card], banker: Sequence[Card]) -> tuple[Decision, ...]:
    """Return the decisions that the cards so far settle: none, Player's, or both."""
    if len(player) < INITIAL_CARDS or len(banker) < INITIAL_CARDS:
        return ()
    first = decision_after_four(player, banker)
    if first.draw and len(player) == INITIAL_CARDS:
        return (first,)
    return (first, decision_after_player_third(player, banker))


def decisions(player: Sequence[Card], banker: Sequence[Card]) -> tuple[Decision, ...]:
    """Return both decisions of a complete coup, Player's first.

    Raises ValueError when the coup is not complete, that is while a hand needs a card.
    """
    if next_hand(player, banker) is not None:
        message = "the coup is not complete: a hand still needs a card"
        raise ValueError(message)
    return known_decisions(player, banker)
