"""The database of a released version under today's services: processes, a broker, and faults.

Today's relays publish the old log once more, today's consumers know what they have handled of it, and at
the old tables play goes on beside new ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from services.chassis import relay
from services.chassis.decider import Record
from services.chassis.registry import decode_meta
from services.chassis.store import Checkpoint, InboxMark
from services.round import commands as table
from services.shoe import commands as cards
from services.shoe.sealing import Order
from services.wager import commands as book
from tests.golden.recorder import load
from tests.golden.test_golden import DEALER, NATURALS, VERSIONS
from tests.simulation import world as simulation
from tests.simulation.bank import Row
from tests.simulation.calls import Desk
from tests.simulation.floor import PLAYERS, _player
from tests.simulation.nodes import CORES
from tests.simulation.run import simulate

SEED = 4
"""Processes are killed, the broker is emptied once, and answers are lost."""

STAKE_MINOR = 500
TRIES_MAX = 400

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


class Upgraded(simulation.World):
    """A world whose disks hold the logs of a release."""

    folder: Path

    def __init__(self, seed: int, *, echo: bool) -> None:
        super().__init__(seed, echo=echo)
        logs = {service: load(self.folder, service) for service in CORES}
        self.old = sorted({record.stream for record in logs["round"]})
        self.dealt: list[str] = []
        for service, records in logs.items():
            self._write(service, records)
        for record in _in_order_of_cause(logs):
            self._take(record)

    def _write(self, service: str, records: Sequence[Record]) -> None:
        disk = self.disks[service]
        data = disk.store._data
        metas = [decode_meta(record.meta) for record in records]
        data.add(records, [(meta.coup_id, meta.command_id) for meta in metas])
        disk._seen = len(records)
        for other, core in CORES.items():
            if service in core.HEARS:
                self.disks[other].store._data.inbox |= {
                    (service, record.stream): InboxMark(record.position, record.event_id)
                    for record in records
                    if record.published
                }
        if service == "settlement":  # what was won is paid
            data.checkpoints["subscription:credits"] = Checkpoint(len(records), b"")

    def _committed(self, service: str, records: Sequence[Record]) -> None:
        """The form of every event is checked, and of the new tables the whole story."""
        for record in records:
            if record.stream in self.old:
                self._audited(self._take, record)
            else:
                super()._committed(service, [record])

    def _take(self, record: Record) -> None:
        self.auditor.logs.take(simulation._entry(record))

    def _moved(self, movement: Row) -> None:
        if not movement.movement_id.startswith(tuple(self.old)):
            super()._moved(movement)

    async def run(self) -> None:
        for table_id in self.old:
            self.begin(self._play(table_id), f"play at {table_id}")
        await super().run()

    def unrest(self) -> list[str]:
        return [*super().unrest(), *(f"{t} is not dealt" for t in self.old if t not in self.dealt)]

    async def _play(self, table_id: str) -> None:
        """Another shoe and another coup, with a wager on it, whatever fails meanwhile."""
        desk = Desk(self, table_id)
        preset = {"source": "PRESET", "partial": True, "stands_for_preparation": True}
        order = Order(NATURALS, b"")
        await self._insist(desk, "shoe", cards.LoadShoe, shoe_id="later", order=order, **preset)
        await self._insist(desk, "round", table.OpenBetting)
        wager = {"wager_id": "later", "player": PLAYERS[0], "area": "PLAYER"}
        await self._insist(
            desk, "wager", book.PlaceWager, _player(PLAYERS[0]), amount_minor=STAKE_MINOR, **wager
        )
        await self._insist(desk, "round", table.CallNoMoreBets)
        await self._insist(desk, "round", table.DealCoup)
        self.dealt.append(table_id)

    async def _insist(
        self, desk: Desk, service: str, command: type[Any], by: Any = DEALER, **fields: Any
    ) -> None:
        """Ask until it is allowed: news is under way, and services come and go."""
        for _ in range(TRIES_MAX):
            outcome = await desk.act(service, command, by, **fields)
            if outcome is not None and outcome.refused is None:
                return
            await asyncio.sleep(0.5)
        raise AssertionError(f"{command.__name__} at {desk.table_id}: {outcome}")


def _in_order_of_cause(logs: dict[str, list[Record]]) -> list[Record]:
    """All logs as one: no event comes before what it follows from or has heard."""
    rest = {service: list(reversed(records)) for service, records in logs.items()}
    known: set[str] = set()
    merged: list[Record] = []

    def ready(record: Record) -> bool:
        cause = decode_meta(record.meta).cause
        return cause.partition(":")[0] not in CORES or cause in known

    while any(rest.values()):
        before = len(merged)
        for records in rest.values():
            while records and ready(records[-1]):
                merged.append(records.pop())
                known.add(merged[-1].event_id)
        assert len(merged) > before, "the logs wait for each other"
    return merged


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_services_of_today_go_on_with_the_databases_of_a_release(folder: Path) -> None:
    """At its tables a coup is staked on, dealt and paid once, and nothing of the old log counts twice."""
    worlds: list[Upgraded] = []

    class World(Upgraded):
        def __init__(self, seed: int, *, echo: bool) -> None:
            super().__init__(seed, echo=echo)
            worlds.append(self)

    World.folder = folder
    report = simulate(SEED, kind=World)
    assert not report.breach, report.where
    (world,) = worlds
    settlement, bank = world.disks["settlement"].store._data, world.disks["wager"].bank
    old = load(folder, "settlement")
    for table_id in world.old:
        kinds = [record.type for record in settlement.streams[table_id]]
        new = kinds[sum(record.stream == table_id for record in old) :]
        assert (new.count("wager-settled"), new.count("coup-settled")) == (1, 1)
        moved = [row.kind for key, row in bank.rows.items() if key.startswith(table_id)]
        assert sorted(moved) == ["CREDIT", "DEBIT"]
    for service, disk in world.disks.items():
        checkpoint = disk.store._data.checkpoints[relay.checkpoint_name(service)]
        assert checkpoint.position == len(disk.store._data.log)
