"""A bounded run of the real faults, and breaches that somebody plants: each makes the run fail."""

from __future__ import annotations

from collections.abc import AsyncIterator
from random import SystemRandom
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from services.chassis import relay
from tests.chaos import books as auditing
from tests.chaos.__main__ import reported, say
from tests.chaos.books import Findings
from tests.chaos.calls import Acknowledged, Callers
from tests.chaos.faults import FAULTS
from tests.chaos.run import Result, Row, Session, run
from tests.chaos.stack import ChaosStack
from tests.e2e.desk import DEALER
from tests.e2e.support import until
from tests.support.broker import chosen_kind

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

SEED = SystemRandom().randrange(2**32)
"""Another order of faults in every run; a run that fails prints it."""

TABLES = 2
SECONDS = 60.0
"""No fault begins later; `make chaos` takes its time."""

LEFT_OUT = {"no fault", "database slow", "clock steps"}
LEFT_TO_KAFKA = {"second process comes and goes", "broker killed", "broker emptied"}
"""The embedded broker takes a commit by a member of old for that of another one, and may wait for it
for a minute and more; `tests/integration/messaging` kills and empties it, too."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def session(shaken: ChaosStack) -> AsyncIterator[Session]:
    async with Session.on(shaken, seed=SEED, tables=TABLES) as begun:
        yield begun


def status(found: list[str]) -> int:
    """The exit status of a run that found this."""
    return reported(Result([], breaches=found), chosen_kind(), SEED, TABLES, write=False)


async def test_no_fault_loses_anything_or_does_it_twice(session: Session) -> None:
    """Processes, PostgreSQL and broker die while tables play: every promise holds after each."""
    left_out = LEFT_OUT if chosen_kind() == "apache" else LEFT_OUT | LEFT_TO_KAFKA
    names = [name for name in FAULTS if name not in left_out]
    result = await run(session, names=names, count=1, seconds=SECONDS, say=say)
    assert result.breaches == []
    assert any(row.recoveries for row in result.rows)
    assert result.wagers > 0
    assert status(result.breaches) == 0


# --- planted ---


async def an_acknowledgement_that_never_was(_: ChaosStack, callers: Callers) -> None:
    callers.acknowledged["never"] = Acknowledged(
        "T", "round", "OpenBetting", DEALER, {}, "never", b"", done=True
    )


async def a_payment_made_twice(stack: ChaosStack, _: Callers) -> None:
    """Somebody with all rights repeats a payment under another key, balance and all."""
    connection = await asyncpg.connect(stack.database_url("wager"))
    try:
        async with connection.transaction():
            paid: Any = await connection.fetchrow(
                "select player, amount_minor from movements where kind = 'CREDIT' limit 1"
            )
            await connection.execute(
                "insert into movements (movement_id, player, currency, kind, amount_minor, "
                "balance_minor, table_id, coup_id) select movement_id || '/again', player, "
                "currency, kind, amount_minor, balance_minor, table_id, coup_id from movements "
                "where kind = 'CREDIT' limit 1"
            )
            await connection.execute(
                "update accounts set balance_minor = balance_minor + $2 where player = $1", *paid
            )
    finally:
        await connection.close()


async def a_service_that_forgets_what_it_handled(stack: ChaosStack, _: Callers) -> None:
    """Settlement's inbox is empty, and round's topic brings everything once more."""
    for service, statement, *words in (
        ("settlement", "delete from inbox where upstream = 'round'"),
        (
            "round",
            "update checkpoints set position = 0 where name = $1",
            relay.checkpoint_name("round"),
        ),
    ):
        connection = await asyncpg.connect(stack.database_url(service))
        try:
            await connection.execute(statement, *words)
        finally:
            await connection.close()


async def test_an_acknowledgement_that_never_was_is_a_loss(session: Session) -> None:
    found = await session.strike(Row("no fault"), an_acknowledgement_that_never_was)
    del session.callers.acknowledged["never"]
    assert found == Findings(losses=["OpenBetting never was acknowledged and is gone"])
    assert status(found.lines()) == 1


async def test_a_payment_that_somebody_made_twice_is_found(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditing, "REST_S_MAX", 5.0)
    await a_payment_made_twice(session.scene.stack, session.callers)
    found = await session.books.check(session.ways[0])
    assert any("/again, undue" in line for line in found.duplicates)
    assert any("should have" in line for line in found.others)
    assert status(found.lines()) == 1


async def test_a_service_that_forgets_what_it_handled_is_found(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Comes last: nothing is right at these tables any more."""
    monkeypatch.setattr(auditing, "REST_S_MAX", 5.0)
    await a_service_that_forgets_what_it_handled(session.scene.stack, session.callers)

    async def again() -> bool:
        found = await session.books.check(session.ways[0])
        return any("again, after position" in line for line in found.lines())

    await until(again, what="an event that is heard twice to be found")
