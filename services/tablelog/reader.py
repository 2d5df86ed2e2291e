"""Reading table logs: bytes to lines, one at a time, in bounded memory.

A sound line takes one pass: msgspec decodes it into a struct made for its action, which refuses
unknown keys and wrong types by itself. The slow pass of `faults` over the same bytes runs only
where the first one fails, to say why, or where the first one cannot see everything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, BinaryIO, Final, Union

import msgspec
from msgspec import UNSET, Struct, UnsetType

from services.contracts.core import Actor
from services.tablelog import lines
from services.tablelog.clock import FIRST_LINE_US, LAST_US, STEP_US, STEPS_US, instant_us, rfc3339
from services.tablelog.faults import fault_in
from services.tablelog.lines import ACTIONS, AT_REQUIRED, FIELDS, PLAYER, STAFF, Line
from services.tablelog.values import PersonWritten, person

STDIN: Final = "-"

LINE_BYTES_MAX: Final = 1 << 20
"""A longer line is malformed. Twelve decks take about five thousand bytes."""

WAGERS_REMEMBERED: Final = 1 << 16
"""For at least so many of the latest wagers, a line without `by` knows the player by the id."""

BLANK: Final = b" \t\r\n"


class Malformed(Exception):
    """A line that is no line of a table log; `str` is `FILE:LINE: what is wrong`."""

    def __init__(self, file: str, line: int, what: str) -> None:
        super().__init__(f"{file}:{line}: {what}")
        self.file = file
        self.line = line
        self.what = what


class _Plan(Struct, frozen=True):
    """How lines of one action are made."""

    do: str
    make: type[Line]
    take: Callable[[Any], Any]
    """The fields of a decoded line, in order; the only one bare where there is one."""

    single: bool
    reads: tuple[tuple[int, Callable[[Any], Any]], ...]
    """Places and conversions of the fields that the core has in another form."""

    step_us: int
    checked: bool
    """True where the fields must also fit each other."""


def _plan(do: str, action: type[Line]) -> _Plan:
    names = [field.name for field in FIELDS[do]]
    return _Plan(
        do=do,
        make=action,
        take=attrgetter(*names) if names else lambda _: (),
        single=len(names) == 1,
        reads=tuple(
            (place, field.form.read)
            for place, field in enumerate(FIELDS[do])
            if field.form.read is not None
        ),
        step_us=STEPS_US.get(do, STEP_US),
        checked=action.fault is not Line.fault,
    )


def _written(do: str, action: type[Line]) -> type[Struct]:
    """The struct that a line of this action decodes into: the log's own form of it."""
    fields: list[Any] = [
        (field.name, field.form.wire)
        if field.required
        else (field.name, field.form.wire, field.default)
        for field in FIELDS[do]
    ]
    fields.append(("at", str) if do in AT_REQUIRED else ("at", str | UnsetType, UNSET))
    fields.append(("by", PersonWritten | UnsetType, UNSET))
    return msgspec.defstruct(
        f"{action.__name__}Written",
        fields,
        frozen=True,
        kw_only=True,
        forbid_unknown_fields=True,
        tag_field="do",
        tag=do,
    )


_PLANS: Final = {_written(do, action): _plan(do, action) for do, action in ACTIONS.items()}
_decode: Final = msgspec.json.Decoder(type=Union[tuple(_PLANS)]).decode  # noqa: UP007
_KEY: Final = re.compile(rb'"([^"]*)"[ \t\r]*:')


def _hides_something(raw: bytes, do: str) -> bool:
    """True where the decoder may have passed over a key given twice, or over U+0000.

    Without escapes every key stands between two quotes before a colon, so a key given twice makes
    two equal matches. Nested objects with the same keys do so too, and merely cost time. The keys
    of `open_table.options` may be any text, also one that begins with a colon.
    """
    if b"\\" in raw or do == "open_table":
        return True
    keys = _KEY.findall(raw)
    return len(keys) != len(set(keys))


class LogParser:
    """Makes lines of one table log; knows the time and the players of the lines before."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._at_us: int | None = None
        self._wagers: dict[str, Actor] = {}
        self._older_wagers: dict[str, Actor] = {}
        self._seats: dict[int, Actor] = {}

    def line(self, raw: bytes, number: int) -> Line:
        """The line in these bytes. Raises `Malformed`, and then has learnt nothing from it."""
        try:
            written = _decode(raw)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise self._malformed(number, fault_in(raw) or f"not understood: {error}") from None
        plan = _PLANS[type(written)]
        if _hides_something(raw, plan.do) and (what := fault_in(raw)):
            raise self._malformed(number, what)
        values = plan.take(written)
        if plan.single:
            values = (values,)
        if plan.reads:
            values = list(values)
            try:
                for place, read in plan.reads:
                    if values[place] is not None:
                        values[place] = read(values[place])
            except (ValueError, OverflowError) as error:
                raise self._malformed(number, fault_in(raw) or str(error)) from None
        at_us = self._time(raw, number, plan, written.at)
        by = self._actor(plan, written) if written.by is UNSET else person(written.by)
        made = plan.make(number, at_us, by, *values)
        if plan.checked and (what := made.fault()):
            raise self._malformed(number, what)
        if (plan.do == "open_table") != (self._at_us is None):
            raise self._malformed(number, "open_table is the first line, and only the first")
        self._at_us = at_us
        self._learn(made)
        return made

    def _malformed(self, number: int, what: str) -> Malformed:
        return Malformed(self._file, number, what)

    def _time(self, raw: bytes, number: int, plan: _Plan, at: str | UnsetType) -> int:
        before = self._at_us
        if at is UNSET:
            at_us = FIRST_LINE_US if before is None else before + plan.step_us
            if at_us > LAST_US:
                raise self._malformed(number, "time has run past the year 9999")
            return at_us
        assert isinstance(at, str)
        try:
            at_us = instant_us(at)
        except ValueError as error:
            raise self._malformed(number, fault_in(raw) or str(error)) from None
        if before is not None and at_us < before:
            what = f"time goes back: `at` is before {rfc3339(before)}, the time of the line before"
            raise self._malformed(number, what)
        return at_us

    def _actor(self, plan: _Plan, written: Any) -> Actor:
        """The person of a line without `by`."""
        role = plan.make.belongs_to(written) or plan.make.role
        if role != PLAYER or not plan.make.player_field:
            return STAFF[role]
        told = getattr(written, plan.make.player_field)
        match plan.make.player_field:
            case "player":
                return Actor(told, PLAYER)
            case "seat":
                return self._seats.get(told) or Actor(f"seat-{told}", PLAYER)
            case _:
                return self._wagers.get(told) or self._older_wagers.get(told) or STAFF[PLAYER]

    def _learn(self, line: Line) -> None:
        """Remember who plays: the first word counts, as it does for the rules."""
        if isinstance(line, lines.Wager):
            if line.id in self._wagers or line.id in self._older_wagers:
                return
            if len(self._wagers) == WAGERS_REMEMBERED:
                self._wagers, self._older_wagers = {}, self._wagers
            self._wagers[line.id] = Actor(line.player, PLAYER)
        elif isinstance(line, lines.Seat):
            self._seats.setdefault(line.seat, Actor(line.player, PLAYER))
        elif isinstance(line, lines.Unseat):
            if self._seats.get(line.seat) == Actor(line.player, PLAYER):
                del self._seats[line.seat]
        elif isinstance(line, lines.Ruling) and line.kind == "vacate_seat":
            self._seats.pop(line.seat or 0, None)


def read(path: str, *, file: str | None = None) -> Iterator[Line]:
    """The lines of a table log, each made when it is asked for. `-` is standard input.

    `file` is the name in errors, by default the path. Raises `Malformed` at the first line that is
    malformed, after all before it were given, and `OSError` where the file cannot be read.
    """
    name = path if file is None else file
    if path == STDIN:
        yield from read_stream(sys.stdin.buffer, name)
        return
    with open(path, "rb") as stream:  # noqa: PTH123 - a path as given, for its errors too
        yield from read_stream(stream, name)


def read_stream(stream: BinaryIO, file: str) -> Iterator[Line]:
    """The lines of a table log that comes as bytes; `file` is its name in errors."""
    parser = LogParser(file)
    number = 0
    opened = False
    while raw := stream.readline(LINE_BYTES_MAX + 1):
        number += 1
        if len(raw) > LINE_BYTES_MAX:
            raise Malformed(file, number, f"longer than {LINE_BYTES_MAX} bytes")
        if not raw.strip(BLANK):
            continue
        yield parser.line(raw, number)
        opened = True
    if not opened:
        raise Malformed(file, 1, "an empty file opens no table")
