"""The rules of form by themselves: what passes, what does not, and what is said of it."""

from __future__ import annotations

import json

import pytest

from sabot.common.v1 import common_pb2
from sabot.round.v1 import round_service_pb2 as pb
from services.chassis import inputs
from services.chassis.inputs import Inputs
from services.chassis.rpc_errors import InvalidCommand

META = common_pb2.CommandMeta(command_id="one")


def faults(request: pb.OpenTableRequest, rules: Inputs = inputs.DEFAULT) -> dict[str, str]:
    """The fields that can't be taken, and why."""
    try:
        rules.check(request)
    except InvalidCommand as error:
        return {fault.field: fault.problem for fault in error.fields}
    return {}


def table(**fields: object) -> pb.OpenTableRequest:
    return pb.OpenTableRequest(**{"meta": META, "table_id": "T1", **fields})  # type: ignore[arg-type]


def test_command_ids_are_readable_and_bounded() -> None:
    """An id that could not be stored or read is refused with its field; none at all, too."""
    for good in ("a", "A-b_c.d:9", "x" * 64):
        assert not faults(table(meta={"command_id": good}))
    for bad in ("x" * 65, "a b", "a/b", "ä", "a\n", "a\0"):
        assert list(faults(table(meta={"command_id": bad}))) == ["meta.command_id"]
    assert faults(pb.OpenTableRequest(table_id="T1")) == {"meta.command_id": "is missing"}


def test_table_ids_have_a_shape() -> None:
    """Ids of coups and keys of movements are made of them: no colon, no slash, 100 at the most."""
    for good in ("T", "T-1_a.b~9", "t" * 100):
        assert not faults(table(table_id=good))
    for bad in ("t" * 101, "a:b", "a/b", "a b", "é", "T\n", "T\0", "٣"):
        assert list(faults(table(table_id=bad))) == ["table_id"]
    assert faults(table(table_id="")) == {"table_id": "is missing"}


def test_a_text_is_one_line_that_can_be_read() -> None:
    """Names may be of any script; controls, line ends and over-long ones are no names."""
    for good in ("Zoë", "张伟", "p 1", "x" * inputs.WORDS_CHARACTERS_MAX):
        assert not faults(table(table_number=good))
    for bad in ("\0", "a\nb", "\x1b[31m", "\u202e", "x" * (inputs.WORDS_CHARACTERS_MAX + 1)):
        assert list(faults(table(table_number=bad))) == ["table_number"]


def test_a_note_has_lines_and_no_other_controls() -> None:
    """What people write to each other is longer than a name."""
    rules = Inputs({"table_number": inputs.note(100)})
    for good in ("a\nb\tc", "x" * 100, "\u200d"):
        assert not faults(table(table_number=good), rules)
    for bad in ("\0", "\x1b", "\x85", "a\rb", "x" * 101):
        assert list(faults(table(table_number=bad), rules)) == ["table_number"]


def test_numbers_keep_to_the_range_of_their_unit() -> None:
    """Amounts and counts are not negative, whatever 64 bits could hold."""
    assert not faults(table(decks=8, smallest_chip_minor=10**15, differential_minor=0))
    found = faults(
        table(decks=-1, smallest_chip_minor=10**15 + 1, seats=2**31 - 1, betting_seconds=-1)
    )
    assert set(found) == {"decks", "smallest_chip_minor", "seats", "betting_seconds"}
    assert found["decks"] == "needs a number from 0 to 1000000000"
    late = common_pb2.CommandMeta(command_id="one")
    late.recorded.at_us = inputs.INSTANT_US_MAX + 1
    assert list(faults(table(meta=late))) == ["meta.recorded.at_us"]
    looked_up = Inputs({"decks": inputs.LOOKED_UP})
    assert not faults(table(decks=-1), looked_up)
    assert faults(table(decks=-(2**31)), looked_up)


def test_shifts_are_bounded() -> None:
    """No table sees more changes among its dealers than that; another number is a mistake."""
    for shift, fits in ((-1, False), (0, True), (1_000_000, True), (1_000_001, False)):
        meta = common_pb2.CommandMeta(command_id="one", shift=shift)
        told = {} if fits else {"meta.shift": "needs a number from 0 to 1000000"}
        assert faults(table(meta=meta)) == told


def test_what_is_there_and_empty_is_a_mistake() -> None:
    """An optional text that is there says something; one that is needed can't be left out."""
    needed = Inputs({"currency": inputs.words(needed=True)})
    assert faults(table(), needed) == {"currency": "is missing"}
    request = pb.RecordIncidentRequest(meta=META, table_id="T1", person="")
    with pytest.raises(InvalidCommand, match="person is there and empty"):
        inputs.DEFAULT.check(request)
    names = pb.InvalidateOutcomeRequest(meta=META, table_id="T1", forfeit=["p1", ""])
    with pytest.raises(InvalidCommand, match=r"forfeit\[1\] is missing"):
        inputs.DEFAULT.check(names)


def test_lists_and_maps_are_bounded_and_looked_into() -> None:
    """Each item by the rule of the field, each key as a name, each value as a message."""
    ids = pb.ListCommandEventsRequest(table_id="T1", command_ids=["a"] * 101)
    with pytest.raises(InvalidCommand, match="command_ids needs 100 items at the most"):
        inputs.DEFAULT.check(ids)
    ids = pb.ListCommandEventsRequest(table_id="T1", command_ids=["a", "b c"])
    with pytest.raises(InvalidCommand, match=r"command_ids\[1\] needs 1 to 64 characters"):
        inputs.DEFAULT.check(ids)
    request = table()
    request.limits["E\0R"].areas["*"].min_minor = 1
    request.limits["EUR"].areas["TIE"].max_minor = -5
    request.limits["EUR"].areas[""].max_minor = 5
    assert set(faults(request)) == {
        "limits",
        "limits[EUR].areas",
        "limits[EUR].areas[TIE].max_minor",
    }


def test_json_is_bounded_in_size_depth_and_content() -> None:
    """What the parser would go down with, and what no database takes, is refused before."""
    deep = '{"a":' * 32 + "1" + "}" * 32
    for good in ("{}", '{"a": [1, 2.5, "[[[["]}', deep, '{"a": "\\\\"}'):
        assert not faults(table(options_json=good))
    for bad in (
        "[" * 100_000,
        '{"a":' * 33 + "1" + "}" * 33,
        "[]",
        "1",
        "{",
        '{"a": NaN}',
        '{"a": 1e999}',
        '{"a": ' + "9" * 5_000 + "}",
        '{"a": "\\u0000"}',
        '{"\\ud800": 1}',
        json.dumps({"a": "x" * inputs.JSON_CHARACTERS_MAX}),
    ):
        assert list(faults(table(options_json=bad))) == ["options_json"], bad[:40]


def test_no_error_repeats_what_was_sent() -> None:
    """The message names the field and what it may hold; the value may hold anything."""
    with pytest.raises(InvalidCommand) as raised:
        inputs.DEFAULT.check(table(table_number="s3cret\0", currency="s3cret\0"))
    assert raised.value.message == "currency needs at most 400 printable characters"
    assert "s3cret" not in str(raised.value.fields)
