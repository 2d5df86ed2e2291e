"""A table whose wallet has moods, and whose services hear of each other late."""

from __future__ import annotations

from collections import Counter, deque
from random import Random
from typing import Any

from services.contracts.core import Command, Event, Heard, NotYet, Refused
from services.contracts.wager import DebitRequested
from services.tablelog.inprocess import CORES, InProcessTable
from services.tablelog.render import SERVICES, Told
from services.tablelog.steps import Step
from services.wager.commands import RecordDebit

ALL, LAG = 1_000_000, 16
"""How many events are read between two commands: all, or where services lag, at most so many."""

Kind = tuple[str, str]
"""A service, and the name of one of its commands or events."""


ALL_EVENTS = frozenset(event for core in CORES.values() for event in core.EVENTS.values())


class RoughTable(InProcessTable):
    """Topics keep their own order; how far each service has read each of them is chance."""

    sends = ALL_EVENTS

    def __init__(self, table_id: str, seed: int, *, lags: bool) -> None:
        super().__init__(table_id)
        self.accepted: Counter[Kind] = Counter()
        self.refused: Counter[Kind] = Counter()
        self.seed = seed
        self.lags = lags
        self.sent: list[Heard] = []
        """Every event in the order in which they came about."""

        self.streams: dict[str, list[Event | Heard]] = {name: [] for name in SERVICES}
        """What each service decided and heard, in its order: its state is the fold of it."""

        self.steps: list[tuple[Step, str]] = []
        """What was asked of the table, with the ids of the commands."""

        self._choose = Random(seed).randrange
        self._deciding = False
        self._topics: dict[tuple[str, str], deque[Heard]] = {}

    def wallet(self, asked: DebitRequested, command: Command) -> RecordDebit | None:
        """One debit in eight is refused, and another one waits."""
        mood = self._choose(8)
        if mood == 0:
            return None
        return RecordDebit(
            at_us=command.at_us,
            by=command.by,
            movement_id=asked.movement_id,
            outcome="REFUSED" if mood == 1 else "DONE",
        )

    def run(self, step: Step, command_id: str) -> tuple[Refused | None, list[Told]]:
        """A command, and what it leads to: all of it, or where services lag, some."""
        self.steps.append((step, command_id))
        refused, told = super().run(step, command_id)
        self._read(told, self._choose(LAG) if self.lags else ALL)
        return refused, told

    def settle_down(self) -> list[Told]:
        """Everybody reads all that there is."""
        told: list[Told] = []
        self._read(told, ALL)
        return told

    def _read(self, told: list[Told], at_the_most: int) -> None:
        for _ in range(at_the_most):
            waiting = [topic for topic, events in self._topics.items() if events]
            if not waiting:
                return
            topic = waiting[self._choose(len(waiting))]
            for made in self._hear(topic[1], self._topics[topic].popleft(), told):
                self._spread(made, told)

    def _hear(self, name: str, heard: Heard, told: list[Told]) -> list[Heard]:
        self.streams[name].append(heard)
        return super()._hear(name, heard, told)

    def _decide(self, *where: Any, **more: Any) -> list[Heard]:
        kind = where[0], type(where[1]).__name__
        outermost, self._deciding = not self._deciding, True
        try:
            made = super()._decide(*where, **more)
        except (Refused, NotYet):
            self.refused[kind] += 1
            raise
        finally:
            self._deciding = not outermost
        self.accepted[kind] += 1
        if outermost:  # the answer of the wallet is decided inside of what asked for it
            self.sent += made
            for sent in made:
                self.streams[sent.service].append(sent.event)
        return made

    def _spread(self, sent: Heard, told: list[Told]) -> list[Heard]:
        for name in SERVICES:
            if type(sent.event) in CORES[name].HEARS.get(sent.service, {}).values():
                self._topics.setdefault((sent.service, name), deque()).append(sent)
        return []
