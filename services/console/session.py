"""Who looks: a session in one cookie, kept by the browser alone, and what it says to the services.

Nothing is believed of a session here: the services check the token of every call. In the environment
`development` they believe a name and a role, and so does the console, on the same machine.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from typing import Any, Final

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from sabot_client import Credentials, Person, bearer, development

COOKIE_BYTES_MAX: Final = 4_000
"""Browsers keep no larger cookie."""

SESSION_S: Final = 12 * 3600
"""A browser forgets a session after a shift; the token's own end comes first, or a sign-out."""

JWT_DOTS: Final = 2
CSRF_FIELD: Final = "csrf"


class Session(Struct, frozen=True, omit_defaults=True):
    """A person at a browser."""

    nonce: str
    """Unknown to everybody else: what makes the proof of a form unguessable."""

    token: str = ""
    role: str = ""
    """The acting role; with a token that grants one role it may be empty."""

    person: str = ""
    """In development, the name that is believed."""

    @property
    def name(self) -> str:
        """Who it is, for the page: what a token says of its subject, unproven."""
        return self.person or str(_claims(self.token).get("sub", "somebody"))

    @property
    def csrf(self) -> str:
        """What a form of this session carries, and no other page can know."""
        return hashlib.sha256(f"form:{self.nonce}:{self.token}".encode()).hexdigest()

    def proves(self, given: str) -> bool:
        """Whether a form came from a page of this session."""
        return hmac.compare_digest(self.csrf.encode(), given.encode())

    def credentials(self, second: str = "", second_role: str = "") -> Credentials:
        """What is shown to the services. `second` is another person's token, or his name."""
        if self.token:
            return bearer(
                self.token,
                acting_role=self.role,
                second=second,
                second_acting_role=second_role if second else "",
            )
        other = Person(second, second_role) if second else None
        return development(Person(self.person, self.role), second=other)


def of_token(token: str, role: str) -> Session:
    """The session of somebody who has a token."""
    return Session(nonce=secrets.token_urlsafe(16), token=token, role=role)


def of_person(person: str, role: str) -> Session:
    """The session of somebody who is believed."""
    return Session(nonce=secrets.token_urlsafe(16), person=person, role=role)


def shown_as_it_is(text: str) -> bool:
    """Whether the headers of a call carry a text."""
    return text.isascii() and text.isprintable()


def _claims(token: str) -> dict[str, Any]:
    """What a token says, for display alone: its signature is the services' affair."""
    body = token.split(".")[1] if token.count(".") == JWT_DOTS else ""
    try:
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


class Cookies:
    """How a session is kept by the browser."""

    def __init__(self, *, secure: bool) -> None:
        self._secure = secure
        # With this prefix a browser takes the cookie from this very host over TLS alone.
        self.name = "__Host-sabot" if secure else "sabot"

    def read(self, request: Request) -> Session | None:
        """The session of a request; None where there is none, or none that can be read."""
        text = request.cookies.get(self.name, "")
        try:
            content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
            session = msgspec.json.decode(content, type=Session) if content else None
        except (ValueError, msgspec.DecodeError):
            return None
        if session and not shown_as_it_is(session.token + session.person + session.role):
            return None
        return session

    def fits(self, session: Session) -> bool:
        """Whether a browser would keep it."""
        return len(self._written(session)) <= COOKIE_BYTES_MAX

    def write(self, response: Response, session: Session) -> None:
        """Have the browser keep it: no script sees it, and no other site can send it."""
        response.set_cookie(
            self.name,
            self._written(session),
            max_age=SESSION_S,
            secure=self._secure,
            httponly=True,
            samesite="strict",
        )

    def forget(self, response: Response) -> None:
        """End the session."""
        response.delete_cookie(self.name, secure=self._secure, httponly=True, samesite="strict")

    def _written(self, session: Session) -> str:
        return base64.urlsafe_b64encode(msgspec.json.encode(session)).decode().rstrip("=")
