"""Events of the round service about the table itself: signs, seats, approvals, suspensions.

They belong to the events of `services.contracts.round`, which lists them all.
"""

from __future__ import annotations

from services.contracts.common import TableSettings
from services.contracts.core import Event


class SupervisorAssigned(Event, frozen=True, kw_only=True):
    """A game supervisor watches the table."""

    type = "supervisor-assigned"
    supervisor: str
    shift: int = 0
    """Number of the change among those of the table's dealers and supervisors."""


class TableSuspended(Event, frozen=True, kw_only=True):
    """No betting opens until the table is resumed; a coup that runs is finished or void."""

    type = "table-suspended"
    reason: str
    """INTEGRITY, NEW_DECK_ORDER, VIDEO_LOST or HOUSE."""

    note: str = ""
    clauses: tuple[str, ...] = ()


class TableResumed(Event, frozen=True, kw_only=True):
    """The suspension is over."""

    type = "table-resumed"
    reason: str
    """The reason of the suspension that ended."""


class SignDisplayed(Event, frozen=True, kw_only=True):
    """A sign stands at the table from this instant."""

    type = "sign-displayed"
    sign: str
    """ODDS, CLOSE or GAME."""

    displayed_at_us: int
    value: str = ""
    effective_at_us: int | None = None
    clauses: tuple[str, ...] = ()


class SignRemoved(Event, frozen=True, kw_only=True):
    """The sign was taken down: a notice that rests on it is void."""

    type = "sign-removed"
    sign: str


class TableClosureNotified(Event, frozen=True, kw_only=True):
    """A sign says that the table will close (004 14.9)."""

    type = "table-closure-notified"
    displayed_at_us: int
    effective_at_us: int
    clauses: tuple[str, ...] = ()


class VariantChangeNotified(Event, frozen=True, kw_only=True):
    """A sign says that the table will go over to another game (004 14.8)."""

    type = "variant-change-notified"
    rulebook_id: str
    displayed_at_us: int
    effective_at_us: int
    clauses: tuple[str, ...] = ()


class VariantConsentAsked(Event, frozen=True, kw_only=True):
    """The players are asked: from now on the set of those who must agree only grows (X-47)."""

    type = "variant-consent-asked"
    players: tuple[str, ...]
    """Players with an accepted wager in the coup that runs or in the one before."""

    clauses: tuple[str, ...] = ()


class VariantConsentGiven(Event, frozen=True, kw_only=True):
    """A player agrees to a change of game."""

    type = "variant-consent-given"
    player: str
    clauses: tuple[str, ...] = ()


class VariantChanged(Event, frozen=True, kw_only=True):
    """The table plays under another rulebook from the next coup on.

    Every service takes the settings up; nothing else at the table changes.
    """

    type = "variant-changed"
    settings: TableSettings
    before: str
    """Id of the rulebook before."""

    by_consent: bool = False
    clauses: tuple[str, ...] = ()


class DealingMethodSelected(Event, frozen=True, kw_only=True):
    """The method by which cards are dealt from the next coup on."""

    type = "dealing-method-selected"
    method: str
    coup_id: str | None = None
    """The only coup that it is for, where everybody declined the shoe."""

    fallback: bool = False
    clauses: tuple[str, ...] = ()


class MethodApproved(Event, frozen=True, kw_only=True):
    """A dealing method may be used at the table (004 8.1.1, 8.4)."""

    type = "method-approved"
    method: str
    until_coup: int | None = None
    """Number of the last coup that it holds for."""

    conditions: str = ""
    clauses: tuple[str, ...] = ()


class RoleApproved(Event, frozen=True, kw_only=True):
    """A player may act for Player's hand in methods C and D (004 8.17.2, 8.27.2)."""

    type = "role-approved"
    player: str | None = None
    """None: any player."""

    until_coup: int | None = None
    clauses: tuple[str, ...] = ()


class SeatIdleCounted(Event, frozen=True, kw_only=True):
    """A round passed at a full table in which this seat did not stake (004 14.10)."""

    type = "seat-idle-counted"
    seat: int
    player: str
    rounds: int
    clauses: tuple[str, ...] = ()


class SeatVacateRequired(Event, frozen=True, kw_only=True):
    """The player was asked to give his seat up (004 14.10)."""

    type = "seat-vacate-required"
    seat: int
    player: str
    clauses: tuple[str, ...] = ()


class ClosingOrdered(Event, frozen=True, kw_only=True):
    """The table closes as soon as nothing is left to do for its coup; TEST tables only."""

    type = "closing-ordered"


EVENTS: tuple[type[Event], ...] = (
    SupervisorAssigned,
    TableSuspended,
    TableResumed,
    SignDisplayed,
    SignRemoved,
    TableClosureNotified,
    VariantChangeNotified,
    VariantConsentAsked,
    VariantConsentGiven,
    VariantChanged,
    DealingMethodSelected,
    MethodApproved,
    RoleApproved,
    SeatIdleCounted,
    SeatVacateRequired,
    ClosingOrdered,
)
