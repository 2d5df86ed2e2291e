"""The broker and the database die while a table plays: what was acknowledged is still there."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.devstack.stack import Stack
from tests.e2e.support import (
    OPEN,
    SHOE,
    STATIC_MEMBER,
    Line,
    coup,
    event_counts,
    fresh,
    movements,
    played,
    replayed,
    until,
    value,
    written,
)
from tests.support.broker import chosen_kind

pytestmark = pytest.mark.timeout(300)

COUPS = 7
STAKES = (("p1", "player", 1_000), ("p2", "banker", 1_500))
SETTLED = "select count(*) from events where stream_id = $1 and type = 'coup-settled'"


@pytest.fixture
def own_stack() -> Iterator[Stack]:
    """A stack that nobody else rests on, whose database keeps its promises through a crash."""
    if chosen_kind() == "external":
        pytest.skip("the broker of others is not killed")
    environment = {"SABOT_KAFKA_GROUP_INSTANCE_ID": STATIC_MEMBER}
    with Stack(broker=chosen_kind(), durable=True, environment=environment) as running:
        yield running


async def test_neither_the_broker_nor_the_database_can_be_missed_by_dying(
    own_stack: Stack, tmp_path: Path
) -> None:
    """Killed, crashed and emptied while a table plays: its lines and its money are the same.

    The embedded broker loses what it acknowledged last, and an emptied one everything: the relays
    notice, and publish their logs again; readers skip what they know.
    """
    lines: list[Line] = [OPEN, SHOE]
    for number in range(1, COUPS + 1):
        lines += coup(number, *STAKES)
    path = written(tmp_path, "table", lines)
    run = fresh("servers")
    playing = asyncio.create_task(played(own_stack, path, run))

    async def after(coups: int, *disasters: Callable[[], None]) -> None:
        async def so_far() -> bool:
            found = await value(own_stack, "settlement", SETTLED, f"{run}.1.T1")
            return bool(found >= coups) or playing.done()

        await until(so_far, what=f"coup {coups}", wait_s=90.0)
        assert not playing.done(), "nothing happened while it played"
        for disaster in disasters:
            await asyncio.to_thread(disaster)

    await after(1, own_stack.kill_broker, own_stack.start_broker)
    await after(3, own_stack.crash_postgres, own_stack.start_postgres)
    await after(5, own_stack.wipe_broker)
    assert await playing == replayed(path)
    counts = await event_counts(own_stack, run)
    assert counts["settlement"]["coup-settled"] == COUPS
    assert counts["wager"]["wager-accepted"] == COUPS * len(STAKES)
    kinds = Counter(kind for _, kind, _ in await movements(own_stack, run))
    assert kinds["DEBIT"] == kinds["FUND"] == COUPS * len(STAKES)
    assert kinds["CREDIT"] == counts["settlement"]["wager-settled"] - kinds["DEBIT"] // 2
