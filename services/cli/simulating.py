"""Coups by the million, drawn at random.

A coup is what `services.rules.odds` takes it for: six cards in order, drawn without return from
a full shoe, of which four or five may be enough. They are drawn in lock-step, a column of
cards for each place, and counted by all that the rules ask of them: the counts of the first
two cards of each hand, what they are as pairs, and the values of the cards after them. The
rules themselves then say, once for each such deal, who draws and how the coup ends; no rule
stands here a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, product
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.rules.area_language import PairKind
from services.rules.cards import CARDS_PER_DECK, FULL_DECK, Card, point_value
from services.rules.ends import End, pair_kind
from services.rules.hands import initial_points
from services.rules.odds import DEAL_CARDS
from services.rules.outcome import dealt

BATCH_COUPS: Final = 1 << 16
"""Coups drawn at a time: their columns stay in the cache of a core."""

Cards = NDArray[np.uint16]
"""Six rows, the draw order, and a column for each coup; cards are numbered by `card_of`."""

Codes = NDArray[np.intp]

Sort = tuple[int, PairKind, str]
"""What two cards are: their count, what they are as a pair, and the rank of a pair."""

_VALUES: Final = 10


def _sort(hand: Sequence[Card]) -> Sort:
    kind = pair_kind(hand)
    return initial_points(hand), kind, "" if kind == "NONE" else hand[0][0]


_HANDS: Final = tuple(product(FULL_DECK, repeat=2))
_SORTS: Final = tuple(sorted({_sort(hand) for hand in _HANDS}))
_THIRDS: Final = _VALUES * _VALUES
CODES: Final = len(_SORTS) ** 2 * _THIRDS
"""How many deals the rules can tell apart, among them some that no shoe holds."""

_HAND_OF_POINTS: Final = {initial_points(hand): hand for hand in _HANDS}
_CARD_OF_VALUE: Final = {point_value(card): card for card in FULL_DECK}

# By two cards of a deck, numbered as one: what the two add to the code of their coup.
_OF_HAND: Final = np.array([_SORTS.index(_sort(hand)) for hand in _HANDS], dtype=np.intp)
_OF_PLAYER: Final = _OF_HAND * len(_SORTS) * _THIRDS
_OF_BANKER: Final = _OF_HAND * _THIRDS
_OF_THIRDS: Final = np.array(
    [point_value(fifth) * _VALUES + point_value(sixth) for fifth, sixth in _HANDS], dtype=np.intp
)


def card_of(number: int, decks: int) -> Card:
    """Return the card that has this number in a shoe: all copies of a card are in a row."""
    return FULL_DECK[number // decks]


def draw(generator: np.random.Generator, decks: int, coups: int) -> Cards:
    """Draw six cards for each coup, each coup from a full shoe.

    Coups in which a card came twice are drawn again as a whole: those that stay are as likely
    one as the other.
    """
    cards = _drawn(generator, decks, coups)
    again = np.flatnonzero(_repeated(cards))
    while again.size:
        fresh = _drawn(generator, decks, again.size)
        cards[:, again] = fresh
        again = again[_repeated(fresh)]
    return cards


def _drawn(generator: np.random.Generator, decks: int, coups: int) -> Cards:
    return generator.integers(0, CARDS_PER_DECK * decks, size=(DEAL_CARDS, coups), dtype=np.uint16)


def _repeated(cards: Cards) -> NDArray[np.bool_]:
    found = np.zeros(cards.shape[1], dtype=np.bool_)
    for place in range(1, DEAL_CARDS):
        for before in range(place):
            found |= cards[place] == cards[before]
    return found


def codes(cards: Cards, decks: int) -> Codes:
    """Return the code of each coup; `end_of` tells what it means."""
    kinds = cards // np.uint16(decks)
    width = np.uint16(CARDS_PER_DECK)
    # The draw order: Player and Banker by turns, then whatever a third card may be.
    player, banker = kinds[0] * width + kinds[2], kinds[1] * width + kinds[3]
    thirds = kinds[4] * width + kinds[5]
    found: Codes = _OF_PLAYER.take(player)
    found += _OF_BANKER.take(banker)
    found += _OF_THIRDS.take(thirds)
    return found


class Ends:
    """What codes mean, by the table of play."""

    def __init__(self) -> None:
        # Who draws depends on counts alone, so that few of the deals have to be played.
        self._finished = cache(_finished)

    def of(self, code: int) -> End:
        """The end of every coup that has this code."""
        hands, thirds = divmod(code, _THIRDS)
        at_player, at_banker = divmod(hands, len(_SORTS))
        player, player_kind, player_rank = _SORTS[at_player]
        banker, banker_kind, banker_rank = _SORTS[at_banker]
        return End(
            *self._finished(player, banker, *divmod(thirds, _VALUES)),
            player_pair_kind=player_kind,
            banker_pair_kind=banker_kind,
            pairs_of_one_rank=player_rank == banker_rank != "",
        )


def _finished(player: int, banker: int, fifth: int, sixth: int) -> tuple[int, int, int, int]:
    """Return the counts and numbers of cards that two counts and the next cards lead to."""
    pairs = zip(_HAND_OF_POINTS[player], _HAND_OF_POINTS[banker], strict=True)
    thirds = _CARD_OF_VALUE[fifth], _CARD_OF_VALUE[sixth]
    end = dealt([*chain(*pairs), *thirds])
    return end.player_points, end.banker_points, end.player_cards, end.banker_cards


def simulate(
    decks: int, coups: int, seed: int, tell: Callable[[int], None] = lambda _done: None
) -> Mapping[End, int]:
    """Draw so many coups and return how many of them ended in each way.

    The same seed gives the same coups. `tell` hears after each batch how many are done.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    counted = np.zeros(CODES, dtype=np.int64)
    done = 0
    while done < coups:
        batch = min(BATCH_COUPS, coups - done)
        cards = draw(generator, decks, batch)
        counted += np.bincount(codes(cards, decks), minlength=CODES)
        done += batch
        tell(done)
    ends = Ends()
    found: dict[End, int] = {}
    for code in np.flatnonzero(counted):
        end = ends.of(int(code))
        found[end] = found.get(end, 0) + int(counted[code])
    return found
