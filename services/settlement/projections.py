"""What queries read of coups: one row a coup, kept by folding the log in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from services.chassis.decider import Record
from services.settlement.reading import read
from services.settlement.story import Story, coup_of, told

STORIES: Final = "coups"

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Story).decode


def written(story: Story) -> bytes:
    """A story as it is stored and compared: the same bytes for the same story."""
    return _encode(story)


class CoupStories:
    """The projection `coups`."""

    name: str = STORIES
    version: int = 2

    async def create(self, connection: Any, schema: str) -> None:
        """The table and its order for lists."""
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
            """
        )

    async def apply(self, connection: Any, records: Sequence[Record], schema: str) -> None:
        """Fold the records into the stories of their coups."""
        events = [each for each in map(read, records) if each is not None and coup_of(each.event)]
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

    async def publish(self, connection: Any, schema: str) -> None:
        """Queries look the schema up by name: nothing else points at it."""


async def stored_story(connection: Any, schema: str, coup_id: str) -> bytes | None:
    """The story of a coup as queries see it."""
    found: bytes | None = await connection.fetchval(
        f'select story from "{schema}".coups where coup_id = $1',  # noqa: S608
        coup_id,
    )
    return found


async def stories_of(
    connection: Any, schema: str, table_id: str, *, after: tuple[int, int], limit: int
) -> list[Story]:
    """Stories of a table's coups in order, behind a session and coup number."""
    rows = await connection.fetch(
        f'select story from "{schema}".coups where table_id = $1 '  # noqa: S608
        "and (session, number) > ($2, $3) order by session, number limit $4",
        table_id,
        *after,
        limit,
    )
    return [_decode(row[0]) for row in rows]


def parsed(story: bytes) -> Story:
    """A stored story."""
    return _decode(story)
