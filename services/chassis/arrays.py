"""Lists for the database, written by the driver without asking of every element whether it is a list.

The driver looks by abstract classes whether an element of an array is an array itself, which takes more
time than writing a short text does. Here it is told the types that we pass.
"""

from __future__ import annotations

from typing import Any, Final

from asyncpg.protocol import protocol

ARRAYS: Final = (list, tuple, set, frozenset)
"""What can be passed where a statement takes an array; anything else the driver refuses by name."""


def spare_the_elements() -> None:
    """Have the driver of this process know arrays by their types."""
    driver: Any = protocol
    for name in ("IterableABC", "SizedABC"):
        assert hasattr(driver, name), f"this asyncpg does not look for {name}"
        setattr(driver, name, ARRAYS)
