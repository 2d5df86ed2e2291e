"""What the tests of this folder share."""

from __future__ import annotations

import pytest

from tests.deploy import tools


def need(*names: str) -> None:
    """Pass a test over where validators are missing, and fail it in CI, which fetches them first."""
    try:
        for name in names:
            tools.path(name)
    except tools.ToolMissing as missing:
        if tools.in_ci():
            pytest.fail(str(missing))
        pytest.skip(str(missing))
