"""From the opening of betting to the request to close the book (Procedure 4, D5)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.round import (
    BettingClosed,
    BettingNotOpened,
    BettingOpened,
    BettingRequested,
    BookCloseRequested,
    NoBetCoupDeclared,
    NoMoreBetsAnnounced,
)
from services.round.commands import (
    CallNoMoreBets,
    CloseBook,
    OpenBetting,
)
from services.round.domain.coup import BETTING, CLOSED, DEALING, Coup
from services.round.domain.methods import check_approved, check_possible
from services.round.domain.state import (
    GAME_ERROR,
    NEW_SHOE,
    SECOND_US,
    Request,
    ShoeView,
    TableState,
    clauses_for,
    coup_of,
    rules_of,
    settings_of,
    waits_for,
)

CLOSES_IN_US_MAX = 10**15
"""About thirty years: whoever does not want a timer names none, or a very late one."""

BY_HAND_ALWAYS = (NEW_SHOE, GAME_ERROR)
"""Burns that block betting also where the others are made by themselves."""


def open_betting(command: OpenBetting, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="opening betting")
    if not 0 <= (command.closes_in_us or 0) <= CLOSES_IN_US_MAX:
        raise Refused("NOT_PERMITTED", f"betting closes in 0 to {CLOSES_IN_US_MAX} microseconds")
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", f"a coup is running: the table waits for {waits_for(state)}")
    check_table(state)
    shoe = state.shoe
    if shoe is None:
        raise Refused("STATE", "there is no shoe on the table")
    check_shoe(state, shoe)
    if state.limits_version == 0 and settings_of(state).keeps_book:
        raise Refused("STATE", "the wager service has published no limits")
    cycle_us = rules_of(state).coup_cycle_min_seconds * SECOND_US
    if state.opened_at_us and command.at_us < state.opened_at_us + cycle_us:
        raise Refused("STATE", "the last betting opened too short a time ago")
    check_possible(state, state.method)
    check_approved(state, state.method)
    if shoe.owed:
        if not settings_of(state).auto_burn or any(one in BY_HAND_ALWAYS for one in shoe.owed):
            raise burn_owed(state, shoe)
        return [
            BettingRequested(
                coup=state.coups + 1, closes_in_us=command.closes_in_us, no_bet=command.no_bet
            )
        ]
    return betting(state, command.at_us, Request(command.closes_in_us, command.no_bet))


def check_table(state: TableState) -> None:
    """Refuse with STATE where the table deals no coup, whichever."""
    suspension = state.suspension
    if suspension is not None:
        rule = "integrity" if suspension.reason == "INTEGRITY" else "shuffle"
        raise Refused(
            "STATE", f"the table is suspended ({suspension.reason})", clauses_for(state, rule)
        )
    if not state.crew.dealer and not settings_of(state).test:
        raise Refused("STATE", "no dealer has the table")
    if rules_of(state).sign_odds_required and not state.odds_sign:
        raise Refused(
            "STATE", "the sign of the odds does not stand at the table", clauses_for(state, "sign")
        )


def check_shoe(state: TableState, shoe: ShoeView) -> None:
    """Refuse with SHOE_ENDED where no coup comes out of the shoe any more."""
    over = shoe.last_coup is not None and state.coups >= shoe.last_coup
    if shoe.ended or over:
        raise Refused(
            "SHOE_ENDED", f"shoe {shoe.shoe_id} has ended", clauses_for(state, "end_of_shoe")
        )


def burn_owed(state: TableState, shoe: ShoeView) -> Refused:
    """The refusal where burns come first."""
    clauses = clauses_for(state, f"burn_{shoe.owed[0].lower()}")
    return Refused("BURN_OWED", f"owed: {', '.join(shoe.owed)}", clauses)


def requested_betting(state: TableState, at_us: int) -> Sequence[Event]:
    """Betting that was asked for opens once the burn before it is made."""
    asked, shoe = state.request, state.shoe
    if asked is None or shoe is None:
        return ()
    if shoe.ended:
        return [
            BettingNotOpened(
                reason="SHOE_ENDED",
                message=f"the burn before betting ended shoe {shoe.shoe_id}",
            )
        ]
    return () if shoe.owed else betting(state, at_us, asked)


def betting(state: TableState, at_us: int, asked: Request) -> Sequence[Event]:
    assert state.shoe is not None
    number = state.coups + 1
    coup_id = f"{settings_of(state).table_id}:{state.session}:{number}"
    if reason := _no_bet_reason(state.shoe, asked):
        return [
            NoBetCoupDeclared(
                coup_id=coup_id,
                coup=number,
                shoe_id=state.shoe.shoe_id,
                reason=reason,
                clauses=clauses_for(state, "exposed_card" if reason != "HOUSE" else "no_bet"),
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
            method=state.method,
        )
    ]


def _no_bet_reason(shoe: ShoeView, asked: Request) -> str:
    """Why the coup takes no wagers: its first card was seen, or the house says so (004 12.5)."""
    if shoe.seen_kept:
        return "CARRIED_CARD"
    if shoe.seen_next is not None:
        return "EXPOSED_CARD"
    return "HOUSE" if asked.no_bet else ""


def no_more_bets(command: CallNoMoreBets, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="the call")
    coup = coup_of(state)
    called = NoMoreBetsAnnounced(coup_id=coup.coup_id)
    card_out = any(not one.carried for one in coup.drawn)
    early = coup.phase in (BETTING, CLOSED, DEALING) and not card_out
    if coup.called or not early or coup.hold is not None:
        raise Refused("STATE", f"no call is due: the table waits for {waits_for(state)}")
    if coup.phase != BETTING:
        return [called]
    timer = coup.closes_at_us
    if timer is not None and timer <= command.at_us:
        return [*close_betting(state, coup, timer, "TIMER"), called]
    return [called, *close_betting(state, coup, command.at_us, "CALL")]


def close_betting(state: TableState, coup: Coup, at_us: int, by: str) -> Sequence[Event]:
    closed = BettingClosed(
        coup_id=coup.coup_id,
        closed_at_us=at_us,
        closed_by=by,
        clauses=clauses_for(state, "cut_off"),
    )
    if rules_of(state).book_close != "AUTO":
        return [closed]
    return [closed, *book_asked(state, coup, "AUTO")]


def book_asked(state: TableState, coup: Coup, reason: str) -> Sequence[Event]:
    """The wager service is asked to close the book, where there is one."""
    if not settings_of(state).keeps_book:
        return ()
    return [BookCloseRequested(coup_id=coup.coup_id, reason=reason)]


def close_book(command: CloseBook, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="closing the book")
    coup = coup_of(state)
    if not settings_of(state).keeps_book:
        raise Refused("STATE", "this table keeps no book: the deal begins when betting is closed")
    if coup.phase != CLOSED or coup.book_asked or coup.hold is not None:
        raise Refused("STATE", f"the table waits for {waits_for(state)}")
    return [BookCloseRequested(coup_id=coup.coup_id, reason="DEALER")]


def without_wagers(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """The coup's first card was seen while wagers were taken: all of them go back (004 12.5).

    Betting closes first and its book, so that what goes back is complete.
    """
    if not coup.no_bet_due:
        return ()
    if coup.phase == BETTING:
        return [
            BettingClosed(
                coup_id=coup.coup_id,
                closed_at_us=at_us,
                closed_by=coup.no_bet_due,
                clauses=clauses_for(state, "exposed_card"),
            ),
            *book_asked(state, coup, "NO_BET"),
        ]
    if coup.phase != CLOSED:
        return ()
    if coup.book is None:
        if coup.book_asked:
            return ()
        return [BookCloseRequested(coup_id=coup.coup_id, reason="NO_BET")]
    assert state.shoe is not None
    return [
        NoBetCoupDeclared(
            coup_id=coup.coup_id,
            coup=coup.number,
            shoe_id=state.shoe.shoe_id,
            reason=coup.no_bet_due,
            clauses=clauses_for(state, "no_bet"),
        )
    ]
