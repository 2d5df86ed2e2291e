"""How long settlement waits before it asks again for money of which nobody knows."""

from __future__ import annotations

from typing import Any

from services.settlement.waiting import Pauses, Waiting


class Statements:
    """A database that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    async def execute(self, _: str, *told: Any) -> None:
        self.told.append(told)


async def silent(_: int) -> str:
    return "TIMEOUT"


async def test_the_pauses_double_from_the_first_to_the_longest() -> None:
    """Domain 4.2: as the operator wants it, and without end."""
    for pauses, wanted in (
        (Pauses(), [0.05, 0.1, 0.2, 0.4, 60.0]),
        (Pauses(20.0, 100.0), [20.0, 40.0, 80.0, 100.0, 100.0]),
    ):
        database = Statements()
        waiting = Waiting(database, pauses)
        await waiting.add(7, "T", "TIMEOUT")
        for attempts in (1, 2, 3, 40):
            await waiting._one(silent, 7, attempts, 0.0)
        assert [told[-1] for told in database.told] == wanted
