"""The wager service with one thing left out, for comparison: `python -m tests.bench.variant WHAT`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from services.chassis.app import ServiceDefinition, run_service
from services.chassis.executor import Limits
from services.chassis.relay import Relay
from services.chassis.runtime import Runtime
from services.wager.companion import WagerCompanion
from services.wager.main import DEFINITION
from services.wager.wallet import DONE, Answer, Movement

WITHOUT_LEDGER: Final = "without-ledger"
WITHOUT_GROUPS: Final = "without-groups"
WITHOUT_RELAY: Final = "without-relay"
"""Nor a ledger: what it publishes is what G1 has it publish."""


class Unbounded:
    """A wallet that says yes in the transaction of the events, and keeps no balance and no movement."""

    def __init__(self, connection: Any) -> None:
        """Take what the built-in ledger takes."""
        del connection

    async def move(self, movements: Sequence[Movement]) -> list[Answer]:
        """Every movement is done."""
        return [
            Answer(movement_id=movement.movement_id, outcome=DONE, balance_minor=0)
            for movement in movements
        ]


def _companion(runtime: Runtime) -> WagerCompanion:
    del runtime
    return WagerCompanion(Unbounded)


VARIANTS: Final[dict[str, ServiceDefinition]] = {
    WITHOUT_LEDGER: replace(DEFINITION, companion=_companion),
    WITHOUT_RELAY: replace(DEFINITION, companion=_companion),
    # Callers of a bench wait as long as it takes.
    WITHOUT_GROUPS: replace(
        DEFINITION, limits=Limits(batch_commands_max=1, linger_s_max=0.0, wait_s_max=60.0)
    ),
}


async def _rest(self: Relay) -> None:
    """Publish nothing."""


if __name__ == "__main__":
    if sys.argv[1] == WITHOUT_RELAY:
        Relay.start = _rest  # type: ignore[method-assign]
    sys.exit(run_service(VARIANTS[sys.argv[1]], sys.argv[2:]))
