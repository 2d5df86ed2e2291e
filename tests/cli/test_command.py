"""The `sabot` command: exit statuses, streams and messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import grpc
import pytest
from grpc_status import rpc_status
from msgspec import Struct

from services.chassis.rpc_errors import FieldFault, InvalidCommand, to_status
from services.cli.__main__ import run
from services.tablelog.calls import words_of
from tests.cli.cases import CASES, ROOT, json_lines

OPEN = '{"do":"open_table","table":"T1","rulebook":"nsw-mini"}\n'


class Ended(Struct, frozen=True):
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str


def sabot(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ended:
    status = run(arguments)
    printed = capsys.readouterr()
    return Ended(status, printed.out, printed.err)


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A replay that reads its logs and prints the number of each line."""

    def main(files: list[str], out: Any, err: Any) -> int:
        from services.tablelog.reader import read

        for file in files:
            for line in read(file):
                out.write(f"{line.number}\n")
        return 0

    module = ModuleType("services.tablelog.replay")
    module.main = main  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return module


def broken(module: ModuleType, error: BaseException) -> None:
    def main(files: list[str], out: Any, err: Any) -> int:
        out.write("1\n")
        raise error

    module.main = main  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", json_lines(CASES / "malformed.jsonl"), ids=lambda case: case["id"])
def test_a_malformed_line_stops_with_status_2_and_one_line(
    case: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    replay: ModuleType,
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(f"{line}\n" for line in case["lines"]))
    ended = sabot(capsys, "replay", str(file))
    assert ended.status == 2
    assert ended.err.startswith(f"{file}:{case['error_line']}: ")
    assert ended.err.count("\n") == 1
    assert ended.out.splitlines() == [str(number) for number in range(1, case["error_line"])]


def test_a_sound_log_ends_with_status_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replay: ModuleType
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN + "\n" + '{"do":"tick","at":"2026-01-01T00:00:01Z"}')
    ended = sabot(capsys, "replay", str(file))
    assert (ended.status, ended.out, ended.err) == (0, "1\n3\n", "")


def test_a_dash_is_standard_input_and_named_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], replay: ModuleType
) -> None:
    class Input(StringIO):
        @property
        def buffer(self) -> Any:
            from io import BytesIO

            return BytesIO(OPEN.encode() + b"{}\n")

    monkeypatch.setattr(sys, "stdin", Input())
    ended = sabot(capsys, "replay", "-")
    assert (ended.status, ended.out) == (2, "1\n")
    assert ended.err.startswith("-:2: ")


def test_standard_input_cannot_be_two_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert sabot(capsys, "replay", "-", "-").status == 2


@pytest.mark.parametrize("command", [["replay"], ["play"], ["rulebook", "check"]])
def test_a_file_that_is_not_there_is_named_and_status_2(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.jsonl"
    ended = sabot(capsys, *command, str(missing))
    assert (ended.status, ended.out) == (2, "")
    assert str(missing) in ended.err
    assert ended.err.count("\n") == 1


def test_nothing_is_played_where_a_later_file_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replay: ModuleType
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    ended = sabot(capsys, "replay", str(file), str(tmp_path / "missing"))
    assert (ended.status, ended.out) == (2, "")


def test_a_directory_is_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = sabot(capsys, "replay", str(tmp_path))
    assert ended.status == 2
    assert ended.err == f"sabot: {tmp_path}: is a directory\n"


def test_a_file_that_may_not_be_read_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
    ended = sabot(capsys, "replay", str(file))
    assert ended.status == 2
    assert ended.err == f"sabot: {file}: permission denied\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["replay"],
        ["replay", "--no-such-option", "x"],
        ["rebuild"],
        ["rebuild", "c1", "--all"],
        ["odds"],
        ["odds", "--rulebook", "no-such-rulebook"],
        ["odds", "--rulebook", "nsw-mini", "--decks", "13"],
        ["odds", "--rulebook", "nsw-mini", "--decks", "0"],
        ["odds", "--rulebook", "nsw-mini", "--decks", "eight"],
        ["rulebook", "check"],
        ["play", str(CASES / "table.jsonl"), "--run", "a/b"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_status_2_with_a_message(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    ended = sabot(capsys, *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("arguments", [["--help"], ["replay", "--help"], ["rulebook", "--help"]])
def test_help_is_on_standard_output(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    ended = sabot(capsys, *arguments)
    assert (ended.status, ended.err) == (0, "")
    assert "Usage: sabot" in ended.out


def test_a_part_that_is_not_installed_is_status_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    monkeypatch.setattr("services.cli.main.import_module", _no_module)
    ended = sabot(capsys, "replay", str(file))
    assert (ended.status, ended.out) == (3, "")
    assert ended.err == "sabot: services.tablelog.replay is not part of this installation\n"


def _no_module(name: str) -> ModuleType:
    raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def test_a_part_that_misses_something_else_does_not_pass_for_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    monkeypatch.setattr("services.cli.main.import_module", lambda _: _no_module("other"))
    assert sabot(capsys, "replay", str(file)).status == 1


def test_other_failures_are_status_1_with_a_message_and_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replay: ModuleType
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    broken(replay, RuntimeError("the books do not balance"))
    ended = sabot(capsys, "replay", str(file))
    assert (ended.status, ended.out) == (1, "1\n")
    assert "the books do not balance" in ended.err
    assert "Traceback" not in ended.err


def test_an_unreadable_file_in_the_middle_names_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replay: ModuleType
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    broken(replay, OSError(5, "Input/output error", str(file)))
    ended = sabot(capsys, "replay", str(file))
    assert ended.status == 1
    assert ended.err == f"sabot: {file}: Input/output error\n"


def test_without_services_the_command_says_how_to_start_some(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no fault of the program, so neither its class nor a traceback is offered."""
    monkeypatch.setattr("services.cli.rebuild.use_local_stack", lambda: None)
    for service in ("SHOE", "ROUND", "WAGER", "SETTLEMENT"):
        monkeypatch.delenv(f"SABOT_{service}_TARGET", raising=False)
    ended = sabot(capsys, "rebuild", "T1:1:1")
    assert ended.status == 1
    assert ended.err.endswith("not set and no local stack runs (make up)\n")


@pytest.mark.parametrize("message", ["the days do not stand", "from_day is no day"])
def test_a_failed_call_names_the_fields_that_were_wrong(message: str) -> None:
    """Where the words of the error alone do not say which."""
    status = to_status(
        InvalidCommand(message, fields=[FieldFault("from_day", "is no day")]), domain="settlement"
    )
    sent = rpc_status.to_status(status)
    error = grpc.aio.AioRpcError(
        sent.code, grpc.aio.Metadata(), grpc.aio.Metadata(*sent.trailing_metadata), sent.details
    )
    assert words_of(error).removeprefix("the days do not stand: ") == "from_day is no day"


def test_the_traceback_is_there_for_who_asks(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    replay: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SABOT_DEBUG", "1")
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    broken(replay, RuntimeError("no"))
    assert "Traceback" in sabot(capsys, "replay", str(file)).err


def test_an_interrupt_is_status_130_and_quiet(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], replay: ModuleType
) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(OPEN)
    broken(replay, KeyboardInterrupt())
    ended = sabot(capsys, "replay", str(file))
    assert (ended.status, ended.err) == (130, "")


def test_the_version_is_that_of_the_installation(capsys: pytest.CaptureFixture[str]) -> None:
    assert sabot(capsys, "version").out.startswith("sabot ")


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "services.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
        **options,
    )


def test_a_broken_pipe_ends_quietly() -> None:
    command = f"{sys.executable} -m services.cli odds --rulebook nsw-mini --json"
    ended = subprocess.run(
        ["/bin/bash", "-c", f"{command} | true; exit ${{PIPESTATUS[0]}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) in {(141, "", ""), (0, "", "")}


def test_standard_output_is_utf_8_in_any_locale() -> None:
    ended = process("replay", "/nowhere/é", env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert ended.returncode == 2
    assert "/nowhere/é" in ended.stderr


def test_help_starts_fast_and_replay_loads_no_server_library() -> None:
    process("--help")  # writes the bytecode
    began = time.monotonic()
    assert process("--help").returncode == 0
    took = time.monotonic() - began
    assert took < 2, "0.1 s when measured alone; the bound leaves room for a loaded machine"
    code = (
        "import sys, json, services.cli.main, services.tablelog.replay\n"
        "print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, timeout=30
    )
    heavy = {"grpc", "faststream", "aiokafka", "asyncpg", "opentelemetry", "rich", "pydantic"}
    assert heavy.isdisjoint(json.loads(loaded.stdout))
