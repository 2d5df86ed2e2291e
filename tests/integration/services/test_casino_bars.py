"""Bars from the casino at live tables: one register for all, in memory and on a real database."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.resources import files
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from services.chassis.clock import ManualClock
from services.chassis.decider import Record
from services.chassis.executor import Executor, Limits, Outcome
from services.chassis.hearing import Result
from services.chassis.memory import MemoryStore
from services.chassis.migrations import CHASSIS, Package, migrate
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.registry import Registry, encode_meta
from services.chassis.store import Batch
from services.contracts import round as table
from services.contracts.core import SYSTEM, Command, Event, Meta
from services.wager import domain
from services.wager.bars import Bar, Bars
from services.wager.commands import BarPlayer, ChangeWager, PlaceWager
from services.wager.companion import WagerCompanion
from services.wager.wallet import DONE, Answer, Movement
from tests.support.spec import AT_US, person
from tests.support.tables import betting, place, settings

PACKAGE = Package("wager", files("services.wager.migrations"))
TABLES = ("T1", "T2", "T3", "run.T")
"""Live tables, and one in TEST mode."""

SUPERVISOR = person("CASINO_SUPERVISOR")

_commands = itertools.count(1)


class Rich:
    """A ledger in which everybody has enough."""

    async def move(self, movements: Sequence[Movement]) -> list[Answer]:
        return [Answer(movement_id=each.movement_id, outcome=DONE) for each in movements]


class Register:
    """The register in memory; counts how often it is asked."""

    def __init__(self) -> None:
        self.barred: set[str] = set()
        self.asked: list[set[str]] = []

    async def among(self, players: Collection[str]) -> frozenset[str]:
        self.asked.append(set(players))
        return frozenset(self.barred & set(players))

    async def add(self, bars: Sequence[Bar]) -> None:
        self.barred.update(bar.player for bar in bars)


def executor_on(store: Any, bars: Any) -> Executor:
    core: Any = domain
    return Executor(
        core,
        store,
        WagerCompanion(lambda _: Rich(), bars=bars),
        Registry("wager", domain.EVENTS),
        limits=Limits(linger_s_max=0.0),
        jitter=random.Random(7),
    )


@asynccontextmanager
async def replica(url: str) -> AsyncIterator[Executor]:
    """One process of the wager service, as far as it decides."""
    pool = await open_pool(url, connections_max=3)
    try:
        async with executor_on(PostgresStore("wager", pool), Bars) as executor:
            yield executor
    finally:
        pool.terminate()


async def told_by_round() -> list[Record]:
    """What round publishes of the tables: they are open, and so is betting on their first coup."""
    store = MemoryStore("round", ManualClock(AT_US))
    registry = Registry("round", table.EVENTS)
    async with store.transaction() as tx:
        batch = Batch("round", await tx.heads(TABLES))
        for table_id in TABLES:
            mode = "TEST" if table_id == "run.T" else "LIVE"
            made = replace(settings(mode=mode), table_id=table_id)
            opened = table.TableOpened(session=1, settings=made)
            events: list[Event] = [opened, replace(betting(), coup_id=f"{table_id}:1:1")]
            for event in events:
                encoded = registry.encode(event)
                meta = Meta(
                    table_id=table_id, occurred_at_us=AT_US, actor=SYSTEM, command_id="r",
                    cause="r", depth=1,
                )  # fmt: skip
                batch.add(
                    table_id,
                    kind=encoded.type,
                    schema_version=encoded.schema_version,
                    published=True,
                    coup_id="",
                    command_id="r",
                    meta=encode_meta(meta),
                    body=encoded.body,
                )
        return await tx.append(batch)


async def at_tables(executor: Executor) -> Executor:
    """Let the executor hear that the tables take wagers."""
    verdicts = await executor.hear(await told_by_round(), "wager")
    assert {verdict.result for verdict in verdicts} == {Result.DONE}, verdicts
    return executor


async def send(executor: Executor, table_id: str, command: Command) -> Outcome:
    return await executor.command(
        table_id, command, command_id=f"c{next(_commands)}", input_hash=b"x"
    )


def staked(player: str, amount_minor: int = 1000) -> PlaceWager:
    return replace(place(f"w{next(_commands)}", player, amount=amount_minor), coup_id=None)


async def taken(executor: Executor, table_id: str, player: str) -> bool:
    """Stake; whether the wager was accepted, or else refused for a bar."""
    outcome = await send(executor, table_id, staked(player))
    assert outcome.answer["status"] in ("ACCEPTED", "REJECTED"), outcome
    if outcome.answer["status"] == "REJECTED":
        assert outcome.answer["code"] == "BARRED", outcome
    return bool(outcome.answer["status"] == "ACCEPTED")


async def bar(executor: Executor, table_id: str, player: str, scope: str = "CASINO") -> None:
    command = BarPlayer(at_us=AT_US, by=SUPERVISOR, player=player, scope=scope, reason="DEVICE")
    assert (await send(executor, table_id, command)).refused is None


STORES = ["memory", pytest.param("postgres", marks=pytest.mark.integration)]


@pytest.fixture(params=STORES)
def database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database; "" for a store in memory."""
    return "" if request.param == "memory" else str(request.getfixturevalue("database_url"))


@pytest_asyncio.fixture(loop_scope="session")
async def executor(database: str) -> AsyncIterator[Executor]:
    """The wager service at tables that take wagers."""
    async with AsyncExitStack() as stack:
        if database:
            await migrate(database, [CHASSIS, PACKAGE])
            made = await stack.enter_async_context(replica(database))
        else:
            register = Register()
            store = MemoryStore("wager", ManualClock(AT_US))
            made = await stack.enter_async_context(executor_on(store, lambda _: register))
        yield await at_tables(made)


async def test_a_bar_from_the_casino_holds_at_every_live_table(executor: Executor) -> None:
    """F-169: from then on; what was accepted stands and is not raised. A bar from the game does not."""
    wager = staked("p1")
    assert (await send(executor, "T2", wager)).answer["status"] == "ACCEPTED"
    await bar(executor, "T1", "p1")
    await bar(executor, "T1", "p2", scope="GAME")
    for table_id in ("T1", "T2", "T3"):
        assert not await taken(executor, table_id, "p1")
        assert await taken(executor, table_id, "p2") == (table_id != "T1")
        assert await taken(executor, table_id, "p3")
    raised = ChangeWager(
        at_us=AT_US, by=person("PLAYER", "p1"), wager_id=wager.wager_id, amount_minor=2000
    )
    outcome = await send(executor, "T2", raised)
    assert outcome.refused is not None
    assert (outcome.refused[0], outcome.refused[2]) == ("BARRED", ("004:14.1", "004:14.3"))
    lowered = await send(executor, "T2", replace(raised, amount_minor=500))
    assert lowered.refused is None
    state = await executor.state("T2")
    assert state.book.wagers[wager.wager_id].stake_minor == 500


async def test_live_tables_and_recordings_bar_nobody_from_each_other(executor: Executor) -> None:
    """F-169: what a table in TEST mode shows happened elsewhere, or never."""
    await bar(executor, "run.T", "p1")
    assert not await taken(executor, "run.T", "p1")
    assert await taken(executor, "T1", "p1")
    await bar(executor, "T1", "p2")
    assert await taken(executor, "run.T", "p2")
    assert not await taken(executor, "T2", "p2")


async def test_a_bar_binds_the_wagers_behind_it_in_its_own_group(executor: Executor) -> None:
    """F-169: those that came before it in the same group stand."""
    for number in range(5):
        player, other = f"g{number}", f"h{number}"
        _, before, _, behind, free = await asyncio.gather(
            taken(executor, "T3", f"busy{number}"),
            taken(executor, "T2", player),
            bar(executor, "T1", player),
            taken(executor, "T3", player),
            taken(executor, "T3", other),
        )
        assert (before, behind, free) == (True, False, True)


async def test_the_register_is_asked_once_for_a_group_of_wagers() -> None:
    """F-169: whoever they are of; a wager that is decided alone is looked up alone."""
    register = Register()
    store = MemoryStore("wager", ManualClock(AT_US))
    async with executor_on(store, lambda _: register) as executor:
        await at_tables(executor)
        await bar(executor, "T3", "p3")
        done = await asyncio.gather(*(taken(executor, "T1", f"p{n}") for n in range(6)))
        assert done == [True, True, True, False, True, True]
        assert register.asked == [{f"p{n}" for n in range(6)}]


async def test_after_a_bar_no_process_takes_a_wager(database_url: str) -> None:
    """F-169: however many are on their way; those before the bar's answer stand."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with AsyncExitStack() as stack:
        here = await at_tables(await stack.enter_async_context(replica(database_url)))
        there = await stack.enter_async_context(replica(database_url))
        for number in range(10):
            player = f"q{number}"
            barring = asyncio.create_task(bar(here, "T1", player))
            while not barring.done():
                await taken(there, "T2", player)
            await barring
            again = (
                taken(process, table_id, player)
                for process in (here, there)
                for table_id in ("T1", "T2", "T3")
            )
            assert not any(await asyncio.gather(*again))


async def test_bars_that_were_given_before_are_in_the_register(database_url: str) -> None:
    """F-169: those of an earlier release, from live tables, the first of each player."""
    await migrate(database_url, [CHASSIS])
    pool = await open_pool(database_url, connections_max=2)
    register = Register()
    async with executor_on(PostgresStore("wager", pool), lambda _: register) as executor:
        await at_tables(executor)
        for table_id, player, scope in (
            ("T2", "p1", "CASINO"), ("T1", "p1", "CASINO"), ("T1", "p2", "GAME"),
            ("run.T", "p3", "CASINO"),
        ):  # fmt: skip
            await bar(executor, table_id, player, scope)
    await migrate(database_url, [CHASSIS, PACKAGE])
    rows = await pool.fetch("select * from casino_bars")
    pool.terminate()
    assert [tuple(row) for row in rows] == [("p1", "T2", "DEVICE", SUPERVISOR.id, AT_US)]
