"""The event store on PostgreSQL.

The order of the log rests on one rule: `PostgresTx.append` is the only statement that writes
events. It takes the row lock of `log_head`, which is held until the commit, so positions have no
holes, roll back with their transaction, and become visible in their own order. A second path to
the table would break every reader without any of them noticing.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias

import asyncpg
import msgspec

from services.chassis.arrays import spare_the_elements
from services.chassis.decider import Body, Entry, Record
from services.chassis.digest import DIGEST_BYTES
from services.chassis.snapshots import Snapshot
from services.chassis.statements import (
    ADVANCE,
    APPEND,
    BEGIN,
    BEGIN_CHECKPOINT,
    BODY,
    ENTRY,
    HEADS,
    INBOX,
    KEEP_PARKED,
    PARK,
    PUT_INBOX,
    RECORD,
    REWIND,
    SAVE_SNAPSHOT,
    STANDING,
)
from services.chassis.store import (
    COMMAND_RECORDS_MAX,
    COUP_RECORDS_MAX,
    EMPTY_HEAD,
    NOTHING_HANDLED,
    TAIL_RECORDS_MAX,
    UNREAD,
    Advance,
    Batch,
    Checkpoint,
    ConcurrencyConflict,
    DeadLetter,
    Head,
    Hooks,
    InboxMark,
    Pair,
    Parked,
    Progress,
    Signal,
    Standing,
    StoredAnswer,
    StoreUnavailable,
    Tail,
    TooManyRecords,
    assert_contiguous,
    judge_advance,
)

# In quotes: the driver's classes take parameters in its stubs only.
Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"

ACQUIRE_TIMEOUT_S: Final = 10.0
"""How long a unit of work waits for a free connection of the pool."""

COMMAND_TIMEOUT_S: Final = 30.0
"""How long one statement may take, lock waits included."""

HANDLED_ELSEWHERE: Final = "records were handled by somebody else"
CONFLICTS: Final = frozenset({"events_stream_version_key", "commands_key"})
"""Constraints whose violation means that somebody else wrote first."""

TRANSIENT: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the driver met its server's last words while nobody asked
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.LockNotAvailableError,
    asyncpg.InsufficientResourcesError,
    asyncpg.OperatorInterventionError,  # the server shuts down, starts, or was told to end us
    asyncpg.InvalidCachedStatementError,  # a migration came between; the second try prepares anew
    ConnectionError,
    TimeoutError,
)
"""Errors after which the same transaction may succeed."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_YEAR_2000_US: Final = (datetime(2000, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND

_since_2000 = struct.Struct(">q").unpack

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(Record).decode


async def _keep_session(_connection: object) -> None:
    """In place of the driver's reset, which costs a round trip for every unit of work.

    Nothing here changes the session: locks belong to transactions, and there are no settings.
    """


async def open_pool(
    dsn: str, *, connections_max: int, command_timeout_s: float = COMMAND_TIMEOUT_S
) -> Pool:
    """A pool for one process of a service. Close it with `await pool.close()`."""
    spare_the_elements()
    pool: Pool = await asyncpg.create_pool(
        dsn,
        min_size=1,
        max_size=connections_max,
        command_timeout=command_timeout_s,
        reset=_keep_session,
    )
    return pool


def is_transient(error: BaseException) -> bool:
    """Whether the same transaction may succeed later.

    The driver's complaint about an argument is an interface error as well, but it is our mistake
    and a `ValueError`.
    """
    return isinstance(error, TRANSIENT) and not isinstance(error, ValueError)


def to_us(at: datetime) -> int:
    """Microseconds since 1970, without a float on the way."""
    return (at - _EPOCH) // _MICROSECOND


def _lock_key(text: str) -> int:
    """A signed 32-bit key for an advisory lock. Two texts with one key only wait for each other."""
    return zlib.crc32(text.encode()) - 2**31


def _locking(service: str, streams: Iterable[str]) -> str:
    """A statement that locks streams.

    Sorted by what is locked, not by name: with names, two streams that share a key could make two
    transactions take the same locks in opposite order.
    """
    namespace = _lock_key(f"sabot stream {service}")
    keys = sorted({_lock_key(stream) for stream in streams})
    array = f"'{{{','.join(map(str, keys))}}}'::integer[]"
    return f"select pg_advisory_xact_lock({namespace}, key) from unnest({array}) as key"  # noqa: S608


@asynccontextmanager
async def transaction(connection: Any, *, and_then: str = "") -> AsyncIterator[None]:
    """A transaction that writes, and begins with a statement.

    After the driver's own way to begin, that would take a round trip more.
    """
    try:
        await connection.execute(f"{BEGIN}; {and_then}")
        yield
    except BaseException:
        # Where this fails the connection is broken, and the pool throws it away.
        with suppress(*TRANSIENT):
            await connection.execute("rollback")
        raise
    await connection.execute("commit")


@asynccontextmanager
async def given_back(connection: Any, *, by: str) -> AsyncIterator[None]:
    """Leave a connection of a pool as it was, by a statement, or close it.

    Who gets it next would work under what was set here; nothing else resets it.
    """
    try:
        yield
    finally:
        try:
            await connection.execute(by)
        except BaseException as error:
            with suppress(asyncpg.InterfaceError):  # it is closed, and the pool's no more
                connection.terminate()
            if not isinstance(error, TRANSIENT):
                raise


def _columns(marks: Mapping[Pair, InboxMark]) -> tuple[list[Any], ...]:
    """Marks as the columns of the inbox, in an order in which nobody waits for each other."""
    pairs = sorted(marks)
    return (
        [upstream for upstream, _ in pairs],
        [table for _, table in pairs],
        [marks[pair].position for pair in pairs],
        [marks[pair].event_id for pair in pairs],
    )


def _rows_changed(status: str) -> int:
    """The number at the end of a command tag such as `UPDATE 1`."""
    return int(status.rpartition(" ")[2])


def _records(service: str, rows: Sequence[asyncpg.Record]) -> list[Record]:
    return [
        Record(
            version, kind, schema_version, body, service, stream, position, meta,
            _since_2000(recorded_at)[0] + _YEAR_2000_US,
            previous, previous_digest, digest, published,
        )
        for (
            version, kind, schema_version, body, stream, position, meta, recorded_at,
            previous, previous_digest, digest, published,
        ) in rows
    ]  # fmt: skip


def _entries(service: str, rows: Sequence[asyncpg.Record]) -> list[Entry]:
    return [
        Entry(
            version, kind, schema_version, body, service, stream, position, meta,
            _since_2000(recorded_at)[0] + _YEAR_2000_US,
        )
        for version, kind, schema_version, body, stream, position, meta, recorded_at in rows
    ]  # fmt: skip


async def _read_stream(
    connection: Any, service: str, stream: str, after_version: int, limit: int
) -> list[Record]:
    rows = await connection.fetch(_of_stream(RECORD), stream, after_version, limit)
    records = _records(service, rows)
    _assert_whole(stream, records, after_version)
    return records


def _of_stream(columns: str) -> str:
    return (
        f"select {columns} from events where stream_id = $1 and version > $2 "  # noqa: S608
        "order by version limit $3"
    )


def _assert_whole(stream: str, bodies: Sequence[Body], after_version: int) -> None:
    for version, body in enumerate(bodies, start=after_version + 1):
        assert body.version == version, f"a hole in {stream} before version {body.version}"


class PostgresTx:
    """One transaction of a `PostgresStore`, on one connection."""

    def __init__(self, service: str, connection: Connection) -> None:
        self.connection = connection
        self.hooks = Hooks()
        self.appended: Sequence[Record] = ()
        self._service = service

    async def lock(self, streams: Iterable[str]) -> None:
        await self.connection.execute(_locking(self._service, streams))

    async def heads(self, streams: Iterable[str]) -> dict[str, Head]:
        heads = dict.fromkeys(streams, EMPTY_HEAD)
        for row in await self.connection.fetch(HEADS, list(heads)):
            stream, version, position, digest, last_published = row
            heads[stream] = Head(version, position, last_published, digest)
        return heads

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]:
        return await _read_stream(self.connection, self._service, stream, after_version, limit)

    async def read_bodies(self, stream: str, *, after_version: int, limit: int) -> Sequence[Body]:
        rows = await self.connection.fetch(_of_stream(BODY), stream, after_version, limit)
        bodies = [Body(*row) for row in rows]
        _assert_whole(stream, bodies, after_version)
        return bodies

    async def append(
        self, batch: Batch, *, handled: Mapping[Pair, InboxMark] = NOTHING_HANDLED
    ) -> list[Record]:
        new = batch.events
        assert new, "an empty batch needs no append"
        row = await self.connection.fetchrow(
            APPEND,
            [event.stream for event in new],
            [event.version for event in new],
            [event.type for event in new],
            [event.schema_version for event in new],
            [event.published for event in new],
            [event.previous for event in new],
            [event.coup_id for event in new],
            [event.command_id for event in new],
            [event.meta for event in new],
            [event.body for event in new],
            [event.previous_digest for event in new],
            [event.digest for event in new],
            list(batch.expected),
            list(batch.expected.values()),
            *_columns(handled),
        )
        assert row is not None, "the log has a head"
        start, recorded_at, missing, moved = row
        if moved != len(handled):
            raise ConcurrencyConflict(HANDLED_ELSEWHERE)
        if missing:
            raise ConcurrencyConflict(f"no such version yet: {', '.join(missing)}")
        records = self.appended = batch.records(start=start, recorded_at_us=to_us(recorded_at))
        assert len(records[0].digest) == DIGEST_BYTES, "SHA-256"
        return records

    async def answers(self, keys: Iterable[str]) -> dict[str, StoredAnswer]:
        rows = await self.connection.fetch(
            "select command_key, input_hash, answer from commands where command_key = any($1)",
            list(keys),
        )
        return {key: StoredAnswer(input_hash, answer) for key, input_hash, answer in rows}

    async def put_answers(self, answers: Mapping[str, StoredAnswer]) -> None:
        # Sorted, so that two transactions with the same keys wait for each other in one direction.
        keys = sorted(answers)
        await self.connection.execute(
            "insert into commands (command_key, input_hash, answer) "
            "select * from unnest($1::text[], $2::bytea[], $3::bytea[])",
            keys,
            [answers[key].input_hash for key in keys],
            [answers[key].answer for key in keys],
        )

    async def standing(self, consumer: str, pairs: Iterable[Pair]) -> Standing:
        wanted = list(pairs)
        rows = await self.connection.fetch(
            STANDING,
            [upstream for upstream, _ in wanted],
            [table for _, table in wanted],
            consumer,
        )
        heads: dict[str, Head] = {}
        marks: dict[Pair, int] = {}
        parked: set[str] = set()
        for upstream, table, mark, version, position, last_published, digest, is_parked in rows:
            marks[upstream, table] = mark
            known = version is not None
            heads[table] = Head(version, position, last_published, digest) if known else EMPTY_HEAD
            if is_parked:
                parked.add(table)
        return Standing(heads, marks, frozenset(parked))

    async def inbox(self, pairs: Iterable[Pair]) -> dict[Pair, int]:
        marks = dict.fromkeys(pairs, 0)
        rows = await self.connection.fetch(
            INBOX,
            [upstream for upstream, _ in marks],
            [table for _, table in marks],
        )
        marks.update({(upstream, table): position for upstream, table, position in rows})
        return marks

    async def put_inbox(self, marks: Mapping[Pair, InboxMark]) -> None:
        status = await self.connection.execute(PUT_INBOX, *_columns(marks))
        if _rows_changed(status) != len(marks):
            raise ConcurrencyConflict(HANDLED_ELSEWHERE)

    async def load_snapshot(self, stream: str, *, state_schema: int) -> Snapshot | None:
        row = await self.connection.fetchrow(
            "select version, state from snapshots where stream_id = $1 and state_schema = $2",
            stream,
            state_schema,
        )
        if row is None:
            return None
        return Snapshot(stream=stream, version=row[0], state_schema=state_schema, state=row[1])

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        await self.connection.execute(
            SAVE_SNAPSHOT,
            snapshot.stream,
            snapshot.version,
            snapshot.state_schema,
            snapshot.state,
        )

    async def parked(self, consumer: str, tables: Iterable[str]) -> dict[str, Parked]:
        rows = await self.connection.fetch(
            "select table_id, reason, event_id, since from parked "
            "where consumer = $1 and table_id = any($2)",
            consumer,
            list(tables),
        )
        return {table: Parked(reason, event, to_us(since)) for table, reason, event, since in rows}

    async def park(self, consumer: str, table_id: str, *, reason: str, event_id: str) -> None:
        await self.connection.execute(PARK, consumer, table_id, reason, event_id)

    async def unpark(self, consumer: str, table_id: str) -> None:
        await self.connection.execute(
            "delete from parked where consumer = $1 and table_id = $2", consumer, table_id
        )

    async def keep_parked(self, consumer: str, records: Sequence[Record]) -> None:
        await self.connection.execute(
            KEEP_PARKED,
            consumer,
            [record.stream for record in records],
            [record.service for record in records],
            [record.position for record in records],
            [_pack(record) for record in records],
        )

    async def parked_records(self, consumer: str, table_id: str, *, limit: int) -> list[Record]:
        rows = await self.connection.fetch(
            "select record from parked_records where consumer = $1 and table_id = $2 "
            "order by arrival limit $3",
            consumer,
            table_id,
            limit,
        )
        return [_unpack(row[0]) for row in rows]

    async def drop_parked(self, consumer: str, records: Sequence[Record]) -> None:
        await self.connection.execute(
            "delete from parked_records where consumer = $1 and (table_id, upstream, position) in "
            "(select * from unnest($2::text[], $3::text[], $4::bigint[]))",
            consumer,
            [record.stream for record in records],
            [record.service for record in records],
            [record.position for record in records],
        )

    async def bury(self, consumer: str, letter: DeadLetter) -> None:
        record = letter.record
        await self.connection.execute(
            "insert into dead_letters (consumer, table_id, event_id, record, reason, skipped_by) "
            "values ($1, $2, $3, $4, $5, $6)",
            consumer,
            record.stream,
            record.event_id,
            _pack(record),
            letter.reason,
            letter.by,
        )

    async def advance_checkpoint(
        self, name: str, *, expected: int, position: int, note: bytes | None = None
    ) -> Advance:
        return await advance_checkpoint(
            self.connection, name, expected=expected, position=position, note=note
        )


async def advance_checkpoint(
    connection: Any, name: str, *, expected: int, position: int, note: bytes | None = None
) -> Advance:
    """Move a checkpoint by compare-and-set; what `Tx.advance_checkpoint` does on a connection."""
    status = await connection.execute(ADVANCE, name, expected, position, note)
    if _rows_changed(status) == 1:
        return Advance.UPDATED
    if expected == 0 and position > 0:
        status = await connection.execute(BEGIN_CHECKPOINT, name, position, note)
        if _rows_changed(status) == 1:
            return Advance.UPDATED
    current = await connection.fetchval("select position from checkpoints where name = $1", name)
    answer = judge_advance(current or 0, expected=expected, position=position)
    # Between our two statements somebody set it to what we expected: it was not that when we tried.
    return Advance.MISMATCH if answer is Advance.UPDATED else answer


class PostgresStore:
    """The log of one service and what is kept beside it, in one database."""

    def __init__(self, service: str, pool: Pool) -> None:
        self.service = service
        self.appended = Signal()
        self.pool = pool
        self._tail = Tail()
        self._at_the_end = asyncio.Lock()
        """Held by the one reader that asks for the end of the log; the others find it in the tail."""

    @asynccontextmanager
    async def transaction(self, *, lock: Collection[str] = ()) -> AsyncIterator[PostgresTx]:
        tx: PostgresTx | None = None
        committed = False
        locking = _locking(self.service, lock) if lock else ""
        try:
            async with self.pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection:
                async with transaction(connection, and_then=locking):
                    # The pool hands out a proxy with the connection's own methods.
                    tx = PostgresTx(self.service, connection)  # type: ignore[arg-type]
                    yield tx
                # Giving the connection back takes turns of the loop: the relay has them now.
                committed = True
                self._committed(tx)
        except BaseException as error:
            if tx is not None and not committed:
                tx.hooks.rolled_back()
            if isinstance(error, asyncpg.UniqueViolationError):
                if error.constraint_name in CONFLICTS:
                    raise ConcurrencyConflict(f"taken: {error.constraint_name}") from error
            elif is_transient(error):
                self._tail.clear()
                raise StoreUnavailable(f"{type(error).__name__}: {error}") from error
            raise

    def _committed(self, tx: PostgresTx) -> None:
        tx.hooks.committed()
        if tx.appended:
            self._tail.add(tx.appended)
            self.appended.notify()

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[Any]:
        try:
            async with self.pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection:
                yield connection
        except TRANSIENT as error:
            if not is_transient(error):
                raise
            self._tail.clear()
            raise StoreUnavailable(f"{type(error).__name__}: {error}") from error

    async def read_log(self, *, after_position: int, limit: int) -> list[Record]:
        if known := self._tail.after(after_position, limit=limit):
            return known
        if self._tail.lacks(after_position) <= TAIL_RECORDS_MAX:
            shared = await self._shared_look(after_position, limit)
            if shared is not None:
                return shared
        return await self._fetch_log(after_position, limit)

    async def _shared_look(self, after_position: int, limit: int) -> list[Record] | None:
        """What follows a position near the end of the log, looked up once for all who ask.

        None where the tail was cleared meanwhile. What was found may have been taken back then; and
        where the database did not answer, those who waited look all at once, not one after another.
        """
        cleared = self._tail.cleared
        async with self._at_the_end:
            if known := self._tail.after(after_position, limit=limit):
                return known
            if self._tail.cleared != cleared:
                return None
            lacking = self._tail.lacks(after_position)
            records = await self._fetch_log(after_position, min(limit, lacking or limit))
            if self._tail.cleared != cleared:
                return None
            self._tail.join(records)
        if not records:
            return records
        return records + self._tail.after(records[-1].position, limit=limit - len(records))

    async def _fetch_log(self, after_position: int, limit: int) -> list[Record]:
        records = _records(self.service, await self._rows(RECORD, after_position, limit))
        assert_contiguous(records, after_position=after_position)
        return records

    async def read_entries(self, *, after_position: int, limit: int) -> Sequence[Entry]:
        if known := self._tail.after(after_position, limit=limit):
            return known
        entries = _entries(self.service, await self._rows(ENTRY, after_position, limit))
        assert_contiguous(entries, after_position=after_position)
        return entries

    async def _rows(
        self, columns: str, after_position: int, limit: int
    ) -> Sequence[asyncpg.Record]:
        query = f"select {columns} from events where position > $1 order by position limit $2"  # noqa: S608
        async with self._reading() as connection:
            rows: Sequence[asyncpg.Record] = await connection.fetch(query, after_position, limit)
            return rows

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]:
        async with self._reading() as connection:
            return await _read_stream(connection, self.service, stream, after_version, limit)

    async def read_by_command(self, command_ids: Iterable[str]) -> list[Record]:
        return await self._select("command_id = any($1)", list(command_ids), COMMAND_RECORDS_MAX)

    async def read_by_coup(self, coup_id: str) -> list[Record]:
        assert coup_id, "records without a coup are no coup"
        return await self._select("coup_id <> '' and coup_id = $1", coup_id, COUP_RECORDS_MAX)

    async def _select(self, condition: str, argument: object, records_max: int) -> list[Record]:
        query = f"select {RECORD} from events where {condition} order by position limit $2"  # noqa: S608
        async with self._reading() as connection:
            rows = await connection.fetch(query, argument, records_max + 1)
        if len(rows) > records_max:
            raise TooManyRecords(f"more than {records_max} records")
        return _records(self.service, rows)

    async def head_position(self) -> int:
        async with self._reading() as connection:
            position: int = await connection.fetchval("select position from log_head")
            return position

    async def progress(self, table_id: str) -> Progress:
        async with (
            self._reading() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            last = await connection.fetchrow(
                "select version, position, case when published then position else previous end "
                "from events where stream_id = $1 order by version desc limit 1",
                table_id,
            )
            handled = await connection.fetch(
                "select upstream, position from inbox where table_id = $1", table_id
            )
            parked = await connection.fetchval(
                "select count(*) from parked_records where table_id = $1", table_id
            )
        version, position, published = last or (0, 0, 0)
        return Progress(
            table_id=table_id,
            version=version,
            position=position,
            published_position=published,
            handled=dict(handled),
            parked_records=parked,
        )

    async def parked_tables(self, consumer: str, *, limit: int) -> dict[str, Parked]:
        async with self._reading() as connection:
            rows = await connection.fetch(
                "select table_id, reason, event_id, since from parked where consumer = $1 "
                "order by table_id limit $2",
                consumer,
                limit,
            )
        return {table: Parked(reason, event, to_us(since)) for table, reason, event, since in rows}

    async def dead_letters(self, consumer: str, table_id: str, *, limit: int) -> list[DeadLetter]:
        async with self._reading() as connection:
            rows = await connection.fetch(
                "select record, reason, skipped_by from dead_letters "
                "where consumer = $1 and table_id = $2 order by number limit $3",
                consumer,
                table_id,
                limit,
            )
        return [DeadLetter(record=_unpack(row[0]), reason=row[1], by=row[2]) for row in rows]

    async def checkpoint(self, name: str) -> Checkpoint:
        async with self._reading() as connection:
            row = await connection.fetchrow(
                "select position, note from checkpoints where name = $1", name
            )
        return UNREAD if row is None else Checkpoint(row[0], row[1])

    async def advance_checkpoint(
        self, name: str, *, expected: int, position: int, note: bytes | None = None
    ) -> Advance:
        async with self._reading() as connection:
            return await advance_checkpoint(
                connection, name, expected=expected, position=position, note=note
            )

    async def rewind_checkpoint(self, name: str, *, position: int, note: bytes) -> None:
        async with self._reading() as connection:
            await connection.execute(REWIND, name, position, note)
