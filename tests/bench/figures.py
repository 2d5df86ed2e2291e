"""Rounds, medians, goals, and the table that they are printed in."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

CPU_INFO = Path("/proc/cpuinfo")
"""Where Linux says what its processors are."""


class Goal(Struct, frozen=True):
    """What a ratio should be: at least so much, or at most so much where less is better."""

    floor: float
    goal: float
    stretch: float
    less: bool = False

    def keeps(self, ratio: float, bound: float) -> bool:
        """Whether the ratio is as good as a bound."""
        return ratio <= bound if self.less else ratio >= bound

    def reached(self, ratio: float) -> str:
        """The best of the three that the ratio reaches."""
        for name in ("stretch", "goal", "floor"):
            if self.keeps(ratio, getattr(self, name)):
                return name
        return "no"

    def told(self) -> str:
        """The three as they stand in the table."""
        sign = "≤ " if self.less else ""
        return " / ".join(f"{sign}{bound:g}" for bound in (self.floor, self.goal, self.stretch))


class Row(Struct, frozen=True, kw_only=True):
    """One measured thing, a figure a round, with that of what it is compared with."""

    name: str
    what: str
    unit: str
    rates: tuple[float, ...]
    beside: str = ""
    beside_rates: tuple[float, ...] = ()
    goal: Goal | None = None

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratio of each round; without a denominator the figure itself."""
        if not self.beside_rates:
            return self.rates
        return tuple(
            mine / other for mine, other in zip(self.rates, self.beside_rates, strict=True)
        )

    @property
    def reached(self) -> str:
        """What of its goal the median reaches; empty without one."""
        return "" if self.goal is None else self.goal.reached(median(self.ratios))


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def number(value: float) -> str:
    """A figure with as many digits as it deserves."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:,.2f}"


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as a Markdown table."""
    lines = [
        (
            "| # | what | median (least, most) | beside | median | ratio (least, most) "
            "| floor / goal / stretch | reached |"
        ),
        "|---|---|---:|---|---:|---:|---|---|",
    ]
    for row in rows:
        own = f"{number(median(row.rates))} ({number(min(row.rates))}, {number(max(row.rates))})"
        beside = number(median(row.beside_rates)) if row.beside_rates else ""
        low, high = min(row.ratios), max(row.ratios)
        ratio = f"{median(row.ratios):.2f} ({low:.2f}, {high:.2f})" if row.beside_rates else ""
        bounds = row.goal.told() if row.goal else ""
        lines.append(
            f"| {row.name} | {row.what} ({row.unit}) | {own} | {row.beside} | {beside} "
            f"| {ratio} | {bounds} | {row.reached} |"
        )
    return lines


def cpu_s(root: int | None = None) -> float:
    """CPU time of a process and everything that it started, as Linux tells it; else of this one."""
    ticks: dict[int, tuple[int, int]] = {}
    for directory in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            told = (directory / "stat").read_text().rpartition(")")[2].split()
            ticks[int(directory.name)] = (int(told[1]), int(told[11]) + int(told[12]))
    ours: set[int] = set()
    found = {os.getpid() if root is None else root}
    while found:
        ours |= found
        found = {each for each, (parent, _) in ticks.items() if parent in ours} - ours
    return sum(ticks[each][1] for each in ours) / os.sysconf("SC_CLK_TCK")


def machine() -> str:
    """What the figures were measured on, as far as a program can tell."""
    cores = f"{os.cpu_count()} cores"
    with suppress(OSError, StopIteration):
        about = CPU_INFO.read_text().splitlines()
        cores += " of " + next(
            line.partition(": ")[2] for line in about if line.startswith("model name")
        )
    system = f"{platform.system()} {platform.machine()}"
    return f"Python {platform.python_version()}, {system}, {cores}"
