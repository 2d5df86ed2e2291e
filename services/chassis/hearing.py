"""What a service does with the events of other services: each is handled once, in order, or not.

Delivery is at least once, so the position of the last handled record is kept per upstream and
table, and moved in the transaction of the effects. A record that cannot be handled stops its table
and no other: the consumer parks the table, later records wait in order, and somebody retries or
passes over the one in the way.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from enum import Enum
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from services.chassis.decider import Record
from services.chassis.registry import Registry
from services.chassis.retry import with_retries
from services.chassis.store import (
    ConcurrencyConflict,
    DeadLetter,
    InboxMark,
    Pair,
    Standing,
    Store,
    StoreUnavailable,
    Tx,
)
from services.chassis.work import Core, Draft, ItemFailed, Origin, Work
from services.contracts.core import Caused, Heard

RETRY_RECORDS_MAX: Final = 1_000
"""Records of a parked table that one call of `retry` handles at most."""


class MissingPredecessor(Exception):
    """A record points to an earlier one of its table that was never handled: something was lost."""


class NotParkedThere(Exception):
    """The table is not parked at that record: somebody was faster, or it is another one."""


class Result(Enum):
    """What became of a record."""

    DONE = "done"
    PASSED = "passed"
    """Its type is none that this service reacts to; it counts as handled."""

    DUPLICATE = "duplicate"
    GAP = "gap"
    """A predecessor is missing: its table is stopped for this upstream."""

    FAILED = "failed"
    """It cannot be handled; nothing of it happened. Later records of its table were left alone."""

    BEHIND = "behind"
    """An earlier record of its table failed in the same call, so it was left alone."""

    PARKED = "parked"
    """Its table is parked for the consumer; the record was put to those that wait."""


HANDLED: Final = frozenset({Result.DONE, Result.PASSED, Result.DUPLICATE})
"""Nothing more is to be done for such a record."""

MOVING: Final = (Result.DONE, Result.PASSED)
"""Such a record is the last handled one of its upstream and table from now on."""

T = TypeVar("T")


class Verdict(Struct, frozen=True):
    """What became of one record."""

    record: Record
    result: Result
    error: Exception | None = None
    """Why, for GAP and FAILED."""

    records: tuple[Record, ...] = ()
    """What this service stored because of it."""


class Hearing:
    """The heard side of an executor."""

    def __init__(self, core: Core, store: Store, *, jitter: random.Random) -> None:
        self._core = core
        self._store = store
        self._jitter = jitter

    def registries(self) -> list[Registry]:
        """The events that this service understands of others, for the check of upcast paths."""
        return list(self._core.upstreams.values())

    async def hear(self, records: Sequence[Record], consumer: str) -> list[Verdict]:
        """Handle records in the order given; one verdict each.

        All of them are one transaction, where possible. A record that fails takes nothing with it
        but the later records of its own table. Raises `StoreUnavailable` and `ConcurrencyConflict`
        when trying again did not help; then hear all of them again, some may be duplicates by now.
        """
        if not records:
            return []
        try:
            return await self._commit(records, consumer)
        except (StoreUnavailable, ConcurrencyConflict):
            raise
        except Exception as error:  # noqa: BLE001 - it becomes the record's verdict
            if len(records) == 1:
                return [Verdict(records[0], Result.FAILED, error)]
        return await self._one_by_one(records, consumer)

    async def _one_by_one(self, records: Sequence[Record], consumer: str) -> list[Verdict]:
        """The transaction failed as a whole: find out whose fault it was."""
        verdicts: list[Verdict] = []
        stopped: set[str] = set()
        for record in records:
            if record.stream in stopped:
                verdicts.append(Verdict(record, Result.BEHIND))
                continue
            verdicts += await self.hear([record], consumer)
            if verdicts[-1].result is Result.FAILED:
                stopped.add(record.stream)
        return verdicts

    async def _commit(self, records: Sequence[Record], consumer: str) -> list[Verdict]:
        tables = {record.stream for record in records}

        async def attempt() -> list[Verdict]:
            async with self._store.transaction(lock=tables) as tx:
                standing = await tx.standing(consumer, _pairs(records))
                work = Work(self._core, tx, standing.heads)
                verdicts = await self._handle(work, tx, records, standing)
                if waiting := _select(verdicts, Result.PARKED):
                    await tx.keep_parked(consumer, waiting)
            return verdicts

        return await self._retrying(attempt, tables)

    async def _retrying(self, attempt: Callable[[], Awaitable[T]], tables: Iterable[str]) -> T:
        return await with_retries(
            attempt,
            on_failure=lambda: self._core.cache.discard(tables),
            jitter=self._jitter,
        )

    async def _handle(
        self, work: Work, tx: Tx, records: Sequence[Record], standing: Standing
    ) -> list[Verdict]:
        """Decide and store what follows from the records, in the open transaction."""
        marks = dict(standing.marks)
        moved: dict[Pair, InboxMark] = {}
        stopped: set[str] = set()
        verdicts: list[Verdict] = []
        for number, record in enumerate(records):
            pair = record.service, record.stream
            verdict = _judge(record, marks[pair], parked=standing.parked, stopped=stopped)
            if verdict is None:
                verdict = await self._react(work, number, record)
            if verdict.result in MOVING:
                marks[pair] = record.position
                moved[pair] = InboxMark(record.position, record.event_id)
            elif verdict.result is Result.FAILED:
                stopped.add(record.stream)
            verdicts.append(verdict)
        if not moved:
            return verdicts
        await self._core.companion.keep(tx, _select(verdicts, *MOVING))
        await work.spread()
        stored = await work.append(moved)
        return [
            Verdict(v.record, v.result, v.error, stored.get(number, ()))
            for number, v in enumerate(verdicts)
        ]

    async def _react(self, work: Work, number: int, record: Record) -> Verdict:
        """Decide what follows from one record; on an error of its own, leave the work as it was."""
        upstream = self._core.upstreams.get(record.service)
        if upstream is None or record.type not in upstream:
            return Verdict(record, Result.PASSED)
        draft = await work.draft(record.stream)
        try:
            heard = self._note(draft, record)
            await self._decide(draft, heard)
        except ItemFailed as failed:
            return Verdict(record, Result.FAILED, failed.error)
        work.adopt(draft, item=number)
        return Verdict(record, Result.DONE)

    def _note(self, draft: Draft, record: Record) -> Heard:
        try:
            heard = self._core.heard(record)
            draft.note(record, heard)
        except Exception as error:
            raise ItemFailed(error) from error
        return heard

    async def _decide(self, draft: Draft, heard: Heard) -> None:
        try:
            reactions = list(self._core.aggregate.react(heard, draft.state))
        except Exception as error:
            raise ItemFailed(error) from error
        for reaction in reactions:
            if isinstance(reaction, Caused):
                await draft.decide(reaction.command, Origin.of_heard(reaction.heard))
            else:
                await draft.decide(reaction, Origin.of_heard(heard))

    # --- parked tables -----------------------------------------------------------------------

    async def park(self, consumer: str, record: Record, *, reason: str) -> None:
        """Stop a table for a consumer at a record that failed; it becomes the first that waits.

        From then on `hear` puts the table's records behind it instead of handling them.
        """

        async def attempt() -> None:
            async with self._store.transaction() as tx:
                await tx.lock([record.stream])
                await tx.park(consumer, record.stream, reason=reason, event_id=record.event_id)
                await tx.keep_parked(consumer, [record])

        await self._retrying(attempt, ())

    async def retry(self, consumer: str, table_id: str) -> list[Verdict]:
        """Handle the waiting records of a parked table, in order, each in its own transaction.

        Ends at the first that fails again, or when none is left: then the table is not parked any
        more. A table with very many waiting records takes several calls.
        """
        verdicts: list[Verdict] = []
        while len(verdicts) < RETRY_RECORDS_MAX:
            try:
                verdict = await self._retrying(
                    lambda: self._retry_first(consumer, table_id), (table_id,)
                )
            except (StoreUnavailable, ConcurrencyConflict):
                raise
            except Exception as error:  # noqa: BLE001 - the reason why it stays parked
                verdict = await self._still_parked(consumer, table_id, error)
            if verdict is None:
                break
            verdicts.append(verdict)
            if verdict.result not in HANDLED:
                break
        return verdicts

    async def _retry_first(self, consumer: str, table_id: str) -> Verdict | None:
        async with self._store.transaction(lock=[table_id]) as tx:
            waiting = await tx.parked_records(consumer, table_id, limit=1)
            if not waiting:
                await tx.unpark(consumer, table_id)
                return None
            standing = await tx.standing(consumer, _pairs(waiting))
            work = Work(self._core, tx, standing.heads)
            unparked = replace(standing, parked=frozenset())
            (verdict,) = await self._handle(work, tx, waiting, unparked)
            if verdict.result in HANDLED:
                await tx.drop_parked(consumer, waiting)
            else:
                await tx.park(
                    consumer,
                    table_id,
                    reason=repr(verdict.error),
                    event_id=verdict.record.event_id,
                )
        return verdict

    async def _still_parked(self, consumer: str, table_id: str, error: Exception) -> Verdict | None:
        """The first waiting record broke its transaction: say so in a new one."""
        async with self._store.transaction() as tx:
            await tx.lock([table_id])
            waiting = await tx.parked_records(consumer, table_id, limit=1)
            if not waiting:
                return None
            event_id = waiting[0].event_id
            await tx.park(consumer, table_id, reason=repr(error), event_id=event_id)
        return Verdict(waiting[0], Result.FAILED, error)

    async def skip(
        self, consumer: str, table_id: str, *, event_id: str, reason: str, by: str
    ) -> None:
        """Pass over the first waiting record for ever, with a reason; `retry` does the rest.

        Raises `NotParkedThere` unless `event_id` is the first: nobody skips what they did not see.
        """

        async def attempt() -> None:
            async with self._store.transaction() as tx:
                await tx.lock([table_id])
                waiting = await tx.parked_records(consumer, table_id, limit=1)
                if not waiting or waiting[0].event_id != event_id:
                    raise NotParkedThere(f"{consumer}: {table_id} does not wait for {event_id}")
                record = waiting[0]
                pair = record.service, record.stream
                if (await tx.inbox([pair]))[pair] < record.position:
                    await tx.put_inbox({pair: InboxMark(record.position, record.event_id)})
                await tx.bury(consumer, DeadLetter(record=record, reason=reason, by=by))
                await tx.drop_parked(consumer, waiting)

        await self._retrying(attempt, ())


def _pairs(records: Iterable[Record]) -> set[Pair]:
    return {(record.service, record.stream) for record in records}


def _judge(
    record: Record, last: int, *, parked: Collection[str], stopped: Collection[str]
) -> Verdict | None:
    """The verdict on a record that need not or must not be handled; None for any other."""
    if record.position <= last:
        return Verdict(record, Result.DUPLICATE)
    if record.stream in parked:
        return Verdict(record, Result.PARKED)
    if record.stream in stopped:
        return Verdict(record, Result.BEHIND)
    if record.previous > last:
        gap = f"{record.event_id} follows position {record.previous}, handled is {last}"
        return Verdict(record, Result.GAP, MissingPredecessor(gap))
    return None


def _select(verdicts: Iterable[Verdict], *results: Result) -> list[Record]:
    return [verdict.record for verdict in verdicts if verdict.result in results]
