"""`sabot evidence`: what the log says of a coup, as one file to hand out, with its hash."""

from __future__ import annotations

import asyncio
import datetime as dt
import hashlib
import uuid
from pathlib import Path
from typing import IO, Any, Final

import grpc
from msgspec import Struct

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.chassis.auth import development_credentials
from services.cli.errors import DONE, FAILED
from services.cli.local import use_local_stack
from services.contracts.core import Actor
from services.tablelog.calls import Services, words_of

DEADLINE_S: Final = 60.0


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line says."""

    coup_id: str
    out: str | None
    position: int
    """0: everything there is now."""

    purpose: str
    """Empty: the evidence is looked at, and not handed out."""

    by: Actor
    dispute_id: str
    token: Path | None = None
    """Who asks, where the services believe nobody: then `by` stands in it."""


def main(asked: Asked, out: IO[str], err: IO[str]) -> int:
    """Fetch the evidence of a coup; 1 where there is none, or it is not what was put on record."""
    use_local_stack()
    found = asyncio.run(_found(asked, err))
    if found is None:
        return FAILED
    if asked.out is not None:
        Path(asked.out).write_bytes(found.content)
    return _tell(found, out)


class Found(Struct, frozen=True):
    """The evidence, and what is on record about it."""

    position: int
    digest: str
    content: bytes
    exports: Any


async def _found(asked: Asked, err: IO[str]) -> Found | None:
    async with Services.named(asked.token) as services:
        stub = services.stub("settlement")
        try:
            position = asked.position
            if asked.purpose:
                answer = await _exported(stub, asked)
                if answer.result.HasField("refusal"):
                    refusal = answer.result.refusal
                    err.write(f"sabot: {refusal.reason}: {refusal.message}\n")
                    return None
                position = answer.position
            position, digest, content = await fetched(stub, asked.coup_id, position)
            exports = await stub.ListEvidenceExports(
                pb.ListEvidenceExportsRequest(coup_id=asked.coup_id), timeout=DEADLINE_S
            )
        except grpc.aio.AioRpcError as error:
            err.write(f"sabot: {asked.coup_id}: {words_of(error)}\n")
            return None
    return Found(position, digest, content, exports.exports)


def _tell(found: Found, out: IO[str]) -> int:
    """Say what there is, and hold it against what was put on record at this position."""
    digest, position = found.digest, found.position
    out.write(f"evidence  {digest}\nposition  {position}\nbytes     {len(found.content)}\n")
    wrong = hashlib.sha256(found.content).hexdigest() != digest
    if wrong:
        out.write("DIFFERS   the bytes are not those of the hash\n")
    for export in found.exports:
        at = dt.datetime.fromtimestamp(export.exported_at_us / 1_000_000, tz=dt.UTC)
        dispute = f" in dispute {export.dispute_id}" if export.dispute_id else ""
        out.write(
            f"exported  {at:%Y-%m-%d %H:%M:%S}Z by {export.by.id} ({export.by.role}){dispute}, "
            f"for {export.purpose}: {export.digest} at position {export.position}\n"
        )
        if export.position == position and export.digest != digest:
            wrong = True
            out.write("DIFFERS   the evidence is not what was exported then\n")
    return FAILED if wrong else DONE


async def _exported(stub: Any, asked: Asked) -> Any:
    request = pb.ExportEvidenceRequest(
        table_id=asked.coup_id.rsplit(":", 2)[0],
        coup_id=asked.coup_id,
        purpose=asked.purpose,
        dispute_id=asked.dispute_id,
    )
    request.meta.command_id = f"evidence-{uuid.uuid4()}"
    # Where there is a token, it says who hands the evidence out.
    by = None if asked.token else development_credentials(asked.by)()
    return await stub.ExportEvidence(request, timeout=DEADLINE_S, metadata=by)


async def fetched(stub: Any, coup_id: str, position: int) -> tuple[int, str, bytes]:
    """Position, hash and bytes of a coup's evidence."""
    parts: list[bytes] = []
    found, digest = position, ""
    call = stub.GetEvidence(
        pb.GetEvidenceRequest(coup_id=coup_id, position=position), timeout=DEADLINE_S
    )
    async for part in call:
        found, digest = part.position, part.digest
        parts.append(part.part)
    return found, digest, b"".join(parts)
