"""Facts of reports in a database: a schema for each log that is folded."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.postgres import Pool
from services.settlement.reports.projection import ReportFacts

DATABASE = "reports"
_numbers = itertools.count(1)


class Facts(Struct):
    """The database, and where facts lie."""

    pool: Pool

    async def folded(self, records: Sequence[Record], *, batch: int = 100) -> str:
        """The schema in which the facts of these records are."""
        schema = f"f{next(_numbers)}"
        async with self.pool.acquire() as connection:
            await connection.execute(f'create schema "{schema}"')
            await ReportFacts().create(connection, schema)
        await self.further(records, schema, batch=batch)
        return schema

    async def further(self, records: Sequence[Record], schema: str, *, batch: int = 100) -> None:
        """Fold more records into the facts of a schema."""
        async with self.pool.acquire() as connection:
            for start in range(0, len(records), batch):
                async with connection.transaction():
                    told = ReportFacts().told(records[start : start + batch])
                    await ReportFacts().apply(connection, told, schema)
