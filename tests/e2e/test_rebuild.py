"""Coups rebuilt from the log: what was altered is named, and what is derived can be made again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import asyncpg
import grpc
import msgspec
import pytest
import pytest_asyncio
from msgspec import Struct

from sabot.settlement.v1 import settlement_service_pb2 as pb
from services.chassis.auth import development_credentials
from services.chassis.digest import digest_of
from services.chassis.postgres import PostgresStore
from services.chassis.projection import READ_WAIT_S
from services.contracts.core import Actor, event_id
from services.devstack.stack import Stack
from services.settlement import rebuild
from services.settlement.api import SettlementService
from services.tablelog.calls import Services
from tests.e2e.support import (
    database,
    fresh,
    played,
    replayed,
    rows,
    sabot,
    short_table,
    value,
    written,
)

pytestmark = [pytest.mark.timeout(240), pytest.mark.usefixtures("mended")]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def table_id(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table whose coups are over."""
    path = written(tmp_path_factory.mktemp("rebuild"), "table", short_table())
    run = fresh("rebuild")
    await played(stack, path, run)
    return f"{run}.1.T1"


@pytest_asyncio.fixture(loop_scope="session")
async def services(stack: Stack) -> AsyncIterator[Services]:
    async with Services(stack.targets) as connected:
        yield connected


async def rebuilt(services: Services, coup_id: str) -> Any:
    return await services.stub("settlement").RebuildCoup(pb.RebuildCoupRequest(coup_id=coup_id))


@asynccontextmanager
async def altered(
    stack: Stack, condition: str, *arguments: Any, **columns: bytes
) -> AsyncIterator[None]:
    """Stored events with other bytes in them, as somebody with all rights could put them there."""
    places = ", ".join(f"{name} = ${number}" for number, name in enumerate(columns, start=2))
    async with database(stack, "settlement") as connection:
        before = await connection.fetchrow(
            f"select position, {', '.join(columns)} from events where {condition}", *arguments
        )
        change = f"update events set {places} where position = $1"
        await connection.execute("alter table events disable trigger events_are_final")
        try:
            assert await connection.execute(change, before[0], *columns.values()) == "UPDATE 1"
            yield
        finally:
            await connection.execute(change, before[0], *before[1:])
            await connection.execute("alter table events enable trigger events_are_final")


async def stored(stack: Stack, table_id: str, kind: str, word: str = "") -> Any:
    """The first event of this type in settlement's log whose body has the word."""
    found = await rows(
        stack,
        "settlement",
        "select * from events where stream_id = $1 and type = $2 "
        "and position(convert_to($3, 'UTF8') in body) > 0 order by position",
        table_id,
        kind,
        word,
    )
    return found[0]


class Place(Struct, frozen=True):
    """A byte of a stored event: the last one of the first match in the body."""

    kind: str
    word: str
    pattern: bytes


def flipped(body: bytes, pattern: bytes) -> bytes:
    """The body with the last byte of the first match changed: a digit to another, or a `}` to `)`."""
    end = next(re.finditer(pattern, body)).end()
    changed = bytes((body[end - 1] ^ 1,)) if body[end - 1 : end].isdigit() else b")"
    return body[: end - 1] + changed + body[end:]


OWN = "wager-settled"
NOTED = '"event_type":"coup-resulted"'
AT_POSITION = "position = $1"


PLACES = {
    "an amount of an own event": Place(OWN, "", rb'"stake_minor":\d'),
    "the form of an own event": Place(OWN, "", rb"\}"),
    "points in a noted event": Place("noted", NOTED, rb'"player_points":\d'),
    "the envelope of a noted event": Place("noted", NOTED, rb'"occurred_at_us":\d'),
    "the position of a noted event": Place("noted", NOTED, rb'"position":\d'),
    "the form of a noted event": Place("noted", NOTED, rb"\}"),
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
async def test_one_changed_byte_of_a_stored_event_is_found_and_named(
    stack: Stack, services: Services, table_id: str, place: Place
) -> None:
    """The rebuild differs, says which event, and its evidence is another; put back, all is well."""
    sound = await rebuilt(services, f"{table_id}:1:1")
    assert (sound.matches, list(sound.differences)) == (True, [])
    event = await stored(stack, table_id, place.kind, place.word)
    name = event_id("settlement", table_id, event["version"])
    changed = flipped(event["body"], place.pattern)
    async with altered(stack, AT_POSITION, event["position"], body=changed):
        found = await rebuilt(services, f"{table_id}:1:1")
    assert not found.matches
    assert any(name in difference for difference in found.differences), found.differences
    assert found.digest != sound.digest
    again = await rebuilt(services, f"{table_id}:1:1")
    assert (again.matches, again.digest, again.evidence) == (True, sound.digest, sound.evidence)


async def test_a_noted_event_with_a_new_digest_is_still_not_what_was_published(
    stack: Stack, services: Services, table_id: str
) -> None:
    """Who alters what was heard, and the digest over it, cannot alter what the publisher signed."""
    event = await stored(stack, table_id, "noted", NOTED)
    body = flipped(event["body"], rb'"player_points":\d')
    name = event_id("settlement", table_id, event["version"])
    forged = digest_of(
        event["previous_digest"], name, event["type"], event["schema_version"], event["meta"], body
    )
    heard = msgspec.json.decode(body)["event_id"]
    async with altered(stack, AT_POSITION, event["position"], body=body, digest=forged):
        found = await rebuilt(services, f"{table_id}:1:1")
    assert not found.matches
    assert any(heard in difference for difference in found.differences), found.differences


async def test_an_own_event_with_a_new_digest_breaks_the_chain(
    stack: Stack, services: Services, table_id: str
) -> None:
    """An event's digest covers the one before it, so that a digest cannot be exchanged alone."""
    event = await stored(stack, table_id, OWN)
    body = flipped(event["body"], rb'"stake_minor":\d')
    name = event_id("settlement", table_id, event["version"])
    forged = digest_of(
        event["previous_digest"], name, event["type"], event["schema_version"], event["meta"], body
    )
    async with altered(stack, AT_POSITION, event["position"], body=body, digest=forged):
        found = await rebuilt(services, f"{table_id}:1:1")
    assert any("does not follow" in said and name in said for said in found.differences)


async def test_an_altered_rulebook_is_found_and_named(
    stack: Stack, services: Services, table_id: str
) -> None:
    """The rules that a coup was played under stand outside the coup, and prove themselves too."""
    event = await stored(stack, table_id, "rulebook-activated")
    body = flipped(event["body"], rb'_minutes":\d')
    name = event_id("settlement", table_id, event["version"])
    async with altered(stack, AT_POSITION, event["position"], body=body):
        found = await rebuilt(services, f"{table_id}:1:1")
    assert not found.matches
    named = [difference for difference in found.differences if name in difference]
    assert any("rulebook" in difference for difference in named), found.differences


async def projected(stack: Stack, coup_id: str) -> tuple[str, bytes]:
    """The schema that queries read, and a coup's story in it."""
    schema = await value(
        stack, "settlement", "select schema_name from projections where name = 'coups'"
    )
    story = await value(
        stack, "settlement", f'select story from "{schema}".coups where coup_id = $1', coup_id
    )
    return schema, story


async def test_an_altered_projection_differs_but_the_evidence_does_not(
    stack: Stack, services: Services, table_id: str
) -> None:
    """The log proves itself: what queries read is compared with it. Rebuilt, it agrees again."""
    coup_id = f"{table_id}:1:2"
    sound = await rebuilt(services, coup_id)
    assert sound.matches
    schema, story = await projected(stack, coup_id)
    lie = re.sub(rb'"winner":"\w+"', b'"winner":"TIE"', story)
    assert lie != story
    async with database(stack, "settlement") as connection:
        await connection.execute(
            f'update "{schema}".coups set story = $2 where coup_id = $1', coup_id, lie
        )
    found = await rebuilt(services, coup_id)
    assert not found.matches
    assert ["projection" in difference for difference in found.differences] == [True]
    assert "winner" in found.differences[0]
    assert (found.digest, found.evidence) == (sound.digest, sound.evidence)
    assert sabot(stack, "rebuild", coup_id).returncode == 1

    healing = await asyncio.to_thread(sabot, stack, "rebuild", "--all")
    assert healing.returncode == 1, healing.stderr
    told = healing.stdout.splitlines()
    assert f"DIFFERS  {sound.digest[:16]}  {coup_id}" in told
    assert (
        f"equal    {(await rebuilt(services, f'{table_id}:1:1')).digest[:16]}  {table_id}:1:1"
        in told
    )
    coups = sum(line.startswith(("equal  ", "DIFFERS")) for line in told)
    assert f"{coups - 1} of {coups} coups, rebuilt from the log, equal their projection" in told
    assert any(line.startswith("projection coups: folded again from ") for line in told)
    assert (await projected(stack, coup_id))[0] != schema
    healed = await rebuilt(services, coup_id)
    assert (healed.matches, healed.digest) == (True, sound.digest)
    proof = await asyncio.to_thread(sabot, stack, "rebuild", coup_id)
    assert proof.returncode == 0
    assert sound.digest in proof.stdout
    again = await asyncio.to_thread(sabot, stack, "rebuild", "--all")
    assert again.returncode == 0, again.stdout


async def test_a_rebuild_waits_for_the_projection_and_says_where_it_does_not_come(
    stack: Stack, services: Services, tmp_path: Path
) -> None:
    """Right after a coup there is nothing to report; where the projection stands still, there is."""
    path, run = written(tmp_path, "held", short_table()), fresh("held")
    coup_id = f"{run}.1.T1:1:1"
    async with database(stack, "settlement") as connection:
        async with connection.transaction():
            await connection.execute(
                "select from checkpoints where name = 'projection:coups' for update"
            )
            await played(stack, path, run)
            late = await rebuilt(services, coup_id)
            in_time = asyncio.create_task(rebuilt(services, coup_id))
            await asyncio.sleep(READ_WAIT_S / 4)
        assert (late.matches, len(late.differences)) == (False, 1)
        assert "has not reached" in late.differences[0]
        assert (await in_time).matches, (await in_time).differences


async def test_a_coup_that_went_on_meanwhile_does_not_differ(stack: Stack, table_id: str) -> None:
    """The projection may know more of a coup than the records that were read a moment before."""
    async with asyncpg.create_pool(
        stack.database_url("settlement"), min_size=1, max_size=2
    ) as pool:
        store = PostgresStore("settlement", pool)
        service = SettlementService(SimpleNamespace(store=store, pool=pool))  # type: ignore[arg-type]
        coup_id = f"{table_id}:1:1"
        records = rebuild.of_coup(await store.read_by_coup(coup_id))
        for known in range(1, len(records) + 1):
            story = rebuild.story_of(coup_id, records[:known])
            assert await service._against_projection(story, records[:known]) == []


def test_a_story_is_told_in_units_of_the_currency(stack: Stack, table_id: str) -> None:
    """What happened with its fields, and amounts as people write them."""
    told = sabot(stack, "rebuild", f"{table_id}:1:1").stdout
    for part in (
        "card dealt: card ",
        "hand PLAYER, position 1",
        "wager accepted: area BANKER, channel LAYOUT, player ",
        "stake 25.00 EUR",
        " 25.00 EUR on BANKER: ",
        "books     EUR: staked 37.00, ",
    ):
        assert part in told
    assert "_minor" not in told
    assert not re.search(r"\b2500\b", told)  # a digest may hold the figures


def test_an_unknown_coup_is_explained(stack: Stack, table_id: str) -> None:
    """Where ids come from, and some that there are: of the same table, if it has any."""
    unknown = sabot(stack, "rebuild", f"{table_id}:1:999")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert f"there is no coup {table_id}:1:999" in unknown.stderr
    assert f"for example: {table_id}:1:1, {table_id}:1:2" in unknown.stderr
    elsewhere = sabot(stack, "rebuild", "nowhere:1:1")
    assert re.search(r"for example: \S+:\d+:\d+, ", elsewhere.stderr)
    malformed = sabot(stack, "rebuild", "nonsense")
    assert malformed.returncode == 2
    assert "TABLE:OPENING:NUMBER" in malformed.stderr


async def test_players_and_dealers_start_no_rebuild(services: Services) -> None:
    """Folding everything again costs the database; it is nobody's business at a table."""
    for role in ("PLAYER", "DEALER"):
        call = services.stub("settlement").RebuildProjections(
            pb.RebuildProjectionsRequest(),
            timeout=60,
            metadata=development_credentials(Actor("x", role))(),
        )
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            async for _ in call:
                pass
        assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_coups_are_listed_page_by_page(services: Services, table_id: str) -> None:
    """Those of a table end with it; those of all tables hold them, each once and in order."""

    async def listed(table: str) -> list[str]:
        found: list[str] = []
        token = ""
        while True:
            page = await services.stub("settlement").ListCoups(
                pb.ListCoupsRequest(table_id=table, page_size=2, page_token=token)
            )
            found += [coup.coup_id for coup in page.coups]
            token = page.next_page_token
            if not token:
                return found

    mine = [f"{table_id}:1:{number}" for number in (1, 2, 3)]
    assert await listed(table_id) == mine
    every = await listed("")
    assert len(every) == len(set(every))
    assert [coup for coup in every if coup.startswith(f"{table_id}:")] == mine


async def test_projections_are_rebuilt_beside_live_traffic_without_a_gap(
    stack: Stack, services: Services, tmp_path: Path
) -> None:
    """While a table plays, rebuild after rebuild: queries never lose a coup and never go back."""
    path = written(tmp_path, "live", short_table())
    run = fresh("beside")
    table_id = f"{run}.1.T1"
    playing = asyncio.create_task(played(stack, path, run))
    seen: list[tuple[int, int]] = []

    async def asked() -> None:
        while True:
            answer = await services.stub("settlement").ListCoups(
                pb.ListCoupsRequest(table_id=table_id)
            )
            settled = sum(coup.status in {"SETTLED", "NO_BET"} for coup in answer.coups)
            seen.append((len(answer.coups), settled))
            await asyncio.sleep(0.005)

    asking = asyncio.create_task(asked())
    switches = 0
    while not playing.done():
        async for step in services.stub("settlement").RebuildProjections(
            pb.RebuildProjectionsRequest(), timeout=60
        ):
            switches += step.switched
    assert await playing == replayed(path)
    await asyncio.sleep(0.1)
    asking.cancel()
    assert switches >= 2
    assert seen == sorted(seen)
    for number in (1, 2, 3):
        found = await rebuilt(services, f"{table_id}:1:{number}")
        assert found.matches, found.differences
