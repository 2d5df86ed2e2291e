"""What a table keeps in memory of coups that are over: little, and nothing without a bound."""

from __future__ import annotations

import sys
import tracemalloc
from typing import Any

import msgspec
from msgspec import Struct

from services.contracts.core import Caused, Event
from services.contracts.settlement import WagerSettled
from services.settlement import domain as settlement
from tests.support.spec import Spec, heard, spec
from tests.support.tables import accepted, betting, book_closed, opened, over, resulted

WAGERS = 20
LARGE_BOOK = 1_000
PAYING_BYTES_MAX = 4_000
"""Of each wager of a large book while it is paid."""

KEPT_BYTES_MAX = 200
"""Of a settled wager: less than one of its events takes as a value."""


def test_a_settled_wager_takes_less_memory_than_an_event_of_it() -> None:
    """D7: every coup of a session can be corrected, so its wagers are kept, but not as values."""
    few = _settled(spec(settlement).given(opened()), range(1, 6))
    many = _settled(few, range(6, 16))
    assert sum(len(coup.wagers) for coup in many.state.settled.values()) == 15 * WAGERS
    grown = _bytes(many.state, set()) - _bytes(few.state, set())
    assert grown / (10 * WAGERS) <= KEPT_BYTES_MAX


def test_a_large_book_is_paid_without_keeping_a_state_for_each_payment() -> None:
    """A state holds the payments before it: thousands of them at once would take the square."""
    wagers = [accepted(f"w{each}", f"p{each}") for each in range(LARGE_BOOK)]
    state = spec(settlement).given(opened(), betting(), *wagers, book_closed(LARGE_BOOK)).state
    result = heard(resulted())
    state = settlement.evolve(state, result)
    (settling,) = settlement.react(result, state)
    assert isinstance(settling, Caused)
    tracemalloc.start()
    try:
        decided = settlement.decide(settling.command, state)
        paid = sum(isinstance(event, WagerSettled) for event, _ in decided.steps())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert paid == LARGE_BOOK
    assert peak / LARGE_BOOK <= PAYING_BYTES_MAX


def _settled(now: Spec, numbers: range) -> Spec:
    """With these coups played, settled and closed."""
    for number in numbers:
        wagers = [
            _as_read(accepted(f"coup-{number}-wager-{each}", f"player-{each}", number=number))
            for each in range(WAGERS)
        ]
        told = now.given(betting(number), *wagers, book_closed(WAGERS, number=number)).when_heard(
            _as_read(resulted(number=number))
        )
        now = told.before.given(*told.events, over(number))
    return now


def _as_read(event: Event) -> Event:
    """The event as it comes out of a message: no text in it is shared with another event."""
    return msgspec.json.decode(msgspec.json.encode(event), type=type(event))


def _bytes(value: Any, seen: set[int]) -> int:
    """What a value and everything in it take in memory, each counted once."""
    if id(value) in seen:
        return 0
    seen.add(id(value))
    parts: list[Any] = []
    if isinstance(value, Struct):
        parts = [getattr(value, name) for name in value.__struct_fields__]
    elif isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, tuple | list | frozenset):
        parts = [*value]
    return sys.getsizeof(value) + sum(_bytes(part, seen) for part in parts)
