"""Cards are conserved at every event of a shoe, whatever happens at the table."""

from __future__ import annotations

import random

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from services.rules.cards import FULL_DECK
from tests.property.cards import Auditor
from tests.support.played import Played
from tests.support.wandering import wander

RULEBOOKS = ("live-studio", "super-six", "nsw-baccarat", "nsw-mini")


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
