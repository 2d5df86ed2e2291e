"""What settlement owes, or is owed, delivered to the wallet until it has answered (D13).

The event comes first, the money after it. The key of a movement follows from coup, wager and
revision, so that a repeat moves nothing. A debit that the wallet refuses is recorded as outstanding,
never dropped; somebody asks for it again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from sabot.wager.v1 import wallet_service_pb2 as pb
from sabot.wager.v1 import wallet_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.decider import Record
from services.chassis.projection import OwnLog, Subscription
from services.chassis.registry import decode_meta
from services.contracts.core import SYSTEM, Event
from services.contracts.settlement import (
    ReversalRepeated,
    WagerForfeited,
    WagerRefunded,
    WagerResettled,
    WagerSettled,
)
from services.settlement.commands import RecordReversal
from services.settlement.reading import OWN

CREDITS: Final = "credits"
BATCH_RECORDS_MAX: Final = 500
CREDIT_DEADLINE_S: Final = 5.0
CALLS_IN_FLIGHT_MAX: Final = 8
REFUSED_REASON: Final = "INSUFFICIENT_FUNDS"

MOVING: Final[dict[str, type[Event]]] = {
    kind.type: kind
    for kind in (WagerSettled, WagerResettled, WagerRefunded, WagerForfeited, ReversalRepeated)
}
"""Events that money follows from."""


class Due(Struct, frozen=True):
    """A movement that is due: into the account where positive."""

    movement_id: str
    table_id: str
    coup_id: str
    player: str
    currency: str
    amount_minor: int
    at_us: int
    position: int


def due(record: Record) -> Due | None:
    """The movement that follows from a stored event, if one does."""
    if record.type not in MOVING:
        return None
    event: Any = OWN.decode(record.type, record.schema_version, record.body)
    if isinstance(event, ReversalRepeated):
        movement_id, amount, coup_id = event.movement_id, -event.amount_minor, ""
    else:
        movement_id, coup_id = event.settlement_id, event.coup_id
        settled = type(event) is WagerSettled
        amount = event.credit_minor if settled else event.due_minor
    if amount == 0:
        return None
    return Due(
        movement_id,
        record.stream,
        coup_id,
        event.player,
        event.currency,
        amount,
        decode_meta(record.meta).occurred_at_us,
        record.position,
    )


class Delivery:
    """Follows the own log and moves what each decision on a wager says."""

    def __init__(self, runtime: Runtime, channel: Any) -> None:
        self._wallet = pb_grpc.WalletServiceStub(channel)
        self._runtime = runtime
        self._subscription: Subscription[Record] = Subscription(
            CREDITS,
            OwnLog(runtime.store),
            runtime.store,
            self._deliver,
            batch_records_max=BATCH_RECORDS_MAX,
        )

    async def run(self) -> None:
        """Deliver for ever."""
        await self._subscription.run()

    async def _deliver(self, records: Sequence[Record]) -> None:
        gate = asyncio.Semaphore(CALLS_IN_FLIGHT_MAX)

        async def move(movement: Due) -> None:
            async with gate:
                await (self._credit if movement.amount_minor > 0 else self._debit)(movement)

        await asyncio.gather(*(move(each) for each in map(due, records) if each is not None))

    async def _credit(self, movement: Due) -> None:
        await self._wallet.CreditAccount(
            pb.CreditAccountRequest(
                movement_id=movement.movement_id,
                player=movement.player,
                currency=movement.currency,
                amount_minor=movement.amount_minor,
                table_id=movement.table_id,
                coup_id=movement.coup_id,
            ),
            timeout=CREDIT_DEADLINE_S,
        )

    async def _debit(self, movement: Due) -> None:
        answer = await self._wallet.ReverseAccount(
            pb.ReverseAccountRequest(
                movement_id=movement.movement_id,
                player=movement.player,
                currency=movement.currency,
                amount_minor=-movement.amount_minor,
                table_id=movement.table_id,
                coup_id=movement.coup_id,
            ),
            timeout=CREDIT_DEADLINE_S,
        )
        command = RecordReversal(
            at_us=movement.at_us,
            by=SYSTEM,
            movement_id=movement.movement_id,
            outcome="DONE" if answer.done else "REFUSED",
            reason="" if answer.done else REFUSED_REASON,
        )
        # One id for each time that it was asked for: an answer that is recorded is not recorded
        # again, however often the batch is delivered. No id from outside has a slash.
        await self._runtime.executor.command(
            movement.table_id,
            command,
            command_id=f"reversal/{movement.position}",
            input_hash=movement.movement_id.encode(),
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
    return int(found)
