"""The site holds every document, and a planted fault fails its build."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.deploy.support import need
from tests.site import build, pages
from tests.tidy.sources import ROOT, files

CONFIG = (ROOT / "mkdocs.yml").read_text()


def test_links_are_named_from_the_root() -> None:
    """Relative ones, without their anchor; addresses are not files."""
    text = "[a](../x.md#here) [b](y/z.md) [c](https://example.com/q) [d](#there) ![e](./p.svg)"
    assert list(pages.links("docs/how/t.md", text)) == [
        "docs/x.md",
        "docs/how/y/z.md",
        "docs/how/p.svg",
    ]


def test_every_document_is_on_the_site() -> None:
    """Those of docs and of the root, and whatever they link to."""
    chosen = set(pages.chosen())
    documents = {name for name in files() if name.startswith("docs/") and name.endswith(".md")}
    assert documents | set(pages.ROOTS) <= chosen
    assert {"services/tablelog/schema.md", "examples/first_table.py"} <= chosen


def test_the_configuration_names_no_place_outside() -> None:
    """Fonts, scripts and counters of others are off."""
    assert "font: false" in CONFIG
    assert "generator: false" in CONFIG
    assert "://" not in CONFIG


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "seen"),
    [
        ("# A\n\n[b](nowhere.md)\n", "'nowhere.md', but the target is not found"),
        ("# A\n\n[b](other.md#nothing)\n", "does not contain an anchor '#nothing'"),
        ("# A\n\n[b](folder)\n", "unrecognized relative link 'folder'"),
    ],
)
def test_a_planted_fault_fails_the_build(tmp_path: Path, page: str, seen: str) -> None:
    """A link or an anchor that leads nowhere, under the site's own configuration."""
    need("mkdocs")
    found = build.build(_site(tmp_path, page, "nav: [index.md, other.md]"))
    assert any(seen in fault for fault in found), found


@pytest.mark.slow
def test_a_page_in_no_menu_fails_the_build(tmp_path: Path) -> None:
    """Nobody would find it; the same tree with a whole menu is built."""
    need("mkdocs")
    found = build.build(_site(tmp_path, "# A\n", "nav: [index.md]"))
    assert any("other.md" in fault for fault in found), found
    assert build.build(_site(tmp_path, "# A\n", "nav: [index.md, other.md]")) == []


def _site(folder: Path, page: str, menu: str) -> Path:
    """A site of two pages under the configuration of ours."""
    shutil.rmtree(folder / "build", ignore_errors=True)
    place = folder / "build" / "pages"
    place.mkdir(parents=True)
    (place / "index.md").write_text(page)
    (place / "other.md").write_text("# B\n")
    head, _, _ = CONFIG.partition("\nnav:")
    config = folder / "mkdocs.yml"
    config.write_text(f"{head}\n{menu}\n")
    return config


def test_lists_that_the_site_would_lose_are_seen() -> None:
    """Python's Markdown wants an empty line before a list, and four spaces within one."""
    assert build.counted("<ul><li>a</li><li>b</li></ul>") == {"ul": 1, "li": 2}
