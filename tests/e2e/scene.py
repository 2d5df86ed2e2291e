"""Tables that are worth looking at: coups that were paid, one that was corrected, one that waits."""

from __future__ import annotations

import itertools

from services.tablelog.calls import Services
from tests.e2e.desk import DEALER, PIT, Desk

RANKS = "A23456789TJQK"
SECOND = (("sabot-second-id", "sven"), ("sabot-second-role", "CASINO_SUPERVISOR"))


def order(start: int, cards: int) -> list[str]:
    """A front of eight decks in some fixed order, with no card more often than there are of it."""
    step = 29  # has no common divisor with 52, so that each round holds every card once
    places = ((start + step * place) % 52 for place in range(cards))
    return [f"{RANKS[place % 13]}{'SHDC'[place // 13]}" for place in places]


async def played_table(
    services: Services, table_id: str, *, number: str, coups: int, start: int
) -> Desk:
    """A table on paper with this many coups, each with wagers of two players."""
    desk = Desk(services, table_id)
    await desk.open("nsw-mini", mode="TEST", decks=8, smallest_chip_minor=50, table_number=number)
    await desk.act("round", "AssignDealer", PIT, dealer=DEALER.id)
    await desk.act("round", "AssignSupervisor", PIT, supervisor="gina")
    await desk.act(
        "shoe",
        "LoadShoe",
        DEALER,
        shoe_id=f"{table_id}-1",
        source="PRESET",
        partial=True,
        stands_for_preparation=True,
        order=order(start, 104),
    )
    for name in ("ann", "bob"):
        await desk.fund(name, 1_000_000)
    for each in range(1, coups + 1):
        await coup(desk, each)
    await desk.waits_for("")
    return desk


async def coup(desk: Desk, number: int) -> None:
    """One coup from open betting to its payment."""
    await betting(desk, number)
    await desk.act("round", "CallNoMoreBets", DEALER)
    await desk.act("round", "DealCoup", DEALER)
    await desk.until(
        "round",
        "GetTable",
        lambda table: table.coups >= number and not table.coup_id,
        f"the end of coup {number}",
    )


async def betting(desk: Desk, number: int) -> None:
    """Open betting, and two wagers on it."""
    await desk.waits_for("")
    await desk.act("round", "OpenBetting", DEALER)
    await desk.until("wager", "GetBook", lambda book: book.phase == "OPEN", "an open book")
    areas = itertools.cycle(("BANKER", "PLAYER", "TIE"))
    for place, name in enumerate(("ann", "bob")):
        area = next(itertools.islice(areas, number % 3 + place, None))
        answer = await desk.wager(f"w{number}-{name}", name, area, 2_500 * (number % 3 + 1))
        assert answer.status == "ACCEPTED", answer
