"""The port of the event store: one append-only log per service, without holes and in commit order.

A `Store` hands out transactions; everything that must happen together with new events goes through
one `Tx`. There is a PostgreSQL store for the services and one in memory for the simulation and fast
tests, and one suite of tests that both must pass.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from enum import Enum
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, Protocol
from weakref import WeakSet

from msgspec import Struct

from services.chassis.decider import Body, Entry, Record
from services.chassis.digest import GENESIS, digest_of
from services.chassis.snapshots import Snapshot
from services.contracts.core import event_id

COUP_RECORDS_MAX: Final = 200_000
"""Records of one coup that `read_by_coup` returns; more is an error, not a longer answer."""

COMMAND_RECORDS_MAX: Final = 200_000
"""Records that `read_by_command` returns at most."""


class ConcurrencyConflict(Exception):
    """Somebody else wrote first: what the transaction rests on is no longer so."""


class StoreUnavailable(Exception):
    """The database is away, or it ended the transaction for reasons of its own: try again."""


class LogBroken(Exception):
    """The log is not what it promises to be. No reader goes on after this."""


class TooManyRecords(Exception):
    """A read without a limit of its own met more records than anybody planned for."""


class Head(Struct, frozen=True):
    """Where a stream ends."""

    version: int
    position: int
    last_published_position: int
    digest: bytes


EMPTY_HEAD: Final = Head(0, 0, 0, GENESIS)
"""Where a stream ends that has no event yet."""


class NewEvent(Struct, frozen=True, kw_only=True):
    """An event ready to be appended; only the position and the recorded time are open."""

    stream: str
    version: int
    type: str
    schema_version: int
    published: bool
    previous: int
    """Position of the stream's previous published event; a negative number counts places in the
    batch itself, from 1."""

    coup_id: str
    command_id: str
    meta: bytes
    body: bytes
    previous_digest: bytes
    digest: bytes


class Batch:
    """New events of several streams in the order in which they will stand in the log."""

    def __init__(self, service: str, heads: Mapping[str, Head]) -> None:
        self._service = service
        self._tails = dict(heads)
        self.events: list[NewEvent] = []
        self.expected: dict[str, int] = {}
        """The version after which each stream goes on."""

    def add(
        self,
        stream: str,
        *,
        kind: str,
        schema_version: int,
        published: bool,
        coup_id: str,
        command_id: str,
        meta: bytes,
        body: bytes,
    ) -> NewEvent:
        """Put an event at the end of its stream: gives it its version, pointer and digest."""
        tail = self._tails.get(stream, EMPTY_HEAD)
        self.expected.setdefault(stream, tail.version)
        version = tail.version + 1
        event = NewEvent(
            stream=stream,
            version=version,
            type=kind,
            schema_version=schema_version,
            published=published,
            previous=tail.last_published_position,
            coup_id=coup_id,
            command_id=command_id,
            meta=meta,
            body=body,
            previous_digest=tail.digest,
            digest=digest_of(
                tail.digest,
                event_id(self._service, stream, version),
                kind,
                schema_version,
                meta,
                body,
            ),
        )
        self.events.append(event)
        place = -len(self.events)
        last_published = place if published else tail.last_published_position
        self._tails[stream] = Head(version, place, last_published, event.digest)
        return event

    def records(self, *, start: int, recorded_at_us: int) -> list[Record]:
        """The events as stored, once the position before the first of them is known."""
        return [
            Record(
                service=self._service,
                stream=new.stream,
                version=new.version,
                position=start + place,
                previous=start - new.previous if new.previous < 0 else new.previous,
                type=new.type,
                schema_version=new.schema_version,
                meta=new.meta,
                body=new.body,
                previous_digest=new.previous_digest,
                digest=new.digest,
                published=new.published,
                recorded_at_us=recorded_at_us,
            )
            for place, new in enumerate(self.events, start=1)
        ]


class StoredAnswer(Struct, frozen=True):
    """What was said to a command, kept so that its repetition is told the same."""

    input_hash: bytes
    answer: bytes


Pair = tuple[str, str]
"""An upstream service and a table."""


class InboxMark(Struct, frozen=True):
    """The last event of an upstream that was handled for a table."""

    position: int
    event_id: str


class Parked(Struct, frozen=True):
    """A table that a consumer does not go on with until somebody retries or skips."""

    reason: str
    event_id: str
    """The first record that stands in the way."""

    since_us: int


class DeadLetter(Struct, frozen=True, kw_only=True):
    """A parked record that somebody decided to pass over."""

    record: Record
    reason: str
    by: str


class Progress(Struct, frozen=True, kw_only=True):
    """How far a service is with one table."""

    table_id: str
    version: int
    position: int
    published_position: int
    """Position of the table's last published event; 0 where there is none."""

    handled: Mapping[str, int]
    """Position of the last handled record by upstream."""

    parked_records: int


class Checkpoint(Struct, frozen=True):
    """How far a reader of a log is."""

    position: int
    note: bytes
    """What the reader wants to remember with it, in a form of its own."""


UNREAD: Final = Checkpoint(0, b"")
"""The checkpoint of a reader that has not begun."""


class Advance(Enum):
    """The four answers to moving a checkpoint."""

    UPDATED = "updated"
    UNCHANGED = "unchanged"
    """It is already there."""

    MISMATCH = "mismatch"
    """It is not where the caller believed, and not yet where the caller wants it."""

    AHEAD = "ahead"
    """Somebody else has moved it further than the caller wants."""


def judge_advance(current: int, *, expected: int, position: int) -> Advance:
    """What moving a checkpoint from `expected` to `position` means where it stands at `current`."""
    assert 0 <= expected <= position, "a checkpoint is never moved back by this"
    if current == position:
        return Advance.UNCHANGED
    if current > position:
        return Advance.AHEAD
    return Advance.UPDATED if current == expected else Advance.MISMATCH


class Signal:
    """Wakes sleepers of this process when something was committed. A hint: they poll as well."""

    def __init__(self) -> None:
        self._listeners: WeakSet[asyncio.Event] = WeakSet()

    def listen(self) -> asyncio.Event:
        """An event that is set at every notification; the listener clears it."""
        listener = asyncio.Event()
        self._listeners.add(listener)
        return listener

    def notify(self) -> None:
        for listener in self._listeners:
            listener.set()


TAIL_RECORDS_MAX: Final = 4_000
TAIL_BYTES_MAX: Final = 16_000_000
"""Of the last committed records, how many are kept for readers, and how large they may be."""


class Tail:
    """The end of the log as far as this process knows it, so that its readers need not ask the database.

    A stretch without holes: what this process wrote, and what one of its readers had to ask for
    because another process wrote it.
    """

    def __init__(self) -> None:
        self._records: deque[Record] = deque()
        self._bytes = 0
        self.cleared = 0
        """How often it was cleared: who read meanwhile knows by it that it was."""

    def add(self, records: Sequence[Record]) -> None:
        """Take records that were just committed; where others came in between, it begins anew."""
        if self._records and records[0].position != self._records[-1].position + 1:
            self._forget()
        self._records.extend(records)
        self._grown(records)

    def join(self, records: Sequence[Record]) -> None:
        """Take records that were read: those that connect at either end, or lie beyond it."""
        known = self._records
        if not records:
            return
        if not known or records[0].position > known[-1].position:
            self.add(records)
        elif records[-1].position + 1 == known[0].position:
            known.extendleft(reversed(records))
            self._grown(records)

    def _grown(self, records: Sequence[Record]) -> None:
        """Keep the bounds, now that these are in it."""
        self._bytes += sum(map(_size, records))
        while len(self._records) > TAIL_RECORDS_MAX or self._bytes > TAIL_BYTES_MAX:
            self._bytes -= _size(self._records.popleft())

    def after(self, position: int, *, limit: int) -> list[Record]:
        """Records after a position; none where they are not known here, or there are none."""
        known = self._records
        if not known or not known[0].position <= position + 1 <= known[-1].position:
            return []
        begin = position + 1 - known[0].position
        return list(islice(known, begin, begin + limit))

    def lacks(self, position: int) -> int:
        """How many records are between a position and the first that is known; 0 where none are."""
        return max(0, self._records[0].position - 1 - position) if self._records else 0

    def clear(self) -> None:
        """Forget everything: what was committed may have been taken back by a restore."""
        self.cleared += 1
        self._forget()

    def _forget(self) -> None:
        self._records.clear()
        self._bytes = 0


def _size(record: Record) -> int:
    return len(record.meta) + len(record.body)


class Hooks:
    """What else is done when a transaction has ended; for companions that keep things in memory."""

    def __init__(self) -> None:
        self._after_commit: list[Callable[[], None]] = []
        self._on_rollback: list[Callable[[], None]] = []

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call this once the transaction is committed."""
        self._after_commit.append(call)

    def on_rollback(self, call: Callable[[], None]) -> None:
        """Call this if the transaction is undone; the last one registered is called first."""
        self._on_rollback.append(call)

    def committed(self) -> None:
        calls = self._after_commit
        self._forget()
        for call in calls:
            call()

    def rolled_back(self) -> None:
        calls = self._on_rollback
        self._forget()
        for call in reversed(calls):
            call()

    def _forget(self) -> None:
        # Who is called holds the transaction, which holds this: all of it, with every state between
        # the first event and the last, would wait for Python to look for cycles.
        self._after_commit, self._on_rollback = [], []


class Standing(Struct, frozen=True):
    """What is known of streams and upstreams before their records are handled."""

    heads: dict[str, Head]
    """As `Tx.heads`."""

    marks: dict[Pair, int]
    """As `Tx.inbox`."""

    parked: frozenset[str]
    """Tables that are parked for the consumer."""


NOTHING_HANDLED: Final[Mapping[Pair, InboxMark]] = MappingProxyType({})


class Tx(Protocol):
    """One transaction. `append` comes last: from it to the commit, all other appenders wait."""

    @property
    def connection(self) -> Any:
        """The database connection of this transaction; None in memory."""
        ...

    @property
    def hooks(self) -> Hooks: ...

    async def lock(self, streams: Iterable[str]) -> None:
        """Keep others out of these streams until the end.

        Comes before anything is read of them: only then is what was read still true when the events
        are appended.
        """
        ...

    async def heads(self, streams: Iterable[str]) -> dict[str, Head]:
        """Where the streams end; `EMPTY_HEAD` for those that have no event."""
        ...

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]: ...

    async def read_bodies(self, stream: str, *, after_version: int, limit: int) -> Sequence[Body]:
        """The same for whoever folds a state: what comes of it may be no more than bodies."""
        ...

    async def append(
        self, batch: Batch, *, handled: Mapping[Pair, InboxMark] = NOTHING_HANDLED
    ) -> list[Record]:
        """Append events at the end of the log, and move marks as `put_inbox` does.

        Raises `ConcurrencyConflict`.
        """
        ...

    async def answers(self, keys: Iterable[str]) -> dict[str, StoredAnswer]: ...

    async def put_answers(self, answers: Mapping[str, StoredAnswer]) -> None:
        """Keep answers. Raises `ConcurrencyConflict` where a key has one already."""
        ...

    async def standing(self, consumer: str, pairs: Iterable[Pair]) -> Standing:
        """All that is to be known before records of these pairs are handled, in one look."""
        ...

    async def inbox(self, pairs: Iterable[Pair]) -> dict[Pair, int]:
        """Position of the last handled record; 0 where there is none."""
        ...

    async def put_inbox(self, marks: Mapping[Pair, InboxMark]) -> None:
        """Move marks forward. Raises `ConcurrencyConflict` where one is that far already."""
        ...

    async def load_snapshot(self, stream: str, *, state_schema: int) -> Snapshot | None:
        """The stream's snapshot, if there is one of this schema."""
        ...

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot in the place of the stream's former one."""
        ...

    async def parked(self, consumer: str, tables: Iterable[str]) -> dict[str, Parked]:
        """Those of the tables that are parked for the consumer."""
        ...

    async def park(self, consumer: str, table_id: str, *, reason: str, event_id: str) -> None:
        """Stop a table for a consumer; if it is stopped already, note why it still is."""
        ...

    async def unpark(self, consumer: str, table_id: str) -> None: ...

    async def keep_parked(self, consumer: str, records: Sequence[Record]) -> None:
        """Put records behind those that wait already; one that waits already is not put twice."""
        ...

    async def parked_records(self, consumer: str, table_id: str, *, limit: int) -> list[Record]:
        """Records that wait, in the order in which they came."""
        ...

    async def drop_parked(self, consumer: str, records: Sequence[Record]) -> None: ...

    async def bury(self, consumer: str, letter: DeadLetter) -> None:
        """Write down that a record was passed over, why and by whom."""
        ...

    async def advance_checkpoint(
        self, name: str, *, expected: int, position: int, note: bytes | None = None
    ) -> Advance:
        """Move a checkpoint if it is where the caller believes; `note` None keeps the old one."""
        ...


class Store(Protocol):
    """The log of one service and what is kept beside it."""

    @property
    def service(self) -> str: ...

    @property
    def appended(self) -> Signal:
        """Notified after every commit that appended something, in this process."""
        ...

    def transaction(self, *, lock: Collection[str] = ()) -> AbstractAsyncContextManager[Tx]:
        """Committed at the end of the block, undone if the block raises.

        `lock`: streams to keep others out of from the beginning, as `Tx.lock` does.

        Raises `ConcurrencyConflict` and `StoreUnavailable`; after either, the whole block may be
        tried again. After `StoreUnavailable` the commit may have happened all the same.
        """
        ...

    async def read_log(self, *, after_position: int, limit: int) -> list[Record]:
        """The records that follow a position. Raises `LogBroken` at a hole."""
        ...

    async def read_entries(self, *, after_position: int, limit: int) -> Sequence[Entry]:
        """The same for readers that fold: what comes of it may be no more than entries."""
        ...

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]: ...

    async def read_by_command(self, command_ids: Iterable[str]) -> list[Record]:
        """Everything that outside commands led to in this service, in log order."""
        ...

    async def read_by_coup(self, coup_id: str) -> list[Record]: ...

    async def head_position(self) -> int: ...

    async def progress(self, table_id: str) -> Progress: ...

    async def parked_tables(self, consumer: str, *, limit: int) -> dict[str, Parked]: ...

    async def dead_letters(self, consumer: str, table_id: str, *, limit: int) -> list[DeadLetter]:
        """Records that were passed over, oldest first."""
        ...

    async def checkpoint(self, name: str) -> Checkpoint: ...

    async def advance_checkpoint(
        self, name: str, *, expected: int, position: int, note: bytes | None = None
    ) -> Advance: ...

    async def rewind_checkpoint(self, name: str, *, position: int, note: bytes) -> None:
        """Set a checkpoint back, or forth: for a reader that knows that it has to begin again."""
        ...


def assert_contiguous(records: Sequence[Entry], *, after_position: int) -> None:
    """Raise `LogBroken` unless each record follows directly on the one before it."""
    position = after_position
    for record in records:
        if record.position != position + 1:
            raise LogBroken(f"{record.service}: position {record.position} follows {position}")
        position = record.position
