"""`sabot report` as a command: rows go on as they come, and a file is whole or not there."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Self

import pytest

from sabot.settlement.v1 import report_service_pb2 as pb
from services.cli import report
from services.cli.errors import CommandFailed

COLUMNS = (("coup_id", "text"), ("win_minor", "minor units"))


def header() -> pb.GetReportResponse:
    described = pb.ReportDescription(
        name="coups", title="Coups", version=1, columns=[
            pb.ReportColumn(name=name, unit=unit) for name, unit in COLUMNS
        ]
    )  # fmt: skip
    return pb.GetReportResponse(header=pb.ReportHeader(report=described, as_of_position=7))


def rows(first: int, many: int) -> pb.GetReportResponse:
    told = [pb.ReportRow(cells=[f"T1:1:{n}", str(n)]) for n in range(first, first + many)]
    return pb.GetReportResponse(rows=pb.ReportRows(rows=told))


def ending(many: int) -> pb.GetReportResponse:
    return pb.GetReportResponse(ending=pb.ReportEnding(rows=many, digest="d" * 64))


class Answering:
    """Services that give these parts."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = parts

    @classmethod
    def named(cls, _: Path | None) -> Self:
        return cls(())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    parts: list[Any] = []

    async def given(_services: Any, _request: Any) -> AsyncIterator[Any]:
        for part in parts:
            yield part

    monkeypatch.setattr(report, "Services", Answering)
    monkeypatch.setattr(report, "use_local_stack", lambda: None)
    monkeypatch.setattr(report, "_parts", given)
    return parts


def run(form: str, folder: Path | None = None) -> str:
    out = io.StringIO()
    request = pb.GetReportRequest(name="coups")
    asked = report.Asked(request=request, form=form, token=None, folder=folder)
    assert report.main(asked, out, io.StringIO()) == 0
    return out.getvalue()


@pytest.mark.parametrize("form", ["csv", "text"])
def test_a_folder_gets_the_lines_that_are_printed_and_a_manifest_of_them(
    answers: list[Any], tmp_path: Path, form: str
) -> None:
    """R-01: with --out a report is CSV unless it is said otherwise."""
    answers += [header(), rows(1, 500), rows(501, 3), ending(503)]
    printed = run("csv")
    assert printed.count("T1:1:") == 503
    assert run(form, tmp_path).splitlines() == [
        str(tmp_path / "coups.csv"),
        str(tmp_path / "coups.manifest.json"),
    ]
    content = (tmp_path / "coups.csv").read_bytes()
    assert content.decode() == printed
    [file] = json.loads((tmp_path / "coups.manifest.json").read_text())["files"]
    assert file == {"name": "coups.csv", "sha256": hashlib.sha256(content).hexdigest()}
    assert len(list(tmp_path.iterdir())) == 2


def test_rows_of_csv_are_kept_no_longer_than_until_they_are_written(
    answers: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many there are: a year's settlements are millions."""
    most = 0
    pass_on = report._pass_on

    def watched(so_far: report.Report, part: Any, csv: Any) -> None:
        nonlocal most
        most = max(most, len(so_far.rows))
        pass_on(so_far, part, csv)

    monkeypatch.setattr(report, "_pass_on", watched)
    answers += [header(), *(rows(n * 500, 500) for n in range(20)), ending(10_000)]
    assert run("csv").count("T1:1:") == 10_000
    assert most == 500


def test_a_report_that_broke_off_leaves_no_file(answers: list[Any], tmp_path: Path) -> None:
    answers += [header(), rows(1, 500)]
    with pytest.raises(CommandFailed, match="broke off"):
        run("csv", tmp_path)
    assert list(tmp_path.iterdir()) == []
