"""Credits that settlement owes, delivered to the wallet until it has acknowledged them (D13).

The event comes first, the money after it. The key of a credit follows from coup, wager and
revision, so that a repeat moves nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from sabot.wager.v1 import wallet_service_pb2 as pb
from sabot.wager.v1 import wallet_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.decider import Record
from services.chassis.projection import OwnLog, Subscription
from services.contracts.settlement import WagerSettled
from services.settlement.reading import OWN

CREDITS: Final = "credits"
BATCH_RECORDS_MAX: Final = 500
CREDIT_DEADLINE_S: Final = 5.0
CREDITS_IN_FLIGHT_MAX: Final = 8


class Delivery:
    """Follows the own log and credits what each settled wager is owed."""

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
        owed = [
            (record.stream, event)
            for record in records
            if record.type == WagerSettled.type and (event := _settled(record)).credit_minor
        ]
        gate = asyncio.Semaphore(CREDITS_IN_FLIGHT_MAX)

        async def credit(table_id: str, event: WagerSettled) -> None:
            async with gate:
                await self._credit(table_id, event)

        await asyncio.gather(*(credit(table_id, event) for table_id, event in owed))

    async def _credit(self, table_id: str, event: WagerSettled) -> None:
        await self._wallet.CreditAccount(
            pb.CreditAccountRequest(
                movement_id=event.settlement_id,
                player=event.player,
                currency=event.currency,
                amount_minor=event.credit_minor,
                table_id=table_id,
                coup_id=event.coup_id,
            ),
            timeout=CREDIT_DEADLINE_S,
        )


def _settled(record: Record) -> WagerSettled:
    event = OWN.decode(record.type, record.schema_version, record.body)
    assert isinstance(event, WagerSettled)
    return event


async def open_credits(runtime: Runtime, table_id: str) -> int:
    """Settled wagers of a table whose credits are not acknowledged yet."""
    checkpoint = await runtime.store.checkpoint(f"subscription:{CREDITS}")
    found = await runtime.pool.fetchval(
        "select count(*) from events where stream_id = $1 and position > $2 and type = $3",
        table_id,
        checkpoint.position,
        WagerSettled.type,
    )
    return int(found)
