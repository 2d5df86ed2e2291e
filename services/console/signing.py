"""Signing in and out. A token is tried at the services before it is kept, and kept by the browser alone."""

from __future__ import annotations

import grpc
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sabot.query.v1.query_service_pb2 import ListTablesRequest
from sabot_client import CallFailed
from services.console.page import Pages, form_of, proven_form_of
from services.console.session import Session, of_person, of_token, shown_as_it_is

NAME_MAX = 128


async def sign_in(pages: Pages, request: Request) -> Response:
    """Show the form; posted, begin a session that the services take."""
    if request.method != "POST":
        return pages.page(request, "signin.html", problem="", believes=pages.believes)
    form = {name: value.strip() for name, value in (await form_of(request)).items()}
    role = form.get("role", "").upper()
    if pages.believes:
        session = of_person(form.get("person", ""), role)
        complete = bool(session.person and role) and len(session.person) <= NAME_MAX
    else:
        session = of_token(form.get("token", ""), role)
        complete = bool(session.token) and shown_as_it_is(session.token)
    problem = await _problem(pages, session) if complete else "Say who you are."
    if problem:
        return pages.page(request, "signin.html", 401, problem=problem, believes=pages.believes)
    response = RedirectResponse("/", 303)
    pages.cookies.write(response, session)
    return response


async def _problem(pages: Pages, session: Session) -> str:
    """Why there is no such session; empty where there is."""
    if not pages.cookies.fits(session):
        return "The token is longer than a browser keeps: ask for one with fewer claims."
    if not shown_as_it_is(session.person + session.role):
        return "Names are of letters, digits and signs that every system knows."
    asking = pages.client.acting(session.credentials())
    try:
        await asking.call(asking.query.ListTables, ListTablesRequest(page_size=1))
    except CallFailed as failed:
        if failed.code in {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED}:
            return failed.message
        raise
    return ""


async def sign_out(pages: Pages, request: Request) -> Response:
    """End the session of this browser; a token goes on until its own end."""
    await proven_form_of(request)
    response = RedirectResponse("/sign-in", 303)
    pages.cookies.forget(response)
    return response
