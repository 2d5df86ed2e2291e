"""What the cores keep of a long session: little of each coup, and nothing of most of its events."""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

from services import cli
from services.tablelog.inprocess import InProcessTable
from services.tablelog.lines import Deal
from services.tablelog.reader import read
from services.tablelog.replay import run_line

RECORDED: Final = Path(cli.__file__).parent / "data" / "recorded" / "fibonacci-on-punto.jsonl"
SETTLED_IN: Final = 100
"""Coups before the first look."""

KEPT_BYTES_MAX: Final = {"shoe": 20, "round": 350, "wager": 20, "settlement": 700}
"""Of a coup with one wager, which has some fifty events of a kilobyte each. A result can be corrected
until the table closes; shoe and wager need nothing of a coup that is over."""

SHARED: Final = (type, ModuleType, FunctionType, BuiltinFunctionType)


def test_a_long_session_leaves_little_of_a_coup_in_any_state() -> None:
    """180 coups later, every state has grown by no more than its part of each."""
    table = InProcessTable("T1")
    before: dict[str, int] = {}
    coups = 0
    for line in read(str(RECORDED)):
        run_line(table, line)
        coups += isinstance(line, Deal)
        if coups == SETTLED_IN and not before:
            before = _of(table)
    assert coups >= 2 * SETTLED_IN, "a long session"
    grown = {
        service: (size - before[service]) / (coups - SETTLED_IN)
        for service, size in _of(table).items()
    }
    assert all(grown[service] <= KEPT_BYTES_MAX[service] for service in grown), grown


def _of(table: InProcessTable) -> dict[str, int]:
    return {service: _bytes(state) for service, state in table.states.items()}


def _bytes(state: Any) -> int:
    """What a state and everything in it take in memory, each counted once."""
    seen: set[int] = set()
    waiting, total = [state], 0
    while waiting:
        value = waiting.pop()
        if id(value) in seen or isinstance(value, SHARED):
            continue
        seen.add(id(value))
        total += sys.getsizeof(value)
        # Values that hold no cycles are not known to the collector, so what is in them is asked for.
        fields = getattr(value, "__struct_fields__", ())
        waiting += [*gc.get_referents(value), *(getattr(value, name) for name in fields)]
    return total
