"""Messages of the seamless wallet: one JSON object each way, one path for each verb."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

PATHS: Final = {
    "BALANCE": "/v1/balance",
    "DEBIT": "/v1/debit",
    "CANCEL": "/v1/cancel",
    "CREDIT": "/v1/credit",
    "REVERSE": "/v1/reverse",
}
"""By verb, below the wallet's address."""

DONE, REFUSED, EXISTS = "DONE", "REFUSED", "EXISTS"
"""Statuses of an answer. EXISTS: the key had moved this money before."""

UNKNOWN_DEBIT: Final = "UNKNOWN_DEBIT"
"""Code of wallets that do not remember the cancel of a debit that they never saw."""

Amount = int | str
"""Minor units or millionths as a number, or a decimal text: see `amounts`."""


class Share(Struct, frozen=True, kw_only=True):
    """One wager of several."""

    wager_id: str
    area: str
    amount: Amount


class Asked(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A request."""

    player: str
    currency: str
    key: str = ""
    """Idempotency key of the movement; a balance has none."""

    amount: Amount = 0
    exponent: int = 0
    """Decimals of the currency, by ISO 4217."""

    table_id: str = ""
    coup_id: str = ""
    wager_id: str = ""
    """Joins a wager's debits, cancels and credit. Of a slip's debit: the slip's id."""

    slip_id: str = ""
    """Of a wager of a slip: the `wager_id` of the debit that paid for it."""

    wagers: tuple[Share, ...] = ()
    """Of a slip's debit: what it pays for; each may be cancelled and credited by itself. Of a
    credit for all wagers of a player in a coup: what each has of it."""

    cancels: str = ""
    """Of a cancel: the key of the debit that is undone whole, made or not."""

    rest: Amount = 0
    """Of a cancel by amount: the stake that stays."""

    operator: str = ""
    brand: str = ""
    jurisdiction: str = ""
    session: str = ""
    """Of the player, by the token that he staked under. A wallet checks the session for debits at
    the most: what he is owed is paid after it has ended."""

    at: str = ""
    """When it was sent: RFC 3339, UTC."""


class Told(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer, with HTTP status 200. Any other status is no answer."""

    status: str
    """DONE, REFUSED or EXISTS."""

    key: str = ""
    """As it was asked."""

    code: str = ""
    """Of a refusal: INSUFFICIENT_FUNDS, BALANCE_MAXIMUM, CONFLICT, CANCELLED, UNKNOWN_DEBIT, or one
    of the wallet's own."""

    amount: Amount | None = None
    """What moved under the key."""

    balance: Amount | None = None
    """In the account afterwards."""

    transaction: str = ""
    """The wallet's own number of the movement."""


encode = msgspec.json.Encoder().encode
asked = msgspec.json.Decoder(Asked).decode
told = msgspec.json.Decoder(Told).decode
