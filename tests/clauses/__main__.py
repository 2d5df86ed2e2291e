"""`python -m tests.clauses`: print what is done about every clause and write docs/clauses.md."""

from __future__ import annotations

from tests.clauses.register import DOCUMENT, document, table

if __name__ == "__main__":
    print(table())
    DOCUMENT.write_text(document())
