"""Who is barred from the casino (004 14.3.3), and what is stopped: at all live tables.

Who looks at a player's bar shares a lock with all others who look, and who changes it has it alone,
each until its commit: so no wager stands behind a bar in the log that it was not held against. The
locks are of groups of players, few enough for a transaction with many wagers; stops have one more.
They come behind those of the tables, and before those of accounts and of the log.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection
from typing import Any, Final

from msgspec import Struct

from services.wager.domain.facts import Stop


class Bar(Struct, frozen=True, kw_only=True):
    """A bar as a table gave it."""

    player: str
    table_id: str
    reason: str
    barred_by: str
    at_us: int


LOCKS: Final = 64
"""Groups of players, each with a lock: a bar makes wagers of one group wait for its commit."""

STOPS: Final = LOCKS
"""The lock of all stops."""

_NAMESPACE: Final = 0x5AB07BA2
"""Of these locks among all of the database."""


def lock_of(player: str) -> int:
    """The group that a player is of."""
    return zlib.crc32(player.encode()) % LOCKS


class Bars:
    """The register, within the transaction of a connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def hold(
        self, looked_at: Collection[str], changed: Collection[str], *, stops: bool = False
    ) -> None:
        """Keep all stops, and the bars of these players, as they are until the transaction's end.

        Once in a transaction, before anything else here: locks are taken in one order everywhere.
        `stops`: the transaction changes one.
        """
        alone = {lock_of(player) for player in changed} | ({STOPS} if stops else set())
        keys = sorted(alone | {lock_of(player) for player in looked_at} | {STOPS})
        await self._connection.execute(
            "select case when alone then pg_advisory_xact_lock($1, key) "
            "else pg_advisory_xact_lock_shared($1, key) end "
            "from unnest($2::integer[], $3::boolean[]) as locks (key, alone)",
            _NAMESPACE,
            keys,
            [key in alone for key in keys],
        )

    async def hold_too(self, player: str) -> bool:
        """The same for one more player; False where that would mean to wait for somebody."""
        held: bool = await self._connection.fetchval(
            "select pg_try_advisory_xact_lock_shared($1, $2)", _NAMESPACE, lock_of(player)
        )
        return held

    async def among(self, players: Collection[str]) -> frozenset[str]:
        """Those of the players who are barred."""
        found = await self._connection.fetch(
            "select player from casino_bars where player = any($1::text[])", list(players)
        )
        return frozenset(row[0] for row in found)

    async def stops(self, players: Collection[str], sessions: Collection[str]) -> set[Stop]:
        """Stops that may bind wagers of these players in these sessions."""
        found = await self._connection.fetch(
            "select kind, value, operator from betting_stops where kind not in ('PLAYER', 'SESSION') "
            "or (kind = 'PLAYER' and value = any($1::text[])) "
            "or (kind = 'SESSION' and value = any($2::text[]))",
            list(players),
            list(sessions),
        )
        return {Stop(of=kind, value=value, operator=operator) for kind, value, operator in found}

    async def order(
        self, stop: Stop, *, table_id: str, reason: str, ordered_by: str, at_us: int
    ) -> None:
        """Stop something at all live tables."""
        await self._connection.execute(
            "insert into betting_stops (kind, value, operator, table_id, reason, ordered_by, at_us) "
            "values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing",
            stop.of,
            stop.value,
            stop.operator,
            table_id,
            reason,
            ordered_by,
            at_us,
        )

    async def lift(self, stop: Stop) -> None:
        """End a stop."""
        await self._connection.execute(
            "delete from betting_stops where (kind, value, operator) = ($1, $2, $3)",
            stop.of,
            stop.value,
            stop.operator,
        )

    async def add(self, bar: Bar) -> None:
        """Bar a player; of one who is barred already the first bar is kept."""
        await self._connection.execute(
            "insert into casino_bars (player, table_id, reason, barred_by, at_us) "
            "values ($1, $2, $3, $4, $5) on conflict do nothing",
            bar.player,
            bar.table_id,
            bar.reason,
            bar.barred_by,
            bar.at_us,
        )

    async def remove(self, player: str) -> None:
        """Let a player back into the casino."""
        await self._connection.execute("delete from casino_bars where player = $1", player)
