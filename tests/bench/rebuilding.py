"""Events a second through a rebuilt projection, beside a bare cursor over the same rows."""

from __future__ import annotations

import random
import time
from typing import Any

from services.chassis import migrations, postgres
from services.chassis.executor import Executor, Limits
from services.chassis.projection import OwnLog, Projector
from services.chassis.registry import Registry
from services.chassis.work import PlainCompanion
from services.devstack.stack import Stack
from services.settlement import domain
from services.settlement.main import DEFINITION
from services.settlement.projections import CoupStories
from tests.bench.figures import Goal, Row
from tests.bench.settling import _database, published

CURSOR_ROWS = 2_000
HEARD_AT_ONCE = 500


async def measure(stack: Stack, rounds: int) -> list[Row]:
    """A log of settlement, rebuilt and read, round by round."""
    dsn = await _database(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=8)
    try:
        store = postgres.PostgresStore(domain.SERVICE, pool)
        await _fill(store)
        projector = Projector(CoupStories(), OwnLog(store), pool)
        await projector.prepare()
        total = await store.head_position()
        rates: list[float] = []
        bare_rates: list[float] = []
        for _ in range(rounds):
            began = time.perf_counter()
            await projector.rebuild(progress=lambda _position, _end: None)
            rates.append(total / (time.perf_counter() - began))
            began = time.perf_counter()
            rows = await _cursor(pool)
            assert rows == total
            bare_rates.append(total / (time.perf_counter() - began))
    finally:
        await pool.close()
    return [
        Row(
            name="G4",
            what=f"stories of coups rebuilt from {total:,} events",
            unit="events/s",
            goal=Goal(0.20, 0.33, 0.45),
            rates=tuple(rates),
            beside="bare cursor over the same rows",
            beside_rates=tuple(bare_rates),
        )
    ]


async def _fill(store: Any) -> None:
    executor = Executor(
        domain,
        store,
        PlainCompanion(domain),
        Registry(domain.SERVICE, domain.EVENTS),
        limits=Limits(),
        jitter=random.Random(1),
    )
    await executor.start()
    records = await published()
    for at in range(0, len(records), HEARD_AT_ONCE):
        await executor.hear(records[at : at + HEARD_AT_ONCE], domain.SERVICE)
    await executor.stop()


async def _cursor(pool: Any) -> int:
    """Read every row of the log with a server-side cursor, and do nothing with it."""
    rows = 0
    async with pool.acquire() as connection, connection.transaction():
        cursor = await connection.cursor(
            "select position, type, meta, body from events order by position"
        )
        while batch := await cursor.fetch(CURSOR_ROWS):
            rows += len(batch)
    return rows
