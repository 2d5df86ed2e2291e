"""An operator's wallet that goes wrong: at the end both books agree, or an open item says why not.

The wager service runs on a real database and sends over HTTP to the simulator; the other services
are beside it in memory. The sender is killed and begun again while the fault lasts.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from sabot.wager.v1 import wallet_service_pb2 as pb
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.executor import Executor, Limits
from services.chassis.migrations import CHASSIS, Package, migrate
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.registry import Registry
from services.chassis.timers import Timers
from services.contracts.core import Actor
from services.devstack.postgres import PostgresServer
from services.settlement import domain as settlement
from services.settlement import open_items as owed_after
from services.settlement.companion import SettlementCompanion, among
from services.settlement.delivery import Delivery
from services.tablelog.reader import read
from services.tablelog.steps import Step, steps
from services.wager import domain as wager
from services.wager import open_items as owed_before
from services.wager.commands import ExpireDebits, PlaceSlip, Stake
from services.wager.companion import WagerCompanion
from services.wager.comparing import Difference, Line, differences
from services.wager.config import WalletSettings
from services.wager.journal import Entry, Journal
from services.wager.seamless.client import SeamlessWallet
from services.wager.sending import Sending
from services.wager.wallet import REFUSED, Answer, Movement
from services.wager.wallet_api import OPERATOR_ROWS, WALLET, WalletService
from services.walletsim.app import movements_csv
from tests.support.owed import unsettled
from tests.support.walletsim import Running, adapter, simulator
from tests.support.world import World

SETTINGS = WalletSettings(kind="http", test_tables=True)
VERBS = ("DEBIT", "CANCEL", "CREDIT", "REVERSE")
FAULTS = ("SLOW", "LOST", "TWICE", "REFUSE", "ERROR", "WRONG_AMOUNT", "GARBAGE", "RESTART")
DEPOSIT = 10_000
PLAYERS = ("p1", "p2", "p3")
CARDS = "AC 9D 2S AD 3H 2C KD 4S 6S 7H TD KC 9S 7D KD TC 5C 4H 3D QH 8C JD 2H 6H"


def stake(wager_id: str, player: str, area: str, amount: int) -> dict[str, Any]:
    return {"do": "wager", "id": wager_id, "player": player, "area": area, "amount": amount}


BEFORE: list[dict[str, Any]] = [
    {
        "do": "open_table",
        "table": "T",
        "rulebook": "nsw-mini",
        "decks": 8,
        "limits": {"*": {"min": 100, "max": 1_000_000}},
    },
    {"do": "load_shoe", "shoe": "S1", "partial": True, "cards": CARDS.split()},
]
SLIP = PlaceSlip(
    at_us=0,
    by=Actor("p3", "PLAYER"),
    slip_id="s1",
    player="p3",
    wagers=(Stake(area="BANKER", amount_minor=300), Stake(area="TIE", amount_minor=200)),
)
SLIP_AFTER = len(BEFORE) + 5
MAIN: list[dict[str, Any]] = [
    {"do": "open_betting"},
    stake("w1", "p1", "banker", 1_000),
    stake("w2", "p2", "player", 2_000),
    stake("w3", "p3", "tie", 500),
    {"do": "cancel_wager", "id": "w3"},
    {"do": "cancel_wager", "id": "s1#slip-2", "by": {"id": "p3", "role": "player"}},
    {"do": "no_more_bets"},
    {"do": "deal"},
    {
        "do": "ruling",
        "kind": "invalidate",
        "coup": 1,
        "reason": "FIRE",
        "second": {"id": "cs-2", "role": "casino_supervisor"},
    },
]


def loose(**parts: Any) -> Any:
    """Something with these parts."""
    return SimpleNamespace(**parts)


class Operator:
    """Everything around one operator's wallet."""

    def __init__(
        self,
        world: World,
        pool: Any,
        running: Running,
        wallet: SeamlessWallet,
        together: Sequence[str] = (),
    ) -> None:
        """`together`: operators with one credit, also of zero, for a player's coup."""
        self.world = world
        owing: Any = settlement
        world.executors["settlement"] = Executor(
            owing,
            world.stores["settlement"],
            SettlementCompanion(among(together)),
            Registry("settlement", settlement.EVENTS),
            limits=Limits(linger_s_max=0.0),
            jitter=random.Random(7),
        )
        self.pool = pool
        self.running = running
        store: Any = PostgresStore("wager", pool)
        core: Any = wager
        world.stores["wager"] = store
        world.executors["wager"] = Executor(
            core,
            store,
            WagerCompanion(elsewhere=lambda staged: True),
            Registry("wager", wager.EVENTS),
            limits=Limits(linger_s_max=0.0),
            jitter=random.Random(7),
        )
        parts = {WALLET: wallet}
        self.runtime = loose(
            store=store,
            pool=pool,
            executor=world.executors["wager"],
            clock=SYSTEM_CLOCK,
            settings=SimpleNamespace(wallet=SETTINGS),
            has=lambda name: name in parts,
            take=lambda name: parts[name],
        )
        self.sending = Sending(self.runtime, wallet)
        service = WalletService(self.runtime)
        self.delivery = Delivery(
            loose(
                store=world.stores["settlement"],
                executor=world.executors["settlement"],
                pool=pool,
            ),
            Calls(service),
            zero_credits=among(together),
        )
        self._tasks: list[asyncio.Task[Any]] = []

    def begin(self) -> None:
        """Start what sends and delivers."""
        self._tasks = [
            asyncio.create_task(self.sending.run()),
            asyncio.create_task(self.delivery.run()),
        ]

    async def kill(self) -> None:
        """End it, whatever is under way; calls on their way are broken off."""
        others = [t for t in asyncio.all_tasks() if t.get_coro().__qualname__ == "Sending._send"]  # type: ignore[union-attr]
        for task in (*self._tasks, *others):
            task.cancel()
        await asyncio.gather(*self._tasks, *others, return_exceptions=True)
        # The lease of a killed sender ends by itself; here it ends now.
        await self.pool.execute(
            "update operator_movements set next_at = clock_timestamp() "
            "where status = 'OPEN' and next_at < 'infinity'"
        )

    async def rest(self, *, killed: int = 0) -> None:
        """Wait until nothing moves: all is answered, or an open item for a person."""
        async with asyncio.timeout(30):
            for _ in range(killed):
                await asyncio.sleep(random.Random(killed).random() * 0.1)
                await self.kill()
                self.begin()
            while await self._moves():
                await asyncio.sleep(0.02)

    async def _moves(self) -> bool:
        if await self.world.spread():
            return True
        due = await self.pool.fetchval(
            "select count(*) from operator_movements where status = 'OPEN' and next_at < 'infinity'"
        )
        store = self.world.stores["settlement"]
        behind = (await store.checkpoint("subscription:credits")).position
        waiting = await self.pool.fetchval("select count(*) from waiting_movements")
        return bool(due or waiting or behind < await store.head_position())

    async def differences(self) -> list[Difference]:
        rows = await self.pool.fetch(f"select * from ({OPERATOR_ROWS}) as m")
        ours = [
            Line(
                key=row["movement_id"],
                verb=row["kind"],
                player=row["player"],
                currency=row["currency"],
                amount_minor=abs(row["amount_minor"]),
                cancels=row["cancels"],
                status=row["status"],
            )
            for row in rows
        ]
        text = movements_csv(self.running.simulator.books)
        theirs = [
            Line(
                key=row["key"],
                verb=row["verb"],
                player=row["player"],
                currency=row["currency"],
                amount_minor=int(row["amount_minor"]),
            )
            for row in csv.DictReader(io.StringIO(text))
        ]
        return differences(ours, theirs)

    async def open_items(self) -> set[str]:
        before = owed_before.of_state("T", await self.world.executors["wager"].state("T"))
        after = owed_after.of_state("T", await self.world.executors["settlement"].state("T"))
        return {item.movement_id for item in (*before, *after)}


class Calls:
    """Settlement's calls of the wallet, without a channel between."""

    def __init__(self, service: WalletService) -> None:
        self._service = service

    async def CreditAccount(self, request: Any, timeout: float) -> Any:  # noqa: N802
        answer = await self._service._ask(request, "CREDIT")
        return pb.CreditAccountResponse(outcome=answer.outcome, reason=answer.reason)

    async def ReverseAccount(self, request: Any, timeout: float) -> Any:  # noqa: N802
        answer = await self._service._ask(request, "REVERSE")
        return pb.ReverseAccountResponse(outcome=answer.outcome, reason=answer.reason)


@pytest.fixture(scope="session")
def template(postgres_server: PostgresServer) -> str:
    """A database with the tables of both services, to be copied."""
    name = "operators"

    async def make() -> None:
        await postgres_server.create_databases([name])
        packages = [
            CHASSIS,
            *(
                Package(each, files(f"services.{each}.migrations"))
                for each in ("wager", "settlement")
            ),
        ]
        await migrate(postgres_server.dsn(name), packages)

    with asyncio.Runner() as runner:
        runner.run(make())
    return name


@asynccontextmanager
async def operator(url: str, **how: Any) -> AsyncIterator[Operator]:
    pool = await open_pool(url, connections_max=10)
    try:
        async with simulator() as running, adapter(running) as wallet:
            world = World()
            made = Operator(world, pool, running, wallet, **how)
            for player in PLAYERS:
                running.fund(player, DEPOSIT)
            async with world:
                made.begin()
                try:
                    yield made
                finally:
                    await made.kill()
    finally:
        pool.terminate()


async def play(made: Operator, folder: Path, *, kills: int) -> None:
    """The main job, line by line, each to its rest; a slip, which no line can tell, after w3."""
    path = folder / "table.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in (*BEFORE, *MAIN)))
    for line in read(str(path)):
        for number, step in enumerate(steps(line, "T")):
            await made.world.run(step, "T", f"{line.number}.{number}")
        await made.rest(killed=kills)
        if line.number == SLIP_AFTER:
            now = replace(SLIP, at_us=step.command.at_us)
            await made.world.run(Step("wager", now), "T", "slip")
            await made.rest(killed=kills)


def balances(made: Operator) -> dict[str, int]:
    return {player: made.running.simulator.books.balance(player, "EUR") for player in PLAYERS}


async def test_an_honest_wallet_ends_with_equal_books(
    make_database: Any, template: str, tmp_path: Path
) -> None:
    """D13: debits, a cancel, credits and reversals over HTTP; all back after an invalidation."""
    async with operator(await make_database(template=template)) as made:
        await play(made, tmp_path, kills=0)
        assert await made.differences() == []
        assert await made.open_items() == set()
        assert balances(made) == dict.fromkeys(PLAYERS, DEPOSIT)
        rows = list(made.running.simulator.books.movements())
        assert {row.verb for row in rows} == {*VERBS, "FUND"}
        slip = [
            (row.verb, row.wager_id, row.amount_minor) for row in rows if row.wager_id[:2] == "s1"
        ]
        assert slip[:2] == [("DEBIT", "s1", -500), ("CANCEL", "s1#slip-2", 200)]
        assert not [
            row for row in rows if row.verb == "CREDIT" and row.wager_id in ("w3", "s1#slip-2")
        ]


@pytest.mark.parametrize("fault", ["", "LOST", "REFUSE", "RESTART"])
async def test_one_credit_for_a_players_coup_ends_with_equal_books(
    make_database: Any, template: str, tmp_path: Path, fault: str
) -> None:
    """Domain 4.2, switches: told once of won and lost; a refused one is one open item."""
    url = await make_database(template=template)
    async with operator(url, together=("*",)) as made:
        if fault:
            made.running.misbehaves("CREDIT", fault, seconds=0.6)
        await play(made, tmp_path, kills=1)
        owed = await made.open_items()
        assert [each for each in await made.differences() if each.key not in owed] == []
        assert owed == set(unsettled(made.running.simulator.answers))
        if not owed:
            assert balances(made) == dict.fromkeys(PLAYERS, DEPOSIT)
        asked = await made.pool.fetch(
            "select movement_id, player, amount_minor, parts from operator_movements "
            "where verb = 'CREDIT' and movement_id like '%/#%' order by movement_id"
        )
        assert [row["player"] for row in asked] == ["p1", "p2", "p3"]
        assert [row["amount_minor"] for row in asked] == [1_950, 0, 585]


BY_TURNS = [*zip(VERBS * 2, FAULTS, strict=True), ("CANCEL", "REFUSE"), ("CREDIT", "LOST")]
"""Each verb and each fault; all of both, and crashes at all steps, in `tests/simulation/test_operator.py`."""


@pytest.mark.parametrize(("verb", "fault"), BY_TURNS)
async def test_a_fault_at_a_verb_is_explained(
    make_database: Any, template: str, tmp_path: Path, verb: str, fault: str
) -> None:
    """N-1, N-7, domain 4.4: books equal to the minor unit, but for what an open item explains."""
    async with operator(await make_database(template=template)) as made:
        made.running.misbehaves(verb, fault, seconds=0.6)
        await play(made, tmp_path, kills=1)
        owed = await made.open_items()
        found = await made.differences()
        unexplained = [each for each in found if each.key not in owed]
        assert unexplained == []
        if not owed:
            assert balances(made) == dict.fromkeys(PLAYERS, DEPOSIT)
        assert owed == set(unsettled(made.running.simulator.answers))


# --- the drain time, by the clock ---


def as_live(state: wager.BookState) -> int | None:
    """When the table's timer is due, were it a live one: recorded tables have none."""
    if state.settings is None:
        return None
    return wager.next_due_us(replace(state, settings=replace(state.settings, mode="LIVE")))


async def test_the_clock_ends_the_wait_for_a_debit_and_the_book_closes_without_it(
    make_database: Any, template: str, tmp_path: Path
) -> None:
    """A-30, N-1: the service's timer lets it expire; the late debit meets the cancel."""
    path = tmp_path / "table.jsonl"
    lines = (*BEFORE, {"do": "open_betting"}, stake("w1", "p1", "banker", 1_000), *MAIN[6:8])
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    async with operator(await make_database(template=template)) as made:
        await made.kill()  # nobody sends: the wallet is as good as silent
        timers = Timers(
            made.runtime, next_due_us=as_live, command=ExpireDebits, begins="rulebook-activated"
        )
        running = asyncio.create_task(timers.run())
        for line in read(str(path)):
            for number, step in enumerate(steps(line, "T")):
                now = replace(step.command, at_us=SYSTEM_CLOCK.now_us())
                await made.world.run(replace(step, command=now), "T", f"{line.number}.{number}")
        executor = made.world.executors["wager"]
        book = (await executor.state("T")).book
        assert (book.phase, list(book.pending)) == ("CLOSED", ["T/w1/1"])  # the book waits
        async with asyncio.timeout(10):
            while (await executor.state("T")).book.phase != "FINAL":
                await asyncio.sleep(0.05)
        running.cancel()
        book = (await executor.state("T")).book
        assert (len(book.wagers), book.pending) == (0, {})
        debit = Movement(
            movement_id="T/w1/1",
            player="p1",
            currency="EUR",
            verb="DEBIT",
            amount_minor=1_000,
            wager_id="w1",
        )
        made.begin()
        await made.rest()
        late = await made.runtime.take(WALLET).debit(debit)
        assert (late.outcome, late.reason) == ("REFUSED", "CANCELLED")
        assert balances(made) == dict.fromkeys(PLAYERS, DEPOSIT)
        assert await made.differences() == []


async def test_a_late_answer_leaves_what_was_asked_for_again(database_url: str) -> None:
    """D13: between a recorded refusal and its note in the journal somebody may have it repeated."""
    await migrate(database_url, [CHASSIS, Package("wager", files("services.wager.migrations"))])
    pool = await open_pool(database_url, connections_max=1)
    try:
        journal = Journal(pool)
        asked = Entry(
            movement=Movement(
                movement_id="T1/w1/2", player="p1", currency="EUR", verb="CANCEL", amount_minor=5
            ),
            command_id="c1",
            cause="wager:T1:7",
            depth=1,
            traceparent="",
            at_us=1,
            test=False,
        )
        refused = Answer(movement_id="T1/w1/2", outcome=REFUSED, reason="FULL")
        await journal.ask([asked])
        [sent] = await journal.take(lease_s=60)
        await journal.ask([replace(asked, cause="wager:T1:9", repeated=True)])
        await journal.answered(refused, cause=sent.cause, pause_s=0)
        [again] = await journal.take(lease_s=60)
        assert again.cause == "wager:T1:9"
        await journal.answered(refused, cause=again.cause, pause_s=0)
        assert await journal.take(lease_s=0) == []
        assert (await journal.status("T1/w1/2"))[0] == REFUSED
    finally:
        pool.terminate()
