"""Events of the settlement service: who is paid what, and why; corrections and disputes.

A correction is never an edit (D7): for each wager a `SettlementReversed` and then a new decision
under the next revision. What moves is the difference, `due_minor` of the new decision, under its
`settlement_id`; a debit comes only after `PlayerNotified`.
"""

from __future__ import annotations

from msgspec import Struct

from services.contracts.common import PlayerContext, RulebookActivated, Totals
from services.contracts.core import Event

SERVICE = "settlement"


class PayTablePublished(Event, frozen=True, kw_only=True):
    """The pay table in force at the table."""

    type = "pay-table-published"
    pay: dict[str, str]
    """Winnings for one unit staked, as a fraction, by area."""

    commission: dict[str, str]
    rounding: str
    rounding_unit_minor: int


class WagerSettled(Event, frozen=True, kw_only=True):
    """A wager was decided by the result."""

    type = "wager-settled"
    settlement_id: str
    """`coup/wager/revision`: key of the credit, so that no repeat can pay twice."""

    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    outcome: str
    """WON, LOST or PUSH."""

    returned_minor: int
    winnings_minor: int
    """After commission and rounding."""

    winnings_exact: str
    commission_exact: str
    rounding_exact: str
    funding: str = "CASH"
    token: str | None = None
    revision: int = 1
    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None
    credit_id: str = ""
    """Of the one credit for all the player's wagers of the coup; empty where it has its own."""

    @property
    def credit_minor(self) -> int:
        """What the player's account gets for the wager, in all."""
        return self.returned_minor + self.winnings_minor


class CreditShare(Struct, frozen=True, kw_only=True):
    """What a wager has of a credit."""

    wager_id: str
    area: str
    amount_minor: int


class CreditGrouped(Event, frozen=True, kw_only=True):
    """All wagers of a player in a coup are paid by one credit, where his operator has it so.

    Their `WagerSettled` name its key; what a correction moves later it moves wager by wager.
    """

    type = "credit-grouped"
    credit_id: str
    """`coup/#number`: key of the credit, so that no repeat can pay twice."""

    coup_id: str
    player: str
    currency: str
    amount_minor: int
    """0 where all were lost."""

    wagers: tuple[CreditShare, ...]
    context: PlayerContext | None = None


class WagerResettled(WagerSettled, frozen=True, kw_only=True):
    """A wager was decided anew by a corrected result (X-55)."""

    type = "wager-resettled"
    already_minor: int = 0
    """What the account has for the wager by earlier revisions."""

    @property
    def due_minor(self) -> int:
        """What moves now: a credit, or a debit where it is negative."""
        return self.credit_minor - self.already_minor


class WagerRefunded(Event, frozen=True, kw_only=True):
    """The stake goes back although its coup had a result: that was set aside, or the wager voided."""

    type = "wager-refunded"
    settlement_id: str
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    outcome: str
    """REFUNDED, or VOIDED where it was this wager alone."""

    returned_minor: int
    """In cash; a token goes back as a token."""

    already_minor: int
    """What the account has for the wager by now, also what the wager service gave back."""

    reason: str
    funding: str = "CASH"
    token: str | None = None
    revision: int = 1
    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None

    @property
    def due_minor(self) -> int:
        """What moves now: a credit, or a debit where it is negative."""
        return self.returned_minor - self.already_minor


class WagerForfeited(Event, frozen=True, kw_only=True):
    """The stake of somebody who committed a fraud is kept (004 14.5)."""

    type = "wager-forfeited"
    settlement_id: str
    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    already_minor: int
    reason: str
    funding: str = "CASH"
    token: str | None = None
    revision: int = 1
    clauses: tuple[str, ...] = ()
    context: PlayerContext | None = None

    @property
    def due_minor(self) -> int:
        """What moves now: a debit of all that the account had."""
        return -self.already_minor


class SettlementReversed(Event, frozen=True, kw_only=True):
    """A decision on a wager counts no more; its amounts are taken out of the books as they stand.

    By itself it moves nothing: the new decision that follows says what is due.
    """

    type = "settlement-reversed"
    settlement_id: str
    """Of the decision that is reversed."""

    coup_id: str
    wager_id: str
    player: str
    area: str
    currency: str
    outcome: str
    returned_minor: int
    winnings_minor: int
    commission_exact: str
    rounding_exact: str
    revision: int
    """The revision that the reversal belongs to."""

    reason: str
    clauses: tuple[str, ...] = ()


class PlayerNotified(Event, frozen=True, kw_only=True):
    """The player is told that a correction takes money from his account, before it does (N-7)."""

    type = "player-notified"
    player: str
    coup_id: str
    currency: str
    amount_minor: int
    revision: int
    reason: str


class ReversalOutstanding(Event, frozen=True, kw_only=True):
    """The wallet refused a debit of a correction: it stays due until it is collected (N-7)."""

    type = "reversal-outstanding"
    movement_id: str
    """The `settlement_id` of the decision whose debit it is."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    reason: str
    attempts: int
    context: PlayerContext | None = None


class ReversalRepeated(Event, frozen=True, kw_only=True):
    """An outstanding debit is asked for again, under its own key."""

    type = "reversal-repeated"
    movement_id: str
    player: str
    currency: str
    amount_minor: int
    context: PlayerContext | None = None


class ReversalCollected(Event, frozen=True, kw_only=True):
    """An outstanding debit was made."""

    type = "reversal-collected"
    movement_id: str
    player: str
    currency: str
    amount_minor: int


class CreditOutstanding(Event, frozen=True, kw_only=True):
    """The wallet refused for good what the player is owed: it stays owed until it is delivered."""

    type = "credit-outstanding"
    movement_id: str
    """The `settlement_id` of the decision whose credit it is."""

    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    reason: str
    """The wallet's word, such as BALANCE_MAXIMUM."""

    attempts: int
    context: PlayerContext | None = None
    wagers: tuple[CreditShare, ...] = ()
    """Of a credit for several wagers: what each has of it."""


class CreditRepeated(Event, frozen=True, kw_only=True):
    """An outstanding credit is delivered again, under its own key."""

    type = "credit-repeated"
    movement_id: str
    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    context: PlayerContext | None = None
    wagers: tuple[CreditShare, ...] = ()


class CreditDelivered(Event, frozen=True, kw_only=True):
    """An outstanding credit has arrived. One that arrives at once needs no saying."""

    type = "credit-delivered"
    movement_id: str
    player: str
    currency: str
    amount_minor: int


class CommissionCollected(Event, frozen=True, kw_only=True):
    """Commission of one winning wager, at the same instant as its payment."""

    type = "commission-collected"
    coup_id: str
    wager_id: str
    currency: str
    amount_exact: str
    amount_minor: int
    """Gross winnings less what was paid: it carries the rounding."""

    revision: int = 1
    clauses: tuple[str, ...] = ()


class CoupSettled(Event, frozen=True, kw_only=True):
    """Every wager of the coup is decided; the books of the coup by currency."""

    type = "coup-settled"
    coup_id: str
    coup: int
    status: str
    """SETTLED, NO_BET, BACKFILLED, INVALIDATED, or VOID where the open cards had won wagers already."""

    wagers: int
    book_revision: int
    book_digest: str
    totals: Totals
    revision: int = 1
    reason: str = ""
    """Of a void or invalidated coup, or of the correction."""


class PromoTokensDecided(Event, frozen=True, kw_only=True):
    """What a revision of the coup makes of the promotional tokens that were staked on it."""

    type = "promo-tokens-decided"
    coup_id: str
    spent: tuple[str, ...] = ()
    """Won, lost or forfeited: gone."""

    returned: tuple[str, ...] = ()
    """Neither won nor lost: they can be staked again."""

    revision: int = 1


class CoupReviewOpened(Event, frozen=True, kw_only=True):
    """A settled coup is under review: its shoe turned out not to be what it should be (N-6)."""

    type = "coup-review-opened"
    coup_id: str
    coup: int
    shoe_id: str
    reason: str
    """INTEGRITY."""

    clauses: tuple[str, ...] = ()


class CoupReviewClosed(Event, frozen=True, kw_only=True):
    """The coup was looked into; where it was settled wrongly, a correction stands beside this."""

    type = "coup-review-closed"
    coup_id: str
    coup: int
    note: str


class DropCounted(Event, frozen=True, kw_only=True):
    """What was in the table's drop box, as it was counted elsewhere (004 2.4)."""

    type = "drop-counted"
    session: int
    """The opening of the table that it belongs to."""

    currency: str
    amount_minor: int
    clauses: tuple[str, ...] = ()


class DisputeOpened(Event, frozen=True, kw_only=True):
    """Somebody disputes a coup (004 14.12)."""

    type = "dispute-opened"
    dispute_id: str
    coup_id: str
    coup: int
    claim: str
    clauses: tuple[str, ...] = ()


class DisputeDecided(Event, frozen=True, kw_only=True):
    """The first decision of a dispute, by the table's supervisor."""

    type = "dispute-decided"
    dispute_id: str
    coup_id: str
    level: int
    decision: str
    """UPHELD, DISMISSED or UNRESOLVED."""

    status: str
    """Of the dispute after it: DECIDED or UNRESOLVED."""

    decided_by: str
    note: str = ""
    evidence_digest: str | None = None
    """Of the rebuilt coup that was looked at; none: it was decided without opening it."""

    clauses: tuple[str, ...] = ()


class DisputeReviewed(Event, frozen=True, kw_only=True):
    """A further decision of a dispute, by another person at the next level."""

    type = "dispute-reviewed"
    dispute_id: str
    coup_id: str
    level: int
    decision: str
    status: str
    """REVIEWED or UNRESOLVED."""

    decided_by: str
    note: str = ""
    evidence_digest: str | None = None
    clauses: tuple[str, ...] = ()


class InspectorAdvised(Event, frozen=True, kw_only=True):
    """The complainant was told that the inspector can look into it; the house's part is closed."""

    type = "inspector-advised"
    dispute_id: str
    coup_id: str
    level: int
    clauses: tuple[str, ...] = ()


class DisputeEscalated(Event, frozen=True, kw_only=True):
    """The inspector looks into the dispute, at the complainant's request (004 14.13)."""

    type = "dispute-escalated"
    dispute_id: str
    coup_id: str
    clauses: tuple[str, ...] = ()


class EvidenceExported(Event, frozen=True, kw_only=True):
    """The evidence of a coup was handed out (004 14.13). Who got it and when is in the envelope.

    It is about the file of the coup, not part of it: evidence does not change by being exported.
    """

    type = "evidence-exported"
    coup_id: str
    position: int
    """Of settlement's log: evidence asked for up to here is the same bytes again."""

    digest: str
    """SHA-256 of those bytes, hexadecimal."""

    purpose: str
    dispute_id: str = ""
    """Empty where it was exported for no dispute."""

    clauses: tuple[str, ...] = ()


class DisputeClosed(Event, frozen=True, kw_only=True):
    """Nothing more is asked in a decided dispute."""

    type = "dispute-closed"
    dispute_id: str
    coup_id: str
    level: int


EVENTS: dict[str, type[Event]] = {
    event.type: event
    for event in (
        RulebookActivated,
        PayTablePublished,
        WagerSettled,
        CreditGrouped,
        CommissionCollected,
        CoupSettled,
        PromoTokensDecided,
        SettlementReversed,
        PlayerNotified,
        WagerResettled,
        WagerRefunded,
        WagerForfeited,
        ReversalOutstanding,
        ReversalRepeated,
        ReversalCollected,
        CreditOutstanding,
        CreditRepeated,
        CreditDelivered,
        CoupReviewOpened,
        CoupReviewClosed,
        DropCounted,
        DisputeOpened,
        DisputeDecided,
        DisputeReviewed,
        InspectorAdvised,
        DisputeEscalated,
        EvidenceExported,
        DisputeClosed,
    )
}
"""Every event of the service by its stable name."""
