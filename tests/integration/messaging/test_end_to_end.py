"""From one log to another service's log, and back to nothing lost."""

from __future__ import annotations

from services.chassis import envelope
from tests.integration.messaging.rig import Rig, assert_once, read_topic


async def test_what_one_service_appends_the_other_counts_once_and_in_order(rig: Rig) -> None:
    """Proves the way of a record: log, relay, broker, executor, inbox."""
    source = await rig.source()
    sink = await rig.sink(source)
    tables = [f"T{number}" for number in range(20)]
    for _ in range(10):
        await source.append(tables)
    await sink.has(200)
    assert_once(await sink.causes(), await source.log())


async def test_the_relay_keeps_the_order_of_every_table_and_the_bytes(rig: Rig) -> None:
    """Proves that a topic holds the published records exactly, each table in one partition."""
    source = await rig.source(start=False)
    tables = [f"T{number}" for number in range(7)]
    for round_number in range(30):
        await source.append(tables, published=round_number % 5 != 0)
    await source.relay.start()
    await source.relayed()
    messages = await read_topic(source.kafka, source.topic)
    heard = [envelope.decode(m.key, m.value, m.headers).record for m in messages]
    published = [record for record in await source.log() if record.published]
    assert sorted(heard, key=lambda record: record.position) == published
    for table in tables:
        partitions = {m.partition for m in messages if m.key.decode() == table}
        versions = [record.version for record in heard if record.stream == table]
        assert len(partitions) == 1
        assert versions == sorted(versions)
