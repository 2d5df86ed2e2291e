"""One seed from beginning to end."""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections import Counter
from contextlib import ExitStack
from unittest.mock import patch

from msgspec import Struct

from services.chassis import snapshots, work
from tests.simulation.broker import installed
from tests.simulation.virtual import VirtualLoop
from tests.simulation.world import World

SNAPSHOT_EVENTS = 25
"""So often a snapshot is taken here: streams are short, and a restart has to find some."""


class Report(Struct, frozen=True, kw_only=True):
    """What came of a seed."""

    seed: int
    steps: int
    """Events, movements and answers that the auditor checked."""

    coups: int
    wagers: int
    virtual_s: float
    faults: Counter[str]
    breach: str
    """What was broken; empty where nothing was."""

    where: str
    """The traceback of the breach."""

    digest: str
    lines: list[str]


def simulate(seed: int, *, echo: bool = False, kind: type[World] = World) -> Report:
    """Run a seed; the same seed gives the same report. `kind`: of world, where it is a special one."""
    loop = VirtualLoop()
    logging.disable(logging.CRITICAL)
    before = random.getstate()
    random.seed(seed)  # the consumers spread their retries by the module's own generator
    try:
        return loop.run_until_complete(_simulate(seed, echo=echo, kind=kind))
    finally:
        random.setstate(before)
        logging.disable(logging.NOTSET)
        loop.close()


async def _simulate(seed: int, *, echo: bool, kind: type[World]) -> Report:
    world = kind(seed, echo=echo)
    with ExitStack() as stack:
        stack.enter_context(installed(world.cluster))
        for module in (snapshots, work):
            stack.enter_context(patch.object(module, "SNAPSHOT_EVENTS", SNAPSHOT_EVENTS))
        await world.run()
        await _end(world)
    breach = world.breach
    where = "" if breach is None else "".join(traceback.format_exception(breach))
    return Report(
        seed=seed,
        steps=world.steps,
        coups=len(world.auditor.books.coups),
        wagers=len(world.auditor.books.wagers),
        virtual_s=asyncio.get_running_loop().time(),
        faults=world.chance.counts,
        breach="" if breach is None else f"{breach}",
        where=where,
        digest=world.trace.digest(),
        lines=world.trace.lines,
    )


async def _end(world: World) -> None:
    """Let go of everything that still runs."""
    world._people.kill()
    for nodes in world.nodes.values():
        for node in nodes:
            node.kill()
    for _ in range(20):
        await asyncio.sleep(1.0)
