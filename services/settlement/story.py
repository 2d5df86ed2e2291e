"""The story of a coup: what its events tell, folded into one value. Pure.

The projection that queries read and the rebuild that proves it are the same fold; one reads a story
that was kept, the other folds the log again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.common import Card, Decision, Totals
from services.contracts.core import Event, Meta


class StoryWager(Struct, frozen=True):
    """A wager and what became of it. Amounts are minor units."""

    wager_id: str
    player: str
    area: str
    currency: str
    stake_minor: int
    funding: str = "CASH"
    outcome: str = "OPEN"
    returned_minor: int = 0
    winnings_minor: int = 0
    winnings_exact: str = "0"
    commission_exact: str = "0"
    rounding_exact: str = "0"
    clauses: tuple[str, ...] = ()


class StoryCard(Struct, frozen=True):
    """A card of the coup in draw order."""

    draw_number: int
    hand: str
    position: int
    card: Card | None


class Line(Struct, frozen=True):
    """One event of the coup, as a person reads it."""

    at_us: int
    service: str
    event_id: str
    what: str
    actor: str = ""
    clauses: tuple[str, ...] = ()


class Story(Struct, frozen=True):
    """All that is known of a coup."""

    coup_id: str
    table_id: str = ""
    number: int = 0
    shoe_id: str = ""
    status: str = "OPEN"
    """OPEN, SETTLED, NO_BET, BACKFILLED, VOID, TERMINATED or INVALIDATED."""

    reason: str = ""
    rulebook_id: str = ""
    rulebook_hash: str = ""
    test: bool = False
    opened_at_us: int = 0
    closed_at_us: int = 0
    cards: tuple[StoryCard, ...] = ()
    turned: dict[str, Card] = {}
    """Cards that lay face down, by draw number in digits, once they were seen."""

    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    player_points: int | None = None
    banker_points: int | None = None
    winner: str = ""
    natural: bool = False
    decisions: tuple[Decision, ...] = ()
    book_revision: int = 0
    book_digest: str = ""
    wagers: dict[str, StoryWager] = {}
    """In order of acceptance."""

    totals: Totals = {}
    incidents: tuple[str, ...] = ()
    revision: int = 0
    events: int = 0
    """How many events were folded."""


class Happened(Protocol):
    """An event with its envelope, which need not be decoded before somebody looks at it."""

    @property
    def event(self) -> Event: ...

    @property
    def meta(self) -> Meta: ...


def told(story: Story, events: Sequence[Happened]) -> Story:
    """The story with all these events in it."""
    for each in events:
        story = tell(story, each)
    return replace(story, events=story.events + len(events))


def tell(story: Story, each: Happened) -> Story:
    """The story with what an event tells in it, not counted yet."""
    known = story if story.table_id else begun(story.coup_id, each.meta)
    event = each.event
    add = _TELL.get(type(event))
    return add(known, event, each) if add else known


def begun(coup_id: str, meta: Meta) -> Story:
    """The story of a coup before its first event, whose envelope is given."""
    return Story(
        coup_id,
        table_id=meta.table_id,
        rulebook_id=meta.rulebook_id,
        rulebook_hash=meta.rulebook_hash,
        test=meta.test,
        number=int(coup_id.rsplit(":", 1)[1]),
    )


def _opened(
    story: Story,
    event: table.BettingOpened | table.NoBetCoupDeclared | table.CoupBackfilled,
    each: Happened,
) -> Story:
    opened = story.opened_at_us or each.meta.occurred_at_us
    return replace(story, number=event.coup, shoe_id=event.shoe_id, opened_at_us=opened)


def _dealt(story: Story, event: table.CardDealt, _: Happened) -> Story:
    known = event.card or story.turned.get(str(event.draw_number))
    card = StoryCard(event.draw_number, event.hand, event.position, known)
    return replace(story, cards=(*story.cards, card))


def _turned(story: Story, event: cards.CardRevealed, _: Happened) -> Story:
    """Which topic is heard first is chance: the card may be turned before it was dealt."""
    return replace(
        story,
        turned={**story.turned, str(event.draw_number): event.card},
        cards=tuple(
            replace(dealt, card=event.card) if dealt.draw_number == event.draw_number else dealt
            for dealt in story.cards
        ),
    )


def _resulted(story: Story, event: table.CoupResulted, _: Happened) -> Story:
    return replace(
        story,
        player=event.player,
        banker=event.banker,
        player_points=event.player_points,
        banker_points=event.banker_points,
        winner=event.winner,
        natural=event.natural,
        decisions=event.decisions,
    )


def _ended(story: Story, event: table.CoupVoided | table.CoupTerminated, _: Happened) -> Story:
    status = "VOID" if isinstance(event, table.CoupVoided) else "TERMINATED"
    return replace(
        story, status=status, reason=event.reason, player=event.player, banker=event.banker
    )


def _incident(story: Story, event: table.IncidentRecorded, _: Happened) -> Story:
    return replace(story, incidents=(*story.incidents, event.code))


def _closed(story: Story, event: table.CoupClosed, each: Happened) -> Story:
    # A correction may have come first: what it says of the coup stands.
    status = event.status if story.revision <= 1 else story.status
    return replace(story, status=status, closed_at_us=each.meta.occurred_at_us)


def _with_wager(story: Story, wager_id: str, **changes: Any) -> Story:
    wager = story.wagers.get(wager_id)
    if wager is None:
        return story
    return replace(story, wagers={**story.wagers, wager_id: replace(wager, **changes)})


def _accepted(story: Story, event: book.WagerAccepted, _: Happened) -> Story:
    wager = StoryWager(
        event.wager_id,
        event.player,
        event.area,
        event.currency,
        event.stake_minor,
        event.funding,
    )
    return replace(story, wagers={**story.wagers, event.wager_id: wager})


def _changed(story: Story, event: book.WagerChanged, _: Happened) -> Story:
    return _with_wager(story, event.wager_id, stake_minor=event.to_minor)


def _reduced(story: Story, event: book.WagerReduced, _: Happened) -> Story:
    return _with_wager(story, event.wager_id, stake_minor=event.to_minor)


def _given_back(outcome: str) -> Callable[[Story, Any, Happened], Story]:
    """A stake that went back before there was a result to decide it."""

    def tell(story: Story, event: Any, _: Happened) -> Story:
        return _with_wager(
            story,
            event.wager_id,
            outcome=outcome,
            returned_minor=event.refund_minor,
            clauses=getattr(event, "clauses", ()),
        )

    return tell


def _rejected(story: Story, event: book.WagerRejected, each: Happened) -> Story:
    # Otherwise it never stood, or was an increase: nothing of it is in the story.
    return _given_back("REJECTED")(story, event, each) if event.accepted else story


def _book(story: Story, event: book.BookClosed | book.BookRevised, _: Happened) -> Story:
    return replace(story, book_revision=event.revision, book_digest=event.digest)


def _settled(story: Story, event: money.WagerSettled, _: Happened) -> Story:
    return _with_wager(
        story,
        event.wager_id,
        outcome=event.outcome,
        returned_minor=event.returned_minor,
        winnings_minor=event.winnings_minor,
        winnings_exact=event.winnings_exact,
        commission_exact=event.commission_exact,
        rounding_exact=event.rounding_exact,
        clauses=event.clauses,
    )


def _taken_back(story: Story, event: money.WagerRefunded, _: Happened) -> Story:
    return _set_aside(story, event, event.outcome, event.returned_minor)


def _forfeited(story: Story, event: money.WagerForfeited, _: Happened) -> Story:
    return _set_aside(story, event, "FORFEITED", 0)


def _set_aside(
    story: Story,
    event: money.WagerRefunded | money.WagerForfeited,
    outcome: str,
    returned_minor: int,
) -> Story:
    return _with_wager(
        story,
        event.wager_id,
        outcome=outcome,
        returned_minor=returned_minor,
        winnings_minor=0,
        winnings_exact="0",
        commission_exact="0",
        rounding_exact="0",
        clauses=event.clauses,
    )


def _coup_settled(story: Story, event: money.CoupSettled, _: Happened) -> Story:
    return replace(story, status=event.status, totals=event.totals, revision=event.revision)


_TELL: dict[type[Event], Callable[[Story, Any, Happened], Story]] = {
    table.BettingOpened: _opened,
    table.NoBetCoupDeclared: _opened,
    table.CoupBackfilled: _opened,
    table.CardDealt: _dealt,
    cards.CardRevealed: _turned,
    table.CoupResulted: _resulted,
    table.ResultCorrected: _resulted,
    table.CoupVoided: _ended,
    table.CoupTerminated: _ended,
    table.IncidentRecorded: _incident,
    table.CoupClosed: _closed,
    book.WagerAccepted: _accepted,
    book.WagerChanged: _changed,
    book.WagerReduced: _reduced,
    book.WagerCancelled: _given_back("CANCELLED"),
    book.WagerRejected: _rejected,
    book.WagerWithdrawn: _given_back("WITHDRAWN"),
    book.WagerVoided: _given_back("VOIDED"),
    book.WagerRefunded: _given_back("REFUNDED"),
    book.BookClosed: _book,
    book.BookRevised: _book,
    money.WagerSettled: _settled,
    money.WagerResettled: _settled,
    money.WagerRefunded: _taken_back,
    money.WagerForfeited: _forfeited,
    money.CoupSettled: _coup_settled,
}

TOLD: Final = frozenset(event.type for event in _TELL)
"""Types of events that tell something; of all others a story knows only how many they are."""

KINDS = (cards, table, book, money)
"""The modules whose events a story is told from."""
