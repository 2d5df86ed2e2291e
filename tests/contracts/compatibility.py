"""What a new JSON Schema may not do to those who were given the old one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tests.contracts.json_schema import Schema, resolve

TELLING: Final = frozenset(
    {"title", "description", "$id", "$schema", "$defs", "$ref", "properties", "required"}
)
"""Keywords that only explain, or that are compared one by one."""


def breaks(old: Any, new: Any, old_root: Schema, new_root: Schema, where: str) -> Iterator[str]:
    """Every change that takes a new version: only optional fields may come, with a default.

    A type that got wider is among them: somebody reads it with the narrow one. So is a default,
    because stored events that leave the key out mean the old one.
    """
    old, new = resolve(old, old_root), resolve(new, new_root)
    if not (isinstance(old, dict) and isinstance(new, dict)):
        if old != new:
            yield f"{where}: {old!r} became {new!r}"
        return
    for name, field in old.get("properties", {}).items():
        if name not in new.get("properties", {}):
            yield f"{where}.{name} is gone"
        else:
            here = f"{where}.{name}"
            yield from breaks(field, new["properties"][name], old_root, new_root, here)
    before, after = set(old.get("required", [])), set(new.get("required", []))
    yield from (f"{where}.{name} is required now" for name in sorted(after - before))
    yield from (f"{where}.{name} may be missing now" for name in sorted(before - after))
    for key in sorted((old.keys() | new.keys()) - TELLING):
        then, now = old.get(key), new.get(key)
        here = f"{where}/{key}"
        if key in ("anyOf", "allOf") and then and now and len(then) == len(now):
            for one, other in zip(then, now, strict=True):
                yield from breaks(one, other, old_root, new_root, here)
        elif key in ("items", "additionalProperties"):
            yield from breaks(then, now, old_root, new_root, here)
        elif then != now or type(then) is not type(now):
            yield f"{here}: {then!r} became {now!r}"
