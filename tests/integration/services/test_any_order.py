"""The four cores with topics that arrive in any order, in one process and without servers.

A topic keeps its own order, and nothing else does: which of several topics a service reads next, and
how much of it, is chance. Here chance comes from a seed.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from services.contracts.core import SYSTEM, Actor, Heard, Refused
from services.contracts.wager import WagerWithdrawn
from services.round.commands import AdvanceTime, ExtendWithdrawals
from services.tablelog import lines as log
from services.tablelog.inprocess import CORES, InProcessTable
from services.tablelog.reader import read
from services.tablelog.render import SERVICES, Renderer, Told
from services.tablelog.replay import replay, run_line
from services.tablelog.steps import Step
from services.wager.commands import WithdrawWager
from tests.property.play import wander
from tests.property.wanderer import RULEBOOKS

CASES = Path(__file__).resolve().parents[2] / "data" / "cases" / "table.jsonl"
SEEDS = range(12)
BATCHES = (1, 1, 2, 5, 50)
"""How many events of a topic a service reads in one go."""


class Scattered(InProcessTable):
    """A table whose events wait in a queue for each listener, which are emptied at random."""

    def __init__(self, table_id: str, random: Random) -> None:
        super().__init__(table_id)
        self._random = random
        self._queues: dict[tuple[str, str], deque[Heard]] = {}

    def run(self, step: Step, command_id: str) -> tuple[Refused | None, list[Told]]:
        refused, told = super().run(step, command_id)
        while waiting := [pair for pair, queue in self._queues.items() if queue]:
            pair = self._random.choice(waiting)
            for _ in range(min(self._random.choice(BATCHES), len(self._queues[pair]))):
                for made in self._hear(pair[1], self._queues[pair].popleft(), told):
                    self._spread(made, told)
        return refused, told

    def _spread(self, sent: Heard, told: list[Told]) -> list[Heard]:
        for name in SERVICES:
            if type(sent.event) in CORES[name].HEARS.get(sent.service, {}).values():
                self._queues.setdefault((sent.service, name), deque()).append(sent)
        return []


def scattered(path: str, seed: int) -> Iterator[dict[str, Any]]:
    """What `replay` prints, with events that arrive in the order of this seed."""
    table: Scattered | None = None
    renderer = Renderer()
    for line in read(path):
        if table is None:
            assert isinstance(line, log.OpenTable)
            table = Scattered(line.table, Random(seed))
        refused, told = run_line(table, line)
        extra: dict[str, Any] = {"id": line.id} if isinstance(line, log.Wager) else {}
        yield from renderer.line(line.number, line.do, refused, told, **extra)
    yield renderer.summary()


def written(folder: Path, name: str, lines: Sequence[Any]) -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


@pytest.mark.timeout(180)
def test_the_order_in_which_topics_arrive_changes_no_line(tmp_path: Path) -> None:
    """Every case of the format, in several orders: the printed lines are those of `replay`."""
    differing = []
    for case in map(json.loads, CASES.read_text().splitlines()):
        if any(line["do"] == "load_shoe" and "cards" not in line for line in case["log"]):
            continue  # the platform shuffles: no two runs are alike
        path = written(tmp_path, case["id"], case["log"])
        expected = list(replay(path))
        differing += [
            f"{case['id']} with seed {seed}"
            for seed in SEEDS
            if list(scattered(path, seed)) != expected
        ]
    assert differing == []


@pytest.mark.timeout(180)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_random_tables_print_the_same_in_any_order(tmp_path: Path, rulebook: str) -> None:
    """Logs with every irregularity that a line can stand for."""
    differing = []
    for table in range(4):
        path = written(tmp_path, str(table), wander(rulebook, table, lines_only=True).log)
        expected = list(replay(path))
        differing += [
            f"table {table} with seed {seed}"
            for seed in range(3)
            if list(scattered(path, seed)) != expected
        ]
    assert differing == []


@pytest.mark.parametrize("seed", range(60))
def test_a_coup_without_wagers_is_settled_though_its_book_arrives_last(
    tmp_path: Path, seed: int
) -> None:
    """Round closes such a coup at once; settlement may hear so before it hears of the book."""
    cards = ["AC", "9D", "6S", "7H", "TD", "KC", "9S", "7D", "KD", "TC"]
    limits = {"*": {"min": 100, "max": 10_000}}
    path = written(
        tmp_path,
        "empty-book",
        [
            {"do": "open_table", "table": "T", "rulebook": "nsw-mini", "limits": limits},
            {"do": "load_shoe", "shoe": "S", "partial": True, "cards": cards},
            *[{"do": do} for do in ("open_betting", "no_more_bets", "deal")] * 2,
        ],
    )
    coups = [line["coup"] for line in scattered(path, seed) if line["kind"] == "coup"]
    assert coups == [1, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_lengthened_window_is_open_to_withdrawals_in_any_order(tmp_path: Path, seed: int) -> None:
    """F-143: behind the first end and before the second, whatever wager hears first."""
    case = next(
        c for c in map(json.loads, CASES.read_text().splitlines()) if c["id"] == "window-01"
    )
    ruled = next(n for n, line in enumerate(case["log"]) if line.get("kind") == "reconstruct")
    lines = list(read(written(tmp_path, "window", case["log"][: ruled + 1])))
    table = Scattered("T1", Random(seed))
    for line in lines:
        assert run_line(table, line)[0] is None
    supervisor, last_us = Actor("cs1", "CASINO_SUPERVISOR"), lines[-1].at_us
    longer = ExtendWithdrawals(at_us=last_us + 1, by=supervisor, seconds=90)
    assert table.run(Step("round", longer), "longer")[0] is None
    player, at_us = Actor("p1", "PLAYER"), last_us + 75_000_000
    assert table.run(Step("round", AdvanceTime(at_us=at_us, by=SYSTEM)), "clock")[0] is None
    off = WithdrawWager(at_us=at_us, by=player, wager_id="w1")
    refused, told = table.run(Step("wager", off), "off")
    assert refused is None
    assert any(isinstance(each.event, WagerWithdrawn) for each in told)
