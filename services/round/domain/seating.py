"""Seats whose players do not stake (004 14.10, X-48)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.round import SeatVacated
from services.contracts.round_table import SeatIdleCounted, SeatVacateRequired
from services.round.commands import VacateSeat
from services.round.domain.coup import EMPTY_BOOK, Coup
from services.round.domain.persons import require_known
from services.round.domain.state import TableState, clauses_for, rules_of, settings_of


def idle_counted(state: TableState, coup: Coup) -> Sequence[Event]:
    """After a coup with betting: seats that staked start anew, others count at a full table."""
    unknown = coup.no_bet or not settings_of(state).keeps_book
    if rules_of(state).seat_idle_rounds is None or unknown:
        return ()
    staked = {each.player for each in (coup.book or EMPTY_BOOK).players}
    events: list[Event] = []
    for seat, player in state.seats:
        before = state.idle.get(seat, 0)
        idle = before + 1 if coup.full else before
        rounds = 0 if player in staked else idle
        if rounds != before:
            events.append(
                SeatIdleCounted(
                    seat=seat,
                    player=player,
                    rounds=rounds,
                    clauses=clauses_for(state, "seat_idle"),
                )
            )
    return events


def vacate(command: VacateSeat, state: TableState) -> Sequence[Event]:
    """A supervisor asks a player for his seat after three idle rounds at a full table."""
    rules = rules_of(state)
    require_known(
        command,
        state,
        rules.seat_vacate_by,
        what="asking for a seat",
        without="under this rulebook nobody is asked for his seat",
    )
    player = next((who for seat, who in state.seats if seat == command.seat), None)
    if not 1 <= command.seat <= settings_of(state).seats:
        raise Refused("UNKNOWN", f"there is no seat {command.seat}")
    if player is None:
        raise Refused("STATE", f"seat {command.seat} is free")
    rounds, wanted = state.idle.get(command.seat, 0), rules.seat_idle_rounds or 0
    if rounds < wanted:
        raise Refused(
            "STATE",
            f"seat {command.seat} was idle in {rounds} rounds at a full table, not in {wanted}",
            clauses_for(state, "seat_idle"),
        )
    asked = SeatVacateRequired(
        seat=command.seat, player=player, clauses=clauses_for(state, "seat_idle")
    )
    return [asked, SeatVacated(seat=command.seat, player=player)]
