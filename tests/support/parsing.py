"""Python sources as trees."""

from __future__ import annotations

import ast
import gc


def parsed(text: str, filename: str = "<unknown>") -> ast.Module:
    """The tree of a module.

    Nothing is collected meanwhile: where a finaliser runs in the middle of it, CPython 3.11 can lose
    count of how deep it is and raise `SystemError`.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text, filename=filename)
    finally:
        if enabled:
            gc.enable()
