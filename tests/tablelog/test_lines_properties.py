"""Whatever bytes come, reading a table log gives lines or `Malformed`, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from services.tablelog.clock import FIRST_LINE_US, LAST_US, instant_us, rfc3339
from services.tablelog.faults import fault_in
from services.tablelog.lines import ACTIONS, AT_REQUIRED, FIELDS, Field, Line
from services.tablelog.reader import LogParser, Malformed, read_stream
from services.tablelog.values import CARDS, MONEY_MAX, ROLES

OPEN = b'{"do":"open_table","table":"T1","rulebook":"nsw-mini"}\n'

text = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=True)
    | st.text(max_size=10)
    | st.sampled_from([*ROLES, *CARDS, *ACTIONS, "player", "*", "EUR", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
names = st.sampled_from(
    sorted({field.name for fields in FIELDS.values() for field in fields} | {"at", "by", "number"})
)
chaotic_lines = st.builds(
    lambda do, keys: {**do, **keys},
    st.dictionaries(st.just("do"), st.sampled_from(sorted(ACTIONS)) | json_values, max_size=1),
    st.dictionaries(names | st.text(max_size=5), json_values, max_size=6),
)

ids = text.filter(lambda one: one != "")
money = st.integers(0, MONEY_MAX)
limit = st.fixed_dictionaries({"min": money, "max": money}, optional={"unit": st.integers(1, 9)})
area = st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True)
limits = st.dictionaries(area | st.just("*"), limit, max_size=3)
cards = st.lists(st.sampled_from(sorted(CARDS)), max_size=12)
person = st.fixed_dictionaries({"id": ids, "role": st.sampled_from(ROLES)})
instant = st.integers(0, LAST_US).map(rfc3339)
values_by_type: dict[Any, st.SearchStrategy[Any]] = {
    "Id": ids,
    "Ids": st.lists(ids, max_size=3),
    "Text": text,
    "Flag": st.booleans(),
    "Whole": st.integers(-(10**9), 10**9),
    "Count": st.integers(0, 10**9),
    "Positive": st.integers(1, 10**9),
    "Money": money,
    "Chip": st.integers(1, MONEY_MAX),
    "Currency": st.from_regex(r"[A-Z]{3}", fullmatch=True),
    "Card": st.sampled_from(sorted(CARDS)),
    "Cards": cards,
    "BothHands": st.fixed_dictionaries({"player": cards, "banker": cards}),
    "Area": area,
    "AreaLimits": limits,
    "CurrencyLimits": st.dictionaries(st.from_regex(r"[A-Z]{3}", fullmatch=True), limits),
    "Options": st.dictionaries(text, st.integers() | text | st.lists(text)),
    "Person": person,
    "Instant": instant,
    "NoticeValue": money | ids,
}


def values_of(action: type[Line], field: Field) -> st.SearchStrategy[Any]:
    """Values that a field may have, by the name of its type."""
    name = action.__annotations__[field.name].removeprefix("v.").removesuffix(" | None")
    if name in values_by_type:
        return values_by_type[name]
    return st.sampled_from(field.form.wire.__args__)


@st.composite
def sound_lines(draw: st.DrawFn, without: tuple[str, ...] = ("ruling", "notice")) -> Any:
    """Lines of all actions but those whose fields depend on each other, and `open_table`."""
    do = draw(st.sampled_from(sorted(set(ACTIONS) - {"open_table", *without})))
    required = {f.name: values_of(ACTIONS[do], f) for f in FIELDS[do] if f.required}
    optional = {f.name: values_of(ACTIONS[do], f) for f in FIELDS[do] if not f.required}
    if do == "grant_limits":
        required["min"] = optional.pop("min")
    (required if do in AT_REQUIRED else optional)["at"] = st.integers(FIRST_LINE_US, LAST_US).map(
        rfc3339
    )
    optional["by"] = person
    return {"do": do, **draw(st.fixed_dictionaries(required, optional=optional))}


def read_all(raw: bytes) -> list[Line] | Malformed:
    try:
        return list(read_stream(BytesIO(raw), "log"))
    except Malformed as error:
        malformed = error
    assert malformed.line >= 1
    assert len(str(malformed).splitlines()) == 1
    assert str(malformed).isprintable()
    return malformed


@given(st.binary(max_size=200))
@example(b'{"do":"open_table","table":"\xf0\x9f"}')
def test_any_bytes_are_read_or_malformed(raw: bytes) -> None:
    read_all(raw)
    read_all(OPEN + raw)


@given(
    st.lists(st.sampled_from([*b'{}[]":,\\u0dDa e1-.\n\t', OPEN[:20], b'"do":"deal"']), max_size=30)
)
def test_bytes_that_look_like_json(parts: list[int | bytes]) -> None:
    raw = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in parts)
    read_all(raw)
    read_all(OPEN + raw)


@given(json_values)
def test_any_json_value_is_read_or_malformed(value: Any) -> None:
    read_all(OPEN + json.dumps(value).encode())


@given(st.lists(chaotic_lines, max_size=4))
@example([{"do": "deal", "\n\x85": 1}])
@example([{"do": "\u2028\x9b"}])
def test_any_objects_with_our_keys(log: list[Mapping[str, Any]]) -> None:
    read_all(OPEN + b"".join(json.dumps(line).encode() + b"\n" for line in log))


@given(sound_lines(without=()), json_values, st.data())
def test_one_wrong_value_in_a_sound_line(
    line: dict[str, Any], value: Any, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(line)))
    read_all(OPEN + json.dumps({**line, key: value}).encode())


@given(chaotic_lines | sound_lines(without=()))
def test_both_ways_of_reading_agree(line: Mapping[str, Any]) -> None:
    """The slow way finds a fault exactly where the fast way refuses the line by itself."""
    raw = json.dumps(line).encode()
    parser = LogParser("log")
    parser.line(OPEN, 1)
    what = ""
    try:
        parser.line(raw, 2)
    except Malformed as malformed:
        what = malformed.what
    between_fields = ("a ruling of kind", "`value`", "the key `value`", "one of the keys")
    if not what.startswith(("time goes back", "open_table is", *between_fields)):
        assert fault_in(raw) == what


@given(log=st.lists(sound_lines(), max_size=5), escaped=st.booleans())
def test_sound_lines_are_read(log: list[dict[str, Any]], *, escaped: bool) -> None:
    """Every action with any mix of its optional keys; each line says what was written."""
    log.sort(key=lambda line: "at" in line)
    times = sorted(line["at"] for line in log if "at" in line)
    for line in log:
        if "at" in line:
            line["at"] = times.pop(0)
    raw = OPEN + b"".join(json.dumps(line, ensure_ascii=escaped).encode() + b"\n" for line in log)
    found = read_all(raw)
    if isinstance(found, Malformed):
        assert "time" in found.what  # the defaults may have gone past a time that was given
        return
    assert [line.do for line in found[1:]] == [line["do"] for line in log]
    assert all(before.at_us <= after.at_us for before, after in pairwise(found))
    for made, written in zip(found[1:], log, strict=True):
        for key, value in written.items():
            if key == "at":
                assert made.at_us == instant_us(value)
            elif key == "by":
                assert (made.by.id, made.by.role.lower()) == (value["id"], value["role"])
            elif isinstance(value, int):
                assert getattr(made, key) == value
        msgspec.json.encode(made)


@given(st.lists(sound_lines(), max_size=5))
def test_reading_is_a_function_of_the_bytes(log: list[dict[str, Any]]) -> None:
    raw = OPEN + b"".join(json.dumps(line).encode() + b"\n" for line in log)
    first, second = read_all(raw), read_all(raw)
    assert str(first) == str(second)


@given(st.integers(-62_135_596_800_000_000, LAST_US))
def test_instants_come_back_as_written(at_us: int) -> None:
    assert instant_us(rfc3339(at_us)) == at_us


@given(st.text(max_size=40))
def test_any_text_is_an_instant_or_a_value_error(value: str) -> None:
    with suppress(ValueError):
        assert isinstance(instant_us(value), int)
