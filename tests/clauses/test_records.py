"""What a person does or says is kept: by whom, about whom, and with its clauses."""

from __future__ import annotations

from typing import Any

import pytest

from services.contracts.core import Heard
from services.contracts.round import CoupResulted, IncidentRecorded, PointsAnnounced, TableOpened
from services.contracts.shoe import CardRevealed
from services.round.commands import AssignDealer, AssignSupervisor, RecordIncident, ShowHand
from services.rules.roles import INSPECTOR, ROLES, may_act_as
from services.tablelog.inprocess import InProcessTable
from tests.property.rough import ALL_EVENTS
from tests.support.played import SIX_SEVEN, Played, person

BURN = "AC 9D"


def record(played: Played, code: str, *, about: str | None = None, role: str = "DEALER") -> Played:
    command = RecordIncident(
        at_us=played.at_us, by=person(role), code=code, note="as told", person=about
    )
    return played.send("round", command)


@pytest.mark.parametrize(
    ("code", "clause"),
    [
        ("ADVICE", "004:14.6"),
        ("CARD_HANDLED", "004:3.7"),
        ("CARDS_OUT_OF_VIEW", "004:8.12"),
        ("DETENTION", "004:14.3.4"),
        ("INFLUENCE", "004:14.7"),
    ],
)
def test_an_incident_is_kept_with_its_words_and_clause_and_changes_nothing(
    code: str, clause: str
) -> None:
    """F-30, F-100, F-113, F-120, F-170, F-174, F-175: written down in the coup that it was in."""
    played = Played().shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "banker")
    played.do("no_more_bets")
    [kept] = record(played, code, about="p9").now(IncidentRecorded)
    assert (kept.code, kept.note, kept.person, kept.coup) == (code, "as told", "p9", 1)
    assert clause in kept.clauses
    assert played.do("deal").line("coup")["winner"] == "banker"
    assert record(played, code, role="PLAYER").reason == "ROLE"
    assert record(played, "NO_SUCH_CODE").reason == "UNKNOWN"


def test_a_streamed_table_has_an_incident_for_advice_of_its_own_text() -> None:
    """A-74: the code is there, and the clause is that of the table's text."""
    [kept] = record(Played("live-studio"), "ADVICE").now(IncidentRecorded)
    assert kept.clauses == ("000:4.3",)


def test_no_record_of_a_device_names_somebody_on_duty() -> None:
    """F-166: dealer and supervisor of the table are exempt, a player is not, nor who went home."""
    played = Played()
    dealer = AssignDealer(at_us=played.at_us, by=person("DEALER"), dealer="d7")
    chief = AssignSupervisor(at_us=played.at_us, by=person("GAME_SUPERVISOR"), supervisor="gs7")
    played.send("round", dealer).send("round", chief)
    for on_duty in ("d7", "gs7"):
        assert record(played, "PROHIBITED_DEVICE", about=on_duty).reason == "NOT_PERMITTED"
        assert record(played, "ADVICE", about=on_duty).reason is None
    assert record(played, "PROHIBITED_DEVICE", about="p1").reason is None
    played.do("change_dealer", dealer="d8")
    assert record(played, "PROHIBITED_DEVICE", about="d7").reason is None
    assert record(played, "PROHIBITED_DEVICE", about="d8").reason == "NOT_PERMITTED"


@pytest.mark.parametrize("method", ["C", "D"])
def test_who_has_the_shoe_may_show_the_hand_he_acts_for(method: str) -> None:
    """F-113, F-120: the log says from which seat the cards were turned, and who else may not."""
    played = Played(method=method, layout="C").approved(method).seated(p1=2, p2=5)
    played.shoe(f"{BURN} {SIX_SEVEN}").betting().wager("w1", "p1", "banker")
    played.do("no_more_bets").do("close_book").do("offer_shoe", seat=2)
    played.do("accept_shoe", seat=2, hand="banker").draws(3)

    def show(seat: int, hand: str) -> str | None:
        command = ShowHand(at_us=played.at_us, by=person("PLAYER", "p1"), hand=hand, seat=seat)
        return played.send("round", command).reason

    assert show(5, "BANKER") == "STATE"
    assert show(2, "PLAYER") == "STATE"
    assert show(2, "BANKER") is None
    assert [(one.card, one.seat) for one in played.now(CardRevealed)] == [("7H", 2)]


@pytest.mark.parametrize(
    ("rulebook", "jurisdiction"), [("nsw-mini", "AU-NSW"), ("nsw-baccarat", "AU-NSW")]
)
def test_the_table_says_whose_law_it_plays_under(rulebook: str, jurisdiction: str) -> None:
    """F-02: the rulebook that every service takes up names it; nobody stands in for an inspector."""
    opened = Played(rulebook).events(TableOpened)[0]
    assert opened.settings.rulebook["jurisdiction"] == jurisdiction
    assert [role for role in ROLES if may_act_as(role, INSPECTOR)] == [INSPECTOR]


class _Watched(InProcessTable):
    """A table that keeps every event with its envelope."""

    sends = ALL_EVENTS

    def __init__(self) -> None:
        super().__init__("T1")
        self.heard: list[Heard] = []

    def _spread(self, sent: Heard, told: Any) -> Any:
        self.heard.append(sent)
        return super()._spread(sent, told)


def test_who_announced_the_result_stands_in_its_envelope() -> None:
    """A-66, F-90, F-134: counts and winner are one person's words, and the log says whose."""
    played = Played()
    watched = _Watched()
    watched.states = played.table.states
    played.table = watched
    played.shoe(f"{BURN} {SIX_SEVEN}").betting().do("no_more_bets").draws(4)
    played.do("announce", winner="banker", by={"id": "d7", "role": "dealer"})
    told = [one for one in watched.heard if type(one.event) in (PointsAnnounced, CoupResulted)]
    final = [one for one in told if getattr(one.event, "final", True)]
    assert [type(one.event).__name__ for one in final] == ["PointsAnnounced"] * 2 + ["CoupResulted"]
    assert {(one.meta.actor.id, one.meta.actor.role) for one in final} == {("d7", "DEALER")}
    assert len({one.meta.occurred_at_us for one in final}) == 1
