"""What the shoe service knows of a table."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from services.contracts.common import Card, TableSettings
from services.contracts.core import Event, Refused, Scope
from services.contracts.crew import Crew
from services.contracts.pinned import pinned
from services.rules.citations import cite
from services.rules.rulebook import Rulebook

STATE_SCHEMA = 5


CARDS_PER_DECK = 52


NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE = "NEW_SHOE", "BETWEEN_COUPS", "DEALER_CHANGE"


GAME_ERROR, DISCRETION, CARD_BEFORE_CLOSE = "GAME_ERROR", "DISCRETION", "CARD_BEFORE_CLOSE"


NEXT_BURN, NEXT_COUP, ERROR_BURN = "NEXT_BURN", "NEXT_COUP", "ERROR_BURN"


SCANNED, PRESET, GENERATED = "SCANNED", "PRESET", "GENERATED"


IDLE, BETTING, CLOSED, DEALING, RESULTED = "IDLE", "BETTING", "CLOSED", "DEALING", "RESULTED"


OUTSIDE, TERMINATE, TRANSFER, WINDOW = "OUTSIDE", "TERMINATE", "TRANSFER", "WINDOW"


class Cards(Protocol):
    """The sealed source of a shoe's cards."""

    def card(self, draw_number: int) -> Card | None:
        """The card at this place of the order (from 1), or None where it is not known."""
        ...

    def known(self) -> int:
        """How many cards from the front have a known identity."""
        ...

    def overfull(self, decks: int) -> Card | None:
        """A card of which there are more copies than `decks` packs hold, if any."""
        ...

    def commitment(self) -> str:
        """The digest that binds the house to the order; "" where there is none."""
        ...

    def order(self) -> tuple[Card, ...]:
        """The whole order, for the revelation at the end."""
        ...

    def secret(self) -> str:
        """The secret bytes of the commitment, hexadecimal, for the revelation at the end."""
        ...


class NoCards:
    """A shoe whose order nobody knows: the identities come with the draws."""

    def card(self, draw_number: int) -> Card | None:
        """Nothing is known."""
        del draw_number
        return None

    def known(self) -> int:
        """Nothing is known."""
        return 0

    def overfull(self, decks: int) -> Card | None:
        """Nothing is known."""
        del decks
        return None

    def commitment(self) -> str:
        """Nobody is bound."""
        return ""

    def order(self) -> tuple[Card, ...]:
        """Nothing is known."""
        return ()

    def secret(self) -> str:
        """Nothing is known."""
        return ""


NO_CARDS = NoCards()
"""Where nobody knows the order."""


class Preparation(Struct, frozen=True):
    """What was done to the cards of the next shoe."""

    assembled: bool = False
    deck_ids: tuple[str, ...] = ()
    inspected: bool = False
    incomplete: tuple[str, ...] = ()
    """Decks that the inspection found incomplete."""

    out: bool = False
    """The cards left the table and are not inspected again yet."""

    replaced: bool = False
    """Other cards came in after the last shuffle."""

    shuffled: bool = False
    by_hand: bool = False
    """Shuffled by hand at some time, as cards for a shuffling device are (004 4.11.1)."""

    procedure: str = ""
    pre_shuffled: bool = False
    riffle_owed: bool = False
    offered: int | None = None
    declined: tuple[int, ...] = ()
    cut: int | None = None
    from_back: int | None = None


class Carried(Struct, frozen=True):
    """A card that no hand needed and that is kept (procedure 6)."""

    draw_number: int
    coup_id: str
    """The coup in which it was drawn."""

    to: str
    seen: bool
    card: Card | None = None
    """Its identity where it was read or told."""


class Shoe(Struct, frozen=True):
    """The shoe on the table."""

    shoe_id: str
    decks: int
    cards: int
    source: str
    cuts_after: int | None
    order_id: str = ""
    order_from: int = 0
    """Cards that had been drawn when the order began that is sealed now."""

    device: bool = False
    """A shuffling device stands for the shoe."""

    number: int = 0
    """Of the commitment to its order; 0 where there is none."""

    deck_ids: tuple[str, ...] = ()
    drawn: int = 0
    """Draw number of the last card that left the shoe."""

    returned: int = 0
    """Cards that went back into the shuffling device."""

    burned: int = 0
    owed: tuple[str, ...] = ()
    """Burns that are owed, oldest first."""

    carried: tuple[Carried, ...] = ()
    error_approved: bool = False
    """A supervisor agreed to a burn for a game error that is not made yet."""

    read: dict[Card, int] = {}
    """Copies of each card that an electronic shoe has read."""

    handled: bool = False
    """Players touched the cards."""

    fault: str = ""
    """The branch of a device's fault that is not over."""

    cut_shown: bool = False
    last_coup: int | None = None
    ended: bool = False
    invalid: bool = False

    @property
    def dealt(self) -> int:
        """Cards that went to coups."""
        return self.drawn - self.burned

    @property
    def left(self) -> int:
        """Cards still in the shoe."""
        return self.cards - self.drawn + self.returned


class Asked(Struct, frozen=True):
    """A card that a generated shoe shall give as soon as the book is closed."""

    pulled: int
    """Cards that were asked for in the same movement."""

    to: str | None
    face_up: bool | None


class Entered(Struct, frozen=True):
    """The cards of a coup that was dealt while the platform was down."""

    cards: tuple[Card, ...]
    """In draw order."""

    device_id: str = ""
    sequence: int | None = None
    """The electronic shoe's report of the last of them."""


class Course(Struct, frozen=True):
    """What the shoe knows of the table's course of play."""

    phase: str = IDLE
    coup_id: str = ""
    coup: int = 0
    """Number of the coup in progress, or of the last one."""

    method: str = "A"
    holder: str | None = None
    """The player who has the shoe; none: the dealer."""

    numbers: tuple[int, ...] = ()
    """Draw numbers of the coup's cards, in draw order."""

    came: int = 0
    """Cards that came for the coup, wherever they are now."""

    instructed: int = 0
    """Cards that round has asked for and that are still to be drawn."""

    asked: tuple[Asked, ...] = ()
    entered: Entered | None = None
    down: frozenset[int] = frozenset()
    """Draw numbers of the coup's cards that lie face down."""

    unread: frozenset[int] = frozenset()
    """Draw numbers of cards that the electronic shoe did not read."""

    read: dict[int, Card] = {}
    """Cards of the coup that were read or told, by draw number."""

    early: tuple[int, ...] = ()
    """Draw numbers of cards that were out before betting closed."""

    held: bool = False
    """A card before the close waits for its attestation."""

    burn_early: bool = False
    extra: tuple[int, ...] = ()
    """Draw numbers of cards that no hand needs and that are not put anywhere yet."""

    turn: tuple[tuple[int, int | None], ...] = ()
    """Cards that are to be turned, with the seat that turns them."""

    window: bool = False
    """A withdrawal window is open."""

    betting_requested: bool = False
    discards: int = 0
    """Cards of the coup that is over and that are not in the rack yet."""

    uncounted: bool = False
    """The coup that is over never started: it does not count for the end of the shoe."""


class Custody(Struct, frozen=True):
    """What is known of decks, packs and machines; it outlives the table's sessions."""

    devices: frozenset[str] = frozenset()
    shufflers: frozenset[str] = frozenset()
    sequences: dict[str, int] = {}
    """The last report of each electronic shoe."""

    seals: dict[str, tuple[str, ...]] = {}
    """Decks of the packs that lie sealed, by seal."""

    barred: frozenset[str] = frozenset()
    """Decks that never load again: rejected, or touched by players."""

    commitments: int = 0
    """Number of the last commitment; they count up without gaps."""


class Collection(Struct, frozen=True):
    """How the cards of the last coup lie, for the dealer to pick up."""

    coup_id: str
    draw_numbers: tuple[int, ...]


class ShoeState(Struct, frozen=True):
    """All that the shoe service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    crew: Crew = Crew()
    players: tuple[tuple[int, str], ...] = ()
    """Seats and players in the order in which they came."""

    shoes: int = 0
    """Shoes loaded in this session."""

    preparation: Preparation = Preparation()
    shoe: Shoe | None = None
    course: Course = Course()
    custody: Custody = Custody()
    collection: Collection | None = None


def initial_state() -> ShoeState:
    """A table that nobody has opened."""
    return ShoeState()


def scope(state: ShoeState, event: Event) -> Scope:
    """What of the state goes into the envelope of an event."""
    del event
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(
        settings.rulebook_id,
        settings.rulebook_hash,
        state.shoe.shoe_id if state.shoe else "",
        settings.test,
    )


def rules_of(state: ShoeState) -> Rulebook:
    assert state.settings is not None
    return pinned(state.settings)


def clauses_for(state: ShoeState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def settings_of(state: ShoeState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def usable_shoe(state: ShoeState) -> Shoe:
    """The shoe, or a refusal where there is none that can be dealt from."""
    if state.shoe is None:
        raise Refused("STATE", "there is no shoe on the table")
    if state.shoe.ended or state.shoe.invalid:
        raise Refused("SHOE_ENDED", f"shoe {state.shoe.shoe_id} deals no more")
    return state.shoe


def card_at(shoe: Shoe, cards: Cards, draw_number: int) -> Card | None:
    """The card with this draw number, where its order is sealed."""
    return cards.card(draw_number - shoe.order_from)
