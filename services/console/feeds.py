"""Live parts of the pit and of a table, as server-sent events with ready-made pieces of the page.

A feed sends states: between two messages there is a pause, and of what changes meanwhile the latest is
shown. A page that was away is sent everything again, so nothing has to be remembered for it.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from sabot_client import CallFailed, Client
from services.chassis import logs
from services.console import deeds, figures, reading
from services.console.figures import AGAIN_S
from services.console.page import Pages, session_of

Pieces = AsyncGenerator[str, None]
PAUSE_S: Final = 0.25
"""Between two messages to one page."""

BEAT_S: Final = 15.0
"""A comment is sent so often where nothing happens: it keeps what lies between from hanging up."""

BEAT: Final = ": still here\n\n"
log = logs.logger(__name__)


async def pit(pages: Pages, request: Request) -> Response:
    """The tiles of tables that change; all of them where a table comes or goes."""
    client = pages.acting(request)
    return _response(pages, request, _tiles(pages, client, reading.watched_tables(client)))


async def table(pages: Pages, request: Request) -> Response:
    """The live part of a table's screen, with every change."""
    watched = reading.watched_table(pages.acting(request), request.path_params["table_id"])
    return _response(pages, request, _views(pages, watched))


async def _tiles(pages: Pages, client: Client, watched: AsyncGenerator[Any, None]) -> Pieces:
    shown: dict[str, Any] = {}
    day, due_at = figures.Day(), 0.0
    async with aclosing(watched):
        async for message in watched:
            before = set(shown)
            for each in message.tables:
                shown.pop(each.table_id, None)
                if each.status != "CLOSED":
                    shown[each.table_id] = each
            changed = [each for each in message.tables if each.table_id in shown]
            whole = set(shown) != before
            tables = sorted(shown.values() if whole else changed, key=reading.sign)
            more = len(tables) > reading.OPEN_TABLES_MAX
            if tables and (now := time.monotonic()) >= due_at:
                day, due_at = await figures.of_the_day(client, shown.values()), now + AGAIN_S
            if whole or tables:
                yield pages.part(
                    "_tiles.html",
                    tables=tables[: reading.OPEN_TABLES_MAX],
                    whole=whole,
                    more=more,
                    as_of_us=message.as_of_us,
                    day=day,
                )


async def _views(pages: Pages, watched: AsyncGenerator[reading.TableView, None]) -> Pieces:
    async with aclosing(watched):
        async for view in watched:
            waiting = deeds.called_for(view.table, view.waits_for)
            yield pages.part("_table.html", view=view, waiting=waiting)


def _response(pages: Pages, request: Request, pieces: Pieces) -> Response:
    session = session_of(request)
    caller = session.token or session.person
    if pages.feeds.total() >= pages.feeds_max:
        return PlainTextResponse("too many live pages", 503, {"Retry-After": "30"})
    if pages.feeds[caller] >= pages.feeds_per_caller_max:
        return PlainTextResponse("too many live pages of yours", 429, {"Retry-After": "30"})
    return StreamingResponse(
        _events(pages, request.url.path, caller, pieces),
        media_type="text/event-stream",
        headers={"X-Accel-Buffering": "no"},
    )


async def _events(pages: Pages, path: str, caller: str, pieces: Pieces) -> AsyncIterator[str]:
    # What reads the service is a task of its own: a browser that goes away ends it in its own order.
    coming: asyncio.Queue[str | None] = asyncio.Queue(1)
    reader = asyncio.create_task(_read(pages, path, pieces, coming))
    pages.feeds[caller] += 1
    try:
        while True:
            try:
                async with asyncio.timeout(BEAT_S):
                    piece = await coming.get()
            except TimeoutError:
                yield BEAT
                continue
            if piece is None:
                return
            yield event(piece)
            await asyncio.sleep(PAUSE_S)
    finally:
        pages.feeds -= Counter((caller,))
        reader.cancel()


async def _read(pages: Pages, path: str, pieces: Pieces, coming: asyncio.Queue[str | None]) -> None:
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                await coming.put(piece)
    except CallFailed as failed:
        log.info("a feed ended", path=path, problem=str(failed))
        await coming.put(pages.part("_ended.html", problem=failed.message))
    except Exception:
        # Whatever it was, a page whose reader is gone must not go on as a live one.
        log.exception("a feed broke", path=path)
        await coming.put(pages.part("_ended.html", problem="something is wrong here"))
    await coming.put(None)


def event(piece: str) -> str:
    """A message of server-sent events: each line is marked as data."""
    return "".join(f"data: {line}\n" for line in piece.splitlines()) + "\n"
