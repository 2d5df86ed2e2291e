"""The search: one box for whatever somebody has in his hand, and the list of coups by its fields."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

import grpc
from msgspec import Struct

from sabot.query.v1 import query_service_pb2 as queries
from sabot_client import CallFailed, Client
from services.console.reading import LATEST, SHOWN_MAX, quoted

COUP_ID: Final = re.compile(r"^[^:/\s]+:\d+:\d+$")
STATUSES: Final = ("OPEN", "SETTLED", "NO_BET", "BACKFILLED", "VOID", "TERMINATED", "INVALIDATED")
WINNERS: Final = ("PLAYER", "BANKER", "TIE")
GONE: Final = frozenset({grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT})


class Faulty(ValueError):
    """Something in a field of the search that cannot be looked for."""


class Found(Struct, frozen=True):
    """What was found for the words in the box."""

    wagers: tuple[Any, ...] = ()
    recalled: tuple[Any, ...] = ()


class Listed(Struct, frozen=True):
    """A page of coups."""

    coups: tuple[Any, ...]
    next_token: str
    as_of_us: int


def table_path(table_id: str) -> str:
    """The address of a table's screen."""
    return f"/tables/{quote(table_id, safe='')}"


def coup_path(coup_id: str) -> str:
    """The address of a coup's screen."""
    return f"/coups/{quote(coup_id, safe='')}"


async def direct(client: Client, words: str) -> str:
    """The address of what an id names: a coup, a table or a wager; empty where it names none."""
    if COUP_ID.match(words):
        coup = await _there(client.query.GetCoup, queries.GetCoupRequest, words, client)
        return coup_path(coup.id) if coup else ""
    if "/" in words:
        wager = await _there(client.query.GetWager, queries.GetWagerRequest, words, client)
        return coup_path(wager.coup_id) if wager and wager.coup_id else ""
    table = await _there(client.query.GetTable, queries.GetTableRequest, words, client)
    return table_path(table.table_id) if table else ""


async def _there(method: Any, make: Any, words: str, client: Client) -> Any:
    try:
        return (await client.call(method, make(id=words))).item
    except CallFailed as failed:
        if failed.code in GONE:
            return None
        raise


async def found(client: Client, words: str) -> Found:
    """Wagers of a movement of money, and the last coups of a player."""
    movement = queries.FindWagersRequest(movement_id=words)
    recall = queries.GetPlayerRecallRequest(player=words, coups=SHOWN_MAX)
    of_movement = await _or_nothing(client, client.query.FindWagers, movement)
    recalled = await _or_nothing(client, client.query.GetPlayerRecall, recall)
    return Found(
        wagers=tuple(of_movement.items) if of_movement else (),
        recalled=tuple(recalled.coups) if recalled else (),
    )


async def _or_nothing(client: Client, method: Any, request: Any) -> Any:
    try:
        return await client.call(method, request)
    except CallFailed as failed:
        if failed.code in {*GONE, grpc.StatusCode.PERMISSION_DENIED}:
            return None
        raise


async def listed(client: Client, fields: Mapping[str, str]) -> Listed:
    """Coups by table, gaming day, time (UTC), status, result and shoe; latest first.

    Raises `Faulty` naming a field that cannot be read.
    """
    request = queries.ListCoupsRequest(
        table_id=fields.get("table", ""),
        gaming_day=_day(fields.get("day", "")),
        from_us=_instant_us("from", fields.get("from", "")),
        until_us=_instant_us("until", fields.get("until", "")),
        filter=" AND ".join(_conditions(fields)),
        order_by=LATEST,
        page_size=SHOWN_MAX,
        page_token=fields.get("page", ""),
    )
    page = await client.call(client.query.ListCoups, request)
    return Listed(tuple(page.items), page.next_page_token, page.as_of_us)


def _conditions(fields: Mapping[str, str]) -> Iterator[str]:
    for name, field, known in (("status", "status", STATUSES), ("winner", "winner", WINNERS)):
        value = fields.get(name, "")
        if value:
            if value not in known:
                raise Faulty(f"{name} is none of {', '.join(known)}")
            yield f'{field} = "{value}"'
    if fields.get("corrected"):
        yield "revision >= 2"
    if fields.get("shoe"):
        yield f"shoe_id = {quoted(fields['shoe'])}"


def _day(text: str) -> str:
    if text:
        try:
            return dt.date.fromisoformat(text).isoformat()
        except ValueError:
            raise Faulty("the gaming day is no date such as 2026-11-30") from None
    return text


def _instant_us(name: str, text: str) -> int:
    """Read what a field of date and time holds, as UTC."""
    if not text:
        return 0
    try:
        instant = dt.datetime.fromisoformat(text)
    except ValueError:
        raise Faulty(f"{name} is no date and time such as 2026-11-30T18:00") from None
    if instant.tzinfo is not None:
        raise Faulty(f"{name} is UTC, and without an offset")
    return int(instant.replace(tzinfo=dt.UTC).timestamp()) * 1_000_000
