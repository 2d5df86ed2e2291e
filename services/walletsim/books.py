"""The simulator's accounts, and what real wallets differ in. No I/O but its journal file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

BALANCE_MINOR_MAX: Final = 10**12

DEBIT, CANCEL, CREDIT, REVERSE, FUND = "DEBIT", "CANCEL", "CREDIT", "REVERSE", "FUND"
TOMBSTONE: Final = "TOMBSTONE"


class Switches(Struct, frozen=True, kw_only=True):
    """In what wallets differ."""

    says_exists: bool = False
    """A repeat is answered EXISTS; otherwise as the first time."""

    remembers_cancels: bool = True
    """The cancel of an unknown debit succeeds and is remembered; otherwise UNKNOWN_DEBIT."""

    partial_cancel: bool = True

    asks_for_session: bool = False
    """A debit is refused without the player's session, or with one that has ended."""

    refuses_after_credit: bool = True
    """A wager that was credited is cancelled no more."""


class Row(Struct, frozen=True, kw_only=True):
    """A movement of money. Into the account where positive."""

    key: str
    player: str
    currency: str
    verb: str
    amount_minor: int
    balance_minor: int
    table_id: str = ""
    coup_id: str = ""
    wager_id: str = ""
    slip_id: str = ""
    wagers: tuple[str, ...] = ()
    """Of a movement for several wagers: their ids."""

    cancels: str = ""
    session: str = ""
    number: int = 0


class Result(Struct, frozen=True, kw_only=True):
    """What became of a request: DONE, REFUSED with a code, or EXISTS."""

    status: str
    code: str = ""
    amount_minor: int = 0
    balance_minor: int = 0
    number: int = 0


class Books:
    """Accounts and rows; with a file they outlive the process."""

    def __init__(self, switches: Switches, file: Path | None = None) -> None:
        self.switches = switches
        self.rows: dict[str, Row] = {}
        self._balances: dict[tuple[str, str], int] = {}
        self._undone: set[str] = set()
        self.ended: set[str] = set()
        """Sessions of players that are over."""
        self._credited: set[tuple[str, str]] = set()
        self._file = file
        if file is not None and file.exists():
            decode = msgspec.json.Decoder(Row).decode
            for line in file.read_bytes().splitlines():
                self._take(decode(line))

    def balance(self, player: str, currency: str) -> int:
        return self._balances.get((player, currency), 0)

    def movements(self) -> Iterator[Row]:
        """Rows that moved money, in order."""
        return (row for row in self.rows.values() if row.verb != TOMBSTONE and row.amount_minor)

    def move(self, asked: Row, *, more_minor: int = 0) -> Result:
        """Carry out a request whose amount is unsigned; `more_minor` is a mistake on purpose."""
        before = self.rows.get(asked.key)
        if before is not None:
            return self._repeated(asked, before)
        balance = self.balance(asked.player, asked.currency)
        if refusal := self._session_fault(asked):
            return Result(status="REFUSED", code=refusal, balance_minor=balance)
        takes = asked.verb in (DEBIT, REVERSE)
        amount = asked.amount_minor + more_minor
        amount = -amount if takes else amount
        if asked.verb == CANCEL:
            refusal, amount = self._cancelled(asked, amount)
            if refusal:
                return Result(status="REFUSED", code=refusal, balance_minor=balance)
        if balance + amount < 0:
            return Result(status="REFUSED", code="INSUFFICIENT_FUNDS", balance_minor=balance)
        if balance + amount > BALANCE_MINOR_MAX and amount > 0:
            return Result(status="REFUSED", code="BALANCE_MAXIMUM", balance_minor=balance)
        if asked.cancels and asked.cancels not in self.rows:
            self._keep(asked, key=asked.cancels, verb=TOMBSTONE, amount_minor=0, cancels="")
        row = self._keep(asked, amount_minor=amount)
        return Result(
            status="DONE",
            amount_minor=abs(row.amount_minor),
            balance_minor=row.balance_minor,
            number=row.number,
        )

    def _session_fault(self, asked: Row) -> str:
        """Only a debit needs a session; what is owed is paid without one."""
        if asked.verb != DEBIT or not self.switches.asks_for_session:
            return ""
        if not asked.session:
            return "SESSION_MISSING"
        return "SESSION_ENDED" if asked.session in self.ended else ""

    def _cancelled(self, asked: Row, amount: int) -> tuple[str, int]:
        """Why the cancel is refused, or what it gives back."""
        if not asked.cancels:
            if self.switches.refuses_after_credit and _wager(asked) in self._credited:
                return "SETTLED", 0
            whole = sum(
                -row.amount_minor
                for row in self.rows.values()
                if row.verb == DEBIT and _wager(row) in (_wager(asked), _slip(asked))
            )
            if not self.switches.partial_cancel and amount != whole:
                return "PARTIAL_CANCEL", 0
            return "", amount
        if asked.cancels in self._undone:
            return "CONFLICT", 0
        debit = self.rows.get(asked.cancels)
        if debit is not None:
            return "", -debit.amount_minor
        return ("", 0) if self.switches.remembers_cancels else ("UNKNOWN_DEBIT", 0)

    def _repeated(self, asked: Row, before: Row) -> Result:
        if before.verb == TOMBSTONE and asked.verb == DEBIT:
            return Result(status="REFUSED", code="CANCELLED", balance_minor=before.balance_minor)
        same = (before.player, before.currency, before.verb, before.cancels) == (
            asked.player,
            asked.currency,
            asked.verb,
            asked.cancels,
        )
        equal = bool(asked.cancels) or abs(before.amount_minor) == asked.amount_minor
        if not same or (not equal and not self.switches.says_exists):
            return Result(status="REFUSED", code="CONFLICT", balance_minor=before.balance_minor)
        return Result(
            status="EXISTS" if self.switches.says_exists else "DONE",
            amount_minor=abs(before.amount_minor),
            balance_minor=before.balance_minor,
            number=before.number,
        )

    def _keep(self, asked: Row, **changes: object) -> Row:
        row = msgspec.structs.replace(asked, number=len(self.rows) + 1, **changes)
        balance = self.balance(row.player, row.currency) + row.amount_minor
        row = msgspec.structs.replace(row, balance_minor=balance)
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(row) + b"\n")
        self._take(row)
        return row

    def _take(self, row: Row) -> None:
        self.rows[row.key] = row
        self._balances[row.player, row.currency] = row.balance_minor
        if row.cancels:
            self._undone.add(row.cancels)
        if row.verb == CREDIT:
            self._credited |= {(row.table_id, each) for each in (row.wager_id, *row.wagers) if each}


def _wager(row: Row) -> tuple[str, str]:
    """A wager's id is unique at its table."""
    return row.table_id, row.wager_id


def _slip(row: Row) -> tuple[str, str]:
    """What the debit of a slip is filed under."""
    return row.table_id, row.slip_id
