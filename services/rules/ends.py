"""The ends that a coup can have, as far as any area can tell one from another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Final

from services.rules.area_language import PAIR_KINDS, PairKind, Winner
from services.rules.cards import RANKS, Card
from services.rules.hands import HAND_CARDS_MAX, INITIAL_CARDS, NATURAL_POINTS_MIN, is_pair
from services.rules.tableau import banker_draws, player_draws

FOUR_CARDS: Final = 2 * INITIAL_CARDS


@dataclass(frozen=True, slots=True)
class End:
    """One way a coup can end: every fact that an area can be decided by."""

    player_points: int
    banker_points: int
    player_cards: int = 2
    banker_cards: int = 2
    player_pair_kind: PairKind = "NONE"
    banker_pair_kind: PairKind = "NONE"
    pairs_of_one_rank: bool = False

    @property
    def winner(self) -> Winner:
        """Who won."""
        return winner_of(self.player_points, self.banker_points)

    @property
    def margin(self) -> int:
        """By how much the counts differ."""
        return abs(self.player_points - self.banker_points)

    @property
    def cards(self) -> int:
        """Cards in both hands, 4 to 6."""
        return self.player_cards + self.banker_cards


def winner_of(player_points: int, banker_points: int) -> Winner:
    """Return who wins with these counts."""
    if player_points > banker_points:
        return "player"
    return "banker" if banker_points > player_points else "tie"


def pair_kind(cards: Sequence[Card]) -> PairKind:
    """Return what the first two cards of a hand are together; fewer cards are no pair."""
    if not is_pair(cards):
        return "NONE"
    return "PERFECT" if cards[0][1] == cards[1][1] else "MIXED"


def one_rank(player: Sequence[Card], banker: Sequence[Card]) -> bool:
    """Tell whether both hands begin with a pair, and both pairs have one rank."""
    return is_pair(player) and is_pair(banker) and player[0][0] == banker[0][0]


def _two_card_hands() -> frozenset[tuple[int, bool]]:
    """Every (count, pair) that two cards can make."""
    values = [min(at, 10) % 10 for at in range(1, len(RANKS) + 1)]
    return frozenset(
        ((values[one] + values[two]) % 10, one == two)
        for one, two in product(range(len(RANKS)), repeat=2)
    )


@cache
def _finished(player_points: int, banker_points: int) -> frozenset[tuple[int, int, int, int]]:
    """Every (counts, cards of each hand) that the counts of four cards can grow to."""
    if max(player_points, banker_points) >= NATURAL_POINTS_MIN:
        return frozenset({(player_points, banker_points, 2, 2)})
    grown: set[tuple[int, int, int, int]] = set()
    for third in range(10) if player_draws(player_points) else (None,):
        final = (player_points + (third or 0)) % 10
        cards = 2 if third is None else 3
        if banker_draws(banker_points, third):
            grown.update((final, (banker_points + value) % 10, cards, 3) for value in range(10))
        else:
            grown.add((final, banker_points, cards, 2))
    return frozenset(grown)


def _pairs(
    player: tuple[int, bool], banker: tuple[int, bool]
) -> Iterator[tuple[PairKind, PairKind, bool]]:
    """Yield the facts about pairs that two hands of (count, pair) can have.

    Pairs of one rank count the same; each count that a pair can have comes of at least two
    ranks, so that equal counts do not make one rank.
    """
    kinds = [PAIR_KINDS[1:] if pair else PAIR_KINDS[:1] for _, pair in (player, banker)]
    for player_kind, banker_kind in product(*kinds):
        yield player_kind, banker_kind, False
        if player[1] and player == banker:
            yield player_kind, banker_kind, True


@cache
def possible_ends() -> frozenset[End]:
    """Return every end of a coup that can really happen, as the areas see it.

    Not all combinations can: Banker never wins with 6 on four cards, for Player would
    have drawn. Settings on the largest win and on exposure look at these ends, so they
    never count winnings together that cannot come together. The set is the same for every
    number of decks, but that no two cards of one deck are the same.
    """
    hands = _two_card_hands()
    found = {
        (*finished, *pairs)
        for player, banker in product(hands, hands)
        for pairs in _pairs(player, banker)
        for finished in _finished(player[0], banker[0])
    }
    return frozenset(End(*facts) for facts in found)


def ends_left_open(player: Sequence[Card], banker: Sequence[Card]) -> Iterator[End]:
    """Yield the ends that the cards that lie open leave possible before there is a result.

    For a coup that cannot go on (clause procedure 13): pairs are known from the fourth
    card, and the number of cards is at least what lies there; counts and the winner are
    known with the result and not before, whatever the cards let one expect.
    """
    dealt = len(player) + len(banker)
    both_known = dealt >= FOUR_CARDS and min(len(player), len(banker)) >= INITIAL_CARDS
    same = (one_rank(player, banker),) if both_known else (False, True)
    pairs = [
        (one, two, alike)
        for one in _kinds_left(player, dealt)
        for two in _kinds_left(banker, dealt)
        for alike in same
        if not alike or "NONE" not in (one, two)
    ]
    numbers = [
        (one, two)
        for one in _numbers_left(player)
        for two in _numbers_left(banker)
        if one + two >= min(dealt, 2 * HAND_CARDS_MAX)
    ]
    for player_points, banker_points in product(range(10), repeat=2):
        for cards in numbers:
            for kinds in pairs:
                yield End(player_points, banker_points, cards[0], cards[1], *kinds)


def _kinds_left(hand: Sequence[Card], dealt: int) -> tuple[PairKind, ...]:
    known = dealt >= FOUR_CARDS and len(hand) >= INITIAL_CARDS
    return (pair_kind(hand),) if known else PAIR_KINDS


def _numbers_left(hand: Sequence[Card]) -> range:
    lying = min(max(len(hand), INITIAL_CARDS), HAND_CARDS_MAX)
    return range(lying, HAND_CARDS_MAX + 1)
