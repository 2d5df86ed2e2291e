"""The settlement service as a process: the only place where its parts are put together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from sabot.query.v1 import query_service_pb2_grpc as query_grpc
from sabot.query.v1 import watch_service_pb2_grpc as watch_grpc
from sabot.settlement.v1 import report_service_pb2_grpc as report_grpc
from sabot.settlement.v1 import settlement_service_pb2_grpc as pb_grpc
from sabot.wager.v1 import wallet_service_pb2_grpc as wallet_grpc
from services.chassis import rpc
from services.chassis.app import Runtime, ServiceDefinition, background, run_service
from services.chassis.lifecycle import Part
from services.chassis.migrations import Package
from services.chassis.projection import OwnLog, Projector
from services.contracts import round as table
from services.contracts import shoe, wager
from services.contracts.access import ACCESS
from services.rules.roles import ROLES
from services.settlement import domain
from services.settlement.api import SettlementService
from services.settlement.companion import SettlementCompanion, among
from services.settlement.config import SettlementSettings
from services.settlement.delivery import CREDIT_DEADLINE_S, Delivery
from services.settlement.inputs import INPUTS, QUERY_INPUTS
from services.settlement.measures import SETTLING, Owing, measure
from services.settlement.projections import PROJECTIONS
from services.settlement.queries.api import QueryService
from services.settlement.queries.watch_api import WatchService
from services.settlement.reports import upkeep
from services.settlement.reports.api import ReportService
from services.settlement.waiting import Pauses

PROJECTION_STOP_S = 0.5
DELIVERY_STOP_S = 1.0
OWING_STOP_S = 0.5
UPKEEP_STOP_S = 0.5


def _companion(runtime: Runtime) -> SettlementCompanion:
    return SettlementCompanion(among(runtime.settings.wallet.coup_credits))


def _servicers(runtime: Runtime) -> Sequence[rpc.Served]:
    return [
        rpc.Served(
            "sabot.settlement.v1.SettlementService",
            pb_grpc.add_SettlementServiceServicer_to_server,
            SettlementService(runtime),
            INPUTS,
        ),
        rpc.Served(
            "sabot.query.v1.QueryService",
            query_grpc.add_QueryServiceServicer_to_server,
            QueryService(runtime),
            QUERY_INPUTS,
        ),
        rpc.Served(
            "sabot.query.v1.WatchService",
            watch_grpc.add_WatchServiceServicer_to_server,
            WatchService(runtime),
            QUERY_INPUTS,
        ),
        rpc.Served(
            "sabot.settlement.v1.ReportService",
            report_grpc.add_ReportServiceServicer_to_server,
            ReportService(runtime),
            INPUTS,
        ),
    ]


def _parts(runtime: Runtime) -> Sequence[Part]:
    if not runtime.works:
        return ()

    def project(kind: type[Any]) -> Part:
        async def run() -> None:
            await Projector(kind(), OwnLog(runtime.store), runtime.pool).run()

        return background(runtime, kind.name, run, stop_budget_s=PROJECTION_STOP_S)

    async def deliver() -> None:
        channel = runtime.connect(
            runtime.settings.wallet.target,
            deadline_s=CREDIT_DEADLINE_S,
            repeatable=["sabot.wager.v1.WalletService"],
            tls=None,
        )
        try:
            stub = wallet_grpc.WalletServiceStub(channel)
            told = runtime.settings.wallet
            zero, pauses = among(told.zero_credits), Pauses(told.pause_s, told.pause_max_s)
            await Delivery(runtime, stub, zero_credits=zero, pauses=pauses).run()
        finally:
            await channel.close()

    async def look() -> None:
        await Owing(runtime.pool).run()

    async def look_at_reports() -> None:
        await upkeep.look(runtime.pool)

    return (
        background(runtime, "owing", look, stop_budget_s=OWING_STOP_S),
        background(runtime, "upkeep", look_at_reports, stop_budget_s=UPKEEP_STOP_S),
        *map(project, PROJECTIONS),
        background(runtime, "delivery", deliver, stop_budget_s=DELIVERY_STOP_S),
    )


DEFINITION = ServiceDefinition(
    name=domain.SERVICE,
    aggregate=domain,
    settings=SettlementSettings,
    migrations=(Package("settlement", files("services.settlement.migrations")),),
    hears={module.SERVICE: module.EVENTS.keys() for module in (shoe, table, wager)},
    roles=frozenset(ROLES),
    access=ACCESS,
    companion=_companion,
    servicers=_servicers,
    parts=_parts,
    intervals=SETTLING,
    measure=measure,
    secret_keys=frozenset(),
)


def main(argv: Sequence[str]) -> int:
    """Run the service; returns its exit status."""
    return run_service(DEFINITION, argv)
