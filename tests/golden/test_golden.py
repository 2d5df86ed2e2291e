"""Logs of released versions are read, checked, told and continued by today's code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from services.chassis.decider import Record
from services.chassis.digest import digest_of
from services.chassis.registry import Registry
from services.chassis.work import Core, PlainCompanion
from services.contracts.core import Actor
from services.round.commands import CallNoMoreBets, DealCoup, OpenBetting
from services.shoe.commands import LoadShoe
from services.tablelog.inprocess import InProcessTable
from services.tablelog.steps import Step
from tests.golden.recorder import GOLDEN, GoldenCoup, golden, load, stories
from tests.support.world import CORES

VERSIONS = sorted(folder for folder in GOLDEN.iterdir() if (folder / "coups.json").exists())
DEALER = Actor("dealer-1", "DEALER")
LATER_US = 1_900_000_000_000_000
NATURALS = ("AC", "9D", "9S", "7D", "KD", "TC")


def _core(service: str) -> Core:
    core: Any = CORES[service]
    return Core(core, Registry(service, core.EVENTS), PlainCompanion(core), cached_tables_max=8)


def test_there_is_a_recording() -> None:
    """At least one released version is held on to."""
    assert VERSIONS


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("service", sorted(CORES))
def test_every_event_of_a_release_is_read_and_fits_its_digest(folder: Path, service: str) -> None:
    """No stored event has become unreadable, and the chain of digests still holds."""
    records = load(folder, service)
    registry = Registry(service, CORES[service].EVENTS)
    last: dict[str, bytes] = {}
    for record in records:
        registry.decode(record.type, record.schema_version, record.body)
        assert record.previous_digest == last.get(record.stream, record.previous_digest)
        assert record.digest == digest_of(
            record.previous_digest,
            record.event_id,
            record.type,
            record.schema_version,
            record.meta,
            record.body,
        )
        last[record.stream] = record.digest
    assert [record.position for record in records] == list(range(1, len(records) + 1))


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_every_coup_of_a_release_is_told_as_then(folder: Path) -> None:
    """Cards, result and payments of old coups come out of the log as they did when recorded."""
    kept = msgspec.json.decode((folder / "coups.json").read_bytes(), type=list[GoldenCoup])
    now = stories(load(folder, "settlement"))
    assert kept
    assert [golden(now[coup.coup_id]) for coup in kept] == kept


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_a_table_of_a_release_is_gone_on_with(folder: Path) -> None:
    """The states folded from an old log take today's commands: another shoe, another coup."""
    logs = {service: load(folder, service) for service in CORES}
    table_id = logs["round"][0].stream
    table = InProcessTable(table_id)
    for service in CORES:
        table.states[service] = _folded(service, logs[service], table_id)
    coups = table.states["round"].coups
    for number, step in enumerate(_another_coup()):
        refused, _ = table.run(step, f"later.{number}")
        assert refused is None, refused
    assert table.states["round"].coups == coups + 1
    assert table.states["round"].coup is None


def _folded(service: str, records: Sequence[Record], table_id: str) -> Any:
    core = _core(service)
    return core.fold(core.initial, [record for record in records if record.stream == table_id])


def _another_coup() -> list[Step]:
    load_shoe = LoadShoe(
        at_us=LATER_US,
        by=DEALER,
        shoe_id="later",
        source="PRESET",
        partial=True,
        stands_for_preparation=True,
    )
    return [
        Step("shoe", load_shoe, order=NATURALS),
        Step("round", OpenBetting(at_us=LATER_US + 1, by=DEALER)),
        Step("round", CallNoMoreBets(at_us=LATER_US + 2, by=DEALER)),
        Step("round", DealCoup(at_us=LATER_US + 3, by=DEALER)),
    ]
