"""Nothing in the repository depends on one machine, and nothing names a package registry."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest

from tests.tidy.sources import files, nothing, text_of

# Written in pieces, so that this file does not contain what it looks for.
REGISTRIES = tuple(
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("repo1", "maven", "org"),
        ("repo", "maven", "apache", "org"),
        ("registry", "npmjs", "org"),
        ("npmjs", "com"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
        ("sum", "golang", "org"),
        ("deb", "debian", "org"),
        ("security", "debian", "org"),
    )
)
MACHINE_PATHS = re.compile(r"/(?:root|home/\w+|Users/\w+)/|(?<![\w.])/" + r"work\b")
WORDS = re.compile(
    "|".join(
        (
            "co-authored" + "-by",
            "generated" + r" (?:by|with) (?:an? )?(?:ai|llm|assistant)\b",
            "language" + " model",
            r"\bas an " + r"ai\b",
            "work" + "place",
            r"\bthe " + r"CEO\b",
        )
    ),
    re.IGNORECASE,
)
LOCK_OPTIONS = re.compile(r"(?m)^\s*-(?:-index-url|-extra-index-url|-find-links|i|f)\b")
# Addresses that are names and not places to fetch from, or are this machine, or nobody's.
HOSTS_ALLOWED = re.compile(
    r"^(?:localhost|127\.0\.0\.1|\[?::1\]?|0\.0\.0\.0|[a-z.]*apache\.org|[a-z.]*w3\.org"
    r"|json-schema\.org|opensource\.org|spdx\.org|(?:[\w-]+\.)*(?:example|test|invalid|svc|local)"
    r"|(?:[\w-]+\.)*example\.(?:com|org|net)|[\w-]+)$"
)
ADDRESS = re.compile(r"https?://[^\s\"'<>()\[\]{}`,]+")
PLACES_OF_DOCUMENTS = ("docs/", "README", "CHANGELOG", "CONTRIBUTING", "ARCHITECTURE", "k8s/")


def found(pattern: re.Pattern[str]) -> list[str]:
    """Return every place in the repository where a pattern matches."""
    result = []
    for name in files():
        text = text_of(name)
        for match in pattern.finditer(text or ""):
            line = (text or "").count("\n", 0, match.start()) + 1
            result.append(f"{name}:{line} {match.group()!r}")
    return result


def test_no_registry_is_named() -> None:
    """Every machine uses the index that it is configured for."""
    nothing(found(re.compile("|".join(map(re.escape, REGISTRIES)))))


def test_code_fetches_from_nowhere() -> None:
    """Addresses in code are names, this machine, or reserved for examples; documents may cite."""
    result = []
    for name in files():
        if name.startswith(PLACES_OF_DOCUMENTS) or name == "LICENSE":
            continue
        for address in ADDRESS.findall(text_of(name) or ""):
            host = (urlsplit(address).netloc.rpartition("@")[2]).partition(":")[0]
            if not HOSTS_ALLOWED.match(host.lower()):
                result.append(f"{name} {address}")
    nothing(result)


def test_no_path_of_one_machine_is_written_down() -> None:
    """A checkout works wherever it lies."""
    nothing(found(MACHINE_PATHS))


def test_no_forbidden_words() -> None:
    """The repository speaks about the product."""
    nothing(found(WORDS))


def test_the_locks_name_no_index() -> None:
    """A lock holds names, versions and hashes, nothing else."""
    for name in files():
        if name.startswith("requirements") and name.endswith(".lock"):
            text = text_of(name) or ""
            assert "://" not in text
            assert not LOCK_OPTIONS.search(text)
            assert text.count("--hash=sha256:") > text.count("==")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        (MACHINE_PATHS, "see /" + "work/main", True),
        (MACHINE_PATHS, "a network/share and ./work", False),
        (MACHINE_PATHS, "cd /" + "home/anna/x", True),
        (LOCK_OPTIONS, "--index-url x", True),
        (LOCK_OPTIONS, "    --hash=sha256:1", False),
        (HOSTS_ALLOWED, "kafka.sabot.svc", True),
        (HOSTS_ALLOWED, "files.somewhere.io", False),
    ],
)
def test_the_patterns_see_what_they_look_for(
    pattern: re.Pattern[str], text: str, matches: bool
) -> None:
    """Each pattern finds its fault and leaves the harmless neighbour alone."""
    assert bool(pattern.search(text)) is matches
