"""Whose words about wagers are taken at a live table."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from services.contracts.core import NotYet
from services.contracts.round import DealerAssigned, DealerChanged, TableOpened
from services.contracts.round_table import SupervisorAssigned
from services.contracts.wager import DebitRequested, StandingWagerPermitted
from services.wager import domain as wager
from services.wager.commands import PermitStanding
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import betting, opened, place, settings, sign

FIRST = DealerAssigned(dealer="d1", shift=1)
SECOND = DealerChanged(dealer="d2", replaced="d1", shift=2)
D1, D2 = person("DEALER", "d1"), person("DEALER", "d2")


def table(mode: str = "LIVE", rulebook: str = "nsw-mini") -> Spec:
    return spec(wager).given(opened(rulebook, mode=mode), sign(), FIRST, betting())


def test_a_dealer_of_another_table_stakes_for_no_player_at_a_live_one() -> None:
    """A-03, F-09: who stakes for players is the dealer who has the table; players stake alone."""
    table().when(place(by=D1)).then(like(DebitRequested))
    table().when(place(by=D2)).then_raises("ROLE")
    changed = table().given(SECOND)
    changed.when(place(by=D1)).then_raises("ROLE")
    changed.when(place(by=D2, shift=2)).then(like(DebitRequested))
    changed.when(place()).then(like(DebitRequested))
    table("TEST").when(place(by=D2)).then(like(DebitRequested))


def test_the_wager_service_waits_for_the_news_of_a_new_dealer() -> None:
    """A-03: it refuses nobody who names a shift of which it has not heard."""
    with pytest.raises(NotYet):
        table().when(place(by=D2, shift=2))


def test_who_names_no_shift_is_refused_for_the_moment_only() -> None:
    """A-03: he may be the dealer of whom the news is under way, so the refusal is not kept."""
    for shift, passing in ((0, True), (1, False)):
        refused = table().when(place(by=D2, shift=shift)).refused
        assert refused is not None
        assert (refused.reason, refused.passing) == ("ROLE", passing)
    table().given(SECOND).when(place(by=D2)).then(like(DebitRequested))


def test_a_supervisor_of_another_table_permits_nothing_at_this_one() -> None:
    """A-03, F-09: the one who is assigned does, and so does everybody above him."""
    watched = table(rulebook="nsw-baccarat").given(SupervisorAssigned(supervisor="s1", shift=2))
    permit = PermitStanding(at_us=AT_US, by=person("GAME_SUPERVISOR", "s2"), permitted=True)
    watched.when(permit).then_raises("ROLE")
    for by in (person("GAME_SUPERVISOR", "s1"), person("CASINO_SUPERVISOR", "c")):
        watched.when(replace(permit, by=by)).then(like(StandingWagerPermitted))


def test_a_table_that_opens_again_has_nobody_yet() -> None:
    """A-03: the shift of yesterday's dealer is over."""
    again = table().when_heard(TableOpened(session=2, settings=settings(mode="LIVE")))
    crew = again.before.given(*again.events).state.crew
    assert (crew.dealer, crew.shift) == ("", 1)
