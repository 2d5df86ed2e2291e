"""Invariants 7 to 9: roads, what nobody may know, and that every state is the fold of its log."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from services.contracts.core import Event, Heard
from services.contracts.round import CoupResulted
from services.contracts.shoe import (
    CardDrawn,
    CardRevealed,
    CardsBurned,
    ShoeCommitted,
    ShoeLoaded,
    ShoeRevealed,
)
from services.rules.roads import DERIVED_ROADS, entries_of, roads
from services.tablelog.inprocess import CORES
from services.tablelog.render import SERVICES
from services.tablelog.steps import Step
from tests.property.rough import RoughTable
from tests.property.wanderer import Wanderer

_encode = msgspec.json.Encoder().encode


def roads_come_from_results(w: Wanderer) -> None:
    """Invariant 7: every road by a second way of counting; ask marks are opposite."""
    results = [event.winner[0] for event in w.events(CoupResulted)]
    found = roads(entries_of("".join(results)))
    wins = [winner for winner in results if winner != "T"]
    for name, gap in DERIVED_ROADS.items():
        road = getattr(found, name)
        assert "".join(road.marks) == _marks(wins, gap), name
        if road.ask.banker and road.ask.player:
            assert road.ask.banker != road.ask.player


def _marks(wins: list[str], gap: int) -> str:
    """B and R of a derived road: is the cell so many columns back like the one above it?"""
    marks, columns = "", list[int]()
    for at, winner in enumerate(wins):
        if at and wins[at - 1] == winner:
            columns[-1] += 1
        else:
            columns.append(1)
        here, row = len(columns) - 1, columns[-1]
        if row == 1 and here > gap:
            marks += "R" if columns[here - 1] == columns[here - 1 - gap] else "B"
        elif row > 1 and here >= gap:
            marks += "B" if columns[here - gap] == row - 1 else "R"
    return marks


def _again(event: Event) -> Event:
    """The event as it is written and read."""
    return msgspec.json.decode(_encode(event), type=type(event))


def every_state_is_the_fold_of_its_log(w: Wanderer) -> None:
    """Invariant 9: what was written, read again anywhere, gives the same bytes."""
    for name in SERVICES:
        core = CORES[name]
        state = core.initial_state()
        for each in w.table.streams[name]:
            event = (
                replace(each, event=_again(each.event)) if isinstance(each, Heard) else _again(each)
            )
            state = core.evolve(state, event)
        live = w.table.states[name]
        assert state == live, name
        assert msgspec.json.decode(_encode(live), type=type(live)) == live, name


def no_undealt_card_is_told(w: Wanderer) -> None:
    """Invariant 8: with other cards in every place that was never shown, nobody sees a difference.

    All that is published stays the same to the byte, and so does what the other services know.
    """
    table = RoughTable("T1", w.table.seed, lags=w.table.lags)
    shown = _shown(w)
    for step, name in w.table.steps:
        table.run(_shuffled(step, shown), name)
    table.settle_down()
    assert _public(table) == _public(w.table)
    for name in ("round", "wager", "settlement"):
        assert table.states[name] == w.table.states[name], name


def _shown(w: Wanderer) -> dict[str, set[int]]:
    """Draw numbers whose cards were to be seen by somebody, by shoe.

    The first one of a shoe is turned by the burn that is asked for, also where that is refused for a
    number that the card does not give.
    """
    shown = {event.shoe_id: {1} for event in w.events(ShoeLoaded)}
    for event in w.events(CardDrawn, CardRevealed, CardsBurned):
        number = event.first_draw_number if isinstance(event, CardsBurned) else event.draw_number
        card = event.first_card if isinstance(event, CardsBurned) else event.card
        if card is not None:
            shown.setdefault(event.shoe_id, set()).add(number)
    return shown


def _shuffled(step: Step, shown: dict[str, set[int]]) -> Step:
    """The step with the hidden cards of its order in other places."""
    shoe_id = getattr(step.command, "shoe_id", "")
    if step.order is None or not shoe_id:
        return step
    order = list(step.order)
    hidden = [at for at in range(len(order)) if at + 1 not in shown.get(shoe_id, set())]
    for at, from_ in zip(hidden, reversed(hidden), strict=True):
        order[at] = step.order[from_]
    return replace(step, order=tuple(order))


def _public(table: RoughTable) -> list[bytes]:
    hidden = (ShoeCommitted, ShoeRevealed)
    return [
        _encode(event)
        for event in (sent.event for sent in table.sent)
        if event.published and type(event) not in hidden
    ]
