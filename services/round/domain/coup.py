"""What the round service knows of the coup in progress."""

from __future__ import annotations

from msgspec import Struct

from services.contracts.common import Card
from services.rules import tableau
from services.rules.tableau import Hand

BETTING, CLOSED, DEALING, RESULTED, VOID = "BETTING", "CLOSED", "DEALING", "RESULTED", "VOID"


SETTLED, NO_BET, BACKFILLED = "SETTLED", "NO_BET", "BACKFILLED"
"""What becomes of a coup that has a result."""


WITHOUT_WAGERS = (NO_BET, BACKFILLED)


INITIAL_CARDS = 4


PLAYER, BANKER = "PLAYER", "BANKER"


INITIAL_HANDS = (PLAYER, BANKER, PLAYER, BANKER)
"""Whose the first four cards are, in draw order (004 7.3)."""


ANNOUNCEMENT_MISMATCH, ATTEST, MISDEAL = "ANNOUNCEMENT_MISMATCH", "CARD_BEFORE_CLOSE", "MISDEAL"


DEVICE, SCAN_GAP = "DEVICE", "SCAN_GAP"


OPEN, OUT, BACK, KEPT = "OPEN", "OUT", "BACK", "KEPT"


class Drawn(Struct, frozen=True):
    """A card that came out of the shoe for the coup."""

    draw_number: int
    card: Card | None
    face_up: bool
    to: str | None = None
    """Where the dealer laid it, if that was told."""

    pulled: int = 1
    scanned: bool = False
    early: bool = False
    """It was out while betting was open."""

    instructed: bool = True
    carried: bool = False
    """It was kept from the coup before."""


class PlayerStakes(Struct, frozen=True):
    """What one player has in the closed book, by area; tokens at face value."""

    player: str
    stakes: dict[str, int]

    def on(self, area: str) -> int:
        """What lies on an area."""
        return self.stakes.get(area, 0)


class BookView(Struct, frozen=True):
    """What the table knows of the coup's book."""

    revision: int
    wagers: int
    digest: str
    players: tuple[PlayerStakes, ...] = ()
    """At seated tables only."""


EMPTY_BOOK = BookView(0, 0, "")


class Hold(Struct, frozen=True):
    """Why the coup stands still until a person decides."""

    code: str
    since_us: int
    escalated: int = 0
    """How often the hold was escalated: once every ten minutes."""

    alarmed: bool = False


class Window(Struct, frozen=True):
    """A withdrawal window."""

    cause: str
    until_us: int
    first_until_us: int
    """As the rulebook has it, before anybody lengthened the window."""

    closed: bool = False
    """Nothing comes off any more; the book's new revision is awaited."""

    answered: bool = False
    """The book's new revision is there; where all was taken off, before the window closed."""


class HandPlay(Struct, frozen=True):
    """Who has a hand's cards (methods B, C and D)."""

    status: str = OPEN
    """OPEN: to be offered. OUT: before a player. BACK: with the dealer again. KEPT: never left."""

    offered: int | None = None
    declined: tuple[int, ...] = ()
    holder: int | None = None
    """The seat that had, or has, the first two cards."""

    returned: int = 0
    """Cards of the hand that a player gave back."""


class ShoePlay(Struct, frozen=True):
    """To whom the shoe was offered in this coup (methods C and D)."""

    offered: int | None = None
    declined: tuple[int, ...] = ()
    seat: int | None = None
    """The seat that acts in this coup."""

    hand: str = ""


class Coup(Struct, frozen=True):
    """The coup in progress."""

    coup_id: str
    number: int
    phase: str
    no_bet: bool
    closes_at_us: int | None
    method: str = "A"
    backfilled: bool = False
    """It was dealt while the platform was down, and is entered afterwards."""

    entered: tuple[Card, ...] = ()
    """Its cards in draw order, as they were entered."""

    no_bet_due: str = ""
    """Why no wagers may stay on it, where betting had been open."""

    full: bool = False
    """Every seat has been taken since betting opened."""

    closed_at_us: int | None = None
    call_due_us: int | None = None
    """When a call that did not come is an incident."""

    called: bool = False
    book_asked: bool = False
    first_card_asked: bool = False
    """A generated shoe was told to give a card: the book closes for it."""

    book: BookView | None = None
    deal_called: bool = False
    instructed: int = 0
    drawn: tuple[Drawn, ...] = ()
    """Cards in draw order."""

    dealt: int = 0
    """How many of `drawn` belong to a hand already, or to none."""

    player_cards: tuple[Card | None, ...] = ()
    """None: a card that lies face down."""

    banker_cards: tuple[Card | None, ...] = ()
    numbers: tuple[tuple[int, str, int], ...] = ()
    """Draw number, hand and place in it of each card dealt."""

    ordered: int = 0
    """How many of `drawn` lie where the draw order wants them by a ruling."""

    extra: tuple[int, ...] = ()
    """Draw numbers of cards that no hand needs."""

    pulls: tuple[int, ...] = ()
    """Draw numbers of cards pulled together that nobody has confirmed."""

    pulls_seen: int = 0
    """The last draw number of those that were noticed."""

    approved: frozenset[str] = frozenset()
    """MULTI_PULL, EXTRA_CARDS: errors that a supervisor has confirmed or foreseen."""

    turning: frozenset[int] = frozenset()
    """Draw numbers of cards that are being turned."""

    decided: int = 0
    """Third-card decisions told so far: Player's, then Banker's."""

    irregular: bool = False
    """A card came out otherwise than it should: early, unread, unasked for, or with others."""

    hold: Hold | None = None
    window: Window | None = None
    player_play: HandPlay = HandPlay()
    banker_play: HandPlay = HandPlay()
    shoe_play: ShoePlay = ShoePlay()
    fault: str = ""
    """The branch of a shuffling device's fault that is not answered yet."""

    transferred: str = ""
    """DEVICE or SHOE: where the cards lie after the fault; "" before that is known."""

    doom: str = ""
    """The reason for which the coup has to end without a result."""

    exhausted: bool = False
    terminated: bool = False
    revision: int = 1
    """Of its settlement; a correction raises it."""

    settled: bool = False
    """Settlement has paid, or wager has given back, all that the book holds."""

    @property
    def out_of_course(self) -> bool:
        """Whether anything but the usual course has to be looked at."""
        return bool(
            self.irregular
            or self.doom
            or self.no_bet_due
            or self.exhausted
            or self.fault
            or self.window is not None
            or self.hold is not None
        )

    @property
    def status(self) -> str:
        """What a coup with a result is when it is over."""
        if self.backfilled:
            return BACKFILLED
        return NO_BET if self.no_bet else SETTLED

    @property
    def started(self) -> bool:
        """Whether a card was dealt."""
        return self.dealt > 0

    @property
    def player(self) -> tuple[Card, ...]:
        """Player's cards that lie open."""
        return tuple(filter(None, self.player_cards))

    @property
    def banker(self) -> tuple[Card, ...]:
        """Banker's cards that lie open."""
        return tuple(filter(None, self.banker_cards))

    def play(self, hand: str) -> HandPlay:
        """Who has the hand's cards."""
        return self.player_play if hand == PLAYER else self.banker_play


def has_hidden(coup: Coup) -> bool:
    """Whether a dealt card lies face down."""
    return None in coup.player_cards or None in coup.banker_cards


def needed(coup: Coup) -> Hand | None:
    """The hand that needs the next card; None where none does or where that is not known yet."""
    player, banker = coup.player_cards, coup.banker_cards
    if len(player) + len(banker) < INITIAL_CARDS:
        return "player" if len(player) <= len(banker) else "banker"
    if has_hidden(coup):
        return None
    return tableau.next_hand(coup.player, coup.banker)


def is_complete(coup: Coup) -> bool:
    """Whether both hands have all that they need, open, and no drawn card is left over."""
    ready = coup.phase == DEALING and coup.hold is None and coup.window is None
    consumed = coup.dealt == len(coup.drawn)
    return ready and consumed and not has_hidden(coup) and needed(coup) is None
