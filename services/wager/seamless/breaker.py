"""A circuit breaker: a wallet that fails again and again is left alone for a while."""

from __future__ import annotations

from services.chassis.clock import Clock


class Breaker:
    """Opens after so many failures in a row; then one call at a time tries whether it is over."""

    def __init__(self, clock: Clock, *, failures_max: int, open_s: float) -> None:
        self._clock = clock
        self._failures_max = failures_max
        self._open_s = open_s
        self._failures = 0
        self._until_s = 0.0

    @property
    def is_open(self) -> bool:
        """Whether calls are held back."""
        return self._failures >= self._failures_max

    def allows(self) -> bool:
        """Whether a call may be made now; where it may while open, it is the one that tries."""
        if not self.is_open:
            return True
        now_s = self._clock.steady_s()
        if now_s < self._until_s:
            return False
        self._until_s = now_s + self._open_s
        return True

    def note(self, *, answered: bool) -> None:
        """A call was answered, or it was not."""
        if answered:
            self._failures = 0
            return
        self._failures += 1
        if self._failures >= self._failures_max:
            self._until_s = self._clock.steady_s() + self._open_s
