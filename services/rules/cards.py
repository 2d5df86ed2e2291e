"""Cards, their baccarat values and their burn values.

A card is a two-character string, rank then suit, as in `"TH"`. Strings keep cards cheap to
hash, to compare and to store, and are exactly what a log shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice, pairwise
from typing import Final

Card = str
"""Rank then suit, two characters, upper case: `AS`, `TH`, `KC`."""

RANKS: Final = "A23456789TJQK"
"""Ranks from low to high; a neighbour in this string is a neighbour in a new pack."""

SUITS: Final = "SHDC"

CARDS_PER_DECK: Final = 52

NEIGHBOUR_WINDOW_CARDS: Final = 52
"""How many identified cards the new-pack test looks at: one deck's worth."""

FULL_DECK: Final[tuple[Card, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards of one deck in the order of a new pack, suit by suit."""

_VALUE_OF_RANK: Final = {rank: min(at, 10) % 10 for at, rank in enumerate(RANKS, start=1)}
POINT_VALUES: Final = {card: _VALUE_OF_RANK[card[0]] for card in FULL_DECK}
"""Point value of every card: aces one, pips as printed, tens and faces nothing."""


def parse_card(text: str) -> Card:
    """Return the card that `text` names; case is ignored and `10` is read as `T`.

    Raises ValueError, with the part that is wrong named, for anything else.
    """
    upper = text.upper() if text.isascii() else ""
    rank, suit = upper[:-1], upper[-1:]
    if rank == "10":
        rank = "T"
    if suit not in SUITS or not suit:
        message = f"{text!r} is no card: the suit must be one of {', '.join(SUITS)}"
        raise ValueError(message)
    if len(rank) != 1 or rank not in RANKS:
        message = f"{text!r} is no card: the rank must be one of {', '.join(RANKS)} or 10"
        raise ValueError(message)
    return rank + suit


def point_value(card: Card) -> int:
    """Return what the card counts in a hand, 0 to 9 (000 1.3.2, 004 3.2).

    Raises KeyError for a string that is no card; text from outside goes through
    `parse_card` first.
    """
    return POINT_VALUES[card]


def burn_value(card: Card, ten_value: int) -> int:
    """Return how many cards `card` calls for as the first card of a shoe (004 4.8).

    `ten_value` is what tens and faces count here (`burn.ten_value` of a rulebook): a king
    counts nothing in a hand and yet may burn ten cards.
    """
    return POINT_VALUES[card] or ten_value


def overfull(cards: Iterable[Card], decks: int) -> Card | None:
    """Return the first card of which there are more copies than `decks`, or None.

    Cards are looked at in the order given, so the answer is the very card at which a
    reader would have noticed the breach.
    """
    seen: Counter[Card] = Counter()
    for card in cards:
        seen[card] += 1
        if seen[card] > decks:
            return card
    return None


def new_deck_neighbours(cards: Iterable[Card]) -> int:
    """Count neighbours of one suit whose ranks differ by one in the first 52 cards.

    About 1.8 are expected in a shuffled shoe of eight decks and nearly all 51 in a pack
    that left the factory unshuffled. King and ace are not neighbours.
    """
    front = list(islice(cards, NEIGHBOUR_WINDOW_CARDS))
    return sum(
        one[1] == two[1] and abs(RANKS.index(one[0]) - RANKS.index(two[0])) == 1
        for one, two in pairwise(front)
    )
