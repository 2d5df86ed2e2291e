"""How events change what the wager service knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Heard
from services.contracts.crew import CHANGES, next_session
from services.contracts.round_hands import WithdrawalWindowExtended
from services.contracts.round_table import VariantChanged
from services.contracts.wager import (
    AreaSharingPermitted,
    BarLifted,
    BettingStopped,
    BookClosed,
    BookRevised,
    DebitRequested,
    LimitChangeNotified,
    LimitsPublished,
    OpposingWagerApproved,
    PermissionRevoked,
    PlayerBarred,
    PlayerLimitsGranted,
    PromoTokenConsumed,
    PromoTokenReturned,
    RefundDelivered,
    RefundOutstanding,
    RefundRepeated,
    SignRemoved,
    SlipDebitRequested,
    StandingWagerPermitted,
    StopLifted,
    WagerAccepted,
    WagerCancelled,
    WagerChanged,
    WagerKept,
    WagerReduced,
    WagerRefunded,
    WagerRejected,
    WagerVoided,
    WagerWithdrawn,
)
from services.wager.domain import tokens
from services.wager.domain.facts import Stop
from services.wager.domain.state import (
    AREA_SHARING,
    CLOSED,
    EVERYBODY,
    FINAL,
    GAME,
    LOCKED,
    OPEN,
    OPPOSING_WAGERS,
    STANDING,
    Book,
    BookState,
    End,
    Mark,
    Notice,
    Outstanding,
    OwnLimits,
    Pending,
    Permission,
    Permissions,
    Sign,
    Slip,
    Wager,
    Window,
)
from services.wager.domain.tokens import Token

_Held = TypeVar("_Held")


def fold(state: BookState, events: Iterable[Event]) -> BookState:
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: BookState, event: Event | Heard) -> BookState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event.event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: BookState, event: RulebookActivated) -> BookState:
    """A new session begins; what was said of persons and tokens for good is carried over."""
    barred = state.permissions.barred
    banned = {player: scopes - {GAME} for player, scopes in barred.items() if scopes - {GAME}}
    return BookState(
        session=event.session,
        settings=event.settings,
        open=True,
        crew=next_session(state.crew),
        permissions=Permissions(barred=banned, stops=state.permissions.stops),
        tokens=state.tokens,
        refunds=state.refunds,
    )


# --- limits and permissions ---


def _published(state: BookState, event: LimitsPublished) -> BookState:
    sign = Sign(event.limits_version, event.limits, event.differential_minor)
    return replace(state, signs=(*state.signs, sign))


def _notified(state: BookState, event: LimitChangeNotified) -> BookState:
    notice = Notice(event.new_minimum_minor, event.displayed_at_us, event.effective_at_us)
    return replace(state, notice=notice)


def _permit(state: BookState, **changes: Any) -> BookState:
    return replace(state, permissions=replace(state.permissions, **changes))


def _standing(state: BookState, event: StandingWagerPermitted) -> BookState:
    return _permit(state, standing=state.permissions.standing | {event.player or EVERYBODY})


def _sharing(state: BookState, event: AreaSharingPermitted) -> BookState:
    boxes = {**state.permissions.sharing, event.box or EVERYBODY: event.players_max}
    return _permit(state, sharing=boxes)


def _opposing(state: BookState, event: OpposingWagerApproved) -> BookState:
    holds = Permission(event.until_coup, event.until_us)
    approved = {**state.permissions.opposing, event.player or EVERYBODY: holds}
    return _permit(state, opposing=approved)


def _limits_granted(state: BookState, event: PlayerLimitsGranted) -> BookState:
    own = OwnLimits(event.minimum_minor, event.maximum_minor, Permission(until_us=event.until_us))
    return _permit(state, limits={**state.permissions.limits, event.player: own})


def _revoked(state: BookState, event: PermissionRevoked) -> BookState:
    held, player = state.permissions, event.player
    if event.permission == STANDING:
        gone = held.standing if player is None else frozenset({player})
        return _permit(state, standing=held.standing - gone)
    if event.permission == AREA_SHARING:
        return _permit(state, sharing=_without(held.sharing, event.box))
    if event.permission == OPPOSING_WAGERS:
        return _permit(state, opposing=_without(held.opposing, player))
    ends = {
        who: replace(own, holds=replace(own.holds, until_coup=event.from_coup - 1))
        for who, own in held.limits.items()
        if player in (None, who)
    }
    return _permit(state, limits={**held.limits, **ends})


def _without(held: dict[str, _Held], key: str | None) -> dict[str, _Held]:
    """Without one of them, or without any."""
    return {} if key is None else {name: value for name, value in held.items() if name != key}


def _barred(state: BookState, event: PlayerBarred) -> BookState:
    barred = state.permissions.barred
    scopes = barred.get(event.player, frozenset()) | {event.scope}
    return _permit(state, barred={**barred, event.player: scopes})


def _stopped(state: BookState, event: BettingStopped) -> BookState:
    """A stop of all live tables is in their register; a TEST table keeps it for itself."""
    if event.everywhere and not (state.settings and state.settings.test):
        return state
    stop = Stop(of=event.of, value=event.value, operator=event.operator)
    return _permit(state, stops=(*state.permissions.stops, stop))


def _stop_lifted(state: BookState, event: StopLifted) -> BookState:
    if event.everywhere and not (state.settings and state.settings.test):
        return state
    gone = Stop(of=event.of, value=event.value, operator=event.operator)
    return _permit(state, stops=tuple(stop for stop in state.permissions.stops if stop != gone))


def _bar_lifted(state: BookState, event: BarLifted) -> BookState:
    barred = state.permissions.barred
    left = barred.get(event.player, frozenset()) - {event.scope}
    others = _without(barred, event.player)
    return _permit(state, barred={**others, event.player: left} if left else others)


# --- the book ---


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
        standing=event.standing,
        placements=held.placements + 1 if held else 1,
        movements=held.movements + 1 if held else 1,
        marks=held.marks if held else (),
        context=event.context,
    )
    pending = Pending(
        wager,
        event.amount_minor,
        held.stake_minor if held else 0,
        event.limits_version,
        event.requested_at_us,
    )
    return _with_book(state, pending={**book.pending, event.movement_id: pending})


def _slip_requested(state: BookState, event: SlipDebitRequested) -> BookState:
    book = state.book
    assert book is not None
    slip = Slip(event.slip_id, event.movement_id)
    pending = dict(book.pending)
    for stake in event.wagers:
        wager = Wager(
            wager_id=stake.wager_id,
            player=event.player,
            area=stake.area,
            currency=event.currency,
            stake_minor=stake.stake_minor,
            channel=event.channel,
            out_of_limits=stake.out_of_limits,
            box=event.box,
            standing=event.standing,
            movements=0,
            context=event.context,
        )
        pending[stake.wager_id] = Pending(
            wager, stake.stake_minor, 0, event.limits_version, event.requested_at_us, slip
        )
    return _with_book(state, pending=pending)


def _settle_pending(book: Book, wager_id: str) -> tuple[dict[str, Pending], Wager | None]:
    rest: dict[str, Pending] = {}
    done: Wager | None = None
    for key, held in book.pending.items():
        if held.wager.wager_id != wager_id:
            rest[key] = held
        else:
            done = done or held.wager
    return rest, done


def _accepted(state: BookState, event: WagerAccepted) -> BookState:
    book = state.book
    assert book is not None
    rest, paid = _settle_pending(book, event.wager_id)
    wager = paid or _without_debit(event)
    mark = Mark(event.accepted_at_us, event.stake_minor)
    wagers = book.wagers.put(replace(wager, marks=(mark,)))
    state = _with_book(state, pending=rest, wagers=wagers)
    if event.token is None:
        return state
    token = Token(event.stake_minor, event.currency, tokens.STAKED, event.coup_id, event.wager_id)
    return replace(state, tokens=state.tokens.stake(event.token, token))


def _without_debit(event: WagerAccepted) -> Wager:
    return Wager(
        wager_id=event.wager_id,
        player=event.player,
        area=event.area,
        currency=event.currency,
        stake_minor=event.stake_minor,
        channel=event.channel,
        out_of_limits=event.out_of_limits,
        box=event.box,
        standing=event.standing,
        token=event.token,
        movements=0 if event.token else 1,
        context=event.context,
    )


def _changed(state: BookState, event: WagerChanged) -> BookState:
    book = state.book
    assert book is not None
    held = book.wagers[event.wager_id]
    rest, risen = _settle_pending(book, event.wager_id)
    wager = risen or replace(held, stake_minor=event.to_minor, movements=held.movements + 1)
    wager = replace(wager, marks=(*held.marks, Mark(event.changed_at_us, event.to_minor)))
    return _with_book(state, pending=rest, wagers=book.wagers.put(wager))


def _reduced(state: BookState, event: WagerReduced) -> BookState:
    book = state.book
    assert book is not None
    held = book.wagers[event.wager_id]
    wager = replace(held, stake_minor=event.to_minor, movements=held.movements + 1)
    return _with_book(state, wagers=book.wagers.put(wager))


_Gone = WagerRejected | WagerCancelled | WagerWithdrawn | WagerVoided | WagerRefunded


def _taken_off(state: BookState, event: _Gone) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id:
        return state
    rest, failed = _settle_pending(book, event.wager_id)
    if isinstance(event, WagerRejected) and not event.accepted:
        # An increase that fails leaves the wager; the keys of its movements are spent.
        wagers = book.wagers
        held = wagers.get(event.wager_id)
        if held is not None and failed is not None:
            spent = failed.movements + (event.movement_id is not None)
            wagers = wagers.put(replace(held, movements=spent))
        return _with_book(state, pending=rest, wagers=wagers)
    given_back = state.tokens.give_back(event.token, event.wager_id)
    left = _with_book(state, wagers=book.wagers.without(event.wager_id))
    return replace(left, tokens=given_back)


def _kept(state: BookState, event: WagerKept) -> BookState:
    book = state.book
    if book is None or book.window is None:
        return state
    window = replace(book.window, kept=book.window.kept | {event.wager_id})
    return _with_book(state, window=window)


def _refund_refused(state: BookState, event: RefundOutstanding) -> BookState:
    owed = Outstanding(
        event.coup_id,
        event.wager_id,
        event.player,
        event.currency,
        event.amount_minor,
        event.attempts,
        event.reason,
        context=event.context,
    )
    return replace(state, refunds={**state.refunds, event.movement_id: owed})


def _refund_repeated(state: BookState, event: RefundRepeated) -> BookState:
    owed = replace(state.refunds[event.movement_id], under_way=True)
    return replace(state, refunds={**state.refunds, event.movement_id: owed})


def _refund_delivered(state: BookState, event: RefundDelivered) -> BookState:
    return replace(state, refunds=_without(state.refunds, event.movement_id))


def _book_final(state: BookState, event: BookClosed | BookRevised) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id:
        return state
    window = None if book.window is not None and book.window.closed else book.window
    phase = FINAL if book.phase in (OPEN, CLOSED) else book.phase
    return _with_book(state, phase=phase, revision=event.revision, end=None, window=window)


_EVOLVE: dict[type[Event], Callable[[BookState, Any], BookState]] = {
    RulebookActivated: _activated,
    LimitsPublished: _published,
    LimitChangeNotified: _notified,
    SignRemoved: lambda state, _: replace(state, notice=None),
    StandingWagerPermitted: _standing,
    AreaSharingPermitted: _sharing,
    OpposingWagerApproved: _opposing,
    PlayerLimitsGranted: _limits_granted,
    PermissionRevoked: _revoked,
    PlayerBarred: _barred,
    BarLifted: _bar_lifted,
    BettingStopped: _stopped,
    StopLifted: _stop_lifted,
    DebitRequested: _debit_requested,
    SlipDebitRequested: _slip_requested,
    WagerAccepted: _accepted,
    WagerChanged: _changed,
    WagerReduced: _reduced,
    WagerRejected: _taken_off,
    WagerCancelled: _taken_off,
    WagerWithdrawn: _taken_off,
    WagerVoided: _taken_off,
    WagerRefunded: _taken_off,
    WagerKept: _kept,
    RefundOutstanding: _refund_refused,
    RefundRepeated: _refund_repeated,
    RefundDelivered: _refund_delivered,
    PromoTokenConsumed: lambda state, event: replace(
        state, tokens=state.tokens.mark(event.token, tokens.SPENT)
    ),
    PromoTokenReturned: lambda state, event: replace(
        state, tokens=state.tokens.mark(event.token, tokens.FREE)
    ),
    BookClosed: _book_final,
    BookRevised: _book_final,
}


# --- what is heard ---


def _betting_opened(state: BookState, event: table.BettingOpened) -> BookState:
    sign = next((s for s in state.signs if s.version == event.limits_version), state.sign)
    later = tuple(s for s in state.signs if s.version >= sign.version)
    book = Book(event.coup_id, event.coup, OPEN, sign=sign, closes_at_us=event.closes_at_us)
    return replace(state, book=book, signs=later)


def _no_bet(state: BookState, event: table.NoBetCoupDeclared | table.CoupBackfilled) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id:
        return replace(state, book=Book(event.coup_id, event.coup, FINAL, no_bet=True))
    return _with_book(state, phase=FINAL, no_bet=True, end=End("NO_BET_COUP"))


def _betting_closed(state: BookState, event: table.BettingClosed) -> BookState:
    return _with_book(
        state,
        phase=CLOSED,
        closed_at_us=event.closed_at_us,
        card_out=event.closed_by == "CARD",
    )


def _window_opened(state: BookState, event: table.WithdrawalWindowOpened) -> BookState:
    return _with_book(state, window=Window(event.cause, event.until_us))


def _window_extended(state: BookState, event: WithdrawalWindowExtended) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id or book.window is None:
        return state
    return _with_book(state, window=replace(book.window, until_us=event.until_us))


def _window_closed(state: BookState, event: table.WithdrawalWindowClosed) -> BookState:
    book = state.book
    if book is None or book.coup_id != event.coup_id or book.window is None:
        return state
    return _with_book(state, window=replace(book.window, closed=True))


def _voided(state: BookState, event: table.CoupVoided) -> BookState:
    end = End("VOID", event.reason == "SUPERVISOR", event.player, event.banker)
    return _with_book(state, end=end)


def _coup_over(state: BookState, event: table.CoupClosed) -> BookState:
    return replace(state, book=None, last_coup=event.coup)


def _crew(state: BookState, event: Event) -> BookState:
    return replace(state, crew=CHANGES[type(event)](state.crew, event))


def _seat_taken(state: BookState, event: table.SeatTaken) -> BookState:
    return replace(state, seats={**state.seats, event.player: event.seat})


def _seat_vacated(state: BookState, event: table.SeatVacated) -> BookState:
    left = {player: seat for player, seat in state.seats.items() if seat != event.seat}
    return replace(state, seats=left)


EVOLVE_HEARD: dict[type[Event], Callable[[BookState, Any], BookState]] = {
    table.TableClosed: lambda state, _: replace(state, open=False),
    VariantChanged: lambda state, event: replace(state, settings=event.settings),
    **dict.fromkeys(CHANGES, _crew),
    table.SeatTaken: _seat_taken,
    table.SeatVacated: _seat_vacated,
    table.BettingOpened: _betting_opened,
    table.NoBetCoupDeclared: _no_bet,
    table.CoupBackfilled: _no_bet,
    table.BettingClosed: _betting_closed,
    table.BookCloseRequested: lambda state, event: _with_book(state, close_for=event.reason),
    table.CoupStarted: lambda state, _: _with_book(state, phase=LOCKED),
    table.WithdrawalWindowOpened: _window_opened,
    WithdrawalWindowExtended: _window_extended,
    table.WithdrawalWindowClosed: _window_closed,
    table.CoupVoided: _voided,
    table.CoupTerminated: lambda state, _: _with_book(state, end=End("TERMINATED")),
    table.CoupClosed: _coup_over,
}
