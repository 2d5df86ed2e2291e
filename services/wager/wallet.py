"""The wallet as the wager service sees it: five verbs and three outcomes (D13).

Two wallets fit the port: the built-in ledger, whose movements are part of the transaction that asks
for them, and an operator's wallet behind HTTP, which is asked after the commit. Both are held to it
by one suite of tests.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Final, Protocol

from msgspec import Struct

from services.contracts.common import PlayerContext

DEBIT, CANCEL, CREDIT, REVERSE, FUND = "DEBIT", "CANCEL", "CREDIT", "REVERSE", "FUND"
"""Verbs: a stake; money back before settlement; what settlement owes; what it takes back. Deposits
(FUND) are for the built-in ledger only."""

TAKES: Final = frozenset({DEBIT, REVERSE})
"""Verbs that take money from the player; the others give."""

DONE, REFUSED, UNKNOWN = "DONE", "REFUSED", "UNKNOWN"
"""It moved; it did not and will not under the same circumstances; nobody can tell: ask again."""

INSUFFICIENT_FUNDS: Final = "INSUFFICIENT_FUNDS"
BALANCE_MAXIMUM: Final = "BALANCE_MAXIMUM"
CONFLICT: Final = "CONFLICT"
"""The key moved other money before, or the debit was cancelled under another key."""

CANCELLED: Final = "CANCELLED"
"""The debit was cancelled before it arrived: its key is spent."""


class Part(Struct, frozen=True, kw_only=True):
    """A wager of a slip, as a part of its debit."""

    wager_id: str
    area: str
    amount_minor: int


class Movement(Struct, frozen=True, kw_only=True):
    """Money on its way. Its key follows from its cause: asked again, it moves nothing again."""

    movement_id: str
    player: str
    currency: str
    verb: str
    amount_minor: int
    """Minor units, never negative; the verb says which way."""

    table_id: str = ""
    coup_id: str = ""
    wager_id: str = ""
    """Of a slip's debit and of the cancel that undoes it: the slip's id."""

    parts: tuple[Part, ...] = ()
    """Of a slip's debit, or of a credit for a whole coup: its wagers."""

    cancels: str = ""
    """Of a cancel: the debit that is undone whole, made or not. Empty: so much of what was debited
    for the wager goes back."""

    rest_minor: int = 0
    """Of a cancel by amount: the stake that stays."""

    context: PlayerContext | None = None
    """Of the player: his operator says whose wallet is meant."""

    @property
    def operator(self) -> str:
        """Whose wallet the money is in; empty is the default one."""
        return "" if self.context is None else self.context.operator


class Answer(Struct, frozen=True, kw_only=True):
    """What became of a movement."""

    movement_id: str
    outcome: str
    """DONE, REFUSED or UNKNOWN."""

    reason: str = ""
    """Stable code where it was refused; what went wrong where nobody can tell."""

    duplicate: bool = False
    """The key had moved this money before."""

    balance_minor: int | None = None
    """In the account afterwards; None where the wallet did not say."""

    transaction: str = ""
    """The wallet's own number of the movement."""

    @property
    def done(self) -> bool:
        """Whether the money moved, now or before."""
        return self.outcome == DONE


class Wallet(Protocol):
    """Where the money of players is."""

    async def balance(self, player: str, currency: str) -> int | None:
        """What is in an account, in minor units; None where the wallet does not answer."""
        ...

    async def debit(self, movement: Movement) -> Answer:
        """Take a stake. Refused where the account holds too little, or the key was cancelled."""
        ...

    async def cancel(self, movement: Movement) -> Answer:
        """Give money back before settlement. A debit that never arrived is refused from then on."""
        ...

    async def credit(self, movement: Movement) -> Answer:
        """Pay what a settlement owes."""
        ...

    async def reverse(self, movement: Movement) -> Answer:
        """Take back what a correction says was paid too much."""
        ...


def ask(wallet: Wallet, movement: Movement) -> Awaitable[Answer]:
    """Make the call that the movement's verb names."""
    calls = {
        DEBIT: wallet.debit,
        CANCEL: wallet.cancel,
        CREDIT: wallet.credit,
        REVERSE: wallet.reverse,
    }
    return calls[movement.verb](movement)
