"""Coups drawn by the million for `sabot odds --simulate`."""

from __future__ import annotations

from functools import partial

from services.cli.simulating import simulate
from tests.bench.figures import Goal, Row
from tests.bench.pure import DECKS, plain, rate

COUPS = 4_000_000


def measure(rounds: int) -> Row:
    """From the seed to how many coups ended in each way, beside the plain loop of G10."""
    ours: list[float] = []
    bare: list[float] = []
    for number in range(rounds):
        ours.append(rate(partial(_drawn, number)))
        bare.append(rate(partial(plain, number)))
    return Row(
        name="G10b",
        what="coups drawn in bulk and counted by their ends",
        unit="coups/s",
        rates=tuple(ours),
        beside="random.shuffle and a plain loop",
        beside_rates=tuple(bare),
        goal=Goal(5, 10, 15),
    )


def _drawn(seed: int) -> int:
    return sum(simulate(DECKS, COUPS, seed).values())
