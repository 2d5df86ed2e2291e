"""The stack that these tests share: PostgreSQL, the broker of the run, and the four services."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.devstack import leftovers
from services.devstack.stack import Stack
from tests.support.broker import chosen_kind

STATIC_MEMBER = "replica-0"
"""A member of its consumer groups that has a name is known again after a crash, as a pod with a name
is; one without is waited for until its session has timed out."""


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The whole system as processes, one for all tests."""
    leftovers.sweep()
    environment = {"SABOT_KAFKA_GROUP_INSTANCE_ID": STATIC_MEMBER}
    with Stack(broker=chosen_kind(), environment=environment) as running:
        yield running


@pytest.fixture
def mended(stack: Stack) -> Iterator[None]:
    """Leave the stack to the next test as it was: every service runs, and none is frozen."""
    yield
    for name, service in stack.services.items():
        assert service.process is not None
        if service.process.running():
            stack.resume_service(name)
        else:
            stack.start_service(name)
