"""What survives a crash, and the handles through which processes reach it.

A disk is a service's database: the store in memory, the accounts, the sealed orders, the rows of a
projection. A handle is one process's connection: it fails, it is slow, it forgets to answer, and
it dies with its process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from msgspec.structs import replace

from services.chassis.decider import Entry, Record
from services.chassis.memory import MemoryStore, MemoryTx
from services.chassis.store import (
    Advance,
    Checkpoint,
    ConcurrencyConflict,
    DeadLetter,
    Parked,
    Progress,
    Signal,
    StoreUnavailable,
)
from services.shoe.sealing import Order, SealedCards
from tests.simulation.bank import Bank, Row
from tests.simulation.chance import Chance, Trace
from tests.simulation.virtual import Owner, VirtualClock

COMMIT_S = 0.001, 0.006
SLOW_COMMIT_S = 0.05, 1.5
FOREIGN = b"\x80"
"""Nothing in it: read by whoever does not look at the schema, it is a table that never opened."""

OnCommit = Callable[[str, Sequence[Record]], None]


class Disk:
    """The database of one service."""

    def __init__(
        self,
        service: str,
        clock: VirtualClock,
        on_commit: OnCommit,
        on_moved: Callable[[Row], None],
    ) -> None:
        self.service = service
        self.store = MemoryStore(service, clock)
        self.bank = Bank(self._moved)
        self.orders: dict[str, Order] = {}
        self.waiting: dict[int, str] = {}
        """Tables of the movements that wait for an answer of the wallet, by place in the log."""

        self.rows: dict[str, bytes] = {}
        self.wagers: dict[str, dict[str, bytes]] = {}
        self.applied = 0
        """Position up to which the projection's rows are."""

        self.leader: Owner | None = None
        self._on_commit = on_commit
        self._on_moved = on_moved
        self._movements: list[Row] = []
        self._seen = 0

    def written_by_another_release(self) -> None:
        """All snapshots have another schema, and mean something else to this release."""
        for stream, snapshot in self.store._data.snapshots.items():
            other = replace(snapshot, state_schema=snapshot.state_schema + 1, state=FOREIGN)
            self.store._data.snapshots[stream] = other

    def _moved(self, movement: Row) -> None:
        self._movements.append(movement)

    def committed(self) -> int:
        """Tell what is new in the log; returns how much that is."""
        new = self.store._data.log[self._seen :]
        self._seen += len(new)
        if new:
            self._on_commit(self.service, new)
        # After the events of the same commit: they say why the money moved.
        movements, self._movements = self._movements, []
        for movement in movements:
            self._on_moved(movement)
        return len(new)


class OrderedSignal(Signal):
    """Wakes its listeners in the order in which they came, which the chassis leaves open."""

    def __init__(self) -> None:
        self._ordered: list[asyncio.Event] = []

    def listen(self) -> asyncio.Event:
        listener = asyncio.Event()
        self._ordered.append(listener)
        return listener

    def notify(self) -> None:
        for listener in self._ordered:
            listener.set()


class Handle:
    """A `Store` as one process has it."""

    def __init__(self, disk: Disk, owner: Owner, chance: Chance, trace: Trace) -> None:
        self.service = disk.service
        self.appended = OrderedSignal()
        self.disk = disk
        self._owner = owner
        self._chance = chance
        self._trace = trace
        self.crash: Callable[[str], None] = lambda _: None

    @asynccontextmanager
    async def transaction(self, *, lock: Collection[str] = ()) -> AsyncIterator[MemoryTx]:
        self._alive()
        async with self.disk.store.transaction(lock=lock) as tx:
            money = self.disk.bank.begin()
            tx.connection = money  # type: ignore[assignment]
            tx.hooks.after_commit(lambda: self.disk.bank.commit(money))
            yield tx
            await self._before_commit(tx)
        new = self.disk.committed()
        if new:
            self._trace(
                f"{self.service} commits {new} events, {self.disk.store._data.log[-1].event_id}"
            )
            self._after_commit()
            self.appended.notify()

    async def _before_commit(self, tx: MemoryTx) -> None:
        new = tx.new
        if not (new.log or new.inbox or new.answers or new.checkpoints or new.parking):
            return  # it only looked
        slow = self._chance.hits("slow commit")
        await asyncio.sleep(self._chance.between(*(SLOW_COMMIT_S if slow else COMMIT_S)))
        self._alive()
        if not tx.new.log:
            return
        if self._chance.hits("crash before commit"):
            self._fall("before a commit")
        if self._chance.hits("commit lost"):
            self._trace(f"{self.service} loses a commit")
            raise StoreUnavailable("the connection was lost before the commit")
        if self._chance.hits("conflict"):
            raise ConcurrencyConflict("somebody else was faster")

    def _after_commit(self) -> None:
        if self._chance.hits("crash after commit"):
            self._fall("after a commit")
        if self._chance.hits("commit unknown"):
            self._trace(f"{self.service} does not hear of its commit")
            raise StoreUnavailable("the connection was lost during the commit")

    def _fall(self, when: str) -> None:
        self.crash(when)
        raise asyncio.CancelledError

    def _alive(self) -> None:
        if self._owner.dead:
            raise asyncio.CancelledError

    async def read_log(self, *, after_position: int, limit: int) -> list[Record]:
        self._alive()
        return await self.disk.store.read_log(after_position=after_position, limit=limit)

    async def read_entries(self, *, after_position: int, limit: int) -> Sequence[Entry]:
        return await self.read_log(after_position=after_position, limit=limit)

    async def read_stream(self, stream: str, *, after_version: int, limit: int) -> list[Record]:
        self._alive()
        return await self.disk.store.read_stream(stream, after_version=after_version, limit=limit)

    async def read_by_command(self, command_ids: Iterable[str]) -> list[Record]:
        return await self.disk.store.read_by_command(command_ids)

    async def read_by_coup(self, coup_id: str) -> list[Record]:
        return await self.disk.store.read_by_coup(coup_id)

    async def head_position(self) -> int:
        self._alive()
        return await self.disk.store.head_position()

    async def progress(self, table_id: str) -> Progress:
        return await self.disk.store.progress(table_id)

    async def parked_tables(self, consumer: str, *, limit: int) -> dict[str, Parked]:
        self._alive()
        return await self.disk.store.parked_tables(consumer, limit=limit)

    async def dead_letters(self, consumer: str, table_id: str, *, limit: int) -> list[DeadLetter]:
        return await self.disk.store.dead_letters(consumer, table_id, limit=limit)

    async def checkpoint(self, name: str) -> Checkpoint:
        self._alive()
        return await self.disk.store.checkpoint(name)

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


class Leadership:
    """The lock that makes one process the one that publishes; it ends with its process."""

    def __init__(self, disk: Disk, owner: Owner) -> None:
        self._disk = disk
        self._owner = owner

    async def acquire(self) -> bool:
        leader = self._disk.leader
        if leader is None or leader.dead:
            self._disk.leader = self._owner
        return self._disk.leader is self._owner

    async def check(self) -> None:
        """It is never lost but with its process."""

    async def release(self) -> None:
        if self._disk.leader is self._owner:
            self._disk.leader = None


class SimVault:
    """Sealed orders, without the encryption."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    async def seal(self, order_id: str, order: Order) -> None:
        self._disk.orders.setdefault(order_id, order)

    async def open(self, connection: Any, order_id: str) -> SealedCards | None:
        order = self._disk.orders.get(order_id)
        return None if order is None else SealedCards(order)
