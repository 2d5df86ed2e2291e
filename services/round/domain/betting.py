"""From the opening of betting to the request to close the book (Procedure 4, D5)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.round import (
    BettingClosed,
    BettingOpened,
    BettingRequested,
    BookCloseRequested,
    NoBetCoupDeclared,
    NoMoreBetsAnnounced,
)
from services.round.commands import (
    AdvanceTime,
    CallNoMoreBets,
    CloseBook,
    OpenBetting,
)
from services.round.domain.evolve import fold
from services.round.domain.state import (
    BETTING,
    CLOSED,
    DEALING,
    NEW_SHOE,
    SECOND_US,
    Coup,
    Request,
    ShoeView,
    TableState,
    clauses_for,
    coup_of,
    rules_of,
    settings_of,
    waits_for,
)


def open_betting(command: OpenBetting, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="opening betting")
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", f"a coup is running: the table waits for {waits_for(state)}")
    shoe = state.shoe
    if shoe is None:
        raise Refused("STATE", "there is no shoe on the table")
    _check_shoe(state, shoe)
    if state.limits_version == 0:
        raise Refused("STATE", "the wager service has published no limits")
    cycle_us = rules_of(state).coup_cycle_min_seconds * SECOND_US
    if state.opened_at_us and command.at_us < state.opened_at_us + cycle_us:
        raise Refused("STATE", "the last betting opened too short a time ago")
    if shoe.owed:
        if not settings_of(state).auto_burn or NEW_SHOE in shoe.owed:
            raise Refused("BURN_OWED", f"owed: {', '.join(shoe.owed)}", _owed_clauses(state))
        return [
            BettingRequested(
                coup=state.coups + 1, closes_in_us=command.closes_in_us, no_bet=command.no_bet
            )
        ]
    return betting(state, command.at_us, Request(command.closes_in_us, command.no_bet))


def _check_shoe(state: TableState, shoe: ShoeView) -> None:
    over = shoe.last_coup is not None and state.coups >= shoe.last_coup
    if shoe.ended or over:
        raise Refused(
            "SHOE_ENDED", f"shoe {shoe.shoe_id} has ended", clauses_for(state, "end_of_shoe")
        )


def _owed_clauses(state: TableState) -> tuple[str, ...]:
    assert state.shoe is not None
    first = state.shoe.owed[0]
    return clauses_for(state, f"burn_{first.lower()}")


def betting(state: TableState, at_us: int, asked: Request) -> Sequence[Event]:
    assert state.shoe is not None
    number = state.coups + 1
    coup_id = f"{settings_of(state).table_id}:{state.session}:{number}"
    if asked.no_bet:
        return [
            NoBetCoupDeclared(
                coup_id=coup_id,
                coup=number,
                shoe_id=state.shoe.shoe_id,
                reason="HOUSE",
                clauses=clauses_for(state, "no_bet"),
            )
        ]
    rules = rules_of(state)
    closes_in_us = asked.closes_in_us
    if closes_in_us is None and rules.betting_close == "TIMER":
        seconds = settings_of(state).betting_seconds or rules.betting_seconds
        assert seconds is not None
        closes_in_us = seconds * SECOND_US
    return [
        BettingOpened(
            coup_id=coup_id,
            coup=number,
            shoe_id=state.shoe.shoe_id,
            opened_at_us=at_us,
            closes_at_us=None if closes_in_us is None else at_us + closes_in_us,
            limits_version=state.limits_version,
            method=settings_of(state).method,
        )
    ]


def no_more_bets(command: CallNoMoreBets, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="the call")
    coup = coup_of(state)
    called = NoMoreBetsAnnounced(coup_id=coup.coup_id)
    if coup.called or coup.phase not in (BETTING, CLOSED, DEALING) or coup.drawn:
        raise Refused("STATE", f"no call is due: the table waits for {waits_for(state)}")
    if coup.phase != BETTING:
        return [called]
    timer = coup.closes_at_us
    if timer is not None and timer <= command.at_us:
        return [*_close_betting(state, coup, timer, "TIMER"), called]
    return [called, *_close_betting(state, coup, command.at_us, "CALL")]


def _close_betting(state: TableState, coup: Coup, at_us: int, by: str) -> Sequence[Event]:
    closed = BettingClosed(
        coup_id=coup.coup_id,
        closed_at_us=at_us,
        closed_by=by,
        clauses=clauses_for(state, "cut_off"),
    )
    if rules_of(state).book_close != "AUTO":
        return [closed]
    return [closed, BookCloseRequested(coup_id=coup.coup_id, reason="AUTO")]


def close_book(command: CloseBook, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="closing the book")
    coup = coup_of(state)
    if coup.phase != CLOSED or coup.book_asked:
        raise Refused("STATE", f"the table waits for {waits_for(state)}")
    return [BookCloseRequested(coup_id=coup.coup_id, reason="DEALER")]


def advance(command: AdvanceTime, state: TableState) -> Sequence[Event]:
    """Timers in the order in which they fall due, each at its own moment."""
    events: list[Event] = []
    coup = state.coup
    if coup is None:
        return events
    timer = coup.closes_at_us
    if coup.phase == BETTING and timer is not None and timer <= command.at_us:
        events.extend(_close_betting(state, coup, timer, "TIMER"))
        state = fold(state, events)
        coup = coup_of(state)
    return events
