"""The life of a table: opening and closing, seats, dealers, incidents."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.pinned import pinned
from services.contracts.round import (
    DealerAssigned,
    DealerChanged,
    IncidentRecorded,
    SeatTaken,
    SeatVacated,
    TableClosed,
    TableOpened,
)
from services.round.commands import (
    AssignDealer,
    ChangeDealer,
    CloseTable,
    LeaveSeat,
    OpenTable,
    RecordIncident,
    TakeSeat,
)
from services.round.domain.state import (
    INCIDENTS,
    TableState,
    clauses_for,
    rules_of,
    settings_of,
)
from services.rules.citations import cite


def open_table(command: OpenTable, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="opening a table")
    if state.open:
        raise Refused("STATE", "the table is open already")
    settings = command.settings
    try:
        rules = pinned(settings)
    except ValueError as error:
        raise Refused("RULEBOOK", str(error)) from error
    if settings.decks not in rules.decks:
        raise Refused(
            "DECKS",
            f"{settings.decks} decks are not among {', '.join(map(str, rules.decks))}",
            cite(rules.rulebook_id, "decks"),
        )
    if rules.table_kind == "SEATED" and set(settings.limits) - {settings.currency}:
        raise Refused("CURRENCY", "a seated table takes one currency")
    if settings.method not in rules.methods:
        raise Refused("METHOD", f"method {settings.method} is not among this rulebook's")
    if not 1 <= settings.left_of_dealer <= settings.seats:
        raise Refused("UNKNOWN", f"there is no seat {settings.left_of_dealer}")
    for currency, limits in settings.limits.items():
        unknown = set(limits) - {"*", *rules.areas}
        if unknown:
            raise Refused("UNKNOWN_AREA", f"limits in {currency} for {sorted(unknown)}")
    return [TableOpened(session=state.session + 1, settings=settings)]


def close_table(command: CloseTable, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="closing the table")
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", "a coup is running: it is finished first")
    if state.seats and rules_of(state).close_table_notice_minutes:
        raise Refused(
            "NOTICE",
            f"with players present a sign stands {rules_of(state).close_table_notice_minutes} minutes",
            clauses_for(state, "notice"),
        )
    return [TableClosed(session=state.session)]


def take_seat(command: TakeSeat, state: TableState) -> Sequence[Event]:
    if rules_of(state).table_kind != "SEATED":
        raise Refused("NOT_PERMITTED", "a streamed table has no seats")
    if not 1 <= command.seat <= settings_of(state).seats:
        raise Refused("UNKNOWN", f"there is no seat {command.seat}")
    if any(seat == command.seat for seat, _ in state.seats):
        raise Refused("STATE", f"seat {command.seat} is taken")
    if any(player == command.player for _, player in state.seats):
        raise Refused("STATE", f"{command.player} has a seat already")
    return [SeatTaken(seat=command.seat, player=command.player)]


def leave_seat(command: LeaveSeat, state: TableState) -> Sequence[Event]:
    for seat, player in state.seats:
        if player == command.player and command.seat in (None, seat):
            return [SeatVacated(seat=seat, player=player)]
    raise Refused("UNKNOWN", f"{command.player} does not sit there")


def assign_dealer(command: AssignDealer, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="assigning a dealer")
    if state.dealer:
        raise Refused("STATE", f"{state.dealer} has the table: a change is another command")
    return [DealerAssigned(dealer=command.dealer)]


def change_dealer(command: ChangeDealer, state: TableState) -> Sequence[Event]:
    running = state.coup is not None or state.request is not None
    require_role(
        command,
        "GAME_SUPERVISOR" if running else "DEALER",
        what="changing the dealer during a coup" if running else "changing the dealer",
    )
    if command.dealer == state.dealer:
        raise Refused("STATE", f"{command.dealer} has the table already")
    return [DealerChanged(dealer=command.dealer, replaced=state.dealer)]


def record_incident(command: RecordIncident, state: TableState) -> Sequence[Event]:
    if command.code not in INCIDENTS:
        raise Refused("UNKNOWN", f"there is no incident {command.code}")
    return [_incident(state, command.code, command.note)]


def _incident(state: TableState, code: str, note: str = "") -> IncidentRecorded:
    coup = state.coup
    return IncidentRecorded(
        code=code,
        coup_id=coup.coup_id if coup else None,
        coup=coup.number if coup else None,
        note=note,
        clauses=clauses_for(state, _INCIDENT_RULES[code]) if code in _INCIDENT_RULES else (),
    )


_INCIDENT_RULES = {
    "CALL_MISSING": "call",
    "BURN_MISSING": "burn_missing",
    "CARD_BEFORE_CLOSE": "card_before_close",
    "ANNOUNCEMENT_MISMATCH": "announcement_mismatch",
}
