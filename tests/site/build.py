"""Build the site with MkDocs, and look at what came out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt

from tests.deploy import tools
from tests.site import pages
from tests.tidy.sources import ROOT

PAGES: Final = ROOT / "build" / "pages"
SITE: Final = ROOT / "build" / "site"
SECONDS_MAX: Final = 120
LOADED: Final = re.compile(
    r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["']?(https?:[^"' >]+)"""
)
COMPARED: Final = ("ul", "ol", "li", "table", "tr", "pre", "blockquote")
"""What a document has as often on the site as wherever else its Markdown is shown."""

_WARNING: Final = re.compile(r"(?m)^(?:WARNING|ERROR) +- +(.*(?:\n +- .*)*)")


def build(config: Path = ROOT / "mkdocs.yml") -> list[str]:
    """Build; returns what MkDocs complains about. Raises `ToolMissing` where it is not there."""
    result = tools.run("mkdocs", "build", "--strict", "-f", config, seconds_max=SECONDS_MAX)
    said = f"{result.stdout}{result.stderr}"
    found = _WARNING.findall(said)
    return found if found or not result.returncode else [said.strip()]


def faults(names: tuple[str, ...]) -> Iterator[str]:
    """What is wrong with a site that was built: things from elsewhere, and lost structure."""
    for file in sorted(SITE.rglob("*.html")):
        for address in LOADED.findall(file.read_text()):
            yield f"{file.relative_to(SITE)} loads {address}"
    for name in names:
        if name.endswith(".md"):
            yield from _lost(name)


def _lost(name: str) -> Iterator[str]:
    """Lists, tables and code that the site's Markdown reads otherwise than CommonMark does."""
    html = MarkdownIt("commonmark").enable("table").render((PAGES / name).read_text())
    page = shown(name).read_text()
    article = page[page.index("<article") : page.index("</article>")]
    wanted, found = counted(html), counted(article)
    for tag in COMPARED:
        if wanted[tag] != found[tag]:
            yield f"{name} has {wanted[tag]} <{tag}>, its page {found[tag]}"


def shown(name: str) -> Path:
    """The page of a document."""
    page = (SITE / name).with_suffix(".html")
    return page.with_name("index.html") if page.stem == "README" else page


def counted(html: str) -> Counter[str]:
    """How often each element is there."""
    return Counter(re.findall(r"<(\w+)", html))


def check() -> list[str]:
    """Gather, build, look; returns what is wrong."""
    tools.fetch_packages("docs")
    names = pages.stage(PAGES)
    found = build()
    return found or list(faults(names))
