"""Money that the wallet has not moved: refunds that it refused, debits that it has not confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sabot.common.v1 import common_pb2
from services.chassis.app import Runtime
from services.chassis.auth import require_role
from services.contracts.wager import RefundOutstanding
from services.rules.roles import PLAYER, ROLES
from services.wager.domain import BookState
from services.wager.journal import Journal

OpenItem = common_pb2.OpenItem

_TABLES: Final = (
    "select distinct stream_id from events "  # noqa: S608
    f"where type = '{RefundOutstanding.type}' order by 1"
)
"""The type stands in the statement, so that the partial index is used."""


async def open_items(runtime: Runtime, table_id: str) -> list[OpenItem]:
    """Open items of a table, or of all tables where the id is empty. Not for players."""
    require_role(*(role for role in ROLES if role != PLAYER))
    if table_id:
        tables = [table_id]
    else:
        rows = await runtime.pool.fetch(_TABLES)
        tables = [row[0] for row in rows]
    items: list[OpenItem] = []
    for each in tables:
        items += of_state(each, await runtime.executor.state(each))
    known = {item.movement_id for item in items}
    for row in await Journal(runtime.pool).unanswered(table_id):
        if row["movement_id"] not in known:
            items.append(_unanswered(row))
    return items


def _unanswered(row: Any) -> OpenItem:
    return OpenItem(
        movement_id=row["movement_id"],
        kind=row["verb"],
        table_id=row["table_id"],
        coup_id=row["coup_id"],
        wager_id=row["wager_id"],
        player=row["player"],
        currency=row["currency"],
        amount_minor=row["amount_minor"],
        status="UNDER_WAY",
        reason=row["reason"],
        attempts=row["attempts"],
    )


def of_state(table_id: str, state: BookState) -> Iterator[OpenItem]:
    """What a table's own log knows of."""
    for key, owed in state.refunds.items():
        yield OpenItem(
            movement_id=key,
            kind="REFUND",
            table_id=table_id,
            coup_id=owed.coup_id,
            wager_id=owed.wager_id,
            player=owed.player,
            currency=owed.currency,
            amount_minor=owed.amount_minor,
            status="UNDER_WAY" if owed.under_way else "REFUSED",
            reason=owed.reason,
            attempts=owed.attempts,
        )
