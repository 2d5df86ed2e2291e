"""`python -m tests.chaos.launched SERVICE`: the service's own program with one thing changed.

What is changed is said by variables, and nothing is where none is set. A service that no fault asks to
be changed is started as everybody starts it, without this module.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from services.chassis import clock
from services.chassis.clock import SECOND_US
from services.chassis.upcast import UPCASTERS

CLOCK = "CHAOS_CLOCK_FILE"
"""A file with the seconds by which the process's wall clock is wrong; it is read at every look."""

NEWER = "CHAOS_NEWER"
"""JSON: by service, the schema version that a later release has of its event in `CHANGED`."""

CHANGED = {"shoe": "card-drawn", "round": "betting-opened", "wager": "book-closed"}
"""The type of each service that a later release has another version of."""


def main(argv: list[str]) -> int:
    name, *rest = argv
    if path := os.environ.get(CLOCK):
        _wrong_clock(Path(path))
    if versions := os.environ.get(NEWER):
        _later_release(json.loads(versions))
    return int(import_module(f"services.{name}.main").main(rest))


def _wrong_clock(path: Path) -> None:
    def now_us(_: clock.SystemClock) -> int:
        return time.time_ns() // 1000 + round(float(path.read_text() or 0) * SECOND_US)

    clock.SystemClock.now_us = now_us  # type: ignore[method-assign, assignment]


def _later_release(versions: Mapping[str, int]) -> None:
    """The same events under later versions, with the steps that lead there."""
    for service, version in versions.items():
        kind = CHANGED[service]
        event: Any = import_module(f"services.contracts.{service}").EVENTS[kind]
        for step in range(event.schema_version, version):
            UPCASTERS[service, kind, step] = lambda body: body
        event.schema_version = version


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
