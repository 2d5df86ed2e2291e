"""What documents show can be typed, and where they point there is something."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import typer

from services.cli.main import app
from tests.site.pages import chosen
from tests.tidy.sources import ROOT, files, nothing

DOCUMENTS = [name for name in files() if name.endswith(".md") and not name.startswith("tests/data")]
BLOCK = re.compile(r"^ *```(?:bash|sh|shell)?\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:make|\.venv/bin/\w+) [^`\n]+)`")
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s#]+)(?:#[^)]*)?\)")
FILE = re.compile(r"`((?:services|tests|docs|k8s|deploy|proto|examples|clients)/[\w./-]+)`")
TARGET = re.compile(r"^([a-z0-9-]+):", re.MULTILINE)
# Words of examples that stand for something of the reader's own.
PLACEHOLDER = re.compile(r"[A-Z]{2,}|my-|\*|\.\.\.|<")


def commands(name: str) -> Iterator[str]:
    """Every command line of ours that a document shows, without its comment."""
    text = (ROOT / name).read_text()
    lines = [line.strip() for block in BLOCK.findall(text) for line in block.splitlines()]
    for line in [*lines, *INLINE.findall(text)]:
        if line.startswith(("make ", ".venv/bin/")):
            yield line.partition(" #")[0].strip()


SHOWN = [(name, line) for name in DOCUMENTS for line in commands(name)]


def test_documents_show_commands() -> None:
    """The patterns above still find what they look for."""
    names = {name for name, _ in SHOWN}
    assert {"README.md", "CONTRIBUTING.md", "docs/tutorial.md"} <= names


@pytest.mark.parametrize(("name", "line"), SHOWN, ids=[f"{n}: {c}" for n, c in SHOWN])
def test_a_command_that_is_shown_can_be_typed(name: str, line: str) -> None:
    """Its verb, module, file and options exist."""
    words = shlex.split(line)
    if words[0] == "make":
        verbs = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
        assert set(verbs) <= set(TARGET.findall((ROOT / "Makefile").read_text()))
        return
    program, *rest = words
    if program.endswith("/python"):
        _python(rest)
    elif program.endswith("/sabot"):
        _sabot(rest)


def _python(words: list[str]) -> None:
    if words[0] == "-m":
        assert find_spec(words[1]) is not None
    elif words[0].endswith(".py"):
        assert (ROOT / words[0]).is_file()


def _sabot(words: list[str]) -> None:
    """The command line is one that `sabot` understands; nothing is carried out."""
    command, context = typer.main.get_command(app), None
    while (found := getattr(command, "commands", None)) is not None:
        assert words[0] in found, f"there is no command {words[0]}"
        context = command.make_context("sabot", [], parent=context, resilient_parsing=True)
        command, words = found[words[0]], words[1:]
    command.make_context(command.name, words, parent=context)
    for word in words:
        if "/" in word and not PLACEHOLDER.search(word):
            assert (ROOT / word).exists(), f"there is no {word}"


def test_every_document_is_in_the_menu_of_the_site() -> None:
    """And every decision in the list of decisions; `make docs` builds the site."""
    menu = set(
        re.findall(r"(?:^|[ :-]) ?([\w./-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    )
    nothing(
        sorted(
            f"{name} is not in mkdocs.yml"
            for name in chosen()
            if name.endswith(".md") and name not in menu
        )
    )
    nothing(sorted(f"there is no {name}" for name in menu if not (ROOT / name).is_file()))
    listed = (ROOT / "docs" / "adr" / "README.md").read_text()
    decisions = [Path(name).name for name in DOCUMENTS if re.match(r"docs/adr/\d", name)]
    nothing(
        [f"{name} is not in docs/adr/README.md" for name in decisions if f"({name})" not in listed]
    )


def test_links_lead_somewhere() -> None:
    """Every link to a file of this repository, from where its document lies."""
    broken = [
        f"{name}: {link}"
        for name in DOCUMENTS
        for link in LINK.findall((ROOT / name).read_text())
        if "://" not in link and not (ROOT / Path(name).parent / link).exists()
    ]
    nothing(broken)


def test_files_that_are_named_are_there() -> None:
    """Paths in code type, from the root, such as the tests that show something."""
    named = [(name, path) for name in DOCUMENTS for path in FILE.findall((ROOT / name).read_text())]
    assert ("docs/operations/backup.md", "tests/e2e/test_restore.py") in named
    nothing([f"{name}: {path}" for name, path in named if not (ROOT / path).exists()])
