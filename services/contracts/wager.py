"""Events of the wager service: limits, and the book of each coup."""

from __future__ import annotations

from services.contracts.common import BookTotals, Limits, RulebookActivated
from services.contracts.core import Event

SERVICE = "wager"


class LimitsPublished(Event, frozen=True, kw_only=True):
    """The sign at the table: each accepted wager names the version it saw."""

    type = "limits-published"
    limits_version: int
    limits: dict[str, Limits]
    differential_minor: int | None = None


class StandingWagerPermitted(Event, frozen=True, kw_only=True):
    """Players without a seat may wager from now on, or may no longer."""

    type = "standing-wager-permitted"
    permitted: bool


class DebitRequested(Event, frozen=True, kw_only=True):
    """The wallet is asked for the stake; the wager exists once it has answered."""

    type = "debit-requested"
    coup_id: str
    wager_id: str
    movement_id: str
    """Key of the money movement, unique for ever; a repeat moves nothing."""

    player: str
    currency: str
    amount_minor: int
    area: str
    stake_minor: int
    """The wager's stake once the debit is done; more than the amount where it is an increase."""

    channel: str
    limits_version: int
    out_of_limits: bool = False
    box: str | None = None
    clauses: tuple[str, ...] = ()


class WagerAccepted(Event, frozen=True, kw_only=True):
    """The stake is in: the wager stands."""

    type = "wager-accepted"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    channel: str
    limits_version: int
    out_of_limits: bool = False
    box: str | None = None
    funding: str = "CASH"
    """CASH or PROMO."""


class WagerRejected(Event, frozen=True, kw_only=True):
    """The wager does not stand; whatever was debited for it goes back."""

    type = "wager-rejected"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    amount_minor: int
    code: str
    message: str
    refund_minor: int = 0
    movement_id: str | None = None
    clauses: tuple[str, ...] = ()


class WagerChanged(Event, frozen=True, kw_only=True):
    """The player changed his stake before the close."""

    type = "wager-changed"
    coup_id: str
    wager_id: str
    player: str
    currency: str
    from_minor: int
    to_minor: int
    movement_id: str
    """Of the debit of what was added, or of the partial cancel of what was taken off."""

    refund_minor: int = 0


class WagerCancelled(Event, frozen=True, kw_only=True):
    """The player took his wager back before the close."""

    type = "wager-cancelled"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    refund_minor: int
    movement_id: str


class WagerRefunded(Event, frozen=True, kw_only=True):
    """The coup has no result: the stake goes back whole."""

    type = "wager-refunded"
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    refund_minor: int
    movement_id: str
    reason: str
    clauses: tuple[str, ...] = ()


class BookClosed(Event, frozen=True, kw_only=True):
    """The book is complete: no wager joins it any more."""

    type = "book-closed"
    coup_id: str
    revision: int
    wagers: int
    totals: dict[str, dict[str, BookTotals]]
    """By currency, then area."""

    digest: str
    """SHA-256, hexadecimal, over the live wagers in order of acceptance."""


class BookRevised(Event, frozen=True, kw_only=True):
    """The closed book changed, by withdrawal or refund: a new revision replaces it."""

    type = "book-revised"
    coup_id: str
    revision: int
    wagers: int
    totals: dict[str, dict[str, BookTotals]]
    digest: str
    reason: str


EVENTS: dict[str, type[Event]] = {
    event.type: event
    for event in (
        RulebookActivated,
        LimitsPublished,
        StandingWagerPermitted,
        DebitRequested,
        WagerAccepted,
        WagerRejected,
        WagerChanged,
        WagerCancelled,
        WagerRefunded,
        BookClosed,
        BookRevised,
    )
}
"""Every event of the service by its stable name."""
