"""The built-in ledger's accounts, and the register of bars, in memory.

The ledger's own rules on dictionaries in place of tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from services.wager.bars import Bar
from services.wager.domain.facts import Stop
from services.wager.ledger import TOMBSTONE, Account, _Books, _Row
from services.wager.wallet import Answer, Movement

Row = _Row
"""A movement as it is kept."""


class Bank:
    """Accounts and movements as committed."""

    def __init__(self, on_moved: Callable[[Row], None]) -> None:
        self.balances: dict[Account, int] = {}
        self.rows: dict[str, Row] = {}
        self.barred: set[str] = set()
        self._on_moved = on_moved

    def begin(self) -> BankTx:
        return BankTx(self)

    def commit(self, tx: BankTx) -> None:
        self.balances.update(tx.balances)
        self.barred = (self.barred | tx.barred) - tx.freed
        for row in tx.written:
            self.rows[row.movement_id] = row
            if row.kind != TOMBSTONE:
                self._on_moved(row)


class BankTx:
    """One transaction; it takes the place of ledger and register on a connection to the database."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self.balances: dict[Account, int] = {}
        self.written: list[Row] = []
        self.barred: set[str] = set()
        self.freed: set[str] = set()

    async def move(self, movements: Sequence[Movement]) -> list[Answer]:
        """Stands for `Ledger.move`."""
        rows = {**self._bank.rows, **{row.movement_id: row for row in self.written}}
        for each in movements:
            account = each.player, each.currency
            self.balances.setdefault(account, self._bank.balances.get(account, 0))
        undone = {row.cancels for row in rows.values() if row.cancels}
        books = _Books(self.balances, rows, undone)
        answers = [books.move(movement) for movement in movements]
        self.written += books.written
        return answers

    async def among(self, players: Collection[str]) -> frozenset[str]:
        """Stands for `Bars.among`."""
        return frozenset(players) & ((self._bank.barred | self.barred) - self.freed)

    async def hold(
        self, looked_at: Collection[str], changed: Collection[str], *, stops: bool = False
    ) -> None:
        """Stands for `Bars.hold`: nobody is beside the transaction."""

    async def hold_too(self, player: str) -> bool:
        """Stands for `Bars.hold_too`."""
        return True

    async def stops(self, players: Collection[str], sessions: Collection[str]) -> set[Stop]:
        """Stands for `Bars.stops`: nobody orders any."""
        return set()

    async def add(self, bar: Bar) -> None:
        """Stands for `Bars.add`."""
        self.barred.add(bar.player)
        self.freed.discard(bar.player)

    async def remove(self, player: str) -> None:
        """Stands for `Bars.remove`."""
        self.barred.discard(player)
        self.freed.add(player)
