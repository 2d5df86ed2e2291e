"""The processes of the four services: the real executor, relay, consumers and parts on a disk.

A process is started from what its disk has, killed without a word, or stopped in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, Final, NoReturn

import grpc
from msgspec import Struct

from sabot.wager.v1 import wallet_service_pb2 as pb
from services.chassis import bus
from services.chassis.consumer import Consumers
from services.chassis.executor import Executor, Limits, Outcome
from services.chassis.parking import Parking
from services.chassis.projection import OwnLog, Subscription
from services.chassis.registry import Registry
from services.chassis.relay import Relay
from services.chassis.store import StoreUnavailable
from services.chassis.timers import Timers
from services.chassis.work import PlainCompanion
from services.contracts import round as round_contract
from services.contracts import settlement as settlement_contract
from services.contracts import shoe as shoe_contract
from services.contracts import wager as wager_contract
from services.contracts.common import RulebookActivated
from services.contracts.core import Command
from services.round import domain as round_core
from services.round.commands import AdvanceTime
from services.rulebooks.changing import under_rulebook
from services.settlement import domain as settlement_core
from services.settlement.delivery import Delivery
from services.settlement.projections import CoupStories
from services.settlement.waiting import Waiting
from services.shoe import domain as shoe_core
from services.shoe.companion import ShoeCompanion
from services.shoe.sealing import Order
from services.wager import domain as wager_core
from services.wager.commands import ExpireDebits, PlaceWager
from services.wager.companion import WagerCompanion
from services.wager.domain import is_staked
from services.wager.wallet import CREDIT, REVERSE, Answer, Movement
from tests.simulation.chance import Chance, Trace
from tests.simulation.disk import Disk, Handle, Leadership, SimVault
from tests.simulation.virtual import Owner, VirtualClock

CORES: Final[dict[str, ModuleType]] = {
    "shoe": shoe_core, "round": round_core, "wager": wager_core, "settlement": settlement_core,
}  # fmt: skip
CONTRACTS: Final[dict[str, ModuleType]] = {
    "shoe": shoe_contract, "round": round_contract,
    "wager": wager_contract, "settlement": settlement_contract,
}  # fmt: skip
HEARD: Final = {
    name: {other: CONTRACTS[other].EVENTS.keys() for other in CORES if other in core.HEARS}
    for name, core in CORES.items()
}
RESTART_S = 0.05, 4.0
STOP_S = 20.0
WAITING_S = 0.25
CALL_S = 0.001, 0.03
REPLICAS = (1, 1, 2)


class Request(Struct, frozen=True, kw_only=True):
    """A call as a client sends it: everything of a command but the instant."""

    service: str
    table_id: str
    command: type[Command]
    fields: Mapping[str, Any]
    command_id: str
    key: str | None = None
    order: Order | None = None
    """The order of a shoe, which is sealed beside the command."""

    @property
    def input_hash(self) -> bytes:
        """What is the same in every repeat."""
        fields = sorted(self.fields.items())
        if self.key is not None:
            fields = [each for each in fields if each[0] != "coup_id"]
        return sha256(repr((self.command.__name__, fields)).encode()).digest()


class NobodyThere(Exception):
    """No process answers, or the one that was asked has died."""


class Node(Owner):
    """One process."""

    def __init__(self, name: str, disk: Disk, world: Any) -> None:
        super().__init__()
        self.name = name
        self.disk = disk
        self.clock = VirtualClock(asyncio.get_running_loop())
        self.clock.skew_us = world.skew_us()
        chance: Chance = world.chance
        trace: Trace = world.trace
        core: Any = CORES[disk.service]
        self.store: Any = Handle(disk, self, chance, trace)
        self.store.crash = lambda when: world.crash(self, when)
        self.vault = SimVault(disk)
        jitter = Random(chance.random.random())
        kafka = bus.Bus(
            bootstrap_servers="sim:9092", client_id=name, security=None, topic_replication=1
        )
        self.executor = Executor(
            core,
            self.store,
            self._companion(core),
            Registry(disk.service, core.EVENTS),
            limits=Limits(),
            jitter=jitter,
        )
        self.relay = Relay(
            store=self.store, lock=Leadership(disk, self), kafka=kafka, clock=self.clock
        )
        parking = Parking(store=self.store, executor=self.executor, consumer=disk.service)
        self.consumers = Consumers(
            service=disk.service,
            upstreams=HEARD[disk.service],
            ears=self.executor,
            parking=parking,
            kafka=kafka,
            clock=self.clock,
            instance=None,
        )
        self._world = world

    def _companion(self, core: Any) -> Any:
        if self.disk.service == "shoe":
            vault: Any = self.vault
            return ShoeCompanion(vault)
        if self.disk.service == "wager":
            return WagerCompanion(_itself, bars=_itself)
        return PlainCompanion(core)

    def start(self) -> None:
        self.begin(self._start(), f"start {self.name}")

    async def _start(self) -> None:
        await self.executor.start()
        await self.relay.start()
        await self.consumers.start()
        pool, store, service = None, self.store, self.disk.service
        runtime: Any = SimpleNamespace(
            store=store, executor=self.executor, clock=self.clock, pool=pool
        )
        timers = _TIMERS.get(service)
        if timers is not None:
            await _again(SimTimers(self.disk, runtime, **timers).run)
        if service == "settlement":
            delivery = Delivery(runtime, SimWallet(self._world))
            delivery._waiting = SimWaiting(self.disk)
            stories = Stories(store, self.disk)
            await asyncio.gather(_again(delivery.run), _again(stories.run))

    async def stop(self) -> None:
        """Stop in the order of the real process: calls, hearing, parts, relay."""
        await self.consumers.stop(STOP_S)
        await self.executor.stop()
        await self.relay.stop(STOP_S)

    async def carry_out(self, request: Request) -> Outcome:
        """What the edge does with a call."""
        fields = dict(request.fields)
        if request.order is not None:
            kind = "generated" if request.order.secret else "told"
            who = fields["by"].id
            fields["order_id"] = f"{request.table_id}/{request.command_id}/{who}/{kind}"
            await self.vault.seal(fields["order_id"], request.order)
        if request.command.__name__ == "ChangeGame":
            state = await self.executor.state(request.table_id)
            if state.settings is not None:
                fields["settings"] = under_rulebook(state.settings, fields["rulebook_id"])
        return await self.executor.command(
            request.table_id,
            request.command(at_us=self.clock.now_us(), **fields),
            command_id=request.command_id,
            input_hash=request.input_hash,
            key=request.key,
            named_by=is_staked if request.command is PlaceWager else None,
        )

    async def called(self, work: Any) -> Any:
        """The answer to some work in this process; `NobodyThere` where it dies over it."""
        if self.dead:
            work.close()
            raise NobodyThere(self.name)
        task = self.begin(work, f"call {self.name}")
        await asyncio.wait([task])
        if task.cancelled():
            raise NobodyThere(self.name)
        return task.result()


def _itself(connection: Any) -> Any:
    """The ledger and the register of a connection: the bank's transaction is both."""
    return connection


async def _again(run: Callable[[], Any]) -> None:
    """Begin a part again after the database was away, as the chassis does."""
    while True:
        try:
            await run()
        except (StoreUnavailable, TimeoutError):
            await asyncio.sleep(0.2)


_TIMERS: Final[dict[str, dict[str, Any]]] = {
    "round": {
        "next_due_us": round_core.next_due_us,
        "command": AdvanceTime,
        "begins": round_contract.TableOpened.type,
    },
    "wager": {
        "next_due_us": wager_core.next_due_us,
        "command": ExpireDebits,
        "begins": RulebookActivated.type,
    },
}


class SimTimers(Timers):
    """The timers, told of the tables by the disk."""

    def __init__(self, disk: Disk, runtime: Any, **options: Any) -> None:
        super().__init__(runtime, **options)
        self._disk = disk

    async def _tables(self) -> list[str]:
        return list(self._disk.store._data.streams)


class SimWaiting(Waiting):
    """The movements that wait, on a dictionary."""

    def __init__(self, disk: Disk) -> None:
        super().__init__(None)
        self._waiting = disk.waiting

    async def add(self, position: int, table_id: str, problem: str) -> None:
        self._waiting.setdefault(position, table_id)

    async def among(self, positions: Sequence[int]) -> set[int]:
        return self._waiting.keys() & set(positions)

    async def run(self, again: Callable[[int], Awaitable[str]]) -> NoReturn:
        while True:
            for position in list(self._waiting):
                if not await self._problem(again, position):
                    self._waiting.pop(position, None)
            await asyncio.sleep(WAITING_S)

    async def _problem(self, again: Callable[[int], Awaitable[str]], position: int) -> str:
        try:
            return await again(position)
        except Exception as error:  # noqa: BLE001 - whatever it is, the movement waits on
            return repr(error)


class SimWallet:
    """The settlement service's calls to the wallet, over a network that loses answers."""

    def __init__(self, world: Any) -> None:
        self._world = world

    async def CreditAccount(self, request: Any, *, timeout: float) -> Any:  # noqa: N802
        answer = await self._moved(request, CREDIT)
        return pb.CreditAccountResponse(outcome=answer.outcome, reason=answer.reason)

    async def ReverseAccount(self, request: Any, *, timeout: float) -> Any:  # noqa: N802
        answer = await self._moved(request, REVERSE)
        return pb.ReverseAccountResponse(
            done=answer.done, outcome=answer.outcome, reason=answer.reason
        )

    async def _moved(self, request: Any, verb: str) -> Answer:
        movement = Movement(
            movement_id=request.movement_id,
            player=request.player,
            currency=request.currency,
            verb=verb,
            amount_minor=request.amount_minor,
        )
        try:
            answer: Answer = await self._world.wallet(movement)
        except (NobodyThere, StoreUnavailable):
            raise _failed(grpc.StatusCode.UNAVAILABLE) from None
        if self._world.chance.hits("credit answer lost"):
            raise _failed(grpc.StatusCode.DEADLINE_EXCEEDED)
        return answer


def _failed(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata())


async def pay(node: Node, movement: Movement) -> Answer:
    """What the wager service's wallet does with a call."""
    async with node.store.transaction() as tx:
        (answer,) = await tx.connection.move([movement])
    return answer  # type: ignore[no-any-return]


class _Rows:
    """The statements of the projection `coups` on dictionaries; rulebooks are not kept."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._new: dict[str, bytes] = {}
        self._new_wagers: dict[str, dict[str, bytes]] = {}

    async def fetch(self, statement: str, *columns: Sequence[str]) -> list[tuple[Any, ...]]:
        rows, kept = self._disk.rows, self._disk.wagers
        if "wagers" in statement:
            pairs = zip(*columns, strict=True)
            return [(c, w, kept[c][w]) for c, w in pairs if w in kept.get(c, {})]
        return [(each, rows[each], each in kept) for each in columns[0] if each in rows]

    async def execute(self, statement: str, *columns: Sequence[Any]) -> None:
        if "wagers (" in statement:
            for coup_id, wager_id, wager in zip(*columns, strict=True):
                self._new_wagers.setdefault(coup_id, {})[wager_id] = wager
        elif "coups" in statement:
            self._new.update(zip(columns[0], columns[5], strict=True))

    def commit(self) -> None:
        self._disk.rows.update(self._new)
        for coup_id, wagers in self._new_wagers.items():
            self._disk.wagers.setdefault(coup_id, {}).update(wagers)


class Stories:
    """The projection of the settlement service, its rows and its checkpoint in one transaction."""

    def __init__(self, store: Any, disk: Disk) -> None:
        self._store = store
        self._disk = disk
        self._subscription: Subscription[Any] = Subscription(
            "stories", OwnLog(store), store, self._apply, batch_records_max=500
        )

    async def run(self) -> None:
        await self._subscription.run()

    async def _apply(self, records: Sequence[Any]) -> None:
        rows = _Rows(self._disk)
        known = self._disk.applied
        stories = CoupStories()
        told = stories.told([r for r in records if r.position > known])
        await stories.apply(rows, told, "sim")
        rows.commit()
        self._disk.applied = max(known, records[-1].position)
