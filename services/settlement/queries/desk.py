"""Where events are folded into resources: what is at hand of them, and what has changed.

The fold itself is pure and the same for one event or a thousand. Which resources an event may touch
is known before it is folded, so that they can be fetched for many events at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from services.contracts.core import Event, Meta
from services.contracts.wager import SlipDebitRequested
from services.settlement.queries.resources import (
    COUPS,
    DISPUTES,
    INCIDENTS,
    LIMITS,
    RULEBOOKS,
    SHOES,
    TABLES,
    WAGERS,
    Coup,
    Kind,
    Resource,
    Table,
)
from services.settlement.reading import booked_at_us

Key = tuple[str, str]
"""Name of the kind, and id."""

R = TypeVar("R", bound=Resource)


class Said(Struct, frozen=True):
    """An event of settlement's log, its own or one that it heard."""

    event: Event
    meta: Meta
    event_id: str
    position: int
    kept_us: int = 0
    """When settlement recorded it in its own log."""

    @property
    def service(self) -> str:
        """Who said so."""
        return self.event_id.partition(":")[0]

    @property
    def table_id(self) -> str:
        """Whose event it is."""
        return self.meta.table_id

    @property
    def at_us(self) -> int:
        """When it happened."""
        return self.meta.occurred_at_us

    @property
    def booked_us(self) -> int:
        """The instant whose gaming day it counts to, where it is a record of its own."""
        return booked_at_us(self.meta, self.kept_us)

    def named(self, name: str) -> str:
        """The id of something at the table that the event names; empty where it does not."""
        found = getattr(self.event, name, None)
        return f"{self.table_id}/{found}" if found else ""

    def detail(self) -> str:
        """The event's fields as JSON."""
        return msgspec.json.encode(self.event, order="deterministic").decode()


Fold = Callable[["Desk", Said], None]
Folds = Mapping[type[Event], Fold]


class Desk:
    """Resources at hand. What an event changes is put back with the event's position."""

    def __init__(self) -> None:
        self.held: dict[Key, Resource | None] = {}
        self.changed: dict[Key, Resource] = {}
        self._position = 0

    def fold(self, said: Said, folds: Iterable[Folds]) -> None:
        """Fold one event."""
        self._position = said.position
        for each in folds:
            tell = each.get(type(said.event))
            if tell is not None:
                tell(self, said)

    def find(self, kind: Kind, key: str) -> Any:
        """The resource with this id; None where there is none."""
        if not key:
            return None
        assert (kind.name, key) in self.held, f"{kind.name} {key} was not fetched"
        return self.held[kind.name, key]

    def put(self, kind: Kind, resource: Resource, **changes: Any) -> None:
        """Keep it with these changes."""
        now = replace(resource, position=self._position, **changes)
        self.held[kind.name, now.id] = now
        self.changed[kind.name, now.id] = now

    def change(self, kind: Kind, key: str, **changes: Any) -> None:
        """Change a resource, if there is one with this id."""
        known = self.find(kind, key)
        if known is not None:
            self.put(kind, known, **changes)


def keys(said: Said) -> Iterable[Key]:
    """What the event may touch, as far as the event itself tells."""
    event, meta = said.event, said.meta
    yield TABLES.name, meta.table_id
    for coup_id in {meta.coup_id, getattr(event, "coup_id", None) or ""} - {""}:
        yield COUPS.name, coup_id
    for kind, name in ((WAGERS, "wager_id"), (SHOES, "shoe_id"), (DISPUTES, "dispute_id")):
        if said.named(name):
            yield kind.name, said.named(name)
    if isinstance(event, SlipDebitRequested):
        for stake in event.wagers:
            yield WAGERS.name, f"{meta.table_id}/{stake.wager_id}"
    if meta.shoe_id:
        yield SHOES.name, f"{meta.table_id}/{meta.shoe_id}"
    settings = getattr(event, "settings", None)
    if settings is not None:
        yield RULEBOOKS.name, settings.rulebook_hash


def further_keys(resource: Resource) -> Iterable[Key]:
    """What an event may touch because of what is known of its table and coup."""
    if isinstance(resource, Coup) and resource.shoe_id:
        yield SHOES.name, f"{resource.table_id}/{resource.shoe_id}"
    if isinstance(resource, Table):
        if resource.shoe_id:
            yield SHOES.name, f"{resource.id}/{resource.shoe_id}"
        if resource.coup_id:
            yield COUPS.name, resource.coup_id
        yield LIMITS.name, limits_id(resource.id, resource.session, resource.limits_version)
        for incident in resource.kept_incidents.values():
            yield INCIDENTS.name, incident


def limits_id(table_id: str, session: int, version: int) -> str:
    """The id of a version of limits."""
    return f"{table_id}/{session}/{version}"
