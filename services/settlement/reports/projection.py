"""The facts in the database: a projection of its own, with its own checkpoint and views."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, get_args, get_type_hints

import msgspec

from services.chassis.decider import Entry
from services.contracts.settlement import PromoTokensDecided
from services.rules.rulebook import canonical_json, rulebook_of
from services.settlement.reading import Read, settings_of
from services.settlement.reports import views
from services.settlement.reports.facts import TABLES, Fact
from services.settlement.reports.fold import facts_of, heard
from services.settlement.reports.state import (
    CoupState,
    Known,
    ShoeState,
    TableState,
    WagerState,
    shoe_key,
)
from services.settlement.wager_rows import WITH_COUP_MAX, WagerRows, Wagers

REPORTS: Final = "reports"

_COLUMNS: Final = {str: "text", int: "bigint", bool: "boolean", dt.date: "date"}
_STATES: Final[Mapping[str, type[msgspec.Struct]]] = {
    "tables": TableState,
    "coups": CoupState,
    "shoes": ShoeState,
}
"""What is remembered, by its name in `Known`."""

_KEYS: Final = {
    "coups": (
        "(coup_id, position)",
        '(table_id collate "C", session, number)',
        "(coup_day)",
    ),
    "money": ("(gaming_day)", "(transaction_id)"),
    "notes": ("(list, position)", "(gaming_day)"),
    "shoes": ('(table_id collate "C", shoe_id collate "C", loading, position)',),
    "limits": (),
    "tokens": ("(token, position)",),
    "disputes": ("(dispute_id, position)",),
    "rulebook_changes": (),
}
"""What is looked for, beside the place in the log."""

_WAGERS: Final = WagerRows("known_wagers")

_encode = msgspec.msgpack.Encoder().encode  # wagers stay in order of acceptance
_decode_wager = msgspec.msgpack.Decoder(WagerState).decode
_DECODERS: Final = {name: msgspec.msgpack.Decoder(kind) for name, kind in _STATES.items()}


class ReportFacts:
    """The projection `reports`: facts, the rulebooks they name, and what folding remembers."""

    name: str = REPORTS
    version: int = 8

    async def create(self, connection: Any, schema: str) -> None:
        """A table for each kind of fact; nothing ever changes a row of them."""
        for name, kind in TABLES.items():
            columns = ", ".join(f"{column} {sql}" for column, sql in columns_of(kind).items())
            await connection.execute(
                f'create table "{schema}".{name} ({columns}, primary key (position, ordinal))'
            )
            for key in _KEYS[name]:
                await connection.execute(f'create index on "{schema}".{name} {key}')
        for name in _STATES:
            await connection.execute(
                f'create table "{schema}".known_{name} (id text primary key, state bytea not null)'
            )
        await _WAGERS.create(connection, schema)
        await connection.execute(
            f'create table "{schema}".rulebooks '
            "(rulebook_hash text primary key, rulebook_id text not null, document bytea not null)"
        )

    def told(self, records: Sequence[Entry]) -> list[tuple[int, Read]]:
        """The events that facts are made of, with their places in the log."""
        return [(record.position, each) for record in records if (each := heard(record))]

    async def apply(self, connection: Any, told: Sequence[tuple[int, Read]], schema: str) -> None:
        """Fold events into facts, and remember what the next ones need."""
        if not told:
            return
        events = [each for _, each in told]
        await self._keep_rulebooks(connection, schema, events)
        known = await self._remembered(connection, schema, events)
        before = await _wagers(connection, schema, events, known)
        for coup_id, kept in before.items():
            known.coups[coup_id].accepted = {key: _decode_wager(each) for key, each in kept.items()}
        facts = [fact for position, each in told for fact in facts_of(position, each, known)]
        for name, kind in TABLES.items():
            await _insert(connection, schema, name, [f for f in facts if type(f) is kind])
        await _WAGERS.store(connection, schema, _set_apart(before, known))
        for name in _STATES:
            states = getattr(known, name)
            await connection.execute(
                f'insert into "{schema}".known_{name} (id, state) '  # noqa: S608
                "select * from unnest($1::text[], $2::bytea[]) "
                "on conflict (id) do update set state = excluded.state",
                list(states),
                [_encode(state) for state in states.values()],
            )

    async def _remembered(self, connection: Any, schema: str, events: Sequence[Read]) -> Known:
        """What earlier batches said of the tables, coups and shoes of this one."""
        known = Known()
        for name, ids in _ids(events).items():
            rows = await connection.fetch(
                f'select id, state from "{schema}".known_{name} where id = any($1::text[])',  # noqa: S608
                list(ids),
            )
            getattr(known, name).update({row[0]: _DECODERS[name].decode(row[1]) for row in rows})
        return known

    async def _keep_rulebooks(self, connection: Any, schema: str, events: Sequence[Read]) -> None:
        documents: dict[str, tuple[str, bytes]] = {}
        for each in events:
            settings = settings_of(each)
            if settings is not None and settings.rulebook_hash not in documents:
                rules = rulebook_of(settings.rulebook)
                documents[rules.hash] = (rules.rulebook_id, canonical_json(settings.rulebook))
        await connection.executemany(
            f'insert into "{schema}".rulebooks (rulebook_hash, rulebook_id, document) '  # noqa: S608
            "values ($1, $2, $3) on conflict do nothing",
            [(key, *held) for key, held in documents.items()],
        )

    async def publish(self, connection: Any, schema: str) -> None:
        """Point the views of `reporting` at these tables."""
        await views.publish(connection, schema)


def columns_of(kind: type[Fact]) -> dict[str, str]:
    """The columns of a table of facts with their types in SQL."""
    hints = get_type_hints(kind)
    found = {}
    for name in kind.__struct_fields__:
        kinds = get_args(hints[name]) or (hints[name],)
        null = "" if type(None) in kinds else " not null"
        found[name] = _COLUMNS[kinds[0]] + null
    return found


async def _insert(connection: Any, schema: str, name: str, facts: Sequence[Fact]) -> None:
    if facts:
        await connection.copy_records_to_table(
            name,
            schema_name=schema,
            columns=TABLES[name].__struct_fields__,
            records=[msgspec.structs.astuple(fact) for fact in facts],
        )


def _ids(events: Iterable[Read]) -> dict[str, set[str]]:
    ids: dict[str, set[str]] = {name: set() for name in _STATES}
    for each in events:
        table_id = each.meta.table_id
        ids["tables"].add(table_id)
        if coup_id := getattr(each.event, "coup_id", ""):
            ids["coups"].add(coup_id)
        if shoe_id := getattr(each.event, "shoe_id", ""):
            ids["shoes"].add(shoe_key(table_id, shoe_id))
    return ids


async def _wagers(connection: Any, schema: str, events: Iterable[Read], known: Known) -> Wagers:
    """What earlier batches said of the wagers that the events tell of, where they are kept apart."""
    named: dict[str, set[str]] = {}
    whole: set[str] = set()
    for each in events:
        coup_id = getattr(each.event, "coup_id", "")
        coup = known.coups.get(coup_id)
        if coup is None or not coup.apart:
            continue
        if isinstance(each.event, PromoTokensDecided):
            whole.add(coup_id)  # it names tokens: which wagers these were is looked for
        elif wager_id := getattr(each.event, "wager_id", ""):
            named.setdefault(coup_id, set()).add(wager_id)
    some = {coup_id: ids for coup_id, ids in named.items() if coup_id not in whole}
    return {
        **await _WAGERS.fetch(connection, schema, some),
        **await _WAGERS.fetch_all(connection, schema, whole),
    }


def _set_apart(before: Wagers, known: Known) -> Wagers:
    """Take the wagers out of coups with many; gives those of them that are not as they were."""
    changed: Wagers = {}
    for coup_id, coup in known.coups.items():
        if not coup.apart and len(coup.accepted) <= WITH_COUP_MAX:
            continue
        kept = before.get(coup_id, {})
        now = {wager_id: _encode(wager) for wager_id, wager in coup.accepted.items()}
        changed[coup_id] = {key: wager for key, wager in now.items() if wager != kept.get(key)}
        coup.accepted, coup.apart = {}, True
    return changed
