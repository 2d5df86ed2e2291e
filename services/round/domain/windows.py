"""Withdrawal windows, and what follows when they close (004 12.2, 13.5.1; D6)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.round import WithdrawalWindowClosed
from services.contracts.round_hands import CoupResumed, WithdrawalWindowExtended
from services.round.commands import CloseWithdrawals, ExtendWithdrawals
from services.round.domain.coup import EMPTY_BOOK, Coup, Window
from services.round.domain.ending import voided
from services.round.domain.persons import GAME_SUPERVISOR, require
from services.round.domain.state import SECOND_US, TableState, clauses_for, coup_of, rules_of

WINDOW_SECONDS_MAX = 300


def window_closed(state: TableState, coup: Coup) -> WithdrawalWindowClosed:
    return WithdrawalWindowClosed(
        coup_id=coup.coup_id, coup=coup.number, clauses=clauses_for(state, "withdrawal")
    )


def _open_window(state: TableState) -> tuple[Coup, Window]:
    coup = coup_of(state)
    if coup.window is None or coup.window.closed:
        raise Refused("STATE", "no withdrawal window is open")
    return coup, coup.window


def close_withdrawals(command: CloseWithdrawals, state: TableState) -> Sequence[Event]:
    """Everybody was asked."""
    require(command, state, GAME_SUPERVISOR, what="closing the withdrawals")
    coup, _ = _open_window(state)
    return [window_closed(state, coup)]


def extend_withdrawals(command: ExtendWithdrawals, state: TableState) -> Sequence[Event]:
    """A supervisor lengthens the window, to 300 seconds at the most (Procedure 8)."""
    require(command, state, GAME_SUPERVISOR, what="lengthening the withdrawals")
    coup, window = _open_window(state)
    usual = rules_of(state).withdrawal.window_seconds or 0
    until = window.first_until_us + (command.seconds - usual) * SECOND_US
    if command.seconds > WINDOW_SECONDS_MAX or until <= window.until_us:
        raise Refused(
            "NOT_PERMITTED",
            f"a window is lengthened, to {WINDOW_SECONDS_MAX} seconds at the most",
            clauses_for(state, "withdrawal"),
        )
    return [WithdrawalWindowExtended(coup_id=coup.coup_id, until_us=until)]


def after_window(state: TableState, coup: Coup) -> Sequence[Event]:
    """With the book's new revision the coup goes on, or is void where no wager is left."""
    window = coup.window
    if window is None or not window.answered:
        return ()
    left = (coup.book or EMPTY_BOOK).wagers
    if not left:
        closed = [] if window.closed else [window_closed(state, coup)]
        return [*closed, voided(state, coup, "ALL_WITHDRAWN")]
    if not window.closed or window.cause != "RECONSTRUCTION":
        return ()
    return [
        CoupResumed(
            coup_id=coup.coup_id,
            after="RECONSTRUCTION",
            clauses=clauses_for(state, "reconstruction"),
        )
    ]
