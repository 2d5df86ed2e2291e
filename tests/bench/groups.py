"""The groups of rows, each with the servers that it needs."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Collection, Iterator
from typing import Final, TypeVar

import uvloop
from msgspec import Struct

from services.devstack.stack import Stack
from tests.bench import (
    crowding,
    dealing,
    deciding,
    drawing,
    growing,
    growth,
    lasting,
    noting,
    pure,
    rebuilding,
    relaying,
    replaying,
    settling,
    spreading,
    starting,
    surrounding,
    wagering,
)
from tests.bench.figures import Row
from tests.bench.peers import measuring

ALL: Final = (
    "replay",
    "pure",
    "core",
    "settlement",
    "rebuild",
    "log",
    "wagers",
    "dealing",
    "tables",
    "start",
)
WITHOUT_SERVERS: Final = ("replay", "pure", "core")
ASKED_FOR: Final = ("memory", "peers", "growth", "crowd")
"""Measured only where they are asked for: they take long, or fetch what they are beside."""

T = TypeVar("T")


class Plan(Struct, frozen=True, kw_only=True):
    """How much is measured."""

    rounds: int
    events: int
    """In a large log."""

    tables: int
    """Open for the groups `tables` and `growth`."""

    only: frozenset[str] | None = None
    """The rows that are wanted, of groups that can leave out others; None: all."""

    until_s: float | None = None
    """When measuring is broken off, on the clock `time.monotonic`."""


def measured(plan: Plan, groups: Collection[str]) -> Iterator[Row]:
    """The rows of these groups. Raises TimeoutError where the plan's time is over."""
    yield from _without_servers(plan, groups)
    yield from _with_servers(plan, groups)
    if "wagers" in groups:
        with Stack(durable=True, report=say) as stack:
            say("wagers")
            yield from _within(plan, wagering.measure(stack, plan.rounds, plan.events, plan.only))
            if plan.only is None:
                say("relay")
                yield from _within(plan, relaying.measure(stack, plan.rounds))
    if "dealing" in groups:
        with Stack(durable=True, report=say) as stack:
            say("dealing")
            yield from _within(plan, dealing.measure(stack, plan.rounds))
    if "tables" in groups:
        with Stack(durable=True, report=say) as stack:
            say("tables")
            yield from _within(plan, spreading.measure(stack, plan.rounds, plan.tables))
    if "start" in groups:
        with Stack(services=("wager",), durable=True, report=say) as stack:
            say("start")
            yield from _within(plan, starting.measure(stack, plan.rounds, plan.events))
    if "memory" in groups:
        with Stack(durable=True, report=say) as stack:
            say("memory")
            yield from _within(plan, lasting.measure(stack, plan.rounds, say))
    if "growth" in groups:
        with Stack(durable=True, report=say) as stack:
            say("growth")
            yield from _within(
                plan, growth.measure(stack, plan.rounds, plan.events, plan.tables, say)
            )


def _without_servers(plan: Plan, groups: Collection[str]) -> Iterator[Row]:
    if "replay" in groups:
        say("replay")
        yield from replaying.measure(plan.rounds)
    if "pure" in groups:
        say("pure")
        yield from pure.measure(plan.rounds)
        yield drawing.measure(plan.rounds)
    if "core" in groups:
        say("core")
        yield from deciding.measure(plan.rounds)
        yield from noting.measure(plan.rounds)
        yield from surrounding.measure(plan.rounds)


def _with_servers(plan: Plan, groups: Collection[str]) -> Iterator[Row]:
    """What needs PostgreSQL and a broker, and no service."""
    if {"settlement", "rebuild", "crowd", "log"} & set(groups):
        with Stack(services=(), durable=True, report=say) as bare:
            if "settlement" in groups:
                say("settlement")
                yield from _within(
                    plan, settling.measure(bare, plan.rounds, plan.events, plan.only)
                )
            if "rebuild" in groups:
                say("rebuild")
                yield from _within(plan, rebuilding.measure(bare, plan.rounds, plan.events))
            if "crowd" in groups:
                say("crowd")
                yield from _within(plan, crowding.measure(bare, plan.rounds))
            if "log" in groups and plan.only is None:
                say("log")
                yield from _within(plan, growing.measure(bare, plan.rounds, plan.events))
            elif "log" in groups:
                say("log")
                yield _within(plan, growing.missed(bare, plan.events))
    if "peers" in groups:
        with Stack(services=(), durable=True, report=say) as bare:
            say("peers")
            yield from _within(plan, measuring.measure(bare, plan.rounds, say))


def _within(plan: Plan, work: Awaitable[T]) -> T:
    """What comes of the work, on an event loop such as the services have."""

    async def limited() -> T:
        left_s = None if plan.until_s is None else plan.until_s - time.monotonic()
        async with asyncio.timeout(left_s):
            return await work

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(limited())


def say(line: str) -> None:
    """Progress goes to standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
