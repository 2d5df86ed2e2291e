"""What a wager comes to, from the rulebook's document alone, in whole numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.simulation.auditor.cards import count, winner


def verdict(
    area: str, player: Sequence[str], banker: Sequence[str], rules: Mapping[str, Any]
) -> tuple[str, tuple[int, int]]:
    """WON with the odds, LOST or PUSH."""
    won = winner(player, banker)
    pay: Any = rules["pay"]
    odds = tuple(pay[area])
    if area in ("PLAYER", "BANKER"):
        if won == "TIE":
            return "PUSH", (0, 1)
        six = pay.get("BANKER_ON_SIX")
        if area == won == "BANKER" and count(banker) == 6 and six is not None:
            odds = tuple(six)
        hit = won == area
    elif area == "TIE":
        hit = won == "TIE"
    elif area in ("PLAYER_PAIR", "BANKER_PAIR"):
        hand = player if area == "PLAYER_PAIR" else banker
        hit = hand[0][:-1] == hand[1][:-1]
    else:
        cards = len(player) + len(banker)
        hit = cards > 4 if area == "BIG" else cards == 4
    return ("WON", (odds[0], odds[1])) if hit else ("LOST", (0, 1))


def winnings(
    area: str, stake: int, odds: tuple[int, int], rules: Mapping[str, Any], chip: int
) -> int:
    """What a winning stake gains: less commission, rounded as the rulebook says."""
    above, below = stake * odds[0], odds[1]
    part = rules["commission"].get(area)
    if part is not None:
        above, below = above * (part[1] - part[0]), below * part[1]
    rounding: Any = rules["rounding"]
    below *= chip if rounding["unit"] == "SMALLEST_CHIP" else 1
    unit = chip if rounding["unit"] == "SMALLEST_CHIP" else 1
    whole, rest = divmod(above, below)
    mode = rounding["mode"]
    if mode == "UP":
        whole += rest > 0
    elif mode == "HALF_UP":
        whole += 2 * rest >= below
    elif mode == "HALF_EVEN":
        whole += 2 * rest > below or (2 * rest == below and whole % 2 == 1)
    return int(whole * unit)
