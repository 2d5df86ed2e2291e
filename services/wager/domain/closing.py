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
from services.wager.domain.evolve import fold
from services.wager.domain.giving_back import after_window, given_back, late_ones
from services.wager.domain.limits import Rejection
from services.wager.domain.placing import accepted, rejected
from services.wager.domain.slips import slip_accepted, slip_rejected
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
    parts = _of_debit(command.movement_id, book) if book else ()
    if book is None or not parts:
        raise Refused("UNKNOWN", f"no debit {command.movement_id} is pending")
    done = _answered(command, parts, state, book)
    after = fold(state, done)
    return [*done, *crossed(state, after), *_proceed_from(after)]


def _of_debit(movement_id: str, book: Book) -> list[Pending]:
    """What waits for this debit: a wager, its increase, or all wagers of a slip."""
    alone = book.pending.get(movement_id)
    if alone is not None and alone.slip is None:
        return [alone]
    return [p for p in book.pending.values() if p.slip and p.slip.movement_id == movement_id]


def _answered(
    command: RecordDebit, parts: Sequence[Pending], state: BookState, book: Book
) -> Sequence[Event]:
    """The wager, its increase, or the slip stands now, or never will."""
    pending = parts[0]
    if command.outcome == "UNKNOWN":
        return _unconfirmed(command.movement_id, parts, state, book)
    if command.outcome == "REFUSED":
        no = Rejection(command.reason or "INSUFFICIENT_FUNDS", "the wallet refused the debit")
        return _rejected(parts, state, book, no, debited=False)
    if book.card_out and book.closed_at_us is not None and command.at_us >= book.closed_at_us:
        late = Rejection("LATE", "a card was out before the wager was paid", "card_before_close")
        return _rejected(parts, state, book, late, debited=True)
    due = _confirmed_by_us(pending, state, book)
    if due is not None and command.at_us > due:
        late = Rejection("NO_CONFIRMATION", "the wallet confirmed the debit too late", "cut_off")
        return _rejected(parts, state, book, late, debited=True)
    if pending.slip is not None:
        return slip_accepted(parts, book, command.at_us)
    return [_paid(command, pending, book)]


def _paid(command: RecordDebit, pending: Pending, book: Book) -> Event:
    """A wager that was placed alone, or its increase, is paid for."""
    wager = pending.wager
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


def _rejected(
    parts: Sequence[Pending], state: BookState, book: Book, no: Rejection, *, debited: bool
) -> Sequence[Event]:
    """Nothing of it stands, and what was debited goes back."""
    first = parts[0]
    if first.slip is not None:
        wagers = [part.wager for part in parts]
        return slip_rejected(first.slip, wagers, state, book, no, debited=debited)
    refund = first.amount_minor if debited else 0
    return [rejected(first.wager, state, book, no, refund_minor=refund)]


def _unconfirmed(
    key: str, parts: Sequence[Pending], state: BookState, book: Book
) -> Sequence[Event]:
    """Nobody knows whether the debit was made: it is cancelled until the wallet says so (N-1)."""
    no = Rejection("NO_CONFIRMATION", "the wallet did not confirm the debit", "cut_off")
    first = parts[0]
    if first.slip is not None:
        return _rejected(parts, state, book, no, debited=True)
    wager = first.wager
    gone = replace(
        rejected(wager, state, book, no),
        movement_id=movement(state, wager.wager_id, wager.movements + 1),
        cancelled_movement_id=key,
        cancelled_minor=first.amount_minor,
    )
    return [gone]


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
    gone: list[Event] = []
    for key in dict.fromkeys(p.slip.movement_id if p.slip else k for k, p in book.pending.items()):
        parts = _of_debit(key, book)
        due = _confirmed_by_us(parts[0], state, book)
        if due is not None and command.at_us > due:
            gone.extend(_unconfirmed(key, parts, state, book))
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
