"""One stack for the tests of this folder: what is planted in it stays in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.devstack import leftovers
from tests.chaos.__main__ import say
from tests.chaos.stack import ChaosStack
from tests.support.broker import chosen_kind


@pytest.fixture(scope="module")
def shaken() -> Iterator[ChaosStack]:
    """The whole system as processes, with durable settings."""
    if chosen_kind() == "external":
        pytest.skip("the broker of others is not killed")
    leftovers.sweep()
    with ChaosStack(broker=chosen_kind(), report=say) as running:
        yield running
