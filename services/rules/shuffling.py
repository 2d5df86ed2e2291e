"""Deterministic shuffling, and commitments to an order before it is dealt.

The shuffle takes its bytes from the caller: the same bytes give the same order, so a
revealed seed proves a shoe. Where good bytes come from is nobody's business here.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from services.rules.cards import FULL_DECK, Card

RandomBytes = Callable[[int], bytes]
"""Returns the next so many bytes of a stream, never fewer."""

SECRET_BYTES: Final = 32
"""Length of a commitment's secret: long enough that no order can be guessed and tested."""

_BLOCK_BYTES: Final = 512
_STREAM_LABEL: Final = b"sabot shuffle stream v1\x00"

_Item = TypeVar("_Item")


def pack(decks: int) -> tuple[Card, ...]:
    """Return the cards of `decks` decks in the order of new packs, deck by deck."""
    return FULL_DECK * decks


def seed_stream(seed: bytes) -> RandomBytes:
    """Return the byte stream that a seed stands for, by SHAKE-256 over seed and counter.

    The reader remembers where it is; two readers of one seed give the same bytes. The
    stream has no end within reach. It is as unpredictable as the seed and not more.
    """
    block, begin, counter = b"", 0, 0

    def take(count: int) -> bytes:
        nonlocal block, begin, counter
        while len(block) - begin < count:
            counted = _STREAM_LABEL + seed + counter.to_bytes(8, "big")
            block = block[begin:] + hashlib.shake_256(counted).digest(_BLOCK_BYTES)
            begin = 0
            counter += 1
        end = begin + count
        taken = block[begin:end]
        begin = end
        return taken

    return take


def shuffle(cards: Sequence[_Item], random_bytes: RandomBytes) -> tuple[_Item, ...]:
    """Return the cards in an order drawn from the bytes, every order equally likely.

    Fisher-Yates from the back. Each place is drawn by rejection: a number that would make
    some places likelier than others is thrown away and the next one is taken, for a
    remainder alone is biased. Raises ValueError when the stream gives fewer bytes than
    asked for.
    """
    order = list(cards)
    left = len(order)
    while left > 1:
        size = (left - 1).bit_length() // 8 + 1
        span = 256**size
        # All places that are drawn with numbers of this size, at once. Numbers that are thrown away
        # leave places over for the next turn, so that no byte is taken that is not needed.
        lowest = max(span // 512, 1)
        fair = span - left  # no number below it is one to throw away, however few are left
        for number in _numbers(left - lowest, size, random_bytes):
            if number < fair or number < span - span % left:
                place = number % left
                left -= 1
                order[left], order[place] = order[place], order[left]
    return tuple(order)


def _numbers(count: int, size: int, random_bytes: RandomBytes) -> Sequence[int]:
    """Return the next so many numbers of `size` bytes each, most significant byte first."""
    drawn = random_bytes(count * size)
    if len(drawn) != count * size:
        message = f"the stream gave {len(drawn)} bytes of {count * size}"
        raise ValueError(message)
    if size == 2:  # as every shoe but the smallest needs
        return struct.unpack(f">{count}H", drawn)
    return [int.from_bytes(drawn[at : at + size], "big") for at in range(0, len(drawn), size)]


def commitment(secret: bytes, order: Sequence[Card]) -> str:
    """Return the commitment to an order: SHA-256 over secret and cards, in hexadecimal.

    The cards follow the secret as text, two characters each, first card first. Raises
    ValueError unless the secret has 32 bytes: without it an order could be guessed, and
    with a shorter one two splits of secret and cards could meet in one digest.
    """
    if len(secret) != SECRET_BYTES:
        message = f"the secret has {len(secret)} bytes instead of {SECRET_BYTES}"
        raise ValueError(message)
    return hashlib.sha256(secret + "".join(order).encode("ascii")).hexdigest()


def verify_commitment(committed: str, secret: bytes, order: Sequence[Card]) -> bool:
    """Tell whether a revealed secret and order are those that were committed to.

    A secret of the wrong length was never committed to.
    """
    if len(secret) != SECRET_BYTES:
        return False
    return hmac.compare_digest(commitment(secret, order), committed.lower())
