"""`make bench-gate`: some rows held to their floors, or to a bound below a floor that is not reached yet.

All of them are ratios of two figures of the same rounds, counts, or shares of CPU: no time is held.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from msgspec import Struct

from tests.bench.figures import Row, median, number

REPEATS_MAX: Final = 2
"""Other load moves a single run by a third: a bound is missed when it is missed three times."""

SECONDS_MAX: Final = 320
"""All runs together; the servers have the rest of six minutes to stop."""


class Held(Struct, frozen=True):
    """How the gate holds a row."""

    group: str
    """The group of rows that it is measured in."""

    bound: float | None = None
    """What it is held to in place of its floor, so that it gets no worse."""

    why: str = ""
    """Why not to its floor."""


HELD: Final[dict[str, Held]] = {
    "G1": Held("wagers", 0.18, "0.24 to 0.33 on two cores, which caller and broker share with it"),
    "G1 CPU": Held("wagers", 3.2, "2.0 to 2.4; what G1 is made of"),
    "G3": Held(
        "settlement", 0.08, "0.11 to 0.16: digests, indexes and rules beside a copy of bytes"
    ),
    "G4": Held("rebuild"),
    "G8": Held("wagers"),
    "G9": Held("pure"),
    "G10": Held("pure"),
    "G10b": Held("pure"),
    "G10c": Held("pure"),
    "G12b": Held("log"),
}
"""In the order in which they are told; docs/performance.md says the same."""

Measure = Callable[[Collection[str], frozenset[str]], Iterable[Row]]
"""The rows of some groups, of which some are wanted; it raises TimeoutError when it takes too long."""


def hold(measure: Measure, say: Callable[[str], None], until_s: float) -> tuple[list[Row], bool]:
    """Measure, and once more what was shut, until all is well; gives all rows, and whether it is."""
    rows: dict[str, Row] = {}
    shut = list(HELD)
    for again in range(1 + REPEATS_MAX):
        if again:
            say(f"the gate is shut for {', '.join(shut)}: once more")
        try:
            for row in measure({HELD[name].group for name in shut}, frozenset(shut)):
                if not again or row.name in shut:
                    # Rows that share a name are told apart by what they measure.
                    rows[row.name if row.name in HELD else f"{row.name} {row.what}"] = row
        except TimeoutError:
            say("no time is left")
        shut = [name for name in shut if name not in rows or not open_for(rows[name])]
        if not shut or time.monotonic() >= until_s:
            break
    return list(rows.values()), not shut


def open_for(row: Row) -> bool:
    """Whether the gate lets a row pass."""
    assert row.goal is not None, f"{row.name} has no floor"
    return row.goal.keeps(median(row.ratios), bound_of(row))


def bound_of(row: Row) -> float:
    """What a row is held to."""
    assert row.goal is not None, f"{row.name} has no floor"
    bound = HELD[row.name].bound
    return row.goal.floor if bound is None else bound


def verdicts(rows: Sequence[Row]) -> list[str]:
    """A line for each row that is held: what it is, what it must be, and whether it is."""
    found = {row.name: row for row in rows}
    lines: list[str] = []
    for name, held in HELD.items():
        row = found.get(name)
        if row is None or row.goal is None:
            lines.append(f"FAILED  {name}: not measured in time")
            continue
        must = "at most" if row.goal.less else "at least"
        word = "ok    " if open_for(row) else "FAILED"
        why = f" (floor {row.goal.floor:g}; {held.why})" if held.why else ""
        lines.append(
            f"{word}  {name}: {number(median(row.ratios))}, held to {must} {bound_of(row):g}{why}"
        )
    return lines


def documented() -> list[str]:
    """What docs/performance.md says about what is held to less than its floor."""
    return [
        f"- **{name}** is held to {held.bound:g} instead of its floor: {held.why}."
        for name, held in HELD.items()
        if held.bound is not None
    ]
