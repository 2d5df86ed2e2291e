"""What the tutorial shows: the example as a newcomer runs it, and its commands."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from services.devstack.stack import Stack
from tests.e2e.support import COMMAND_S, ROOT, environment, sabot

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]
NAME = re.compile(r"first-[0-9a-f]{8}")
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
