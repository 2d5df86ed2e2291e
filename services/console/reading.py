"""What the screens show, asked of the services under the name of who looks."""

from __future__ import annotations

import asyncio
import base64
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, Final

import grpc
from msgspec import Struct

from sabot.query.v1 import query_service_pb2 as queries
from sabot.query.v1 import resources_pb2 as resources
from sabot.query.v1 import watch_service_pb2 as watching
from sabot.round.v1.round_service_pb2 import GetTableProgressRequest, GetTableRequest
from sabot.settlement.v1 import settlement_service_pb2 as money
from sabot.shoe.v1 import shoe_service_pb2 as shoes
from sabot.wager.v1 import wager_service_pb2 as wagers
from sabot_client import CallFailed, Client

LATEST: Final = "at desc"
OPEN_TABLES_MAX: Final = 500
SHOWN_MAX: Final = 50
"""Rows of a list on one page."""

WAGERS_MAX: Final = 1_000
"""Wagers of one coup that are shown; more are counted."""

LAGS_AT_A_TIME: Final = 8
NOT_FOR_YOU: Final = "Your role is not told."
NOT_KNOWN: Final = "Not known now: it was not answered."


class Told(Struct, frozen=True):
    """A part of a screen."""

    answer: Any = None
    """None where there is no such thing, or where it was not told."""

    why: str = ""
    """Why it was not told: on a screen that is another thing than that there is nothing."""


class Pit(Struct, frozen=True):
    """All tables that are not closed."""

    tables: tuple[Any, ...]
    as_of_us: int
    more: bool
    """There are further ones, which are not shown."""


class TableView(Struct, frozen=True):
    """A table as its screen shows it; parts that there are not, or that were not told, are None."""

    table: Any
    shoe: Any
    coup: Any
    roads: Any
    waits_for: str
    incidents: tuple[Any, ...]
    coups: tuple[Any, ...]
    as_of_us: int
    why: Mapping[str, str]
    """Of the parts that were not told: why."""


class Happening(Struct, frozen=True):
    """One event of a coup's timeline."""

    at_us: int
    service: str
    what: str
    event_id: str
    position: int
    actor: str
    second: str
    clauses: tuple[str, ...]
    trace_id: str
    command_id: str
    digest: str
    body: dict[str, Any]


class Replay(Struct, frozen=True):
    """A coup from its log, beside what is stored of it."""

    coup: Any
    wagers: tuple[Any, ...]
    wagers_more: bool
    happenings: tuple[Happening, ...]
    matches: bool | None
    """Whether the coup that is rebuilt from the log is the one that is stored; None: not asked."""

    differences: tuple[str, ...]
    digest: str
    why_not: str
    """Why there is no timeline: the role of who looks may not read the log."""

    why_unproven: str
    """Why it was not rebuilt."""


class Exceptions(Struct, frozen=True):
    """What is off the normal course, and what is owed or late."""

    entries: tuple[Any, ...]
    next_token: str
    incidents: tuple[Any, ...]
    open_items: tuple[tuple[str, Any], ...]
    parked: tuple[tuple[str, str, Any], ...]
    """Service, table, and the event that it does not get past."""

    lag: tuple[tuple[str, str, str, int], ...]
    """Service, table, upstream, and events of that table which it has not handled."""

    untold: tuple[tuple[str, str], ...]
    """Of services that did not tell what is owed: which, and why."""

    unheard: tuple[tuple[str, int, str], ...]
    """Of services that did not tell how far they are: which, for how many tables, and why."""


def quoted(value: str) -> str:
    """A value as filters take it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


async def pit(client: Client) -> Pit:
    """Tables that are open or suspended, in the order of what is on their signs."""
    found: list[Any] = []
    as_of_us = 0
    for status in ("OPEN", "SUSPENDED"):
        request = queries.ListTablesRequest(filter=f'status = "{status}"', page_size=1_000)
        async for page in client.pages(client.query.ListTables, request):
            found += page.items
            as_of_us = max(as_of_us, page.as_of_us)
            if len(found) > OPEN_TABLES_MAX:
                break
    shown = sorted(found[:OPEN_TABLES_MAX], key=sign)
    return Pit(tuple(shown), as_of_us, more=len(found) > OPEN_TABLES_MAX)


def sign(table: Any) -> tuple[str, str]:
    """What tables are sorted by."""
    return table.table_number or table.table_id, table.table_id


async def watched_tables(client: Client) -> AsyncGenerator[Any, None]:
    """The lobby's feed: tables that changed, those that closed included."""
    request = watching.WatchTablesRequest(include_closed=True)
    async with aclosing(client.stream(client.watch.WatchTables, request)) as messages:
        async for message in messages:
            yield message


async def table_view(client: Client, table_id: str) -> TableView:
    """A table, its shoe and coup, roads, incidents and last coups. Raises `CallFailed`."""
    got = await client.call(
        client.query.GetTable, queries.GetTableRequest(id=table_id, view=resources.VIEW_FULL)
    )
    table = got.item
    asks = (
        _if(table.coup_id, client.query.GetCoup, queries.GetCoupRequest(id=table.coup_id), client),
        *_around(client, table),
        _maybe(
            client.call(
                client.query.ListIncidents,
                queries.ListIncidentsRequest(
                    table_id=table_id, order_by=LATEST, page_size=10, view=resources.VIEW_BASIC
                ),
            )
        ),
        _maybe(
            client.call(
                client.query.ListCoups,
                queries.ListCoupsRequest(table_id=table_id, order_by=LATEST, page_size=12),
            )
        ),
    )
    parts = dict(zip(PARTS, await asyncio.gather(*asks), strict=True))
    coup, shoe, roads, now, incidents, coups = (each.answer for each in parts.values())
    return TableView(
        table=table,
        shoe=shoe.item if shoe else None,
        coup=coup.item if coup else None,
        roads=roads.roads if roads else None,
        waits_for=now.waits_for if now else "",
        incidents=tuple(incidents.items) if incidents else (),
        coups=tuple(coups.items) if coups else (),
        as_of_us=got.as_of_us,
        why={name: each.why for name, each in parts.items() if each.why},
    )


PARTS: Final = ("coup", "shoe", "roads", "now", "incidents", "coups")


def _around(client: Client, table: Any) -> tuple[Awaitable[Any], ...]:
    shoe = f"{table.table_id}/{table.shoe_id}" if table.shoe_id else ""
    return (
        _if(shoe, client.query.GetShoe, queries.GetShoeRequest(id=shoe), client),
        _if(shoe, client.query.GetRoads, queries.GetRoadsRequest(id=shoe), client),
        _maybe(client.call(client.round.GetTable, GetTableRequest(table_id=table.table_id))),
    )


async def _if(wanted: str, method: Any, request: Any, client: Client) -> Told:
    return await _maybe(client.call(method, request)) if wanted else Told()


async def _maybe(asked: Awaitable[Any]) -> Told:
    """The answer; else that there is none, or why it was not told."""
    try:
        return Told(await asked)
    except CallFailed as failed:
        match failed.code:
            case grpc.StatusCode.UNAUTHENTICATED:
                raise
            case grpc.StatusCode.NOT_FOUND:
                return Told()
            case grpc.StatusCode.PERMISSION_DENIED:
                return Told(why=NOT_FOR_YOU)
            case _:
                return Told(why=NOT_KNOWN)


async def watched_table(client: Client, table_id: str) -> AsyncGenerator[TableView, None]:
    """The table again with every change."""
    request = watching.WatchTableRequest(table_id=table_id)
    async with aclosing(client.stream(client.watch.WatchTable, request)) as messages:
        async for _ in messages:
            yield await table_view(client, table_id)


async def replay(client: Client, coup_id: str) -> Replay:
    """A coup with its wagers and, for who may read the log, its events and the rebuild."""
    got = await client.call(
        client.query.GetCoup, queries.GetCoupRequest(id=coup_id, view=resources.VIEW_FULL)
    )
    listing = queries.ListWagersRequest(
        filter=f"coup_id = {quoted(coup_id)}", page_size=WAGERS_MAX, view=resources.VIEW_FULL
    )
    listed, proof, log = await asyncio.gather(
        client.call(client.query.ListWagers, listing),
        _maybe(
            client.call(client.settlement.RebuildCoup, money.RebuildCoupRequest(coup_id=coup_id))
        ),
        _maybe(_evidence(client, coup_id)),
    )
    rebuilt, evidence = proof.answer, log.answer
    return Replay(
        coup=got.item,
        wagers=tuple(listed.items),
        wagers_more=bool(listed.next_page_token),
        happenings=happenings(evidence) if evidence else (),
        matches=rebuilt.matches if rebuilt else None,
        differences=tuple(rebuilt.differences) if rebuilt else (),
        digest=rebuilt.digest if rebuilt else "",
        why_not="" if evidence else "Your role may not read the log, or it did not answer.",
        why_unproven=proof.why or "There is nothing to rebuild it from.",
    )


async def _evidence(client: Client, coup_id: str) -> dict[str, Any]:
    request = money.GetEvidenceRequest(coup_id=coup_id)
    parts = [part.part async for part in client.stream(client.settlement.GetEvidence, request)]
    document: dict[str, Any] = json.loads(b"".join(parts))
    return document


def happenings(evidence: dict[str, Any]) -> tuple[Happening, ...]:
    """The events of a document of evidence, in log order."""
    clauses = {line["event_id"]: tuple(line["clauses"]) for line in evidence["lines"]}
    return tuple(_happening(kept, clauses) for kept in evidence["events"])


def _happening(kept: dict[str, Any], clauses: dict[str, tuple[str, ...]]) -> Happening:
    meta = _decoded(kept["meta"])
    actor, second = meta.get("actor") or {}, meta.get("second") or {}
    trace = str(meta.get("traceparent", "")).split("-")
    return Happening(
        at_us=int(meta.get("occurred_at_us", 0)),
        service=kept["service"],
        what=kept["type"],
        event_id=kept["event_id"],
        position=kept["position"],
        actor=_person(actor),
        second=_person(second),
        clauses=clauses.get(kept["event_id"], ()),
        trace_id=trace[1] if len(trace) == 4 else "",  # noqa: PLR2004 - W3C trace context
        command_id=str(meta.get("command_id", "")),
        digest=kept["digest"],
        body=_decoded(kept["body"]),
    )


def _person(actor: dict[str, Any]) -> str:
    return f"{actor['id']} ({actor['role']})" if actor else ""


def _decoded(text: str) -> dict[str, Any]:
    try:
        found = json.loads(base64.b64decode(text))
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


async def exceptions(client: Client, kind: str, page_token: str) -> Exceptions:
    """Decisions off the normal course, latest first, and what is owed, held or late now."""
    listing = queries.ListExceptionEntriesRequest(
        filter=f"kind = {quoted(kind)}" if kind else "",
        order_by=LATEST,
        page_size=SHOWN_MAX,
        page_token=page_token,
    )
    incidents = queries.ListIncidentsRequest(
        filter='status = "OPEN"', order_by=LATEST, page_size=SHOWN_MAX
    )
    listed, found, owed, refunds, tables = await asyncio.gather(
        client.call(client.query.ListExceptionEntries, listing),
        client.call(client.query.ListIncidents, incidents),
        _maybe(client.call(client.settlement.ListOpenItems, money.ListOpenItemsRequest())),
        _maybe(client.call(client.wager.ListOpenItems, wagers.ListOpenItemsRequest())),
        pit(client),
    )
    parked, lag, unheard = await _lags(client, [table.table_id for table in tables.tables])
    asked = (("settlement", owed), ("wager", refunds))
    items = [(name, each) for name, told in asked if told.answer for each in told.answer.items]
    return Exceptions(
        entries=tuple(listed.items),
        next_token=listed.next_page_token,
        incidents=tuple(found.items),
        open_items=tuple(items),
        parked=parked,
        lag=lag,
        untold=tuple((name, told.why) for name, told in asked if told.why),
        unheard=unheard,
    )


async def _lags(
    client: Client, table_ids: Sequence[str]
) -> tuple[
    tuple[tuple[str, str, Any], ...],
    tuple[tuple[str, str, str, int], ...],
    tuple[tuple[str, int, str], ...],
]:
    """Which service does not get on with which table, how much it has not handled, who did not tell."""
    gate = asyncio.Semaphore(LAGS_AT_A_TIME)
    asks: dict[str, tuple[Any, Callable[..., Any]]] = {
        "shoe": (client.shoe.GetTableProgress, shoes.GetTableProgressRequest),
        "round": (client.round.GetTableProgress, GetTableProgressRequest),
        "wager": (client.wager.GetTableProgress, wagers.GetTableProgressRequest),
        "settlement": (client.settlement.GetTableProgress, money.GetTableProgressRequest),
    }

    async def of_table(table_id: str) -> dict[str, Told]:
        async with gate:
            answers = await asyncio.gather(
                *(
                    _maybe(client.call(method, make(table_id=table_id)))
                    for method, make in asks.values()
                )
            )
        return dict(zip(asks, answers, strict=True))

    found = await asyncio.gather(*map(of_table, table_ids))
    parked: list[tuple[str, str, Any]] = []
    lag: list[tuple[str, str, str, int]] = []
    unheard = Counter(
        (name, told.why) for parts in found for name, told in parts.items() if told.why
    )
    for table_id, parts in zip(table_ids, found, strict=True):
        answers = {name: told.answer for name, told in parts.items()}
        published = {
            name: answer.progress.published_position for name, answer in answers.items() if answer
        }
        for service, answer in answers.items():
            if answer is None:
                continue
            parked += [(service, table_id, each) for each in answer.progress.parked]
            for handled in answer.progress.handled:
                behind = published.get(handled.upstream, 0) - handled.position
                if behind > 0:
                    lag.append((service, table_id, handled.upstream, behind))
    missing = tuple((name, tables, why) for (name, why), tables in unheard.items())
    return tuple(parked), tuple(lag), missing
