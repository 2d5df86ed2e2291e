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
from services.wager import domain, wallets
from services.wager.api import WagerService
from services.wager.commands import ExpireDebits
from services.wager.companion import WagerCompanion
from services.wager.config import WagerSettings
from services.wager.inputs import INPUTS, WALLET_INPUTS
from services.wager.sending import Sending
from services.wager.wallet_api import SENDING, WALLET, WalletService

TIMERS_STOP_S = 1.0
SENDING_STOP_S = 3.0
WALLET_START_S = 5.0
WALLET_STOP_S = 1.0


def _companion(runtime: Runtime) -> WagerCompanion:
    wallet = runtime.settings.wallet
    return WagerCompanion(
        elsewhere=wallets.elsewhere(wallet),
        rules=wallets.rules(wallet),
        limits=wallets.limit_sets(wallet),
    )


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
    parts: list[Part] = []
    if wallet := wallets.wallets_of(runtime.settings.wallet, runtime.clock):
        parts.append(_wallet(runtime, wallet))
    if not runtime.works:
        return parts

    async def run() -> None:
        timers = Timers(
            runtime,
            next_due_us=domain.next_due_us,
            command=ExpireDebits,
            begins=RulebookActivated.type,
        )
        await timers.run()

    async def send() -> None:
        await runtime.take(SENDING).run()

    parts.append(background(runtime, "timers", run, stop_budget_s=TIMERS_STOP_S))
    if wallet is not None:
        parts.append(background(runtime, SENDING, send, stop_budget_s=SENDING_STOP_S))
    return parts


def _wallet(runtime: Runtime, wallet: wallets.Wallets) -> Part:
    """The connections to operators' wallets."""

    async def start() -> None:
        await wallet.__aenter__()
        runtime.made(WALLET, wallet)
        runtime.made(SENDING, Sending(runtime, wallet))

    async def stop(_timeout_s: float) -> None:
        await wallet.__aexit__()

    return Part(
        name=WALLET,
        start=start,
        stop=stop,
        start_budget_s=WALLET_START_S,
        stop_budget_s=WALLET_STOP_S,
    )


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
