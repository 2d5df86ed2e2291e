"""Fault after fault on one stack, with a check after each."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Any, Self

from msgspec import Struct, field

from services.tablelog.calls import Services
from tests.chaos.books import SHOWN, Books, Findings
from tests.chaos.calls import Breach, Callers
from tests.chaos.faults import FAULTS, NotHere, Scene
from tests.chaos.floor import Floor
from tests.chaos.stack import ChaosStack
from tests.e2e.support import log_lines

WARM_COUPS = 1
"""Coups of each table before a fault strikes."""

WORDS_SHOWN = 4
STANDS = "a table stands still"

Plant = Callable[[ChaosStack, Callers], Awaitable[None]]
"""Something wrong that somebody puts in before a check."""


class Row(Struct):
    """What came of one kind of fault."""

    name: str
    recoveries: list[float] = field(default_factory=list)
    losses: int = 0
    duplicates: int = 0
    others: int = 0
    not_here: str = ""

    @property
    def breaches(self) -> int:
        return self.losses + self.duplicates + self.others


class Result(Struct):
    """What came of a run."""

    rows: list[Row]
    coups: int = 0
    commands: int = 0
    wagers: int = 0
    events: int = 0
    repeats: int = 0
    breaches: list[str] = field(default_factory=list)


class Session:
    """Tables that play on one stack, and the books that are kept of them, over many faults."""

    def __init__(self, stack: ChaosStack, services: Services, seed: int, tables: int) -> None:
        self.random = Random(seed)
        self.ways = [services]
        self.callers = Callers(self.ways, self.random)
        self.floor = Floor(self.callers, self.random, tables=tables, name=f"chaos-{seed}")
        self.channels = AsyncExitStack()
        self.scene = Scene(stack, self.floor, self.ways, self.random, self.channels)
        self.books = Books(stack, self.callers, self.random)

    @classmethod
    @asynccontextmanager
    async def on(cls, stack: ChaosStack, *, seed: int, tables: int) -> AsyncIterator[Self]:
        async with Services(stack.targets) as services:
            session = cls(stack, services, seed, tables)
            session.floor.begin()
            try:
                yield session
            finally:
                await session.floor.end()
                await session.channels.aclose()

    async def strike(self, row: Row, plant: Plant | None = None) -> Findings:
        """Play, strike, recover, rest, check."""
        floor = self.floor
        floor.playing.set()
        try:
            await floor.coups(WARM_COUPS * len(floor.tables))
            since = await FAULTS[row.name](self.scene)
            row.recoveries.append(await floor.recovered(since))
            await floor.rest()
        except NotHere as reason:
            row.not_here = str(reason)
            await floor.rest()
        except Breach as breach:
            row.others += 1
            words = [*await self.books.under_way(), *_last_words(self.scene)]
            return Findings(others=[f"{STANDS}: {breach}", *words])
        if plant is not None:
            await plant(self.scene.stack, self.callers)
        found = await self.books.check(self.ways[0])
        row.losses += len(found.losses)
        row.duplicates += len(found.duplicates)
        row.others += len(found.others)
        return found


async def run(
    session: Session,
    *,
    names: Sequence[str],
    count: int,
    seconds: float,
    say: Callable[[str], None],
    plant: Plant | None = None,
) -> Result:
    """Inject every fault `count` times, in an order that the seed makes, for so many seconds."""
    order = [name for name in names for _ in range(count)]
    session.random.shuffle(order)
    rows = {name: Row(name) for name in names}
    result = Result(list(rows.values()))
    began = time.monotonic()
    for number, name in enumerate(order, start=1):
        if time.monotonic() - began > seconds:
            say(f"{seconds:g} s are over: {len(order) - number + 1} faults are left out")
            break
        found = await session.strike(rows[name], plant)
        result.breaches += [f"{name}: {line}" for line in found.lines()]
        say(f"{number}/{len(order)} {name}: {_told(rows[name], found, session.floor)}")
        if any(line.startswith(STANDS) for line in found.others):
            break  # what comes after a table that stands still says nothing
    callers = session.callers
    result.coups = session.floor.played()
    result.commands = len(callers.acknowledged) + len(callers.funded)
    result.wagers = len(session.books.auditor.books.wagers)
    result.events = session.books.events
    result.repeats = callers.repeats.total()
    return result


def _last_words(scene: Scene) -> list[str]:
    """The last warnings of every service: what is not at rest may say there why."""
    return [
        f"{name} said: {line.get('event')} {line.get('exception', '')[-300:]}"
        for name in scene.stack.services
        for line in list(_warnings(scene.stack, name))[-WORDS_SHOWN:]
    ]


def _warnings(stack: ChaosStack, name: str) -> Iterator[dict[str, Any]]:
    quiet = {"info", "debug"}
    return (each for each in log_lines(stack, name) if each.get("level", "info") not in quiet)


def _told(row: Row, found: Findings, floor: Floor) -> str:
    if row.not_here:
        return f"not on this machine: {row.not_here}"
    lines = found.lines()
    if lines:
        return f"BREACH {'; '.join(lines[:SHOWN])}"
    return f"{row.recoveries[-1]:.1f} s, {floor.played()} coups so far, nothing lost, nothing twice"


def table(result: Result) -> list[str]:
    """The run as a table of Markdown."""
    lines = [
        "| fault | times | recovery, median | longest | losses | duplicates | other breaches |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in result.rows:
        times = len(row.recoveries)
        if times:
            middle, longest = statistics.median(row.recoveries), max(row.recoveries)
            spans = f"{middle:.1f} s | {longest:.1f} s"
        else:
            spans = "- | -"
        numbers = f"{row.losses} | {row.duplicates} | {row.others}"
        lines.append(f"| {row.name} | {times} | {spans} | {numbers} |")
    return lines


def summary(result: Result) -> str:
    """One sentence about the whole run."""
    return (
        f"{result.coups:,} coups, {result.wagers:,} wagers, {result.commands:,} commands "
        f"acknowledged, {result.repeats:,} calls repeated, {result.events:,} events checked, "
        f"{len(result.breaches)} breaches."
    )
