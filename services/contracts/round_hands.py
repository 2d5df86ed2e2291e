"""Events of the round service about who holds cards and shoe, and about errors in the deal.

They belong to the events of `services.contracts.round`, which lists them all.
"""

from __future__ import annotations

from services.contracts.core import Event


class ShoeOffered(Event, frozen=True, kw_only=True):
    """The shoe was offered to a seat (004 8.15, 8.25)."""

    type = "shoe-offered"
    coup_id: str
    seat: int
    player: str
    clauses: tuple[str, ...] = ()


class ShoeDeclined(Event, frozen=True, kw_only=True):
    """The seat did not want the shoe."""

    type = "shoe-declined"
    coup_id: str
    seat: int


class ShoeAccepted(Event, frozen=True, kw_only=True):
    """The seat took the shoe, to act for a hand; the dealer acts for the other (004 8.17, 8.27)."""

    type = "shoe-accepted"
    coup_id: str
    seat: int
    player: str
    hand: str
    clauses: tuple[str, ...] = ()


class ShoePassed(Event, frozen=True, kw_only=True):
    """The holder passed the shoe on: it is offered counter-clockwise from his seat (004 8.18)."""

    type = "shoe-passed"
    seat: int
    reason: str
    """HOLDER, NO_WAGER, LEFT or, in method D, COUP_OVER."""

    clauses: tuple[str, ...] = ()


class ShoeForfeited(Event, frozen=True, kw_only=True):
    """The holder lost the shoe (004 8.18, 8.20, 8.29)."""

    type = "shoe-forfeited"
    seat: int
    player: str
    reason: str
    """LOST or ORDERED."""

    clauses: tuple[str, ...] = ()


class ShoeHolderChanged(Event, frozen=True, kw_only=True):
    """The shoe is with somebody else (004 8.2)."""

    type = "shoe-holder-changed"
    seat: int | None = None
    """None: the dealer."""

    player: str | None = None


class CardsOffered(Event, frozen=True, kw_only=True):
    """A hand's cards were offered to a seat, face down (004 8.5 to 8.8, 9.6.2)."""

    type = "cards-offered"
    coup_id: str
    hand: str
    seat: int
    player: str
    position: int = 1
    """1 for the first two cards, 3 for the third."""

    clauses: tuple[str, ...] = ()


class CardsDeclined(Event, frozen=True, kw_only=True):
    """The seat did not want the hand."""

    type = "cards-declined"
    coup_id: str
    hand: str
    seat: int


class HandPassed(Event, frozen=True, kw_only=True):
    """The hand lies before a player; no other hand is out meanwhile (004 8.11)."""

    type = "hand-passed"
    coup_id: str
    hand: str
    seat: int
    player: str
    clauses: tuple[str, ...] = ()


class HandReturned(Event, frozen=True, kw_only=True):
    """The hand is back with the dealer, who lays it face up (004 8.14, 8.24, 8.33, 9.8.1)."""

    type = "hand-returned"
    coup_id: str
    hand: str
    seat: int
    clauses: tuple[str, ...] = ()


class HandRetainedByDealer(Event, frozen=True, kw_only=True):
    """The dealer keeps the hand (004 8.10)."""

    type = "hand-retained-by-dealer"
    coup_id: str
    hand: str
    reason: str
    """NO_WAGER or ALL_DECLINED."""

    clauses: tuple[str, ...] = ()


class HandMarkerPlaced(Event, frozen=True, kw_only=True):
    """The marker of the hand lies before the player who acts for it (004 2.3.3)."""

    type = "hand-marker-placed"
    coup_id: str
    hand: str
    seat: int


class TurnInstructed(Event, frozen=True, kw_only=True):
    """Cards that lie face down are turned: the shoe makes their identities public."""

    type = "turn-instructed"
    coup_id: str
    draw_numbers: tuple[int, ...]
    seat: int | None = None
    """The player who turns them; none: the dealer."""

    clauses: tuple[str, ...] = ()


class MisdealDetected(Event, frozen=True, kw_only=True):
    """Cards came out or were laid as they should not have been."""

    type = "misdeal-detected"
    coup_id: str
    kind: str
    """WRONG_PLACEMENT, UNAUTHORISED_PLAYER_THIRD, EXTRA_CARD, MULTI_PULL or EXCESS_INITIAL."""

    draw_numbers: tuple[int, ...]
    laid: str | None = None
    """Where the card was laid: PLAYER or BANKER."""

    due: str | None = None
    """The hand that the draw order gives it to; none: no hand needs it."""

    holds: bool = False
    """The coup waits for a ruling."""

    clauses: tuple[str, ...] = ()


class CoupHeld(Event, frozen=True, kw_only=True):
    """The coup stands still until a person decides; time never ends it."""

    type = "coup-held"
    coup_id: str
    code: str
    """ANNOUNCEMENT_MISMATCH, CARD_BEFORE_CLOSE, MISDEAL, DEVICE or SCAN_GAP."""

    since_us: int


class ErrorApproved(Event, frozen=True, kw_only=True):
    """A supervisor confirmed what was drawn in error, or will be, in this coup."""

    type = "error-approved"
    coup_id: str
    what: str
    """MULTI_PULL or EXTRA_CARDS."""

    clauses: tuple[str, ...] = ()


class PlacementCorrected(Event, frozen=True, kw_only=True):
    """Cards were put where the draw order wants them."""

    type = "placement-corrected"
    coup_id: str
    draw_numbers: tuple[int, ...]
    hands: tuple[str, ...]
    """The hand of each."""

    cause: str = "MISPLACED"
    """MISPLACED, by a ruling; MULTI_PULL, confirmed; THIRD_CARD, by rule."""

    clauses: tuple[str, ...] = ()


class CardReassigned(Event, frozen=True, kw_only=True):
    """A card laid on the wrong hand belongs to the hand that needs it (004 12.4)."""

    type = "card-reassigned"
    coup_id: str
    draw_number: int
    card: str | None
    to: str
    """BANKER_3 or PLAYER_3."""

    clauses: tuple[str, ...] = ()


class ReconstructionAttempted(Event, frozen=True, kw_only=True):
    """The dealer tries to put the deal right (004 12.1)."""

    type = "reconstruction-attempted"
    coup_id: str
    clauses: tuple[str, ...] = ()


class ReconstructionCompleted(Event, frozen=True, kw_only=True):
    """The first four cards lie in draw order: Player, Banker, Player, Banker (004 12.1)."""

    type = "reconstruction-completed"
    coup_id: str
    draw_numbers: tuple[int, ...]
    hands: tuple[str, ...]
    exposed: bool
    """A card of the coup was seen: nothing can be withdrawn."""

    clauses: tuple[str, ...] = ()


class ReconstructionFailed(Event, frozen=True, kw_only=True):
    """The deal can't be put right (004 12.3)."""

    type = "reconstruction-failed"
    coup_id: str
    clauses: tuple[str, ...] = ()


class WithdrawalWindowExtended(Event, frozen=True, kw_only=True):
    """The window stays open longer than the rulebook has it, up to 300 seconds."""

    type = "withdrawal-window-extended"
    coup_id: str
    until_us: int


class CoupResumed(Event, frozen=True, kw_only=True):
    """A coup that was stopped goes on."""

    type = "coup-resumed"
    coup_id: str
    after: str
    """RECONSTRUCTION or DEVICE."""

    source: str = ""
    """DEVICE or SHOE, where a fault of the device stopped it."""

    clauses: tuple[str, ...] = ()


class CardAttested(Event, frozen=True, kw_only=True):
    """A supervisor says whether the card that was out before the close had been seen (A-25)."""

    type = "card-attested"
    coup_id: str
    draw_numbers: tuple[int, ...]
    seen: bool
    clauses: tuple[str, ...] = ()


class IncidentResolved(Event, frozen=True, kw_only=True):
    """An incident that held coup or table holds it no more."""

    type = "incident-resolved"
    code: str
    how: str
    """CONFIRMED, CORRECTED, PLAYED, VOIDED, ENTERED, RELEASED or NEW_SHOE."""

    coup_id: str | None = None
    coup: int | None = None


class HoldEscalated(Event, frozen=True, kw_only=True):
    """A coup has been held for ten minutes, or ten more; time never ends it."""

    type = "hold-escalated"
    coup_id: str
    code: str
    held_since_us: int
    minutes: int
    to: tuple[str, ...] = ("CASINO_SUPERVISOR", "DUTY_MANAGER")


class AlarmRaised(Event, frozen=True, kw_only=True):
    """A reconstruction takes longer than it should; an alarm and nothing more."""

    type = "alarm-raised"
    coup_id: str
    code: str
    clauses: tuple[str, ...] = ()


EVENTS: tuple[type[Event], ...] = (
    ShoeOffered,
    ShoeDeclined,
    ShoeAccepted,
    ShoePassed,
    ShoeForfeited,
    ShoeHolderChanged,
    CardsOffered,
    CardsDeclined,
    HandPassed,
    HandReturned,
    HandRetainedByDealer,
    HandMarkerPlaced,
    TurnInstructed,
    MisdealDetected,
    CoupHeld,
    ErrorApproved,
    PlacementCorrected,
    CardReassigned,
    ReconstructionAttempted,
    ReconstructionCompleted,
    ReconstructionFailed,
    WithdrawalWindowExtended,
    CoupResumed,
    CardAttested,
    IncidentResolved,
    HoldEscalated,
    AlarmRaised,
)
