"""Changing, taking back and rejecting a wager before the book is closed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.wager import (
    WagerCancelled,
    WagerChanged,
)
from services.rules.betting import area_full
from services.wager.commands import (
    CancelWager,
    ChangeWager,
    RejectWager,
)
from services.wager.domain.limits import Rejection, check_money, let_stand
from services.wager.domain.placing import debit, is_late, rejected
from services.wager.domain.state import (
    CLOSED,
    LOCKED,
    OPEN,
    SCREEN,
    Book,
    BookState,
    Wager,
    clauses_for,
    limit_of,
    live,
    movement,
    rules_of,
)


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
            "LOCKED",
            "from the first card on nothing moves in the book",
            clauses_for(state, "locked"),
        )
    if is_late(at_us, book):
        raise Refused("LATE", "betting on this coup is closed", clauses_for(state, "cut_off"))
    if not rules_of(state).cancel_before_close:
        raise Refused("NOT_PERMITTED", "this rulebook lets no wager be taken back")


def cancel(command: CancelWager, state: BookState) -> Sequence[Event]:
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
            movement_id=movement(state, wager.wager_id, wager.movements + 1),
        )
    ]


def _check_rest(wager: Wager, to_minor: int, state: BookState, book: Book) -> None:
    """What stays on the area keeps to the minimum where the house refuses what does not."""
    limit = limit_of(state, wager.currency, wager.area)
    total = to_minor + sum(
        w.stake_minor
        for w in live(book)
        if w.wager_id != wager.wager_id
        and (w.player, w.area, w.currency) == (wager.player, wager.area, wager.currency)
    )
    if limit is None or not 0 < total < limit.min_minor:
        return
    if not let_stand("BELOW_MINIMUM", wager, state):
        raise Refused(
            "BELOW_MINIMUM",
            f"{total} would stay on {wager.area}, below {limit.min_minor}",
            clauses_for(state, "limits"),
        )


def change(command: ChangeWager, state: BookState) -> Sequence[Event]:
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
    if more > 0 and area_full(rules_of(state), _placements(wager, book)):
        raise Refused(
            "AREA_FULL", "an increase counts as a further wager", clauses_for(state, "area_full")
        )
    try:
        changed = check_money(changed, state, book, amount_minor=abs(more))
    except Rejection as no:
        raise Refused(no.code, no.message, clauses_for(state, no.rule) if no.rule else ()) from no
    number = wager.movements + 1
    if more > 0:
        return [debit(changed, state, book, amount_minor=more, number=number)]
    return [
        WagerChanged(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            currency=wager.currency,
            from_minor=wager.stake_minor,
            to_minor=command.amount_minor,
            movement_id=movement(state, wager.wager_id, number),
            refund_minor=-more,
        )
    ]


def _placements(wager: Wager, book: Book) -> int:
    return sum(w.placements for w in live(book) if (w.player, w.area) == (wager.player, wager.area))


def reject(command: RejectWager, state: BookState) -> Sequence[Event]:
    require_role(command, "DEALER", what="rejecting a wager")
    book, wager = _held(command.wager_id, state)
    if book.phase not in (OPEN, CLOSED):
        raise Refused("LOCKED", "the book is closed", clauses_for(state, "locked"))
    if not _outside(wager, state, book):
        raise Refused("STATE", f"{wager.wager_id} is not outside the limits")
    no = Rejection("BY_DEALER", "the dealer refused the wager", "limits")
    return [rejected(wager, state, book, no, refund_minor=wager.stake_minor)]


def _outside(wager: Wager, state: BookState, book: Book) -> bool:
    """Whether the wager lies outside the limits together with its player's others."""
    limit = limit_of(state, wager.currency, wager.area)
    if limit is None or wager.channel == SCREEN or not wager.out_of_limits:
        return False
    total = sum(
        w.stake_minor
        for w in live(book)
        if (w.player, w.area, w.currency) == (wager.player, wager.area, wager.currency)
    )
    return not limit.min_minor <= total <= limit.max_minor
