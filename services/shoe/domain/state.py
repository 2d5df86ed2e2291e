"""What the shoe service knows of a table."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from services.contracts.common import Card, TableSettings
from services.contracts.core import Scope
from services.contracts.pinned import pinned
from services.rules.citations import cite
from services.rules.rulebook import Rulebook

STATE_SCHEMA = 1


CARDS_PER_DECK = 52


NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE = "NEW_SHOE", "BETWEEN_COUPS", "DEALER_CHANGE"


SCANNED, PRESET, GENERATED = "SCANNED", "PRESET", "GENERATED"


class Cards(Protocol):
    """The sealed source of a shoe's cards."""

    def card(self, draw_number: int) -> Card | None:
        """The card with this draw number (from 1), or None where its identity is not known."""
        ...

    def known(self) -> int:
        """How many cards from the front have a known identity."""
        ...

    def overfull(self, decks: int) -> Card | None:
        """A card of which there are more copies than `decks` packs hold, if any."""
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


NO_CARDS = NoCards()
"""Where nobody knows the order."""


class Preparation(Struct, frozen=True):
    """What was done to the cards of the next shoe."""

    assembled: bool = False
    inspected: bool = False
    shuffled: bool = False
    pre_shuffled: bool = False
    riffle_owed: bool = False
    offered: int | None = None
    declined: tuple[int, ...] = ()
    cut: int | None = None
    from_back: int | None = None


class Shoe(Struct, frozen=True):
    """The shoe on the table."""

    shoe_id: str
    decks: int
    cards: int
    source: str
    partial: bool
    cuts_after: int | None
    order_id: str = ""
    drawn: int = 0
    """Draw number of the last card that left the shoe."""

    burned: int = 0
    owed: tuple[str, ...] = ()
    """Burns that are owed, oldest first."""

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
        return self.cards - self.drawn


class Course(Struct, frozen=True):
    """What the shoe knows of the table's course of play."""

    phase: str = "IDLE"
    """IDLE, BETTING, CLOSED, DEALING or RESULTED."""

    coup_id: str = ""
    coup: int = 0
    """Number of the coup in progress, or of the last one."""

    drawn: int = 0
    """Cards drawn for the coup so far."""

    instructed: int = 0
    """Cards that round has asked for and that are still to be drawn."""

    betting_requested: bool = False


class ShoeState(Struct, frozen=True):
    """All that the shoe service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    players: tuple[tuple[int, str], ...] = ()
    """Seats and players in the order in which they came."""

    shoes: int = 0
    """Shoes loaded in this session."""

    preparation: Preparation = Preparation()
    shoe: Shoe | None = None
    course: Course = Course()


def initial_state() -> ShoeState:
    """A table that nobody has opened."""
    return ShoeState()


def scope(state: ShoeState) -> Scope:
    """What of the state goes into the envelope of its events."""
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
    return pinned(settings_of(state))


def clauses_for(state: ShoeState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def settings_of(state: ShoeState) -> TableSettings:
    assert state.settings is not None
    return state.settings
