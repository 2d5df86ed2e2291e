"""A table of keys and values in order of arrival, of which a changed one shares almost everything.

It is cut into parts: a change copies one of them, so that the thousandth wager of a coup costs what
the first did. What is new goes into a small one at the end, which a larger one takes over when it is full.
Parts are never changed once they are in a state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

V = TypeVar("V")

PART_KEYS_MAX: Final = 128
LAST_KEYS_MAX: Final = 16
"""Of the last part, into which the next new key goes."""

Parts = tuple[dict[str, V], ...]


def found(parts: Parts[V], key: str) -> V | None:
    """The value of a key; None where it has none."""
    for part in reversed(parts):
        value = part.get(key)
        if value is not None:
            return value
    return None


def found_in_order(parts: Parts[V], keys: Sequence[str]) -> list[V]:
    """The values of keys that are all here and came in this order: no part is looked into twice."""
    values: list[V] = []
    rest = iter(parts)
    part: dict[str, V] = {}
    for key in keys:
        while (value := part.get(key)) is None:
            part = next(rest)
        values.append(value)
    return values


def put(parts: Parts[V], key: str, value: V) -> Parts[V]:
    """With another value in the key's place, or at the end where the key is new."""
    for number in range(len(parts) - 1, -1, -1):
        if key in parts[number]:
            return (*parts[:number], {**parts[number], key: value}, *parts[number + 1 :])
    if parts and len(parts[-1]) < LAST_KEYS_MAX:
        return (*parts[:-1], {**parts[-1], key: value})
    if len(parts) > 1 and len(parts[-2]) + len(parts[-1]) <= PART_KEYS_MAX:
        return (*parts[:-2], {**parts[-2], **parts[-1]}, {key: value})
    return (*parts, {key: value})


def dropped(parts: Parts[V], key: str) -> Parts[V]:
    """Without a key; a part that is empty goes with its last one."""
    for number, part in enumerate(parts):
        if key in part:
            rest = {name: value for name, value in part.items() if name != key}
            return (*parts[:number], *([rest] if rest else ()), *parts[number + 1 :])
    return parts


def values(parts: Parts[V]) -> Iterator[V]:
    """All values in the order of their keys' arrival."""
    for part in parts:
        yield from part.values()
