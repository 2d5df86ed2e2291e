"""Services that are killed while an operator's wallet goes wrong: the books agree at the end.

One live table, one coup, eight players whose money is with the operator `acme` behind HTTP. In each
phase every misbehaviour of the simulator hits one request of the phase's verb, and a process on the
way of the money is killed in the middle.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import msgspec
import pytest
import pytest_asyncio

from sabot.wager.v1 import wallet_service_pb2
from services.chassis.auth import development_credentials
from services.cli.wallet import exported, lines_of
from services.devstack.operator import SimulatedWallet
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from services.wager.comparing import differences
from services.walletsim.app import FAULTS
from tests.e2e.desk import DEALER, DECKS, PIT, Desk, betting, dealt, player, prepared
from tests.e2e.support import fresh, rows, until, value

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

OPERATOR = "acme"
DEPOSIT = 10_000
STAKE, SIDE = 1_000, 100
NAMES = [f"p{number}" for number in range(len(FAULTS))]
TURNS_MAX, TURN_S = 40, 0.5
"""So many times and after such pauses a player stakes again: the adapter's circuit breaker opens after
so many misbehaviours, and every stake is rejected at once while it is open."""

SLOW_S = 1.2
"""Longer than the adapter waits for an answer."""

OPEN_HERE = (
    "select count(*) from operator_movements where status = 'OPEN' and next_at < 'infinity' "
    "and table_id = $1"
)
ON_ITS_WAY = (
    "select count(*) from operator_movements where status = 'OPEN' and table_id = $1 and verb = $2"
)
SECOND = (("sabot-second-id", "cs-2"), ("sabot-second-role", "CASINO_SUPERVISOR"))


@pytest.fixture(scope="module")
def wallet(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimulatedWallet]:
    """The operator's wallet, to which the wager service sends his players' money from now on."""
    simulated = SimulatedWallet(Path(tmp_path_factory.mktemp("operator")))
    simulated.start()
    own: dict[str, Any] = {
        name.removeprefix("SABOT_WALLET_").lower(): text
        for name, text in simulated.environment.items()
    }
    own |= {"timeout_s": 0.8, "breaker_open_s": 0.5}
    wager = stack.services["wager"]
    wager.tell({"SABOT_WALLET_OPERATORS": msgspec.json.encode({OPERATOR: own}).decode()})
    stack.restart_service("wager")
    try:
        yield simulated
    finally:
        wager.tell({"SABOT_WALLET_OPERATORS": ""})
        stack.restart_service("wager")
        simulated.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack, wallet: SimulatedWallet) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


class Floor:
    """The table, its eight players, and the operator's wallet."""

    def __init__(self, stack: Stack, desk: Desk, wallet: SimulatedWallet) -> None:
        self.stack = stack
        self.desk = desk
        self.wallet = wallet
        self.told = (("sabot-context", f"operator={OPERATOR},session=s1"),)

    def go_wrong(self, verb: str) -> None:
        """Every misbehaviour, each at one request of the verb."""
        for fault in FAULTS:
            self.wallet.misbehave(verb, fault, seconds=SLOW_S if fault == "SLOW" else 0.3)

    async def kill(self, *names: str, verb: str) -> None:
        """Kill processes while requests of the verb are on their way, and start them again."""

        async def on_its_way() -> bool:
            return bool(await value(self.stack, "wager", ON_ITS_WAY, self.desk.table_id, verb))

        await until(on_its_way, what=f"a {verb} to be on its way")
        for name in names:
            self.stack.kill_service(name)
        for name in names:
            await asyncio.to_thread(self.stack.start_service, name)

    async def stake(self, wager_id: str, name: str, area: str, amount_minor: int) -> str:
        """Stake, however often it takes to be answered; what became of it."""
        by = player(f"{self.desk.table_id}.{name}")
        answer = await insist(
            lambda: self.desk.ask(
                "wager", "PlaceWager", by, metadata=self.told, command_id=f"{by.id}.{wager_id}",
                wager_id=wager_id, player=by.id, area=area, amount_minor=amount_minor,
            )
        )  # fmt: skip
        return str(answer.status)

    async def held(self) -> dict[tuple[str, str], str]:
        """The wager that stands, by player and area."""
        book = await insist(lambda: self.desk.look("wager", "GetBook"))
        return {(live.player.rpartition(".")[2], live.area): live.wager_id for live in book.wagers}

    async def at_rest(self) -> None:
        """All that the wager service sends is answered, and all of settlement that is not an item."""

        async def rests() -> bool:
            if await value(self.stack, "wager", OPEN_HERE, self.desk.table_id):
                return False
            progress = await insist(lambda: self.desk.look("settlement", "GetTableProgress"))
            return not progress.progress.open_wallet_movements

        await until(rests, what="all money to be answered for")


async def insist(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask again while nobody is there."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await ask()
            except grpc.aio.AioRpcError as error:
                if error.code() not in (
                    grpc.StatusCode.UNAVAILABLE,
                    grpc.StatusCode.DEADLINE_EXCEEDED,
                    grpc.StatusCode.CANCELLED,
                ):
                    raise
                await asyncio.sleep(0.1)


async def test_kills_and_a_wallet_that_goes_wrong_leave_no_difference_unexplained(
    stack: Stack, services: Services, wallet: SimulatedWallet
) -> None:
    """D13, N-1, N-7: debit, cancel, credit, reverse, each with every misbehaviour and a kill -9."""
    desk = Desk(services, fresh("acme"))
    floor = Floor(stack, desk, wallet)
    await desk.open("live-studio", decks=DECKS, betting_seconds=600)
    await prepared(desk)
    await desk.act("shoe", "LoadShoe", DEALER, shoe_id=f"{desk.table_id}-1", source="SCANNED")
    await desk.waits_for("")
    for name in NAMES:
        wallet.fund(f"/fund/{desk.table_id}/{name}", f"{desk.table_id}.{name}", "EUR", DEPOSIT)
    await betting(desk)

    await debits(floor)
    await cancels(floor)
    await desk.act("round", "CallNoMoreBets", DEALER)
    await credits_paid(floor)
    await reverses(floor)

    items = await open_items(services, desk)
    ours = await exported(services, from_us=0, until_us=0, operator=OPERATOR)
    theirs = lines_of(wallet.movements().splitlines(), "the operator's list")
    found = differences(ours, theirs)
    assert [each for each in found if each.key not in items] == []
    # A refusal or a wrong amount of what must be given or taken is a person's to judge; how many of
    # them there are depends on which requests the misbehaviours and the circuit breaker meet.
    verbs = {line.key: line.verb for line in ours}
    told = [verbs[key] for key in items]
    assert set(told) <= {"CANCEL", "CREDIT", "REVERSE"}
    assert all(told.count(verb) <= 2 for verb in told), told
    for name in NAMES:
        who = f"{desk.table_id}.{name}"
        balance = await value_of(services, who)
        moved = [line for line in theirs if line.player == who]
        given = sum(m.amount_minor for m in moved if m.verb in ("CANCEL", "CREDIT"))
        taken = sum(m.amount_minor for m in moved if m.verb in ("DEBIT", "REVERSE"))
        assert balance == DEPOSIT + given - taken
        if not any(line.player == who and line.key in items for line in ours):
            assert balance == DEPOSIT, name


async def debits(floor: Floor) -> None:
    """Sixteen at once; then whoever has not both wagers stakes again until he has."""
    floor.go_wrong("DEBIT")
    staking = [
        asyncio.create_task(floor.stake(f"{name}-{area}-0", name, area, amount))
        for name in NAMES
        for area, amount in (("BANKER", STAKE), ("TIE", SIDE))
    ]
    await floor.kill("wager", verb="DEBIT")
    assert set(await asyncio.gather(*staking)) <= {"ACCEPTED", "REJECTED"}
    await floor.at_rest()
    for turn in range(1, TURNS_MAX):
        there = await floor.held()
        missing = [
            (name, area, amount)
            for name in NAMES
            for area, amount in (("BANKER", STAKE), ("TIE", SIDE))
            if (name, area) not in there
        ]
        if not missing:
            return
        await asyncio.gather(
            *(floor.stake(f"{n}-{area}-{turn}", n, area, amount) for n, area, amount in missing)
        )
        await asyncio.sleep(TURN_S)
    raise AssertionError(f"no wagers: {missing}")


async def cancels(floor: Floor) -> None:
    """Every player takes one of his wagers back."""
    there = await floor.held()
    floor.go_wrong("CANCEL")

    async def take_back(name: str) -> None:
        by = player(f"{floor.desk.table_id}.{name}")
        answer = await insist(
            lambda: floor.desk.ask(
                "wager", "CancelWager", by, metadata=floor.told,
                command_id=f"{by.id}.cancel", wager_id=there[name, "TIE"],
            )
        )  # fmt: skip
        assert not answer.result.HasField("refusal"), answer

    taking = [asyncio.create_task(take_back(name)) for name in NAMES]
    await floor.kill("wager", verb="CANCEL")
    await asyncio.gather(*taking)
    await floor.at_rest()
    assert sorted(await floor.held()) == [(name, "BANKER") for name in NAMES]


async def credits_paid(floor: Floor) -> None:
    """Banker wins: every player is paid, while both services of the way are killed."""
    floor.go_wrong("CREDIT")
    await dealt(floor.desk, "7D", "9S", "TC", "KD")
    await floor.desk.act("round", "AnnounceResult", DEALER, winner="BANKER")
    await floor.kill("wager", "settlement", verb="CREDIT")
    await floor.desk.coup_over()
    await floor.at_rest()


async def reverses(floor: Floor) -> None:
    """The outcome is set aside: what was won is taken back."""
    floor.go_wrong("REVERSE")
    await floor.desk.act("round", "InvalidateOutcome", PIT, metadata=SECOND, coup=1, reason="FIRE")
    await floor.kill("wager", verb="REVERSE")

    async def set_aside() -> bool:
        done = await rows(
            floor.stack, "settlement",
            "select 1 from events where stream_id = $1 and type = 'settlement-reversed'",
            floor.desk.table_id,
        )  # fmt: skip
        return len(done) == len(NAMES)

    await until(set_aside, what="the outcome to be set aside")
    await floor.at_rest()


async def open_items(services: Services, desk: Desk) -> set[str]:
    """What waits for a person, at this table."""
    found: set[str] = set()
    for service in ("wager", "settlement"):
        async with asyncio.timeout(60):
            while True:
                answer = await insist(partial(desk.look, service, "ListOpenItems", PIT))
                if all(item.status == "REFUSED" for item in answer.items):
                    break
                await asyncio.sleep(0.2)  # asked for again by itself
        found |= {item.movement_id for item in answer.items}
    return found


async def value_of(services: Services, who: str) -> int:
    """The player's balance as he sees it himself."""
    request = wallet_service_pb2.GetBalanceRequest(player=who, currency="EUR")
    told = development_credentials(player(who), context={"operator": OPERATOR})()
    answer = await services.stub("wallet").GetBalance(request, metadata=told)
    return int(answer.balance_minor)
