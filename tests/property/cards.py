"""Invariants 1 and 2: where every card is, and what the draw order makes of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from services.contracts.core import Event, Heard
from services.contracts.round import CoupBackfilled, CoupResulted, ResultCorrected
from services.contracts.round_hands import CoupHeld, MisdealDetected
from services.contracts.shoe import (
    CardCarriedOver,
    CardDrawn,
    CardRevealed,
    CardsBurned,
    CardsDiscarded,
    DiscardsReturned,
    ShoeIntegrityBreached,
    ShoeInvalidated,
    ShoeLoaded,
    ShoeRetired,
)
from tests.property import hands
from tests.property.wanderer import Wanderer

NOT_THERE = ("KS", "KS")
"""What a hand gets that wants more cards than came out: its result then cannot be the told one."""

CARRIED_TO = {"live": ("ERROR_BURN", "ERROR_BURN"), "supe": ("NEXT_BURN", "NEXT_COUP")}
"""Where the first and every further extra card goes (Procedure 6), by kind of rulebook."""


class Auditor:
    """Where every card of a shoe is, by its draw number, as the events tell it."""

    def __init__(self, loaded: ShoeLoaded | None = None) -> None:
        self.place: dict[int, str] = {}
        self.known: dict[int, str] = {}
        self.cards = loaded.cards if loaded else 0
        self.decks = loaded.decks if loaded else 0
        self.device = bool(loaded and loaded.device)
        self.backs = 0

    def see(self, event: Event) -> None:
        look = _LOOK.get(type(event))
        if look is not None:
            look(self, event)
        assert len(self.place) - self.backs <= self.cards, "more cards than the shoe held"
        assert sorted(self.place) == list(range(1, len(self.place) + 1))
        if not self.device:  # a device has its cards back, and may give them again
            copies = Counter(self.known.values())
            assert max(copies.values(), default=0) <= self.decks, copies.most_common(1)

    def count(self, place: str) -> int:
        return sum(where == place for where in self.place.values())

    def move(self, number: int, before: str | None, after: str) -> None:
        assert self.place.get(number) == before, (number, self.place.get(number), before)
        self.place[number] = after


def _drawn(auditor: Auditor, event: CardDrawn) -> None:
    if event.carried:
        auditor.move(event.draw_number, "KEPT", "TABLE")
    else:
        assert event.draw_number == len(auditor.place) + 1
        auditor.move(event.draw_number, None, "TABLE")
    if event.card is not None:
        auditor.known[event.draw_number] = event.card


def _revealed(auditor: Auditor, event: CardRevealed) -> None:
    assert auditor.place[event.draw_number] == "TABLE"
    auditor.known[event.draw_number] = event.card


def _kept(auditor: Auditor, event: CardCarriedOver) -> None:
    auditor.move(event.draw_number, "TABLE", "KEPT")


def _burned(auditor: Auditor, event: CardsBurned) -> None:
    aside = "TABLE" if event.reason == "CARD_BEFORE_CLOSE" else "KEPT"
    lying = [number for number, where in sorted(auditor.place.items()) if where == aside]
    for number in lying[: event.set_aside]:
        auditor.move(number, aside, "BURNED")
    for _ in range(event.count - event.set_aside):
        auditor.move(len(auditor.place) + 1, None, "BURNED")


def _discarded(auditor: Auditor, event: CardsDiscarded) -> None:
    assert event.count == auditor.count("TABLE")
    for number, where in auditor.place.items():
        if where == "TABLE":
            auditor.place[number] = "RACK"


def _returned(auditor: Auditor, event: DiscardsReturned) -> None:
    assert event.count == auditor.count("RACK") + auditor.count("BURNED") - auditor.backs
    auditor.backs += event.count


def _over(auditor: Auditor, event: ShoeRetired | ShoeInvalidated) -> None:
    out = 1 if isinstance(event, ShoeInvalidated) else 0
    assert event.burned == auditor.count("BURNED")
    assert event.dealt == len(auditor.place) - event.burned + out
    assert event.dealt + event.burned + event.left == auditor.cards + auditor.backs


def _breached(auditor: Auditor, event: ShoeIntegrityBreached) -> None:
    """The card too many has left the shoe, and belongs to no coup."""
    if event.draw_number > len(auditor.place):
        auditor.move(event.draw_number, None, "OUT")


_LOOK: dict[type[Event], Any] = {
    ShoeIntegrityBreached: _breached,
    ShoeLoaded: lambda auditor, event: auditor.__init__(event),
    CardDrawn: _drawn,
    CardRevealed: _revealed,
    CardCarriedOver: _kept,
    CardsBurned: _burned,
    CardsDiscarded: _discarded,
    DiscardsReturned: _returned,
    ShoeRetired: _over,
    ShoeInvalidated: _over,
}


def every_card_is_in_one_place(w: Wanderer) -> None:
    """Invariant 1: undealt, burned, on the table, kept or in the rack, at every event."""
    auditor = Auditor()
    for service, event in ((sent.service, sent.event) for sent in w.sent):
        if service == "shoe":
            auditor.see(event)
    shoe = w.cards.shoe
    if shoe is not None and not shoe.invalid:
        assert (shoe.drawn, shoe.burned) == (len(auditor.place), auditor.count("BURNED"))


def the_draw_order_decides(w: Wanderer) -> None:
    """Invariant 2: hands, third cards, winner; a card that no hand needs is told as such."""
    drawn: dict[str, dict[int, str]] = {}
    needless = _behind_the_end(w)
    for event in w.events(CardDrawn, CardRevealed, CardCarriedOver, MisdealDetected):
        if isinstance(event, MisdealDetected | CardCarriedOver):
            needless |= _needless(event)
        elif event.card is not None:
            drawn.setdefault(event.coup_id, {})[event.draw_number] = event.card
    for result in w.events(CoupResulted):
        known = drawn[result.coup_id]
        # By number alone: a kept card of the last coup comes before one that was out too early.
        numbers = sorted(known)
        order = [known[number] for number in numbers]
        player, banker, used = hands.hands_of([*order, *NOT_THERE])
        assert (result.player, result.banker) == (tuple(player), tuple(banker)), result
        left = {(result.coup_id, number) for number in numbers[used:]}
        assert left <= needless, "a card that no hand needed was not told"
    for result in w.events(CoupResulted, ResultCorrected):
        _fits_itself(result)


def entered_coups_end_as_they_were_entered(w: Wanderer) -> None:
    """A coup of an outage has the cards and the winner that persons told, or a person decides."""
    told: dict[str, CoupBackfilled] = {}
    held: set[str] = set()
    for event in w.events(CoupBackfilled, CoupHeld, CoupResulted):
        if isinstance(event, CoupBackfilled):
            told[event.coup_id] = event
        elif isinstance(event, CoupHeld):
            held.add(event.coup_id)
        elif (entered := told.get(event.coup_id)) is not None and event.coup_id not in held:
            player, banker, used = hands.hands_of([*entered.cards, *NOT_THERE])
            assert used == len(entered.cards)
            assert (event.player, event.banker) == (tuple(player), tuple(banker)), entered
            assert event.winner == entered.winner
    coup = w.round.coup
    if coup is not None and coup.backfilled:
        assert coup.hold is not None, "a coup that was entered waits for nobody"


def _needless(event: MisdealDetected | CardCarriedOver) -> set[tuple[str, int]]:
    """Cards that no hand needed: told by round, or kept by shoe where it came after the result."""
    if isinstance(event, CardCarriedOver):
        return {(event.coup_id, event.draw_number)}
    numbers = event.draw_numbers if event.kind == "EXTRA_CARD" else ()
    return {(event.coup_id, number) for number in numbers}


def _behind_the_end(w: Wanderer) -> set[tuple[str, int]]:
    """Cards that round heard of behind its result, when the shoe was over before it heard the result.

    Round told nothing of them, and an ended shoe keeps nothing: they go to the rack with the coup's.
    """
    shoe_of: dict[str, str] = {}
    ended: set[str] = set()
    nothing_kept: set[str] = set()
    for event in map(_content, w.table.streams["shoe"]):
        if isinstance(event, CardDrawn):
            shoe_of[event.coup_id] = event.shoe_id
        elif isinstance(event, ShoeRetired | ShoeInvalidated):
            ended.add(event.shoe_id)
        elif isinstance(event, CoupResulted) and shoe_of[event.coup_id] in ended:
            nothing_kept.add(event.coup_id)
    resulted: set[str] = set()
    behind: set[tuple[str, int]] = set()
    for event in map(_content, w.table.streams["round"]):
        if isinstance(event, CoupResulted):
            resulted.add(event.coup_id)
        elif isinstance(event, CardDrawn) and event.coup_id in resulted & nothing_kept:
            behind.add((event.coup_id, event.draw_number))
    return behind


def _content(entry: Event | Heard) -> Event:
    return entry.event if isinstance(entry, Heard) else entry


def _fits_itself(result: Any) -> None:
    """The result says what its own cards say."""
    order = [result.player[0], result.banker[0], result.player[1], result.banker[1]]
    order += [*result.player[2:], *result.banker[2:]]
    player, banker, used = hands.hands_of([*order, *NOT_THERE])
    assert (tuple(player), tuple(banker), used) == (result.player, result.banker, len(order))
    assert (result.player_points, result.banker_points) == (
        hands.total(player),
        hands.total(banker),
    )
    assert result.winner == hands.winner_of(result.player, result.banker)
    first = max(hands.total(player[:2]), hands.total(banker[:2]))
    assert result.natural is (first >= hands.NATURAL)
    for each in result.decisions:
        assert each.draw is (len(result.player if each.hand == "PLAYER" else result.banker) > 2)


def burns_are_the_rulebooks(w: Wanderer) -> None:
    """Procedure 2: how many cards go with the first of a shoe, between coups and after an error."""
    for event in w.events(CardsBurned):
        if event.reason == "NEW_SHOE" and (event.first_card or w.rulebook.startswith("live")):
            assert event.count == hands.burned_for(w.rulebook, event.first_card or "KS")
        if event.reason == "GAME_ERROR":
            assert w.rulebook.startswith("live")
            assert event.count == max(3, event.set_aside)
        if event.reason in ("BETWEEN_COUPS", "DEALER_CHANGE"):
            assert event.count == 1


def extra_cards_go_where_they_belong(w: Wanderer) -> None:
    """Procedure 6: set aside for a burn, the burn before the next coup, or the next coup's first."""
    first, further = CARRIED_TO.get(w.rulebook[:4], ("NEXT_COUP", "NEXT_COUP"))
    kept: Counter[str] = Counter()
    for event in w.events(CardCarriedOver):
        assert event.to == (further if kept[event.coup_id] else first), event
        kept[event.coup_id] += 1
