"""The console as an ASGI application: its addresses, and what they have in common."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import grpc
import jinja2
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from sabot.query.v1.query_service_pb2 import ListTablesRequest
from sabot_client import CallFailed, Client, Timing
from services.chassis import logs
from services.console import drawing, feeds, forms, screens, searching, signing, telling
from services.console.config import ConsoleSettings
from services.console.edge import Edge
from services.console.page import Pages
from services.console.session import Cookies

PROBE: Final = Timing(attempt_s=1.0, total_s=1.0)
STATUS_OF: Final = {
    grpc.StatusCode.NOT_FOUND: 404,
    grpc.StatusCode.INVALID_ARGUMENT: 400,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.FAILED_PRECONDITION: 409,
}
TITLES: Final = {
    400: "That cannot be asked",
    403: "Not for your role",
    404: "There is no such thing",
    409: "Not now",
    503: "A service does not answer",
}
log = logs.logger(__name__)


def templates() -> jinja2.Environment:
    """The templates: everything that is put into them is escaped, and what is missing is an error."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("services.console"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(telling.FILTERS)
    environment.globals.update(
        card=drawing.card,
        mini_road=drawing.mini_road,
        bead_plate=drawing.bead_plate,
        big_road=drawing.big_road,
        derived_road=drawing.derived_road,
        limits=telling.limits,
        details=telling.details,
        span=telling.span,
        table_path=searching.table_path,
        coup_path=searching.coup_path,
    )
    return environment


def make(settings: ConsoleSettings, client: Client) -> ASGIApp:
    """The application on a client of the services; whoever made the client closes it."""
    pages = Pages(
        templates=templates(),
        client=client,
        cookies=Cookies(secure=settings.encrypted),
        believes=settings.believes,
        feeds_max=settings.console.feeds_max,
        feeds_per_caller_max=settings.console.feeds_per_caller_max,
    )
    routes = [
        Route("/", _with(pages, screens.pit), name="pit"),
        Route("/pit/feed", _with(pages, feeds.pit)),
        Route("/tables/{table_id}", _with(pages, screens.table)),
        Route("/tables/{table_id}/feed", _with(pages, feeds.table)),
        Route(
            "/tables/{table_id}/decide/{key}", _with(pages, forms.decide), methods=["GET", "POST"]
        ),
        Route("/coups/{coup_id}", _with(pages, screens.coup)),
        Route("/exceptions", _with(pages, screens.exceptions)),
        Route("/search", _with(pages, screens.search)),
        Route("/sign-in", _open(pages, signing.sign_in), methods=["GET", "POST"]),
        Route("/sign-out", _with(pages, signing.sign_out), methods=["POST"]),
        Route("/health/live", _alive),
        Route("/health/ready", _open(pages, _ready)),
        Mount("/static", StaticFiles(directory=Path(str(files("services.console") / "static")))),
    ]
    handlers: dict[Any, Any] = {
        CallFailed: _failed(pages),
        HTTPException: _http(pages),
        Exception: _broken(pages),
    }
    return Edge(Starlette(routes=routes, exception_handlers=handlers), settings.console.hosts)


Screen = Callable[[Pages, Request], Awaitable[Response]]


def _open(pages: Pages, screen: Screen) -> Any:
    async def answer(request: Request) -> Response:
        return await screen(pages, request)

    return answer


def _with(pages: Pages, screen: Screen) -> Any:
    """A screen for who has signed in; everybody else is shown the way."""

    async def answer(request: Request) -> Response:
        session = pages.cookies.read(request)
        if session is None:
            if "text/event-stream" in request.headers.get("accept", ""):
                return PlainTextResponse("nobody is signed in", 401)
            return RedirectResponse("/sign-in", 303)
        request.state.session = session
        return await screen(pages, request)

    return answer


def _failed(pages: Pages) -> Any:
    """What a service said instead of an answer, as a page."""

    async def answer(request: Request, failed: CallFailed) -> Response:
        if failed.code is grpc.StatusCode.UNAUTHENTICATED:
            response: Response = pages.page(
                request, "signin.html", 401, problem=failed.message, believes=pages.believes
            )
            pages.cookies.forget(response)
            return response
        status = STATUS_OF.get(failed.code, 503 if failed.repeatable else 500)
        if status >= 500:  # noqa: PLR2004 - not the caller's doing
            log.warning("a call failed", path=request.url.path, problem=str(failed))
        return problem(pages, request, status, failed.message, failed.reason)

    return answer


def _http(pages: Pages) -> Any:
    async def answer(request: Request, error: HTTPException) -> Response:
        return problem(pages, request, error.status_code, error.detail, "")

    return answer


def _broken(pages: Pages) -> Any:
    """What nobody thought of, as a page; the server logs what it was."""

    async def answer(request: Request, error: Exception) -> Response:
        del error
        return problem(pages, request, 500, "The console could not make this page.", "")

    return answer


def problem(pages: Pages, request: Request, status: int, message: str, reason: str) -> HTMLResponse:
    """A page that says what is wrong."""
    title = TITLES.get(status, "Something is wrong")
    return pages.page(request, "problem.html", status, title=title, message=message, reason=reason)


async def _alive(request: Request) -> Response:
    del request
    return PlainTextResponse("alive")


async def _ready(pages: Pages, request: Request) -> Response:
    """Whether queries are answered; that they are refused to nobody in particular is an answer."""
    del request
    asking = pages.client.acting(nobody, timing=PROBE)
    try:
        await asking.call(asking.query.ListTables, ListTablesRequest(page_size=1))
    except CallFailed as failed:
        if failed.code is not grpc.StatusCode.UNAUTHENTICATED:
            return PlainTextResponse(f"queries are not answered: {failed}", 503)
    return PlainTextResponse("ready")


async def nobody() -> tuple[tuple[str, str], ...]:
    """What says who calls, where nobody does."""
    return ()
