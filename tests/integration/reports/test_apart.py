"""Coups whose wagers are kept apart tell what coups tell that have theirs with them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from services.chassis.decider import Record
from services.contracts.settlement import PromoTokensDecided
from services.settlement import projections
from services.settlement.projections import CoupStories, stories_of
from services.settlement.reports import projection as reports
from services.settlement.reports.facts import TABLES
from services.settlement.story import Story
from services.settlement.wager_rows import WITH_COUP_MAX
from tests.integration.reports.test_reports import tables
from tests.support.facts import Facts
from tests.support.paying import CARDS, log_of, paying

STEPS = (1, 7, 1_000)
"""Records that are taken up at once."""

_numbers = itertools.count(1)


def few(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Keep so many wagers with their coup."""
    monkeypatch.setattr(projections, "WITH_COUP_MAX", most)
    monkeypatch.setattr(reports, "WITH_COUP_MAX", most)


async def all_facts(facts: Facts, schema: str) -> dict[str, list[Any]]:
    """Every fact of a schema."""
    async with facts.pool.acquire() as connection:
        return {
            name: [
                tuple(row)
                for row in await connection.fetch(
                    f'select * from "{schema}".{name} order by position, ordinal'
                )
            ]
            for name in TABLES
        }


async def stories(facts: Facts, records: Sequence[Record], *, step: int) -> list[Story]:
    """The stories of these records, taken up so many at once."""
    schema, kept = f"s{next(_numbers)}", CoupStories()
    async with facts.pool.acquire() as connection:
        await connection.execute(f'create schema "{schema}"')
        await kept.create(connection, schema)
        for start in range(0, len(records), step):
            await kept.apply(connection, kept.told(records[start : start + step]), schema)
        return await stories_of(connection, schema, "", after=("", 0, 0), limit=1_000)


def with_tokens() -> list[Record]:
    """Tokens that are won and lost with, one of them after it came back."""
    played = paying("nsw-mini").shoe(CARDS).betting()
    for number, area in enumerate(("banker", "player", "tie", "banker"), start=6):
        played.wager(f"w{number}", f"p{number}", area, 1_000, token=f"k{number}")
    played.do("cancel_wager", id="w9").wager("w10", "p9", "player", 1_000, token="k9")
    played.do("no_more_bets").do("deal")
    assert played.refused is None
    return log_of(played)


@pytest.mark.parametrize("most", [0, 2, WITH_COUP_MAX])
async def test_wagers_apart_tell_the_same(
    facts: Facts, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Of random tables with everything that becomes of wagers, and of tokens, in steps of any size."""
    tokens = with_tokens()
    assert any(record.type == PromoTokensDecided.type for record in tokens)
    apart = 0
    for records in [tokens, *tables()]:
        monkeypatch.undo()
        facts_together = await all_facts(facts, await facts.folded(records, batch=1_000))
        told_together = await stories(facts, records, step=1_000)
        apart += any(len(story.wagers) > most for story in told_together)
        few(monkeypatch, most)
        for step in STEPS:
            schema = await facts.folded(records, batch=step)
            assert await all_facts(facts, schema) == facts_together
            told = await stories(facts, records, step=step)
            assert told == told_together
            order = [list(story.wagers) for story in told]
            assert order == [list(story.wagers) for story in told_together]
    assert apart > len(tables()) // 2 or most == WITH_COUP_MAX, "most tables have coups with more"
