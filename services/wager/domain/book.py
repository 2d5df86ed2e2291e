"""The book as it is published: totals, players, digest."""

from __future__ import annotations

import hashlib

from services.contracts.common import BookTotals
from services.contracts.wager import BookClosed, BookRevised, PlayerStakes
from services.wager.domain.state import Book, BookState, rules_of


def closed(state: BookState, book: Book) -> BookClosed:
    """The book is complete."""
    return BookClosed(
        coup_id=book.coup_id,
        revision=book.revision + 1,
        wagers=len(book.wagers),
        totals=_totals(book),
        digest=_digest(book),
        players=_players(state, book),
    )


def revised(state: BookState, book: Book, reason: str) -> BookRevised:
    """The book changed after it was closed, or what it held went back."""
    return BookRevised(
        coup_id=book.coup_id,
        revision=book.revision + 1,
        wagers=len(book.wagers),
        totals=_totals(book),
        digest=_digest(book),
        reason=reason,
        players=_players(state, book),
    )


def _totals(book: Book) -> dict[str, dict[str, BookTotals]]:
    totals: dict[str, dict[str, BookTotals]] = {}
    for wager in book.wagers.values():
        areas = totals.setdefault(wager.currency, {})
        held = areas.get(wager.area, BookTotals())
        areas[wager.area] = BookTotals(
            held.cash_minor + wager.cash_minor,
            held.tokens_minor + wager.stake_minor - wager.cash_minor,
            held.wagers + 1,
        )
    return totals


def _players(state: BookState, book: Book) -> tuple[PlayerStakes, ...]:
    """Who has what in the book; at a streamed table nobody is offered anything by it."""
    if rules_of(state).table_kind != "SEATED":
        return ()
    stakes: dict[str, dict[str, int]] = {}
    boxes: dict[str, str | None] = {}
    for wager in book.wagers.values():
        areas = stakes.setdefault(wager.player, {})
        areas[wager.area] = areas.get(wager.area, 0) + wager.stake_minor
        boxes.setdefault(wager.player, wager.box)
    return tuple(PlayerStakes(player, areas, boxes[player]) for player, areas in stakes.items())


def _digest(book: Book) -> str:
    """Digest over the live wagers; anyone who holds them can compute it again."""
    whole = hashlib.sha256()
    for wager in book.wagers.values():
        line = (wager.wager_id, wager.player, wager.area, wager.currency, str(wager.stake_minor))
        token = (wager.token,) if wager.token else ()
        whole.update("\x1f".join((*line, *token)).encode() + b"\x1e")
    return whole.hexdigest()
