"""Logs as an auditor reads them: by position, without the means to change anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import asyncpg
from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.postgres import to_us

TIMEOUT_S: Final = 60.0


class Row(Struct, frozen=True):
    """An event as it is stored, with the columns that repeat a part of its envelope."""

    record: Record
    coup_id: str
    command_id: str


class Log(Protocol):
    """One service's log."""

    async def end(self) -> tuple[int, int]:
        """Return what the log says of its end, and the last position that there is."""
        ...

    async def read(self, *, after: int, limit: int) -> Sequence[Row]:
        """Return the next events in the order of positions."""
        ...

    async def digests(self, positions: Sequence[int]) -> Mapping[int, tuple[str, bytes]]:
        """Return id and digest of the events at these positions, of those that are there."""
        ...


_READ: Final = """
select position, stream_id, version, type, schema_version, published, previous, meta, body,
       previous_digest, digest, recorded_at, coup_id, command_id
from events where position > $1 order by position limit $2
"""

_PUBLISHED: Final = """
select version, type, body from events
where stream_id = $1 and published order by version
"""

_DIGESTS: Final = """
select position, stream_id, version, digest from events where position = any($1::bigint[])
"""

_END: Final = """
select (select position from log_head), coalesce((select max(position) from events), 0)
"""


class PostgresLog:
    """The log of a service in its database, over a connection that cannot write."""

    def __init__(self, service: str, connection: Any) -> None:
        """Use `PostgresLog.open`."""
        self._service = service
        self._connection = connection

    @classmethod
    async def open(cls, service: str, dsn: str) -> PostgresLog:
        """Connect. Close with `close`."""
        read_only = {"default_transaction_read_only": "on", "application_name": "sabot-verify"}
        connection = await asyncpg.connect(
            dsn, command_timeout=TIMEOUT_S, server_settings=read_only
        )
        return cls(service, connection)

    async def close(self) -> None:
        """Disconnect."""
        await self._connection.close()

    async def end(self) -> tuple[int, int]:
        row = await self._connection.fetchrow(_END)
        return int(row[0] or 0), int(row[1])

    async def read(self, *, after: int, limit: int) -> Sequence[Row]:
        rows = await self._connection.fetch(_READ, after, limit)
        return [Row(self._record(row), row["coup_id"], row["command_id"]) for row in rows]

    def _record(self, row: asyncpg.Record) -> Record:
        return Record(
            service=self._service,
            stream=row["stream_id"],
            version=row["version"],
            position=row["position"],
            previous=row["previous"],
            type=row["type"],
            schema_version=row["schema_version"],
            meta=row["meta"],
            body=row["body"],
            previous_digest=row["previous_digest"],
            digest=row["digest"],
            published=row["published"],
            recorded_at_us=to_us(row["recorded_at"]),
        )

    async def digests(self, positions: Sequence[int]) -> Mapping[int, tuple[str, bytes]]:
        rows = await self._connection.fetch(_DIGESTS, positions)
        return {
            row["position"]: (f"{self._service}:{row['stream_id']}:{row['version']}", row["digest"])
            for row in rows
        }

    async def published(self, table_id: str) -> Sequence[tuple[str, str, bytes]]:
        """Return id, type and body of what the service published of a table, in its order."""
        rows = await self._connection.fetch(_PUBLISHED, table_id)
        return [
            (f"{self._service}:{table_id}:{row['version']}", row["type"], row["body"])
            for row in rows
        ]
