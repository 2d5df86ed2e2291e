"""Coups a second through `sabot replay`, on one core: a recorded table, one wager a coup."""

from __future__ import annotations

import time
from pathlib import Path

from services import cli
from services.tablelog.replay import replay
from tests.bench.figures import Goal, Row

LOG = Path(cli.__file__).parent / "data" / "recorded" / "fibonacci-on-punto.jsonl"
REPEATS = 3


def measure(rounds: int) -> Row:
    """Replay the log some times a round; by CPU time, which other load does not move."""
    rates: list[float] = []
    for _ in range(rounds):
        began = time.process_time()
        coups = 0
        for _ in range(REPEATS):
            coups += sum(line["kind"] == "coup" for line in replay(str(LOG)))
        rates.append(coups / (time.process_time() - began))
    return Row(
        name="replay",
        what="recorded table replayed, one wager a coup",
        unit="coups/s",
        rates=tuple(rates),
        goal=Goal(1_900, 5_000, 19_000),
    )
