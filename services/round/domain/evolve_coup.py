"""How the round service's own events change what it knows of the coup in progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from services.contracts import round_hands as hands
from services.contracts.core import Event
from services.contracts.round import (
    BettingClosed,
    BettingOpened,
    BookCloseRequested,
    CardDealt,
    CoupBackfilled,
    CoupClosed,
    CoupResulted,
    CoupTerminated,
    CoupVoided,
    DealCalled,
    DealingOpened,
    DrawInstructed,
    NoBetCoupDeclared,
    NoMoreBetsAnnounced,
    ResultCorrected,
    ThirdCardDecision,
    WithdrawalWindowClosed,
    WithdrawalWindowOpened,
)
from services.round.domain.changes import (
    amended,
    appended,
    owe,
    placed,
    with_coup,
    with_shoe,
)
from services.round.domain.coup import (
    BETTING,
    CLOSED,
    DEALING,
    EMPTY_BOOK,
    MISDEAL,
    RESULTED,
    VOID,
    Coup,
    Hold,
    Window,
)
from services.round.domain.state import (
    BETWEEN_COUPS,
    GAME_ERROR,
    SECOND_US,
    Past,
    TableState,
    rules_of,
    settings_of,
)
from services.rules.cards import NEIGHBOUR_WINDOW_CARDS, new_deck_neighbours


def _betting_opened(state: TableState, event: BettingOpened) -> TableState:
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=BETTING,
        no_bet=False,
        closes_at_us=event.closes_at_us,
        method=event.method,
        book=None if settings_of(state).keeps_book else EMPTY_BOOK,
        full=len(state.seats) == settings_of(state).seats,
    )
    return replace(
        state,
        coup=coup,
        coups=event.coup,
        request=None,
        opened_at_us=event.opened_at_us,
        dealt_from_us=max(state.dealt_from_us, event.opened_at_us),
    )


def _no_bet_declared(state: TableState, event: NoBetCoupDeclared) -> TableState:
    coup = state.coup
    state = with_shoe(state, seen_kept=False, seen_next=None)
    if coup is not None and coup.coup_id == event.coup_id:
        return with_coup(state, no_bet=True, no_bet_due="", method="A")
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=CLOSED,
        no_bet=True,
        closes_at_us=None,
        book=EMPTY_BOOK,
    )
    return replace(state, coup=coup, coups=event.coup, request=None)


def _backfilled(state: TableState, event: CoupBackfilled) -> TableState:
    """It is dealt by what is entered: nothing of it is asked of anybody."""
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=CLOSED,
        no_bet=True,
        closes_at_us=None,
        backfilled=True,
        entered=event.cards,
        book=EMPTY_BOOK,
    )
    state = with_shoe(state, seen_kept=False, seen_next=None)
    dealt_at_us = event.dealt_at_us
    return replace(
        state, coup=coup, coups=event.coup, opened_at_us=dealt_at_us, dealt_from_us=dealt_at_us
    )


def _betting_closed(state: TableState, event: BettingClosed) -> TableState:
    """The call may follow the timer's beep for some seconds (000 3.5.2)."""
    coup = state.coup
    assert coup is not None
    due: int | None = None
    rules = rules_of(state)
    if event.closed_by == "TIMER" and rules.betting_close == "TIMER" and not coup.called:
        due = event.closed_at_us + rules.call_tolerance_seconds * SECOND_US + 1
    state = replace(state, dealt_from_us=max(state.dealt_from_us, event.closed_at_us))
    return with_coup(state, phase=CLOSED, closed_at_us=event.closed_at_us, call_due_us=due)


def _card_dealt(state: TableState, event: CardDealt) -> TableState:
    coup = state.coup
    assert coup is not None
    numbers = (*coup.numbers, (event.draw_number, event.hand, event.position - 1))
    laid = placed(coup, event.hand, event.position - 1, event.card)
    return with_coup(state, dealt=coup.dealt + 1, numbers=numbers, **laid)


def _decision_told(state: TableState, event: ThirdCardDecision) -> TableState:
    del event
    coup = state.coup
    assert coup is not None
    return with_coup(state, decided=coup.decided + 1)


def _resulted(state: TableState, event: CoupResulted) -> TableState:
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        hands_now = {"player": event.player, "banker": event.banker}
        return amended(state, event.coup, revision=event.revision, **hands_now)
    empty = event.no_bet or (coup.book or EMPTY_BOOK).wagers == 0
    return with_coup(
        state,
        phase=RESULTED,
        hold=None,
        revision=event.revision,
        player_cards=event.player,
        banker_cards=event.banker,
        settled=coup.settled or empty,
    )


def _voided(state: TableState, event: CoupVoided) -> TableState:
    """A coup that a missing burn spoiled may never have been opened (002 L29)."""
    coup = state.coup
    if coup is None:
        coup = Coup(
            coup_id=event.coup_id,
            number=event.coup,
            phase=VOID,
            no_bet=False,
            closes_at_us=None,
            settled=True,
        )
        return replace(with_shoe(state, spoiled=False), coup=coup, coups=event.coup)
    return _without_result(state, terminated=False)


def _terminated(state: TableState, event: CoupTerminated) -> TableState:
    del event
    return _without_result(state, terminated=True)


def _without_result(state: TableState, *, terminated: bool) -> TableState:
    """The wager service gives back what the book holds, and says so; of no book there is nothing."""
    return with_coup(
        state,
        phase=VOID,
        terminated=terminated,
        instructed=0,
        hold=None,
        window=None,
        doom="",
        settled=not settings_of(state).keeps_book,
    )


def _misdeal(state: TableState, event: hands.MisdealDetected) -> TableState:
    coup = state.coup
    assert coup is not None
    if event.kind == "MULTI_PULL":
        confirmed = "MULTI_PULL" in coup.approved
        pulls = () if confirmed else (*coup.pulls, *event.draw_numbers)
        return with_coup(state, pulls=pulls, pulls_seen=event.draw_numbers[-1])
    if event.kind == "EXTRA_CARD":
        count = len(event.draw_numbers)
        state = with_coup(state, extra=(*coup.extra, *event.draw_numbers), dealt=coup.dealt + count)
        shoe = state.shoe
        first = shoe is not None and GAME_ERROR not in shoe.owed
        return owe(state, GAME_ERROR) if first and rules_of(state).extra_card == "BURN3" else state
    return state


def _approved(state: TableState, event: hands.ErrorApproved) -> TableState:
    coup = state.coup
    assert coup is not None
    pulls = () if event.what == "MULTI_PULL" else coup.pulls
    return with_coup(state, approved=coup.approved | {event.what}, pulls=pulls)


def _rebuilt(
    state: TableState, event: hands.PlacementCorrected | hands.ReconstructionCompleted
) -> TableState:
    """What is out lies where the draw order wants it."""
    coup = state.coup
    assert coup is not None
    if isinstance(event, hands.PlacementCorrected) and event.cause != "MISPLACED":
        return state
    held = None if coup.hold is not None and coup.hold.code == MISDEAL else coup.hold
    return with_coup(state, hold=held, ordered=len(coup.drawn))


def _window_opened(state: TableState, event: WithdrawalWindowOpened) -> TableState:
    return with_coup(state, window=Window(event.cause, event.until_us, event.until_us))


def _window(state: TableState, **changes: Any) -> TableState:
    coup = state.coup
    if coup is None or coup.window is None:
        return state
    return with_coup(state, window=replace(coup.window, **changes))


def _resumed(state: TableState, event: hands.CoupResumed) -> TableState:
    if event.after == "DEVICE":
        return with_coup(state, fault="", transferred="", hold=None, window=None)
    return with_coup(state, window=None)


def _resolved(state: TableState, event: hands.IncidentResolved) -> TableState:
    coup = state.coup
    if coup is not None and coup.hold is not None and coup.hold.code == event.code:
        return with_coup(state, hold=None)
    if event.code == "NEW_DECK_ORDER":
        return with_shoe(state, front_checked=True, new_pack=False)
    return state


def _attested(state: TableState, event: hands.CardAttested) -> TableState:
    """Nobody saw it: it is the coup's first card, and no call is to come (A-25)."""
    return state if event.seen else with_coup(state, hold=None, called=True, call_due_us=None)


def _escalated(state: TableState, event: hands.HoldEscalated) -> TableState:
    del event
    coup = state.coup
    if coup is None or coup.hold is None:
        return state
    return with_coup(state, hold=replace(coup.hold, escalated=coup.hold.escalated + 1))


def _alarmed(state: TableState, event: hands.AlarmRaised) -> TableState:
    del event
    coup = state.coup
    if coup is None or coup.hold is None:
        return state
    return with_coup(state, hold=replace(coup.hold, alarmed=True))


def _held(state: TableState, event: hands.CoupHeld) -> TableState:
    return with_coup(state, hold=Hold(event.code, event.since_us))


def _turning(state: TableState, event: hands.TurnInstructed) -> TableState:
    coup = state.coup
    assert coup is not None
    return with_coup(state, turning=coup.turning | frozenset(event.draw_numbers))


NEIGHBOURS_MAX = 11
"""Neighbours of a new pack among a shoe's first 52 cards; about 1.8 are expected."""


def _front_looked_at(state: TableState) -> TableState:
    """After each coup: do the shoe's first cards lie as they left the factory (N-6)."""
    shoe = state.shoe
    if shoe is None or shoe.front_checked:
        return state
    front = sorted(shoe.front)[:NEIGHBOUR_WINDOW_CARDS]
    neighbours = new_deck_neighbours(card for _, card in front)
    return with_shoe(
        state,
        new_pack=neighbours > NEIGHBOURS_MAX,
        front_checked=len(front) == NEIGHBOUR_WINDOW_CARDS,
    )


def _coup_closed(state: TableState, event: CoupClosed) -> TableState:
    coup = state.coup
    assert coup is not None
    held = coup.book or EMPTY_BOOK
    past = Past(event.coup_id, event.status, coup.revision, held.revision, coup.player, coup.banker)
    state = replace(
        _front_looked_at(state),
        coup=None,
        offers_after=None,
        past=appended(state.past, past),
        stakers=tuple(each.player for each in held.players),
    )
    shoe = state.shoe
    over = (
        event.started
        and shoe is not None
        and shoe.last_coup is not None
        and event.coup >= shoe.last_coup
    )
    if over or not rules_of(state).burn.between_coups:
        return state
    return owe(state, BETWEEN_COUPS)


EVOLVE_COUP: dict[type[Event], Callable[[TableState, Any], TableState]] = {
    BettingOpened: _betting_opened,
    NoBetCoupDeclared: _no_bet_declared,
    CoupBackfilled: _backfilled,
    NoMoreBetsAnnounced: lambda state, _: with_coup(state, called=True, call_due_us=None),
    BettingClosed: _betting_closed,
    BookCloseRequested: lambda state, _: with_coup(state, book_asked=True),
    DealCalled: lambda state, _: with_coup(state, deal_called=True),
    DealingOpened: lambda state, _: with_coup(state, phase=DEALING),
    DrawInstructed: lambda state, event: with_coup(state, instructed=event.count),
    CardDealt: _card_dealt,
    ThirdCardDecision: _decision_told,
    CoupResulted: _resulted,
    ResultCorrected: _resulted,
    CoupVoided: _voided,
    CoupTerminated: _terminated,
    hands.MisdealDetected: _misdeal,
    hands.ErrorApproved: _approved,
    hands.PlacementCorrected: _rebuilt,
    hands.ReconstructionCompleted: _rebuilt,
    WithdrawalWindowOpened: _window_opened,
    hands.WithdrawalWindowExtended: lambda state, event: _window(state, until_us=event.until_us),
    WithdrawalWindowClosed: lambda state, _: _window(state, closed=True),
    hands.CoupResumed: _resumed,
    hands.CoupHeld: _held,
    hands.IncidentResolved: _resolved,
    hands.CardAttested: _attested,
    hands.HoldEscalated: _escalated,
    hands.AlarmRaised: _alarmed,
    hands.TurnInstructed: _turning,
    CoupClosed: _coup_closed,
}
