"""The five roads of a shoe as data: what is shown where, and what would come next.

Roads are drawn from results alone and decide nothing. Void and terminated coups are not
given to these functions; no-bet coups are, with their mark.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

Side = Literal["B", "P"]
Result = Literal["B", "P", "T"]
Mark = Literal["R", "B"]
"""R red, regular; B blue, irregular. Neither has to do with Banker and Player."""

ROWS: Final = 6
"""Rows of every road that is drawn on a grid."""

DERIVED_ROADS: Final = {"big_eye_boy": 1, "small_road": 2, "cockroach_pig": 3}
"""Derived road to how many columns further left it compares."""


@dataclass(frozen=True, slots=True)
class RoadEntry:
    """One coup as the roads see it."""

    result: Result
    player_pair: bool = False
    banker_pair: bool = False
    natural: bool = False
    no_bet: bool = False


@dataclass(frozen=True, slots=True)
class BeadCell:
    """One cell of the bead plate: its place, counted from 0, and the coup it shows."""

    column: int
    row: int
    entry: RoadEntry


@dataclass(frozen=True, slots=True)
class Column:
    """One streak: its side, and the ties that fell on each of its cells."""

    side: Side
    ties: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many wins the streak has; it is not limited by the grid."""
        return len(self.ties)


@dataclass(frozen=True, slots=True)
class Cell:
    """One drawn cell of a road: its place, counted from 0, and its mark."""

    column: int
    row: int
    mark: str


@dataclass(frozen=True, slots=True)
class Ask:
    """The marks that the next Banker or Player win would add; None where none would."""

    banker: Mark | None
    player: Mark | None


@dataclass(frozen=True, slots=True)
class DerivedRoad:
    """A derived road: its marks in order, where they are drawn, and what would come next."""

    marks: tuple[Mark, ...]
    cells: tuple[Cell, ...]
    ask: Ask


@dataclass(frozen=True, slots=True)
class Roads:
    """All roads of a shoe. `leading_ties` fell before the first win and have no cell."""

    bead_plate: tuple[BeadCell, ...]
    leading_ties: int
    columns: tuple[Column, ...]
    big_road: tuple[Cell, ...]
    big_eye_boy: DerivedRoad
    small_road: DerivedRoad
    cockroach_pig: DerivedRoad


def entries_of(results: str) -> tuple[RoadEntry, ...]:
    """Return entries for results written as letters, as in `"BPTB"`.

    Raises ValueError for another letter.
    """
    letters: dict[str, Result] = {"B": "B", "P": "P", "T": "T"}
    unknown = sorted(set(results) - letters.keys())
    if unknown:
        message = f"{unknown[0]!r} is no result; results are B, P and T"
        raise ValueError(message)
    return tuple(RoadEntry(letters[letter]) for letter in results)


def bead_plate(entries: Sequence[RoadEntry]) -> tuple[BeadCell, ...]:
    """Return every coup, ties included, top to bottom in columns of six."""
    return tuple(
        BeadCell(column=at // ROWS, row=at % ROWS, entry=entry) for at, entry in enumerate(entries)
    )


def logical_columns(results: Iterable[Result]) -> tuple[int, tuple[Column, ...]]:
    """Return the ties before the first win, and the streaks with their ties.

    A tie opens no cell; it counts on the cell of the win before it.
    """
    leading = 0
    sides: list[Side] = []
    ties: list[list[int]] = []
    for result in results:
        if result == "T":
            if ties:
                ties[-1][-1] += 1
            else:
                leading += 1
        elif sides and sides[-1] == result:
            ties[-1].append(0)
        else:
            sides.append(result)
            ties.append([0])
    columns = (Column(side, tuple(held)) for side, held in zip(sides, ties, strict=True))
    return leading, tuple(columns)


def layout(streaks: Iterable[tuple[str, int]]) -> tuple[Cell, ...]:
    """Return where streaks of (mark, length) are drawn on six rows.

    A streak goes down while the cell below is free and then right along its row; once it
    turned it never goes down again. The next streak starts in the top row of the column
    after the one where this one started, or of the first column to the right of it whose
    top cell is free.
    """
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    start = 0
    for mark, length in streaks:
        while (start, 0) in taken:
            start += 1
        column, row, turned = start, 0, False
        for step in range(length):
            if step:
                below_free = row + 1 < ROWS and (column, row + 1) not in taken
                if below_free and not turned:
                    row += 1
                else:
                    column, turned = column + 1, True
            taken.add((column, row))
            cells.append(Cell(column, row, mark))
        start += 1
    return tuple(cells)


def _mark(lengths: Sequence[int], column: int, row: int, back: int) -> Mark | None:
    """Return the mark for the win at (column, row), None where it has none.

    `lengths` are the logical columns left of `column`. A win that opens a column asks
    whether the two streaks before it were equally long, as far apart as the road looks;
    a win further down asks whether the compared streak ended exactly one cell short.
    """
    if row == 0:
        compared = column - 1 - back
        if compared < 0:
            return None
        return "R" if lengths[column - 1] == lengths[compared] else "B"
    compared = column - back
    if compared < 0:
        return None
    return "B" if lengths[compared] == row else "R"


def derived_marks(lengths: Sequence[int], back: int) -> tuple[Mark, ...]:
    """Return the marks of a derived road, in order, from the lengths of the streaks.

    `back` is 1 for Big Eye Boy, 2 for Small Road, 3 for Cockroach Pig.
    """
    marks = (
        _mark(lengths, column, row, back)
        for column, length in enumerate(lengths)
        for row in range(length)
    )
    return tuple(mark for mark in marks if mark is not None)


def ask(columns: Sequence[Column], back: int) -> Ask:
    """Return the marks that the next Banker and the next Player win would add.

    Whenever both exist they are opposite.
    """
    lengths = [column.length for column in columns]
    opened = _mark(lengths, len(lengths), 0, back)
    if not columns:
        return Ask(banker=None, player=None)
    grown = _mark(lengths, len(lengths) - 1, lengths[-1], back)
    if columns[-1].side == "B":
        return Ask(banker=grown, player=opened)
    return Ask(banker=opened, player=grown)


def derived_road(columns: Sequence[Column], back: int) -> DerivedRoad:
    """Return a derived road with its drawing; equal marks run downward like a streak."""
    marks = derived_marks([column.length for column in columns], back)
    streaks: list[tuple[str, int]] = []
    for mark in marks:
        if streaks and streaks[-1][0] == mark:
            streaks[-1] = (mark, streaks[-1][1] + 1)
        else:
            streaks.append((mark, 1))
    return DerivedRoad(marks=marks, cells=layout(streaks), ask=ask(columns, back))


def roads(entries: Sequence[RoadEntry]) -> Roads:
    """Return all five roads for the coups of a shoe, in coup order."""
    leading, columns = logical_columns(entry.result for entry in entries)
    return Roads(
        bead_plate=bead_plate(entries),
        leading_ties=leading,
        columns=columns,
        big_road=layout((column.side, column.length) for column in columns),
        **{name: derived_road(columns, back) for name, back in DERIVED_ROADS.items()},
    )
