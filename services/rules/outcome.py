"""The result of a coup, what it means for each area, and the ends a coup can have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final, Literal, Protocol

from services.rules.areas import AREAS
from services.rules.cards import RANKS, Card
from services.rules.hands import INITIAL_CARDS, NATURAL_POINTS_MIN, is_natural, is_pair, points
from services.rules.money import winnings_minor
from services.rules.rulebook import Rulebook
from services.rules.tableau import banker_draws, player_draws

__all__ = [
    "AREAS",
    "AreaResult",
    "CoupEnd",
    "End",
    "Outcome",
    "Winner",
    "area_result",
    "early_win",
    "outcome",
    "possible_ends",
    "worst_win",
]

Winner = Literal["player", "banker", "tie"]
AreaResult = Literal["WIN", "LOSE", "PUSH"]

BIG_CARDS_MIN: Final = 5
"""Cards in both hands from which the coup is big; below it is small (002 L16)."""

SIX: Final = 6
"""Banker's winning count that some pay tables treat apart (002 L19, 004 11.2.2)."""


class CoupEnd(Protocol):
    """What areas are decided by: an `Outcome` of cards, or an `End` that could happen."""

    @property
    def winner(self) -> Winner:
        """Who won."""

    @property
    def player_pair(self) -> bool:
        """Whether Player's first two cards have one rank."""

    @property
    def banker_pair(self) -> bool:
        """Whether Banker's first two cards have one rank."""

    @property
    def cards(self) -> int:
        """Cards in both hands, 4 to 6."""

    @property
    def banker_six(self) -> bool:
        """Whether Banker won with a count of 6."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished coup: the cards as they count, and everything derived from them."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    player_points: int
    banker_points: int
    winner: Winner
    natural: bool
    player_pair: bool
    banker_pair: bool
    cards: int

    @property
    def banker_six(self) -> bool:
        """Whether Banker won with a count of 6, on two or three cards."""
        return self.winner == "banker" and self.banker_points == SIX


@dataclass(frozen=True, slots=True)
class End:
    """One way a coup can end, as far as any area can tell it from another.

    `cards` is 4 or 5; five stands for five or six, which no area tells apart.
    """

    winner: Winner
    banker_six: bool
    player_pair: bool
    banker_pair: bool
    cards: int


def outcome(player: Sequence[Card], banker: Sequence[Card]) -> Outcome:
    """Return the result of two finished hands.

    The hands are taken as they are; whether the table of play allows them is the question
    of `services.rules.tableau`. Only ranks decide, suits never do (001 3.2). Of two
    naturals the higher wins (X-22).
    """
    player_points = points(player)
    banker_points = points(banker)
    return Outcome(
        player=tuple(player),
        banker=tuple(banker),
        player_points=player_points,
        banker_points=banker_points,
        winner=_winner(player_points, banker_points),
        natural=is_natural(player[:INITIAL_CARDS]) or is_natural(banker[:INITIAL_CARDS]),
        player_pair=is_pair(player),
        banker_pair=is_pair(banker),
        cards=len(player) + len(banker),
    )


def _winner(player_points: int, banker_points: int) -> Winner:
    if player_points > banker_points:
        return "player"
    return "banker" if banker_points > player_points else "tie"


def area_result(area: str, end: CoupEnd, tie_main_areas: str) -> AreaResult:
    """Return what the end of a coup means for a wager on `area`.

    `tie_main_areas` is the rulebook's word on PLAYER and BANKER when the counts are equal:
    PUSH gives the stake back, LOSE does not. Raises ValueError for an area that has no
    definition.
    """
    if area in ("PLAYER", "BANKER"):
        if end.winner == "tie":
            return "PUSH" if tie_main_areas == "PUSH" else "LOSE"
        won = end.winner == area.lower()
    elif area == "TIE":
        won = end.winner == "tie"
    elif area == "PLAYER_PAIR":
        won = end.player_pair
    elif area == "BANKER_PAIR":
        won = end.banker_pair
    elif area == "BIG":
        won = end.cards >= BIG_CARDS_MIN
    elif area == "SMALL":
        won = end.cards < BIG_CARDS_MIN
    else:
        message = f"{area} is no area that a coup decides"
        raise ValueError(message)
    return "WIN" if won else "LOSE"


def early_win(area: str, player: Sequence[Card], banker: Sequence[Card]) -> bool:
    """Tell whether a wager on `area` is already won by the cards that lie open.

    For a coup that cannot go on: a pair is won on the fourth card, BIG on the fifth;
    nothing else is decided before the result (clause procedure 13).
    """
    cards = len(player) + len(banker)
    four_dealt = cards >= BIG_CARDS_MIN - 1
    if area == "PLAYER_PAIR":
        return four_dealt and is_pair(player)
    if area == "BANKER_PAIR":
        return four_dealt and is_pair(banker)
    return area == "BIG" and cards >= BIG_CARDS_MIN


def _two_card_hands() -> frozenset[tuple[int, bool]]:
    """Every (count, pair) that two cards can make."""
    values = [min(at, 10) % 10 for at in range(1, len(RANKS) + 1)]
    return frozenset(
        ((values[one] + values[two]) % 10, one == two)
        for one, two in product(range(len(RANKS)), repeat=2)
    )


def _finished(player_points: int, banker_points: int) -> frozenset[tuple[int, int, int]]:
    """Every (Player count, Banker count, cards as in `End`) that two counts can grow to."""
    if max(player_points, banker_points) >= NATURAL_POINTS_MIN:
        return frozenset({(player_points, banker_points, 4)})
    grown: set[tuple[int, int, int]] = set()
    for third in range(10) if player_draws(player_points) else (None,):
        final = (player_points + (third or 0)) % 10
        if banker_draws(banker_points, third):
            grown.update((final, (banker_points + value) % 10, 5) for value in range(10))
        else:
            grown.add((final, banker_points, 4 if third is None else 5))
    return frozenset(grown)


@cache
def possible_ends() -> frozenset[End]:
    """Return every end of a coup that can really happen, as the areas see it.

    Not all combinations can: Banker never wins with 6 on four cards, for Player would
    have drawn. Settings on the largest win and on exposure look at these ends, so they
    never count winnings together that cannot come together. The set is the same for every
    number of decks.
    """
    ends: set[End] = set()
    hands = _two_card_hands()
    for (player_start, player_pair), (banker_start, banker_pair) in product(hands, hands):
        for player_points, banker_points, cards in _finished(player_start, banker_start):
            winner = _winner(player_points, banker_points)
            six = winner == "banker" and banker_points == SIX
            ends.add(End(winner, six, player_pair, banker_pair, cards))
    return frozenset(ends)


def worst_win(rulebook: Rulebook, stakes_by_area: Mapping[str, int], unit_minor: int = 1) -> int:
    """Return the largest total winnings that these stakes can bring, in minor units.

    Stakes are minor units by area; winnings are what comes on top of returned stakes, per
    area after commission and rounded as the rulebook says, with `unit_minor` as the
    table's smallest chip. The largest sum over `possible_ends` counts, not the sum of all
    areas (clauses 8.6). Areas without a stake may be left out. Raises KeyError for a stake
    on an area that the rulebook does not pay.
    """
    wins = {
        (area, six): winnings_minor(rulebook, area, stake, banker_six=six, unit_minor=unit_minor)
        for area, stake in stakes_by_area.items()
        if stake
        for six in (False, True)
    }
    return max(
        sum(
            won
            for (area, six), won in wins.items()
            if six == end.banker_six and area_result(area, end, rulebook.tie_main_areas) == "WIN"
        )
        for end in possible_ends()
    )
