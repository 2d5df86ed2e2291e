"""What is wrong with a line of a table log, in words for a person.

This is the slow way to read a line. It sees everything that the fast way (`reader`) refuses, and
two things that the fast way cannot see: a key given twice, and U+0000 in a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from services.tablelog.lines import ACTIONS, AT_REQUIRED, FIELDS, Field
from services.tablelog.values import INSTANT_FORM, PERSON_FORM

SHOWN_MAX: Final = 40
"""Characters of a wrong value that an error repeats."""

AT: Final = Field("at", INSTANT_FORM, required=False, default=None)
BY: Final = Field("by", PERSON_FORM, required=False, default=None)


class NotJson(ValueError):
    """Bytes that are not strict JSON; the text says why, `line` where, counted from 1."""

    def __init__(self, what: str, *, line: int = 1) -> None:
        super().__init__(what)
        self.line = line


def fault_in(raw: bytes) -> str:
    """What is wrong with this line by itself; "" where it is sound."""
    try:
        value = strict_json(raw.rstrip(b"\r\n"))
    except NotJson as fault:
        return str(fault)
    return _fault_in_action(value)


def strict_json(raw: bytes) -> Any:
    """The JSON value in these bytes, each key once and each text a text.

    Raises `NotJson` for anything that two readers could take in two ways.
    """
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise NotJson(f"not UTF-8 at byte {error.start + 1}", line=line) from None
    if text.startswith("\ufeff"):
        raise NotJson("a byte order mark, where UTF-8 without one is wanted")
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        what = error.msg[:1].lower() + error.msg[1:]
        fault = f"not JSON at character {error.colno}: {what}"
        raise NotJson(fault, line=error.lineno) from None
    except RecursionError:
        raise NotJson("nested too deeply") from None
    except NotJson:
        raise
    except ValueError:  # Python takes no whole number of more than 4,300 digits
        raise NotJson("a number of thousands of digits") from None
    _look_at_texts(value)
    return value


def _no_constant(name: str) -> Any:
    raise NotJson(f"{name} is no JSON number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise NotJson(f"the key `{_short(key)}` stands twice in one object")
            seen.add(key)
    return found


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_constant)


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            yield from one
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _look_at_texts(value: Any) -> None:
    for text in _texts(value):
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise NotJson("half a surrogate pair is no character")
        if "\0" in text:
            raise NotJson("U+0000 is not allowed in a text")


def one_line(text: str) -> str:
    """The text with what would break a line, or a terminal, written as an escape."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text
    )


def _short(text: str) -> str:
    return one_line(text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "…")


def _shown(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _fault_in_action(value: Any) -> str:
    if not isinstance(value, dict):
        return "a line must be a JSON object"
    if "do" not in value:
        return "the key `do`, the action, is missing"
    do = value["do"]
    if not isinstance(do, str):
        return f"`do` must be the name of an action, not {_shown(do)}"
    if do not in ACTIONS:
        return f"{_shown(do)} is no action of a table log"
    fields = FIELDS[do]
    allowed = ["at", "by", *(field.name for field in fields)]
    for key in value:
        if key != "do" and key not in allowed:
            return f"{do} has no key `{_short(key)}`; it has {', '.join(sorted(allowed))}"
    for field in (*fields, AT, BY):
        if field.name in value:
            fault = _fault_in_value(field, value[field.name])
            if fault:
                return fault
        elif field.required or (field is AT and do in AT_REQUIRED):
            return f"{do} needs the key `{field.name}`: {field.form.allowed}"
    return ""


def _fault_in_value(field: Field, value: Any) -> str:
    try:
        taken = msgspec.convert(value, field.form.wire)
    except msgspec.ValidationError:
        return f"`{field.name}` must be {field.form.allowed}, not {_shown(value)}"
    try:
        if field.form.read is not None:
            field.form.read(taken)
    except (ValueError, OverflowError) as error:
        return f"`{field.name}` must be {field.form.allowed}: {error}"
    return ""
