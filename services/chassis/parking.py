"""Tables that a consumer has stopped at, for the people who get them going again.

A record that cannot be handled parks its table for one consumer; later records of the table wait in
their order. What stopped a table may pass by itself: a missing predecessor arrives when the relay
publishes again, what was too early becomes due, and what a later release wrote can be read by that
release. `heal` looks for that. Everything else waits until somebody has put the cause right and
calls `retry`, or passes over the record with `skip`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import Enum
from typing import Final, Protocol

from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.hearing import (
    HANDLED,
    RETRY_RECORDS_MAX,
    MissingPredecessor,
    Verdict,
)
from services.chassis.registry import NewerVersion
from services.chassis.store import ConcurrencyConflict, DeadLetter, Parked, Store
from services.contracts.core import NotYet

log = logging.getLogger(__name__)

LIST_TABLES_MAX: Final = 1_000
"""Parked tables that are listed or healed at once. So many are a broken release, not bad records."""

WAITING_RECORDS_MAX: Final = 50_000
"""Waiting records of one table that are put into another order; a table plays for a day at most."""

CALLS_MAX: Final = 100
"""Calls of the executor's `retry`, which handles a bounded number of records each."""


class Why(Enum):
    """What kind of thing stopped a table."""

    GAP = "GAP"
    """A predecessor is missing. Ends by itself when it arrives."""

    NOT_YET = "NOT_YET"
    """It rests on something that this service has not heard. Ends by itself when it has."""

    NEWER = "NEWER"
    """A later release wrote it. Ends by itself when this service is of that release too."""

    FAILED = "FAILED"
    """It cannot be handled as it is: a mistake in the code or in the record."""


OVERTAKEN: Final = frozenset({Why.GAP, Why.NOT_YET})
"""What passes when other records of the table are handled first."""

HEALING: Final = OVERTAKEN | {Why.NEWER}
"""What may pass without anybody doing anything about the table."""

_BY_ERROR: Final = {
    MissingPredecessor.__name__: Why.GAP,
    NotYet.__name__: Why.NOT_YET,
    NewerVersion.__name__: Why.NEWER,
}


class ParkedTable(Struct, frozen=True, kw_only=True):
    """A table that waits."""

    table_id: str
    why: Why
    reason: str
    """The error as the code reported it."""

    event_id: str
    """The record in the way."""

    since_us: int


class Released(Struct, frozen=True, kw_only=True):
    """What came of a retry."""

    free: bool
    """The table is not parked any more."""

    handled: int
    """Records that were handled."""

    blocked_by: str
    """The record that is in the way now; empty where the table is free."""

    error: str


class Retrier(Protocol):
    """The part of an executor that handles parked tables."""

    async def retry(self, consumer: str, table_id: str) -> list[Verdict]: ...

    async def skip(
        self, consumer: str, table_id: str, *, event_id: str, reason: str, by: str
    ) -> None: ...


class Parking:
    """The parked tables of one consumer."""

    def __init__(self, *, store: Store, executor: Retrier, consumer: str) -> None:
        self._store = store
        self._executor = executor
        self._consumer = consumer

    async def tables(self) -> list[ParkedTable]:
        """The parked tables, `LIST_TABLES_MAX` at most."""
        parked = await self._store.parked_tables(self._consumer, limit=LIST_TABLES_MAX)
        return [_table(table_id, found) for table_id, found in parked.items()]

    async def waiting(self, table_id: str, *, limit: int) -> list[Record]:
        """The records that wait, the one in the way first."""
        async with self._store.transaction() as tx:
            return await tx.parked_records(self._consumer, table_id, limit=limit)

    async def skipped(self, table_id: str, *, limit: int) -> list[DeadLetter]:
        """The records that were passed over, with who said so and why."""
        return await self._store.dead_letters(self._consumer, table_id, limit=limit)

    async def retry(self, table_id: str) -> Released:
        """Handle the waiting records in order until one fails again or none is left."""
        await self._order(table_id)
        handled = 0
        for _ in range(CALLS_MAX):
            verdicts = await self._executor.retry(self._consumer, table_id)
            handled += sum(verdict.result in HANDLED for verdict in verdicts)
            last = verdicts[-1] if verdicts else None
            if last is not None and last.result not in HANDLED:
                error = repr(last.error)
                return Released(
                    free=False, handled=handled, blocked_by=last.record.event_id, error=error
                )
            if len(verdicts) < RETRY_RECORDS_MAX:
                return Released(free=True, handled=handled, blocked_by="", error="")
        return Released(free=False, handled=handled, blocked_by="", error="too many records wait")

    async def skip(self, table_id: str, *, event_id: str, reason: str, by: str) -> Released:
        """Pass over the record in the way, which must be `event_id`, and go on with the others.

        The record is kept with `reason` and `by`; it is never handled again. Raises
        `NotParkedThere` where another record is in the way: nobody skips what they have not seen.
        """
        if not reason.strip() or not by.strip():
            raise ValueError("whoever skips a record says why and who they are")
        await self._executor.skip(self._consumer, table_id, event_id=event_id, reason=reason, by=by)
        return await self.retry(table_id)

    async def heal(self) -> int:
        """Retry what may have passed by itself; returns how many tables are parked after it."""
        parked = await self.tables()
        free = 0
        for table in parked:
            if table.why not in HEALING:
                continue
            try:
                released = await self.retry(table.table_id)
            except ConcurrencyConflict:
                continue  # somebody is at it
            if released.free:
                free += 1
                log.info(
                    "%s goes on with %s: %d records", self._consumer, table.table_id,
                    released.handled,
                )  # fmt: skip
        return len(parked) - free

    async def _order(self, table_id: str) -> None:
        """Put what may go on before what is in its way, where that may pass by itself.

        Records wait in the order in which they came. A predecessor that was missing comes last and
        is needed first; what a record was too early for comes from another upstream, and waits
        behind it. Only the order within an upstream means anything.
        """
        async with self._store.transaction() as tx:
            await tx.lock([table_id])
            parked = await tx.parked(self._consumer, [table_id])
            if table_id not in parked or why_of(parked[table_id].reason) not in OVERTAKEN:
                return
            waiting = await tx.parked_records(
                self._consumer, table_id, limit=WAITING_RECORDS_MAX + 1
            )
            if len(waiting) > WAITING_RECORDS_MAX:
                log.error("too many records of %s wait to be put into another order", table_id)
                return
            ordered = let_pass(waiting)
            if ordered != waiting:
                await tx.drop_parked(self._consumer, waiting)
                await tx.keep_parked(self._consumer, ordered)


def let_pass(waiting: Sequence[Record]) -> list[Record]:
    """The records with the first one's upstream at the end, and each upstream in its own order."""
    blocked = waiting[0].service if waiting else ""
    return sorted(
        waiting, key=lambda record: (record.service == blocked, record.service, record.position)
    )


def why_of(reason: str) -> Why:
    """The kind of a reason, which is the error as Python writes it."""
    name, parenthesis, _ = reason.partition("(")
    return _BY_ERROR.get(name, Why.FAILED) if parenthesis else Why.FAILED


def is_too_early(error: Exception | None) -> bool:
    """Whether the record may be handled later without anybody doing anything."""
    return isinstance(error, NotYet)


def _table(table_id: str, parked: Parked) -> ParkedTable:
    return ParkedTable(
        table_id=table_id,
        why=why_of(parked.reason),
        reason=parked.reason,
        event_id=parked.event_id,
        since_us=parked.since_us,
    )
