"""What a spectator knows of the tables: a fold over the events that the services publish."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.core import Event, Meta
from services.contracts.round_table import SignDisplayed
from services.rules.amounts import amount, exact
from services.rules.cards import Card
from services.rules.hands import points

NEWS_MAX: Final = 40
ROAD_MAX: Final = 60


@dataclasses.dataclass(slots=True)
class WagerView:
    """A wager of the coup and what became of it."""

    player: str
    area: str
    stake_minor: int
    outcome: str = ""
    paid_minor: int = 0
    """Stake and winnings that went to the player."""


@dataclasses.dataclass(slots=True)
class Books:
    """Sums of settled coups, minor units; commission is exact."""

    staked: int = 0
    returned: int = 0
    winnings: int = 0
    commission: Fraction = Fraction()

    @property
    def paid(self) -> int:
        return self.returned + self.winnings

    @property
    def house(self) -> int:
        """What stays with the house."""
        return self.staked - self.paid


@dataclasses.dataclass(slots=True)
class CoupView:
    """One coup."""

    coup_id: str = ""
    number: int = 0
    phase: str = ""
    closes_at_us: int | None = None
    player: list[Card] = dataclasses.field(default_factory=list)
    banker: list[Card] = dataclasses.field(default_factory=list)
    winner: str = ""
    natural: bool = False
    wagers: dict[str, WagerView] = dataclasses.field(default_factory=dict)
    settled: bool = False
    closed: bool = False


@dataclasses.dataclass(slots=True)
class TableView:
    """One table."""

    table_id: str
    rulebook_id: str = ""
    currency: str = "EUR"
    dealer: str = ""
    open: bool = False
    shoe_id: str = ""
    shoe_cards: int = 0
    cuts_after: int | None = None
    drawn: int = 0
    burned: int = 0
    last_coup: int | None = None
    coup: CoupView = dataclasses.field(default_factory=CoupView)
    """The coup that was opened last."""

    begun: dict[str, CoupView] = dataclasses.field(default_factory=dict)
    """Coups of which something is still to come: the services are heard side by side, so that the
    payments of one may be heard after the opening of the next."""

    books: Books = dataclasses.field(default_factory=Books)
    road: list[str] = dataclasses.field(default_factory=list)
    """Winners of the coups so far."""

    over: int = 0
    """Coups that are over."""

    def of(self, event: Any) -> CoupView:
        """The coup of an event; whichever service speaks first of a coup begins it."""
        coup = self.begun.get(event.coup_id)
        if coup is None:
            number = int(event.coup_id.rsplit(":", 1)[1])
            coup = self.begun[event.coup_id] = CoupView(event.coup_id, number, "BETTING")
            if number > self.coup.number:
                self.coup = coup
        return coup


@dataclasses.dataclass(frozen=True, slots=True)
class News:
    """One event, for the ticker."""

    at_us: int
    table_id: str
    service: str
    text: str
    clauses: tuple[str, ...]


class Floor:
    """All tables, from their published events. Reads nothing else."""

    def __init__(self, on_coup: Callable[[TableView, CoupView], None]) -> None:
        self.tables: dict[str, TableView] = {}
        self.news: deque[News] = deque(maxlen=NEWS_MAX)
        self.events = 0
        self._on_coup = on_coup

    @property
    def coups(self) -> int:
        """Coups that are over, at all tables."""
        return sum(view.over for view in self.tables.values())

    def tell(self, service: str, event: Event, meta: Meta) -> None:
        """Take one published event."""
        self.events += 1
        view = self.tables.setdefault(meta.table_id, TableView(meta.table_id))
        change = _CHANGES.get(type(event))
        if change is not None:
            change(view, event)
        text = _TEXTS.get(type(event))
        if text is not None:
            clauses = tuple(getattr(event, "clauses", ()))
            line = text(view, event)
            self.news.append(News(meta.occurred_at_us, meta.table_id, service, line, clauses))
        for coup in [each for each in view.begun.values() if each.settled and each.closed]:
            del view.begun[coup.coup_id]
            view.over += 1
            self._on_coup(view, coup)


SUITS: Final = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def face(card: Card) -> str:
    """A card as it is printed."""
    return f"{'10' if card[0] == 'T' else card[0]}{SUITS[card[1]]}"


def hand(held: list[Card]) -> str:
    return f"{' '.join(map(face, held))} = {points(held)}"


# --- what events change ---


def _opened(view: TableView, event: table.TableOpened) -> None:
    view.rulebook_id = event.settings.rulebook_id
    view.currency = event.settings.currency
    view.open = True


def _closed(view: TableView, _: table.TableClosed) -> None:
    view.open = False


def _dealer(view: TableView, event: table.DealerAssigned | table.DealerChanged) -> None:
    view.dealer = event.dealer


def _loaded(view: TableView, event: cards.ShoeLoaded) -> None:
    view.shoe_id, view.shoe_cards, view.cuts_after = event.shoe_id, event.cards, event.cuts_after
    view.drawn = view.burned = 0
    view.last_coup = None


def _burned(view: TableView, event: cards.CardsBurned) -> None:
    view.burned += event.count
    view.drawn = max(view.drawn, event.first_draw_number + event.count - 1)


def _drawn(view: TableView, event: cards.CardDrawn) -> None:
    view.drawn = max(view.drawn, event.draw_number)


def _last(view: TableView, event: cards.LastCoupDesignated) -> None:
    view.last_coup = event.coup


def _betting(view: TableView, event: table.BettingOpened) -> None:
    view.of(event).closes_at_us = event.closes_at_us


def _phase(name: str) -> Callable[[TableView, Any], None]:
    def change(view: TableView, event: Any) -> None:
        view.of(event).phase = name

    return change


def _dealt(view: TableView, event: table.CardDealt) -> None:
    coup = view.of(event)
    if event.card is not None:
        (coup.player if event.hand == "PLAYER" else coup.banker).append(event.card)


def _resulted(view: TableView, event: table.CoupResulted) -> None:
    coup = view.of(event)
    coup.player, coup.banker = list(event.player), list(event.banker)
    coup.winner, coup.natural, coup.phase = event.winner, event.natural, "RESULT"
    view.road = [*view.road, event.winner][-ROAD_MAX:]


def _coup_closed(view: TableView, event: table.CoupClosed) -> None:
    coup = view.of(event)
    coup.phase, coup.closed = "OVER", True


def _accepted(view: TableView, event: book.WagerAccepted) -> None:
    wager = WagerView(event.player, event.area, event.stake_minor)
    view.of(event).wagers[event.wager_id] = wager


def _changed(view: TableView, event: book.WagerChanged) -> None:
    wager = view.of(event).wagers.get(event.wager_id)
    if wager is not None:
        wager.stake_minor = event.to_minor


def _gone(view: TableView, event: book.WagerCancelled | book.WagerRejected) -> None:
    view.of(event).wagers.pop(event.wager_id, None)


def _paid(view: TableView, event: money.WagerSettled) -> None:
    wager = view.of(event).wagers.setdefault(
        event.wager_id, WagerView(event.player, event.area, event.stake_minor)
    )
    wager.stake_minor = event.stake_minor
    wager.outcome, wager.paid_minor = event.outcome, event.credit_minor
    view.books.staked += event.stake_minor
    view.books.returned += event.returned_minor
    view.books.winnings += event.winnings_minor
    view.books.commission += Fraction(event.commission_exact)


def _settled(view: TableView, event: money.CoupSettled) -> None:
    view.of(event).settled = True


_CHANGES: Final[Mapping[type[Event], Callable[[TableView, Any], None]]] = {
    table.TableOpened: _opened,
    table.TableClosed: _closed,
    table.DealerAssigned: _dealer,
    table.DealerChanged: _dealer,
    table.BettingOpened: _betting,
    table.BettingClosed: _phase("CLOSED"),
    table.DealingOpened: _phase("DEALING"),
    table.CardDealt: _dealt,
    table.CoupResulted: _resulted,
    table.CoupClosed: _coup_closed,
    cards.ShoeLoaded: _loaded,
    cards.CardsBurned: _burned,
    cards.CardDrawn: _drawn,
    cards.LastCoupDesignated: _last,
    book.WagerAccepted: _accepted,
    book.WagerChanged: _changed,
    book.WagerCancelled: _gone,
    book.WagerRejected: _gone,
    money.WagerSettled: _paid,
    money.CoupSettled: _settled,
}


# --- what the ticker says ---


def _told_rejected(view: TableView, event: book.WagerRejected) -> str:
    asked = amount(event.amount_minor, view.currency)
    return f"{event.player}: {asked} on {event.area.lower()} rejected, {event.code}"


def _told_settled(view: TableView, event: money.WagerSettled) -> str:
    stake = amount(event.stake_minor, view.currency)
    said = f"{event.player}: {stake} on {event.area.lower()} {event.outcome.lower()}"
    if event.credit_minor:
        said += f", {amount(event.credit_minor, view.currency)} paid"
    if event.commission_exact != "0":
        said += f" (commission {exact(event.commission_exact, view.currency)})"
    return said


def _told_burned(_: TableView, event: cards.CardsBurned) -> str:
    first = f", first {face(event.first_card)}" if event.first_card else ""
    why = event.reason.lower().replace("_", " ")
    return f"{event.count} card{'s' * (event.count > 1)} burned for {why}{first}"


def _told_resulted(_: TableView, event: table.CoupResulted) -> str:
    said = f"coup {event.coup}: {event.winner.lower()} {event.player_points}-{event.banker_points}"
    return said + (", natural" if event.natural else "")


def _told_decision(_: TableView, event: table.ThirdCardDecision) -> str:
    verb = "draws a third card" if event.draw else "stands"
    return f"{event.hand.lower()} {verb} ({event.rule.replace('_', ' ')})"


_TEXTS: Final[Mapping[type[Event], Callable[[TableView, Any], str]]] = {
    table.TableOpened: lambda _, e: (
        f"opened under {e.settings.rulebook_id} {e.settings.rulebook_hash[:12]}"
    ),
    table.TableClosed: lambda _, __: "the table is closed",
    table.DealerChanged: lambda _, e: f"{e.dealer} takes over from {e.replaced}",
    SignDisplayed: lambda _, e: f"the sign of the {e.sign.lower()} stands at the table",
    table.BettingOpened: lambda _, e: f"coup {e.coup}: betting is open",
    table.CoupBackfilled: lambda _, e: f"coup {e.coup}: dealt in an outage, entered afterwards",
    table.BettingClosed: lambda _, e: (
        f"betting is closed by {'the timer' if e.closed_by == 'TIMER' else 'the call'}"
    ),
    table.NaturalDeclared: lambda _, e: f"{e.hand.lower()} natural {e.points}",
    table.ThirdCardDecision: _told_decision,
    table.CoupResulted: _told_resulted,
    table.IncidentRecorded: lambda _, e: f"incident {e.code}",
    cards.CardsInspected: lambda _, e: f"cards inspected, witness {e.witness}",
    cards.CardsShuffled: lambda _, e: f"shuffled: {e.procedure.lower()}",
    cards.CutDeclined: lambda _, e: f"seat {e.seat} declines the cut",
    cards.CutMade: lambda _, e: (
        f"cut {e.position} cards deep" + (f" by seat {e.seat}" if e.seat else "")
    ),
    cards.ShoeLoaded: lambda _, e: f"shoe {e.shoe_id}: {e.cards} cards loaded",
    cards.CardsBurned: _told_burned,
    cards.CutCardReached: lambda _, e: f"the cutting card shows after card {e.after_draw_number}",
    cards.LastCoupDesignated: lambda _, e: f"coup {e.coup} is the last of the shoe",
    cards.ShoeRetired: lambda _, e: (
        f"shoe {e.shoe_id} retired: {e.dealt} dealt, {e.burned} burned, {e.left} left"
    ),
    book.BookClosed: lambda _, e: (
        f"the book is closed: {e.wagers} wager{'s' * (e.wagers != 1)}, digest {e.digest[:8]}"
    ),
    book.WagerRejected: _told_rejected,
    book.WagerCancelled: lambda v, e: f"{e.player} takes {amount(e.refund_minor, v.currency)} back",
    book.WagerChanged: lambda v, e: f"{e.player} raises to {amount(e.to_minor, v.currency)}",
    money.WagerSettled: _told_settled,
}
