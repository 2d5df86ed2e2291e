"""From the closed book to the end of the coup: the deal, the tableau, the result.

What follows from what was heard is worked out in one place, `next_step`: one step at a time,
whatever order the other services' events arrive in."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Decision as PublishedDecision
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.round import (
    BettingNotOpened,
    BookCloseRequested,
    CardDealt,
    CoupClosed,
    CoupResulted,
    CoupStarted,
    CoupVoided,
    DealCalled,
    DealingOpened,
    DrawInstructed,
    NaturalDeclared,
    PointsAnnounced,
    ThirdCardDecision,
)
from services.round.commands import (
    AnnounceResult,
    DealCoup,
)
from services.round.domain.betting import betting
from services.round.domain.evolve import fold
from services.round.domain.state import (
    CLOSED,
    DEALING,
    EMPTY_BOOK,
    INITIAL_CARDS,
    RESULTED,
    VOID,
    Coup,
    Drawn,
    Request,
    TableState,
    clauses_for,
    coup_of,
    rules_of,
    waits_for,
)
from services.rules import tableau
from services.rules.hands import NATURAL_POINTS_MIN, points
from services.rules.outcome import outcome


def deal(command: DealCoup, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="dealing")
    coup = coup_of(state)
    if coup.phase not in (CLOSED, DEALING) or coup.deal_called:
        raise Refused(
            "STATE",
            f"not now: the table waits for {waits_for(state)}",
            clauses_for(state, "cut_off"),
        )
    called = DealCalled(coup_id=coup.coup_id)
    if coup.phase == CLOSED and not coup.book_asked:
        return [BookCloseRequested(coup_id=coup.coup_id, reason="FIRST_CARD"), called]
    return [called]


def announce(command: AnnounceResult, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="announcing the result")
    coup = coup_of(state)
    complete = coup.phase == DEALING and tableau.next_hand(coup.player, coup.banker) is None
    if not complete:
        raise Refused("STATE", f"not now: the table waits for {waits_for(state)}")
    return _result(state, coup)


def proceed(state: TableState, at_us: int) -> list[Event]:
    """Everything that has fallen due, step by step."""
    events: list[Event] = []
    while step := _next_step(state, at_us):
        state = fold(state, step)
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
    return () if shoe.owed else betting(state, at_us, asked)


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
    after = fold(state, events)
    return [*events, *_told_after_card(after, coup_of(after))]


def _told_after_card(state: TableState, coup: Coup) -> Sequence[Event]:
    """Counts, naturals and decisions as the cards make them known (004 9.1)."""
    known = tableau.known_decisions(coup.player, coup.banker)
    if len(known) <= coup.decided:
        return ()
    events: list[Event] = []
    hands = (("PLAYER", coup.player), ("BANKER", coup.banker))
    if coup.decided == 0:
        counts = [(hand, points(held[:2])) for hand, held in hands]
        if rules_of(state).announce_points:
            events.extend(
                PointsAnnounced(coup_id=coup.coup_id, hand=hand, points=count)
                for hand, count in counts
            )
        events.extend(
            NaturalDeclared(
                coup_id=coup.coup_id, hand=hand, points=count, clauses=clauses_for(state, "natural")
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
            clauses=clauses_for(state, made.rule),
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
    if rules_of(state).announce_points:
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
                    clause=next(iter(clauses_for(state, each.rule)), ""),
                )
                for each in made
            ),
            book_revision=held.revision,
            no_bet=coup.no_bet,
            clauses=clauses_for(state, "result"),
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
        clauses=clauses_for(state, rule),
    )


def _closing(coup: Coup) -> Sequence[Event]:
    """The coup closes once its money is where it belongs; an empty book has none to move."""
    if not coup.settled:
        return ()
    status = "VOID" if coup.phase == VOID else ("NO_BET" if coup.no_bet else "SETTLED")
    return [CoupClosed(coup_id=coup.coup_id, coup=coup.number, status=status)]
