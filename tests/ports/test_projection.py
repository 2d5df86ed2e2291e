"""Projections and subscriptions: nothing twice, nothing missed, and rebuilt while life goes on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from services.chassis import projection as under_test
from services.chassis.clock import SystemClock
from services.chassis.decider import Entry
from services.chassis.memory import MemoryStore
from services.chassis.postgres import Pool, PostgresStore, open_pool
from services.chassis.projection import (
    Moved,
    NotLive,
    OwnLog,
    Projector,
    RebuildRuns,
    Subscription,
    UnknownProjection,
    live,
)
from services.chassis.store import Store
from tests.ports.counter import COUNTER, Added, append

POLL_S = 0.02
LOOK_S = 0.005
SOON_S = 10.0


class Totals:
    """How much was added at each table. Version 2 counts in tens."""

    name = "totals"

    def __init__(self, version: int = 1) -> None:
        self.version = version
        self.fail_on: int | None = None
        self.pause_s = 0.0

    async def create(self, connection: Any, schema: str) -> None:
        await connection.execute(
            f"create table {schema}.totals (table_id text primary key, total integer not null)"
        )

    def told(self, records: Sequence[Entry]) -> Sequence[Entry]:
        return records

    async def apply(self, connection: Any, told: Sequence[Entry], schema: str) -> None:
        deltas: dict[str, int] = {}
        for record in told:
            event = COUNTER.decode(record.type, record.schema_version, record.body)
            assert isinstance(event, Added)
            if event.n == self.fail_on:
                raise ValueError("cannot be applied")
            deltas[record.stream] = deltas.get(record.stream, 0) + event.n
        factor = 10 if self.version == 2 else 1
        await connection.executemany(
            f"insert into {schema}.totals as t values ($1, $2) "
            "on conflict (table_id) do update set total = t.total + excluded.total",
            [(table, n * factor) for table, n in deltas.items()],
        )
        await asyncio.sleep(self.pause_s)

    async def publish(self, connection: Any, schema: str) -> None:
        await connection.execute(
            f"create or replace view current_totals as select * from {schema}.totals"
        )


async def totals(pool: Pool) -> dict[str, int]:
    """What queries see at this moment, through the view."""
    async with pool.acquire() as connection:
        rows = await connection.fetch("select table_id, total from current_totals")
        return {row[0]: row[1] for row in rows}


async def reached(pool: Pool) -> int:
    """The position that queries reflect; -1 while there is nothing to query."""
    async with pool.acquire() as connection:
        try:
            return (await live(connection, "totals")).position
        except UnknownProjection:
            return -1


async def eventually(condition: Callable[[], Awaitable[bool]]) -> None:
    """Return as soon as the condition holds."""
    for _ in range(round(SOON_S / LOOK_S)):
        if await condition():
            return
        await asyncio.sleep(LOOK_S)
    raise TimeoutError


async def until(pool: Pool, position: int) -> None:
    async def is_reached() -> bool:
        return await reached(pool) >= position

    await eventually(is_reached)


async def until_applied(projector: Projector[Entry], log: Store) -> None:
    """Take steps until the tables reflect the whole log."""
    for _ in range(9):
        await projector.step()
        if projector.position == await log.head_position():
            return
    raise TimeoutError


async def until_checkpoint(store: Store, position: int) -> None:
    async def is_reached() -> bool:
        return (await store.checkpoint("subscription:s")).position >= position

    await eventually(is_reached)


@pytest.fixture
def log(postgres_store: PostgresStore) -> PostgresStore:
    return postgres_store


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "STALE_PAUSE_S", POLL_S)
    monkeypatch.setattr(under_test, "FAILURE_PAUSE_S", POLL_S)


def make(log: PostgresStore, projection: Totals | None = None, **options: Any) -> Projector[Entry]:
    options.setdefault("poll_s", POLL_S)
    return Projector(projection or Totals(), OwnLog(log), log.pool, **options)


@asynccontextmanager
async def running(*projectors: Projector[Entry]) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(projector.run()) for projector in projectors]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def write(log: Store, count: int, *, pause_s: float = 0.0) -> None:
    for number in range(count):
        await append(log, (f"t-{number % 5}", Added(n=1)), (f"t-{number % 3}", Added(n=1)))
        await asyncio.sleep(pause_s)


async def expected(log: Store) -> dict[str, int]:
    """The totals worked out from the log."""
    sums: dict[str, int] = {}
    for record in await log.read_log(after_position=0, limit=100_000):
        event = COUNTER.decode(record.type, record.schema_version, record.body)
        assert isinstance(event, Added)
        sums[record.stream] = sums.get(record.stream, 0) + event.n
    return sums


def no_progress(_position: int, _end: int) -> None:
    """Nobody watches."""


@pytest.mark.integration
class TestProjector:
    async def test_it_follows_the_log(self, log: PostgresStore) -> None:
        """What was there, and what comes; queries learn which position they reflect."""
        await write(log, 10)
        async with running(make(log, batch_records_max=7)):
            await until(log.pool, 20)
            assert await totals(log.pool) == await expected(log)
            await write(log, 5)
            await until(log.pool, 30)
        assert await totals(log.pool) == await expected(log)

    async def test_it_wakes_when_something_is_appended(self, log: PostgresStore) -> None:
        """Within one process nobody waits for the next look."""
        async with running(make(log, poll_s=1000.0)):
            await until(log.pool, 0)
            await asyncio.sleep(POLL_S)  # it has prepared itself and sleeps
            await write(log, 1)
            await until(log.pool, 2)

    async def test_two_instances_apply_every_record_once(self, log: PostgresStore) -> None:
        """The checkpoint is moved in the transaction of the tables: who loses drops its batch."""
        async with running(*(make(log, batch_records_max=3) for _ in range(3))):
            await write(log, 60)
            await until(log.pool, 120)
        assert await totals(log.pool) == await expected(log)

    async def test_a_failing_batch_leaves_no_part_of_itself(self, log: PostgresStore) -> None:
        """Tables and checkpoint fail together; the projection goes on when it is mended."""
        projection = Totals()
        projection.fail_on = 7
        await append(log, ("a", Added(n=1)), ("a", Added(n=7)), ("a", Added(n=1)))
        projector = make(log, projection)
        await projector.prepare()
        with pytest.raises(ValueError, match="cannot"):
            await projector.step()
        assert (await totals(log.pool), await reached(log.pool)) == ({}, 0)
        async with running(projector):
            await asyncio.sleep(POLL_S)
            projection.fail_on = None
            await until(log.pool, 3)
        assert await totals(log.pool) == {"a": 9}

    async def test_a_rebuild_switches_without_a_gap_while_writers_go_on(
        self, log: PostgresStore
    ) -> None:
        """No record is missed or counted twice, and queries never see half-filled tables."""
        await write(log, 50)
        seen: list[int] = []
        steps: list[tuple[int, int]] = []
        slow = Totals()
        slow.pause_s = 0.01
        async with running(make(log, batch_records_max=9)):
            await until(log.pool, 100)

            async def watch() -> None:
                while True:
                    seen.append(sum((await totals(log.pool)).values()))
                    await asyncio.sleep(0.001)

            watcher = asyncio.create_task(watch())
            writing = asyncio.create_task(write(log, 100, pause_s=0.001))
            for generation in (2, 3, 4):
                now = await make(log, slow).rebuild(progress=lambda p, e: steps.append((p, e)))
                assert (now.generation, now.version) == (generation, 1)
            await writing
            await until(log.pool, 300)
            watcher.cancel()
        assert await totals(log.pool) == await expected(log)
        assert seen == sorted(seen), "queries saw the totals go back"
        assert all(position <= end for position, end in steps)

    async def test_the_live_projection_waits_for_the_switch(self, log: PostgresStore) -> None:
        """While the rest is applied nobody else moves the checkpoint, so nothing is in between."""
        await write(log, 5)
        current = make(log)
        await current.prepare()
        await current.step()
        waited: list[bool] = []
        steps: list[asyncio.Task[int]] = []

        class Late(Totals):
            """Meets the last records only in the switch, and lets others try to get ahead."""

            async def apply(self, connection: Any, told: Sequence[Entry], schema: str) -> None:
                await super().apply(connection, told, schema)
                await append(log, ("t-0", Added(n=1)))
                steps.append(asyncio.create_task(current.step()))
                await asyncio.sleep(0.1)
                waited.append(not steps[0].done())

        class Short(OwnLog):
            """Seems to end early at the first look."""

            looks = 0

            async def read(self, *, after_position: int, limit: int) -> Sequence[Entry]:
                self.looks += 1
                if self.looks == 1:
                    return []
                return await super().read(after_position=after_position, limit=limit)

        rebuilding = Projector(Late(), Short(log), log.pool)
        await rebuilding.rebuild(progress=no_progress)
        await asyncio.gather(*steps)
        await until_applied(current, log)
        assert waited == [True]
        assert await totals(log.pool) == await expected(log)

    async def test_what_is_known_in_memory_is_not_taken_for_the_end(
        self, log: PostgresStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of what others wrote behind it no more is left for the switch than one batch."""
        monkeypatch.setattr(under_test, "REBUILD_RECORDS_MAX", 5)
        monkeypatch.setattr(under_test, "SWITCH_ROUNDS_MAX", 1)
        await write(log, 2)
        others = PostgresStore(log.service, log.pool)
        await write(others, 20)
        current = make(others)
        await current.prepare()
        await until_applied(current, others)
        await make(log).rebuild(progress=no_progress)
        assert await totals(log.pool) == await expected(PostgresStore(log.service, log.pool))

    async def test_a_new_version_is_built_beside_the_old_one(self, log: PostgresStore) -> None:
        """A release with other tables builds them first; the old release lets go of them."""
        await write(log, 10)
        old = asyncio.create_task(make(log).run())
        await until(log.pool, 20)
        async with running(make(log, Totals(version=2)), make(log, Totals(version=2))):
            async with asyncio.timeout(SOON_S):
                await old  # a projector of an older version returns
            await write(log, 5)
            await until(log.pool, 30)
        assert await totals(log.pool) == {t: 10 * n for t, n in (await expected(log)).items()}

    async def test_older_code_never_writes_to_newer_tables(self, log: PostgresStore) -> None:
        """In the very transaction of its batch a projector looks whether it is still meant."""
        await write(log, 3)
        old = make(log)
        await old.prepare()
        await make(log, Totals(version=2)).rebuild(progress=no_progress)
        await write(log, 1)
        with pytest.raises(NotLive):
            await old.step()
        assert await reached(log.pool) == 6

    async def test_one_rebuild_at_a_time(self, log: PostgresStore) -> None:
        """Two would drop each other's tables."""
        await write(log, 3)
        slow = Totals()
        slow.pause_s = 0.3
        await make(log).prepare()
        first = asyncio.create_task(make(log, slow).rebuild(progress=no_progress))
        await asyncio.sleep(0.1)
        with pytest.raises(RebuildRuns):
            await make(log).rebuild(progress=no_progress)
        await make(log).prepare()  # does not wait for the rebuild
        assert (await first).generation == 2
        assert (await make(log).rebuild(progress=no_progress)).generation == 3

    @pytest.mark.parametrize("pause_s", [0.0, 0.0005, 0.05])
    async def test_a_rebuild_that_is_cancelled_again_and_again_leaves_nothing_behind(
        self, log: PostgresStore, ports_database: str, pause_s: float
    ) -> None:
        """Who got its connection next would not wait for the disk, or keep all others from building."""
        stands = asyncio.Event()

        class Standing(OwnLog):
            async def end(self) -> int:
                return 1_000_000

            async def read(self, *, after_position: int, limit: int) -> Sequence[Entry]:
                stands.set()
                await asyncio.Event().wait()
                return ()

        alone = await open_pool(ports_database, connections_max=1)
        try:
            projector = Projector(Totals(), Standing(log), alone)
            await projector.prepare()
            rebuilding = asyncio.create_task(projector.rebuild(progress=no_progress))
            await stands.wait()
            while not rebuilding.done():
                rebuilding.cancel()
                await asyncio.sleep(pause_s)
            with pytest.raises(asyncio.CancelledError):
                await rebuilding
            async with alone.acquire() as connection:
                assert await connection.fetchval("show enable_seqscan") == "on"
                held = await connection.fetchval(
                    "select count(*) from pg_locks where locktype = 'advisory' and database = "
                    "(select oid from pg_database where datname = current_database())"
                )
                assert held == 0
        finally:
            await alone.close()

    async def test_leftovers_are_removed_by_the_next_rebuild(self, log: PostgresStore) -> None:
        """A rebuild that died and tables that were replaced do not pile up."""
        await write(log, 3)
        projection = Totals()
        await make(log, projection).prepare()
        projection.fail_on = 1
        with pytest.raises(ValueError, match="cannot"):
            await make(log, projection).rebuild(progress=no_progress)
        projection.fail_on = None
        for _ in range(3):
            await make(log, projection).rebuild(progress=no_progress)
        async with log.pool.acquire() as connection:
            rows = await connection.fetch("select nspname from pg_namespace where nspname ~ '^p_'")
        assert sorted(row[0] for row in rows) == ["p_totals_g3", "p_totals_g4"]
        assert await totals(log.pool) == await expected(log)

    async def test_a_rebuild_may_overtake_a_projector_that_stands(self, log: PostgresStore) -> None:
        """The checkpoint follows the tables that are live, also forward."""
        await write(log, 3)
        standing = make(log)
        await standing.prepare()
        await make(log).rebuild(progress=no_progress)
        assert await reached(log.pool) == 6
        await write(log, 1)
        while await reached(log.pool) < 8:
            await standing.step()
        assert await totals(log.pool) == await expected(log)

    def test_a_name_must_fit_into_a_schema_name(self) -> None:
        """What becomes part of a statement is checked first."""
        projection = Totals()
        projection.name = 'x"; drop'
        with pytest.raises(ValueError, match="schema name"):
            Projector(projection, OwnLog(MemoryStore("c", SystemClock())), None)  # type: ignore[arg-type]

    async def test_a_query_without_a_projection_is_told_so(self, pool: Pool) -> None:
        """Rather an error than an empty answer."""
        async with pool.acquire() as connection:
            with pytest.raises(UnknownProjection):
                await live(connection, "totals")


class SubscriptionSuite:
    """Effects outside the database: at least once, in order, resumed after a crash."""

    async def test_every_record_is_handled_in_order(self, store: Store) -> None:
        """From the beginning, and then as records come."""
        handled: list[int] = []
        done = asyncio.Event()

        async def handle(records: Sequence[Entry]) -> None:
            handled.extend(record.position for record in records)
            if len(handled) == 14:
                done.set()

        await write(store, 5)
        subscription = Subscription(
            "s", OwnLog(store), store, handle, batch_records_max=3, poll_s=1000.0
        )
        running = asyncio.create_task(subscription.run())
        await write(store, 2, pause_s=POLL_S)
        async with asyncio.timeout(SOON_S):
            await done.wait()
        await until_checkpoint(store, 14)
        running.cancel()
        assert handled == list(range(1, 15))

    async def test_what_comes_in_short_order_is_handled_together(self, store: Store) -> None:
        """Whoever appends is not followed step by step, but soon."""
        handled: list[list[int]] = []

        async def handle(records: Sequence[Entry]) -> None:
            handled.append([record.position for record in records])

        subscription = Subscription("s", OwnLog(store), store, handle, batch_records_max=100)
        running = asyncio.create_task(subscription.run())
        await asyncio.sleep(POLL_S)
        await write(store, 6, pause_s=0.001)
        await until_checkpoint(store, 12)
        running.cancel()
        assert len(handled) <= 3, "six times something was appended"

    async def test_a_failed_call_is_made_again(self, store: Store) -> None:
        """The checkpoint moves after the call: what was not acknowledged is handled again."""
        handled: list[int] = []
        failures = 2

        async def handle(records: Sequence[Entry]) -> None:
            nonlocal failures
            handled.append(records[-1].position)
            if records[-1].position == 4 and failures:
                failures -= 1
                raise ConnectionError

        await write(store, 3)
        subscription = Subscription(
            "s", OwnLog(store), store, handle, batch_records_max=2, poll_s=POLL_S
        )
        running = asyncio.create_task(subscription.run())
        await until_checkpoint(store, 6)
        running.cancel()
        assert handled == [2, 4, 4, 4, 6]

    async def test_two_who_do_the_same_notice(self, store: Store) -> None:
        """A checkpoint that somebody else moved is not moved again in the belief of being alone."""

        async def handle(records: Sequence[Entry]) -> None:
            name = "subscription:s"
            await store.advance_checkpoint(name, expected=0, position=records[-1].position)

        await write(store, 1)
        subscription = Subscription("s", OwnLog(store), store, handle, batch_records_max=9)
        with pytest.raises(Moved):
            await subscription.step()


class TestSubscriptionInMemory(SubscriptionSuite):
    @pytest.fixture
    def store(self, memory_store: MemoryStore) -> Store:
        return memory_store


@pytest.mark.integration
class TestSubscriptionOnPostgres(SubscriptionSuite):
    @pytest.fixture
    def store(self, postgres_store: PostgresStore) -> Store:
        return postgres_store
