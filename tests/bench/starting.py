"""Seconds from the start of a process to a service that is ready, on a large log and on none."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.relay import rewind
from services.devstack.stack import Stack
from tests.bench.figures import Goal, Row, cpu_s
from tests.bench.growing import fill

SERVICE: Final = "wager"
CONNECTIONS: Final = 2
FILL_S_MAX: Final = 3_600
LIMIT_S: Final = 3.0


async def measure(stack: Stack, rounds: int, events: int) -> list[Row]:
    """All starts on the empty log of the stack, then as many once it is filled."""
    empty = [await _started_s(stack) for _ in range(rounds)]
    await filled(stack, events)
    # Not measured: what the service keeps beside the log catches up with what was filled in.
    await _started_s(stack)
    large = [await _started_s(stack) for _ in range(rounds)]
    took_s, cpu = zip(*large, strict=True)
    return [
        Row(
            name="start",
            what=f"wager service ready after its start, {events:,} events stored",
            unit="s",
            rates=took_s,
            beside="none stored",
            beside_rates=tuple(each for each, _ in empty),
        ),
        Row(
            name="start",
            what="the same, against its limit",
            unit="s",
            rates=took_s,
            goal=Goal(LIMIT_S, LIMIT_S, LIMIT_S, less=True),
        ),
        Row(
            name="start",
            what="the same, CPU of the service",
            unit="s",
            rates=cpu,
            beside="none stored",
            beside_rates=tuple(each for _, each in empty),
        ),
    ]


async def filled(stack: Stack, events: int) -> None:
    """Stop the service, whose log is empty, and make so many events in it."""
    await asyncio.to_thread(stack.stop_service, SERVICE)
    pool = await open_pool(
        stack.database_url(SERVICE), connections_max=CONNECTIONS, command_timeout_s=FILL_S_MAX
    )
    try:
        await fill(pool, events)
        # As in a service that has worked for long: nothing of it is to be published again.
        await rewind(PostgresStore(SERVICE, pool), position=events)
    finally:
        await pool.close()


async def _started_s(stack: Stack) -> tuple[float, float]:
    """Seconds until it is ready, and of its CPU."""
    await asyncio.to_thread(stack.stop_service, SERVICE)
    began = time.perf_counter()
    await asyncio.to_thread(stack.start_service, SERVICE)
    took_s = time.perf_counter() - began
    process = stack.services[SERVICE].process
    assert process is not None
    return took_s, cpu_s(process.pid)
