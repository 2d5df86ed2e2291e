"""How the round service's own events change what it knows of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from services.contracts import round_table as life
from services.contracts.core import Event, Heard
from services.contracts.crew import CHANGES, next_session
from services.contracts.round import (
    BettingNotOpened,
    BettingRequested,
    DealerAssigned,
    DealerChanged,
    IncidentRecorded,
    OutcomeInvalidated,
    SeatTaken,
    SeatVacated,
    TableClosed,
    TableOpened,
)
from services.round.domain.changes import amended, owe, with_coup
from services.round.domain.evolve_coup import EVOLVE_COUP
from services.round.domain.evolve_hands import EVOLVE_HANDS
from services.round.domain.hearing import EVOLVE_HEARD, reports_behind
from services.round.domain.state import (
    DEALER_CHANGE,
    Consent,
    Notice,
    Request,
    Suspension,
    TableState,
    past_coup,
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
    return TableState(
        session=event.session,
        settings=event.settings,
        open=True,
        method=event.settings.method,
        crew=next_session(state.crew),
        reports=reports_behind(state),
    )


def _crew(state: TableState, event: Event) -> TableState:
    return replace(state, crew=CHANGES[type(event)](state.crew, event))


def _dealer_changed(state: TableState, event: DealerChanged) -> TableState:
    state = _crew(state, event)
    return owe(state, DEALER_CHANGE) if rules_of(state).burn.dealer_change else state


def _seat_taken(state: TableState, event: SeatTaken) -> TableState:
    """Who sits down while players are asked to agree to a change must agree too (X-47)."""
    state = replace(state, seats=(*state.seats, (event.seat, event.player)))
    consent = state.consent
    if consent is None or event.player in consent.asked:
        return state
    return replace(state, consent=replace(consent, asked=(*consent.asked, event.player)))


def _seat_vacated(state: TableState, event: SeatVacated) -> TableState:
    """Who leaves drops out of those who must agree to a change."""
    state = replace(
        state,
        seats=tuple(taken for taken in state.seats if taken[0] != event.seat),
        idle={seat: rounds for seat, rounds in state.idle.items() if seat != event.seat},
    )
    state = with_coup(state, full=False)
    consent = state.consent
    if consent is None:
        return state
    asked = tuple(player for player in consent.asked if player != event.player)
    return replace(state, consent=replace(consent, asked=asked))


def _sign(state: TableState, event: life.SignDisplayed) -> TableState:
    return replace(state, odds_sign=True) if event.sign == "ODDS" else state


def _sign_removed(state: TableState, event: life.SignRemoved) -> TableState:
    if event.sign == "ODDS":
        return replace(state, odds_sign=False)
    left = {sign: notice for sign, notice in state.notices.items() if sign != event.sign}
    return replace(state, notices=left)


def _notified(
    state: TableState, event: life.TableClosureNotified | life.VariantChangeNotified
) -> TableState:
    if isinstance(event, life.VariantChangeNotified):
        sign, value = "GAME", event.rulebook_id
    else:
        sign, value = "CLOSE", ""
    notice = Notice(event.displayed_at_us, event.effective_at_us, value)
    return replace(state, notices={**state.notices, sign: notice})


def _consented(state: TableState, event: life.VariantConsentGiven) -> TableState:
    consent = state.consent or Consent(())
    return replace(state, consent=replace(consent, given=consent.given | {event.player}))


def _variant(state: TableState, event: life.VariantChanged) -> TableState:
    left = {sign: notice for sign, notice in state.notices.items() if sign != "GAME"}
    return replace(state, settings=event.settings, notices=left, consent=None, odds_sign=False)


def _method(state: TableState, event: life.DealingMethodSelected) -> TableState:
    if event.coup_id is None:
        return replace(state, method=event.method, holder=None)
    return with_coup(state, method=event.method)


def _suspended(state: TableState, event: life.TableSuspended) -> TableState:
    shoe_id = state.shoe.shoe_id if state.shoe else ""
    return replace(state, suspension=Suspension(event.reason, shoe_id))


def _idle(state: TableState, event: life.SeatIdleCounted) -> TableState:
    return replace(state, idle={**state.idle, event.seat: event.rounds})


def _incident(state: TableState, event: IncidentRecorded) -> TableState:
    if event.code == "CALL_MISSING":
        return with_coup(state, call_due_us=None)
    if event.code == "PICKUP_DIRECTION":
        return replace(state, turned_direction="")
    if event.code == "DRAW_WITHOUT_INSTRUCTION" and state.coup is not None:
        drawn = tuple(replace(one, instructed=True) for one in state.coup.drawn)
        return with_coup(state, drawn=drawn)
    return state


def _invalidated(state: TableState, event: OutcomeInvalidated) -> TableState:
    past = past_coup(state, event.coup)
    if past is None:
        return state
    return amended(state, event.coup, status="INVALIDATED", revision=past.revision + 1)


_EVOLVE: dict[type[Event], Callable[[TableState, Any], TableState]] = {
    TableOpened: _opened,
    TableClosed: lambda state, _: replace(state, open=False, closing=False),
    DealerAssigned: _crew,
    DealerChanged: _dealer_changed,
    SeatTaken: _seat_taken,
    SeatVacated: _seat_vacated,
    BettingRequested: lambda state, event: replace(
        state, request=Request(event.closes_in_us, event.no_bet)
    ),
    BettingNotOpened: lambda state, _: replace(state, request=None),
    IncidentRecorded: _incident,
    OutcomeInvalidated: _invalidated,
    life.SupervisorAssigned: _crew,
    life.TableSuspended: _suspended,
    life.TableResumed: lambda state, _: replace(state, suspension=None),
    life.SignDisplayed: _sign,
    life.SignRemoved: _sign_removed,
    life.TableClosureNotified: _notified,
    life.VariantChangeNotified: _notified,
    life.VariantConsentAsked: lambda state, event: replace(state, consent=Consent(event.players)),
    life.VariantConsentGiven: _consented,
    life.VariantChanged: _variant,
    life.DealingMethodSelected: _method,
    life.MethodApproved: lambda state, event: replace(
        state, approvals={**state.approvals, event.method: event.until_coup}
    ),
    life.RoleApproved: lambda state, event: replace(
        state, act_as_player={**state.act_as_player, event.player or "": event.until_coup}
    ),
    life.SeatIdleCounted: _idle,
    life.ClosingOrdered: lambda state, _: replace(state, closing=True),
    **EVOLVE_COUP,
    **EVOLVE_HANDS,
}
