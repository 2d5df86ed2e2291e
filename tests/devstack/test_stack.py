"""The whole stack: starts, survives failures of its parts, stops, and leaves nothing behind."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from services.devstack import leftovers
from services.devstack import stack as stack_module
from services.devstack.__main__ import main
from services.devstack.brokers import (
    EVENT_TOPICS,
    PARTITIONS_DEFAULT,
    SERVICES,
    administration,
)
from services.devstack.services import ServiceProcess, serving
from services.devstack.stack import STATE_FILE, Stack, State, rotate_logs

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]
FAKE = Path(__file__).with_name("fake_service.py")


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the stand-in wherever a service would be started."""
    monkeypatch.setattr(ServiceProcess, "command", property(lambda _: (sys.executable, str(FAKE))))
    monkeypatch.setattr(stack_module, "missing", lambda _: ())


@pytest.fixture
def place() -> Iterator[Path]:
    """A kept directory that PostgreSQL's account can enter, which pytest's own is not."""
    directory = Path(tempfile.mkdtemp(prefix="sabot-test-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


def quiet(_: str) -> None:
    """Report nothing."""


async def test_two_stacks_run_side_by_side() -> None:
    """Each has its own servers, databases, topics and directory, and removes them."""
    with (
        Stack(services=(), broker="embedded", report=quiet) as one,
        Stack(services=(), broker="embedded", partitions=2, report=quiet) as two,
    ):
        assert one.bootstrap_servers != two.bootstrap_servers
        for stack, partitions in ((one, PARTITIONS_DEFAULT), (two, 2)):
            async with administration(stack.bootstrap_servers) as client:
                topics = await client.describe_topics(list(EVENT_TOPICS))
            assert {len(topic["partitions"]) for topic in topics} == {partitions}
            for service in SERVICES:
                connection = await asyncpg.connect(stack.database_url(service))
                assert await connection.fetchval("select current_database()") == f"sabot_{service}"
                await connection.close()
        entries = one.entries() + two.entries()
        directories = [s.directory for s in (one, two)] + [s.postgres.root for s in (one, two)]
    assert not any(entry.process().running() for entry in entries)
    assert not any(directory.exists() for directory in directories)
    assert leftovers.sweep() == ()


@pytest.mark.usefixtures("fakes")
def test_services_are_migrated_started_and_stopped_in_order(place: Path) -> None:
    """Each service migrates first, becomes ready, knows the wallet if it pays, and stops."""
    lines: list[str] = []
    with Stack(place, broker="embedded", report=lines.append) as stack:
        assert [entry.name for entry in stack.entries()] == ["postgres", "broker", *SERVICES]
        assert set(stack.targets) == set(SERVICES)
        assert stack.env()["SABOT_ROUND_TARGET"] == stack.targets["round"]
        wager = stack.targets["wager"]
    for name in SERVICES:
        log = (place / "log" / f"{name}.log").read_text().splitlines()
        wallet = wager if name == "settlement" else "no wallet"
        assert log[0].startswith("migrated postgresql://")
        assert log[0].endswith(f"/sabot_{name}")
        assert log[1:] == [f"serving {wallet}", "stopped in order"]
    assert any(line.startswith("round: ready at 127.0.0.1:") for line in lines)
    assert not (place / STATE_FILE).exists()


@pytest.mark.usefixtures("fakes")
def test_a_service_can_be_killed_paused_and_restarted() -> None:
    """Failures are a method call away, and ports stay the same."""
    with Stack(services=("round", "shoe"), broker="embedded", report=quiet) as stack:
        target, first = stack.targets["round"], stack.entries()[-1].identity
        health = stack.services["round"].ports.health
        stack.kill_service("round")
        assert not serving(health, timeout_s=0.3)
        stack.start_service("round")
        assert serving(health)
        assert stack.targets["round"] == target
        assert stack.entries()[-1].identity != first
        stack.pause_service("round")
        assert not serving(health, timeout_s=0.3)
        stack.resume_service("round")
        assert serving(health)
        stack.restart_service("round")
        assert serving(health)
        assert stack.stop_service("round")
        stack.kill_broker()
        stack.start_broker()
        stack.wipe_broker()
        stack.crash_postgres()
        stack.start_postgres()


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(("failure", "message"), [("migrate", "migrating"), ("start", "ended")])
def test_a_failing_service_is_explained_and_nothing_is_left(
    failure: str, message: str, place: Path
) -> None:
    """The error holds the end of the log, and what had started is stopped again."""
    stack = Stack(place, broker="embedded", environment={"FAKE_FAILURE": failure}, report=quiet)
    with pytest.raises(RuntimeError, match=message):
        stack.start()
    assert stack.postgres.process is None
    assert stack.broker.process is None
    running = [s.process for s in stack.services.values() if s.process and s.process.running()]
    assert running == []


def test_up_status_env_down(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verbs of the shell: start, look, start again, stop; data are kept in between."""
    here = ("--directory", str(place))
    up = (*here, "up", "--broker", "embedded", "--services", "", "--fast")
    assert main((*here, "status")) == 3
    assert "`make up` starts" in capsys.readouterr().out
    assert main((*here, "logs")) == 0
    assert "`make up` starts" in capsys.readouterr().out
    assert main((*here, "logs", "round")) == 1
    assert "no log of round; nothing runs here" in capsys.readouterr().err
    assert main(up) == 0
    state = State.read(place / STATE_FILE)
    assert state is not None
    assert stat.S_IMODE((place / STATE_FILE).stat().st_mode) == 0o600
    assert main((*here, "status")) == 0
    assert main((*here, "env")) == 0
    assert main(up) == 0
    assert main((*here, "logs", "--lines", "1", "postgres")) == 0
    assert main((*here, "logs", "nobody")) == 1
    output = capsys.readouterr().out
    assert "choose another with BROKER=" in output
    assert "the stack runs already" in output
    assert (
        f"export SABOT_WAGER_DATABASE_URL={state.environment['SABOT_WAGER_DATABASE_URL']}" in output
    )
    state.entries[-1].process().kill()
    assert main((*here, "status")) == 3
    assert main((*here, "down")) == 0
    assert not any(entry.process().running() for entry in state.entries)
    assert main((*here, "down")) == 0
    assert "nothing runs here" in capsys.readouterr().out


def test_make_status_of_nothing_is_no_error(tmp_path: Path) -> None:
    """A person who only looks is told in words; `make` adds no error of its own."""
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit $FAKE_STATUS\n")
    python.chmod(0o755)

    def ended(status: int) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ("make", "--no-print-directory", "-o", "setup", "status", f"DEVSTACK={python}"),
            cwd=FAKE.parents[2],
            env={**os.environ, "FAKE_STATUS": str(status)},
            check=False,
            capture_output=True,
            text=True,
        )

    assert (ended(0).returncode, ended(3).returncode) == (0, 0)
    assert ended(3).stderr == ""
    assert ended(1).returncode != 0, "a failure is one here too"


def test_down_leaves_a_stranger_with_our_pid_alone(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A state file from before a reboot names pids that now belong to others."""
    stranger = subprocess.Popen((sys.executable, "-c", "import time; time.sleep(60)"))
    try:
        with Stack(place, services=(), broker="embedded", report=quiet) as stack:
            text = stack.state_file.read_text()
            assert stack.broker.process is not None
            pid = str(stack.broker.process.pid)
        (place / STATE_FILE).write_text(text.replace(f'"pid": {pid}', f'"pid": {stranger.pid}'))
        assert main(("--directory", str(place), "down")) == 0
        assert "broker: not running" in capsys.readouterr().out
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_large_logs_are_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kept directory does not grow for ever."""
    monkeypatch.setattr(stack_module, "LOG_BYTES_MAX", 10)
    (tmp_path / "round.log").write_text("x" * 11)
    (tmp_path / "shoe.log").write_text("x")
    rotate_logs(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["round.log.1", "shoe.log"]


def test_an_unknown_service_is_refused() -> None:
    """A typing error does not start half a stack."""
    with pytest.raises(ValueError, match="unknown services: rond"):
        Stack(services=("rond",))
