"""Records that cannot be handled: each kind alone and inside a batch, on each of two topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.partitioner import DefaultPartitioner

from services.chassis import topics
from services.chassis.decider import Record
from services.chassis.parking import Why
from tests.integration.messaging.rig import (
    Added,
    Faults,
    Rig,
    Sink,
    Source,
    assert_once,
    dead_letters,
    message_of,
    publish_raw,
    until,
)

BROKEN = 1_000_000
Message = tuple[bytes | None, bytes | None, Sequence[tuple[str, bytes]]]


def partition_of(table: str) -> int:
    chosen: int = DefaultPartitioner()(table.encode(), list(range(topics.PARTITIONS_PER_TOPIC)), [])
    return chosen


def neighbours(table: str, count: int) -> list[str]:
    """Other tables in the same partition: they are in its batches."""
    names = (f"N{number}" for number in range(10_000))
    return [name for name in names if partition_of(name) == partition_of(table)][:count]


@dataclass(frozen=True)
class Poison:
    """One kind of record that cannot be handled, and what is to become of it."""

    name: str
    reason: str
    make: Callable[[Source, Record], Message]
    """The message, given a good record of the same table."""

    parks: bool = False
    logged: bool = False
    """It is a record of the log: the good one itself, and the next ones build on it."""


def changed(record: Record, name: str, value: bytes) -> Message:
    key, body, headers = message_of(record)
    return key, body, [(n, value if n == name else v) for n, v in headers]


def without(record: Record, name: str) -> Message:
    key, body, headers = message_of(record)
    return key, body, [(n, v) for n, v in headers if n != name]


POISONS = [
    Poison("garbage", "BAD_MESSAGE", lambda _, r: (r.stream.encode(), b"\x00\xff garbage", [])),
    Poison("no-key", "NO_KEY", lambda _, r: (None, *message_of(r)[1:])),
    Poison("bad-key", "NO_KEY", lambda _, r: (b"\xff\xfe", *message_of(r)[1:])),
    Poison("tombstone", "BAD_MESSAGE", lambda _, r: (r.stream.encode(), None, [])),
    Poison(
        "binary-header",
        "BAD_MESSAGE",
        lambda _, r: (r.stream.encode(), b"{}", [("content-type", b"\xff"), ("x", b"\xfe\xff")]),
    ),
    Poison("no-id", "BAD_MESSAGE", lambda _, r: without(r, "ce_id")),
    Poison("body", "BAD_MESSAGE", lambda _, r: (r.stream.encode(), b'{"a":', message_of(r)[2])),
    Poison("forged", "BAD_MESSAGE", lambda _, r: changed(r, "ce_sequence", b"77")),
    Poison("tampered", "BAD_MESSAGE", lambda _, r: (r.stream.encode(), b"{}", message_of(r)[2])),
    Poison("unknown-type", "UNKNOWN_TYPE", lambda _, r: message_of(r), logged=True),
    Poison("wrong-schema", "FAILED", lambda _, r: message_of(r), parks=True, logged=True),
    Poison("newer-version", "FAILED", lambda _, r: message_of(r), parks=True, logged=True),
    Poison("mistake", "FAILED", lambda _, r: message_of(r), parks=True, logged=True),
]


async def append_poison(source: Source, poison: Poison, table: str) -> Record:
    """Put the record at fault into the log, where it is one of the log."""
    if poison.name == "unknown-type":
        (record,) = await source.append([table], kind="never-heard-of", body=b'{"x":1}')
    elif poison.name == "wrong-schema":
        (record,) = await source.append([table], body=b'{"amount":"seven"}')
    elif poison.name == "newer-version":
        (record,) = await source.append([table], schema_version=2)
    elif poison.name == "mistake":
        (record,) = await source.append([table], event=Added(amount=BROKEN))
    else:
        (record,) = await source.append([table])
    return record


async def committed(sink: Sink, source: Source, partition: int) -> int | None:
    """The offset that the sink's group has committed."""
    subscriber = sink.consumers._subscriber
    assert subscriber is not None
    assert subscriber.consumer is not None
    offset: int | None = await subscriber.consumer.committed(
        TopicPartition(source.topic, partition)
    )
    return offset


@dataclass
class Scene:
    """A bad record between good ones on one topic."""

    source: Source
    table: str
    partition: int
    before: list[Record]
    bad: Record
    after: list[Record]
    batches: list[list[Message]]

    @property
    def offset(self) -> int:
        """The place of the bad record in its partition."""
        return len(self.before)

    def handled(self, *, parks: bool) -> list[Record]:
        return [
            record
            for record in self.before + self.after
            if not parks or record.stream != self.table or record.position < self.bad.position
        ]


async def set_the_scene(source: Source, poison: Poison, table: str, *, alone: bool) -> Scene:
    others = neighbours(table, 3)
    before = await source.append([table, *others])
    bad = await append_poison(source, poison, table)
    after = await source.append([*others, table] if poison.logged else others)
    parts: list[list[Message]] = [
        [message_of(record) for record in before],
        [poison.make(source, bad)],
        [message_of(record) for record in after],
    ]
    batches = parts if alone else [[message for part in parts for message in part]]
    return Scene(source, table, partition_of(table), before, bad, after, batches)


@pytest.mark.parametrize("where", ["alone", "in-a-batch"])
@pytest.mark.parametrize("poison", POISONS, ids=lambda poison: poison.name)
async def test_one_bad_record_stops_nobody_but_its_own_table(
    memory_rig: Rig, poison: Poison, where: str
) -> None:
    """Proves that a bad record is put aside with reason and origin, and all others are handled.

    On each of two topics, and in the second case as one record in the middle of a batch.
    """
    alone = where == "alone"
    sources = [await memory_rig.source(start=False) for _ in range(2)]
    scenes = [
        await set_the_scene(source, poison, table, alone=alone)
        for source, table in zip(sources, ("T0", "T1"), strict=True)
    ]
    sink = await memory_rig.sink(*sources, faults=Faults(broken={BROKEN}), start=alone)
    for scene in scenes:
        for batch in scene.batches:
            await publish_raw(
                scene.source.kafka, scene.source.topic, batch, partition=scene.partition
            )
    if not alone:
        await sink.consumers.start()

    expected = [record for scene in scenes for record in scene.handled(parks=poison.parks)]
    await sink.has(len(expected))
    assert_once(await sink.causes(), expected)
    await sink.parked(*(scene.table for scene in scenes if poison.parks))
    for scene in scenes:
        (letter,) = await dead_letters(scene.source.kafka, scene.source, count=1)
        assert letter["dlq-reason"] == poison.reason
        assert letter["dlq-origin"] == f"{scene.source.topic}/{scene.partition}/{scene.offset}"
        assert letter["dlq-consumer"] == sink.service
        assert letter["dlq-what"]
        await until_committed(sink, scene)
    why = Why.NEWER if poison.name == "newer-version" else Why.FAILED
    for parked in await sink.parking.tables():
        assert parked.why is why
        assert parked.event_id in {scene.bad.event_id for scene in scenes}


async def until_committed(sink: Sink, scene: Scene) -> None:
    end = sum(len(batch) for batch in scene.batches)

    async def all_committed() -> bool:
        return await committed(sink, scene.source, scene.partition) == end

    await until(all_committed, what="the offset behind the bad record committed")


async def test_a_failure_that_passes_is_retried_in_its_place(memory_rig: Rig) -> None:
    """Proves that a moment's trouble costs neither a dead letter nor the order."""
    source = await memory_rig.source()
    faults = Faults()
    faults.flaky[5] = 2
    sink = await memory_rig.sink(source, faults=faults)
    await source.append(["T0"] * 10)
    await sink.has(10)
    assert_once(await sink.causes(), await source.log())
    assert await sink.parking.tables() == []
    assert faults.flaky[5] == 0


@pytest.mark.parametrize("name", ["garbage", "unknown-type", "mistake"])
async def test_without_dead_letters_nothing_is_put_aside(
    memory_rig: Rig, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Proves that no bad record goes without its dead letter because that could not be written."""
    (poison,) = [poison for poison in POISONS if poison.name == name]
    source = await memory_rig.source(start=False)
    sink = await memory_rig.sink(source, faults=Faults(broken={BROKEN}))
    letters = sink.consumers._letters
    send, failures = letters._send, 3

    async def fail(batch: Any) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise ConnectionError("the dead letters are away")
        await send(batch)

    monkeypatch.setattr(letters, "_send", fail)
    scene = await set_the_scene(source, poison, "T0", alone=False)
    (batch,) = scene.batches
    await publish_raw(source.kafka, source.topic, batch, partition=scene.partition)
    (letter,) = await dead_letters(source.kafka, source, count=1)
    assert letter["dlq-reason"] == poison.reason
    assert failures == 0
    expected = scene.handled(parks=poison.parks)
    await sink.has(len(expected))
    assert_once(await sink.causes(), expected)
    await sink.parked(*(["T0"] if poison.parks else []))
    await until_committed(sink, scene)


async def test_a_large_record_gets_a_cut_dead_letter(memory_rig: Rig) -> None:
    """Proves that the headers of a dead letter cannot make it too large to be written."""
    source = await memory_rig.source(start=False)
    await memory_rig.sink(source)
    large = b"x" * 1_040_000
    await publish_raw(source.kafka, source.topic, [(b"T0", large, [])])
    (letter,) = await dead_letters(source.kafka, source, count=1)
    assert letter["dlq-reason"] == "BAD_MESSAGE"
