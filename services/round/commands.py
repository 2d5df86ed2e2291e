"""Commands of the round service."""

from __future__ import annotations

from typing import Any

from services.contracts.common import TableSettings
from services.contracts.core import Command


class OpenTable(Command, frozen=True, kw_only=True):
    """Open a table for play, under one rulebook."""

    settings: TableSettings


class CloseTable(Command, frozen=True, kw_only=True):
    """Close the table; with players present a notice comes first (004 14.9)."""


class TakeSeat(Command, frozen=True, kw_only=True):
    """A player takes a numbered seat (004 2.1)."""

    seat: int
    player: str


class LeaveSeat(Command, frozen=True, kw_only=True):
    """A player leaves his seat."""

    player: str
    seat: int | None = None


class AssignDealer(Command, frozen=True, kw_only=True):
    """A dealer takes the table."""

    dealer: str


class ChangeDealer(Command, frozen=True, kw_only=True):
    """Another dealer takes over; the rulebook may owe a burn for it (000 3.4)."""

    dealer: str


class OpenBetting(Command, frozen=True, kw_only=True):
    """Take wagers for the next coup."""

    closes_in_us: int | None = None
    no_bet: bool = False


class CallNoMoreBets(Command, frozen=True, kw_only=True):
    """The dealer's call (000 2.1.6, 004 7.1)."""


class CloseBook(Command, frozen=True, kw_only=True):
    """The dealer has rejected what he rejects: close the book."""


class DealCoup(Command, frozen=True, kw_only=True):
    """Deal the coup out: every card that the rules still call for, then the result."""


class AnnounceResult(Command, frozen=True, kw_only=True):
    """End a coup that was drawn card by card; the words are the dealer's, the cards decide."""

    winner: str | None = None
    player_points: int | None = None
    banker_points: int | None = None


class RecordIncident(Command, frozen=True, kw_only=True):
    """Write down what can only be written down."""

    code: str
    note: str = ""


class AdvanceTime(Command, frozen=True, kw_only=True):
    """Nothing happens but the passing of time: timers that are due fire in order."""


class Proceed(Command, frozen=True, kw_only=True):
    """Do what has fallen due by what was heard."""


COMMANDS: dict[str, type[Any]] = {
    command.__name__: command
    for command in (
        OpenTable,
        CloseTable,
        TakeSeat,
        LeaveSeat,
        AssignDealer,
        ChangeDealer,
        OpenBetting,
        CallNoMoreBets,
        CloseBook,
        DealCoup,
        AnnounceResult,
        RecordIncident,
        AdvanceTime,
    )
}
"""What people and machines may ask for; `Proceed` belongs to reactions."""
