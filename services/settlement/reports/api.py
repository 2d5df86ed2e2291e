"""Calls for reports."""

from __future__ import annotations

import datetime as dt
from collections.abc import AsyncIterator
from typing import Any, Final

from sabot.settlement.v1 import report_service_pb2 as pb
from sabot.settlement.v1 import report_service_pb2_grpc as pb_grpc
from services.chassis import projection
from services.chassis.app import Runtime
from services.chassis.positions import read_position
from services.chassis.rpc_errors import FieldFault, InvalidCommand, NotFound, Unavailable
from services.settlement import domain
from services.settlement.reports.asked import Asked, month_to, year_to
from services.settlement.reports.catalogue import REPORTS
from services.settlement.reports.engine import Ending, Header, WrongAsked, header, made
from services.settlement.reports.projection import REPORTS as PROJECTION
from services.settlement.reports.projection import ReportFacts
from services.settlement.reports.report import Report

BATCH_ROWS: Final = 500
_TO_DATE: Final = {"MONTH": month_to, "YEAR": year_to}


class ReportService(pb_grpc.ReportServiceServicer):
    """Reports as of a position."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    async def ListReports(self, request: Any, context: Any) -> pb.ListReportsResponse:
        """What reports there are."""
        return pb.ListReportsResponse(reports=[_described(report) for report in REPORTS.values()])

    async def GetReport(self, request: Any, context: Any) -> AsyncIterator[pb.GetReportResponse]:
        """A report: header, rows in batches, and its control totals."""
        report = REPORTS.get(request.name)
        if report is None:
            raise NotFound(f"there is no report {request.name}; ListReports names all")
        field = "as_of_token"
        position = read_position(request.as_of_token, service=domain.SERVICE, field=field)
        asked = _asked(request, position)
        _check(report, asked)
        if request.after_row and not position:
            fault = FieldFault("after_row", f"takes the {field} of the report that broke off")
            raise InvalidCommand("rows are counted as of a position", fields=[fault])
        live = await self._live()
        if position > live.position:
            await projection.reached(self.runtime.pool, PROJECTION, position)
            live = await self._live()
        if not position:
            asked = _asked(request, live.position)
        left_out = request.after_row
        batch: list[pb.ReportRow] = []
        async for part in made(report, asked, self.runtime.pool, live.schema):
            match part:
                case Header():
                    yield pb.GetReportResponse(header=self._header(report, part))
                case Ending():
                    if batch:
                        yield pb.GetReportResponse(rows=pb.ReportRows(rows=batch))
                    yield pb.GetReportResponse(ending=_ending(part))
                case _ if left_out:
                    left_out -= 1
                case _:
                    batch.append(pb.ReportRow(cells=part))
                    if len(batch) == BATCH_ROWS:
                        yield pb.GetReportResponse(rows=pb.ReportRows(rows=batch))
                        batch = []

    async def _live(self) -> projection.Live:
        """The facts in use: of this release, or it is told that they are not there yet."""
        async with self.runtime.pool.acquire() as connection:
            try:
                live = await projection.live(connection, PROJECTION)
            except projection.UnknownProjection:
                raise Unavailable("no facts were folded yet", reason="FOLDING") from None
        if live.version != ReportFacts.version:
            # Columns and meanings may be others than this code knows.
            raise Unavailable("facts are being folded for another release", reason="FOLDING")
        return live

    def _header(self, report: Report, above: Header) -> pb.ReportHeader:
        return pb.ReportHeader(
            report=_described(report),
            software=above.software,
            zones=above.zones,
            as_of_token=self.runtime.token(above.as_of),
            as_of_position=above.as_of,
            from_day=above.from_day,
            to_day=above.to_day,
            filters=above.filters,
            generated_at_us=self.runtime.clock.now_us(),
        )


def _check(report: Report, asked: Asked) -> None:
    """Refuse what the report cannot be cut by, before anything is waited for."""
    try:
        header(report, asked)
    except WrongAsked as wrong:
        fault = FieldFault(wrong.field, wrong.problem)
        raise InvalidCommand("the report cannot be had so", fields=[fault]) from wrong


def _asked(request: Any, position: int) -> Asked:
    from_day, to_day = _day(request, "from_day"), _day(request, "to_day")
    if request.to_date:
        if from_day is not None or to_day is None:
            fault = FieldFault("to_date", "takes to_day, and no from_day")
            raise InvalidCommand("the days do not stand", fields=[fault])
        from_day, to_day = _TO_DATE[request.to_date](to_day)
    return Asked(
        as_of=position,
        from_day=from_day,
        to_day=to_day,
        test=request.test,
        table_id=request.table_id,
        rulebook_id=request.rulebook_id,
        dealer=request.dealer,
        area=request.area,
        currency=request.currency,
        player=request.player,
        threshold_minor=request.threshold_minor,
    )


def _day(request: Any, field: str) -> dt.date | None:
    text = getattr(request, field)
    if not text:
        return None
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        fault = FieldFault(field, "is no day of the calendar")
        raise InvalidCommand("the days do not stand", fields=[fault]) from None


def _described(report: Report) -> pb.ReportDescription:
    return pb.ReportDescription(
        name=report.name,
        title=report.title,
        version=report.version,
        about=report.about,
        columns=[
            pb.ReportColumn(
                name=column.name,
                unit=column.kind.value,
                about=column.about,
                total=column.total,
            )
            for column in report.columns
        ],
        filters=report.filters,
        period=report.period,
        formula=report.formula,
    )


def _ending(ending: Ending) -> pb.ReportEnding:
    return pb.ReportEnding(
        rows=ending.rows,
        totals=[
            pb.ReportTotals(
                currency=each.currency,
                rows=each.rows,
                sums=each.sums,
                checks=[
                    pb.ReportCheck(equation=equation, holds=holds)
                    for equation, holds in each.reconciliation.items()
                ],
            )
            for each in ending.totals
        ],
        digest=ending.digest,
    )
