"""Events of the round service: what happens at the table and in the coup.

Those about the table itself, and those about hands and errors in the deal, have modules of their
own; `EVENTS` lists all.
"""

from __future__ import annotations

from services.contracts import round_hands, round_table
from services.contracts.common import Card, Decision, TableSettings
from services.contracts.core import Event

SERVICE = "round"


class TableOpened(Event, frozen=True, kw_only=True):
    """A table was opened; every other service takes up its settings."""

    type = "table-opened"
    session: int
    settings: TableSettings


class TableClosed(Event, frozen=True, kw_only=True):
    """The table takes no more coups until it is opened again."""

    type = "table-closed"
    session: int
    exemption: str = ""
    """Why the cards were not inspected after play, where the rulebook wants that (000 1.3.3)."""


class DealerAssigned(Event, frozen=True, kw_only=True):
    """A dealer has the table."""

    type = "dealer-assigned"
    dealer: str
    shift: int = 0
    """Number of the change among those of the table's dealers and supervisors."""


class DealerChanged(Event, frozen=True, kw_only=True):
    """Another dealer took over; the rulebook may owe a burn for it."""

    type = "dealer-changed"
    dealer: str
    replaced: str
    shift: int = 0
    """Number of the change among those of the table's dealers and supervisors."""


class SeatTaken(Event, frozen=True, kw_only=True):
    """A player took a numbered seat."""

    type = "seat-taken"
    seat: int
    player: str


class SeatVacated(Event, frozen=True, kw_only=True):
    """The seat is free again."""

    type = "seat-vacated"
    seat: int
    player: str


class BettingRequested(Event, frozen=True, kw_only=True):
    """The dealer asked for the next coup; a burn falls due first and betting opens after it."""

    type = "betting-requested"
    coup: int
    closes_in_us: int | None = None
    no_bet: bool = False


class BettingNotOpened(Event, frozen=True, kw_only=True):
    """Betting was asked for and can't open: the burn before it ended the shoe."""

    type = "betting-not-opened"
    reason: str
    message: str


class BettingOpened(Event, frozen=True, kw_only=True):
    """Wagers are taken for the coup."""

    type = "betting-opened"
    coup_id: str
    coup: int
    """Number of the coup at this table and session, from 1."""

    shoe_id: str
    opened_at_us: int
    closes_at_us: int | None
    """When the timer closes betting; none where only the dealer's call does."""

    limits_version: int
    method: str


class NoBetCoupDeclared(Event, frozen=True, kw_only=True):
    """The coup is dealt without wagers, by method A; what was already staked on it goes back.

    Where betting on it had been open, its book is closed before. Whatever that holds goes back,
    and round waits for the `BookRevised` without wagers.
    """

    type = "no-bet-coup-declared"
    coup_id: str
    coup: int
    shoe_id: str
    reason: str
    """HOUSE, EXPOSED_CARD or CARRIED_CARD."""

    clauses: tuple[str, ...] = ()


class CoupBackfilled(Event, frozen=True, kw_only=True):
    """A coup without wagers, dealt while the platform was down, is entered afterwards.

    Two persons do so from the recording (`second` of the envelope is the other one). What follows is
    as in any coup without wagers: the shoe gives the cards off its account, in this order, and they
    decide hands and result. No wager is ever taken for it.
    """

    type = "coup-backfilled"
    coup_id: str
    coup: int
    """Its number, as the coup after the last one that the platform knew of."""

    shoe_id: str
    cards: tuple[Card, ...]
    """In draw order."""

    winner: str
    """PLAYER, BANKER or TIE, as it was told; the cards say the same."""

    dealt_at_us: int
    """When it was dealt, by the recording. The coup counts to the day on which it is entered."""

    reason: str
    """Why it was dealt without the platform; free text."""

    video: str
    """Reference of the recording."""

    device_id: str = ""
    """The electronic shoe that read the cards, if one did while nobody heard it."""

    sequence: int | None = None
    """Number of its report of the last of them: it sends none up to here again, and none is missing."""

    clauses: tuple[str, ...] = ()


class NoMoreBetsAnnounced(Event, frozen=True, kw_only=True):
    """The dealer called the end of betting."""

    type = "no-more-bets-announced"
    coup_id: str


class BettingClosed(Event, frozen=True, kw_only=True):
    """The legal cut-off: a wager received at or after this instant is late."""

    type = "betting-closed"
    coup_id: str
    closed_at_us: int
    closed_by: str
    """TIMER, CALL, CARD (one was out too early) or EXPOSED_CARD (no wagers on this coup)."""

    clauses: tuple[str, ...] = ()


class BookCloseRequested(Event, frozen=True, kw_only=True):
    """The wager service is asked to close the book of the coup."""

    type = "book-close-requested"
    coup_id: str
    reason: str
    """AUTO, DEALER, FIRST_CARD or NO_BET."""


class DealCalled(Event, frozen=True, kw_only=True):
    """The dealer wants the coup dealt out: each draw is instructed as it falls due."""

    type = "deal-called"
    coup_id: str


class DealingOpened(Event, frozen=True, kw_only=True):
    """The book is closed: from now cards may be drawn for the coup."""

    type = "dealing-opened"
    coup_id: str
    book_revision: int
    book_wagers: int
    book_digest: str


class DrawInstructed(Event, frozen=True, kw_only=True):
    """The shoe is told to give so many cards."""

    type = "draw-instructed"
    coup_id: str
    count: int


class CoupStarted(Event, frozen=True, kw_only=True):
    """The first card of the coup is out."""

    type = "coup-started"
    coup_id: str
    coup: int
    draw_number: int


class CardDealt(Event, frozen=True, kw_only=True):
    """A drawn card belongs to a hand; the draw order decides to which."""

    type = "card-dealt"
    coup_id: str
    draw_number: int
    hand: str
    position: int
    """1 to 3; 3 is the third card, laid across."""

    card: Card | None
    """None while it lies face down."""

    face_up: bool = True


class PointsAnnounced(Event, frozen=True, kw_only=True):
    """The count of a hand was called."""

    type = "points-announced"
    coup_id: str
    hand: str
    points: int
    final: bool = False


class NaturalDeclared(Event, frozen=True, kw_only=True):
    """A hand holds 8 or 9 with two cards: nobody draws."""

    type = "natural-declared"
    coup_id: str
    hand: str
    points: int
    clauses: tuple[str, ...] = ()


class ThirdCardDecision(Event, frozen=True, kw_only=True):
    """Whether a hand takes a third card, and by which rule."""

    type = "third-card-decision"
    coup_id: str
    hand: str
    draw: bool
    rule: str
    clauses: tuple[str, ...] = ()


class CoupResulted(Event, frozen=True, kw_only=True):
    """The result, computed from the cards in draw order."""

    type = "coup-resulted"
    coup_id: str
    coup: int
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    player_points: int
    banker_points: int
    winner: str
    """PLAYER, BANKER or TIE."""

    natural: bool
    decisions: tuple[Decision, ...]
    book_revision: int
    """The revision of the book that the result rests on; 0 for a no-bet coup."""

    no_bet: bool = False
    revision: int = 1
    clauses: tuple[str, ...] = ()


class ResultCorrected(CoupResulted, frozen=True, kw_only=True):
    """The result as it should have been: a card was misread (X-55). Two persons say so.

    It carries the whole result, as the first one did. Where it ends a hold, nothing was settled
    yet and it is the first result; otherwise settlement reverses what it paid and pays anew.
    """

    type = "result-corrected"
    reason: str = ""
    """Free text."""


class OutcomeInvalidated(Event, frozen=True, kw_only=True):
    """The outcome is set aside, for a reason of the closed list (004 14.4). Two persons say so.

    Stakes go back; those of the players in `forfeit` do not (004 14.5).
    """

    type = "outcome-invalidated"
    coup_id: str
    coup: int
    reason: str
    """CIVIL_COMMOTION, FIRE, RIOT, BRAWL, ROBBERY, ACT_OF_GOD or FRAUD."""

    persons: tuple[str, ...] = ()
    """Who committed the fraud."""

    forfeit: tuple[str, ...] = ()
    """Players among them whose stakes are kept."""

    book_revision: int = 0
    """The revision of the book that it rests on, as a result names it."""

    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    clauses: tuple[str, ...] = ()


class CoupVoided(Event, frozen=True, kw_only=True):
    """The coup has no result; stakes go back.

    A supervisor's void stands under his name and, after the first card, a second person's.
    """

    type = "coup-voided"
    coup_id: str
    coup: int
    reason: str
    """A void reason, such as INTEGRITY; SUPERVISOR where a supervisor said so (procedure 13)."""

    note: str = ""
    """Why the supervisor did: after the first card one of the listed reasons."""

    started: bool = False
    """The first card was out: the rulebook says what becomes of stakes that are won already."""

    player: tuple[Card, ...] = ()
    """Valid cards that lie open."""

    banker: tuple[Card, ...] = ()
    clauses: tuple[str, ...] = ()


class CoupTerminated(Event, frozen=True, kw_only=True):
    """A fault of the shuffling device that harmed somebody ends the coup (004 13.4).

    All stakes go back.
    """

    type = "coup-terminated"
    coup_id: str
    coup: int
    reason: str
    """SHUFFLER."""

    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    clauses: tuple[str, ...] = ()


class WithdrawalWindowOpened(Event, frozen=True, kw_only=True):
    """Players may take wagers off, whole and one by one; all else in the book stays locked.

    The wager service takes withdrawals until `until_us` or `WithdrawalWindowClosed`, whichever is
    first. Where the last live wager is taken off it publishes `BookRevised` with none at once.
    """

    type = "withdrawal-window-opened"
    coup_id: str
    coup: int
    cause: str
    """RECONSTRUCTION (004 12.2) or DEVICE (004 13.5.1): the rulebook says what silence means."""

    until_us: int
    clauses: tuple[str, ...] = ()


class WithdrawalWindowClosed(Event, frozen=True, kw_only=True):
    """No wager comes off any more. The wager service answers with `BookRevised`, always."""

    type = "withdrawal-window-closed"
    coup_id: str
    coup: int
    clauses: tuple[str, ...] = ()


class IncidentRecorded(Event, frozen=True, kw_only=True):
    """Something out of the ordinary, for the record."""

    type = "incident-recorded"
    code: str
    coup_id: str | None = None
    coup: int | None = None
    note: str = ""
    person: str | None = None
    """Whom it is about."""

    clauses: tuple[str, ...] = ()


class CoupClosed(Event, frozen=True, kw_only=True):
    """Nothing is left to do for the coup: the next betting may open."""

    type = "coup-closed"
    coup_id: str
    coup: int
    status: str
    """SETTLED, NO_BET, BACKFILLED, VOID or TERMINATED."""

    started: bool = True
    """A card was dealt: only then it counts for the end of the shoe (procedure 5)."""


_OWN: tuple[type[Event], ...] = (
    TableOpened,
    TableClosed,
    DealerAssigned,
    DealerChanged,
    SeatTaken,
    SeatVacated,
    BettingRequested,
    BettingNotOpened,
    BettingOpened,
    NoBetCoupDeclared,
    CoupBackfilled,
    NoMoreBetsAnnounced,
    BettingClosed,
    BookCloseRequested,
    DealCalled,
    DealingOpened,
    DrawInstructed,
    CoupStarted,
    CardDealt,
    PointsAnnounced,
    NaturalDeclared,
    ThirdCardDecision,
    CoupResulted,
    ResultCorrected,
    OutcomeInvalidated,
    CoupVoided,
    CoupTerminated,
    WithdrawalWindowOpened,
    WithdrawalWindowClosed,
    IncidentRecorded,
    CoupClosed,
)

EVENTS: dict[str, type[Event]] = {
    event.type: event for event in (*_OWN, *round_table.EVENTS, *round_hands.EVENTS)
}
"""Every event of the service by its stable name."""
