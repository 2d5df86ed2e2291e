"""A consumer that stands still is told from one that has nothing to do or no broker."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from services.chassis.clock import ManualClock
from services.chassis.standstill import STANDSTILL_S, Movement


class Task:
    """Stands for a task of the client library."""

    def __init__(self) -> None:
        self.over = False

    def done(self) -> bool:
        return self.over


class Consumer:
    """The parts of a consumer that are looked at."""

    def __init__(self) -> None:
        self.partitions = {"p0"}
        self._subscription = SimpleNamespace(reassignment_in_progress=False, fetcher_idle_time=0.0)
        self._coordinator = SimpleNamespace(_coordination_task=Task())
        self._fetcher = SimpleNamespace(_fetch_task=Task())
        self._client = SimpleNamespace(_sync_task=Task())

    def assignment(self) -> set[str]:
        return self.partitions


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(0)


@pytest.fixture
def movement(clock: ManualClock) -> Movement:
    return Movement(clock)


def test_a_silent_consumer_stands_still(clock: ManualClock, movement: Movement) -> None:
    consumer: Any = Consumer()
    clock.advance(STANDSTILL_S - 1)
    assert not movement.why_not(consumer)
    clock.advance(1)
    assert movement.why_not(consumer) == f"nothing was fetched for {STANDSTILL_S:.0f} s"


def test_one_that_fetches_moves(clock: ManualClock, movement: Movement) -> None:
    consumer: Any = Consumer()
    clock.advance(STANDSTILL_S)
    movement.fetched(consumer)
    assert not movement.why_not(consumer)


def test_a_rebalance_without_end_is_a_standstill_though_old_partitions_are_fetched(
    clock: ManualClock, movement: Movement
) -> None:
    consumer: Any = Consumer()
    consumer._subscription.reassignment_in_progress = True
    clock.advance(STANDSTILL_S)
    movement.fetched(consumer)
    assert movement.why_not(consumer) == f"no partitions were given out for {STANDSTILL_S:.0f} s"


def test_a_member_too_many_and_a_long_batch_are_none(
    clock: ManualClock, movement: Movement
) -> None:
    consumer: Any = Consumer()
    consumer.partitions = set()
    clock.advance(STANDSTILL_S)
    assert not movement.why_not(consumer)
    consumer.partitions = {"p0"}
    movement.began()
    consumer._subscription.fetcher_idle_time = STANDSTILL_S
    clock.advance(STANDSTILL_S)
    assert not movement.why_not(consumer)
    movement.ended()
    assert movement.why_not(consumer) == f"nobody polls for {STANDSTILL_S:.0f} s"


@pytest.mark.parametrize(
    ("part", "task", "name"),
    [
        ("_coordinator", "_coordination_task", "membership"),
        ("_fetcher", "_fetch_task", "fetching"),
        ("_client", "_sync_task", "knowledge of the cluster"),
    ],
)
def test_an_ended_task_of_the_library_is_one_at_once(
    movement: Movement, part: str, task: str, name: str
) -> None:
    consumer: Any = Consumer()
    getattr(getattr(consumer, part), task).over = True
    assert movement.why_not(consumer) == f"its {name} has ended"
