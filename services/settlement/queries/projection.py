"""The projection `resources`: one table for each kind, with its columns from `KINDS`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from services.chassis.decider import Entry
from services.settlement.queries.desk import Desk, Key, Said, further_keys, keys
from services.settlement.queries.folding import FOLDS, TOLD
from services.settlement.queries.resources import KINDS, Kind, Resource
from services.settlement.reading import read

RESOURCES: Final = "resources"

WANTED: Final = frozenset(kind.type for kind in TOLD)
"""Types of events that change a resource; nothing else is decoded."""

BY_NAME: Final = {kind.name: kind for kind in KINDS}
DECODE: Final = {kind.name: msgspec.json.Decoder(kind.value).decode for kind in KINDS}
_encode = msgspec.json.Encoder(order="deterministic").encode

SHARED: Final = {
    "id": 'text collate "C"',
    "at_us": "bigint",
    "position": "bigint",
    "table_id": 'text collate "C"',
    "gaming_day": 'text collate "C"',
    "test": "boolean",
}
"""Columns that every kind has, beside its own and the whole resource as `doc`."""


class Resources:
    """Keeps resources by folding the log in order."""

    name: str = RESOURCES
    version: int = 6

    async def create(self, connection: Any, schema: str) -> None:
        """The tables with their indexes."""
        for kind in KINDS:
            for statement in tables_of(kind, schema):
                await connection.execute(statement)

    def told(self, records: Sequence[Entry]) -> list[Said]:
        """The events that change a resource."""
        return [each for each in map(said, records) if each is not None]

    async def apply(self, connection: Any, told: Sequence[Said], schema: str) -> None:
        """Fold events into what they touch."""
        if not told:
            return
        desk = Desk()
        await _fetch(connection, schema, desk, (key for each in told for key in keys(each)))
        known = [each for each in desk.held.values() if each is not None]
        await _fetch(
            connection, schema, desk, (key for each in known for key in further_keys(each))
        )
        for each in told:
            desk.fold(each, FOLDS)
        for kind in KINDS:
            changed = [value for (name, _), value in desk.changed.items() if name == kind.name]
            if changed:
                await _store(connection, schema, kind, changed)

    async def publish(self, connection: Any, schema: str) -> None:
        """Queries look the schema up by name: nothing else points at it."""


def tables_of(kind: Kind, schema: str) -> list[str]:
    """The statements that make the table of a kind."""
    columns = {**SHARED, **kind.columns()}
    listed = ", ".join(f"{name} {type_} not null" for name, type_ in columns.items())
    table = f'"{schema}".{kind.name}'
    orders = [
        "at_us, id",
        "position, id",
        "table_id, at_us, id",
        "gaming_day, at_us, id",
        *(f"{name}, at_us, id" for name in kind.indexed),
    ]
    return [
        f"create table {table} ({listed}, doc bytea not null, primary key (id))",
        *(f"create index on {table} ({order})" for order in orders),
    ]


def said(record: Entry) -> Said | None:
    """The event in a record of settlement's log; None for one that changes no resource."""
    each = read(record, WANTED)
    if each is None or type(each.event) not in TOLD:
        return None
    return Said(each.event, each.meta, each.event_id, record.position, each.kept_at_us)


async def _fetch(connection: Any, schema: str, desk: Desk, wanted: Iterable[Key]) -> None:
    by_kind: dict[str, list[str]] = {}
    for name, key in wanted:
        if (name, key) not in desk.held:
            desk.held[name, key] = None
            by_kind.setdefault(name, []).append(key)
    for name, ids in by_kind.items():
        rows = await connection.fetch(
            f'select id, doc from "{schema}".{name} where id = any($1::text[])',  # noqa: S608
            ids,
        )
        for key, doc in rows:
            desk.held[name, key] = DECODE[name](doc)


async def _store(connection: Any, schema: str, kind: Kind, changed: Sequence[Resource]) -> None:
    columns = {**SHARED, **kind.columns(), "doc": "bytea"}
    plain = {name: type_.partition(" ")[0] for name, type_ in columns.items()}
    values = [
        [_encode(each) if name == "doc" else getattr(each, name) for each in changed]
        for name in columns
    ]
    arrays = ", ".join(f"${place}::{type_}[]" for place, type_ in enumerate(plain.values(), 1))
    updates = ", ".join(f"{name} = excluded.{name}" for name in columns if name != "id")
    await connection.execute(
        f'insert into "{schema}".{kind.name} ({", ".join(columns)}) '  # noqa: S608
        f"select * from unnest({arrays}) on conflict (id) do update set {updates}",
        *values,
    )
