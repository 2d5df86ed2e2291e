"""Money that the wallet refuses, or does not answer for: an open item, in nobody's way."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc

from sabot.wager.v1 import wallet_service_pb2 as pb
from services import cli
from services.chassis.executor import Executor, Limits
from services.chassis.migrations import CHASSIS, Package, migrate
from services.chassis.postgres import PostgresStore, open_pool
from services.chassis.registry import Registry
from services.contracts.settlement import CreditDelivered, CreditOutstanding, WagerSettled
from services.settlement import open_items as owed_after
from services.settlement.commands import RepeatCredit
from services.settlement.companion import among
from services.settlement.delivery import Delivery, due
from services.settlement.waiting import Waiting
from services.tablelog.reader import read
from services.tablelog.steps import steps
from services.wager import domain as wager
from services.wager import open_items as owed_before
from services.wager.commands import RepeatRefund
from services.wager.companion import WagerCompanion
from services.wager.ledger import BALANCE_MINOR_MAX, LedgerWallet
from services.wager.wallet import FUND, Movement
from tests.support.spec import AT_US, person
from tests.support.world import World

PACKAGES = {
    name: Package(name, files(f"services.{name}.migrations")) for name in ("wager", "settlement")
}
CARDS = "AC 9D 2S AD 3H 2C KD 4S 6S 7H TD KC 9S 7D KD TC 5C 4H 3D QH 8C JD 2H 6H"
LINES: list[dict[str, Any]] = [
    {
        "do": "open_table",
        "table": "T",
        "rulebook": "nsw-mini",
        "decks": 8,
        "limits": {"*": {"min": 100, "max": 1_000_000}},
    },
    {"do": "load_shoe", "shoe": "S1", "partial": True, "cards": CARDS.split()},
    {"do": "open_betting"},
]


@asynccontextmanager
async def database(url: str, name: str) -> AsyncIterator[Any]:
    await migrate(url, [CHASSIS, PACKAGES[name]])
    pool = await open_pool(url, connections_max=5)
    try:
        yield pool
    finally:
        pool.terminate()


def written(folder: Path, lines: list[dict[str, Any]]) -> str:
    path = folder / "table.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


async def play(world: World, path: str, *, first: int = 0) -> None:
    """The lines behind the first ones, each with all that comes of it."""
    for line in read(path):
        if line.number <= first:
            continue
        for number, step in enumerate(steps(line, "T")):
            outcome = await world.run(step, "T", f"{line.number}.{number}")
            assert outcome.refused is None, (line, outcome.refused)


def on_postgres(world: World, pool: Any) -> None:
    """Put the wager service of a world on a real database, with its real ledger."""
    store: Any = PostgresStore("wager", pool)
    core: Any = wager
    world.stores["wager"] = store
    world.executors["wager"] = Executor(
        core,
        store,
        WagerCompanion(),
        Registry("wager", wager.EVENTS),
        limits=Limits(linger_s_max=0.0),
        jitter=random.Random(7),
    )


async def test_a_full_account_stops_no_void_and_no_other_player(
    database_url: str, tmp_path: Path
) -> None:
    """D13, A-30: the refund that the ledger refuses is an open item; the others are back at once."""
    stakes: list[dict[str, Any]] = [
        {"do": "wager", "id": f"w{n}", "player": f"p{n}", "area": "tie", "amount": 1_000}
        for n in (1, 2)
    ]
    end: list[dict[str, Any]] = [
        {"do": "no_more_bets"},
        {"do": "ruling", "kind": "void", "coup": 1, "reason": "SUPERVISOR"},
    ]
    async with database(database_url, "wager") as pool:
        world = World()
        on_postgres(world, pool)
        wallet = LedgerWallet(pool)
        for n in (1, 2):
            await wallet.move(fund(f"p{n}", 1_000))
        async with world:
            await play(world, written(tmp_path, [*LINES, *stakes]))
            await wallet.move(fund("p1", BALANCE_MINOR_MAX))
            await play(world, written(tmp_path, [*LINES, *stakes, *end]), first=len(LINES) + 2)
            executor = world.executors["wager"]
            state = await executor.state("T")
            [item] = owed_before.of_state("T", state)
            assert (item.player, item.amount_minor, item.status) == ("p1", 1_000, "REFUSED")
            assert item.reason == "BALANCE_MAXIMUM"
            assert await wallet.balance("p2", "EUR") == 1_000
            assert state.book is None  # the coup is closed: nothing waited
            await repeat(executor, item.movement_id, 1)
            [item] = owed_before.of_state("T", await executor.state("T"))
            assert item.attempts == 2
            await pool.execute("update accounts set balance_minor = 5 where player = 'p1'")
            await repeat(executor, item.movement_id, 2)
            assert not list(owed_before.of_state("T", await executor.state("T")))
            assert await wallet.balance("p1", "EUR") == 1_005


def fund(player: str, amount_minor: int) -> Movement:
    return Movement(
        movement_id=f"/{player}/{amount_minor}",
        player=player,
        currency="EUR",
        verb=FUND,
        amount_minor=amount_minor,
    )


async def repeat(executor: Executor, movement_id: str, number: int) -> None:
    command = RepeatRefund(at_us=AT_US, by=person("CASINO_SUPERVISOR"), movement_id=movement_id)
    outcome = await executor.command(
        "T", command, command_id=f"repeat-{number}", input_hash=str(number).encode()
    )
    assert outcome.refused is None, outcome


# --- credits ---


class Lost(grpc.aio.AioRpcError):
    """An answer that did not arrive."""

    def __init__(self, code: grpc.StatusCode) -> None:
        super().__init__(code, grpc.aio.Metadata(), grpc.aio.Metadata())


class FakeWallet:
    """Answers as it is told, by movement; otherwise it does what it is asked."""

    def __init__(self, answers: Mapping[str, list[Any]]) -> None:
        self.done: list[str] = []
        self._answers = {key: list(told) for key, told in answers.items()}

    async def CreditAccount(self, request: Any, timeout: float) -> Any:  # noqa: N802
        told = self._answers.get(request.movement_id)
        answer = told.pop(0) if told else "DONE"
        if isinstance(answer, grpc.StatusCode):
            raise Lost(answer)
        if answer == "DONE":
            self.done.append(request.movement_id)
        return pb.CreditAccountResponse(outcome=answer, reason="" if answer == "DONE" else "FULL")


RECORDED = Path(cli.__file__).parent / "data" / "recorded" / "dalembert-on-banco.jsonl"


async def test_one_credit_that_goes_wrong_holds_up_no_other(database_url: str) -> None:
    """D13: refused, unknown, failed, malformed: each stands for itself, and none is dropped."""
    async with World() as world, database(database_url, "settlement") as pool:
        await play(world, str(RECORDED))
        store, executor = world.stores["settlement"], world.executors["settlement"]
        log = await store.read_log(after_position=0, limit=100_000)
        movements = [movement.movement_id for record in log if (movement := due(record))]
        assert len(movements) > 4
        refused, unknown, failed, malformed = movements[:4]
        wallet = FakeWallet(
            {
                refused: ["REFUSED"],
                unknown: ["UNKNOWN", "UNKNOWN", "DONE"],
                failed: [grpc.StatusCode.INTERNAL, grpc.StatusCode.DEADLINE_EXCEEDED],
                malformed: [grpc.StatusCode.INVALID_ARGUMENT],
            }
        )
        runtime: Any = SimpleNamespace(store=store, executor=executor, pool=pool)
        delivery = Delivery(runtime, wallet)
        async with delivering(delivery):
            await until(lambda: sorted(wallet.done) == sorted({*movements} - {refused, malformed}))
            items = list(owed_after.of_state("T", await executor.state("T")))
            assert {(i.movement_id, i.kind, i.reason) for i in items} == {
                (refused, "CREDIT", "FULL"),
                (malformed, "CREDIT", "INVALID"),
            }
            for number, key in enumerate((refused, malformed)):
                again = RepeatCredit(at_us=AT_US, by=person("CASINO_SUPERVISOR"), movement_id=key)
                await executor.command(
                    "T", again, command_id=f"again-{number}", input_hash=key.encode()
                )
            await until(lambda: sorted(wallet.done) == sorted(movements))
            await until_none(executor)
        assert await Waiting(pool).count("T") == 0
        kinds = [record.type for record in await store.read_log(after_position=0, limit=100_000)]
        assert kinds.count(CreditOutstanding.type) == kinds.count(CreditDelivered.type) == 2
        assert kinds.count(WagerSettled.type) >= len(movements)


async def test_a_lost_wager_is_a_credit_of_zero_where_the_wallet_waits_for_one(
    database_url: str,
) -> None:
    """Domain 4.2, switch: each wager is told once, won or lost; otherwise the lost ones are not."""
    async with World() as world, database(database_url, "settlement") as pool:
        await play(world, str(RECORDED))
        store, executor = world.stores["settlement"], world.executors["settlement"]
        log = await store.read_log(after_position=0, limit=100_000)
        settled = [
            due(each, zero_credits=among(("*",))) for each in log if each.type == WagerSettled.type
        ]
        wallet = FakeWallet({})
        runtime: Any = SimpleNamespace(store=store, executor=executor, pool=pool)
        async with delivering(Delivery(runtime, wallet, zero_credits=among(("*",)))):
            keys = sorted(movement.movement_id for movement in settled if movement)
            await until(lambda: sorted(wallet.done) == keys)
        assert len(keys) == len(settled) > len([each for each in log if due(each)])


@asynccontextmanager
async def delivering(delivery: Delivery) -> AsyncIterator[None]:
    running = asyncio.create_task(delivery.run())
    try:
        yield
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running


async def until(so: Any) -> None:
    async with asyncio.timeout(20):
        while not so():
            await asyncio.sleep(0.02)


async def until_none(executor: Executor) -> None:
    async with asyncio.timeout(20):
        while list(owed_after.of_state("T", await executor.state("T"))):
            await asyncio.sleep(0.02)
