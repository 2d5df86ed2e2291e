"""`sabot lab`: what a test laboratory asks for first, as files with a manifest of their hashes.

Needs no services. Everything but the samples of the generator is the same bytes for the same
installation; the samples are new each time, and the orders beside them follow from them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import secrets
import tomllib
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TextIO

import services
from services.cli.errors import DONE, WrongUse
from services.cli.odds import as_document
from services.rulebooks.catalogue import load_catalogue
from services.rulebooks.text import readable
from services.rules.odds import odds
from services.rules.shuffling import pack, shuffle

PACKAGE: Final = Path(services.__file__).parent
REGISTER: Final = PACKAGE.parent / "tests" / "clauses" / "register.toml"
"""In a checkout; an installation has no tests."""

SAMPLE_BYTES: Final = 1 << 20
SAMPLE_DECKS: Final = 8
ORDERS_MAX: Final = 1_000
GENERATOR: Final = "generator/"
MANIFEST: Final = "manifest.json"
_KINDS: Final = ("enforce", "compute", "record")


def main(folder: Path, out: TextIO, *, sample_bytes: int = SAMPLE_BYTES) -> int:
    """Write the pack into a folder that is empty or not there yet."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise WrongUse(f"{folder}: is there already, and not an empty folder")
    listed: list[dict[str, Any]] = []
    for name, content in files(sample_bytes):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        listed.append(
            {
                "name": name,
                "bytes": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
                "reproducible": not name.startswith(GENERATOR),
            }
        )
        out.write(f"{name}\n")
        out.flush()
    manifest = {"software": f"sabot {metadata.version('sabot')}", "files": listed}
    if not REGISTER.is_file():
        manifest["missing"] = "clauses.csv: the table of clauses with its tests is in a checkout"
    (folder / MANIFEST).write_bytes(_json(manifest))
    out.write(f"{MANIFEST}\n")
    return DONE


def files(sample_bytes: int = SAMPLE_BYTES) -> Iterator[tuple[str, bytes]]:
    """Every file of the pack but the manifest, by name."""
    yield "components.json", _json(components())
    for name, rulebook in load_catalogue().items():
        for decks in sorted(rulebook.decks):
            sheet = as_document(rulebook, odds(rulebook, decks))
            yield f"odds/{name}-{decks}-decks.json", _json(sheet)
    for rulebook in load_catalogue().values():
        yield f"rules/{rulebook.hash}.json", rulebook.canonical
        yield f"rules/{rulebook.hash}.txt", readable(rulebook).encode()
    if REGISTER.is_file():
        yield "clauses.csv", clauses(REGISTER.read_text()).encode()
    raw = secrets.token_bytes(sample_bytes)
    yield f"{GENERATOR}samples.bin", raw
    yield f"{GENERATOR}orders.txt", orders(raw).encode()


def components() -> Mapping[str, Any]:
    """SHA-256 of every file of the program, and of what each installed dependency records."""
    own = {
        path.relative_to(PACKAGE.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(PACKAGE.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    whole = hashlib.sha256("".join(f"{n} {d}\n" for n, d in own.items()).encode()).hexdigest()
    return {"digest": whole, "files": own, "dependencies": dict(sorted(_dependencies()))}


def _dependencies() -> Iterator[tuple[str, dict[str, str]]]:
    for each in metadata.distributions():
        record = each.read_text("RECORD") or ""
        # What an installer notes of itself differs from machine to machine.
        lines = [line for line in sorted(record.splitlines()) if ".dist-info/" not in line]
        digest = hashlib.sha256("\n".join(line for line in lines if ".pyc" not in line).encode())
        yield each.name.lower(), {"version": each.version, "record_sha256": digest.hexdigest()}


def clauses(register: str) -> str:
    """Every clause with what is done about it, and the tests that show it."""
    table = io.StringIO()
    write = csv.writer(table, lineterminator="\n")
    write.writerow(("row", "clause", "title", "what is done", "services", "kinds", "tests"))
    for name, row in tomllib.loads(register).items():
        tests = [test for kind in _KINDS for test in row.get(kind, ())]
        told = row.get("does", f"as {row['same']}" if "same" in row else "")
        write.writerow(
            (
                name,
                row.get("clause", ""),
                row.get("title", ""),
                told,
                " ".join(row.get("services", ())),
                " ".join(row.get("kinds", ())),
                " ".join(tests),
            )
        )
    return table.getvalue()


def orders(raw: bytes) -> str:
    """Shoes shuffled by the bytes of the samples, one after the other, while they last.

    One order a line, first card first: whoever repeats the shuffle from the same bytes has the same.
    """
    lines: list[str] = []
    cards = pack(SAMPLE_DECKS)
    take = _reader(raw)
    while len(lines) < ORDERS_MAX:
        try:
            lines.append(" ".join(shuffle(cards, take)))
        except ValueError:  # the bytes are used up
            break
    return "".join(f"{line}\n" for line in lines)


def _reader(raw: bytes) -> Callable[[int], bytes]:
    held = io.BytesIO(raw)
    return held.read


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode() + b"\n"
