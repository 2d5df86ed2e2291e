"""Checks that every decider makes on who sent a command."""

from __future__ import annotations

from services.contracts.core import Command, Refused
from services.rules.roles import may_act_as


def require_role(
    command: Command, wanted: str, *, what: str, game_supervisor_counts: bool = False
) -> None:
    """Refuse with ROLE unless the actor may act as `wanted`."""
    if may_act_as(command.by.role, wanted, game_supervisor_counts=game_supervisor_counts):
        return
    raise Refused(
        "ROLE",
        f"{what} takes the role {wanted}; {command.by.id} has the role {command.by.role}",
    )
