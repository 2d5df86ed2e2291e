"""Readers of a log that keep a checkpoint: tables for queries, and effects outside the database.

A *projection* is a set of tables in a schema of its own, filled from a log. The batch and the
checkpoint are one transaction, so every record counts once, whoever else runs the same projection.
A *rebuild* fills a new schema beside the one in use, from the first record and with the code of
today, and then changes one pointer; queries never see a half-filled table, and the live projection
goes on until the switch.

A *subscription* does something that no transaction here can undo, such as a call to another
system. Its checkpoint moves after the call, so the call is made at least once.

Both are woken when something was appended in this process, and look by themselves now and then: a
wake-up is only a hint.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, Final, Generic, NoReturn, Protocol, TypeVar

from msgspec import Struct

from services.chassis.decider import Entry
from services.chassis.postgres import Pool, advance_checkpoint, given_back, transaction
from services.chassis.statements import FILL, FILLED
from services.chassis.store import Advance, Store
from services.contracts.core import NotYet

BATCH_RECORDS_MAX: Final = 1_000
"""Records that a projection applies in one transaction."""

REBUILD_RECORDS_MAX: Final = 500
"""Records that a rebuild applies at once; the last of them hold up the live one. Of larger batches
the memory alone costs more than the round trips that they save: it is none that is at hand."""

POLL_S: Final = 0.5
"""How long a reader waits for a wake-up before it looks by itself."""

GATHER_S: Final = 0.05
"""Pause between a wake-up and the look. What is appended in short order is read at once, and the
messages that others wait for leave before tables that are only asked."""

FAILURE_PAUSE_S: Final = 0.2
FAILURE_PAUSE_S_MAX: Final = 10.0
"""Pause after a failure, doubled by every further one."""

READ_WAIT_S: Final = 2.0
"""How long a query waits for a position that its caller knows of."""

READ_PAUSE_S: Final = 0.02
"""Between two looks."""

STALE_PAUSE_S: Final = 1.0
"""How long an instance waits while another one rebuilds."""

SWITCH_ROUNDS_MAX: Final = 1_000
"""Batches applied while the checkpoint is locked. It is one or two; more is a mistake."""

NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
"""Names of projections become parts of schema names, where 63 bytes are all there is."""

_log = logging.getLogger(__name__)


class Positioned(Protocol):
    """Something with a place in an ordered log."""

    @property
    def position(self) -> int: ...


T = TypeVar("T", bound=Positioned)
T_co = TypeVar("T_co", bound=Positioned, covariant=True)
T_contra = TypeVar("T_contra", bound=Positioned, contravariant=True)


class Source(Protocol[T_co]):
    """An ordered log of which nothing is missed: positions rise in the order of the commits."""

    @property
    def changed(self) -> asyncio.Event:
        """Set when there may be something new; cleared by its one reader before it reads."""
        ...

    async def read(self, *, after_position: int, limit: int) -> Sequence[T_co]: ...

    async def end(self) -> int:
        """The position of the last record."""
        ...


class OwnLog:
    """The log of the own service as a source, for one reader."""

    def __init__(self, store: Store) -> None:
        self.changed = store.appended.listen()
        self._store = store

    async def read(self, *, after_position: int, limit: int) -> Sequence[Entry]:
        return await self._store.read_entries(after_position=after_position, limit=limit)

    async def end(self) -> int:
        return await self._store.head_position()


class Projection(Protocol[T_contra]):
    """Tables of a query, and how records fill them."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int:
        """Raised with every change of the tables or of what they mean: they are then rebuilt."""
        ...

    async def create(self, connection: Any, schema: str) -> None:
        """Create the tables in an empty schema."""
        ...

    def told(self, records: Sequence[T_contra]) -> Any:
        """What records tell this projection: the part of its work that takes no database.

        A rebuild does it while the database is at work on the records before.
        """
        ...

    async def apply(self, connection: Any, told: Any, schema: str) -> None:
        """Put what records told into the tables, in the open transaction."""
        ...

    async def publish(self, connection: Any, schema: str) -> None:
        """Point views and rights at this schema, in the transaction that makes it the live one."""
        ...


class Live(Struct, frozen=True, kw_only=True):
    """What queries of a projection read."""

    version: int
    generation: int
    schema: str
    position: int
    """Everything up to here is in the tables."""


class UnknownProjection(Exception):
    """No instance has prepared this projection yet."""


class NotLive(Exception):
    """The tables in use are of another version: this code must not write to them."""

    def __init__(self, name: str, *, version: int, live_version: int) -> None:
        super().__init__(f"{name}: version {live_version} is in use, this code is {version}")
        self.live_version = live_version


class RebuildRuns(Exception):
    """Another instance rebuilds the projection at the moment."""


async def live(connection: Any, name: str) -> Live:
    """Where to read a projection, and what it reflects. For queries: once per transaction."""
    row = await connection.fetchrow(
        "select version, generation, schema_name, coalesce(position, 0) from projections "
        "left join checkpoints on checkpoints.name = $2 where projections.name = $1",
        name,
        checkpoint_name(name),
    )
    if row is None:
        raise UnknownProjection(name)
    return Live(version=row[0], generation=row[1], schema=row[2], position=row[3])


async def reached(pool: Pool, name: str, position: int) -> None:
    """Wait until queries of a projection reflect a position of the log.

    Raises `NotYet` where that takes longer than a caller should wait.
    """
    try:
        async with asyncio.timeout(READ_WAIT_S):
            while True:
                async with pool.acquire() as connection:
                    if (await live(connection, name)).position >= position:
                        return
                await asyncio.sleep(READ_PAUSE_S)
    except TimeoutError:
        raise NotYet(f"queries have not reached position {position} yet") from None


def checkpoint_name(name: str) -> str:
    """The name of a projection's checkpoint."""
    return f"projection:{name}"


class Projector(Generic[T]):
    """Keeps one projection up to date, and rebuilds it."""

    def __init__(
        self,
        projection: Projection[T],
        source: Source[T],
        pool: Pool,
        *,
        batch_records_max: int = BATCH_RECORDS_MAX,
        poll_s: float = POLL_S,
    ) -> None:
        if NAME.fullmatch(projection.name) is None:
            raise ValueError(f"{projection.name!r} cannot be part of a schema name")
        self._projection = projection
        self._source = source
        self._pool = pool
        self._batch_records_max = batch_records_max
        self._poll_s = poll_s
        self._checkpoint = checkpoint_name(projection.name)
        self._position: int | None = None
        self._prepare_key = zlib.crc32(f"sabot prepare {projection.name}".encode())
        self._rebuild_key = zlib.crc32(f"sabot rebuild {projection.name}".encode())

    @property
    def position(self) -> int:
        """What this instance knows to be in the tables; others may have applied more."""
        return self._position or 0

    async def prepare(self) -> Live:
        """Create the first generation where there is none."""
        name, version = self._projection.name, self._projection.version
        async with self._pool.acquire() as connection, transaction(connection):
            await connection.execute("select pg_advisory_xact_lock($1)", self._prepare_key)
            if not await connection.fetchval("select true from projections where name = $1", name):
                schema = self._schema(1)
                await self._create(connection, schema)
                await connection.execute(
                    "insert into projections (name, version, generation, schema_name) "
                    "values ($1, $2, 1, $3)",
                    name,
                    version,
                    schema,
                )
                await self._projection.publish(connection, schema)
            return await live(connection, name)

    async def run(self) -> None:
        """Follow the source for ever. Rebuilds first where the tables are of an older version.

        Returns only where they are of a newer one: a later release has taken over.
        """
        await self.prepare()
        while True:
            try:
                await _follow(
                    self._projection.name,
                    self.step,
                    self._source,
                    poll_s=self._poll_s,
                    batch_records_max=self._batch_records_max,
                )
            except NotLive as error:
                if error.live_version > self._projection.version:
                    _log.warning("%s; leaving it to the later release", error)
                    return
                await self._catch_up_version()

    async def _catch_up_version(self) -> None:
        try:
            await self.rebuild(progress=_ignore_progress)
        except RebuildRuns:
            await asyncio.sleep(STALE_PAUSE_S)

    async def step(self) -> int:
        """Apply the next batch, and return how many records it had; 0 also if somebody else did.

        Raises `NotLive` where the tables are not of this version.
        """
        if self._position is None:
            async with self._pool.acquire() as connection:
                self._position = (await live(connection, self._projection.name)).position
        records = await self._source.read(
            after_position=self._position, limit=self._batch_records_max
        )
        if not records:
            await self._check_version()
            return 0
        last = records[-1].position
        async with self._pool.acquire() as connection, transaction(connection):
            # The checkpoint comes first: its row lock is what a switch waits for, and what makes
            # the pointer that is read after it the one that still holds at the commit.
            answer = await advance_checkpoint(
                connection, self._checkpoint, expected=self._position, position=last
            )
            now = await live(connection, self._projection.name)
            self._assert_version(now)
            if answer is not Advance.UPDATED:
                self._position = now.position
                return 0
            await self._projection.apply(connection, self._projection.told(records), now.schema)
        self._position = last
        return len(records)

    async def _check_version(self) -> None:
        async with self._pool.acquire() as connection:
            now = await live(connection, self._projection.name)
        self._assert_version(now)
        self._position = now.position

    def _assert_version(self, now: Live) -> None:
        version = self._projection.version
        if now.version != version:
            raise NotLive(self._projection.name, version=version, live_version=now.version)

    # --- rebuilding --------------------------------------------------------------------------

    async def rebuild(self, *, progress: Callable[[int, int], None]) -> Live:
        """Fill new tables from the first record, then make them the live ones.

        `progress` is called after every batch with the position reached and the end of the source.
        A rebuild that dies leaves a schema that nobody reads; the next one removes it. The tables
        that were live before are kept until then, for queries that have just begun.
        """
        async with self._only_builder() as connection:
            before = await live(connection, self._projection.name)
            generation = before.generation + 1
            schema = self._schema(generation)
            async with transaction(connection):
                await self._drop_all_but(connection, before.schema)
                await self._create(connection, schema)
            position = await self._fill(connection, schema, progress)
            async with transaction(connection):
                await self._switch(connection, schema, generation, position)
                return await live(connection, self._projection.name)

    @contextlib.asynccontextmanager
    async def _only_builder(self) -> AsyncIterator[Any]:
        async with (
            self._pool.acquire() as connection,
            given_back(connection, by="select pg_advisory_unlock_all()"),
        ):
            if not await connection.fetchval("select pg_try_advisory_lock($1)", self._rebuild_key):
                raise RebuildRuns(self._projection.name)
            yield connection

    async def _fill(
        self, connection: Any, schema: str, progress: Callable[[int, int], None]
    ) -> int:
        """Apply the source until its end is near, without holding anybody up.

        Without transactions, and without waiting for the disk: nobody reads these tables before the
        switch, whose commit waits for everything before it, and what is half filled is thrown away.
        """
        async with given_back(connection, by=FILLED):
            await connection.execute(FILL)
            return await self._filled(connection, schema, progress)

    async def _filled(
        self, connection: Any, schema: str, progress: Callable[[int, int], None]
    ) -> int:
        position, end = 0, await self._source.end()
        ahead = asyncio.ensure_future(self._after(position))
        try:
            while True:
                told, count, last = await ahead
                if count == REBUILD_RECORDS_MAX:
                    # The next records are looked for and decoded while these are stored.
                    ahead = asyncio.ensure_future(self._after(last))
                if count:
                    await self._projection.apply(connection, told, schema)
                    position = last
                if position > end or count < REBUILD_RECORDS_MAX:
                    end = await self._source.end()
                progress(position, end)
                if count < REBUILD_RECORDS_MAX:
                    # Fewer may be all that is known in memory, with many behind it.
                    if not count or end - position < REBUILD_RECORDS_MAX:
                        return position
                    ahead = asyncio.ensure_future(self._after(position))
        finally:
            ahead.cancel()
            await asyncio.wait([ahead])

    async def _after(self, position: int) -> tuple[Any, int, int]:
        """What the next records tell, how many they are, and the position of the last."""
        records = await self._source.read(after_position=position, limit=REBUILD_RECORDS_MAX)
        last = records[-1].position if records else position
        return self._projection.told(records), len(records), last

    async def _switch(self, connection: Any, schema: str, generation: int, position: int) -> None:
        """Stop the live projection, apply what it has and we have not, and take its place."""
        await connection.execute(
            "insert into checkpoints (name, position, note) values ($1, 0, '') "
            "on conflict (name) do nothing",
            self._checkpoint,
        )
        reached = await connection.fetchval(
            "select position from checkpoints where name = $1 for update", self._checkpoint
        )
        for _ in range(SWITCH_ROUNDS_MAX):
            if position >= reached:
                break
            records = await self._source.read(after_position=position, limit=REBUILD_RECORDS_MAX)
            assert records, "the source ends before the checkpoint of its reader"
            await self._projection.apply(connection, self._projection.told(records), schema)
            position = records[-1].position
        assert position >= reached, "the live projection ran away"
        await connection.execute(
            "update checkpoints set position = $2, moved_at = clock_timestamp() where name = $1",
            self._checkpoint,
            position,
        )
        await connection.execute(
            "update projections set version = $2, generation = $3, schema_name = $4, "
            "switched_at = clock_timestamp() where name = $1",
            self._projection.name,
            self._projection.version,
            generation,
            schema,
        )
        await self._projection.publish(connection, schema)

    def _schema(self, generation: int) -> str:
        return f"p_{self._projection.name}_g{generation}"

    async def _create(self, connection: Any, schema: str) -> None:
        await connection.execute(f'create schema "{schema}"')
        await self._projection.create(connection, schema)

    async def _drop_all_but(self, connection: Any, schema: str) -> None:
        rows = await connection.fetch(
            "select nspname from pg_namespace where nspname ~ $1 and nspname <> $2",
            f"^p_{self._projection.name}_g[0-9]+$",
            schema,
        )
        for row in rows:
            await connection.execute(f'drop schema "{row[0]}" cascade')


class Moved(Exception):
    """The checkpoint of a subscription is not where it left it: somebody else runs it too."""


class Subscription(Generic[T]):
    """Calls `handle` with every record of a source, in order and at least once."""

    def __init__(
        self,
        name: str,
        source: Source[T],
        store: Store,
        handle: Callable[[Sequence[T]], Awaitable[None]],
        *,
        batch_records_max: int,
        poll_s: float = POLL_S,
    ) -> None:
        self.name = name
        self._source = source
        self._store = store
        self._handle = handle
        self._batch_records_max = batch_records_max
        self._poll_s = poll_s
        self._checkpoint = f"subscription:{name}"

    async def run(self) -> NoReturn:
        """Follow the source for ever."""
        await _follow(
            self.name,
            self.step,
            self._source,
            poll_s=self._poll_s,
            batch_records_max=self._batch_records_max,
        )

    async def step(self) -> int:
        """Handle the next batch, then move the checkpoint; returns how many records it had."""
        checkpoint = await self._store.checkpoint(self._checkpoint)
        records = await self._source.read(
            after_position=checkpoint.position, limit=self._batch_records_max
        )
        if not records:
            return 0
        await self._handle(records)
        answer = await self._store.advance_checkpoint(
            self._checkpoint, expected=checkpoint.position, position=records[-1].position
        )
        if answer is not Advance.UPDATED:
            raise Moved(f"{self.name}: {answer.value} at {records[-1].position}")
        return len(records)


async def _follow(
    name: str,
    step: Callable[[], Awaitable[int]],
    source: Source[Any],
    *,
    poll_s: float,
    batch_records_max: int,
) -> NoReturn:
    """Take steps, sleep when there is nothing to do, and longer and longer after failures."""
    failures = 0
    while True:
        # Before reading: what is appended while we read wakes us up at once.
        source.changed.clear()
        try:
            handled = await step()
        except NotLive:
            raise
        except Exception:  # noqa: BLE001 - whatever it is, it is logged and tried again
            pause_s = min(FAILURE_PAUSE_S * 2.0**failures, FAILURE_PAUSE_S_MAX)
            failures += 1
            _log.exception("%s failed %d times in a row; next in %.1f s", name, failures, pause_s)
            await asyncio.sleep(pause_s)
            continue
        failures = 0
        if handled < batch_records_max:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(poll_s):
                    await source.changed.wait()
                    await asyncio.sleep(GATHER_S)


def _ignore_progress(_position: int, _end: int) -> None:
    """Nobody watches a rebuild that a release begins by itself."""
