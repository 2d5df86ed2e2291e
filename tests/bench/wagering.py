"""Wagers a second through gRPC into PostgreSQL, beside a bare echo with the same messages."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Container
from contextlib import asynccontextmanager
from typing import Final

from msgspec import Struct

from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.bench import driving, starting
from tests.bench.calling import (
    BATCH_CALLERS,
    BATCH_WAGERS,
    ROUND_S,
    bare_rows,
    batches,
    echo_server,
    rate,
)
from tests.bench.figures import Goal, Row, cpu_s
from tests.bench.opening import TABLES, prepare
from tests.bench.variant import WITHOUT_GROUPS, WITHOUT_LEDGER, WITHOUT_RELAY

CALLERS: Final = 64
CALLERS_MANY: Final = 256
WARM_S: Final = 0.5


class Side(Struct, frozen=True):
    """One thing that is measured in every round."""

    name: str
    callers: int = CALLERS
    one_table: bool = False
    """All at one table, another in each round: its book holds what was staked in this round alone."""

    echo: bool = False
    """The bare server in the place of the wager service."""

    variant: str = ""
    """The wager service with one thing left out."""

    workers: int = 1


ECHO: Final = Side("echo", echo=True)
WAGER: Final = Side("wager")
ONE_TABLE: Final = Side("wager on one table", one_table=True)
ECHO_MANY: Final = Side("echo many", callers=CALLERS_MANY, echo=True)
MANY: Final = Side("wager many", callers=CALLERS_MANY)
TWO: Final = Side("two workers", callers=CALLERS_MANY, workers=2)
LEDGERLESS: Final = Side("without ledger", variant=WITHOUT_LEDGER)
UNPUBLISHED: Final = Side("without relay", variant=WITHOUT_RELAY)
UNGROUPED: Final = Side("without groups", callers=CALLERS_MANY, variant=WITHOUT_GROUPS)
SIDES: Final = (ECHO, WAGER, ONE_TABLE, ECHO_MANY, MANY, TWO, LEDGERLESS, UNPUBLISHED, UNGROUPED)
"""In an order with few restarts."""


class Workers:
    """The wager service as a side wants it, and the bare server beside it."""

    def __init__(self, stack: Stack, echo: str, ids: itertools.count[int]) -> None:
        """The stack's own wager service runs; `echo` is the bare server's address."""
        self._stack = stack
        self._echo = echo
        self._ids = ids
        self._service = stack.services["wager"]
        self._plain = self._service.program
        self._variant = ""

    async def serve(self, variant: str) -> str:
        """Run the service, or a variant of it, where it does not run yet; gives its address."""
        if variant != self._variant:
            program = ("-m", "tests.bench.variant", variant) if variant else self._plain
            self._service.program = program
            await asyncio.to_thread(self._stack.restart_service, "wager")
            self._variant = variant
            await self._warm(self._service.target)
        return self._service.target

    @asynccontextmanager
    async def of(self, side: Side) -> AsyncIterator[list[str]]:
        """The addresses that a side calls."""
        if side.echo:
            yield [self._echo]
            return
        first = await self.serve(side.variant)
        if side.workers == 1:
            yield [first]
            return
        second = self._stack.replica("wager")
        process = second.launch()
        try:
            await asyncio.to_thread(second.wait_until_ready)
            await self._warm(second.target)
            yield [first, second.target]
        finally:
            await asyncio.to_thread(process.stop)

    async def _warm(self, target: str) -> None:
        """Let a process load its tables before it is measured."""
        await rate([target], self._ids, callers=CALLERS, seconds=WARM_S)


async def measure(
    stack: Stack, rounds: int, events: int, only: Container[str] | None = None
) -> list[Row]:
    """All sides in turn, round by round; once the tables are open, the wager service is alone.

    In production the others run on machines of their own, and here they would take what both sides
    of a ratio share. The log has so many events at the beginning. With `only`, some of the rows.
    """
    said = [row for row in SAID if only is None or row[0] in only]
    named = {name.removesuffix(" cpu") for row in said for name in (row[2], row[5])}
    sides = [side for side in SIDES if only is None or side.name in named]
    await starting.filled(stack, events)
    await asyncio.to_thread(stack.start_service, "wager")
    async with Services(stack.targets) as services:
        await prepare(services, range(TABLES + rounds))
    for name in ("settlement", "round", "shoe"):
        await asyncio.to_thread(stack.stop_service, name)
    ids = itertools.count()
    figures: dict[str, list[float]] = {}

    def note(name: str, figure: float) -> None:
        figures.setdefault(name, []).append(figure)

    async with echo_server() as echo:
        workers = Workers(stack, echo, ids)
        for number in range(rounds):
            fresh = range(TABLES + number, TABLES + number + 1)
            for side in sides:
                async with workers.of(side) as targets:
                    before_s, before = cpu_s(), _shares(stack)
                    per_s, p99_s = await rate(
                        targets,
                        ids,
                        callers=side.callers,
                        tables=fresh if side.one_table else range(TABLES),
                    )
                    used_us = (cpu_s() - before_s) / (per_s * ROUND_S) * 1e6
                    note(f"{side.name} cpu", used_us)
                    for name, part_us in _used(stack, before, per_s).items():
                        note(f"{side.name} {name}", part_us)
                    note(f"{side.name} server", used_us - figures[f"{side.name} caller"][-1])
                note(side.name, per_s)
                note(f"{side.name} p99", p99_s * 1_000)
            target = await workers.serve("")
            if only is None:
                note("rows 64", await bare_rows(stack.database_url("wager"), CALLERS))
                note("rows 100", await bare_rows(stack.database_url("wager"), BATCH_WAGERS))
                note("driver", await driving.group_us(stack) / driving.WAGERS)
                before = _shares(stack)
                per_s = await batches(target, ids)
                note("batches", per_s)
                for name, part_us in _used(stack, before, per_s).items():
                    note(f"batches {name}", part_us)
    await asyncio.to_thread(stack.stop_service, "wager")
    told = {name: tuple(values) for name, values in figures.items()}
    return [_row(told, *row) for row in said]


def _used(stack: Stack, before: dict[str, float], per_s: float) -> dict[str, float]:
    """CPU of one wager of a round, in µs, by who used it."""
    now = _shares(stack)
    return {name: (now[name] - before[name]) / (per_s * ROUND_S) * 1e6 for name in now}


def _shares(stack: Stack) -> dict[str, float]:
    """CPU time so far, by who used it."""
    roots = {
        "service": stack.services["wager"].process,
        "PostgreSQL": stack.postgres.process,
        "broker": stack.broker.process,
    }
    # A broker of somebody else has no process here.
    shares = {name: cpu_s(process.pid) if process else 0.0 for name, process in roots.items()}
    return {**shares, "caller": time.process_time()}


SHARES: Final = ("service", "PostgreSQL", "broker", "caller")

Said = tuple[str, str, str, str, str, str, Goal | None]
"""Name, what is measured, its side, the unit, what stands beside it, that side, the goal."""

SAID: Final[tuple[Said, ...]] = (
    ("G1", f"wagers accepted, no balance kept, {CALLERS} callers, {TABLES} tables",
     LEDGERLESS.name, "/s", "bare grpc.aio echo", ECHO.name, Goal(0.5, 0.75, 0.9)),
    ("G1 CPU", "CPU of G1: caller, service, PostgreSQL and broker", f"{LEDGERLESS.name} cpu", "µs",
     "CPU of echo: caller and server", f"{ECHO.name} cpu",
     Goal(2, 1.33, 1.11, less=True)),
    ("G8", "G1L with all wagers on one table", ONE_TABLE.name, "/s",
     f"spread on {TABLES} tables", WAGER.name, Goal(0.55, 0.75, 0.85)),
    ("G1L", "G1 with the built-in ledger's debit in the commit", WAGER.name, "/s",
     "bare grpc.aio echo", ECHO.name, Goal(0.5, 0.75, 0.9)),
    ("G1b", f"G1L, {CALLERS_MANY} callers", MANY.name, "/s", "echo", ECHO_MANY.name,
     Goal(0.65, 0.85, 0.95)),
    ("G1c", "G1L", WAGER.name, "/s", "serial limit of echo and unnest(64)", "limit",
     Goal(0.55, 0.75, 0.9)),
    ("G1d", "p99 of G1L", f"{WAGER.name} p99", "ms", "p99 of echo", f"{ECHO.name} p99",
     Goal(2.5, 1.8, 1.3, less=True)),
    ("G1e", "G1b", MANY.name, "/s", "one command a commit, one after the other",
     UNGROUPED.name, Goal(1.5, 2, 3)),
    ("G1L CPU", "the same of G1L", f"{WAGER.name} cpu", "µs",
     "CPU of echo: caller and server", f"{ECHO.name} cpu", Goal(2, 1.33, 1.11, less=True)),
    *(
        ("G1 share", f"CPU of G1: {share}", f"{LEDGERLESS.name} {share}", "µs", "", "", None)
        for share in SHARES
    ),
    ("G1 share", "CPU of G1: service without its relay", f"{UNPUBLISHED.name} service", "µs",
     "", "", None),
    ("G1 share", f"CPU of a wager in PostgreSQL's driver, {driving.WAGERS} in a group", "driver",
     "µs", "", "", None),
    ("G1 share", "CPU of echo: caller", f"{ECHO.name} caller", "µs", "", "", None),
    ("G1 share", "CPU of echo: server", f"{ECHO.name} server", "µs", "", "", None),
    ("G2", f"wagers accepted by PlaceWagers of {BATCH_WAGERS}, {BATCH_CALLERS} callers",
     "batches", "/s", f"bare asyncpg unnest({BATCH_WAGERS})", "rows 100", Goal(0.25, 0.4, 0.5)),
    *(
        ("G2 CPU", f"CPU of G2: {share}", f"batches {share}", "µs", "", "", None)
        for share in SHARES
    ),
    ("two", "G1b at two workers, each with half of the tables", TWO.name, "/s", "at one",
     MANY.name, None),
    ("two CPU", "CPU a wager at two workers", f"{TWO.name} cpu", "µs", "at one",
     f"{MANY.name} cpu", None),
)  # fmt: skip


def _row(  # noqa: PLR0917 - in the order of the table
    figures: dict[str, tuple[float, ...]],
    name: str,
    what: str,
    own: str,
    unit: str,
    beside: str,
    other: str,
    goal: Goal | None,
) -> Row:
    if other == "limit":
        pairs = zip(figures[ECHO.name], figures["rows 64"], strict=True)
        figures = {**figures, "limit": tuple(1 / (1 / echo + 1 / rows) for echo, rows in pairs)}
    return Row(
        name=name,
        what=what,
        unit=unit,
        rates=figures[own],
        beside=beside,
        beside_rates=figures[other] if other else (),
        goal=goal,
    )
