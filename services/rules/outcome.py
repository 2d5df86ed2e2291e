"""The result of a coup, and what it means for each area."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from services.rules.area_language import Coup, Definition, PairKind, Win, Winner, win
from services.rules.areas import AREAS, WINS
from services.rules.cards import POINT_VALUES, Card
from services.rules.ends import (
    FOUR_CARDS,
    End,
    ends_left_open,
    one_rank,
    pair_kind,
    possible_ends,
    winner_of,
)
from services.rules.hands import NATURAL_POINTS_MIN, begins_naturally, points
from services.rules.money import winnings_minor
from services.rules.rulebook import Rulebook
from services.rules.tableau import PLAYER_DRAWS_MAX, banker_draws

__all__ = [
    "AREAS",
    "AreaResult",
    "End",
    "Outcome",
    "Winner",
    "area_result",
    "dealt",
    "early_verdict",
    "early_win",
    "outcome",
    "possible_ends",
    "worst_win",
]

AreaResult = Literal["WIN", "LOSE", "PUSH"]

BIG_CARDS_MIN: Final = 5
"""Cards in both hands from which the coup is big; below it is small (002 L16)."""

_KEPT_RULEBOOKS_MAX: Final = 256


class Outcome(NamedTuple):
    """A finished coup: the cards as they count, their counts, and everything derived from them.

    Each hand has two cards or three.
    """

    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    player_points: int
    banker_points: int

    @property
    def winner(self) -> Winner:
        """Who won: of two naturals the higher (X-22)."""
        return winner_of(self.player_points, self.banker_points)

    @property
    def natural(self) -> bool:
        """Whether a hand counted 8 or 9 with its first two cards."""
        return begins_naturally(self.player) or begins_naturally(self.banker)

    @property
    def player_pair(self) -> bool:
        """Whether Player's first two cards have one rank."""
        return self.player[0][0] == self.player[1][0]

    @property
    def banker_pair(self) -> bool:
        """Whether Banker's first two cards have one rank."""
        return self.banker[0][0] == self.banker[1][0]

    @property
    def cards(self) -> int:
        """Cards in both hands, 4 to 6."""
        return len(self.player) + len(self.banker)

    @property
    def margin(self) -> int:
        """By how much the counts differ."""
        return abs(self.player_points - self.banker_points)

    @property
    def player_cards(self) -> int:
        """Player's cards, 2 or 3."""
        return len(self.player)

    @property
    def banker_cards(self) -> int:
        """Banker's cards, 2 or 3."""
        return len(self.banker)

    @property
    def player_pair_kind(self) -> PairKind:
        """What Player's first two cards are together."""
        return pair_kind(self.player)

    @property
    def banker_pair_kind(self) -> PairKind:
        """What Banker's first two cards are together."""
        return pair_kind(self.banker)

    @property
    def pairs_of_one_rank(self) -> bool:
        """Whether both hands begin with a pair, and both pairs have one rank."""
        return one_rank(self.player, self.banker)


def outcome(player: Sequence[Card], banker: Sequence[Card]) -> Outcome:
    """Return the result of two finished hands, of two cards or three each.

    The hands are taken as they are; whether the table of play allows them is the question
    of `services.rules.tableau`. Only ranks decide who wins, suits never do (001 3.2).
    """
    return Outcome(tuple(player), tuple(banker), points(player), points(banker))


def dealt(order: Sequence[Card], start: int = 0) -> Outcome:
    """Return the coup that begins at `start` of a draw order, dealt by the table of play at once.

    Its hands are those that `services.rules.tableau.next_hand` fills card by card. Raises
    ValueError, or IndexError for a third card, where the order is too short.
    """
    first, second, third, fourth = order[start : start + FOUR_CARDS]
    player_points = (POINT_VALUES[first] + POINT_VALUES[third]) % 10
    banker_points = (POINT_VALUES[second] + POINT_VALUES[fourth]) % 10
    player: tuple[Card, ...] = (first, third)
    banker: tuple[Card, ...] = (second, fourth)
    if player_points >= NATURAL_POINTS_MIN or banker_points >= NATURAL_POINTS_MIN:
        return Outcome(player, banker, player_points, banker_points)
    at = start + FOUR_CARDS
    value = None
    if player_points <= PLAYER_DRAWS_MAX:
        card = order[at]
        at += 1
        value = POINT_VALUES[card]
        player = (first, third, card)
        player_points = (player_points + value) % 10
    if banker_draws(banker_points, value):
        card = order[at]
        banker = (second, fourth, card)
        banker_points = (banker_points + POINT_VALUES[card]) % 10
    return Outcome(player, banker, player_points, banker_points)


def area_result(rulebook: Rulebook, area: str, coup: Coup) -> AreaResult:
    """Return what a finished coup means for a wager on `area`.

    Raises KeyError for an area that the rulebook does not offer.
    """
    found = rulebook.definitions[area].verdict(coup)
    return "WIN" if isinstance(found, Win) else found


def early_verdict(
    definition: Definition, player: Sequence[Card], banker: Sequence[Card]
) -> Win | Literal["PUSH", "LOSE"] | None:
    """Return what the cards that lie open have already decided; None while they have not.

    For a coup that cannot go on: a pair is won on the fourth card, BIG on the fifth; what
    hangs on counts or on the winner is decided by the result alone (clause procedure 13).
    A win whose case is not decided yet is a win by the case that pays least.
    """
    verdicts = [definition.verdict(end) for end in ends_left_open(player, banker)]
    wins = [verdict for verdict in verdicts if isinstance(verdict, Win)]
    if len(wins) == len(verdicts):
        return min(wins, key=lambda case: case.net)
    first = verdicts[0]
    return first if not wins and all(verdict == first for verdict in verdicts) else None


def early_win(
    area: str,
    player: Sequence[Card],
    banker: Sequence[Card],
    rulebook: Rulebook | None = None,
) -> bool:
    """Tell whether a wager on `area` is already won by the cards that lie open.

    Without a rulebook only built-in areas are known, and no other is won early.
    """
    if rulebook is not None:
        definition = rulebook.definitions[area]
    elif area in WINS:
        definition = Definition((win(1, WINS[area], Fraction(1)),))
    else:
        return False
    return isinstance(early_verdict(definition, player, banker), Win)


@lru_cache(maxsize=_KEPT_RULEBOOKS_MAX)
def _winning_together(rulebook: Rulebook) -> frozenset[tuple[tuple[str, int], ...]]:
    """Every set of areas, each with the number of its case, that can win in one coup."""
    return frozenset(
        tuple(
            (area, verdict.number)
            for area, definition in rulebook.definitions.items()
            if isinstance(verdict := definition.verdict(end), Win)
        )
        for end in possible_ends()
    )


def worst_win(rulebook: Rulebook, stakes_by_area: Mapping[str, int], unit_minor: int = 1) -> int:
    """Return the largest total winnings that these stakes can bring, in minor units.

    Stakes are minor units by area; winnings are what comes on top of returned stakes, per
    area after commission and rounded as the rulebook says, with `unit_minor` as the
    table's smallest chip. The largest sum over `possible_ends` counts, not the sum of all
    areas (clauses 8.6). Areas without a stake may be left out. Raises KeyError for a stake
    on an area that the rulebook does not offer.
    """
    wins = {
        (area, case.number): winnings_minor(rulebook, case.net, stake, unit_minor=unit_minor)
        for area, stake in stakes_by_area.items()
        if stake
        for case in rulebook.definitions[area].wins
    }
    return max(
        sum([wins.get(won, 0) for won in together]) for together in _winning_together(rulebook)
    )
