"""Players who are barred from the casino, in the service's database: for all tables (004 14.3.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct


class Bar(Struct, frozen=True, kw_only=True):
    """A bar as a table gave it."""

    player: str
    table_id: str
    reason: str
    barred_by: str
    at_us: int


class Bars:
    """The register, within the transaction of a connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def among(self, players: Collection[str]) -> frozenset[str]:
        """Those of the players who are barred."""
        found = await self._connection.fetch(
            "select player from casino_bars where player = any($1::text[])", list(players)
        )
        return frozenset(row[0] for row in found)

    async def add(self, bars: Sequence[Bar]) -> None:
        """Bar players; of one who is barred already the first bar is kept."""
        # In one order everywhere, so that two transactions cannot lock each other out.
        for bar in sorted(bars, key=lambda bar: bar.player):
            await self._connection.execute(
                "insert into casino_bars (player, table_id, reason, barred_by, at_us) "
                "values ($1, $2, $3, $4, $5) on conflict do nothing",
                bar.player,
                bar.table_id,
                bar.reason,
                bar.barred_by,
                bar.at_us,
            )
