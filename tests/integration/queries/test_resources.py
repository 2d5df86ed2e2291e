"""Every kind of resource is got, listed and filtered in the same way, on a real database."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from operator import eq, ge, lt
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from sabot.query.v1 import query_service_pb2 as pb
from sabot.query.v1 import resources_pb2
from services.chassis import projection
from services.chassis.decider import Record
from services.chassis.positions import Position, read_position
from services.chassis.postgres import Pool
from services.chassis.rpc_errors import InvalidCommand, NotAllowedHere, NotFound, Unavailable
from services.rules.roles import PLAYER
from services.settlement.queries import reading, tokens
from services.settlement.queries.projection import RESOURCES
from services.settlement.queries.resources import (
    COUPS,
    INCIDENTS,
    KINDS,
    SHOES,
    TABLES,
    WAGERS,
    Kind,
)
from tests.integration.queries.calls import SINGLE, Asked, each_kind, many, stored
from tests.support.queried import Log, projector, sign_in


@each_kind
async def test_pages_hold_everything_once_and_in_order(queried: Pool, kind: Kind) -> None:
    """Whatever the size of the pages, forwards and backwards; an empty token is the only end."""
    asked = Asked(queried, kind)
    ids = [each.id for each in await stored(queried, kind)]
    assert len(ids) >= 3
    for size in (2, 7, 1_000):
        assert [each.id for each in await asked.pages(page_size=size)] == ids
    backwards = await asked.pages(page_size=5, order_by="at desc")
    assert [each.id for each in backwards] == ids[::-1]


@each_kind
async def test_one_and_several_are_those_of_the_list(queried: Pool, kind: Kind) -> None:
    """Get is in full, BatchGet keeps the order of its ids and leaves out what is not there."""
    asked = Asked(queried, kind)
    full = {each.id: each for each in (await asked.page(page_size=20, view="VIEW_FULL")).items}
    for key, item in full.items():
        assert (await asked.get(key)).item == item
    ids = [*reversed(full), "nobody/nothing", next(iter(full))]
    answer = await asked.batch(ids, view="VIEW_FULL")
    assert list(answer.items) == [full[key] for key in reversed(full)]
    with pytest.raises(NotFound, match="nobody/nothing"):
        await asked.get("nobody/nothing")


@each_kind
async def test_the_view_basic_leaves_out_what_is_marked(queried: Pool, kind: Kind) -> None:
    """And nothing else; it is the one of lists where none is named."""
    asked = Asked(queried, kind)
    full = await asked.pages(page_size=1_000, view="VIEW_FULL")
    basic = await asked.pages(page_size=1_000)
    assert basic == await asked.pages(page_size=1_000, view="VIEW_BASIC")
    for name in kind.full:
        for each in full:
            each.ClearField(name)
    assert basic == full


@each_kind
async def test_a_filter_gives_what_it_says(queried: Pool, kind: Kind) -> None:
    """Each field with each operator, held against the values as they are kept."""
    asked = Asked(queried, kind)
    values = await stored(queried, kind)
    for name in ("table_id", "at_us", "test", *kind.filters):
        some = sorted({getattr(each, name) for each in values})
        middle = some[len(some) // 2]
        text = str(middle).lower() if isinstance(middle, bool) else f'"{middle}"'
        for operator, holds in (("=", eq), ("<", lt), (">=", ge)):
            got = await asked.pages(page_size=1_000, filter=f"{name} {operator} {text}")
            wanted = [each.id for each in values if holds(getattr(each, name), middle)]
            assert [each.id for each in got] == wanted, (name, operator, middle)


async def test_conditions_and_typed_fields_go_together(queried: Pool) -> None:
    """Table, day and times, with a filter of two conditions beside them."""
    asked = Asked(queried, WAGERS)
    values = await stored(queried, WAGERS)
    table = next(each for each in values if each.status == "WON").table_id
    mine = [each for each in values if each.table_id == table]
    first, last = mine[0], mine[-1]
    got = await asked.pages(
        table_id=table,
        gaming_day=first.gaming_day,
        from_us=first.at_us + 1,
        until_us=last.at_us,
        filter=f'currency = "EUR" AND stake_minor >= {first.stake_minor}',
    )
    assert [each.id for each in got] == [
        each.id
        for each in mine
        if first.at_us < each.at_us < last.at_us and each.stake_minor >= first.stake_minor
    ]
    assert not await asked.pages(table_id=table, gaming_day="1999-01-01")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense", "field operator value"),
        ("stake_minor > 5", "no operator >"),
        ("stake_minor != 5", "no operator !="),
        ("secret = 5", "no field secret"),
        ("stake_minor = five", "whole number"),
        ("stake_minor = 99999999999999999999", "whole number"),
        ("test = 1", "true or false"),
        ('status = "WON" status = "LOST"', "needs AND"),
        ('status = "WON" OR status = "LOST"', "needs AND"),
        ('status = "WON" AND ', "field operator value"),
        (" AND ".join(["revision >= 0"] * 21), "20 conditions"),
        ('id = "x\'; drop table events"', "no field id"),
    ],
)
async def test_a_filter_that_cannot_be_read_is_refused(
    queried: Pool, text: str, problem: str
) -> None:
    """The error names the field, and what is wrong with it."""
    with pytest.raises(InvalidCommand, match=problem) as refused:
        await Asked(queried, WAGERS).page(filter=text)
    assert [fault.field for fault in refused.value.fields] == ["filter"]


async def test_a_value_of_a_filter_is_never_part_of_a_statement(queried: Pool) -> None:
    """Quotes of all kinds are letters like others."""
    asked = Asked(queried, WAGERS)
    for text in ("' or 1=1 --", '\\" or 1=1', "$1", "\\\\"):
        assert not await asked.pages(filter=f'player = "{text}"')


@each_kind
async def test_a_token_is_bound_to_what_was_asked(queried: Pool, kind: Kind) -> None:
    """Another filter, view or order under a token is refused; another page size is not."""
    asked = Asked(queried, kind)
    fields: dict[str, Any] = {"filter": "at_us >= 1", "page_size": 2}
    token = (await asked.page(**fields)).next_page_token
    again = await asked.page(**{**fields, "page_size": 1, "page_token": token})
    assert again.items
    for other in (
        {"filter": "at_us >= 2"},
        {"filter": ""},
        {"order_by": "at desc"},
        {"view": "VIEW_FULL"},
        {"from_us": 1},
        {"page_token": token[:-4]},
        {"page_token": token.swapcase()},
        {"page_token": "AAAA"},
        {"order_by": "stake"},
    ):
        with pytest.raises(InvalidCommand):
            await asked.page(**{**fields, "page_token": token, **other})
    place = tokens.read(token, pb_request(asked, **fields), field="page_token")
    assert place is not None
    altered = msgspec.msgpack.encode(replace(place, value=place.value + 1))
    beyond = tokens.written(replace(place, value=2**63))
    unprintable = tokens.written(replace(place, id="\0"))
    for forged in (base64.urlsafe_b64encode(altered).decode().rstrip("="), beyond, unprintable):
        with pytest.raises(InvalidCommand, match="no token of an answer"):
            await asked.page(**fields, page_token=forged)
    beside = Asked(queried, TABLES if kind is not TABLES else COUPS)
    with pytest.raises(InvalidCommand, match="other arguments"):
        await beside.page(**fields, page_token=token)


def pb_request(asked: Asked, **fields: Any) -> Any:
    return getattr(pb, f"List{many(asked.kind)}Request")(**fields)


async def test_sizes_are_coerced(queried: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is 50, too many are as many as there may be, and negative ones are refused."""
    asked = Asked(queried, WAGERS)
    assert len((await asked.page()).items) == reading.PAGE
    monkeypatch.setattr(reading, "PAGE_MAX", 60)
    assert len((await asked.page(page_size=5_000)).items) == 60
    with pytest.raises(InvalidCommand, match="page_size"):
        await asked.page(page_size=-1)
    with pytest.raises(InvalidCommand, match="ids"):
        await asked.batch(["x"] * 1_001)


async def test_an_answer_says_what_it_reflects(
    queried: Pool, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its position as a token, and when that was recorded; one that is not reached is refused."""
    asked = Asked(queried, COUPS)
    answer = await asked.page()
    end = records[-1].position
    assert read_position(answer.as_of_token, service="settlement", field="x") == end
    assert answer.as_of_us == end * 1_000_000
    assert (await asked.page(min_position=answer.as_of_token)).items
    monkeypatch.setattr(projection, "READ_WAIT_S", 0.05)
    beyond = Position("settlement", 0, end + 1).token()
    with pytest.raises(NotAllowedHere) as late:
        await asked.page(min_position=beyond)
    assert late.value.stable_reason == "NOT_REACHED"
    with pytest.raises(InvalidCommand, match="no table is named"):
        await asked.page(min_position=Position("round", 0, 1).token())
    with pytest.raises(InvalidCommand, match="not heard here"):
        await asked.page(table_id="burn-01", min_position=Position("x", 0, 1).token())


async def test_an_answer_waits_for_what_another_service_acknowledged(
    queried: Pool, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as the table is concerned that the request names, by whatever it names it."""
    monkeypatch.setattr(projection, "READ_WAIT_S", 0.2)
    table, other = "result-02", "result-03"
    await queried.execute(
        "insert into inbox (upstream, table_id, position, event_id) values ('round', $1, 7, 'e')",
        table,
    )
    coups, incidents = Asked(queried, COUPS), Asked(queried, INCIDENTS)
    heard, unheard = (Position("round", 0, position).token() for position in (7, 8))
    answer = await coups.page(table_id=table, min_position=heard)
    assert read_position(answer.as_of_token, service="settlement", field="x") == len(records)
    assert (await coups.get(f"{table}:1:1", min_position=heard)).item.table_id == table
    assert (await coups.batch([f"{table}:1:1"], min_position=heard)).items
    for late in (
        coups.page(table_id=table, min_position=unheard),
        coups.page(table_id=other, min_position=heard),
        coups.get(f"{table}:1:1", min_position=unheard),
        incidents.get(f"round:{table}:5", min_position=unheard),
    ):
        with pytest.raises(NotAllowedHere):
            await late
    with pytest.raises(InvalidCommand, match="no table is named"):
        await coups.batch([f"{table}:1:1", f"{other}:1:1"], min_position=heard)


async def test_a_player_is_shown_his_own(queried: Pool) -> None:
    """Wagers of others are not there for him, however he asks; nor who sits where."""
    asked = Asked(queried, WAGERS)
    values = await stored(queried, WAGERS)
    others = [each.id for each in values if each.player != "p1"]
    tables = Asked(queried, TABLES)
    everybody = await tables.pages(page_size=1_000, view="VIEW_FULL")
    assert any(each.seats for each in everybody)
    sign_in(PLAYER, "p1")
    mine = await asked.pages(page_size=1_000)
    assert [each.id for each in mine] == [each.id for each in values if each.player == "p1"]
    assert not await asked.pages(filter='player = "p2"')
    assert not (await asked.batch(others)).items
    with pytest.raises(NotFound):
        await asked.get(others[0])
    seen = await tables.pages(page_size=1_000, view="VIEW_FULL")
    assert len(seen) == len(everybody)
    assert not any(each.seats for each in seen)


@pytest.mark.parametrize(("kind", "field"), [(COUPS, "totals"), (SHOES, "custody")])
async def test_a_player_is_told_of_no_others_by_the_books(
    queried: Pool, kind: Kind, field: str
) -> None:
    """Who knows his own stakes would know from a coup's books those of the one who plays with him;
    and who of the staff did what with the cards is no player's business."""
    asked = Asked(queried, kind)
    seen = await asked.pages(page_size=1_000, view="VIEW_FULL")
    shown = [each for each in seen if getattr(each, field)]
    assert shown
    sign_in(PLAYER, "p1")
    for each in await asked.pages(page_size=1_000, view="VIEW_FULL"):
        assert not getattr(each, field)
    assert not getattr((await asked.get(shown[0].id)).item, field)


async def test_tables_of_another_release_are_not_read(own: Pool) -> None:
    """Nor is it a bug that there are none yet: the caller is told to come again."""
    asked = Asked(own, COUPS)
    with pytest.raises(Unavailable) as none:
        await asked.page()
    await projector(Log([]), own).prepare()
    assert not (await asked.page()).items
    await own.execute("update projections set version = version + 1")
    with pytest.raises(Unavailable) as other:
        await asked.page()
    assert {none.value.stable_reason, other.value.stable_reason} == {"FOLDING"}


async def test_pages_stay_whole_while_the_log_grows(own: Pool, records: list[Record]) -> None:
    """What was there at the first page comes exactly once, whatever is added or changed meanwhile."""
    log = Log(records)
    filling = projector(log, own)
    await filling.prepare()
    log.shown = len(records) // 2
    while await filling.step():
        pass
    before: dict[str, tuple[list[str], list[str], str]] = {}
    for kind in KINDS:
        ids = [each.id for each in await stored(own, kind)]
        page = await Asked(own, kind).page(page_size=3)
        before[kind.name] = (ids, [each.id for each in page.items], page.next_page_token)
    log.shown = len(records)
    while await filling.step():
        pass
    for kind in KINDS:
        ids, got, token = before[kind.name]
        rest = await Asked(own, kind).pages(token, page_size=3) if token else []
        got += [each.id for each in rest]
        assert len(got) == len(set(got))
        assert [key for key in got if key in set(ids)] == ids


@pytest.mark.parametrize("batch", [1, 7])
async def test_batches_of_any_size_give_the_same_resources(
    own: Pool, queried: Pool, records: list[Record], batch: int
) -> None:
    """The fold looks at one event after another: positions and all else do not depend on batches."""
    part = records[: 600 if batch == 1 else len(records)]
    log = Log(part)
    filling = projector(log, own, batch=batch)
    await filling.prepare()
    while await filling.step():
        pass
    names = {record.stream for record in part}
    tables = {record.stream for record in records[len(part) :]}
    for kind in KINDS:
        whole = [each for each in await stored(queried, kind) if each.table_id not in tables]
        got = [each for each in await stored(own, kind) if each.table_id not in tables]
        assert got == [each for each in whole if each.table_id in names]


def plans() -> Iterator[tuple[Kind, str]]:
    for kind in KINDS:
        for condition in ("", "table_id = 'x'", "gaming_day = 'x'", "(at_us, id) > (5, 'x')"):
            yield kind, f"{'where ' if condition else ''}{condition} order by at_us, id limit 51"
        yield kind, "where (position, id) > (5, 'x') order by position, id limit 500"
        for name in kind.indexed:
            value = "5" if kind.columns()[name] == "bigint" else "'x'"
            yield kind, f"where {name} = {value} order by at_us, id limit 51"


async def test_lists_and_exports_go_by_an_index(queried: Pool) -> None:
    """No page is sorted or counted off: each is a range of an index."""
    async with queried.acquire() as connection, connection.transaction():
        live = await projection.live(connection, RESOURCES)
        # Tables of a test are so small that anything is cheap; what cannot be avoided is left.
        for way in ("seqscan", "bitmapscan", "sort", "incremental_sort"):
            await connection.execute(f"set local enable_{way} = off")
        for kind, tail in plans():
            statement = f'explain select doc from "{live.schema}".{kind.name} {tail}'
            plan = "\n".join(row[0] for row in await connection.fetch(statement))
            assert "Index Scan" in plan, statement
            assert "Sort" not in plan, f"{statement}\n{plan}"


@each_kind
async def test_each_usual_cut_has_an_index_in_the_order_of_lists(queried: Pool, kind: Kind) -> None:
    """Table, day and the fields that narrow: with them a page is a range and nothing is passed over."""
    async with queried.acquire() as connection:
        live = await projection.live(connection, RESOURCES)
        rows = await connection.fetch(
            "select indexdef from pg_indexes where schemaname = $1 and tablename = $2",
            live.schema,
            kind.name,
        )
    found = {row[0].rpartition("(")[2].rstrip(")").replace('"', "") for row in rows}
    wanted = {f"{name}, at_us, id" for name in ("table_id", "gaming_day", *kind.indexed)}
    assert wanted | {"id", "at_us, id", "position, id"} == found


def test_every_field_that_is_kept_is_shown_and_the_other_way_round() -> None:
    """By name; what begins with `kept_` is for folding only."""
    for kind in KINDS:
        message = getattr(resources_pb2, SINGLE[kind.name])
        shown = set(message.DESCRIPTOR.fields_by_name)
        kept = {name for name in kind.value.__struct_fields__ if not name.startswith("kept_")}
        # A rulebook is of no table mode and no day.
        assert kept - {"gaming_day", "test"} == shown - {"gaming_day", "test"}, kind.name
        assert {*kind.full, *kind.private} <= shown
        assert set(kind.indexed) <= set(kind.filters) <= kept
