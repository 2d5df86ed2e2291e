"""Lines of a table log as bytes: keys given twice, odd text, bounds, files and their errors."""

from __future__ import annotations

import re
import tracemalloc
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from services.tablelog import reader
from services.tablelog.lines import Line
from services.tablelog.reader import LINE_BYTES_MAX, Malformed, read, read_stream
from tests.cli.cases import log_bytes
from tests.support.logs import OPEN, last, refused


@pytest.mark.parametrize(
    "raw",
    [
        b'{"do":"deal","do":"deal"}',
        b'{"do":"draw","count":1,"count":1}',
        b'{"do":"draw","count":1,"c\\u006funt":1}',
        b'{"do":"draw","count" : 1 , "count"\t: 2}',
        b'{"do":"deal","by":{"id":"a","id":"b","role":"dealer"}}',
        b'{"do":"change_limits","limits":{"*":{"min":1,"min":1,"max":2}}}',
        b'{"do":"change_limits","limits":{"tie":{"min":1,"max":2},"tie":{"min":1,"max":2}}}',
    ],
)
def test_a_key_given_twice_is_malformed(raw: bytes) -> None:
    assert "twice" in refused(raw)


def test_an_option_given_twice_is_malformed_whatever_its_name() -> None:
    for key in ("betting_seconds", ":", '\\"', ""):
        option = f'"{key}":1'
        head = '{"do":"open_table","table":"T","rulebook":"r","options":{'
        with pytest.raises(Malformed, match="twice"):
            list(read_stream(BytesIO(f"{head}{option},{option}}}}}".encode()), "log"))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"do":"incident","code":"ADVICE","note":"\\ud800"}',
        b'{"do":"incident","code":"ADVICE","note":"\\udc00\\ud800"}',
        b'{"do":"incident","code":"ADVICE","note":"a\\uDBFFb"}',
        b'{"do":"incident","code":"ADVICE","note":"","\\ud800":1}',
        b'{"do":"deal","by":{"id":"\\ud83d","role":"dealer"}}',
    ],
)
def test_half_a_surrogate_pair_is_malformed_anywhere(raw: bytes) -> None:
    assert "surrogate" in refused(raw)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    note = last(b'{"do":"incident","code":"A","note":"\\ud83c\\udca1"}').note
    assert note == "\N{PLAYING CARD ACE OF SPADES}"


def test_a_nul_is_malformed() -> None:
    assert "U+0000" in refused(b'{"do":"incident","code":"A","note":"a\\u0000"}')
    assert last(b'{"do":"incident","code":"A","note":"a\\\\u0000"}').note == "a\\u0000"


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b'{"do":"deal"',
        b"{'do':'deal'}",
        b'{"do":"deal",}',
        b'{"do":"deal"} {"do":"deal"}',
        b'{"do":"draw","count":01}',
        b'{"do":"draw","count":+1}',
        b'{"do":"draw","count":NaN}',
        b'{"do":"draw","count":Infinity}',
        b'{"do":"draw","count":-Infinity}',
        b'{"do":"draw","count":' + b"9" * 5000 + b"}",
        b'{"do":"incident","code":"A","note":"\x01"}',
        b'{"do":"incident","code":"A","note":"\xff"}',
        b'{"do":"incident","code":"A","note":"\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"do":"deal"}',
        b'{"do":"deal","x":' + b"[" * 100_000,
        b"[" * 100_000,
        b"[]",
        b"null",
        b"deal",
        b'"deal"',
        b'{"do":["deal"]}',
        b'{"do":"Deal"}',
        b'{"do":""}',
        b"{}",
        b"\x00",
        b"\x0b",
        b"\xa0",
    ],
    ids=lambda raw: repr(raw[:40]),
)
def test_what_is_no_json_object_with_an_action_is_malformed(raw: bytes) -> None:
    assert refused(raw)


def test_the_place_of_a_fault_is_told_within_the_line() -> None:
    assert "at character 13:" in refused(b'{"do":"deal"\r\n')
    assert "at character 2:" in refused(b"{'do':'deal'}")


def test_a_line_of_more_than_a_mebibyte_is_malformed_and_not_read_whole() -> None:
    note = "x" * LINE_BYTES_MAX
    assert "longer than" in refused({"do": "incident", "code": "A", "note": note})

    class Endless(BytesIO):
        def readline(self, size: int | None = -1) -> bytes:
            assert size is not None
            assert 0 < size <= LINE_BYTES_MAX + 1
            return b" " * size

    with pytest.raises(Malformed, match="log:1: longer"):
        list(read_stream(Endless(), "log"))


def test_options_are_bounded_in_depth() -> None:
    def opened(depth: int) -> list[Line]:
        options = '{"a":' * depth + "1" + "}" * depth
        raw = f'{{"do":"open_table","table":"T","rulebook":"r","options":{options}}}'
        return list(read_stream(BytesIO(raw.encode()), "log"))

    assert opened(32)
    with pytest.raises(Malformed, match="`options`"):
        opened(33)


@pytest.mark.parametrize("raw", [b"", b"\n", b"\n \t\r\n\n"])
def test_a_file_without_lines_is_malformed_at_line_1(raw: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        list(read_stream(BytesIO(raw), "log"))
    assert caught.value.line == 1


def test_open_table_is_the_first_line_and_only_the_first() -> None:
    assert "first line" in refused(OPEN)
    with pytest.raises(Malformed, match="log:2: open_table is the first line"):
        list(read_stream(BytesIO(b'\n{"do":"deal"}\n' + log_bytes([OPEN])), "log"))


def test_blank_lines_and_windows_line_ends_are_taken() -> None:
    raw = log_bytes([OPEN, {"do": "deal"}]).replace(b"\n", b"\r\n\r\n")
    assert [line.number for line in read_stream(BytesIO(raw), "log")] == [1, 3]


# Files


def test_lines_are_given_before_a_malformed_one_is_reached(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(log_bytes([OPEN, {"do": "deal"}]) + b"{}\n")
    found = read(str(file))
    assert next(found).do == "open_table"
    assert next(found).do == "deal"
    with pytest.raises(Malformed, match=f"^{re.escape(str(file))}:3: "):
        next(found)


def test_a_name_can_be_given_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"")
    with pytest.raises(Malformed, match=r"^other:1: "):
        list(read(str(file), file="other"))


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read(str(tmp_path / "missing")))


class Made(BytesIO):
    """A file whose lines are made while it is read."""

    def __init__(self, made: Iterator[bytes]) -> None:
        super().__init__()
        self.made = made

    def readline(self, size: int | None = -1) -> bytes:
        return next(self.made, b"")


def wagers(count: int) -> Iterator[bytes]:
    yield log_bytes([OPEN])
    for number in range(count):
        yield b'{"do":"wager","id":"w%d","player":"p","area":"tie","amount":1}\n' % number


def test_reading_takes_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "WAGERS_REMEMBERED", 100)
    for _ in read_stream(Made(wagers(500)), "log"):
        pass
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_stream(Made(wagers(20_000)), "log"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 20_001
    assert peak < 500_000
