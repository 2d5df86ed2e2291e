"""Placing a wager: whether it may be, here and now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from services.contracts.core import Event, NotYet, Refused
from services.contracts.guards import require_own
from services.contracts.wager import (
    DebitRequested,
    SlipDebitRequested,
    WagerAccepted,
    WagerRejected,
)
from services.rules.betting import area_full, combination_allowed
from services.rules.roles import PLAYER
from services.wager.commands import PlaceSlip, PlaceWager
from services.wager.domain.boxes import box_of, check_box
from services.wager.domain.differential import crossed
from services.wager.domain.evolve import evolve
from services.wager.domain.limits import Rejection, check_gap, check_money
from services.wager.domain.permissions import opposing_approved
from services.wager.domain.state import (
    LAYOUT,
    PROMO,
    SCREEN,
    SLIP_MARK,
    Book,
    BookState,
    Wager,
    clauses_for,
    is_late,
    live_of,
    movement,
    rules_of,
    settings_of,
    slip_of,
)
from services.wager.domain.stops import check_stops

_COUP_NUMBER: Final = re.compile(r"([0-9]{1,9}):([0-9]{1,9})")
"""What follows the table in a coup's id: session and number."""


def check_name(name: str) -> None:
    """Ids of wagers and slips share one space: what a client makes is no wager of a slip."""
    if slip_of(name):
        raise Refused("NOT_PERMITTED", f"{SLIP_MARK} in an id is for the wagers of slips")


def place(command: PlaceWager, state: BookState) -> Sequence[Event]:
    require_own(command, command.player, what="a wager")
    check_name(command.wager_id)
    check_word(command, state)
    book = book_for(command, state)
    settings = settings_of(state)
    wager = Wager(
        wager_id=command.wager_id,
        player=command.player,
        area=command.area,
        currency=command.currency or settings.currency,
        stake_minor=command.amount_minor,
        channel=command.channel or channel_of(state),
        box=box_of(command.player, command.box, state),
        token=command.token,
        context=command.context,
    )
    try:
        wager = checked(wager, command.at_us, state, book)
    except Rejection as no:
        return [rejected(wager, state, book, no)]
    if wager.token is None:
        amount = wager.stake_minor
        return [debit(wager, state, book, amount_minor=amount, number=1, at_us=command.at_us)]
    taken = accepted(wager, book, book.sign.version, command.at_us)
    return [taken, *crossed(state, evolve(state, taken))]


def check_word(command: PlaceWager | PlaceSlip, state: BookState) -> None:
    """Refuse with ROLE what a player says of his stake though somebody else has to have seen it.

    A token is handed to who deals, and no wallet pays for it: by his own word everybody could stake
    for nothing. Where players stake from screens, chips lie on the layout only by the word of who
    deals: outside the limits they stand unless he rejects them (X-11), and he never saw any.
    """
    if command.by.role != PLAYER or settings_of(state).test:
        return
    if isinstance(command, PlaceWager) and command.token is not None:
        raise Refused("ROLE", "a promotional token is handed to the dealer, who stakes it")
    if command.channel == LAYOUT and channel_of(state) != LAYOUT:
        raise Refused("ROLE", "players stake from screens here; chips are the dealer's to enter")


def checked(wager: Wager, at_us: int, state: BookState, book: Book) -> Wager:
    """The wager as it may stand. Raises `Rejection`."""
    _check_open(at_us, state, book)
    check_player(wager, state)
    held = live_of(book, wager.player)
    wager = _check_place(wager, held, at_us, state, book)
    amount = wager.stake_minor
    wager = check_money(wager, held, state, book, amount_minor=amount, at_us=at_us)
    check_gap(wager, state, book, amount_minor=amount)
    return wager


def is_staked(events: Sequence[Event]) -> bool:
    """Whether money or a token was asked for: from then on the id means this wager alone."""
    return any(
        isinstance(event, DebitRequested | SlipDebitRequested | WagerAccepted) for event in events
    )


def book_for(command: PlaceWager | PlaceSlip, state: BookState) -> Book:
    """The book that the wager is meant for; never another one (D5)."""
    if not settings_of(state).keeps_book:
        raise Refused("NOT_PERMITTED", "this table keeps no book: chips alone are staked here")
    book = state.book
    if book is None:
        if command.coup_id is not None:
            if not _is_past(command.coup_id, state):
                raise NotYet(f"the wager service has not heard yet of coup {command.coup_id}")
        elif state.open and state.signs:
            # Round may have opened betting a moment ago: a wager for it is no mistake, only early.
            raise NotYet("no betting is open that the wager service has heard of")
        raise Refused("STATE", "no betting is open")
    if command.coup_id not in (None, book.coup_id):
        if _is_past(command.coup_id or "", state):
            raise Refused("LATE", f"betting on coup {command.coup_id} is over")
        raise NotYet(f"the wager service has not heard yet of coup {command.coup_id}")
    return book


def _is_past(coup_id: str, state: BookState) -> bool:
    table_id = settings_of(state).table_id
    named = _COUP_NUMBER.fullmatch(coup_id.removeprefix(f"{table_id}:"))
    if named is None:
        raise Refused("UNKNOWN", f"{coup_id} is no coup of table {table_id}")
    current = state.book.coup if state.book else state.last_coup
    return (int(named[1]), int(named[2])) <= (state.session, current)


def channel_of(state: BookState) -> str:
    return SCREEN if rules_of(state).table_kind == "STREAMED" else LAYOUT


def _check_open(at_us: int, state: BookState, book: Book) -> None:
    if book.no_bet:
        raise Rejection("NO_BET_COUP", "this coup is dealt without wagers", "no_bet")
    if is_late(at_us, book):
        raise Rejection("LATE", "betting on this coup is closed", "cut_off")
    if not state.open:
        raise Refused("STATE", "the table is closed")


def check_player(wager: Wager, state: BookState) -> None:
    if wager.player in state.permissions.barred:
        raise Rejection("BARRED", f"no wager of {wager.player} is taken", "prohibited_device")
    check_stops(wager, state)


def _check_place(
    wager: Wager, mine: Sequence[Wager], at_us: int, state: BookState, book: Book
) -> Wager:
    """Area, currency, funding, seat and box, combination, in this order."""
    rules = rules_of(state)
    if wager.area not in rules.areas:
        raise Rejection("UNKNOWN_AREA", f"this rulebook has no area {wager.area}", "unknown_area")
    if wager.currency not in book.sign.limits:
        raise Rejection("CURRENCY", f"this table takes no {wager.currency}")
    _check_token(wager, state)
    wager = check_box(wager, state, book)
    areas = frozenset({*(w.area for w in mine), wager.area})
    allowed = combination_allowed(rules, areas)
    if allowed is not True:
        approved = allowed == "APPROVAL" and opposing_approved(wager.player, at_us, state, book)
        if not approved:
            raise Rejection("COMBINATION", "both hands by one player", "combination")
    on_area = sum(w.placements for w in mine if w.area == wager.area)
    if area_full(rules, on_area):
        raise Rejection(
            "AREA_FULL", f"{on_area} wagers on {wager.area} are all there can be", "area_full"
        )
    return wager


def _check_token(wager: Wager, state: BookState) -> None:
    if wager.token is None:
        return
    if not rules_of(state).promo_tokens:
        raise Rejection("NOT_PERMITTED", "this rulebook takes no promotional tokens")
    fault = state.tokens.fault(wager.token, wager.stake_minor, wager.currency)
    if fault is not None:
        raise Rejection(*fault, "token")


def debit(
    wager: Wager, state: BookState, book: Book, *, amount_minor: int, number: int, at_us: int
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
        limits_version=book.sign.version,
        out_of_limits=wager.out_of_limits,
        box=wager.box,
        standing=wager.standing,
        requested_at_us=at_us,
        context=wager.context,
    )


def accepted(wager: Wager, book: Book, limits_version: int, at_us: int) -> WagerAccepted:
    return WagerAccepted(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        stake_minor=wager.stake_minor,
        channel=wager.channel,
        limits_version=limits_version,
        out_of_limits=wager.out_of_limits,
        box=wager.box,
        standing=wager.standing,
        funding=PROMO if wager.token else "CASH",
        token=wager.token,
        accepted_at_us=at_us,
        context=wager.context,
    )


def rejected(
    wager: Wager,
    state: BookState,
    book: Book,
    no: Rejection,
    *,
    was_accepted: bool = False,
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
        accepted=was_accepted,
        refund_minor=refund_minor,
        movement_id=movement(state, wager.wager_id, wager.movements + 1) if refund_minor else None,
        token=wager.token,
        clauses=clauses_for(state, no.rule) if no.rule else (),
        context=wager.context,
    )
