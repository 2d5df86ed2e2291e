"""`sabot report`: reports as of a position, on the terminal or as files with a manifest."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, Any, Final, TextIO

import grpc
from msgspec import Struct
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn

from sabot.settlement.v1 import report_service_pb2 as pb
from services.cli.console import print_table
from services.cli.errors import DONE, FAILED, CommandFailed, PartMissing, WrongUse
from services.cli.local import use_local_stack
from services.settlement.reports import files
from services.settlement.reports.report import Kind, instant
from services.tablelog.calls import Services, words_of

DEADLINE_S: Final = 3_600.0
LIST_DEADLINE_S: Final = 30.0
FORMATS: Final = ("text", "csv", "parquet")
_WORDS: Final = frozenset({Kind.TEXT.value, Kind.DATE.value, Kind.INSTANT.value, Kind.FLAG.value})


class Asked(Struct, frozen=True, kw_only=True):
    """What is wanted, and in which form."""

    request: Any
    """A `GetReportRequest`."""

    form: str
    token: Path | None
    folder: Path | None
    """Where the files go; none: to the standard output."""


class Report(Struct, kw_only=True):
    """What has come of a report so far."""

    head: files.Head
    rows: list[tuple[str, ...]]
    """Those that are not written yet: in CSV they go as they come, however many there are."""

    came: int = 0
    foot: files.Foot | None = None


def main(asked: Asked, out: TextIO, err: IO[str]) -> int:
    """Print a report or write it; 1 where its totals do not fulfil its equations."""
    if asked.form == "parquet" and asked.folder is None:
        raise WrongUse("parquet takes --out, a folder")
    use_local_stack()
    written = None
    if asked.folder is not None and asked.form != "parquet":
        report, written = _csv_file(asked, asked.folder, err)
    else:
        report = asyncio.run(_fetched(asked, err, out if asked.form == "csv" else None))
    assert report.foot is not None
    if asked.folder is not None:
        out.writelines(f"{name}\n" for name in _written(report, asked.folder, written))
    elif asked.form == "text":
        _print(report, out)
    return DONE if report.foot.reconciles else FAILED


def show_list(out: TextIO, token: Path | None) -> int:
    """Name every report with what it is about and what it can be cut by."""
    use_local_stack()
    reports = asyncio.run(_listed(token))
    rows = [
        (each.name, each.title, "days" if each.period else "position", ", ".join(each.filters))
        for each in reports
    ]
    print_table(out, ("report", "title", "of", "cut by"), rows, left=4)
    return DONE


async def _listed(token: Path | None) -> Any:
    async with Services.named(token) as services:
        try:
            answer = await services.stub("report").ListReports(
                pb.ListReportsRequest(), timeout=LIST_DEADLINE_S
            )
        except grpc.aio.AioRpcError as error:
            raise CommandFailed(f"settlement does not answer: {error.details()}") from error
    return answer.reports


async def _fetched(asked: Asked, err: IO[str], csv: TextIO | None) -> Report:
    """The report; with `csv`, its lines go there as they come, and no rows are kept."""
    console = Console(file=err)
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    report: Report | None = None
    async with Services.named(asked.token) as services:
        with Progress(*columns, console=console, disable=not console.is_terminal) as shown:
            task = shown.add_task(asked.request.name)
            try:
                async for part in _parts(services, asked.request):
                    report = _taken(report, part)
                    if csv is not None:
                        _pass_on(report, part, csv)
                    shown.update(task, description=f"{asked.request.name}: {report.came:,} rows")
            except grpc.aio.AioRpcError as error:
                raise CommandFailed(f"{asked.request.name}: {words_of(error)}") from error
    if report is None or report.foot is None:
        raise CommandFailed(f"{asked.request.name}: the report broke off")
    return report


async def _parts(services: Services, request: Any) -> AsyncIterator[Any]:
    async for part in services.stub("report").GetReport(request, timeout=DEADLINE_S):
        yield part


def _taken(report: Report | None, part: Any) -> Report:
    if part.HasField("header"):
        return Report(head=_head(part.header), rows=[])
    assert report is not None, "the header comes first"
    if part.HasField("rows"):
        report.rows += [tuple(row.cells) for row in part.rows.rows]
        report.came += len(part.rows.rows)
    else:
        report.foot = _foot(part.ending)
    return report


def _pass_on(report: Report, part: Any, csv: TextIO) -> None:
    """Write what a part has brought."""
    if part.HasField("header"):
        csv.writelines(files.csv_lines(report.head, ()))
    csv.writelines(files.csv_rows(report.head, report.rows))
    report.rows.clear()
    if report.foot is not None:
        csv.writelines(files.csv_ending(report.foot))


def _head(header: Any) -> files.Head:
    days = header.from_day, header.to_day
    period = "all days" if not any(days) else " to ".join(day or "..." for day in days)
    return files.Head(
        name=header.report.name,
        title=header.report.title,
        version=header.report.version,
        columns=tuple((column.name, column.unit) for column in header.report.columns),
        software=header.software,
        zones=header.zones,
        as_of_position=header.as_of_position,
        as_of_token=header.as_of_token,
        period=period if header.report.period else "of the position",
        filters=dict(header.filters),
        formula=header.report.formula,
        generated_at_us=header.generated_at_us,
    )


def _foot(ending: Any) -> files.Foot:
    return files.Foot(
        rows=ending.rows,
        totals=tuple(
            files.Sums(
                currency=each.currency,
                rows=each.rows,
                sums=dict(each.sums),
                checks={check.equation: check.holds for check in each.checks},
            )
            for each in ending.totals
        ),
        digest=ending.digest,
    )


def _print(report: Report, out: TextIO) -> None:
    assert report.foot is not None
    out.writelines(f"{line}\n" for line in files.above(report.head))
    out.write(f"generated {instant(report.head.generated_at_us)}\n\n")
    if report.rows:
        columns = report.head.columns
        # Words stand to the left; they come first in every report.
        left = next((n for n, (_, unit) in enumerate(columns) if unit not in _WORDS), len(columns))
        print_table(out, [name for name, _ in columns], report.rows, left=left)
        out.write("\n")
    out.writelines(f"{line}\n" for line in files.below(report.foot))


def _csv_file(asked: Asked, folder: Path, err: IO[str]) -> tuple[Report, Path]:
    """The report as a file of CSV, which has its name once it is whole."""
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{os.getpid()}.csv.part"
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as csv:
            report = asyncio.run(_fetched(asked, err, csv))
        path = folder / f"{report.head.name}.csv"
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return report, path


def _written(report: Report, folder: Path, written: Path | None) -> Iterator[Path]:
    """Write the manifest, and the rows where no file holds them yet; yields what was written."""
    assert report.foot is not None
    if written is None:
        folder.mkdir(parents=True, exist_ok=True)
        written = folder / f"{report.head.name}.parquet"
        written.write_bytes(_parquet(report))
    yield written
    with written.open("rb") as content:
        held = {written.name: hashlib.file_digest(content, "sha256").hexdigest()}
    manifest = folder / f"{report.head.name}.manifest.json"
    manifest.write_bytes(files.manifest(report.head, report.foot, held))
    yield manifest


def _parquet(report: Report) -> bytes:
    try:
        return files.parquet(report.head, report.rows)
    except ModuleNotFoundError as error:
        raise PartMissing(
            "Parquet takes the extra export: .venv/bin/pip install -e '.[export]' in a checkout"
        ) from error
