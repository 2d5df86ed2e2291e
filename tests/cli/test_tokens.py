"""`sabot evidence` and `sabot report` show a token where services believe nobody."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from sabot.settlement.v1 import report_service_pb2, report_service_pb2_grpc
from sabot.settlement.v1 import settlement_service_pb2 as pb
from sabot.settlement.v1 import settlement_service_pb2_grpc as pb_grpc
from services.cli import evidence, report
from services.cli.__main__ import run
from services.contracts.core import Actor
from services.tablelog.render import SERVICES

PACK = b"{}"
Seen = list[tuple[str, dict[str, str]]]


def seen_by(seen: Seen, method: str, context: Any) -> None:
    seen.append((method, {key: str(value) for key, value in context.invocation_metadata()}))


class Settlement(pb_grpc.SettlementServiceServicer):
    """Answers anybody, and remembers how he came."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    async def GetEvidence(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        seen_by(self.seen, "GetEvidence", context)
        digest = hashlib.sha256(PACK).hexdigest()
        yield pb.GetEvidenceResponse(position=7, digest=digest, part=PACK)

    async def ExportEvidence(self, request: Any, context: Any) -> Any:  # noqa: N802
        seen_by(self.seen, "ExportEvidence", context)
        return pb.ExportEvidenceResponse(position=7)

    async def ListEvidenceExports(self, request: Any, context: Any) -> Any:  # noqa: N802
        seen_by(self.seen, "ListEvidenceExports", context)
        return pb.ListEvidenceExportsResponse()


class Reports(report_service_pb2_grpc.ReportServiceServicer):
    """The same for reports."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen

    async def ListReports(self, request: Any, context: Any) -> Any:  # noqa: N802
        seen_by(self.seen, "ListReports", context)
        return report_service_pb2.ListReportsResponse()


@pytest_asyncio.fixture(loop_scope="session")
async def seen(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Seen]:
    """What a settlement service that is only a listener is told about its callers."""
    told: Seen = []
    server = grpc.aio.server()
    pb_grpc.add_SettlementServiceServicer_to_server(Settlement(told), server)  # type: ignore[abstract]
    report_service_pb2_grpc.add_ReportServiceServicer_to_server(Reports(told), server)  # type: ignore[abstract]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    for name in SERVICES:
        monkeypatch.setenv(f"SABOT_{name.upper()}_TARGET", f"127.0.0.1:{port}")
    yield told
    await server.stop(None)


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("abc.def.ghi\n")
    return file


def asked(token: Path | None, by: str = "") -> evidence.Asked:
    return evidence.Asked(
        coup_id="T1:1:1",
        out=None,
        position=0,
        purpose="an audit",
        by=Actor(by, "AUDITOR"),
        dispute_id="",
        token=token,
    )


async def test_evidence_is_asked_for_under_the_token_alone(seen: Seen, token: Path) -> None:
    """In every call, and nothing beside it says who somebody is."""
    done = await asyncio.to_thread(evidence.main, asked(token), io.StringIO(), io.StringIO())
    assert done == 0
    assert [method for method, _ in seen] == [
        "ExportEvidence",
        "GetEvidence",
        "ListEvidenceExports",
    ]
    for _, metadata in seen:
        assert metadata["authorization"] == "Bearer abc.def.ghi"
        assert not [key for key in metadata if key.startswith("sabot-actor")]


async def test_without_a_token_the_person_is_named(seen: Seen) -> None:
    await asyncio.to_thread(evidence.main, asked(None, "a1"), io.StringIO(), io.StringIO())
    assert seen[0][1]["sabot-actor-id"] == "a1"
    assert all("authorization" not in metadata for _, metadata in seen)


async def test_reports_are_asked_for_under_the_token(seen: Seen, token: Path) -> None:
    await asyncio.to_thread(report.show_list, io.StringIO(), token)
    assert seen[0][1]["authorization"] == "Bearer abc.def.ghi"


@pytest.mark.parametrize(
    "words",
    [
        ("--export", "x"),
        ("--by", "a1"),
        ("--export", "x", "--by", "a1", "--token", __file__),
        ("--token", "no-such-file"),
    ],
)
def test_who_hands_out_is_said_once(words: tuple[str, ...]) -> None:
    """By name or by a token that is there; otherwise nobody is called."""
    assert run(["evidence", "T1:1:1", *words]) == 2
