"""Debits answered, the book closed, stakes given back (D5, D6)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from services.contracts.common import BookTotals, RulebookActivated
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.wager import (
    BookClosed,
    BookRevised,
    LimitsPublished,
    StandingWagerPermitted,
    WagerAccepted,
    WagerChanged,
    WagerRefunded,
)
from services.wager.commands import (
    ActivateRulebook,
    PermitStanding,
    Proceed,
    RecordDebit,
)
from services.wager.domain.evolve import evolve
from services.wager.domain.limits import Rejection
from services.wager.domain.placing import rejected
from services.wager.domain.state import (
    CLOSED,
    OPEN,
    Book,
    BookState,
    clauses_for,
    movement,
    rules_of,
)


def activate(command: ActivateRulebook) -> Sequence[Event]:
    settings = command.settings
    events: list[Event] = [RulebookActivated(session=command.session, settings=settings)]
    if settings.limits:
        events.append(
            LimitsPublished(
                limits_version=1,
                limits=settings.limits,
                differential_minor=settings.differential_minor,
            )
        )
    return events


def record_debit(command: RecordDebit, state: BookState) -> Sequence[Event]:
    book = state.book
    pending = book.pending.get(command.movement_id) if book else None
    if book is None or pending is None:
        raise Refused("UNKNOWN", f"no debit {command.movement_id} is pending")
    wager = pending.wager
    if command.outcome == "REFUSED":
        no = Rejection(command.reason or "INSUFFICIENT_FUNDS", "the wallet refused the debit")
        return [rejected(wager, state, book, no), *_due(state, without=command.movement_id)]
    if pending.from_minor:
        done: Event = WagerChanged(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            currency=wager.currency,
            from_minor=pending.from_minor,
            to_minor=wager.stake_minor,
            movement_id=command.movement_id,
        )
    else:
        done = WagerAccepted(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            stake_minor=wager.stake_minor,
            channel=wager.channel,
            limits_version=pending.limits_version,
            out_of_limits=wager.out_of_limits,
            box=wager.box,
        )
    return [done, *_proceed_from(evolve(state, done))]


def _due(state: BookState, *, without: str) -> Sequence[Event]:
    book = state.book
    assert book is not None
    pending = {key: held for key, held in book.pending.items() if key != without}
    return _proceed_from(replace(state, book=replace(book, pending=pending)))


def permit_standing(command: PermitStanding, state: BookState) -> Sequence[Event]:
    wanted = rules_of(state).standing_players_by
    if wanted is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no permission for standing players")
    require_role(command, wanted, what="letting players without a seat wager")
    return [StandingWagerPermitted(permitted=command.permitted)]


def proceed(command: Proceed, state: BookState) -> Sequence[Event]:
    del command
    return _proceed_from(state)


def _proceed_from(state: BookState) -> Sequence[Event]:
    """Close the book, or give back what it holds, once no debit is pending."""
    book = state.book
    if book is None or book.pending:
        return ()
    if book.void:
        return _refunds(state, book)
    if book.close_requested and book.phase in (OPEN, CLOSED):
        return [
            BookClosed(
                coup_id=book.coup_id,
                revision=book.revision + 1,
                wagers=len(book.wagers),
                totals=_totals(book),
                digest=_digest(book),
            )
        ]
    return ()


def _refunds(state: BookState, book: Book) -> Sequence[Event]:
    refunds: list[Event] = [
        WagerRefunded(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            refund_minor=wager.stake_minor,
            movement_id=movement(state, wager.wager_id, wager.movements + 1),
            reason="VOID",
            clauses=clauses_for(state, "void"),
        )
        for wager in book.wagers.values()
    ]
    empty = replace(book, wagers={})
    return [
        *refunds,
        BookRevised(
            coup_id=book.coup_id,
            revision=book.revision + 1,
            wagers=0,
            totals={},
            digest=_digest(empty),
            reason="VOID",
        ),
    ]


def _totals(book: Book) -> dict[str, dict[str, BookTotals]]:
    totals: dict[str, dict[str, BookTotals]] = {}
    for wager in book.wagers.values():
        areas = totals.setdefault(wager.currency, {})
        held = areas.get(wager.area, BookTotals())
        areas[wager.area] = BookTotals(
            held.cash_minor + wager.stake_minor, held.tokens_minor, held.wagers + 1
        )
    return totals


def _digest(book: Book) -> str:
    """Digest over the live wagers; anyone who holds them can compute it again."""
    whole = hashlib.sha256()
    for wager in book.wagers.values():
        line = (wager.wager_id, wager.player, wager.area, wager.currency, str(wager.stake_minor))
        whole.update("\x1f".join(line).encode() + b"\x1e")
    return whole.hexdigest()
