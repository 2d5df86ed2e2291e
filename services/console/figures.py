"""What a table's gaming day has come to, as the pit shows it: from the house's own report."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any, Final

import grpc
from msgspec import Struct

from sabot.settlement.v1 import report_service_pb2 as reports
from sabot_client import CallFailed, Client
from services.console.reading import NOT_FOR_YOU, NOT_KNOWN

REPORT: Final = "hold-by-table"
AGAIN_S: Final = 30.0
"""A live page asks again so often: the figures are folded from all that was decided in a day."""


class Figures(Struct, frozen=True):
    """Of one table in one currency."""

    currency: str
    turnover_minor: int
    """Cash stakes that a result decided."""

    win_minor: int
    """Of the house."""

    hold: str
    """Win / drop, where a drop was counted; else nothing."""

    win_rate: str
    """Win / turnover; nothing where there is none."""


class Day(Struct, frozen=True):
    """The figures of all tables, each on its own gaming day."""

    by_table: Mapping[str, tuple[Figures, ...]] = {}
    why: str = ""
    """Why they were not told, or not all of them."""


async def of_the_day(client: Client, tables: Iterable[Any]) -> Day:
    """What the gaming day of each table has come to: one report for each day and mode there is."""
    wanted: dict[tuple[str, bool], set[str]] = {}
    for table in tables:
        if table.latest_gaming_day:
            wanted.setdefault((table.latest_gaming_day, table.test), set()).add(table.table_id)
    told = await asyncio.gather(
        *(_told(client, day, test, ids) for (day, test), ids in sorted(wanted.items()))
    )
    found: dict[str, tuple[Figures, ...]] = {}
    for each in told:
        found.update(each.by_table)
    return Day(found, next((each.why for each in told if each.why), ""))


async def _told(client: Client, day: str, test: bool, table_ids: set[str]) -> Day:  # noqa: FBT001
    request = reports.GetReportRequest(name=REPORT, from_day=day, to_day=day, test=test)
    found: dict[str, tuple[Figures, ...]] = {}
    columns: list[str] = []
    try:
        async for part in client.stream(client.report.GetReport, request):
            if part.HasField("header"):
                columns = [column.name for column in part.header.report.columns]
            for row in part.rows.rows:
                cells = dict(zip(columns, row.cells, strict=True))
                if (table_id := cells["table_id"]) in table_ids:
                    found[table_id] = (*found.get(table_id, ()), _figures(cells))
    except CallFailed as failed:
        if failed.code is grpc.StatusCode.UNAUTHENTICATED:
            raise
        not_for_you = failed.code is grpc.StatusCode.PERMISSION_DENIED
        return Day(why=NOT_FOR_YOU if not_for_you else NOT_KNOWN)
    return Day(found)


def _figures(cells: Mapping[str, str]) -> Figures:
    return Figures(
        currency=cells["currency"],
        turnover_minor=int(cells["turnover_minor"]),
        win_minor=int(cells["win_minor"]),
        hold=cells["hold"],
        win_rate=cells["win_rate"],
    )
