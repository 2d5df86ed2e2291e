"""What Sabot does about every clause of the rule texts, and which tests show it.

`register.toml` has a row for each clause, `cases.toml` says which clauses a table-log case shows,
`open.txt` lists the rows that are not shown yet, `rows.txt` which rows there have to be.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct, convert

from tests.support.parsing import parsed

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
DOCUMENT = ROOT / "docs" / "clauses.md"

SHOWN_BY_TESTS = ("enforce", "compute", "record")
"""Kinds that need a test each; what is only physical needs a place in the code."""

CASE = "case:"

TEXTS = {
    "A": ("000", "a streamed table, rulebook `live-studio`"),
    "B": ("001", "short rules for players, rulebook `live-lobby`"),
    "C": ("002", "a provider's help text, rulebooks `super-six` and `super-six-commission`"),
    "D": ("003", "a large table of New South Wales, rulebook `nsw-baccarat`"),
    "F": ("004", "mini baccarat of New South Wales, `nsw-mini` and `nsw-mini-even-money`"),
}


class Row(Struct, frozen=True):
    """One clause."""

    clause: str
    title: str
    kinds: tuple[str, ...]
    services: tuple[str, ...] = ()
    does: str = ""
    same: str = ""
    """The row that says what is done, where this one says no more."""

    enforce: tuple[str, ...] = ()
    compute: tuple[str, ...] = ()
    record: tuple[str, ...] = ()
    reference: tuple[str, ...] = ()
    """Where a physical row is data: `field:` of a rulebook, `incident:` code, and so on."""

    def tests(self, kind: str) -> tuple[str, ...]:
        """The tests of one kind that the row itself names."""
        found: tuple[str, ...] = getattr(self, kind)
        return found


class Register(Struct, frozen=True):
    """All rows, in the order of the texts."""

    rows: Mapping[str, Row]

    def tests(self, name: str, kind: str) -> tuple[str, ...]:
        """The tests of a row, or of the row that it is the same as."""
        row = self.rows[name]
        own = row.tests(kind)
        return own if own or not row.same else self.rows[row.same].tests(kind)

    def does(self, name: str) -> str:
        """What Sabot does about it."""
        row = self.rows[name]
        return self.rows[row.same].does if row.same else row.does

    def missing(self, name: str) -> list[str]:
        """The kinds of a row that nothing shows."""
        row = self.rows[name]
        found = [
            kind for kind in row.kinds if kind in SHOWN_BY_TESTS and not self.tests(name, kind)
        ]
        if "physical" in row.kinds and not row.reference:
            found.append("physical")
        return found

    def all_tests(self, name: str) -> list[str]:
        """Everything that shows a row, each once."""
        tests = (self.tests(name, kind) for kind in self.rows[name].kinds if kind != "physical")
        return list(dict.fromkeys(test for each in tests for test in each))


@cache
def register() -> Register:
    """The register as it is in the repository."""
    return Register(convert(_toml("register.toml"), dict[str, Row]))


@cache
def cases() -> dict[str, tuple[str, ...]]:
    """The clauses that each listed case shows."""
    return convert(_toml("cases.toml"), dict[str, tuple[str, ...]])


def open_rows() -> dict[str, str]:
    """The rows that are not shown yet, with the reason."""
    lines = (HERE / "open.txt").read_text().splitlines()
    return {name: reason for name, _, reason in (line.partition(" ") for line in lines)}


def wanted_rows() -> dict[str, tuple[str, ...]]:
    """The rows that there have to be, with their kinds."""
    lines = (HERE / "rows.txt").read_text().splitlines()
    return {name: tuple(kinds) for name, *kinds in (line.split() for line in lines)}


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text())


# --- tests, without running them ---


@cache
def docstrings(file: str) -> dict[str, str]:
    """The tests of a file by name, each with its docstring."""
    path = ROOT / file
    if not path.is_file():
        return {}
    return dict(_tests(parsed(path.read_text()).body))


def _tests(body: list[ast.stmt], within: str = "") -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests(node.body, f"{within}{node.name}::")
            continue
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("test_"):
            yield within + node.name, ast.get_docstring(node) or ""


_NAMED = re.compile(r"\b([ABCDF])-(\d{2,3})(?:(?:\.\.| to )(?:[ABCDF]-)?(\d{2,3}))?")


def named_in(text: str) -> set[str]:
    """The clauses that a text names, ranges written out."""
    return {
        f"{letter}-{number:02d}"
        for letter, first, last in _NAMED.findall(text)
        for number in range(int(first), int(last or first) + 1)
    }


# --- the document ---


def document() -> str:
    """The register for people to read."""
    held, unshown = register(), open_rows()
    shown = len(held.rows) - len(unshown)
    lines = [
        "# Clauses",
        "",
        "What Sabot does about every clause of the five texts that its rulebooks rest on, and the",
        "tests that show it. `make clauses` writes this page from `tests/clauses/register.toml`.",
        "",
        "*Enforce*: the command is refused, or there is no such command. *Compute*: the value",
        "follows from others. *Record*: somebody does or says it, and the log keeps it. *Physical*:",
        "outside the program, which holds a field or a code for it at the most.",
        "",
        "| text | clauses | shown | open |",
        "|---|---|---|---|",
    ]
    for letter, (text, _) in TEXTS.items():
        mine = [name for name in held.rows if name.startswith(letter)]
        left = sum(name in unshown for name in mine)
        lines.append(f"| {text} | {len(mine)} | {len(mine) - left} | {left} |")
    lines += [f"| all | {len(held.rows)} | {shown} | {len(unshown)} |", ""]
    if unshown:
        lines += ["## Open", "", "| id | what is missing |", "|---|---|"]
        lines += [f"| {name} | {reason} |" for name, reason in unshown.items()]
        lines.append("")
    for letter, (text, what) in TEXTS.items():
        lines += [f"## {text}: {what}", ""]
        lines += ["| id | clause | about | kinds | what Sabot does | tests |", "|---|" + "---|" * 5]
        lines += [_line(held, name) for name in held.rows if name.startswith(letter)]
        lines.append("")
    return "\n".join(lines)


def _line(held: Register, name: str) -> str:
    row = held.rows[name]
    same = f" (as {row.same})" if row.same else ""
    tests = "<br>".join(f"`{_short(test)}`" for test in held.all_tests(name))
    if name in open_rows():
        tests = "open"
    elif not tests:
        tests = "<br>".join(f"`{place}`" for place in row.reference)
    cells = (name, row.clause, row.title, ", ".join(row.kinds), f"{held.does(name)}{same}", tests)
    return "| " + " | ".join(cells) + " |"


def _short(test: str) -> str:
    """A test without what all tests have in common."""
    if test.startswith(CASE):
        return test
    file, _, name = test.partition("::")
    return f"{file.removeprefix('tests/').removesuffix('.py')}::{name.removeprefix('test_')}"


def table() -> str:
    """The register for a terminal: a line for each clause and one for each of its tests."""
    held, unshown = register(), open_rows()
    lines = []
    for name, row in held.rows.items():
        mark = "open " if name in unshown else ""
        lines.append(f"{name:6} {'+'.join(row.kinds):16} {mark}{row.title}: {held.does(name)}")
        lines += [f"         {_short(test)}" for test in held.all_tests(name)]
        lines += [f"         {place}" for place in row.reference]
    lines += [f"\n{name}: {reason}" for name, reason in unshown.items()]
    return "\n".join([*lines, "", f"{len(held.rows) - len(unshown)} shown, {len(unshown)} open"])
