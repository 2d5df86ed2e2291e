"""Signatures of requests: HMAC-SHA256 with a shared secret, or RSA-SHA256 with a key pair."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import Any, Final, Protocol

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

HMAC, RSA = "HMAC-SHA256", "RSA-SHA256"
KEY_ID: Final = "Sabot-Key-Id"
TIMESTAMP: Final = "Sabot-Timestamp"
SIGNATURE: Final = "Sabot-Signature"
"""Headers: which key, when (RFC 3339, UTC), and the signature in base64."""

SECRET_BYTES_MIN: Final = 32
RSA_BITS_MIN: Final = 2048


def signed_text(path: str, timestamp: str, body: bytes) -> bytes:
    """What is signed: method, path, time and the digest of the body, a line each."""
    return f"POST\n{path}\n{timestamp}\n{hashlib.sha256(body).hexdigest()}".encode()


class Signer(Protocol):
    """Signs what is sent."""

    def sign(self, text: bytes) -> bytes: ...


class Verifier(Protocol):
    """Checks what is received."""

    def verify(self, text: bytes, signature: bytes) -> bool: ...


class HmacKey:
    """A secret that both ends have: it signs and verifies."""

    def __init__(self, secret: bytes) -> None:
        if len(secret) < SECRET_BYTES_MIN:
            raise ValueError(f"a secret has {SECRET_BYTES_MIN} bytes or more")
        self._secret = secret

    def sign(self, text: bytes) -> bytes:
        return self._mac(text).finalize()

    def verify(self, text: bytes, signature: bytes) -> bool:
        try:
            self._mac(text).verify(signature)
        except InvalidSignature:
            return False
        return True

    def _mac(self, text: bytes) -> hmac.HMAC:
        mac = hmac.HMAC(self._secret, hashes.SHA256())
        mac.update(text)
        return mac


class RsaSigner:
    """The private key of this end, PEM without a password."""

    def __init__(self, pem: bytes) -> None:
        key: Any = serialization.load_pem_private_key(pem, password=None)
        if not isinstance(key, rsa.RSAPrivateKey) or key.key_size < RSA_BITS_MIN:
            raise ValueError(f"the key is no RSA key of {RSA_BITS_MIN} bits or more")
        self._key = key

    def sign(self, text: bytes) -> bytes:
        return self._key.sign(text, padding.PKCS1v15(), hashes.SHA256())

    def public_pem(self) -> bytes:
        """The public key, for the other end."""
        return self._key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )


class RsaVerifier:
    """The public key of the other end, PEM."""

    def __init__(self, pem: bytes) -> None:
        key: Any = serialization.load_pem_public_key(pem)
        if not isinstance(key, rsa.RSAPublicKey) or key.key_size < RSA_BITS_MIN:
            raise ValueError(f"the key is no RSA key of {RSA_BITS_MIN} bits or more")
        self._key = key

    def verify(self, text: bytes, signature: bytes) -> bool:
        try:
            self._key.verify(signature, text, padding.PKCS1v15(), hashes.SHA256())
        except InvalidSignature:
            return False
        return True


def headers(signer: Signer, key_id: str, path: str, timestamp: str, body: bytes) -> dict[str, str]:
    """The headers of a signed request."""
    signature = signer.sign(signed_text(path, timestamp, body))
    return {
        "Content-Type": "application/json",
        KEY_ID: key_id,
        TIMESTAMP: timestamp,
        SIGNATURE: base64.b64encode(signature).decode(),
    }


def is_signed(verifier: Verifier, given: Mapping[str, str], path: str, body: bytes) -> bool:
    """Whether a request carries a signature of this key over just this path, time and body."""
    try:
        signature = base64.b64decode(given.get(SIGNATURE, ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    text = signed_text(path, given.get(TIMESTAMP, ""), body)
    return bool(signature) and verifier.verify(text, signature)
