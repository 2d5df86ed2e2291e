"""Reports from the running services, and `sabot report`."""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from sabot.settlement.v1 import report_service_pb2 as pb
from sabot.settlement.v1 import settlement_service_pb2 as settlement_pb
from services.chassis.auth import development_credentials
from services.contracts.core import Actor
from services.devstack.stack import Stack
from services.settlement.reports.catalogue import REPORTS
from services.tablelog.calls import Services
from tests.e2e.support import fresh, played, sabot, short_table, written

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def table_id(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of three coups."""
    path = written(tmp_path_factory.mktemp("reports"), "table", short_table())
    run = fresh("reports")
    await played(stack, path, run)
    return f"{run}.1.T1"


async def parts(services: Services, **asked: Any) -> list[Any]:
    call = services.stub("report").GetReport(pb.GetReportRequest(**asked), timeout=30)
    return [part async for part in call]


async def reached(services: Services, table_id: str) -> str:
    """A token behind all that happened at the table."""
    answer = await services.stub("settlement").GetTableProgress(
        settlement_pb.GetTableProgressRequest(table_id=table_id)
    )
    assert answer.progress.own_position
    coup = await services.stub("settlement").GetCoup(
        settlement_pb.GetCoupRequest(coup_id=f"{table_id}:1:3")
    )
    return str(coup.as_of_token)


async def test_a_report_is_asked_for_and_asked_for_again(stack: Stack, table_id: str) -> None:
    """As of a token it is the same once more, and it goes on behind any row."""
    async with Services(stack.targets) as services:
        token = await reached(services, table_id)
        cut = {"name": "settlements", "test": True, "table_id": table_id}
        header, rows, ending = await parts(services, as_of_token=token, **cut)
        assert header.header.as_of_token == token
        assert dict(header.header.filters) == {"mode": "TEST", "table_id": table_id}
        assert ending.ending.rows == len(rows.rows.rows) == 5
        (totals,) = ending.ending.totals
        assert totals.sums["turnover_minor"] == "6750"
        assert all(check.holds for check in totals.checks)
        again = await parts(services, as_of_token=token, after_row=3, **cut)
        assert list(again[1].rows.rows) == list(rows.rows.rows)[3:]
        assert again[2] == ending
        header, ending = await parts(services, name="settlements", table_id=table_id)
        assert (ending.ending.rows, dict(header.header.filters)["mode"]) == (0, "LIVE")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"name": "nothing"}, grpc.StatusCode.NOT_FOUND),
        ({"name": "coups", "from_day": "2026-02-30"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"name": "coups", "from_day": "2026"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"name": "coups", "to_date": "MONTH"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"name": "open-funds", "to_day": "2026-02-03"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"name": "coups", "area": "TIE"}, grpc.StatusCode.INVALID_ARGUMENT),
        ({"name": "coups", "as_of_token": "x"}, grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
async def test_what_cannot_be_had_is_refused(
    stack: Stack, asked: dict[str, Any], code: grpc.StatusCode
) -> None:
    async with Services(stack.targets) as services:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await parts(services, **asked)
        assert failed.value.code() is code


async def test_reports_are_not_for_players_and_dealers(stack: Stack) -> None:
    async with Services(stack.targets) as services:
        for role in ("PLAYER", "DEALER"):
            who = development_credentials(Actor("x1", role))()
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await services.stub("report").ListReports(pb.ListReportsRequest(), metadata=who)
            assert failed.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_the_command_prints_lists_and_writes(
    stack: Stack, table_id: str, tmp_path: Path
) -> None:
    """`sabot report`: on the terminal, and as CSV with its manifest, the same bytes again."""
    listed = await asyncio.to_thread(sabot, stack, "report", "--list")
    assert listed.returncode == 0, listed.stderr
    assert set(REPORTS) <= {line.split(" ")[0] for line in listed.stdout.splitlines()}

    cut = ("--test", "--table", table_id)
    shown = await asyncio.to_thread(sabot, stack, "report", "hold-by-area", *cut)
    assert shown.returncode == 0, shown.stderr
    assert "Turnover, win and theoretical win by area" in shown.stdout
    assert "turnover_minor = returned_minor + lost_minor + forfeited_minor: holds" in shown.stdout
    empty = await asyncio.to_thread(sabot, stack, "report", "coups", *cut, "--to", "1999-12-31")
    assert "No activity" in empty.stdout

    first, second = tmp_path / "first", tmp_path / "second"
    form = ("--format", "csv", "--out")
    done = await asyncio.to_thread(sabot, stack, "report", "coups", *cut, *form, str(first))
    assert done.returncode == 0, done.stderr
    manifest = json.loads((first / "coups.manifest.json").read_bytes())
    content = (first / "coups.csv").read_bytes()
    assert manifest["files"][0]["sha256"] == hashlib.sha256(content).hexdigest()
    rows = [row for row in csv.reader(content.decode().splitlines()) if not row[0].startswith("#")]
    assert [row[2] for row in rows] == ["coup_id", *(f"{table_id}:1:{n}" for n in (1, 2, 3))]
    as_of = ("--as-of", manifest["as_of_token"])
    again = await asyncio.to_thread(
        sabot, stack, "report", "coups", *cut, *as_of, *form, str(second)
    )
    assert again.returncode == 0, again.stderr
    assert (second / "coups.csv").read_bytes() == content

    wrong = await asyncio.to_thread(sabot, stack, "report", "coups", "--format", "pdf")
    assert wrong.returncode == 2
