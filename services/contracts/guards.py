"""Checks that every decider makes on who sent a command."""

from __future__ import annotations

from services.contracts.core import Command, Refused
from services.rules.roles import GAME_SUPERVISOR, may_act_as


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


def require_second(command: Command, *, what: str) -> None:
    """Refuse with APPROVAL without a second person, with ROLE where he is none (clauses 1.3).

    Asked after the actor's own role: somebody else, game supervisor or higher.
    """
    second = command.second
    if second is None:
        raise Refused("APPROVAL", f"{what} takes a second person")
    if second.id == command.by.id:
        raise Refused("ROLE", f"{what} takes two different persons, not {second.id} twice")
    if not may_act_as(second.role, GAME_SUPERVISOR):
        raise Refused(
            "ROLE",
            f"the second person for {what} is a {GAME_SUPERVISOR} or higher; "
            f"{second.id} has the role {second.role}",
        )
