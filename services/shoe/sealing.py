"""Orders of shoes that nobody may see: encrypted at rest, opened only for the next card (D8)."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from msgspec import Struct

from services.contracts.common import Card
from services.rules.cards import FULL_DECK, overfull
from services.rules.shuffling import commitment, shuffle

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
SECRET_BYTES: Final = 32
OPEN_ORDERS_MAX: Final = 1_024
"""Opened orders that are kept in memory."""

DEVELOPMENT_KEY: Final = b"sabot development, never in use!"
"""Seals in the environment development only, where no key file is named."""


class Order(Struct, frozen=True):
    """The order of a shoe with the secret bytes that its commitment hides."""

    cards: tuple[Card, ...]
    secret: bytes


class SealedCards:
    """An opened order, as the shoe's `decide` may look at it."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def card(self, draw_number: int) -> Card | None:
        """The card with this draw number, if the order reaches that far."""
        cards = self._order.cards
        return cards[draw_number - 1] if draw_number <= len(cards) else None

    def known(self) -> int:
        """How many cards from the front are known."""
        return len(self._order.cards)

    def overfull(self, decks: int) -> Card | None:
        """A card of which there are too many copies, if any."""
        return overfull(self._order.cards, decks)

    def commitment(self) -> str:
        """The digest that binds the house to this order; "" for one from outside."""
        secret = self._order.secret
        return commitment(secret, self._order.cards) if secret else ""

    def order(self) -> tuple[Card, ...]:
        """The whole order, for the revelation at the end."""
        return self._order.cards

    def secret(self) -> str:
        """The secret bytes, hexadecimal, for the revelation at the end."""
        return self._order.secret.hex()


def preset(cards: Sequence[Card]) -> Order:
    """An order from outside; only tables in TEST mode have one, and nobody is bound by it."""
    return Order(tuple(cards), b"")


def generated(decks: int) -> Order:
    """A new order by the cryptographic generator, every order as likely as any other."""
    order = shuffle(FULL_DECK * decks, secrets.token_bytes)
    return Order(tuple(order), secrets.token_bytes(SECRET_BYTES))


def key_from(file: str, environment: str) -> bytes:
    """The sealing key. Raises ValueError where there is none that may be used."""
    if file:
        key = Path(file).read_bytes()
        if len(key) != KEY_BYTES:
            raise ValueError(f"{file} holds {len(key)} bytes, not {KEY_BYTES}")
        return key
    if environment != "development":
        raise ValueError("SABOT_SEALING_KEY_FILE is missing: orders of shoes are sealed with it")
    return DEVELOPMENT_KEY


class Vault:
    """Seals orders into the database and opens them again."""

    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)
        self._open: OrderedDict[str, SealedCards] = OrderedDict()

    async def seal(self, connection: Any, order_id: str, table_id: str, order: Order) -> None:
        """Keep an order. One that is sealed already under this id stays."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        plain = msgspec.msgpack.encode(order)
        sealed = nonce + self._cipher.encrypt(nonce, plain, order_id.encode())
        await connection.execute(
            "insert into sealed_orders (order_id, table_id, sealed) values ($1, $2, $3) "
            "on conflict (order_id) do nothing",
            order_id,
            table_id,
            sealed,
        )

    async def open(self, connection: Any, order_id: str) -> SealedCards | None:
        """The order under this id, if there is one."""
        known = self._open.get(order_id)
        if known is not None:
            self._open.move_to_end(order_id)
            return known
        sealed = await connection.fetchval(
            "select sealed from sealed_orders where order_id = $1", order_id
        )
        if sealed is None:
            return None
        plain = self._cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], order_id.encode())
        cards = SealedCards(msgspec.msgpack.decode(plain, type=Order))
        self._open[order_id] = cards
        if len(self._open) > OPEN_ORDERS_MAX:
            self._open.popitem(last=False)
        return cards
