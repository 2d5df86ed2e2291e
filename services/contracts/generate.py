"""`python -m services.contracts.generate`: write what follows from the event classes.

JSON Schemas, the tables in docs/events.md and, by the tool that knows the services, the AsyncAPI
documents. All of it is committed, and the same on every machine. `--golden` adds the stored
examples that are missing, `--release` makes today's schemas the ones to stay compatible with.
"""

from __future__ import annotations

import argparse
import json
import re
import runpy
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Struct

from services.contracts import models
from services.contracts.asyncapi import (
    DEAD_LETTER_HEADERS,
    HEADERS,
    SCHEMAS_AT,
    Header,
    Schema,
    data_schema,
    envelope_schema,
    schema_name,
)
from services.contracts.core import Event, Meta, Noted

ROOT: Final = Path(__file__).resolve().parents[2]
SCHEMAS: Final = "services/contracts/schemas"
DOCUMENT: Final = "docs/events.md"
GOLDEN: Final = "tests/contracts/golden"
RELEASED: Final = "tests/contracts/released"
ENVELOPE: Final = "envelope"
"""Name of the schema and of the example of what the header `ce_sabotmeta` holds."""

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
NAME: Final = re.compile(r"(?P<service>[a-z]+)\.(?P<kind>[a-z0-9-]+)\.v(?P<version>[1-9][0-9]*)")
"""Of a schema, and of the first example of a version; later ones end in `+2`, `+3`."""

ASYNCAPI_TOOL: Final = "services.devstack.asyncapi"
"""Started by its name: it needs the services, which this package must not know."""

_encode = msgspec.json.Encoder(order="deterministic").encode


def main(arguments: Sequence[str]) -> int:
    """Write all files and say which changed."""
    parser = argparse.ArgumentParser(prog="python -m services.contracts.generate")
    parser.add_argument("--golden", action="store_true", help="add the examples that are missing")
    parser.add_argument("--release", action="store_true", help="stay compatible with this state")
    options = parser.parse_args(arguments)
    write(schemas(), under=SCHEMAS, stale=stale_schemas())
    write({DOCUMENT: document((ROOT / DOCUMENT).read_text(encoding="utf-8"))})
    if options.golden:
        write(missing_golden())
    if options.release:
        write(
            {
                f"{RELEASED}/{path.name}": path.read_text(encoding="utf-8")
                for path in sorted((ROOT / SCHEMAS).glob("*.json"))
            }
        )
    runpy.run_module(ASYNCAPI_TOOL, run_name="__main__")
    return 0


def write(files: Mapping[str, str], *, under: str = "", stale: Iterable[str] = ()) -> None:
    """Write files that differ, by their paths from the root, and delete stale ones."""
    for name, text in files.items():
        path = ROOT / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        sys.stdout.write(f"wrote {name}\n")
    for name in stale:
        assert name.startswith(under), "only generated files are deleted"
        (ROOT / name).unlink()
        sys.stdout.write(f"deleted {name}\n")


def text_of_json(value: Any) -> str:
    """JSON as it is committed."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


# --- JSON Schemas ---------------------------------------------------------------------------------


def schemas() -> dict[str, str]:
    """Path and text of the JSON Schema of every published event in its present version."""
    files = {f"{SCHEMAS}/{ENVELOPE}.json": text_of_json(_with_id(f"{SCHEMAS_AT}{ENVELOPE}.json"))}
    for service in models.SERVICES:
        for event in models.published(service).values():
            name = schema_name(service, event.type, event.schema_version)
            files[f"{SCHEMAS}/{name}.json"] = text_of_json(schema_of(service, event))
    return files


def schema_of(service: str, event: type[Event]) -> Schema:
    """The JSON Schema of one event, for whoever reads it: further keys are allowed."""
    schema = models.reading_model(event).model_json_schema()
    return _arranged(data_schema(service, event), schema)


def _with_id(identity: str) -> Schema:
    return _arranged(identity, envelope_schema())


def _arranged(identity: str, schema: Schema) -> Schema:
    first = ("title", "description", "type", "properties", "required", "additionalProperties")
    head = {"$schema": DIALECT, "$id": identity}
    rest = {key: value for key, value in schema.items() if key not in first}
    return {**head, **{key: schema[key] for key in first if key in schema}, **rest}


def stale_schemas() -> list[str]:
    """Schemas of what is not published any more. Older versions stay: their events are stored."""
    stale = []
    for path in sorted((ROOT / SCHEMAS).glob("*.json")):
        found = NAME.fullmatch(path.stem)
        if path.stem == ENVELOPE:
            continue
        event = None
        if found is not None and found["service"] in models.SERVICES:
            event = models.published(found["service"]).get(found["kind"])
        if found is None or event is None or int(found["version"]) > event.schema_version:
            stale.append(f"{SCHEMAS}/{path.name}")
    return stale


# --- tables in the document -----------------------------------------------------------------------


def document(text: str) -> str:
    """The document with its generated parts written anew, between their markers."""
    parts = {
        "events": _event_tables(),
        "headers": _header_table(HEADERS),
        "dead letters": _header_table(DEAD_LETTER_HEADERS),
        "envelope": _field_table(Meta),
    }
    for name, lines in parts.items():
        begin, end = f"<!-- generated: {name} -->", f"<!-- end of {name} -->"
        before, found_begin, rest = text.partition(begin)
        _, found_end, after = rest.partition(end)
        if not found_begin or not found_end:
            raise ValueError(f"{DOCUMENT} has lost the marker {begin} or {end}")
        text = "\n".join([f"{before}{begin}", "", *lines, "", f"{end}{after}"])
    return text


def _event_tables() -> list[str]:
    lines: list[str] = []
    for service, events in models.SERVICES.items():
        lines += ["", f"### {service}", "", "| type | version | meaning |", "|---|---|---|"]
        for kind, event in events.items():
            meaning = _cell(models.first_line(event))
            if not event.published:
                meaning += " *Private: it is stored and never published.*"
            lines.append(f"| `{kind}` | {event.schema_version} | {meaning} |")
    return lines[1:]


def _header_table(headers: Sequence[Header]) -> list[str]:
    lines = ["| header | always | what it says |", "|---|---|---|"]
    for header in headers:
        always = "yes" if header.always else "no"
        says = _cell(header.says)
        if "const" in header.schema:
            says = f"`{header.schema['const']}`. {says}"
        elif "enum" in header.schema:
            says += " " + ", ".join(f"`{code}`" for code in header.schema["enum"]) + "."
        lines.append(f"| `{header.name}` | {always} | {says} |")
    return lines


def _field_table(struct: type[Struct]) -> list[str]:
    texts = models.field_texts(struct)
    lines = ["| field | always | what it says |", "|---|---|---|"]
    for field in msgspec.structs.fields(struct):
        always = "yes" if field.required else "no"
        lines.append(f"| `{field.name}` | {always} | {_cell(texts.get(field.name, ''))} |")
    return lines


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", r"\|")


# --- golden examples ------------------------------------------------------------------------------

EXAMPLES: Final[Mapping[str, Any]] = {
    "amount_exact": "125",
    "area": "BANKER",
    "banker[]": "9D",
    "book_digest": "d1" * 32,
    "box": "4",
    "card": "TH",
    "cards[]": "TH",
    "cause": "round:T1:41",
    "channel": "TABLE",
    "clause": "a1b2c3d4:6.2",
    "clauses[]": "a1b2c3d4:6.2",
    "code": "BELOW_MINIMUM",
    "command_id": "c-1",
    "commission": {"BANKER": "1/20"},
    "commission_exact": "125",
    "commitment": "c7" * 32,
    "coup_id": "T1:1:7",
    "currency": "AUD",
    "damaged[]": "2S",
    "dealer": "D1",
    "deck_id": "K1",
    "deck_ids[]": "K1",
    "defects[]": "2S",
    "digest": "d1" * 32,
    "dispute_id": "Q1",
    "evidence_digest": "e1" * 32,
    "event_id": "round:T1:42",
    "event_type": "deal-called",
    "first_card": "7C",
    "forfeit[]": "P1",
    "funding": "PROMO",
    "hand": "BANKER",
    "id": "D1",
    "limits{}": "AUD",
    "limits.{}": "BANKER",
    "mode": "TEST",
    "movement_id": "T1:1:7/W1/1",
    "new_deck_ids[]": "K2",
    "occurred_at_us": 1_767_225_600_000_000,
    "order[]": "KD",
    "pay": {"BANKER": "1", "TIE": "8"},
    "person": "P1",
    "persons[]": "P1",
    "player": "P1",
    "player[]": "4S",
    "players[]": "P1",
    "previous_digest": "d0" * 32,
    "replaced": "D2",
    "returned[]": "K8",
    "role": "DEALER",
    "rounding_exact": "-1/2",
    "rule": "banker_table",
    "rulebook": {"id": "nsw-mini", "draw": {"player": [0, 5]}},
    "rulebook_hash": "b0" * 32,
    "rulebook_id": "nsw-mini",
    "secret": "5e" * 32,
    "service": "round",
    "settlement_id": "T1:1:7/W1/1",
    "shoe_id": "T1:S1",
    "spent[]": "K7",
    "stakes.": 2_500,
    "stakes{}": "BANKER",
    "status": "SETTLED",
    "supervisor": "S1",
    "table_id": "T1",
    "token": "K7",
    "totals{}": "AUD",
    "totals.{}": "BANKER",
    "traceparent": "00-" + "4b" * 16 + "-" + "00" * 7 + "f1-01",
    "wager_id": "W1",
    "winner": "BANKER",
    "winnings_exact": "2375",
    "witness": "S1",
}
"""Likely values by field; of an element as `name[]`, of a key as `name{}`, of a value as `name.`."""

CODES: Final = re.compile(r"\b[A-Z][A-Z_]{2,}\b(?!-)")
"""Codes that a field's docstring names; the first one is the field's example."""

EXAMPLE_INSTANT_US: Final = 1_767_225_630_000_000
EXAMPLE_AMOUNT_MINOR: Final = 2_500
EXAMPLE_COUNT: Final = 3


def example(struct: type[Struct]) -> Any:
    """An instance with every field away from its default, the same whenever it is made."""
    values = {}
    for field in msgspec.structs.fields(struct):
        codes = CODES.findall(models.field_texts(struct).get(field.name, ""))
        made = _example_of(
            field.type, field.name, [code for code in codes if code != field.default]
        )
        if made == field.default:
            made = (not made) if isinstance(made, bool) else made + type(made)(1)
        values[field.name] = made
    return struct(**values)


def _example_of(hint: Any, name: str, codes: Sequence[str]) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any or (origin is dict and name in EXAMPLES):
        return EXAMPLES.get(name, {"any": 1})
    if isinstance(hint, type) and issubclass(hint, Struct):
        return example(hint)
    if origin in (Union, UnionType):
        return _example_of(next(each for each in arguments if each is not NoneType), name, codes)
    if origin is Literal:
        return arguments[-1]
    if origin is tuple:
        return (_example_of(arguments[0], f"{name}[]", codes),)
    if origin is dict:
        value = _example_of(arguments[1], f"{name}.", codes)
        return {_example_of(str, f"{name}{{}}", ()): value}
    if hint is msgspec.Raw:
        return msgspec.Raw(_encode({"coup_id": EXAMPLES["coup_id"]}))
    return _example_of_plain(hint, name, codes)


def _example_of_plain(hint: Any, name: str, codes: Sequence[str]) -> Any:
    if hint is bool:
        return True
    if hint is str and codes:
        return codes[0]
    if type(EXAMPLES.get(name)) is hint:
        return EXAMPLES[name]
    if hint is int:
        if name.endswith("_us"):
            return EXAMPLE_INSTANT_US
        return EXAMPLE_AMOUNT_MINOR if name.endswith("_minor") else EXAMPLE_COUNT
    if hint is str:
        return re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    raise TypeError(f"{name}: there is no example of {hint!r}")


def stored_events(service: str) -> dict[str, type[Event]]:
    """Everything that stands in the log of a service, also what it noted of others."""
    return {**models.SERVICES[service], Noted.type: Noted}


def golden_of(name: str) -> list[Path]:
    """The examples of one event type and version, or of the envelope; none where there are none."""
    folder = ROOT / GOLDEN
    later = sorted(
        folder.glob(f"{name}+*.json"), key=lambda path: int(path.stem.rpartition("+")[2])
    )
    first = folder / f"{name}.json"
    return [first, *later] if first.is_file() else []


def shown(value: Any) -> set[str]:
    """Every field, of nested structs too, that a value shows away from its default."""
    found: set[str] = set()
    if isinstance(value, Struct):
        for field in msgspec.structs.fields(value):
            inner = getattr(value, field.name)
            if field.required or inner != field.default:
                found |= {f"{type(value).__name__}.{field.name}"} | shown(inner)
    elif isinstance(value, dict | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            found |= shown(inner)
    return found


def wanted_golden() -> Iterator[tuple[str, type[Struct]]]:
    """The name and the class of everything that has to have an example."""
    yield ENVELOPE, Meta
    for service in models.SERVICES:
        for event in stored_events(service).values():
            yield schema_name(service, event.type, event.schema_version), event


def missing_golden() -> dict[str, str]:
    """Path and text of examples to add: of new types and versions, and of types with new fields."""
    files = {}
    for name, struct in wanted_golden():
        present = golden_of(name)
        made = example(struct)
        seen: set[str] = set()
        for path in present:
            with suppress(msgspec.ValidationError):  # the test of the examples names it
                seen |= shown(msgspec.json.decode(path.read_bytes(), type=struct))
        if not present or shown(made) - seen:
            suffix = f"+{len(present) + 1}" if present else ""
            files[f"{GOLDEN}/{name}{suffix}.json"] = _encode(made).decode() + "\n"
    return files


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
