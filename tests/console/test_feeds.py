"""Live pages: what is sent for a change, and that a page that goes away leaves nothing behind."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sabot.query.v1 import watch_service_pb2 as watching
from services.console import feeds
from services.console.app import templates
from services.console.page import Pages
from services.console.session import Cookies
from services.console.telling import tile_id
from tests.client.fake import failing
from tests.console.rig import HOSTILE, Code, console, table


def message(*tables: Any) -> watching.WatchTablesResponse:
    return watching.WatchTablesResponse(tables=tables, as_of_us=1_796_000_000_000_000)


def messages(text: str) -> list[str]:
    """The data of each message."""
    return [
        "\n".join(line.removeprefix("data: ") for line in each.splitlines())
        for each in text.split("\n\n")
        if each.startswith("data:")
    ]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "PAUSE_S", 0.0)


async def test_the_pit_is_sent_whole_and_then_by_tiles() -> None:
    """A table that comes or goes changes the order of all; a change of one is its tile alone."""
    closed = table("T2", status="CLOSED")
    sent = [
        message(table("T1"), table("T2")),
        message(table("T2", held="MISDEAL")),
        message(closed),
    ]
    async with console() as (browser, fake):
        fake.answers["WatchTables"] = lambda request, context: sent
        await browser.sign_in()
        answer = await browser.get("/pit/feed")
    assert answer.headers["content-type"].startswith("text/event-stream")
    whole, tile, less = messages(answer.text)
    assert 'hx-target="#tiles"' in whole
    assert tile_id("T1") in whole
    assert tile_id("T2") in whole
    assert f'hx-target="#{tile_id("T2")}"' in tile
    assert "held: misdeal" in tile
    assert tile_id("T1") not in tile
    assert tile_id("T1") in less
    assert tile_id("T2") not in less


async def test_a_table_is_sent_as_its_screen_shows_it() -> None:
    """Roads and all, into the place of the live part."""
    async with console() as (browser, fake):
        fake.answers["WatchTable"] = lambda request, context: [watching.WatchTableResponse()]
        await browser.sign_in()
        (piece,) = messages((await browser.get("/tables/T1/feed")).text)
    assert 'hx-target="#view"' in piece
    assert 'class="road big"' in piece
    assert 'hx-target="#live"' in piece


async def test_a_name_in_a_feed_is_text() -> None:
    """It can swap nothing in."""
    evil = table(HOSTILE, table_number=HOSTILE, dealer=HOSTILE)
    async with console() as (browser, fake):
        fake.answers["WatchTables"] = lambda request, context: [message(evil)]
        await browser.sign_in()
        (piece,) = messages((await browser.get("/pit/feed")).text)
    assert "<script>" not in piece
    assert piece.count("<hx-partial") == 2


async def test_a_feed_that_is_refused_says_so() -> None:
    """On the page that looks at it, and it ends."""
    async with console() as (browser, fake):
        fake.answers["WatchTables"] = failing(Code.UNAUTHENTICATED, "TOKEN_EXPIRED")
        await browser.sign_in()
        (piece,) = messages((await browser.get("/pit/feed")).text)
    assert "No longer live: it did not work" in piece


async def test_a_feed_that_breaks_is_not_taken_for_a_live_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever it broke of, the page says so, and it ends instead of beating on."""
    monkeypatch.setattr(feeds, "BEAT_S", 0.01)
    async with console() as (browser, fake):
        sent = [message(table("T1", updated_us=2**62))]
        fake.answers["WatchTables"] = lambda request, context: sent
        await browser.sign_in()
        answer = await asyncio.wait_for(browser.get("/pit/feed"), 5)
        (piece,) = messages(answer.text)
    assert "No longer live: something is wrong here" in piece


@pytest.mark.parametrize(("setting", "status"), [("FEEDS_MAX", 503), ("FEEDS_PER_CALLER_MAX", 429)])
async def test_more_feeds_than_allowed_are_refused(setting: str, status: int) -> None:
    """Those pages stay at rest, and come back later; one person has a share of them all."""
    async with console(**{f"SABOT_CONSOLE_{setting}": "1"}) as (browser, fake):
        entered, leave = asyncio.Event(), asyncio.Event()

        async def waits(request: Any, context: Any) -> list[Any]:
            entered.set()
            await leave.wait()
            return []

        fake.answers["WatchTables"] = waits
        await browser.sign_in()
        first = asyncio.create_task(browser.get("/pit/feed"))
        await asyncio.wait_for(entered.wait(), 5)
        second = await browser.get("/pit/feed")
        leave.set()
        assert (await first).status_code == 200
        assert second.status_code == status
        fake.answers["WatchTables"] = lambda request, context: []
        assert (await browser.get("/pit/feed")).status_code == 200


async def test_a_page_that_goes_away_ends_its_reading() -> None:
    """Nothing reads on for a browser that is gone, and its place is free."""
    pages = Pages(
        templates=templates(),
        client=None,  # type: ignore[arg-type]
        cookies=Cookies(secure=False),
        believes=True,
        feeds_max=1,
        feeds_per_caller_max=1,
    )
    ended = asyncio.Event()

    async def pieces() -> Any:
        try:
            yield "one\ntwo"
            await asyncio.sleep(60)
        finally:
            ended.set()

    stream: Any = feeds._events(pages, "/x", "anna", pieces())
    assert await anext(stream) == "data: one\ndata: two\n\n"
    assert pages.feeds == {"anna": 1}
    await stream.aclose()
    await asyncio.wait_for(ended.wait(), 5)
    assert pages.feeds == {}


async def test_a_quiet_feed_beats(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that nothing between browser and console takes it for dead."""
    monkeypatch.setattr(feeds, "BEAT_S", 0.01)
    async with console() as (browser, fake):

        async def slow(request: Any, context: Any) -> list[Any]:
            await asyncio.sleep(0.1)
            return []

        fake.answers["WatchTables"] = slow
        await browser.sign_in()
        answer = await browser.get("/pit/feed")
    assert feeds.BEAT in answer.text
