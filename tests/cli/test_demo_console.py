"""What the demo says of the console that `make up` left running."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from services.cli.demo import run
from services.devstack.processes import Identity
from services.devstack.state import STATE_FILE, Entry, State

URL = "http://127.0.0.1:8080"


def test_the_console_is_named_while_its_stack_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a stack, or with one that has ended, there is none."""
    monkeypatch.setattr(run, "default_directory", lambda: tmp_path)
    assert run.console_of_up() == ""
    alive = Identity.of(os.getpid())
    assert alive is not None
    entry = Entry(
        name="console", identity=alive, stop_signal="SIGTERM", address=URL, log="", ports={}
    )
    state = State(broker="", environment={"SABOT_CONSOLE_URL": URL}, entries=(entry,))
    state.write(tmp_path / STATE_FILE)
    assert run.console_of_up() == URL
    gone = dataclasses.replace(alive, started="long ago")
    ended = dataclasses.replace(state, entries=(dataclasses.replace(entry, identity=gone),))
    ended.write(tmp_path / STATE_FILE)
    assert run.console_of_up() == ""
