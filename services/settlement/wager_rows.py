"""Wagers of busy coups, in a table of their own beside what is kept of the coup.

Few wagers are kept with their coup. A busy coup has thousands, each heard of by itself: there what is
kept of one is read and written without the others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

Wagers = dict[str, dict[str, bytes]]
"""What is kept of wagers, by coup and wager."""

WITH_COUP_MAX: Final = 64
"""Wagers that are kept with their coup."""

_COLUMNS: Final = """
    coup_id text not null,
    wager_id text not null,
    place bigint generated always as identity,
    wager bytea not null,
    primary key (coup_id, wager_id)
"""


class WagerRows:
    """One table of a projection."""

    def __init__(self, name: str) -> None:
        self._name = name

    async def create(self, connection: Any, schema: str) -> None:
        """The table; `place` is the order in which wagers were kept first."""
        await connection.execute(f'create table "{schema}".{self._name} ({_COLUMNS})')

    async def fetch(
        self, connection: Any, schema: str, wanted: Mapping[str, Collection[str]]
    ) -> Wagers:
        """Those of the wagers, named by coup, that are kept."""
        pairs = [(coup_id, wager_id) for coup_id, ids in wanted.items() for wager_id in ids]
        if not pairs:
            return {}
        # One look into the index for each; see the ledger of the wager service.
        rows = await connection.fetch(
            "select found.* from unnest($1::text[], $2::text[]) as asked (coup_id, wager_id), "  # noqa: S608
            f'lateral (select coup_id, wager_id, wager from "{schema}".{self._name} as kept '
            "where kept.coup_id = asked.coup_id and kept.wager_id = asked.wager_id limit 1) as found",
            [coup_id for coup_id, _ in pairs],
            [wager_id for _, wager_id in pairs],
        )
        return _by_coup(rows)

    async def fetch_all(self, connection: Any, schema: str, coup_ids: Collection[str]) -> Wagers:
        """All wagers of the coups, in their order."""
        if not coup_ids:
            return {}
        rows = await connection.fetch(
            f'select coup_id, wager_id, wager from "{schema}".{self._name} '  # noqa: S608
            "where coup_id = any($1::text[]) order by place",
            list(coup_ids),
        )
        return _by_coup(rows)

    async def store(self, connection: Any, schema: str, wagers: Wagers) -> None:
        """Keep these, in the place of what was kept of them before."""
        rows = [
            (coup_id, wager_id, wager)
            for coup_id, of_coup in wagers.items()
            for wager_id, wager in of_coup.items()
        ]
        if not rows:
            return
        await connection.execute(
            f'insert into "{schema}".{self._name} (coup_id, wager_id, wager) '  # noqa: S608
            "select * from unnest($1::text[], $2::text[], $3::bytea[]) "
            "on conflict (coup_id, wager_id) do update set wager = excluded.wager",
            [coup_id for coup_id, _, _ in rows],
            [wager_id for _, wager_id, _ in rows],
            [wager for _, _, wager in rows],
        )


def _by_coup(rows: Iterable[tuple[str, str, bytes]]) -> Wagers:
    wagers: Wagers = {}
    for coup_id, wager_id, wager in rows:
        wagers.setdefault(coup_id, {})[wager_id] = wager
    return wagers
