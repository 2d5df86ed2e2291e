"""Changing, taking back and rejecting a wager before the book is closed."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from services.contracts.common import PlayerContext
from services.contracts.core import Event, Refused
from services.contracts.guards import require_own, require_role
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
from services.wager.domain.differential import crossed
from services.wager.domain.evolve import evolve
from services.wager.domain.giving_back import held_wager
from services.wager.domain.limits import (
    Rejection,
    check_gap,
    check_money,
    let_stand,
    limit_of,
)
from services.wager.domain.placing import check_player, debit, rejected
from services.wager.domain.state import (
    CLOSED,
    LOCKED,
    OPEN,
    SCREEN,
    Book,
    BookState,
    Wager,
    clauses_for,
    is_late,
    live_of,
    movement,
    rules_of,
)


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
    book, wager = held_wager(command.wager_id, state)
    require_own(command, wager.player, what="taking a wager back")
    _check_movable(command.at_us, book, state)
    _check_no_change_under_way(wager, book)
    _check_rest(wager, 0, state, book, command.at_us)
    gone = WagerCancelled(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        refund_minor=wager.cash_minor,
        movement_id=(
            movement(state, wager.wager_id, wager.movements + 1) if wager.cash_minor else None
        ),
        token=wager.token,
        context=wager.context,
    )
    return [gone, *crossed(state, evolve(state, gone))]


def _check_no_change_under_way(wager: Wager, book: Book) -> None:
    if any(p.wager.wager_id == wager.wager_id for p in book.pending.values()):
        raise Refused("STATE", f"a change of {wager.wager_id} is under way")


def _check_rest(wager: Wager, to_minor: int, state: BookState, book: Book, at_us: int) -> None:
    """What stays on the area keeps to the minimum where the house refuses what does not."""
    limit = limit_of(state, book, wager, at_us)
    total = to_minor + _others(wager, book)
    if limit is None or not 0 < total < limit.min_minor:
        return
    if not let_stand("BELOW_MINIMUM", wager, state):
        raise Refused(
            "BELOW_MINIMUM",
            f"{total} would stay on {wager.area}, below {limit.min_minor}",
            clauses_for(state, "limits"),
        )


def _others(wager: Wager, book: Book) -> int:
    """What else the player has on the area, in the wager's currency."""
    same = (wager.area, wager.currency)
    return sum(
        w.stake_minor
        for w in live_of(book, wager.player)
        if w.wager_id != wager.wager_id and (w.area, w.currency) == same
    )


def change(command: ChangeWager, state: BookState) -> Sequence[Event]:
    book, wager = held_wager(command.wager_id, state)
    require_own(command, wager.player, what="changing a wager")
    _check_movable(command.at_us, book, state)
    _check_no_change_under_way(wager, book)
    wager = replace(wager, context=_context(command, wager))
    more = command.amount_minor - wager.stake_minor
    if command.amount_minor == 0:
        raise Refused("BELOW_MINIMUM", "a wager is taken back by cancelling it")
    if more == 0:
        return ()
    if wager.token is not None:
        raise Refused(
            "NOT_PERMITTED",
            "a promotional token stakes its face value, no more and no less",
            clauses_for(state, "token"),
        )
    if more > 0 and area_full(rules_of(state), _placements(wager, book)):
        raise Refused(
            "AREA_FULL", "an increase counts as a further wager", clauses_for(state, "area_full")
        )
    try:
        changed = _checked(wager, command, state, book)
    except Rejection as no:
        raise Refused(no.code, no.message, clauses_for(state, no.rule) if no.rule else ()) from no
    number = wager.movements + 1
    if more > 0:
        at_us = command.at_us
        changed = replace(changed, context=_context(command, wager))
        return [debit(changed, state, book, amount_minor=more, number=number, at_us=at_us)]
    lowered = WagerChanged(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        currency=wager.currency,
        from_minor=wager.stake_minor,
        to_minor=command.amount_minor,
        movement_id=movement(state, wager.wager_id, number),
        refund_minor=-more,
        changed_at_us=command.at_us,
        context=wager.context,
    )
    return [lowered, *crossed(state, evolve(state, lowered))]


def _context(command: ChangeWager, wager: Wager) -> PlayerContext | None:
    """The token of now counts, for session and limits; the wallet stays that of the wager."""
    if command.context is None:
        return wager.context
    before = PlayerContext() if wager.context is None else wager.context
    if command.context.operator != before.operator:
        raise Refused("NOT_PERMITTED", f"{wager.wager_id} was staked with another operator")
    return command.context


def _checked(wager: Wager, command: ChangeWager, state: BookState, book: Book) -> Wager:
    """The wager with its new stake, if it may have that."""
    more = command.amount_minor - wager.stake_minor
    if more > 0:
        check_player(wager, state)
        check_gap(wager, state, book, amount_minor=more)
    changed = replace(wager, stake_minor=command.amount_minor)
    held = live_of(book, changed.player)
    return check_money(changed, held, state, book, amount_minor=abs(more), at_us=command.at_us)


def _placements(wager: Wager, book: Book) -> int:
    return sum(w.placements for w in live_of(book, wager.player) if w.area == wager.area)


def reject(command: RejectWager, state: BookState) -> Sequence[Event]:
    require_role(command, "DEALER", what="rejecting a wager")
    book, wager = held_wager(command.wager_id, state)
    if book.phase not in (OPEN, CLOSED):
        raise Refused("LOCKED", "the book is closed", clauses_for(state, "locked"))
    _check_no_change_under_way(wager, book)
    if not _outside(wager, state, book, command.at_us):
        raise Refused("STATE", f"{wager.wager_id} is not outside the limits")
    no = Rejection("BY_DEALER", "the dealer refused the wager", "limits")
    cash = wager.cash_minor
    gone = rejected(wager, state, book, no, was_accepted=True, refund_minor=cash)
    return [gone, *crossed(state, evolve(state, gone))]


def _outside(wager: Wager, state: BookState, book: Book, at_us: int) -> bool:
    """Whether the wager lies outside the limits together with its player's others."""
    limit = limit_of(state, book, wager, at_us)
    if limit is None or wager.channel == SCREEN or not wager.out_of_limits:
        return False
    total = wager.stake_minor + _others(wager, book)
    return not limit.min_minor <= total <= limit.max_minor
