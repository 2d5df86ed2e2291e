"""What does not belong on a topic: it stops one table at the most, and is never lost from sight."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from services.chassis.envelope import (
    DEAD_LETTER_CONSUMER,
    DEAD_LETTER_ORIGIN,
    DEAD_LETTER_REASON,
    DEAD_LETTER_WHAT,
)
from services.chassis.topics import topic
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from services.tablelog.played import PlayedTable
from services.tablelog.reader import read
from services.tablelog.render import SERVICES
from services.tablelog.rest import Stalled
from tests.e2e.desk import PIT, Desk
from tests.e2e.forging import (
    Raw,
    forged,
    hearing,
    letters,
    listening,
    on_duty,
    published,
)
from tests.e2e.support import (
    OPEN,
    SHOE,
    Line,
    coup,
    fresh,
    played,
    replayed,
    rows,
    until,
    value,
    written,
)

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

STAKES = (("p1", "player", 1_000), ("p2", "banker", 1_500))
LINES: list[Line] = [OPEN, SHOE, *coup(1, *STAKES), *coup(2, *STAKES)]
FIRST_COUP = 2 + 1 + len(STAKES) + 2
KNOWN = {
    "shoe": "card-drawn",
    "round": "betting-opened",
    "wager": "book-closed",
    "settlement": "coup-settled",
}
"""For each topic a type that its listeners know."""


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


async def begun(services: Services, path: str, run: str, lines: int) -> str:
    """Play the first lines of a log, and leave its table as it is then; returns the table's id."""
    table = PlayedTable(services, run=run, number=1, say=print)
    for line in list(read(path))[:lines]:
        await table.line(line)
    return f"{run}.1.{OPEN['table']}"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def aside(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table that stays open after a coup, for events that have nothing to do with the others."""
    path = written(tmp_path_factory.mktemp("aside"), "aside", LINES)
    async with Services(stack.targets) as services:
        return await begun(services, path, fresh("aside"), FIRST_COUP)


async def happens(services: Services, service: str, table_id: str) -> None:
    """Let a service publish an event of a table, whatever the table is doing."""
    desk = Desk(services, table_id)
    name = fresh("x")
    wanted: dict[str, tuple[str, dict[str, Any]]] = {
        "shoe": ("RegisterShoeDevice", {"device_id": name}),
        "round": ("RecordIncident", {"code": "PICKUP_DIRECTION", "note": name}),
        "wager": ("GrantLimits", {"player": name, "maximum_minor": 5_000}),
        "settlement": ("OpenDispute", {"dispute_id": name, "coup": 1, "claim": "short"}),
    }
    command, fields = wanted[service]
    await desk.act(service, command, PIT, command_id=name, **fields)


async def caught_up(stack: Stack, services: Services, service: str, table_id: str) -> None:
    """Wait until everybody who hears a service has handled all that it published of a table."""

    async def handled() -> bool:
        readings = await services.progress(table_id)
        last = readings[service].published_position
        return all(readings[name].handled.get(service, 0) >= last for name in hearing(service))

    await until(handled, what=f"the events of {service} to be handled")


async def let_go(stack: Stack, service: str, table_id: str, name: str) -> None:
    """See what is parked, find that it fails again, and pass over it under one's name."""
    listed = await asyncio.to_thread(on_duty, stack, service, "--parked")
    assert listed.returncode == 1, listed.stderr
    block = listed.stdout.partition(f"{table_id}\n")[2].splitlines()
    assert block[1] == f"  at     {name}"
    assert block[2].startswith("  why    FAILED: ")
    again = await asyncio.to_thread(on_duty, stack, service, "--retry", table_id)
    assert again.returncode == 1
    assert f"still parked at {name}" in again.stdout
    who = ("--reason", "forged", "--by", "on-duty-1")
    wrong = await asyncio.to_thread(
        on_duty, stack, service, "--skip", table_id, "--event", f"{name}0", *who
    )
    assert wrong.returncode == 1, "nobody skips what they did not see"
    passed = await asyncio.to_thread(
        on_duty, stack, service, "--skip", table_id, "--event", name, *who
    )
    assert passed.returncode == 0, passed.stdout
    assert f"{table_id} is not parked any more" in passed.stdout
    kept = await rows(
        stack,
        service,
        "select reason, skipped_by from dead_letters where table_id = $1 and event_id = $2",
        table_id,
        name,
    )
    assert [tuple(row) for row in kept] == [("forged", "on-duty-1")]


def garbage(table_id: str, word: str) -> list[Raw]:
    key, end = table_id.encode(), word.encode()
    return [
        (None, b"no key " + end, ()),
        (key, b"no headers " + end, ()),
        (key, b"{} " + end, (("content-type", b"application/json"), ("ce_specversion", b"0.3"))),
    ]


async def arrived(stack: Stack, service: str, word: str, count: int) -> list[dict[str, str]]:
    """The dead letters of a topic whose value has the word, once there are so many."""
    found: list[dict[str, str]] = []

    async def enough() -> bool:
        nonlocal found
        found = [letter for letter in await letters(stack, service) if word in letter[""]]
        return len(found) >= count

    await until(enough, what=f"{count} dead letters of {service}")
    return found


@pytest.mark.parametrize("service", SERVICES)
async def test_garbage_is_a_dead_letter_alone_and_in_the_middle_of_a_batch(
    stack: Stack, services: Services, aside: str, service: str
) -> None:
    """Every listener names its reason and where it lay; the records around it are handled."""
    word = fresh("garbage")
    marked = garbage(aside, word)
    await published(stack, service, marked[:1], partition=0)
    await published(stack, service, marked[1:])
    alone = len(marked) * len(hearing(service))
    await arrived(stack, service, word, alone)

    for name in hearing(service):
        stack.pause_service(name)
    try:
        await happens(services, service, aside)
        await published(stack, service, marked[1:])
        await happens(services, service, aside)
        at_head = "select position from checkpoints where name = $1"

        async def relayed() -> bool:
            reached = await value(stack, service, at_head, f"relay:{topic(service)}")
            return bool(reached == await value(stack, service, "select position from log_head"))

        await until(relayed, what=f"the relay of {service}")
    finally:
        for name in hearing(service):
            stack.resume_service(name)
    await caught_up(stack, services, service, aside)
    both = alone + len(marked[1:]) * len(hearing(service))
    found = await arrived(stack, service, word, both)
    assert len(found) == both
    for letter in found:
        assert letter[DEAD_LETTER_CONSUMER] in hearing(service)
        assert letter[DEAD_LETTER_REASON] in {"NO_KEY", "BAD_MESSAGE"}
        assert letter[DEAD_LETTER_ORIGIN].startswith(f"{topic(service)}/")
        assert letter[DEAD_LETTER_WHAT]
    readings = await services.progress(aside)
    assert not any(reading.parked for reading in readings.values())


@pytest.mark.parametrize("service", SERVICES)
async def test_an_unknown_type_is_passed_over_and_its_table_goes_on(
    stack: Stack, services: Services, tmp_path: Path, aside: str, service: str
) -> None:
    """A newer release may publish what this one has never heard of: copied aside, and counted."""
    path = written(tmp_path, "unknown", LINES)
    run = fresh("unknown")
    table_id = await begun(services, path, run, FIRST_COUP)
    await happens(services, service, aside)
    word = fresh("novelty")
    _, message = await forged(
        stack, service, table_id, kind="never-heard", version=3, body=f'{{"w":"{word}"}}'.encode()
    )
    await published(stack, service, [message])
    found = await arrived(stack, service, word, len(hearing(service)))
    assert {letter[DEAD_LETTER_REASON] for letter in found} == {"UNKNOWN_TYPE"}
    assert {letter[DEAD_LETTER_WHAT] for letter in found} == {f"{service}.never-heard.v3"}
    assert await played(stack, path, run) == replayed(path)


@pytest.mark.parametrize("service", SERVICES)
async def test_a_record_that_cannot_be_read_parks_its_table_until_somebody_passes_over_it(
    stack: Stack, services: Services, tmp_path: Path, aside: str, service: str
) -> None:
    """Seen in the table's progress, an error of `play`, and no hindrance to any other table."""
    path = written(tmp_path, "parked", LINES)
    run = fresh("parked")
    table_id = await begun(services, path, run, FIRST_COUP)
    await happens(services, service, aside)
    word = fresh("nonsense")
    name, message = await forged(
        stack, service, table_id, kind=KNOWN[service], body=f'{{"coup_id":["{word}"]}}'.encode()
    )
    await published(stack, service, [message])
    stopped = listening(service, KNOWN[service])
    assert stopped
    found = await arrived(stack, service, word, len(stopped))
    assert {letter[DEAD_LETTER_REASON] for letter in found} == {"FAILED"}
    assert {letter[DEAD_LETTER_CONSUMER] for letter in found} == set(stopped)

    async def parked() -> bool:
        readings = await services.progress(table_id)
        seen = {each: reading.parked for each, reading in readings.items() if reading.parked}
        assert all(stops[0].event_id == name for stops in seen.values())
        return set(seen) == set(stopped)

    await until(parked, what=f"{table_id} to be parked in {stopped}")
    with pytest.raises(Stalled, match="the table is parked in") as ended:
        await played(stack, path, run)
    assert f"{stopped[0]} at {name}: " in str(ended.value)
    assert await played(stack, path, fresh("beside")) == replayed(path)

    for each in stopped:
        await let_go(stack, each, table_id, name)
    assert await played(stack, path, run) == replayed(path)
