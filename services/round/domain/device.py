"""What a fault of the shuffling device does to the coup (Procedure 9)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event
from services.contracts.round import WithdrawalWindowOpened
from services.contracts.round_hands import CoupResumed
from services.round.domain.coup import DEVICE, EMPTY_BOOK, RESULTED, VOID, Coup
from services.round.domain.ending import terminated
from services.round.domain.incidents import held
from services.round.domain.state import SECOND_US, TableState, clauses_for, rules_of


def faulted(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """The branch was worked out by the shoe service; here the coup follows it."""
    if not coup.fault or coup.phase in (RESULTED, VOID):
        return ()
    if coup.fault in ("OUTSIDE", "TERMINATE"):
        return [terminated(state, coup)]
    if coup.hold is not None or coup.transferred:
        return ()
    events: list[Event] = [held(coup, DEVICE, at_us)]
    seconds = rules_of(state).withdrawal.window_seconds
    staked = (coup.book or EMPTY_BOOK).wagers > 0
    if coup.fault != "WINDOW" or not staked or seconds is None:
        return events
    window = WithdrawalWindowOpened(
        coup_id=coup.coup_id,
        coup=coup.number,
        cause="DEVICE",
        until_us=at_us + seconds * SECOND_US,
        clauses=clauses_for(state, "device_withdrawal"),
    )
    return [*events, window]


def transferred(state: TableState, coup: Coup) -> Sequence[Event]:
    """The cards lie in another device or in a shoe: the coup goes on, the same one."""
    if not coup.transferred:
        return ()
    if coup.window is not None and not coup.window.answered:
        return ()
    to_shoe = coup.transferred == "SHOE"
    return [
        CoupResumed(
            coup_id=coup.coup_id,
            after="DEVICE",
            source=coup.transferred,
            clauses=clauses_for(state, "device_shoe" if to_shoe else "device_transfer"),
        )
    ]
