"""The journal of an operator's movements on a dictionary, for tests that should not need a server."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from services.wager.journal import OPEN, OVERDUE_S, TAKEN_MAX, UNCONFIRMED, Entry
from services.wager.wallet import DONE, REFUSED, UNKNOWN, Answer


@dataclass
class Kept:
    """One row."""

    entry: Entry
    next_at: float
    made_at: float
    status: str = OPEN
    reason: str = ""
    verdict: dict[str, Any] | None = None


class MemoryJournal:
    """What `Journal` promises, and nothing that outlives the process; `now_s` tells the time."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.rows: dict[str, Kept] = {}
        self._now_s = now_s

    async def ask(self, entries: Sequence[Entry], *, own: bool = True) -> None:
        """Write movements down."""
        for entry in entries:
            now = self._now_s()
            undone = self.rows.get(entry.movement.cancels)
            if undone is not None and undone.status in (OPEN, REFUSED):
                undone.status = UNCONFIRMED
                undone.verdict = undone.verdict or entry.undone
            key, next_at = entry.movement.movement_id, now if own else math.inf
            kept = self.rows.get(key)
            if kept is None:
                self.rows[key] = Kept(entry, next_at, now)
            elif kept.status != DONE:
                kept.status, kept.next_at = OPEN, next_at
                kept.entry = replace(entry, movement=kept.entry.movement, attempts=0)

    async def close_debit(self, table_id: str, wagers: Collection[str], status: str) -> None:
        """The table has decided: a debit that is open is sent no more."""
        for kept in self.rows.values():
            movement = kept.entry.movement
            if (movement.verb, kept.status) == ("DEBIT", OPEN) and movement.table_id == table_id:
                kept.status = status if movement.wager_id in wagers else OPEN

    async def take(self, *, lease_s: float) -> list[Entry]:
        """Movements that are due."""
        now = self._now_s()
        due = [row for row in self.rows.values() if row.status == OPEN and row.next_at <= now]
        taken = sorted(due, key=lambda row: row.next_at)[:TAKEN_MAX]
        for row in taken:
            row.next_at = now + lease_s
            row.entry = replace(row.entry, attempts=row.entry.attempts + 1)
        return [row.entry for row in taken]

    async def next_in_s(self) -> float | None:
        """Seconds until the next is due."""
        due = [row.next_at for row in self.rows.values() if row.status == OPEN]
        first = min(due, default=math.inf)
        return None if math.isinf(first) else first - self._now_s()

    async def answered(
        self, answer: Answer, *, cause: str, pause_s: float, verdict: dict[str, Any] | None = None
    ) -> None:
        """Note an answer."""
        kept = self.rows[answer.movement_id]
        unknown = answer.outcome == UNKNOWN
        status = OPEN if unknown else answer.outcome
        if kept.status not in (OPEN, REFUSED, status) or kept.entry.cause != cause:
            return
        kept.status, kept.reason, kept.verdict = status, answer.reason, verdict
        if unknown and not math.isinf(kept.next_at):
            kept.next_at = self._now_s() + pause_s

    async def status(self, movement_id: str) -> tuple[str, dict[str, Any] | None]:
        """Status of a movement, empty where there is none, and what the player is told of a debit."""
        kept = self.rows.get(movement_id)
        return (kept.status, kept.verdict) if kept else ("", None)

    async def overdue(self) -> tuple[int, int]:
        """Movements without an answer, and those that have waited too long."""
        since = [row.made_at for row in self.rows.values() if row.status == OPEN]
        return len(since), sum(made < self._now_s() - OVERDUE_S for made in since)
