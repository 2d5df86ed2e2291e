"""Exports are whole, can be resumed after any message, and follow what changes."""

from __future__ import annotations

import asyncio
import hashlib
from random import Random
from typing import Any

import pytest

from sabot.query.v1 import query_service_pb2 as pb
from services.chassis.decider import Record
from services.chassis.postgres import Pool
from services.chassis.rpc_errors import InvalidCommand
from services.settlement.queries import reading
from services.settlement.queries.api import QueryService
from services.settlement.queries.resources import KINDS, WAGERS, Kind
from tests.integration.queries.calls import each_kind, many, stored
from tests.support.queried import Log, projector, runtime, sign_in


async def exported(pool: Pool, kind: Kind, *, stop_after: int = 0, **fields: Any) -> list[Any]:
    """The messages of an export, or the first few of them."""
    sign_in()
    service = QueryService(runtime(pool))
    request = getattr(pb, f"Export{many(kind)}Request")(**fields)
    messages = []
    stream = getattr(service, f"Export{many(kind)}")(request, None)
    try:
        async for message in stream:
            messages.append(message)
            if len(messages) == stop_after:
                break
    finally:
        await stream.aclose()
    return messages


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough messages to break off between."""
    monkeypatch.setattr(reading, "EXPORT_BATCH", 7)


@each_kind
async def test_an_export_holds_everything_in_the_order_of_its_last_change(
    queried: Pool, kind: Kind
) -> None:
    """Once each; the last message says that it was all, and the count and checksum fit."""
    messages = await exported(queried, kind, view="VIEW_FULL")
    items = [item for message in messages for item in message.items]
    wanted = sorted(await stored(queried, kind), key=lambda each: (each.position, each.id))
    assert [item.id for item in items] == [each.id for each in wanted]
    assert [message.complete for message in messages] == [False] * (len(messages) - 1) + [True]
    assert messages[-1].count == len(items)
    checksum = b""
    for message in messages:
        digest = hashlib.sha256(checksum)
        for item in message.items:
            digest.update(item.SerializeToString(deterministic=True))
        checksum = digest.digest() if message.items else checksum
        assert message.checksum == checksum.hex()


@each_kind
async def test_an_export_that_is_killed_and_resumed_gives_the_same_bytes(
    queried: Pool, kind: Kind
) -> None:
    """Broken off after messages at random, again and again: byte for byte as in one go."""
    chance = Random(kind.name)
    unbroken = [each.SerializeToString() for each in await exported(queried, kind)]
    for _ in range(3):
        got: list[bytes] = []
        cursor, complete = "", False
        while not complete:
            part = await exported(
                queried, kind, stop_after=chance.randint(1, 5), resume_cursor=cursor
            )
            got += [each.SerializeToString() for each in part]
            cursor, complete = part[-1].resume_cursor, part[-1].complete
        assert got == unbroken


async def test_a_cursor_is_bound_to_what_was_asked(queried: Pool) -> None:
    """Another filter or view under a cursor is refused: the rest would not fit what is there."""
    [first] = await exported(queried, WAGERS, stop_after=1, filter="stake_minor >= 1")
    for other in ({"filter": "stake_minor >= 2"}, {"view": "VIEW_FULL"}, {"table_id": "x"}):
        fields: dict[str, Any] = {"filter": "stake_minor >= 1", **other}
        with pytest.raises(InvalidCommand, match="other arguments"):
            await exported(queried, WAGERS, resume_cursor=first.resume_cursor, **fields)


async def test_what_changes_during_an_export_comes_again(own: Pool, records: list[Record]) -> None:
    """The latest state of each is in it, whatever moved while it ran."""
    log = Log(records)
    filling = projector(log, own)
    await filling.prepare()
    log.shown = len(records) * 9 // 10
    while await filling.step():
        pass
    for kind in KINDS:
        before = len(await stored(own, kind))
        assert before, kind.name
    cursors = {
        kind.name: (await exported(own, kind, stop_after=1))[-1].resume_cursor for kind in KINDS
    }
    firsts = {kind.name: await exported(own, kind, stop_after=1) for kind in KINDS}
    log.shown = len(records)
    while await filling.step():
        pass
    for kind in KINDS:
        rest = await exported(own, kind, resume_cursor=cursors[kind.name])
        messages = [*firsts[kind.name], *rest]
        latest = {item.id: item for message in messages for item in message.items}
        wanted = {each.id: each.position for each in await stored(own, kind)}
        assert {key: item.position for key, item in latest.items()} == wanted


async def test_an_export_that_follows_goes_on_with_what_changes(
    own: Pool, records: list[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says when it has caught up, waits, and gives what is new."""
    monkeypatch.setattr(reading, "FOLLOW_PAUSE_S", 0.01)
    log = Log(records)
    filling = projector(log, own)
    await filling.prepare()
    log.shown = 500
    while await filling.step():
        pass
    sign_in()
    stream = QueryService(runtime(own)).ExportWagers(pb.ExportWagersRequest(follow=True), None)
    seen: dict[str, int] = {}

    async def caught_up() -> None:
        async for message in stream:
            seen.update({item.id: item.position for item in message.items})
            if message.complete:
                return

    async with asyncio.timeout(10):
        await caught_up()
        assert seen == {each.id: each.position for each in await stored(own, WAGERS)}
        log.shown = len(records)
        while await filling.step():
            pass
        while seen != {each.id: each.position for each in await stored(own, WAGERS)}:
            message = await anext(stream)
            seen.update({item.id: item.position for item in message.items})
    await stream.aclose()
