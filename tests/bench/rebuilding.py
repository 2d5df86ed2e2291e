"""Events a second through a rebuilt projection, beside a bare cursor over the same rows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import asyncpg

from services.chassis import migrations, postgres
from services.chassis.decider import Record
from services.chassis.projection import OwnLog, Projector
from services.chassis.store import Store
from services.devstack.stack import Stack
from services.settlement import domain
from services.settlement.main import DEFINITION
from services.settlement.projections import CoupStories
from services.settlement.reading import read
from services.settlement.rebuild import rebuilt, settings_in
from tests.bench import alone, databases, filling
from tests.bench.figures import Goal, Row, median
from tests.bench.settling import published

CURSOR_ROWS = 2_000
TABLE_ID = "shoe-0"


async def measure(stack: Stack, rounds: int, events: int) -> list[Row]:
    """A log of settlement, rebuilt and read, round by round; copied until it has so many events."""
    dsn = await databases.new(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=8)
    try:
        store = postgres.PostgresStore(domain.SERVICE, pool)
        await _fill(store)
        coups, shoes = await _again(store, rounds)
        total = await _copied(dsn, events)
        # A new store has nothing of the log in its memory.
        store = postgres.PostgresStore(domain.SERVICE, pool)
        projector = Projector(CoupStories(), OwnLog(store), pool)
        await projector.prepare()
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
        ),
        Row(
            name="coup",
            what="a coup rebuilt from the log with its proof",
            unit="ms",
            rates=coups,
            goal=Goal(50, 50, 25, less=True),
        ),
        Row(
            name="shoe",
            what="all coups of a shoe, rebuilt one after the other",
            unit="ms",
            rates=shoes,
            goal=Goal(500, 500, 250, less=True),
        ),
    ]


async def _again(
    store: postgres.PostgresStore, rounds: int
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Milliseconds for a coup, and for all of a shoe."""
    coup_ms: list[float] = []
    shoe_ms: list[float] = []
    for _ in range(rounds):
        records = await store.read_stream(TABLE_ID, after_version=0, limit=1_000_000)
        activations = [each for each in records if settings_in(each) is not None]
        heard = [each for each in map(read, records) if each is not None]
        coups = list(dict.fromkeys(each.coup_id for each in heard if each.coup_id))
        times = [await _rebuilt_ms(store, coup_id, activations) for coup_id in coups]
        coup_ms.append(median(times))
        shoe_ms.append(sum(times))
    return tuple(coup_ms), tuple(shoe_ms)


async def _rebuilt_ms(
    store: postgres.PostgresStore, coup_id: str, activations: Sequence[Record]
) -> float:
    began = time.perf_counter()
    evidence = rebuilt(coup_id, await store.read_by_coup(coup_id), activations)
    evidence.written()
    taken_s = time.perf_counter() - began
    assert not evidence.findings, evidence.findings
    return taken_s * 1_000


async def _copied(dsn: str, events: int) -> int:
    """Copy what is there; gives how many events there are then."""
    connection = await asyncpg.connect(dsn)
    try:
        kept = await filling.keep_one(connection, [TABLE_ID])
        return await filling.fill_one(dsn, kept, max(0, events // kept.head - 1))
    finally:
        await connection.close()


async def _fill(store: Store) -> None:
    async with alone.settlement(store) as executor:
        await alone.hear(executor, await published([TABLE_ID]))


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
