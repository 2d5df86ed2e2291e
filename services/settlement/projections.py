"""What queries read of coups: one row a coup, kept by folding the log in order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from services.chassis.decider import Entry
from services.rules.rulebook import canonical_json
from services.settlement.queries.projection import Resources
from services.settlement.reading import Read, read, settings_of
from services.settlement.reports.projection import ReportFacts
from services.settlement.story import TOLD, Story, begun, tell

STORIES: Final = "coups"

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Story).decode


def written(story: Story) -> bytes:
    """A story as it is stored and compared: the same bytes for the same story."""
    return _encode(story)


class Told(Struct, frozen=True):
    """What records tell of coups."""

    by_coup: dict[str, list[Read]]
    """The events of each coup, in their order."""

    rulebooks: dict[str, bytes]
    """Canonical documents by their hash."""


class CoupStories:
    """The projection `coups`: the stories of coups, and every rulebook that one was played under."""

    name: str = STORIES
    version: int = 4

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
                story bytea not null
            );
            create index on "{schema}".coups (table_id, session, number);
            create table "{schema}".rulebooks (
                rulebook_hash text primary key,
                document bytea not null
            );
            """
        )

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
            f'select coup_id, story from "{schema}".coups where coup_id = any($1::text[])',  # noqa: S608
            list(by_coup),
        )
        before = dict(rows)
        kept = [
            _gone_on(coup_id, before.get(coup_id), events) for coup_id, events in by_coup.items()
        ]
        await connection.execute(
            f'insert into "{schema}".coups (coup_id, table_id, session, number, status, story) '  # noqa: S608
            "select * from unnest($1::text[], $2::text[], $3::int[], $4::int[], $5::text[], "
            "$6::bytea[]) on conflict (coup_id) do update "
            "set status = excluded.status, story = excluded.story",
            [story.coup_id for story in kept],
            [story.table_id for story in kept],
            [int(story.coup_id.rsplit(":", 2)[1]) for story in kept],
            [story.number for story in kept],
            [story.status for story in kept],
            [written(story) for story in kept],
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


def _gone_on(coup_id: str, before: bytes | None, events: Sequence[Read]) -> Story:
    """The story of a coup with more events in it; most of them are only counted."""
    story = begun(coup_id, events[0].meta) if before is None else _decode(before)
    for each in events:
        if each.kind in TOLD:
            story = tell(story, each)
    return replace(story, events=story.events + len(events))


PROJECTIONS: Final[tuple[type[Any], ...]] = (CoupStories, Resources, ReportFacts)
"""All that the service keeps up to date."""


async def stored_story(connection: Any, schema: str, coup_id: str) -> bytes | None:
    """The story of a coup as queries see it."""
    found: bytes | None = await connection.fetchval(
        f'select story from "{schema}".coups where coup_id = $1',  # noqa: S608
        coup_id,
    )
    return found


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
        f'select story from "{schema}".coups where {condition} '  # noqa: S608
        "order by table_id, session, number limit $4",
        table_id or after[0],
        *after[1:],
        limit,
    )
    return [_decode(row[0]) for row in rows]


def parsed(story: bytes) -> Story:
    """A stored story."""
    return _decode(story)
