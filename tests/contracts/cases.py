"""Every event type for parametrised tests, and events made at random from their type hints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
from hypothesis import strategies as st
from msgspec import Raw, Struct

from services.contracts import models
from services.contracts.asyncapi import schema_name
from services.contracts.core import Event
from services.contracts.generate import stored_events

COMMAND = "python -m services.contracts.generate --golden"
HINT = f"run `{COMMAND}` and commit what it writes"

STORED = tuple(
    (service, event) for service in models.SERVICES for event in stored_events(service).values()
)
"""Everything that stands in a log, private events too."""

PUBLISHED = tuple((service, event) for service, event in STORED if event.published)


def name_of(case: tuple[str, type[Event]]) -> str:
    """The name of a case in the output of a test."""
    service, event = case
    return schema_name(service, event.type, event.schema_version)


TEXTS = st.text(max_size=8)
NUMBERS = st.integers(-(2**63), 2**63 - 1)
PLAIN = st.none() | st.booleans() | NUMBERS | TEXTS
JSON = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type hint, as the classes hold them."""
    origin, arguments = get_origin(hint), get_args(hint)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        str: TEXTS,
        int: NUMBERS,
        bool: st.booleans(),
        type(None): st.none(),
        Any: JSON,
        Raw: JSON.map(lambda value: Raw(msgspec.json.encode(value))),
    }
    if hint in simple:
        return simple[hint]
    if isinstance(hint, type) and issubclass(hint, Struct):
        return instances(hint)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(TEXTS, values(arguments[1]), max_size=2)
    if origin is Literal:
        return st.sampled_from(arguments)
    assert origin is Union or type(hint).__name__ == "UnionType", f"no values of {hint!r}"
    return st.one_of(*map(values, arguments))


def instances(struct: type[Struct]) -> st.SearchStrategy[Any]:
    """Instances of a class; fields with a default are given or left out."""
    required: dict[str, Any] = {}
    optional: dict[str, Any] = {}
    for field in msgspec.structs.fields(struct):
        (required if field.required else optional)[field.name] = values(field.type)
    fields = st.fixed_dictionaries(required, optional=optional)
    return fields.map(lambda given: struct(**given))


WRONG: tuple[Any, ...] = (None, True, 7, 1.5, "x", [], {}, [7], {"x": 7})


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a JSON value with every key or index of it, from the outside in."""
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def mutants(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Copies of a body, each with one thing about it changed, and what was done."""
    count = sum(1 for _ in places(body))
    for number in range(count):
        for wrong in WRONG:
            copy = json.loads(json.dumps(body))
            container, key = list(places(copy))[number]
            container[key] = wrong
            yield f"{key} is {wrong!r}", copy
        copy = json.loads(json.dumps(body))
        container, key = list(places(copy))[number]
        del container[key]
        yield f"{key} is missing", copy
        if isinstance(container, dict):
            copy = json.loads(json.dumps(body))
            container, key = list(places(copy))[number]
            container["later"] = 7
            yield f"one more key beside {key}", copy
    yield "one more key", {**body, "later": 7}


def objects(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every struct in a value, itself included; maps are data and not counted."""
    if isinstance(value, Struct):
        yield path
        for field in msgspec.structs.fields(value):
            yield from objects(getattr(value, field.name), (*path, field.name))
    elif isinstance(value, tuple):
        for number, inner in enumerate(value):
            yield from objects(inner, (*path, number))
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from objects(inner, (*path, key))
