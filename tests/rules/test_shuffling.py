"""Deterministic shuffles and commitments."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import permutations

import pytest

from services.rules.cards import overfull
from services.rules.shuffling import (
    RandomBytes,
    commitment,
    pack,
    seed_stream,
    shuffle,
    verify_commitment,
)


def test_a_seed_gives_one_order() -> None:
    """R-23: the same bytes give the same shoe, others another; the multiset stays."""
    shoe = pack(8)
    one = shuffle(shoe, seed_stream(b"seed"))
    assert one == shuffle(shoe, seed_stream(b"seed"))
    assert one != shuffle(shoe, seed_stream(b"sees"))
    assert Counter(one) == Counter(shoe)
    assert len(one) == 416
    assert overfull(one, 8) is None


def test_an_order_is_pinned() -> None:
    """A stored seed must prove an old shoe: the algorithm never changes under it."""
    order = "".join(shuffle(pack(8), seed_stream(bytes(range(32)))))
    found = hashlib.sha256(order.encode()).hexdigest()
    assert order.startswith(PINNED_FRONT)
    assert found == PINNED


def test_the_stream_does_not_depend_on_how_it_is_read() -> None:
    """Bytes come in one order whatever the size of the reads."""
    one, two = seed_stream(b"x"), seed_stream(b"x")
    assert one(1000) == b"".join(two(size) for size in (1, 511, 1, 487))
    assert one(10) == two(10)


def test_all_orders_of_four_are_equally_likely() -> None:
    """R-23: 24,000 shuffles of four cards spread evenly over the 24 orders."""
    stream = seed_stream(b"even")
    counts = Counter(shuffle("abcd", stream) for _ in range(24_000))
    assert set(counts) == set(permutations("abcd"))
    squares = sum((count - 1000) ** 2 / 1000 for count in counts.values())
    assert squares < 50  # 23 degrees of freedom, far beyond one in a thousand


def test_numbers_that_would_be_biased_are_thrown_away() -> None:
    """R-23: for three places the byte 255 is drawn again, 254 is the last that counts."""
    bytes_in = iter([255, 254, 1])
    taken: list[int] = []

    def stream(count: int) -> bytes:
        drawn = bytes(next(bytes_in) for _ in range(count))
        taken.extend(drawn)
        return drawn

    assert shuffle("abc", stream) == ("a", "b", "c")
    assert taken == [255, 254, 1]


def one_by_one(cards: Sequence[int], random_bytes: RandomBytes) -> tuple[int, ...]:
    """The shuffle as its description has it, one number after the other."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        bound, size = last + 1, last.bit_length() // 8 + 1
        number = span = 256**size
        while number >= span - span % bound:
            number = int.from_bytes(random_bytes(size), "big")
        order[last], order[number % bound] = order[number % bound], order[last]
    return tuple(order)


@pytest.mark.parametrize("length", [2, 3, 127, 128, 129, 130, 255, 256, 257, 416, 700, 33_000])
def test_an_order_does_not_depend_on_how_its_numbers_are_drawn(length: int) -> None:
    """R-23: drawn at once or one by one, a seed gives one order and leaves the same bytes behind."""
    for seed in range(1 if length > 1_000 else 30):
        one, two = seed_stream(b"%d" % seed), seed_stream(b"%d" % seed)
        assert shuffle(range(length), one) == one_by_one(range(length), two)
        assert one(64) == two(64)


def test_a_short_stream_is_an_error() -> None:
    """A source that dries up must not shorten the shuffle."""
    with pytest.raises(ValueError, match="0 bytes of 1"):
        shuffle("ab", lambda _count: b"")


def test_nothing_is_drawn_for_nothing() -> None:
    """An empty or single-card stack needs no bytes."""
    assert shuffle((), lambda _count: b"") == ()
    assert shuffle(("AS",), lambda _count: b"") == ("AS",)


def test_a_commitment_binds_secret_and_order() -> None:
    """R-23, N-19: only the revealed secret and order match."""
    secret, order = bytes(range(32)), shuffle(pack(1), seed_stream(b"c"))
    committed = commitment(secret, order)
    assert committed == hashlib.sha256(secret + "".join(order).encode()).hexdigest()
    assert verify_commitment(committed, secret, order)
    assert verify_commitment(committed.upper(), secret, order)
    assert not verify_commitment(committed, bytes(32), order)
    assert not verify_commitment(committed, secret, order[::-1])
    assert not verify_commitment(committed, secret[:31], order)
    assert not verify_commitment("", secret, order)
    with pytest.raises(ValueError, match="31 bytes"):
        commitment(secret[:31], order)


PINNED_FRONT = "ASQDJC7D9H6STS3HAHJH"
PINNED = "a48723bc5e6ead9758af90a0bbea76b76af103c219a8ccbdab668e392335795d"
