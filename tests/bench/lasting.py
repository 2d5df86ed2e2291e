"""How much a worker's memory grows while wagers are placed, dealt and settled at a steady pace."""

from __future__ import annotations

import asyncio
import itertools
import math
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Final

from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.bench.coups import WAGERS, Heard, fund, opened, paced
from tests.bench.figures import Goal, Row

EVERY_S: Final = 0.35
COUPS: Final = 60
WARM_COUPS: Final = 420
"""Until the services have told each other as much as they keep in memory."""

SHOE_COUPS: Final = 60
"""A shoe has more than that: no table comes to the end of its own."""

REST_S: Final = 1.0
UNIT_WAGERS: Final = 10_000
FLAT_MB: Final = 2.0
"""For 10,000 wagers. It is 200 bytes a wager: less than one event of it takes as a Python object."""


async def measure(stack: Stack, rounds: int, say: Callable[[str], None]) -> list[Row]:
    """Rounds of the same load; memory is read at rest, before the first and after each."""
    async with (
        Services(stack.targets) as services,
        Heard.at(stack.bootstrap_servers) as heard,
    ):
        await fund(services)
        shoes = math.ceil((WARM_COUPS + rounds * COUPS) / SHOE_COUPS)
        tables = await opened(services, range(shoes))
        await paced(tables, heard, coups=WARM_COUPS, every_s=EVERY_S)
        # On from the last table that was played at, so that no shoe comes to its end.
        turn = deque(tables)
        turn.rotate(-WARM_COUPS)
        readings = [await _at_rest_mb(stack)]
        for number in range(1, rounds + 1):
            await paced(turn, heard, coups=COUPS, every_s=EVERY_S)
            turn.rotate(-COUPS)
            readings.append(await _at_rest_mb(stack))
            held = ", ".join(f"{name} {mb:.0f} MB" for name, mb in readings[-1].items())
            say(f"memory: round {number} of {rounds}: {held}")
    share = COUPS * WAGERS / UNIT_WAGERS
    growths = [
        {name: (after[name] - mb) / share for name, mb in before.items()}
        for before, after in itertools.pairwise(readings)
    ]
    return [
        Row(
            name="memory",
            what=(
                f"growth of {name} over {UNIT_WAGERS:,} settled wagers, from "
                f"{readings[0][name]:.0f} MB to {readings[-1][name]:.0f} MB in "
                f"{rounds * COUPS * WAGERS:,}"
            ),
            unit="MB",
            rates=tuple(growth[name] for growth in growths),
            goal=Goal(FLAT_MB, FLAT_MB / 2, FLAT_MB / 4, less=True),
        )
        for name in readings[0]
    ]


async def _at_rest_mb(stack: Stack) -> dict[str, float]:
    """What each worker has resident once nothing is to be done."""
    await asyncio.sleep(REST_S)
    return _memory_mb(stack)


def _memory_mb(stack: Stack) -> dict[str, float]:
    page = os.sysconf("SC_PAGE_SIZE")
    found: dict[str, float] = {}
    for name, service in stack.services.items():
        assert service.process is not None
        pages = int(Path(f"/proc/{service.process.pid}/statm").read_text().split()[1])
        found[name] = pages * page / 1e6
    return found
