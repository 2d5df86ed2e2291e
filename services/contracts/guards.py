"""Checks that every decider makes on who sent a command."""

from __future__ import annotations

from functools import cache
from typing import Final

from services.contracts.core import Command, Refused
from services.rules.cards import FULL_DECK
from services.rules.roles import DEALER, GAME_SUPERVISOR, PLAYER, may_act_as

_DECK: Final = frozenset(FULL_DECK)
_CARD_FIELDS: Final = frozenset({"card", "cards", "first_card"})


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


def require_own(command: Command, player: str, *, what: str) -> None:
    """Refuse with ROLE unless the player himself acts, or somebody at the table for him."""
    by = command.by
    if by.role == PLAYER and by.id == player:
        return
    if by.role != PLAYER and may_act_as(by.role, DEALER):
        return
    raise Refused("ROLE", f"{what} is for {player} or the dealer; {by.id} is {by.role}")


def require_cards(command: Command) -> None:
    """Refuse with UNKNOWN what names a card that is in no deck (000 1.3.1)."""
    for name in _card_fields(type(command)):
        told = getattr(command, name)
        for card in (told,) if isinstance(told, str) else told or ():
            if card and card not in _DECK:
                raise Refused("UNKNOWN", f"{name}: {card!r} is no card")


@cache
def _card_fields(kind: type[Command]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name in _CARD_FIELDS)


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
