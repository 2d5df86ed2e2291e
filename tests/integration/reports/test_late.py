"""What settlement hears late: it changes no day that is over, and no table that has gone on."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from services.chassis.decider import Record
from services.chassis.registry import decode_meta, encode_meta
from services.contracts.common import RulebookActivated
from services.contracts.round import SERVICE as ROUND
from services.contracts.settlement import WagerSettled
from services.contracts.shoe import SERVICE as SHOE
from services.contracts.wager import SERVICE as WAGER
from services.contracts.wager import LimitsPublished
from services.round.commands import CloseTable, OpenTable
from services.settlement.reading import Read
from services.settlement.reports import views
from services.settlement.reports.facts import CoupFact, Fact, MoneyFact, NoteFact, RulebookFact
from services.settlement.reports.fold import facts_of, heard
from services.settlement.reports.state import Known
from services.tablelog.clock import rfc3339
from tests.integration.reports.test_reports import report
from tests.property.rough import RoughTable
from tests.support.facts import Facts
from tests.support.journal import journal
from tests.support.paying import CARDS, log_of, paying
from tests.support.played import SIX_SEVEN, Played, person

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="session")]

DAY_US = 86_400_000_000
FIRST, SECOND = dt.date(2026, 1, 1), dt.date(2026, 1, 2)


def folded(records: Sequence[Record]) -> tuple[list[Fact], Known]:
    known = Known()
    facts = [
        fact
        for position, record in enumerate(records, 1)
        if (each := heard(record)) is not None
        for fact in facts_of(position, each, known)
    ]
    return facts, known


def written(played: Played) -> list[Record]:
    rough = played.table
    assert isinstance(rough, RoughTable)
    rough.settle_down()
    return journal(rough)


def two_coups() -> tuple[list[Record], int]:
    """A table with two decided coups, and the place from which on the second one is decided."""
    played = Played("live-studio", table=RoughTable("T1", 2, lags=False))
    played.shoe(f"9S 9H 9D 9C KS KH {SIX_SEVEN} AC 9D {SIX_SEVEN}")
    for number in (1, 2):
        played.betting().wager(f"w{number}", "p1", "banker", 1000).do("no_more_bets").do("deal")
    assert played.refused is None
    records = written(played)
    settled = [place for place, each in enumerate(records) if each.type == WagerSettled.type]
    assert len(settled) == 2
    return records, settled[-1]


def kept_late(records: Sequence[Record], place: int) -> list[Record]:
    """The log, recorded by settlement a day later from this place on."""
    late = [replace(each, recorded_at_us=each.recorded_at_us + DAY_US) for each in records[place:]]
    return [*records[:place], *late]


async def test_what_is_decided_late_is_booked_on_the_open_day(facts: Facts) -> None:
    """N-7: a coup that is settled after midnight changes nothing of the day on which it was dealt."""
    in_time, place = two_coups()
    records = kept_late(in_time, place)
    schema = await facts.folded(records)
    at_midnight = await report(facts, schema, "day-close", as_of=place)
    later = await report(facts, schema, "day-close", as_of=len(records))
    days = [(row["gaming_day"], row["coup_day"]) for row in later.rows]
    assert days == [(str(FIRST), str(FIRST)), (str(SECOND), str(FIRST))]
    assert later.rows[:1] == at_midnight.rows
    assert later.ending.reconciles
    # It is on another day and nothing else: the sums are those of the log that nothing held up.
    punctual = await facts.folded(in_time)
    whole = await report(facts, punctual, "day-close", as_of=len(in_time))
    assert later.ending.totals[0].sums == whole.ending.totals[0].sums
    assert [row["gaming_day"] for row in whole.rows] == [str(FIRST)]
    # Each row says when it happened, and folded anew it is the same.
    rows = (await report(facts, schema, "settlements", as_of=len(records))).rows
    assert {row["at"][:10] for row in rows} == {str(FIRST)}
    again = await facts.folded(records, batch=1)
    assert await report(facts, again, "day-close", as_of=len(records)) == later


async def test_what_is_heard_late_belongs_to_the_day_it_was_dealt_on() -> None:
    """The day of a coup is the one of its cards; only what it came to is booked later."""
    records = kept_late(two_coups()[0], 0)
    found, _ = folded(records)
    assert {fact.coup_day for fact in found if isinstance(fact, CoupFact)} == {FIRST}
    money = {(fact.gaming_day, fact.coup_day) for fact in found if isinstance(fact, MoneyFact)}
    assert money == {(SECOND, FIRST)}


async def test_a_recording_counts_by_its_own_instants() -> None:
    """Domain 2.3: a table in TEST mode may be played long after its day."""
    records = [
        replace(each, meta=encode_meta(replace(decode_meta(each.meta), test=True)))
        for each in kept_late(two_coups()[0], 0)
    ]
    own = [fact for fact in folded(records)[0] if isinstance(fact, MoneyFact) and fact.test]
    assert {fact.gaming_day for fact in own} == {FIRST}
    assert {fact.kind for fact in own} == {"SETTLED"}


def two_sessions() -> list[Record]:
    """A table that is closed, and opened again under another rulebook in another zone."""
    played = Played(
        "nsw-mini", table=RoughTable("T1", 2, lags=False), book="none", limits={}, decks=6
    )
    played.shoe(f"AC 9D {SIX_SEVEN}").coup()
    by = person("GAME_SUPERVISOR")
    played.send("round", CloseTable(at_us=played.at_us, by=by, exemption="x"))
    assert played.refused is None
    other = replace(
        Played("super-six", book="none", limits={}).round.settings,
        table_id="T1",
        time_zone="America/New_York",
    )
    played.send("round", OpenTable(at_us=played.at_us, by=person("DEALER"), settings=other))
    assert played.refused is None
    played.shoe(f"AC 9D 2S {SIX_SEVEN}").coup()
    assert played.refused is None
    assert (played.round.session, played.round.coups) == (2, 1)
    return written(played)


def behind(
    records: Sequence[Record], late: Callable[[Read], bool], place: int | None = None
) -> list[Record]:
    """The log, with what `late` picks coming at this place among the others, or at their end."""
    picked = [each for each in records if (read := heard(each)) is not None and late(read)]
    others = [each for each in records if each not in picked]
    place = len(others) if place is None else place
    return [*others[:place], *picked, *others[place:]]


def changes(facts: Sequence[Fact]) -> list[tuple[str, str, str]]:
    return [
        (fact.what, fact.before_id, fact.rulebook_id)
        for fact in facts
        if isinstance(fact, RulebookFact)
    ]


async def test_a_service_that_hears_late_changes_no_rulebook() -> None:
    """004 14.14: round puts a table under a rulebook; whoever follows it may be heard whenever."""
    records = two_sessions()

    def wagers(each: Read) -> bool:
        return each.service == WAGER

    def first_word(each: Read) -> bool:
        return wagers(each) and getattr(each.event, "session", 0) == 1

    of_second = next(
        place
        for place, each in enumerate(behind(records, wagers))
        if (read := heard(each)) is not None
        and read.service == SHOE
        and isinstance(read.event, RulebookActivated)
        and read.event.session == 2
    )
    for log in (
        records,
        behind(records, wagers),
        behind(records, first_word),
        behind(records, first_word, of_second + 1),
        behind(records, lambda each: each.service == ROUND),
    ):
        found, known = folded(log)
        assert changes(found) == [
            ("TABLE_OPENED", "", "nsw-mini"),
            ("TABLE_OPENED", "nsw-mini", "super-six"),
        ]
        now = known.table("T1").now
        assert (now.session, now.rulebook_id, now.time_zone) == (2, "super-six", "America/New_York")
        # Each coup is of the day, the rulebook and the decks of its own session.
        coups = {fact.coup_id: fact for fact in found if isinstance(fact, CoupFact)}
        days = {
            coup_id: (fact.coup_day, fact.rulebook_id, fact.decks)
            for coup_id, fact in coups.items()
        }
        assert days == {
            "T1:1:1": (FIRST, "nsw-mini", 6),
            "T1:2:1": (FIRST - dt.timedelta(days=1), "super-six", 8),
        }


async def test_a_service_that_hears_late_takes_no_change_of_variant_back() -> None:
    """Round changed the variant after it opened; the others are heard of behind it."""
    played = Played("nsw-mini", table=RoughTable("T1", 2, lags=False))
    other = played.at_us + 1_260_000_000
    played.do("notice", change="game", value="nsw-mini-even-money", effective_at=rfc3339(other))
    played.do("tick", at=rfc3339(other)).do("change_game", rulebook="nsw-mini-even-money")
    assert played.refused is None
    records = written(played)
    for log in (
        behind(records, lambda each: each.service in (SHOE, WAGER)),
        behind(records, lambda each: each.service == ROUND),
    ):
        found, known = folded(log)
        assert changes(found) == [
            ("TABLE_OPENED", "", "nsw-mini"),
            ("VARIANT_CHANGED", "nsw-mini", "nsw-mini-even-money"),
        ]
        assert known.table("T1").now.rulebook_id == "nsw-mini-even-money"


async def test_new_limits_are_an_exception_whichever_service_is_heard_first() -> None:
    """R-08: the first limits of a session replace none, the next ones do."""
    played = Played("live-studio", table=RoughTable("T1", 2, lags=False))
    played.do("change_limits", limits={"*": {"min": 200, "max": 2_000}})
    assert played.refused is None
    records = written(played)

    def of_round(each: Read) -> bool:
        return each.service == ROUND

    first = next(
        place
        for place, each in enumerate(behind(records, of_round))
        if (read := heard(each)) is not None and isinstance(read.event, LimitsPublished)
    )
    for log in (records, behind(records, of_round), behind(records, of_round, first + 1)):
        notes = [fact for fact in folded(log)[0] if isinstance(fact, NoteFact)]
        assert [note.code for note in notes if note.list == "EXCEPTION"] == ["LIMITS_CHANGED"]


async def test_the_register_has_every_shoe_though_an_id_was_used_again(facts: Facts) -> None:
    """R-01: as of any position each shoe has its row, in the call as in the view."""
    story = paying("nsw-mini").shoe(CARDS, shoe="A").coup().shoe(CARDS, shoe="A").coup()
    records = log_of(story.shoe(CARDS, shoe="B"))
    schema = await facts.folded(records, batch=7)
    shoes = await report(facts, schema, "shoes", as_of=len(records))
    told = [
        (row["shoe_id"], row["loading"], row["status"], row["unaccounted"]) for row in shoes.rows
    ]
    assert told == [
        ("A", "1", "RETIRED", "0"),
        ("A", "2", "RETIRED", "0"),
        ("B", "1", "LOADED", ""),
    ]
    async with facts.pool.acquire() as connection:
        await views.publish(connection, schema)
        rows = await connection.fetch(
            "select shoe_id, loading, status from reporting.shoe_v1 order by shoe_id, loading"
        )
    assert [(row[0], str(row[1]), row[2]) for row in rows] == [row[:3] for row in told]
