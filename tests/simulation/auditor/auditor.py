"""The auditor: hears every committed event, every movement of money and every answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.simulation.auditor.books import Books
from tests.simulation.auditor.log import Entry, Logs
from tests.simulation.auditor.shoes import Cards

_ENDS = {
    "wager-cancelled": "CANCELLED",
    "wager-withdrawn": "WITHDRAWN",
    "wager-voided": "VOIDED",
    "wager-refunded": "REFUNDED",
}


class Breach(AssertionError):
    """A promise was broken."""


class Auditor:
    """Stops at the first breach: what comes after one says little."""

    def __init__(self) -> None:
        self.logs = Logs(self.breach)
        self.books = Books(self.breach)
        self.cards = Cards(self.breach)
        self.checked = 0
        self._answers: dict[str, tuple[Any, Any]] = {}
        self._acknowledged: dict[str, str] = {}

    def breach(self, what: str) -> None:
        raise Breach(what)

    # --- what it hears ----------------------------------------------------------------------------

    def event(self, entry: Entry) -> None:
        """An event was committed."""
        self.checked += 1
        _, body = self.logs.take(entry)
        handle = getattr(self, f"_of_{entry.service}")
        handle(entry.kind, entry.table, body)

    def movement(self, key: str, player: str, currency: str, amount: int, kind: str) -> None:
        """Money moved."""
        self.books.movement(key, player, currency, amount, kind)

    def answered(
        self,
        key: str,
        refused: Any,
        answer: Any,
        stored: Sequence[tuple[str, str]],
        *,
        kept: bool = True,
    ) -> None:
        """A client got an answer; `stored` are names and digests of what it was told is stored.

        One that is not `kept` is decided anew when the command comes again; never after a kept one.
        """
        if not kept and key not in self._answers:
            return
        before = self._answers.setdefault(key, (refused, answer))
        if before != (refused, answer):
            self.breach(f"{key} is answered {(refused, answer)}, before it was {before}")
        for name, digest in stored:
            self._acknowledged[name] = digest
            self._is_stored(name, digest)

    def at_the_end(self) -> None:
        """Everything has come to rest."""
        self.books.at_the_end()
        for name, digest in self._acknowledged.items():
            self._is_stored(name, digest)
        for table in self.logs.tables():
            for upstream in ("shoe", "round", "wager"):
                last = self.logs.last_published(upstream, table)
                heard = self.logs.heard_by_settlement(upstream, table)
                if heard != last:
                    self.breach(f"settlement heard {upstream} of {table} to {heard}, not {last}")

    def _is_stored(self, name: str, digest: str) -> None:
        entry = self.logs.entries.get(name)
        if entry is None or entry.digest != digest:
            self.breach(f"{name} was acknowledged and is not in the log")

    # --- by service -------------------------------------------------------------------------------

    def _of_shoe(self, kind: str, table: str, body: Any) -> None:
        handle = {
            "shoe-loaded": self.cards.loaded,
            "card-drawn": self.cards.drawn,
            "card-revealed": self.cards.revealed,
            "cards-burned": self.cards.burned,
            "shoe-retired": self.cards.retired,
            "shoe-invalidated": self.cards.retired,
            "shoe-revealed": self.cards.opened_up,
        }.get(kind)
        if handle is not None:
            handle(table, body)

    def _of_round(self, kind: str, table: str, body: Any) -> None:
        if kind in ("table-opened", "variant-changed"):
            self.books.under(table, body["settings"])
        elif kind == "betting-opened":
            self.books.opened(table, body)
        elif kind == "dealing-opened":
            self._dealing(table, body)
        elif kind in ("no-bet-coup-declared", "coup-backfilled"):
            self.cards.coup(body["coup_id"]).no_bet = True
        elif kind == "card-dealt":
            self.cards.dealt(table, body)
        elif kind in ("coup-resulted", "result-corrected"):
            if kind == "coup-resulted":
                self.cards.resulted(table, body)
            else:
                self.cards.corrected(body)
            self.books.coup(table, body["coup_id"]).ends.append(body)
        elif kind in ("coup-voided", "coup-terminated", "outcome-invalidated"):
            self.books.coup(table, body["coup_id"]).ends.append(body)

    def _dealing(self, table: str, body: Any) -> None:
        """Dealing opens on a book that was closed, and on the one that was closed."""
        coup = self.books.coup(table, body["coup_id"])
        book = coup.books.get(body["book_revision"])
        if book is None and not self.cards.coup(body["coup_id"]).no_bet:
            self.breach(f"{body['coup_id']}: dealing opens and no book was closed")
        digest, stakes = book or ("", {})
        if (digest, len(stakes)) != (body["book_digest"], body["book_wagers"]):
            self.breach(f"{body['coup_id']}: dealing opens on another book than was closed")
        self.cards.coup(body["coup_id"]).dealing = True

    def _of_wager(self, kind: str, table: str, body: Any) -> None:
        books = self.books
        if kind in _ENDS:
            books.ended(table, body, _ENDS[kind])
            return
        handle = {
            "debit-requested": books.requested,
            "wager-accepted": books.accepted,
            "wager-rejected": books.rejected,
            "wager-changed": books.changed,
            "wager-reduced": books.reduced,
            "refund-outstanding": books.outstanding_movement,
            "refund-delivered": books.collected,
            "book-closed": books.closed,
            "book-revised": books.closed,
        }.get(kind)
        if handle is not None:
            handle(table, body)

    def _of_settlement(self, kind: str, table: str, body: Any) -> None:
        books = self.books
        if kind in ("wager-settled", "wager-resettled", "wager-refunded", "wager-forfeited"):
            books.settled(table, body, kind)
        elif kind == "settlement-reversed":
            books.taken_back(table, body)
        elif kind == "coup-settled":
            books.coup_settled(table, body)
        elif kind in ("reversal-outstanding", "credit-outstanding"):
            books.outstanding_movement(table, body)
        elif kind in ("reversal-collected", "credit-delivered"):
            books.collected(table, body)
