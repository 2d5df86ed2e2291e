"""How events change what the shoe service knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Heard
from services.contracts.shoe import (
    CardDrawn,
    CardsBurned,
    CardsInspected,
    CardsShuffled,
    CutCardPlaced,
    CutCardReached,
    CutDeclined,
    CutMade,
    CutOffered,
    LastCoupDesignated,
    PreShuffledIntroduced,
    RiffleRequested,
    ShoeAssembled,
    ShoeExhausted,
    ShoeInvalidated,
    ShoeLoaded,
    ShoeRetired,
)
from services.shoe.domain.state import (
    BETWEEN_COUPS,
    DEALER_CHANGE,
    NEW_SHOE,
    SCANNED,
    Course,
    Preparation,
    Shoe,
    ShoeState,
    rules_of,
)


def fold(state: ShoeState, events: Sequence[Event]) -> ShoeState:
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: ShoeState, event: Event | Heard) -> ShoeState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event.event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: ShoeState, event: RulebookActivated) -> ShoeState:
    del state
    return ShoeState(
        session=event.session,
        settings=event.settings,
        open=True,
    )


def _prepare(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, preparation=replace(state.preparation, **changes))


def _declined(state: ShoeState, event: CutDeclined) -> ShoeState:
    declined = (*state.preparation.declined, event.seat)
    return _prepare(state, declined=declined, offered=None)


def _riffled(state: ShoeState, event: CardsShuffled) -> ShoeState:
    del event
    return _prepare(state, shuffled=True, riffle_owed=False)


def _loaded(state: ShoeState, event: ShoeLoaded) -> ShoeState:
    shoe = Shoe(
        shoe_id=event.shoe_id,
        decks=event.decks,
        cards=event.cards,
        source=event.source,
        partial=event.source == SCANNED,
        cuts_after=event.cuts_after,
        order_id=event.order_id,
        owed=(NEW_SHOE,),
    )
    return replace(state, shoe=shoe, preparation=Preparation(), shoes=state.shoes + 1)


def _with_shoe(state: ShoeState, **changes: Any) -> ShoeState:
    assert state.shoe is not None
    return replace(state, shoe=replace(state.shoe, **changes))


def _after_burn(state: ShoeState, event: CardsBurned) -> ShoeState:
    shoe = state.shoe
    assert shoe is not None
    owed = list(shoe.owed)
    if event.reason in owed:
        owed.remove(event.reason)
    return _with_shoe(
        state,
        drawn=shoe.drawn + event.count,
        burned=shoe.burned + event.count,
        owed=tuple(owed),
    )


def _after_draw(state: ShoeState, event: CardDrawn) -> ShoeState:
    course = state.course
    state = _with_shoe(state, drawn=event.draw_number)
    course = replace(course, drawn=course.drawn + 1, instructed=max(0, course.instructed - 1))
    return replace(state, course=course)


def _after_exhaustion(state: ShoeState, event: ShoeExhausted) -> ShoeState:
    del event
    return replace(state, course=replace(state.course, instructed=0))


_EVOLVE: dict[type[Event], Callable[[ShoeState, Any], ShoeState]] = {
    RulebookActivated: _activated,
    ShoeAssembled: lambda state, _: _prepare(state, assembled=True),
    CardsInspected: lambda state, event: (
        _prepare(state, inspected=True) if event.stage == "PRE" else state
    ),
    CardsShuffled: _riffled,
    PreShuffledIntroduced: lambda state, _: _prepare(state, shuffled=True, pre_shuffled=True),
    RiffleRequested: lambda state, _: _prepare(state, riffle_owed=True),
    CutOffered: lambda state, event: _prepare(state, offered=event.seat),
    CutDeclined: _declined,
    CutMade: lambda state, event: _prepare(state, cut=event.position),
    CutCardPlaced: lambda state, event: _prepare(state, from_back=event.from_back),
    ShoeLoaded: _loaded,
    CardsBurned: _after_burn,
    CardDrawn: _after_draw,
    CutCardReached: lambda state, _: _with_shoe(state, cut_shown=True),
    LastCoupDesignated: lambda state, event: _with_shoe(state, last_coup=event.coup),
    ShoeExhausted: _after_exhaustion,
    ShoeRetired: lambda state, _: _with_shoe(state, ended=True, owed=()),
    ShoeInvalidated: lambda state, _: _with_shoe(state, invalid=True, ended=True),
}


def _course(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, course=replace(state.course, **changes))


def _coup_opened(
    state: ShoeState, event: table.BettingOpened | table.NoBetCoupDeclared
) -> ShoeState:
    phase = "BETTING" if isinstance(event, table.BettingOpened) else "CLOSED"
    course = Course(phase=phase, coup_id=event.coup_id, coup=event.coup)
    return replace(state, course=course)


def _coup_closed(state: ShoeState, event: table.CoupClosed) -> ShoeState:
    state = replace(state, course=Course(coup_id=event.coup_id, coup=event.coup))
    shoe = state.shoe
    if shoe is None or shoe.ended or rules_of(state).burn.between_coups == 0:
        return state
    if shoe.last_coup is not None and event.coup >= shoe.last_coup:
        return state
    return _with_shoe(state, owed=(*shoe.owed, BETWEEN_COUPS))


def _dealer_changed(state: ShoeState, event: table.DealerChanged) -> ShoeState:
    del event
    shoe = state.shoe
    if shoe is None or shoe.ended or rules_of(state).burn.dealer_change == 0:
        return state
    return _with_shoe(state, owed=(*shoe.owed, DEALER_CHANGE))


def _seat_taken(state: ShoeState, event: table.SeatTaken) -> ShoeState:
    return replace(state, players=(*state.players, (event.seat, event.player)))


def _seat_vacated(state: ShoeState, event: table.SeatVacated) -> ShoeState:
    return replace(state, players=tuple(p for p in state.players if p[0] != event.seat))


EVOLVE_HEARD: dict[type[Event], Callable[[ShoeState, Any], ShoeState]] = {
    table.TableClosed: lambda state, _: replace(state, open=False),
    table.SeatTaken: _seat_taken,
    table.SeatVacated: _seat_vacated,
    table.DealerChanged: _dealer_changed,
    table.BettingRequested: lambda state, _: _course(state, betting_requested=True),
    table.BettingOpened: _coup_opened,
    table.NoBetCoupDeclared: _coup_opened,
    table.BettingClosed: lambda state, _: _course(state, phase="CLOSED"),
    table.DealingOpened: lambda state, _: _course(state, phase="DEALING"),
    table.DrawInstructed: lambda state, event: _course(state, instructed=event.count),
    table.CoupResulted: lambda state, _: _course(state, phase="RESULTED"),
    table.CoupVoided: lambda state, _: _course(state, phase="RESULTED", instructed=0),
    table.CoupClosed: _coup_closed,
}
