"""What the pages for integrators show is run as it stands there, and prints what they say."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from services.devstack.stack import Stack
from tests.e2e.support import COMMAND_S, ROOT, environment

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

PAGES = sorted(path.stem for path in (ROOT / "docs" / "howto").glob("*.md"))
PROGRAM = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(stack: Stack, page: str) -> None:
    """Its pieces of Python are one program; its output is the text that the page shows."""
    text = (ROOT / "docs" / "howto" / f"{page}.md").read_text()
    program = "\n".join(PROGRAM.findall(text))
    (shown,) = SHOWN.findall(text)
    ended = subprocess.run(
        (sys.executable, "-c", program),
        check=False,
        capture_output=True,
        text=True,
        env=environment(stack),
        cwd=ROOT,
        timeout=COMMAND_S,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == shown
