"""What settlement owes, or is owed, delivered to the wallet until it has answered (D13).

The event comes first, the money after it. The key of a movement follows from coup, wager and
revision, so that a repeat moves nothing. Each movement stands for itself: one that the wallet
refuses is recorded as outstanding, never dropped, and somebody asks for it again; one whose outcome
nobody can tell is asked for again later (`waiting`). The others go on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

import grpc
from msgspec import Struct
from msgspec.structs import asdict

from sabot.common.v1 import common_pb2
from sabot.wager.v1 import wallet_service_pb2 as pb
from services.chassis import telemetry
from services.chassis.app import Runtime
from services.chassis.decider import Entry
from services.chassis.projection import OwnLog, Subscription
from services.chassis.registry import decode_meta
from services.contracts.common import PlayerContext
from services.contracts.core import SYSTEM, Command, Event
from services.contracts.settlement import (
    CreditGrouped,
    CreditRepeated,
    CreditShare,
    ReversalRepeated,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
    WagerSettled,
)
from services.settlement.commands import RecordCredit, RecordReversal
from services.settlement.reading import OWN
from services.settlement.waiting import PAUSES, Pauses, Waiting

CREDITS: Final = "credits"
BATCH_RECORDS_MAX: Final = 500
CREDIT_DEADLINE_S: Final = 5.0
CALLS_IN_FLIGHT_MAX: Final = 8

MOVING: Final[dict[str, type[Event]]] = {
    kind.type: kind
    for kind in (
        WagerSettled,
        CreditGrouped,
        WagerResettled,
        WagerRefunded,
        WagerForfeited,
        ReversalRepeated,
        CreditRepeated,
    )
}
"""Events that money follows from."""

_AWAY: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.CANCELLED,
    }
)
"""The wallet's service is not there for anybody: all movements wait, in order."""


class Due(Struct, frozen=True):
    """A movement that is due: into the account where positive."""

    movement_id: str
    table_id: str
    coup_id: str
    wager_id: str
    player: str
    currency: str
    amount_minor: int
    at_us: int
    position: int
    test: bool = False
    repeated: bool = False
    """It had been refused, and somebody has it asked for again."""

    context: PlayerContext | None = None
    shares: tuple[CreditShare, ...] = ()
    """Of a credit for several wagers."""

    traceparent: str = ""
    """Of what is paid."""


class Said(Struct, frozen=True):
    """What the wallet said of a movement: DONE, REFUSED or UNKNOWN, and why."""

    outcome: str
    reason: str = ""


def _nobody(operator: str) -> bool:
    del operator
    return False


def due(record: Entry, *, zero_credits: Callable[[str], bool] = _nobody) -> Due | None:
    """The movement that follows from a stored event, if one does.

    `zero_credits`: with which operators a lost wager is a credit of zero.
    """
    if record.type not in MOVING:
        return None
    event: Any = OWN.decode(record.type, record.schema_version, record.body)
    if type(event) is WagerSettled and event.credit_id:
        return None  # its `CreditGrouped` pays it
    amount = _amount(event)
    told = type(event) in _TOLD and zero_credits(event.context.operator if event.context else "")
    if amount == 0 and not told:
        return None
    meta = decode_meta(record.meta)
    return Due(
        _key(event),
        record.stream,
        getattr(event, "coup_id", ""),
        getattr(event, "wager_id", ""),
        event.player,
        event.currency,
        amount,
        meta.occurred_at_us,
        record.position,
        meta.test,
        isinstance(event, ReversalRepeated | CreditRepeated),
        event.context,
        getattr(event, "wagers", ()),
        meta.traceparent,
    )


_TOLD: Final = (WagerSettled, CreditGrouped)
"""Events that may be a credit of zero."""


def _amount(event: Any) -> int:
    """Into the account where positive."""
    if isinstance(event, ReversalRepeated):
        return -int(event.amount_minor)
    if isinstance(event, CreditRepeated | CreditGrouped):
        return event.amount_minor
    return int(event.credit_minor if type(event) is WagerSettled else event.due_minor)


def _key(event: Any) -> str:
    if isinstance(event, CreditGrouped):
        return event.credit_id
    repeated = isinstance(event, ReversalRepeated | CreditRepeated)
    return str(event.movement_id if repeated else event.settlement_id)


class Delivery:
    """Follows the own log and moves what each decision on a wager says."""

    def __init__(
        self,
        runtime: Runtime,
        wallet: Any,
        *,
        zero_credits: Callable[[str], bool] = _nobody,
        pauses: Pauses = PAUSES,
    ) -> None:
        """`wallet` makes the calls of the wager service's `WalletService`."""
        self._wallet = wallet
        self._zero_credits = zero_credits
        self._runtime = runtime
        self._waiting = Waiting(runtime.pool, pauses)
        self._gate = asyncio.Semaphore(CALLS_IN_FLIGHT_MAX)
        self._subscription: Subscription[Entry] = Subscription(
            CREDITS,
            OwnLog(runtime.store),
            runtime.store,
            self._deliver,
            batch_records_max=BATCH_RECORDS_MAX,
        )

    async def run(self) -> None:
        """Deliver for ever, and ask again for what nobody could tell."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._subscription.run())
                tasks.create_task(self._waiting.run(self._again))
        except BaseExceptionGroup as group:
            # As itself: whoever runs this knows by the error whether to begin again.
            raise group.exceptions[0] from group

    async def _deliver(self, records: Sequence[Entry]) -> None:
        """Deliver a batch, which may have been delivered before as far as anybody knows.

        What is on record as answered is not asked for again, nor what waits to be: the wallet might
        say something else now, and an open item would be none.
        """
        movements = [due for due in map(self._due, records) if due is not None]
        if not movements:
            return
        settled = await self._runtime.executor.carried_out(map(_answered_as, movements), by=SYSTEM)
        waiting = await self._waiting.among([each.position for each in movements])
        moves = [
            self._move(each)
            for each in movements
            if _answered_as(each) not in settled and each.position not in waiting
        ]
        # All of them end before the batch is delivered again: no movement is asked for twice at once.
        for failed in await asyncio.gather(*moves, return_exceptions=True):
            if isinstance(failed, BaseException):
                raise failed

    def _due(self, record: Entry) -> Due | None:
        return due(record, zero_credits=self._zero_credits)

    async def _move(self, movement: Due) -> None:
        said = await self._ask(movement)
        if said.outcome == "UNKNOWN":
            await self._waiting.add(movement.position, movement.table_id, said.reason)
        else:
            await self._record(movement, said)

    async def _again(self, position: int) -> str:
        """Ask again for the movement of this place in the log; what went wrong, or nothing."""
        (record,) = await self._runtime.store.read_log(after_position=position - 1, limit=1)
        movement = self._due(record)
        assert movement is not None, "only movements wait"
        settled = await self._runtime.executor.carried_out([_answered_as(movement)], by=SYSTEM)
        if settled:
            return ""
        said = await self._ask(movement)
        if said.outcome == "UNKNOWN":
            return said.reason or "no answer"
        await self._record(movement, said)
        return ""

    async def _ask(self, movement: Due) -> Said:
        """Ask the wallet. Raises where it is away for everybody."""
        credit = movement.amount_minor >= 0
        make: Any = pb.CreditAccountRequest if credit else pb.ReverseAccountRequest
        call = self._wallet.CreditAccount if credit else self._wallet.ReverseAccount
        request = make(
            movement_id=movement.movement_id,
            player=movement.player,
            currency=movement.currency,
            amount_minor=abs(movement.amount_minor),
            table_id=movement.table_id,
            coup_id=movement.coup_id,
            wager_id=movement.wager_id,
            test=movement.test,
            context=_message(movement.context),
        )
        for share in movement.shares:
            request.wagers.add(**asdict(share))
        try:
            async with self._gate:
                with telemetry.attached(movement.traceparent):
                    answer = await call(request, timeout=CREDIT_DEADLINE_S)
        except grpc.aio.AioRpcError as error:
            if error.code() in _AWAY:
                raise
            if error.code() is grpc.StatusCode.INVALID_ARGUMENT:
                return Said("REFUSED", "INVALID")
            return Said("UNKNOWN", error.code().name)
        return Said(answer.outcome, answer.reason)

    async def _record(self, movement: Due, said: Said) -> None:
        """Note what the log has to say of the answer; an ordinary credit that arrived needs no word.

        One id for each time that it was asked for: an answer that is recorded is not recorded
        again, however often the batch is delivered.
        """
        if movement.amount_minor < 0:
            command = _reversal(movement, said)
        elif movement.repeated or said.outcome == "REFUSED":
            command = _credit(movement, said)
        else:
            return
        await self._runtime.executor.command(
            movement.table_id,
            command,
            command_id=_answered_as(movement),
            input_hash=movement.movement_id.encode(),
        )


def _answered_as(movement: Due) -> str:
    """The id of the command that records an answer. No id from outside has a slash."""
    kind = "reversal" if movement.amount_minor < 0 else "credit"
    return f"{kind}/{movement.position}"


def _message(context: PlayerContext | None) -> common_pb2.PlayerContext | None:
    return None if context is None else common_pb2.PlayerContext(**asdict(context))


def _reversal(movement: Due, said: Said) -> Command:
    return RecordReversal(
        at_us=movement.at_us,
        by=SYSTEM,
        movement_id=movement.movement_id,
        outcome=said.outcome,
        reason=said.reason,
    )


def _credit(movement: Due, said: Said) -> Command:
    return RecordCredit(
        at_us=movement.at_us,
        by=SYSTEM,
        movement_id=movement.movement_id,
        outcome=said.outcome,
        coup_id=movement.coup_id,
        wager_id=movement.wager_id,
        player=movement.player,
        currency=movement.currency,
        amount_minor=movement.amount_minor,
        reason=said.reason,
        context=movement.context,
        wagers=movement.shares,
    )


async def open_credits(runtime: Runtime, table_id: str) -> int:
    """Decisions on a table's wagers whose money the wallet has not answered for yet."""
    checkpoint = await runtime.store.checkpoint(f"subscription:{CREDITS}")
    found = await runtime.pool.fetchval(
        "select count(*) from events where stream_id = $1 and position > $2 "
        "and type = any($3::text[])",
        table_id,
        checkpoint.position,
        list(MOVING),
    )
    return int(found) + await Waiting(runtime.pool).count(table_id)
