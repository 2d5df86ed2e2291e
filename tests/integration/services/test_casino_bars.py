"""Bars from the casino, and stops, at live tables: one register for all, in memory and on a real database."""

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
from services.contracts.common import PlayerContext
from services.contracts.core import SYSTEM, Command, Event, Meta
from services.wager import domain
from services.wager.bars import Bar, Bars, lock_of
from services.wager.commands import BarPlayer, ChangeWager, LiftBar, LiftStop, OrderStop, PlaceWager
from services.wager.companion import WagerCompanion
from services.wager.domain.facts import Stop
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
        self.stopped: set[Stop] = set()
        self.asked: list[set[str]] = []

    async def among(self, players: Collection[str]) -> frozenset[str]:
        self.asked.append(set(players))
        return frozenset(self.barred & set(players))

    async def hold(
        self, looked_at: Collection[str], changed: Collection[str], *, stops: bool = False
    ) -> None:
        """The store in memory lets one transaction run at a time."""

    async def hold_too(self, player: str) -> bool:
        return bool(player)

    async def stops(self, players: Collection[str], sessions: Collection[str]) -> set[Stop]:
        return set(self.stopped)

    async def order(self, stop: Stop, **told: Any) -> None:
        self.stopped.add(stop)

    async def lift(self, stop: Stop) -> None:
        self.stopped.discard(stop)

    async def add(self, bar: Bar) -> None:
        self.barred.add(bar.player)

    async def remove(self, player: str) -> None:
        self.barred.discard(player)


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
async def replica(url: str, bars: Any = Bars) -> AsyncIterator[Executor]:
    """One process of the wager service, as far as it decides."""
    pool = await open_pool(url, connections_max=3)
    try:
        async with executor_on(PostgresStore("wager", pool), bars) as executor:
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
                body = registry.encode(event)
                meta = Meta(
                    table_id=table_id, occurred_at_us=AT_US, actor=SYSTEM, command_id="r",
                    cause="r", depth=1,
                )  # fmt: skip
                batch.add(
                    table_id,
                    kind=event.type,
                    schema_version=event.schema_version,
                    published=True,
                    coup_id="",
                    command_id="r",
                    meta=encode_meta(meta),
                    body=body,
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


async def lift(executor: Executor, table_id: str, player: str) -> bool:
    """Lift the bar from the casino; whether there was one."""
    command = LiftBar(at_us=AT_US, by=SUPERVISOR, player=player, scope="CASINO", reason="OVER")
    outcome = await send(executor, table_id, command)
    assert outcome.refused is None or outcome.refused[0] == "UNKNOWN", outcome
    return outcome.refused is None


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


async def test_a_bar_from_the_casino_is_lifted_at_whichever_live_table(executor: Executor) -> None:
    """F-169: at all of them at once, also at the one that gave it, and in one group of commands."""
    for giving, lifting in (("T1", "T2"), ("T2", "T2"), ("T3", "T1")):
        assert not await lift(executor, lifting, "p1")
        await bar(executor, giving, "p1")
        assert not await lift(executor, "run.T", "p1")
        assert not await taken(executor, "T3", "p1")
        assert await lift(executor, lifting, "p1")
        for table_id in ("T1", "T2", "T3"):
            assert await taken(executor, table_id, "p1")
            assert not await lift(executor, table_id, "p1")
    done = await asyncio.gather(
        taken(executor, "T3", "busy"),
        bar(executor, "T1", "p2"),
        taken(executor, "T2", "p2"),
        lift(executor, "T2", "p2"),
        taken(executor, "T3", "p2"),
        lift(executor, "T3", "p2"),
    )
    assert list(done) == [True, None, False, True, True, False]


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


class Slow(Bars):
    """Stops where a test wants it to, in the middle of its transaction."""

    inside = asyncio.Event()
    go_on = asyncio.Event()

    async def _stop(self) -> None:
        self.inside.set()
        await self.go_on.wait()

    async def among(self, players: Collection[str]) -> frozenset[str]:
        found = await super().among(players)
        await self._stop()
        return found

    async def add(self, bar: Bar) -> None:
        await super().add(bar)
        await self._stop()


@pytest.mark.parametrize("changed", [False, True])
async def test_a_bar_and_a_wager_of_one_instant_are_in_one_order(
    database_url: str, *, changed: bool
) -> None:
    """F-169: at two processes; whoever comes second waits, and others do not wait for them."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with AsyncExitStack() as stack:
        here = await at_tables(await stack.enter_async_context(replica(database_url)))
        there = await stack.enter_async_context(replica(database_url, Slow))
        other = next(name for name in "abcdefgh" if lock_of(name) != lock_of("p1"))
        wager = staked("p1")
        if changed:
            assert (await send(here, "T2", wager)).answer["status"] == "ACCEPTED"
        raised = ChangeWager(
            at_us=AT_US, by=person("PLAYER", "p1"), wager_id=wager.wager_id, amount_minor=2000
        )

        async def stakes(executor: Executor) -> str:
            outcome = await send(executor, "T2", raised if changed else wager)
            return outcome.refused[0] if outcome.refused else str(outcome.answer["status"])

        Slow.inside, Slow.go_on = asyncio.Event(), asyncio.Event()
        first = asyncio.create_task(stakes(there))
        await Slow.inside.wait()
        second = asyncio.create_task(bar(here, "T1", "p1"))
        await asyncio.sleep(0.3)
        assert not second.done()
        Slow.go_on.set()
        assert await first == "ACCEPTED"
        await second
        assert await lift(here, "T1", "p1")
        Slow.inside, Slow.go_on = asyncio.Event(), asyncio.Event()
        barring = asyncio.create_task(bar(there, "T1", "p1"))
        await Slow.inside.wait()
        raised = replace(raised, amount_minor=3000)
        wager = staked("p1")
        late = asyncio.create_task(stakes(here))
        await asyncio.sleep(0.3)
        assert not late.done()
        Slow.go_on.set()
        await barring
        assert await late == ("BARRED" if changed else "REJECTED")
        assert await taken(here, "T3", other)


async def test_wagers_of_others_do_not_wait_for_a_bar(database_url: str) -> None:
    """F-169: the locks are of few players each."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with AsyncExitStack() as stack:
        here = await at_tables(await stack.enter_async_context(replica(database_url)))
        there = await stack.enter_async_context(replica(database_url, Slow))
        Slow.inside, Slow.go_on = asyncio.Event(), asyncio.Event()
        barring = asyncio.create_task(bar(there, "T1", "p1"))
        await Slow.inside.wait()
        other = next(name for name in "abcdefgh" if lock_of(name) != lock_of("p1"))
        assert await asyncio.wait_for(taken(here, "T2", other), 5)
        Slow.go_on.set()
        await barring


async def test_bars_and_wagers_in_any_order_wait_for_each_other_without_end(
    database_url: str,
) -> None:
    """F-169: locks are taken in one order, or not waited for, so nobody is broken off."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    names = [f"n{number}" for number in range(6)]
    async with AsyncExitStack() as stack:
        here = await at_tables(await stack.enter_async_context(replica(database_url)))
        there = await stack.enter_async_context(replica(database_url))
        wagers = {name: staked(name) for name in names}
        for wager in wagers.values():
            assert (await send(here, "T2", wager)).answer["status"] == "ACCEPTED"

        def raised(name: str, amount_minor: int) -> ChangeWager:
            return ChangeWager(
                at_us=AT_US,
                by=person("PLAYER", name),
                wager_id=wagers[name].wager_id,
                amount_minor=amount_minor,
            )

        for number in range(6):
            amount = 2000 + number
            async with asyncio.timeout(10):
                await asyncio.gather(
                    *(bar(here, "T1", name) for name in names[number % 3 :: 3]),
                    *(send(here, "T2", raised(name, amount)) for name in names),
                    *(bar(there, "T3", name) for name in reversed(names[number % 2 :: 2])),
                    *(send(there, "T2", raised(name, amount)) for name in reversed(names)),
                    *(lift(there, "T3", name) for name in names),
                )
    pool = await open_pool(database_url, connections_max=1)
    found = await pool.fetchval(
        "select deadlocks from pg_stat_database where datname = current_database()"
    )
    pool.terminate()
    assert found == 0


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


# --- stops ---


async def stop(executor: Executor, table_id: str, **said: Any) -> None:
    values = {"of": "TABLE", "everywhere": True, "reason": "ALERT", **said}
    command = OrderStop(at_us=AT_US, by=SUPERVISOR, **values)
    assert (await send(executor, table_id, command)).refused is None


async def resume(executor: Executor, table_id: str, **said: Any) -> Outcome:
    values = {"of": "TABLE", "everywhere": True, **said}
    return await send(executor, table_id, LiftStop(at_us=AT_US, by=SUPERVISOR, **values))


async def stopped(executor: Executor, table_id: str, player: str, session: str = "") -> bool:
    """Stake; whether the wager was refused for a stop, or else accepted."""
    context = PlayerContext(operator="acme", session=session)
    outcome = await send(executor, table_id, replace(staked(player), context=context))
    answer = outcome.answer
    assert answer["status"] == "ACCEPTED" or answer["code"] == "STOPPED", outcome
    return bool(answer["status"] == "REJECTED")


async def test_a_stop_holds_at_every_live_table_and_is_lifted_at_whichever(
    executor: Executor,
) -> None:
    """D13: of a table, a player, a session, an area or a rulebook; a recording is not stopped."""
    for said, bound, free in (
        ({}, ("s1", ""), None),
        ({"of": "PLAYER", "value": "s2"}, ("s2", ""), ("x", "")),
        ({"of": "SESSION", "value": "g"}, ("s3", "g"), ("s3", "h")),
        ({"of": "AREA", "value": "BANKER"}, ("s4", ""), None),
        ({"of": "RULEBOOK", "value": "nsw-mini"}, ("s5", ""), None),
        ({"of": "TABLE", "operator": "acme"}, ("s6", ""), None),
        ({"of": "TABLE", "operator": "other"}, None, ("s7", "")),
    ):
        await stop(executor, "T1", **said)
        for table_id in ("T1", "T2", "T3"):
            assert bound is None or await stopped(executor, table_id, *bound)
            assert free is None or not await stopped(executor, table_id, *free)
        assert not await stopped(executor, "run.T", *(bound or ("s", "")))
        assert (await resume(executor, "T2", **said)).refused is None
        again = await resume(executor, "T3", **said)
        assert again.refused is not None
        assert again.refused[0] == "UNKNOWN"
        for table_id in ("T1", "T2", "T3"):
            assert bound is None or not await stopped(executor, table_id, *bound)


async def test_a_stop_binds_the_wagers_behind_it_in_its_own_group(executor: Executor) -> None:
    """D13: those that came before it in the same group stand; lifted, those behind are taken."""
    for _ in range(3):
        before, _, behind, _, free = await asyncio.gather(
            stopped(executor, "T2", "g1"),
            stop(executor, "T1"),
            stopped(executor, "T3", "g1"),
            resume(executor, "T1"),
            stopped(executor, "T2", "g2"),
        )
        assert (before, behind, free) == (False, True, False)


async def test_after_a_stop_no_process_takes_a_wager(database_url: str) -> None:
    """D13: at once, in every process; those before the stop's answer stand."""
    await migrate(database_url, [CHASSIS, PACKAGE])
    async with AsyncExitStack() as stack:
        here = await at_tables(await stack.enter_async_context(replica(database_url)))
        there = await stack.enter_async_context(replica(database_url))
        for _ in range(5):
            stopping = asyncio.create_task(stop(here, "T1"))
            while not stopping.done():
                await stopped(there, "T2", "q1")
            await stopping
            again = (
                stopped(process, table_id, f"q{number}")
                for process in (here, there)
                for table_id in ("T1", "T2", "T3")
                for number in range(3)
            )
            assert all(await asyncio.gather(*again))
            assert (await resume(there, "T2")).refused is None
            assert not await stopped(here, "T1", "q1")


async def test_a_stop_waits_for_the_wagers_that_did_not_see_it(database_url: str) -> None:
    """D13: a wager that is decided without the stop is committed before it, not behind it."""
    inside, go_on = asyncio.Event(), asyncio.Event()

    class Late(Bars):
        async def stops(self, players: Collection[str], sessions: Collection[str]) -> set[Stop]:
            found = await super().stops(players, sessions)
            inside.set()
            await go_on.wait()
            return found

    await migrate(database_url, [CHASSIS, PACKAGE])
    async with AsyncExitStack() as stack:
        here = await at_tables(await stack.enter_async_context(replica(database_url)))
        there = await stack.enter_async_context(replica(database_url, Late))
        staking = asyncio.create_task(stopped(there, "T2", "q1"))
        await inside.wait()
        stopping = asyncio.create_task(stop(here, "T1"))
        done, _ = await asyncio.wait([stopping], timeout=0.3)
        assert not done
        go_on.set()
        assert not await staking
        await stopping
        assert await stopped(there, "T2", "q1")
