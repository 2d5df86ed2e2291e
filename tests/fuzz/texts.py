"""Documents and files that are odd: events as they are stored and sent, rulebooks, table logs."""

from __future__ import annotations

import copy
import io
import json
import random
import re
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from services.chassis.decider import Record
from services.chassis.digest import GENESIS, digest_of
from services.chassis.envelope import BadMessage, decode, encode
from services.chassis.registry import NewerVersion, Registry, UnknownType, encode_meta
from services.chassis.upcast import BrokenUpcastPath
from services.cli.__main__ import run as sabot
from services.contracts import models
from services.contracts.core import Actor, Meta
from services.contracts.generate import stored_events
from services.rulebooks.catalogue import document, load_catalogue
from tests.fuzz.requests import ODD_TEXTS, broken
from tests.fuzz.tally import Surface, Tally

GOLDEN = Path(__file__).parents[1] / "contracts" / "golden"
ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    1.5,
    10**400,
    2**63,
    -(2**64),
    "",
    "x",
    "\0",
    [],
    [[]],
    {},
    {"": None},
    [1, "x", None],
)
ODD_WRITTEN = (b"NaN", b"1e999", b"[" * 50_000, b'"\\ud800"', b'{"a":' * 50_000, b"\xff", b"")
PLACE = re.compile(r"^(?:sabot: )?\S+:\d+: .+", re.MULTILINE)


# Making odd documents


def odd(value: Any, dice: random.Random) -> Any:
    """The document with one thing in it that is odd."""
    spoiled = copy.deepcopy(value)
    places = list(_places(spoiled))
    holder, key = dice.choice(places)
    what = dice.randrange(5)
    if what == 0:
        del holder[key]
    elif what == 1 and isinstance(holder, dict):
        holder[dice.choice(("", "x", "\0", "type", "areas"))] = holder[key]
    elif what == 2:
        other, there = dice.choice(places)
        holder[key] = copy.deepcopy(other[there])
    else:
        holder[key] = dice.choice((*ODD_VALUES, *ODD_TEXTS))
    return spoiled


def _places(value: Any) -> Any:
    """Every place of a document in which something stands."""
    for key in range(len(value)) if isinstance(value, list) else list(value):
        yield value, key
        if isinstance(value[key], dict | list) and value[key]:
            yield from _places(value[key])


def written(value: Any, dice: random.Random) -> bytes:
    """The document as bytes, at times with some that are odd."""
    data = json.dumps(value, ensure_ascii=dice.random() < 0.5).encode(errors="surrogatepass")
    chance = dice.random()
    if chance < 0.15:
        return broken(data, dice)
    if chance < 0.25:
        place = data.find(b":", dice.randint(0, len(data)))
        return data[: place + 1] + dice.choice(ODD_WRITTEN) + data[place + 1 :]
    return data


def _until(seconds: float, inputs_max: int | None) -> Any:
    ends, tried = time.monotonic() + seconds, 0
    while time.monotonic() < ends and (inputs_max is None or tried < inputs_max):
        tried += 1
        yield tried


# Events


def fuzz_events(tally: Tally, *, seconds: float, seed: int, inputs_max: int | None = None) -> None:
    """Read stored bodies and Kafka messages that are not what they should be."""
    dice = random.Random(seed)
    registries = {name: Registry(name, events) for name, events in models.SERVICES.items()}
    bodies = _bodies()
    for _ in _until(seconds, inputs_max):
        service, kind, version, golden = dice.choice(bodies)
        body = written(odd(golden, dice), dice)
        wanted = version if dice.random() < 0.9 else dice.choice((0, -1, 2, 99))
        _attempt(
            tally["events in the log"],
            partial(registries[service].decode, kind, wanted, body),
            (msgspec.MsgspecError, UnknownType, NewerVersion, BrokenUpcastPath),
            body,
        )
        key, value, headers = _message(service, kind, body, dice)
        _attempt(
            tally["messages on the bus"],
            partial(decode, key, value, headers),
            (BadMessage,),
            body,
        )


def _bodies() -> list[tuple[str, str, int, Any]]:
    found = []
    for name in models.SERVICES:
        for event in stored_events(name).values():
            for path in sorted(GOLDEN.glob(f"{name}.{event.type}.v{event.schema_version}*")):
                body = json.loads(path.read_bytes())
                if body:
                    found.append((name, event.type, event.schema_version, body))
    return found


def _message(service: str, kind: str, body: bytes, dice: random.Random) -> Any:
    """The message of an event with that body, its key or one of its headers odd."""
    meta = Meta(
        table_id="T1",
        occurred_at_us=dice.choice((1, -1, 2**62, 253_402_300_800_000_000)),
        actor=Actor("d1", "DEALER"),
        command_id="c",
        cause="c",
        depth=1,
    )
    raw = (
        encode_meta(meta)
        if dice.random() < 0.7
        else written(odd(json.loads(encode_meta(meta)), dice), dice)
    )
    record = Record(
        service=service,
        stream="T1",
        version=3,
        position=7,
        previous=2,
        type=kind,
        schema_version=1,
        meta=raw,
        body=body,
        previous_digest=GENESIS,
        digest=digest_of(GENESIS, f"{service}:T1:3", kind, 1, raw, body),
        published=True,
        recorded_at_us=1,
    )
    message = encode(record, meta, hop=dice.choice(("", "x", "00-0-0")))
    headers: list[tuple[str, bytes | None]] = list(message.headers)
    place = dice.randrange(len(headers))
    what = dice.randrange(5)
    if what == 0:
        del headers[place]
    elif what == 1:
        headers[place] = (headers[place][0], broken(headers[place][1] or b"", dice))
    elif what == 2:
        headers.append(headers[place])
    elif what == 3:
        headers[place] = (headers[place][0], dice.choice((None, b"", b"9" * 40, b"\xff", b"\0")))
    key = message.key if dice.random() < 0.8 else dice.choice((None, b"", b"\xff", b"\0", b"x"))
    return key, body, headers


def _attempt(
    surface: Surface, read: Callable[[], object], known: tuple[type[Exception], ...], body: bytes
) -> None:
    """Reading gives something, or one of the errors that it is said to raise."""
    try:
        read()
    except known as error:
        surface.saw(type(error).__name__)
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        surface.saw(type(error).__name__)
        surface.breaches.append(f"{error!r:.200} at {body[:200]!r}")
    else:
        surface.saw("read")


# Files


def fuzz_rulebooks(
    tally: Tally, folder: Path, *, seconds: float, seed: int, inputs_max: int | None = None
) -> None:
    """Check rulebooks that are none, or ones that contradict themselves."""
    dice = random.Random(seed)
    names = sorted(load_catalogue())
    for _ in _until(seconds, inputs_max):
        value: Any = document(dice.choice(names))
        for _ in range(dice.randint(1, 3)):
            value = odd(value, dice)
        path = folder / "rulebook.json"
        path.write_bytes(written(value, dice))
        told = command("rulebook", "check", str(path))
        judge(tally["rulebook check"], told, path, good=(0, 1))


def fuzz_logs(
    tally: Tally,
    folder: Path,
    lines: Sequence[str],
    *,
    seconds: float,
    seed: int,
    inputs_max: int | None = None,
) -> None:
    """Replay table logs in which lines are odd, gone, double or out of order."""
    dice = random.Random(seed)
    for _ in _until(seconds, inputs_max):
        kept = list(lines[: dice.randint(2, len(lines))])
        for _ in range(dice.randint(1, 3)):
            _disturb(kept, dice)
        path = folder / "table.jsonl"
        path.write_bytes(b"\n".join(_line(line, dice) for line in kept) + b"\n")
        judge(tally["replay"], command("replay", str(path)), path, good=(0,))


def _disturb(lines: list[str], dice: random.Random) -> None:
    place = dice.randrange(len(lines))
    what = dice.randrange(4)
    if what == 0:
        lines.insert(place, lines[dice.randrange(len(lines))])
    elif what == 1 and len(lines) > 2:
        del lines[place]
    else:
        lines[place] = "?" + lines[place].lstrip("?")


def _line(line: str, dice: random.Random) -> bytes:
    """A line as bytes; one that is marked is odd."""
    if not line.startswith("?"):
        return line.encode()
    return written(odd(json.loads(line[1:]), dice), dice).replace(b"\n", b" ")


def command(*arguments: str) -> tuple[int, str, str]:
    """Run the command line in this process: its status, and what it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            status = sabot(arguments)
        except BaseException as error:  # noqa: BLE001 - this is what is looked for
            return -1, out.getvalue(), f"Traceback: {error!r}"
    return status, out.getvalue(), err.getvalue()


def judge(
    surface: Surface, told: tuple[int, str, str], path: Path, *, good: tuple[int, ...]
) -> None:
    """A good run, or a refusal that says where: never a traceback."""
    status, _, err = told
    surface.saw(f"status {status}")
    data = path.read_bytes()
    if status not in (*good, 2) or "Traceback" in err:
        surface.breaches.append(f"status {status}: {err[-300:]!r} at {data[:300]!r}")
    elif status == 2 and not PLACE.search(err):
        surface.breaches.append(f"no FILE:LINE: {err[:200]!r} at {data[:300]!r}")
