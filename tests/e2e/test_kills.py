"""A service that is killed in the middle of a line, and started again: nobody can tell afterwards."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from services.devstack.stack import Stack
from tests.e2e.support import (
    OPEN,
    SHOE,
    Line,
    balances,
    coup,
    database,
    event_counts,
    fresh,
    movements,
    played,
    replayed,
    value,
    written,
)

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

COUPS = 4


def table() -> list[Line]:
    """Four coups; in each somebody wins and somebody loses."""
    stakes = (("p1", "player", 1_000), ("p2", "banker", 1_500), ("p1", "tie", 200))
    coups = [line for number in range(1, COUPS + 1) for line in coup(number, *stakes)]
    return [OPEN, SHOE, *coups]


class Moment(Struct, frozen=True):
    """When a service is killed: as soon as an event is in the log of some service."""

    victim: str
    where: str
    event: str


class Cut(Struct, frozen=True):
    """A kill: the chain of which command it fell into, and how much of it was there."""

    moment: Moment
    command_id: str
    own_events: int
    all_events: int


CHAIN = "select count(*) from events where command_id = $1"

MOMENTS = [
    Moment("round", where="round", event="dealing-opened"),
    Moment("round", where="wager", event="book-closed"),
    Moment("shoe", where="round", event="draw-instructed"),
    Moment("shoe", where="shoe", event="card-drawn"),
    Moment("wager", where="round", event="book-close-requested"),
    Moment("wager", where="wager", event="wager-accepted"),
    Moment("settlement", where="round", event="coup-resulted"),
    Moment("settlement", where="settlement", event="coup-settled"),
]


async def chain_events(stack: Stack, command_id: str) -> int:
    counts = [await value(stack, name, CHAIN, command_id) for name in stack.services]
    return sum(counts)


async def killed(stack: Stack, table_id: str, moment: Moment, *, coup_number: int) -> Cut:
    """Kill at the moment of this coup, look at what there is, and start the service again."""
    wanted = (
        "select command_id from events where stream_id = $1 and type = $2 "
        "and coup_id like '%:' || $3::text"
    )
    async with database(stack, moment.where) as connection:
        while not (
            command_id := await connection.fetchval(
                wanted, table_id, moment.event, str(coup_number)
            )
        ):
            await asyncio.sleep(0.001)
    stack.kill_service(moment.victim)
    own = await value(stack, moment.victim, CHAIN, command_id)
    cut = Cut(moment, command_id, own, await chain_events(stack, command_id))
    await asyncio.to_thread(stack.start_service, moment.victim)
    return cut


async def in_the_middle(stack: Stack, cut: Cut) -> bool:
    """Whether something of the line was there at the kill, and the victim's own part was not."""
    own = await value(stack, cut.moment.victim, CHAIN, cut.command_id)
    return cut.all_events > 0 and cut.own_events < own


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    """What the table gives when nothing happens to it; filled by whoever comes first."""
    return {}


@pytest.mark.parametrize("victim", ["shoe", "round", "wager", "settlement"])
async def test_a_killed_service_changes_no_line_and_moves_no_money(
    stack: Stack, tmp_path: Path, undisturbed: dict[str, Any], victim: str
) -> None:
    """Two moments for each service, in two coups; one kill at least falls into a line's chain.

    The output is that of `replay`; events, movements and balances are those of a calm run.
    """
    path = written(tmp_path, "table", table())
    expected = replayed(path)
    if not undisturbed:
        calm = fresh("calm")
        assert await played(stack, path, calm) == expected
        undisturbed["events"] = await event_counts(stack, calm)
        undisturbed["money"] = await movements(stack, calm), await balances(stack, calm)
    run = fresh(f"without-{victim}")
    playing = asyncio.create_task(played(stack, path, run))
    cuts = [
        await killed(stack, f"{run}.1.T1", moment, coup_number=number)
        for number, moment in enumerate((m for m in MOMENTS if m.victim == victim), start=2)
    ]
    assert await playing == expected
    assert await event_counts(stack, run) == undisturbed["events"]
    assert (await movements(stack, run), await balances(stack, run)) == undisturbed["money"]
    assert any([await in_the_middle(stack, cut) for cut in cuts]), cuts
