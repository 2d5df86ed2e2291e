"""Text that got into the rule texts from elsewhere stays out of the product."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from tests.rules.oracle import CHECKOUT

FOREIGN = frozenset(
    {
        "5d734671ff7eb8a94093f88d1cdbcc6c3967099970f1bd2b14af16ea591d8e1d",
        "5bebe720e246be4cb381002da74b962a9d7d2d03248609ba31a731e5c2d11534",
        "3c8c8c9b31653b715dc56879347e276f7d0957bc71addfbcc051855eaaba979b",
    }
)
"""SHA-256 of words of spam and advertising, lower case: the words themselves stay out too."""

FOLDERS = ("services", "docs", "proto")
ENDINGS = {".py", ".json", ".md", ".toml", ".proto", ".sql", ".yaml", ".yml", ".html"}


def foreign_words(text: str, listed: frozenset[str] = FOREIGN) -> set[str]:
    """The hashes of listed words that stand in the text."""
    words = set(re.findall(r"[a-z0-9]+", text.lower()))
    return {hashlib.sha256(word.encode()).hexdigest() for word in words} & listed


def product_texts() -> list[Path]:
    return [
        path
        for folder in FOLDERS
        for path in (CHECKOUT / folder).rglob("*")
        if path.is_file() and path.suffix in ENDINGS and "__pycache__" not in path.parts
    ]


def test_no_foreign_word_is_in_any_product_text() -> None:
    """F-01, X-50: neither the spam word of one text nor the advertising of another is here."""
    texts = product_texts()
    assert any(path.name == "nsw-baccarat.json" for path in texts)
    found = {p for p in texts if foreign_words(p.read_text(encoding="utf-8", errors="replace"))}
    assert found == set()


def test_a_listed_word_would_be_found() -> None:
    """The search sees a word of its list in running text, in any case."""
    listed = frozenset({hashlib.sha256(b"lighthouse").hexdigest()})
    assert foreign_words("the LIGHTHOUSE, by night", listed) == listed
    assert foreign_words("the light house", listed) == set()
