"""Reports as calls, where there is nothing to make one from yet."""

from __future__ import annotations

from typing import Any

import pytest

from sabot.settlement.v1 import report_service_pb2 as pb
from services.chassis.projection import Projector
from services.chassis.rpc_errors import InvalidCommand, Unavailable
from services.settlement.reports.api import ReportService
from services.settlement.reports.projection import REPORTS, ReportFacts
from tests.support.facts import Facts
from tests.support.journal import Kept
from tests.support.queried import runtime

pytestmark = [pytest.mark.timeout(120), pytest.mark.asyncio(loop_scope="session")]


async def asked(facts: Facts) -> list[Any]:
    service = ReportService(runtime(facts.pool))
    return [part async for part in service.GetReport(pb.GetReportRequest(name="coups"), None)]


async def test_facts_of_another_release_are_not_read(facts: Facts) -> None:
    """Nor is it a bug that there are none yet: the caller is told to come again."""
    with pytest.raises(Unavailable) as none:
        await asked(facts)
    await Projector(ReportFacts(), Kept([]), facts.pool).prepare()
    try:
        await facts.pool.execute("update projections set version = version + 1")
        with pytest.raises(Unavailable) as other:
            await asked(facts)
    finally:
        await facts.pool.execute("delete from projections where name = $1", REPORTS)
    assert {none.value.stable_reason, other.value.stable_reason} == {"FOLDING"}


async def test_a_report_that_broke_off_goes_on_as_of_its_own_position(facts: Facts) -> None:
    """Counted from another position, rows would be left out or told twice."""
    request = pb.GetReportRequest(name="coups", after_row=500)
    with pytest.raises(InvalidCommand, match="counted as of a position") as refused:
        _ = [part async for part in ReportService(runtime(facts.pool)).GetReport(request, None)]
    [fault] = refused.value.fields
    assert (fault.field, "as_of_token" in fault.problem) == ("after_row", True)
