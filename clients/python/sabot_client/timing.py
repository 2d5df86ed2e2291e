"""How long a call may take, and how it is tried again."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Times of one call, in seconds. All of its attempts together end within `total_s`."""

    attempt_s: float = 5.0
    """Deadline of one attempt."""

    total_s: float = 30.0
    pause_s: float = 0.1
    """Before the second attempt; doubled before each further one, and shortened at random, so that
    clients that failed together do not come back together."""

    pause_s_max: float = 2.0

    def __post_init__(self) -> None:
        if min(self.attempt_s, self.total_s, self.pause_s, self.pause_s_max) <= 0:
            raise ValueError("times are above 0 seconds")

    def pause_after(self, attempt: int) -> float:
        """How long to wait after this attempt, counted from 1."""
        longest = min(self.pause_s_max, self.pause_s * float(1 << min(attempt - 1, 30)))
        return longest * random.uniform(0.5, 1.0)  # noqa: S311 - no secret depends on it


class Countdown:
    """The time that the attempts of one call share."""

    def __init__(self, timing: Timing) -> None:
        self.timing = timing
        self._ends_s = asyncio.get_running_loop().time() + timing.total_s
        self._attempts = 0

    def next_attempt_s(self) -> float:
        """Deadline of the next attempt; above 0 for the first one and after `pause` returned True."""
        self._attempts += 1
        return min(self.timing.attempt_s, self._left_s())

    async def pause(self) -> bool:
        """Wait before another attempt; False, at once, where no time would be left for it."""
        pause_s = self.timing.pause_after(self._attempts)
        if pause_s >= self._left_s():
            return False
        await asyncio.sleep(pause_s)
        return True

    def over(self) -> bool:
        """Whether the time is up."""
        return self._left_s() <= 0

    def _left_s(self) -> float:
        return self._ends_s - asyncio.get_running_loop().time()
