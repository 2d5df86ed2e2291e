"""The built-in ledger: accounts of players in the wager service's own database (D13).

Every movement has a key that follows from its cause. The same key moves money once; the same key
with another movement is an error. Accounts are locked in one order, so that no two transactions
wait for each other for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

BALANCE_MINOR_MAX: Final = 10**17

Account = tuple[str, str]
"""Player and currency."""


class MovementConflict(Exception):
    """A movement's key was used before for another movement."""


class InsufficientFunds(Exception):
    """An account would have become negative."""


class Movement(Struct, frozen=True, kw_only=True):
    """Money into an account, or out of it where the amount is negative."""

    movement_id: str
    player: str
    currency: str
    kind: str
    """FUND, DEBIT, CANCEL, CREDIT or REVERSE."""

    amount_minor: int
    table_id: str = ""
    coup_id: str = ""


class Moved(Struct, frozen=True):
    """What became of a movement."""

    movement_id: str
    done: bool
    """False where the account holds too little."""

    duplicate: bool
    balance_minor: int


async def move(connection: Any, movements: Sequence[Movement]) -> list[Moved]:
    """Carry out movements in order, in the open transaction; one answer each.

    A movement that would make an account negative is not done and changes nothing; those behind
    it go on. Raises `MovementConflict`.
    """
    if not movements:
        return []
    balances = await _lock(connection, {(m.player, m.currency) for m in movements})
    known = await _known(connection, [m.movement_id for m in movements])
    moved: list[Moved] = []
    written: list[tuple[Movement, int]] = []
    for movement in movements:
        before = known.get(movement.movement_id)
        if before is not None:
            moved.append(_repeated(movement, *before))
            continue
        account = (movement.player, movement.currency)
        balance = balances[account] + movement.amount_minor
        if balance < 0 or balance > BALANCE_MINOR_MAX:
            moved.append(Moved(movement.movement_id, False, False, balances[account]))
            continue
        balances[account] = balance
        known[movement.movement_id] = (movement, balance)
        written.append((movement, balance))
        moved.append(Moved(movement.movement_id, True, False, balance))
    await _write(connection, written, balances)
    return moved


async def _lock(connection: Any, accounts: set[Account]) -> dict[Account, int]:
    """The balances, kept from everybody else until the end of the transaction."""
    ordered = sorted(accounts)
    players = [player for player, _ in ordered]
    currencies = [currency for _, currency in ordered]
    await connection.execute(
        "insert into accounts (player, currency, balance_minor) "
        "select player, currency, 0 from unnest($1::text[], $2::text[]) as a (player, currency) "
        "order by player, currency on conflict do nothing",
        players,
        currencies,
    )
    rows = await connection.fetch(
        "select player, currency, balance_minor from accounts "
        "where (player, currency) in (select * from unnest($1::text[], $2::text[])) "
        "order by player, currency for update",
        players,
        currencies,
    )
    return {(row[0], row[1]): row[2] for row in rows}


async def _known(connection: Any, ids: list[str]) -> dict[str, tuple[Movement, int]]:
    # One look into the index for each key: a plan for all keys at once reads the whole table as
    # long as the table is young and nobody has counted it.
    rows = await connection.fetch(
        "select m.* from unnest($1::text[]) as asked (key), lateral ("
        "select movement_id, player, currency, kind, amount_minor, balance_minor "
        "from movements where movement_id = asked.key limit 1) as m",
        ids,
    )
    return {
        row[0]: (
            Movement(
                movement_id=row[0],
                player=row[1],
                currency=row[2],
                kind=row[3],
                amount_minor=row[4],
            ),
            row[5],
        )
        for row in rows
    }


def _repeated(movement: Movement, before: Movement, balance_minor: int) -> Moved:
    same = (before.player, before.currency, before.kind, before.amount_minor) == (
        movement.player,
        movement.currency,
        movement.kind,
        movement.amount_minor,
    )
    if not same:
        raise MovementConflict(f"{movement.movement_id} moved {before}, not {movement}")
    return Moved(movement.movement_id, True, True, balance_minor)


async def _write(
    connection: Any, written: Sequence[tuple[Movement, int]], balances: dict[Account, int]
) -> None:
    if not written:
        return
    touched = sorted({(m.player, m.currency) for m, _ in written})
    await connection.execute(
        "update accounts set balance_minor = new.balance_minor "
        "from unnest($1::text[], $2::text[], $3::bigint[]) as new (player, currency, balance_minor)"
        " where accounts.player = new.player and accounts.currency = new.currency",
        [player for player, _ in touched],
        [currency for _, currency in touched],
        [balances[account] for account in touched],
    )
    await connection.execute(
        "insert into movements (movement_id, player, currency, kind, amount_minor, balance_minor, "
        "table_id, coup_id) select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], "
        "$5::bigint[], $6::bigint[], $7::text[], $8::text[])",
        [m.movement_id for m, _ in written],
        [m.player for m, _ in written],
        [m.currency for m, _ in written],
        [m.kind for m, _ in written],
        [m.amount_minor for m, _ in written],
        [balance for _, balance in written],
        [m.table_id for m, _ in written],
        [m.coup_id for m, _ in written],
    )


async def balance(connection: Any, player: str, currency: str) -> int:
    """What is in an account; 0 for one that nobody has used."""
    found = await connection.fetchval(
        "select balance_minor from accounts where player = $1 and currency = $2", player, currency
    )
    return found or 0
