"""Which files of the repository are on the site: its documents, and what they link to.

Documents lie all over the repository and point at each other and at files. The site has them at the
same places, so that a link is right in both or in none.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from tests.tidy.sources import ROOT, files

ROOTS: Final = ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LINK: Final = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def begins(name: str) -> bool:
    """Whether a file is on the site without anything that links to it."""
    return name in ROOTS or (name.startswith("docs/") and name.endswith(".md"))


def links(name: str, text: str) -> Iterator[str]:
    """The files of the repository that a document points at, by their names from the root."""
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        parts: list[str] = []
        for part in (*PurePosixPath(name).parent.parts, *PurePosixPath(target).parts):
            if part == "..":
                parts[-1:] = []
            elif part != ".":
                parts.append(part)
        yield "/".join(parts)


def chosen() -> tuple[str, ...]:
    """Every file of the site by its name from the root."""
    known = set(files())
    waiting = [name for name in known if begins(name)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        if name.endswith(".md"):
            waiting += (link for link in links(name, (ROOT / name).read_text()) if link in known)
    return tuple(sorted(found))


def stage(place: Path) -> tuple[str, ...]:
    """Copy the files of the site to an empty folder; returns their names."""
    shutil.rmtree(place, ignore_errors=True)
    names = chosen()
    for name in names:
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    return names
