"""Coups without wagers that were dealt while the platform was down, entered afterwards.

Two persons enter each from the recording, in the order in which they were dealt and before play goes
on. The pure rules look at it first: what no deal can have been is refused. Its result is that of the
cards that were entered, or a person decides.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_second
from services.contracts.round import CoupBackfilled
from services.round.commands import BackfillCoup
from services.round.domain.betting import burn_owed, check_shoe, check_table
from services.round.domain.coup import (
    ANNOUNCEMENT_MISMATCH,
    DEALING,
    Coup,
    has_hidden,
    is_complete,
)
from services.round.domain.ending import result
from services.round.domain.incidents import held, incident
from services.round.domain.persons import GAME_SUPERVISOR, require
from services.round.domain.state import (
    Kept,
    Reports,
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
    _check_time(command, state, shoe)
    end = _end_of(command.cards, state)
    _check_kept(command, state, shoe)
    _check_report(command, state, shoe)
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


def _check_time(command: BackfillCoup, state: TableState, shoe: ShoeView) -> None:
    """Coups are entered in the order in which they were dealt, each from the shoe that lay there.

    The shoe was loaded in the table's session, so that a coup behind it is one of the session.
    """
    if command.dealt_at_us > command.at_us:
        raise Refused("STATE", "dealt_at_us: the coup was not dealt yet at that time")
    if command.dealt_at_us < shoe.loaded_at_us:
        raise Refused(
            "STATE",
            f"dealt_at_us: shoe {shoe.shoe_id} was loaded later, at {shoe.loaded_at_us}",
        )
    if command.dealt_at_us < state.dealt_from_us:
        raise Refused(
            "STATE",
            f"dealt_at_us: coup {state.coups} is later, from {state.dealt_from_us} on; "
            "coups are entered in their order",
        )


def _kept(shoe: ShoeView) -> list[Kept]:
    """Cards of the coup before that are the first of this one, in draw order."""
    return sorted(shoe.kept, key=lambda each: each.draw_number)


def _check_kept(command: BackfillCoup, state: TableState, shoe: ShoeView) -> None:
    """Cards kept from the coup before were its first (004 12.4); one that nobody read may be any."""
    for place, (kept, card) in enumerate(zip(_kept(shoe), command.cards, strict=False), 1):
        if kept.card not in (None, card):
            raise Refused(
                "STATE",
                f"cards: card {place} is {kept.card}, kept from coup {kept.coup_id} "
                f"(draw number {kept.draw_number}), not {card}",
                clauses_for(state, "extra_card"),
            )


def _check_report(command: BackfillCoup, state: TableState, shoe: ShoeView) -> None:
    """The number of the last card's report follows from those before and from the cards (N-5)."""
    if command.sequence is None:
        return
    if command.sequence < 1 or not command.device_id:
        raise Refused("STATE", "sequence: reports are numbered from 1, each by a device_id")
    heard = state.reports.get(command.device_id, Reports())
    new = max(1, len(command.cards) - len(shoe.kept))
    first, last = heard.last + new, heard.last + shoe.cards - heard.drawn
    # A shuffling device gets its cards back, and gives them without end.
    if command.sequence < first or (command.sequence > last and not shoe.device):
        possible = f"{first} or more" if shoe.device else f"{first} to {last}"
        raise Refused(
            "STATE",
            f"sequence: behind report {heard.last} of {command.device_id} the last card of this "
            f"coup is report {possible}, not {command.sequence}",
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


def as_entered(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """The result, once the shoe has given the cards that were entered; other cards hold the coup."""
    if coup.phase != DEALING or coup.hold is not None or has_hidden(coup):
        return ()
    if len(coup.drawn) < len(coup.entered) and not coup.exhausted:
        return ()
    given = tuple(one.card for one in coup.drawn[: len(coup.entered)])
    if given == coup.entered and is_complete(coup):
        return result(state, coup)
    return [
        incident(state, ANNOUNCEMENT_MISMATCH),
        held(coup, ANNOUNCEMENT_MISMATCH, at_us),
    ]
