"""What surrounds every page: the names it may be asked under, headers, and posts from other sites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
SAFE: Final = frozenset({"GET", "HEAD"})
BODY_BYTES_MAX: Final = 64 * 1024
PROBES: Final = ("/health/",)
"""Paths that the machinery asks for under whatever name."""


class Edge:
    """Around the whole application, its pages of errors too.

    It looks at headers alone and never at a body, so that feeds pass through.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        """Take the names of this console; without any, those of the own machine."""
        self.app = app
        self.hosts = frozenset(hosts) or frozenset({"127.0.0.1", "localhost", "[::1]"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        path: str = scope["path"]

        async def completed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                if not path.startswith("/static/"):
                    headers["Cache-Control"] = "no-store"
            await send(message)

        refusal = self._refusal(scope["method"], path, Headers(scope=scope))
        app: Any = PlainTextResponse(*refusal) if refusal else self.app
        await app(scope, receive, completed)

    def _refusal(self, method: str, path: str, headers: Headers) -> tuple[str, int] | None:
        """Why a request goes no further."""
        host = headers.get("host", "")
        if not path.startswith(PROBES) and (_place(f"//{host}") != host or not self._ours(host)):
            return ("This console does not bear that name.", 421)
        if method in SAFE:
            return None
        if method != "POST":
            return ("There is nothing to be done so.", 405)
        # Browsers say where a request comes from; only another page of ours may post.
        origin = headers.get("origin")
        if origin is not None and _place(origin) != host:
            return ("Another site may not post here.", 403)
        if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            return ("Another site may not post here.", 403)
        # A body in chunks has no length, whatever another header says of it.
        length = headers.get("content-length", "")
        counted = length.isdecimal() and "transfer-encoding" not in headers
        if not counted or int(length) > BODY_BYTES_MAX:
            return ("Forms are small, and say how long they are.", 413)
        return None

    def _ours(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        return name.lower() in self.hosts


def _place(address: str) -> str:
    """Host and port of an address; empty where it is none."""
    try:
        return urlsplit(address).netloc
    except ValueError:
        return ""
