"""The demo as somebody runs it: it plays, proves, stops, and leaves nothing behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.cli.demo.dealing import Placed, Played, PlayedCoup
from services.cli.demo.plan import TABLES
from services.cli.demo.proof import TableProof, compare
from services.devstack.brokers import SERVICES
from tests.support.broker import chosen_kind

pytestmark = [pytest.mark.e2e, pytest.mark.slow, pytest.mark.timeout(240)]
PLAN = TABLES[0]
PLAYER, BANKER = ["4S", "4H"], ["KS", "KD"]

ROOT = Path(__file__).resolve().parents[2]
COUPS = 6
PROC = Path("/proc")
START_S = 120.0
KEPT = ("sabot-running-", "sabot-ports-")
"""Empty files that others may have a lock on, and which nobody can remove safely."""


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the demo's temporary files go, so that what it leaves can be told from others'."""
    directory = tmp_path_factory.mktemp("demo")
    for each in (directory, *directory.parents):
        if each.owner() == directory.owner() and each != Path(each.anchor):
            each.chmod(each.stat().st_mode | 0o755)  # PostgreSQL's own account enters it
    return directory


def demo(place: Path, *arguments: str) -> subprocess.Popen[str]:
    kind = chosen_kind()
    environment = {**os.environ, "TMPDIR": str(place), "BROKER": kind, "PYTHONUNBUFFERED": "1"}
    environment["PYTHONPATH"] = os.pathsep.join((str(ROOT), str(ROOT / "proto" / "gen")))
    return subprocess.Popen(
        (sys.executable, "-m", "services.cli.demo", *arguments),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def processes_of(place: Path) -> Iterator[str]:
    """Processes whose command line or environment names the place: the demo's own and theirs."""
    wanted = str(place).encode()
    for entry in PROC.iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            known = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            name = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if wanted in known and state not in {"Z", "X"}:
            yield f"{entry.name} {name}"


def nothing_left(place: Path) -> None:
    """No process and no data of the demo's stack."""
    assert list(processes_of(place)) == []
    left = [entry.name for entry in place.iterdir() if not entry.name.startswith(KEPT)]
    assert left == []


def test_the_demo_plays_recorded_shoes_and_proves_every_coup(place: Path) -> None:
    """Cards scanned one by one through four processes; every coup rebuilt, the books balanced."""
    process = demo(place, "--coups", str(COUPS))
    printed, _ = process.communicate(timeout=220)
    assert process.returncode == 0, printed
    over = re.findall(
        r"^T\d [\w-]+ coup \d+: player .* banker .*: (player|banker|tie)", printed, re.MULTILINE
    )
    assert len(over) == COUPS, printed
    assert "DIFFERS" not in printed
    assert f"{COUPS} of {COUPS} coups, each like its projection" in printed
    assert printed.count("balanced") == 4
    for currency in ("AUD", "EUR"):
        assert re.search(
            rf"^{currency}: deposits [\d,.]+ = accounts [\d,.]+ \+ house -?[\d,.]+$",
            printed,
            re.MULTILINE,
        ), printed
    assert re.search(r"evidence +SHA-256 [0-9a-f]{64}", printed), printed
    nothing_left(place)


@pytest.mark.once
def test_the_demo_plays_with_the_money_in_an_operators_wallet(place: Path) -> None:
    """D13: over HTTP, with the operator's list compared to Sabot's movement by movement."""
    # From the third coup of a table on, somebody raises his stake.
    process = demo(place, "--coups", "12", "--wallet", "http")
    printed, _ = process.communicate(timeout=220)
    assert process.returncode == 0, printed
    assert "an operator's wallet, simulated, at http://127.0.0.1:" in printed
    assert "12 of 12 coups, each like its projection" in printed
    assert printed.count("balanced") == 4
    nothing_left(place)


@pytest.mark.once
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"]
)
def test_a_demo_that_is_ended_leaves_nothing_running(
    place: Path, number: signal.Signals, status: int
) -> None:
    """In the middle of play the stack is stopped, and the status tells a failure."""
    process = demo(place, "--coups", "40")
    assert process.stdout is not None
    deadline = time.monotonic() + START_S
    printed: list[str] = []
    for line in process.stdout:
        printed.append(line)
        if " coup 1: " in line or time.monotonic() > deadline:
            break
    running = list(processes_of(place))
    assert len(running) > len(SERVICES), (
        running,
        printed,
    )  # so the search below would find what is left
    process.send_signal(number)
    rest, _ = process.communicate(timeout=90)
    assert process.returncode == status, rest
    assert "Traceback" not in rest
    nothing_left(place)


def shown(**changes: object) -> pb.Coup:
    """A coup as a projection would show it, right but for the changes to its only wager."""
    wager: dict[str, Any] = {
        "wager_id": "w",
        "player": "ada",
        "area": "PLAYER",
        "currency": PLAN.currency,
        "stake_minor": 500,
        "outcome": "WON",
        "returned_minor": 500,
        "winnings_minor": 500,
        "commission_exact": "0",
        **changes,
    }
    return pb.Coup(
        coup_id="T1:1:1",
        status="SETTLED",
        player=PLAYER,
        banker=BANKER,
        wagers=[pb.SettledWager(**wager)],
    )


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, 0),
        ({"stake_minor": 501, "returned_minor": 501}, 1),
        ({"player": "ben"}, 1),
        ({"returned_minor": 499}, 1),
        ({"outcome": "LOST"}, 1),
        ({"wager_id": "x"}, 1),
        ({"outcome": "CANCELLED"}, 2),  # it was not taken back, and would not pay
    ],
)
def test_the_proof_believes_answers_and_not_the_projection(
    changes: dict[str, object], faults: int
) -> None:
    """A wager that is shown otherwise than it was answered is named."""
    coup = PlayedCoup("T1:1:1", 1, PLAYER, BANKER)
    coup.wagers.append(Placed(1, "w", "ada", "PLAYER", 500))
    table = TableProof(Played(PLAN, [coup]))
    compare(table, coup, shown(**changes))
    assert len(table.faults) == faults, table.faults
