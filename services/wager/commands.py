"""Commands of the wager service."""

from __future__ import annotations

from services.contracts.common import TableSettings
from services.contracts.core import Command


class ActivateRulebook(Command, frozen=True, kw_only=True):
    """Take up a table that round opened."""

    session: int
    settings: TableSettings


class PlaceWager(Command, frozen=True, kw_only=True):
    """Stake an amount, minor units, on an area of the coup that is open for betting."""

    wager_id: str
    """The client's idempotency key, unique at the table for ever."""

    player: str
    area: str
    amount_minor: int
    currency: str | None = None
    """The table's own where it is left out."""

    channel: str | None = None
    """SCREEN or LAYOUT; by the rulebook's kind of table where it is left out."""

    box: str | None = None
    token: str | None = None
    coup_id: str | None = None
    """The coup that the player saw; another one is never meant instead."""


class ChangeWager(Command, frozen=True, kw_only=True):
    """Set a wager's amount to a new total, before the close."""

    wager_id: str
    amount_minor: int


class CancelWager(Command, frozen=True, kw_only=True):
    """Take a wager back, before the close."""

    wager_id: str


class RejectWager(Command, frozen=True, kw_only=True):
    """The dealer refuses a wager outside the limits, before the book closes (004 6.3)."""

    wager_id: str


class RecordDebit(Command, frozen=True, kw_only=True):
    """The wallet's answer to a debit that was asked for."""

    movement_id: str
    outcome: str
    """DONE or REFUSED. An unknown outcome is no answer: it is asked for again."""

    reason: str = ""


class PermitStanding(Command, frozen=True, kw_only=True):
    """Players without a seat may wager, or may no longer (003 5.5)."""

    permitted: bool


class Proceed(Command, frozen=True, kw_only=True):
    """Do what has fallen due by what was heard."""
