"""Functions and files stay small enough to be read in one go."""

from __future__ import annotations

import ast

from tests.tidy.sources import modules, nothing

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 700


def test_functions_are_short() -> None:
    """One owner of control flow, pure leaves."""
    found = []
    for module in modules():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES_MAX:
                    found.append(f"{module.place(node)} {node.name} has {lines} lines")
    nothing(found)


def test_files_are_short() -> None:
    """One concern per file."""
    found = [
        f"{module.name} has {lines} lines"
        for module in modules()
        if (lines := module.text.count("\n")) > FILE_LINES_MAX
    ]
    nothing(found)
