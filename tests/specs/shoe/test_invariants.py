"""Cards are conserved at every event of a shoe, whatever happens at the table."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from services.contracts.core import Event
from services.contracts.shoe import (
    CardCarriedOver,
    CardDrawn,
    CardRevealed,
    CardsBurned,
    CardsDiscarded,
    ShoeInvalidated,
    ShoeLoaded,
    ShoeRetired,
)
from services.rules.cards import FULL_DECK
from tests.support.played import Played
from tests.support.wandering import wander

RULEBOOKS = ("live-studio", "super-six", "nsw-baccarat", "nsw-mini")
DECKS = 8


class Auditor:
    """Where every card is, by its draw number, as the events tell it."""

    def __init__(self) -> None:
        self.place: dict[int, str] = {}
        self.known: dict[int, str] = {}
        self.cards = 0

    def see(self, event: Event) -> None:
        look = _LOOK.get(type(event))
        if look is not None:
            look(self, event)
        assert len(self.place) <= self.cards
        assert sorted(self.place) == list(range(1, len(self.place) + 1))
        assert max(Counter(self.known.values()).values(), default=0) <= DECKS

    def count(self, place: str) -> int:
        return sum(where == place for where in self.place.values())

    def move(self, number: int, before: str | None, after: str) -> None:
        assert self.place.get(number) == before, (number, self.place.get(number), before)
        self.place[number] = after


def _loaded(auditor: Auditor, event: ShoeLoaded) -> None:
    auditor.__init__()  # type: ignore[misc]
    auditor.cards = event.cards


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


def _over(auditor: Auditor, event: ShoeRetired | ShoeInvalidated) -> None:
    out = 1 if isinstance(event, ShoeInvalidated) else 0
    assert event.burned == auditor.count("BURNED")
    assert event.dealt == len(auditor.place) - event.burned + out
    assert event.dealt + event.burned + event.left == auditor.cards


_LOOK: dict[type[Event], Any] = {
    ShoeLoaded: _loaded,
    CardDrawn: _drawn,
    CardRevealed: _revealed,
    CardCarriedOver: _kept,
    CardsBurned: _burned,
    CardsDiscarded: _discarded,
    ShoeRetired: _over,
    ShoeInvalidated: _over,
}


@settings(max_examples=40, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(
    seed=st.integers(0, 2**32), rulebook=st.sampled_from(RULEBOOKS), method=st.sampled_from("AABCD")
)
def test_every_card_is_in_one_place_at_every_event(seed: int, rulebook: str, method: str) -> None:
    """Invariant 1, A-01, A-71, F-04, F-20: undealt, burned, on the table or in the rack."""
    chance = random.Random(seed)
    cards = [*FULL_DECK * 2]
    chance.shuffle(cards)
    played = _table(rulebook, method)
    wander(played, chance.randrange, 80, cards=cards)
    auditor = Auditor()
    for each in played.story:
        if each.service == "shoe":
            auditor.see(each.event)
    shoe = played.cards.shoe
    if shoe is not None and not shoe.invalid:
        assert (shoe.drawn, shoe.burned) == (len(auditor.place), auditor.count("BURNED"))


def _table(rulebook: str, method: str) -> Played:
    if not rulebook.startswith("nsw"):
        return Played(rulebook)
    played = Played(rulebook, method=method, layout="C", seats=4)
    if method != "A":
        played.approved(method)
    return played.seated(p1=1, p2=2, p3=4)
