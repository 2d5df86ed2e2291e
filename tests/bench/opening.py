"""Tables that take wagers, and players with money, for the rows about wagers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

from services.contracts.common import Limit
from services.contracts.core import Actor
from services.round import commands as table
from services.rulebooks.settings import table_settings
from services.shoe import commands as cards
from services.tablelog.calls import Services
from services.tablelog.rest import unrest

TABLES: Final = 64
PLAYERS: Final = 256
REST_S: Final = 0.01
FUNDS_MINOR: Final = 10**14
START_US: Final = 1_790_000_000_000_000
DEALER: Final = Actor("dealer", "DEALER")


async def prepare(
    services: Services, numbers: Iterable[int] = range(TABLES), *, fund: bool = True
) -> None:
    """Open tables of these numbers for betting, and give every player what he will stake."""
    for player in range(PLAYERS if fund else 0):
        await services.fund(f"bench/{player}", f"p{player}", "EUR", FUNDS_MINOR)
    for number in numbers:
        await _open(services, f"bench-{number}")


async def _open(services: Services, table_id: str) -> None:
    settings = table_settings(
        table_id=table_id,
        table_number=table_id,
        rulebook_id="nsw-mini",
        options={},
        decks=8,
        currency="EUR",
        limits={"EUR": {"*": Limit(1, 10**12)}},
        left_of_dealer=None,
        seats=9,
        mode="TEST",
    )
    at_us = START_US
    story: list[tuple[str, Any]] = [
        ("round", table.OpenTable(at_us=at_us, by=DEALER, settings=settings)),
        (
            "shoe",
            cards.LoadShoe(
                at_us=at_us,
                by=DEALER,
                shoe_id=f"{table_id}-shoe",
                source="GENERATED",
                stands_for_preparation=True,
            ),
        ),
        # Open for as long as the bench takes, whatever the clock of the machine says.
        ("round", table.OpenBetting(at_us=at_us, by=DEALER, closes_in_us=10**15)),
    ]
    for number, (service, command) in enumerate(story):
        answered = await services.send(
            service,
            command,
            table_id=table_id,
            command_id=f"{table_id}-{number}",
            order=None,
        )
        assert answered.refused is None, answered.refused
        while unrest(await services.progress(table_id)):
            await asyncio.sleep(REST_S)
