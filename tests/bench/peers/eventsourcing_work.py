"""The work of `tests.bench.peers`, done by the library eventsourcing: `eventsourcing_work.py STREAMS LOADS GROUP`.

It runs in an environment of its own that has that library, and none of ours. The database is the one that
the library's own variables name; what is measured is told as one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from eventsourcing.application import Application  # type: ignore[import-not-found]
from eventsourcing.dispatch import singledispatchmethod  # type: ignore[import-not-found]
from eventsourcing.domain import Aggregate, event  # type: ignore[import-not-found]
from eventsourcing.persistence import Tracking  # type: ignore[import-not-found]
from eventsourcing.postgres import PostgresTrackingRecorder  # type: ignore[import-not-found]
from eventsourcing.projection import Projection, ProjectionRunner  # type: ignore[import-not-found]
from psycopg.sql import SQL  # type: ignore[import-not-found]

PAGE = 2_000
CANCELS = 4
PROJECT_S_MAX = 60


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


class RefundsView(PostgresTrackingRecorder):  # type: ignore[misc]
    """Refunds by stream in a table, and in the same transaction how far it is."""

    def __init__(self, datastore: Any, **kwargs: Any) -> None:
        super().__init__(datastore, **kwargs)
        self.sql_create_statements.append(
            SQL(
                "create table if not exists refunds "
                "(stream uuid primary key, cancelled int not null, minor bigint not null)"
            )
        )

    def add(self, stream: Any, minor: int, tracking: Tracking) -> None:
        """One refund more."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)
            cursor.execute(
                "insert into refunds values (%s, 1, %s) on conflict (stream) do update "
                "set cancelled = refunds.cancelled + 1, minor = refunds.minor + excluded.minor",
                (stream, minor),
                prepare=True,
            )

    def skip(self, tracking: Tracking) -> None:
        """An event that is no refund."""
        with self.datastore.transaction(commit=True) as cursor:
            self._insert_tracking(cursor, tracking)

    def cancelled(self) -> int:
        """How many refunds are in the table."""
        with self.datastore.transaction(commit=False) as cursor:
            cursor.execute("select sum(cancelled)::int as events from refunds")
            return int(cursor.fetchone()["events"])


class Refunds(Projection):  # type: ignore[misc]
    """What is in the table."""

    @singledispatchmethod  # type: ignore[untyped-decorator]
    def process_event(self, _: Any, tracking: Tracking) -> None:
        """What is no refund only moves the checkpoint."""
        self.view.skip(tracking)

    @process_event.register  # type: ignore[untyped-decorator]
    def _(self, each: Book.WagerCancelled, tracking: Tracking) -> None:  # type: ignore[name-defined]
        self.view.add(each.originator_id, each.refund_minor, tracking)


def main() -> None:
    """Append, load, replay, project."""
    streams, loads, group = map(int, sys.argv[1:])
    books = Books()
    told = {}
    began = time.perf_counter()
    ids = [_appended(books, 1) for _ in range(streams)]
    told["append"] = streams * (CANCELS + 1) / (time.perf_counter() - began)
    began = time.perf_counter()
    for number in range(loads):
        book = books.repository.get(ids[number % streams])
        assert book.cancelled == CANCELS
    told["load"] = loads / (time.perf_counter() - began)
    began = time.perf_counter()
    events = _replayed(books)
    told["replay"] = events / (time.perf_counter() - began)
    last = books.recorder.max_notification_id()
    began = time.perf_counter()
    with ProjectionRunner(
        application_class=Books, projection_class=Refunds, view_class=RefundsView
    ) as runner:
        runner.wait(last, timeout=PROJECT_S_MAX)
        told["project"] = events / (time.perf_counter() - began)
        assert runner.view.cancelled() == streams * CANCELS
    began = time.perf_counter()
    for _ in range(streams // group):
        _appended(books, group)
    told["together"] = streams * (CANCELS + 1) / (time.perf_counter() - began)
    books.close()
    sys.stdout.write(json.dumps(told) + "\n")


def _appended(books: Any, count: int) -> Any:
    """Five events of each of so many books, in one commit."""
    group = [Book() for _ in range(count)]
    for book in group:
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
    books.save(*group)
    return group[0].id


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
