"""Which resources are wanted: the fields of a request and its filter, as conditions of a query.

A filter is `field operator value`, joined by `AND`. Operators are `=`, `<` and `>=`; a value is a word
or stands in double quotes. Values travel as parameters, never as text of the query.
"""

from __future__ import annotations

import re
from typing import Any, Final

from msgspec import Struct

from services.chassis.inputs import INSTANT_US_MAX, LARGE_MAX
from services.chassis.rpc_errors import FieldFault, InvalidCommand
from services.settlement.queries.resources import Kind

TERMS_MAX: Final = 20
OPERATORS: Final = ("=", "<", ">=")
SHARED_FIELDS: Final = {"at_us": "bigint", "test": "boolean", "table_id": "text"}
"""Fields that every filter may name, beside those of its kind."""

_TERM: Final = re.compile(
    r'\s*([a-z][a-z0-9_]*)\s*(>=|<=|!=|=|<|>)\s*("(?:[^"\\]|\\.)*"|[^\s"]+)\s*'
)
_AND: Final = re.compile(r"AND(?=\s)")


class Condition(Struct, frozen=True):
    """One condition on a column."""

    column: str
    operator: str
    value: Any


def fields_of(kind: Kind) -> dict[str, str]:
    """What a filter of this kind may name, with the types of the columns."""
    columns = {**kind.columns(), **SHARED_FIELDS}
    return {name: column.partition(" ")[0] for name, column in columns.items()}


def conditions(kind: Kind, request: Any) -> list[Condition]:
    """All that a request asks for; raises `InvalidCommand` naming what it cannot ask."""
    found = parsed(kind, request.filter)
    has = request.DESCRIPTOR.fields_by_name
    for name in ("table_id", "gaming_day"):
        if name in has and getattr(request, name):
            found.append(Condition(name, "=", getattr(request, name)))
    if request.from_us:
        found.append(Condition("at_us", ">=", request.from_us))
    if request.until_us:
        found.append(Condition("at_us", "<", request.until_us))
    return found


def parsed(kind: Kind, text: str) -> list[Condition]:
    """The conditions of a filter."""
    found: list[Condition] = []
    place = 0
    while text[place:].strip():
        if found:
            joined = _AND.match(text, place)
            if joined is None:
                raise _fault(f"needs AND before {text[place : place + 20]!r}")
            place = joined.end()
        term = _TERM.match(text, place)
        if term is None:
            raise _fault(f"needs `field operator value` at {text[place : place + 20]!r}")
        found.append(_condition(kind, *term.groups()))
        if len(found) > TERMS_MAX:
            raise _fault(f"needs {TERMS_MAX} conditions at the most")
        place = term.end()
    return found


def _condition(kind: Kind, name: str, operator: str, written: str) -> Condition:
    known = fields_of(kind)
    if name not in known:
        raise _fault(f"knows no field {name}, but {', '.join(sorted(known))}")
    if operator not in OPERATORS:
        raise _fault(f"knows no operator {operator}, but {' '.join(OPERATORS)}")
    quoted = written.startswith('"')
    value = re.sub(r"\\(.)", r"\1", written[1:-1]) if quoted else written
    return Condition(name, operator, _value(name, known[name], value))


def _value(name: str, column: str, value: str) -> Any:
    if column == "boolean":
        if value not in ("true", "false"):
            raise _fault(f"needs true or false for {name}")
        return value == "true"
    if column == "bigint":
        most = max(LARGE_MAX, INSTANT_US_MAX)
        if not re.fullmatch(r"-?[0-9]{1,18}", value) or abs(int(value)) > most:
            raise _fault(f"needs a whole number for {name}")
        return int(value)
    return value


def _fault(problem: str) -> InvalidCommand:
    return InvalidCommand(f"filter {problem}", fields=[FieldFault("filter", problem)])
