"""The CPU of a settled wager with many tables open, beside one table open, at the same total rate."""

from __future__ import annotations

import time
from typing import Final

from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.bench.coups import WAGERS, Heard, Table, fund, opened, paced
from tests.bench.figures import Goal, Row, cpu_s

EVERY_S: Final = 1.5
COUPS: Final = 8
WARM_COUPS: Final = 4


async def measure(stack: Stack, rounds: int, tables: int) -> list[Row]:
    """All rounds with one table open, then as many with all of them: none is closed in between."""
    many: list[float] = []
    async with Services(stack.targets) as services, Heard.at(stack.bootstrap_servers) as heard:
        await fund(services)
        (first,) = await opened(services, [0])
        await paced([first], heard, coups=WARM_COUPS, every_s=EVERY_S)
        one = [await _cpu_us([first], heard) for _ in range(rounds)]
        others = await opened(services, range(1, tables))
        await paced(others, heard, coups=WARM_COUPS, every_s=EVERY_S)
        # Every coup at a table that had none for as long as there are such.
        turns = [*others[WARM_COUPS:], *others[:WARM_COUPS], first]
        for number in range(rounds):
            at = number * COUPS % len(turns)
            many.append(await _cpu_us([*turns[at:], *turns[:at]], heard))
    return [
        Row(
            name="G8b",
            what=f"CPU of a settled wager, {tables} tables open, {WAGERS / EVERY_S:.0f} wagers/s",
            unit="µs",
            rates=tuple(many),
            beside="1 table open, same total rate",
            beside_rates=tuple(one),
            goal=Goal(1.5, 1.25, 1.1, less=True),
        )
    ]


async def _cpu_us(tables: list[Table], heard: Heard) -> float:
    """Of services, PostgreSQL, broker and bench, with what they use while nothing is to be done."""
    before_s, began_s = cpu_s(), time.perf_counter()
    await paced(tables, heard, coups=COUPS, every_s=EVERY_S)
    took_s = time.perf_counter() - began_s
    # A rate that one table cannot keep would be another rate than that of many.
    assert took_s < (COUPS + 2) * EVERY_S, f"{COUPS} coups took {took_s:.1f} s"
    return (cpu_s() - before_s) / (COUPS * WAGERS) * 1e6
