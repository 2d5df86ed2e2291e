"""Old forms of stored events, brought to the present form one step at a time.

A stored event is never edited. When a change makes old bodies unreadable, the class gets the next
`schema_version`, and a function is added here (or by the service that owns the event) that turns a
body of the old version into one of the next. It works on the plain dictionary, before the typed
decoding, and it is pure: the same bytes read the same for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Body = dict[str, Any]
Upcaster = Callable[[Body], Body]
Key = tuple[str, str, int]
"""Service, event type and the schema version that the function reads."""

UPCASTERS: dict[Key, Upcaster] = {}
"""Every step of every service, by what it reads: the result is of the next version."""


class BrokenUpcastPath(Exception):
    """Steps are missing, or lead from nowhere. `faults` names each of them."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def upcast(
    upcasters: Mapping[Key, Upcaster], key: Key, body: Body, *, schema_version_now: int
) -> Body:
    """Bring `body` from the version in `key` to `schema_version_now`, step by step."""
    service, kind, stored = key
    assert stored < schema_version_now, "only an older body is upcast"
    for version in range(stored, schema_version_now):
        step = upcasters.get((service, kind, version))
        if step is None:
            raise BrokenUpcastPath((f"no step from {service}.{kind}.v{version}",))
        body = step(body)
    return body


def check_paths(
    versions: Mapping[tuple[str, str], int],
    upcasters: Mapping[Key, Upcaster],
    *,
    of_all: bool = True,
) -> None:
    """Raise `BrokenUpcastPath` unless every old version of every type leads to the present one.

    `versions` holds the present schema version by service and type. A step that no type needs is a
    fault as well: it is a misspelt one. Where `versions` has not the types `of_all` services, steps
    of other types are none of its business.
    """
    needed = {
        (service, kind, version)
        for (service, kind), now in versions.items()
        for version in range(1, now)
    }
    missing = sorted(needed - upcasters.keys())
    stray = sorted(
        key for key in upcasters.keys() - needed if of_all or (key[0], key[1]) in versions
    )
    faults = [f"no step from {s}.{k}.v{v}" for s, k, v in missing]
    faults += [f"a step from {s}.{k}.v{v}, which nothing needs" for s, k, v in stray]
    if faults:
        raise BrokenUpcastPath(tuple(faults))
