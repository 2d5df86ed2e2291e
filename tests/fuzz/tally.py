"""What a run tried, what it saw, and what should never have been."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

BREACHES_SHOWN_MAX = 20


@dataclass
class Surface:
    """One way in."""

    inputs: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    """Statuses, or kinds of errors, by how often they came."""

    breaches: list[str] = field(default_factory=list)

    def saw(self, what: str) -> None:
        """One input was answered."""
        self.inputs += 1
        self.seen[what] += 1


class Tally:
    """All surfaces of a run by their names."""

    def __init__(self) -> None:
        self.surfaces: dict[str, Surface] = {}

    def __getitem__(self, name: str) -> Surface:
        return self.surfaces.setdefault(name, Surface())

    @property
    def breaches(self) -> list[str]:
        """Everything that should not have been, by its surface."""
        return [
            f"{name}: {breach}"
            for name, surface in self.surfaces.items()
            for breach in surface.breaches
        ]

    def lines(self) -> Sequence[str]:
        """The run as a table, and its breaches below."""
        width = max(map(len, self.surfaces), default=0)
        lines = [f"{'surface':<{width}}  inputs  breaches  seen"]
        for name, surface in self.surfaces.items():
            seen = ", ".join(f"{what} {times}" for what, times in surface.seen.most_common())
            lines.append(
                f"{name:<{width}}  {surface.inputs:>6}  {len(surface.breaches):>8}  {seen}"
            )
        found = self.breaches
        lines += [f"BREACH {breach}" for breach in found[:BREACHES_SHOWN_MAX]]
        if len(found) > BREACHES_SHOWN_MAX:
            lines.append(f"and {len(found) - BREACHES_SHOWN_MAX} more")
        return lines
