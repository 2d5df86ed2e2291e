"""Events of the settlement service: who is paid what, and why."""

from __future__ import annotations

from services.contracts.common import RulebookActivated, Totals
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
    revision: int = 1
    clauses: tuple[str, ...] = ()

    @property
    def credit_minor(self) -> int:
        """What the player's account gets."""
        return self.returned_minor + self.winnings_minor


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
    """SETTLED or NO_BET."""

    wagers: int
    book_revision: int
    book_digest: str
    totals: Totals
    revision: int = 1


EVENTS: dict[str, type[Event]] = {
    event.type: event
    for event in (
        RulebookActivated,
        PayTablePublished,
        WagerSettled,
        CommissionCollected,
        CoupSettled,
    )
}
"""Every event of the service by its stable name."""
