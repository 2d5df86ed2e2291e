"""The journal of an operator's movements: one suite, in memory and on PostgreSQL."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from services.chassis.migrations import CHASSIS, Package, migrate
from services.chassis.postgres import open_pool
from services.devstack.postgres import PostgresServer
from services.wager.journal import UNCONFIRMED, Entry, Journal
from services.wager.wallet import CANCEL, CREDIT, DEBIT, DONE, REFUSED, UNKNOWN, Answer, Movement
from tests.support.asked import MemoryJournal

DATABASE = "journals"
LEASE_S = 60.0
LATE = {"status": "REJECTED", "code": "LATE", "message": "too late"}
STANDS = {"status": "ACCEPTED", "stake_minor": 5}

_numbers = itertools.count(1)


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def journals(postgres_server: PostgresServer) -> str:
    """The address of a database with the journal's table."""
    await postgres_server.create_databases([DATABASE])
    dsn = postgres_server.dsn(DATABASE)
    await migrate(dsn, [CHASSIS, Package("wager", files("services.wager.migrations"))])
    return dsn


@pytest_asyncio.fixture(loop_scope="session")
async def memory_journal() -> MemoryJournal:
    return MemoryJournal(asyncio.get_running_loop().time)


@pytest_asyncio.fixture(loop_scope="session")
async def postgres_journal(journals: str) -> AsyncIterator[Journal]:
    pool = await open_pool(journals, connections_max=2)
    await pool.execute("delete from operator_movements")
    yield Journal(pool)
    pool.terminate()


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.integration)])
def journal(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_journal")


def asking(verb: str = DEBIT, *, cancels: str = "", undone: Any = None) -> Entry:
    """A movement of a wager of its own."""
    number = next(_numbers)
    return Entry(
        movement=Movement(
            movement_id=f"T/w{number}/1",
            player="p",
            currency="EUR",
            verb=verb,
            amount_minor=5,
            table_id="T",
            wager_id=f"w{number}",
            cancels=cancels,
        ),
        command_id="c",
        cause=f"wager:T:{number}",
        depth=1,
        traceparent="",
        at_us=1,
        test=False,
        undone=undone,
    )


def key(entry: Entry) -> str:
    return entry.movement.movement_id


def answer(entry: Entry, outcome: str, reason: str = "") -> Answer:
    return Answer(movement_id=key(entry), outcome=outcome, reason=reason)


async def note(journal: Any, entry: Entry, outcome: str, **more: Any) -> None:
    pause_s = more.pop("pause_s", 0)
    await journal.answered(answer(entry, outcome), cause=entry.cause, pause_s=pause_s, **more)


async def taken(journal: Any, lease_s: float = LEASE_S) -> list[tuple[str, int]]:
    return [(key(each), each.attempts) for each in await journal.take(lease_s=lease_s)]


async def test_what_is_due_is_taken_once_until_its_lease_ends(journal: Any) -> None:
    """D13: of several that send, one does; another does should that one die."""
    assert await journal.status("T/never/1") == ("", None)
    first, second = asking(), asking(CREDIT)
    await journal.ask([first])
    await journal.ask([second], own=False)
    assert await journal.next_in_s() <= 0
    assert await taken(journal, 0.05) == [(key(first), 1)]
    assert await taken(journal) == []
    await asyncio.sleep(0.06)
    assert await taken(journal) == [(key(first), 2)]
    assert await journal.next_in_s() > LEASE_S / 2
    assert (await journal.overdue()) == (2, 0)


async def test_an_unknown_outcome_is_due_again_after_its_pause(journal: Any) -> None:
    """What somebody else sends never falls due here."""
    own, others = asking(CANCEL), asking(CREDIT)
    await journal.ask([own])
    await journal.ask([others], own=False)
    await journal.take(lease_s=LEASE_S)
    for entry in (own, others):
        await note(journal, entry, UNKNOWN)
        assert (await journal.status(key(entry)))[0] == "OPEN"
    assert await taken(journal) == [(key(own), 2)]
    await note(journal, own, UNKNOWN, pause_s=LEASE_S)
    assert await taken(journal) == []
    await note(journal, own, DONE)
    assert await journal.next_in_s() is None


async def test_done_stays_done_and_a_refusal_may_be_asked_for_again(journal: Any) -> None:
    """N-7: under its own key; its attempts are counted anew."""
    entry = asking(CANCEL)
    await journal.ask([entry])
    await journal.take(lease_s=LEASE_S)
    await note(journal, entry, REFUSED)
    assert (await taken(journal), (await journal.status(key(entry)))[0]) == ([], REFUSED)
    again = replace(entry, cause="wager:T:repeated", repeated=True)
    await journal.ask([again])
    (sent,) = await journal.take(lease_s=LEASE_S)
    assert (sent.cause, sent.repeated, sent.attempts) == (again.cause, True, 1)
    await note(journal, entry, REFUSED)  # a late answer to what was asked for first
    assert (await journal.status(key(entry)))[0] == "OPEN"
    await note(journal, again, DONE)
    await note(journal, again, REFUSED)
    await journal.ask([entry])
    assert ((await journal.status(key(entry)))[0], await taken(journal)) == (DONE, [])


async def test_a_debit_that_is_undone_by_name_is_sent_no_more(journal: Any) -> None:
    """N-1: whatever is said of it later; its player is told why with the cancel (A-30)."""
    debit, other = asking(), asking()
    await journal.ask([debit, other])
    await journal.ask([asking(CANCEL, cancels=key(debit), undone=LATE)])
    assert await journal.status(key(debit)) == (UNCONFIRMED, LATE)
    assert key(debit) not in dict(await taken(journal))
    await note(journal, debit, DONE, verdict=STANDS)
    assert await journal.status(key(debit)) == (UNCONFIRMED, LATE)
    await note(journal, other, DONE, verdict=STANDS)
    assert await journal.status(key(other)) == (DONE, STANDS)
    await journal.ask([asking(CANCEL, cancels=key(other), undone=LATE)])
    assert await journal.status(key(other)) == (DONE, STANDS)


async def test_a_decision_of_the_table_closes_its_debit_alone(journal: Any) -> None:
    """Sent again after it, a debit could move money for a wager that was rejected."""
    mine, others, back = asking(), asking(), asking(CANCEL)
    back = replace(back, movement=replace(back.movement, wager_id=mine.movement.wager_id))
    await journal.ask([mine, others, back])
    await journal.close_debit("U", {mine.movement.wager_id}, REFUSED)
    await journal.close_debit("T", {mine.movement.wager_id}, REFUSED)
    assert (await journal.status(key(mine)))[0] == REFUSED
    assert {each for each, _ in await taken(journal)} == {key(others), key(back)}
