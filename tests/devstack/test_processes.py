"""Processes are recognised, stopped and never mistaken for others."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.devstack import leftovers
from services.devstack.processes import Identity, ManagedProcess

SLEEPER = (sys.executable, "-c", "import time; time.sleep(60)")
DEAF = "import signal, time; signal.signal(15, 1); print('deaf', flush=True); time.sleep(60)"
STUBBORN = (sys.executable, "-c", DEAF)


def start(command: tuple[str, ...], tmp_path: Path) -> ManagedProcess:
    return ManagedProcess.start(
        "test",
        command,
        environment=dict(os.environ),
        directory=tmp_path,
        log=tmp_path / "log",
    )


@pytest.fixture
def sleeper(tmp_path: Path) -> Iterator[ManagedProcess]:
    process = start(SLEEPER, tmp_path)
    yield process
    process.kill()


def recorded(process: ManagedProcess) -> ManagedProcess:
    """The same process as a later run finds it in a state file."""
    return ManagedProcess(process.name, process.identity)


def test_a_process_is_recognised_by_a_later_run(sleeper: ManagedProcess) -> None:
    """What was written down at the start is found again as long as the process runs."""
    later = recorded(sleeper)
    assert later.running()
    assert later.identity.command.startswith(sys.executable)
    sleeper.kill()
    assert not later.running()


def test_a_recorded_process_is_stopped_in_order(sleeper: ManagedProcess) -> None:
    """SIGTERM is enough for a process that listens to it."""
    assert recorded(sleeper).send(signal.SIGTERM)
    assert sleeper.wait(10)
    assert sleeper.exit_code == -signal.SIGTERM


def test_a_deaf_process_is_ended_by_force(tmp_path: Path) -> None:
    """What ignores SIGTERM gets SIGKILL after the timeout."""
    process = start(STUBBORN, tmp_path)
    while "deaf" not in (tmp_path / "log").read_text():
        assert process.running()
    assert not process.stop(timeout_s=0.2)
    assert process.exit_code == -signal.SIGKILL


def test_a_frozen_process_is_stopped_in_order(sleeper: ManagedProcess) -> None:
    """A stopped process is woken, so that it can end by itself."""
    sleeper.send(signal.SIGSTOP)
    assert sleeper.stop(timeout_s=10)
    assert sleeper.exit_code == -signal.SIGTERM


@pytest.mark.parametrize(
    ("field", "value"),
    [("started", "another boot:1"), ("command", "something else")],
)
def test_a_reused_pid_is_never_signalled(sleeper: ManagedProcess, field: str, value: str) -> None:
    """A process that only shares the pid with our record is left alone."""
    recorded_fields = {**dataclasses.asdict(sleeper.identity), field: value}
    stranger = ManagedProcess("ours", Identity(**recorded_fields))
    assert not stranger.running()
    assert not stranger.send(signal.SIGKILL)
    assert stranger.stop(timeout_s=0.1)
    stranger.kill()
    assert sleeper.running()


def test_a_zombie_counts_as_ended() -> None:
    """A child that has ended but was not waited for is not running."""
    child = subprocess.Popen((sys.executable, "-c", ""))
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert Identity.of(child.pid) is None
    child.wait()


def test_a_missing_pid_has_no_identity() -> None:
    """No process, no identity."""
    child = subprocess.Popen((sys.executable, "-c", ""))
    child.wait()
    assert Identity.of(child.pid) is None


def test_a_process_that_ends_at_once_is_not_running(tmp_path: Path) -> None:
    """A command that fails immediately is noticed."""
    process = start((sys.executable, "-c", "raise SystemExit(3)"), tmp_path)
    assert process.wait(10)
    assert not process.running()
    assert process.exit_code == 3
    assert not process.send(signal.SIGTERM)


def test_the_identity_read_by_ps_is_stable(sleeper: ManagedProcess) -> None:
    """Where there is no /proc, `ps` tells two readings of one process to be the same."""
    first = Identity._from_ps(sleeper.pid)
    assert first is not None
    assert first == Identity._from_ps(sleeper.pid)
    assert Identity._from_ps(2**22 + 1) is None


@pytest.fixture
def private_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return leftovers.registry()


def test_servers_of_a_dead_owner_are_swept(
    sleeper: ManagedProcess, private_registry: Path, tmp_path: Path
) -> None:
    """What a killed run left behind is stopped and its directory removed by the next one."""
    directory = tmp_path / "sabot-left"
    directory.mkdir()
    record = leftovers.Record.write(sleeper, directory=directory)
    assert leftovers.sweep() == ()  # the owner is this very process
    text = record.path.read_text()
    record.path.write_text(text.replace(f'"pid": {os.getpid()}', '"pid": 1'))
    assert leftovers.sweep() == (f"test (pid {sleeper.pid})",)
    assert sleeper.wait(10)
    assert not directory.exists()
    assert list(private_registry.iterdir()) == []


def test_a_registry_open_to_others_is_refused(private_registry: Path) -> None:
    """Nobody else can make us stop processes or delete directories."""
    private_registry.chmod(0o777)
    with pytest.raises(RuntimeError, match="open to others"):
        leftovers.registry()
