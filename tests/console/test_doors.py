"""Who gets in, and what other sites cannot do: sessions, forms, names of the console, settings."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from services.chassis.config import ConfigFaults
from services.console.session import COOKIE_BYTES_MAX
from tests.client.fake import failing
from tests.console.rig import ORIGIN, Code, console, hidden, settings

JWT = {
    "SABOT_AUTH_MODE": "jwt",
    "SABOT_ENVIRONMENT": "production",
    "SABOT_CONSOLE_PLAINTEXT": "true",
    "SABOT_CONSOLE_HOSTS": "127.0.0.1",
}


def token(**claims: Any) -> str:
    """A token whose signature nobody looks at here."""
    body = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{body}.signature"


async def test_nobody_sees_a_screen_unknown() -> None:
    """He is led to the door; a feed and a post are refused."""
    async with console() as (browser, fake):
        for path in ("/", "/tables/T1", "/coups/x:1:1", "/exceptions", "/search"):
            answer = await browser.get(path)
            assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        feed = await browser.get("/pit/feed", headers={"accept": "text/event-stream"})
        assert feed.status_code == 401
        await browser.post("/tables/T1/decide/round.VoidCoup", {})
    assert fake.called == []


async def test_a_token_is_tried_and_kept_by_the_browser_alone() -> None:
    """In a cookie that no script sees, no other site sends, and only TLS carries; then shown always."""
    shown = token(sub="petra")
    async with console(**JWT) as (browser, fake):
        answer = await browser.post(
            "/sign-in",
            {"token": shown, "role": "DUTY_MANAGER"},
            headers={"origin": "https://127.0.0.1"},
        )
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        for word in ("__Host-sabot=", "HttpOnly", "SameSite=strict", "Secure", "Path=/"):
            assert word in cookie
        text = (await browser.get("/")).text
        assert "petra" in text
        assert shown not in text
    assert fake.metadata[-1]["authorization"] == f"Bearer {shown}"
    assert fake.metadata[-1]["sabot-acting-role"] == "DUTY_MANAGER"
    assert "sabot-actor-id" not in fake.metadata[-1]


@pytest.mark.parametrize("code", [Code.UNAUTHENTICATED, Code.PERMISSION_DENIED])
async def test_a_token_that_the_services_refuse_is_not_kept(code: Any) -> None:
    """They say why; the console judges nothing."""
    async with console(**JWT) as (browser, fake):
        fake.answers["ListTables"] = failing(code, "TOKEN_EXPIRED")
        answer = await browser.post(
            "/sign-in", {"token": token(sub="x")}, headers={"origin": "https://127.0.0.1"}
        )
    assert answer.status_code == 401
    assert "it did not work" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "given",
    [{}, {"token": ""}, {"token": "two words\nand a line"}, {"token": "x" * COOKIE_BYTES_MAX}],
)
async def test_what_is_no_token_is_not_tried(given: dict[str, str]) -> None:
    """Nothing is sent to the services for it."""
    async with console(**JWT) as (browser, fake):
        answer = await browser.post("/sign-in", given, headers={"origin": "https://127.0.0.1"})
    assert answer.status_code == 401
    assert fake.called == []


async def test_a_session_ends_with_its_token() -> None:
    """The next page is the door, and the cookie is gone."""
    async with console() as (browser, fake):
        await browser.sign_in()
        fake.answers["ListTables"] = failing(Code.UNAUTHENTICATED, "TOKEN_EXPIRED")
        answer = await browser.get("/")
        assert answer.status_code == 401
        assert "Sign in" in answer.text
        assert (await browser.get("/exceptions")).status_code == 303


async def test_signing_out_ends_the_session() -> None:
    """By a form of the session itself."""
    async with console() as (browser, _):
        await browser.sign_in()
        fields = hidden((await browser.get("/")).text)
        assert (await browser.post("/sign-out", {"csrf": "guess"})).status_code == 403
        assert (await browser.get("/")).status_code == 200
        assert (await browser.post("/sign-out", fields)).status_code == 303
        assert (await browser.get("/")).status_code == 303


@pytest.mark.parametrize("cookie", ["", "nonsense", "e30", "bnVsbA", "eyJub25jZSI6MX0", "%%%"])
async def test_a_made_up_cookie_is_no_session(cookie: str) -> None:
    """It is read strictly, and never an error."""
    async with console() as (browser, _):
        answer = await browser.get("/", headers={"cookie": f"sabot={cookie}"})
    assert answer.status_code == 303


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"host": "evil.example", "origin": "http://evil.example"}, 421),
        ({"host": "127.0.0.1@evil.example"}, 421),
        ({"host": "["}, 421),
        ({"origin": "http://["}, 403),
        ({"content-length": "100000000"}, 413),
        ({"content-length": "²".encode("latin-1")}, 413),
        ({"content-length": "9", "transfer-encoding": "chunked"}, 413),
    ],
)
async def test_other_sites_cannot_post(headers: dict[str, Any], status: int) -> None:
    """Neither with a session nor to begin one; nor can a name of somebody else's lead here."""
    async with console() as (browser, fake):
        await browser.sign_in()
        before = len(fake.called)
        answer = await browser.post("/sign-in", {"person": "x", "role": "AUDITOR"}, headers=headers)
        assert answer.status_code == status
        assert len(fake.called) == before


@pytest.mark.parametrize(
    "fields", [{"person": "petra", "role": "RÔLE"}, {"person": "pétra", "role": "AUDITOR"}]
)
async def test_a_name_that_no_call_can_carry_is_no_session(fields: dict[str, str]) -> None:
    """Neither when he signs in, nor in a cookie that he made up."""
    written = json.dumps({"nonce": "n", **fields}).encode()
    cookie = base64.urlsafe_b64encode(written).decode().rstrip("=")
    async with console() as (browser, fake):
        assert (await browser.post("/sign-in", fields)).status_code == 401
        answer = await browser.get("/", headers={"cookie": f"sabot={cookie}"})
        assert fake.called == []
    assert answer.status_code == 303


async def test_other_methods_do_nothing() -> None:
    """Pages are got, forms are posted."""
    async with console() as (browser, _):
        answer = await browser.client.request("DELETE", "/tables/T1", headers={"origin": ORIGIN})
    assert answer.status_code == 405


@pytest.mark.parametrize(
    ("more", "variable"),
    [
        ({"SABOT_CONSOLE_HOST": "0.0.0.0"}, "SABOT_CONSOLE_HOST"),
        ({"SABOT_ENVIRONMENT": "production", "SABOT_AUTH_MODE": "development"}, "SABOT_AUTH_MODE"),
        ({"SABOT_ENVIRONMENT": "production"}, "SABOT_CONSOLE_TLS_CERTIFICATE_FILE"),
        (
            {"SABOT_ENVIRONMENT": "staging", "SABOT_CONSOLE_HOST": "0.0.0.0"},
            "SABOT_CONSOLE_HOSTS",
        ),
        ({"SABOT_CONSOLE_TLS_KEY_FILE": "/nowhere"}, "SABOT_CONSOLE_TLS_KEY_FILE"),
        ({"SABOT_WAGER_TARGET": ""}, "SABOT_WAGER_TARGET"),
    ],
)
def test_faulty_settings_are_named(more: dict[str, str], variable: str) -> None:
    """People are believed on the loopback of a developer's machine only; elsewhere there is TLS."""
    with pytest.raises(ConfigFaults) as raised:
        settings(**more)
    assert variable in {fault.variable for fault in raised.value.faults}
