"""Services that are killed while an operator's wallet goes wrong: the books agree at the end.

One live table, one coup, eight players whose money is with the operator `acme` behind HTTP. In each
phase every misbehaviour of the simulator hits the phase's verb, each the first request for a player
of its own, and a process on the way of the money is killed when all have been met. What has to be an
open item then follows from the simulator's list of its answers, and not from what Sabot says.
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
from services.walletsim.app import FAULTS, Answered
from tests.e2e.desk import DEALER, DECKS, PIT, Desk, betting, dealt, player, prepared
from tests.e2e.support import fresh, rows, until, value
from tests.support.owed import KINDS, unsettled

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

OPERATOR = "acme"
DEPOSIT = 10_000
STAKES = {"BANKER": 1_000, "TIE": 100}
NAMES = [f"p{number}" for number in range(len(FAULTS))]
TURNS_MAX, TURN_S = 40, 0.5
"""So many times and after such pauses a player stakes again: the adapter's circuit breaker opens after
so many misbehaviours, and every stake is rejected at once while it is open."""

VERBS = ("DEBIT", "CANCEL", "CREDIT", "REVERSE")
TAKES = ("DEBIT", "REVERSE")
REPEATS = {
    "REFUND": ("wager", "RepeatRefund"),
    "CREDIT": ("settlement", "RepeatCredit"),
    "REVERSAL": ("settlement", "RepeatReversal"),
}
"""Who has an open item repeated, and how, by its kind."""

SLOW_S = 1.2
"""Longer than the adapter waits for an answer."""

OPEN_HERE = (
    "select count(*) from operator_movements where status = 'OPEN' and next_at < 'infinity' "
    "and table_id = $1"
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

    def __init__(
        self, stack: Stack, services: Services, desk: Desk, wallet: SimulatedWallet
    ) -> None:
        self.stack = stack
        self.services = services
        self.desk = desk
        self.wallet = wallet
        self.told = (("sabot-context", f"operator={OPERATOR},session=s1"),)

    def go_wrong(self, verb: str) -> None:
        """Every misbehaviour, each at the next request of the verb for a player of its own."""
        for fault, name in self.plan(verb).items():
            seconds = SLOW_S if fault == "SLOW" else 0.3
            self.wallet.misbehave(verb, fault, seconds=seconds, player=self.who(name))

    def plan(self, verb: str) -> dict[str, str]:
        """Whom each misbehaviour hits: with another verb somebody else."""
        by = VERBS.index(verb)
        return {fault: NAMES[(place + by) % len(NAMES)] for place, fault in enumerate(FAULTS)}

    def who(self, name: str) -> str:
        return f"{self.desk.table_id}.{name}"

    def is_here(self, player: str) -> bool:
        return player.startswith(self.who(""))

    def met(self, verb: str) -> dict[str, str]:
        """What went wrong on purpose so far, and at whose movement."""
        return {
            each.fault: each.player.rpartition(".")[2]
            for each in self.answers()
            if each.fault and each.verb == verb
        }

    async def kill(self, *names: str, verb: str) -> None:
        """Kill processes as soon as every misbehaviour is met, and start them again."""

        async def all_met() -> bool:
            return len(await asyncio.to_thread(self.met, verb)) == len(FAULTS)

        await until(all_met, what=f"every misbehaviour at a {verb}")
        for name in names:
            self.stack.kill_service(name)
        for name in names:
            await asyncio.to_thread(self.stack.start_service, name)
        assert self.met(verb) == self.plan(verb)

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

    async def repeat(self, kind: str, key: str) -> None:
        """A person has an open item asked for again."""
        service, name = REPEATS[kind]
        asked = {"command_id": key.replace("/", ":"), "movement_id": key}
        await insist(lambda: self.desk.act(service, name, PIT, **asked))

    def answers(self) -> list[Answered]:
        """What the operator's wallet was asked for at this table, and what it said."""
        return [each for each in self.wallet.answers() if self.is_here(each.player)]

    async def items(self) -> dict[str, str]:
        """What waits for a person at this table: kinds by keys."""
        found: dict[str, str] = {}
        for service in ("wager", "settlement"):
            answer = await insist(partial(self.desk.look, service, "ListOpenItems", PIT))
            assert all(item.status == "REFUSED" for item in answer.items), answer.items
            found |= {item.movement_id: item.kind for item in answer.items}
        return found

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
    floor = Floor(stack, services, desk, wallet)
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

    for key, kind in (await checked(floor)).items():
        await floor.repeat(kind, key)
    await floor.at_rest()
    wrong = [each for each in floor.answers() if each.fault == "WRONG_AMOUNT"]
    left = {each.key: KINDS[each.verb] for each in wrong if each.verb in KINDS}
    assert await checked(floor) == left, "what was refused is taken, another amount stays one"


async def checked(floor: Floor) -> dict[str, str]:
    """Books equal to the minor unit but for open items, which are those that have to be."""
    items = await floor.items()
    assert items == unsettled(floor.answers())
    told = await exported(floor.services, from_us=0, until_us=0, operator=OPERATOR)
    ours = [line for line in told if floor.is_here(line.player)]
    listed = lines_of(floor.wallet.movements().splitlines(), "the operator's list")
    theirs = [line for line in listed if floor.is_here(line.player)]
    assert {each.key for each in differences(ours, theirs)} <= set(items)
    # The outcome was set aside and the other stakes taken back: nobody has won or lost anything.
    right = {floor.who(name): DEPOSIT for name in NAMES}
    moved = {line.key: line.amount_minor for line in theirs}
    for line in ours:
        if line.key in items:
            off = moved.get(line.key, 0) - line.amount_minor
            right[line.player] += -off if line.verb in TAKES else off
    assert {who: await value_of(floor.services, who) for who in right} == right
    return items


async def debits(floor: Floor) -> None:
    """Sixteen at once; then whoever has not both wagers stakes again until he has."""
    floor.go_wrong("DEBIT")
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(stake_all(floor))
        await floor.kill("wager", verb="DEBIT")
    await floor.at_rest()


async def stake_all(floor: Floor) -> None:
    """Turn by turn, for whoever is without a wager."""
    missing = {(name, area) for name in NAMES for area in STAKES}
    for turn in range(TURNS_MAX):
        await asyncio.gather(
            *(floor.stake(f"{n}-{area}-{turn}", n, area, STAKES[area]) for n, area in missing)
        )
        missing = {(name, area) for name in NAMES for area in STAKES} - set(await floor.held())
        if not missing:
            return
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

    async with asyncio.TaskGroup() as tasks:
        for name in NAMES:
            tasks.create_task(take_back(name))
        await floor.kill("wager", verb="CANCEL")
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


async def value_of(services: Services, who: str) -> int:
    """The player's balance as he sees it himself."""
    request = wallet_service_pb2.GetBalanceRequest(player=who, currency="EUR")
    told = development_credentials(player(who), context={"operator": OPERATOR})()
    answer = await insist(lambda: services.stub("wallet").GetBalance(request, metadata=told))
    return int(answer.balance_minor)
