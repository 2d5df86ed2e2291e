"""The wager service as a process: the only place where its parts are put together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from sabot.wager.v1 import wager_service_pb2_grpc as pb_grpc
from sabot.wager.v1 import wallet_service_pb2_grpc as wallet_grpc
from services.chassis import rpc
from services.chassis.app import Runtime, ServiceDefinition, background, run_service
from services.chassis.lifecycle import Part
from services.chassis.migrations import Package
from services.chassis.timers import Timers
from services.contracts import round as table
from services.contracts import settlement
from services.contracts.access import ACCESS
from services.contracts.common import RulebookActivated
from services.rules.roles import ROLES
from services.wager import domain
from services.wager.api import WagerService
from services.wager.commands import ExpireDebits
from services.wager.companion import WagerCompanion
from services.wager.config import WagerSettings
from services.wager.inputs import INPUTS, WALLET_INPUTS
from services.wager.wallet_api import WalletService

TIMERS_STOP_S = 1.0


def _companion(_: Runtime) -> WagerCompanion:
    return WagerCompanion()


def _servicers(runtime: Runtime) -> Sequence[rpc.Served]:
    return [
        rpc.Served(
            "sabot.wager.v1.WagerService",
            pb_grpc.add_WagerServiceServicer_to_server,
            WagerService(runtime),
            INPUTS,
        ),
        rpc.Served(
            "sabot.wager.v1.WalletService",
            wallet_grpc.add_WalletServiceServicer_to_server,
            WalletService(runtime),
            WALLET_INPUTS,
        ),
    ]


def _parts(runtime: Runtime) -> Sequence[Part]:
    if not runtime.works:
        return ()

    async def run() -> None:
        timers = Timers(
            runtime,
            next_due_us=domain.next_due_us,
            command=ExpireDebits,
            begins=RulebookActivated.type,
        )
        await timers.run()

    return (background(runtime, "timers", run, stop_budget_s=TIMERS_STOP_S),)


DEFINITION = ServiceDefinition(
    name=domain.SERVICE,
    aggregate=domain,
    settings=WagerSettings,
    migrations=(Package("wager", files("services.wager.migrations")),),
    hears={module.SERVICE: module.EVENTS.keys() for module in (table, settlement)},
    roles=frozenset(ROLES),
    access=ACCESS,
    companion=_companion,
    servicers=_servicers,
    parts=_parts,
    secret_keys=frozenset(),
)


def main(argv: Sequence[str]) -> int:
    """Run the service; returns its exit status."""
    return run_service(DEFINITION, argv)
