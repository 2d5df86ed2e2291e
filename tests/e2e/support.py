"""What the tests of the whole system have in common: logs, the two commands, and looking inside."""

from __future__ import annotations

import asyncio
import gzip
import io
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg

from services.devstack.stack import Stack
from services.tablelog.calls import Services
from services.tablelog.played import play
from services.tablelog.replay import replay

ROOT = Path(__file__).resolve().parents[2]
RECORDED = ROOT / "tests" / "data" / "recorded"
CASES = ROOT / "tests" / "data" / "cases" / "table.jsonl"
COMMAND_S = 120.0
WAIT_S = 45.0
POLL_S = 0.02

STATIC_MEMBER = "replica-0"
"""A member of its consumer groups that has a name is known again after a crash, as a pod with a name
is; one without is waited for until its session has timed out."""

_numbers = itertools.count(1)

Line = dict[str, Any]


def fresh(word: str) -> str:
    """A name of a run or a table that no other test has."""
    return f"{word}-{os.getpid()}-{next(_numbers)}"


# --- logs ---


def written(folder: Path, name: str, lines: Sequence[Line | str]) -> str:
    """A table log as a file; text stands for itself."""
    path = folder / f"{name}.jsonl"
    path.write_text(
        "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    )
    return str(path)


def recorded(name: str, coups: int) -> list[str]:
    """The beginning of a recorded table, up to the end of a coup."""
    lines: list[str] = []
    ends = 0
    for line in gzip.decompress((RECORDED / f"{name}.jsonl.gz").read_bytes()).decode().splitlines():
        lines.append(line)
        ends += json.loads(line)["do"] == "deal"
        if ends == coups:
            break
    assert ends == coups, f"{name} has no {coups} coups"
    return lines


OPEN: Line = {
    "do": "open_table",
    "table": "T1",
    "rulebook": "nsw-mini",
    "decks": 8,
    "limits": {"*": {"min": 100, "max": 1_000_000}},
}
CARDS = (
    "AC 9D 2S AD 3H 2C KD 4S 6S 7H TD KC 9S 7D KD TC 5C 4H 3D QH 8C JD 2H 6H TS 9H QD 5S "
    "3C KH 7S 4D JH 8S AH 6C QS 9C 5D JS"
)
SHOE: Line = {"do": "load_shoe", "shoe": "S1", "partial": True, "cards": CARDS.split()}


def coup(number: int, *stakes: tuple[str, str, int]) -> list[Line]:
    """A coup with these stakes: player, area, amount."""
    wagers = [
        {
            "do": "wager",
            "id": f"w{number}-{place}",
            "player": player,
            "area": area,
            "amount": amount,
        }
        for place, (player, area, amount) in enumerate(stakes, start=1)
    ]
    return [{"do": "open_betting"}, *wagers, {"do": "no_more_bets"}, {"do": "deal"}]


def short_table() -> list[Line]:
    """A shoe, a winning coup, a losing one and one that nobody stakes on; some lines are refused."""
    return [
        OPEN,
        SHOE,
        *coup(1, ("p1", "banker", 2_500), ("p2", "player", 1_000), ("p1", "tie", 200)),
        {"do": "wager", "id": "late", "player": "p1", "area": "tie", "amount": 500},
        *coup(2, ("p1", "player", 3_000), ("p3", "banker", 50)),
        *coup(3),
    ]


# --- the two commands ---


def environment(stack: Stack) -> dict[str, str]:
    """The environment of a command that talks to the stack."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SABOT_")}
    roots = (ROOT, ROOT / "proto" / "gen", ROOT / "clients" / "python")
    path = os.pathsep.join(map(str, roots))
    return {**kept, **stack.env(), "PYTHONPATH": path}


def sabot(
    stack: Stack, *arguments: str, more: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line, told of more than where the services are."""
    return subprocess.run(
        (sys.executable, "-m", "services.cli", *arguments),
        check=False,
        capture_output=True,
        text=True,
        env={**environment(stack), **(more or {})},
        cwd=ROOT,
        timeout=COMMAND_S,
    )


def replayed(path: str) -> list[Line]:
    """What `replay` prints of a log."""
    return list(replay(path))


async def played(
    stack: Stack, path: str, run: str, *, said: list[str] | None = None, number: int = 1
) -> list[Line]:
    """What `play` prints of a log, through the same code as the command, in this process."""
    heard: list[str] = [] if said is None else said
    async with Services(stack.targets) as services:
        return [
            line async for line in play(services, path, run=run, number=number, say=heard.append)
        ]


# --- looking inside ---


@asynccontextmanager
async def database(stack: Stack, service: str) -> Any:
    """A connection to the database of a service, as its superuser."""
    connection = await asyncpg.connect(stack.database_url(service))
    try:
        yield connection
    finally:
        await connection.close()


async def rows(stack: Stack, service: str, query: str, *arguments: Any) -> list[Any]:
    """Rows of the database of a service."""
    async with database(stack, service) as connection:
        return list(await connection.fetch(query, *arguments))


async def value(stack: Stack, service: str, query: str, *arguments: Any) -> Any:
    """One value of the database of a service."""
    async with database(stack, service) as connection:
        return await connection.fetchval(query, *arguments)


async def event_counts(stack: Stack, tables: str) -> dict[str, dict[str, int]]:
    """Events of the tables whose ids begin so, by service and type, heard ones included."""
    counts: dict[str, dict[str, int]] = {}
    for service in stack.services:
        found = await rows(
            stack,
            service,
            "select type, count(*) from events where starts_with(stream_id, $1) group by 1",
            tables,
        )
        counts[service] = {row[0]: row[1] for row in found}
    return counts


async def movements(stack: Stack, run: str) -> list[tuple[Any, ...]]:
    """Every movement of money of a run's players, in a form that two runs can be compared by."""
    found = await rows(
        stack,
        "wager",
        "select player, kind, amount_minor from movements where starts_with(player, $1) "
        "order by player, kind, amount_minor",
        f"{run}.",
    )
    return [(row[0].removeprefix(f"{run}."), *row[1:]) for row in found]


async def balances(stack: Stack, run: str) -> dict[str, int]:
    """What the players of a run have."""
    found = await rows(
        stack,
        "wager",
        "select player, balance_minor from accounts where starts_with(player, $1)",
        f"{run}.",
    )
    return {row[0].removeprefix(f"{run}."): row[1] for row in found}


async def until(
    condition: Callable[[], Awaitable[bool]], *, what: str, wait_s: float = WAIT_S
) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + wait_s
    while not await condition():
        assert time.monotonic() < deadline, f"not within {wait_s:g} s: {what}"
        await asyncio.sleep(POLL_S)


def log_lines(stack: Stack, service: str) -> Iterator[Line]:
    """What a service wrote to its log."""
    path = stack.logs / f"{service}.log"
    for line in io.StringIO(path.read_text(errors="replace")):
        try:
            yield json.loads(line)
        except ValueError:
            yield {"event": line}
