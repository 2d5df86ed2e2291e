"""What the log costs as it grows, what a load costs, and whether a reader ever misses an event."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from services.chassis import migrations, postgres
from services.chassis.registry import Registry, encode_meta
from services.chassis.store import Batch
from services.contracts.core import Actor, Meta
from services.contracts.wager import WagerCancelled
from services.devstack.stack import Stack
from services.wager import domain
from services.wager.main import DEFINITION
from tests.bench import databases
from tests.bench.figures import Goal, Row

SMALL_EVENTS = 10_000
STREAM_EVENTS = 100
APPENDS = 200
APPEND_EVENTS = 64
LOADS = 400
READ_ROWS = 500
"""As many as a rebuild reads at once: more do not stay in the processor's memory while they are read."""

WRITERS = 32
WRITER_COMMITS = 60
REGISTRY = Registry(domain.SERVICE, domain.EVENTS)

# Rows such as the store writes, made where they are kept: ten million through a client take an hour.
FILL = """
insert into events (
    position, stream_id, version, type, schema_version, published, previous, coup_id, command_id,
    meta, body, previous_digest, digest, recorded_at
)
select position, 'old-' || (position - 1) / $2, (position - 1) % $2 + 1, $3, 1, true, position - 1,
       'old-' || (position - 1) / $2 || ':1:1', 'c' || position, $4, $5,
       sha256(int8send(position - 1)), sha256(int8send(position)), now()
from generate_series(1::bigint, $1::bigint) as position
"""


async def measure(stack: Stack, rounds: int, events: int) -> list[Row]:
    """The same work on a small and on a large log, in turn."""
    small = await _log(stack, SMALL_EVENTS)
    large = await _log(stack, events)
    sides: dict[str, list[float]] = {}
    try:
        for number in range(rounds):
            for name, store in (("small", small), ("large", large)):
                for what, work in (("append", _appended), ("load", _loaded), ("read", _read)):
                    sides.setdefault(f"{what} {name}", []).append(await work(store, number))
            sides.setdefault("bare load", []).append(await _bare_load(large, number))
        last = await _missed(large)
    finally:
        await small.pool.close()
        await large.pool.close()
    return [*_told(events, {name: tuple(each) for name, each in sides.items()}), last]


async def missed(stack: Stack, events: int) -> Row:
    """What a reader misses, on a log of so many events."""
    store = await _log(stack, events)
    try:
        return await _missed(store)
    finally:
        await store.pool.close()


def _told(events: int, sides: dict[str, tuple[float, ...]]) -> list[Row]:
    many, few = f"{events:,} events stored", f"{SMALL_EVENTS:,} stored"
    append = f"append of {APPEND_EVENTS}, {many}"
    load = f"load of a stream of {STREAM_EVENTS}, {many}"
    said: list[tuple[str, str, str, str, str, str, Goal]] = [
        ("G7", append, "ms", "append large", few, "append small", Goal(1.8, 1.4, 1.25, less=True)),
        ("G7b", load, "ms", "load large", few, "load small", Goal(1.5, 1.2, 1.1, less=True)),
        ("G7c", f"replay, {many}", "rows/s", "read large", few, "read small", Goal(0.7, 0.8, 0.9)),
    ]
    rows = [
        Row(
            name=name,
            what=what,
            unit=unit,
            rates=sides[own],
            beside=beside,
            beside_rates=sides[other],
            goal=goal,
        )
        for name, what, unit, own, beside, other, goal in said
    ]
    loads = tuple(1_000 / each for each in sides["load large"])
    bare = tuple(1_000 / each for each in sides["bare load"])
    return [
        Row(
            name="G5",
            what=f"streams of {STREAM_EVENTS} events read and folded",
            unit="/s",
            rates=loads,
            beside="bare prepared fetch of the same rows",
            beside_rates=bare,
            goal=Goal(0.55, 0.70, 0.85),
        ),
        *rows,
    ]


async def _log(stack: Stack, events: int) -> postgres.PostgresStore:
    dsn = await databases.new(stack)
    await migrations.migrate(dsn, [migrations.CHASSIS, *DEFINITION.migrations])
    pool = await postgres.open_pool(dsn, connections_max=WRITERS + 2, command_timeout_s=3_600)
    await fill(pool, events)
    return postgres.PostgresStore(domain.SERVICE, pool)


async def fill(pool: postgres.Pool, events: int) -> None:
    """Make so many events in an empty log."""
    body, meta = event("old")
    async with pool.acquire() as connection:
        await connection.execute(FILL, events, STREAM_EVENTS, WagerCancelled.type, meta, body)
        await connection.execute("update log_head set position = $1", events)
        await connection.execute("vacuum analyze events")
        await connection.execute("checkpoint")


def event(stream: str) -> tuple[bytes, bytes]:
    """Body and envelope of an event of a stream."""
    event = WagerCancelled(
        coup_id=f"{stream}:1:1",
        wager_id="w1",
        player="p1",
        area="BANKER",
        currency="EUR",
        refund_minor=100,
        movement_id="m",
    )
    meta = Meta(
        table_id=stream,
        occurred_at_us=1_790_000_000_000_000,
        actor=Actor("p1", "PLAYER"),
        command_id="c1",
        cause="c1",
        depth=1,
        rulebook_id="nsw-mini",
        rulebook_hash="a" * 64,
        coup_id=f"{stream}:1:1",
    )
    return REGISTRY.encode(event), encode_meta(meta)


async def append(store: postgres.PostgresStore, streams: Sequence[str], events: int) -> None:
    """So many events for each stream, in one commit."""
    body, meta = event(streams[0])
    async with store.transaction(lock=streams) as tx:
        batch = Batch(domain.SERVICE, await tx.heads(streams))
        for stream in streams:
            for _ in range(events):
                batch.add(
                    stream,
                    kind=WagerCancelled.type,
                    schema_version=1,
                    published=True,
                    coup_id=f"{stream}:1:1",
                    command_id="c1",
                    meta=meta,
                    body=body,
                )
        await tx.append(batch)


async def _each_ms(times: int, work: Callable[[int], Awaitable[Any]]) -> float:
    began = time.perf_counter()
    for number in range(times):
        await work(number)
    return (time.perf_counter() - began) / times * 1_000


async def _appended(store: postgres.PostgresStore, round_number: int) -> float:
    return await _each_ms(
        APPENDS, lambda number: append(store, [f"new-{round_number}-{number % 8}"], APPEND_EVENTS)
    )


async def _loaded(store: postgres.PostgresStore, round_number: int) -> float:
    initial, evolve = domain.initial_state(), domain.evolve

    async def load(number: int) -> None:
        stream = f"old-{(number * 7 + round_number) % (SMALL_EVENTS // STREAM_EVENTS)}"
        state = initial
        bodies = await tx.read_bodies(stream, after_version=0, limit=STREAM_EVENTS)
        assert len(bodies) == STREAM_EVENTS
        for body in bodies:
            event = REGISTRY.decode(body.type, body.schema_version, body.body)
            state = evolve(state, event)

    async with store.pool.acquire() as connection:
        # As `Core.load` reads; a load has no transaction of its own.
        tx = postgres.PostgresTx(domain.SERVICE, connection)  # type: ignore[arg-type]
        return await _each_ms(LOADS, load)


async def _bare_load(store: postgres.PostgresStore, round_number: int) -> float:
    async with store.pool.acquire() as connection:
        statement = await connection.prepare(
            "select * from events where stream_id = $1 order by version"
        )

        async def load(number: int) -> None:
            stream = f"old-{(number * 7 + round_number) % (SMALL_EVENTS // STREAM_EVENTS)}"
            assert len(await statement.fetch(stream)) == STREAM_EVENTS

        return await _each_ms(LOADS, load)


async def _read(store: postgres.PostgresStore, _: int) -> float:
    """Rows a second from the beginning of the log, as many as the small one has."""
    reader = postgres.PostgresStore(domain.SERVICE, store.pool)
    began, position = time.perf_counter(), 0
    while position < SMALL_EVENTS:
        records = await reader.read_log(after_position=position, limit=READ_ROWS)
        position = records[-1].position
    return position / (time.perf_counter() - began)


async def _missed(store: postgres.PostgresStore) -> Row:
    return Row(
        name="G12b",
        what=f"events missed or read twice behind {WRITERS} writers at once",
        unit=f"of {WRITERS * WRITER_COMMITS:,}",
        rates=(float(await wrong(store, WRITER_COMMITS)),),
        goal=Goal(0, 0, 0, less=True),
    )


async def wrong(store: postgres.PostgresStore, commits: int) -> int:
    """How many events a reader that follows by position misses or reads twice while many write."""
    begin = await store.head_position()
    reader = postgres.PostgresStore(domain.SERVICE, store.pool)
    total = WRITERS * commits
    read: list[int] = []

    async def follow() -> None:
        position = begin
        while len(read) < total:
            records = await reader.read_log(after_position=position, limit=READ_ROWS)
            read.extend(record.position for record in records)
            position = records[-1].position if records else position
            await asyncio.sleep(0)

    async def write(number: int) -> None:
        for _ in range(commits):
            await append(store, [f"writer-{number}"], 1)

    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        group.create_task(follow())
        for number in range(WRITERS):
            group.create_task(write(number))
    return len(set(range(begin + 1, begin + total + 1)) ^ set(read)) + len(read) - len(set(read))
