"""One operator's wallet and the two services that send to it, in this process and in virtual time.

Real are the deciders, the executors, what sends (`Sending`) and delivers (`Delivery`), the wallet's
calls, the adapter's judgement and the simulator. In memory are the stores, the journal and what
waits; no socket is opened. A process dies at a step that a test names, and begins again.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Collection, Iterable, Mapping
from types import SimpleNamespace
from typing import Any, Final, Self

import grpc
import msgspec
from msgspec.structs import replace

from sabot.wager.v1 import wallet_service_pb2 as pb
from services.chassis.executor import Executor, Limits
from services.chassis.registry import Registry
from services.contracts.core import Actor, Command
from services.settlement import domain as settlement
from services.settlement import open_items as owed_after
from services.settlement.commands import (
    RecordCredit,
    RecordReversal,
    RepeatCredit,
    RepeatReversal,
)
from services.settlement.companion import SettlementCompanion, among
from services.settlement.delivery import CREDITS, Delivery
from services.tablelog.reader import read
from services.tablelog.steps import Step, steps
from services.wager import domain as wager
from services.wager import open_items as owed_before
from services.wager.commands import RecordDebit, RecordRefund, RepeatRefund
from services.wager.companion import WagerCompanion
from services.wager.comparing import Difference, Line, differences
from services.wager.config import WalletSettings
from services.wager.seamless import protocol
from services.wager.seamless.amounts import Form
from services.wager.seamless.client import Limits as CallLimits
from services.wager.seamless.client import SeamlessWallet, Switches
from services.wager.seamless.signing import HmacKey
from services.wager.sending import Sending
from services.wager.wallet import CANCEL, CREDIT, DEBIT, DONE, REVERSE, Answer, Movement
from services.wager.wallet_api import WALLET, WalletService
from services.walletsim import books
from services.walletsim.app import Fault, Simulator
from services.walletsim.books import FUND, Books, Row
from tests.simulation.bank import Bank
from tests.simulation.nodes import SimWaiting
from tests.simulation.virtual import Owner, VirtualClock
from tests.support.asked import MemoryJournal
from tests.support.walletsim import SECRET
from tests.support.world import World

TABLE: Final = "T"
DEPOSIT: Final = 10_000
DOWN_S: Final = 0.2
"""How long a process that died is away."""

SLOW_S: Final = 5.0
TIMEOUT_S: Final = 2.5

BEFORE, CALLED, RECORDED, NOTED = "BEFORE", "CALLED", "RECORDED", "NOTED"
"""Steps of the wager service over a movement: it will call, was answered, told its table, and told
its journal. It tells the table of what it sends itself alone."""

REPLIED, DELIVERED = "REPLIED", "DELIVERED"
"""Steps of the settlement service: it was answered by the wager service, and is done with the batch.
Between the two it has RECORDED what its log has to say, which of a credit that arrived is nothing."""

STEPS: Final = {
    DEBIT: (BEFORE, CALLED, RECORDED, NOTED),
    CANCEL: (BEFORE, CALLED, RECORDED, NOTED),
    CREDIT: (BEFORE, CALLED, NOTED, REPLIED, RECORDED, DELIVERED),
    REVERSE: (BEFORE, CALLED, NOTED, REPLIED, RECORDED, DELIVERED),
}


REPEATS: Final[dict[str, tuple[str, Any]]] = {
    "REFUND": ("wager", RepeatRefund),
    "CREDIT": ("settlement", RepeatCredit),
    "REVERSAL": ("settlement", RepeatReversal),
}
"""Who has an open item repeated, and how, by its kind."""


NOTHING: Final[Mapping[int, Step]] = {}


class Crash:
    """A process that dies when a movement of a player is at a step, once."""

    def __init__(self, at: str = "", verb: str = "", player: str = "") -> None:
        self.at = (at, verb, player)
        self.armed = True
        self.reached = not at
        self.hit = asyncio.Event()

    async def step(self, at: str, verb: str, player: str) -> None:
        """Go on, or never."""
        if self.reached or not self.armed or (at, verb, player) != self.at:
            return
        self.reached = True
        self.hit.set()
        await asyncio.get_running_loop().create_future()


class Direct(SeamlessWallet):
    """The adapter, whose requests reach the simulator without a socket."""

    def __init__(self, simulator: Simulator, clock: VirtualClock, crash: Crash) -> None:
        super().__init__(
            "http://wallet",
            signer=HmacKey(SECRET),
            key_id="test",
            clock=clock,
            switches=Switches(),
            limits=CallLimits(),
        )
        self._simulator = simulator
        self._crash = crash

    async def move(self, movement: Movement) -> Answer:
        """Ask, with a step before and one after it."""
        await self._crash.step(BEFORE, movement.verb, movement.player)
        answer = await super().move(movement)
        await self._crash.step(CALLED, movement.verb, movement.player)
        return answer

    async def _call(self, verb: str, asked: protocol.Asked) -> protocol.Told | str:
        request: Any = SimpleNamespace(transport=None)
        loop = asyncio.get_running_loop()
        if loop.time() < self._simulator._down_until_s:
            return "SERVERDISCONNECTEDERROR"
        # The simulator goes on with what it does, whether or not anybody waits for the answer.
        work = asyncio.shield(loop.create_task(self._simulator._answer(request, verb, asked)))
        try:
            async with asyncio.timeout(TIMEOUT_S):
                response: Any = await work
        except TimeoutError:
            return "TIMEOUT"
        if response.status != 200:
            return f"HTTP_{response.status}"
        try:
            return protocol.told(response.body or response.text.encode())
        except msgspec.MsgspecError:
            return "VALIDATIONERROR"


class _Journal(MemoryJournal):
    """It dies after a note."""

    crash: Crash

    async def answered(self, answer: Answer, **more: Any) -> None:
        await super().answered(answer, **more)
        movement = self.rows[answer.movement_id].entry.movement
        await self.crash.step(NOTED, movement.verb, movement.player)


class _Recording:
    """An executor for what records answers: it dies after it."""

    def __init__(self, executor: Executor, crash: Crash, held: _Journal) -> None:
        self._executor = executor
        self._crash = crash
        self._held = held

    async def command(self, table_id: str, command: Command, **more: Any) -> Any:
        """Carry it out."""
        outcome = await self._executor.command(table_id, command, **more)
        if isinstance(command, RecordDebit | RecordRefund | RecordCredit | RecordReversal):
            movement = self._held.rows[command.movement_id].entry.movement
            await self._crash.step(RECORDED, movement.verb, movement.player)
        return outcome

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)


class _Delivering:
    """Settlement's store as its delivery has it: it dies before the checkpoint."""

    def __init__(self, store: Any, crash: Crash) -> None:
        self._store = store
        self._crash = crash
        self.asked: list[tuple[str, str]] = []

    async def advance_checkpoint(self, *about: Any, **more: Any) -> Any:
        """What the batch asked for is done, and not yet noted."""
        asked, self.asked = self.asked, []
        for verb, player in asked:
            await self._crash.step(DELIVERED, verb, player)
        return await self._store.advance_checkpoint(*about, **more)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


class Operator:
    """The world with the money of its players at an operator's wallet."""

    def __init__(
        self,
        crash: Crash,
        players: Iterable[str],
        *,
        together: Collection[str] = (),
        **settings: Any,
    ) -> None:
        """`together`: operators with one credit, also of zero, for a player's coup."""
        loop = asyncio.get_running_loop()
        clock = VirtualClock(loop)
        self.world = World()
        self.players = tuple(players)
        self.simulator = Simulator(Books(books.Switches()), Form(), HmacKey(SECRET))
        self.crash = crash
        self.journal = _Journal(loop.time)
        self.journal.crash = crash
        bank = Bank(lambda row: None).begin()
        core: Any = wager
        store = self.world.stores["wager"]
        self.world.executors["wager"] = executor = Executor(
            core,
            store,
            WagerCompanion(
                lambda _: bank,
                elsewhere=lambda staged: True,
                bars=lambda _: bank,
                journal=lambda _: self.journal,
            ),
            Registry("wager", wager.EVENTS),
            limits=Limits(linger_s_max=0.0),
            jitter=random.Random(7),
        )
        wallet = Direct(self.simulator, clock, crash)
        self._runtime: Any = SimpleNamespace(
            store=store,
            pool=None,
            executor=_Recording(executor, crash, self.journal),
            clock=clock,
            settings=SimpleNamespace(
                wallet=WalletSettings(kind="http", test_tables=True, **settings)
            ),
            has=lambda name: name == WALLET,
            take=lambda name: wallet,
        )
        paying: Any = settlement
        self._together = among(together)
        self.world.executors["settlement"] = Executor(
            paying,
            self.world.stores["settlement"],
            SettlementCompanion(self._together),
            Registry("settlement", settlement.EVENTS),
            limits=Limits(linger_s_max=0.0),
            jitter=random.Random(7),
        )
        self._waiting = SimpleNamespace(waiting={})
        self._kept = _Delivering(self.world.stores["settlement"], crash)
        self._wager, self._settlement = Owner(), Owner()
        self._watch: asyncio.Task[None] | None = None
        for number, player in enumerate(self.players):
            deposit = Row(
                key=f"/fund/{number}",
                player=player,
                currency="EUR",
                verb=FUND,
                amount_minor=DEPOSIT,
                balance_minor=0,
            )
            assert self.simulator.books.move(deposit).status == DONE

    # --- processes ---

    async def __aenter__(self) -> Self:
        await self.world.__aenter__()
        self._begin_wager()
        self._begin_settlement()
        self._watch = asyncio.create_task(self._killed())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._watch is not None
        self._watch.cancel()
        self._wager.kill()
        self._settlement.kill()
        await self.world.__aexit__()

    def _begin_wager(self) -> None:
        self._wager = Owner()
        self.sending = Sending(self._runtime, self._runtime.take(WALLET))
        held: Any = self.journal
        self.sending._journal = held
        self._service = WalletService(self._runtime)
        self._service._journal = held
        self._wager.begin(self.sending.run(), "sending")

    def _begin_settlement(self) -> None:
        self._settlement = Owner()
        self._kept.asked = []
        executor = _Recording(self.world.executors["settlement"], self.crash, self.journal)
        runtime: Any = SimpleNamespace(store=self._kept, executor=executor, pool=None)
        delivery = Delivery(runtime, self, zero_credits=self._together)
        kept: Any = self._waiting
        delivery._waiting = SimWaiting(kept)
        self._settlement.begin(delivery.run(), "delivery")

    async def _killed(self) -> None:
        """What dies is away for a moment."""
        await self.crash.hit.wait()
        at, verb, _ = self.crash.at
        if at in (REPLIED, DELIVERED) or (at == RECORDED and verb in (CREDIT, REVERSE)):
            self._settlement.kill()
            await asyncio.sleep(DOWN_S)
            self._begin_settlement()
        else:
            self._wager.kill()
            await asyncio.sleep(DOWN_S)
            self._begin_wager()

    # --- settlement's calls of the wager service ---

    async def CreditAccount(self, request: Any, timeout: float) -> Any:  # noqa: N802
        """The call, and the network in between."""
        answer = await self._asked(request, CREDIT)
        return pb.CreditAccountResponse(outcome=answer.outcome, reason=answer.reason)

    async def ReverseAccount(self, request: Any, timeout: float) -> Any:  # noqa: N802
        """The same of a debit."""
        answer = await self._asked(request, REVERSE)
        return pb.ReverseAccountResponse(outcome=answer.outcome, reason=answer.reason)

    async def _asked(self, request: Any, verb: str) -> Answer:
        self._kept.asked.append((verb, request.player))
        nobody = grpc.aio.AioRpcError(
            grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata()
        )
        if self._wager.dead:
            raise nobody
        task = self._wager.begin(self._service._ask(request, verb), "call")
        await asyncio.wait([task])
        if task.cancelled():
            raise nobody
        await self.crash.step(REPLIED, verb, request.player)
        answer: Answer = task.result()
        return answer

    # --- what happens ---

    async def play(
        self,
        path: str,
        *,
        behind: Mapping[int, Step] = NOTHING,
        before: Callable[[int], None] = lambda _: None,
    ) -> None:
        """A log line by line, each to its rest.

        `behind`: steps that no line can tell, by the number of the line before them. `before` is
        called with the number of each line, and with that number negative for what is behind it.
        """
        for line in read(path):
            before(line.number)
            for number, step in enumerate(steps(line, TABLE)):
                await self.world.run(step, TABLE, f"{line.number}.{number}")
            await self.rest()
            if line.number in behind:
                before(-line.number)
                more = replace(behind[line.number].command, at_us=step.command.at_us)
                service = behind[line.number].service
                await self.world.run(Step(service, more), TABLE, f"{line.number}.more")
                await self.rest()

    async def repeat(self, kind: str, key: str) -> None:
        """A person has an open item asked for again."""
        service, command = REPEATS[kind]
        by = Actor("cs-1", "CASINO_SUPERVISOR")
        step = Step(service, command(at_us=self._runtime.clock.now_us(), by=by, movement_id=key))
        outcome = await self.world.run(step, TABLE, f"repeat/{key}")
        assert outcome.refused is None, outcome.refused
        await self.rest()

    async def rest(self) -> None:
        """Wait until nothing moves: all is answered, or an open item for a person."""
        async with asyncio.timeout(300):
            while await self._moves():
                await asyncio.sleep(0.25)

    async def _moves(self) -> bool:
        if await self.world.spread() or self._wager.dead or self._settlement.dead:
            return True
        if await self.journal.next_in_s() is not None or self._waiting.waiting:
            return True
        store = self.world.stores["settlement"]
        behind = (await store.checkpoint(f"subscription:{CREDITS}")).position
        return behind < await store.head_position()

    def misbehaves(self, verb: str, fault: str, player: str) -> None:
        """Let the next request of this verb for this player go wrong."""
        self.simulator.faults.append(
            Fault(verb=verb, fault=fault, player=player, seconds=SLOW_S if fault == "SLOW" else 0.6)
        )

    # --- what came of it ---

    async def items(self) -> dict[str, str]:
        """What waits for a person: the kinds of open items, by their keys."""
        before = owed_before.of_state(TABLE, await self.world.executors["wager"].state(TABLE))
        after = owed_after.of_state(TABLE, await self.world.executors["settlement"].state(TABLE))
        return {item.movement_id: item.kind for item in (*before, *after)}

    def differences(self) -> list[Difference]:
        """The wager service's journal against the operator's list."""
        ours = [
            Line(
                key=key,
                verb=row.entry.movement.verb,
                player=row.entry.movement.player,
                currency=row.entry.movement.currency,
                amount_minor=row.entry.movement.amount_minor,
                cancels=row.entry.movement.cancels,
                status=row.status,
            )
            for key, row in self.journal.rows.items()
        ]
        theirs = [
            Line(
                key=row.key,
                verb=row.verb,
                player=row.player,
                currency=row.currency,
                amount_minor=abs(row.amount_minor),
            )
            for row in self.simulator.books.movements()
            if row.verb != FUND
        ]
        return differences(ours, theirs)

    def balances(self) -> dict[str, int]:
        """What is in the accounts."""
        return {player: self.simulator.books.balance(player, "EUR") for player in self.players}
