"""Commands of the round service."""

from __future__ import annotations

from typing import Annotated, Any

from services.contracts.common import Card, TableSettings
from services.contracts.core import Command
from services.contracts.guards import Hand, OneOf


class OpenTable(Command, frozen=True, kw_only=True):
    """Open a table for play, under one rulebook."""

    settings: TableSettings


class CloseTable(Command, frozen=True, kw_only=True):
    """Close the table; with players present a notice comes first (004 14.9)."""

    exemption: str = ""
    """A supervisor's reason to go without the inspection after play (000 1.3.3)."""


class AbandonTable(Command, frozen=True, kw_only=True):
    """Void what runs and close the table: the end of a recording. TEST tables only."""


class AssignSupervisor(Command, frozen=True, kw_only=True):
    """A game supervisor watches the table."""

    supervisor: str


class SuspendTable(Command, frozen=True, kw_only=True):
    """Open no more betting until the table is resumed."""

    reason: str = ""


class ResumeTable(Command, frozen=True, kw_only=True):
    """End a suspension; after an integrity breach with a second person and a new shoe (N-6)."""


class DisplayNotice(Command, frozen=True, kw_only=True):
    """Show a sign of what will change: CLOSE, or GAME with the rulebook (004 14.8, 14.9)."""

    change: Annotated[str, OneOf(("CLOSE", "GAME"))]
    effective_at_us: int
    rulebook_id: str = ""


class DisplaySign(Command, frozen=True, kw_only=True):
    """Show the sign of the odds: ODDS (004 2.5)."""

    sign: Annotated[str, OneOf(("ODDS",))]


class RemoveSign(Command, frozen=True, kw_only=True):
    """Take a sign down: ODDS, CLOSE or GAME. A notice that rests on it is void."""

    sign: Annotated[str, OneOf(("ODDS", "CLOSE", "GAME"))]


class AskConsent(Command, frozen=True, kw_only=True):
    """Ask the players for a change of game without a notice (004 14.8)."""


class GiveConsent(Command, frozen=True, kw_only=True):
    """A player agrees to a change of game."""

    player: str


class ChangeGame(Command, frozen=True, kw_only=True):
    """Go over to another rulebook, between coups (004 14.8)."""

    rulebook_id: str
    settings: TableSettings | None = None
    """The table's settings with that rulebook in them; none where there is no such rulebook."""


class SelectMethod(Command, frozen=True, kw_only=True):
    """Deal by another method from the next coup on (004 8.1)."""

    method: str


class ApproveMethod(Command, frozen=True, kw_only=True):
    """Let a dealing method be used at the table (004 8.1.1, 8.4)."""

    method: str
    coups: int | None = None
    """For so many coups; the one that runs counts."""

    conditions: str = ""


class ApproveRole(Command, frozen=True, kw_only=True):
    """Let a player, or any player, act for Player's hand (004 8.17.2, 8.27.2)."""

    player: str | None = None
    coups: int | None = None


class VacateSeat(Command, frozen=True, kw_only=True):
    """Ask a player who does not stake for his seat (004 14.10)."""

    seat: int


class TakeSeat(Command, frozen=True, kw_only=True):
    """A player takes a numbered seat (004 2.1)."""

    seat: int
    player: str


class LeaveSeat(Command, frozen=True, kw_only=True):
    """A player leaves his seat."""

    player: str
    seat: int | None = None


class AssignDealer(Command, frozen=True, kw_only=True):
    """A dealer takes the table."""

    dealer: str


class ChangeDealer(Command, frozen=True, kw_only=True):
    """Another dealer takes over; the rulebook may owe a burn for it (000 3.4)."""

    dealer: str


class OpenBetting(Command, frozen=True, kw_only=True):
    """Take wagers for the next coup."""

    closes_in_us: int | None = None
    no_bet: bool = False


class CallNoMoreBets(Command, frozen=True, kw_only=True):
    """The dealer's call (000 2.1.6, 004 7.1)."""


class CloseBook(Command, frozen=True, kw_only=True):
    """The dealer has rejected what he rejects: close the book."""


class DealCoup(Command, frozen=True, kw_only=True):
    """Deal the coup out: every card that the rules still call for, then the result."""


class AnnounceResult(Command, frozen=True, kw_only=True):
    """End a coup that was drawn card by card; the words are the dealer's, the cards decide."""

    winner: Annotated[str, OneOf(("PLAYER", "BANKER", "TIE"))] | None = None
    player_points: int | None = None
    banker_points: int | None = None


class InstructDraw(Command, frozen=True, kw_only=True):
    """Tell the player who has the shoe to draw (004 8.19, 8.28)."""

    count: int = 1


class OfferCards(Command, frozen=True, kw_only=True):
    """Offer a hand's cards to a seat (004 8.5 to 8.8, 9.6.2). `hand` is PLAYER or BANKER."""

    hand: Hand
    seat: int


class AcceptCards(Command, frozen=True, kw_only=True):
    """The seat takes the hand."""

    hand: Hand
    seat: int


class DeclineCards(Command, frozen=True, kw_only=True):
    """The seat does not want the hand."""

    hand: Hand
    seat: int


class ReturnCards(Command, frozen=True, kw_only=True):
    """The seat gives the hand back; the dealer lays it face up (004 8.14)."""

    hand: Hand
    seat: int


class ShowHand(Command, frozen=True, kw_only=True):
    """The seat shows the hand that it has (004 8.13, 8.23, 8.32)."""

    hand: Hand
    seat: int


class OfferShoe(Command, frozen=True, kw_only=True):
    """Offer the shoe to a seat (004 8.15, 8.25)."""

    seat: int


class AcceptShoe(Command, frozen=True, kw_only=True):
    """The seat takes the shoe, to act for PLAYER or BANKER (004 8.17, 8.27)."""

    seat: int
    hand: Hand


class DeclineShoe(Command, frozen=True, kw_only=True):
    """The seat does not want the shoe."""

    seat: int


class PassShoe(Command, frozen=True, kw_only=True):
    """The holder passes the shoe on (004 8.18)."""

    seat: int


class ForfeitShoe(Command, frozen=True, kw_only=True):
    """Order the shoe away from its holder (004 8.20, 8.29)."""

    seat: int | None = None


class ApproveError(Command, frozen=True, kw_only=True):
    """Confirm cards pulled together, or be there for needless ones: MULTI_PULL, EXTRA_CARDS."""

    what: Annotated[str, OneOf(("MULTI_PULL", "EXTRA_CARDS"))]
    coup: int | None = None
    """The coup that is meant; another one than that is not taken for it."""


class RuleOnDeal(Command, frozen=True, kw_only=True):
    """Rule on misplaced cards: RECONSTRUCT, NOT_RECONSTRUCTIBLE or CORRECT_PLACEMENT."""

    ruling: Annotated[str, OneOf(("RECONSTRUCT", "NOT_RECONSTRUCTIBLE", "CORRECT_PLACEMENT"))]
    coup: int


class CloseWithdrawals(Command, frozen=True, kw_only=True):
    """Everybody was asked: close the withdrawal window."""


class ExtendWithdrawals(Command, frozen=True, kw_only=True):
    """Keep the withdrawal window open for so many seconds in all, 300 at the most."""

    seconds: int


class AttestCard(Command, frozen=True, kw_only=True):
    """Say whether a card that was out before the close had been seen (A-25)."""

    seen: bool
    coup: int | None = None
    """The coup that is meant; another one than that is not taken for it."""


class VoidCoup(Command, frozen=True, kw_only=True):
    """Void a coup (procedure 13); after its first card with a second person and a listed reason."""

    coup: int
    reason: str


class ConfirmResult(Command, frozen=True, kw_only=True):
    """The cards win over the words that did not fit them (X-55)."""

    coup: int


class CorrectResult(Command, frozen=True, kw_only=True):
    """Say what the hands of a coup really were; takes a second person (X-55)."""

    coup: int
    player: tuple[str, ...]
    banker: tuple[str, ...]
    reason: str


class InvalidateOutcome(Command, frozen=True, kw_only=True):
    """Set the outcome of a coup aside, for a listed reason; takes a second person (004 14.4)."""

    coup: int
    reason: str
    player: str | None = None
    """Who alone committed the fraud; otherwise `forfeit` names the persons."""

    forfeit: tuple[str, ...] = ()
    """Players whose stakes are kept (004 14.5)."""


class BackfillCoup(Command, frozen=True, kw_only=True):
    """Enter a coup without wagers that was dealt while the platform was down; takes two persons."""

    coup: int
    """The number that it gets: the one after the last coup of this table."""

    cards: tuple[Card, ...]
    """In draw order."""

    winner: Annotated[str, OneOf(("PLAYER", "BANKER", "TIE"))]
    dealt_at_us: int
    """When it was dealt, by the recording."""

    reason: str
    """Why it was dealt without the platform."""

    video: str
    """Reference of the recording."""

    device_id: str = ""
    """The electronic shoe that read the cards, if it counts its reports."""

    sequence: int | None = None
    """Number of its report of the coup's last card."""


class RecordIncident(Command, frozen=True, kw_only=True):
    """Write down what can only be written down."""

    code: str
    note: str = ""
    person: str | None = None
    """Whom it is about."""


class AdvanceTime(Command, frozen=True, kw_only=True):
    """Nothing happens but the passing of time: timers that are due fire in order."""


class RecoverTable(Command, frozen=True, kw_only=True):
    """The service came back after an outage: time passes, and long-closed betting is void (N-12)."""


class Proceed(Command, frozen=True, kw_only=True):
    """Do what has fallen due by what was heard."""


COMMANDS: dict[str, type[Any]] = {
    command.__name__: command
    for command in (
        OpenTable,
        CloseTable,
        AbandonTable,
        AssignSupervisor,
        SuspendTable,
        ResumeTable,
        DisplayNotice,
        DisplaySign,
        RemoveSign,
        AskConsent,
        GiveConsent,
        ChangeGame,
        SelectMethod,
        ApproveMethod,
        ApproveRole,
        VacateSeat,
        TakeSeat,
        LeaveSeat,
        AssignDealer,
        ChangeDealer,
        OpenBetting,
        CallNoMoreBets,
        CloseBook,
        DealCoup,
        AnnounceResult,
        InstructDraw,
        OfferCards,
        AcceptCards,
        DeclineCards,
        ReturnCards,
        ShowHand,
        OfferShoe,
        AcceptShoe,
        DeclineShoe,
        PassShoe,
        ForfeitShoe,
        ApproveError,
        RuleOnDeal,
        CloseWithdrawals,
        ExtendWithdrawals,
        AttestCard,
        VoidCoup,
        ConfirmResult,
        CorrectResult,
        InvalidateOutcome,
        BackfillCoup,
        RecordIncident,
        AdvanceTime,
        RecoverTable,
    )
}
"""What people and machines may ask for; `Proceed` belongs to reactions."""
