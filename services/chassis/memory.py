"""The event store in memory: for the simulation and for tests that should not need a server.

It keeps the promises of the PostgreSQL store, and the same tests hold it to them. A transaction
writes to an overlay that is merged at the commit and dropped otherwise, so that readers outside see
committed things only; one lock lets one transaction run at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from services.chassis.clock import Clock
from services.chassis.decider import Body, Entry, Record
from services.chassis.digest import DIGEST_BYTES
from services.chassis.snapshots import Snapshot
from services.chassis.store import (
    COMMAND_RECORDS_MAX,
    COUP_RECORDS_MAX,
    EMPTY_HEAD,
    NOTHING_HANDLED,
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
    TooManyRecords,
    assert_contiguous,
    judge_advance,
)


@dataclass
class _Parking:
    """Parked tables of all consumers; small, so that a transaction copies all of it."""

    tables: dict[tuple[str, str], Parked] = field(default_factory=dict)
    waiting: dict[tuple[str, str], list[Record]] = field(default_factory=dict)
    letters: dict[tuple[str, str], list[DeadLetter]] = field(default_factory=dict)

    def copy(self) -> _Parking:
        return replace(
            self,
            tables=dict(self.tables),
            waiting={key: list(records) for key, records in self.waiting.items()},
            letters={key: list(letters) for key, letters in self.letters.items()},
        )


@dataclass
class _Data:
    """What is committed, or what one transaction would add to it."""

    log: list[Record] = field(default_factory=list)
    keys: list[tuple[str, str]] = field(default_factory=list)
    """Coup and command of each record of the log."""

    streams: dict[str, list[Record]] = field(default_factory=dict)
    coups: dict[str, list[Record]] = field(default_factory=dict)
    commands: dict[str, list[Record]] = field(default_factory=dict)
    answers: dict[str, StoredAnswer] = field(default_factory=dict)
    inbox: dict[Pair, InboxMark] = field(default_factory=dict)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)
    parking: _Parking | None = None

    def add(self, records: Sequence[Record], keys: Sequence[tuple[str, str]]) -> None:
        self.log.extend(records)
        self.keys.extend(keys)
        for record, (coup_id, command_id) in zip(records, keys, strict=True):
            self.streams.setdefault(record.stream, []).append(record)
            self.commands.setdefault(command_id, []).append(record)
            if coup_id:
                self.coups.setdefault(coup_id, []).append(record)

    def merge(self, new: _Data) -> None:
        self.add(new.log, new.keys)
        self.answers.update(new.answers)
        self.inbox.update(new.inbox)
        self.snapshots.update(new.snapshots)
        self.checkpoints.update(new.checkpoints)
        if new.parking is not None:
            self.parking = new.parking


def _head_of(record: Record) -> Head:
    last_published = record.position if record.published else record.previous
    return Head(record.version, record.position, last_published, record.digest)


class MemoryTx:
    """One transaction of a `MemoryStore`."""

    connection: None = None

    def __init__(self, service: str, clock: Clock, data: _Data) -> None:
        self.hooks = Hooks()
        self.new = _Data()
        self._service = service
        self._clock = clock
        self._data = data
        self._parking = data.parking or _Parking()

    async def lock(self, streams: Iterable[str]) -> None:
        """Nothing to do: the store lets one transaction run at a time."""

    async def heads(self, streams: Iterable[str]) -> dict[str, Head]:
        return {stream: self._head(stream) for stream in streams}

    def _head(self, stream: str) -> Head:
        for data in (self.new, self._data):
            if records := data.streams.get(stream):
                return _head_of(records[-1])
        return EMPTY_HEAD

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]:
        stored = self._data.streams.get(stream, [])
        found = stored[after_version : after_version + limit]
        own_from = max(0, after_version - len(stored))
        own = self.new.streams.get(stream, [])[own_from:]
        return [*found, *own][:limit]

    async def read_bodies(self, stream: str, *, after_version: int, limit: int) -> Sequence[Body]:
        return await self.read_stream(stream, after_version=after_version, limit=limit)

    async def append(
        self, batch: Batch, *, handled: Mapping[Pair, InboxMark] = NOTHING_HANDLED
    ) -> list[Record]:
        assert batch.events, "an empty batch needs no append"
        await self.put_inbox(handled)
        for stream, expected in batch.expected.items():
            if (actual := self._head(stream).version) != expected:
                raise ConcurrencyConflict(f"{stream} is at version {actual}, not {expected}")
        start = len(self._data.log) + len(self.new.log)
        records = batch.records(start=start, recorded_at_us=self._clock.now_us())
        for record in records:
            assert 0 <= record.previous < record.position, "only what came before is pointed at"
            assert len(record.digest) == DIGEST_BYTES == len(record.previous_digest), "SHA-256"
        self.new.add(records, [(new.coup_id, new.command_id) for new in batch.events])
        return records

    async def answers(self, keys: Iterable[str]) -> dict[str, StoredAnswer]:
        known = {}
        for key in keys:
            answer = self.new.answers.get(key) or self._data.answers.get(key)
            if answer is not None:
                known[key] = answer
        return known

    async def put_answers(self, answers: Mapping[str, StoredAnswer]) -> None:
        if taken := await self.answers(answers):
            raise ConcurrencyConflict(f"answered already: {', '.join(sorted(taken))}")
        self.new.answers.update(answers)

    async def standing(self, consumer: str, pairs: Iterable[Pair]) -> Standing:
        marks = await self.inbox(pairs)
        streams = {stream for _, stream in marks}
        parked = await self.parked(consumer, streams)
        return Standing(await self.heads(streams), marks, frozenset(parked))

    async def inbox(self, pairs: Iterable[Pair]) -> dict[Pair, int]:
        return {pair: self._mark(pair) for pair in pairs}

    def _mark(self, pair: Pair) -> int:
        mark = self.new.inbox.get(pair) or self._data.inbox.get(pair)
        return 0 if mark is None else mark.position

    async def put_inbox(self, marks: Mapping[Pair, InboxMark]) -> None:
        for pair, mark in marks.items():
            if self._mark(pair) >= mark.position:
                raise ConcurrencyConflict(f"{pair} was handled by somebody else")
        self.new.inbox.update(marks)

    async def load_snapshot(self, stream: str, *, state_schema: int) -> Snapshot | None:
        snapshot = self.new.snapshots.get(stream) or self._data.snapshots.get(stream)
        if snapshot is None or snapshot.state_schema != state_schema:
            return None
        return snapshot

    async def save_snapshot(self, snapshot: Snapshot) -> None:
        self.new.snapshots[snapshot.stream] = snapshot

    async def parked(self, consumer: str, tables: Iterable[str]) -> dict[str, Parked]:
        found = ((table, self._parking.tables.get((consumer, table))) for table in tables)
        return {table: parked for table, parked in found if parked is not None}

    async def park(self, consumer: str, table_id: str, *, reason: str, event_id: str) -> None:
        tables = self._own_parking().tables
        former = tables.get((consumer, table_id))
        since_us = self._clock.now_us() if former is None else former.since_us
        tables[consumer, table_id] = Parked(reason, event_id, since_us)

    async def unpark(self, consumer: str, table_id: str) -> None:
        self._own_parking().tables.pop((consumer, table_id), None)

    async def keep_parked(self, consumer: str, records: Sequence[Record]) -> None:
        parking = self._own_parking()
        for record in records:
            waiting = parking.waiting.setdefault((consumer, record.stream), [])
            if record.event_id not in {other.event_id for other in waiting}:
                waiting.append(record)

    async def parked_records(self, consumer: str, table_id: str, *, limit: int) -> list[Record]:
        return self._parking.waiting.get((consumer, table_id), [])[:limit]

    async def drop_parked(self, consumer: str, records: Sequence[Record]) -> None:
        waiting = self._own_parking().waiting
        gone = {record.event_id for record in records}
        for table in {record.stream for record in records}:
            left = [r for r in waiting.get((consumer, table), []) if r.event_id not in gone]
            waiting[consumer, table] = left

    async def bury(self, consumer: str, letter: DeadLetter) -> None:
        letters = self._own_parking().letters
        letters.setdefault((consumer, letter.record.stream), []).append(letter)

    async def advance_checkpoint(
        self, name: str, *, expected: int, position: int, note: bytes | None = None
    ) -> Advance:
        current = self.new.checkpoints.get(name) or self._data.checkpoints.get(name, UNREAD)
        answer = judge_advance(current.position, expected=expected, position=position)
        if answer is Advance.UPDATED:
            kept = current.note if note is None else note
            self.new.checkpoints[name] = Checkpoint(position, kept)
        return answer

    def _own_parking(self) -> _Parking:
        if self.new.parking is None:
            self.new.parking = self._parking = self._parking.copy()
        return self.new.parking


class MemoryStore:
    """The log of one service and what is kept beside it, gone with the process."""

    def __init__(self, service: str, clock: Clock) -> None:
        self.service = service
        self.appended = Signal()
        self._clock = clock
        self._data = _Data()
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def transaction(self, *, lock: Collection[str] = ()) -> AsyncIterator[MemoryTx]:  # noqa: ARG002
        async with self._lock:
            tx = MemoryTx(self.service, self._clock, self._data)
            try:
                yield tx
            except BaseException:
                tx.hooks.rolled_back()
                raise
            self._data.merge(tx.new)
        tx.hooks.committed()
        if tx.new.log:
            self.appended.notify()

    async def read_log(self, *, after_position: int, limit: int) -> list[Record]:
        records = self._data.log[after_position : after_position + limit]
        assert_contiguous(records, after_position=after_position)
        return records

    async def read_entries(self, *, after_position: int, limit: int) -> Sequence[Entry]:
        return await self.read_log(after_position=after_position, limit=limit)

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]:
        return self._data.streams.get(stream, [])[after_version : after_version + limit]

    async def read_by_command(self, command_ids: Iterable[str]) -> list[Record]:
        found = [r for key in set(command_ids) for r in self._data.commands.get(key, [])]
        return sorted(_bounded(found, COMMAND_RECORDS_MAX), key=lambda record: record.position)

    async def read_by_coup(self, coup_id: str) -> list[Record]:
        assert coup_id, "records without a coup are no coup"
        return list(_bounded(self._data.coups.get(coup_id, []), COUP_RECORDS_MAX))

    async def head_position(self) -> int:
        return len(self._data.log)

    async def progress(self, table_id: str) -> Progress:
        records = self._data.streams.get(table_id, [])
        head = _head_of(records[-1]) if records else EMPTY_HEAD
        waiting = (self._data.parking or _Parking()).waiting
        return Progress(
            table_id=table_id,
            version=head.version,
            position=head.position,
            published_position=head.last_published_position,
            handled={
                upstream: mark.position
                for (upstream, table), mark in self._data.inbox.items()
                if table == table_id
            },
            parked_records=sum(len(w) for (_, table), w in waiting.items() if table == table_id),
        )

    async def parked_tables(self, consumer: str, *, limit: int) -> dict[str, Parked]:
        tables = (self._data.parking or _Parking()).tables
        own = sorted((table, p) for (owner, table), p in tables.items() if owner == consumer)
        return dict(own[:limit])

    async def dead_letters(self, consumer: str, table_id: str, *, limit: int) -> list[DeadLetter]:
        letters = (self._data.parking or _Parking()).letters
        return letters.get((consumer, table_id), [])[:limit]

    async def checkpoint(self, name: str) -> Checkpoint:
        return self._data.checkpoints.get(name, UNREAD)

    async def advance_checkpoint(
        self, name: str, *, expected: int, position: int, note: bytes | None = None
    ) -> Advance:
        async with self.transaction() as tx:
            return await tx.advance_checkpoint(
                name, expected=expected, position=position, note=note
            )

    async def rewind_checkpoint(self, name: str, *, position: int, note: bytes) -> None:
        async with self.transaction() as tx:
            tx.new.checkpoints[name] = Checkpoint(position, note)


def _bounded(records: list[Record], records_max: int) -> list[Record]:
    if len(records) > records_max:
        raise TooManyRecords(f"{len(records)} records, {records_max} at most")
    return records
