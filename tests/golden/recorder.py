"""Record the logs of the four services for ever: `python -m tests.golden.recorder VERSION`.

The logs are those of the executors in memory, playing recorded tables. A recording is made once, by
the version that it is named after, and never changed.
"""

from __future__ import annotations

import asyncio
import gzip
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from services import cli
from services.chassis.decider import Record
from services.contracts.core import Refused
from services.settlement.reading import read as read_record
from services.settlement.story import Story, told
from services.tablelog.reader import read
from services.tablelog.steps import steps
from tests.support.world import CORES, World

GOLDEN = Path(__file__).parent
RECORDED = Path(cli.__file__).parent / "data" / "recorded"
LOGS = ("martingale-on-punto", "dalembert-on-banco")


class GoldenCoup(Struct, frozen=True):
    """What a coup came to, as far as it can never change."""

    coup_id: str
    status: str
    player: tuple[str, ...]
    banker: tuple[str, ...]
    winner: str
    wagers: dict[str, tuple[str, int, int]]
    """Outcome, returned and winnings by wager."""


def golden(story: Story) -> GoldenCoup:
    """What of a story is compared."""
    return GoldenCoup(
        story.coup_id,
        story.status,
        story.player,
        story.banker,
        story.winner,
        {
            key: (wager.outcome, wager.returned_minor, wager.winnings_minor)
            for key, wager in story.wagers.items()
        },
    )


def stories(records: Sequence[Record]) -> dict[str, Story]:
    """The stories in a log of settlement."""
    found: dict[str, Story] = {}
    for record in records:
        each = read_record(record)
        if each is None or not (coup_id := each.coup_id):
            continue
        found[coup_id] = told(found.get(coup_id, Story(coup_id)), [each])
    return found


async def record(version: str) -> Path:
    """Play, and write down what every service stored."""
    folder = GOLDEN / version
    folder.mkdir(exist_ok=False)
    async with World() as world:
        for name in LOGS:
            for line in read(str(RECORDED / f"{name}.jsonl")):
                try:
                    commands = steps(line, name)
                except Refused:
                    continue
                for number, step in enumerate(commands):
                    await world.run(step, name, f"{name}.{line.number}.{number}")
        for service in CORES:
            records = await world.stores[service].read_log(after_position=0, limit=1_000_000)
            lines = b"".join(msgspec.json.encode(each) + b"\n" for each in records)
            (folder / f"{service}.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
        log = await world.stores["settlement"].read_log(after_position=0, limit=1_000_000)
        kept = [golden(story) for story in stories(log).values()]
        (folder / "coups.json").write_bytes(
            msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"
        )
    return folder


def load(folder: Path, service: str) -> list[Record]:
    """A recorded log."""
    lines = gzip.decompress((folder / f"{service}.jsonl.gz").read_bytes()).splitlines()
    return [msgspec.json.decode(line, type=Record) for line in lines]


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(record(sys.argv[1]))}\n")
