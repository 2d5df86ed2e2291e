"""Faults that a platform of this kind could have, put into the real code one at a time.

Each is a patch that takes one protection away. The simulation has to notice every one of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace as changed
from importlib import import_module
from itertools import count
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from services.chassis import consumer, executor, hearing, memory, offsets, relay, work
from services.chassis.decider import Record
from services.chassis.hearing import Result, Verdict
from services.chassis.store import ConcurrencyConflict, StoreUnavailable
from services.contracts.round import DealingOpened
from services.round.domain import following
from services.round.domain.coup import CLOSED, EMPTY_BOOK
from services.rules import payout
from services.settlement import delivery
from services.settlement.domain import settling, verdicts

# The package has a function of the module's name.
settlement_react = import_module("services.settlement.domain.react")

Mutant = Callable[[], AbstractContextManager[Any]]


@contextmanager
def inbox_removed() -> Iterator[None]:
    """Nobody remembers what was handled."""

    async def nothing(self: Any, pairs: Any) -> dict[Any, int]:
        return dict.fromkeys(pairs, 0)

    async def forget(self: Any, marks: Any) -> None:
        pass

    def only_parked(record: Record, last: int, *, parked: Any, stopped: Any) -> Verdict | None:
        if record.stream in parked:
            return Verdict(record, Result.PARKED)
        return Verdict(record, Result.BEHIND) if record.stream in stopped else None

    with (
        patch.object(memory.MemoryTx, "inbox", nothing),
        patch.object(memory.MemoryTx, "put_inbox", forget),
        patch.object(hearing, "_judge", only_parked),
    ):
        yield


@contextmanager
def book_not_closed_before_the_deal() -> Iterator[None]:
    """Dealing opens with the call, whatever the wager service says."""

    def at_once(coup: Any) -> Any:
        if coup.phase != CLOSED:
            return ()
        book = coup.book or EMPTY_BOOK
        return [
            DealingOpened(
                coup_id=coup.coup_id,
                book_revision=book.revision,
                book_wagers=book.wagers,
                book_digest=book.digest,
            )
        ]

    with patch.object(following, "opening_of_the_deal", at_once):
        yield


@contextmanager
def checkpoint_before_the_acknowledgement() -> Iterator[None]:
    """The relay notes what it is about to send as sent."""
    publish = relay.Relay._publish

    async def early(self: Any, producer: Any, records: Any) -> None:
        self._passed(records[-1].position, {})
        await self._save()
        await publish(self, producer, records)

    with patch.object(relay.Relay, "_publish", early):
        yield


@contextmanager
def dedupe_by_offset() -> Iterator[None]:
    """A record is known by its place in the topic and not by its place in the log."""
    sort, note = consumer._Listener._sort, work.Draft.note
    stored: dict[str, Record] = {}

    def by_offset(self: Any, messages: Any) -> Any:
        heard, letters = sort(self, messages)
        placed = []
        for item in heard:
            record = item.received.record
            stored[record.event_id] = record
            record = replace(record, position=item.message.offset + 1, previous=0)
            placed.append(replace(item, received=replace(item.received, record=record)))
        return placed, letters

    def as_stored(self: Any, record: Record, heard: Any) -> None:
        note(self, stored[record.event_id], heard)

    with (
        patch.object(consumer._Listener, "_sort", by_offset),
        patch.object(work.Draft, "note", as_stored),
    ):
        yield


@contextmanager
def settlement_before_the_whole_book() -> Iterator[None]:
    """Settlement pays as soon as it knows the result, with the wagers that it has heard of."""

    def at_once(coup: Any) -> bool:
        return coup.end is not None and not coup.settled and coup.end.result is not None

    with (
        patch.object(settlement_react, "is_complete", at_once),
        patch.object(settling, "is_complete", at_once),
    ):
        yield


@contextmanager
def a_float_in_money() -> Iterator[None]:
    """Winnings are a product of floating point, cut to an integer."""
    settle_wager = payout.settle_wager

    def floating(*args: Any, **fields: Any) -> Any:
        paid = settle_wager(*args, **fields)
        return changed(paid, winnings_minor=int(float(paid.net)))

    with patch.object(verdicts, "settle_wager", floating):
        yield


@contextmanager
def position_gaps_skipped() -> Iterator[None]:
    """A record whose predecessor is missing is handled all the same."""
    judge = hearing._judge

    def careless(record: Record, last: int, *, parked: Any, stopped: Any) -> Verdict | None:
        verdict = judge(record, last, parked=parked, stopped=stopped)
        return None if verdict is not None and verdict.result is Result.GAP else verdict

    with patch.object(hearing, "_judge", careless):
        yield


@contextmanager
def retry_with_a_new_answer() -> Iterator[None]:
    """A repeated command is carried out again."""

    async def unknown(self: Any, keys: Any) -> dict[str, Any]:
        return {}

    async def overwrite(self: Any, answers: Any) -> None:
        self.new.answers.update(answers)

    with (
        patch.object(memory.MemoryTx, "answers", unknown),
        patch.object(memory.MemoryTx, "put_answers", overwrite),
    ):
        yield


@contextmanager
def a_credit_under_a_new_key() -> Iterator[None]:
    """Every attempt at a payment has a key of its own."""
    due, attempts = delivery.due, count(1)

    def fresh(record: Record) -> Any:
        movement = due(record)
        if movement is None:
            return None
        return replace(movement, movement_id=f"{movement.movement_id}/{next(attempts)}")

    with patch.object(delivery, "due", fresh):
        yield


@contextmanager
def acknowledged_before_the_commit() -> Iterator[None]:
    """A command is answered with what would have been stored, though its commit failed."""
    append, appended = work.Work.append, dict[Any, Any]()

    async def noted(self: Any) -> Any:
        appended[asyncio.current_task()] = records = await append(self)
        return records

    async def hopeful(self: Any, group: Any) -> Any:
        appended.pop(asyncio.current_task(), None)
        try:
            return await self._attempt(group)
        except (StoreUnavailable, ConcurrencyConflict):
            self._core.cache.discard({waiting.table_id for waiting in group})
            lost = appended.get(asyncio.current_task(), {})
            return [
                executor.Outcome(
                    refused=None, duplicate=False, conflict=False, answer={}, records=records
                )
                for records in (lost.get(number, ()) for number in range(len(group)))
            ]

    with (
        patch.object(work.Work, "append", noted),
        patch.object(executor.Executor, "_commit", hopeful),
    ):
        yield


@contextmanager
def offset_committed_before_the_work() -> Iterator[None]:
    """A consumer says that a batch is handled before it handles it."""
    hear = consumer.Consumers._hear

    async def hasty(self: Any, batch: Any) -> None:
        await batch.ack()
        await self._offsets.commit()
        await hear(self, batch)

    with patch.object(consumer.Consumers, "_hear", hasty):
        yield


@contextmanager
def offset_taken_into_a_new_topic() -> Iterator[None]:
    """A consumer takes every life of a topic for the same."""
    begin = offsets.Offsets.__init__

    def careless(self: Any, consumer: Any, lives: Any) -> None:
        begin(self, consumer, dict.fromkeys(lives, "one for all"))

    with (
        patch.object(offsets.Offsets, "__init__", careless),
        patch.object(offsets.Offsets, "replaced", lambda *_: set()),
    ):
        yield


@contextmanager
def foreign_snapshot_read() -> Iterator[None]:
    """A snapshot is read whatever release wrote it."""

    async def any_schema(self: Any, stream: str, *, state_schema: int) -> Any:
        snapshot = self.new.snapshots.get(stream) or self._data.snapshots.get(stream)
        return None if snapshot is None else replace(snapshot, state_schema=state_schema)

    with patch.object(memory.MemoryTx, "load_snapshot", any_schema):
        yield


MUTANTS: dict[str, Mutant] = {
    "the inbox is removed": inbox_removed,
    "the book is not closed before the deal": book_not_closed_before_the_deal,
    "the relay's checkpoint moves before the acknowledgement": (
        checkpoint_before_the_acknowledgement
    ),
    "duplicates are known by offset instead of position": dedupe_by_offset,
    "settlement does not wait for the whole book": settlement_before_the_whole_book,
    "there is a float in money": a_float_in_money,
    "gaps between positions are skipped": position_gaps_skipped,
    "a retry gets a new answer": retry_with_a_new_answer,
    "a credit is delivered under a new key": a_credit_under_a_new_key,
    "a command is acknowledged before its commit": acknowledged_before_the_commit,
    "an offset is committed before the work": offset_committed_before_the_work,
    "an old offset is taken into a new topic": offset_taken_into_a_new_topic,
    "a snapshot of another release is read": foreign_snapshot_read,
}
