"""Commands that bring their instants and persons with them: at a table on paper, and at no other."""

from __future__ import annotations

import pytest

from services.chassis.clock import SystemClock
from services.chassis.executor import NotATestTable
from services.chassis.memory import MemoryStore
from tests.ports.test_executor import add, running, send, total


async def test_a_recorded_story_does_not_go_on_at_a_live_table() -> None:
    """The counter is a TEST table above 1,000; it may cease to be one while a command waits."""
    store = MemoryStore("counter", SystemClock())
    async with running(store) as executor:
        await send(executor, add(1_001), "c-1", recorded=True)
        await send(executor, add(-1), "c-2")
        with pytest.raises(NotATestTable):
            await send(executor, add(-2), "c-3", recorded=True)
        assert await total(store) == 1_000
        assert not (await send(executor, add(2), "c-3")).duplicate
