"""Coups of an outage in every report: on the roads and in the register, in no figure of money."""

from __future__ import annotations

import pytest

from services.contracts.core import Actor
from services.round.commands import BackfillCoup
from services.settlement.queries.resources import COUPS, EXCEPTIONS, SHOES
from services.settlement.reading import read
from services.settlement.rebuild import rebuilt
from services.shoe.commands import DrawCard
from tests.integration.reports.test_reports import report
from tests.property.rough import RoughTable
from tests.support.facts import Facts
from tests.support.journal import journal
from tests.support.played import NATURAL_NINE, SIX_SEVEN, Played, person
from tests.support.queried import Folded

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="session")]


def table() -> RoughTable:
    """A coup with a wager that Banker wins, and behind it one of an outage that Player wins."""
    rough = RoughTable("T1", 2, lags=False)
    played = Played("live-studio", table=rough)
    played.do("load_shoe", shoe="S1", cards=[], partial=True).betting()
    played.wager("w1", "p1", "banker", 1_000).do("no_more_bets")
    for card in SIX_SEVEN.split():
        played.send("shoe", DrawCard(at_us=played.at_us, by=person("DEALER"), card=card))
    played.do("announce")
    command = BackfillCoup(
        at_us=played.at_us + 5_000_000,
        by=Actor("gs1", "GAME_SUPERVISOR"),
        second=Actor("gs2", "GAME_SUPERVISOR"),
        coup=2,
        cards=tuple(NATURAL_NINE.split()),
        winner="PLAYER",
        dealt_at_us=played.at_us + 1_000_000,
        reason="power failure",
        video="cam 4",
    )
    assert played.send("round", command).refused is None
    rough.settle_down()
    return rough


async def test_a_coup_of_an_outage_is_in_the_register_and_in_no_figure(facts: Facts) -> None:
    """R-08: marked, with who entered it and why; turnover, win and hold are those of the others."""
    records = journal(table())
    schema = await facts.folded(records)
    before = next(
        record.position - 1
        for record in records
        if (each := read(record)) is not None and each.event.type == "coup-backfilled"
    )
    register = (await report(facts, schema, "coups", as_of=len(records))).rows
    assert [(r["number"], r["status"], r["backfilled"], r["winner"]) for r in register] == [
        ("1", "SETTLED", "false", "BANKER"),
        ("2", "BACKFILLED", "true", "PLAYER"),
    ]
    assert (register[1]["reason"], register[1]["wagers"]) == ("power failure", "0")
    for name in ("hold-by-table", "hold-by-dealer", "hold-by-day", "results-by-table"):
        now = await report(facts, schema, name, as_of=len(records))
        then = await report(facts, schema, name, as_of=before)
        assert now.rows == then.rows, name
    [entered] = [
        row
        for row in (await report(facts, schema, "exceptions", as_of=len(records))).rows
        if row["code"] == "COUP_BACKFILLED"
    ]
    assert (entered["actor"], entered["second"]) == ("gs1", "gs2")
    assert entered["reason"] == "power failure: video cam 4"


async def test_queries_and_the_rebuild_know_it(facts: Facts) -> None:
    """D9: a resource that says so, a bead on the road, an exception, and a story that proves itself."""
    del facts  # nothing but its loop
    records = journal(table())
    folded = Folded()
    for record in records:
        folded.add(record)
    coup = folded.get(COUPS, "T1:1:2")
    assert (coup.backfilled, coup.no_bet, coup.status, coup.wagers) == (True, True, "BACKFILLED", 0)
    assert 0 < coup.dealt_us < coup.at_us
    assert [card.draw_number for card in coup.cards] == [11, 12, 13, 14]
    [shoe] = folded.all(SHOES)
    assert [(mark.coup, mark.result) for mark in shoe.kept_road] == [(1, "B"), (2, "P")]
    assert (shoe.coups, shoe.drawn) == (2, 8)
    entries = [each for each in folded.all(EXCEPTIONS) if each.kind == "BACKFILL"]
    assert [(each.by.id, each.second.id) for each in entries] == [("gs1", "gs2")]
    mine = [
        record
        for record in records
        if (each := read(record)) is not None and each.coup_id == "T1:1:2"
    ]
    evidence = rebuilt("T1:1:2", mine, ())
    assert evidence.story.status == "BACKFILLED"
    assert [each for each in evidence.findings if "the cards give" in each] == []
    assert evidence.lines[0].what == "coup-backfilled"
