"""Cards after a coup and after a shoe: picked up, touched, inspected."""

from __future__ import annotations

import pytest

from services.contracts.round import IncidentRecorded, TableClosed
from services.contracts.shoe import CardsCollected, CardsRetired, ShoeAssembled
from services.round.commands import CloseTable
from services.shoe.commands import AssembleShoe, CollectCards, EndShoe, InspectCards
from tests.support.played import NATURAL_NINE, SEVEN_ALL, SIX_SEVEN, Played, person

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
DECKS = ("k1", "k2", "k3")


def picked_up(played: Played, direction: str) -> Played:
    command = CollectCards(at_us=played.at_us, by=person("DEALER"), direction=direction)
    return played.send("shoe", command)


def dealt_by(played: Played, dealer: str, action: str = "assign_dealer") -> Played:
    return played.do(action, dealer=dealer)


def test_a_dealer_who_turns_his_direction_makes_an_incident_and_play_goes_on() -> None:
    """A-70: the first pick-up of the shift fixes it; another dealer has a direction of his own."""
    cards = f"{ASIDE} {SIX_SEVEN} {NATURAL_NINE} {SEVEN_ALL} {SIX_SEVEN}"
    played = dealt_by(Played("live-studio").shoe(cards), "d1").coup()
    assert not picked_up(played, "LEFT_TO_RIGHT").now(IncidentRecorded)
    assert played.now(CardsCollected)[0].direction == "LEFT_TO_RIGHT"
    played.coup()
    [turned] = picked_up(played, "RIGHT_TO_LEFT").now(IncidentRecorded)
    assert (turned.code, turned.clauses) == ("PICKUP_DIRECTION", ("000:3.7.1", "000:3.7.2"))
    assert played.now(CardsCollected)[0].direction == "RIGHT_TO_LEFT"
    dealt_by(played, "d2", "change_dealer").coup()
    assert played.line("coup")["status"] == "settled"
    assert not picked_up(played, "RIGHT_TO_LEFT").now(IncidentRecorded)


def with_decks(method: str = "A", cards: str = f"{BURN} {SIX_SEVEN}") -> Played:
    """A table whose decks are known by name."""
    played = Played(decks=3, method=method, layout="C")
    if method != "A":
        played.approved(method)
    laid = AssembleShoe(at_us=played.at_us, by=person("DEALER"), deck_ids=DECKS, back_colour="red")
    assert played.send("shoe", laid).now(ShoeAssembled)
    return played.shoe(cards)


def ended(played: Played) -> Played:
    """The shoe is over by the house's word."""
    return played.send("shoe", EndShoe(at_us=played.at_us, by=person("CASINO_SUPERVISOR")))


def again(played: Played, *decks: str) -> str | None:
    """The same decks are laid out once more."""
    laid = AssembleShoe(at_us=played.at_us, by=person("DEALER"), deck_ids=decks, back_colour="red")
    return played.send("shoe", laid).reason


def next_shoe(played: Played) -> Played:
    return played.shoe(f"{BURN} {SIX_SEVEN}")


@pytest.mark.parametrize("method", ["B", "C", "D"])
def test_decks_that_players_had_in_their_hands_never_load_again(method: str) -> None:
    """F-32: where players hold cards or shoe no incident is needed, and all decks of it go."""
    played = next_shoe(with_decks(method).coup())
    [retired] = played.now(CardsRetired)
    assert (retired.reason, retired.deck_ids) == ("HANDLED", DECKS)
    for deck in DECKS:
        assert again(played, deck, "n2", "n3") == "NOT_PERMITTED"
    assert again(played, "n1", "n2", "n3") is None


def test_under_method_a_a_players_touch_retires_the_decks_and_nothing_else_does() -> None:
    """F-32: untouched the decks come back; after the incident they do not."""
    untouched = next_shoe(with_decks().coup())
    assert not untouched.events(CardsRetired)
    assert again(untouched, *DECKS) is None
    touched = with_decks().coup().do("incident", code="CARD_HANDLED", note="a player touched one")
    assert next_shoe(touched).now(CardsRetired)[0].deck_ids == DECKS
    assert again(touched, *DECKS) == "NOT_PERMITTED"


def closing(played: Played, exemption: str = "", role: str = "DEALER") -> Played:
    command = CloseTable(at_us=played.at_us, by=person(role), exemption=exemption)
    return played.send("round", command)


def test_a_streamed_table_closes_after_an_inspection_or_a_supervisors_reason() -> None:
    """A-17: the cards are looked at after play, too; the reason to go without stays in the log."""
    played = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").coup()
    assert closing(played).reason == "STATE"
    assert closing(played, "the cameras are out").reason == "ROLE"
    exempted = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}").coup()
    [closed] = closing(exempted, "the cameras are out", "GAME_SUPERVISOR").now(TableClosed)
    assert closed.exemption == "the cameras are out"
    look = InspectCards(
        at_us=played.at_us, by=person("DEALER", "d1"), witness="gs1", video="cam-1", stage="POST"
    )
    assert closing(played.send("shoe", look)).now(TableClosed)[0].exemption == ""
    assert closing(Played()).reason is None
