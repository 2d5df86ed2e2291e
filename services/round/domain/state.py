"""What the round service knows of a table."""

from __future__ import annotations

from msgspec import Struct

from services.contracts.common import Card, TableSettings
from services.contracts.core import Refused, Scope
from services.contracts.pinned import pinned
from services.rules import tableau
from services.rules.citations import cite
from services.rules.rulebook import Rulebook

STATE_SCHEMA = 1


SECOND_US = 1_000_000


INITIAL_CARDS = 4


NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE = "NEW_SHOE", "BETWEEN_COUPS", "DEALER_CHANGE"


BETTING, CLOSED, DEALING, RESULTED, VOID = "BETTING", "CLOSED", "DEALING", "RESULTED", "VOID"


INCIDENTS = frozenset(
    {
        "CARD_BEFORE_CLOSE",
        "CALL_MISSING",
        "PICKUP_DIRECTION",
        "ANNOUNCEMENT_MISMATCH",
        "CARD_HANDLED",
        "CARDS_OUT_OF_VIEW",
        "DRAW_WITHOUT_INSTRUCTION",
        "PROHIBITED_DEVICE",
        "DETENTION",
        "ADVICE",
        "INFLUENCE",
        "SCAN_GAP",
        "VIDEO_LOST",
        "BURN_MISSING",
        "NEW_DECK_ORDER",
    }
)


class ShoeView(Struct, frozen=True):
    """What the table knows of its shoe."""

    shoe_id: str
    ended: bool = False
    owed: tuple[str, ...] = ()
    last_coup: int | None = None


class Drawn(Struct, frozen=True):
    """A card that came out of the shoe for the coup."""

    draw_number: int
    card: Card | None
    face_up: bool


class BookView(Struct, frozen=True):
    """What the table knows of the coup's book."""

    revision: int
    wagers: int
    digest: str


EMPTY_BOOK = BookView(0, 0, "")


class Coup(Struct, frozen=True):
    """The coup in progress."""

    coup_id: str
    number: int
    phase: str
    no_bet: bool
    closes_at_us: int | None
    closed_at_us: int | None = None
    called: bool = False
    book_asked: bool = False
    book: BookView | None = None
    deal_called: bool = False
    instructed: int = 0
    drawn: tuple[Drawn, ...] = ()
    """Cards in draw order."""

    dealt: int = 0
    """How many of `drawn` belong to a hand already."""

    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    decided: int = 0
    """Third-card decisions told so far: Player's, then Banker's."""

    exhausted: bool = False
    settled: bool = False
    """Settlement has paid, or wager has given back, all that the book holds."""


class Request(Struct, frozen=True):
    """Betting that opens once the burn before it is made."""

    closes_in_us: int | None
    no_bet: bool


class TableState(Struct, frozen=True):
    """All that the round service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    dealer: str = ""
    seats: tuple[tuple[int, str], ...] = ()
    """Seats and players in the order in which they came."""

    limits_version: int = 0
    shoe: ShoeView | None = None
    coups: int = 0
    """Number of the last coup."""

    coup: Coup | None = None
    request: Request | None = None
    opened_at_us: int = 0
    """When betting opened last."""


def initial_state() -> TableState:
    """A table that nobody has opened."""
    return TableState()


def scope(state: TableState) -> Scope:
    """What of the state goes into the envelope of its events."""
    settings = state.settings
    if settings is None:
        return Scope()
    shoe_id = state.shoe.shoe_id if state.shoe else ""
    return Scope(settings.rulebook_id, settings.rulebook_hash, shoe_id, settings.test)


def waits_for(state: TableState) -> str:
    """What the table waits for, as a sentence for a person (D16). Empty when play can go on."""
    if not state.open:
        return "the table to be opened"
    if state.request is not None:
        return "the burn that falls due before betting"
    coup = state.coup
    if coup is None:
        return _missing_before_betting(state)
    if coup.phase == BETTING:
        return "betting to close"
    if coup.phase == CLOSED:
        return "the wager service to close the book" if coup.book_asked else "the dealer's book"
    if coup.phase == DEALING:
        hand = tableau.next_hand(coup.player, coup.banker)
        return f"a card for {hand}" if hand else "the result to be announced"
    return "refunds" if coup.phase == VOID else "settlement"


def _missing_before_betting(state: TableState) -> str:
    if state.limits_version == 0:
        return "limits to be published"
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return "a shoe"
    return f"the burns that are owed: {', '.join(shoe.owed)}" if shoe.owed else ""


def rules_of(state: TableState) -> Rulebook:
    return pinned(settings_of(state))


def settings_of(state: TableState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def clauses_for(state: TableState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def coup_of(state: TableState) -> Coup:
    if state.coup is None:
        raise Refused("STATE", f"no coup is open: the table waits for {waits_for(state)}")
    return state.coup


def next_due_us(state: TableState) -> int | None:
    """When the table's next timer is due; None where nothing runs, and always at TEST tables."""
    if state.settings is None or state.settings.test or not state.open:
        return None
    coup = state.coup
    return coup.closes_at_us if coup is not None and coup.phase == BETTING else None
