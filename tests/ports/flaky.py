"""A store whose commits fail as a test says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

from services.chassis.store import Store, Tx


class Flaky:
    """Wraps a store. The lists hold what the next transactions raise, one each."""

    def __init__(self, store: Store) -> None:
        self.before_commit: list[Exception] = []
        self.after_commit: list[Exception] = []
        self.transactions = 0
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @asynccontextmanager
    async def transaction(self, **how: Any) -> AsyncIterator[Tx]:
        self.transactions += 1
        async with self._store.transaction(**how) as tx:
            yield tx
            if self.before_commit:
                raise self.before_commit.pop(0)
        if self.after_commit:
            raise self.after_commit.pop(0)


def as_store(flaky: Flaky) -> Store:
    return cast("Store", flaky)
