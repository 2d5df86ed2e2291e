"""The money: every wager from its acceptance to its one end, and every movement that is due."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.simulation.auditor.pay import verdict, winnings


@dataclass
class Wager:
    """One wager as accepted."""

    coup: str
    player: str
    area: str
    currency: str
    stake: int
    promo: bool
    ended: str = ""
    """How the wager service ended it; empty while it stands."""

    decided: str = ""
    """What settlement said last; empty before it did."""

    decisions: int = 0
    reversed: int = 0
    received: int = 0
    """What the account got for it, corrections counted in."""

    final: int = 0
    """What it should have got in all by what was said last."""

    @property
    def cash(self) -> int:
        return 0 if self.promo else self.stake


@dataclass
class Coup:
    """The money side of a coup."""

    table: str
    closed: bool = False
    closes_at: int | None = None
    books: dict[int, tuple[str, dict[str, int]]] = field(default_factory=dict)
    """By revision: digest, and stakes by wager."""

    ends: list[Mapping[str, Any]] = field(default_factory=list)
    """Result, void, corrections and invalidation, in their order; the last one counts."""

    rules: Mapping[str, Any] = field(default_factory=dict)
    chip: int = 1
    settled: int = 0

    @property
    def no_bet(self) -> bool:
        """Whether it was dealt without wagers."""
        return any(end.get("no_bet") for end in self.ends)


class Books:
    """What one would write down who saw every event and no code."""

    def __init__(self, breach: Callable[[str], None]) -> None:
        self.wagers: dict[tuple[str, str], Wager] = {}
        self.coups: dict[str, Coup] = {}
        self.due: dict[str, tuple[str, str, int]] = {}
        """Every movement that has to be made, by its key: account and amount."""

        self.asked: dict[str, tuple[str, str, int, str]] = {}
        """Debits that were asked for and not answered yet, with the wager."""

        self.outstanding: set[str] = set()
        self.moved: dict[str, tuple[str, str, int]] = {}
        self._breach = breach
        self._rules: dict[str, tuple[Mapping[str, Any], int]] = {}

    # --- the wager service ------------------------------------------------------------------------

    def under(self, table: str, settings: Mapping[str, Any]) -> None:
        """The rulebook and the chip by which the table pays from now on."""
        self._rules[table] = settings["rulebook"], settings.get("smallest_chip_minor", 1)

    def opened(self, table: str, body: Any) -> None:
        coup = self.coup(table, body["coup_id"])
        coup.closes_at = body["closes_at_us"]

    def coup(self, table: str, coup_id: str) -> Coup:
        if coup_id not in self.coups:
            rules, chip = self._rules[table]
            self.coups[coup_id] = Coup(table, rules=rules, chip=chip)
        return self.coups[coup_id]

    def requested(self, table: str, body: Any) -> None:
        key = body["movement_id"]
        if key in self.asked or key in self.due:
            self._breach(f"{key} is asked for twice")
        account = body["player"], body["currency"]
        self.asked[key] = (*account, -body["amount_minor"], body["wager_id"])

    def accepted(self, table: str, body: Any) -> None:
        name = table, body["wager_id"]
        if name in self.wagers:
            self._breach(f"{name} is accepted twice")
        coup = self.coup(table, body["coup_id"])
        if coup.closed:
            self._breach(f"{name} joins the closed book of {body['coup_id']}")
        at = body.get("accepted_at_us", 0)
        if coup.closes_at is not None and at >= coup.closes_at:
            self._breach(f"{name} is accepted after the timer of {body['coup_id']} ended")
        promo = body.get("funding") == "PROMO"
        self.wagers[name] = Wager(
            body["coup_id"],
            body["player"],
            body["area"],
            body["currency"],
            body["stake_minor"],
            promo,
        )
        if not promo:
            self._paid(body["wager_id"], name, body["stake_minor"])

    def _paid(self, wager_id: str, name: tuple[str, str], amount: int) -> None:
        """The debit that was asked for is done."""
        found = [key for key, asked in self.asked.items() if asked[3] == wager_id
                 and key.startswith(f"{name[0]}/")]  # fmt: skip
        if len(found) != 1:
            self._breach(f"{name} stands on {len(found)} debits")
            return
        player, currency, moves, _ = self.asked.pop(found[0])
        if -moves != amount:
            self._breach(f"{name} stakes {amount}, and {-moves} was asked for")
        self.due[found[0]] = player, currency, moves

    def _standing(self, table: str, wager_id: str, what: str) -> Wager | None:
        wager = self.wagers.get((table, wager_id))
        if wager is None or wager.ended:
            state = "unknown" if wager is None else wager.ended
            self._breach(f"{table}/{wager_id}: {what}, and it is {state}")
            return None
        return wager

    def _back(self, body: Any, wager: Wager | None, amount: int) -> None:
        """Money goes back by the wager service."""
        if not amount:
            return
        key = body["movement_id"]
        if key is None or key in self.due:
            self._breach(f"{amount} go back under the key {key}, used or missing")
            return
        self.due[key] = body["player"], body["currency"], amount
        if wager is not None and wager.ended:
            wager.received += amount

    def changed(self, table: str, body: Any) -> None:
        wager = self._standing(table, body["wager_id"], "is changed")
        if wager is None:
            return
        if wager.stake != body["from_minor"]:
            self._breach(f"{table}/{body['wager_id']} changes from what it was not")
        added = body["to_minor"] - body["from_minor"]
        if added > 0:
            if self.coups[wager.coup].closed:
                self._breach(f"{table}/{body['wager_id']} grows in a closed book")
            self._paid(body["wager_id"], (table, body["wager_id"]), added)
        elif body.get("refund_minor", 0) != -added:
            self._breach(f"{table}/{body['wager_id']} shrinks by another amount than goes back")
        wager.stake = body["to_minor"]
        self._back(body, None, body.get("refund_minor", 0))

    def reduced(self, table: str, body: Any) -> None:
        wager = self._standing(table, body["wager_id"], "is reduced")
        if wager is None:
            return
        if wager.stake - body["excess_minor"] != body["to_minor"]:
            self._breach(f"{table}/{body['wager_id']} is reduced by another amount than goes back")
        wager.stake = body["to_minor"]
        self._back(body, None, 0 if wager.promo else body["excess_minor"])
        if not wager.stake:
            wager.ended = "REDUCED"

    def rejected(self, table: str, body: Any) -> None:
        key = next(
            (k for k, a in self.asked.items() if a[3] == body["wager_id"]
             and k.startswith(f"{table}/")), None,
        )  # fmt: skip
        back = body.get("refund_minor", 0)
        if body.get("accepted"):
            self.ended(table, body, "REJECTED")
        elif key is not None:
            asked = self.asked.pop(key)
            if back:
                self.due[key] = asked[:3]
                self._back(body, None, back)

    def ended(self, table: str, body: Any, how: str) -> None:
        wager = self._standing(table, body["wager_id"], f"is {how}")
        if wager is None:
            return
        late_void = how == "VOIDED" and wager.decided
        if wager.decided and not late_void:
            self._breach(f"{table}/{body['wager_id']} is {how} after it was {wager.decided}")
        back = body.get("refund_minor", 0)
        if back != wager.cash:
            self._breach(f"{table}/{body['wager_id']}: {back} of {wager.cash} go back")
        wager.ended = how
        if not late_void:
            wager.final = wager.cash
        self._back(body, wager, back)

    def closed(self, table: str, body: Any) -> None:
        """A revision of the book must be what stands in these books."""
        coup = self.coup(table, body["coup_id"])
        coup.closed = True
        live = {
            wager_id: wager.stake
            for (where, wager_id), wager in self.wagers.items()
            if where == table and wager.coup == body["coup_id"] and not wager.ended
        }
        if body["wagers"] != len(live):
            self._breach(f"{body['coup_id']}: {body['wagers']} wagers in the book, not {len(live)}")
        said = sum(
            area.get("cash_minor", 0) + area.get("tokens_minor", 0)
            for areas in body["totals"].values()
            for area in areas.values()
        )
        if said != sum(live.values()):
            self._breach(f"{body['coup_id']}: the book holds {said}, not {sum(live.values())}")
        if body["revision"] in coup.books:
            self._breach(f"{body['coup_id']} has two books of revision {body['revision']}")
        coup.books[body["revision"]] = body["digest"], live

    # --- settlement -------------------------------------------------------------------------------

    def settled(self, table: str, body: Any, kind: str) -> None:
        """A wager is decided, for the first time or anew."""
        wager = self.wagers.get((table, body["wager_id"]))
        name = f"{table}/{body['wager_id']}"
        if wager is None or wager.coup != body["coup_id"]:
            self._breach(f"{name} is decided and was never accepted")
            return
        if wager.ended and not (
            wager.ended == "VOIDED" and kind in ("wager-settled", "wager-refunded")
        ):
            self._breach(f"{name} is decided after it was {wager.ended}")
        if wager.decisions != wager.reversed:
            self._breach(f"{name} is decided twice")
        wager.decisions += 1
        if body["stake_minor"] != wager.stake:
            self._breach(f"{name} staked {wager.stake}, decided are {body['stake_minor']}")
        credit = self._credit(table, wager, body, kind)
        due = credit - body.get("already_minor", 0)
        # Settled while the news of its voiding was on its way: what went back is counted next.
        overtaken = kind == "wager-settled" and wager.ended == "VOIDED"
        if body.get("already_minor", 0) != wager.received and not overtaken:
            self._breach(f"{name} has got {wager.received}, {body.get('already_minor')} is said")
        if due:
            if body["settlement_id"] in self.due:
                self._breach(f"{body['settlement_id']} is paid twice")
            self.due[body["settlement_id"]] = wager.player, wager.currency, due
            wager.received += due
        wager.final = credit

    def _credit(self, table: str, wager: Wager, body: Any, kind: str) -> int:
        """What the account should have for the wager in all by this decision."""
        if kind == "wager-forfeited":
            wager.decided = "FORFEITED"
            return 0
        if kind == "wager-refunded":
            wager.decided = body["outcome"]
            if body["returned_minor"] != wager.cash:
                self._breach(f"{table}/{body['wager_id']}: not the whole stake is refunded")
            return wager.cash
        wager.decided = body["outcome"]
        credit: int = body["returned_minor"] + body["winnings_minor"]
        self._check_pay(table, wager, body, credit)
        return credit

    def _check_pay(self, table: str, wager: Wager, body: Any, credit: int) -> None:
        name = f"{table}/{body['wager_id']}"
        ends = self.coups[wager.coup].ends
        if not ends:
            self._breach(f"{name} is decided before the coup has an end")
        # Settlement may not have heard yet of a correction: each end so far is a right one.
        expected = [self._expected(wager, end) for end in ends]
        if (body["outcome"], credit) not in expected and None not in expected:
            self._breach(f"{name}: {body['outcome']} {credit}, it is {expected}")

    def _expected(self, wager: Wager, end: Mapping[str, Any]) -> tuple[str, int] | None:
        """What the cards make of a wager; None where the coup had no result.

        Of a void coup the open cards may have won some wagers all the same.
        """
        if "winner" not in end:
            return None
        coup = self.coups[wager.coup]
        said, odds = verdict(wager.area, end["player"], end["banker"], coup.rules)
        credit = {"LOST": 0, "PUSH": wager.cash}.get(said)
        if credit is None:
            credit = wager.cash + winnings(wager.area, wager.stake, odds, coup.rules, coup.chip)
        return said, credit

    def taken_back(self, table: str, body: Any) -> None:
        wager = self.wagers.get((table, body["wager_id"]))
        if wager is None or wager.decisions != wager.reversed + 1:
            self._breach(f"{table}/{body['wager_id']} is reversed and was not decided")
        else:
            wager.reversed += 1

    def coup_settled(self, table: str, body: Any) -> None:
        """Every wager of the book that the result names is decided, and no other."""
        coup = self.coup(table, body["coup_id"])
        coup.settled += 1
        decided = [
            (wager_id, wager)
            for (where, wager_id), wager in self.wagers.items()
            if where == table and wager.coup == body["coup_id"] and wager.decided
        ]
        if body["wagers"] != len(decided):
            self._breach(f"{body['coup_id']}: {len(decided)} decided, {body['wagers']} are said")
        if coup.settled == 1:
            book = coup.books.get(body["book_revision"])
            digest, stakes = book or ("", {})
            if (book is None and not coup.no_bet) or body["book_digest"] != digest:
                self._breach(f"{body['coup_id']} is settled by a book that was never closed")
            if {wager_id for wager_id, _ in decided} != set(stakes):
                self._breach(f"{body['coup_id']} is settled for other wagers than its book has")
        for currency, totals in body["totals"].items():
            self._check_totals(body["coup_id"], currency, totals, [w for _, w in decided])

    def _check_totals(self, coup_id: str, currency: str, totals: Any, decided: list[Wager]) -> None:
        """Stakes = returned + lost + forfeited; house = stakes - returned - winnings."""
        cash = [wager for wager in decided if wager.currency == currency and not wager.promo]
        staked = sum(wager.stake for wager in cash)
        got = {key: totals.get(f"{key}_minor", 0) for key in (
            "staked", "returned", "lost", "forfeited", "winnings", "house",
        )}  # fmt: skip
        paid = sum(wager.final for wager in decided if wager.currency == currency)
        if got["staked"] != staked:
            self._breach(f"{coup_id}: {got['staked']} staked, it is {staked}")
        if got["staked"] != got["returned"] + got["lost"] + got["forfeited"]:
            self._breach(f"{coup_id}: stakes are not returned, lost and forfeited: {got}")
        if got["house"] != staked - paid:
            self._breach(f"{coup_id}: the house has {got['house']}, it is {staked - paid}")

    def outstanding_movement(self, table: str, body: Any) -> None:
        self.outstanding.add(body["movement_id"])

    def collected(self, table: str, body: Any) -> None:
        self.outstanding.discard(body["movement_id"])

    # --- the accounts -----------------------------------------------------------------------------

    def movement(self, key: str, player: str, currency: str, amount: int, kind: str) -> None:
        """Money really moved."""
        if key in self.moved:
            self._breach(f"{key} moves twice")
        self.moved[key] = player, currency, amount
        if kind == "FUND":
            return
        wanted = self.due.get(key) or self.asked.get(key, ())[:3]
        if wanted != (player, currency, amount):
            self._breach(f"{key} moves {amount} of {player}, due is {wanted or 'nothing'}")

    def at_the_end(self) -> None:
        """Nobody is owed anything."""
        if self.asked:
            self._breach(f"debits without an answer: {sorted(self.asked)}")
        for key in sorted(self.due):
            refused = key in self.outstanding
            if (key in self.moved) == refused:
                self._breach(f"{key} was due and {'is outstanding' if refused else 'never moved'}")
        for (table, wager_id), wager in self.wagers.items():
            self._ended_once(f"{table}/{wager_id}", wager)

    def _ended_once(self, name: str, wager: Wager) -> None:
        void = wager.ended == "VOIDED" == wager.decided
        if bool(wager.ended) == bool(wager.decided) and not void:
            self._breach(f"{name} ended {wager.ended or 'not'} and {wager.decided or 'not'}")
        expected = self._expected(wager, self.coups[wager.coup].ends[-1]) if wager.decided else None
        by_cards = wager.decided in ("WON", "LOST", "PUSH") and expected is not None
        if by_cards and expected != (wager.decided, wager.final):
            self._breach(f"{name} ended {wager.decided} {wager.final}, it is {expected}")
        if wager.received != wager.final:
            self._breach(f"{name} got {wager.received}, should have {wager.final}")
