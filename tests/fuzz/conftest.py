"""The stack that odd calls go to: its own, so that no other test meets what they leave."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.devstack import leftovers
from services.devstack.stack import Stack
from tests.support.broker import chosen_kind


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[Stack]:
    """The whole system as processes."""
    leftovers.sweep()
    with Stack(broker=chosen_kind()) as running:
        yield running
