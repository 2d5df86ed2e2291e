"""Events of the shoe service: where the cards are, and which ones came out."""

from __future__ import annotations

from services.contracts.common import Card, RulebookActivated
from services.contracts.core import Event

SERVICE = "shoe"


class ShoeAssembled(Event, frozen=True, kw_only=True):
    """The decks of the next shoe lie on the table."""

    type = "shoe-assembled"
    decks: int
    cards: int


class CardsInspected(Event, frozen=True, kw_only=True):
    """The cards were looked at, by one or two persons as the rulebook asks."""

    type = "cards-inspected"
    stage: str
    """PRE before play, POST after it, RETURN when cards come back to the table."""

    witness: str
    video: str
    defects: tuple[Card, ...] = ()
    clauses: tuple[str, ...] = ()


class CardsShuffled(Event, frozen=True, kw_only=True):
    """The cards were shuffled by the named procedure."""

    type = "cards-shuffled"
    procedure: str
    clauses: tuple[str, ...] = ()


class PreShuffledIntroduced(Event, frozen=True, kw_only=True):
    """A sealed pack of shuffled cards was brought in."""

    type = "pre-shuffled-introduced"


class RiffleRequested(Event, frozen=True, kw_only=True):
    """Somebody asked that pre-shuffled cards be riffled before the cut."""

    type = "riffle-requested"
    player: str


class CutOffered(Event, frozen=True, kw_only=True):
    """The cut was offered to a seat."""

    type = "cut-offered"
    seat: int


class CutDeclined(Event, frozen=True, kw_only=True):
    """The seat did not want to cut."""

    type = "cut-declined"
    seat: int


class CutMade(Event, frozen=True, kw_only=True):
    """The cutting card went in: so many cards lie in front of it."""

    type = "cut-made"
    position: int
    seat: int | None = None
    clauses: tuple[str, ...] = ()


class StackCut(Event, frozen=True, kw_only=True):
    """The part in front of the cutting card went to the back."""

    type = "stack-cut"
    position: int


class CutCardPlaced(Event, frozen=True, kw_only=True):
    """A marker went into the stack; it is no playing card."""

    type = "cut-card-placed"
    kind: str
    """BACK hides the last card, CUT ends the shoe."""

    from_back: int
    """Cards behind the marker."""


class ShoeCommitted(Event, frozen=True, kw_only=True):
    """The order of a shoe was fixed before it is dealt: this digest binds the house to it."""

    type = "shoe-committed"
    shoe_id: str
    number: int
    """Commitments of a table are numbered from 1 without gaps."""

    commitment: str
    """SHA-256, hexadecimal, over 32 secret bytes and the order."""


class ShoeLoaded(Event, frozen=True, kw_only=True):
    """A shoe is on the table."""

    type = "shoe-loaded"
    shoe_id: str
    decks: int
    cards: int
    source: str
    """SCANNED (identities come with the draws), PRESET (TEST tables only) or GENERATED."""

    cuts_after: int | None = None
    """Cards in front of the cutting card; none where the shoe has no cutting card."""

    order_id: str = ""
    """Under which the order of a preset or generated shoe is sealed, beside the log."""


class CardsBurned(Event, frozen=True, kw_only=True):
    """Cards went to the discard rack unplayed. They keep their draw numbers."""

    type = "cards-burned"
    shoe_id: str
    reason: str
    """NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE, GAME_ERROR, DISCRETION or CARD_BEFORE_CLOSE."""

    count: int
    first_draw_number: int
    first_card: Card | None = None
    """The card that was turned up, where the rulebook has it turned up."""

    clauses: tuple[str, ...] = ()


class CardDrawn(Event, frozen=True, kw_only=True):
    """A card left the shoe for a coup."""

    type = "card-drawn"
    shoe_id: str
    coup_id: str
    draw_number: int
    card: Card | None
    """None while the card lies face down."""

    face_up: bool = True
    to: str | None = None
    """Where the dealer laid it, if that was told: PLAYER or BANKER."""

    source: str = "SCANNER"
    """Who knows the card: SCANNER, PRESET, GENERATED or MANUAL."""


class CardIdentified(Event, frozen=True, kw_only=True):
    """The identity of a card that is not public: it stays inside the shoe service."""

    type = "card-identified"
    published = False
    shoe_id: str
    draw_number: int
    card: Card


class CutCardReached(Event, frozen=True, kw_only=True):
    """The cutting card came in sight."""

    type = "cut-card-reached"
    shoe_id: str
    after_draw_number: int
    as_first: bool
    """True where it shows before the first card of a coup."""

    in_burn: bool
    clauses: tuple[str, ...] = ()


class LastCoupDesignated(Event, frozen=True, kw_only=True):
    """The coup with this number is the last of the shoe."""

    type = "last-coup-designated"
    shoe_id: str
    coup: int
    call: str
    """When the dealer calls it: AT_APPEARANCE or AFTER_COUP."""

    clauses: tuple[str, ...] = ()


class ShoeExhausted(Event, frozen=True, kw_only=True):
    """A card was called for and none is left that can be dealt."""

    type = "shoe-exhausted"
    shoe_id: str
    coup_id: str
    clauses: tuple[str, ...] = ()


class ShoeRetired(Event, frozen=True, kw_only=True):
    """The shoe deals no more."""

    type = "shoe-retired"
    shoe_id: str
    reason: str
    """LAST_COUP, CUT_CARD_IN_BURN, EXHAUSTED, REPLACED, ENDED_EARLY or TABLE_CLOSED."""

    dealt: int
    burned: int
    left: int
    lapsed: tuple[str, ...] = ()
    """Burns still owed and cards carried over that lapse with the shoe."""


class ShoeInvalidated(Event, frozen=True, kw_only=True):
    """The shoe is spoiled: coups dealt from it after the fault are void."""

    type = "shoe-invalidated"
    shoe_id: str
    reason: str
    dealt: int
    burned: int
    left: int
    clauses: tuple[str, ...] = ()


class ShoeRevealed(Event, frozen=True, kw_only=True):
    """The whole order of a committed shoe with its secret, so that anyone can check it."""

    type = "shoe-revealed"
    shoe_id: str
    number: int
    order: tuple[Card, ...]
    secret: str
    """The 32 bytes, hexadecimal."""


EVENTS: dict[str, type[Event]] = {
    event.type: event
    for event in (
        RulebookActivated,
        ShoeAssembled,
        CardsInspected,
        CardsShuffled,
        PreShuffledIntroduced,
        RiffleRequested,
        CutOffered,
        CutDeclined,
        CutMade,
        StackCut,
        CutCardPlaced,
        ShoeCommitted,
        ShoeLoaded,
        CardsBurned,
        CardDrawn,
        CardIdentified,
        CutCardReached,
        LastCoupDesignated,
        ShoeExhausted,
        ShoeRetired,
        ShoeInvalidated,
        ShoeRevealed,
    )
}
"""Every event of the service by its stable name."""
