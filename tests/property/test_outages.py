"""Random tables with many coups of outages: each ends as it was entered, or a person decides."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from services.contracts.core import Actor
from services.contracts.round import CoupBackfilled, CoupResulted
from services.contracts.round_hands import CoupHeld
from services.contracts.shoe import CardCarriedOver
from services.round import commands as table
from services.round.domain import backfilling, following
from services.round.domain.coup import is_complete
from services.round.domain.ending import result
from services.rules.cards import FULL_DECK
from services.shoe import commands as cards
from tests.property import cards as of_cards
from tests.property import hands, records
from tests.property.commands import DEALER, GAME
from tests.property.wanderer import Wanderer

RULEBOOKS = ("nsw-mini", "super-six", "live-studio")
"""One of each kind, by what they do with a card that no hand needs."""

TABLES, STEPS = 40, 30


class Outages(Wanderer):
    """A table whose cards are read as they come, and where play is interrupted all the time."""

    def _opening(self) -> dict[str, Any]:
        plain = {"method": "A", "seats": 3} if self.seated else {}
        return {**super()._opening(), **plain, "auto_burn": True, "currencies": {}}

    def cards_of_a_coup(self) -> list[str]:
        """Cards that a deal takes, mostly behind those that are kept."""
        order = [str(self.pick(FULL_DECK)) for _ in range(6)]
        view = self.round.shoe
        if view is not None and self.odds(4, 5):
            for place, kept in enumerate(view.kept[:6]):
                order[place] = kept.card or order[place]
        return order[: hands.hands_of(order)[2]]


def _shoe(w: Outages) -> None:
    shoe = w.cards.shoe
    if shoe is None or shoe.ended:
        w.do("load_shoe", shoe=f"S{w.steps}", cards=[], partial=True)
    elif shoe.owed:
        burn = {"reason": shoe.owed[0], "first_card": "AC" if shoe.drawn == 0 else None}
        w.send("shoe", cards.BurnCards, DEALER, **burn)


def _dealt(w: Outages) -> None:
    """A coup of the platform's own, often with a card too many: read or not, seen or not."""
    w.do("open_betting", no_bet=w.odds(1, 3))
    w.do("no_more_bets")
    came = w.cards_of_a_coup()
    kept = len(w.cards.shoe.carried) if w.cards.shoe else 0
    for card in came[kept:]:
        w.send("shoe", cards.DrawCard, DEALER, card=card)
    if w.odds(2, 3):
        face = w.pick(("UP", "DOWN", "DOWN"))
        unread = face == "DOWN" and w.odds(1, 2)
        read = {"unread": True} if unread else {"card": w.pick(FULL_DECK)}
        w.send("shoe", cards.DrawCard, DEALER, face=face, **read)
    w.do("announce")


def _entered(w: Outages) -> None:
    came = w.cards_of_a_coup()
    player, banker, _ = hands.hands_of(came)
    told = {"winner": hands.winner_of(tuple(player), tuple(banker)), "cards": tuple(came)}
    beside = {"reason": "no power", "video": "v1", "second": Actor("gs2", "GAME_SUPERVISOR")}
    when = {"coup": w.round.coups + 1, "dealt_at_us": w.played.at_us}
    w.send("round", table.BackfillCoup, GAME, **told, **when, **beside)


def _stray(w: Outages) -> None:
    w.send("shoe", cards.DrawCard, DEALER, card=w.pick(FULL_DECK))


MOVES: tuple[Callable[[Outages], None], ...] = (_shoe, _shoe, _dealt, _entered, _entered, _stray)


def outages(rulebook: str, seed: int) -> Outages:
    """A table with so many moves behind it, and with all that was under way arrived."""
    w = Outages(Random(f"outage/{rulebook}/{seed}").randrange, rulebook)
    for _ in range(STEPS):
        w.steps += 1
        _shoe(w)
        w.pick(MOVES)(w)
    w.rest()
    return w


def check(w: Outages) -> None:
    of_cards.entered_coups_end_as_they_were_entered(w)
    of_cards.every_card_is_in_one_place(w)
    of_cards.the_draw_order_decides(w)
    records.every_state_is_the_fold_of_its_log(w)
    records.no_undealt_card_is_told(w)


@pytest.mark.slow
def test_coups_of_outages_end_as_they_were_entered() -> None:
    """Procedure 1: whatever is kept, seen, reported in between or heard late."""
    entered = resulted = kept = held = 0
    for seed in range(TABLES):
        for rulebook in RULEBOOKS:
            w = outages(rulebook, seed)
            check(w)
            told = {event.coup_id for event in w.events(CoupBackfilled)}
            entered += len(told)
            resulted += sum(event.coup_id in told for event in w.events(CoupResulted))
            held += sum(event.coup_id in told for event in w.events(CoupHeld))
            kept += sum(event.to == "NEXT_COUP" for event in w.events(CardCarriedOver))
    reached = {"entered": entered, "resulted": resulted, "kept": kept, "held": held}
    assert min(entered, resulted, kept) > 50, reached
    assert held > 3, reached


def test_a_card_behind_an_early_one_goes_to_the_rack() -> None:
    """A-25: the early one is burned; the one that came behind it, before the news, is discarded."""
    of_cards.every_card_is_in_one_place(outages("super-six", 109))


def test_without_the_look_at_kept_cards_they_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The invariant can fail."""
    monkeypatch.setattr(backfilling, "_check_kept", lambda *_: None)
    monkeypatch.setattr(
        following, "as_entered", lambda s, coup, _: result(s, coup) if is_complete(coup) else ()
    )
    tables = [outages("nsw-mini", seed) for seed in range(5)]
    with pytest.raises(AssertionError):
        deque(map(of_cards.entered_coups_end_as_they_were_entered, tables))
