"""Rounds, medians, and the table that they are printed in."""

from __future__ import annotations

import platform
import statistics
from collections.abc import Sequence

from msgspec import Struct


class Row(Struct, frozen=True, kw_only=True):
    """One measured thing, a rate a round, with the rate of what it is compared with."""

    what: str
    unit: str
    rates: tuple[float, ...]
    beside: str = ""
    beside_rates: tuple[float, ...] = ()

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratio of each round."""
        return tuple(
            mine / other for mine, other in zip(self.rates, self.beside_rates, strict=True)
        )


def median(values: Sequence[float]) -> float:
    """The median."""
    return statistics.median(values)


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as a Markdown table."""
    lines = [
        "| what | median a second | least, most | beside | median a second | ratio (least, most) |",
        "|---|---:|---:|---|---:|---:|",
    ]
    for row in rows:
        beside = f"{median(row.beside_rates):,.0f}" if row.beside_rates else ""
        ratio = ""
        if row.beside_rates:
            low, high = min(row.ratios), max(row.ratios)
            ratio = f"{median(row.ratios):.2f} ({low:.2f}, {high:.2f})"
        lines.append(
            f"| {row.what} ({row.unit}) | {median(row.rates):,.0f} "
            f"| {min(row.rates):,.0f}, {max(row.rates):,.0f} | {row.beside} | {beside} | {ratio} |"
        )
    return lines


def machine() -> str:
    """What the figures were measured on, as far as a program can tell."""
    return f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
