"""The game once more, from the rule texts and without a line of the platform's own.

Hands from the draw order (Procedure 1), areas (8.5), payments (pay, commission and rounding of 8.2)
and burns (Procedure 2), with the numbers of the seven rulebooks written out.
"""

from __future__ import annotations

import math
from fractions import Fraction

BANKER_DRAWS = {
    None: "DDDDDDSS",
    0: "DDDDSSSS",
    1: "DDDDSSSS",
    2: "DDDDDSSS",
    3: "DDDDDSSS",
    4: "DDDDDDSS",
    5: "DDDDDDSS",
    6: "DDDDDDDS",
    7: "DDDDDDDS",
    8: "DDDSSSSS",
    9: "DDDDSSSS",
}
"""By the value of Player's third card: what Banker does on 0 to 7 (Procedure 1, by columns)."""

NATURAL, DRAWS_TO = 8, 5
INITIAL = 4
_VALUES = {"A": 1, **dict.fromkeys("TJQK", 0)}

HALF_ON_SIX = ("super-six", "nsw-mini-even-money")
COMMISSION = ("live-studio", "live-lobby", "super-six-commission", "nsw-baccarat", "nsw-mini")
ODDS = {
    "PLAYER": Fraction(1),
    "BANKER": Fraction(1),
    "TIE": Fraction(8),
    "PLAYER_PAIR": Fraction(11),
    "BANKER_PAIR": Fraction(11),
    "BIG": Fraction(27, 50),
    "SMALL": Fraction(3, 2),
}


def value(card: str) -> int:
    """What a card counts."""
    return _VALUES[card[0]] if card[0] in _VALUES else int(card[0])


def total(cards: list[str] | tuple[str, ...]) -> int:
    """The point count of a hand."""
    return sum(map(value, cards)) % 10


def hands_of(cards: list[str]) -> tuple[list[str], list[str], int]:
    """Both hands that a draw order makes, and how many of its cards they need."""
    player, banker = [cards[0], cards[2]], [cards[1], cards[3]]
    used, third = INITIAL, None
    if max(total(player), total(banker)) >= NATURAL:
        return player, banker, used
    start = total(banker)
    if total(player) <= DRAWS_TO:
        player.append(cards[used])
        third = value(cards[used])
        used += 1
    if BANKER_DRAWS[third][start] == "D":
        banker.append(cards[used])
        used += 1
    return player, banker, used


def winner_of(player: tuple[str, ...], banker: tuple[str, ...]) -> str:
    """PLAYER, BANKER or TIE."""
    points = total(player), total(banker)
    return "TIE" if points[0] == points[1] else ("PLAYER", "BANKER")[points[0] < points[1]]


def wins(area: str, player: tuple[str, ...], banker: tuple[str, ...]) -> bool:
    """Whether an area wins."""
    if area in ("PLAYER", "BANKER", "TIE"):
        return winner_of(player, banker) == area
    if area in ("BIG", "SMALL"):
        return (len(player) + len(banker) == INITIAL) is (area == "SMALL")
    hand = player if area == "PLAYER_PAIR" else banker
    return hand[0][0] == hand[1][0]


def outcome(area: str, player: tuple[str, ...], banker: tuple[str, ...]) -> str:
    """WON, LOST or PUSH."""
    if wins(area, player, banker):
        return "WON"
    tied = area in ("PLAYER", "BANKER") and winner_of(player, banker) == "TIE"
    return "PUSH" if tied else "LOST"


def exact(
    rulebook: str, area: str, stake: int, player: tuple[str, ...], banker: tuple[str, ...]
) -> tuple[Fraction, Fraction]:
    """Winnings of a winning wager after commission, and the commission."""
    gross = stake * ODDS[area]
    if area != "BANKER":
        return gross, Fraction(0)
    if rulebook in HALF_ON_SIX:
        on_six = total(banker) == 6
        return (gross / 2 if on_six else gross), Fraction(0)
    return gross * Fraction(19, 20), gross / 20


def rounded(rulebook: str, winnings: Fraction, chip: int) -> int:
    """What is paid: up to the smallest chip at seated tables, half up to the minor unit at others."""
    if rulebook.startswith("nsw"):
        return math.ceil(winnings / chip) * chip
    return math.floor(winnings + Fraction(1, 2))


def burned_for(rulebook: str, first: str) -> int:
    """Cards that go with the first of a new shoe, itself included."""
    if rulebook.startswith("live"):
        return 6
    return 1 + (value(first) or 10)
