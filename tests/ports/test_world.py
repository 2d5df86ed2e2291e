"""The executors on the store in memory tell the same story as the plain fold of `replay`."""

from __future__ import annotations

from pathlib import Path

import pytest

from services import cli
from services.chassis.digest import digest_of
from services.chassis.registry import Registry, decode_meta
from services.contracts.core import Noted
from services.tablelog import lines as log
from services.tablelog.inprocess import InProcessTable
from services.tablelog.reader import read
from services.tablelog.steps import steps
from tests.support.world import CORES, World

RECORDED = Path(cli.__file__).parent / "data" / "recorded"
LINES_MAX = 120


@pytest.mark.parametrize("name", ["martingale-on-punto", "dalembert-on-banco"])
async def test_the_stored_events_are_those_of_replay(name: str) -> None:
    """Each service stores, in the same order, exactly the events that the pure fold gives."""
    plain = InProcessTable("T")
    async with World() as world:
        told = []
        for line in read(str(RECORDED / f"{name}.jsonl")):
            if line.number > LINES_MAX:
                break
            for number, step in enumerate(steps(line, "T")):
                command_id = f"{line.number}.{number}"
                _, caused = plain.run(step, command_id)
                told += caused
                await world.run(step, "T", command_id)
            assert isinstance(line, log.Line)
        for service, core in CORES.items():
            records = await world.stores[service].read_log(after_position=0, limit=100_000)
            registry = Registry(service, core.EVENTS)
            own = [
                registry.decode(record.type, record.schema_version, record.body)
                for record in records
                if record.type != Noted.type
            ]
            assert own == [each.event for each in told if each.service == service]
            depths = [
                decode_meta(record.meta).depth for record in records if record.type != Noted.type
            ]
            assert depths == [each.depth for each in told if each.service == service]


async def test_what_was_heard_is_kept_as_it_was_published() -> None:
    """A noted event holds the bytes and digests of its publisher, and they fit each other."""
    async with World() as world:
        for line in read(str(RECORDED / "martingale-on-punto.jsonl")):
            for number, step in enumerate(steps(line, "T")):
                await world.run(step, "T", f"{line.number}.{number}")
        logs = {
            service: {
                record.event_id: record
                for record in await world.stores[service].read_log(after_position=0, limit=100_000)
            }
            for service in CORES
        }
        registry = Registry("settlement", CORES["settlement"].EVENTS)
        noted = 0
        for record in logs["settlement"].values():
            if record.type != Noted.type:
                continue
            event = registry.decode(record.type, record.schema_version, record.body)
            assert isinstance(event, Noted)
            source = logs[event.service][event.event_id]
            assert bytes(event.body) == source.body
            assert bytes(event.meta) == source.meta
            assert event.digest == source.digest.hex()
            again = digest_of(
                bytes.fromhex(event.previous_digest),
                event.event_id,
                event.event_type,
                event.event_version,
                bytes(event.meta),
                bytes(event.body),
            )
            assert again.hex() == event.digest
            noted += 1
        assert noted > 100
