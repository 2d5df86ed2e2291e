"""Limits and the book of each coup: what may be staked, and what was. Pure.

A wager exists once the wallet has answered the debit that was asked for (`DebitRequested`); the
book closes only when no debit is pending, so that what is in it is complete (D5, D6). Money that
goes back before a result always goes back by an event of this service.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from services.contracts import round as table
from services.contracts.common import BookTotals, Limit, Limits, RulebookActivated, TableSettings
from services.contracts.core import Caused, Command, Event, Heard, NotYet, Refused, Scope
from services.contracts.guards import require_role
from services.contracts.pinned import pinned
from services.contracts.wager import (
    EVENTS,
    SERVICE,
    BookClosed,
    BookRevised,
    DebitRequested,
    LimitsPublished,
    StandingWagerPermitted,
    WagerAccepted,
    WagerCancelled,
    WagerChanged,
    WagerRefunded,
    WagerRejected,
)
from services.rules.betting import AreaLimits, area_full, combination_allowed, limit_fault
from services.rules.citations import cite
from services.rules.outcome import worst_win
from services.rules.rulebook import Rulebook
from services.wager.commands import (
    ActivateRulebook,
    CancelWager,
    ChangeWager,
    PermitStanding,
    PlaceWager,
    Proceed,
    RecordDebit,
    RejectWager,
)

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "BookState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "react",
    "scope",
]

STATE_SCHEMA = 1
OPEN, CLOSED, FINAL, LOCKED = "OPEN", "CLOSED", "FINAL", "LOCKED"
SCREEN, LAYOUT = "SCREEN", "LAYOUT"
OUTSIDE_LIMITS = ("BELOW_MINIMUM", "ABOVE_MAXIMUM")


class Wager(Struct, frozen=True):
    """A wager of the coup that the wallet has paid for."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    channel: str
    out_of_limits: bool = False
    box: str | None = None
    placements: int = 1
    """The wager and its increases: each counts against the area's number of wagers."""

    movements: int = 1
    """Money movements so far: the running number of the next one's key."""


class Pending(Struct, frozen=True):
    """A debit that the wallet has not answered yet."""

    wager: Wager
    """The wager as it will be once the debit is done."""

    amount_minor: int
    from_minor: int
    """Its stake before; 0 for a new wager."""

    limits_version: int


class Book(Struct, frozen=True):
    """The book of the coup in progress."""

    coup_id: str
    coup: int
    phase: str
    no_bet: bool = False
    closes_at_us: int | None = None
    closed_at_us: int | None = None
    close_requested: bool = False
    void: bool = False
    revision: int = 0
    wagers: dict[str, Wager] = {}
    """Live wagers in order of acceptance."""

    pending: dict[str, Pending] = {}
    """By the key of the money movement."""


class BookState(Struct, frozen=True):
    """All that the wager service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    limits_version: int = 0
    limits: dict[str, Limits] = {}
    seated: frozenset[str] = frozenset()
    standing: bool = False
    """Players without a seat may wager."""

    last_coup: int = 0
    """Number of the last coup that is over."""

    book: Book | None = None


def initial_state() -> BookState:
    """A table that nobody has opened."""
    return BookState()


def scope(state: BookState) -> Scope:
    """What of the state goes into the envelope of its events."""
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(settings.rulebook_id, settings.rulebook_hash, "", settings.test)


def answer(command: Command, events: Sequence[Event], state: BookState) -> Mapping[str, Any]:
    """What became of a wager."""
    del state
    if not isinstance(command, PlaceWager | ChangeWager):
        return {}
    for event in reversed(events):
        if isinstance(event, WagerRejected):
            return {"status": "REJECTED", "code": event.code, "message": event.message}
        if isinstance(event, WagerAccepted):
            return {"status": "ACCEPTED", "stake_minor": event.stake_minor}
        if isinstance(event, WagerChanged):
            return {"status": "ACCEPTED", "stake_minor": event.to_minor}
    return {"status": "PENDING"}


# --- decide ---------------------------------------------------------------------------------


def decide(command: Command, state: BookState) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, ActivateRulebook):
        return _activate(command)
    if state.settings is None:
        raise NotYet("the wager service has not heard yet that this table is open")
    return _DECIDE[type(command)](command, state)


def _activate(command: ActivateRulebook) -> Sequence[Event]:
    settings = command.settings
    events: list[Event] = [RulebookActivated(session=command.session, settings=settings)]
    if settings.limits:
        events.append(
            LimitsPublished(
                limits_version=1,
                limits=settings.limits,
                differential_minor=settings.differential_minor,
            )
        )
    return events


def _rules(state: BookState) -> Rulebook:
    return pinned(_settings(state))


def _settings(state: BookState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def _cite(state: BookState, rule: str) -> tuple[str, ...]:
    return cite(_rules(state).rulebook_id, rule)


class _Rejection(Exception):
    """The wager can't stand; becomes a `WagerRejected`."""

    def __init__(self, code: str, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.rule = rule


def _place(command: PlaceWager, state: BookState) -> Sequence[Event]:
    book = _book_for(command, state)
    settings = _settings(state)
    wager = Wager(
        wager_id=command.wager_id,
        player=command.player,
        area=command.area,
        currency=command.currency or settings.currency,
        stake_minor=command.amount_minor,
        channel=command.channel or _channel(state),
        box=command.box,
    )
    try:
        _check_open(command.at_us, state, book)
        _check_place(wager, command, state, book)
        wager = _check_money(wager, state, book, amount_minor=wager.stake_minor)
    except _Rejection as no:
        return [_rejected(wager, state, book, no)]
    return [_debit(wager, state, book, amount_minor=wager.stake_minor, number=1)]


def _book_for(command: PlaceWager, state: BookState) -> Book:
    """The book that the wager is meant for; never another one (D5)."""
    book = state.book
    if book is None:
        if command.coup_id is not None and not _is_past(command.coup_id, state):
            raise NotYet(f"the wager service has not heard yet of coup {command.coup_id}")
        raise Refused("STATE", "no betting is open")
    if command.coup_id not in (None, book.coup_id):
        if _is_past(command.coup_id or "", state):
            raise Refused("LATE", f"betting on coup {command.coup_id} is over")
        raise NotYet(f"the wager service has not heard yet of coup {command.coup_id}")
    return book


def _is_past(coup_id: str, state: BookState) -> bool:
    table_id, session, number = coup_id.rsplit(":", 2)
    if not (session.isdecimal() and number.isdecimal()):
        raise Refused("UNKNOWN", f"{coup_id} is no coup of table {table_id}")
    current = state.book.coup if state.book else state.last_coup
    return (int(session), int(number)) <= (state.session, current)


def _channel(state: BookState) -> str:
    return SCREEN if _rules(state).table_kind == "STREAMED" else LAYOUT


def _check_open(at_us: int, state: BookState, book: Book) -> None:
    if book.no_bet:
        raise _Rejection("NO_BET_COUP", "this coup is dealt without wagers", "no_bet")
    if _is_late(at_us, book):
        raise _Rejection("LATE", "betting on this coup is closed", "cut_off")
    if not state.open:
        raise Refused("STATE", "the table is closed")


def _is_late(at_us: int, book: Book) -> bool:
    timer = book.closes_at_us is not None and at_us >= book.closes_at_us
    closed = book.closed_at_us is not None and at_us >= book.closed_at_us
    return timer or closed or book.phase != OPEN


def _check_place(wager: Wager, command: PlaceWager, state: BookState, book: Book) -> None:
    rules = _rules(state)
    if wager.area not in rules.areas:
        raise _Rejection(
            "UNKNOWN_AREA", f"this rulebook has no area {wager.area}", "unknown_area"
        )
    if wager.currency not in state.limits:
        raise _Rejection("CURRENCY", f"this table takes no {wager.currency}")
    if command.token is not None:
        raise _Rejection("NOT_PERMITTED", "promotional tokens are not taken here")
    needs = rules.standing_players == "PERMISSION" and not state.standing
    if needs and wager.player not in state.seated:
        raise _Rejection(
            "STANDING_NOT_PERMITTED", "a player without a seat needs permission", "standing"
        )
    if wager.box is not None and rules.box_players_default is not None:
        others = {w.player for w in _live(book) if w.box == wager.box} - {wager.player}
        if len(others) >= rules.box_players_default:
            raise _Rejection("BOX_FULL", f"box {wager.box} is taken", "box_sharing")
    mine = [w for w in _live(book) if w.player == wager.player]
    held = frozenset({*(w.area for w in mine), wager.area})
    if combination_allowed(rules, held) is not True:
        raise _Rejection(
            "COMBINATION", "both hands by one player need an approval", "combination"
        )
    on_area = sum(w.placements for w in mine if w.area == wager.area)
    if area_full(rules, on_area):
        raise _Rejection(
            "AREA_FULL", f"{on_area} wagers on {wager.area} are all there can be", "area_full"
        )


def _live(book: Book) -> Iterable[Wager]:
    """Accepted wagers as they stand, with pending ones as they will be."""
    rising = {pending.wager.wager_id: pending.wager for pending in book.pending.values()}
    for wager_id, wager in book.wagers.items():
        yield rising.pop(wager_id, wager)
    yield from rising.values()


def _limit(state: BookState, currency: str, area: str) -> Limit | None:
    limits = state.limits[currency]
    return limits.get(area, limits.get("*"))


def _check_money(wager: Wager, state: BookState, book: Book, *, amount_minor: int) -> Wager:
    """Limits in their order; the wager comes back with the mark of one outside them."""
    settings = _settings(state)
    limit = _limit(state, wager.currency, wager.area)
    if limit is None:
        raise _Rejection("UNKNOWN_AREA", f"no limits are published for {wager.area}")
    others = [w for w in _live(book) if w.wager_id != wager.wager_id]
    mine = [w for w in others if w.player == wager.player and w.currency == wager.currency]
    total = wager.stake_minor + sum(w.stake_minor for w in mine if w.area == wager.area)
    bounds = AreaLimits(limit.min_minor, limit.max_minor, limit.unit_minor or None)
    chip = 1 if _rules(state).rounding.unit != "SMALLEST_CHIP" else settings.smallest_chip_minor
    fault = limit_fault(bounds, amount_minor=amount_minor, total_minor=total, chip_minor=chip)
    outside = fault is not None
    if fault is not None and not _let_stand(fault, wager, state):
        raise _Rejection(fault, _LIMIT_WORDS[fault].format(limit=limit, chip=chip), "limits")
    if outside and amount_minor % chip:
        raise _Rejection("NOT_IN_CHIPS", f"stakes are whole chips of {chip}", "limits")
    _check_table_maxima(wager, mine, others, state)
    return replace(wager, out_of_limits=outside)


_LIMIT_WORDS = {
    "BELOW_MINIMUM": "the total on the area is below {limit.min_minor}",
    "ABOVE_MAXIMUM": "the total on the area is above {limit.max_minor}",
    "NOT_MULTIPLE": "the total does not go up in steps of {limit.unit_minor}",
    "NOT_IN_CHIPS": "stakes are whole chips of {chip}",
}


def _let_stand(fault: str, wager: Wager, state: BookState) -> bool:
    """Chips on the layout stand outside the limits unless the dealer rejects them (X-11)."""
    return (
        fault in OUTSIDE_LIMITS
        and wager.channel == LAYOUT
        and _rules(state).out_of_limits == "VALID_UNLESS_REJECTED"
    )


def _check_table_maxima(
    wager: Wager, mine: Sequence[Wager], others: Sequence[Wager], state: BookState
) -> None:
    settings = _settings(state)
    stakes = sum(w.stake_minor for w in mine) + wager.stake_minor
    most = settings.player_coup_maximum_minor
    if most is not None and stakes > most:
        raise _Rejection("PLAYER_COUP_MAXIMUM", f"one player stakes at most {most} in a coup")
    chip = settings.smallest_chip_minor
    if settings.maximum_win_minor is not None:
        win = worst_win(_rules(state), _by_area([*mine, wager]), chip)
        if win > settings.maximum_win_minor:
            raise _Rejection("MAXIMUM_WIN", f"the wager could win {win}")
    if settings.table_exposure_minor is not None:
        alike = [w for w in others if w.currency == wager.currency]
        cost = worst_win(_rules(state), _by_area([*alike, wager]), chip)
        if cost > settings.table_exposure_minor:
            raise _Rejection("TABLE_EXPOSURE", f"the coup could cost the table {cost}")


def _by_area(wagers: Iterable[Wager]) -> dict[str, int]:
    stakes: dict[str, int] = {}
    for wager in wagers:
        stakes[wager.area] = stakes.get(wager.area, 0) + wager.stake_minor
    return stakes


def _movement(state: BookState, wager_id: str, number: int) -> str:
    """Key of a money movement: it follows from its cause, so that a repeat moves nothing."""
    return f"{_settings(state).table_id}/{wager_id}/{number}"


def _debit(
    wager: Wager, state: BookState, book: Book, *, amount_minor: int, number: int
) -> DebitRequested:
    return DebitRequested(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        movement_id=_movement(state, wager.wager_id, number),
        player=wager.player,
        currency=wager.currency,
        amount_minor=amount_minor,
        area=wager.area,
        stake_minor=wager.stake_minor,
        channel=wager.channel,
        limits_version=state.limits_version,
        out_of_limits=wager.out_of_limits,
        box=wager.box,
    )


def _rejected(
    wager: Wager,
    state: BookState,
    book: Book,
    no: _Rejection,
    *,
    refund_minor: int = 0,
) -> WagerRejected:
    return WagerRejected(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        amount_minor=wager.stake_minor,
        code=no.code,
        message=no.message,
        refund_minor=refund_minor,
        movement_id=_movement(state, wager.wager_id, wager.movements + 1)
        if refund_minor
        else None,
        clauses=_cite(state, no.rule) if no.rule else (),
    )


def _record_debit(command: RecordDebit, state: BookState) -> Sequence[Event]:
    book = state.book
    pending = book.pending.get(command.movement_id) if book else None
    if book is None or pending is None:
        raise Refused("UNKNOWN", f"no debit {command.movement_id} is pending")
    wager = pending.wager
    if command.outcome == "REFUSED":
        no = _Rejection(command.reason or "INSUFFICIENT_FUNDS", "the wallet refused the debit")
        return [_rejected(wager, state, book, no), *_due(state, without=command.movement_id)]
    if pending.from_minor:
        done: Event = WagerChanged(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            currency=wager.currency,
            from_minor=pending.from_minor,
            to_minor=wager.stake_minor,
            movement_id=command.movement_id,
        )
    else:
        done = WagerAccepted(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            stake_minor=wager.stake_minor,
            channel=wager.channel,
            limits_version=pending.limits_version,
            out_of_limits=wager.out_of_limits,
            box=wager.box,
        )
    return [done, *_proceed_from(evolve(state, done))]


def _due(state: BookState, *, without: str) -> Sequence[Event]:
    book = state.book
    assert book is not None
    pending = {key: held for key, held in book.pending.items() if key != without}
    return _proceed_from(replace(state, book=replace(book, pending=pending)))


def _held(wager_id: str, state: BookState) -> tuple[Book, Wager]:
    """A live wager and its book."""
    book = state.book
    wager = book.wagers.get(wager_id) if book else None
    if book is None or wager is None:
        raise Refused("UNKNOWN", f"there is no wager {wager_id} in this coup's book")
    return book, wager


def _check_movable(at_us: int, book: Book, state: BookState) -> None:
    if book.phase == LOCKED:
        raise Refused(
            "LOCKED", "from the first card on nothing moves in the book", _cite(state, "locked")
        )
    if _is_late(at_us, book):
        raise Refused("LATE", "betting on this coup is closed", _cite(state, "cut_off"))
    if not _rules(state).cancel_before_close:
        raise Refused("NOT_PERMITTED", "this rulebook lets no wager be taken back")


def _cancel(command: CancelWager, state: BookState) -> Sequence[Event]:
    book, wager = _held(command.wager_id, state)
    _check_movable(command.at_us, book, state)
    _check_rest(wager, 0, state, book)
    return [
        WagerCancelled(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            refund_minor=wager.stake_minor,
            movement_id=_movement(state, wager.wager_id, wager.movements + 1),
        )
    ]


def _check_rest(wager: Wager, to_minor: int, state: BookState, book: Book) -> None:
    """What stays on the area keeps to the minimum where the house refuses what does not."""
    limit = _limit(state, wager.currency, wager.area)
    total = to_minor + sum(
        w.stake_minor
        for w in _live(book)
        if w.wager_id != wager.wager_id
        and (w.player, w.area, w.currency) == (wager.player, wager.area, wager.currency)
    )
    if limit is None or not 0 < total < limit.min_minor:
        return
    if not _let_stand("BELOW_MINIMUM", wager, state):
        raise Refused(
            "BELOW_MINIMUM",
            f"{total} would stay on {wager.area}, below {limit.min_minor}",
            _cite(state, "limits"),
        )


def _change(command: ChangeWager, state: BookState) -> Sequence[Event]:
    book, wager = _held(command.wager_id, state)
    _check_movable(command.at_us, book, state)
    if any(p.wager.wager_id == wager.wager_id for p in book.pending.values()):
        raise Refused("STATE", f"a change of {wager.wager_id} is under way")
    more = command.amount_minor - wager.stake_minor
    if command.amount_minor == 0:
        raise Refused("BELOW_MINIMUM", "a wager is taken back by cancelling it")
    if more == 0:
        return ()
    changed = replace(wager, stake_minor=command.amount_minor)
    if more > 0 and area_full(_rules(state), _placements(wager, book)):
        raise Refused(
            "AREA_FULL", "an increase counts as a further wager", _cite(state, "area_full")
        )
    try:
        changed = _check_money(changed, state, book, amount_minor=abs(more))
    except _Rejection as no:
        raise Refused(no.code, no.message, _cite(state, no.rule) if no.rule else ()) from no
    number = wager.movements + 1
    if more > 0:
        return [_debit(changed, state, book, amount_minor=more, number=number)]
    return [
        WagerChanged(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            currency=wager.currency,
            from_minor=wager.stake_minor,
            to_minor=command.amount_minor,
            movement_id=_movement(state, wager.wager_id, number),
            refund_minor=-more,
        )
    ]


def _placements(wager: Wager, book: Book) -> int:
    return sum(
        w.placements
        for w in _live(book)
        if (w.player, w.area) == (wager.player, wager.area)
    )


def _reject(command: RejectWager, state: BookState) -> Sequence[Event]:
    require_role(command, "DEALER", what="rejecting a wager")
    book, wager = _held(command.wager_id, state)
    if book.phase not in (OPEN, CLOSED):
        raise Refused("LOCKED", "the book is closed", _cite(state, "locked"))
    if not _outside(wager, state, book):
        raise Refused("STATE", f"{wager.wager_id} is not outside the limits")
    no = _Rejection("BY_DEALER", "the dealer refused the wager", "limits")
    return [_rejected(wager, state, book, no, refund_minor=wager.stake_minor)]


def _outside(wager: Wager, state: BookState, book: Book) -> bool:
    """Whether the wager lies outside the limits together with its player's others."""
    limit = _limit(state, wager.currency, wager.area)
    if limit is None or wager.channel == SCREEN or not wager.out_of_limits:
        return False
    total = sum(
        w.stake_minor
        for w in _live(book)
        if (w.player, w.area, w.currency) == (wager.player, wager.area, wager.currency)
    )
    return not limit.min_minor <= total <= limit.max_minor


def _permit_standing(command: PermitStanding, state: BookState) -> Sequence[Event]:
    wanted = _rules(state).standing_players_by
    if wanted is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no permission for standing players")
    require_role(command, wanted, what="letting players without a seat wager")
    return [StandingWagerPermitted(permitted=command.permitted)]


def _proceed(command: Proceed, state: BookState) -> Sequence[Event]:
    del command
    return _proceed_from(state)


def _proceed_from(state: BookState) -> Sequence[Event]:
    """Close the book, or give back what it holds, once no debit is pending."""
    book = state.book
    if book is None or book.pending:
        return ()
    if book.void:
        return _refunds(state, book)
    if book.close_requested and book.phase in (OPEN, CLOSED):
        return [
            BookClosed(
                coup_id=book.coup_id,
                revision=book.revision + 1,
                wagers=len(book.wagers),
                totals=_totals(book),
                digest=_digest(book),
            )
        ]
    return ()


def _refunds(state: BookState, book: Book) -> Sequence[Event]:
    refunds: list[Event] = [
        WagerRefunded(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            refund_minor=wager.stake_minor,
            movement_id=_movement(state, wager.wager_id, wager.movements + 1),
            reason="VOID",
            clauses=_cite(state, "void"),
        )
        for wager in book.wagers.values()
    ]
    empty = replace(book, wagers={})
    return [
        *refunds,
        BookRevised(
            coup_id=book.coup_id,
            revision=book.revision + 1,
            wagers=0,
            totals={},
            digest=_digest(empty),
            reason="VOID",
        ),
    ]


def _totals(book: Book) -> dict[str, dict[str, BookTotals]]:
    totals: dict[str, dict[str, BookTotals]] = {}
    for wager in book.wagers.values():
        areas = totals.setdefault(wager.currency, {})
        held = areas.get(wager.area, BookTotals())
        areas[wager.area] = BookTotals(
            held.cash_minor + wager.stake_minor, held.tokens_minor, held.wagers + 1
        )
    return totals


def _digest(book: Book) -> str:
    """Digest over the live wagers; anyone who holds them can compute it again."""
    whole = hashlib.sha256()
    for wager in book.wagers.values():
        line = (wager.wager_id, wager.player, wager.area, wager.currency, str(wager.stake_minor))
        whole.update("\x1f".join(line).encode() + b"\x1e")
    return whole.hexdigest()


_DECIDE: dict[type[Command], Callable[[Any, BookState], Sequence[Event]]] = {
    PlaceWager: _place,
    ChangeWager: _change,
    CancelWager: _cancel,
    RejectWager: _reject,
    RecordDebit: _record_debit,
    PermitStanding: _permit_standing,
    Proceed: _proceed,
}


# --- evolve ---------------------------------------------------------------------------------


def evolve(state: BookState, event: Event | Heard) -> BookState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = _EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event.event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: BookState, event: RulebookActivated) -> BookState:
    del state
    return BookState(
        session=event.session,
        settings=event.settings,
        open=True,
    )


def _with_book(state: BookState, **changes: Any) -> BookState:
    if state.book is None:
        return state
    return replace(state, book=replace(state.book, **changes))


def _debit_requested(state: BookState, event: DebitRequested) -> BookState:
    book = state.book
    assert book is not None
    held = book.wagers.get(event.wager_id)
    wager = Wager(
        wager_id=event.wager_id,
        player=event.player,
        area=event.area,
        currency=event.currency,
        stake_minor=event.stake_minor,
        channel=event.channel,
        out_of_limits=event.out_of_limits,
        box=event.box,
        placements=held.placements + 1 if held else 1,
        movements=held.movements + 1 if held else 1,
    )
    pending = Pending(
        wager, event.amount_minor, held.stake_minor if held else 0, event.limits_version
    )
    return _with_book(state, pending={**book.pending, event.movement_id: pending})


def _settle_pending(book: Book, wager_id: str) -> tuple[dict[str, Pending], Wager | None]:
    rest = {key: held for key, held in book.pending.items() if held.wager.wager_id != wager_id}
    done = next((p.wager for p in book.pending.values() if p.wager.wager_id == wager_id), None)
    return rest, done


def _accepted(state: BookState, event: WagerAccepted) -> BookState:
    book = state.book
    assert book is not None
    rest, wager = _settle_pending(book, event.wager_id)
    assert wager is not None
    return _with_book(state, pending=rest, wagers={**book.wagers, event.wager_id: wager})


def _changed(state: BookState, event: WagerChanged) -> BookState:
    book = state.book
    assert book is not None
    held = book.wagers[event.wager_id]
    rest, risen = _settle_pending(book, event.wager_id)
    wager = risen or replace(held, stake_minor=event.to_minor, movements=held.movements + 1)
    return _with_book(state, pending=rest, wagers={**book.wagers, event.wager_id: wager})


def _taken_off(
    state: BookState, event: WagerRejected | WagerCancelled | WagerRefunded
) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id:
        return state
    rest, pending = _settle_pending(book, event.wager_id)
    if isinstance(event, WagerRejected) and pending is not None:
        return _with_book(state, pending=rest)  # an increase that fails leaves the wager
    wagers = {key: wager for key, wager in book.wagers.items() if key != event.wager_id}
    return _with_book(state, wagers=wagers)


def _book_final(state: BookState, event: BookClosed | BookRevised) -> BookState:
    return _with_book(state, phase=FINAL, revision=event.revision, void=False)


_EVOLVE: dict[type[Event], Callable[[BookState, Any], BookState]] = {
    RulebookActivated: _activated,
    LimitsPublished: lambda state, event: replace(
        state, limits_version=event.limits_version, limits=event.limits
    ),
    StandingWagerPermitted: lambda state, event: replace(state, standing=event.permitted),
    DebitRequested: _debit_requested,
    WagerAccepted: _accepted,
    WagerChanged: _changed,
    WagerRejected: _taken_off,
    WagerCancelled: _taken_off,
    WagerRefunded: _taken_off,
    BookClosed: _book_final,
    BookRevised: _book_final,
}


def _betting_opened(state: BookState, event: table.BettingOpened) -> BookState:
    book = Book(event.coup_id, event.coup, OPEN, closes_at_us=event.closes_at_us)
    return replace(state, book=book)


def _no_bet(state: BookState, event: table.NoBetCoupDeclared) -> BookState:
    return replace(state, book=Book(event.coup_id, event.coup, FINAL, no_bet=True))


def _betting_closed(state: BookState, event: table.BettingClosed) -> BookState:
    return _with_book(state, phase=CLOSED, closed_at_us=event.closed_at_us)


def _coup_over(state: BookState, event: table.CoupClosed) -> BookState:
    return replace(state, book=None, last_coup=event.coup)


_EVOLVE_HEARD: dict[type[Event], Callable[[BookState, Any], BookState]] = {
    table.TableClosed: lambda state, _: replace(state, open=False),
    table.SeatTaken: lambda state, event: replace(state, seated=state.seated | {event.player}),
    table.SeatVacated: lambda state, event: replace(
        state, seated=state.seated - {event.player}
    ),
    table.BettingOpened: _betting_opened,
    table.NoBetCoupDeclared: _no_bet,
    table.BettingClosed: _betting_closed,
    table.BookCloseRequested: lambda state, _: _with_book(state, close_requested=True),
    table.CoupStarted: lambda state, _: _with_book(state, phase=LOCKED),
    table.CoupVoided: lambda state, _: _with_book(state, void=True),
    table.CoupClosed: _coup_over,
}

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    table.SERVICE: {event.type: event for event in (table.TableOpened, *_EVOLVE_HEARD)}
}
"""What wager listens to."""


FOLLOWS = frozenset({table.TableOpened, *_EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: BookState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    del state
    event = heard.event
    at_us, by = heard.meta.occurred_at_us, heard.meta.actor
    if isinstance(event, table.TableOpened):
        return [
            ActivateRulebook(at_us=at_us, by=by, session=event.session, settings=event.settings)
        ]
    if isinstance(event, table.BookCloseRequested | table.CoupVoided):
        return [Proceed(at_us=at_us, by=by)]
    return ()
