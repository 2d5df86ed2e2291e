"""The gate of the bench: what it repeats, and when it stays shut."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping

import pytest

from tests.bench import gate
from tests.bench.__main__ import PERFORMANCE
from tests.bench.figures import Goal, Row

ONE, TWO, OTHER = "one", "two", "told only"
HELD = {ONE: gate.Held("a"), TWO: gate.Held("b", 0.3, "it is slow")}


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two rows are held: one to its floor of a half, one to less."""
    monkeypatch.setattr(gate, "HELD", HELD)


class Bench:
    """Runs with these ratios; None is a run that takes too long."""

    def __init__(self, *runs: Mapping[str, float | None]) -> None:
        self.runs = list(runs)
        self.asked: list[tuple[set[str], frozenset[str]]] = []

    def measure(self, groups: Collection[str], only: frozenset[str]) -> Iterator[Row]:
        self.asked.append((set(groups), only))
        for name, ratio in self.runs.pop(0).items():
            if ratio is None:
                raise TimeoutError
            goal = Goal(0.5, 0.7, 0.9)
            yield Row(name=name, what="w", unit="/s", rates=(ratio,), goal=goal)

    def hold(self, left_s: float = 60.0) -> tuple[list[Row], bool]:
        return gate.hold(self.measure, lambda line: None, time.monotonic() + left_s)


def test_rows_at_their_bounds_open_the_gate_at_once() -> None:
    bench = Bench({ONE: 0.5, TWO: 0.3, OTHER: 0.1})
    rows, passed = bench.hold()
    assert passed
    assert [row.name for row in rows] == [ONE, TWO, OTHER]
    assert bench.asked == [({"a", "b"}, frozenset({ONE, TWO}))]


def test_only_what_is_shut_is_measured_again() -> None:
    bench = Bench({ONE: 0.49, TWO: 0.3}, {ONE: 0.5, TWO: 0.1})
    rows, passed = bench.hold()
    assert passed
    assert bench.asked[1:] == [({"a"}, frozenset({ONE}))]
    assert {row.name: row.rates for row in rows} == {ONE: (0.5,), TWO: (0.3,)}


def test_a_bound_that_is_missed_three_times_shuts_the_gate_and_is_named() -> None:
    bench = Bench(*3 * [{ONE: 0.49, TWO: 0.29}])
    rows, passed = bench.hold()
    assert not passed
    assert len(bench.asked) == 1 + gate.REPEATS_MAX
    assert gate.verdicts(rows) == [
        "FAILED  one: 0.49, held to at least 0.5",
        "FAILED  two: 0.29, held to at least 0.3 (floor 0.5; it is slow)",
    ]


def test_a_row_that_is_not_measured_in_time_shuts_the_gate() -> None:
    bench = Bench({ONE: 0.6, TWO: None})
    rows, passed = bench.hold(left_s=0.0)
    assert not passed
    assert gate.verdicts(rows)[1] == "FAILED  two: not measured in time"


def test_no_repeat_begins_when_the_time_is_over() -> None:
    bench = Bench({ONE: 0.1, TWO: 0.3})
    assert bench.hold(left_s=0.0)[1] is False
    assert len(bench.asked) == 1


def test_the_documents_tell_every_bound_below_a_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    told = [line for line in PERFORMANCE.read_text().splitlines() if "instead of its floor" in line]
    assert told == gate.documented()
