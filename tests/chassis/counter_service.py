"""The counter of `tests/ports` as a process, with a call for its commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import grpc

from sabot.common.v1 import common_pb2
from services.chassis.app import Runtime, ServiceDefinition, run_service
from services.chassis.auth import Stamp
from services.chassis.config import Settings
from services.chassis.rpc import Served
from services.chassis.work import PlainCompanion
from services.contracts.core import Command
from tests.chassis.edge import NAME
from tests.ports.counter import FEEDER, Add, Counter, Refuse

TABLE = "T1"
ROLES = frozenset({"DEALER", "GAME_SUPERVISOR"})


class CountRequest:
    """A request with a `meta`; its number is the end of its id, after the last dot."""

    def __init__(self, meta: common_pb2.CommandMeta) -> None:
        self.meta = meta


def servicers(runtime: Runtime) -> Sequence[Served]:
    """Serve `Say`, which adds a number; 0 is refused; and `Progress`."""

    async def say(meta: common_pb2.CommandMeta, context: Any) -> common_pb2.CommandResult:
        number = int(meta.command_id.rpartition(".")[2])

        def command(stamp: Stamp) -> Command:
            if number == 0:
                return Refuse(at_us=stamp.at_us, by=stamp.by, second=stamp.second)
            return Add(at_us=stamp.at_us, by=stamp.by, second=stamp.second, n=number)

        carried = await runtime.carry_out(
            CountRequest(meta),
            TABLE,
            command,
            test_table=None,
            key=meta.command_id.split(".")[0],
            asked=meta,
        )
        return carried.result

    async def progress(actor: common_pb2.Actor, context: Any) -> common_pb2.TableProgress:
        return await runtime.progress(actor.id, open_wallet_movements=2)

    handlers: Any = {
        "Say": grpc.unary_unary_rpc_method_handler(
            say, common_pb2.CommandMeta.FromString, common_pb2.CommandResult.SerializeToString
        ),
        "Progress": grpc.unary_unary_rpc_method_handler(
            progress, common_pb2.Actor.FromString, common_pb2.TableProgress.SerializeToString
        ),
    }

    def add(_servicer: Any, server: Any) -> None:
        server.add_registered_method_handlers(NAME, handlers)

    return [Served(NAME, add, None)]


DEFINITION = ServiceDefinition(
    name="counter",
    aggregate=Counter(),
    settings=Settings,
    migrations=(),
    hears={"feeder": [kind for _, kind in FEEDER.versions()]},
    roles=ROLES,
    access={f"{NAME}/Say": ROLES, f"{NAME}/Progress": ROLES},
    companion=lambda runtime: PlainCompanion(runtime.definition.aggregate),
    servicers=servicers,
    parts=lambda _runtime: (),
    secret_keys=frozenset({"order"}),
)

if __name__ == "__main__":
    sys.exit(run_service(DEFINITION, sys.argv[1:]))
