"""What is installed is what was looked at: exact versions, by hash, under licences that fit ours."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LOCKS = sorted(ROOT.glob("requirements*.lock"))
PIN = re.compile(r"(?P<name>[a-z0-9-]+)==(?P<version>[0-9][0-9a-z.+!]*)(?: ; (?P<marker>.+))?")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",  # its files stay under it; nothing of ours becomes so
    "PSF-2.0",
    "Unlicense",
    "Zlib",
}
"""Licences, as SPDX names them, whose packages may stand beside code under Apache-2.0."""

WORDED = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What older packages say instead."""


def faults_of(lock: str) -> Iterator[str]:
    """Whatever in a lock is not an exact version with hashes: a range, an address, an index."""
    for entry in lock.replace("\\\n", " ").splitlines():
        head, *hashes = re.split(r"\s+(?=--hash)", entry.strip())
        if not head:
            continue
        if PIN.fullmatch(head) is None:
            yield f"is not an exact version: {head}"
        if not hashes:
            yield f"has no hash: {head}"
        yield from (f"is no hash of {head}: {one}" for one in hashes if not HASH.fullmatch(one))


def licences_of(metadata: importlib.metadata.PackageMetadata) -> list[set[str]]:
    """The licences of a package: of each set one holds, by our choice."""
    for said in metadata.get_all("License-Expression") or ():
        return [set(part.strip("()").split(" OR ")) for part in said.split(" AND ")]
    classed = [each for each in metadata.get_all("Classifier") or () if "License ::" in each]
    names = [each.rpartition(" :: ")[2] for each in classed]
    named = {WORDED.get(name, name) for name in names} - {"DFSG approved", "OSI Approved"}
    if not named:
        texts = metadata.get_all("License") or ["says nothing"]
        named = {WORDED.get(line, line) for line in texts[0].splitlines()[:1]}
    return [named]


def pinned(lock: Path) -> set[str]:
    """Names of the packages of a lock that every platform installs."""
    found = (PIN.match(line.rstrip(" \\")) for line in lock.read_text().splitlines())
    return {match["name"] for match in found if match is not None and match["marker"] is None}


def faulty_licence(metadata: importlib.metadata.PackageMetadata) -> bool:
    """Whether some part of a package is under none of the allowed licences."""
    return not all(choice & ALLOWED for choice in licences_of(metadata))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_locks_name_exact_versions_by_hash(lock: Path) -> None:
    """And no index: every machine has its own."""
    assert list(faults_of(lock.read_text())) == []
    assert pinned(lock)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("aiohttp>=3\n", "is not an exact version"),
        ("aiohttp==3.1\n", "has no hash"),
        ("aiohttp==3.1 \\\n    --hash=md5:00\n", "is no hash"),
        ("--index-url https://example.com/simple\n", "is not an exact version"),
        ("aiohttp @ https://example.com/a.whl\n", "is not an exact version"),
    ],
)
def test_the_check_sees_what_a_lock_must_not_hold(text: str, fault: str) -> None:
    """Ranges, missing and weak hashes, addresses."""
    assert any(found.startswith(fault) for found in faults_of(text))


def test_every_package_is_under_a_licence_that_fits() -> None:
    """Of all that is installed to run, build and test; a package whose licence nobody knows fails."""
    wanted = pinned(ROOT / "requirements-dev.lock")
    faulty = {
        name: licences_of(importlib.metadata.metadata(name))
        for name in sorted(wanted)
        if faulty_licence(importlib.metadata.metadata(name))
    }
    assert faulty == {}


@pytest.mark.parametrize(
    ("header", "value", "faulty"),
    [
        ("License-Expression", "GPL-3.0-only", True),
        ("License-Expression", "GPL-3.0-only OR MIT", False),
        ("License-Expression", "MIT AND AGPL-3.0-only", True),
        ("License-Expression", "(GPL-2.0-only OR MIT) AND ISC", False),
        ("License", "Commercial", True),
        ("Classifier", "License :: OSI Approved :: MIT License", False),
        ("Name", "silent", True),
    ],
)
def test_the_check_sees_a_licence_that_does_not_fit(header: str, value: str, faulty: bool) -> None:
    """One of a choice is enough; of a combination, each has to fit."""
    message = Message()
    message[header] = value
    assert faulty_licence(message) is faulty  # type: ignore[arg-type]
