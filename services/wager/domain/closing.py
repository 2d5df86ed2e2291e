"""Debits answered, the book closed, and what falls due in it (D5, D6)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from services.contracts.common import RulebookActivated
from services.contracts.core import Event, Refused
from services.contracts.wager import (
    LimitsPublished,
    PromoTokenConsumed,
    PromoTokenReturned,
    WagerChanged,
    WagerLocked,
    WagerRejected,
)
from services.wager.commands import (
    ActivateRulebook,
    ExpireDebits,
    Lock,
    Proceed,
    RecordDebit,
    ReturnTokens,
)
from services.wager.domain.book import closed
from services.wager.domain.differential import crossed, reductions
from services.wager.domain.evolve import evolve, fold
from services.wager.domain.giving_back import after_window, given_back, late_ones
from services.wager.domain.limits import Rejection
from services.wager.domain.placing import accepted, rejected
from services.wager.domain.state import (
    CLOSED,
    OPEN,
    Book,
    BookState,
    Pending,
    movement,
    rules_of,
    settings_of,
)

MS_US = 1_000

CONFIRM_MS_MAX = 3_000
"""How long the wallet may take to confirm a debit, while betting is open too (N-1)."""


def activate(command: ActivateRulebook) -> Sequence[Event]:
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


def record_debit(command: RecordDebit, state: BookState) -> Sequence[Event]:
    book = state.book
    pending = book.pending.get(command.movement_id) if book else None
    if book is None or pending is None:
        raise Refused("UNKNOWN", f"no debit {command.movement_id} is pending")
    done = _answered(command, pending, state, book)
    after = evolve(state, done)
    return [done, *crossed(state, after), *_proceed_from(after)]


def _answered(command: RecordDebit, pending: Pending, state: BookState, book: Book) -> Event:
    """The wager, or its increase, stands now, or never will."""
    wager = pending.wager
    if command.outcome == "UNKNOWN":
        return _unconfirmed(command.movement_id, pending, state, book)
    if command.outcome == "REFUSED":
        no = Rejection(command.reason or "INSUFFICIENT_FUNDS", "the wallet refused the debit")
        return rejected(wager, state, book, no)
    if book.card_out and book.closed_at_us is not None and command.at_us >= book.closed_at_us:
        late = Rejection("LATE", "a card was out before the wager was paid", "card_before_close")
        return rejected(wager, state, book, late, refund_minor=pending.amount_minor)
    due = _confirmed_by_us(pending, state, book)
    if due is not None and command.at_us > due:
        late = Rejection("NO_CONFIRMATION", "the wallet confirmed the debit too late", "cut_off")
        return rejected(wager, state, book, late, refund_minor=pending.amount_minor)
    if not pending.from_minor:
        return accepted(wager, book, pending.limits_version, command.at_us)
    return WagerChanged(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        currency=wager.currency,
        from_minor=pending.from_minor,
        to_minor=wager.stake_minor,
        movement_id=command.movement_id,
        changed_at_us=command.at_us,
        context=wager.context,
    )


def _unconfirmed(key: str, pending: Pending, state: BookState, book: Book) -> WagerRejected:
    """Nobody knows whether the debit was made: it is cancelled until the wallet says so (N-1)."""
    wager = pending.wager
    no = Rejection("NO_CONFIRMATION", "the wallet did not confirm the debit", "cut_off")
    return replace(
        rejected(wager, state, book, no),
        movement_id=movement(state, wager.wager_id, wager.movements + 1),
        cancelled_movement_id=key,
        cancelled_minor=pending.amount_minor,
    )


def _drained_us(state: BookState, book: Book) -> int | None:
    """Until when a debit that was asked for in time may be confirmed; None while betting is open."""
    closed_at = book.closed_at_us
    if closed_at is None:
        return None
    drain_ms = settings_of(state).debit_drain_ms
    return closed_at + (rules_of(state).debit_drain_ms if drain_ms is None else drain_ms) * MS_US


def _confirmed_by_us(pending: Pending, state: BookState, book: Book) -> int | None:
    """The last instant at which a debit may be confirmed: what comes first counts (N-1)."""
    ends = [_drained_us(state, book)]
    if pending.requested_at_us:
        ends.append(pending.requested_at_us + CONFIRM_MS_MAX * MS_US)
    return min((end for end in ends if end is not None), default=None)


def next_due_us(state: BookState) -> int | None:
    """When the first pending debit expires; None where none does, and always at TEST tables."""
    book = state.book
    if book is None or state.settings is None or state.settings.test:
        return None
    ends = [_confirmed_by_us(pending, state, book) for pending in book.pending.values()]
    return min((end + 1 for end in ends if end is not None), default=None)


def expire_debits(command: ExpireDebits, state: BookState) -> Sequence[Event]:
    """What is pending behind its time is no wager, and its debit is cancelled (A-30, N-1)."""
    book = state.book
    if book is None:
        return ()
    gone = []
    for key, pending in book.pending.items():
        due = _confirmed_by_us(pending, state, book)
        if due is not None and command.at_us > due:
            gone.append(_unconfirmed(key, pending, state, book))
    return [*gone, *_proceed_from(fold(state, gone))] if gone else ()


def lock(command: Lock, state: BookState) -> Sequence[Event]:
    del command
    book = state.book
    if book is None or not book.wagers:
        return ()
    return [WagerLocked(coup_id=book.coup_id, revision=book.revision, wagers=len(book.wagers))]


def return_tokens(command: ReturnTokens, state: BookState) -> Sequence[Event]:
    """What settlement made of tokens, said once for each."""
    spent = [
        PromoTokenConsumed(token=token, coup_id=command.coup_id)
        for token in command.spent
        if state.tokens.is_to_spend(token)
    ]
    returned = [
        PromoTokenReturned(token=token, coup_id=command.coup_id)
        for token in command.returned
        if state.tokens.is_to_return(token, command.coup_id)
    ]
    return [*spent, *returned]


def proceed(command: Proceed, state: BookState) -> Sequence[Event]:
    del command
    return _proceed_from(state)


def _proceed_from(state: BookState) -> Sequence[Event]:
    """Everything that has fallen due in the book, step by step.

    What goes back waits until no debit is pending, as the book does.
    """
    events: list[Event] = []
    while step := _next_step(state):
        state = fold(state, step)
        events.extend(step)
    return events


def _next_step(state: BookState) -> Sequence[Event]:
    book = state.book
    if book is None:
        return ()
    if late := late_ones(state, book):
        return late
    if book.pending:
        return ()
    if book.end is not None:
        return given_back(state, book, book.end)
    if book.window is not None and book.window.closed:
        return after_window(state, book, book.window)
    if book.close_for and book.phase in (OPEN, CLOSED):
        return _close(state, book)
    return ()


def _close(state: BookState, book: Book) -> Sequence[Event]:
    cuts = () if book.close_for == "NO_BET" else reductions(state, book)
    after = fold(state, cuts).book
    assert after is not None
    return [*cuts, closed(state, after)]
