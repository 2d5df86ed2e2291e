"""The end of the log in memory: what readers are given of it, and what they are not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

import pytest

from services.chassis.decider import Record
from services.chassis.digest import GENESIS
from services.chassis.postgres import Pool, PostgresStore
from services.chassis.store import TAIL_BYTES_MAX, TAIL_RECORDS_MAX, StoreUnavailable, Tail
from tests.ports.counter import Added, append


def records(positions: Iterable[int], body: bytes = b"{}") -> list[Record]:
    return [
        Record(
            service="s",
            stream="t",
            version=position,
            position=position,
            previous=position - 1,
            type="said",
            schema_version=1,
            meta=b"{}",
            body=body,
            previous_digest=GENESIS,
            digest=GENESIS,
            published=True,
            recorded_at_us=0,
        )
        for position in positions
    ]


def after(tail: Tail, position: int, limit: int = 100) -> list[int]:
    return [record.position for record in tail.after(position, limit=limit)]


def test_what_was_committed_here_is_read_from_memory() -> None:
    tail = Tail()
    tail.add(records([5, 6]))
    tail.add(records([7]))
    assert after(tail, 4) == [5, 6, 7]
    assert after(tail, 5) == [6, 7]
    assert after(tail, 4, limit=2) == [5, 6]


def test_before_and_behind_it_the_database_is_asked() -> None:
    tail = Tail()
    assert after(tail, 0) == []
    tail.add(records([5, 6]))
    assert after(tail, 3) == []
    assert after(tail, 6) == []
    assert after(tail, 9) == []


def test_what_another_process_wrote_is_not_passed_over() -> None:
    tail = Tail()
    tail.add(records([5, 6]))
    tail.add(records([9]))
    assert after(tail, 4) == []
    assert after(tail, 6) == []
    assert after(tail, 8) == [9]


def test_positions_that_go_back_leave_nothing_of_before() -> None:
    tail = Tail()
    tail.add(records([5, 6, 7]))
    tail.add(records([6]))
    assert after(tail, 4) == []
    assert after(tail, 5) == [6]
    assert after(tail, 6) == []


def test_it_is_bounded_by_number_and_by_size() -> None:
    tail = Tail()
    tail.add(records(range(1, TAIL_RECORDS_MAX + 11)))
    assert after(tail, 9) == []
    assert after(tail, 10, limit=1) == [11]
    large = records(range(TAIL_RECORDS_MAX + 11, TAIL_RECORDS_MAX + 14), bytes(TAIL_BYTES_MAX // 2))
    tail.add(large)
    assert after(tail, TAIL_RECORDS_MAX + 11) == []
    assert after(tail, TAIL_RECORDS_MAX + 12) == [TAIL_RECORDS_MAX + 13]


def test_what_was_read_joins_at_either_end() -> None:
    tail = Tail()
    tail.join(records([3, 4]))
    tail.add(records([7]))
    assert tail.lacks(4) == 2
    tail.join(records([5, 6]))
    tail.join(records([8]))
    assert (tail.lacks(4), after(tail, 4)) == (0, [5, 6, 7, 8])
    assert after(tail, 3) == []


def test_what_was_read_elsewhere_leaves_no_hole() -> None:
    tail = Tail()
    tail.add(records([7, 8]))
    for before in ([1, 2], [5], [6, 7], []):
        tail.join(records(before))
        assert after(tail, 6) == [7, 8]
        assert (tail.lacks(5), after(tail, 5)) == (1, [])
    tail.join(records([10]))
    assert (after(tail, 6), after(tail, 9)) == ([], [10])


def test_what_was_read_is_bounded_too() -> None:
    tail = Tail()
    tail.add(records(range(11, TAIL_RECORDS_MAX + 11)))
    tail.join(records([9, 10]))
    assert (tail.lacks(8), after(tail, 10, limit=1)) == (2, [11])


class Answering(PostgresStore):
    """Looks are answered when, and as, a test says."""

    def __init__(self) -> None:
        pool: Any = None
        super().__init__("counter", pool)
        self.looks: list[asyncio.Future[list[Record]]] = []

    async def _fetch_log(self, after_position: int, limit: int) -> list[Record]:
        self.looks.append(asyncio.get_running_loop().create_future())
        try:
            return await self.looks[-1]
        except StoreUnavailable:
            self._tail.clear()
            raise

    def wrote(self, positions: Iterable[int]) -> None:
        self._tail.add(records(positions))

    def lost(self) -> None:
        self._tail.clear()


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_where_the_database_is_away_nobody_waits_for_anothers_look() -> None:
    """A look may take as long as a statement may: one after another, the last would wait for all."""
    store = Answering()
    readers = [asyncio.create_task(store.read_log(after_position=0, limit=9)) for _ in range(4)]
    await turns()
    assert len(store.looks) == 1
    store.looks[0].set_exception(StoreUnavailable("away"))
    await turns()
    assert len(store.looks) == 4
    for look in store.looks[1:]:
        look.set_result(records([1]))
    told = await asyncio.gather(*readers, return_exceptions=True)
    assert isinstance(told[0], StoreUnavailable)
    assert told[1:] == [records([1])] * 3


async def test_what_was_read_before_the_database_was_lost_is_read_again() -> None:
    """It may have been taken back; nor is what the tail had no more a reason to end there."""
    store = Answering()
    store.wrote([4, 5])
    reader = asyncio.create_task(store.read_log(after_position=1, limit=9))
    await turns()
    store.lost()
    store.looks[0].set_result(records([2, 3]))
    await turns()
    store.looks[1].set_result(records([2, 3, 4], b"{1}"))
    assert await reader == records([2, 3, 4], b"{1}")
    other = asyncio.create_task(store.read_log(after_position=1, limit=9))
    await turns()
    assert len(store.looks) == 3, "nothing of before is known"
    other.cancel()


async def test_who_reads_for_others_may_go() -> None:
    store = Answering()
    readers = [asyncio.create_task(store.read_log(after_position=0, limit=9)) for _ in range(3)]
    await turns()
    readers[0].cancel()
    await turns()
    store.looks[1].set_result(records([1]))
    assert await asyncio.gather(*readers[1:]) == [records([1])] * 2
    assert len(store.looks) == 2


class Counted(PostgresStore):
    """Counts what is read from the database."""

    def __init__(self, pool: Pool) -> None:
        super().__init__("counter", pool)
        self.fetched: list[int] = []

    async def _fetch_log(self, after_position: int, limit: int) -> list[Record]:
        found = await super()._fetch_log(after_position, limit)
        self.fetched.append(len(found))
        return found


@pytest.mark.integration
@pytest.mark.asyncio(loop_scope="session")
async def test_what_two_processes_write_is_read_once_and_whole(pool: Pool) -> None:
    """Readers that are woken together share one look, which asks for nothing that is known."""
    here, there = Counted(pool), PostgresStore("counter", pool)

    async def read(position: int) -> list[int]:
        return [r.position for r in await here.read_log(after_position=position, limit=9)]

    await append(here, ("t", Added(n=1)))
    await append(there, ("u", Added(n=2)), ("u", Added(n=3)))
    await append(here, ("t", Added(n=4)))
    # A reader that found less than there is would take that for the end, and sleep.
    assert tuple(await asyncio.gather(read(1), read(1))) == ([2, 3, 4], [2, 3, 4])
    assert here.fetched == [2]
    await append(there, ("u", Added(n=5)))
    assert tuple(await asyncio.gather(read(4), read(4))) == ([5], [5])
    assert here.fetched == [2, 1]
    assert await read(0) == [1, 2, 3, 4, 5]
    assert [r.position for r in await here.read_log(after_position=0, limit=2)] == [1, 2]
