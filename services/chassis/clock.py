"""The only place that reads time; everything else is given a `Clock`."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol

SECOND_US = 1_000_000
"""Microseconds in a second."""


class Clock(Protocol):
    """Wall-clock instants for what is stored, and a steady clock for durations."""

    def now_us(self) -> int:
        """Microseconds since 1970-01-01T00:00:00Z."""
        ...

    def steady_s(self) -> float:
        """Seconds that never go back; only differences mean something."""
        ...


class SystemClock:
    """The machine's clocks."""

    def now_us(self) -> int:
        return time.time_ns() // 1000

    def steady_s(self) -> float:
        return time.perf_counter()


class ManualClock:
    """Time that passes only when a test or a simulation says so."""

    def __init__(self, start_us: int) -> None:
        self._start_us = start_us
        self._now_us = start_us

    def now_us(self) -> int:
        return self._now_us

    def steady_s(self) -> float:
        return (self._now_us - self._start_us) / SECOND_US

    def advance(self, seconds: float) -> None:
        assert seconds >= 0, "time never goes back"
        self._now_us += round(seconds * SECOND_US)


SYSTEM_CLOCK = SystemClock()


def rfc3339(at_us: int) -> str:
    """Write an instant for people and logs: UTC, with microseconds."""
    at = datetime.fromtimestamp(at_us // SECOND_US, tz=UTC).replace(microsecond=at_us % SECOND_US)
    return at.isoformat(timespec="microseconds").replace("+00:00", "Z")
