"""What changes at tables, told to whoever watches: one look at the database for all of them.

A watcher has a box with the latest state of each table that changed. A new state takes the place of
one that was not fetched yet, so a box never holds more than there are tables, however slowly it is
emptied.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from typing import Final

from msgspec import Struct

from services.settlement.queries.reading import AsOf, Reader, Snapshot
from services.settlement.queries.resources import COUPS, SHOES, TABLES, Table

LOOK_S: Final = 0.1
"""Between two looks."""

FAILURE_PAUSE_S: Final = 1.0

_log = logging.getLogger(__name__)


class News(Struct, frozen=True):
    """What was in a box, and what it reflects."""

    tables: dict[str, Table]
    """States of tables that changed, by id."""

    touched: frozenset[str]
    """Ids of tables of which something changed: the table, its shoe or its coup."""

    as_of: AsOf


class Box:
    """What a watcher has not fetched yet."""

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}
        self._touched: set[str] = set()
        self._as_of: AsOf | None = None
        self._filled = asyncio.Event()

    def put(self, tables: dict[str, Table], touched: set[str], as_of: AsOf) -> None:
        """Add what changed."""
        self._tables |= tables
        self._touched |= touched
        self._as_of = as_of
        self._filled.set()

    async def fetch(self) -> News:
        """Wait until there is something, and take all of it."""
        await self._filled.wait()
        self._filled.clear()
        assert self._as_of is not None, "filled without a position"
        news = News(self._tables, frozenset(self._touched), self._as_of)
        self._tables, self._touched = {}, set()
        return news


class Feed:
    """Looks at the projection as long as somebody watches."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._boxes: set[Box] = set()
        self._position = 0
        self._looking: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncIterator[Box]:
        """A box that is told of everything from now on."""
        box = Box()
        async with self._starting:
            if self._looking is None:
                async with self._reader.snapshot() as snapshot:
                    self._position = snapshot.as_of.position
                self._looking = asyncio.create_task(self._look())
            self._boxes.add(box)
        try:
            yield box
        finally:
            self._boxes.discard(box)
            if not self._boxes and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                async with self._reader.snapshot() as snapshot:
                    if snapshot.as_of.position > self._position:
                        await self._tell(snapshot)
            except Exception:  # noqa: BLE001 - whatever it is, the next look may succeed
                _log.exception("tables cannot be looked at")
                await asyncio.sleep(FAILURE_PAUSE_S)

    async def _tell(self, snapshot: Snapshot) -> None:
        since = self._position
        tables: dict[str, Table] = {}
        touched: set[str] = set()
        for kind in (TABLES, SHOES, COUPS):
            rows = await snapshot.rows("distinct table_id", kind, "where position > $1", [since])
            touched |= {row[0] for row in rows}
        for each in await snapshot.fetch(TABLES, "where position > $1", [since]):
            assert isinstance(each, Table)
            tables[each.id] = each
        self._position = snapshot.as_of.position
        if touched:
            for box in self._boxes:
                box.put(tables, touched, snapshot.as_of)
