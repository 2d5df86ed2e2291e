"""The table and its coups: betting, the book, the deal, the result. Pure.

What follows from what was heard is worked out in one place, `_next_step`: a coup goes from
betting to the closed book, from the book to the cards, and from the cards to the result, one
step at a time, whatever order the other services' events arrive in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from services.contracts import settlement as money
from services.contracts import shoe as cards
from services.contracts import wager as book
from services.contracts.common import Card, TableSettings
from services.contracts.common import Decision as PublishedDecision
from services.contracts.core import Caused, Command, Event, Heard, Refused, Scope
from services.contracts.guards import require_role
from services.contracts.pinned import pinned
from services.contracts.round import (
    EVENTS,
    SERVICE,
    BettingClosed,
    BettingNotOpened,
    BettingOpened,
    BettingRequested,
    BookCloseRequested,
    CardDealt,
    CoupClosed,
    CoupResulted,
    CoupStarted,
    CoupVoided,
    DealCalled,
    DealerAssigned,
    DealerChanged,
    DealingOpened,
    DrawInstructed,
    IncidentRecorded,
    NaturalDeclared,
    NoBetCoupDeclared,
    NoMoreBetsAnnounced,
    PointsAnnounced,
    SeatTaken,
    SeatVacated,
    TableClosed,
    TableOpened,
    ThirdCardDecision,
)
from services.round.commands import (
    AdvanceTime,
    AnnounceResult,
    AssignDealer,
    CallNoMoreBets,
    ChangeDealer,
    CloseBook,
    CloseTable,
    DealCoup,
    LeaveSeat,
    OpenBetting,
    OpenTable,
    Proceed,
    RecordIncident,
    TakeSeat,
)
from services.rules import tableau
from services.rules.citations import cite
from services.rules.hands import NATURAL_POINTS_MIN, points
from services.rules.outcome import outcome
from services.rules.rulebook import Rulebook

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "TableState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "react",
    "scope",
    "waits_for",
]

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


def answer(command: Command, events: Sequence[Event], state: TableState) -> Mapping[str, Any]:
    """The coup that a command belongs to, and what the table waits for after it."""
    del command, events
    told: dict[str, Any] = {"waits_for": waits_for(state)}
    if state.coup is not None:
        told["coup_id"] = state.coup.coup_id
        told["coup"] = state.coup.number
    return told


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


# --- decide ---------------------------------------------------------------------------------


def decide(command: Command, state: TableState) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, OpenTable):
        return _open_table(command, state)
    if isinstance(command, Proceed):
        return _proceed(state, command.at_us)
    if not state.open:
        raise Refused("STATE", "the table is not open")
    events = _DECIDE[type(command)](command, state)
    after = _fold(state, events)
    return [*events, *_proceed(after, command.at_us)]


def _fold(state: TableState, events: Sequence[Event]) -> TableState:
    for event in events:
        state = evolve(state, event)
    return state


def _book(state: TableState) -> Rulebook:
    return pinned(_settings(state))


def _settings(state: TableState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def _cite(state: TableState, rule: str) -> tuple[str, ...]:
    return cite(_book(state).rulebook_id, rule)


def _coup(state: TableState) -> Coup:
    if state.coup is None:
        raise Refused("STATE", f"no coup is open: the table waits for {waits_for(state)}")
    return state.coup


def _open_table(command: OpenTable, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="opening a table")
    if state.open:
        raise Refused("STATE", "the table is open already")
    settings = command.settings
    try:
        rules = pinned(settings)
    except ValueError as error:
        raise Refused("RULEBOOK", str(error)) from error
    if settings.decks not in rules.decks:
        raise Refused(
            "DECKS",
            f"{settings.decks} decks are not among {', '.join(map(str, rules.decks))}",
            cite(rules.rulebook_id, "decks"),
        )
    if rules.table_kind == "SEATED" and set(settings.limits) - {settings.currency}:
        raise Refused("CURRENCY", "a seated table takes one currency")
    if settings.method not in rules.methods:
        raise Refused("METHOD", f"method {settings.method} is not among this rulebook's")
    if not 1 <= settings.left_of_dealer <= settings.seats:
        raise Refused("UNKNOWN", f"there is no seat {settings.left_of_dealer}")
    for currency, limits in settings.limits.items():
        unknown = set(limits) - {"*", *rules.areas}
        if unknown:
            raise Refused("UNKNOWN_AREA", f"limits in {currency} for {sorted(unknown)}")
    return [TableOpened(session=state.session + 1, settings=settings)]


def _close_table(command: CloseTable, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="closing the table")
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", "a coup is running: it is finished first")
    if state.seats and _book(state).close_table_notice_minutes:
        raise Refused(
            "NOTICE",
            f"with players present a sign stands {_book(state).close_table_notice_minutes} minutes",
            _cite(state, "notice"),
        )
    return [TableClosed(session=state.session)]


def _take_seat(command: TakeSeat, state: TableState) -> Sequence[Event]:
    if _book(state).table_kind != "SEATED":
        raise Refused("NOT_PERMITTED", "a streamed table has no seats")
    if not 1 <= command.seat <= _settings(state).seats:
        raise Refused("UNKNOWN", f"there is no seat {command.seat}")
    if any(seat == command.seat for seat, _ in state.seats):
        raise Refused("STATE", f"seat {command.seat} is taken")
    if any(player == command.player for _, player in state.seats):
        raise Refused("STATE", f"{command.player} has a seat already")
    return [SeatTaken(seat=command.seat, player=command.player)]


def _leave_seat(command: LeaveSeat, state: TableState) -> Sequence[Event]:
    for seat, player in state.seats:
        if player == command.player and command.seat in (None, seat):
            return [SeatVacated(seat=seat, player=player)]
    raise Refused("UNKNOWN", f"{command.player} does not sit there")


def _assign_dealer(command: AssignDealer, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="assigning a dealer")
    if state.dealer:
        raise Refused("STATE", f"{state.dealer} has the table: a change is another command")
    return [DealerAssigned(dealer=command.dealer)]


def _change_dealer(command: ChangeDealer, state: TableState) -> Sequence[Event]:
    running = state.coup is not None or state.request is not None
    require_role(
        command,
        "GAME_SUPERVISOR" if running else "DEALER",
        what="changing the dealer during a coup" if running else "changing the dealer",
    )
    if command.dealer == state.dealer:
        raise Refused("STATE", f"{command.dealer} has the table already")
    return [DealerChanged(dealer=command.dealer, replaced=state.dealer)]


def _open_betting(command: OpenBetting, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="opening betting")
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", f"a coup is running: the table waits for {waits_for(state)}")
    shoe = state.shoe
    if shoe is None:
        raise Refused("STATE", "there is no shoe on the table")
    _check_shoe(state, shoe)
    if state.limits_version == 0:
        raise Refused("STATE", "the wager service has published no limits")
    cycle_us = _book(state).coup_cycle_min_seconds * SECOND_US
    if state.opened_at_us and command.at_us < state.opened_at_us + cycle_us:
        raise Refused("STATE", "the last betting opened too short a time ago")
    if shoe.owed:
        if not _settings(state).auto_burn or NEW_SHOE in shoe.owed:
            raise Refused("BURN_OWED", f"owed: {', '.join(shoe.owed)}", _owed_clauses(state))
        return [
            BettingRequested(
                coup=state.coups + 1, closes_in_us=command.closes_in_us, no_bet=command.no_bet
            )
        ]
    return _betting(state, command.at_us, Request(command.closes_in_us, command.no_bet))


def _check_shoe(state: TableState, shoe: ShoeView) -> None:
    over = shoe.last_coup is not None and state.coups >= shoe.last_coup
    if shoe.ended or over:
        raise Refused(
            "SHOE_ENDED", f"shoe {shoe.shoe_id} has ended", _cite(state, "end_of_shoe")
        )


def _owed_clauses(state: TableState) -> tuple[str, ...]:
    assert state.shoe is not None
    first = state.shoe.owed[0]
    return _cite(state, f"burn_{first.lower()}")


def _betting(state: TableState, at_us: int, asked: Request) -> Sequence[Event]:
    assert state.shoe is not None
    number = state.coups + 1
    coup_id = f"{_settings(state).table_id}:{state.session}:{number}"
    if asked.no_bet:
        return [
            NoBetCoupDeclared(
                coup_id=coup_id,
                coup=number,
                shoe_id=state.shoe.shoe_id,
                reason="HOUSE",
                clauses=_cite(state, "no_bet"),
            )
        ]
    rules = _book(state)
    closes_in_us = asked.closes_in_us
    if closes_in_us is None and rules.betting_close == "TIMER":
        seconds = _settings(state).betting_seconds or rules.betting_seconds
        assert seconds is not None
        closes_in_us = seconds * SECOND_US
    return [
        BettingOpened(
            coup_id=coup_id,
            coup=number,
            shoe_id=state.shoe.shoe_id,
            opened_at_us=at_us,
            closes_at_us=None if closes_in_us is None else at_us + closes_in_us,
            limits_version=state.limits_version,
            method=_settings(state).method,
        )
    ]


def _no_more_bets(command: CallNoMoreBets, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="the call")
    coup = _coup(state)
    called = NoMoreBetsAnnounced(coup_id=coup.coup_id)
    if coup.called or coup.phase not in (BETTING, CLOSED, DEALING) or coup.drawn:
        raise Refused("STATE", f"no call is due: the table waits for {waits_for(state)}")
    if coup.phase != BETTING:
        return [called]
    timer = coup.closes_at_us
    if timer is not None and timer <= command.at_us:
        return [*_close_betting(state, coup, timer, "TIMER"), called]
    return [called, *_close_betting(state, coup, command.at_us, "CALL")]


def _close_betting(state: TableState, coup: Coup, at_us: int, by: str) -> Sequence[Event]:
    closed = BettingClosed(
        coup_id=coup.coup_id, closed_at_us=at_us, closed_by=by, clauses=_cite(state, "cut_off")
    )
    if _book(state).book_close != "AUTO":
        return [closed]
    return [closed, BookCloseRequested(coup_id=coup.coup_id, reason="AUTO")]


def _close_book(command: CloseBook, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="closing the book")
    coup = _coup(state)
    if coup.phase != CLOSED or coup.book_asked:
        raise Refused("STATE", f"the table waits for {waits_for(state)}")
    return [BookCloseRequested(coup_id=coup.coup_id, reason="DEALER")]


def _deal(command: DealCoup, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="dealing")
    coup = _coup(state)
    if coup.phase not in (CLOSED, DEALING) or coup.deal_called:
        raise Refused(
            "STATE", f"not now: the table waits for {waits_for(state)}", _cite(state, "cut_off")
        )
    called = DealCalled(coup_id=coup.coup_id)
    if coup.phase == CLOSED and not coup.book_asked:
        return [BookCloseRequested(coup_id=coup.coup_id, reason="FIRST_CARD"), called]
    return [called]


def _announce(command: AnnounceResult, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="announcing the result")
    coup = _coup(state)
    complete = coup.phase == DEALING and tableau.next_hand(coup.player, coup.banker) is None
    if not complete:
        raise Refused("STATE", f"not now: the table waits for {waits_for(state)}")
    return _result(state, coup)


def _record_incident(command: RecordIncident, state: TableState) -> Sequence[Event]:
    if command.code not in INCIDENTS:
        raise Refused("UNKNOWN", f"there is no incident {command.code}")
    return [_incident(state, command.code, command.note)]


def _incident(state: TableState, code: str, note: str = "") -> IncidentRecorded:
    coup = state.coup
    return IncidentRecorded(
        code=code,
        coup_id=coup.coup_id if coup else None,
        coup=coup.number if coup else None,
        note=note,
        clauses=_cite(state, _INCIDENT_RULES[code]) if code in _INCIDENT_RULES else (),
    )


_INCIDENT_RULES = {
    "CALL_MISSING": "call",
    "BURN_MISSING": "burn_missing",
    "CARD_BEFORE_CLOSE": "card_before_close",
    "ANNOUNCEMENT_MISMATCH": "announcement_mismatch",
}


def _advance(command: AdvanceTime, state: TableState) -> Sequence[Event]:
    """Timers in the order in which they fall due, each at its own moment."""
    events: list[Event] = []
    coup = state.coup
    if coup is None:
        return events
    timer = coup.closes_at_us
    if coup.phase == BETTING and timer is not None and timer <= command.at_us:
        events.extend(_close_betting(state, coup, timer, "TIMER"))
        state = _fold(state, events)
        coup = _coup(state)
    return events


_DECIDE: dict[type[Command], Callable[[Any, TableState], Sequence[Event]]] = {
    CloseTable: _close_table,
    TakeSeat: _take_seat,
    LeaveSeat: _leave_seat,
    AssignDealer: _assign_dealer,
    ChangeDealer: _change_dealer,
    OpenBetting: _open_betting,
    CallNoMoreBets: _no_more_bets,
    CloseBook: _close_book,
    DealCoup: _deal,
    AnnounceResult: _announce,
    RecordIncident: _record_incident,
    AdvanceTime: _advance,
}


# --- what follows ---------------------------------------------------------------------------


def _proceed(state: TableState, at_us: int) -> list[Event]:
    """Everything that has fallen due, step by step."""
    events: list[Event] = []
    while step := _next_step(state, at_us):
        state = _fold(state, step)
        events.extend(step)
    return events


def _next_step(state: TableState, at_us: int) -> Sequence[Event]:
    if state.request is not None:
        return _requested_betting(state, state.request, at_us)
    coup = state.coup
    if coup is None:
        return ()
    if coup.phase in (RESULTED, VOID):
        return _closing(coup)
    if coup.exhausted:
        return [_void(state, coup, "INSUFFICIENT_CARDS", "insufficient_cards")]
    if coup.phase == CLOSED:
        return _opening_of_the_deal(coup)
    if coup.phase != DEALING:
        return ()
    if coup.dealt < len(coup.drawn):
        return _place(state, coup, coup.drawn[coup.dealt])
    return _instruct(state, coup)


def _requested_betting(state: TableState, asked: Request, at_us: int) -> Sequence[Event]:
    shoe = state.shoe
    assert shoe is not None
    if shoe.ended:
        return [
            BettingNotOpened(
                reason="SHOE_ENDED",
                message=f"the burn before betting ended shoe {shoe.shoe_id}",
            )
        ]
    return () if shoe.owed else _betting(state, at_us, asked)


def _opening_of_the_deal(coup: Coup) -> Sequence[Event]:
    """Dealing opens with the closed book; a card that is out already asks for it."""
    if coup.no_bet or coup.book is not None:
        held = coup.book or EMPTY_BOOK
        return [
            DealingOpened(
                coup_id=coup.coup_id,
                book_revision=held.revision,
                book_wagers=held.wagers,
                book_digest=held.digest,
            )
        ]
    if coup.drawn and not coup.book_asked:
        return [BookCloseRequested(coup_id=coup.coup_id, reason="FIRST_CARD")]
    return ()


def _place(state: TableState, coup: Coup, drawn: Drawn) -> Sequence[Event]:
    """Give the next card of the draw order to the hand that needs it (invariant 2)."""
    hand = tableau.next_hand(coup.player, coup.banker)
    if hand is None:
        return ()  # an extra card waits for its ruling
    held = coup.player if hand == "player" else coup.banker
    events: list[Event] = []
    if coup.dealt == 0:
        events.append(
            CoupStarted(coup_id=coup.coup_id, coup=coup.number, draw_number=drawn.draw_number)
        )
    events.append(
        CardDealt(
            coup_id=coup.coup_id,
            draw_number=drawn.draw_number,
            hand=hand.upper(),
            position=len(held) + 1,
            card=drawn.card,
            face_up=drawn.face_up,
        )
    )
    after = _fold(state, events)
    return [*events, *_told_after_card(after, _coup(after))]


def _told_after_card(state: TableState, coup: Coup) -> Sequence[Event]:
    """Counts, naturals and decisions as the cards make them known (004 9.1)."""
    known = tableau.known_decisions(coup.player, coup.banker)
    if len(known) <= coup.decided:
        return ()
    events: list[Event] = []
    hands = (("PLAYER", coup.player), ("BANKER", coup.banker))
    if coup.decided == 0:
        counts = [(hand, points(held[:2])) for hand, held in hands]
        if _book(state).announce_points:
            events.extend(
                PointsAnnounced(coup_id=coup.coup_id, hand=hand, points=count)
                for hand, count in counts
            )
        events.extend(
            NaturalDeclared(
                coup_id=coup.coup_id, hand=hand, points=count, clauses=_cite(state, "natural")
            )
            for hand, count in counts
            if count >= NATURAL_POINTS_MIN
        )
    events.extend(
        ThirdCardDecision(
            coup_id=coup.coup_id,
            hand=made.hand.upper(),
            draw=made.draw,
            rule=made.rule,
            clauses=_cite(state, made.rule),
        )
        for made in known[coup.decided :]
    )
    return events


def _instruct(state: TableState, coup: Coup) -> Sequence[Event]:
    """In a coup that is dealt out: ask for what is needed, or give the result."""
    if not coup.deal_called or coup.instructed:
        return ()
    if tableau.next_hand(coup.player, coup.banker) is None:
        return _result(state, coup)
    count = max(1, INITIAL_CARDS - len(coup.drawn))
    return [DrawInstructed(coup_id=coup.coup_id, count=count)]


def _result(state: TableState, coup: Coup) -> Sequence[Event]:
    end = outcome(coup.player, coup.banker)
    made = tableau.decisions(coup.player, coup.banker)
    events: list[Event] = []
    if _book(state).announce_points:
        events.extend(
            PointsAnnounced(coup_id=coup.coup_id, hand=hand, points=count, final=True)
            for hand, count in (("PLAYER", end.player_points), ("BANKER", end.banker_points))
        )
    held = coup.book or EMPTY_BOOK
    events.append(
        CoupResulted(
            coup_id=coup.coup_id,
            coup=coup.number,
            player=coup.player,
            banker=coup.banker,
            player_points=end.player_points,
            banker_points=end.banker_points,
            winner=end.winner.upper(),
            natural=end.natural,
            decisions=tuple(
                PublishedDecision(
                    hand=each.hand.upper(),
                    draw=each.draw,
                    rule=each.rule,
                    clause=next(iter(_cite(state, each.rule)), ""),
                )
                for each in made
            ),
            book_revision=held.revision,
            no_bet=coup.no_bet,
            clauses=_cite(state, "result"),
        )
    )
    return events


def _void(state: TableState, coup: Coup, reason: str, rule: str) -> CoupVoided:
    return CoupVoided(
        coup_id=coup.coup_id,
        coup=coup.number,
        reason=reason,
        player=coup.player,
        banker=coup.banker,
        clauses=_cite(state, rule),
    )


def _closing(coup: Coup) -> Sequence[Event]:
    """The coup closes once its money is where it belongs; an empty book has none to move."""
    if not coup.settled:
        return ()
    status = "VOID" if coup.phase == VOID else ("NO_BET" if coup.no_bet else "SETTLED")
    return [CoupClosed(coup_id=coup.coup_id, coup=coup.number, status=status)]


# --- evolve ---------------------------------------------------------------------------------


def evolve(state: TableState, event: Event | Heard) -> TableState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = _EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _opened(state: TableState, event: TableOpened) -> TableState:
    del state
    return TableState(
        session=event.session,
        settings=event.settings,
        open=True,
    )


def _with_coup(state: TableState, **changes: Any) -> TableState:
    assert state.coup is not None
    return replace(state, coup=replace(state.coup, **changes))


def _with_shoe(state: TableState, **changes: Any) -> TableState:
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, **changes))


def _dealer_changed(state: TableState, event: DealerChanged) -> TableState:
    state = replace(state, dealer=event.dealer)
    return _owe(state, DEALER_CHANGE) if _book(state).burn.dealer_change else state


def _owe(state: TableState, reason: str) -> TableState:
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return state
    return _with_shoe(state, owed=(*shoe.owed, reason))


def _betting_opened(state: TableState, event: BettingOpened) -> TableState:
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=BETTING,
        no_bet=False,
        closes_at_us=event.closes_at_us,
    )
    return replace(
        state, coup=coup, coups=event.coup, request=None, opened_at_us=event.opened_at_us
    )


def _no_bet_declared(state: TableState, event: NoBetCoupDeclared) -> TableState:
    coup = Coup(
        coup_id=event.coup_id,
        number=event.coup,
        phase=CLOSED,
        no_bet=True,
        closes_at_us=None,
        book=EMPTY_BOOK,
    )
    return replace(state, coup=coup, coups=event.coup, request=None)


def _card_dealt(state: TableState, event: CardDealt) -> TableState:
    coup = state.coup
    assert coup is not None
    card = event.card
    assert card is not None
    if event.hand == "PLAYER":
        return _with_coup(state, player=(*coup.player, card), dealt=coup.dealt + 1)
    return _with_coup(state, banker=(*coup.banker, card), dealt=coup.dealt + 1)


def _decision_told(state: TableState, event: ThirdCardDecision) -> TableState:
    del event
    coup = state.coup
    assert coup is not None
    return _with_coup(state, decided=coup.decided + 1)


def _coup_closed(state: TableState, event: CoupClosed) -> TableState:
    state = replace(state, coup=None)
    shoe = state.shoe
    over = shoe is not None and shoe.last_coup is not None and event.coup >= shoe.last_coup
    if over or not _book(state).burn.between_coups:
        return state
    return _owe(state, BETWEEN_COUPS)


_EVOLVE: dict[type[Event], Callable[[TableState, Any], TableState]] = {
    TableOpened: _opened,
    TableClosed: lambda state, _: replace(state, open=False),
    DealerAssigned: lambda state, event: replace(state, dealer=event.dealer),
    DealerChanged: _dealer_changed,
    SeatTaken: lambda state, event: replace(
        state, seats=(*state.seats, (event.seat, event.player))
    ),
    SeatVacated: lambda state, event: replace(
        state, seats=tuple(taken for taken in state.seats if taken[0] != event.seat)
    ),
    BettingRequested: lambda state, event: replace(
        state, request=Request(event.closes_in_us, event.no_bet)
    ),
    BettingNotOpened: lambda state, _: replace(state, request=None),
    BettingOpened: _betting_opened,
    NoBetCoupDeclared: _no_bet_declared,
    NoMoreBetsAnnounced: lambda state, _: _with_coup(state, called=True),
    BettingClosed: lambda state, event: _with_coup(
        state, phase=CLOSED, closed_at_us=event.closed_at_us
    ),
    BookCloseRequested: lambda state, _: _with_coup(state, book_asked=True),
    DealCalled: lambda state, _: _with_coup(state, deal_called=True),
    DealingOpened: lambda state, _: _with_coup(state, phase=DEALING),
    DrawInstructed: lambda state, event: _with_coup(state, instructed=event.count),
    CardDealt: _card_dealt,
    ThirdCardDecision: _decision_told,
    CoupResulted: lambda state, event: _with_coup(
        state, phase=RESULTED, settled=event.no_bet or _book_is_empty(state)
    ),
    CoupVoided: lambda state, _: _with_coup(state, phase=VOID, instructed=0),
    CoupClosed: _coup_closed,
}


def _book_is_empty(state: TableState) -> bool:
    coup = state.coup
    return coup is not None and (coup.book or EMPTY_BOOK).wagers == 0


def _heard_loaded(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeLoaded = heard.event  # type: ignore[assignment]
    return replace(state, shoe=ShoeView(shoe_id=event.shoe_id, owed=(NEW_SHOE,)))


def _heard_burned(state: TableState, heard: Heard) -> TableState:
    event: cards.CardsBurned = heard.event  # type: ignore[assignment]
    shoe = state.shoe
    if shoe is None or event.reason not in shoe.owed:
        return state
    owed = list(shoe.owed)
    owed.remove(event.reason)
    return _with_shoe(state, owed=tuple(owed))


def _heard_cut_card(state: TableState, heard: Heard) -> TableState:
    event: cards.CutCardReached = heard.event  # type: ignore[assignment]
    over = event.in_burn and _book(state).cutting_card_in_burn == "RETIRE_SHOE"
    return _with_shoe(state, ended=True) if over else state


def _heard_last_coup(state: TableState, heard: Heard) -> TableState:
    event: cards.LastCoupDesignated = heard.event  # type: ignore[assignment]
    return _with_shoe(state, last_coup=event.coup)


def _heard_drawn(state: TableState, heard: Heard) -> TableState:
    event: cards.CardDrawn = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    drawn = (*coup.drawn, Drawn(event.draw_number, event.card, event.face_up))
    return _with_coup(state, drawn=drawn, instructed=max(0, coup.instructed - 1))


def _heard_exhausted(state: TableState, heard: Heard) -> TableState:
    event: cards.ShoeExhausted = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return _with_coup(state, exhausted=True)


def _heard_limits(state: TableState, heard: Heard) -> TableState:
    event: book.LimitsPublished = heard.event  # type: ignore[assignment]
    return replace(state, limits_version=event.limits_version)


def _heard_book(state: TableState, heard: Heard) -> TableState:
    event: book.BookClosed | book.BookRevised = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    held = BookView(event.revision, event.wagers, event.digest)
    refunded = coup.phase == VOID and event.wagers == 0
    return _with_coup(state, book=held, settled=coup.settled or refunded)


def _heard_settled(state: TableState, heard: Heard) -> TableState:
    event: money.CoupSettled = heard.event  # type: ignore[assignment]
    coup = state.coup
    if coup is None or coup.coup_id != event.coup_id:
        return state
    return _with_coup(state, settled=True)


_EVOLVE_HEARD: dict[type[Event], Callable[[TableState, Heard], TableState]] = {
    cards.ShoeLoaded: _heard_loaded,
    cards.CardsBurned: _heard_burned,
    cards.CardDrawn: _heard_drawn,
    cards.CutCardReached: _heard_cut_card,
    cards.LastCoupDesignated: _heard_last_coup,
    cards.ShoeExhausted: _heard_exhausted,
    cards.ShoeRetired: lambda state, _: _with_shoe(state, ended=True, owed=()),
    cards.ShoeInvalidated: lambda state, _: _with_shoe(state, ended=True, owed=()),
    book.LimitsPublished: _heard_limits,
    book.BookClosed: _heard_book,
    book.BookRevised: _heard_book,
    money.CoupSettled: _heard_settled,
}

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    module.SERVICE: {
        kind.type: kind for kind in _EVOLVE_HEARD if kind.type in module.EVENTS
    }
    for module in (cards, book, money)
}
"""What round listens to."""


FOLLOWS = frozenset({*_EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: TableState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    if type(heard.event) not in _EVOLVE_HEARD:
        return ()
    if isinstance(heard.event, book.LimitsPublished) or not state.session:
        return ()
    return [Proceed(at_us=heard.meta.occurred_at_us, by=heard.meta.actor)]
