"""Coups without wagers that were dealt while the platform was down, entered afterwards.

Two persons enter each from the recording, in the order in which they were dealt and before play goes
on. The pure rules look at it first: what no deal can have been is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_second
from services.contracts.round import CoupBackfilled
from services.round.commands import BackfillCoup
from services.round.domain.betting import burn_owed, check_shoe, check_table
from services.round.domain.persons import GAME_SUPERVISOR, require
from services.round.domain.state import (
    ShoeView,
    TableState,
    clauses_for,
    settings_of,
    waits_for,
)
from services.rules import tableau
from services.rules.outcome import Outcome, outcome


def backfill(command: BackfillCoup, state: TableState) -> Sequence[Event]:
    """A coup of the outage, where it can have been dealt so from this shoe."""
    what = "entering a coup of an outage"
    require(command, state, GAME_SUPERVISOR, what=what)
    require_second(command, what=what)
    shoe = _check_place(command, state)
    for name in ("reason", "video"):
        if not getattr(command, name).strip():
            raise Refused("STATE", f"{name}: {what} takes one")
    if command.sequence is not None and (command.sequence < 1 or not command.device_id):
        raise Refused("STATE", "sequence: reports are numbered from 1, each by a device_id")
    _check_time(command, state)
    end = _end_of(command.cards, state)
    if command.winner != end.winner.upper():
        raise Refused(
            "STATE",
            f"winner: the cards give {end.winner.upper()} (Player {end.player_points}, "
            f"Banker {end.banker_points}), not {command.winner}",
            clauses_for(state, "result"),
        )
    settings = settings_of(state)
    return [
        CoupBackfilled(
            coup_id=f"{settings.table_id}:{state.session}:{command.coup}",
            coup=command.coup,
            shoe_id=shoe.shoe_id,
            cards=command.cards,
            winner=command.winner,
            dealt_at_us=command.dealt_at_us,
            reason=command.reason,
            video=command.video,
            device_id=command.device_id,
            sequence=command.sequence,
            clauses=clauses_for(state, "no_bet"),
        )
    ]


def _check_place(command: BackfillCoup, state: TableState) -> ShoeView:
    """The shoe that the coup was dealt from, if it can be this table's next coup."""
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", f"a coup is running: the table waits for {waits_for(state)}")
    check_table(state)
    shoe = state.shoe
    if shoe is None:
        raise Refused("STATE", "there is no shoe on the table")
    check_shoe(state, shoe)
    if shoe.sealed:
        raise Refused(
            "STATE",
            f"shoe {shoe.shoe_id} gives no card but by the platform, which keeps its order: "
            "nothing was dealt from it in an outage",
        )
    if shoe.owed:
        raise burn_owed(state, shoe)
    if command.coup != state.coups + 1:
        raise Refused(
            "STATE", f"coup: the next one of this table is {state.coups + 1}, not {command.coup}"
        )
    return shoe


def _check_time(command: BackfillCoup, state: TableState) -> None:
    """Coups are entered in the order in which they were dealt."""
    if command.dealt_at_us > command.at_us:
        raise Refused("STATE", "dealt_at_us: the coup was not dealt yet at that time")
    if command.dealt_at_us < state.opened_at_us:
        raise Refused(
            "STATE", f"dealt_at_us: coup {state.coups} is later; coups are entered in their order"
        )


def _end_of(cards: Sequence[Card], state: TableState) -> Outcome:
    """The end to which these cards lead in draw order; refuses what no deal can have been."""
    hands: dict[str, list[Card]] = {"player": [], "banker": []}
    count = 0
    while (hand := tableau.next_hand(hands["player"], hands["banker"])) is not None:
        if count == len(cards):
            raise Refused(
                "STATE",
                f"cards: {count} are too few, {hand.capitalize()} needs one more",
                clauses_for(state, "misdeal"),
            )
        hands[hand].append(cards[count])
        count += 1
    if count < len(cards):
        raise Refused(
            "STATE",
            f"cards: {len(cards)} are too many, no hand needs more than the first {count}",
            clauses_for(state, "misdeal"),
        )
    decks = settings_of(state).decks
    for card in cards:
        if (copies := cards.count(card)) > decks:
            raise Refused(
                "INTEGRITY",
                f"cards: {copies} times {card}, and {decks} decks in the shoe",
                clauses_for(state, "integrity"),
            )
    return outcome(hands["player"], hands["banker"])
