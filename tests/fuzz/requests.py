"""Requests from descriptors: valid ones from what a table has, and what can be done to them."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from msgspec import Struct

from services.contracts.guards import OneOf
from services.rules.roles import ROLES

AREAS = ("PLAYER", "BANKER", "TIE", "PLAYER_PAIR")
CARDS = ("AS", "TH", "9D", "KC", "2S")
PLAYERS = 3

ODD_TEXTS = (
    "\0",
    "a\0b",
    "x" * 100_000,
    "x" * 401,
    "\n",
    "\x1b[2J",
    "\u202eabc",
    "\u0663",
    "FOO",
    "foo",
    " ",
    "../../etc/passwd",
    "'; drop table events; --",
    "%s%n%d",
    "{}",
    "\U0001f600" * 300,
    "T:1:1",
    "1:1",
    "a/b",
    "0",
    "-1",
    "9" * 40,
    "*",
)
ODD_NUMBERS = (0, 1, -1, 2, 100, -(2**31), 2**31 - 1, 10**9, 10**9 + 1)
ODD_LARGE = (10**15, 10**15 + 1, 2**63 - 1, -(2**63), 253_402_300_800_000_000)
ODD_JSON = (
    "[" * 100_000,
    '{"a":' * 5_000,
    '{"a": NaN}',
    '{"a": 1e999}',
    '{"decks": {}}',
    '{"areas": null}',
    '{"commission_rate": "x"}',
    '{"burn.new_shoe": [[[]]]}',
    '{"\\ud800": 1}',
    "null",
    "{",
)


class Table(Struct):
    """What valid requests speak of."""

    table_id: str
    number: int = 0

    def fresh(self, word: str) -> str:
        """A name that was not used before."""
        self.number += 1
        return f"{word}{self.number}"


def words_of(method: MethodDescriptor) -> dict[str, tuple[str, ...]]:
    """The words that the fields of a command may hold, as its class lists them."""
    service = method.full_name.split(".")[1]
    if service == "query":
        return {}  # there is no command among them
    module = import_module(f"services.{service}.commands")
    kind = getattr(module, method.name, None)
    if kind is None:
        return {}
    hints = get_type_hints(kind, include_extras=True)
    return {name: words for name, hint in hints.items() if (words := _words(hint))}


def _words(hint: Any) -> tuple[str, ...]:
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            return next((one.words for one in part.__metadata__ if isinstance(one, OneOf)), ())
    return ()


def _texts(table: Table) -> dict[str, Callable[[random.Random], str]]:
    """Something that may stand in the text fields of these names."""
    prefix = table.table_id

    def person(dice: random.Random) -> str:
        return f"{prefix}.p{dice.randint(1, PLAYERS)}"

    def known(word: str) -> Callable[[random.Random], str]:
        return lambda dice: (
            f"{word}{dice.randint(1, 9)}" if dice.random() < 0.5 else table.fresh(word)
        )

    return {
        "table_id": lambda _: table.table_id,
        "command_id": lambda _: table.fresh(f"{prefix}:f"),
        "player": person,
        "person": person,
        "forfeit": person,
        "dealer": lambda dice: f"d{dice.randint(1, 2)}",
        "supervisor": lambda _: "gs1",
        "witness": lambda _: "gs1",
        "area": lambda dice: dice.choice(AREAS),
        "currency": lambda dice: dice.choice(("EUR", "EUR", "JPY")),
        "card": lambda dice: dice.choice(CARDS),
        "cards": lambda dice: dice.choice(CARDS),
        "first_card": lambda dice: dice.choice(CARDS),
        "order": lambda dice: dice.choice(CARDS),
        "defects": lambda dice: dice.choice(CARDS),
        "damaged": lambda dice: dice.choice(CARDS),
        "banker": lambda dice: dice.choice(CARDS),
        "wager_id": known("w"),
        "dispute_id": known("q"),
        "movement_id": known(f"{prefix}/m"),
        "shoe_id": known("s"),
        "coup_id": lambda dice: f"{prefix}:1:{dice.randint(1, 4)}",
        "command_ids": lambda dice: f"{prefix}:f{dice.randint(1, 50)}",
        "page_token": lambda dice: dice.choice(("", f"1.1.{prefix}", "1.2.T", "5")),
        "rulebook_id": lambda dice: dice.choice(("nsw-mini", "nsw-mini-even-money", "live-studio")),
        "mode": lambda _: "TEST",
        "method": lambda dice: dice.choice("ABCD"),
        "layout": lambda dice: dice.choice("ABCD"),
        "code": lambda dice: dice.choice(("CALL_MISSING", "ADVICE", "VIDEO_LOST")),
        "options_json": lambda _: "",
        "id": lambda dice: dice.choice((f"{prefix}/s0", f"{prefix}:1:1", prefix, "x/y")),
        "ids": lambda dice: dice.choice((f"{prefix}/w1", f"{prefix}:1:2", prefix)),
        "table_ids": lambda dice: dice.choice((prefix, "nowhere")),
        "gaming_day": lambda dice: dice.choice(("", "2026-01-01", "9999-99-99")),
        "from_day": lambda dice: dice.choice(("", "2026-01-01", "2026-02-30")),
        "to_day": lambda dice: dice.choice(("", "2026-12-31")),
        "to_date": lambda dice: dice.choice(("", "MONTH", "YEAR")),
        "name": lambda dice: dice.choice(("coups", "hold-by-table", "day-close", "no-report")),
        "filter": lambda dice: dice.choice(("", "at_us >= 5", 'table_id = "x" AND at_us < 9')),
        "order_by": lambda dice: dice.choice(("", "at", "at desc", "id")),
        "min_position": lambda _: "",
        "resume_cursor": lambda _: "",
        "video": lambda _: "camera-1",
        "box": lambda dice: str(dice.randint(1, 9)),
    }


def valid(method: MethodDescriptor, table: Table, dice: random.Random) -> Message:
    """A request that could be one of a day's work."""
    return _filled(method.input_type, words_of(method), _texts(table), dice)


def _filled(
    descriptor: Any,
    words: dict[str, tuple[str, ...]],
    texts: dict[str, Callable[[random.Random], str]],
    dice: random.Random,
) -> Message:
    message: Any = GetMessageClass(descriptor)()
    for field in descriptor.fields:
        left_out = field.name == "recorded" or (field.has_presence and dice.random() < 0.4)
        if left_out and field.name != "meta":
            continue
        if field.message_type is not None:
            _fill_message(message, field, words, texts, dice)
            continue
        many = dice.randint(0, 4) if field.is_repeated else 1
        found = [_scalar(field, words, texts, dice) for _ in range(many)]
        if field.is_repeated:
            getattr(message, field.name).extend(found)
        else:
            setattr(message, field.name, found[0])
    return message  # type: ignore[no-any-return]


def _fill_message(message: Any, field: Any, words: Any, texts: Any, dice: random.Random) -> None:
    kind, name = field.message_type, field.name
    if kind.GetOptions().map_entry:
        value = kind.fields_by_name["value"].message_type
        for key in ("EUR",) if name == "limits" else ("*", "TIE"):
            getattr(message, name)[key].CopyFrom(_filled(value, words, texts, dice))
    elif field.is_repeated:
        for _ in range(dice.randint(1, 3)):
            getattr(message, name).add().CopyFrom(_filled(kind, words, texts, dice))
    else:
        getattr(message, name).CopyFrom(_filled(kind, words, texts, dice))


def _scalar(field: Any, words: Any, texts: Any, dice: random.Random) -> Any:
    name = field.name
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return dice.random() < 0.5
    if field.cpp_type != FieldDescriptor.CPPTYPE_STRING:
        if name in ("min_minor", "unit_minor", "smallest_chip_minor"):
            return 1
        if name.endswith("_minor"):
            return 10 ** dice.randint(2, 6)
        return 8 if name == "decks" else dice.randint(1, 4)
    if name in words:
        return dice.choice(words[name])
    return texts[name](dice) if name in texts else dice.choice(("x", "OTHER", "a note"))


# What can be done to a request


def mutated(message: Message, dice: random.Random) -> Message:
    """The request with one thing in it that is odd."""
    holder: Any = message
    while True:
        fields = holder.DESCRIPTOR.fields
        if not fields:
            return message
        field = dice.choice(fields)
        kind = field.message_type
        if kind is None:
            _spoil(holder, field, dice)
            return message
        if dice.random() < 0.2:
            holder.ClearField(field.name)
            return message
        if kind.GetOptions().map_entry:
            key = dice.choice((*ODD_TEXTS, "EUR", "*"))[:200]
            holder = getattr(holder, field.name)[key]
        elif field.is_repeated:
            holder = getattr(holder, field.name).add()
        else:
            holder = getattr(holder, field.name)
            holder.SetInParent()


def _spoil(holder: Any, field: Any, dice: random.Random) -> None:
    value = _odd(field, dice)
    if dice.random() < 0.1:
        holder.ClearField(field.name)
    elif field.is_repeated:
        items = getattr(holder, field.name)
        items.extend([value] * dice.choice((1, 1, 2, 50, 1_001)))
        if sum(len(str(item)) for item in items) > 500_000:
            del items[1:]
    else:
        setattr(holder, field.name, value)


def _odd(field: Any, dice: random.Random) -> Any:
    kind = field.cpp_type
    if kind == FieldDescriptor.CPPTYPE_BOOL:
        return dice.random() < 0.5
    if kind == FieldDescriptor.CPPTYPE_STRING:
        return dice.choice(ODD_JSON if field.name.endswith("_json") else ODD_TEXTS)
    if kind in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64):
        return dice.choice((*ODD_NUMBERS, *ODD_LARGE))
    return dice.choice(ODD_NUMBERS[:7])


def broken(data: bytes, dice: random.Random) -> bytes:
    """The bytes of a request, some of them others, gone or come in."""
    spoiled = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        place = dice.randint(0, len(spoiled))
        what = dice.randrange(3)
        if what == 0:
            spoiled[place:place] = dice.randbytes(dice.randint(1, 8))
        elif what == 1:
            del spoiled[place : place + dice.randint(1, 8)]
        elif place < len(spoiled):
            spoiled[place] = dice.randrange(256)
    return bytes(spoiled)


def caller(dice: random.Random, table: Table) -> tuple[tuple[str, str], ...]:
    """Metadata of somebody who may do the thing, or of somebody who is odd."""
    role = dice.choice((*ROLES, "CASINO_SUPERVISOR", "DUTY_MANAGER", "DEALER"))
    who = f"{table.table_id}.p1" if role == "PLAYER" else dice.choice(("d1", "gs1", "pit-1"))
    pairs = [("sabot-actor-id", who), ("sabot-actor-role", role)]
    if dice.random() < 0.3:
        pairs += [("sabot-second-id", "gs2"), ("sabot-second-role", "CASINO_SUPERVISOR")]
    if dice.random() < 0.1:
        pairs.append(("traceparent", dice.choice(("", "00-0-0-0", "x" * 200, "00-" + "f" * 32))))
    if dice.random() < 0.05:
        pairs[dice.randrange(2)] = (pairs[dice.randrange(2)][0], dice.choice(("", "~", "x" * 300)))
    if dice.random() < 0.05:
        pairs.append(("sabot-permissions", "import_table"))
    return tuple(pairs)
