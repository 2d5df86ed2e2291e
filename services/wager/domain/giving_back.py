"""Stakes that go back before a result: by a void, a window, a ruling, or a card that was early."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_own, require_role
from services.contracts.wager import (
    WagerChanged,
    WagerKept,
    WagerRefunded,
    WagerVoided,
    WagerWithdrawn,
)
from services.rules import tableau
from services.rules.outcome import early_win, outcome
from services.rules.payout import settle_early, settle_wager
from services.rules.roles import CASINO_SUPERVISOR
from services.wager.commands import KeepWager, VoidWager, WithdrawWager
from services.wager.domain.book import revised
from services.wager.domain.evolve import fold
from services.wager.domain.limits import Rejection
from services.wager.domain.placing import rejected
from services.wager.domain.state import (
    FINAL,
    LOCKED,
    Book,
    BookState,
    End,
    Wager,
    Window,
    clauses_for,
    movement,
    rules_of,
    settings_of,
)

DEVICE = "DEVICE"
"""Cause of a window after a fault of the shuffling device; otherwise it is a reconstruction."""


def held_wager(wager_id: str, state: BookState) -> tuple[Book, Wager]:
    """A live wager and its book."""
    book = state.book
    wager = book.wagers.get(wager_id) if book else None
    if book is None or wager is None:
        raise Refused("UNKNOWN", f"there is no wager {wager_id} in this coup's book")
    return book, wager


def _key(wager: Wager, state: BookState) -> str | None:
    """Key of the movement that gives the stake back; a token moves no money."""
    return movement(state, wager.wager_id, wager.movements + 1) if wager.cash_minor else None


# --- the coup takes no wagers, or has no result ---


def given_back(state: BookState, book: Book, end: End) -> Sequence[Event]:
    """Refunds, and the book that is left: empty, or what the open cards have already won."""
    rule = {"NO_BET_COUP": "no_bet", "TERMINATED": "terminate"}.get(end.reason, "void")
    refunds: list[Event] = [
        WagerRefunded(
            coup_id=book.coup_id,
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            refund_minor=wager.cash_minor,
            movement_id=_key(wager, state),
            reason=end.reason,
            stake_minor=wager.stake_minor,
            token=wager.token,
            would_have_paid_minor=_would_have_paid(wager, state, end),
            clauses=clauses_for(state, rule),
            context=wager.context,
        )
        for wager in book.wagers.values()
        if not _is_paid(wager, state, end)
    ]
    left = fold(state, refunds).book
    assert left is not None
    return [*refunds, revised(state, left, end.reason)]


def _is_paid(wager: Wager, state: BookState, end: End) -> bool:
    """Whether a wager that the open cards have won is paid though its coup is void."""
    better = end.by_supervisor and rules_of(state).cannot_continue == "BETTER_FOR_PLAYER"
    return better and early_win(wager.area, end.player, end.banker, rules_of(state))


def _would_have_paid(wager: Wager, state: BookState, end: End) -> int | None:
    """What the open cards would have given for the wager; None where they do not decide it."""
    if not end.by_supervisor:
        return None
    rules, unit = rules_of(state), settings_of(state).smallest_chip_minor
    token = wager.token is not None
    full = len(end.player) >= 2 and len(end.banker) >= 2
    if full and tableau.next_hand(end.player, end.banker) is None:
        whole = outcome(end.player, end.banker)
        paid = settle_wager(
            rules, wager.area, wager.stake_minor, whole, unit_minor=unit, token=token
        )
        return paid.returned_minor + paid.winnings_minor
    early = settle_early(
        rules,
        wager.area,
        wager.stake_minor,
        end.player,
        end.banker,
        unit_minor=unit,
        token=token,
    )
    return None if early is None else early.returned_minor + early.winnings_minor


# --- a card that was out before betting closed ---


def late_ones(state: BookState, book: Book) -> Sequence[Event]:
    """Wagers accepted, and increases made, at or after the card's instant do not count (A-25)."""
    if not book.card_out or book.closed_at_us is None:
        return ()
    no = Rejection("LATE", "a card was out before the wager was accepted", "card_before_close")
    events: list[Event] = []
    for wager in book.wagers.values():
        then = [mark for mark in wager.marks if mark.at_us < book.closed_at_us]
        if not then:
            cash = wager.cash_minor
            events.append(rejected(wager, state, book, no, was_accepted=True, refund_minor=cash))
        elif then[-1].stake_minor < wager.stake_minor:
            events.append(_lowered(wager, then[-1].stake_minor, state, book))
    return events


def _lowered(wager: Wager, to_minor: int, state: BookState, book: Book) -> WagerChanged:
    assert book.closed_at_us is not None
    return WagerChanged(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        currency=wager.currency,
        from_minor=wager.stake_minor,
        to_minor=to_minor,
        movement_id=movement(state, wager.wager_id, wager.movements + 1),
        refund_minor=wager.stake_minor - to_minor,
        changed_at_us=book.closed_at_us - 1,
        reason="LATE",
        context=wager.context,
    )


# --- withdrawal windows ---


def _open_window(at_us: int, book: Book, state: BookState) -> Window:
    window = book.window
    if window is None or window.closed or at_us >= window.until_us:
        code = "LOCKED" if book.phase == LOCKED else "STATE"
        raise Refused(code, "no withdrawal window is open", clauses_for(state, "locked"))
    return window


def withdraw(command: WithdrawWager, state: BookState) -> Sequence[Event]:
    book, wager = held_wager(command.wager_id, state)
    require_own(command, wager.player, what="withdrawing a wager")
    window = _open_window(command.at_us, book, state)
    gone = _withdrawn(wager, state, book, window, answered=True)
    left = fold(state, [gone]).book
    assert left is not None
    return [gone] if left.wagers else [gone, revised(state, left, "WITHDRAWAL")]


def keep(command: KeepWager, state: BookState) -> Sequence[Event]:
    book, wager = held_wager(command.wager_id, state)
    require_own(command, wager.player, what="staying with a wager")
    window = _open_window(command.at_us, book, state)
    if wager.wager_id in window.kept:
        return ()
    return [WagerKept(coup_id=book.coup_id, wager_id=wager.wager_id)]


def after_window(state: BookState, book: Book, window: Window) -> Sequence[Event]:
    """What silence means, and the book that the coup goes on with."""
    rules = rules_of(state).withdrawal
    silence = (
        rules.after_device_failure_silence
        if window.cause == DEVICE
        else rules.after_reconstruction_silence
    )
    silent = [
        _withdrawn(wager, state, book, window, answered=False)
        for wager in book.wagers.values()
        if silence == "RETURNS" and wager.wager_id not in window.kept
    ]
    left = fold(state, silent).book
    assert left is not None
    return [*silent, revised(state, left, "WITHDRAWAL")]


def _withdrawn(
    wager: Wager, state: BookState, book: Book, window: Window, *, answered: bool
) -> WagerWithdrawn:
    rule = "device_withdrawal" if window.cause == DEVICE else "withdrawal"
    return WagerWithdrawn(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        stake_minor=wager.stake_minor,
        refund_minor=wager.cash_minor,
        movement_id=_key(wager, state),
        token=wager.token,
        answered=answered,
        clauses=clauses_for(state, rule),
        context=wager.context,
    )


# --- one wager, by a supervisor ---


def void_wager(command: VoidWager, state: BookState) -> Sequence[Event]:
    require_role(
        command,
        CASINO_SUPERVISOR,
        what="voiding a wager",
        game_supervisor_counts=rules_of(state).games_supervisor_counts_as_casino_supervisor,
    )
    book, wager = held_wager(command.wager_id, state)
    if any(p.wager.wager_id == wager.wager_id for p in book.pending.values()):
        raise Refused("STATE", f"a change of {wager.wager_id} is under way")
    gone = WagerVoided(
        coup_id=book.coup_id,
        wager_id=wager.wager_id,
        player=wager.player,
        area=wager.area,
        currency=wager.currency,
        stake_minor=wager.stake_minor,
        refund_minor=wager.cash_minor,
        movement_id=_key(wager, state),
        reason=command.reason,
        token=wager.token,
        clauses=clauses_for(state, "prohibited_device"),
        context=wager.context,
    )
    if book.phase not in (FINAL, LOCKED) or book.window is not None:
        return [gone]  # the book says so when it closes, or when the window does
    left = fold(state, [gone]).book
    assert left is not None
    return [gone, revised(state, left, "WAGER_VOIDED")]
