"""Movements of which nobody knows whether the wallet made them: asked for again, each by itself.

The pauses begin short and double, without end: by default from 50 ms to a minute. Of what is unknown for five minutes
the log says so as an error, and a metric counts it: then somebody should look.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NoReturn

from msgspec import Struct

from services.chassis import telemetry
from services.chassis.telemetry import Kind, Metric

ALARM_S: Final = 300.0
POLL_S: Final = 0.25
BATCH_MAX: Final = 100
"""Movements that are asked for again at a time."""

telemetry.declare(
    Metric("sabot.wallet.waiting", Kind.GAUGE, "{movement}", "movements with an unknown outcome"),
    Metric("sabot.wallet.overdue", Kind.GAUGE, "{movement}", "those unknown for five minutes"),
)

_log = logging.getLogger(__name__)


class Pauses(Struct, frozen=True):
    """How long a movement waits: first, and at most."""

    first_s: float = 0.05
    longest_s: float = 60.0


PAUSES: Final = Pauses()


class Waiting:
    """The movements that wait, in the service's database."""

    def __init__(self, pool: Any, pauses: Pauses = PAUSES) -> None:
        self._pool = pool
        self._pauses = pauses

    async def add(self, position: int, table_id: str, problem: str) -> None:
        """Let a movement wait; one that waits already is left as it is."""
        await self._pool.execute(
            "insert into waiting_movements (position, table_id, attempts, problem, next_at) "
            "values ($1, $2, 1, $3, clock_timestamp() + make_interval(secs => $4)) "
            "on conflict do nothing",
            position,
            table_id,
            problem,
            self._pauses.first_s,
        )

    async def among(self, positions: Sequence[int]) -> set[int]:
        """Which of these movements wait."""
        rows = await self._pool.fetch(
            "select position from waiting_movements where position = any($1::bigint[])", positions
        )
        return {row[0] for row in rows}

    async def count(self, table_id: str) -> int:
        """How many movements of a table wait."""
        found = await self._pool.fetchval(
            "select count(*) from waiting_movements where table_id = $1", table_id
        )
        return int(found)

    async def run(self, again: Callable[[int], Awaitable[str]]) -> NoReturn:
        """Ask again for ever; `again` says what went wrong, and nothing once there is an answer."""
        while True:
            rows = await self._pool.fetch(
                "select position, attempts, extract(epoch from clock_timestamp() - since)::float8 "
                "from waiting_movements where next_at <= clock_timestamp() order by next_at limit $1",
                BATCH_MAX,
            )
            await asyncio.gather(*(self._one(again, *row) for row in rows))
            await self._measure()
            if len(rows) < BATCH_MAX:
                await asyncio.sleep(POLL_S)

    async def _one(
        self, again: Callable[[int], Awaitable[str]], position: int, attempts: int, age_s: float
    ) -> None:
        try:
            problem = await again(position)
        except Exception as error:  # noqa: BLE001 - whatever it is, the movement waits on
            problem = f"{type(error).__name__}: {error}"[:200]
        if not problem:
            await self._pool.execute("delete from waiting_movements where position = $1", position)
            return
        pause_s = min(self._pauses.first_s * 2.0 ** min(attempts, 20), self._pauses.longest_s)
        say = _log.error if age_s > ALARM_S else _log.warning
        say("the movement of event %d waits, attempt %d: %s", position, attempts, problem)
        await self._pool.execute(
            "update waiting_movements set attempts = attempts + 1, problem = $2, "
            "next_at = clock_timestamp() + make_interval(secs => $3) where position = $1",
            position,
            problem,
            pause_s,
        )

    async def _measure(self) -> None:
        row = await self._pool.fetchrow(
            "select count(*), count(*) filter (where since < clock_timestamp() - "
            "make_interval(secs => $1)) from waiting_movements",
            ALARM_S,
        )
        telemetry.gauge("sabot.wallet.waiting", row[0])
        telemetry.gauge("sabot.wallet.overdue", row[1])
