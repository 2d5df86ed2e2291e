"""How far `play` has come with its logs, told every few seconds to whoever waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

REPORT_S: Final = 5.0
CHUNK_BYTES: Final = 1 << 20
SECONDS_SHOWN_MAX: Final = 90


class Progress:
    """Counts lines and says, at times, how many there are and how long the rest may take.

    Nothing is said of what ends within `REPORT_S`. A rest can be told only of logs that are plain
    files; a resumed run is answered faster for what it has played already, and then says too little.
    """

    def __init__(
        self,
        files: Sequence[str],
        say: Callable[[str], Any],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        lengths = [lines_in(file) for file in files]
        self._total = None if None in lengths else sum(length or 0 for length in lengths)
        self._lines = [0] * len(files)
        self._say = say
        self._clock = clock
        self._began_s = self._said_s = clock()

    def passed(self, number: int, line: int) -> None:
        """The `number`-th log, counted from 1, has been played up to this line."""
        self._lines[number - 1] = line
        now_s = self._clock()
        if now_s - self._said_s >= REPORT_S:
            self._said_s = now_s
            self._say(self._told(now_s - self._began_s))

    def _told(self, taken_s: float) -> str:
        done = sum(self._lines)
        if self._total is None:
            return f"played {done:,} lines"
        rest_s = taken_s / done * (self._total - done)
        short = rest_s <= SECONDS_SHOWN_MAX
        rest = f"{rest_s:.0f} s" if short else f"{rest_s / 60:.0f} min"
        return f"played {done:,} of {self._total:,} lines; about {rest} to go"


def lines_in(file: str) -> int | None:
    """How many lines a plain file has; None for anything that is not there to be read twice."""
    path = Path(file)
    if not path.is_file():
        return None
    count, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")
