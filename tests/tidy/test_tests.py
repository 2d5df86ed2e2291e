"""Tests say what they prove, and nobody's test depends on a conftest."""

from __future__ import annotations

import ast

from tests.tidy.sources import imported, matching, nothing

WORDS_OF_A_SENTENCE = 4


def test_every_test_says_what_it_proves() -> None:
    """The claim is the docstring or a name that is a sentence; the code is the evidence."""
    found = [
        f"{module.place(node)} {node.name} has neither docstring nor sentence"
        for module in matching("tests/*/test_*.py", "tests/*/*/test_*.py")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
        and len(node.name.removeprefix("test_").split("_")) < WORDS_OF_A_SENTENCE
    ]
    nothing(found)


def test_nothing_is_imported_from_a_conftest() -> None:
    """Helpers live in tests/support, so that a test shows where they come from."""
    found = [
        module.place(node)
        for module in matching("tests/*.py", "tests/*/*.py", "tests/*/*/*.py")
        for node in ast.walk(module.tree)
        if any(name.split(".")[-1] == "conftest" for name in imported(node))
    ]
    nothing(found)


def test_every_folder_of_tests_has_a_unique_purpose() -> None:
    """Two test modules of one name in one folder tree would hide each other's results."""
    names = [module.name for module in matching("tests/*/test_*.py")]
    assert len(names) == len(set(names))
