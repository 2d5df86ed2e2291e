"""Offsets are committed later than their batches, and count in the life of the topic they are of."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import (
    CommitFailedError,
    GroupAuthorizationFailedError,
    KafkaError,
    RequestTimedOutError,
)
from aiokafka.structs import OffsetAndMetadata

from services.chassis.offsets import Offsets

MINE = TopicPartition("events", 3)
GONE = TopicPartition("events", 4)


LIFE = {MINE: "first life", GONE: "first life"}


class Message(NamedTuple):
    """The place of a message."""

    topic: str
    partition: int
    offset: int
    timestamp: int = 0


class Member:
    """A consumer as the library gives it, as far as committing and beginning go."""

    def __init__(self, failures: list[KafkaError] | None = None) -> None:
        self.committed: list[dict[TopicPartition, tuple[int, str]]] = []
        self.known: dict[TopicPartition, OffsetAndMetadata] = {}
        self.calls: list[tuple[str, TopicPartition, int]] = []
        self._coordinator = self
        self._failures = failures or []

    def assignment(self) -> set[TopicPartition]:
        return {MINE}

    async def commit(self, offsets: dict[TopicPartition, tuple[int, str]]) -> None:
        if self._failures:
            raise self._failures.pop()
        self.committed.append(offsets)

    async def fetch_committed_offsets(self, _: object) -> dict[TopicPartition, OffsetAndMetadata]:
        if self._failures:
            raise self._failures.pop()
        return self.known

    def pause(self, partition: TopicPartition) -> None:
        self.calls.append(("pause", partition, -1))

    def seek(self, partition: TopicPartition, offset: int) -> None:
        self.calls.append(("seek", partition, offset))

    def resume(self, partition: TopicPartition) -> None:
        self.calls.append(("resume", partition, -1))


def of(member: Member, lives: dict[TopicPartition, str] | None = None) -> Offsets:
    return Offsets(lambda: member, LIFE if lives is None else lives)


def messages(partition: TopicPartition, *offsets: int) -> list[Message]:
    return [Message(partition.topic, partition.partition, offset) for offset in offsets]


async def test_batches_are_committed_together_and_once() -> None:
    member = Member()
    offsets = of(member)
    offsets.handled(messages(MINE, 5, 6))
    offsets.handled(messages(MINE, 7))
    await offsets.commit()
    await offsets.commit()
    assert member.committed == [{MINE: (8, "first life")}]


async def test_what_is_due_is_committed_before_partitions_go_to_somebody_else() -> None:
    member = Member()
    offsets = of(member)
    offsets.handled(messages(MINE, 5) + messages(GONE, 70))
    await offsets.on_partitions_revoked([MINE])
    assert member.committed == [{MINE: (6, "first life")}]
    await offsets.commit()
    assert len(member.committed) == 1, "what is gone is not held for when it comes back"


@pytest.mark.parametrize(
    ("failure", "later"),
    [(RequestTimedOutError(), [{MINE: (6, "first life")}]), (CommitFailedError(), [])],
)
async def test_a_failed_commit_is_due_again_unless_somebody_else_reads(
    failure: KafkaError, later: list[dict[TopicPartition, tuple[int, str]]]
) -> None:
    member = Member([failure])
    offsets = of(member)
    offsets.handled(messages(MINE, 5))
    await offsets.commit()
    assert member.committed == []
    await offsets.commit()
    assert member.committed == later


async def test_a_consumer_that_was_broken_off_commits_nothing() -> None:
    offsets = Offsets(lambda: None, LIFE)
    offsets.handled(messages(MINE, 5))
    await offsets.commit()


@pytest.mark.parametrize(
    ("known", "life", "begin"),
    [
        (OffsetAndMetadata(40, "first life"), "first life", 40),
        (OffsetAndMetadata(40, "first life"), "second life", 0),
        (OffsetAndMetadata(40, ""), "first life", 0),
        (OffsetAndMetadata(40, ""), "", 0),
        (None, "first life", 0),
    ],
    ids=["the same topic", "made anew", "of a release before", "nothing in it", "never committed"],
)
async def test_a_consumer_begins_where_its_offset_means_something(
    known: OffsetAndMetadata | None, life: str, begin: int
) -> None:
    member = Member()
    member.known = {} if known is None else {MINE: known}
    await of(member, {MINE: life}).on_partitions_assigned([MINE])
    assert member.calls == [("pause", MINE, -1), ("seek", MINE, begin), ("resume", MINE, -1)]


async def test_nothing_is_read_while_it_is_not_known_from_where() -> None:
    member = Member([GroupAuthorizationFailedError("sink")])
    with pytest.raises(GroupAuthorizationFailedError):
        await of(member).on_partitions_assigned([MINE])
    assert member.calls == [("pause", MINE, -1)]


async def test_an_empty_partition_is_known_by_its_first_record() -> None:
    """With a broker that knows no topic ids; what comes after a topic was replaced names the old."""
    member = Member()
    offsets = of(member, {MINE: ""})
    assert offsets.replaced({MINE: "1764460800123"}) == set(), "it was empty, and has a record now"
    offsets.handled([Message(MINE.topic, MINE.partition, 0, 1_764_460_800_123)])
    offsets.handled([Message(MINE.topic, MINE.partition, 0, 1_764_460_899_999)])
    await offsets.commit()
    assert member.committed == [{MINE: (1, "1764460800123")}]
    assert offsets.replaced({MINE: "1764460800123"}) == set()
    assert offsets.replaced({MINE: "1764460899999"}) == {"events"}


def test_a_replaced_topic_is_noticed_by_any_of_its_partitions() -> None:
    offsets = of(Member())
    assert offsets.replaced(LIFE) == set()
    assert offsets.replaced({**LIFE, GONE: "second life"}) == {"events"}
    assert offsets.replaced({**LIFE, GONE: ""}) == {"events"}
