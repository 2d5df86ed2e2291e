"""What is measured of committed events: how many of each type, and how long one takes to the next.

Called after the commit and never before, so that what failed or was tried again is not counted. What
a process does not see both ends of, because it started in between or another one decided the
beginning, is not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct

from services.chassis import telemetry
from services.chassis.clock import Clock
from services.chassis.decider import Staged
from services.contracts.core import Noted

BEGUN_MAX: Final = 10_000
"""Beginnings that are remembered; the oldest is forgotten first."""

telemetry.declare(
    telemetry.Metric(
        "sabot.events", telemetry.Kind.COUNTER, "{event}", "own events committed", ("type",)
    )
)

Measure = Callable[[Staged], None]
"""What a service measures of one committed event of its own."""


class Interval(Struct, frozen=True):
    """A time at one table, from one event to another; each is `service.type`.

    An event of another service begins when it was committed there.
    """

    metric: str
    begins: str
    ends: str


class Measures:
    """The measurements of one service."""

    def __init__(
        self,
        service: str,
        clock: Clock,
        intervals: Sequence[Interval] = (),
        measure: Measure | None = None,
    ) -> None:
        self._service = service
        self._clock = clock
        self._measure = measure
        self._begins = {interval.begins: interval for interval in intervals}
        self._ends = {interval.ends: interval for interval in intervals}
        self._begun: dict[tuple[str, str], int] = {}

    def committed(self, staged: Sequence[Staged]) -> None:
        """Measure events that were committed together, in their order."""
        for each in staged:
            event = each.event
            if isinstance(event, Noted):
                self._time(f"{event.service}.{event.event_type}", each, event.recorded_at_us)
                continue
            telemetry.count("sabot.events", type=event.type)
            self._time(f"{self._service}.{event.type}", each, 0)
            if self._measure is not None:
                self._measure(each)

    def _time(self, name: str, staged: Staged, recorded_at_us: int) -> None:
        """Begin or end what begins or ends with this event."""
        if interval := self._ends.get(name):
            begun_us = self._begun.pop((interval.metric, staged.table_id), None)
            if begun_us is not None:
                # Clocks of two machines: a little behind is nothing at all.
                elapsed_s = max(0, self._clock.now_us() - begun_us) / 1e6
                telemetry.record(interval.metric, elapsed_s)
        if interval := self._begins.get(name):
            if len(self._begun) >= BEGUN_MAX:
                self._begun.pop(next(iter(self._begun)))
            self._begun[interval.metric, staged.table_id] = recorded_at_us or self._clock.now_us()
