"""Offsets are committed later than their batches, and then all that is due."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import CommitFailedError, KafkaError, RequestTimedOutError

from services.chassis.offsets import Offsets

MINE = TopicPartition("events", 3)
GONE = TopicPartition("events", 4)


class Message(NamedTuple):
    """The place of a message."""

    topic: str
    partition: int
    offset: int


class Member:
    """A consumer as the library gives it, as far as committing goes."""

    def __init__(self, failures: list[KafkaError] | None = None) -> None:
        self.committed: list[dict[TopicPartition, int]] = []
        self._failures = failures or []

    def assignment(self) -> set[TopicPartition]:
        return {MINE}

    async def commit(self, offsets: dict[TopicPartition, int]) -> None:
        if self._failures:
            raise self._failures.pop()
        self.committed.append(offsets)


def messages(partition: TopicPartition, *offsets: int) -> list[Message]:
    return [Message(partition.topic, partition.partition, offset) for offset in offsets]


async def test_batches_are_committed_together_and_once() -> None:
    member, offsets = Member(), Offsets()
    offsets.handled(member, messages(MINE, 5, 6))
    offsets.handled(member, messages(MINE, 7))
    await offsets.commit()
    await offsets.commit()
    assert member.committed == [{MINE: 8}]


async def test_what_is_due_is_committed_before_partitions_go_to_somebody_else() -> None:
    member, offsets = Member(), Offsets()
    offsets.handled(member, messages(MINE, 5) + messages(GONE, 70))
    await offsets.on_partitions_revoked([MINE])
    assert member.committed == [{MINE: 6}]
    await offsets.commit()
    assert len(member.committed) == 1, "what is gone is not held for when it comes back"


@pytest.mark.parametrize(
    ("failure", "later"), [(RequestTimedOutError(), [{MINE: 6}]), (CommitFailedError(), [])]
)
async def test_a_failed_commit_is_due_again_unless_somebody_else_reads(
    failure: KafkaError, later: list[dict[TopicPartition, int]]
) -> None:
    member, offsets = Member([failure]), Offsets()
    offsets.handled(member, messages(MINE, 5))
    await offsets.commit()
    assert member.committed == []
    await offsets.commit()
    assert member.committed == later


async def test_a_new_consumer_owes_nothing_of_the_one_before() -> None:
    before, after, offsets = Member(), Member(), Offsets()
    offsets.handled(before, messages(MINE, 5))
    offsets.handled(after, messages(MINE, 3))
    await offsets.commit()
    assert (before.committed, after.committed) == ([], [{MINE: 4}])
