"""What `play` says while somebody waits."""

from __future__ import annotations

import os
from pathlib import Path

from services.tablelog.progress import REPORT_S, Progress, lines_in


class Clock:
    """A clock that is told what it shows."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def log(folder: Path, name: str, lines: int) -> str:
    path = folder / name
    path.write_text("{}\n" * lines)
    return str(path)


def test_it_is_told_every_few_seconds_how_long_the_rest_takes(tmp_path: Path) -> None:
    """Lines of all logs together, at the pace so far; nothing before the first few seconds."""
    said: list[str] = []
    clock = Clock()
    progress = Progress(
        [log(tmp_path, "a", 1_000), log(tmp_path, "b", 500)], said.append, clock=clock
    )
    clock.now_s = REPORT_S - 0.1
    progress.passed(1, 40)
    assert said == []
    clock.now_s = 10.0
    progress.passed(1, 50)
    progress.passed(2, 50)
    assert said == ["played 50 of 1,500 lines; about 5 min to go"]
    clock.now_s = 20.0
    progress.passed(1, 950)
    assert said[1:] == ["played 1,000 of 1,500 lines; about 10 s to go"]


def test_what_cannot_be_counted_has_no_rest(tmp_path: Path) -> None:
    """Standard input and pipes are not read twice."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert (lines_in("-"), lines_in(str(pipe))) == (None, None)
    said: list[str] = []
    clock = Clock()
    progress = Progress([log(tmp_path, "a", 10), "-"], said.append, clock=clock)
    clock.now_s = 6.0
    progress.passed(2, 12)
    assert said == ["played 12 lines"]


def test_a_last_line_without_an_end_counts(tmp_path: Path) -> None:
    """As the reader takes it."""
    path = tmp_path / "log"
    for text, lines in (("", 0), ("{}", 1), ("{}\n", 1), ("{}\n\n{}", 3)):
        path.write_text(text)
        assert lines_in(str(path)) == lines
