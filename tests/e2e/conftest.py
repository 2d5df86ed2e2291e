"""The stack that these tests share: PostgreSQL, the broker of the run, and the four services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from services.devstack import leftovers
from services.devstack.stack import Stack
from services.tablelog.calls import ServiceFailed, Services
from tests.e2e.support import STATIC_MEMBER, until
from tests.support.broker import chosen_kind


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The whole system as processes, one for all tests."""
    leftovers.sweep()
    environment = {"SABOT_KAFKA_GROUP_INSTANCE_ID": STATIC_MEMBER}
    with Stack(broker=chosen_kind(), environment=environment) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def mended(stack: Stack) -> AsyncIterator[None]:
    """Begin with services that answer, and leave them running and awake to the next test.

    Channels to one address share its state: one that has just failed fails at once for a while.
    """

    async def answers() -> bool:
        try:
            await services.progress("nobody")
        except ServiceFailed:
            return False
        return True

    async with Services(stack.targets) as services:
        await until(answers, what="all services to answer")
    yield
    for name, service in stack.services.items():
        assert service.process is not None
        if service.process.running():
            stack.resume_service(name)
        else:
            await asyncio.to_thread(stack.start_service, name)
