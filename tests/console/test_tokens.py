"""The console with signed tokens, before services that check them as real ones do."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, hmac

from sabot.common.v1 import common_pb2
from sabot.query.v1 import query_service_pb2 as queries
from sabot.round.v1 import round_service_pb2 as rounds
from services.chassis import auth
from services.chassis.clock import SECOND_US, ManualClock
from services.chassis.rpc_errors import EdgeError
from services.contracts.core import Actor
from services.rules.roles import ROLES
from tests.client.fake import Step, failing
from tests.console.rig import console, hidden
from tests.console.test_doors import JWT

SECRET = b"s" * 40
NOW_S = 1_796_000_000
HERE = {"origin": "https://127.0.0.1"}


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def token(sub: str, *roles: str, **claims: Any) -> str:
    """A token of the issuer."""
    body = {"iss": "issuer", "aud": "sabot", "sub": sub, "exp": NOW_S + 600, "roles": roles}
    signed = ".".join(
        encoded(json.dumps(part).encode())
        for part in ({"alg": "HS256", "kid": "key"}, {**body, **claims})
    )
    code = hmac.HMAC(SECRET, hashes.SHA256())
    code.update(signed.encode())
    return f"{signed}.{encoded(code.finalize())}"


@pytest.fixture
def checked(tmp_path: Path) -> Any:
    """Makes a step that answers callers whose tokens are right, and notes who they are."""
    key = tmp_path / "key.key"
    key.write_bytes(SECRET)
    clock = ManualClock(NOW_S * SECOND_US)
    jwt = auth.JwtAuthenticator(
        keys=auth.KeyRing([key], clock),
        clock=clock,
        issuer="issuer",
        audience="sabot",
        roles=frozenset(ROLES),
        roles_claim="roles",
        permissions_claim="permissions",
        context_claim="sabot_context",
    )

    def make(answer: Any, seen: list[auth.Identity]) -> Step:
        async def step(request: Any, context: Any) -> Any:
            try:
                seen.append(
                    jwt.authenticate(dict(context.invocation_metadata()), "ipv4:10.0.0.1:5")
                )
            except EdgeError as error:
                await failing(error.code, error.stable_reason)(request, context)
            return answer

        return step

    return make


async def test_two_persons_decide_with_their_own_tokens(checked: Any) -> None:
    """The one who sits here acts under the role that he chose, and the other under his own."""
    seen: list[auth.Identity] = []
    async with console(**JWT) as (browser, fake):
        fake.answers["ListTables"] = checked(queries.ListTablesResponse(), [])
        done = rounds.VoidCoupResponse(result=common_pb2.CommandResult(position_token="p"))
        fake.answers["VoidCoup"] = checked(done, seen)
        mine = token("petra", "game_supervisor", "duty_manager")
        entered = await browser.post(
            "/sign-in", {"token": mine, "role": "DUTY_MANAGER"}, headers=HERE
        )
        assert entered.status_code == 303
        path = "/tables/T1/decide/round.VoidCoup"
        form = {**hidden((await browser.get(path)).text), "coup": "7", "reason": "EVACUATION"}
        second = {"second": token("sven", "GAME_SUPERVISOR")}
        answer = await browser.post(path, {**form, **second}, headers=HERE)
        assert answer.status_code == 200, answer.text
        assert second["second"] not in answer.text
    (who,) = seen
    assert who.actor == Actor("petra", "DUTY_MANAGER")
    assert who.second == Actor("sven", "GAME_SUPERVISOR")


@pytest.mark.parametrize(
    ("shown", "role"),
    [
        (token("petra", "DUTY_MANAGER", exp=NOW_S - 60), ""),
        (token("petra", "DUTY_MANAGER") + "x", ""),
        (token("petra", "DUTY_MANAGER", aud="others"), ""),
        (token("petra", "DUTY_MANAGER", "AUDITOR"), ""),
        (token("petra", "AUDITOR"), "DUTY_MANAGER"),
        (token("petra", "offline_access"), ""),
    ],
)
async def test_nobody_enters_with_a_faulty_token(checked: Any, shown: str, role: str) -> None:
    """Expired, forged, somebody else's, of several roles without a choice, or of none that there is."""
    async with console(**JWT) as (browser, fake):
        fake.answers["ListTables"] = checked(queries.ListTablesResponse(), [])
        answer = await browser.post("/sign-in", {"token": shown, "role": role}, headers=HERE)
        assert answer.status_code == 401
        assert (await browser.get("/")).status_code == 303
