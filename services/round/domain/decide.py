"""The commands of the round service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.contracts.core import Command, Event, Refused
from services.round.commands import (
    AdvanceTime,
    AnnounceResult,
    AssignDealer,
    CallNoMoreBets,
    ChangeDealer,
    CloseBook,
    CloseTable,
    DealCoup,
    LeaveSeat,
    OpenBetting,
    OpenTable,
    Proceed,
    RecordIncident,
    TakeSeat,
)
from services.round.domain.betting import advance, close_book, no_more_bets, open_betting
from services.round.domain.dealing import announce, deal, proceed
from services.round.domain.evolve import fold
from services.round.domain.opening import (
    assign_dealer,
    change_dealer,
    close_table,
    leave_seat,
    open_table,
    record_incident,
    take_seat,
)
from services.round.domain.state import TableState, waits_for


def answer(command: Command, events: Sequence[Event], state: TableState) -> Mapping[str, Any]:
    """The coup that a command belongs to, and what the table waits for after it."""
    del command, events
    told: dict[str, Any] = {"waits_for": waits_for(state)}
    if state.coup is not None:
        told["coup_id"] = state.coup.coup_id
        told["coup"] = state.coup.number
    return told


def decide(command: Command, state: TableState) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, OpenTable):
        return open_table(command, state)
    if isinstance(command, Proceed):
        return proceed(state, command.at_us)
    if not state.open:
        raise Refused("STATE", "the table is not open")
    events = _DECIDE[type(command)](command, state)
    after = fold(state, events)
    return [*events, *proceed(after, command.at_us)]


_DECIDE: dict[type[Command], Callable[[Any, TableState], Sequence[Event]]] = {
    CloseTable: close_table,
    TakeSeat: take_seat,
    LeaveSeat: leave_seat,
    AssignDealer: assign_dealer,
    ChangeDealer: change_dealer,
    OpenBetting: open_betting,
    CallNoMoreBets: no_more_bets,
    CloseBook: close_book,
    DealCoup: deal,
    AnnounceResult: announce,
    RecordIncident: record_incident,
    AdvanceTime: advance,
}
