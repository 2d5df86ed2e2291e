"""Stops: an operator or a supervisor lets no new wagers be placed by, on or at something.

A stop holds for new wagers and increases from its command on. What was accepted before stands, may be
lowered and taken back, and is paid.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Command, Event, Refused
from services.contracts.guards import require_role
from services.contracts.wager import BettingStopped, StopLifted
from services.rules.roles import CASINO_SUPERVISOR, SYSTEM
from services.wager.commands import LiftStop, OrderStop
from services.wager.domain.facts import Stop
from services.wager.domain.limits import Rejection
from services.wager.domain.state import BookState, Wager, rules_of, settings_of

PLAYER, SESSION, AREA, TABLE, RULEBOOK = "PLAYER", "SESSION", "AREA", "TABLE", "RULEBOOK"


def check_stops(wager: Wager, state: BookState) -> None:
    """Raise `Rejection` where a stop of this table, or of all tables, binds the wager."""
    for stop in (*state.permissions.stops, *state.facts.stops):
        if _binds(stop, wager, state):
            what = f"{stop.of.lower()} {stop.value}".strip()
            raise Rejection("STOPPED", f"no wagers are taken: {what}")


def _binds(stop: Stop, wager: Wager, state: BookState) -> bool:
    context = wager.context
    if stop.operator and stop.operator != (context.operator if context else ""):
        return False
    if stop.of == SESSION:
        return context is not None and context.session == stop.value
    bound = {
        PLAYER: wager.player,
        AREA: wager.area,
        TABLE: "",
        RULEBOOK: settings_of(state).rulebook_id,
    }
    return bound[stop.of] == stop.value


def order_stop(command: OrderStop, state: BookState) -> Sequence[Event]:
    """Nothing changes where it is ordered already."""
    _check(command, state)
    if stop_of(command) in _held(command.everywhere, state):
        return ()
    return [
        BettingStopped(
            of=command.of,
            value=command.value,
            operator=command.operator,
            everywhere=command.everywhere,
            reason=command.reason,
        )
    ]


def lift_stop(command: LiftStop, state: BookState) -> Sequence[Event]:
    _check(command, state)
    if stop_of(command) not in _held(command.everywhere, state):
        raise Refused("UNKNOWN", "no such stop is in force")
    return [
        StopLifted(
            of=command.of,
            value=command.value,
            operator=command.operator,
            everywhere=command.everywhere,
            reason=command.reason,
        )
    ]


def _check(command: OrderStop | LiftStop, state: BookState) -> None:
    """Who may say so, and whether it says something. A machine acts for its operator (SYSTEM)."""
    if command.by.role != SYSTEM:
        require_role(command, CASINO_SUPERVISOR, what="a stop")
    if (command.of == TABLE) == bool(command.value):
        raise Refused(
            "NOT_PERMITTED", f"a stop of {command.of} needs {_NEEDS[command.of == TABLE]}"
        )
    known = command.everywhere or command.value in rules_of(state).areas
    if command.of == AREA and not known:
        raise Refused("UNKNOWN_AREA", f"this rulebook has no area {command.value}")


_NEEDS = {True: "no value", False: "a value"}


def _held(everywhere: bool, state: BookState) -> tuple[Stop, ...]:  # noqa: FBT001 - which of both
    """The stops among which one is looked for. A TEST table has all of them for itself."""
    if everywhere and not settings_of(state).test:
        return state.facts.stops
    return state.permissions.stops


def stop_of(said: OrderStop | LiftStop | BettingStopped | StopLifted) -> Stop:
    """What is stopped, however it was said."""
    return Stop(of=said.of, value=said.value, operator=said.operator)


def stops_everywhere(command: Command, state: BookState) -> bool:
    """Whether a command is about a stop at all live tables."""
    if state.settings is None or state.settings.test:
        return False
    return isinstance(command, OrderStop | LiftStop) and command.everywhere
