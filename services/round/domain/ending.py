"""How coups end: by a result, without one, and the closing behind either."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.common import Decision as PublishedDecision
from services.contracts.core import Event
from services.contracts.round import (
    CoupClosed,
    CoupResulted,
    CoupTerminated,
    CoupVoided,
    IncidentRecorded,
    PointsAnnounced,
    ResultCorrected,
)
from services.round.domain.coup import EMPTY_BOOK, RESULTED, VOID, Coup
from services.round.domain.offers import shoe_after_coup
from services.round.domain.seating import idle_counted
from services.round.domain.state import TableState, clauses_for, rules_of, settings_of
from services.rules import tableau
from services.rules.outcome import outcome

VOID_RULES = {
    "ALL_WITHDRAWN": "withdrawal",
    "NOT_RECONSTRUCTIBLE": "reconstruction",
    "EXCESS_INITIAL": "excess_initial",
    "MULTI_PULL": "multi_pull",
    "INSUFFICIENT_CARDS": "insufficient_cards",
    "SHOE_INVALID": "burn_missing",
    "INTEGRITY": "integrity",
    "CARD_BEFORE_CLOSE": "card_before_close",
}
"""Void reasons that are rules, with the key of their clauses."""


def voided(
    state: TableState, coup: Coup, reason: str, rule: str = "", *, note: str = ""
) -> CoupVoided:
    """The end of a coup without a result."""
    return CoupVoided(
        coup_id=coup.coup_id,
        coup=coup.number,
        reason=reason,
        note=note,
        started=coup.started,
        player=coup.player,
        banker=coup.banker,
        clauses=clauses_for(state, rule or VOID_RULES[reason]),
    )


def terminated(state: TableState, coup: Coup) -> CoupTerminated:
    """A fault of the shuffling device ends the coup (004 13.4)."""
    return CoupTerminated(
        coup_id=coup.coup_id,
        coup=coup.number,
        reason="SHUFFLER",
        player=coup.player,
        banker=coup.banker,
        clauses=clauses_for(state, "terminate"),
    )


def decisions_of(
    state: TableState, player: Sequence[Card], banker: Sequence[Card]
) -> tuple[PublishedDecision, ...]:
    """Both decisions on third cards, each with the clause behind it (D2)."""
    return tuple(
        PublishedDecision(
            hand=each.hand.upper(),
            draw=each.draw,
            rule=each.rule,
            clause=next(iter(clauses_for(state, each.rule)), ""),
        )
        for each in tableau.decisions(player, banker)
    )


def result(state: TableState, coup: Coup) -> Sequence[Event]:
    """The result, computed from the cards in draw order."""
    end = outcome(coup.player, coup.banker)
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
            decisions=decisions_of(state, coup.player, coup.banker),
            book_revision=held.revision,
            no_bet=coup.no_bet,
            clauses=clauses_for(state, "result"),
        )
    )
    return events


def corrected(
    state: TableState,
    *,
    coup_id: str,
    number: int,
    player: tuple[Card, ...],
    banker: tuple[Card, ...],
    book_revision: int,
    no_bet: bool,
    revision: int,
    reason: str,
) -> ResultCorrected:
    """The result as it should have been."""
    end = outcome(player, banker)
    return ResultCorrected(
        coup_id=coup_id,
        coup=number,
        player=player,
        banker=banker,
        player_points=end.player_points,
        banker_points=end.banker_points,
        winner=end.winner.upper(),
        natural=end.natural,
        decisions=decisions_of(state, player, banker),
        book_revision=book_revision,
        no_bet=no_bet,
        revision=revision,
        reason=reason,
        clauses=clauses_for(state, "announcement_mismatch"),
    )


def closing(state: TableState, coup: Coup) -> Sequence[Event]:
    """The coup closes once its money is where it belongs; an empty book has none to move."""
    if coup.phase not in (RESULTED, VOID) or not coup.settled:
        return ()
    if coup.phase == VOID:
        status = "TERMINATED" if coup.terminated else "VOID"
        return [_closed(coup, status)]
    return [*idle_counted(state, coup), *shoe_after_coup(state, coup), _closed(coup, coup.status)]


def _closed(coup: Coup, status: str) -> CoupClosed:
    return CoupClosed(coup_id=coup.coup_id, coup=coup.number, status=status, started=coup.started)


def spoiled_coup(state: TableState) -> Sequence[Event]:
    """A card came out before the new shoe's burn: the coup that it began is void (002 L29)."""
    shoe = state.shoe
    if shoe is None or not shoe.spoiled or state.coup is not None:
        return ()
    number = state.coups + 1
    coup_id = f"{settings_of(state).table_id}:{state.session}:{number}"
    clauses = clauses_for(state, "burn_missing")
    return [
        IncidentRecorded(code="BURN_MISSING", coup_id=coup_id, coup=number, clauses=clauses),
        CoupVoided(
            coup_id=coup_id, coup=number, reason="SHOE_INVALID", started=True, clauses=clauses
        ),
    ]
