"""The round service as a process: the only place where its parts are put together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from sabot.round.v1 import round_service_pb2_grpc as pb_grpc
from services.chassis import rpc
from services.chassis.app import Runtime, ServiceDefinition, background, run_service
from services.chassis.lifecycle import Part
from services.chassis.migrations import Package
from services.chassis.timers import Timers
from services.contracts import settlement, shoe, wager
from services.contracts.access import ACCESS
from services.contracts.round import TableOpened
from services.round import domain
from services.round.api import RoundService
from services.round.commands import AdvanceTime
from services.round.companion import RoundCompanion
from services.round.config import RoundSettings
from services.round.inputs import INPUTS
from services.round.measures import BOOK, COUP
from services.rules.roles import ROLES

TIMERS_STOP_S = 1.0


def _companion(_: Runtime) -> RoundCompanion:
    return RoundCompanion()


def _servicers(runtime: Runtime) -> Sequence[rpc.Served]:
    return [
        rpc.Served(
            "sabot.round.v1.RoundService",
            pb_grpc.add_RoundServiceServicer_to_server,
            RoundService(runtime),
            INPUTS,
        )
    ]


def _parts(runtime: Runtime) -> Sequence[Part]:
    if not runtime.works:
        return ()

    async def run() -> None:
        timers = Timers(
            runtime,
            next_due_us=domain.next_due_us,
            command=AdvanceTime,
            begins=TableOpened.type,
        )
        await timers.run()

    return (background(runtime, "timers", run, stop_budget_s=TIMERS_STOP_S),)


DEFINITION = ServiceDefinition(
    name=domain.SERVICE,
    aggregate=domain,
    settings=RoundSettings,
    migrations=(Package("round", files("services.round.migrations")),),
    hears={module.SERVICE: module.EVENTS.keys() for module in (shoe, wager, settlement)},
    roles=frozenset(ROLES),
    access=ACCESS,
    companion=_companion,
    servicers=_servicers,
    parts=_parts,
    intervals=(BOOK, COUP),
    secret_keys=frozenset(),
)


def main(argv: Sequence[str]) -> int:
    """Run the service; returns its exit status."""
    return run_service(DEFINITION, argv)
