"""Events of the shoe service: where the cards are, and which ones came out."""

from __future__ import annotations

from services.contracts.common import Card, RulebookActivated
from services.contracts.core import Event

SERVICE = "shoe"


class ShoeDeviceRegistered(Event, frozen=True, kw_only=True):
    """An electronic shoe belongs to this table and may report its cards (000 1.2)."""

    type = "shoe-device-registered"
    device_id: str
    certificate: str = ""
    replaces: str = ""
    """The device whose place it takes: from now on that one reports nothing more."""

    reason: str = ""
    """Why it does; free text."""


class ShuffleDeviceRegistered(Event, frozen=True, kw_only=True):
    """A shuffling machine belongs to this table (004 1.1)."""

    type = "shuffle-device-registered"
    device_id: str
    kind: str
    """MULTISHUFFLER or SHUFFLING_DEVICE."""

    approval: str
    clauses: tuple[str, ...] = ()


class ShoeAssembled(Event, frozen=True, kw_only=True):
    """The decks of the next shoe lie on the table."""

    type = "shoe-assembled"
    decks: int
    cards: int
    deck_ids: tuple[str, ...] = ()
    """Where they are told; as many as there are decks."""

    back_colour: str = ""
    clauses: tuple[str, ...] = ()


class PackSealed(Event, frozen=True, kw_only=True):
    """Shuffled cards were put away under a seal until they are needed (004 3.5)."""

    type = "pack-sealed"
    seal_id: str
    place: str
    sealed_at_us: int
    deck_ids: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


class PackOpened(Event, frozen=True, kw_only=True):
    """The seal was found whole and broken (004 3.5)."""

    type = "pack-opened"
    seal_id: str
    clauses: tuple[str, ...] = ()


class DeckRejected(Event, frozen=True, kw_only=True):
    """A deck has a defect: it never loads again (000 3.1.3)."""

    type = "deck-rejected"
    deck_id: str
    defect: str
    clauses: tuple[str, ...] = ()


class CardsReplaced(Event, frozen=True, kw_only=True):
    """Other cards take the place of cards or decks; they are shuffled before play."""

    type = "cards-replaced"
    reason: str
    """DEFECT, UNFIT, NEW_CARDS or DAMAGED."""

    cards: tuple[Card, ...] = ()
    """The single cards that were replaced, where it was not all of them."""

    new_deck_ids: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


class CardsRemovedFromTable(Event, frozen=True, kw_only=True):
    """The cards left the table: they are inspected on their return (000 3.1.4)."""

    type = "cards-removed-from-table"
    deck_ids: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


class CardsInspected(Event, frozen=True, kw_only=True):
    """The cards were looked at, by one or two persons as the rulebook asks."""

    type = "cards-inspected"
    stage: str
    """PRE before play, POST after it, RETURN when cards come back to the table."""

    witness: str
    video: str
    defects: tuple[Card, ...] = ()
    incomplete: tuple[str, ...] = ()
    """Ids of decks that lack a card: the shoe can't be loaded with them."""

    clauses: tuple[str, ...] = ()


class CardsShuffled(Event, frozen=True, kw_only=True):
    """The cards were shuffled by the named procedure."""

    type = "cards-shuffled"
    procedure: str
    device_id: str = ""
    clauses: tuple[str, ...] = ()


class PreShuffledIntroduced(Event, frozen=True, kw_only=True):
    """A sealed pack of shuffled cards was brought in."""

    type = "pre-shuffled-introduced"
    seal_id: str = ""
    clauses: tuple[str, ...] = ()


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

    device: bool = False
    """A shuffling device stands for the shoe: no cut, no cutting card, no end (004 4.11)."""


class DeviceLoaded(Event, frozen=True, kw_only=True):
    """The cards went into the shuffling device (004 4.11.2)."""

    type = "device-loaded"
    shoe_id: str
    cards: int
    clauses: tuple[str, ...] = ()


class DiscardsReturned(Event, frozen=True, kw_only=True):
    """The cards of the coup went back into the shuffling device (004 4.11.2)."""

    type = "discards-returned"
    shoe_id: str
    count: int
    clauses: tuple[str, ...] = ()


class ErrorBurnApproved(Event, frozen=True, kw_only=True):
    """A supervisor agrees that cards are burned for a game error (000 3.4)."""

    type = "error-burn-approved"
    shoe_id: str
    clauses: tuple[str, ...] = ()


class CardsBurned(Event, frozen=True, kw_only=True):
    """Cards went to the discard rack unplayed. They keep their draw numbers."""

    type = "cards-burned"
    shoe_id: str
    reason: str
    """NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE, GAME_ERROR, DISCRETION or CARD_BEFORE_CLOSE."""

    count: int
    first_draw_number: int
    set_aside: int = 0
    """How many of them had left the shoe before; the rest was drawn for the burn."""

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
    """Who knows the card: SCANNER, PRESET, GENERATED, MANUAL, or UNREAD where nobody does yet."""

    device_id: str = ""
    sequence: int | None = None
    """Number of the electronic shoe's report; a repeat of it is dropped, a gap holds the coup."""

    pulled: int = 1
    """Cards that came out in the same movement; draw numbers count them upper first."""

    before_close: bool = False
    """It was out while betting was open (A-25)."""

    scanned: bool = False
    """An electronic shoe read it as it came out."""

    instructed: bool = True
    """False where a player drew it without the dealer's word (004 8.19)."""

    carried: bool = False
    """It left the shoe in an earlier coup and was kept for this one."""

    clauses: tuple[str, ...] = ()


class CardRequested(Event, frozen=True, kw_only=True):
    """A generated shoe was told to give a card before the book was closed: it waits for that."""

    type = "card-requested"
    shoe_id: str
    coup_id: str
    count: int = 1
    to: str | None = None
    face_up: bool | None = None


class CardRevealed(Event, frozen=True, kw_only=True):
    """A card that lay face down was turned, or one that was not read was told."""

    type = "card-revealed"
    shoe_id: str
    coup_id: str
    draw_number: int
    card: Card
    seat: int | None = None
    """The player who turned it; none: the dealer."""

    source: str = ""
    """MANUAL where two persons entered it."""

    clauses: tuple[str, ...] = ()


class CardExposedEarly(Event, frozen=True, kw_only=True):
    """Somebody let the face of an undealt card be seen (000 4.2)."""

    type = "card-exposed-early"
    shoe_id: str
    draw_number: int
    person: str
    clauses: tuple[str, ...] = ()


class CardFoundExposed(Event, frozen=True, kw_only=True):
    """The next card of the shoe was seen before it was dealt (004 12.5, 12.7).

    Which card it is stays unsaid: it is undealt.
    """

    type = "card-found-exposed"
    shoe_id: str
    draw_number: int
    during_coup: bool
    coup_id: str = ""
    clauses: tuple[str, ...] = ()


class CardCarriedOver(Event, frozen=True, kw_only=True):
    """A card that no hand needed is kept, for what the rulebook says (procedure 6)."""

    type = "card-carried-over"
    shoe_id: str
    coup_id: str
    draw_number: int
    card: Card | None
    to: str
    """NEXT_BURN, NEXT_COUP or ERROR_BURN."""

    seen: bool
    clauses: tuple[str, ...] = ()


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


class ShoeIntegrityBreached(Event, frozen=True, kw_only=True):
    """There is one more of a card than the decks hold: the shoe is not what it should be."""

    type = "shoe-integrity-breached"
    shoe_id: str
    coup_id: str
    draw_number: int
    card: Card
    copies: int
    clauses: tuple[str, ...] = ()


class ShufflerFaulted(Event, frozen=True, kw_only=True):
    """The shuffling device failed; what follows is worked out from the answers (procedure 9)."""

    type = "shuffler-faulted"
    shoe_id: str
    coup_id: str
    branch: str
    """OUTSIDE (no card dealt), TERMINATE, TRANSFER or WINDOW."""

    card_dealt: bool
    disadvantage: bool
    spare: bool
    transferable: bool
    damaged: tuple[Card, ...] = ()
    clauses: tuple[str, ...] = ()


class CardsRemoved(Event, frozen=True, kw_only=True):
    """Damaged cards left play (004 13.3.1)."""

    type = "cards-removed"
    shoe_id: str
    cards: tuple[Card, ...]
    clauses: tuple[str, ...] = ()


class CardsTransferred(Event, frozen=True, kw_only=True):
    """All undealt cards lie in another device, or in a shoe (004 13.2, 13.3.2, 13.5.4)."""

    type = "cards-transferred"
    shoe_id: str
    coup_id: str
    to: str
    """DEVICE or SHOE."""

    count: int
    cuts_after: int | None = None
    new_order: bool = False
    """Their order was fixed anew and is sealed, as a preset or generated one is."""

    order_id: str = ""

    clauses: tuple[str, ...] = ()


class CardsCollected(Event, frozen=True, kw_only=True):
    """The dealer picked the cards of a coup up so that their order can be told (000 3.7.1)."""

    type = "cards-collected"
    shoe_id: str
    coup_id: str
    direction: str
    draw_numbers: tuple[int, ...]
    """In the order in which they were picked up."""

    clauses: tuple[str, ...] = ()


class CardsDiscarded(Event, frozen=True, kw_only=True):
    """The cards of a coup went to the rack."""

    type = "cards-discarded"
    shoe_id: str
    coup_id: str
    count: int


class CardsRetired(Event, frozen=True, kw_only=True):
    """The decks never come back into play (004 3.9)."""

    type = "cards-retired"
    shoe_id: str
    reason: str
    """HANDLED."""

    deck_ids: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


class ShoeRetired(Event, frozen=True, kw_only=True):
    """The shoe deals no more."""

    type = "shoe-retired"
    shoe_id: str
    reason: str
    """LAST_COUP, CUT_CARD_IN_BURN, EXHAUSTED, REPLACED, ENDED_EARLY, INTEGRITY, DEVICE_FAULT or
    TABLE_CLOSED."""

    note: str = ""

    dealt: int
    burned: int
    left: int
    lapsed: tuple[str, ...] = ()
    """Burns still owed, and CARRIED_CARD for each card kept, that lapse with the shoe."""


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
        ShoeDeviceRegistered,
        ShuffleDeviceRegistered,
        ShoeAssembled,
        PackSealed,
        PackOpened,
        DeckRejected,
        CardsReplaced,
        CardsRemovedFromTable,
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
        DeviceLoaded,
        DiscardsReturned,
        ErrorBurnApproved,
        CardsBurned,
        CardDrawn,
        CardRequested,
        CardRevealed,
        CardExposedEarly,
        CardFoundExposed,
        CardCarriedOver,
        CardIdentified,
        CutCardReached,
        LastCoupDesignated,
        ShoeExhausted,
        ShoeIntegrityBreached,
        ShufflerFaulted,
        CardsRemoved,
        CardsTransferred,
        CardsCollected,
        CardsDiscarded,
        CardsRetired,
        ShoeRetired,
        ShoeInvalidated,
        ShoeRevealed,
    )
}
"""Every event of the service by its stable name."""
