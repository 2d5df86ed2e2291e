"""Who has a live table: its words come from the dealer and the supervisor who are assigned."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from services.contracts.core import Command, NotYet
from services.contracts.round import DealerAssigned, DealerChanged, TableClosed, TableOpened
from services.contracts.round_table import SupervisorAssigned
from services.round import domain as round_
from services.round.commands import (
    AssignDealer,
    AssignSupervisor,
    ChangeDealer,
    CloseTable,
    DisplaySign,
    OpenTable,
    SuspendTable,
)
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import settings

D1, D2 = person("DEALER", "d1"), person("DEALER", "d2")
S1, S2 = person("GAME_SUPERVISOR", "s1"), person("GAME_SUPERVISOR", "s2")


def staffed(mode: str = "LIVE", *, supervisor: bool = True) -> Spec:
    """A table with a dealer, and a supervisor."""
    now = spec(round_).given(TableOpened(session=1, settings=settings("nsw-mini", mode=mode)))
    asked: list[Command] = [AssignDealer(at_us=AT_US, by=S1, dealer="d1")]
    if supervisor:
        asked.append(AssignSupervisor(at_us=AT_US, by=S1, supervisor="s1"))
    for command in asked:
        now = now.given(*now.when(command).events)
    return now


def test_a_live_table_is_closed_by_its_own_dealer_only() -> None:
    """A-03, F-09: another one is refused until the table is changed over to him."""
    now = staffed()
    close = CloseTable(at_us=AT_US, by=D2)
    now.when(close).then_raises("ROLE")
    now.when(replace(close, by=D1)).then(like(TableClosed))
    change = ChangeDealer(at_us=AT_US, by=D2, dealer="d2")
    changed = now.when(change).then(like(DealerChanged, dealer="d2", replaced="d1", shift=3))
    changed.when(close).then(like(TableClosed))
    changed.when(replace(close, by=D1)).then_raises("ROLE")


def test_a_live_table_is_watched_by_its_own_supervisor() -> None:
    """A-03, F-09: another game supervisor is refused, whoever stands above them is not."""
    stop = SuspendTable(at_us=AT_US, by=S2, reason="HOUSE")
    staffed().when(stop).then_raises("ROLE")
    assert staffed().when(replace(stop, by=S1)).events
    assert staffed().when(replace(stop, by=person("CASINO_SUPERVISOR", "c"))).events
    assert staffed(supervisor=False).when(stop).events
    moved = AssignSupervisor(at_us=AT_US, by=S2, supervisor="s2")
    relieved = staffed().when(moved).then(like(SupervisorAssigned, supervisor="s2", shift=3))
    assert relieved.when(stop).events
    relieved.when(replace(stop, by=S1)).then_raises("ROLE")


def test_round_knows_which_shifts_there_are() -> None:
    """A-03: of the next one speaks who is coming, others wait for it; a later one there is not."""
    now = staffed()
    sign = DisplaySign(at_us=AT_US, by=D1, sign="ODDS")
    for shift in (0, 1, 2):
        assert now.when(replace(sign, shift=shift)).events
    with pytest.raises(NotYet):
        now.when(replace(sign, shift=3))
    change = ChangeDealer(at_us=AT_US, by=D2, dealer="d2")
    now.when(replace(change, shift=3)).then(like(DealerChanged, dealer="d2", shift=3))
    for command in (sign, change):
        for shift in (4, 10**9):
            refused = now.when(replace(command, shift=shift)).refused
            assert refused is not None
            assert refused.reason == "UNKNOWN"
            assert f"no shift {shift} yet" in refused.message
    assert staffed("TEST").when(replace(sign, shift=9)).events


def test_round_keeps_its_refusals_of_another_dealer() -> None:
    """A-03: it is round that decides who deals, so no news is under way to it."""
    refused = staffed().when(DisplaySign(at_us=AT_US, by=D2, sign="ODDS")).refused
    assert refused is not None
    assert (refused.reason, refused.passing) == ("ROLE", False)


@pytest.mark.parametrize("role", ["GAME_SUPERVISOR", "CASINO_SUPERVISOR", "DUTY_MANAGER"])
def test_a_supervisor_steps_in_for_the_dealer(role: str) -> None:
    """A-03: what takes a dealer is taken from those who watch, too, and from no lower role."""
    sign = DisplaySign(at_us=AT_US, by=person(role, "s1"), sign="ODDS")
    assert staffed().when(sign).events
    staffed().when(replace(sign, by=person("PLAYER", "p1"))).then_raises("ROLE")


def test_shifts_are_counted_from_session_to_session() -> None:
    """A-03: so that a claim of an earlier shift is never mistaken for one of today."""
    now = staffed().given(TableClosed(session=1))
    opened = now.when(OpenTable(at_us=AT_US, by=D2, settings=settings("nsw-mini", mode="LIVE")))
    again = now.given(*opened.events)
    assert again.state.crew.dealer == ""
    again.when(AssignDealer(at_us=AT_US, by=D2, dealer="d2")).then(
        like(DealerAssigned, dealer="d2", shift=3)
    )


def test_a_recorded_table_is_worded_by_whoever_the_log_names() -> None:
    """A-03: recordings name their persons; the words of any dealer are taken as told."""
    staffed("TEST").when(CloseTable(at_us=AT_US, by=D2)).then(like(TableClosed))
