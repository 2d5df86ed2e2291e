"""The five roads against worked cases."""

from __future__ import annotations

from itertools import product

import pytest

from services.rules.roads import (
    DERIVED_ROADS,
    RoadEntry,
    derived_marks,
    entries_of,
    layout,
    logical_columns,
    roads,
)
from tests.rules.oracle import oracle


@pytest.mark.parametrize("case", oracle("roads")["cases"], ids=lambda c: c["name"])
def test_all_roads_of_a_case(case: dict[str, object]) -> None:
    """Domain 6: columns, ties, drawing, derived marks and ask marks of every oracle case."""
    found = roads(entries_of(str(case["results"])))
    assert found.leading_ties == case["leading_ties"]
    columns = [
        {"side": c.side, "length": c.length, "ties_on_cell": list(c.ties)} for c in found.columns
    ]
    assert columns == case["big_road_columns"]
    drawn = [[cell.column, cell.row, cell.mark] for cell in found.big_road]
    assert drawn == case["big_road_layout_col_row"]
    for name in DERIVED_ROADS:
        road = getattr(found, name)
        assert "".join(road.marks) == case[name]
        assert {"B": road.ask.banker, "P": road.ask.player} == case[f"{name}_ask"]


def test_the_bead_plate_keeps_everything() -> None:
    """Domain 6.1: ties, pairs, naturals and no-bet marks, in columns of six."""
    entries = [
        *entries_of("BPTBP"),
        RoadEntry("T", player_pair=True, natural=True),
        RoadEntry("B", banker_pair=True, no_bet=True),
    ]
    plate = roads(entries).bead_plate
    assert [(cell.column, cell.row) for cell in plate] == [*((0, row) for row in range(6)), (1, 0)]
    assert [cell.entry for cell in plate] == entries


def test_ties_stack_on_the_win_before_them() -> None:
    """Domain 6.2: a win after ties opens a column only when the side changed."""
    leading, columns = logical_columns("TTPBTTPP")  # type: ignore[arg-type]
    assert leading == 2
    assert [(c.side, c.ties) for c in columns] == [("P", (0,)), ("B", (2,)), ("P", (0, 0))]


def test_a_streak_starts_beside_a_taken_cell() -> None:
    """Domain 6.3: where a tail has reached the top row, the next streak starts further right."""
    streaks = [("B", 7), ("P", 7), ("B", 7), ("P", 7), ("B", 7), ("P", 7), ("B", 2), ("P", 1)]
    cells = layout(streaks)
    assert len({(cell.column, cell.row) for cell in cells}) == len(cells)
    starts = [cell.column for cell in cells if cell.row == 0]
    assert starts == sorted(starts)


@pytest.mark.parametrize("length", range(1, 12))
def test_ask_marks_are_opposite_and_are_what_comes(length: int) -> None:
    """Invariant 7, domain 6.6: over all sequences, opposite marks, and the next one is told."""
    for results in product("BP", repeat=length):
        found = roads(entries_of("".join(results)))
        before = roads(entries_of("".join(results[:-1])))
        for name in DERIVED_ROADS:
            now, then = getattr(found, name), getattr(before, name)
            if now.ask.banker and now.ask.player:
                assert now.ask.banker != now.ask.player
            asked = then.ask.banker if results[-1] == "B" else then.ask.player
            added = now.marks[len(then.marks) :]
            assert added == (() if asked is None else (asked,))


def second_definition(lengths: list[int], back: int) -> list[str]:
    """Derived marks by looking at cells: is there one left of the new one, and above it?"""
    marks = []
    for column, length in enumerate(lengths):
        for row in range(length):
            if row == 0 and column - 1 - back >= 0:
                marks.append("R" if lengths[column - 1] == lengths[column - 1 - back] else "B")
            elif row and column - back >= 0:
                left = lengths[column - back] > row
                above = lengths[column - back] > row - 1
                marks.append("R" if left == above else "B")
    return marks


def test_derived_marks_agree_with_the_cell_by_cell_rule() -> None:
    """Domain 6.4: comparing cells instead of lengths gives the same marks."""
    for lengths in product(range(1, 5), repeat=5):
        for back in DERIVED_ROADS.values():
            found = list(derived_marks(lengths, back))
            assert found == second_definition(list(lengths), back)


def test_derived_marks_are_drawn_in_runs() -> None:
    """Domain 6.5: equal marks go down, another colour opens a column, six rows."""
    found = roads(entries_of("PPPPPPPPBBBBBBBBB")).big_eye_boy
    assert "".join(found.marks) == "RRRRRRRB"
    assert [(cell.column, cell.row) for cell in found.cells] == [
        *((0, row) for row in range(6)),
        (1, 5),
        (1, 0),
    ]


def test_an_unknown_letter_is_an_error() -> None:
    """A void coup has no letter; nothing is skipped silently."""
    with pytest.raises(ValueError, match="'V'"):
        entries_of("BPV")


def test_fifty_recorded_rounds_keep_the_rules() -> None:
    """A recorded table's results: every coup is on the bead plate, every win on the road."""
    results = oracle("roads_50_rounds")["results"]
    found = roads(entries_of(results))
    assert len(found.bead_plate) == 50
    assert len(found.big_road) == sum(letter != "T" for letter in results)
    ties = found.leading_ties + sum(sum(column.ties) for column in found.columns)
    assert ties == results.count("T")
