"""What is looked at every few minutes: rights to the views, and results that drift from the odds."""

from __future__ import annotations

import asyncio
import logging
from typing import Final, NoReturn

from services.chassis import projection, telemetry
from services.chassis.postgres import Pool
from services.chassis.projection import UnknownProjection
from services.chassis.telemetry import Kind, Metric
from services.settlement.reports import views
from services.settlement.reports.projection import REPORTS
from services.settlement.reports.results import drifting

LOOK_S: Final = 300.0
BEGIN_S: Final = 5.0
"""Until the first look: the projection makes the views meanwhile."""

telemetry.declare(
    Metric(
        "sabot.results.drift",
        Kind.GAUGE,
        "{group}",
        "live tables, rulebooks or dealers whose results lie outside 5 sigma of the exact odds",
        ("by",),
    ),
)

_log = logging.getLogger(__name__)


async def looked(pool: Pool) -> None:
    """Look once: give the role its rights, and measure the drift of all that was played."""
    async with pool.acquire() as connection:
        try:
            live = await projection.live(connection, REPORTS)
        except UnknownProjection:
            return
        async with connection.transaction():
            await views.grant(connection)
    for by, groups in (await drifting(pool, live.schema, live.position)).items():
        telemetry.gauge("sabot.results.drift", groups, by=by)


async def look(pool: Pool) -> NoReturn:
    """Look for ever."""
    await asyncio.sleep(BEGIN_S)
    while True:
        try:
            await looked(pool)
        except Exception:  # noqa: BLE001 - whatever it is, it is logged and tried again
            _log.exception("the upkeep of reports failed; next in %.0f s", LOOK_S)
        await asyncio.sleep(LOOK_S)
