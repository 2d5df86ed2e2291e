"""The shoe service as a process: the only place where its parts are put together."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from sabot.shoe.v1 import shoe_service_pb2_grpc as pb_grpc
from services.chassis import rpc
from services.chassis.app import Runtime, ServiceDefinition, run_service
from services.chassis.lifecycle import Part
from services.chassis.migrations import Package
from services.contracts import round as table
from services.contracts.access import ACCESS
from services.rules.roles import ROLES
from services.shoe import domain
from services.shoe.api import ShoeService
from services.shoe.companion import ShoeCompanion
from services.shoe.config import ShoeSettings
from services.shoe.inputs import INPUTS
from services.shoe.sealing import Vault, key_from


def _companion(runtime: Runtime) -> ShoeCompanion:
    vault = Vault(key_from(runtime.settings.sealing.key_file, runtime.settings.environment))
    runtime.made("vault", vault)
    return ShoeCompanion(vault)


def _servicers(runtime: Runtime) -> Sequence[rpc.Served]:
    servicer = ShoeService(runtime, runtime.take("vault"))
    return [
        rpc.Served(
            "sabot.shoe.v1.ShoeService",
            pb_grpc.add_ShoeServiceServicer_to_server,
            servicer,
            INPUTS,
        )
    ]


def _parts(_: Runtime) -> Sequence[Part]:
    return ()


DEFINITION = ServiceDefinition(
    name=domain.SERVICE,
    aggregate=domain,
    settings=ShoeSettings,
    migrations=(Package("shoe", files("services.shoe.migrations")),),
    hears={table.SERVICE: table.EVENTS.keys()},
    roles=frozenset(ROLES),
    access=ACCESS,
    companion=_companion,
    servicers=_servicers,
    parts=_parts,
    secret_keys=frozenset({"order", "card", "secret"}),
)


def main(argv: Sequence[str]) -> int:
    """Run the service; returns its exit status."""
    return run_service(DEFINITION, argv)
