"""Coups a second through `sabot replay`, on one core: a recorded table, one wager a coup.

And what a coup costs in each of the four cores: the calls that a replay makes of a core are made
again by themselves, each with the state that it had.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from services import cli
from services.contracts.core import Heard
from services.tablelog.inprocess import CORES, InProcessTable
from services.tablelog.reader import read
from services.tablelog.render import SERVICES, Told
from services.tablelog.replay import replay, run_line
from services.tablelog.steps import SHOE
from tests.bench.figures import Goal, Row

LOG = Path(cli.__file__).parent / "data" / "recorded" / "fibonacci-on-punto.jsonl"
REPEATS = 3
US = 1_000_000


def measure(rounds: int) -> Iterator[Row]:
    """Replay the log some times a round; by CPU time, which other load does not move."""
    coups = sum(line["kind"] == "coup" for line in replay(str(LOG)))
    whole = [_cpu_us(_replayed, coups) for _ in range(rounds)]
    calls = _Calls()
    lines = [_cpu_us(_lines_read, coups) for _ in range(rounds)]
    cores = {
        name: [_cpu_us(lambda: calls.again(name), coups) for _ in range(rounds)]  # noqa: B023
        for name in SERVICES
    }
    yield Row(
        name="replay",
        what="recorded table replayed, one wager a coup",
        unit="coups/s",
        rates=tuple(US / each for each in whole),
        goal=Goal(1_900, 5_000, 19_000),
    )
    for name in SERVICES:
        said = (
            f"CPU of a coup in {name}: {len(calls.decided[name]) / coups:.1f} commands with "
            f"{calls.events[name] / coups:.1f} events, {len(calls.heard[name]) / coups:.1f} heard"
        )
        yield Row(name="replay share", what=said, unit="µs", rates=tuple(cores[name]))
    read_in = f"CPU of reading a coup's {sum(1 for _ in read(str(LOG))) / coups:.1f} lines"
    yield Row(name="replay share", what=read_in, unit="µs", rates=tuple(lines))
    rest = [all_ - sum(parts) for all_, *parts in zip(whole, lines, *cores.values(), strict=True)]
    what = "CPU of a coup for the rest: who hears what, lines out, and taking turns"
    yield Row(name="replay share", what=what, unit="µs", rates=tuple(rest))


def _cpu_us(work: Callable[[], Any], coups: int) -> float:
    """CPU that a coup takes of some work on the whole log."""
    began = time.process_time()
    for _ in range(REPEATS):
        work()
    return (time.process_time() - began) / REPEATS / coups * US


def _replayed() -> None:
    for _ in replay(str(LOG)):
        pass


def _lines_read() -> None:
    for _ in read(str(LOG)):
        pass


class _Calls(InProcessTable):
    """A replay of the log that keeps what it asks of each core."""

    def __init__(self) -> None:
        super().__init__("")
        self.decided: dict[str, list[tuple[Any, ...]]] = {name: [] for name in SERVICES}
        """Commands, each with all that `decide` is given."""

        self.heard: dict[str, list[tuple[Heard, Any]]] = {name: [] for name in SERVICES}
        self.events = dict.fromkeys(SERVICES, 0)
        for number, line in enumerate(read(str(LOG))):
            if not number:
                self.table_id = line.table  # type: ignore[attr-defined]
            refused, told = run_line(self, line)
            assert refused is None
            for each in told:
                self.events[each.service] += 1

    def again(self, name: str) -> None:
        """Make the calls of a core again, each by itself."""
        core = CORES[name]
        for given in self.decided[name]:
            for _ in core.decide(*given).steps():
                pass
        for heard, state in self.heard[name]:
            core.react(heard, core.evolve(state, heard))

    def _decide(self, service: str, command: Any, *where: Any, **more: Any) -> list[Heard]:
        orders = (self._cards, self._before) if service == SHOE else ()
        self.decided[service].append((command, self.states[service], *orders))
        return super()._decide(service, command, *where, **more)

    def _hear(self, name: str, heard: Heard, told: list[Told]) -> list[Heard]:
        self.heard[name].append((heard, self.states[name]))
        return super()._hear(name, heard, told)
