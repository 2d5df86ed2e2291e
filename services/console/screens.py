"""The screens that are looked at: pit, table, coup, exceptions, search."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from services.console import deeds, figures, reading, searching
from services.console.page import Pages

KINDS = (
    "VOID",
    "CORRECTION",
    "INVALIDATION",
    "WAGER_VOID",
    "LIMITS",
    "PERMISSION",
    "BAR",
    "APPROVAL",
    "SUSPENSION",
    "RULING",
    "OUTSTANDING",
    "DROP",
    "BACKFILL",
    "STOP",
)


async def pit(pages: Pages, request: Request) -> Response:
    """A tile for each table that is not closed."""
    client = pages.acting(request)
    found = await reading.pit(client)
    day = await figures.of_the_day(client, found.tables)
    return pages.page(
        request,
        "pit.html",
        tables=found.tables,
        more=found.more,
        as_of_us=found.as_of_us,
        day=day,
    )


async def table(pages: Pages, request: Request) -> Response:
    """A table with roads, shoe, coup, incidents and what it waits for."""
    view = await reading.table_view(pages.acting(request), request.path_params["table_id"])
    waiting = deeds.called_for(view.table, view.waits_for)
    return pages.page(
        request, "table.html", view=view, waiting=waiting, others=deeds.others(waiting)
    )


async def coup(pages: Pages, request: Request) -> Response:
    """The replay of a coup."""
    found = await reading.replay(pages.acting(request), request.path_params["coup_id"])
    return pages.page(request, "coup.html", replay=found, coup=found.coup)


async def exceptions(pages: Pages, request: Request) -> Response:
    """What went off the normal course, and what is owed, held or late."""
    kind = request.query_params.get("kind", "")
    kind = kind if kind in KINDS else ""
    page = request.query_params.get("page", "")
    found = await reading.exceptions(pages.acting(request), kind, page)
    return pages.page(
        request, "exceptions.html", found=found, kind=kind, kinds=KINDS, repeats=deeds.REPEATS
    )


async def search(pages: Pages, request: Request) -> Response:
    """By an id of any kind, else by the fields of coups."""
    client = pages.acting(request)
    fields = {name: value.strip() for name, value in request.query_params.items()}
    words = fields.get("q", "")
    found, listed, problem = searching.Found(), None, ""
    if words:
        address = await searching.direct(client, words)
        if address:
            return RedirectResponse(address, 303)
        found = await searching.found(client, words)
    elif any(value for name, value in fields.items() if name != "page"):
        try:
            listed = await searching.listed(client, fields)
        except searching.Faulty as faulty:
            problem = str(faulty)
    following = ""
    if listed is not None and listed.next_token:
        following = "/search?" + urlencode({**fields, "page": listed.next_token})
    return pages.page(
        request,
        "search.html",
        400 if problem else 200,
        fields=fields,
        words=words,
        found=found,
        listed=listed,
        following=following,
        problem=problem,
        statuses=searching.STATUSES,
        winners=searching.WINNERS,
    )
