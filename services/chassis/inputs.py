"""What a request may hold: every field of every request is looked at before anything else is done.

Which rule a field has is found by its full name, else its name, else the unit that its name ends
with, else by its kind. So a new field is checked from its first day on, by the rule of its kind.
Rules are of form only: whether a seat or a source exists is for the deciders to say, with a reason.

What is refused here is named by the path of the field and by what it may hold, never by its value.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from msgspec import Struct
from msgspec.structs import replace

from services.chassis.rpc_errors import FIELDS_MAX, FieldFault, InvalidCommand

WORDS_CHARACTERS_MAX: Final = 400
"""Of names and ids: what a recorded table calls somebody, with a prefix, still fits."""

NOTE_CHARACTERS_MAX: Final = 4_000
"""Of what people write to each other."""

TABLE_ID_CHARACTERS_MAX: Final = 100
COMMAND_ID_CHARACTERS_MAX: Final = 64
ITEMS_MAX: Final = 1_000
"""Of a repeated field without a number of its own."""

COMMAND_IDS_MAX: Final = 100
"""Commands of which the events are read in one call."""

MOVEMENT_ID_CHARACTERS_MAX: Final = 600
NUMBER_MAX: Final = 10**9
LARGE_MAX: Final = 10**15
"""Minor units of a currency, and other numbers that need 64 bits."""

SHIFT_MAX: Final = 10**6
"""A change among dealers in every minute of two years."""

INSTANT_US_MIN: Final = -62_135_596_800_000_000
INSTANT_US_MAX: Final = 253_402_300_799_999_999
"""The first and the last microsecond that a date of four digits can name."""

BYTES_MAX: Final = 64 * 1024
JSON_CHARACTERS_MAX: Final = 64 * 1024
JSON_DEPTH_MAX: Final = 32

MISSING: Final = "is missing"
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Control characters, but for tab and the end of a line."""


class Rule(Struct, frozen=True, kw_only=True):
    """What a field may hold."""

    problem: str
    """What it has to be, in words: they follow the field's name in the error."""

    holds: Callable[[Any], bool]
    """Whether a value is such; asked of each item of a repeated field, and not of an empty one."""

    needed: bool = False
    """It has to be there, and not empty."""

    items_max: int = ITEMS_MAX
    """Of a repeated field or a map."""

    alone: bool = False
    """Its messages are answered one by one: whoever handles them checks each."""


Rules = Mapping[str, Rule]
"""By the name of a field, or by its full name where one message is different."""


# Making rules


def words(characters_max: int = WORDS_CHARACTERS_MAX, *, needed: bool = False) -> Rule:
    """A name, an id, a word: one line that can be read."""
    return Rule(
        problem=f"needs at most {characters_max} printable characters",
        holds=lambda text: text.isprintable() and len(text) <= characters_max,
        needed=needed,
    )


def note(characters_max: int = NOTE_CHARACTERS_MAX) -> Rule:
    """What a person writes, in as many lines as he likes."""
    return Rule(
        problem=f"needs at most {characters_max} characters, tab and line end the only controls",
        holds=lambda text: len(text) <= characters_max and not _CONTROLS.search(text),
    )


def shape(pattern: str, problem: str, *, needed: bool = False, items_max: int = ITEMS_MAX) -> Rule:
    """A text of this form from its first to its last character."""
    compiled = re.compile(pattern, re.ASCII)
    return Rule(
        problem=f"needs {problem}",
        holds=lambda text: compiled.fullmatch(text) is not None,
        needed=needed,
        items_max=items_max,
    )


def number(least: int, most: int) -> Rule:
    """A whole number."""
    return Rule(
        problem=f"needs a number from {least} to {most}", holds=lambda value: least <= value <= most
    )


def items(most: int, *, rule: Rule | None = None, alone: bool = False) -> Rule:
    """So many at the most, each by `rule`, or by the kind of the field where that is words."""
    each = words() if rule is None else rule
    return Rule(problem=each.problem, holds=each.holds, items_max=most, alone=alone)


def needed(rule: Rule) -> Rule:
    """The same for a field that has to be there."""
    return replace(rule, needed=True)


def optional(rule: Rule) -> Rule:
    """The same for a field that may be left out."""
    return replace(rule, needed=False)


def json_object(characters_max: int = JSON_CHARACTERS_MAX, depth_max: int = JSON_DEPTH_MAX) -> Rule:
    """A JSON object that can be read without harm and stored."""

    def holds(text: str) -> bool:
        return len(text) <= characters_max and _is_json_object(text, depth_max)

    problem = f"needs a JSON object, {characters_max} characters and {depth_max} levels at the most"
    return Rule(problem=problem, holds=holds)


def _is_json_object(text: str, depth_max: int) -> bool:
    # The depth comes first: the parser itself goes down with it.
    if _depth(text) > depth_max:
        return False
    try:
        read = json.loads(text, parse_constant=_no_number)
        text.encode()
        return isinstance(read, dict) and all(_can_be_stored(part) for part in _parts(read))
    except ValueError:
        return False


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _depth(text: str) -> int:
    """How deep brackets are open, those in strings not counted."""
    deepest = open_now = 0
    inside = escaped = False
    for character in text:
        if inside:
            inside = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            inside = True
        elif character in "[{":
            open_now += 1
            deepest = max(deepest, open_now)
        elif character in "]}":
            open_now -= 1
    return deepest


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _parts(inner)
    else:
        yield value


def _can_be_stored(part: Any) -> bool:
    if isinstance(part, str):
        # A lone surrogate, which only an escape can bring, goes into no database and no message.
        return not _CONTROLS.search(part) and not re.search("[\ud800-\udfff]", part)
    if isinstance(part, float):
        return math.isfinite(part)
    return not isinstance(part, int) or abs(part) <= LARGE_MAX


# The rules that every service has

TABLE_ID: Final = shape(
    rf"[A-Za-z0-9._~-]{{1,{TABLE_ID_CHARACTERS_MAX}}}",
    f"1 to {TABLE_ID_CHARACTERS_MAX} characters of A-Z a-z 0-9 . _ ~ -",
    needed=True,
)
"""Ids of coups and keys of movements are made of it with colons and slashes: it has none."""

COMMAND_ID: Final = shape(
    rf"[A-Za-z0-9._:-]{{1,{COMMAND_ID_CHARACTERS_MAX}}}",
    f"1 to {COMMAND_ID_CHARACTERS_MAX} characters of A-Z a-z 0-9 . _ : -",
    needed=True,
)

COUP_ID: Final = shape(
    rf"[A-Za-z0-9._~-]{{1,{TABLE_ID_CHARACTERS_MAX}}}:[0-9]{{1,9}}:[0-9]{{1,9}}",
    "to be table:session:number",
)

MOVEMENT_ID: Final = words(MOVEMENT_ID_CHARACTERS_MAX, needed=True)
"""It is made of the ids of a table, a wager and what the money moves for."""

LOOKED_UP: Final = number(-NUMBER_MAX, NUMBER_MAX)
"""A number that the rules look up, such as a seat's: they say which there are, and why."""

COMMON: Final[Rules] = {
    "table_id": TABLE_ID,
    "coup_id": COUP_ID,
    "command_id": COMMAND_ID,
    "command_ids": items(COMMAND_IDS_MAX, rule=COMMAND_ID),
    "page_token": shape(r"[A-Za-z0-9._~-]{1,100}", "the token of the answer before"),
    "reason": note(),
    "note": note(),
    "shift": number(0, SHIFT_MAX),
}
"""By the name of the field."""

UNITS: Final[Mapping[str, Rule]] = {
    "_minor": number(0, LARGE_MAX),
    "_in_us": number(0, LARGE_MAX),
    "_us": number(INSTANT_US_MIN, INSTANT_US_MAX),
    "_json": json_object(),
}
"""By the end of the field's name; the first that fits counts."""

_TEXT: Final = words()
_SMALL: Final = number(0, NUMBER_MAX)
_LARGE: Final = number(0, LARGE_MAX)
_BYTES: Final = Rule(
    problem=f"needs at most {BYTES_MAX} bytes", holds=lambda value: len(value) <= BYTES_MAX
)
_FINITE: Final = Rule(problem="needs a finite number", holds=math.isfinite)
_ANY: Final = Rule(problem="", holds=lambda _: True)
_KINDS: Final[Mapping[int, Rule]] = {
    FieldDescriptor.CPPTYPE_STRING: _TEXT,
    FieldDescriptor.CPPTYPE_INT32: _SMALL,
    FieldDescriptor.CPPTYPE_UINT32: _SMALL,
    FieldDescriptor.CPPTYPE_INT64: _LARGE,
    FieldDescriptor.CPPTYPE_UINT64: _LARGE,
    FieldDescriptor.CPPTYPE_DOUBLE: _FINITE,
    FieldDescriptor.CPPTYPE_FLOAT: _FINITE,
    FieldDescriptor.CPPTYPE_BOOL: _ANY,
    FieldDescriptor.CPPTYPE_MESSAGE: _ANY,
}


# Checking


class _Field(Struct, frozen=True):
    name: str
    rule: Rule
    presence: bool
    repeated: bool
    text: bool
    message: bool
    values: Any = None
    """Of a map: its values, as a field."""


class Inputs:
    """The rules of a service, ready to be held against its requests."""

    def __init__(self, rules: Rules | None = None) -> None:
        """Add `rules` to those that every service has."""
        self.rules: dict[str, Rule] = {**COMMON, **(rules or {})}
        self._known: dict[Any, tuple[_Field, ...]] = {}

    def check(self, request: Message) -> None:
        """Raise `InvalidCommand` naming every field that can't be taken."""
        faults: list[FieldFault] = []
        for fault in self._faults(request, ""):
            faults.append(fault)
            if len(faults) == FIELDS_MAX:
                break
        if faults:
            first = faults[0]
            raise InvalidCommand(f"{first.field} {first.problem}", fields=faults)

    def rule_of(self, field: FieldDescriptor) -> Rule:
        """The rule that a field has."""
        for name in (field.full_name, field.name):
            if name in self.rules:
                return self.rules[name]
        for ending, rule in UNITS.items():
            if field.name.endswith(ending):
                return rule
        if field.enum_type is not None:
            names = {value.number: value.name for value in field.enum_type.values}
            listed = ", ".join(names.values())
            return Rule(problem=f"needs one of {listed}", holds=names.__contains__)
        return _BYTES if field.type == FieldDescriptor.TYPE_BYTES else _KINDS[field.cpp_type]

    def _fields(self, descriptor: Any) -> tuple[_Field, ...]:
        known = self._known.get(descriptor)
        if known is None:
            known = tuple(self._field(field) for field in descriptor.fields)
            self._known[descriptor] = known
        return known

    def _field(self, field: FieldDescriptor) -> _Field:
        kind = field.message_type
        values = None
        if kind is not None and kind.GetOptions().map_entry:
            values = self._field(kind.fields_by_name["value"])
        return _Field(
            field.name,
            self.rule_of(field),
            field.has_presence,
            bool(field.is_repeated),
            field.cpp_type == FieldDescriptor.CPPTYPE_STRING,
            kind is not None,
            values,
        )

    def _faults(self, message: Message, path: str) -> Iterator[FieldFault]:
        for field in self._fields(message.DESCRIPTOR):
            value = getattr(message, field.name)
            if field.repeated:
                yield from self._of_many(field, value, path + field.name)
            elif field.message:
                # Whatever carries a command id carries it always.
                if field.name == "meta" or message.HasField(field.name):
                    yield from self._faults(value, f"{path}{field.name}.")
            elif value or (field.presence and message.HasField(field.name)):
                if field.text and not value:
                    yield FieldFault(path + field.name, "is there and empty")
                elif not field.rule.holds(value):
                    yield FieldFault(path + field.name, field.rule.problem)
            elif field.rule.needed and not field.presence:
                yield FieldFault(path + field.name, MISSING)

    def _of_many(self, field: _Field, values: Any, path: str) -> Iterable[FieldFault]:
        if len(values) > field.rule.items_max:
            yield FieldFault(path, f"needs {field.rule.items_max} items at the most")
            return
        if field.rule.alone:
            return
        if field.values is not None:
            yield from self._of_map(field.values, values, path)
        elif field.message:
            for place, inner in enumerate(values):
                yield from self._faults(inner, f"{path}[{place}].")
        else:
            for place, value in enumerate(values):
                if value == "":
                    yield FieldFault(f"{path}[{place}]", MISSING)
                elif not field.rule.holds(value):
                    yield FieldFault(f"{path}[{place}]", field.rule.problem)

    def _of_map(self, field: _Field, values: Any, path: str) -> Iterator[FieldFault]:
        for key, value in values.items():
            if isinstance(key, str) and not (key and _TEXT.holds(key)):
                yield FieldFault(path, f"has a key that {_TEXT.problem}")
            elif field.message:
                yield from self._faults(value, f"{path}[{key}].")
            elif not field.rule.holds(value):
                yield FieldFault(f"{path}[{key}]", field.rule.problem)


DEFAULT: Final = Inputs()
"""For a service without rules of its own."""


class Unreadable(Struct, frozen=True):
    """Stands for a request whose bytes are no message."""


UNREADABLE: Final = Unreadable()


def reading(deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any] | None:
    """The deserializer, so that bytes which are no message become an error of the caller."""
    if deserialize is None:
        return None

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except (DecodeError, UnicodeDecodeError):
            return UNREADABLE

    return read
