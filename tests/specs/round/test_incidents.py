"""What is written down, by whom and about whom."""

from __future__ import annotations

import pytest

from services.contracts.round import IncidentRecorded
from services.contracts.shoe import CardsRetired
from services.round.commands import AssignSupervisor, RecordIncident
from services.round.domain.incidents import RULES
from services.shoe.commands import CollectCards
from tests.support.played import GAME_SUPERVISOR, NATURAL_NINE, SIX_SEVEN, Played, person

BURN = "AC 9D"
ASIDE = "9S 9H 9D 9C KS KH"
CODES = (
    "CARD_HANDLED",
    "CARDS_OUT_OF_VIEW",
    "PROHIBITED_DEVICE",
    "DETENTION",
    "ADVICE",
    "INFLUENCE",
)


@pytest.mark.parametrize("code", CODES)
def test_what_can_only_be_written_down_is_and_changes_nothing(code: str) -> None:
    """A-74, F-30, F-100, F-112, F-113, F-120, F-165, F-170, F-174, F-175: found again with its note."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets").do("draw")
    before = played.round.coup
    played.do("incident", code=code, note="seat 4")
    [told] = played.now(IncidentRecorded)
    assert (told.code, told.note, told.coup) == (code, "seat 4", 1)
    assert told.clauses
    assert played.line("incident")["clause"] == list(told.clauses)
    assert played.round.coup == before
    assert played.do("deal").line("coup")["status"] == "settled"


def test_every_code_of_the_catalogue_can_be_recorded_and_no_other() -> None:
    """Section 12: fifteen codes; between coups without a coup's number."""
    assert len(RULES) == 15
    played = Played()
    for code in RULES:
        assert played.do("incident", code=code, note="n").now(IncidentRecorded)[0].coup is None
    assert played.do("incident", code="BOREDOM", note="n").reason == "UNKNOWN"


def test_players_record_nothing_and_inspectors_may() -> None:
    """A-74: an incident is staff's word, or the inspector's."""
    played = Played()
    player = {"id": "p1", "role": "player"}
    assert played.do("incident", code="ADVICE", note="n", by=player).reason == "ROLE"
    inspector = {"id": "in1", "role": "inspector"}
    assert played.do("incident", code="ADVICE", note="n", by=inspector).reason is None


def test_staff_on_duty_may_use_what_players_may_not() -> None:
    """F-165, F-166: such a record cannot name an actor on duty here."""
    played = Played().do("assign_dealer", dealer="d1")
    watch = AssignSupervisor(at_us=played.at_us, by=person("GAME_SUPERVISOR"), supervisor="gs1")
    played.send("round", watch)

    def about(who: str, code: str = "PROHIBITED_DEVICE") -> str | None:
        command = RecordIncident(
            at_us=played.at_us, by=person("CASINO_SUPERVISOR"), code=code, person=who
        )
        return played.send("round", command).reason

    assert about("d1") == "NOT_PERMITTED"
    assert about("gs1") == "NOT_PERMITTED"
    assert about("d1", "ADVICE") is None
    assert about("p1") is None
    assert played.now(IncidentRecorded)[0].person == "p1"


def test_each_dealer_picks_up_in_one_direction() -> None:
    """A-70: fixed by the first pick-up; another one is an incident, and play goes on."""
    played = Played("live-studio").do("assign_dealer", dealer="d1")
    played.shoe(f"{ASIDE} {SIX_SEVEN} {NATURAL_NINE} 2D {SIX_SEVEN}")

    def pick(direction: str) -> list[str]:
        played.coup()
        command = CollectCards(at_us=played.at_us, by=person("DEALER"), direction=direction)
        return [one.code for one in played.send("shoe", command).now(IncidentRecorded)]

    assert pick("LEFT_TO_RIGHT") == []
    assert pick("RIGHT_TO_LEFT") == ["PICKUP_DIRECTION"]
    played.do("change_dealer", dealer="d2")
    assert pick("RIGHT_TO_LEFT") == []


@pytest.mark.parametrize(
    ("method", "touched", "retired"),
    [("A", False, False), ("A", True, True), ("B", False, True), ("C", False, True)],
)
def test_cards_that_players_touched_never_come_back(
    method: str, touched: bool, retired: bool
) -> None:
    """F-32: in B, C and D always; under A where the incident says so; not at streamed tables."""
    played = Played(method=method, layout="C")
    if method != "A":
        played.approved(method)
    played.shoe(f"{BURN} {SIX_SEVEN}").betting()
    if touched:
        played.do("incident", code="CARD_HANDLED", note="seat 2")
    played.do("no_more_bets").do("deal").shoe(f"{BURN} {NATURAL_NINE}")
    assert bool(played.now(CardsRetired)) is retired
    streamed = Played("live-studio").shoe(f"{ASIDE} {SIX_SEVEN}")
    streamed.do("incident", code="CARD_HANDLED", note="x", by=GAME_SUPERVISOR).shoe(ASIDE)
    assert not streamed.events(CardsRetired)
