"""The cards: where each of them went, how often each was seen, and to which hand it belongs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.simulation.auditor.cards import played_out, winner


class ShoeBook:
    """One shoe."""

    def __init__(self, decks: int, cards: int, source: str, *, device: bool) -> None:
        self.decks = decks
        self.cards = cards
        self.source = source
        self.device = device
        self.last = 0
        self.dealt: dict[int, str | None] = {}
        """By draw number; None where the card is not known."""

        self.burned = 0


class CoupCards:
    """The cards of one coup."""

    def __init__(self) -> None:
        self.closed = False
        self.dealing = False
        self.no_bet = False
        self.shoe = ""
        self.drawn: list[int] = []
        """Draw numbers in the order in which the shoe told of them. A card that was kept from the
        coup before comes in behind one that was out before the close."""

        self.hands: dict[int, str] = {}
        """Hand by draw number, as it was dealt."""


class Cards:
    """All shoes and what was dealt from them."""

    def __init__(self, breach: Callable[[str], None]) -> None:
        self.coups: dict[str, CoupCards] = {}
        self._shoes: dict[tuple[str, str], ShoeBook] = {}
        self._current: dict[str, str] = {}
        self._breach = breach

    def coup(self, coup_id: str) -> CoupCards:
        return self.coups.setdefault(coup_id, CoupCards())

    def _shoe(self, table: str, shoe_id: str) -> ShoeBook | None:
        return self._shoes.get((table, shoe_id))

    # --- what the shoe says -----------------------------------------------------------------------

    def loaded(self, table: str, body: Any) -> None:
        self._shoes[table, body["shoe_id"]] = ShoeBook(
            body["decks"], body["cards"], body["source"], device=body.get("device", False)
        )

    def drawn(self, table: str, body: Any) -> None:
        shoe, number = self._shoe(table, body["shoe_id"]), body["draw_number"]
        coup = self.coup(body["coup_id"])
        coup.shoe = body["shoe_id"]
        coup.drawn.append(number)
        if shoe is None:
            self._breach(f"{table}: a card comes out of {body['shoe_id']}, which is not there")
            return
        if body.get("carried"):
            if number not in shoe.dealt:
                self._breach(f"{table}: card {number} is carried over and never came out")
        else:
            self._next(table, shoe, number)
        early = body.get("before_close", False)
        if shoe.source == "GENERATED" and not early and not (coup.dealing or coup.no_bet):
            self._breach(f"{body['coup_id']}: card {number} is drawn before dealing was opened")
        self._known(table, shoe, number, body["card"])

    def _next(self, table: str, shoe: ShoeBook, number: int) -> None:
        if number != shoe.last + 1 and not shoe.device:
            self._breach(f"{table}: card {number} comes after card {shoe.last}")
        shoe.last = number
        if number > shoe.cards and not shoe.device:
            self._breach(f"{table}: card {number} of {shoe.cards}")

    def revealed(self, table: str, body: Any) -> None:
        shoe = self._shoe(table, body["shoe_id"])
        if shoe is not None:
            self._known(table, shoe, body["draw_number"], body["card"])

    def _known(self, table: str, shoe: ShoeBook, number: int, card: str | None) -> None:
        before = shoe.dealt.get(number)
        if before is not None and card is not None and before != card:
            self._breach(f"{table}: card {number} was {before} and is {card}")
        shoe.dealt[number] = card or before
        if card is None or shoe.device:
            return
        copies = Counter(each for each in shoe.dealt.values() if each)[card]
        if copies > shoe.decks:
            self._breach(f"{table}: {copies} copies of {card} in {shoe.decks} decks")

    def burned(self, table: str, body: Any) -> None:
        shoe = self._shoe(table, body["shoe_id"])
        if shoe is None:
            self._breach(f"{table}: cards of {body['shoe_id']} are burned, which is not there")
            return
        shoe.burned += body["count"]
        first, aside = body["first_draw_number"], body.get("set_aside", 0)
        if aside:  # cards that were kept for this burn come first, and the shoe gives the rest
            if first not in shoe.dealt:
                self._breach(f"{table}: card {first} was kept for a burn and never came out")
            first = shoe.last + 1
        for number in range(first, first + body["count"] - aside):
            self._next(table, shoe, number)

    def retired(self, table: str, body: Any) -> None:
        shoe = self._shoe(table, body["shoe_id"])
        if shoe is None or shoe.device:
            return
        if body["dealt"] + body["burned"] + body["left"] != shoe.cards:
            self._breach(f"{table}: {body['shoe_id']} ends with another number of cards")
        if body["dealt"] + body["burned"] != shoe.last:
            self._breach(f"{table}: {body['shoe_id']} ends after {shoe.last} cards, says otherwise")

    def opened_up(self, table: str, body: Any) -> None:
        """The order of a generated shoe is revealed: it is a whole shoe, and what was dealt."""
        shoe = self._shoe(table, body["shoe_id"])
        if shoe is None:
            return
        order = body["order"]
        if (
            any(copies != shoe.decks for copies in Counter(order).values())
            or len(order) != 52 * shoe.decks
        ):
            self._breach(f"{table}: the order of {body['shoe_id']} is not {shoe.decks} decks")
        for number, card in shoe.dealt.items():
            if card is not None and order[number - 1] != card:
                self._breach(f"{table}: card {number} of the revealed order was dealt as {card}")

    # --- what round makes of it -------------------------------------------------------------------

    def dealt(self, table: str, body: Any) -> None:
        coup = self.coup(body["coup_id"])
        if not (coup.dealing or coup.no_bet):
            self._breach(f"{body['coup_id']}: a card is dealt before the book was closed")
        shoe, number = self._shoe(table, coup.shoe), body["draw_number"]
        if shoe is None or number not in shoe.dealt:
            self._breach(f"{body['coup_id']}: card {number} is dealt and never came out")
            return
        if body["card"] is not None and shoe.dealt[number] != body["card"]:
            self._breach(f"{body['coup_id']}: card {number} is another one than came out")
        if number in coup.hands:
            self._breach(f"{body['coup_id']}: card {number} is dealt twice")
        coup.hands[number] = body["hand"]

    def resulted(self, table: str, body: Any) -> None:
        """The draw order alone decides hands and winner (invariant 2)."""
        coup = self.coup(body["coup_id"])
        player, banker = tuple(body["player"]), tuple(body["banker"])
        if winner(player, banker) != body["winner"]:
            self._breach(f"{body['coup_id']}: {body['winner']} has not won")
        shoe = self._shoe(table, coup.shoe)
        if shoe is None:
            self._breach(f"{body['coup_id']} has a result without cards")
            return
        cards = [shoe.dealt.get(number) for number in sorted(coup.drawn) if number in coup.hands]
        if None in cards:
            self._breach(f"{body['coup_id']} has a result with an unknown card")
            return
        out = played_out([str(card) for card in cards])
        if out is None or out[:2] != (player, banker):
            self._breach(f"{body['coup_id']}: the cards {cards} do not give {player}, {banker}")

    def corrected(self, body: Any) -> None:
        """Hands as somebody says they were: by the tableau they must be possible."""
        player, banker = tuple(body["player"]), tuple(body["banker"])
        if winner(player, banker) != body["winner"]:
            self._breach(f"{body['coup_id']}: {body['winner']} has not won")
