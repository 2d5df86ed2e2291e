"""`sabot rulebook`: which rulebooks there are, what they say, and whether a document is one."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Final, TextIO

from services.cli.console import print_table
from services.cli.errors import DONE, FAILED, WrongInput
from services.rulebooks.catalogue import documents, load_catalogue
from services.rulebooks.text import readable
from services.rules.rulebook import Rulebook, RulebookRejected
from services.tablelog.faults import NotJson, one_line, strict_json

DOCUMENT_BYTES_MAX: Final = 1 << 20
"""A rulebook is about five thousand bytes; a file a hundred times larger is none."""

SHOWN: Final = 12
"""Digits of a hash that the list shows; packaged rulebooks are found by them, too."""

HASH: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)


def show_list(*, as_json: bool, out: TextIO) -> int:
    """Print the packaged rulebooks with what tells them apart at a glance."""
    catalogue = load_catalogue().values()
    if as_json:
        for rulebook in catalogue:
            summary = {
                "rulebook": rulebook.rulebook_id,
                "hash": rulebook.hash,
                "table_kind": rulebook.table_kind.lower(),
                "jurisdiction": rulebook.jurisdiction,
                "decks": list(rulebook.decks),
                "areas": [area.lower() for area in rulebook.areas],
            }
            out.write(json.dumps(summary) + "\n")
        return DONE
    rows = [
        (
            rulebook.rulebook_id,
            rulebook.table_kind.lower(),
            "/".join(str(number) for number in rulebook.decks),
            " ".join(area.lower() for area in rulebook.areas),
            rulebook.hash[:SHOWN],
        )
        for rulebook in catalogue
    ]
    print_table(out, ("rulebook", "table", "decks", "areas", "hash"), rows, left=5)
    return DONE


def show(name: str, *, as_text: bool, out: TextIO, err: TextIO) -> int:
    """Print a rulebook as its document, or as a text to read (004 14.14).

    `name` is the id or the hash of a packaged one, whole or as it is listed, or the hash of any that a coup was played under:
    for that the settlement service is asked. Returns 1 where nobody knows it.
    """
    rulebook = _packaged(name)
    if rulebook is None and HASH.fullmatch(name):
        rulebook = _remembered(name, err)
    if rulebook is None:
        known = ", ".join(load_catalogue())
        err.write(f"sabot: there is no rulebook {one_line(name)}; packaged are {known}\n")
        return FAILED
    if as_text:
        out.write(readable(rulebook))
    else:
        out.write(json.dumps(rulebook.document, indent=2, ensure_ascii=False) + "\n")
    return DONE


def _packaged(name: str) -> Rulebook | None:
    for rulebook in load_catalogue().values():
        if name == rulebook.rulebook_id or name in (rulebook.hash, rulebook.hash[:SHOWN]):
            return rulebook
    return None


def _remembered(rulebook_hash: str, err: TextIO) -> Rulebook | None:
    """A rulebook that is not packaged any more, from the settlement service."""
    # What only a running system can tell is imported only when it is needed.
    import grpc  # noqa: PLC0415

    from sabot.settlement.v1 import settlement_service_pb2 as pb  # noqa: PLC0415
    from services.cli.local import use_local_stack  # noqa: PLC0415
    from services.tablelog.calls import Services  # noqa: PLC0415
    from services.tablelog.targets import NoServices  # noqa: PLC0415

    async def asked() -> Rulebook | None:
        async with Services.named() as services:
            try:
                answer = await services.stub("settlement").GetRulebook(
                    pb.GetRulebookRequest(rulebook_hash=rulebook_hash)
                )
            except grpc.aio.AioRpcError as error:
                err.write(f"sabot: {error.details()}\n")
                return None
        return Rulebook.from_document(json.loads(answer.document), expected_hash=rulebook_hash)

    use_local_stack()
    try:
        return asyncio.run(asked())
    except NoServices as missing:
        err.write(f"sabot: not packaged, and {missing}\n")
        return None


def check(file: str, *, out: TextIO, err: TextIO) -> int:
    """Check a document as the loader does, and print every fault of it on a line of its own.

    Returns 0 for a sound rulebook and 1 for one that is refused. Raises `WrongInput` where the
    file holds no JSON object at all.
    """
    try:
        rulebook = from_file(file)
    except RulebookRejected as rejected:
        faults = faults_of(rejected)
        out.writelines(f"{one_line(fault)}\n" for fault in faults)
        counted = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        err.write(f"sabot: {file} is refused: {counted}\n")
        return FAILED
    out.write(f"{rulebook.rulebook_id} {rulebook.hash}\n")
    out.writelines(f"warning: {warning}\n" for warning in rulebook.warnings)
    return DONE


def from_file(file: str) -> Rulebook:
    """The rulebook in a file.

    Raises `WrongInput` where it holds no JSON object, and `RulebookRejected` with every fault of
    one that is no rulebook.
    """
    with Path(file).open("rb") as stream:
        raw = stream.read(DOCUMENT_BYTES_MAX + 1)
    if len(raw) > DOCUMENT_BYTES_MAX:
        raise WrongInput(f"{file}:1: longer than {DOCUMENT_BYTES_MAX} bytes")
    try:
        document = strict_json(raw)
    except NotJson as fault:
        raise WrongInput(f"{file}:{fault.line}: {fault}") from None
    if not isinstance(document, dict):
        raise WrongInput(f"{file}:1: a rulebook must be a JSON object")
    # Not the checked catalogue: the document may be one of the packaged files, and faulty.
    others = {
        name: other for name, other in documents().items() if name != document.get("rulebook_id")
    }
    return Rulebook.from_document(document, others=others)


def faults_of(rejected: RulebookRejected) -> list[str]:
    """Every fault as `CHECK FIELD: what is wrong`, first what is missing or unknown."""
    return [
        *(f"V-1 {name}: missing" for name in rejected.missing),
        *(f"V-1 {name}: unknown" for name in rejected.unknown),
        *(str(failure) for failure in rejected.failed),
    ]
