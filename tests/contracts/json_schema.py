"""A small JSON Schema validator: the keywords that our schemas use, and a complaint about others.

Written apart from the code that makes the schemas, so that it can be wrong in other places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

Schema = dict[str, Any]

TYPES: Final = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
TEXTS: Final = frozenset({"$schema", "$id", "title", "description", "format", "contentMediaType"})
KNOWN: Final = TEXTS | {
    *("$ref", "$defs", "type", "properties", "required", "additionalProperties", "items"),
    *("anyOf", "allOf", "const", "enum", "pattern", "default"),
}


def faults_of_schema(schema: Any, root: Schema, where: str = "#") -> Iterator[str]:
    """What makes this no JSON Schema, or one that the validator below would read wrongly."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{where} is neither an object nor a truth value"
        return
    yield from (f"{where}: unknown keyword {key}" for key in schema.keys() - KNOWN)
    for key in TEXTS & schema.keys():
        if not isinstance(schema[key], str):
            yield f"{where}/{key} is no text"
    if "type" in schema and schema["type"] not in TYPES:
        yield f"{where}/type is {schema['type']!r}"
    if "$ref" in schema and not isinstance(resolve(schema, root), dict):
        yield f"{where}/$ref leads nowhere: {schema['$ref']}"
    if "pattern" in schema:
        try:
            re.compile(schema["pattern"])
        except (re.error, TypeError):
            yield f"{where}/pattern is none"
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    if len(set(required)) != len(required) or not all(isinstance(name, str) for name in required):
        yield f"{where}/required is no set of texts"
    for key in ("properties", "$defs"):
        for name, inner in schema.get(key, {}).items():
            yield from faults_of_schema(inner, root, f"{where}/{key}/{name}")
    for name in required:
        if properties and name not in properties:
            yield f"{where}/required names {name}, which is no property"
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield from faults_of_schema(schema[key], root, f"{where}/{key}")
    for key in ("anyOf", "allOf"):
        if key in schema and not schema[key]:
            yield f"{where}/{key} is empty"
        for number, inner in enumerate(schema.get(key, [])):
            yield from faults_of_schema(inner, root, f"{where}/{key}/{number}")


def resolve(schema: Any, root: Schema) -> Any:
    """The schema that is meant, once its references are followed; None where one leads nowhere."""
    while isinstance(schema, dict) and "$ref" in schema:
        node: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node.get(part) if isinstance(node, dict) else None
        schema = node
    return schema


def faults(value: Any, schema: Any, root: Schema, where: str = "$") -> Iterator[str]:
    """What is wrong with a value, by a schema."""
    schema = resolve(schema, root)
    if isinstance(schema, bool):
        if not schema:
            yield f"{where} is not allowed"
        return
    if "type" in schema and not _is(value, schema["type"]):
        yield f"{where} is no {schema['type']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is none of {schema['enum']!r}"
    if "pattern" in schema and isinstance(value, str) and not re.search(schema["pattern"], value):
        yield f"{where} does not match {schema['pattern']}"
    for inner in schema.get("allOf", []):
        yield from faults(value, inner, root, where)
    if "anyOf" in schema and all(any(faults(value, s, root)) for s in schema["anyOf"]):
        yield f"{where} fits nothing of anyOf"
    if isinstance(value, list) and "items" in schema:
        for number, inner in enumerate(value):
            yield from faults(inner, schema["items"], root, f"{where}[{number}]")
    if isinstance(value, dict):
        yield from _faults_of_object(value, schema, root, where)


def _faults_of_object(
    value: dict[str, Any], schema: Schema, root: Schema, where: str
) -> Iterator[str]:
    properties = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in value:
            yield f"{where}.{name} is missing"
    for name, inner in value.items():
        allowed = properties.get(name, schema.get("additionalProperties", True))
        yield from faults(inner, allowed, root, f"{where}.{name}")


def _is(value: Any, kind: str) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        "object": isinstance(value, dict),
        "array": isinstance(value, list),
        "string": isinstance(value, str),
        "integer": number and value == int(value),
        "number": number,
        "boolean": isinstance(value, bool),
        "null": value is None,
    }[kind]
