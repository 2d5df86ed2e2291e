"""Cards of a live table: from the dealer who has it, whenever the shoe hears of him."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec.structs import replace

from services.contracts.core import NotYet
from services.contracts.round import DealerAssigned, DealerChanged, TableOpened
from services.contracts.round_table import SupervisorAssigned
from services.contracts.shoe import CardsBurned, CardsCollected, ShoeLoaded
from services.shoe import domain as shoe
from services.shoe.commands import BurnCards, CollectCards, DrawCard, RegisterShoeDevice
from tests.support.spec import AT_US, Spec, Told, like, person, spec
from tests.support.tables import opened, over, settings

BURN = BurnCards(at_us=AT_US, by=person("DEALER", "d1"), reason="NEW_SHOE", first_card="2S")
D1, D2 = person("DEALER", "d1"), person("DEALER", "d2")
FIRST = DealerAssigned(dealer="d1", shift=1)
SECOND = DealerChanged(dealer="d2", replaced="d1", shift=2)


def loaded(mode: str = "LIVE") -> Spec:
    """A shoe on the table, whose first burn is owed."""
    return spec(shoe).given(
        opened(mode=mode), ShoeLoaded(shoe_id="S1", decks=8, cards=416, source="SCANNED")
    )


def burned(told: Told) -> None:
    told.then_among(like(CardsBurned, reason="NEW_SHOE"))


def test_the_cards_of_a_live_table_come_from_its_dealer() -> None:
    """A-03, F-09: another one is refused, the one who was relieved as well."""
    now = loaded().given(FIRST)
    burned(now.when(BURN))
    now.when(replace(BURN, by=D2)).then_raises("ROLE")
    changed = now.given(SECOND)
    burned(changed.when(replace(BURN, by=D2)))
    changed.when(BURN).then_raises("ROLE")
    back = changed.given(DealerChanged(dealer="d1", replaced="d2", shift=3))
    burned(back.when(BURN))
    draw = DrawCard(at_us=AT_US, by=D2, card="2S")
    now.when(draw).then_raises("ROLE")
    collect = CollectCards(at_us=AT_US, by=D2, direction="LEFT_TO_RIGHT")
    now.given(over()).when(collect).then_raises("ROLE")
    assert now.given(over()).when(replace(collect, by=D1)).only(CardsCollected)


def test_a_dealer_of_whom_the_shoe_has_not_heard_is_asked_to_wait() -> None:
    """A-03: nothing is decided, so the same command is taken once the news is there."""
    for now, command in (
        (loaded(), BURN),
        (loaded(), replace(BURN, shift=1)),
        (loaded().given(FIRST), replace(BURN, by=D2, shift=2)),
    ):
        with pytest.raises(NotYet):
            now.when(command)
    told = loaded().given(FIRST, SECOND)
    burned(told.when(replace(BURN, by=D2, shift=2)))
    told.when(replace(BURN, shift=1)).then_raises("ROLE")


def test_who_names_no_shift_is_refused_for_the_moment_only() -> None:
    """A-03: the new dealer may burn by the same command once the news of him is there."""
    told = loaded().given(FIRST)
    for shift, passing in ((0, True), (1, False)):
        refused = told.when(replace(BURN, by=D2, shift=shift)).refused
        assert refused is not None
        assert (refused.reason, refused.passing) == ("ROLE", passing)
    burned(told.given(SECOND).when(replace(BURN, by=D2)))


def test_waiting_ends_with_the_news_for_whoever_claims_a_shift() -> None:
    """A-03, F-09: a wrong person names the shift, waits for it, and is refused."""
    stranger = replace(BURN, by=person("DEALER", "d9"), shift=2)
    with pytest.raises(NotYet):
        loaded().given(FIRST).when(stranger)
    loaded().given(FIRST, SECOND).when(stranger).then_raises("ROLE")


@pytest.mark.parametrize("order", [*permutations(("first", "second", "late", "new"))])
def test_who_burns_does_not_depend_on_the_order_of_arrival(order: tuple[str, ...]) -> None:
    """A-03: the news in their order, both dealers' commands anywhere between, tried again at the end."""
    news = iter((FIRST, SECOND))
    now = loaded()
    calls = {"late": replace(BURN, shift=1), "new": replace(BURN, by=D2, shift=2)}
    answered: dict[str, str] = {}

    def call(name: str) -> None:
        nonlocal now
        try:
            told = now.when(calls[name])
        except NotYet:
            return
        answered[name] = told.refused.reason if told.refused else "BURNED"
        now = now.given(*told.events)

    for arrives in order:
        if arrives in calls:
            call(arrives)
        else:
            now = now.given(next(news))
    for name in sorted(calls.keys() - answered.keys(), reverse=True):
        call(name)
    has_it = now.state.crew
    assert (has_it.dealer, has_it.shift) == ("d2", 2)
    if answered["late"] == "BURNED":  # he had the table, as far as the shoe could know
        assert answered["new"] == "STATE"
    else:
        assert answered == {"late": "ROLE", "new": "BURNED"}


def test_supervisors_step_in_and_machines_report_whoever_deals() -> None:
    """A-03, F-09: the supervisor who is assigned, or any higher one; an electronic shoe always."""
    now = loaded().given(FIRST)
    burned(now.when(replace(BURN, by=person("GAME_SUPERVISOR", "s2"))))
    watched = now.given(SupervisorAssigned(supervisor="s1", shift=2))
    burned(watched.when(replace(BURN, by=person("GAME_SUPERVISOR", "s1"))))
    watched.when(replace(BURN, by=person("GAME_SUPERVISOR", "s2"))).then_raises("ROLE")
    burned(watched.when(replace(BURN, by=person("DUTY_MANAGER", "m"))))
    machine = RegisterShoeDevice(
        at_us=AT_US, by=person("CASINO_SUPERVISOR"), device_id="e1", certificate="c"
    )
    read = DrawCard(at_us=AT_US, by=D2, card="2S", device_id="e1")
    reading = now.given(*now.when(machine).events).when(read)
    assert reading.refused is None or reading.refused.reason != "ROLE"


def test_a_recording_names_whom_it_likes() -> None:
    """A-03: of a recorded table the log says who did what; nobody is asked for a shift."""
    burned(loaded("TEST").when(BURN))
    burned(loaded("TEST").given(FIRST).when(replace(BURN, by=D2)))


def test_the_next_session_begins_without_a_dealer_and_counts_on() -> None:
    """A-03: the shift of yesterday's dealer is over."""
    now = loaded().given(FIRST, SECOND)
    again = now.when_heard(TableOpened(session=2, settings=settings(mode="LIVE")))
    crew = again.before.given(*again.events).state.crew
    assert (crew.dealer, crew.supervisor, crew.shift) == ("", "", 2)
