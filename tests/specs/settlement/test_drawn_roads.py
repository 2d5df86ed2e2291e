"""The roads that a call answers are those of the rules, for every sequence of results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.query.v1 import resources_pb2 as pb
from services.rules.roads import DERIVED_ROADS
from services.settlement.queries.drawn import drawn
from services.settlement.queries.resources import RoadMark
from tests.rules.oracle import oracle


def roads_of(results: str) -> pb.Roads:
    """The roads of a shoe with these results."""
    return drawn("T/S", [RoadMark(number, each) for number, each in enumerate(results, start=1)])


def streaks_with_ties(found: pb.Roads) -> list[dict[str, Any]]:
    """Streaks as the oracle writes them, from the cells of the big road alone."""
    cells = list(found.big_road)
    columns = []
    for length in found.streaks:
        mine, cells = cells[:length], cells[length:]
        ties = [cell.ties for cell in mine]
        columns.append({"side": mine[0].mark.result, "length": length, "ties_on_cell": ties})
    assert not cells
    return columns


@pytest.mark.parametrize("case", oracle("roads")["cases"], ids=lambda case: case["name"])
def test_all_roads_of_a_case(case: dict[str, Any]) -> None:
    """Cells, ties, derived marks and ask marks of every oracle case."""
    found = roads_of(case["results"])
    assert found.leading_ties == case["leading_ties"]
    assert streaks_with_ties(found) == case["big_road_columns"]
    cells = [[cell.column, cell.row, cell.mark.result] for cell in found.big_road]
    assert cells == case["big_road_layout_col_row"]
    beads = [(bead.column, bead.row, bead.mark.result) for bead in found.bead_plate]
    assert beads == [(at // 6, at % 6, each) for at, each in enumerate(case["results"])]
    for name in DERIVED_ROADS:
        road = getattr(found, name)
        assert "".join(cell.mark for cell in road.cells) == case[name]
        ask = {"B": road.ask_banker or None, "P": road.ask_player or None}
        assert ask == case[f"{name}_ask"]


def test_fifty_recorded_rounds() -> None:
    """A recorded table: every coup is a bead, every win a cell, every tie counted."""
    results = oracle("roads_50_rounds")["results"]
    found = roads_of(results)
    assert "".join(bead.mark.result for bead in found.bead_plate) == results
    assert [cell.mark.coup for cell in found.big_road] == [
        number for number, each in enumerate(results, start=1) if each != "T"
    ]
    assert found.leading_ties + sum(cell.ties for cell in found.big_road) == results.count("T")


@given(st.text(alphabet="BPT", max_size=90))
def test_ask_marks_are_opposite_and_are_what_comes(results: str) -> None:
    """Where both exist they are opposite; the next win adds the mark that was asked for."""
    before = roads_of(results)
    for winner, asked in (("B", "ask_banker"), ("P", "ask_player")):
        after = roads_of(results + winner)
        for name in DERIVED_ROADS:
            road = getattr(before, name)
            if road.ask_banker and road.ask_player:
                assert {road.ask_banker, road.ask_player} == {"R", "B"}
            marks = "".join(cell.mark for cell in getattr(after, name).cells)
            added = marks.removeprefix("".join(cell.mark for cell in road.cells))
            assert added == getattr(road, asked)


def test_marks_keep_pairs_naturals_and_no_bet_coups() -> None:
    """What a display shows on a cell comes with it."""
    mark = RoadMark(3, "B", player_pair=True, banker_pair=True, natural=True, no_bet=True)
    found = drawn("T/S", [mark])
    [bead], [cell] = found.bead_plate, found.big_road
    assert bead.mark == cell.mark
    shown = cell.mark
    assert (shown.coup, shown.result) == (3, "B")
    assert all((shown.player_pair, shown.banker_pair, shown.natural, shown.no_bet))
