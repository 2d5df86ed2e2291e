"""A settlement service's log with many tables in it, and its queries on a real database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from services.chassis.auth import Identity, set_identity
from services.chassis.decider import Record
from services.chassis.positions import Position
from services.chassis.projection import Projector
from services.contracts.core import Actor, NotYet, Refused
from services.rules.roles import AUDITOR
from services.settlement.queries.desk import Desk, further_keys, keys
from services.settlement.queries.folding import FOLDS
from services.settlement.queries.projection import Resources, said
from services.settlement.queries.resources import Kind
from services.tablelog.reader import read_stream
from services.tablelog.steps import Unsupported, steps
from tests.support.world import World

CASES = Path(__file__).resolve().parents[1] / "data" / "cases" / "table.jsonl"
LOG_MAX = 1_000_000


async def settled(wanted: Callable[[str], bool]) -> list[Record]:
    """Settlement's log after the recorded cases with these ids, each at a table named after it."""
    async with World() as world:
        for text in CASES.read_text().splitlines():
            case = json.loads(text)
            if wanted(case["id"]):
                await play(world, case["id"], case["log"])
        return list(await world.stores["settlement"].read_log(after_position=0, limit=LOG_MAX))


async def play(world: World, table_id: str, lines: Sequence[dict[str, Any]]) -> None:
    """Play lines at a table; what is refused or early is passed over."""
    raw = "".join(json.dumps({**line}) + "\n" for line in lines).encode()
    for line in read_stream(BytesIO(raw), table_id):
        with suppress(Refused, Unsupported):
            for number, step in enumerate(steps(line, table_id)):
                with suppress(NotYet):
                    await world.run(step, table_id, f"{table_id}.{line.number}.{number}")


async def kept(pool: Any, records: Sequence[Record]) -> None:
    """Put the log itself into the database, of which answers tell when it was recorded."""
    await pool.execute("update log_head set position = $1", records[-1].position)
    await pool.executemany(
        "insert into events (position, stream_id, version, type, schema_version, published, "
        "previous, coup_id, command_id, meta, body, previous_digest, digest, recorded_at) values "
        "($1, $2, $3, $4, $5, $6, $7, '', '', $8, $9, $10, $11, to_timestamp($12))",
        [
            (
                each.position,
                each.stream,
                each.version,
                each.type,
                each.schema_version,
                each.published,
                each.previous,
                each.meta,
                each.body,
                each.previous_digest,
                each.digest,
                float(each.position),
            )
            for each in records
        ],
    )


class Folded:
    """Resources folded in memory, event by event."""

    def __init__(self) -> None:
        self.desk = Desk()

    def add(self, record: Record) -> None:
        """Fold one more record."""
        event = said(record)
        if event is None:
            return
        held = self.desk.held
        for key in keys(event):
            known = held.setdefault(key, None)
            for further in further_keys(known) if known is not None else ():
                held.setdefault(further, None)
        self.desk.fold(event, FOLDS)

    def all(self, kind: Kind) -> list[Any]:
        """All of one kind, in the order in which they came up."""
        return [each for (name, _), each in self.desk.changed.items() if name == kind.name]

    def get(self, kind: Kind, key: str) -> Any:
        """The one with this id."""
        return self.desk.changed[kind.name, key]


class Log:
    """A log of which only a part is there yet."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.changed = asyncio.Event()
        self.records = list(records)
        self.shown = len(self.records)

    async def read(self, *, after_position: int, limit: int) -> Sequence[Record]:
        """Records behind a position; positions have no holes."""
        return self.records[: self.shown][after_position : after_position + limit]

    async def end(self) -> int:
        """The last position that is there."""
        return self.shown


def projector(log: Log, pool: Any, *, batch: int = 1_000) -> Projector[Record]:
    """What fills the tables from a log."""
    return Projector(Resources(), log, pool, batch_records_max=batch)


def runtime(pool: Any) -> Any:
    """As much of a running service as queries need."""
    return SimpleNamespace(
        pool=pool, token=lambda position: Position("settlement", 0, position).token()
    )


def sign_in(role: str = AUDITOR, name: str = "au1") -> None:
    """Who asks from now on."""
    set_identity(Identity(Actor(name, role), frozenset(), None))
