"""Limits and their changes; the notice of a higher minimum."""

from __future__ import annotations

import pytest

from services.contracts.common import Limit, Limits
from services.contracts.wager import (
    DebitRequested,
    LimitChangeNotified,
    LimitsChanged,
    LimitsPublished,
    SignRemoved,
    WagerRejected,
)
from services.wager import domain as wager
from services.wager.commands import ChangeLimits, NotifyMinimum, RemoveSign
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import betting, opened, over, place, sign

SUPERVISOR = person("CASINO_SUPERVISOR")
MINUTE_US = 60_000_000


def table(rulebook: str = "nsw-mini") -> Spec:
    return spec(wager).given(opened(rulebook), sign({"*": Limit(1000, 5000)}))


def changed(limits: Limits, *, minutes: int = 0, differential: int | None = None) -> ChangeLimits:
    return ChangeLimits(
        at_us=AT_US + minutes * MINUTE_US,
        by=SUPERVISOR,
        limits=limits,
        differential_minor=differential,
    )


def notice(minimum: int = 2000, *, minutes: int = 20) -> NotifyMinimum:
    """A sign put up now, of a minimum from so many minutes on."""
    return NotifyMinimum(
        at_us=AT_US,
        by=SUPERVISOR,
        minimum_minor=minimum,
        effective_at_us=AT_US + minutes * MINUTE_US,
    )


HIGHER = {"*": Limit(2000, 5000)}


def test_a_change_waits_for_the_next_betting() -> None:
    """F-79: at any time, yet the coup in progress keeps its limits."""
    running = table("live-studio").given(betting())
    after = running.when(changed({"*": Limit(100, 5000)})).then(
        like(LimitsChanged, limits_version=2, minimum_raised=False),
        like(LimitsPublished, limits_version=2),
    )
    small = place(amount=100)
    after.when(small).then(like(WagerRejected, code="BELOW_MINIMUM"))
    after.given(over(), betting(2, version=2)).when(small).then(like(DebitRequested))


def test_who_changes_limits() -> None:
    """F-79: the casino supervisor, not the game supervisor."""
    by_game_supervisor = ChangeLimits(at_us=AT_US, by=person("GAME_SUPERVISOR"), limits=HIGHER)
    table("live-studio").when(by_game_supervisor).then_raises("ROLE")
    shown_by = NotifyMinimum(
        at_us=AT_US, by=person("DEALER"), minimum_minor=1, effective_at_us=AT_US
    )
    table().when(shown_by).then_raises("ROLE")


def test_a_higher_minimum_needs_its_sign_for_twenty_minutes() -> None:
    """F-80: 19:59 refused, 20:00 accepted, procedure 11."""
    shown = (
        table()
        .when(notice())
        .then(like(LimitChangeNotified, new_minimum_minor=2000, displayed_at_us=AT_US))
    )
    early = ChangeLimits(at_us=AT_US + 20 * MINUTE_US - 1_000_000, by=SUPERVISOR, limits=HIGHER)
    shown.when(early).then_raises("NOTICE")
    shown.when(changed(HIGHER, minutes=20)).then(
        like(LimitsChanged, minimum_raised=True, notice_effective_at_us=AT_US + 20 * MINUTE_US),
        like(LimitsPublished, limits={"EUR": HIGHER}),
    )


def test_a_sign_shown_too_short_a_time_before_its_own_is_none() -> None:
    """F-80: twenty minutes or more between display and effect, however late the change comes."""
    shown = table().when(notice(minutes=19)).then(like(LimitChangeNotified))
    shown.when(changed(HIGHER, minutes=60)).then_raises("NOTICE")


def test_without_a_sign_of_that_height_the_minimum_stays() -> None:
    """F-80: no sign, or a sign of a lower minimum than the new one."""
    table().when(changed(HIGHER, minutes=60)).then_raises("NOTICE")
    lower = table().when(notice(1500)).then(like(LimitChangeNotified))
    lower.when(changed(HIGHER, minutes=60)).then_raises("NOTICE")
    lower.when(changed({"*": Limit(1500, 5000)}, minutes=60)).then_among(like(LimitsChanged))
    one_area = {"TIE": Limit(2000, 5000)}
    lower.when(changed(one_area, minutes=60)).then_raises("NOTICE")


def test_a_sign_that_was_taken_down_before_its_time_voids_the_notice() -> None:
    """F-80: removed, and a new one begins its twenty minutes anew."""
    shown = table().when(notice()).then(like(LimitChangeNotified))
    down = shown.when(RemoveSign(at_us=AT_US, by=SUPERVISOR)).then(
        like(SignRemoved, new_minimum_minor=2000)
    )
    down.when(changed(HIGHER, minutes=60)).then_raises("NOTICE")
    down.when(RemoveSign(at_us=AT_US, by=SUPERVISOR)).then_raises("STATE")


@pytest.mark.parametrize("limit", [Limit(500, 5000), Limit(1000, 9000), Limit(1000, 2000, 500)])
def test_all_other_changes_need_no_notice(limit: Limit) -> None:
    """X-49, F-80: a lower minimum, another maximum, a step."""
    table().when(changed({"*": limit})).then_among(like(LimitsPublished, limits_version=2))


def test_where_the_rulebook_asks_for_no_notice_a_minimum_rises_at_once() -> None:
    """F-80: `raise_minimum_notice_minutes` 0."""
    table("live-studio").when(changed(HIGHER)).then_among(
        like(LimitsChanged, minimum_raised=True, notice_effective_at_us=None)
    )


def test_limits_of_one_area_leave_the_others() -> None:
    """F-79: those with "*" are all there are, those without it are added."""
    tie = Limit(100, 200)
    first = table("live-studio").when(changed({"TIE": tie}))
    first.then_among(like(LimitsPublished, limits={"EUR": {"*": Limit(1000, 5000), "TIE": tie}}))
    both = first.before.given(*first.events)
    both.when(changed(HIGHER)).then_among(like(LimitsPublished, limits={"EUR": HIGHER}))


def test_a_change_keeps_other_currencies_and_the_differential() -> None:
    """F-79: it speaks of the table's own currency; the differential stays where it is not named."""
    yen = {"*": Limit(50, 60)}
    start = spec(wager).given(opened("live-studio"), sign(differential=700, others={"JPY": yen}))
    start.when(changed(HIGHER)).then_among(
        like(LimitsPublished, limits={"EUR": HIGHER, "JPY": yen}, differential_minor=700)
    )
    start.when(changed(HIGHER, differential=900)).then_among(
        like(LimitsPublished, differential_minor=900)
    )


def test_limits_that_make_no_sense_are_refused() -> None:
    """F-74: an area that the rulebook has not, a minimum above the maximum."""
    table().when(changed({"BIG": Limit(1, 2)})).then_raises("UNKNOWN_AREA")
    table().when(changed({"*": Limit(3, 2)})).then_raises("STATE")


def test_no_sign_shows_limits_that_no_wager_could_keep() -> None:
    """F-79: as at the opening of the table: from 1 on, in steps that are none or more."""
    running = table("live-studio")
    for limit in (Limit(0, 5000), Limit(-5, 5000), Limit(100, 5000, -1)):
        running.when(changed({"*": limit})).then_raises("NOT_PERMITTED")
    running.when(changed({"*": Limit(100, 50)})).then_raises("STATE")
    running.when(changed({"*": Limit(100, 5000)}, differential=-1)).then_raises("NOT_PERMITTED")
