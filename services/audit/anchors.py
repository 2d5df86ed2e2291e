"""Anchors: what a log was at some position, signed with a key that no service has.

Whoever may write a service's database can write a whole new history with digests that fit each
other. He cannot sign it. An anchor holds the digest of all events up to its position in their
order, and the digest of the anchor before it, so that none can be taken out of the book.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct

from services.chassis.digest import DIGEST_BYTES

BEGINNING: Final = bytes(DIGEST_BYTES)
"""The chain before the first event of a log."""

_CHAIN_FORM: Final = b"sabot-head-chain-1"
_ANCHOR_FORM: Final = b"sabot-anchor-1"
_BEGINNING: Final = b'{"service":"'
"""Of every line of a book."""

_KEY_ID_CHARACTERS: Final = 16
_POSITION_BYTES: Final = 8


class BookFault(Exception):
    """The book of anchors cannot be trusted from some line on; the text says which, and why."""

    def __init__(self, what: str, good: Sequence[Anchor] = ()) -> None:
        super().__init__(what)
        self.good = tuple(good)
        """The anchors before that line: they still prove what they cover."""


class KeyFault(Exception):
    """A key file holds no key of the kind that signs anchors (Ed25519, PEM)."""


class Anchor(Struct, frozen=True, kw_only=True):
    """One line of the book."""

    service: str
    position: int
    """The last event that it covers."""

    chain: str
    """`chained` over all events up to there; hexadecimal."""

    at_us: int
    """When it was signed, in microseconds since 1970."""

    previous: str
    """SHA-256 of the line before it in the book; hexadecimal, empty in the first line."""

    key: str
    """The id of the key: the beginning of the SHA-256 of the public key's bytes."""

    signature: str = ""

    def message(self) -> bytes:
        """Return the bytes that are signed."""
        fields = (
            self.service,
            str(self.position),
            self.chain,
            str(self.at_us),
            self.previous,
            self.key,
        )
        return b"\n".join((_ANCHOR_FORM, *(field.encode() for field in fields)))


def chained(chain: bytes, position: int, digest: bytes) -> bytes:
    """Return the chain of a log after its next event. Covers the order, which digests do not."""
    place = position.to_bytes(_POSITION_BYTES, "big")
    return hashlib.sha256(b"".join((_CHAIN_FORM, chain, place, digest))).digest()


def key_id(key: Ed25519PublicKey) -> str:
    """Return the name under which anchors refer to a key."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:_KEY_ID_CHARACTERS]


def new_key(path: Path) -> Path:
    """Write a new private key (PEM, for its owner's eyes) and, beside it, its public one.

    Raises `FileExistsError` where either is there already. Returns the path of the public key.
    """
    key = Ed25519PrivateKey.generate()
    public = path.with_name(f"{path.name}.pub")
    pem = serialization.Encoding.PEM
    private_form = serialization.PrivateFormat.PKCS8
    data = key.private_bytes(pem, private_form, serialization.NoEncryption())
    _write_new(path, data, mode=0o600)
    public_form = serialization.PublicFormat.SubjectPublicKeyInfo
    _write_new(public, key.public_key().public_bytes(pem, public_form), mode=0o644)
    return public


def private_key(path: Path) -> Ed25519PrivateKey:
    """Read the key that signs. Raises `KeyFault`."""
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError) as error:
        raise KeyFault(f"{path}: no private key in PEM: {error}") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFault(f"{path}: anchors are signed with Ed25519 keys only")
    return key


def public_keys(paths: Iterable[Path]) -> dict[str, Ed25519PublicKey]:
    """Read the keys whose signatures count, by their ids. Raises `KeyFault`."""
    keys: dict[str, Ed25519PublicKey] = {}
    for path in paths:
        try:
            key = serialization.load_pem_public_key(path.read_bytes())
        except ValueError as error:
            raise KeyFault(f"{path}: no public key in PEM: {error}") from None
        if not isinstance(key, Ed25519PublicKey):
            raise KeyFault(f"{path}: anchors are signed with Ed25519 keys only")
        keys[key_id(key)] = key
    return keys


def read_book(path: Path, keys: Mapping[str, Ed25519PublicKey]) -> list[Anchor]:
    """Read the anchors of a book and prove each of them. Raises `BookFault`.

    A last line without its end was torn by a crash before it was whole, and never counted.
    """
    anchors: list[Anchor] = []
    previous, positions = "", dict[str, int]()
    for number, line in enumerate(_whole(path.read_bytes()).splitlines(), start=1):
        try:
            anchor = _proven(line, previous, positions, keys)
        except BookFault as fault:
            raise BookFault(f"{path}:{number}: {fault}", anchors) from None
        previous, positions[anchor.service] = hashlib.sha256(line).hexdigest(), anchor.position
        anchors.append(anchor)
    return anchors


def _whole(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _proven(
    line: bytes, previous: str, positions: Mapping[str, int], keys: Mapping[str, Ed25519PublicKey]
) -> Anchor:
    try:
        anchor = msgspec.json.decode(line, type=Anchor)
        signature = bytes.fromhex(anchor.signature)
        bytes.fromhex(anchor.chain)
    except (msgspec.DecodeError, ValueError) as error:
        raise BookFault(f"no anchor: {error}") from None
    if anchor.previous != previous:
        raise BookFault("it was not written after the line that stands before it")
    if anchor.position < positions.get(anchor.service, 0):
        raise BookFault(f"an anchor of {anchor.service} goes back in its log")
    if anchor.key not in keys:
        raise BookFault(f"signed with key {anchor.key}, which is none of those given")
    try:
        keys[anchor.key].verify(signature, anchor.message())
    except InvalidSignature:
        raise BookFault("its signature is of something else") from None
    return anchor


class BookWriter:
    """Adds signed anchors to the end of a book, one writer at a time."""

    def __init__(self, path: Path, key: Ed25519PrivateKey) -> None:
        """Open the book; raises `BookFault` for one that does not hold, or that another one writes."""
        self._key = key
        self._id = key_id(key.public_key())
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise BookFault(f"{path}: somebody else is writing it") from None
        data = path.read_bytes()
        whole = _whole(data)
        if any(not line.startswith(_BEGINNING) for line in whole.splitlines()) or not (
            _BEGINNING.startswith(data[len(whole) :][: len(_BEGINNING)])
        ):
            os.close(self._file)
            raise BookFault(f"{path}: is no book of anchors, and stays as it is")
        os.ftruncate(self._file, len(whole))
        lines = whole.splitlines()
        self._previous = hashlib.sha256(lines[-1]).hexdigest() if lines else ""

    def add(self, *, service: str, position: int, chain: bytes, at_us: int) -> Anchor:
        """Sign an anchor and put it at the end; it is on the disk when this returns."""
        unsigned = Anchor(
            service=service,
            position=position,
            chain=chain.hex(),
            at_us=at_us,
            previous=self._previous,
            key=self._id,
        )
        signature = self._key.sign(unsigned.message()).hex()
        anchor = msgspec.structs.replace(unsigned, signature=signature)
        line = msgspec.json.encode(anchor)
        os.write(self._file, line + b"\n")
        os.fsync(self._file)
        self._previous = hashlib.sha256(line).hexdigest()
        return anchor

    def close(self) -> None:
        """Let others write."""
        os.close(self._file)


def _write_new(path: Path, data: bytes, *, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
