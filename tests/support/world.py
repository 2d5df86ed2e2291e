"""The four services in one process on the store in memory: executors, hearing and all.

What `sabot replay` leaves out is here (stored bytes, inboxes, digests), and what the servers add is
not (a broker, a database). Records travel from service to service in the order of their logs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import ModuleType
from typing import Any, Self

from services.chassis.clock import ManualClock
from services.chassis.decider import Aggregate, Companion, Decide, Record, Staged
from services.chassis.executor import Executor, Limits, Outcome
from services.chassis.hearing import Result
from services.chassis.memory import MemoryStore
from services.chassis.registry import Registry
from services.chassis.work import PlainCompanion
from services.contracts.core import Command
from services.contracts.wager import DebitRequested
from services.round import domain as round_core
from services.settlement import domain as settlement_core
from services.shoe import domain as shoe_core
from services.shoe.commands import LoadShoe
from services.tablelog.inprocess import KnownOrder
from services.tablelog.steps import Step
from services.wager import domain as wager_core
from services.wager.commands import RecordDebit

CORES: dict[str, ModuleType] = {
    "shoe": shoe_core,
    "round": round_core,
    "wager": wager_core,
    "settlement": settlement_core,
}


class _Orders:
    """The shoe's companion with orders in memory."""

    def __init__(self) -> None:
        self.orders: dict[str, KnownOrder] = {}

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Nothing is looked up for several commands at once."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: Any) -> Decide:
        """`decide` with the order of the table's shoe."""
        del tx, state
        cards = self.orders.get(table_id) or shoe_core.NO_CARDS

        def bound(command: Any, state: Any) -> Any:
            return shoe_core.decide(command, state, cards)

        return bound

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """None."""
        del tx, staged
        return ()

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing is kept."""


class _Money(PlainCompanion):
    """The wager's companion with a wallet that has all the money there is."""

    async def effects(self, tx: Any, staged: Sequence[Staged]) -> Sequence[tuple[Staged, Command]]:
        """Every debit is done."""
        del tx
        return [
            (
                each,
                RecordDebit(
                    at_us=each.meta.occurred_at_us,
                    by=each.meta.actor,
                    movement_id=each.event.movement_id,
                    outcome="DONE",
                ),
            )
            for each in staged
            if isinstance(each.event, DebitRequested)
        ]


class World:
    """Four executors and what travels between them."""

    def __init__(self) -> None:
        self.orders = _Orders()
        companions: dict[str, Companion] = {
            "shoe": self.orders,
            "round": PlainCompanion(_aggregate("round")),
            "wager": _Money(_aggregate("wager")),
            "settlement": PlainCompanion(_aggregate("settlement")),
        }
        self.stores = {name: MemoryStore(name, ManualClock(0)) for name in CORES}
        self.executors = {
            name: Executor(
                _aggregate(name),
                self.stores[name],
                companions[name],
                Registry(name, core.EVENTS),
                limits=Limits(linger_s_max=0.0),
                jitter=random.Random(7),
            )
            for name, core in CORES.items()
        }
        self._sent = dict.fromkeys(CORES, 0)

    async def __aenter__(self) -> Self:
        for executor in self.executors.values():
            await executor.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for executor in self.executors.values():
            await executor.stop()

    async def run(self, step: Step, table_id: str, command_id: str) -> Outcome:
        """A command and everything that follows from it."""
        if isinstance(step.command, LoadShoe):
            self.orders.orders.pop(table_id, None)
            if step.order is not None:
                self.orders.orders[table_id] = KnownOrder(step.order)
        outcome = await self.executors[step.service].command(
            table_id,
            step.command,
            command_id=command_id,
            input_hash=repr(step.command).encode(),
            key=step.key,
            named_by=step.named_by,
        )
        while await self.spread():
            pass
        return outcome

    async def spread(self) -> bool:
        """Let everybody hear what is new; False where nothing was."""
        moved = False
        for name in CORES:
            records = await self.stores[name].read_log(after_position=self._sent[name], limit=1_000)
            if not records:
                continue
            moved = True
            self._sent[name] = records[-1].position
            published = [record for record in records if record.published]
            for other, core in CORES.items():
                if published and name in core.HEARS:
                    await self._hear(other, published)
        return moved

    async def _hear(self, listener: str, records: Sequence[Record]) -> None:
        for verdict in await self.executors[listener].hear(records, listener):
            assert verdict.result in (Result.DONE, Result.PASSED), (listener, verdict)


def _aggregate(name: str) -> Aggregate:
    core: Any = CORES[name]
    return core  # type: ignore[no-any-return]
