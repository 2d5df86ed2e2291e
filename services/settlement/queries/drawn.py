"""The roads of a shoe as data, from the results that are kept of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sabot.query.v1 import resources_pb2 as pb
from services.rules.roads import DERIVED_ROADS, DerivedRoad, Result, RoadEntry, roads
from services.settlement.queries.messages import filled
from services.settlement.queries.resources import RoadMark


def drawn(shoe_id: str, marks: Sequence[RoadMark]) -> pb.Roads:
    """All five roads of a shoe's coups, in coup order."""
    found = roads([_entry(mark) for mark in marks])
    answer = pb.Roads(
        shoe_id=shoe_id,
        leading_ties=found.leading_ties,
        streaks=[column.length for column in found.columns],
    )
    for bead, mark in zip(found.bead_plate, marks, strict=True):
        cell = answer.bead_plate.add(column=bead.column, row=bead.row)
        filled(cell.mark, mark)
    wins = [mark for mark in marks if mark.result != "T"]
    ties = [count for column in found.columns for count in column.ties]
    for place, mark, count in zip(found.big_road, wins, ties, strict=True):
        big = answer.big_road.add(column=place.column, row=place.row, ties=count)
        filled(big.mark, mark)
    for name in DERIVED_ROADS:
        _derived(getattr(answer, name), getattr(found, name))
    return answer


def _entry(mark: RoadMark) -> RoadEntry:
    return RoadEntry(
        cast("Result", mark.result),
        player_pair=mark.player_pair,
        banker_pair=mark.banker_pair,
        natural=mark.natural,
        no_bet=mark.no_bet,
    )


def _derived(answer: Any, road: DerivedRoad) -> None:
    answer.ask_banker = road.ask.banker or ""
    answer.ask_player = road.ask.player or ""
    for cell in road.cells:
        answer.cells.add(column=cell.column, row=cell.row, mark=cell.mark)
