"""The life of a table: opening and closing, seats, dealers."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from services.contracts.common import TableSettings
from services.contracts.core import Event, Refused
from services.contracts.guards import require_own, require_role
from services.contracts.pinned import pinned
from services.contracts.round import (
    DealerAssigned,
    DealerChanged,
    SeatTaken,
    SeatVacated,
    TableClosed,
    TableOpened,
)
from services.contracts.round_table import ClosingOrdered, SignDisplayed, SupervisorAssigned
from services.round.commands import (
    AbandonTable,
    AssignDealer,
    AssignSupervisor,
    ChangeDealer,
    CloseTable,
    LeaveSeat,
    OpenTable,
    TakeSeat,
)
from services.round.domain.coup import RESULTED, VOID
from services.round.domain.ending import voided
from services.round.domain.methods import check_dealt_by_dealer
from services.round.domain.notices import check_notice
from services.round.domain.persons import GAME_SUPERVISOR, require
from services.round.domain.state import (
    TableState,
    clauses_for,
    rules_of,
    settings_of,
)
from services.rules.citations import cite

DAY_MINUTES: Final = 24 * 60
SEATS_MAX: Final = 100
BOOKS: Final = ("KEPT", "NONE")
LAYOUTS: Final = ("A", "B", "C", "D")
_NOT_NEGATIVE: Final = (
    "differential_minor",
    "player_coup_maximum_minor",
    "maximum_win_minor",
    "table_exposure_minor",
    "betting_seconds",
    "debit_drain_ms",
)


def number_of(settings: TableSettings) -> str:
    """The number that no other open table may bear (000 1.2.2); "" where it binds nobody.

    It is the table's id where none was given, and in the form in which numbers are compared: two
    that people read alike are one, so capitals, blanks, and forms of a character make no other.
    Recordings and trials, in TEST mode, keep the number of the table that they show, as often as
    they are played.
    """
    return "" if settings.test else _compared(settings.table_number or settings.table_id)


def _compared(number: str) -> str:
    plain = unicodedata.normalize("NFKC", number).casefold()
    return "".join(each for each in plain if each.isprintable() and not each.isspace())


def open_table(command: OpenTable, state: TableState, bearer: str = "") -> Sequence[Event]:
    """`bearer` is the open table that bears the number of this one; "" where none does."""
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
        raise Refused(
            "METHOD",
            f"method {settings.method} is not among this rulebook's: {', '.join(rules.methods)}",
            cite(rules.rulebook_id, "method"),
        )
    check_dealt_by_dealer(settings, settings.method)
    if fault := _settings_fault(settings):
        raise Refused("NOT_PERMITTED", fault)
    if not 1 <= settings.left_of_dealer <= settings.seats:
        raise Refused("UNKNOWN", f"there is no seat {settings.left_of_dealer}")
    for currency, limits in settings.limits.items():
        unknown = set(limits) - {"*", *rules.areas}
        if unknown:
            raise Refused("UNKNOWN_AREA", f"limits in {currency} for {sorted(unknown)}")
    if bearer:
        raise Refused(
            "DUPLICATE",
            f"the number {settings.table_number or settings.table_id} is borne by the table "
            f"{bearer}, which is open",
            cite(rules.rulebook_id, "table_number"),
        )
    opened = TableOpened(session=state.session + 1, settings=settings)
    if not (rules.sign_odds_required and settings.test):
        return [opened]
    # Of a recorded table the opening stands for the sign, too.
    sign = SignDisplayed(
        sign="ODDS", displayed_at_us=command.at_us, clauses=cite(rules.rulebook_id, "sign")
    )
    return [opened, sign]


def _settings_fault(settings: TableSettings) -> str:
    """What no table can have, in words; "" where all is well."""
    if settings.mode not in ("LIVE", "TEST"):
        return f"mode is LIVE or TEST, not {settings.mode!r}"
    if settings.table_number and not _compared(settings.table_number):
        return f"table_number needs something that can be read, not {settings.table_number!r}"
    if settings.layout not in LAYOUTS:
        return f"layout is one of {', '.join(LAYOUTS)}, not {settings.layout!r}"
    if settings.book not in BOOKS:
        return f"book is {' or '.join(BOOKS)}, not {settings.book!r}"
    if not 1 <= settings.seats <= SEATS_MAX:
        return f"a table has 1 to {SEATS_MAX} seats, not {settings.seats}"
    if not 0 <= settings.day_starts_minute < DAY_MINUTES:
        return f"day_starts_minute is 0 to {DAY_MINUTES - 1}, not {settings.day_starts_minute}"
    if settings.smallest_chip_minor < 1:
        return f"smallest_chip_minor is 1 or more, not {settings.smallest_chip_minor}"
    for name in _NOT_NEGATIVE:
        value = getattr(settings, name)
        if value is not None and value < 0:
            return f"{name} is 0 or more, not {value}"
    for currency, limits in settings.limits.items():
        for area, limit in limits.items():
            if not 1 <= limit.min_minor <= limit.max_minor or limit.unit_minor < 0:
                return (
                    f"limits in {currency} for {area}: 1 <= minimum <= maximum and a unit of 0 or "
                    f"more, not {limit.min_minor}, {limit.max_minor}, {limit.unit_minor}"
                )
    return ""


def close_table(command: CloseTable, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="closing the table")
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", "a coup is running: it is finished first")
    if state.seats:
        check_notice(
            state,
            "CLOSE",
            command.at_us,
            minutes=rules_of(state).close_table_notice_minutes,
            rule="close_table",
        )
    _check_inspected(command, state)
    return [TableClosed(session=state.session, exemption=command.exemption)]


def _check_inspected(command: CloseTable, state: TableState) -> None:
    """Cards are looked at after play too; going without needs a supervisor's reason (000 1.3.3)."""
    if "POST" not in rules_of(state).inspection.stages or state.inspected_after:
        return
    if not command.exemption:
        raise Refused(
            "STATE",
            "the cards are inspected after play before the table closes",
            clauses_for(state, "inspection"),
        )
    require(command, state, GAME_SUPERVISOR, what="closing without an inspection")


def abandon_table(command: AbandonTable, state: TableState) -> Sequence[Event]:
    """A recording ended: whatever runs is void, and the table closes."""
    require_role(command, "DEALER", what="abandoning a table")
    if not settings_of(state).test:
        raise Refused("NOT_PERMITTED", "only tables in TEST mode are abandoned")
    coup = state.coup
    if coup is None and state.request is None:
        return [TableClosed(session=state.session, exemption="the recording ended")]
    ordered = ClosingOrdered()
    if coup is None or coup.phase in (RESULTED, VOID):
        return [ordered]
    return [ordered, voided(state, coup, "SUPERVISOR", "void", note="the recording ended")]


def take_seat(command: TakeSeat, state: TableState) -> Sequence[Event]:
    if rules_of(state).table_kind != "SEATED":
        raise Refused("NOT_PERMITTED", "a streamed table has no seats")
    require_own(command, command.player, what="taking a seat")
    if not 1 <= command.seat <= settings_of(state).seats:
        raise Refused("UNKNOWN", f"there is no seat {command.seat}")
    if any(seat == command.seat for seat, _ in state.seats):
        raise Refused("STATE", f"seat {command.seat} is taken")
    if any(player == command.player for _, player in state.seats):
        raise Refused("STATE", f"{command.player} has a seat already")
    return [SeatTaken(seat=command.seat, player=command.player)]


def leave_seat(command: LeaveSeat, state: TableState) -> Sequence[Event]:
    require_own(command, command.player, what="leaving a seat")
    for seat, player in state.seats:
        if player == command.player and command.seat in (None, seat):
            return [SeatVacated(seat=seat, player=player)]
    raise Refused("UNKNOWN", f"{command.player} does not sit there")


def assign_dealer(command: AssignDealer, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="assigning a dealer")
    has_it = state.crew.dealer
    if has_it:
        raise Refused("STATE", f"{has_it} has the table: a change is another command")
    return [DealerAssigned(dealer=command.dealer, shift=state.crew.shift + 1)]


def assign_supervisor(command: AssignSupervisor, state: TableState) -> Sequence[Event]:
    require(command, state, GAME_SUPERVISOR, what="assigning a supervisor")
    return [SupervisorAssigned(supervisor=command.supervisor, shift=state.crew.shift + 1)]


def change_dealer(command: ChangeDealer, state: TableState) -> Sequence[Event]:
    running = state.coup is not None or state.request is not None
    require_role(
        command,
        "GAME_SUPERVISOR" if running else "DEALER",
        what="changing the dealer during a coup" if running else "changing the dealer",
    )
    crew = state.crew
    if command.dealer == crew.dealer:
        raise Refused("STATE", f"{command.dealer} has the table already")
    return [DealerChanged(dealer=command.dealer, replaced=crew.dealer, shift=crew.shift + 1)]
