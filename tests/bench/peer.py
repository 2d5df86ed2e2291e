"""The work of `tests.bench.peers`, done by the library eventsourcing: `peer.py STREAMS LOADS`.

It runs in an environment of its own that has that library, and none of ours. The database is the one that
the library's own variables name; what is measured is told as one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from eventsourcing.application import Application  # type: ignore[import-not-found]
from eventsourcing.domain import Aggregate, event  # type: ignore[import-not-found]

PAGE = 2_000
CANCELS = 4


class Book(Aggregate):  # type: ignore[misc]
    """A table's wagers, of which it is only known how many were cancelled, and for how much."""

    @event("Opened")  # type: ignore[untyped-decorator]
    def __init__(self) -> None:
        self.cancelled = 0
        self.refunded_minor = 0

    @event("WagerCancelled")  # type: ignore[untyped-decorator]
    def cancel(
        self,
        *,
        coup_id: str,
        wager_id: str,
        player: str,
        area: str,
        currency: str,
        refund_minor: int,
        movement_id: str,
    ) -> None:
        """Count one."""
        self.cancelled += 1
        self.refunded_minor += refund_minor


class Books(Application):  # type: ignore[misc]
    """With the library's own settings."""


def main() -> None:
    """Append, load, replay."""
    streams, loads = map(int, sys.argv[1:])
    books = Books()
    told = {}
    began = time.perf_counter()
    ids = [_appended(books) for _ in range(streams)]
    told["append"] = streams * (CANCELS + 1) / (time.perf_counter() - began)
    began = time.perf_counter()
    for number in range(loads):
        book = books.repository.get(ids[number % streams])
        assert book.cancelled == CANCELS
    told["load"] = loads / (time.perf_counter() - began)
    began = time.perf_counter()
    told["replay"] = _replayed(books) / (time.perf_counter() - began)
    books.close()
    sys.stdout.write(json.dumps(told) + "\n")


def _appended(books: Any) -> Any:
    """Five events in one commit."""
    book = Book()
    for number in range(CANCELS):
        book.cancel(
            coup_id=f"{book.id}:1:1",
            wager_id=f"w{number}",
            player="p1",
            area="BANKER",
            currency="EUR",
            refund_minor=100,
            movement_id="m",
        )
    books.save(book)
    return book.id


def _replayed(books: Any) -> int:
    """Every event of the log, in order, as an object."""
    count, after = 0, 0
    while page := books.recorder.select_notifications(
        start=after, limit=PAGE, inclusive_of_start=False
    ):
        for stored in page:
            books.mapper.to_domain_event(stored)
        count += len(page)
        after = page[-1].id
    return count


if __name__ == "__main__":
    main()
