"""How events change what the wager service knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Heard
from services.contracts.wager import (
    BookClosed,
    BookRevised,
    DebitRequested,
    LimitsPublished,
    StandingWagerPermitted,
    WagerAccepted,
    WagerCancelled,
    WagerChanged,
    WagerRefunded,
    WagerRejected,
)
from services.wager.domain.state import CLOSED, FINAL, LOCKED, OPEN, Book, BookState, Pending, Wager


def evolve(state: BookState, event: Event | Heard) -> BookState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event.event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: BookState, event: RulebookActivated) -> BookState:
    del state
    return BookState(
        session=event.session,
        settings=event.settings,
        open=True,
    )


def _with_book(state: BookState, **changes: Any) -> BookState:
    if state.book is None:
        return state
    return replace(state, book=replace(state.book, **changes))


def _debit_requested(state: BookState, event: DebitRequested) -> BookState:
    book = state.book
    assert book is not None
    held = book.wagers.get(event.wager_id)
    wager = Wager(
        wager_id=event.wager_id,
        player=event.player,
        area=event.area,
        currency=event.currency,
        stake_minor=event.stake_minor,
        channel=event.channel,
        out_of_limits=event.out_of_limits,
        box=event.box,
        placements=held.placements + 1 if held else 1,
        movements=held.movements + 1 if held else 1,
    )
    pending = Pending(
        wager, event.amount_minor, held.stake_minor if held else 0, event.limits_version
    )
    return _with_book(state, pending={**book.pending, event.movement_id: pending})


def _settle_pending(book: Book, wager_id: str) -> tuple[dict[str, Pending], Wager | None]:
    rest = {key: held for key, held in book.pending.items() if held.wager.wager_id != wager_id}
    done = next((p.wager for p in book.pending.values() if p.wager.wager_id == wager_id), None)
    return rest, done


def _accepted(state: BookState, event: WagerAccepted) -> BookState:
    book = state.book
    assert book is not None
    rest, wager = _settle_pending(book, event.wager_id)
    assert wager is not None
    return _with_book(state, pending=rest, wagers={**book.wagers, event.wager_id: wager})


def _changed(state: BookState, event: WagerChanged) -> BookState:
    book = state.book
    assert book is not None
    held = book.wagers[event.wager_id]
    rest, risen = _settle_pending(book, event.wager_id)
    wager = risen or replace(held, stake_minor=event.to_minor, movements=held.movements + 1)
    return _with_book(state, pending=rest, wagers={**book.wagers, event.wager_id: wager})


def _taken_off(
    state: BookState, event: WagerRejected | WagerCancelled | WagerRefunded
) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id:
        return state
    rest, pending = _settle_pending(book, event.wager_id)
    if isinstance(event, WagerRejected) and pending is not None:
        return _with_book(state, pending=rest)  # an increase that fails leaves the wager
    wagers = {key: wager for key, wager in book.wagers.items() if key != event.wager_id}
    return _with_book(state, wagers=wagers)


def _book_final(state: BookState, event: BookClosed | BookRevised) -> BookState:
    return _with_book(state, phase=FINAL, revision=event.revision, void=False)


_EVOLVE: dict[type[Event], Callable[[BookState, Any], BookState]] = {
    RulebookActivated: _activated,
    LimitsPublished: lambda state, event: replace(
        state, limits_version=event.limits_version, limits=event.limits
    ),
    StandingWagerPermitted: lambda state, event: replace(state, standing=event.permitted),
    DebitRequested: _debit_requested,
    WagerAccepted: _accepted,
    WagerChanged: _changed,
    WagerRejected: _taken_off,
    WagerCancelled: _taken_off,
    WagerRefunded: _taken_off,
    BookClosed: _book_final,
    BookRevised: _book_final,
}


def _betting_opened(state: BookState, event: table.BettingOpened) -> BookState:
    book = Book(event.coup_id, event.coup, OPEN, closes_at_us=event.closes_at_us)
    return replace(state, book=book)


def _no_bet(state: BookState, event: table.NoBetCoupDeclared) -> BookState:
    return replace(state, book=Book(event.coup_id, event.coup, FINAL, no_bet=True))


def _betting_closed(state: BookState, event: table.BettingClosed) -> BookState:
    return _with_book(state, phase=CLOSED, closed_at_us=event.closed_at_us)


def _coup_over(state: BookState, event: table.CoupClosed) -> BookState:
    return replace(state, book=None, last_coup=event.coup)


EVOLVE_HEARD: dict[type[Event], Callable[[BookState, Any], BookState]] = {
    table.TableClosed: lambda state, _: replace(state, open=False),
    table.SeatTaken: lambda state, event: replace(state, seated=state.seated | {event.player}),
    table.SeatVacated: lambda state, event: replace(state, seated=state.seated - {event.player}),
    table.BettingOpened: _betting_opened,
    table.NoBetCoupDeclared: _no_bet,
    table.BettingClosed: _betting_closed,
    table.BookCloseRequested: lambda state, _: _with_book(state, close_requested=True),
    table.CoupStarted: lambda state, _: _with_book(state, phase=LOCKED),
    table.CoupVoided: lambda state, _: _with_book(state, void=True),
    table.CoupClosed: _coup_over,
}
