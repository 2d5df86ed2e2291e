"""Time that passes only when nobody has anything left to do, and tasks that know their process."""

from __future__ import annotations

import asyncio
import contextvars
import selectors
from collections.abc import Coroutine
from typing import Any

from services.chassis.clock import SECOND_US

START_US = 1_788_000_000_000_000
"""The instant at which every simulation begins: in the autumn of 2026."""

OWNER: contextvars.ContextVar[Owner | None] = contextvars.ContextVar("owner", default=None)
"""The process to which the running task belongs; tasks that it makes inherit it."""


class Owner:
    """Something that can be killed with all its tasks."""

    def __init__(self) -> None:
        # A dict and not a set: killing goes through it, and the order has to be the same every time.
        self.tasks: dict[asyncio.Task[Any], None] = {}
        self.dead = False

    def kill(self) -> None:
        """End every task at its next step; whatever they still try fails, for they are dead."""
        self.dead = True
        for task in list(self.tasks):
            task.cancel()

    def begin(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run some work as part of this process."""
        context = contextvars.copy_context()
        context.run(OWNER.set, self)
        return asyncio.get_running_loop().create_task(work, name=name, context=context)


class Stuck(Exception):
    """Everybody waits and nothing will ever happen."""


class _Sleepless(selectors.SelectSelector):
    """Where the loop would wait for the network, time is moved on instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Stuck("nothing is ready, and no timer runs")
        if timeout > 0:
            self.now_s += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock is virtual. Ready callbacks run in order of arrival."""

    def __init__(self) -> None:
        self._sleepless = _Sleepless()
        super().__init__(self._sleepless)
        self._clock_resolution = 1e-6
        self.set_task_factory(_owned)

    def time(self) -> float:
        """Virtual seconds since the beginning."""
        return self._sleepless.now_s


def _owned(loop: Any, work: Any, **options: Any) -> asyncio.Task[Any]:
    context = options.get("context")
    owner = context[OWNER] if context is not None and OWNER in context else OWNER.get()
    task: asyncio.Task[Any] = asyncio.Task(work, loop=loop, **options)
    if owner is not None:
        owner.tasks[task] = None
        task.add_done_callback(lambda done: owner.tasks.pop(done, None))
        if owner.dead:
            task.cancel()
    return task


class VirtualClock:
    """The clocks of one machine: the wall clock may be wrong and may jump, the steady one never."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.skew_us = 0

    def now_us(self) -> int:
        return START_US + round(self._loop.time() * SECOND_US) + self.skew_us

    def steady_s(self) -> float:
        return self._loop.time()
