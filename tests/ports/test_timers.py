"""Timers of two processes on one log: whose they are, and when the other one takes them over."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio

from services.chassis import timers, work
from services.chassis.executor import Executor, Limits
from services.chassis.memory import MemoryStore
from services.chassis.snapshots import SNAPSHOT_EVENTS
from services.chassis.timers import QUIET_S, SECOND_US, Timers
from tests.ports.counter import AT_US, COUNTER, PIT, Add, AddMany, Spy, State
from tests.ports.flaky import Flaky, as_store

DUE_S = QUIET_S / 2
POLL_S = 0.005


class Tick(Add, frozen=True, kw_only=True):
    """What the timers let happen."""

    n: int = 1


def due_at_five(state: State) -> int | None:
    return AT_US + round(DUE_S * SECOND_US) if state.total == 5 else None


class Clock:
    """Stands still unless a test moves it."""

    def __init__(self) -> None:
        self.passed_s = 0.0

    def now_us(self) -> int:
        return AT_US + round(self.passed_s * SECOND_US)

    def steady_s(self) -> float:
        return self.passed_s


class Process:
    """A replica's executor and timers."""

    def __init__(self, store: MemoryStore, clock: Clock) -> None:
        self.flaky = Flaky(store)
        self.spy = Spy()
        self.executor = Executor(
            self.spy.aggregate,
            as_store(self.flaky),
            self.spy,
            COUNTER,
            limits=Limits(),
            jitter=random.Random(1),
        )
        runtime: Any = SimpleNamespace(store=as_store(self.flaky), executor=self.executor)
        runtime.clock, runtime.pool = clock, SimpleNamespace(fetch=_no_tables)
        self._timers = Timers(runtime, next_due_us=due_at_five, command=Tick, begins="added")

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        async with self.executor:
            following = asyncio.create_task(self._timers.run())
            await asyncio.sleep(POLL_S)
            yield
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    async def add(self, n: int, name: str) -> None:
        await self.executor.command(
            "t", Add(at_us=AT_US, by=PIT, n=n), command_id=name, input_hash=b""
        )


async def _no_tables(_statement: str) -> list[Any]:
    return []


async def polled() -> None:
    """The timers have looked several times."""
    await asyncio.sleep(POLL_S * 8)


async def seen(expected: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not expected():
            await asyncio.sleep(POLL_S)


@pytest_asyncio.fixture
async def both(
    memory_store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Process, Process, Clock]]:
    monkeypatch.setattr(timers, "SLEEP_S_MAX", POLL_S)
    clock = Clock()
    one, other = Process(memory_store, clock), Process(memory_store, clock)
    async with one.at_work(), other.executor:
        yield one, other, clock


def total(store: MemoryStore) -> int:
    return sum(COUNTER.decode(r.type, 1, r.body).n for r in store._data.log)  # type: ignore[attr-defined]


async def test_what_is_stored_here_fires_when_it_is_due(
    both: tuple[Process, Process, Clock], memory_store: MemoryStore
) -> None:
    one, _, clock = both
    await one.add(5, "c-1")
    clock.passed_s = DUE_S * 0.9
    await polled()
    assert total(memory_store) == 5
    clock.passed_s = DUE_S
    await seen(lambda: total(memory_store) == 6)


async def test_what_another_stores_is_not_looked_at_while_it_goes_on(
    both: tuple[Process, Process, Clock], memory_store: MemoryStore
) -> None:
    """It lives: nothing of its tables is read and folded a second time."""
    one, other, clock = both
    for number in range(5):
        await other.add(1, f"c-{number}")
        await polled()
        clock.passed_s += QUIET_S * 0.9
    assert (total(memory_store), one.flaky.transactions) == (5, 0)


async def test_what_another_left_behind_fires_here(
    both: tuple[Process, Process, Clock], memory_store: MemoryStore
) -> None:
    """It has died: nobody else would let the time pass."""
    one, other, clock = both
    await other.add(5, "c-1")
    await polled()
    clock.passed_s = QUIET_S * 0.9
    await polled()
    assert (total(memory_store), one.flaky.transactions) == (5, 0)
    clock.passed_s = QUIET_S
    await seen(lambda: total(memory_store) == 6)


async def test_what_another_goes_on_with_does_not_fire_here(
    both: tuple[Process, Process, Clock], memory_store: MemoryStore
) -> None:
    one, other, clock = both
    await one.add(5, "c-1")
    await polled()
    clock.passed_s = DUE_S * 0.9
    await other.add(2, "c-2")
    await polled()
    before = one.flaky.transactions
    clock.passed_s = DUE_S * 1.1
    await polled()
    assert (total(memory_store), one.flaky.transactions) == (7, before)


async def test_what_was_looked_at_is_not_folded_again(
    memory_store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is it forgotten how much was folded: the snapshot that was missing is taken."""
    monkeypatch.setattr(work, "is_due", lambda *_: False)
    one, other = Process(memory_store, Clock()), Process(memory_store, Clock())
    async with one.executor, other.executor:
        many = AddMany(at_us=AT_US, by=PIT, numbers=tuple(range(SNAPSHOT_EVENTS // 2)))
        await other.executor.command("t", many, command_id="many", input_hash=b"")
        for _ in range(2):
            await one.executor.state("t")
        assert one.spy.aggregate.folded == SNAPSHOT_EVENTS
        await other.add(1, "c-1")
        assert (await one.executor.state("t")).count == SNAPSHOT_EVENTS // 2 + 1
        assert one.spy.aggregate.folded == SNAPSHOT_EVENTS + 1
        assert not memory_store._data.snapshots
        await one.add(1, "c-2")
        assert memory_store._data.snapshots["t"].version == SNAPSHOT_EVENTS + 2
