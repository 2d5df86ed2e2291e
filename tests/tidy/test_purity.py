"""Rules and deciders are functions of their arguments, and money is never a float."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.tidy.sources import Module, called_name, imported, matching, nothing

PURE = (
    "services/rules/*.py",
    "services/rules/*/*.py",
    "services/*/domain.py",
    "services/*/domain/*.py",
)
# Where amounts are decided, moved or published.
MONEY = (
    *PURE,
    "services/contracts/*.py",
    "services/*/commands.py",
    "services/*/publish.py",
    "services/*/reactions.py",
    "services/*/*money*.py",
    "services/*/*payout*.py",
    "services/*/*ledger*.py",
    "services/*/*wallet*.py",
    "services/wager/comparing.py",
    "services/wager/seamless/amounts.py",
    "services/walletsim/books.py",
)
WORLD_MODULES = frozenset(
    {
        *("asyncio", "concurrent", "ctypes", "datetime", "http", "io", "locale", "logging"),
        *("multiprocessing", "os", "pathlib", "platform", "random", "secrets", "select", "shutil"),
        *("signal", "socket", "subprocess", "sys", "tempfile", "threading", "time", "urllib"),
        *("uuid", "zoneinfo"),
    }
)
# The order of a set of texts depends on `hash`, which differs from run to run, as `id` does.
WORLD_CALLS = frozenset(
    {
        *("open", "print", "input", "eval", "exec", "compile", "breakpoint", "globals", "vars"),
        *("hash", "id", "__import__"),
    }
)
FLOAT_FUNCTIONS = frozenset({"float", "sqrt", "exp", "fsum", "fmod", "isclose"})


def world(module: Module) -> Iterator[str]:
    """Find what reaches out of a pure module."""
    hashing = {  # what `__hash__` returns never leaves the process
        inner
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef) and node.name == "__hash__"
        for inner in ast.walk(node)
    }
    for node in ast.walk(module.tree):
        for name in imported(node):
            if name.split(".")[0] in WORLD_MODULES:
                yield f"{module.place(node)} imports {name}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if name in WORLD_CALLS and node not in hashing:
                yield f"{module.place(node)} calls {name}()"
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.Global):
            yield f"{module.place(node)} has {type(node).__name__}"


def floats(module: Module) -> Iterator[str]:
    """Find floating point numbers, wherever they come from."""
    refused = {  # `isinstance(value, float)` is how a float is kept out
        inner
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and called_name(node) == "isinstance"
        for inner in ast.walk(node)
    }
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield f"{module.place(node)} has the constant {node.value}"
        elif isinstance(node, ast.Name) and node.id == "float" and node not in refused:
            yield f"{module.place(node)} says float"
        elif isinstance(node, ast.Call) and called_name(node) in FLOAT_FUNCTIONS:
            yield f"{module.place(node)} calls {called_name(node)}()"


def test_rules_and_deciders_do_not_reach_the_world() -> None:
    """No clock, chance, id, file, environment or task: a decision depends on its arguments."""
    nothing([fault for module in matching(*PURE) for fault in world(module)])


def test_money_is_exact() -> None:
    """Amounts are integers of minor units, and odds are fractions."""
    nothing([fault for module in matching(*MONEY) for fault in floats(module)])


def module_of(text: str) -> Module:
    return Module("example.py", text, ast.parse(text))


def test_the_checks_see_what_they_look_for() -> None:
    """Each kind of fault is found, and harmless code is not."""
    outside = "import time\nfrom os.path import join\nasync def f():\n    await g()\nopen('x')\n"
    assert len(list(world(module_of(outside)))) == 5
    assert len(list(floats(module_of("x: float = 1.5\ny = float('2')\n")))) == 4
    harmless = "from fractions import Fraction\nx = Fraction(19, 20) / 2\nself.id(x)\nisinstance(x, float)\n"
    assert list(world(module_of(harmless))) + list(floats(module_of(harmless))) == []
