"""How events of the table change what the shoe service knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import round_hands as hands
from services.contracts import round_table as life
from services.contracts.core import Event
from services.contracts.crew import CHANGES
from services.shoe.domain.state import (
    BETTING,
    BETWEEN_COUPS,
    CLOSED,
    DEALER_CHANGE,
    DEALING,
    RESULTED,
    Collection,
    Course,
    Entered,
    ShoeState,
    rules_of,
)


def _course(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, course=replace(state.course, **changes))


def _with_shoe(state: ShoeState, **changes: Any) -> ShoeState:
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, **changes))


def _betting_opened(state: ShoeState, event: table.BettingOpened) -> ShoeState:
    course = Course(
        phase=BETTING,
        coup_id=event.coup_id,
        coup=event.coup,
        method=event.method,
        holder=state.course.holder,
    )
    state = replace(state, course=course, collection=None)
    if event.method != "A" and rules_of(state).retire_handled_cards:
        return _with_shoe(state, handled=True)
    return state


def _no_bet(state: ShoeState, event: table.NoBetCoupDeclared) -> ShoeState:
    if state.course.coup_id == event.coup_id:
        return _course(state, method="A")
    course = Course(
        phase=CLOSED, coup_id=event.coup_id, coup=event.coup, holder=state.course.holder
    )
    return replace(state, course=course, collection=None)


def _backfilled(state: ShoeState, event: table.CoupBackfilled) -> ShoeState:
    course = Course(
        phase=CLOSED,
        coup_id=event.coup_id,
        coup=event.coup,
        holder=state.course.holder,
        entered=Entered(event.cards, event.device_id, event.sequence),
    )
    return replace(state, course=course, collection=None)


def _dealing(state: ShoeState, _: table.DealingOpened) -> ShoeState:
    """Round deals: a card that seemed early here was out behind a close that was heard after it."""
    return _course(state, phase=DEALING, held=False, early=())


def _method(state: ShoeState, event: life.DealingMethodSelected) -> ShoeState:
    return _course(state, method=event.method) if event.coup_id else state


def _attested(state: ShoeState, event: hands.CardAttested) -> ShoeState:
    return _course(state, held=False, burn_early=event.seen)


def _voided(state: ShoeState, event: table.CoupVoided) -> ShoeState:
    burn = event.reason == "CARD_BEFORE_CLOSE"
    return _course(
        state, phase=RESULTED, instructed=0, asked=(), turn=(), held=False, burn_early=burn
    )


def _held(state: ShoeState, event: hands.CoupHeld) -> ShoeState:
    """Nothing is drawn while words or a card wait for a ruling; misplaced cards may be joined."""
    waits = event.code in ("ANNOUNCEMENT_MISMATCH", "CARD_BEFORE_CLOSE")
    return _course(state, held=True) if waits else state


def _resolved(state: ShoeState, event: hands.IncidentResolved) -> ShoeState:
    same = event.coup_id == state.course.coup_id
    return _course(state, held=False) if same else state


def _misdeal(state: ShoeState, event: hands.MisdealDetected) -> ShoeState:
    if event.kind != "EXTRA_CARD":
        return state
    return _course(state, extra=(*state.course.extra, *event.draw_numbers))


def _resulted(state: ShoeState, event: table.CoupResulted) -> ShoeState:
    """A card that was drawn while the result was on its way is one that no hand needed."""
    course = state.course
    used = len(event.player) + len(event.banker)
    rest = sorted(number for number in course.numbers if number not in course.extra)
    return _course(state, phase=RESULTED, extra=(*course.extra, *rest[used:]))


def _turn(state: ShoeState, event: hands.TurnInstructed) -> ShoeState:
    turn = (*state.course.turn, *((number, event.seat) for number in event.draw_numbers))
    return _course(state, turn=turn)


def _coup_closed(state: ShoeState, event: table.CoupClosed) -> ShoeState:
    numbers = state.course.numbers
    course = Course(
        coup_id=event.coup_id,
        coup=event.coup,
        holder=state.course.holder,
        discards=len(numbers),
        uncounted=not event.started,
    )
    state = replace(state, course=course, collection=Collection(event.coup_id, numbers))
    shoe = state.shoe
    if shoe is None or shoe.ended or rules_of(state).burn.between_coups == 0:
        return state
    if event.started and shoe.last_coup is not None and event.coup >= shoe.last_coup:
        return state
    return _with_shoe(state, owed=(*shoe.owed, BETWEEN_COUPS))


def _crew(state: ShoeState, event: Event) -> ShoeState:
    return replace(state, crew=CHANGES[type(event)](state.crew, event))


def _dealer_changed(state: ShoeState, event: table.DealerChanged) -> ShoeState:
    state = _crew(state, event)
    shoe = state.shoe
    if shoe is None or shoe.ended or rules_of(state).burn.dealer_change == 0:
        return state
    return _with_shoe(state, owed=(*shoe.owed, DEALER_CHANGE))


def _incident(state: ShoeState, event: table.IncidentRecorded) -> ShoeState:
    if event.code != "CARD_HANDLED" or not rules_of(state).retire_handled_cards:
        return state
    return _with_shoe(state, handled=True)


def _seat_taken(state: ShoeState, event: table.SeatTaken) -> ShoeState:
    return replace(state, players=(*state.players, (event.seat, event.player)))


def _seat_vacated(state: ShoeState, event: table.SeatVacated) -> ShoeState:
    return replace(state, players=tuple(p for p in state.players if p[0] != event.seat))


EVOLVE_HEARD: dict[type[Event], Callable[[ShoeState, Any], ShoeState]] = {
    table.TableClosed: lambda state, _: replace(state, open=False),
    table.SeatTaken: _seat_taken,
    table.SeatVacated: _seat_vacated,
    **dict.fromkeys(CHANGES, _crew),
    table.DealerChanged: _dealer_changed,
    table.BettingRequested: lambda state, _: _course(state, betting_requested=True),
    table.BettingNotOpened: lambda state, _: _course(state, betting_requested=False),
    table.BettingOpened: _betting_opened,
    table.NoBetCoupDeclared: _no_bet,
    table.CoupBackfilled: _backfilled,
    table.BettingClosed: lambda state, _: _course(state, phase=CLOSED),
    table.DealingOpened: _dealing,
    table.DrawInstructed: lambda state, event: _course(state, instructed=event.count),
    table.CoupResulted: _resulted,
    table.ResultCorrected: lambda state, _: (
        _course(state, phase=RESULTED) if state.course.phase == DEALING else state
    ),
    table.CoupVoided: _voided,
    table.CoupTerminated: lambda state, _: _course(state, phase=RESULTED, instructed=0, turn=()),
    table.CoupClosed: _coup_closed,
    table.IncidentRecorded: _incident,
    table.WithdrawalWindowOpened: lambda state, _: _course(state, window=True),
    table.WithdrawalWindowClosed: lambda state, _: _course(state, window=False),
    life.DealingMethodSelected: _method,
    life.VariantChanged: lambda state, event: replace(state, settings=event.settings),
    hands.ShoeHolderChanged: lambda state, event: _course(state, holder=event.player),
    hands.CoupHeld: _held,
    hands.IncidentResolved: _resolved,
    hands.CardAttested: _attested,
    hands.MisdealDetected: _misdeal,
    hands.TurnInstructed: _turn,
}
