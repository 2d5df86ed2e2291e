"""Baccarat once more, from the rule texts: counts, third cards, winner."""

from __future__ import annotations

from collections.abc import Sequence

BANKER_DRAWS = {
    0: "0123456789",
    1: "0123456789",
    2: "0123456789",
    3: "012345679",
    4: "234567",
    5: "4567",
    6: "67",
    7: "",
}
"""By Banker's count: with which third cards of Player's he draws."""


def value(card: str) -> int:
    """The points of one card: an ace is 1, tens and pictures are nothing."""
    rank = card[:-1]
    if rank in ("T", "10", "J", "Q", "K"):
        return 0
    return 1 if rank == "A" else int(rank)


def count(hand: Sequence[str]) -> int:
    """The last digit of the sum."""
    return sum(map(value, hand)) % 10


def played_out(drawn: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], int] | None:
    """Both hands from the cards in draw order, and how many were used; None where some are missing."""
    if len(drawn) < 4:
        return None
    player, banker = [drawn[0], drawn[2]], [drawn[1], drawn[3]]
    rest = list(drawn[4:])
    if max(count(player), count(banker)) >= 8:
        return tuple(player), tuple(banker), 4
    third = None
    if count(player) <= 5:
        if not rest:
            return None
        third = rest.pop(0)
        player.append(third)
    standing = count(banker)
    draws = standing <= 5 if third is None else str(value(third)) in BANKER_DRAWS[standing]
    if draws:
        if not rest:
            return None
        banker.append(rest.pop(0))
    return tuple(player), tuple(banker), len(player) + len(banker)


def winner(player: Sequence[str], banker: Sequence[str]) -> str:
    """PLAYER, BANKER or TIE."""
    ours, theirs = count(player), count(banker)
    if ours == theirs:
        return "TIE"
    return "PLAYER" if ours > theirs else "BANKER"
