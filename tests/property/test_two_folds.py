"""Queries and reports are folded apart from one log: of every table they say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from services.settlement.queries.resources import COUPS, SHOES, WAGERS, Wager
from services.settlement.reports.facts import Fact, MoneyFact, ShoeFact
from services.settlement.reports.fold import facts_of, heard
from services.settlement.reports.state import Known
from tests.property.play import wander
from tests.property.rough import RoughTable
from tests.property.wanderer import RULEBOOKS
from tests.support.journal import journal
from tests.support.queried import Folded

SEEDS = range(6, 14)


def both(rulebook: str, seed: int) -> tuple[Folded, list[Fact]]:
    played = wander(rulebook, seed).table
    assert isinstance(played, RoughTable)
    played.settle_down()
    found, known, facts = Folded(), Known(), []
    for record in journal(played):
        found.add(record)
        if (each := heard(record)) is not None:
            facts += facts_of(record.position, each, known)
    return found, facts


def as_reported(wager: Wager) -> Iterator[tuple[str, int]]:
    """What the rows of a wager have to come to, by what became of it."""
    stake = wager.stake_minor if wager.funding == "CASH" else 0
    if wager.status == "OPEN":
        yield "open_minor", stake
    if wager.status == "FORFEITED":
        yield from (("turnover_minor", stake), ("forfeited_minor", stake), ("win_minor", stake))
    if wager.status in ("WON", "LOST", "PUSH"):
        yield "winnings_minor", wager.winnings_minor
        yield "win_minor", -wager.winnings_minor
        yield "turnover_minor", wager.turnover_minor if stake else 0
        if wager.turnover_minor:
            lost = stake - wager.returned_minor
            yield from (("lost_minor", lost), ("win_minor", lost))
            yield "returned_minor", wager.returned_minor


SUMS = (
    "open_minor",
    "turnover_minor",
    "returned_minor",
    "lost_minor",
    "forfeited_minor",
    "winnings_minor",
    "win_minor",
)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_queries_and_reports_come_to_the_same(rulebook: str) -> None:
    """D7: wager by wager, coup by coup and shoe by shoe, after corrections, voids and refusals."""
    decided = sum(agree(*both(rulebook, seed)) for seed in SEEDS)
    assert decided > 0


def agree(found: Folded, facts: list[Fact]) -> int:
    """Hold both against each other; returns how many wagers a result decided."""
    money = [fact for fact in facts if isinstance(fact, MoneyFact)]
    coups = {coup.id: coup for coup in found.all(COUPS)}
    for wager in found.all(WAGERS):
        expected: Counter[str] = Counter()
        for name, amount in as_reported(wager):
            expected[name] += amount
        rows = [fact for fact in money if fact.wager_id == wager.wager_id]
        sums = {name: sum(getattr(fact, name) for fact in rows) for name in SUMS}
        assert sums == {name: expected[name] for name in SUMS}, wager
    for coup in coups.values():
        house = {books.currency: books.house_minor for books in coup.totals if books.house_minor}
        wins: Counter[str] = Counter()
        for fact in money:
            if fact.coup_id == coup.id:
                wins[fact.currency] += fact.win_minor
        assert {currency: win for currency, win in wins.items() if win} == house, coup.id
    shoes = {fact.shoe_id: fact for fact in facts if isinstance(fact, ShoeFact)}
    for shoe in found.all(SHOES):
        last = shoes[shoe.shoe_id]
        if shoe.status != "IN_USE":
            assert (last.coups, last.status) == (shoe.coups, shoe.status), shoe.id
    return len({fact.wager_id for fact in money if fact.turnover_minor})
