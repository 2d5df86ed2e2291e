"""How events change what the round service knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event, Heard
from services.contracts.round import (
    BettingClosed,
    BettingNotOpened,
    BettingOpened,
    BettingRequested,
    BookCloseRequested,
    CardDealt,
    CoupClosed,
    CoupResulted,
    CoupVoided,
    DealCalled,
    DealerAssigned,
    DealerChanged,
    DealingOpened,
    DrawInstructed,
    NoBetCoupDeclared,
    NoMoreBetsAnnounced,
    SeatTaken,
    SeatVacated,
    TableClosed,
    TableOpened,
    ThirdCardDecision,
)
from services.round.domain.state import (
    BETTING,
    BETWEEN_COUPS,
    CLOSED,
    DEALER_CHANGE,
    DEALING,
    EMPTY_BOOK,
    NEW_SHOE,
    RESULTED,
    VOID,
    BookView,
    Coup,
    Drawn,
    Request,
    ShoeView,
    TableState,
    rules_of,
)


def fold(state: TableState, events: Sequence[Event]) -> TableState:
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: TableState, event: Event | Heard) -> TableState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _opened(state: TableState, event: TableOpened) -> TableState:
    del state
    return TableState(
        session=event.session,
        settings=event.settings,
        open=True,
    )


def _with_coup(state: TableState, **changes: Any) -> TableState:
    assert state.coup is not None
    return replace(state, coup=replace(state.coup, **changes))


def _with_shoe(state: TableState, **changes: Any) -> TableState:
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, **changes))


def _dealer_changed(state: TableState, event: DealerChanged) -> TableState:
    state = replace(state, dealer=event.dealer)
    return _owe(state, DEALER_CHANGE) if rules_of(state).burn.dealer_change else state


def _owe(state: TableState, reason: str) -> TableState:
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return state
    return _with_shoe(state, owed=(*shoe.owed, reason))


def _betting_opened(state: TableState, event: BettingOpened) -> TableState:
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=BETTING,
        no_bet=False,
        closes_at_us=event.closes_at_us,
    )
    return replace(
        state, coup=coup, coups=event.coup, request=None, opened_at_us=event.opened_at_us
    )


def _no_bet_declared(state: TableState, event: NoBetCoupDeclared) -> TableState:
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=CLOSED,
        no_bet=True,
        closes_at_us=None,
        book=EMPTY_BOOK,
    )
    return replace(state, coup=coup, coups=event.coup, request=None)


def _card_dealt(state: TableState, event: CardDealt) -> TableState:
    coup = state.coup
    assert coup is not None
    card = event.card
    assert card is not None
    if event.hand == "PLAYER":
        return _with_coup(state, player=(*coup.player, card), dealt=coup.dealt + 1)
    return _with_coup(state, banker=(*coup.banker, card), dealt=coup.dealt + 1)


def _decision_told(state: TableState, event: ThirdCardDecision) -> TableState:
    del event
    coup = state.coup
    assert coup is not None
    return _with_coup(state, decided=coup.decided + 1)


def _coup_closed(state: TableState, event: CoupClosed) -> TableState:
    state = replace(state, coup=None)
    shoe = state.shoe
    over = shoe is not None and shoe.last_coup is not None and event.coup >= shoe.last_coup
    if over or not rules_of(state).burn.between_coups:
        return state
    return _owe(state, BETWEEN_COUPS)


_EVOLVE: dict[type[Event], Callable[[TableState, Any], TableState]] = {
    TableOpened: _opened,
    TableClosed: lambda state, _: replace(state, open=False),
    DealerAssigned: lambda state, event: replace(state, dealer=event.dealer),
    DealerChanged: _dealer_changed,
    SeatTaken: lambda state, event: replace(
        state, seats=(*state.seats, (event.seat, event.player))
    ),
    SeatVacated: lambda state, event: replace(
        state, seats=tuple(taken for taken in state.seats if taken[0] != event.seat)
    ),
    BettingRequested: lambda state, event: replace(
        state, request=Request(event.closes_in_us, event.no_bet)
    ),
    BettingNotOpened: lambda state, _: replace(state, request=None),
    BettingOpened: _betting_opened,
    NoBetCoupDeclared: _no_bet_declared,
    NoMoreBetsAnnounced: lambda state, _: _with_coup(state, called=True),
    BettingClosed: lambda state, event: _with_coup(
        state, phase=CLOSED, closed_at_us=event.closed_at_us
    ),
    BookCloseRequested: lambda state, _: _with_coup(state, book_asked=True),
    DealCalled: lambda state, _: _with_coup(state, deal_called=True),
    DealingOpened: lambda state, _: _with_coup(state, phase=DEALING),
    DrawInstructed: lambda state, event: _with_coup(state, instructed=event.count),
    CardDealt: _card_dealt,
    ThirdCardDecision: _decision_told,
    CoupResulted: lambda state, event: _with_coup(
        state, phase=RESULTED, settled=event.no_bet or _book_is_empty(state)
    ),
    CoupVoided: lambda state, _: _with_coup(state, phase=VOID, instructed=0),
    CoupClosed: _coup_closed,
}


def _book_is_empty(state: TableState) -> bool:
    coup = state.coup
    return coup is not None and (coup.book or EMPTY_BOOK).wagers == 0


def _heard_loaded(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeLoaded = heard.event  # type: ignore[assignment]
    return replace(state, shoe=ShoeView(shoe_id=event.shoe_id, owed=(NEW_SHOE,)))


def _heard_burned(state: TableState, heard: Heard) -> TableState:
    event: cards.CardsBurned = heard.event  # type: ignore[assignment]
    shoe = state.shoe
    if shoe is None or event.reason not in shoe.owed:
        return state
    owed = list(shoe.owed)
    owed.remove(event.reason)
    return _with_shoe(state, owed=tuple(owed))


def _heard_cut_card(state: TableState, heard: Heard) -> TableState:
    event: cards.CutCardReached = heard.event  # type: ignore[assignment]
    over = event.in_burn and rules_of(state).cutting_card_in_burn == "RETIRE_SHOE"
    return _with_shoe(state, ended=True) if over else state


def _heard_last_coup(state: TableState, heard: Heard) -> TableState:
    event: cards.LastCoupDesignated = heard.event  # type: ignore[assignment]
    return _with_shoe(state, last_coup=event.coup)


def _heard_drawn(state: TableState, heard: Heard) -> TableState:
    event: cards.CardDrawn = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    drawn = (*coup.drawn, Drawn(event.draw_number, event.card, event.face_up))
    return _with_coup(state, drawn=drawn, instructed=max(0, coup.instructed - 1))


def _heard_exhausted(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeExhausted = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return _with_coup(state, exhausted=True)


def _heard_limits(state: TableState, heard: Heard) -> TableState:
    event: book.LimitsPublished = heard.event  # type: ignore[assignment]
    return replace(state, limits_version=event.limits_version)


def _heard_book(state: TableState, heard: Heard) -> TableState:
    event: book.BookClosed | book.BookRevised = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    held = BookView(event.revision, event.wagers, event.digest)
    refunded = coup.phase == VOID and event.wagers == 0
    return _with_coup(state, book=held, settled=coup.settled or refunded)


def _heard_settled(state: TableState, heard: Heard) -> TableState:
    event: money.CoupSettled = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return _with_coup(state, settled=True)


EVOLVE_HEARD: dict[type[Event], Callable[[TableState, Heard], TableState]] = {
    cards.ShoeLoaded: _heard_loaded,
    cards.CardsBurned: _heard_burned,
    cards.CardDrawn: _heard_drawn,
    cards.CutCardReached: _heard_cut_card,
    cards.LastCoupDesignated: _heard_last_coup,
    cards.ShoeExhausted: _heard_exhausted,
    cards.ShoeRetired: lambda state, _: _with_shoe(state, ended=True, owed=()),
    cards.ShoeInvalidated: lambda state, _: _with_shoe(state, ended=True, owed=()),
    book.LimitsPublished: _heard_limits,
    book.BookClosed: _heard_book,
    book.BookRevised: _heard_book,
    money.CoupSettled: _heard_settled,
}
