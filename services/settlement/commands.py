"""Commands of the settlement service."""

from __future__ import annotations

from typing import Annotated, Any

from services.contracts.common import Card, PlayerContext, TableSettings
from services.contracts.core import Command
from services.contracts.guards import OneOf
from services.contracts.settlement import CreditShare


class ActivateRulebook(Command, frozen=True, kw_only=True):
    """Take up a table that round opened."""

    session: int
    settings: TableSettings


class PublishPayTable(Command, frozen=True, kw_only=True):
    """The table plays another game from the next coup on: its pay table is the one in force."""


class Settle(Command, frozen=True, kw_only=True):
    """Settle a coup whose result and book are both known."""

    coup_id: str


class Correct(Command, frozen=True, kw_only=True):
    """Settle a settled coup anew by the cards as they should have been read (X-55)."""

    coup_id: str
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    reason: str = ""


class Invalidate(Command, frozen=True, kw_only=True):
    """Take a settled coup's outcome back: stakes return, some are forfeited (004 14.4, 14.5)."""

    coup_id: str
    reason: str
    forfeit: tuple[str, ...] = ()


class VoidWager(Command, frozen=True, kw_only=True):
    """Void a wager that was paid already (004 14.3.1). Takes a second person."""

    wager_id: str
    reason: str = ""


class TakeVoid(Command, frozen=True, kw_only=True):
    """The wager service voided a wager, and gave the stake back, that is settled here already."""

    coup_id: str
    wager_id: str
    refund_minor: int
    reason: str = ""


class RecordReversal(Command, frozen=True, kw_only=True):
    """The wallet's answer to a debit of a correction."""

    movement_id: str
    outcome: str
    """DONE or REFUSED."""

    reason: str = ""


class RepeatReversal(Command, frozen=True, kw_only=True):
    """Ask for an outstanding debit again."""

    movement_id: str


class RecordCredit(Command, frozen=True, kw_only=True):
    """The wallet's answer to a credit that it refused, or that had been outstanding."""

    movement_id: str
    outcome: str
    """DONE or REFUSED."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    reason: str = ""
    context: PlayerContext | None = None
    wagers: tuple[CreditShare, ...] = ()


class RepeatCredit(Command, frozen=True, kw_only=True):
    """Deliver an outstanding credit again."""

    movement_id: str


class OpenReviews(Command, frozen=True, kw_only=True):
    """The shoe's integrity was breached: look into the coups that were settled on it (N-6)."""

    shoe_id: str


class CloseReview(Command, frozen=True, kw_only=True):
    """A coup under review was looked into."""

    coup: int
    note: str = ""


class CountDrop(Command, frozen=True, kw_only=True):
    """Take in what was counted in the drop box (004 2.4)."""

    currency: str
    counted_minor: int


class OpenDispute(Command, frozen=True, kw_only=True):
    """Dispute a coup (004 14.12)."""

    dispute_id: str
    coup: int
    claim: str


class DecideDispute(Command, frozen=True, kw_only=True):
    """Decide a dispute at level 1, or review it at a higher one (004 14.12)."""

    dispute_id: str
    level: int
    decision: Annotated[str, OneOf(("UPHELD", "DISMISSED", "UNRESOLVED"))]
    """UPHELD, DISMISSED or UNRESOLVED."""

    note: str = ""
    evidence_digest: str | None = None
    """Of the rebuilt coup that was opened for it."""


class AdviseInspector(Command, frozen=True, kw_only=True):
    """Tell the complainant of an unresolved dispute about the inspector (004 14.13)."""

    dispute_id: str


class EscalateDispute(Command, frozen=True, kw_only=True):
    """Take a dispute, after the advice, to the inspector."""

    dispute_id: str


class ExportEvidence(Command, frozen=True, kw_only=True):
    """Put on record that the evidence of a coup is handed out (004 14.13)."""

    coup_id: str
    purpose: str
    dispute_id: str = ""
    position: int
    """The evidence was made from the log up to here, and has this SHA-256: both come from the
    service that made it, never from a caller."""

    digest: str


class CloseDispute(Command, frozen=True, kw_only=True):
    """Close a dispute; an unresolved one not before the advice."""

    dispute_id: str


COMMANDS: dict[str, type[Any]] = {
    command.__name__: command
    for command in (
        VoidWager,
        RepeatReversal,
        RepeatCredit,
        CloseReview,
        CountDrop,
        OpenDispute,
        DecideDispute,
        AdviseInspector,
        EscalateDispute,
        CloseDispute,
    )
}
"""What people and machines may ask for; the others belong to reactions and to the wallet."""
