"""What the round service knows of a table."""

from __future__ import annotations

from msgspec import Struct

from services.contracts.common import Card, TableSettings
from services.contracts.core import Event, Refused, Scope
from services.contracts.crew import Crew
from services.contracts.pinned import pinned
from services.round.domain.coup import (
    ATTEST,
    BETTING,
    CLOSED,
    DEALING,
    VOID,
    Coup,
    has_hidden,
    needed,
)
from services.rules.citations import cite
from services.rules.rulebook import Rulebook

STATE_SCHEMA = 6


SECOND_US = 1_000_000


MINUTE_US = 60 * SECOND_US


NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE = "NEW_SHOE", "BETWEEN_COUPS", "DEALER_CHANGE"


GAME_ERROR = "GAME_ERROR"


INTEGRITY, NEW_DECK_ORDER, VIDEO_LOST = "INTEGRITY", "NEW_DECK_ORDER", "VIDEO_LOST"


PAGE_COUPS = 64
"""Coups on one page of the table's past: a page is copied, the pages before it are not."""


class Kept(Struct, frozen=True):
    """A card that no hand needed and that is the next coup's."""

    draw_number: int
    coup_id: str
    """The coup that it is from."""

    card: Card | None = None
    """None: nobody has told it."""


class Reports(Struct, frozen=True):
    """How far an electronic shoe has counted its reports."""

    last: int = 0
    drawn: int = 0
    """Draw number in the shoe on the table at that report; less than 0: so many came before it."""


class ShoeView(Struct, frozen=True):
    """What the table knows of its shoe."""

    shoe_id: str
    cards: int = 0
    """How many it held when it was loaded."""

    loaded_at_us: int = 0
    device: bool = False
    sealed: bool = False
    """The platform keeps its order: no card leaves it but by the platform."""

    ended: bool = False
    spoiled: bool = False
    """A card came out before the new shoe's burn, and no coup is void for it yet."""

    breached: bool = False
    """It holds a card too many, and the table is not suspended for it yet."""

    owed: tuple[str, ...] = ()
    last_coup: int | None = None
    drawn: int = 0
    """Draw number of the last card that was heard of."""

    seen_next: int | None = None
    """Draw number of a card that was seen before it was dealt."""

    seen_kept: bool = False
    """A card that was seen is kept for the next coup."""

    kept: tuple[Kept, ...] = ()
    """Cards kept for the next coup that are not here yet."""

    front: tuple[tuple[int, Card], ...] = ()
    """The first cards of the shoe that are known, by draw number."""

    front_checked: bool = False
    """There is no more to be looked at: they are all known, or a supervisor has released them."""

    new_pack: bool = False
    """They lie in the order of a new pack."""


class Past(Struct, frozen=True):
    """A coup that is over."""

    coup_id: str
    status: str
    """SETTLED, NO_BET, BACKFILLED, VOID, TERMINATED or INVALIDATED."""

    revision: int = 1
    """Of its settlement; every correction raises it."""

    book_revision: int = 0
    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()


class Notice(Struct, frozen=True):
    """A sign that stands at the table."""

    displayed_at_us: int
    effective_at_us: int
    value: str = ""


class Consent(Struct, frozen=True):
    """Who has to agree to a change of game, and who did (X-47)."""

    asked: tuple[str, ...]
    given: frozenset[str] = frozenset()


class Suspension(Struct, frozen=True):
    """Why no betting opens."""

    reason: str
    shoe_id: str = ""
    """The shoe on the table at that moment."""


class Holder(Struct, frozen=True):
    """The player who has the shoe (methods C and D)."""

    seat: int
    player: str
    hand: str


class Request(Struct, frozen=True):
    """Betting that opens once the burn before it is made."""

    closes_in_us: int | None
    no_bet: bool


class TableState(Struct, frozen=True):
    """All that the round service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    closing: bool = False
    """The table closes once its coup is over."""

    crew: Crew = Crew()
    seats: tuple[tuple[int, str], ...] = ()
    """Seats and players in the order in which they came."""

    idle: dict[int, int] = {}
    """Rounds at a full table without a wager, by seat."""

    method: str = "A"
    approvals: dict[str, int | None] = {}
    """Approved methods with the last coup that each approval holds for."""

    act_as_player: dict[str, int | None] = {}
    """Players who may act for Player's hand, "" for all, likewise."""

    holder: Holder | None = None
    offers_after: int | None = None
    """The seat that passed the shoe on: it is offered counter-clockwise from there."""

    odds_sign: bool = False
    notices: dict[str, Notice] = {}
    """CLOSE and GAME."""

    consent: Consent | None = None
    stakers: tuple[str, ...] = ()
    """Players with a wager in the last coup's book."""

    suspension: Suspension | None = None
    inspected_after: bool = True
    """The cards that were in play were inspected after it."""

    limits_version: int = 0
    shoe: ShoeView | None = None
    coups: int = 0
    """Number of the last coup."""

    coup: Coup | None = None
    past: tuple[tuple[Past, ...], ...] = ()
    """Coups that are over, in pages, in the order of their numbers."""

    request: Request | None = None
    opened_at_us: int = 0
    """When betting opened last; of a coup that was entered afterwards, when it was dealt."""

    dealt_from_us: int = 0
    """Before this nothing of the last coup was dealt: betting closed then, or its first card came."""

    reports: dict[str, Reports] = {}
    """By electronic shoe; it outlives the table's sessions."""

    directions: dict[str, str] = {}
    """In which direction each dealer picks the cards up in this session."""

    turned_direction: str = ""
    """A dealer who has just picked up in another direction."""

    @property
    def out_of_course(self) -> bool:
        """Whether anything of the table itself, beside its coup, has to be looked at."""
        shoe = self.shoe
        return (
            self.suspension is not None
            or self.holder is not None
            or self.turned_direction != ""
            or (shoe is not None and (shoe.breached or shoe.spoiled))
        )


def past_coup(state: TableState, number: int) -> Past | None:
    """The coup with this number, if it is over."""
    page, place = divmod(number - 1, PAGE_COUPS)
    if number < 1 or page >= len(state.past) or place >= len(state.past[page]):
        return None
    return state.past[page][place]


def initial_state() -> TableState:
    """A table that nobody has opened."""
    return TableState()


def scope(state: TableState, event: Event) -> Scope:
    """What of the state goes into the envelope of an event."""
    del event
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
    if coup.hold is not None:
        return _RULING.get(coup.hold.code, "a ruling")
    if coup.window is not None:
        return "the withdrawal window to close"
    if coup.phase == BETTING:
        return "betting to close"
    if coup.phase == CLOSED:
        return "the wager service to close the book" if coup.book_asked else "the dealer's book"
    if coup.phase == DEALING:
        if coup.backfilled:
            return "the shoe's account of the cards"
        if (hand := needed(coup)) is not None:
            return f"a card for {hand}"
        return "cards to be turned" if has_hidden(coup) else "the result to be announced"
    return "refunds" if coup.phase == VOID else "settlement"


_RULING = {
    ATTEST: "a supervisor to attest whether the card was seen",
    "ANNOUNCEMENT_MISMATCH": "the result to be confirmed or corrected",
    "MISDEAL": "a ruling on the cards that were laid wrong",
    "DEVICE": "the cards of the failed shuffling device",
    "SCAN_GAP": "a card to be entered by two persons",
}


def _missing_before_betting(state: TableState) -> str:
    if state.suspension is not None:
        return f"the table to be resumed ({state.suspension.reason})"
    if state.limits_version == 0 and settings_of(state).keeps_book:
        return "limits to be published"
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return "a shoe"
    return f"the burns that are owed: {', '.join(shoe.owed)}" if shoe.owed else ""


def rules_of(state: TableState) -> Rulebook:
    assert state.settings is not None
    return pinned(state.settings)


def settings_of(state: TableState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def clauses_for(state: TableState, rule: str) -> tuple[str, ...]:
    return cite(rules_of(state).rulebook_id, rule)


def seat_of(state: TableState, player: str) -> int | None:
    """Where the player sits; none where he stands."""
    return next((seat for seat, who in state.seats if who == player), None)


def kept_to_come(state: TableState, coup: Coup) -> tuple[int, ...]:
    """Draw numbers of cards kept from the coup before that are still to come (ADR 11).

    The shoe gives them once the book is closed; they lapse where it ends before that.
    """
    shoe = state.shoe
    if shoe is None or shoe.ended or not shoe.kept:
        return ()
    return tuple(each.draw_number for each in shoe.kept if each.coup_id != coup.coup_id)


def coup_of(state: TableState, meant: int | None = None) -> Coup:
    """The coup in progress; refuses with STATE where there is none, or another one was meant."""
    coup = state.coup
    if coup is None:
        raise Refused("STATE", f"no coup is open: the table waits for {waits_for(state)}")
    if meant not in (None, coup.number):
        raise Refused("STATE", f"coup {meant} was meant, and the one that runs is {coup.number}")
    return coup
