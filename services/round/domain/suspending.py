"""When no betting opens: integrity, a new pack's order, lost video, the house's own word."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_second
from services.contracts.round import IncidentRecorded
from services.contracts.round_hands import IncidentResolved
from services.contracts.round_table import TableResumed, TableSuspended
from services.round.commands import ResumeTable, SuspendTable
from services.round.domain.persons import CASINO_SUPERVISOR, GAME_SUPERVISOR, require
from services.round.domain.state import (
    INTEGRITY,
    NEW_DECK_ORDER,
    VIDEO_LOST,
    TableState,
    clauses_for,
)


def suspend(command: SuspendTable, state: TableState) -> Sequence[Event]:
    require(command, state, GAME_SUPERVISOR, what="suspending the table")
    if state.suspension is not None:
        raise Refused("STATE", f"the table is suspended already ({state.suspension.reason})")
    return [TableSuspended(reason="HOUSE", note=command.reason)]


def resume(command: ResumeTable, state: TableState) -> Sequence[Event]:
    """After an integrity breach two persons and a new shoe (N-6)."""
    suspension = state.suspension
    grave = suspension is not None and suspension.reason in (INTEGRITY, NEW_DECK_ORDER)
    wanted = CASINO_SUPERVISOR if grave else GAME_SUPERVISOR
    require(command, state, wanted, what="resuming the table")
    if grave:
        require_second(command, what="resuming the table")
    if suspension is None:
        raise Refused("STATE", "the table is not suspended")
    shoe = state.shoe
    same = shoe is None or shoe.ended or shoe.shoe_id == suspension.shoe_id
    if suspension.reason == INTEGRITY and same:
        raise Refused("STATE", "a new shoe comes first", clauses_for(state, "integrity"))
    return _resumed(suspension.reason, "RELEASED")


def _resumed(reason: str, how: str) -> Sequence[Event]:
    resumed = TableResumed(reason=reason)
    if reason in (NEW_DECK_ORDER, VIDEO_LOST):
        return [IncidentResolved(code=reason, how=how), resumed]
    return [resumed]


def breached(state: TableState) -> Sequence[Event]:
    """A card too many: nothing is dealt until two persons say so."""
    shoe, suspension = state.shoe, state.suspension
    known = suspension is not None and suspension.reason == INTEGRITY
    if shoe is None or not shoe.breached or known:
        return ()
    return [TableSuspended(reason=INTEGRITY, clauses=clauses_for(state, "integrity"))]


def released_by_new_shoe(state: TableState) -> Sequence[Event]:
    """A new shoe answers the suspicion that rested on the one before (N-6)."""
    suspension, shoe = state.suspension, state.shoe
    if suspension is None or suspension.reason != NEW_DECK_ORDER or shoe is None:
        return ()
    if shoe.shoe_id == suspension.shoe_id:
        return ()
    return _resumed(NEW_DECK_ORDER, "NEW_SHOE")


def order_of_a_new_pack(state: TableState) -> Sequence[Event]:
    """The shoe's first cards lie as they left the factory: no betting before two persons agree."""
    shoe = state.shoe
    if shoe is None or not shoe.new_pack or state.suspension is not None:
        return ()
    return [
        IncidentRecorded(code=NEW_DECK_ORDER, clauses=clauses_for(state, "shuffle")),
        TableSuspended(reason=NEW_DECK_ORDER, clauses=clauses_for(state, "shuffle")),
    ]
