"""Movements of an operator's wallet, as rows beside the log: asked for, sent, answered (D13).

A row is written in the transaction of the event that asks for it, so that none is forgotten. Taking
one to send it moves its time on, so that of several instances one sends it, and another does should
that one die. A row is never deleted: it is what the operator's own list is compared with.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.contracts.common import PlayerContext
from services.wager.wallet import UNKNOWN, Answer, Movement, Part

_parts_of = msgspec.json.Decoder(tuple[Part, ...]).decode
_context_of = msgspec.json.Decoder(PlayerContext).decode

OPEN, UNCONFIRMED = "OPEN", "UNCONFIRMED"

OVERDUE_S: Final = 300.0
TAKEN_MAX: Final = 200

_COLUMNS: Final = (
    "movement_id, verb, player, currency, amount_minor, rest_minor, table_id, coup_id, wager_id, "
    "cancels, parts, context, operator, command_id, cause, depth, traceparent, at_us, test, repeated"
)


class Entry(Struct, frozen=True, kw_only=True):
    """A movement and where it comes from."""

    movement: Movement
    command_id: str
    cause: str
    depth: int
    traceparent: str
    at_us: int
    test: bool
    repeated: bool = False
    attempts: int = 0
    """How often it was taken to be sent, this time included."""

    undone: dict[str, Any] | None = None
    """Of a cancel by name: what the player is told of the debit. It is not read back."""


class Journal:
    """The rows, through a pool or the connection of an open transaction."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def ask(self, entries: Sequence[Entry], *, own: bool = True) -> None:
        """Write movements down; `own`: this service sends them, at once.

        One that was refused is asked for again. A debit that a cancel names is sent no more.
        """
        for entry in entries:
            movement = entry.movement
            if movement.cancels:
                await self._connection.execute(
                    "update operator_movements set status = $2, answered_at = clock_timestamp(), "
                    "verdict = coalesce(verdict, $3::jsonb) "
                    "where movement_id = $1 and status in ('OPEN', 'REFUSED')",
                    movement.cancels,
                    UNCONFIRMED,
                    None if entry.undone is None else msgspec.json.encode(entry.undone).decode(),
                )
            await self._connection.execute(
                f"insert into operator_movements ({_COLUMNS}, status, next_at) "  # noqa: S608
                "values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, "
                "$17, $18, $19, $20, 'OPEN', case when $21 then clock_timestamp() else 'infinity' end) "
                "on conflict (movement_id) do update set status = 'OPEN', attempts = 0, "
                "next_at = excluded.next_at, repeated = excluded.repeated, "
                "command_id = excluded.command_id, cause = excluded.cause, depth = excluded.depth "
                "where operator_movements.status <> 'DONE'",
                *_values(entry),
                own,
            )

    async def close_debit(self, table_id: str, wagers: Collection[str], status: str) -> None:
        """A table has decided what its pending debit comes to: it is sent no more.

        `wagers`: a wager, and the slip that it is part of.
        In the transaction of the decision. Sent again after it, a debit could move money for a
        wager that was rejected.
        """
        await self._connection.execute(
            "update operator_movements set status = $3, answered_at = clock_timestamp() "
            "where table_id = $1 and wager_id = any($2::text[]) and verb = 'DEBIT' and status = 'OPEN'",
            table_id,
            list(wagers),
            status,
        )

    async def take(self, *, lease_s: float) -> list[Entry]:
        """Movements that are due, each kept from other instances for so long."""
        rows = await self._connection.fetch(
            "update operator_movements set attempts = attempts + 1, "  # noqa: S608
            "next_at = clock_timestamp() + make_interval(secs => $1) where movement_id in ("
            "select movement_id from operator_movements where status = 'OPEN' "
            "and next_at <= clock_timestamp() order by next_at limit $2 for update skip locked) "
            f"returning {_COLUMNS}, attempts",
            lease_s,
            TAKEN_MAX,
        )
        return [_entry(row) for row in rows]

    async def next_in_s(self) -> float | None:
        """Seconds until the next movement is due; None where none is open."""
        found: float | None = await self._connection.fetchval(
            "select extract(epoch from min(next_at) - clock_timestamp())::float8 "
            "from operator_movements where status = 'OPEN' and next_at < 'infinity'"
        )
        return found

    async def answered(
        self, answer: Answer, *, cause: str, pause_s: float, verdict: dict[str, Any] | None = None
    ) -> None:
        """Note an answer. An unknown outcome stays open, to be sent again after the pause.

        What is done stays done, and a debit that was given up stays so, whatever is said later. It
        answers what that cause asked for: asked for again meanwhile, the movement stays open.
        """
        unknown = answer.outcome == UNKNOWN
        await self._connection.execute(
            "update operator_movements set status = $2, reason = $3, "
            "answered_at = case when $4 then null else clock_timestamp() end, "
            "next_at = case when $4 and next_at < 'infinity' "
            "then clock_timestamp() + make_interval(secs => $5) else next_at end, "
            "balance_minor = coalesce($6, balance_minor), transaction = $7, verdict = $8::jsonb "
            "where movement_id = $1 and (status in ('OPEN', 'REFUSED') or status = $2) "
            "and cause = $9",
            answer.movement_id,
            OPEN if unknown else answer.outcome,
            answer.reason,
            unknown,
            pause_s,
            answer.balance_minor,
            answer.transaction,
            None if verdict is None else msgspec.json.encode(verdict).decode(),
            cause,
        )

    async def status(self, movement_id: str) -> tuple[str, dict[str, Any] | None]:
        """Status of a movement, empty where there is none, and what the player is told of a debit."""
        row = await self._connection.fetchrow(
            "select status, verdict from operator_movements where movement_id = $1", movement_id
        )
        if row is None:
            return "", None
        verdict = row[1]
        return row[0], msgspec.json.decode(verdict) if isinstance(verdict, str) else verdict

    async def count_open(self, table_id: str) -> int:
        """Movements of a table that this service sends and that are not answered."""
        found = await self._connection.fetchval(
            "select count(*) from operator_movements where table_id = $1 and status = 'OPEN' "
            "and next_at < 'infinity'",
            table_id,
        )
        return int(found)

    async def overdue(self) -> tuple[int, int]:
        """Movements without an answer, and those of them that have waited too long."""
        row = await self._connection.fetchrow(
            "select count(*), count(*) filter (where made_at < clock_timestamp() - "
            "make_interval(secs => $1)) from operator_movements where status = 'OPEN'",
            OVERDUE_S,
        )
        return row[0], row[1]

    async def unanswered(self, table_id: str) -> list[Any]:
        """Rows without an answer, of one table or of all; for open items."""
        return list(
            await self._connection.fetch(
                "select movement_id, verb, table_id, coup_id, wager_id, player, currency, "
                "amount_minor, reason, attempts from operator_movements "
                "where status = 'OPEN' and ($1 = '' or table_id = $1) order by number limit 10000",
                table_id,
            )
        )


def pause_s(attempts: int, *, first_s: float, longest_s: float) -> float:
    """How long to wait after so many attempts: from the first pause, doubled, to the longest."""
    return min(first_s * 2.0 ** min(attempts - 1, 20), longest_s)


def _values(entry: Entry) -> tuple[Any, ...]:
    movement = entry.movement
    return (
        movement.movement_id,
        movement.verb,
        movement.player,
        movement.currency,
        movement.amount_minor,
        movement.rest_minor,
        movement.table_id,
        movement.coup_id,
        movement.wager_id,
        movement.cancels,
        msgspec.json.encode(movement.parts).decode() if movement.parts else "",
        "" if movement.context is None else msgspec.json.encode(movement.context).decode(),
        movement.operator,
        entry.command_id,
        entry.cause,
        entry.depth,
        entry.traceparent,
        entry.at_us,
        entry.test,
        entry.repeated,
    )


def _entry(row: Any) -> Entry:
    return Entry(
        movement=Movement(
            movement_id=row["movement_id"],
            verb=row["verb"],
            player=row["player"],
            currency=row["currency"],
            amount_minor=row["amount_minor"],
            rest_minor=row["rest_minor"],
            table_id=row["table_id"],
            coup_id=row["coup_id"],
            wager_id=row["wager_id"],
            cancels=row["cancels"],
            parts=_parts_of(row["parts"]) if row["parts"] else (),
            context=_context_of(row["context"]) if row["context"] else None,
        ),
        command_id=row["command_id"],
        cause=row["cause"],
        depth=row["depth"],
        traceparent=row["traceparent"],
        at_us=row["at_us"],
        test=row["test"],
        repeated=row["repeated"],
        attempts=row["attempts"],
    )
