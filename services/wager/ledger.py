"""The built-in ledger: accounts of players in the wager service's own database (D13).

Every movement has a key that follows from its cause. The same key moves money once; the same key
with another movement is refused. Accounts are locked in one order, so that no two transactions
wait for each other for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from services.chassis.postgres import transaction
from services.wager.wallet import (
    BALANCE_MAXIMUM,
    CANCEL,
    CANCELLED,
    CONFLICT,
    DEBIT,
    DONE,
    INSUFFICIENT_FUNDS,
    REFUSED,
    TAKES,
    Answer,
    Movement,
)

BALANCE_MINOR_MAX: Final = 10**17

TOMBSTONE: Final = "TOMBSTONE"
"""Kind of a row that moved nothing: the debit under its key was cancelled before it arrived."""

Account = tuple[str, str]
"""Player and currency."""


class _Row(Struct, frozen=True):
    """A movement as it is kept."""

    movement_id: str
    player: str
    currency: str
    kind: str
    amount_minor: int
    """Into the account where positive."""

    balance_minor: int
    table_id: str = ""
    coup_id: str = ""
    cancels: str = ""


class Ledger:
    """The wallet inside an open transaction: what it does is committed, or not, with the rest."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def balance(self, player: str, currency: str) -> int:
        """What is in an account; 0 for one that nobody has used."""
        found = await self._connection.fetchval(
            "select balance_minor from accounts where player = $1 and currency = $2",
            player,
            currency,
        )
        return found or 0

    async def debit(self, movement: Movement) -> Answer:
        return (await self.move([movement]))[0]

    async def cancel(self, movement: Movement) -> Answer:
        return (await self.move([movement]))[0]

    async def credit(self, movement: Movement) -> Answer:
        return (await self.move([movement]))[0]

    async def reverse(self, movement: Movement) -> Answer:
        return (await self.move([movement]))[0]

    async def move(self, movements: Sequence[Movement]) -> list[Answer]:
        """Carry out movements in order; one answer each, which is never UNKNOWN.

        A movement that is refused changes nothing; those behind it go on.
        """
        if not movements:
            return []
        balances = await _lock(self._connection, {(m.player, m.currency) for m in movements})
        keys = [m.movement_id for m in movements] + [m.cancels for m in movements if m.cancels]
        known = await _known(self._connection, keys)
        undone = await _undone(self._connection, [m.cancels for m in movements if m.cancels])
        books = _Books(balances, known, undone)
        answers = [books.move(movement) for movement in movements]
        await _write(self._connection, books.written, balances)
        return answers


class LedgerWallet:
    """The built-in ledger for callers from outside: each movement in a transaction of its own."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    async def balance(self, player: str, currency: str) -> int:
        """What is in an account; 0 for one that nobody has used."""
        return await Ledger(self._pool).balance(player, currency)

    async def debit(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def cancel(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def credit(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def reverse(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def move(self, movement: Movement) -> Answer:
        """Carry out one movement, deposits too."""
        async with self._pool.acquire() as connection, transaction(connection):
            (answer,) = await Ledger(connection).move([movement])
        return answer


class _Books:
    """The accounts and rows that a batch of movements touches, as they become."""

    def __init__(
        self, balances: dict[Account, int], known: dict[str, _Row], undone: set[str]
    ) -> None:
        self.balances = balances
        self.written: list[_Row] = []
        self._known = known
        self._undone = undone

    def move(self, movement: Movement) -> Answer:
        """Carry out one movement."""
        before = self._known.get(movement.movement_id)
        if before is not None:
            return _repeated(movement, before)
        account = (movement.player, movement.currency)
        amount = -movement.amount_minor if movement.verb in TAKES else movement.amount_minor
        if movement.cancels:
            debit = self._known.get(movement.cancels)
            if movement.cancels in self._undone or not _fits(debit, movement):
                return _refused(movement, CONFLICT, self.balances[account])
            amount = 0 if debit is None else -debit.amount_minor
        fault = _fault(self.balances[account] + amount)
        if fault:
            return _refused(movement, fault, self.balances[account])
        self.balances[account] += amount
        if movement.cancels:
            self._undone.add(movement.cancels)
            if movement.cancels not in self._known:
                self._keep(movement, movement.cancels, TOMBSTONE, 0)
        self._keep(movement, movement.movement_id, movement.verb, amount)
        return Answer(
            movement_id=movement.movement_id, outcome=DONE, balance_minor=self.balances[account]
        )

    def _keep(self, movement: Movement, key: str, kind: str, amount_minor: int) -> None:
        row = _Row(
            key,
            movement.player,
            movement.currency,
            kind,
            amount_minor,
            self.balances[movement.player, movement.currency],
            movement.table_id,
            movement.coup_id,
            "" if kind == TOMBSTONE else movement.cancels,
        )
        self._known[key] = row
        self.written.append(row)


def _fault(balance_minor: int) -> str:
    if balance_minor < 0:
        return INSUFFICIENT_FUNDS
    return BALANCE_MAXIMUM if balance_minor > BALANCE_MINOR_MAX else ""


def _fits(debit: _Row | None, movement: Movement) -> bool:
    """Whether the movement may undo this debit: it is one, of this account and of this amount."""
    return debit is None or (
        (debit.player, debit.currency, debit.kind) == (movement.player, movement.currency, DEBIT)
        and debit.amount_minor == -movement.amount_minor
    )


def _refused(movement: Movement, reason: str, balance_minor: int) -> Answer:
    return Answer(
        movement_id=movement.movement_id,
        outcome=REFUSED,
        reason=reason,
        balance_minor=balance_minor,
    )


def _repeated(movement: Movement, before: _Row) -> Answer:
    sign = -1 if movement.verb in TAKES else 1
    undoes = movement.verb == CANCEL and movement.cancels
    same = (before.player, before.currency, before.kind) == (
        movement.player,
        movement.currency,
        movement.verb,
    ) and (before.cancels == movement.cancels)
    if same and (undoes or before.amount_minor == sign * movement.amount_minor):
        return Answer(
            movement_id=movement.movement_id,
            outcome=DONE,
            duplicate=True,
            balance_minor=before.balance_minor,
        )
    reason = CANCELLED if (before.kind, movement.verb) == (TOMBSTONE, DEBIT) else CONFLICT
    return _refused(movement, reason, before.balance_minor)


async def _lock(connection: Any, accounts: set[Account]) -> dict[Account, int]:
    """The balances, kept from everybody else until the end of the transaction."""
    ordered = sorted(accounts)
    players = [player for player, _ in ordered]
    currencies = [currency for _, currency in ordered]
    balances = await _locked(connection, players, currencies)
    if len(balances) == len(ordered):
        return balances
    await connection.execute(
        "insert into accounts (player, currency, balance_minor) "
        "select player, currency, 0 from unnest($1::text[], $2::text[]) as a (player, currency) "
        "on conflict do nothing",
        players,
        currencies,
    )
    return await _locked(connection, players, currencies)


async def _locked(
    connection: Any, players: Sequence[str], currencies: Sequence[str]
) -> dict[Account, int]:
    # One look into the index for each, in the order in which they come: everybody sorts alike, so
    # nobody waits in a circle. A plan for all at once reads the whole table, if it is made while
    # the table is young, and stays in use.
    rows = await connection.fetch(
        "select a.* from unnest($1::text[], $2::text[]) as asked (player, currency), lateral ("
        "select player, currency, balance_minor from accounts where player = asked.player "
        "and currency = asked.currency limit 1 for update) as a",
        players,
        currencies,
    )
    return {(row[0], row[1]): row[2] for row in rows}


async def _known(connection: Any, keys: list[str]) -> dict[str, _Row]:
    # One look into the index for each key, for the same reason.
    rows = await connection.fetch(
        "select m.* from unnest($1::text[]) as asked (key), lateral ("
        "select movement_id, player, currency, kind, amount_minor, balance_minor, table_id, "
        "coup_id, cancels from movements where movement_id = asked.key limit 1) as m",
        keys,
    )
    return {row[0]: _Row(*row) for row in rows}


async def _undone(connection: Any, debits: list[str]) -> set[str]:
    """Those of the debits that were cancelled whole before."""
    if not debits:
        return set()
    rows = await connection.fetch(
        "select cancels from movements where cancels <> '' and cancels = any($1::text[])", debits
    )
    return {row[0] for row in rows}


async def _write(connection: Any, written: Sequence[_Row], balances: dict[Account, int]) -> None:
    if not written:
        return
    touched = sorted({(row.player, row.currency) for row in written})
    columns = list(zip(*(_values(row) for row in written), strict=True))
    await connection.execute(
        "with written as (insert into movements (movement_id, player, currency, kind, amount_minor,"
        " balance_minor, table_id, coup_id, cancels) select * from unnest($4::text[], $5::text[], "
        "$6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::text[], $11::text[], "
        "$12::text[])) insert into accounts (player, currency, balance_minor) "
        "select * from unnest($1::text[], $2::text[], $3::bigint[]) "
        "on conflict (player, currency) do update set balance_minor = excluded.balance_minor",
        [player for player, _ in touched],
        [currency for _, currency in touched],
        [balances[account] for account in touched],
        *(list(column) for column in columns),
    )


def _values(row: _Row) -> tuple[Any, ...]:
    return tuple(getattr(row, name) for name in _Row.__struct_fields__)
