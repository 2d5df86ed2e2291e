"""The end of the log in memory: what readers are given of it, and what they are not."""

from __future__ import annotations

from collections.abc import Iterable

from services.chassis.decider import Record
from services.chassis.digest import GENESIS
from services.chassis.store import TAIL_BYTES_MAX, TAIL_RECORDS_MAX, Tail


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
