"""Money that the wallet has not moved after a settlement: to players, or from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sabot.common.v1 import common_pb2
from services.chassis.app import Runtime
from services.chassis.auth import require_role
from services.contracts.settlement import CreditOutstanding, ReversalOutstanding
from services.rules.roles import PLAYER, ROLES
from services.settlement.domain import SettlementState
from services.settlement.domain.state import Outstanding

OpenItem = common_pb2.OpenItem


async def open_items(runtime: Runtime, table_id: str) -> list[OpenItem]:
    """Open items of a table, or of all tables where the id is empty. Not for players."""
    require_role(*(role for role in ROLES if role != PLAYER))
    if table_id:
        tables = [table_id]
    else:
        rows = await runtime.pool.fetch(
            "select distinct stream_id from events where type = any($1::text[]) order by 1",
            [CreditOutstanding.type, ReversalOutstanding.type],
        )
        tables = [row[0] for row in rows]
    items: list[OpenItem] = []
    for each in tables:
        items += of_state(each, await runtime.executor.state(each))
    return items


def of_state(table_id: str, state: SettlementState) -> Iterator[OpenItem]:
    """What a table's own log knows of; a debit that nobody has answered for is under way."""
    yield from _items(table_id, "CREDIT", state.credits)
    yield from _items(table_id, "REVERSAL", state.debits)


def _items(table_id: str, kind: str, held: Mapping[str, Outstanding]) -> Iterator[OpenItem]:
    for key, owed in held.items():
        waits = owed.attempts and not owed.under_way
        yield OpenItem(
            movement_id=key,
            kind=kind,
            table_id=table_id,
            coup_id=owed.coup_id,
            wager_id=owed.wager_id,
            player=owed.player,
            currency=owed.currency,
            amount_minor=owed.amount_minor,
            status="REFUSED" if waits else "UNDER_WAY",
            reason=owed.reason,
            attempts=owed.attempts,
        )
