"""Refusals on the way of the cards that nothing else reaches."""

from __future__ import annotations

import pytest

from services.contracts.core import Command
from services.contracts.shoe import CardsCollected
from services.shoe import domain as shoe
from services.shoe.commands import (
    CollectCards,
    DeclineCut,
    InspectCards,
    LoadShoe,
    OfferCut,
    RemoveCards,
    SealPack,
    ShuffleCards,
)
from tests.support.played import NATURAL_NINE, SIX_SEVEN, Played
from tests.support.spec import AT_US, Spec, person, spec
from tests.support.tables import opened

DEALER = person("DEALER", "d1")
BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"


def table(rulebook: str = "nsw-mini", mode: str = "LIVE") -> Spec:
    return spec(shoe).given(opened(rulebook, mode=mode))


def by_dealer(command: type[Command], **fields: object) -> Command:
    return command(at_us=AT_US, by=DEALER, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["PRESET", "GENERATED"])
@pytest.mark.parametrize("rulebook", ["live-studio", "super-six", "nsw-baccarat", "nsw-mini"])
def test_a_live_table_takes_neither_an_order_from_outside_nor_a_generated_shoe(
    rulebook: str, source: str
) -> None:
    """A-04, A-72, F-19: at a live table cards come from a shoe or device that stands there."""
    load = by_dealer(LoadShoe, shoe_id="S1", source=source)
    table(rulebook).when(load).then_raises("NOT_PERMITTED")


def test_packs_are_sealed_only_where_the_rulebook_takes_them() -> None:
    """F-28: a streamed table knows no pack under a seal; a seal has a number and a place."""
    seal = by_dealer(SealPack, seal_id="s1", place="safe 2")
    table("live-studio").when(seal).then_raises("NOT_PERMITTED")
    for missing in ({"seal_id": "", "place": "safe 2"}, {"seal_id": "s1", "place": ""}):
        table().when(by_dealer(SealPack, **missing)).then_raises("STATE")


def test_no_machine_shuffles_at_a_streamed_table_and_no_stage_is_invented() -> None:
    """A-17, A-39: procedure and stage of the records are the rulebook's."""
    streamed = table("live-studio")
    streamed.when(by_dealer(ShuffleCards, procedure="DEVICE")).then_raises("NOT_PERMITTED")
    later = by_dealer(InspectCards, witness="gs1", video="cam-1", stage="LATER")
    streamed.when(later).then_raises("STATE")


def test_nothing_is_cut_before_it_is_shuffled_nor_refused_before_it_is_offered() -> None:
    """D-01, D-04, D-07, F-45: shuffle, offer, refusal, in that order."""
    now = table()
    now.when(by_dealer(OfferCut, seat=5)).then_raises("STATE")
    seated = Played().seated(p5=5, p2=2).do("shuffle", procedure="manual")
    assert seated.do("decline_cut", seat=5).reason == "STATE"
    seated.do("offer_cut", seat=5)
    other = DeclineCut(at_us=seated.at_us, by=person("PLAYER", "p2"), seat=2)
    assert seated.send("shoe", other).reason == "STATE"
    assert seated.do("decline_cut", seat=5).reason is None


def test_a_shoe_is_not_loaded_while_a_riffle_is_owed() -> None:
    """D-03, F-43: once asked for, the riffle comes before everything else."""
    played = Played().do("shuffle", procedure="pre_shuffled").do("request_riffle", player="p1")
    assert played.shoe(f"{BURN} {SIX_SEVEN}").reason == "STATE"
    played.do("shuffle", procedure="riffle")
    assert played.shoe(f"{BURN} {SIX_SEVEN}").reason is None


def test_only_the_cards_of_the_coup_are_picked_up() -> None:
    """A-69: every card of it, none twice, none of another coup; in whatever order."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN} {NATURAL_NINE}").coup()
    at_us = played.at_us

    def pick(*numbers: int) -> str | None:
        command = CollectCards(
            at_us=at_us, by=DEALER, direction="LEFT_TO_RIGHT", draw_numbers=numbers
        )
        return played.send("shoe", command).reason

    for wrong in ((7, 8, 9), (7, 8, 9, 11), (7, 7, 8, 9), (6, 7, 8, 9, 10)):
        assert pick(*wrong) == "STATE"
    assert pick(10, 8, 9, 7) is None
    assert played.now(CardsCollected)[0].draw_numbers == (10, 8, 9, 7)


def test_no_card_leaves_the_table_while_its_shoe_is_in_use() -> None:
    """A-38, A-72: cards go out between shoes only."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}")
    out = RemoveCards(at_us=played.at_us, by=DEALER, deck_ids=("k1",))
    assert played.send("shoe", out).reason == "STATE"


def test_a_shoe_is_changed_between_coups_only() -> None:
    """A-41: neither while wagers are taken nor while a coup is dealt."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN} {NATURAL_NINE}").betting()
    assert played.shoe(f"{BURN} {SIX_SEVEN}").reason == "STATE"
    played.do("no_more_bets").draws(2)
    assert played.shoe(f"{BURN} {SIX_SEVEN}").reason == "STATE"
    played.do("deal")
    assert played.shoe(f"{BURN} {SIX_SEVEN}").reason is None


def test_without_a_window_nothing_is_closed() -> None:
    """F-143, F-161: a window that is not open cannot be closed."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "tie")
    assert played.do("no_more_bets").do("close_withdrawals").reason == "STATE"
