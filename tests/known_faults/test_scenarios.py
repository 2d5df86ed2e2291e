"""Faults of others that no other test shows: a scenario each."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import pytest
from aiokafka import TopicPartition
from msgspec.structs import replace

from services.chassis.decider import Record
from services.chassis.offsets import Offsets
from services.chassis.registry import NewerVersion, UnknownType
from services.contracts.core import Noted
from services.settlement.projections import CoupStories
from services.settlement.reading import read
from tests.golden.recorder import GOLDEN, load
from tests.support.played import SIX_SEVEN, Played


class Handled(NamedTuple):
    """A message, as far as its place goes."""

    topic: str
    partition: int
    offset: int


class Member:
    """A consumer as the library gives it, as far as committing goes."""

    def __init__(self, *mine: TopicPartition) -> None:
        self.mine = set(mine)
        self.committed: dict[TopicPartition, tuple[int, str]] = {}

    def assignment(self) -> set[TopicPartition]:
        return self.mine

    async def commit(self, offsets: dict[TopicPartition, tuple[int, str]]) -> None:
        self.committed.update(offsets)


async def test_kafka_delivery_09_offsets_of_a_partition_that_went_away_are_not_committed() -> None:
    """Somebody else has committed 50 of it by now; what is still held here is 40."""
    gone, kept = TopicPartition("events", 0), TopicPartition("events", 1)
    member = Member(kept)
    due = Offsets(lambda: member, {gone: "life", kept: "life"})
    due.handled([Handled(gone.topic, 0, 39), Handled(kept.topic, 1, 6)])
    await due.commit()
    assert member.committed == {kept: (7, "life")}
    await due.on_partitions_revoked([kept])
    assert member.committed == {kept: (7, "life")}


async def test_event_versioning_03_a_rebuild_ends_at_an_own_event_that_it_does_not_know() -> None:
    """An amount that nobody can read makes no balance without it: not live, and not in a rebuild."""
    records = load(GOLDEN / "v0.1.0", "settlement")
    paid = next(record for record in records if record.type == "wager-settled")
    unknown = replace(paid, type="credit-adjusted")
    with pytest.raises(UnknownType):
        read(unknown)
    with pytest.raises(UnknownType):
        CoupStories().told([unknown])
    with pytest.raises(NewerVersion):
        read(replace(paid, schema_version=paid.schema_version + 1))
    with pytest.raises(NewerVersion):
        read(_heard_of_later_release(records))


def _heard_of_later_release(records: list[Record]) -> Record:
    noted = next(record for record in records if record.type == Noted.type)
    body = msgspec.json.decode(noted.body)
    return replace(noted, body=msgspec.json.encode({**body, "event_version": 99}))


def test_wallet_concurrency_04_of_two_who_open_a_coup_one_does() -> None:
    """Commands of a table are decided one after another, so the second finds a coup that runs."""
    table = Played().shoe(f"5S {SIX_SEVEN} {SIX_SEVEN}").do("burn", reason="new_shoe")
    assert table.do("open_betting").refused is None
    again = table.do("open_betting").refused
    assert again is not None
    assert again.reason == "STATE"
    assert table.round.coups == 1
