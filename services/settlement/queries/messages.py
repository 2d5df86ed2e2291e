"""From resources as they are kept to messages as they are shown."""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf.message import Message
from msgspec import Struct

from services.contracts.core import Actor
from services.rules.roles import PLAYER
from services.settlement.queries.resources import Kind, Resource


def shown(
    message: type[Message], kind: Kind, resource: Resource, actor: Actor, *, full: bool
) -> Any:
    """The message of a resource in this view, for this actor."""
    hidden = () if full else kind.full
    if actor.role == PLAYER:
        hidden = (*hidden, *kind.private)
    return filled(message(), resource, hidden)


def filled(message: Any, value: Struct, hidden: tuple[str, ...] = ()) -> Any:
    """Put fields into those of the same name; structs and lists of them go into messages."""
    for name in _shared(type(value), message.DESCRIPTOR):
        if name in hidden:
            continue
        found = getattr(value, name)
        if isinstance(found, tuple):
            items = getattr(message, name)
            for each in found:
                if isinstance(each, Struct):
                    filled(items.add(), each)
                else:
                    items.append(each)
        elif isinstance(found, Struct):
            filled(getattr(message, name), found)
        elif found:
            setattr(message, name, found)
    return message


@cache
def _shared(kind: type[Struct], descriptor: Any) -> tuple[str, ...]:
    known = descriptor.fields_by_name
    return tuple(name for name in kind.__struct_fields__ if name in known)
