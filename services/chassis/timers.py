"""The timers of live tables: the wall clock's only way into a service.

The service's core says when a table's next timer is due, and the command that lets time pass. A
timer is a command with an id that follows from table and moment, so that two replicas that both see
it due do it once.

Whoever stored a table's last event knows what is due after it and lets that time pass. Other
replicas look at the table when it has been quiet for a while, in case that one has died: each of
them reading and folding every event of the others at once would cost as much as deciding it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import heapq
import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from services.chassis.app import Runtime
from services.chassis.decider import Record
from services.contracts.core import SYSTEM, Command, NotYet

READ_EVENTS_MAX: Final = 1_000
SLEEP_S_MAX: Final = 0.5
"""How long the timers sleep at most before they look at the clock again."""

QUIET_S: Final = 1.0
"""How long nothing has come of a table before a process looks at it that did not store its last event.
A timer is late by so much, and a sleep, where the one that did has died right after it."""

SECOND_US: Final = 1_000_000

_log = logging.getLogger(__name__)


class Timers:
    """Follows the own log for tables with something due, and lets their time pass."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        next_due_us: Callable[[Any], int | None],
        command: type[Command],
        begins: str,
    ) -> None:
        """`command` lets time pass; `begins` is the type of the first event of every table."""
        self._runtime = runtime
        self._next_due_us = next_due_us
        self._command = command
        self._begins = begins
        self._due: list[tuple[int, str]] = []
        self._current: dict[str, int] = {}
        self._unseen: dict[str, tuple[int, float]] = {}
        """By table, the last version that was read of and not looked at, and when that was."""

    async def run(self) -> None:
        """Fire timers for ever."""
        store = self._runtime.store
        changed = store.appended.listen()
        position = await store.head_position()
        for table_id in await self._tables():
            await self._look(table_id)
        while True:
            changed.clear()
            records = await store.read_log(after_position=position, limit=READ_EVENTS_MAX)
            self._note(records)
            if records:
                position = records[-1].position
            await self._look_at_unseen()
            await self._fire()
            if len(records) < READ_EVENTS_MAX:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._sleep_s()):
                        await changed.wait()

    async def _tables(self) -> list[str]:
        # The type stands in the statement, so that the partial index is used.
        rows = await self._runtime.pool.fetch(
            f"select distinct stream_id from events where type = '{self._begins}'"  # noqa: S608
        )
        return [row[0] for row in rows]

    def _note(self, records: Sequence[Record]) -> None:
        now_s = self._runtime.clock.steady_s()
        for record in records:
            self._unseen[record.stream] = record.version, now_s

    async def _look_at_unseen(self) -> None:
        """Look at once at what this process stored, and at the rest where it is quiet."""
        quiet_since_s = self._runtime.clock.steady_s() - QUIET_S
        for table_id, (version, since_s) in list(self._unseen.items()):
            state = self._runtime.executor.held(table_id, version)
            if state is not None:
                self._know(table_id, state)
            elif since_s <= quiet_since_s:
                await self._look(table_id)
            else:
                # What was due before is due no more, or not to us.
                self._current.pop(table_id, None)
                continue
            del self._unseen[table_id]

    async def _look(self, table_id: str) -> None:
        self._know(table_id, await self._runtime.executor.state(table_id))

    def _know(self, table_id: str, state: Any) -> None:
        due = self._next_due_us(state)
        if due is None:
            self._current.pop(table_id, None)
        elif self._current.get(table_id) != due:
            self._current[table_id] = due
            heapq.heappush(self._due, (due, table_id))

    def _sleep_s(self) -> float:
        if not self._due:
            return SLEEP_S_MAX
        wait_s = (self._due[0][0] - self._runtime.clock.now_us()) / SECOND_US
        return min(max(wait_s, 0.001), SLEEP_S_MAX)

    async def _fire(self) -> None:
        now_us = self._runtime.clock.now_us()
        while self._due and self._due[0][0] <= now_us:
            due, table_id = heapq.heappop(self._due)
            if self._current.get(table_id) == due:
                del self._current[table_id]
                await self._advance(table_id, due, now_us)

    async def _advance(self, table_id: str, due_us: int, now_us: int) -> None:
        command_id = f"timer:{hashlib.sha256(table_id.encode()).hexdigest()[:16]}:{due_us}"
        command = self._command(at_us=now_us, by=SYSTEM)
        asked: Any = f"{table_id} {due_us}".encode()
        try:
            outcome = await self._runtime.executor.command(
                table_id, command, command_id=command_id, input_hash=asked
            )
        except NotYet:
            return
        if outcome.refused is not None:
            _log.warning("a timer of %s was refused: %s", table_id, outcome.refused)
        await self._look(table_id)
