"""Start and stop: order, budgets, failures in the middle, signals."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.lifecycle import Lifecycle, Part, StartFailed
from tests.chassis.edge import until

Step = Callable[[], Awaitable[None]]


class Diary:
    """Parts that write down what happens to them."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def part(
        self,
        name: str,
        *,
        on_start: Step | None = None,
        on_stop: Step | None = None,
        budget_s: float = 1.0,
        stops: bool = True,
    ) -> Part:
        async def start() -> None:
            self.lines.append(f"start {name}")
            if on_start is not None:
                await on_start()

        async def stop(timeout_s: float) -> None:
            assert timeout_s == budget_s
            self.lines.append(f"stop {name}")
            if on_stop is not None:
                await on_stop()

        return Part(
            name=name,
            start=start,
            stop=stop if stops else None,
            start_budget_s=budget_s,
            stop_budget_s=budget_s,
        )


def lifecycle(*parts: Part, **options: Any) -> Lifecycle:
    return Lifecycle(parts, grace_period_s=10.0, clock=SYSTEM_CLOCK, **options)


async def fails() -> None:
    raise OSError("the port is taken")


async def hangs() -> None:
    await asyncio.sleep(60)


async def test_parts_stop_in_reverse_order() -> None:
    """What others rest on starts first and stops last."""
    diary = Diary()
    life = lifecycle(diary.part("a"), diary.part("b", stops=False), diary.part("c"))
    await life.start()
    assert await life.stop()
    assert diary.lines == ["start a", "start b", "start c", "stop c", "stop a"]


async def test_a_failure_in_the_middle_stops_what_was_started() -> None:
    """The failing part and those before it are stopped, those after it never start."""
    diary = Diary()
    life = lifecycle(diary.part("a"), diary.part("b", on_start=fails), diary.part("c"))
    with pytest.raises(StartFailed, match="b: the port is taken"):
        await life.start()
    assert diary.lines == ["start a", "start b", "stop b", "stop a"]


async def test_a_start_that_takes_too_long_is_a_failure() -> None:
    """The budget of a start holds."""
    diary = Diary()
    life = lifecycle(diary.part("a"), diary.part("b", on_start=hangs, budget_s=0.05))
    with pytest.raises(StartFailed, match="b: took too long"):
        await life.start()
    assert diary.lines[-1] == "stop a"


async def test_a_part_that_does_not_stop_keeps_nobody_from_stopping() -> None:
    """A stop that fails or hangs is reported, and the next part is stopped all the same."""
    diary = Diary()
    life = lifecycle(
        diary.part("a"),
        diary.part("b", on_stop=fails),
        diary.part("c", on_stop=hangs, budget_s=0.05),
    )
    await life.start()
    assert not await life.stop()
    assert diary.lines[-3:] == ["stop c", "stop b", "stop a"]


async def test_budgets_beyond_the_grace_period_are_refused() -> None:
    """A plan that SIGKILL would cut short never starts."""
    diary = Diary()
    with pytest.raises(ValueError, match="grace period"):
        lifecycle(diary.part("a", budget_s=5.0), diary.part("b", budget_s=5.0))
    lifecycle(diary.part("a", budget_s=5.0), diary.part("b", budget_s=5.0, stops=False))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_in_order(number: signal.Signals) -> None:
    """The process ends with status 0 after a signal."""
    diary = Diary()
    life = lifecycle(diary.part("a"), diary.part("b"))
    running = asyncio.ensure_future(life.run())
    await until(lambda: diary.lines == ["start a", "start b"])
    os.kill(os.getpid(), number)
    assert await running == 0
    assert diary.lines[2:] == ["stop b", "stop a"]


async def test_a_second_signal_ends_at_once() -> None:
    """Who signals twice does not wait for budgets."""
    ended: list[int] = []
    diary = Diary()
    release = asyncio.Event()

    async def waits() -> None:
        await release.wait()

    life = lifecycle(diary.part("a", on_stop=waits, budget_s=5.0), end_now=ended.append)
    running = asyncio.ensure_future(life.run())
    await until(lambda: diary.lines == ["start a"])
    os.kill(os.getpid(), signal.SIGTERM)
    await until(lambda: diary.lines[-1] == "stop a")
    assert not ended
    os.kill(os.getpid(), signal.SIGTERM)
    await until(lambda: ended == [128 + signal.SIGTERM])
    release.set()
    assert await running == 0


async def test_a_signal_during_the_start_ends_it() -> None:
    """A start that waits for something is given up, and what was started is stopped."""
    diary = Diary()
    life = lifecycle(diary.part("a"), diary.part("b", on_start=hangs, budget_s=5.0))
    running = asyncio.ensure_future(life.run())
    await until(lambda: "start b" in diary.lines)
    os.kill(os.getpid(), signal.SIGTERM)
    assert await running == 0
    assert diary.lines == ["start a", "start b", "stop b", "stop a"]


async def test_a_part_that_cannot_go_on_ends_the_process_in_order_and_badly() -> None:
    """The exit status tells the platform that this was no wanted end."""
    diary = Diary()
    life = lifecycle(diary.part("a"))
    running = asyncio.ensure_future(life.run())
    await until(lambda: diary.lines == ["start a"])
    life.fail("the log is broken")
    assert await running == 1
    assert diary.lines[-1] == "stop a"


async def test_a_process_that_did_not_start_or_stop_well_says_so() -> None:
    """Both end with status 1."""
    diary = Diary()
    assert await lifecycle(diary.part("a", on_start=fails)).run() == 1
    life = lifecycle(diary.part("a", on_stop=fails))
    running = asyncio.ensure_future(life.run())
    await until(lambda: diary.lines[-1] == "start a")
    life.leave()
    assert await running == 1
