"""Placing a wager: may it be, here and now?"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, NotYet, Refused
from services.contracts.wager import (
    DebitRequested,
    WagerRejected,
)
from services.rules.betting import area_full, combination_allowed
from services.wager.commands import (
    PlaceWager,
)
from services.wager.domain.limits import Rejection, check_money
from services.wager.domain.state import (
    LAYOUT,
    OPEN,
    SCREEN,
    Book,
    BookState,
    Wager,
    clauses_for,
    live,
    movement,
    rules_of,
    settings_of,
)


def place(command: PlaceWager, state: BookState) -> Sequence[Event]:
    book = _book_for(command, state)
    settings = settings_of(state)
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
        wager = check_money(wager, state, book, amount_minor=wager.stake_minor)
    except Rejection as no:
        return [rejected(wager, state, book, no)]
    return [debit(wager, state, book, amount_minor=wager.stake_minor, number=1)]


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
    return SCREEN if rules_of(state).table_kind == "STREAMED" else LAYOUT


def _check_open(at_us: int, state: BookState, book: Book) -> None:
    if book.no_bet:
        raise Rejection("NO_BET_COUP", "this coup is dealt without wagers", "no_bet")
    if is_late(at_us, book):
        raise Rejection("LATE", "betting on this coup is closed", "cut_off")
    if not state.open:
        raise Refused("STATE", "the table is closed")


def is_late(at_us: int, book: Book) -> bool:
    timer = book.closes_at_us is not None and at_us >= book.closes_at_us
    closed = book.closed_at_us is not None and at_us >= book.closed_at_us
    return timer or closed or book.phase != OPEN


def _check_place(wager: Wager, command: PlaceWager, state: BookState, book: Book) -> None:
    rules = rules_of(state)
    if wager.area not in rules.areas:
        raise Rejection("UNKNOWN_AREA", f"this rulebook has no area {wager.area}", "unknown_area")
    if wager.currency not in state.limits:
        raise Rejection("CURRENCY", f"this table takes no {wager.currency}")
    if command.token is not None:
        raise Rejection("NOT_PERMITTED", "promotional tokens are not taken here")
    needs = rules.standing_players == "PERMISSION" and not state.standing
    if needs and wager.player not in state.seated:
        raise Rejection(
            "STANDING_NOT_PERMITTED", "a player without a seat needs permission", "standing"
        )
    if wager.box is not None and rules.box_players_default is not None:
        others = {w.player for w in live(book) if w.box == wager.box} - {wager.player}
        if len(others) >= rules.box_players_default:
            raise Rejection("BOX_FULL", f"box {wager.box} is taken", "box_sharing")
    mine = [w for w in live(book) if w.player == wager.player]
    held = frozenset({*(w.area for w in mine), wager.area})
    if combination_allowed(rules, held) is not True:
        raise Rejection("COMBINATION", "both hands by one player need an approval", "combination")
    on_area = sum(w.placements for w in mine if w.area == wager.area)
    if area_full(rules, on_area):
        raise Rejection(
            "AREA_FULL", f"{on_area} wagers on {wager.area} are all there can be", "area_full"
        )


def debit(
    wager: Wager, state: BookState, book: Book, *, amount_minor: int, number: int
) -> DebitRequested:
    return DebitRequested(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        movement_id=movement(state, wager.wager_id, number),
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


def rejected(
    wager: Wager,
    state: BookState,
    book: Book,
    no: Rejection,
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
        movement_id=movement(state, wager.wager_id, wager.movements + 1) if refund_minor else None,
        clauses=clauses_for(state, no.rule) if no.rule else (),
    )
