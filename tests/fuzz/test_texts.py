"""Odd events, rulebooks and table logs, from a seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.logs import LINES
from tests.fuzz.tally import Tally
from tests.fuzz.texts import command, fuzz_events, fuzz_logs, fuzz_rulebooks, judge

SEED = 7
SECONDS = 20.0


def test_odd_events_are_read_or_refused_by_their_errors() -> None:
    """From the log and from the bus: no error but those that the readers are said to raise."""
    tally = Tally()
    fuzz_events(tally, seconds=SECONDS, seed=SEED, inputs_max=2_500)
    assert tally.breaches == []
    assert {"read", "ValidationError", "DecodeError"} <= set(tally["events in the log"].seen)
    assert {"read", "BadMessage"} <= set(tally["messages on the bus"].seen)


@pytest.mark.slow
def test_odd_rulebooks_are_checked_to_the_end(tmp_path: Path) -> None:
    """`rulebook check` says what is wrong and where, whatever the file holds."""
    tally = Tally()
    fuzz_rulebooks(tally, tmp_path, seconds=SECONDS, seed=SEED, inputs_max=60)
    assert tally.breaches == []
    assert {"status 1", "status 2"} <= set(tally["rulebook check"].seen)


@pytest.mark.slow
def test_odd_table_logs_are_replayed_or_refused_at_a_line(tmp_path: Path) -> None:
    """`replay` ends with 0, or with 2 and FILE:LINE; never otherwise."""
    tally = Tally()
    fuzz_logs(tally, tmp_path, LINES, seconds=SECONDS, seed=SEED, inputs_max=60)
    assert tally.breaches == []
    assert {"status 0", "status 2"} <= set(tally["replay"].seen)


def test_the_log_that_odd_ones_are_made_from_is_sound(tmp_path: Path) -> None:
    """Without anything odd in it, it runs to its end."""
    path = tmp_path / "table.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    status, out, err = command("replay", str(path))
    assert (status, err) == (0, "")
    assert '"kind": "summary"' in out or '"kind":"summary"' in out


def test_a_run_that_ends_badly_is_a_breach(tmp_path: Path) -> None:
    """The judge of the runs above: a traceback, a strange status, no place, a failed replay."""
    path = tmp_path / "x"
    path.write_text("{}")
    for told in ((1, "", "failed"), (3, "", ""), (2, "", "wrong"), (2, "", "Traceback\nx:1: y")):
        tally = Tally()
        judge(tally["replay"], told, path, good=(0,))
        assert tally.breaches, told
    tally = Tally()
    judge(tally["replay"], (2, "", f"sabot: {path}:1: no JSON"), path, good=(0,))
    judge(tally["replay"], (0, "{}", ""), path, good=(0,))
    assert tally.breaches == []
    assert tally.lines()[1].split()[:3] == ["replay", "2", "0"]
