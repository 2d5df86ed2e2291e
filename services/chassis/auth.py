"""Who calls: authenticators, the identity of the present call, and under whose name a command goes.

Identities come from the metadata of a call, never from its message. The exception are tables that
exist on paper only: there an importer with the permission for it tells who did what when, see
`Recorded` in `sabot.common.v1`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from msgspec import Struct

from sabot.common.v1 import common_pb2
from services.chassis import logs
from services.chassis.clock import SECOND_US, Clock
from services.chassis.config import is_loopback
from services.chassis.rpc_errors import (
    FieldFault,
    InvalidCommand,
    NotAllowedHere,
    PermissionDenied,
    Unauthenticated,
)
from services.contracts.core import Actor

AUTHORIZATION: Final = "authorization"
SECOND_AUTHORIZATION: Final = "sabot-second-authorization"
ACTING_ROLE: Final = "sabot-acting-role"
"""Which of the roles in the token the caller acts under, where it has several."""

SECOND_ACTING_ROLE: Final = "sabot-second-acting-role"
ACTOR_ID: Final = "sabot-actor-id"
ACTOR_ROLE: Final = "sabot-actor-role"
SECOND_ID: Final = "sabot-second-id"
SECOND_ROLE: Final = "sabot-second-role"
PERMISSIONS: Final = "sabot-permissions"
CONTEXT: Final = "sabot-context"
"""Names and values of the caller's context, as in `operator=acme, session=s1`."""

IMPORT_TABLE: Final = "import_table"
"""The permission to bring in a recorded table."""

ID_CHARACTERS_MAX: Final = 128
TOKEN_CHARACTERS_MAX: Final = 8_192
LEEWAY_US: Final = 30 * SECOND_US
"""By how much the clocks of issuer and service may differ."""

KEY_CHECK_INTERVAL_S: Final = 10.0
"""Key files are looked at so often, so that keys can be exchanged without a restart."""

KNOWN_TOKENS_MAX: Final = 10_000
"""Tokens whose signatures are not checked again; then all of them are forgotten."""

KEY_FILE_BYTES_MAX: Final = 1 << 20
CONTEXT_VALUES_MAX: Final = 16
RSA_BITS_MIN: Final = 2048
HMAC_BYTES_MIN: Final = 32
_P256_BYTES: Final = 32

log = logs.logger(__name__)


class Identity(Struct, frozen=True):
    """Who makes the present call."""

    actor: Actor
    permissions: frozenset[str]
    second: Actor | None
    """A second person who proved himself beside the actor."""

    context: Mapping[str, str] = {}
    """What else the token says of where and how the actor calls; texts by name."""


_identity: ContextVar[Identity] = ContextVar("sabot_identity")


def set_identity(identity: Identity) -> None:
    """Note who calls; every call has a context of its own, so there is nothing to take back."""
    _identity.set(identity)


def identity() -> Identity:
    """Return who makes the present call."""
    try:
        return _identity.get()
    except LookupError:
        raise Unauthenticated("nobody is signed in") from None


def require_role(*roles: str) -> Identity:
    """Let the call go on only under one of these roles; none of them is nobody's."""
    caller = identity()
    if caller.actor.role not in roles:
        needed = ", ".join(roles) or "that nobody has"
        raise PermissionDenied(
            f"this needs the role {needed}; {caller.actor.role} is not enough",
            reason="ROLE",
            metadata={"needed": needed, "has": caller.actor.role},
        )
    return caller


def require_permission(permission: str) -> Identity:
    """Let the call go on only with this permission."""
    caller = identity()
    if permission not in caller.permissions:
        raise PermissionDenied(
            f"this needs the permission {permission}", metadata={"needed": permission}
        )
    return caller


class Stamp(Struct, frozen=True):
    """When and under whose name a command is carried out."""

    at_us: int
    by: Actor
    second: Actor | None
    importer: Actor | None
    """Who brought it in, where instant and persons came with the command."""

    shift: int = 0
    """The shift that the command rests on, where the caller named one."""

    context: Mapping[str, str] = {}
    """Of the caller's token; empty where the command was brought in by somebody else."""


def stamp(
    meta: common_pb2.CommandMeta, *, now_us: int, test_table: bool, allow_test_tables: bool
) -> Stamp:
    """Decide instant and persons of a command.

    `test_table`: the table is, or is being opened, in TEST mode. `allow_test_tables`: so says the
    configuration.
    """
    caller = identity()
    if not meta.HasField("recorded"):
        return Stamp(now_us, caller.actor, caller.second, None, meta.shift, context=caller.context)
    if not allow_test_tables:
        raise NotAllowedHere("this installation has no test tables", reason="TEST_TABLES_OFF")
    require_permission(IMPORT_TABLE)
    if not test_table:
        raise NotAllowedHere(
            "instant and persons are taken from the message only at a table in TEST mode",
            reason="NOT_A_TEST_TABLE",
        )
    recorded = meta.recorded
    faults = list(_recorded_faults(recorded))
    if faults:
        raise InvalidCommand("the recorded instant and persons are incomplete", fields=faults)
    second = _actor(recorded.second) if recorded.HasField("second") else None
    return Stamp(recorded.at_us, _actor(recorded.by), second, caller.actor, meta.shift)


def _actor(named: common_pb2.Actor) -> Actor:
    return Actor(named.id, named.role)


def _recorded_faults(recorded: common_pb2.Recorded) -> Iterable[FieldFault]:
    if recorded.at_us <= 0:
        yield FieldFault("meta.recorded.at_us", "must be above 0")
    people = [("by", recorded.by)]
    if recorded.HasField("second"):
        people.append(("second", recorded.second))
    for name, person in people:
        for part, text in (("id", person.id), ("role", person.role)):
            if not 0 < len(text) <= ID_CHARACTERS_MAX:
                yield FieldFault(
                    f"meta.recorded.{name}.{part}", f"needs 1 to {ID_CHARACTERS_MAX} characters"
                )


class Authenticator(Protocol):
    """Finds out who calls."""

    def authenticate(self, metadata: Mapping[str, str], peer: str) -> Identity:
        """Name the caller, or raise `Unauthenticated`. Called for every call: it must not wait."""
        ...


class DevelopmentAuthenticator:
    """Believes what the metadata says. It cannot be made outside a developer's machine."""

    def __init__(self, *, environment: str, roles: frozenset[str]) -> None:
        """Take the roles that exist; whoever claims another one is nobody."""
        if environment != "development":
            raise ValueError(f"callers are not believed in environment {environment}")
        self._roles = roles

    def authenticate(self, metadata: Mapping[str, str], peer: str) -> Identity:
        if not _is_local(peer):
            raise Unauthenticated("callers from other machines are not believed")
        actor = self._person(metadata, ACTOR_ID, ACTOR_ROLE)
        if actor is None and AUTHORIZATION in metadata:
            raise Unauthenticated(
                "in development callers are believed and no token is read: leave it out, and name"
                f" the caller in {ACTOR_ID} and {ACTOR_ROLE}",
                reason="TOKEN_NOT_READ",
            )
        if actor is None:
            raise Unauthenticated(f"the metadata {ACTOR_ID} and {ACTOR_ROLE} are missing")
        permissions = frozenset(_words(metadata.get(PERMISSIONS, "")))
        second = self._person(metadata, SECOND_ID, SECOND_ROLE)
        parts = [part.partition("=") for part in metadata.get(CONTEXT, "").split(",") if part]
        context = _context({name.strip(): value.strip() for name, _, value in parts})
        return Identity(actor, permissions, second, context)

    def _person(self, metadata: Mapping[str, str], id_key: str, role_key: str) -> Actor | None:
        person, role = metadata.get(id_key, ""), metadata.get(role_key, "")
        if not person and not role:
            return None
        if not person or not role or len(person) > ID_CHARACTERS_MAX:
            raise Unauthenticated(f"{id_key} and {role_key} belong together")
        if role.upper() not in self._roles:
            known = ", ".join(sorted(self._roles))
            raise Unauthenticated(f"{role_key} is none of {known}", reason="ROLE_UNKNOWN")
        return Actor(person, role.upper())


def _is_local(peer: str) -> bool:
    """Read an address as gRPC writes it: `ipv4:127.0.0.1:5`, `ipv6:%5B::1%5D:5`, `unix:...`."""
    kind, _, address = peer.partition(":")
    if kind == "unix":
        return True
    host = address.rpartition(":")[0].replace("%5B", "[").replace("%5D", "]")
    return kind in {"ipv4", "ipv6"} and is_loopback(host)


def _words(value: Any) -> list[str]:
    """Read a claim that is a list of strings, or one string with words, as OAuth scopes are."""
    if isinstance(value, str):
        return value.replace(",", " ").split()
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    return []


def _context(claim: Any) -> dict[str, str]:
    """Read the claim that tells the caller's context: short texts by name, or no claim at all."""
    if claim is None:
        return {}
    values = claim if isinstance(claim, dict) else {}
    short = all(
        isinstance(text, str) and text.isprintable() and len(text) <= ID_CHARACTERS_MAX
        for pair in values.items()
        for text in pair
    )
    if not isinstance(claim, dict) or not short or len(values) > CONTEXT_VALUES_MAX:
        raise Unauthenticated(
            f"the token's context is none of {CONTEXT_VALUES_MAX} short texts",
            reason="TOKEN_INVALID",
        )
    return {name: text for name, text in values.items() if text}


class Key(Protocol):
    """One key that signatures of tokens are checked with; it knows its only algorithm."""

    algorithm: str

    def verify(self, signature: bytes, signed: bytes) -> None:
        """Raise `InvalidSignature` unless the signature is right."""
        ...


class _HmacKey:
    algorithm = "HS256"

    def __init__(self, secret: bytes) -> None:
        if len(secret) < HMAC_BYTES_MIN:
            raise ValueError(f"an HMAC secret needs at least {HMAC_BYTES_MIN} bytes")
        self._secret = secret

    def verify(self, signature: bytes, signed: bytes) -> None:
        code = hmac.HMAC(self._secret, hashes.SHA256())
        code.update(signed)
        code.verify(signature)


class _RsaKey:
    algorithm = "RS256"

    def __init__(self, key: rsa.RSAPublicKey) -> None:
        if key.key_size < RSA_BITS_MIN:
            raise ValueError(f"an RSA key needs at least {RSA_BITS_MIN} bits")
        self._key = key

    def verify(self, signature: bytes, signed: bytes) -> None:
        self._key.verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())


class _EcKey:
    algorithm = "ES256"

    def __init__(self, key: ec.EllipticCurvePublicKey) -> None:
        if not isinstance(key.curve, ec.SECP256R1):
            raise ValueError(f"the curve {key.curve.name} is not supported; P-256 is")  # noqa: TRY004
        self._key = key

    def verify(self, signature: bytes, signed: bytes) -> None:
        # A token holds the two numbers side by side, the library wants them in ASN.1.
        if len(signature) != 2 * _P256_BYTES:
            raise InvalidSignature
        r, s = signature[:_P256_BYTES], signature[_P256_BYTES:]
        pair = encode_dss_signature(int.from_bytes(r), int.from_bytes(s))
        self._key.verify(pair, signed, ec.ECDSA(hashes.SHA256()))


def _decoded(text: str) -> bytes:
    """Decode base64url without padding, strictly."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("not base64url") from error


def _public(key: Any) -> Key:
    if isinstance(key, rsa.RSAPublicKey):
        return _RsaKey(key)
    if isinstance(key, ec.EllipticCurvePublicKey):
        return _EcKey(key)
    raise ValueError(f"{type(key).__name__} is not supported; RSA and P-256 are")


def _of_jwk(jwk: Mapping[str, Any]) -> Key | None:
    """Read one key of a JWKS; None for kinds and uses that are none of our business."""
    if jwk.get("use", "sig") != "sig":
        return None
    kind = jwk.get("kty")
    if kind == "oct":
        return _HmacKey(_decoded(jwk["k"]))
    if kind == "RSA":
        n, e = (int.from_bytes(_decoded(jwk[part])) for part in ("n", "e"))
        return _RsaKey(rsa.RSAPublicNumbers(e, n).public_key())
    if kind == "EC" and jwk.get("crv") == "P-256":
        x, y = (int.from_bytes(_decoded(jwk[part])) for part in ("x", "y"))
        return _EcKey(ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key())
    return None


def read_keys(path: Path) -> dict[str, Key]:
    """Read the keys of one file by their ids. Raises `ValueError` saying what is wrong with it."""
    content = path.read_bytes()[: KEY_FILE_BYTES_MAX + 1]
    if len(content) > KEY_FILE_BYTES_MAX:
        raise ValueError(f"{path}: is too large")
    try:
        keys = _keys_of(path, content)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from error
    if not keys:
        raise ValueError(f"{path}: holds no key for signatures")
    return keys


def _keys_of(path: Path, content: bytes) -> dict[str, Key]:
    if path.suffix == ".json":
        jwks = [(str(jwk.get("kid", "")), _of_jwk(jwk)) for jwk in json.loads(content)["keys"]]
        return {kid: key for kid, key in jwks if key is not None}
    if path.suffix == ".pem":
        return {path.stem: _public(serialization.load_pem_public_key(content))}
    if path.suffix == ".key":
        return {path.stem: _HmacKey(content.strip())}
    raise ValueError("needs the ending .json, .pem or .key")


class KeyRing:
    """The keys of the issuer, read anew when their files change."""

    def __init__(self, paths: Sequence[Path], clock: Clock) -> None:
        """Read all files; a faulty one is an error now and only a warning later."""
        self._paths = tuple(paths)
        self._clock = clock
        self._keys: dict[str, Key] = {}
        self._state: tuple[tuple[int, int], ...] = ()
        self._checked_s = clock.steady_s()
        self._read(self._look())

    def current(self) -> object:
        """Stand for the keys as they are: another object once files with other keys were read."""
        self._refresh()
        return self._keys

    def find(self, kid: str, algorithm: str) -> Key | None:
        """Find the key that a token names, or the only one there is for its algorithm."""
        self._refresh()
        if kid:
            named = self._keys.get(kid)
            # The key decides about the algorithm. Were it the token, a public key could be used as
            # an HMAC secret.
            return named if named is not None and named.algorithm == algorithm else None
        fitting = [key for key in self._keys.values() if key.algorithm == algorithm]
        return fitting[0] if len(fitting) == 1 else None

    def _look(self) -> tuple[tuple[int, int], ...]:
        return tuple((s.st_mtime_ns, s.st_size) for s in (path.stat() for path in self._paths))

    def _read(self, state: tuple[tuple[int, int], ...]) -> None:
        keys: dict[str, Key] = {}
        for path in self._paths:
            for kid, key in read_keys(path).items():
                if kid in keys:
                    raise ValueError(f"{path}: the key id {kid!r} is there twice")
                keys[kid] = key
        self._keys, self._state = keys, state

    def _refresh(self) -> None:
        now_s = self._clock.steady_s()
        if now_s - self._checked_s < KEY_CHECK_INTERVAL_S:
            return
        self._checked_s = now_s
        try:
            state = self._look()
            if state != self._state:
                self._read(state)
                log.info("the keys for tokens were read anew", keys=sorted(self._keys))
        except (OSError, ValueError) as error:
            log.warning("the keys for tokens cannot be read, the old ones stay", problem=str(error))


class JwtAuthenticator:
    """Reads signed tokens. Roles that do not exist here are passed over: tokens hold others too."""

    def __init__(
        self,
        *,
        keys: KeyRing,
        clock: Clock,
        issuer: str,
        audience: str,
        roles: frozenset[str],
        roles_claim: str,
        permissions_claim: str,
        context_claim: str,
    ) -> None:
        self._keys = keys
        self._clock = clock
        self._issuer = issuer
        self._audience = audience
        self._roles = roles
        self._roles_claim = roles_claim
        self._permissions_claim = permissions_claim
        self._known: dict[bytes, tuple[object, dict[str, Any]]] = {}
        """By a token's digest: the keys that it was held against, and its claims."""

        self._context_claim = context_claim

    def authenticate(self, metadata: Mapping[str, str], peer: str) -> Identity:
        del peer
        header = metadata.get(AUTHORIZATION)
        if header is None:
            raise Unauthenticated(f"the metadata {AUTHORIZATION} is missing")
        claims = self._claims(header)
        actor = self._actor(claims, metadata.get(ACTING_ROLE, ""), ACTING_ROLE)
        second = None
        if SECOND_AUTHORIZATION in metadata:
            acting = metadata.get(SECOND_ACTING_ROLE, "")
            second_claims = self._claims(metadata[SECOND_AUTHORIZATION])
            second = self._actor(second_claims, acting, SECOND_ACTING_ROLE)
        permissions = frozenset(_words(_claim(claims, self._permissions_claim)))
        context = _context(_claim(claims, self._context_claim))
        return Identity(actor, permissions, second, context)

    def _actor(self, claims: Mapping[str, Any], acting: str, key: str) -> Actor:
        subject = claims.get("sub")
        if not isinstance(subject, str) or not 0 < len(subject) <= ID_CHARACTERS_MAX:
            raise Unauthenticated("the token names nobody", reason="TOKEN_INVALID")
        named = {role.upper() for role in _words(_claim(claims, self._roles_claim))}
        held = sorted(named & self._roles)
        if acting:
            if acting.upper() not in held:
                raise PermissionDenied(
                    f"{key} is {acting}, which the token does not grant",
                    reason="ROLE",
                    metadata={"needed": acting.upper(), "has": ", ".join(held)},
                )
            return Actor(subject, acting.upper())
        if not held:
            raise PermissionDenied(
                "the token grants no role that exists here",
                reason="ROLE",
                metadata={"needed": ", ".join(sorted(self._roles))},
            )
        if len(held) > 1:
            raise Unauthenticated(
                f"the token grants {', '.join(held)}: say in {key} which of them acts",
                reason="ROLE_AMBIGUOUS",
            )
        return Actor(subject, held[0])

    def _claims(self, header: str) -> dict[str, Any]:
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer" or not 0 < len(token) <= TOKEN_CHARACTERS_MAX:
            raise Unauthenticated("a bearer token is needed", reason="TOKEN_INVALID")
        claims = self._verified(token.strip())
        self._check(claims)
        return claims

    def _verified(self, token: str) -> dict[str, Any]:
        """Return the claims of a token whose signature is right. Callers are told no difference.

        A signature that was right once stays so as long as the keys are those of then; when a
        token begins and ends is looked at every time.
        """
        keys = self._keys.current()
        seal = hashlib.sha256(token.encode()).digest()
        kept_under, kept = self._known.get(seal, (None, {}))
        if kept_under is keys:
            return kept
        try:
            claims = self._opened(token)
        except (ValueError, InvalidSignature, RecursionError):
            claims = None
        if not isinstance(claims, dict):
            raise Unauthenticated("the token is not valid", reason="TOKEN_INVALID")
        if len(self._known) >= KNOWN_TOKENS_MAX:
            self._known.clear()
        self._known[seal] = (keys, claims)
        return claims

    def _opened(self, token: str) -> Any:
        signed, _, signature = token.rpartition(".")
        head_text, _, body_text = signed.partition(".")
        head = json.loads(_decoded(head_text))
        # `crit` names extensions that must be understood; we understand none.
        if not isinstance(head, dict) or "crit" in head:
            raise ValueError("the header of the token is not one of ours")
        key = self._keys.find(str(head.get("kid", "")), str(head.get("alg", "")))
        if key is None:
            raise InvalidSignature
        key.verify(_decoded(signature), signed.encode("ascii"))
        return json.loads(_decoded(body_text))

    def _check(self, claims: Mapping[str, Any]) -> None:
        now_us = self._clock.now_us()
        if claims.get("iss") != self._issuer:
            raise Unauthenticated("the token is of another issuer", reason="TOKEN_ISSUER")
        audience = claims.get("aud")
        if self._audience not in (audience if isinstance(audience, list) else [audience]):
            raise Unauthenticated("the token is for somebody else", reason="TOKEN_AUDIENCE")
        expires_us = _instant_us(claims, "exp")
        if expires_us is None or now_us >= expires_us + LEEWAY_US:
            raise Unauthenticated("the token has expired", reason="TOKEN_EXPIRED")
        begins_us = _instant_us(claims, "nbf")
        if begins_us is not None and now_us < begins_us - LEEWAY_US:
            raise Unauthenticated("the token is not valid yet", reason="TOKEN_EARLY")


def _instant_us(claims: Mapping[str, Any], name: str) -> int | None:
    value = claims.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unauthenticated(f"the token's {name} is not a number", reason="TOKEN_INVALID")
    try:
        return int(value * SECOND_US)
    except (OverflowError, ValueError):
        raise Unauthenticated(f"the token's {name} is no instant", reason="TOKEN_INVALID") from None


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """Take a claim by its name, or by a path with dots, as in `realm_access.roles`."""
    if name in claims:
        return claims[name]
    value: Any = claims
    for step in name.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(step)
    return value


Credentials = Callable[[], tuple[tuple[str, str], ...]]
"""Metadata that a client adds to each of its calls."""


def development_credentials(
    actor: Actor,
    *,
    permissions: Sequence[str] = (),
    second: Actor | None = None,
    context: Mapping[str, str] | None = None,
) -> Credentials:
    """Say who calls, to a server that believes it."""
    pairs = [(ACTOR_ID, actor.id), (ACTOR_ROLE, actor.role)]
    if permissions:
        pairs.append((PERMISSIONS, ",".join(permissions)))
    if second is not None:
        pairs += [(SECOND_ID, second.id), (SECOND_ROLE, second.role)]
    if context:
        pairs.append((CONTEXT, ",".join(f"{name}={value}" for name, value in context.items())))
    fixed = tuple(pairs)
    return lambda: fixed


def token_file_credentials(path: Path, clock: Clock) -> Credentials:
    """Show the token of a file, which somebody else renews."""
    kept: tuple[tuple[str, str], ...] = ()
    read_s = -KEY_CHECK_INTERVAL_S

    def credentials() -> tuple[tuple[str, str], ...]:
        nonlocal kept, read_s
        now_s = clock.steady_s()
        if now_s - read_s >= KEY_CHECK_INTERVAL_S or not kept:
            kept = ((AUTHORIZATION, f"Bearer {path.read_text().strip()}"),)
            read_s = now_s
        return kept

    return credentials
