"""Tables, their limits and the rulebooks that they were played under."""

from __future__ import annotations

from typing import Any

from services.contracts import round as table
from services.contracts import round_table as signs
from services.contracts import wager as book
from services.contracts.common import RulebookActivated
from services.contracts.gaming_day import gaming_day
from services.contracts.round_hands import CoupHeld, IncidentResolved
from services.rules.rulebook import canonical_json, rulebook_hash
from services.settlement.queries.desk import Desk, Fold, Folds, Said, limits_id
from services.settlement.queries.resources import (
    LIMITS,
    RULEBOOKS,
    TABLES,
    AreaLimit,
    Limits,
    Rulebook,
    Seated,
    Table,
)

IDLE, BETTING, BETTING_CLOSED, DEALING, RESULT, CLOSED = (
    "IDLE",
    "BETTING",
    "BETTING_CLOSED",
    "DEALING",
    "RESULT",
    "CLOSED",
)


def table_of(desk: Desk, said: Said) -> Table:
    """The event's table, as it is; topics arrive in any order, so it may be new."""
    known: Table | None = desk.find(TABLES, said.table_id)
    if known is not None:
        return known
    return Table(id=said.table_id, table_id=said.table_id, at_us=said.at_us, test=said.meta.test)


def day_of(desk: Desk, said: Said) -> str:
    """The gaming day on which the event happened, as its table counts days."""
    return _day(table_of(desk, said), said.at_us)


def booked_day_of(desk: Desk, said: Said) -> str:
    """The gaming day that the event counts to as a record: no day that is over gets one more."""
    return _day(table_of(desk, said), said.booked_us)


def _day(at: Table, at_us: int) -> str:
    return gaming_day(at_us, at.kept_zone, at.kept_day_starts).isoformat()


def session_of(known: Table, said: Said) -> int:
    """The session that who says so is in."""
    return known.kept_sessions.get(said.service, known.session)


def change_table(desk: Desk, said: Said, **changes: Any) -> None:
    """Keep the event's table with these changes.

    Who has not taken up the newest session says nothing of it: what he still has to say of the one
    before changes only what the fold goes on with.
    """
    known = table_of(desk, said)
    if session_of(known, said) < known.session:
        changes = {name: changes[name] for name in changes if name.startswith(_GOES_ON)}
    day = max(known.latest_gaming_day, _day(known, said.at_us))
    updated_us = max(known.updated_us, said.at_us)
    desk.put(TABLES, known, updated_us=updated_us, latest_gaming_day=day, **changes)


_GOES_ON = ("kept_", "incidents_open")


def _set(**constant: Any) -> Fold:
    """A fold that sets fields of the table."""

    def fold(desk: Desk, said: Said) -> None:
        change_table(desk, said, **constant)

    return fold


def _take(*names: str, **constant: Any) -> Fold:
    """A fold that takes fields of the event over."""

    def fold(desk: Desk, said: Said) -> None:
        taken = {name: getattr(said.event, name) for name in names}
        change_table(desk, said, **taken, **constant)

    return fold


def _opened(desk: Desk, said: Said) -> None:
    """Round opens the table, and each service takes it up: whichever is heard first counts."""
    event: Any = said.event
    _keep_rulebook(desk, said)
    known, settings = table_of(desk, said), event.settings
    taken_up: dict[str, Any] = {
        "kept_sessions": {**known.kept_sessions, said.service: event.session}
    }
    if isinstance(event, table.TableOpened):
        taken_up |= {"kept_dealer": "", "kept_incidents": {}, "incidents_open": 0}
    if event.session <= known.session:
        desk.put(TABLES, known, **taken_up)
        return
    _limits_replaced(desk, said, known)
    day = gaming_day(said.at_us, settings.time_zone, settings.day_starts_minute).isoformat()
    desk.put(
        TABLES,
        known,
        updated_us=said.at_us,
        session=event.session,
        status="OPEN",
        phase=IDLE,
        held="",
        reason="",
        table_number=settings.table_number,
        rulebook_id=settings.rulebook_id,
        rulebook_hash=settings.rulebook_hash,
        currency=settings.currency,
        method=settings.method,
        test=settings.test,
        dealer="",
        supervisor="",
        shift=0,
        shoe_id="",
        coup_id="",
        betting_closes_us=0,
        limits_version=0,
        limits=(),
        seats=(),
        road_tail=(),
        opened_us=said.at_us,
        closed_us=0,
        gaming_day=day,
        latest_gaming_day=day,
        book=settings.book,
        kept_zone=settings.time_zone,
        kept_day_starts=settings.day_starts_minute,
        **{"kept_incidents": {}, "incidents_open": 0, **taken_up},
    )


def _closed(desk: Desk, said: Said) -> None:
    event: Any = said.event
    if table_of(desk, said).session != event.session:
        return
    change_table(
        desk, said, status=CLOSED, phase=CLOSED, shoe_id="", closed_us=said.at_us, road_tail=()
    )


def _keep_rulebook(desk: Desk, said: Said) -> None:
    """The document, unless its hash is not the one that it is kept under."""
    settings: Any = getattr(said.event, "settings", None)
    key = settings.rulebook_hash
    if desk.find(RULEBOOKS, key) is not None or rulebook_hash(settings.rulebook) != key:
        return
    document = canonical_json(settings.rulebook)
    new = Rulebook(
        id=key,
        at_us=said.at_us,
        table_id=said.table_id,
        rulebook_id=settings.rulebook_id,
        document=document,
    )
    desk.put(RULEBOOKS, new)


def _variant(desk: Desk, said: Said) -> None:
    event: Any = said.event
    _keep_rulebook(desk, said)
    settings = event.settings
    change_table(desk, said, rulebook_id=settings.rulebook_id, rulebook_hash=settings.rulebook_hash)


def _dealer(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_table(desk, said, dealer=event.dealer, shift=event.shift, kept_dealer=event.dealer)


def _suspended(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_table(desk, said, status="SUSPENDED", reason=event.reason)


def _seated(desk: Desk, said: Said) -> None:
    event: Any = said.event
    others = [each for each in table_of(desk, said).seats if each.seat != event.seat]
    if isinstance(event, table.SeatTaken):
        others.append(Seated(event.seat, event.player))
    change_table(desk, said, seats=tuple(sorted(others, key=lambda each: each.seat)))


def _betting(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_table(
        desk,
        said,
        phase=BETTING,
        held="",
        coup_id=event.coup_id,
        shoe_id=event.shoe_id,
        method=event.method,
        betting_closes_us=event.closes_at_us or 0,
    )


def _no_bet(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_table(
        desk, said, phase=BETTING_CLOSED, coup_id=event.coup_id, betting_closes_us=0, held=""
    )


def _held(desk: Desk, said: Said) -> None:
    event: Any = said.event
    change_table(desk, said, held=event.code)


def _released(desk: Desk, said: Said) -> None:
    event: Any = said.event
    if table_of(desk, said).held == event.code:
        change_table(desk, said, held="")


def area_limits(event: Any) -> tuple[AreaLimit, ...]:
    """The limits of a sign, one by one."""
    return tuple(
        AreaLimit(currency, area, limit.min_minor, limit.max_minor, limit.unit_minor)
        for currency, areas in event.limits.items()
        for area, limit in areas.items()
    )


def _limits(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known = table_of(desk, said)
    limits, differential = area_limits(event), event.differential_minor or 0
    session = session_of(known, said)
    over = session < known.session
    if not over:
        _limits_replaced(desk, said, known)
    change_table(
        desk,
        said,
        limits_version=event.limits_version,
        limits=limits,
        differential_minor=differential,
    )
    sign = Limits(
        id=limits_id(said.table_id, session, event.limits_version),
        at_us=said.at_us,
        table_id=said.table_id,
        gaming_day=booked_day_of(desk, said),
        session=session,
        version=event.limits_version,
        limits=limits,
        differential_minor=differential,
        replaced_us=known.opened_us if over else 0,
        by=said.meta.actor,
        test=said.meta.test,
    )
    desk.put(LIMITS, sign)


def _limits_replaced(desk: Desk, said: Said, known: Table) -> None:
    if known.limits_version:
        before = limits_id(said.table_id, known.session, known.limits_version)
        desk.change(LIMITS, before, replaced_us=said.at_us)


FOLDS: Folds = {
    table.TableOpened: _opened,
    RulebookActivated: _opened,
    table.TableClosed: _closed,
    signs.VariantChanged: _variant,
    table.DealerAssigned: _dealer,
    table.DealerChanged: _dealer,
    signs.SupervisorAssigned: _take("supervisor", "shift"),
    signs.TableSuspended: _suspended,
    signs.TableResumed: _set(status="OPEN", reason=""),
    signs.DealingMethodSelected: _take("method"),
    table.SeatTaken: _seated,
    table.SeatVacated: _seated,
    table.BettingOpened: _betting,
    table.NoBetCoupDeclared: _no_bet,
    table.CoupBackfilled: _no_bet,
    table.BettingClosed: _set(phase=BETTING_CLOSED, betting_closes_us=0),
    table.DealingOpened: _set(phase=DEALING),
    table.CardDealt: _set(phase=DEALING),
    table.CoupResulted: _set(phase=RESULT),
    table.ResultCorrected: _set(),
    table.OutcomeInvalidated: _set(),
    table.CoupVoided: _set(phase=RESULT, held=""),
    table.CoupTerminated: _set(phase=RESULT, held=""),
    table.CoupClosed: _set(phase=IDLE, held=""),
    CoupHeld: _held,
    IncidentResolved: _released,
    book.LimitsPublished: _limits,
}
