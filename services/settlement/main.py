"""The settlement service as a process: the only place where its parts are put together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from sabot.settlement.v1 import settlement_service_pb2_grpc as pb_grpc
from sabot.wager.v1 import wallet_service_pb2_grpc as wallet_grpc
from services.chassis import rpc
from services.chassis.app import Runtime, ServiceDefinition, background, run_service
from services.chassis.lifecycle import Part
from services.chassis.migrations import Package
from services.chassis.projection import OwnLog, Projector
from services.chassis.work import PlainCompanion
from services.contracts import round as table
from services.contracts import shoe, wager
from services.contracts.access import ACCESS
from services.rules.roles import ROLES
from services.settlement import domain
from services.settlement.api import SettlementService
from services.settlement.config import SettlementSettings
from services.settlement.delivery import CREDIT_DEADLINE_S, Delivery
from services.settlement.inputs import INPUTS
from services.settlement.measures import SETTLING, Owing, measure
from services.settlement.projections import CoupStories

PROJECTIONS_STOP_S = 1.0
DELIVERY_STOP_S = 1.0
OWING_STOP_S = 0.5


def _companion(_: Runtime) -> PlainCompanion:
    return PlainCompanion(domain)


def _servicers(runtime: Runtime) -> Sequence[rpc.Served]:
    return [
        rpc.Served(
            "sabot.settlement.v1.SettlementService",
            pb_grpc.add_SettlementServiceServicer_to_server,
            SettlementService(runtime),
            INPUTS,
        )
    ]


def _parts(runtime: Runtime) -> Sequence[Part]:
    if not runtime.works:
        return ()

    async def project() -> None:
        await Projector(CoupStories(), OwnLog(runtime.store), runtime.pool).run()

    async def deliver() -> None:
        channel = runtime.connect(
            runtime.settings.wallet.target,
            deadline_s=CREDIT_DEADLINE_S,
            repeatable=["sabot.wager.v1.WalletService"],
            tls=None,
        )
        try:
            stub = wallet_grpc.WalletServiceStub(channel)
            zero_credits = runtime.settings.wallet.zero_credits
            await Delivery(runtime, stub, zero_credits=zero_credits).run()
        finally:
            await channel.close()

    async def look() -> None:
        await Owing(runtime.pool).run()

    return (
        background(runtime, "owing", look, stop_budget_s=OWING_STOP_S),
        background(runtime, "projections", project, stop_budget_s=PROJECTIONS_STOP_S),
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
