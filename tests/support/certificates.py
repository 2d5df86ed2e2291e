"""Certificates, tokens and their keys, of one test run."""

from __future__ import annotations

import base64
import datetime as dt
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.x509.oid import NameOID

LOOPBACK: Final = ("127.0.0.1", "localhost")
_MARGIN: Final = dt.timedelta(hours=1)


@dataclass
class Certified:
    """A certificate with its key, as files."""

    certificate: Path
    key: Path


class Authority:
    """Vouches for names: its own certificate is `Authority.certificate`."""

    def __init__(self, directory: Path, name: str) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._directory = directory
        self._name = _named(name)
        self._made = self._signed(name, self._key, names=(), authority=True)
        self.certificate = self._written(name, self._made, self._key).certificate

    def issue(self, name: str, *, names: Sequence[str] = LOOPBACK) -> Certified:
        """A certificate for a server at these names, and for a client of this common name."""
        key = ec.generate_private_key(ec.SECP256R1())
        return self._written(name, self._signed(name, key, names=names, authority=False), key)

    def _signed(
        self, name: str, key: Any, *, names: Sequence[str], authority: bool
    ) -> x509.Certificate:
        now = dt.datetime.now(dt.UTC)
        constraints = x509.BasicConstraints(ca=authority, path_length=None)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_named(name))
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _MARGIN)
            .not_valid_after(now + _MARGIN)
            .add_extension(constraints, critical=True)
        )
        if names:
            called = x509.SubjectAlternativeName([_alternative(each) for each in names])
            builder = builder.add_extension(called, critical=False)
        return builder.sign(self._key, hashes.SHA256())

    def _written(self, name: str, certificate: x509.Certificate, key: Any) -> Certified:
        made = Certified(self._directory / f"{name}.crt", self._directory / f"{name}.pem")
        made.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return made


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def self_signed(directory: Path, name: str) -> Certified:
    """Make a certificate for localhost that vouches for itself."""
    authority = Authority(directory, name)
    alone = authority._signed(name, authority._key, names=LOOPBACK, authority=True)
    return authority._written(name, alone, authority._key)


class Issuer:
    """An identity provider: signs tokens with keys that it may exchange (ES256)."""

    URL: Final = "https://issuer.example"
    AUDIENCE: Final = "sabot"
    LIFE_S: Final = 600

    def __init__(self, jwks: Path, key_id: str) -> None:
        self.jwks = jwks
        """The file of its public keys."""

        self._key = ec.generate_private_key(ec.SECP256R1())
        self._key_id = key_id
        numbers = self._key.public_key().public_numbers()
        point = {"x": _base64(numbers.x.to_bytes(32)), "y": _base64(numbers.y.to_bytes(32))}
        self._public = {"kty": "EC", "crv": "P-256", "use": "sig", "kid": key_id, **point}

    def publish(self) -> None:
        """Make its key the only one that there is."""
        working = self.jwks.with_suffix(".new")
        working.write_text(json.dumps({"keys": [self._public]}))
        working.replace(self.jwks)

    def token(self, subject: str, *roles: str, **changes: Any) -> str:
        """A token for somebody; `changes` are claims that are otherwise as they should be."""
        head = {"alg": "ES256", "kid": self._key_id, "typ": "JWT"}
        claims = {
            "iss": self.URL,
            "aud": self.AUDIENCE,
            "sub": subject,
            "exp": int(time.time()) + self.LIFE_S,
            "roles": list(roles),
            **changes,
        }
        signed = ".".join(_base64(json.dumps(part).encode()) for part in (head, claims))
        r, s = decode_dss_signature(self._key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{_base64(r.to_bytes(32) + s.to_bytes(32))}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
