"""What queries read of coups: one row a coup, kept by folding the log in order."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from services.chassis.decider import Record
from services.contracts.common import TableSettings
from services.rules.rulebook import canonical_json
from services.settlement.queries.projection import Resources
from services.settlement.reading import Read, read
from services.settlement.reports.projection import ReportFacts
from services.settlement.story import Story, coup_of, told

STORIES: Final = "coups"

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Story).decode


def written(story: Story) -> bytes:
    """A story as it is stored and compared: the same bytes for the same story."""
    return _encode(story)


class CoupStories:
    """The projection `coups`: the stories of coups, and every rulebook that one was played under."""

    name: str = STORIES
    version: int = 3

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

    async def apply(self, connection: Any, records: Sequence[Record], schema: str) -> None:
        """Fold the records into the stories of their coups, and keep the rulebooks they bring."""
        heard = [each for each in map(read, records) if each is not None]
        await self._keep_rulebooks(connection, schema, heard)
        events = [each for each in heard if coup_of(each.event)]
        if not events:
            return
        ids = list(dict.fromkeys(coup_of(each.event) for each in events))
        rows = await connection.fetch(
            f'select coup_id, story from "{schema}".coups where coup_id = any($1::text[])',  # noqa: S608
            ids,
        )
        stories = {coup_id: Story(coup_id) for coup_id in ids}
        stories.update({row[0]: _decode(row[1]) for row in rows})
        for each in events:
            coup_id = coup_of(each.event)
            stories[coup_id] = told(stories[coup_id], each.event, each.meta)
        kept = list(stories.values())
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

    async def _keep_rulebooks(self, connection: Any, schema: str, heard: Sequence[Read]) -> None:
        """A document whose hash is not the one it is kept under never gets in."""
        documents: dict[str, bytes] = {}
        for each in heard:
            settings: TableSettings | None = getattr(each.event, "settings", None)
            if settings is None:
                continue
            document = canonical_json(settings.rulebook)
            documents[hashlib.sha256(document).hexdigest()] = document
        if documents:
            await connection.execute(
                f'insert into "{schema}".rulebooks (rulebook_hash, document) '  # noqa: S608
                "select * from unnest($1::text[], $2::bytea[]) on conflict do nothing",
                list(documents),
                list(documents.values()),
            )

    async def publish(self, connection: Any, schema: str) -> None:
        """Queries look the schema up by name: nothing else points at it."""


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
