"""The table's timers: each fires at its own moment, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from services.contracts.core import Event
from services.contracts.round import BettingClosed
from services.contracts.round_hands import AlarmRaised, HoldEscalated
from services.round.commands import AdvanceTime, RecoverTable
from services.round.domain.betting import close_betting
from services.round.domain.coup import BETTING, CLOSED, MISDEAL, RESULTED, VOID, Coup
from services.round.domain.ending import voided
from services.round.domain.evolve import fold
from services.round.domain.incidents import incident
from services.round.domain.state import (
    MINUTE_US,
    SECOND_US,
    TableState,
    clauses_for,
    rules_of,
)
from services.round.domain.windows import window_closed

ESCALATION_MINUTES = 10
RESTART_SECONDS_MAX = 120
"""How long after its deadline betting may close at a restart; later the coup is void (N-12)."""


class Timer(Struct, frozen=True):
    """Something that happens at a moment if nothing happens before."""

    at_us: int
    fire: Callable[[TableState, Coup, int], Sequence[Event]]


def timers(state: TableState) -> list[Timer]:
    """All timers that run, the first one first."""
    coup = state.coup
    if coup is None or coup.phase in (RESULTED, VOID):
        return []
    found = []
    if coup.phase == BETTING and coup.closes_at_us is not None:
        found.append(Timer(coup.closes_at_us, _betting_closes))
    if coup.call_due_us is not None and not coup.called:
        found.append(Timer(coup.call_due_us, _call_missing))
    if coup.window is not None and not coup.window.closed:
        found.append(Timer(coup.window.until_us, _window_closes))
    hold = coup.hold
    if hold is not None:
        after = (hold.escalated + 1) * ESCALATION_MINUTES * MINUTE_US
        found.append(Timer(hold.since_us + after, _escalates))
        alarm = rules_of(state).reconstruction_alarm_seconds
        if hold.code == MISDEAL and alarm is not None and not hold.alarmed:
            found.append(Timer(hold.since_us + alarm * SECOND_US, _alarms))
    return sorted(found, key=lambda timer: timer.at_us)


def next_due_us(state: TableState) -> int | None:
    """When the table's next timer is due; None where nothing runs, and always at TEST tables."""
    if state.settings is None or state.settings.test or not state.open:
        return None
    running = timers(state)
    return running[0].at_us if running else None


def is_due(state: TableState, at_us: int) -> bool:
    """Whether a timer of the table fires at this instant or did before it."""
    running = timers(state)
    return bool(running) and running[0].at_us <= at_us


def advance(command: AdvanceTime, state: TableState) -> Sequence[Event]:
    """Let the timers fire that are due."""
    events: list[Event] = []
    while True:
        running = timers(state)
        coup = state.coup
        if not running or coup is None or running[0].at_us > command.at_us:
            return events
        step = running[0].fire(state, coup, running[0].at_us)
        state = fold(state, step)
        events.extend(step)


def _betting_closes(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    return close_betting(state, coup, at_us, "TIMER")


def _call_missing(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    del coup, at_us
    return [incident(state, "CALL_MISSING")]


def _window_closes(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    del at_us
    return [window_closed(state, coup)]


def _escalates(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    del state
    hold = coup.hold
    assert hold is not None
    return [
        HoldEscalated(
            coup_id=coup.coup_id,
            code=hold.code,
            held_since_us=hold.since_us,
            minutes=(at_us - hold.since_us) // MINUTE_US,
        )
    ]


def _alarms(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    del at_us
    return [
        AlarmRaised(
            coup_id=coup.coup_id, code=MISDEAL, clauses=clauses_for(state, "reconstruction")
        )
    ]


def recover(command: RecoverTable, state: TableState) -> Sequence[Event]:
    """After a restart: the same phase; betting that is long over and has no card is void (N-12)."""
    coup = state.coup
    timer = coup.closes_at_us if coup is not None else None
    late = timer is not None and command.at_us > timer + RESTART_SECONDS_MAX * SECOND_US
    if coup is None or timer is None or not late or coup.drawn:
        return advance(AdvanceTime(at_us=command.at_us, by=command.by), state)
    if coup.phase not in (BETTING, CLOSED):
        return advance(AdvanceTime(at_us=command.at_us, by=command.by), state)
    closed = BettingClosed(
        coup_id=coup.coup_id,
        closed_at_us=timer,
        closed_by="TIMER",
        clauses=clauses_for(state, "cut_off"),
    )
    before = [closed] if coup.phase == BETTING else []
    return [*before, voided(state, coup, "RESTART", "void")]
