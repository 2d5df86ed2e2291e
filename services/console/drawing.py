"""Roads as SVG, drawn here and not by a script: colours come from the style sheet by class.

Every drawing has a title, and what it shows in words beside it, for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from markupsafe import Markup, escape

from services.rules import roads

CELL: Final = 16
"""Width and height of a cell, in units of the drawing."""

ROWS: Final = roads.ROWS
WORDS: Final = {"B": "Banker", "P": "Player", "T": "Tie"}
MINI_COLUMNS: Final = 24
BEAD_COLUMNS_MIN: Final = 14
BIG_COLUMNS_MIN: Final = 24
SPOKEN_MAX: Final = 12


def words(marks: Iterable[str]) -> str:
    """The last results in words."""
    last = list(marks)[-SPOKEN_MAX:]
    return ", ".join(WORDS.get(mark, mark) for mark in last) or "no coups yet"


def _svg(title: str, columns: int, shapes: Iterable[Markup], kind: str) -> Markup:
    width, height = columns * CELL + 1, ROWS * CELL + 1
    grid = (f"M{x * CELL + 0.5} 0V{height}" for x in range(columns + 1))
    lines = (f"M0 {y * CELL + 0.5}H{width}" for y in range(ROWS + 1))
    return Markup(
        '<svg class="road {kind}" role="img" viewBox="0 0 {width} {height}" width="{width}"'
        ' height="{height}"><title>{title}</title><path class="grid" d="{grid}"/>{shapes}</svg>'
    ).format(
        kind=kind,
        width=width,
        height=height,
        title=title,
        grid=" ".join((*grid, *lines)),
        shapes=Markup("").join(shapes),
    )


def _middle(column: int, row: int) -> tuple[float, float]:
    return column * CELL + CELL / 2 + 0.5, row * CELL + CELL / 2 + 0.5


def _pairs(x: float, y: float, mark: Any) -> Iterator[Markup]:
    """A dot top left for a pair of Banker, bottom right for one of Player."""
    if mark.banker_pair:
        yield Markup('<circle class="B dot" cx="{}" cy="{}" r="2.2"/>').format(x - 5, y - 5)
    if mark.player_pair:
        yield Markup('<circle class="P dot" cx="{}" cy="{}" r="2.2"/>').format(x + 5, y + 5)


def bead_plate(cells: Sequence[Any]) -> Markup:
    """Every coup with its letter."""

    def shapes() -> Iterator[Markup]:
        for cell in cells:
            x, y = _middle(cell.column, cell.row)
            yield Markup(
                '<circle class="{m} full" cx="{x}" cy="{y}" r="6.6"/>'
                '<text class="letter" x="{x}" y="{base}">{m}</text>'
            ).format(m=cell.mark.result, x=x, y=y, base=y + 3.4)
            yield from _pairs(x, y, cell.mark)

    title = f"Bead plate, latest: {words(cell.mark.result for cell in cells)}"
    columns = max([BEAD_COLUMNS_MIN, *(cell.column + 1 for cell in cells)])
    return _svg(title, columns, shapes(), "bead")


def big_road(cells: Sequence[Any], *, least: int = BIG_COLUMNS_MIN) -> Markup:
    """Streaks as hollow circles, ties as a stroke with their number."""

    def shapes() -> Iterator[Markup]:
        for cell in cells:
            yield from _win(cell.column, cell.row, cell.mark.result, cell.ties)
            yield from _pairs(*_middle(cell.column, cell.row), cell.mark)

    columns = max([least, *(cell.column + 1 for cell in cells)])
    return _svg(f"Big road, {len(cells)} wins", columns, shapes(), "big")


def _win(column: int, row: int, side: str, ties: int) -> Iterator[Markup]:
    x, y = _middle(column, row)
    yield Markup('<circle class="{} hollow" cx="{}" cy="{}" r="6"/>').format(side, x, y)
    if ties:
        yield Markup('<path class="tie" d="M{} {}L{} {}"/>').format(x - 5, y + 5, x + 5, y - 5)
    if ties > 1:
        yield Markup('<text class="count" x="{}" y="{}">{}</text>').format(x, y + 3.4, ties)


def mini_road(marks: Sequence[Any]) -> Markup:
    """The end of a big road from the last results of a shoe, for a tile."""
    results = [mark.result for mark in marks if mark.result in WORDS]
    _, columns = roads.logical_columns(results)
    cells = roads.layout((column.side, column.length) for column in columns)
    ties = [number for column in columns for number in column.ties]
    last = max((cell.column for cell in cells), default=0)
    left = max(0, last + 1 - MINI_COLUMNS)

    def shapes() -> Iterator[Markup]:
        for cell, number in zip(cells, ties, strict=True):
            if cell.column >= left:
                yield from _win(cell.column - left, cell.row, cell.mark, number)

    return _svg(f"Road, latest: {words(results)}", MINI_COLUMNS, shapes(), "mini")


def derived_road(name: str, road: Any, kind: str) -> Markup:
    """A derived road: circles, discs or strokes, red where regular."""

    def shapes() -> Iterator[Markup]:
        for cell in road.cells:
            x, y = _middle(cell.column, cell.row)
            mark = "regular" if cell.mark == "R" else "irregular"
            if kind == "pig":
                shape = Markup('<path class="{} stroke" d="M{} {}L{} {}"/>').format(
                    mark, x - 5, y + 5, x + 5, y - 5
                )
            else:
                style = "hollow" if kind == "eye" else "full"
                shape = Markup('<circle class="{} {}" cx="{}" cy="{}" r="5.4"/>').format(
                    mark, style, x, y
                )
            yield shape

    columns = max([BIG_COLUMNS_MIN, *(cell.column + 1 for cell in road.cells)])
    marks = {"R": "red", "B": "blue", "": "nothing"}
    title = (
        f"{name}: a Banker win would add {marks[road.ask_banker]},"
        f" a Player win {marks[road.ask_player]}"
    )
    return _svg(title, columns, shapes(), kind)


SUITS: Final = {
    "S": ("♠", "spades"),
    "H": ("♥", "hearts"),
    "D": ("♦", "diamonds"),
    "C": ("♣", "clubs"),
}
RANKS: Final = {"A": "ace", "T": "ten", "J": "jack", "Q": "queen", "K": "king"}


def card(code: str) -> Markup:
    """A card such as `TH`; one that lies face down is empty."""
    if len(code) != 2 or code[1] not in SUITS:  # noqa: PLR2004 - rank and suit
        return Markup('<span class="card down" role="img" aria-label="face down"></span>')
    rank, (sign, suit) = code[0], SUITS[code[1]]
    shown = "10" if rank == "T" else rank
    return Markup(
        '<span class="card {suit}" role="img" aria-label="{name} of {suit}">{shown}{sign}</span>'
    ).format(name=RANKS.get(rank, rank), suit=suit, shown=escape(shown), sign=sign)
