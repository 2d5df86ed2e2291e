"""The draw order alone decides, and no card and no wager comes at the wrong time."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from services.contracts.round import (
    BettingClosed,
    CardDealt,
    CoupResulted,
    CoupStarted,
    NoBetCoupDeclared,
)
from services.contracts.round_hands import MisdealDetected
from services.contracts.shoe import CardDrawn, CardRevealed
from services.contracts.wager import BookClosed, WagerAccepted
from services.rules.cards import FULL_DECK
from tests.support.played import Played
from tests.support.wandering import wander

RULEBOOKS = ("live-studio", "super-six", "nsw-baccarat", "nsw-mini")
BANKER_DRAWS = {
    None: "DDDDDDSS",
    0: "DDDDSSSS",
    1: "DDDDSSSS",
    2: "DDDDDSSS",
    3: "DDDDDSSS",
    4: "DDDDDDSS",
    5: "DDDDDDSS",
    6: "DDDDDDDS",
    7: "DDDDDDDS",
    8: "DDDSSSSS",
    9: "DDDDSSSS",
}
"""By the value of Player's third card: what Banker does on 0 to 7 (Procedure 1, by columns)."""


def value(card: str) -> int:
    return {"A": 1, **dict.fromkeys("TJQK", 0)}.get(card[0]) or int(card[0].translate(_NO_TENS))


_NO_TENS = str.maketrans("TJQK", "0000")


def total(cards: list[str]) -> int:
    return sum(map(value, cards)) % 10


def hands_of(cards: list[str]) -> tuple[list[str], list[str], int]:
    """Both hands that a draw order makes, and how many of its cards they need."""
    player, banker = [cards[0], cards[2]], [cards[1], cards[3]]
    used, third = 4, None
    if max(total(player), total(banker)) >= 8:
        return player, banker, used
    start = total(banker)
    if total(player) <= 5:
        player.append(cards[used])
        third = value(cards[used])
        used += 1
    if BANKER_DRAWS[third][start] == "D":
        banker.append(cards[used])
        used += 1
    return player, banker, used


def table(rulebook: str, method: str) -> Played:
    if not rulebook.startswith("nsw"):
        return Played(rulebook)
    played = Played(rulebook, method=method, layout="C", seats=4)
    if method != "A":
        played.approved(method)
    return played.seated(p1=1, p2=2, p3=4)


def wandered(seed: int, rulebook: str, method: str, *, steps: int = 80) -> Played:
    chance = random.Random(seed)
    cards = [*FULL_DECK * 2]
    chance.shuffle(cards)
    return wander(table(rulebook, method), chance.randrange, steps, cards=cards)


def cards_by_coup(played: Played) -> dict[str, dict[int, str]]:
    """The cards of every coup by draw number, whenever they became known."""
    found: dict[str, dict[int, str]] = {}
    for each in played.story:
        event: Any = each.event
        if isinstance(event, CardDrawn | CardRevealed) and event.card is not None:
            found.setdefault(event.coup_id, {})[event.draw_number] = event.card
    return found


ANY = settings(max_examples=40, deadline=None, phases=(Phase.explicit, Phase.generate))
SEEDS = st.integers(0, 2**32)
TABLES = {"rulebook": st.sampled_from(RULEBOOKS), "method": st.sampled_from("AABCD")}


@ANY
@example(seed=2898762757, rulebook="nsw-mini", method="B")
@given(seed=SEEDS, **TABLES)
def test_the_draw_order_alone_fixes_hands_winner_and_what_is_needless(
    seed: int, rulebook: str, method: str
) -> None:
    """Invariant 2, A-02, A-53, F-84: recomputed from the draws, wherever the cards were laid."""
    played = wandered(seed, rulebook, method)
    known = cards_by_coup(played)
    needless = {
        number
        for one in played.events(MisdealDetected)
        if one.kind == "EXTRA_CARD"
        for number in one.draw_numbers
    }
    for result in played.events(CoupResulted):
        drawn = known[result.coup_id]
        # By draw number alone: a kept card of the last coup comes before one that was out too early.
        player, banker, used = hands_of([drawn[number] for number in sorted(drawn)])
        assert (result.player, result.banker) == (tuple(player), tuple(banker))
        left = sorted(drawn)[used:]
        assert set(left) <= needless, "a card that no hand needed was not told"
        points = (total(player), total(banker))
        assert (result.player_points, result.banker_points) == points
        wanted = "TIE" if points[0] == points[1] else ("PLAYER", "BANKER")[points[0] < points[1]]
        assert result.winner == wanted


@ANY
@given(seed=SEEDS, **TABLES)
def test_no_card_is_dealt_before_betting_and_book_are_closed(
    seed: int, rulebook: str, method: str
) -> None:
    """Invariant 3, A-24, A-25, B-08, F-82: a card that was out before is the one exception."""
    played = wandered(seed, rulebook, method)
    closed: set[str] = set()
    booked: set[str] = set()
    for each in played.story:
        event: Any = each.event
        if isinstance(event, BettingClosed | NoBetCoupDeclared):
            closed.add(event.coup_id)
        if isinstance(event, BookClosed | NoBetCoupDeclared):
            booked.add(event.coup_id)
        if isinstance(event, CardDrawn):
            assert event.before_close or event.coup_id in closed
        if isinstance(event, CoupStarted | CardDealt):
            assert event.coup_id in closed & booked
        if isinstance(event, WagerAccepted):
            assert event.coup_id not in closed | booked


@ANY
@given(seed=SEEDS, rulebook=st.sampled_from(("live-studio", "nsw-mini")))
def test_a_generated_shoe_gives_nothing_before_the_book_is_closed(seed: int, rulebook: str) -> None:
    """Invariant 3, D5: there no card comes out too early at all."""
    played = Played(rulebook).do("load_shoe", shoe="S1")
    choose = random.Random(seed).randrange
    booked: set[str] = set()
    for _ in range(30):
        action = ("open_betting", "no_more_bets", "draw", "draw", "deal", "announce")[choose(6)]
        played.do(action)
        for each in played.told:
            event: Any = each.event
            if isinstance(event, BookClosed | NoBetCoupDeclared):
                booked.add(event.coup_id)
            if isinstance(event, CardDrawn):
                assert event.coup_id in booked
                assert not event.before_close
