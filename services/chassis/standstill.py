"""Whether a consumer stands still although its broker is there.

The client library works in background tasks. One that has ended in an error which nobody was told, or
that waits for an answer which will not come, leaves a consumer that is open, hears nothing and says
nothing. What is seen here from outside is whether it moves: whether the broker answers what it asks
about its own partitions. `Consumers` makes one anew that does not.
"""

from __future__ import annotations

from typing import Any, Final

from services.chassis.clock import Clock

STANDSTILL_S: Final = 30.0
"""A group may wait for the session of a dead member and then for members that do not join again
(`SESSION_TIMEOUT_MS` and `REBALANCE_TIMEOUT_MS` of the bus); beyond that nothing explains a silence."""

LOOK_S: Final = 5.0
"""How often one looks."""


class Movement:
    """When a consumer last moved; it begins with `moved`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._moved_s = 0.0
        self._busy = False

    def moved(self) -> None:
        """It moved, or there is a reason outside of it why it cannot."""
        self._moved_s = self._clock.steady_s()

    def fetched(self, consumer: Any) -> None:
        """The broker has answered what there is. During a rebalance that is of no use to anybody."""
        if not consumer._subscription.reassignment_in_progress:  # noqa: SLF001
            self.moved()

    def began(self) -> None:
        """A batch is at work, which takes the time that it takes."""
        self._busy = True

    def ended(self) -> None:
        self._busy = False
        self.moved()

    def why_not(self, consumer: Any) -> str:
        """Why the consumer has to be made anew, for a person; empty where it need not."""
        for name, task in _tasks(consumer).items():
            if task is not None and task.done():
                return f"its {name} has ended"
        subscription = consumer._subscription  # noqa: SLF001
        settled = not subscription.reassignment_in_progress
        if self._busy or (settled and not consumer.assignment()):
            self.moved()  # a group may have more members than partitions
        still_s = self._clock.steady_s() - self._moved_s
        if still_s >= STANDSTILL_S:
            what = "nothing was fetched" if settled else "no partitions were given out"
            return f"{what} for {still_s:.0f} s"
        if not self._busy and subscription.fetcher_idle_time >= STANDSTILL_S:
            return f"nobody polls for {subscription.fetcher_idle_time:.0f} s"
        return ""


def _tasks(consumer: Any) -> dict[str, Any]:
    """What must never end while a consumer is open."""
    return {
        "membership": consumer._coordinator._coordination_task,  # noqa: SLF001
        "fetching": consumer._fetcher._fetch_task,  # noqa: SLF001
        "knowledge of the cluster": consumer._client._sync_task,  # noqa: SLF001
    }
