"""Everything that a seed decides, and the record of what happened."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Final

KINDS: Final = {
    "crash before commit": 0.008,
    "crash after commit": 0.008,
    "commit lost": 0.01,
    "commit unknown": 0.01,
    "conflict": 0.01,
    "crash before publish": 0.01,
    "crash after publish": 0.01,
    "publish fails": 0.01,
    "acknowledgement lost": 0.008,
    "request lost": 0.02,
    "answer lost": 0.03,
    "command repeated": 0.05,
    "slow commit": 0.02,
    "slow partition": 0.06,
    "credit answer lost": 0.1,
    "handler breaks": 0.004,
}
"""Faults that can happen at every step of their kind, with how often they do where a seed has them."""

STRIKES: Final = (
    "process killed",
    "process stopped in order",
    "broker away",
    "broker emptied",
    "topic made anew",
    "partition cut",
    "consumer set back",
    "offsets lost",
    "relay set back",
    "clock jumps",
    "garbage published",
    "topic late",
)
"""Faults that come out of the blue, at a moment of their own."""


class Chance:
    """The one generator of a run, and the faults that it deals out."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.counts: Counter[str] = Counter()
        self.calm = False
        # Not every seed has every fault: where one kind is missing, others reach further.
        often = self.random.choice((0.0, 0.5, 1.0, 2.0))
        self._rates = {
            kind: rate * often * self.random.choice((0.0, 1.0, 1.0, 3.0))
            for kind, rate in KINDS.items()
        }
        self.strikes = [kind for kind in STRIKES if self.random.random() < 0.7]

    def hits(self, kind: str) -> bool:
        """Whether this fault happens here and now."""
        if self.calm or self.random.random() >= self._rates[kind]:
            return False
        self.counts[kind] += 1
        return True

    def between(self, low_s: float, high_s: float) -> float:
        return self.random.uniform(low_s, high_s)


class Trace:
    """What happened, line by line. Two runs of a seed have the same lines."""

    def __init__(self, *, echo: bool = False) -> None:
        self.lines: list[str] = []
        self._echo = echo
        self.now_s: Callable[[], float] = float

    def __call__(self, what: str) -> None:
        line = f"{self.now_s():12.6f} {what}"
        self.lines.append(line)
        if self._echo:
            print(line)

    def digest(self) -> str:
        """SHA-256 of all lines, hexadecimal."""
        return hashlib.sha256("\n".join(self.lines).encode()).hexdigest()
