"""What settlement is told of operators' wallets when it decides; it keeps nothing beside its log."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final

from services.chassis.decider import Decide
from services.chassis.work import PlainCompanion
from services.contracts.core import Command
from services.settlement import domain

EVERYBODY: Final = "*"


def among(operators: Collection[str]) -> Callable[[str], bool]:
    """Whether an operator is one of these; "*" stands for all of them."""
    return lambda operator: EVERYBODY in operators or operator in operators


class SettlementCompanion(PlainCompanion):
    """Binds decisions to the operators whose players get one credit for a coup."""

    def __init__(self, together: Callable[[str], bool]) -> None:
        super().__init__(domain)
        self._bound: Decide = partial(domain.decide, together=together)

    async def decider(self, tx: Any, table_id: str, command: Command, state: Any) -> Decide:  # noqa: ARG002
        return self._bound
