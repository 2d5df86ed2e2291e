"""Reports from real logs: their totals, as of any position, by day, and the same bytes again."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from msgspec import Struct

from services.chassis.decider import Record
from services.chassis.postgres import open_pool
from services.devstack.postgres import PostgresServer
from services.settlement.reports.asked import Asked
from services.settlement.reports.catalogue import REPORTS
from services.settlement.reports.engine import Ending, Header, WrongAsked, made
from services.settlement.reports.facts import CoupFact, MoneyFact
from services.settlement.reports.fold import facts_of, heard
from services.settlement.reports.reader import Reader
from services.settlement.reports.report import Kind
from services.settlement.reports.results import drifting
from services.settlement.reports.state import Known
from services.tablelog.clock import rfc3339
from tests.property.play import wander
from tests.property.rough import RoughTable
from tests.property.wanderer import RULEBOOKS
from tests.support.facts import DATABASE, Facts
from tests.support.journal import journal
from tests.support.played import CASINO_SUPERVISOR, GAME_SUPERVISOR, SIX_SEVEN, Played
from tests.support.recount import Recount, recounted

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="session")]

WANTED = {
    "SETTLED",
    "REVERSED",
    "RESETTLED",
    "REFUNDED",
    "FORFEITED",
    "VOIDED",
    "CANCELLED",
    "REJECTED",
    "REDUCED",
    "WITHDRAWN",
}
"""What has to happen to wagers at the tables that are compared."""

SEEDS_MAX = 80


def kinds_of(records: Sequence[Record]) -> set[str]:
    known = Known()
    return {
        fact.kind
        for record in records
        if (each := heard(record)) is not None
        for fact in facts_of(record.position, each, known)
        if isinstance(fact, MoneyFact)
    }


@cache
def tables() -> list[list[Record]]:
    """Random tables, one of each rulebook and then whatever has a kind that no other had."""
    left, found = set(WANTED), [table(rulebook, 2) for rulebook in RULEBOOKS]
    for records in found:
        left -= kinds_of(records)
    for seed in range(3, SEEDS_MAX):
        for rulebook in RULEBOOKS:
            if not left:
                return found
            kinds = kinds_of(records := table(rulebook, seed))
            if kinds & left:
                found.append(records)
                left -= kinds
    raise AssertionError(f"no table has {left}")


BY_MONEY = ("hold-by-table", "hold-by-dealer", "hold-by-rulebook", "hold-by-area", "hold-by-day")


class Made(Struct):
    """A whole report."""

    header: Header
    rows: list[dict[str, str]]
    ending: Ending


async def report(facts: Facts, schema: str, name: str, **asked: Any) -> Made:
    parts: list[Any] = [
        part async for part in made(REPORTS[name], Asked(**asked), facts.pool, schema)
    ]
    names = [column.name for column in REPORTS[name].columns]
    header, *rows, ending = parts
    assert isinstance(header, Header)
    assert isinstance(ending, Ending)
    return Made(header, [dict(zip(names, row, strict=True)) for row in rows], ending)


def sums(ending: Ending, name: str) -> dict[str, str]:
    return {each.currency: each.sums[name] for each in ending.totals}


def table(rulebook: str, seed: int) -> list[Record]:
    return journal(wander(rulebook, seed).table)


def told(counter: Counter[str] | dict[str, Fraction]) -> dict[str, str]:
    return {key: str(value) for key, value in counter.items() if value}


def assert_money(ending: Ending, count: Recount) -> None:
    for column, counted in (
        ("turnover_minor", count.turnover),
        ("valid_minor", count.valid),
        ("lost_minor", count.lost),
        ("forfeited_minor", count.forfeited),
        ("refunded_minor", count.refunded),
        ("winnings_minor", count.winnings),
        ("commission_exact", count.commission),
        ("rounding_exact", count.rounding),
    ):
        assert nonzero(sums(ending, column)) == told(counted), column
    assert ending.reconciles


async def test_totals_are_those_of_the_log_counted_otherwise(facts: Facts) -> None:
    """D9, R-30: at the end of the log and inside of it, by five cuts and wager by wager."""
    for records in tables():
        schema = await facts.folded(records)
        for part in range(1, 4):
            upto = len(records) * part // 3
            await assert_counted(facts, schema, upto, recounted(records[:upto]))
        # The books that settlement published for each coup, corrections and all, come to the same.
        whole = await report(facts, schema, "hold-by-table", as_of=len(records))
        assert nonzero(sums(whole.ending, "win_minor")) == told(recounted(records).house)


async def assert_counted(facts: Facts, schema: str, upto: int, count: Recount) -> None:
    for name in (*BY_MONEY, "settlements"):
        assert_money((await report(facts, schema, name, as_of=upto)).ending, count)
    win = (await report(facts, schema, "hold-by-table", as_of=upto)).ending
    expected = count.lost + count.forfeited
    expected.subtract(count.winnings)
    assert nonzero(sums(win, "win_minor")) == told(expected)
    open_funds = (await report(facts, schema, "open-funds", as_of=upto)).ending
    assert sums(open_funds, "open_minor") == told(count.open)
    register = (await report(facts, schema, "coups", as_of=upto)).rows
    assert {row["coup_id"]: row["status"] for row in register} == count.coups
    results = (await report(facts, schema, "results-by-table", as_of=upto)).rows
    found = Counter({w: int(row[w.lower()]) for row in results for w in count.winners})
    assert found == count.winners


def nonzero(sums: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in sums.items() if value != "0"}


async def test_a_report_as_of_a_position_is_never_another(facts: Facts) -> None:
    """What comes later changes no report of an earlier position: rows, totals and digest."""
    records = max(tables(), key=len)
    half = len(records) // 2
    schema = await facts.folded(records[:half])
    before = {name: await report(facts, schema, name, as_of=half) for name in REPORTS}
    await facts.further(records[half:], schema)
    changed = 0
    for name, earlier in before.items():
        again = await report(facts, schema, name, as_of=half)
        assert again == earlier, name
        now = await report(facts, schema, name, as_of=len(records))
        changed += now.ending.digest != earlier.ending.digest
    assert changed > 10
    # Folded anew, in other batches, it is the same as well.
    other = await facts.folded(records, batch=7)
    for name, earlier in before.items():
        assert await report(facts, other, name, as_of=half) == earlier, name


async def test_a_correction_counts_on_its_own_day_and_names_the_day_it_corrects(
    facts: Facts,
) -> None:
    """N-7: the days before keep their figures, whatever is corrected on a later one."""
    records = next(
        journal(wander("live-studio", seed).table, slower=20_000)
        for seed in range(SEEDS_MAX)
        if {"REVERSED", "RESETTLED"} <= kinds_of(table("live-studio", seed))
    )
    schema = await facts.folded(records)
    rows = (await report(facts, schema, "settlements", as_of=len(records))).rows
    late = [row for row in rows if row["gaming_day"] != row["coup_day"]]
    assert {"REVERSED", "RESETTLED", "REFUNDED"} & {row["kind"] for row in late}
    assert all(row["gaming_day"] > row["coup_day"] for row in late)
    by_day = (await report(facts, schema, "hold-by-day", as_of=len(records))).rows
    assert len({row["gaming_day"] for row in by_day}) > 1
    for row in by_day:
        day = dt.date.fromisoformat(row["gaming_day"])
        one = await report(
            facts, schema, "hold-by-table", as_of=len(records), from_day=day, to_day=day
        )
        assert sums(one.ending, "win_minor")[row["currency"]] == row["win_minor"]


async def test_a_day_that_is_over_keeps_its_figures(facts: Facts) -> None:
    """N-7: what corrects its coups later is booked on a later day, and names the day."""
    records, day, end = next(found for seed in range(SEEDS_MAX) if (found := corrected_later(seed)))
    schema = await facts.folded(records)
    at_its_end = await report(facts, schema, "day-close", as_of=end)
    now = await report(facts, schema, "day-close", as_of=len(records))
    of_day = [row for row in now.rows if row["gaming_day"] == day]
    assert of_day == [row for row in at_its_end.rows if row["gaming_day"] == day]
    assert of_day
    late = [row for row in now.rows if row["coup_day"] == day < row["gaming_day"]]
    assert sum(int(row["reversed"]) for row in late) > 0
    assert all(row not in at_its_end.rows for row in late)
    assert now.ending.reconciles
    # With the corrections added, the day comes to what its coups come to by now.
    of_coups = sum(int(row["win_minor"]) for row in (*of_day, *late))
    settled = (await report(facts, schema, "settlements", as_of=len(records))).rows
    assert of_coups == sum(int(row["win_minor"]) for row in settled if row["coup_day"] == day)
    whole = await report(facts, schema, "hold-by-day", as_of=len(records))
    assert sums(now.ending, "win_minor") == sums(whole.ending, "win_minor")
    # The days are those of the call as well: asked for alone the day is the same.
    first = dt.date.fromisoformat(day)
    alone = await report(
        facts, schema, "day-close", as_of=len(records), from_day=first, to_day=first
    )
    assert alone.rows == of_day


def corrected_later(seed: int) -> tuple[list[Record], str, int] | None:
    """A log over days, a day of which a coup is corrected later, and where that day ends."""
    records = journal(wander("live-studio", seed).table, slower=3_000)
    known = Known()
    found = [
        fact
        for record in records
        if (each := heard(record)) is not None
        for fact in facts_of(record.position, each, known)
        if isinstance(fact, MoneyFact)
    ]
    paid = {
        fact.transaction_id: fact.gaming_day
        for fact in found
        if fact.kind == "SETTLED" and fact.gaming_day == fact.coup_day
    }
    for late in found:
        day = paid.get(late.transaction_id)
        if late.kind == "REVERSED" and day is not None and day < late.gaming_day:
            end = max(fact.position for fact in found if fact.gaming_day <= day)
            return records, day.isoformat(), end
    return None


async def test_theoretical_win_is_turnover_times_the_exact_edge(facts: Facts) -> None:
    """R-30, R-31: by area, from the exact odds of the rulebook and its decks."""
    edges = {
        "BANKER": Fraction("0.014581"),
        "PLAYER": Fraction("0.012351"),
        "TIE": Fraction("0.143596"),
    }
    checked = set[str]()
    for seed in range(SEEDS_MAX):
        records = table("super-six", seed)
        schema = await facts.folded(records)
        for row in (await report(facts, schema, "hold-by-area", as_of=len(records))).rows:
            if row["area"] not in edges or not int(row["turnover_minor"]):
                continue
            edge = edges[row["area"]]
            assert abs(Fraction(row["theoretical_rate"]) - edge) <= Fraction(1, 10**6)
            product = int(row["turnover_minor"]) * edge
            assert abs(Fraction(row["theoretical_win"]) - product) <= product / 10_000 + 1
            checked.add(row["area"])
        if checked == set(edges):
            return
    raise AssertionError(f"nobody staked on {set(edges) - checked}")


async def test_periods_without_anything_and_unknown_cuts(facts: Facts) -> None:
    """R-10: an empty report is a report; one that cannot be cut so is refused by name."""
    records = table("nsw-mini", 27)
    schema = await facts.folded(records)
    day = dt.date(1999, 1, 1)
    for name, each in REPORTS.items():
        days = {"from_day": day, "to_day": day} if each.period else {}
        test = {} if each.period else {"test": True}
        empty = await report(facts, schema, name, as_of=len(records), **days, **test)
        assert (empty.rows, empty.ending.rows, empty.ending.totals) == ([], 0, ()), name
        for field in {"table_id", "dealer", "area", "player"} - set(each.filters):
            with pytest.raises(WrongAsked, match=field):
                await report(facts, schema, name, as_of=1, **{field: "x"})
    with pytest.raises(WrongAsked, match="position"):
        await report(facts, schema, "open-funds", as_of=1, from_day=day)
    later = day + dt.timedelta(days=1)
    with pytest.raises(WrongAsked, match="after to_day"):
        await report(facts, schema, "coups", as_of=1, from_day=later, to_day=day)


async def test_live_tables_and_test_tables_are_never_in_one_report(facts: Facts) -> None:
    """Domain 2.3: the recorded tables are in TEST mode."""
    from tests.golden.recorder import GOLDEN, load

    records = load(GOLDEN / "v0.1.0", "settlement")
    schema = await facts.folded(records)
    live = await report(facts, schema, "coups", as_of=records[-1].position)
    test = await report(facts, schema, "coups", as_of=records[-1].position, test=True)
    assert (live.ending.rows, test.ending.rows) == (0, 52)
    assert test.header.filters == {"mode": "TEST"}
    one = await report(
        facts, schema, "coups", as_of=records[-1].position, test=True, table_id="dalembert-on-banco"
    )
    assert {row["table_id"] for row in one.rows} == {"dalembert-on-banco"}
    assert 0 < one.ending.rows < 52


async def test_long_lists_are_read_in_chunks(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows neither repeat nor miss where a chunk ends."""
    records = max(tables(), key=len)
    schema = await facts.folded(records)
    listed = ("coups", "settlements", "exceptions", "shoes")
    whole = {name: await report(facts, schema, name, as_of=len(records)) for name in listed}
    assert max(once.ending.rows for once in whole.values()) > 10
    monkeypatch.setattr("services.settlement.reports.reader.CHUNK_ROWS", 2)
    for name, once in whole.items():
        assert await report(facts, schema, name, as_of=len(records)) == once


async def test_exceptions_say_before_after_and_why(facts: Facts) -> None:
    """R-08: a corrected result, a voided coup, limits that were changed."""
    found: dict[str, dict[str, str]] = {}
    for records in tables():
        schema = await facts.folded(records)
        rows = (await report(facts, schema, "exceptions", as_of=len(records))).rows
        # What corrects the reading of a coup that is held has no result before it.
        found |= {row["code"]: row for row in rows if row["before"] or row["code"] not in found}
    corrected = found["RESULT_CORRECTED"]
    assert "PLAYER" in corrected["before"]
    assert corrected["before"] != corrected["after"]
    assert corrected["second"]
    assert found["COUP_VOIDED"]["after"] == "VOID"
    limits = found["LIMITS_CHANGED"]
    assert limits["before"].startswith("{")
    assert limits["before"] != limits["after"]
    assert found["WAGER_RESETTLED"]["reason"]
    assert all(row["actor"] and row["role"] for row in found.values())


async def test_every_card_of_a_shoe_is_accounted_for(facts: Facts) -> None:
    """Invariant 3 as a report: only a shoe that was spoiled lacks one."""
    retired = 0
    for records in tables():
        rows = (await report(facts, await facts.folded(records), "shoes", as_of=len(records))).rows
        for row in rows:
            if row["status"] == "RETIRED" and row["reason"] != "INTEGRITY":
                assert row["unaccounted"] == "0", row
                assert int(row["dealt"]) + int(row["burned"]) + int(row["left_over"]) == int(
                    row["cards"]
                )
                retired += 1
    assert retired > 10


async def test_every_report_says_what_it_is() -> None:
    """Names, columns and filters are of one form; totals are only of what can be added up."""
    adds = {Kind.COUNT, Kind.MINOR, Kind.EXACT, Kind.MONEY_DECIMAL}
    for name, each in REPORTS.items():
        columns: Sequence[Any] = each.columns
        assert name == each.name
        assert len({column.name for column in columns}) == len(columns)
        assert all(column.about for column in columns)
        assert all(column.kind in adds for column in columns if column.total)
        assert each.title
        assert each.about.endswith(".")
        assert {check.left for check in each.checks} <= {c.name for c in columns if c.total}


async def test_drift_is_looked_for_over_the_last_days_only(facts: Facts) -> None:
    """R-29: Banker wins every coup of a table; long ago that is no alarm any more."""
    records = max(tables(), key=len)
    schema = await facts.folded(records)
    none = {"table": 0, "rulebook": 0, "dealer": 0}
    assert await drifting(facts.pool, schema, 0) == none
    assert await drifting(facts.pool, schema, len(records)) == none
    names = ", ".join(CoupFact.__struct_fields__)
    copied = names.replace("coup_id,", "'X:1:' || n,").replace("table_id,", "'X',")
    copied = copied.replace("winner,", "'BANKER',").replace("status,", "'SETTLED',")
    await facts.pool.execute(
        f'insert into "{schema}".coups ({names}) select {copied.replace("position", "-n")} '
        f'from (select * from "{schema}".coups limit 1) as one, generate_series(1, 200) as n'
    )
    assert (await drifting(facts.pool, schema, len(records)))["table"] == 1
    await facts.pool.execute(
        f"update \"{schema}\".coups set coup_day = coup_day - 100 where table_id = 'X'"
    )
    assert await drifting(facts.pool, schema, len(records)) == none


async def test_disputes_and_rulebooks_have_their_lists(facts: Facts) -> None:
    """R-08, R-09: each step with who took it; a rulebook where it is another one, and no other time."""
    played = Played("nsw-mini", table=RoughTable("T1", 2, lags=False))
    played.shoe(f"AC 9D {SIX_SEVEN}").coup()
    played.do("dispute", id="q1", coup=1, claim="a late call")
    gs, cs = ({"by": GAME_SUPERVISOR}, {"by": CASINO_SUPERVISOR})
    played.do("decide_dispute", id="q1", level=1, decision="dismissed", note="on time", **gs)
    played.do("decide_dispute", id="q1", level=2, decision="unresolved", **cs)
    played.do("advise_inspector", id="q1", **cs)
    assert played.refused is None
    other = played.at_us + 1_260_000_000
    played.do("notice", change="game", value="nsw-mini-even-money", effective_at=rfc3339(other))
    played.do("tick", at=rfc3339(other)).do("change_game", rulebook="nsw-mini-even-money")
    assert played.refused is None
    rough = played.table
    assert isinstance(rough, RoughTable)
    rough.settle_down()
    records = journal(rough)
    schema = await facts.folded(records)
    steps = (await report(facts, schema, "disputes", as_of=len(records))).rows
    assert [(row["what"], row["status"], row["level"], row["actor"]) for row in steps] == [
        ("DISPUTE_OPENED", "OPEN", "0", "player-1"),
        ("DISPUTE_DECIDED", "DECIDED", "1", "gs1"),
        ("DISPUTE_REVIEWED", "UNRESOLVED", "2", "cs1"),
        ("INSPECTOR_ADVISED", "CLOSED", "2", "cs1"),
    ]
    assert [row["said"] for row in steps[:2]] == ["a late call", "on time"]
    assert {(row["coup_id"], row["dispute_id"]) for row in steps} == {("T1:1:1", "q1")}
    changes = (await report(facts, schema, "rulebook-changes", as_of=len(records))).rows
    assert [(row["what"], row["rulebook_id"], row["before_id"]) for row in changes] == [
        ("TABLE_OPENED", "nsw-mini", ""),
        ("VARIANT_CHANGED", "nsw-mini-even-money", "nsw-mini"),
    ]
    assert changes[1]["before_hash"] == changes[0]["rulebook_hash"]


async def test_a_report_may_take_longer_than_a_call_of_play(
    facts: Facts, postgres_server: PostgresServer
) -> None:
    """R-01: sums over a year are one statement; who asked for them says how long he waits."""
    schema = await facts.folded(table("live-studio", 2))
    pool = await open_pool(postgres_server.dsn(DATABASE), connections_max=1, command_timeout_s=0.05)
    try:
        reader = Reader(pool, schema, Asked(as_of=10_000))
        slow = "count((select pg_sleep(0.2))) as slept"
        [found] = await reader.grouped("coups", (), (), counts=[slow])
        assert found["slept"]
        rows = [row async for row in reader.listed("coups", ("coup_id",), where=SLOWLY)]
        assert rows
    finally:
        pool.terminate()


SLOWLY = "(select pg_sleep(0.2)) is not null"
