"""How events change what the settlement service knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import wager as book
from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Heard
from services.contracts.settlement import (
    CoupSettled,
)
from services.settlement.domain.state import BookView, Coup, Result, SettlementState, Staked


def evolve(state: SettlementState, event: Event | Heard) -> SettlementState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event) if apply_heard else state
    if isinstance(event, RulebookActivated):
        return SettlementState(
            session=event.session,
            settings=event.settings,
        )
    if isinstance(event, CoupSettled):
        return _with_coup(state, event.coup_id, settled=True)
    return state


def _with_coup(state: SettlementState, coup_id: str, **changes: Any) -> SettlementState:
    coup = state.coups.get(coup_id)
    if coup is None:
        return state
    return replace(state, coups={**state.coups, coup_id: replace(coup, **changes)})


def _coup_begun(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.BettingOpened | table.NoBetCoupDeclared = heard.event  # type: ignore[assignment]
    return _known(state, event.coup_id)


def _known(state: SettlementState, coup_id: str) -> SettlementState:
    """Topics arrive in any order: the first mention of a coup begins its book."""
    if coup_id in state.coups:
        return state
    coup = Coup(coup_id=coup_id, coup=int(coup_id.rsplit(":", 1)[1]))
    return replace(state, coups={**state.coups, coup_id: coup})


def _wager_accepted(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerAccepted = heard.event  # type: ignore[assignment]
    state = _known(state, event.coup_id)
    staked = Staked(
        event.wager_id, event.player, event.area, event.currency, event.stake_minor, event.funding
    )
    wagers = {**state.coups[event.coup_id].wagers, event.wager_id: staked}
    return _with_coup(state, event.coup_id, wagers=wagers)


def _wager_changed(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerChanged = heard.event  # type: ignore[assignment]
    wagers = state.coups[event.coup_id].wagers
    staked = replace(wagers[event.wager_id], stake_minor=event.to_minor)
    return _with_coup(state, event.coup_id, wagers={**wagers, event.wager_id: staked})


def _wager_gone(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.WagerCancelled | book.WagerRejected | book.WagerRefunded = heard.event  # type: ignore[assignment]
    coup = state.coups.get(event.coup_id)
    if coup is None or event.wager_id not in coup.wagers:
        return state
    if isinstance(event, book.WagerRejected) and not event.refund_minor:
        return state  # an increase that failed: the wager stands as it was
    wagers = {key: staked for key, staked in coup.wagers.items() if key != event.wager_id}
    return _with_coup(state, event.coup_id, wagers=wagers)


def _book_closed(state: SettlementState, heard: Heard) -> SettlementState:
    event: book.BookClosed | book.BookRevised = heard.event  # type: ignore[assignment]
    held = BookView(event.revision, event.wagers, event.digest)
    return _with_coup(_known(state, event.coup_id), event.coup_id, book=held)


def _resulted(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupResulted = heard.event  # type: ignore[assignment]
    return _with_coup(
        _known(state, event.coup_id),
        event.coup_id,
        result=Result(event, heard.meta, heard.event_id),
    )


def _coup_over(state: SettlementState, heard: Heard) -> SettlementState:
    event: table.CoupClosed = heard.event  # type: ignore[assignment]
    coups = {key: coup for key, coup in state.coups.items() if key != event.coup_id}
    return replace(state, coups=coups)


EVOLVE_HEARD: dict[type[Event], Callable[[SettlementState, Heard], SettlementState]] = {
    table.BettingOpened: _coup_begun,
    table.NoBetCoupDeclared: _coup_begun,
    table.CoupResulted: _resulted,
    table.CoupClosed: _coup_over,
    book.WagerAccepted: _wager_accepted,
    book.WagerChanged: _wager_changed,
    book.WagerCancelled: _wager_gone,
    book.WagerRejected: _wager_gone,
    book.WagerRefunded: _wager_gone,
    book.BookClosed: _book_closed,
    book.BookRevised: _book_closed,
}
