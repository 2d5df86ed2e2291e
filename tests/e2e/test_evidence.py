"""Evidence and rules of coups from the running services: on record, and the same bytes again."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.chassis.auth import development_credentials
from services.cli.evidence import fetched
from services.contracts.core import Actor
from services.devstack.stack import Stack
from services.rulebooks.catalogue import document, load_catalogue
from services.rules.rulebook import rulebook_of, with_options
from services.tablelog.calls import Services
from tests.e2e.support import OPEN, fresh, played, sabot, short_table, written

pytestmark = [pytest.mark.once, pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]

INSPECTOR = Actor("i1", "INSPECTOR")
HOUSE = {"games_supervisor_counts_as_casino_supervisor": True}
OPENING = {**OPEN, "options": HOUSE}
DISPUTE = {"do": "dispute", "id": "q1", "coup": 1, "claim": "a late call"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def coup_id(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A coup that is over and in dispute, under rules that no packaged rulebook has."""
    lines = [OPENING, *short_table()[1:], DISPUTE]
    path = written(tmp_path_factory.mktemp("evidence"), "table", lines)
    run = fresh("evidence")
    await played(stack, path, run)
    return f"{run}.1.T1:1:1"


@pytest_asyncio.fixture(loop_scope="session")
async def settlement(stack: Stack) -> AsyncIterator[Any]:
    async with Services(stack.targets) as connected:
        yield connected.stub("settlement")


def request(coup_id: str, **fields: str) -> pb.ExportEvidenceRequest:
    asked: dict[str, Any] = {
        "table_id": coup_id.rsplit(":", 2)[0],
        "coup_id": coup_id,
        "purpose": "the inspector asked",
        "dispute_id": "q1",
    }
    made = pb.ExportEvidenceRequest(**{**asked, **fields})
    made.meta.command_id = fresh("export")
    return made


async def exported(stub: Any, asked: pb.ExportEvidenceRequest, by: Actor = INSPECTOR) -> Any:
    return await stub.ExportEvidence(asked, metadata=development_credentials(by)())


async def test_f_181_evidence_is_exported_on_record_and_made_again(
    settlement: Any, coup_id: str
) -> None:
    """F-181: the record says who, when, what for and which bytes; the bytes come again."""
    asked = request(coup_id)
    answer = await exported(settlement, asked)
    assert not answer.result.HasField("refusal")
    position, digest, content = await fetched(settlement, coup_id, answer.position)
    assert (position, digest) == (answer.position, answer.digest)
    assert hashlib.sha256(content).hexdigest() == digest
    assert json.loads(content)["story"]["status"] == "SETTLED"

    again = await exported(settlement, asked)
    assert again.result.duplicate
    assert (again.position, again.digest) == (answer.position, answer.digest)
    # A further export finds nothing new in the coup: handing out changes nothing.
    other = await exported(settlement, request(coup_id, dispute_id="", purpose="an audit"))
    assert (other.position, other.digest) == (answer.position, answer.digest)
    assert await fetched(settlement, coup_id, 0) == (position, digest, content)

    told = await settlement.ListEvidenceExports(pb.ListEvidenceExportsRequest(coup_id=coup_id))
    assert [
        (each.by.id, each.by.role, each.purpose, each.dispute_id, each.position, each.digest)
        for each in told.exports
    ] == [
        ("i1", "INSPECTOR", "the inspector asked", "q1", position, digest),
        ("i1", "INSPECTOR", "an audit", "", position, digest),
    ]
    rebuilt = await settlement.RebuildCoup(pb.RebuildCoupRequest(coup_id=coup_id))
    assert (rebuilt.matches, list(rebuilt.differences)) == (True, [])


async def test_f_181_what_cannot_be_exported_is_refused(settlement: Any, coup_id: str) -> None:
    """F-181: no dispute of that name, no purpose, no such coup; another's table."""
    answer = await exported(settlement, request(coup_id, dispute_id="q9"))
    assert answer.result.refusal.reason == "UNKNOWN"
    for asked in (request(coup_id, purpose=" "), request(coup_id, table_id="elsewhere")):
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await exported(settlement, asked)
        assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await fetched(settlement, coup_id.removesuffix(":1") + ":99", 0)
    assert failed.value.code() is grpc.StatusCode.NOT_FOUND


async def test_f_182_a_past_coup_has_its_own_rules_as_document_and_text(
    settlement: Any, coup_id: str
) -> None:
    """F-182: under a house's option, which no file holds; found by coup and by hash alike."""
    rules = rulebook_of(with_options(document("nsw-mini"), HOUSE))
    assert rules.hash not in {each.hash for each in load_catalogue().values()}
    by_coup = await settlement.GetRulebook(pb.GetRulebookRequest(coup_id=coup_id))
    by_hash = await settlement.GetRulebook(pb.GetRulebookRequest(rulebook_hash=rules.hash))
    assert by_coup == by_hash
    assert by_hash.rulebook_hash == rules.hash
    assert by_hash.document == rules.canonical
    assert "- A game supervisor counts as a casino supervisor: yes" in by_hash.text.splitlines()


async def test_f_182_an_unknown_hash_is_an_error(settlement: Any, coup_id: str) -> None:
    """F-182: never the newest rules instead; and the question names hash or coup, not both."""
    for asked, code in (
        (pb.GetRulebookRequest(rulebook_hash="0" * 64), grpc.StatusCode.NOT_FOUND),
        (pb.GetRulebookRequest(coup_id="nowhere:1:1"), grpc.StatusCode.NOT_FOUND),
        (pb.GetRulebookRequest(), grpc.StatusCode.INVALID_ARGUMENT),
        (
            pb.GetRulebookRequest(rulebook_hash="0" * 64, coup_id=coup_id),
            grpc.StatusCode.INVALID_ARGUMENT,
        ),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await settlement.GetRulebook(asked)
        assert failed.value.code() is code


async def test_queries_reflect_a_position_that_the_caller_knows(
    settlement: Any, coup_id: str
) -> None:
    """Read what you wrote: a query waits for the position of a command's answer, not for ever."""
    answer = await exported(settlement, request(coup_id, dispute_id="", purpose="to read back"))
    token = answer.result.position_token
    got = await settlement.GetCoup(pb.GetCoupRequest(coup_id=coup_id, min_position=token))
    assert got.coup.coup_id == coup_id
    unheard = "MTpzZXR0bGVtZW50OjA6OTk5OTk5OTk5Lg"  # position 999999999 of settlement
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await settlement.GetCoup(pb.GetCoupRequest(coup_id=coup_id, min_position=unheard))
    assert failed.value.code() is grpc.StatusCode.UNAVAILABLE
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await settlement.GetCoup(pb.GetCoupRequest(coup_id=coup_id, min_position="x"))
    assert failed.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_the_command_line_hands_out_evidence_and_shows_rules(
    stack: Stack, coup_id: str, tmp_path: Path
) -> None:
    """F-181, F-182: `sabot evidence` and `sabot rulebook show`."""
    file = tmp_path / "evidence.json"
    export = ("--export", "a test", "--by", "gs1", "--dispute", "q1", "--out", str(file))
    done = await asyncio.to_thread(sabot, stack, "evidence", coup_id, *export)
    assert done.returncode == 0, done.stderr
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert f"evidence  {digest}" in done.stdout
    assert "by gs1 (GAME_SUPERVISOR) in dispute q1, for a test" in done.stdout
    position = json.loads(file.read_bytes())["position"]
    again = await asyncio.to_thread(
        sabot, stack, "evidence", coup_id, "--position", str(position), "--out", str(file)
    )
    assert again.returncode == 0, again.stdout
    assert f"evidence  {digest}" in again.stdout
    refused = await asyncio.to_thread(
        sabot, stack, "evidence", coup_id, "--export", "x", "--by", "p1", "--role", "player"
    )
    assert refused.returncode == 1
    assert "ROLE" in refused.stderr

    rules_hash = json.loads(file.read_bytes())["story"]["rulebook_hash"]
    shown = await asyncio.to_thread(sabot, stack, "rulebook", "show", rules_hash)
    assert rulebook_of(json.loads(shown.stdout)).hash == rules_hash
    unknown = await asyncio.to_thread(sabot, stack, "rulebook", "show", "0" * 64)
    assert unknown.returncode == 1
    assert "there is no rulebook" in unknown.stderr
