"""Start and stop of a process, written once: named parts, budgets, signals.

Parts are started in order and stopped in reverse. The order of the list is the order of stack.md's
rule: what others rest on comes first and goes last.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from msgspec import Struct

from services.chassis import logs, telemetry
from services.chassis.clock import Clock

EXIT_CLEAN: Final = 0
EXIT_FAILED: Final = 1
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
CANCEL_S: Final = 1.0
"""A part that does not end in its budget is cancelled and has this long to take notice."""

log = logs.logger(__name__)


class Part(Struct, frozen=True, kw_only=True):
    """Something that is started and stopped."""

    name: str
    start: Callable[[], Awaitable[None]]
    stop: Callable[[float], Awaitable[None]] | None
    """Gets its budget in seconds; None where there is nothing to stop."""

    start_budget_s: float
    stop_budget_s: float


class StartFailed(Exception):
    """A part did not start."""

    def __init__(self, part: str, error: BaseException) -> None:
        what = "took too long" if isinstance(error, TimeoutError) else str(error)
        super().__init__(f"{part}: {what or type(error).__name__}")
        self.part = part


class Lifecycle:
    """Starts and stops the parts of one process."""

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        grace_period_s: float,
        clock: Clock,
        end_now: Callable[[int], object] = os._exit,
    ) -> None:
        """Refuse a plan that could not be kept within the time before SIGKILL.

        `end_now` ends the process at the second signal.
        """
        names = [part.name for part in parts]
        assert len(set(names)) == len(names), f"a part is named twice: {names}"
        stopping_s = sum(part.stop_budget_s for part in parts if part.stop is not None)
        if stopping_s >= grace_period_s:
            raise ValueError(
                f"stopping may take {stopping_s:g} s, but the grace period is {grace_period_s:g} s"
            )
        self._parts = tuple(parts)
        self._clock = clock
        self._end_now = end_now
        self._started: list[Part] = []
        self._leave = asyncio.Event()
        self._failed = False
        self._signals = 0

    async def start(self) -> None:
        """Start all parts in order; if one fails, stop those before it and raise `StartFailed`."""
        for part in self._parts:
            began_s = self._clock.steady_s()
            try:
                async with asyncio.timeout(part.start_budget_s):
                    await part.start()
            except BaseException as error:
                # A half-started part is stopped too: it may hold a port or a connection already.
                self._started.append(part)
                log.error("a part did not start", part=part.name, problem=repr(error))  # noqa: TRY400
                await self.stop()
                if isinstance(error, Exception):
                    raise StartFailed(part.name, error) from error
                raise
            self._started.append(part)
            self._report(part, "start", began_s)
        log.info("started", parts=[part.name for part in self._parts])

    async def stop(self) -> bool:
        """Stop what was started, in reverse. One part's failure does not keep the next from it."""
        clean = True
        while self._started:
            part = self._started.pop()
            if part.stop is None:
                continue
            began_s = self._clock.steady_s()
            problem = await self._stopped(part.stop, part.stop_budget_s)
            self._report(part, "stop", began_s, problem)
            clean = clean and not problem
        return clean

    async def _stopped(self, stop: Callable[[float], Awaitable[None]], budget_s: float) -> str:
        task = asyncio.ensure_future(stop(budget_s))
        await asyncio.wait([task], timeout=budget_s)
        if not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=CANCEL_S)
            return f"did not end within {budget_s:g} s"
        if task.cancelled():
            return "was cancelled"
        error = task.exception()
        if isinstance(error, TimeoutError):
            return f"did not end within {budget_s:g} s"
        return "" if error is None else f"{type(error).__name__}: {error}"

    def _report(self, part: Part, phase: str, began_s: float, problem: str = "") -> None:
        took_s = self._clock.steady_s() - began_s
        telemetry.record("sabot.lifecycle.duration", took_s, part=part.name, phase=phase)
        took_ms = round(took_s * 1000)
        if problem:
            log.error("a part did not stop well", part=part.name, ms=took_ms, problem=problem)
        else:
            log.info("a part was started" if phase == "start" else "a part was stopped",
                     part=part.name, ms=took_ms)  # fmt: skip

    def fail(self, reason: str) -> None:
        """End the process because something in it cannot go on."""
        log.error("the process ends because of a failure", reason=reason)
        self._failed = True
        self._leave.set()

    def leave(self) -> None:
        """End the process in order."""
        self._leave.set()

    async def run(self) -> int:
        """Start, wait for a signal or a failure, stop; returns the exit status."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            loop.add_signal_handler(number, self._on_signal, number)
        try:
            return await self._run()
        finally:
            for number in SIGNALS:
                loop.remove_signal_handler(number)

    async def _run(self) -> int:
        starting = asyncio.ensure_future(self.start())
        leaving = asyncio.ensure_future(self._leave.wait())
        await asyncio.wait([starting, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not starting.done():
            # A signal during the start: `start` stops what it had started.
            starting.cancel()
            await asyncio.wait([starting])
        if starting.cancelled():
            leaving.cancel()
            return EXIT_CLEAN
        error = starting.exception()
        if error is not None:
            leaving.cancel()
            if not isinstance(error, StartFailed):
                raise error
            log.error("the process did not start", problem=str(error))
            return EXIT_FAILED
        await leaving
        clean = await self.stop()
        log.info("stopped", clean=clean)
        return EXIT_CLEAN if clean and not self._failed else EXIT_FAILED

    def _on_signal(self, number: signal.Signals) -> None:
        self._signals += 1
        if self._signals > 1:
            log.warning("ends at once after a second signal", signal=number.name)
            self._end_now(128 + number)
            return
        log.info("stops after a signal", signal=number.name)
        self._leave.set()
