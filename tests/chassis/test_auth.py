"""Who calls: tokens, keys, roles, and under whose name a command goes."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from sabot.common.v1 import common_pb2
from services.chassis import auth
from services.chassis.clock import SECOND_US, ManualClock
from services.chassis.rpc_errors import (
    InvalidCommand,
    NotAllowedHere,
    PermissionDenied,
    Unauthenticated,
)
from services.contracts.core import Actor

NOW_S = 1_800_000_000
ROLES = frozenset({"DEALER", "GAME_SUPERVISOR", "AUDITOR"})
SECRET = b"k" * 40
RSA = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def by_hmac(signed: bytes) -> bytes:
    code = hmac.HMAC(SECRET, hashes.SHA256())
    code.update(signed)
    return code.finalize()


def by_rsa(signed: bytes) -> bytes:
    return RSA.sign(signed, padding.PKCS1v15(), hashes.SHA256())


def by_ec(signed: bytes) -> bytes:
    r, s = decode_dss_signature(EC.sign(signed, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32) + s.to_bytes(32)


SIGNERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "HS256": ("shared", by_hmac),
    "RS256": ("rsa", by_rsa),
    "ES256": ("ec", by_ec),
}


def token(
    claims: Mapping[str, Any] | None = None, *, alg: str = "ES256", head: Any = None, **changes: Any
) -> str:
    kid, sign = SIGNERS[alg]
    header = {"alg": alg, "kid": kid, "typ": "JWT"} if head is None else head
    body: dict[str, Any] = {
        "iss": "https://issuer",
        "aud": ["sabot", "others"],
        "sub": "anna",
        "exp": NOW_S + 300,
        "roles": ["dealer", "offline_access"],
    }
    body.update(claims or {}, **changes)
    body = {key: value for key, value in body.items() if value is not None}
    signed = f"{b64(json.dumps(header).encode())}.{b64(json.dumps(body).encode())}"
    return f"Bearer {signed}.{b64(sign(signed.encode()))}"


@dataclass
class Desk:
    """An authenticator with its clock and key files."""

    jwt: auth.JwtAuthenticator
    clock: ManualClock
    jwks: Path

    def see(self, header: str, **metadata: str) -> auth.Identity:
        pairs = {key.replace("_", "-"): value for key, value in metadata.items()}
        return self.jwt.authenticate({"authorization": header, **pairs}, "ipv4:10.0.0.1:5")

    def reason(self, header: str, **metadata: str) -> str:
        with pytest.raises((Unauthenticated, PermissionDenied)) as raised:
            self.see(header, **metadata)
        return raised.value.stable_reason


def rsa_jwk() -> dict[str, Any]:
    numbers = RSA.public_key().public_numbers()
    n, e = numbers.n.to_bytes(256), numbers.e.to_bytes(3)
    return {"kty": "RSA", "kid": "rsa", "use": "sig", "n": b64(n), "e": b64(e)}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    jwks, pem, secret = tmp_path / "keys.json", tmp_path / "ec.pem", tmp_path / "shared.key"
    strange = {"kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": "AA"}
    jwks.write_text(json.dumps({"keys": [rsa_jwk(), strange]}))
    pem.write_bytes(
        EC.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
    secret.write_bytes(SECRET + b"\n")
    clock = ManualClock(NOW_S * SECOND_US)
    jwt = auth.JwtAuthenticator(
        keys=auth.KeyRing([jwks, pem, secret], clock),
        clock=clock,
        issuer="https://issuer",
        audience="sabot",
        roles=ROLES,
        roles_claim="roles",
        permissions_claim="permissions",
        context_claim="sabot_context",
    )
    return Desk(jwt, clock, jwks)


@pytest.mark.parametrize("alg", ["HS256", "RS256", "ES256"])
def test_good_tokens_name_actor_and_permissions(desk: Desk, alg: str) -> None:
    """A token of each algorithm gives subject, the one known role, and permissions."""
    seen = desk.see(token(alg=alg, permissions="import_table other"))
    assert seen.actor == Actor("anna", "DEALER")
    assert seen.permissions == {"import_table", "other"}
    assert seen.second is None


def test_a_token_tells_the_context_of_its_player(desk: Desk) -> None:
    """Short texts by name; what is something else makes the whole token invalid."""
    assert desk.see(token()).context == {}
    told = {"operator": "acme", "session": "s1", "brand": ""}
    assert desk.see(token(sabot_context=told)).context == {"operator": "acme", "session": "s1"}
    for wrong in ("acme", ["acme"], {"operator": 1}, {"operator": "a" * 129}, {"operator": "a\n"}):
        assert desk.reason(token(sabot_context=wrong)) == "TOKEN_INVALID"
    assert desk.reason(token(sabot_context={str(n): "x" for n in range(17)})) == "TOKEN_INVALID"


def test_a_token_that_was_good_ends_all_the_same(desk: Desk) -> None:
    """That its signature was right is remembered; whether it still holds is not."""
    good = token(exp=NOW_S + 60)
    assert desk.see(good).actor.id == "anna"
    desk.clock.advance(91)
    assert desk.reason(good) == "TOKEN_EXPIRED"


def test_expired_and_early_tokens_are_refused(desk: Desk) -> None:
    """Expiry and beginning count, with a leeway for clocks that differ."""
    assert desk.reason(token(exp=NOW_S - 31)) == "TOKEN_EXPIRED"
    assert desk.reason(token(exp=None)) == "TOKEN_EXPIRED"
    assert desk.reason(token(nbf=NOW_S + 31)) == "TOKEN_EARLY"
    assert desk.reason(token(exp="soon")) == "TOKEN_INVALID"
    assert desk.reason(token(exp=float("inf"))) == "TOKEN_INVALID"
    assert desk.see(token(exp=NOW_S - 29, nbf=NOW_S + 29)).actor.id == "anna"
    held = token()
    desk.clock.advance(331)
    assert desk.reason(held) == "TOKEN_EXPIRED"


def test_tokens_for_others_and_of_others_are_refused(desk: Desk) -> None:
    """Audience and issuer must be ours; a single string is an audience too."""
    assert desk.reason(token(aud="others")) == "TOKEN_AUDIENCE"
    assert desk.reason(token(aud=None)) == "TOKEN_AUDIENCE"
    assert desk.reason(token(iss="https://elsewhere")) == "TOKEN_ISSUER"
    assert desk.see(token(aud="sabot")).actor.id == "anna"


def test_forged_tokens_are_refused_without_telling_why(desk: Desk) -> None:
    """Every way to fake a signature gives the same answer."""
    good = token()
    head, body, signature = good.removeprefix("Bearer ").split(".")
    none_head = b64(json.dumps({"alg": "none"}).encode())
    public = EC.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    confused = hmac.HMAC(public, hashes.SHA256())
    mixed = b64(json.dumps({"alg": "HS256", "kid": "ec"}).encode())
    confused.update(f"{mixed}.{body}".encode())
    other_body = b64(json.dumps({"iss": "https://issuer", "sub": "eve"}).encode())
    forged = [
        f"{none_head}.{body}.",
        f"{head}.{other_body}.{signature}",
        f"{head}.{body}.{signature[:-4]}AAAA",
        f"{head}.{body}.",
        # The public key is no HMAC secret: the key decides about the algorithm.
        f"{mixed}.{body}.{b64(confused.finalize())}",
        "nonsense",
        "a.b.c",
        "..",
    ]
    for text in forged:
        assert desk.reason(f"Bearer {text}") == "TOKEN_INVALID", text
    assert desk.reason(token(head={"alg": "ES256", "kid": "unknown"})) == "TOKEN_INVALID"
    assert desk.reason(token(head={"alg": "ES256", "crit": ["x"]})) == "TOKEN_INVALID"
    assert desk.reason("Basic abc") == "TOKEN_INVALID"
    assert desk.reason(f"Bearer {'x' * 10_000}") == "TOKEN_INVALID"


def test_a_token_without_a_key_id_needs_an_unambiguous_key(desk: Desk) -> None:
    """Where one key of the algorithm exists it is meant."""
    assert desk.see(token(head={"alg": "ES256"})).actor.id == "anna"


def test_roles_are_chosen_and_never_guessed(desk: Desk) -> None:
    """Several roles: the caller says which acts. None that exists here: nothing may be done."""
    both = token(roles=["DEALER", "GAME_SUPERVISOR"])
    assert desk.reason(both) == "ROLE_AMBIGUOUS"
    seen = desk.see(both, sabot_acting_role="game_supervisor")
    assert seen.actor.role == "GAME_SUPERVISOR"
    with pytest.raises(PermissionDenied) as raised:
        desk.see(both, sabot_acting_role="AUDITOR")
    assert raised.value.metadata == {"needed": "AUDITOR", "has": "DEALER, GAME_SUPERVISOR"}
    assert desk.reason(token(roles=["offline_access"])) == "ROLE"
    assert desk.reason(token(sub=None)) == "TOKEN_INVALID"


def test_a_second_person_proves_himself_too(desk: Desk) -> None:
    """The second token is checked like the first."""
    boss = token(sub="boss", roles=["GAME_SUPERVISOR"])
    seen = desk.see(token(), sabot_second_authorization=boss)
    assert seen.second == Actor("boss", "GAME_SUPERVISOR")
    expired = token(sub="boss", exp=NOW_S - 100)
    assert desk.reason(token(), sabot_second_authorization=expired) == "TOKEN_EXPIRED"


def test_roles_may_lie_deeper_in_the_token(desk: Desk, tmp_path: Path) -> None:
    """A claim is named by a path, as some issuers nest theirs."""
    desk.jwt._roles_claim = "realm_access.roles"
    assert desk.see(token(realm_access={"roles": ["auditor"]})).actor.role == "AUDITOR"
    assert desk.reason(token(realm_access="x")) == "ROLE"


def test_keys_are_exchanged_without_a_restart(desk: Desk) -> None:
    """A key that leaves the file stops counting; a file that cannot be read changes nothing."""
    assert desk.see(token(alg="RS256")).actor.id == "anna"
    desk.jwks.write_text("{ not json")
    desk.clock.advance(11)
    assert desk.see(token(alg="RS256")).actor.id == "anna"
    renamed = {**rsa_jwk(), "kid": "new"}
    desk.jwks.write_text(json.dumps({"keys": [renamed]}))
    desk.clock.advance(11)
    assert desk.reason(token(alg="RS256")) == "TOKEN_INVALID"
    assert desk.see(token(alg="RS256", head={"alg": "RS256", "kid": "new"})).actor.id == "anna"


def test_weak_and_unreadable_keys_are_refused_at_start(tmp_path: Path) -> None:
    """A key file that is no good says what is wrong with it."""
    small = rsa.generate_private_key(65537, 1024).public_key()
    cases = {
        "short.key": (b"abc", "at least 32 bytes"),
        "empty.json": (b'{"keys": []}', "no key for signatures"),
        "list.json": (b"[]", "list"),
        "what.txt": (b"x", "ending"),
        "small.pem": (
            small.public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            ),
            "2048 bits",
        ),
    }
    for name, (content, problem) in cases.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ValueError, match=problem):
            auth.KeyRing([path], ManualClock(0))


def test_a_token_in_development_is_said_to_be_unread() -> None:
    """Whoever shows one, good or bad, learns that it is not looked at, and not that something is missing."""
    believing = auth.DevelopmentAuthenticator(environment="development", roles=ROLES)
    with pytest.raises(Unauthenticated, match="no token is read") as raised:
        believing.authenticate({"authorization": "Bearer abc"}, "ipv4:127.0.0.1:1")
    assert raised.value.stable_reason == "TOKEN_NOT_READ"
    both = dict(auth.development_credentials(Actor("anna", "DEALER"))())
    both["authorization"] = "Bearer abc"
    assert believing.authenticate(both, "unix:").actor == Actor("anna", "DEALER")


def test_callers_are_believed_on_a_developers_machine_only() -> None:
    """The development authenticator cannot be made elsewhere, and believes local callers only."""
    for environment in ("production", "staging"):
        with pytest.raises(ValueError, match=environment):
            auth.DevelopmentAuthenticator(environment=environment, roles=ROLES)
    believing = auth.DevelopmentAuthenticator(environment="development", roles=ROLES)
    said = dict(auth.development_credentials(Actor("anna", "dealer"), permissions=["a", "b"])())
    for peer in ("ipv4:127.0.0.1:1", "ipv6:%5B::1%5D:1", "unix:"):
        seen = believing.authenticate(said, peer)
        assert seen == auth.Identity(Actor("anna", "DEALER"), frozenset({"a", "b"}), None)
    for peer in ("ipv4:10.0.0.1:1", "ipv6:%5Bfe80::1%5D:1", "vsock:1"):
        with pytest.raises(Unauthenticated):
            believing.authenticate(said, peer)
    told = auth.development_credentials(Actor("anna", "DEALER"), context={"operator": "acme"})
    assert believing.authenticate(dict(told()), "unix:").context == {"operator": "acme"}
    for incomplete in ({}, {"sabot-actor-id": "anna"}):
        with pytest.raises(Unauthenticated):
            believing.authenticate(incomplete, "ipv4:127.0.0.1:1")
    nobody = dict(auth.development_credentials(Actor("anna", "NOBODY"))())
    borrowed = dict(
        auth.development_credentials(Actor("anna", "DEALER"), second=Actor("eve", "NOBODY"))()
    )
    for unknown in (nobody, borrowed):
        with pytest.raises(Unauthenticated, match="DEALER, GAME_SUPERVISOR") as raised:
            believing.authenticate(unknown, "ipv4:127.0.0.1:1")
        assert raised.value.stable_reason == "ROLE_UNKNOWN"


IMPORTER = Actor("importer", "AUDITOR")
RECORDED = common_pb2.CommandMeta(
    command_id="one",
    recorded=common_pb2.Recorded(at_us=77, by=common_pb2.Actor(id="anna", role="DEALER")),
)


def sign_in(*permissions: str, second: Actor | None = None) -> None:
    auth.set_identity(auth.Identity(IMPORTER, frozenset(permissions), second))


def stamped(
    meta: common_pb2.CommandMeta = RECORDED, *, test_table: bool = True, allowed: bool = True
) -> auth.Stamp:
    return auth.stamp(meta, now_us=1234, test_table=test_table, allow_test_tables=allowed)


def test_what_is_brought_in_has_nobodys_context() -> None:
    """The importer's own token says nothing of the player whose wager is recorded."""
    told = {"operator": "acme"}
    auth.set_identity(auth.Identity(IMPORTER, frozenset({"import_table"}), None, told))
    assert stamped(common_pb2.CommandMeta(command_id="one")).context == told
    assert stamped().context == {}


def test_live_commands_take_instant_and_persons_from_proof() -> None:
    """Without `recorded` the server's clock and the signed-in persons count, also on test tables."""
    boss = Actor("boss", "GAME_SUPERVISOR")
    sign_in(second=boss)
    live = common_pb2.CommandMeta(command_id="one")
    for test_table in (True, False):
        assert stamped(live, test_table=test_table) == auth.Stamp(1234, IMPORTER, boss, None)


def test_recorded_commands_take_them_from_the_message() -> None:
    """At a test table an importer tells who did what when, and is named beside them."""
    sign_in("import_table")
    assert stamped() == auth.Stamp(77, Actor("anna", "DEALER"), None, IMPORTER)
    meta = common_pb2.CommandMeta()
    meta.CopyFrom(RECORDED)
    meta.recorded.second.CopyFrom(common_pb2.Actor(id="boss", role="GAME_SUPERVISOR"))
    assert stamped(meta).second == Actor("boss", "GAME_SUPERVISOR")


def test_recorded_commands_need_configuration_permission_and_a_test_table() -> None:
    """Each of the three conditions alone is not enough."""
    sign_in("import_table")
    with pytest.raises(NotAllowedHere) as off:
        stamped(allowed=False)
    assert off.value.stable_reason == "TEST_TABLES_OFF"
    with pytest.raises(NotAllowedHere) as live:
        stamped(test_table=False)
    assert live.value.stable_reason == "NOT_A_TEST_TABLE"
    sign_in()
    with pytest.raises(PermissionDenied) as denied:
        stamped()
    assert denied.value.metadata == {"needed": "import_table"}


def test_incomplete_recordings_name_their_fields() -> None:
    """A recorded instant and persons are whole or refused."""
    sign_in("import_table")
    bad = common_pb2.CommandMeta(
        recorded=common_pb2.Recorded(second=common_pb2.Actor(id="x" * 200))
    )
    with pytest.raises(InvalidCommand) as raised:
        stamped(bad)
    assert [fault.field for fault in raised.value.fields] == [
        "meta.recorded.at_us",
        "meta.recorded.by.id",
        "meta.recorded.by.role",
        "meta.recorded.second.id",
        "meta.recorded.second.role",
    ]


def test_a_renewed_token_file_is_read_again(tmp_path: Path) -> None:
    """A service shows the token that stands in its file now, give or take some seconds."""
    path, clock = tmp_path / "token", ManualClock(0)
    path.write_text("one\n")
    credentials = auth.token_file_credentials(path, clock)
    assert credentials() == (("authorization", "Bearer one"),)
    path.write_text("two\n")
    assert credentials() == (("authorization", "Bearer one"),)
    clock.advance(10)
    assert credentials() == (("authorization", "Bearer two"),)
