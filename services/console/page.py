"""What every page is made with."""

from __future__ import annotations

from collections import Counter
from typing import Any
from urllib.parse import parse_qsl

import jinja2
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from sabot_client import Client
from services.console.session import CSRF_FIELD, Cookies, Session

FIELDS_MAX = 40


class Pages:
    """Templates, the client, and how sessions are kept."""

    def __init__(
        self,
        *,
        templates: jinja2.Environment,
        client: Client,
        cookies: Cookies,
        believes: bool,
        feeds_max: int,
        feeds_per_caller_max: int,
    ) -> None:
        """Take the parts; `believes`: whether people are believed, as on a developer's machine."""
        self.templates = templates
        self.client = client
        self.cookies = cookies
        self.believes = believes
        self.feeds_max = feeds_max
        self.feeds_per_caller_max = feeds_per_caller_max
        self.feeds: Counter[str] = Counter()
        """Live pages by what their sessions show to the services."""

    def acting(self, request: Request) -> Client:
        """The client under the name of who looks."""
        return self.client.acting(session_of(request).credentials())

    def part(self, name: str, **values: Any) -> str:
        """A piece of a page."""
        return self.templates.get_template(name).render(**values)

    def page(self, request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A whole page."""
        session = getattr(request.state, "session", None)
        return HTMLResponse(
            self.part(name, session=session, path=request.url.path, **values), status
        )


def session_of(request: Request) -> Session:
    """Who looks; only behind the door."""
    session: Session = request.state.session
    return session


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, each once."""
    try:
        body = (await request.body()).decode()
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=FIELDS_MAX))
    except ValueError:
        raise HTTPException(400, "this is no form of ours") from None


async def proven_form_of(request: Request) -> dict[str, str]:
    """The fields of a form that came from a page of this session."""
    form = await form_of(request)
    if not session_of(request).proves(form.pop(CSRF_FIELD, "")):
        raise HTTPException(403, "This form is not from a page of your session. Open it again.")
    return form
