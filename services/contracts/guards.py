"""Checks that every decider makes: who sent a command, and whether its words mean anything."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from msgspec import Struct

from services.contracts.core import Command, Refused
from services.rules.cards import FULL_DECK
from services.rules.roles import DEALER, GAME_SUPERVISOR, PLAYER, may_act_as

_DECK: Final = frozenset(FULL_DECK)
_CARD_FIELDS: Final = frozenset({"card", "cards", "first_card", "defects", "damaged"})
_HANDS: Final = frozenset({"player", "banker"})
"""Where they are lists of cards; elsewhere a player is a person."""


class OneOf(Struct, frozen=True):
    """In the type of a command's field: the words that it may hold, `Annotated[str, OneOf(...)]`."""

    words: tuple[str, ...]


Hand = Annotated[str, OneOf(("PLAYER", "BANKER"))]
"""One of the two hands."""


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
    whose = player or "who sits there"
    raise Refused("ROLE", f"{what} is for {whose} or the dealer; {by.id} is {by.role}")


def require_meaning(command: Command) -> None:
    """Refuse with UNKNOWN, by the name of the field, a word or a card that there is not.

    A card is one of a deck (000 1.3.1); a word is one of those that the field's type lists.
    """
    cards, choices = _spoken(type(command))
    for name in cards:
        _require_card(command, name)
    for name, words in choices:
        told = getattr(command, name)
        if told is not None and told not in words:
            raise Refused("UNKNOWN", f"{name}: {told!r} is none of {', '.join(words)}")


_Choices = tuple[tuple[str, tuple[str, ...]], ...]


@cache
def _spoken(kind: type[Command]) -> tuple[tuple[str, ...], _Choices]:
    """The command's fields that hold cards, and those that hold words, each with its words."""
    hints = get_type_hints(kind, include_extras=True)
    found = ((name, _words_of(hints[name])) for name in kind.__struct_fields__)
    return _card_fields(kind), tuple((name, words) for name, words in found if words)


def _words_of(hint: Any) -> tuple[str, ...]:
    """The words in a type that is `Annotated`, or that or None."""
    if get_origin(hint) is Annotated:
        return next((one.words for one in hint.__metadata__ if isinstance(one, OneOf)), ())
    return next((words for one in get_args(hint) if (words := _words_of(one))), ())


def _require_card(command: Command, name: str) -> None:
    told = getattr(command, name)
    for card in (told,) if isinstance(told, str) and told else told or ():
        if card not in _DECK:
            raise Refused("UNKNOWN", f"{name}: {card!r} is no card")


def _card_fields(kind: type[Command]) -> tuple[str, ...]:
    hints = get_type_hints(kind)
    return tuple(
        name
        for name in kind.__struct_fields__
        if name in _CARD_FIELDS or (name in _HANDS and get_origin(hints[name]) is tuple)
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
