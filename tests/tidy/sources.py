"""The files of this repository, read and parsed once for all checks of the house rules."""

from __future__ import annotations

import ast
import dataclasses
import functools
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.parsing import parsed

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ("proto/gen/",)
TEXT_BYTES_MAX = 2_000_000


@functools.cache
def files() -> tuple[str, ...]:
    """Return what is in the repository or about to be, without what is ignored."""
    result = subprocess.run(
        ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    names = {name for name in result.stdout.split("\0") if name and (ROOT / name).is_file()}
    return tuple(sorted(names))


@functools.cache
def text_of(name: str) -> str | None:
    """Return the text of a file; `None` for pictures, archives and very large data."""
    path = ROOT / name
    if path.stat().st_size > TEXT_BYTES_MAX:
        return None
    data = path.read_bytes()
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None


@dataclasses.dataclass(frozen=True)
class Module:
    """One Python file: its name from the root, its text and its tree."""

    name: str
    text: str
    tree: ast.Module

    def place(self, node: ast.AST) -> str:
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


@functools.cache
def modules() -> tuple[Module, ...]:
    """Return every Python file that a person wrote."""
    result = []
    for name in files():
        if name.endswith(".py") and not name.startswith(GENERATED):
            text = text_of(name) or ""
            result.append(Module(name, text, parsed(text, filename=name)))
    return tuple(result)


def matching(*patterns: str) -> Iterator[Module]:
    """Choose modules by patterns such as `services/*/domain.py`."""
    for module in modules():
        if any(Path(module.name).match(pattern) for pattern in patterns):
            yield module


def imported(node: ast.AST) -> Iterator[str]:
    """Return the modules that a statement imports."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module


def called_name(node: ast.Call) -> str:
    """Return the last part of what is called: `open`, or `subscriber` of `broker.subscriber`."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def nothing(found: Sequence[str]) -> None:
    """Fail with every place that was found, and not with the first."""
    if found:
        pytest.fail(f"{len(found)} found:\n" + "\n".join(found), pytrace=False)
