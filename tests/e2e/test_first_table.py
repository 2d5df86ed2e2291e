"""What the tutorial shows: the example as a newcomer runs it, and its commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from services.devstack.stack import Stack
from tests.e2e.support import COMMAND_S, ROOT, environment, sabot
from tests.support.broker import chosen_kind

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]
NAME = re.compile(r"first-[0-9a-f]{8}")
WALKED = re.compile(r"<!-- walked -->\n```\n(.*?)```", re.DOTALL)
"""Commands of the page that are carried out here."""

EVIDENCE = re.compile(r"[0-9a-f]{64}|[0-9a-f]+\.\.\.")


def alike(text: str) -> list[str]:
    """Lines without what is another one each time."""
    return EVIDENCE.sub("DIGEST", NAME.sub("TABLE", text)).strip().splitlines()


def test_the_first_table_prints_what_the_tutorial_says(stack: Stack) -> None:
    """Wagers, cards, payment and balance, and the coup it names can be rebuilt."""
    ended = subprocess.run(
        (sys.executable, "examples/first_table.py"),
        check=False,
        capture_output=True,
        text=True,
        env=environment(stack),
        cwd=ROOT,
        timeout=COMMAND_S,
    )
    assert ended.returncode == 0, ended.stderr
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    shown = tutorial.partition("```text\n")[2].partition("```")[0]
    assert alike(ended.stdout) == alike(shown)
    *_, coup_id = ended.stdout.split()
    story = sabot(stack, "rebuild", coup_id)
    assert story.returncode == 0, story.stderr


def test_the_commands_of_the_tutorial_run_as_they_stand() -> None:
    """From an empty checkout: start, look, run the program, stop; a newcomer types nothing else."""
    if not (ROOT / ".venv" / "bin" / "python").exists() or (ROOT / "var" / "postgres").exists():
        pytest.skip("the checkout has no environment of its own, or holds the data of a stack")
    tutorial = (ROOT / "docs" / "tutorial.md").read_text()
    *begin, end = WALKED.findall(tutorial)
    outside = {name: value for name, value in os.environ.items() if not name.startswith("SABOT_")}
    # The environment is there already: `true` stands for the interpreter that would make it.
    told = {**outside, "PYTHON": "true", "BROKER": chosen_kind()}

    def typed(commands: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ("bash", "-euo", "pipefail", "-c", commands),
            check=False,
            capture_output=True,
            text=True,
            env=told,
            cwd=ROOT,
            timeout=COMMAND_S,
        )

    try:
        ended = typed("".join(begin))
        assert ended.returncode == 0, ended.stderr
        shown = tutorial.partition("```text\n")[2].partition("```")[0]
        assert alike(shown) == alike(ended.stdout)[-len(alike(shown)) :]
    finally:
        stopped = typed(end)
    assert stopped.returncode == 0, stopped.stderr


def test_without_addresses_it_says_how_to_get_them() -> None:
    """Nobody has to read a traceback to find `make env`."""
    ended = subprocess.run(
        (sys.executable, "examples/first_table.py"),
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{ROOT}:{ROOT / 'proto' / 'gen'}"},
        cwd=ROOT,
        timeout=COMMAND_S,
    )
    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert 'eval "$(make env)"' in ended.stderr
