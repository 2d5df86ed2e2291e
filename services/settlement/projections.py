"""What queries read of coups: one row a coup, and those of its wagers where they are many.

Kept by folding the log in order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from services.chassis.decider import Entry
from services.rules.rulebook import canonical_json
from services.settlement.queries.projection import Resources
from services.settlement.reading import Read, read, settings_of
from services.settlement.reports.projection import ReportFacts
from services.settlement.story import TOLD, Story, StoryWager, begun, tell
from services.settlement.wager_rows import WITH_COUP_MAX, WagerRows

STORIES: Final = "coups"

_WAGERS: Final = WagerRows("wagers")

_encode = msgspec.json.Encoder().encode  # wagers stay in order of acceptance
_decode = msgspec.json.Decoder(Story).decode
_decode_wager = msgspec.json.Decoder(StoryWager).decode


class Told(Struct, frozen=True):
    """What records tell of coups."""

    by_coup: dict[str, list[Read]]
    """The events of each coup, in their order."""

    rulebooks: dict[str, bytes]
    """Canonical documents by their hash."""


class CoupStories:
    """The projection `coups`: the stories of coups, and every rulebook that one was played under."""

    name: str = STORIES
    version: int = 5

    async def create(self, connection: Any, schema: str) -> None:
        """The tables, and the order of coups for lists."""
        await connection.execute(
            f"""
            create table "{schema}".coups (
                coup_id text primary key,
                table_id text not null,
                session integer not null,
                number integer not null,
                status text not null,
                story bytea not null,
                apart boolean not null
            );
            create index on "{schema}".coups (table_id, session, number);
            create table "{schema}".rulebooks (
                rulebook_hash text primary key,
                document bytea not null
            );
            """
        )
        await _WAGERS.create(connection, schema)

    def told(self, records: Sequence[Entry]) -> Told:
        """The events of each coup, and the rulebooks that the records bring."""
        heard = [each for each in map(read, records) if each is not None]
        return Told(_by_coup(heard), _rulebooks(heard))

    async def apply(self, connection: Any, told: Told, schema: str) -> None:
        """Fold events into the stories of their coups, and keep rulebooks."""
        await self._keep_rulebooks(connection, schema, told.rulebooks)
        by_coup = told.by_coup
        if not by_coup:
            return
        rows = await connection.fetch(
            f'select coup_id, story, apart from "{schema}".coups where coup_id = any($1::text[])',  # noqa: S608
            list(by_coup),
        )
        before = {coup_id: (story, apart) for coup_id, story, apart in rows}
        named = {
            coup_id: _wagers_in(by_coup[coup_id]) for coup_id, (_, apart) in before.items() if apart
        }
        known = await _WAGERS.fetch(connection, schema, named)
        kept: list[_Kept] = []
        for coup_id, events in by_coup.items():
            story, apart = before.get(coup_id, (b"", False))
            kept.append(_gone_on(coup_id, story, events, known.get(coup_id, {}), apart=apart))
        stories = [each.story for each in kept]
        await connection.execute(
            f'insert into "{schema}".coups '  # noqa: S608
            "(coup_id, table_id, session, number, status, story, apart) "
            "select * from unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::text[], "
            "$6::bytea[], $7::bool[]) on conflict (coup_id) do update "
            "set status = excluded.status, story = excluded.story, apart = excluded.apart",
            [story.coup_id for story in stories],
            [story.table_id for story in stories],
            [int(story.coup_id.rsplit(":", 2)[1]) for story in stories],
            [story.number for story in stories],
            [story.status for story in stories],
            [_encode(story) for story in stories],
            [each.apart for each in kept],
        )
        await _WAGERS.store(
            connection, schema, {each.story.coup_id: each.wagers for each in kept if each.wagers}
        )

    async def _keep_rulebooks(
        self, connection: Any, schema: str, documents: Mapping[str, bytes]
    ) -> None:
        if documents:
            await connection.execute(
                f'insert into "{schema}".rulebooks (rulebook_hash, document) '  # noqa: S608
                "select * from unnest($1::text[], $2::bytea[]) on conflict do nothing",
                list(documents),
                list(documents.values()),
            )

    async def publish(self, connection: Any, schema: str) -> None:
        """Queries look the schema up by name: nothing else points at it."""


def _rulebooks(heard: Sequence[Read]) -> dict[str, bytes]:
    """Documents by hash; one whose hash is not the one it would be kept under never gets in."""
    documents: dict[str, bytes] = {}
    for each in heard:
        settings = settings_of(each)
        if settings is not None and settings.rulebook_hash not in documents:
            document = canonical_json(settings.rulebook)
            documents[hashlib.sha256(document).hexdigest()] = document
    return documents


def _by_coup(heard: Sequence[Read]) -> dict[str, list[Read]]:
    """The events of each coup, in their order."""
    by_coup: dict[str, list[Read]] = {}
    for each in heard:
        if coup_id := each.coup_id:
            by_coup.setdefault(coup_id, []).append(each)
    return by_coup


def _wagers_in(events: Sequence[Read]) -> set[str]:
    """The wagers that events of a coup tell of."""
    named = (getattr(each.event, "wager_id", "") for each in events if each.kind in TOLD)
    return {wager_id for wager_id in named if wager_id}


class _Kept(Struct, frozen=True):
    """What is written of a coup."""

    story: Story
    """With its wagers, unless they are kept apart."""

    wagers: dict[str, bytes]
    """Those that are kept apart and changed."""

    apart: bool


def _gone_on(
    coup_id: str,
    before: bytes,
    events: Sequence[Read],
    known: Mapping[str, bytes],
    *,
    apart: bool,
) -> _Kept:
    """The story of a coup with more events in it; most of them are only counted.

    `known`: of a coup whose wagers are kept apart, those that the events tell of.
    """
    story = _decode(before) if before else begun(coup_id, events[0].meta)
    wagers = {wager_id: _decode_wager(wager) for wager_id, wager in known.items()}
    if apart:
        story = replace(story, wagers=wagers)
    for each in events:
        if each.kind in TOLD:
            story = tell(story, each)
    story = replace(story, events=story.events + len(events))
    if not apart and len(story.wagers) <= WITH_COUP_MAX:
        return _Kept(story, {}, apart=False)
    changed = {
        wager_id: _encode(wager)
        for wager_id, wager in story.wagers.items()
        if wager is not wagers.get(wager_id)
    }
    return _Kept(replace(story, wagers={}), changed, apart=True)


PROJECTIONS: Final[tuple[type[Any], ...]] = (CoupStories, Resources, ReportFacts)
"""All that the service keeps up to date."""


_WHOLE: Final = """
select coup.story, array(
    select kept.wager from "{schema}".wagers as kept
    where coup.apart and kept.coup_id = coup.coup_id order by kept.place
) from "{schema}".coups as coup
"""
"""One statement, so that nothing comes between a coup and its wagers."""


def whole(story: bytes, apart: Iterable[bytes]) -> Story:
    """A story from what is kept of it, and of its wagers where they are kept apart."""
    known = _decode(story)
    wagers = {wager.wager_id: wager for wager in map(_decode_wager, apart)}
    return replace(known, wagers=wagers) if wagers else known


async def stored_story(connection: Any, schema: str, coup_id: str) -> Story | None:
    """The story of a coup as queries see it."""
    found = await connection.fetchrow(
        f"{_WHOLE.format(schema=schema)} where coup.coup_id = $1", coup_id
    )
    return None if found is None else whole(*found)


async def stored_rulebook(connection: Any, schema: str, rulebook_hash: str) -> bytes | None:
    """The canonical document of a rulebook that some table was opened or went on with."""
    found: bytes | None = await connection.fetchval(
        f'select document from "{schema}".rulebooks where rulebook_hash = $1',  # noqa: S608
        rulebook_hash,
    )
    return found


async def stories_of(
    connection: Any, schema: str, table_id: str, *, after: tuple[str, int, int], limit: int
) -> list[Story]:
    """Stories in order of table, session and number, behind those of `after`.

    Of one table, or of all where `table_id` is empty.
    """
    # Two queries and not one with an `or`: either is a range of the index.
    condition = (
        "table_id = $1 and (session, number) > ($2, $3)"
        if table_id
        else "(table_id, session, number) > ($1, $2, $3)"
    )
    rows = await connection.fetch(
        f"{_WHOLE.format(schema=schema)} where {condition} "
        "order by table_id, session, number limit $4",
        table_id or after[0],
        *after[1:],
        limit,
    )
    return [whole(*row) for row in rows]
