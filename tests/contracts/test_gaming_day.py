"""The gaming day of an instant: by the table's zone and from its own hour."""

from __future__ import annotations

import datetime as dt

import pytest

from services.chassis.inputs import INSTANT_US_MAX, INSTANT_US_MIN
from services.contracts.common import TableSettings
from services.contracts.core import Refused
from services.contracts.gaming_day import UnknownZone, gaming_day, zone
from services.rulebooks.settings import table_settings


def settings(time_zone: str, day_starts_minute: int) -> TableSettings:
    return table_settings(
        table_id="T1",
        rulebook_id="nsw-mini",
        options={},
        decks=None,
        currency="EUR",
        limits={},
        left_of_dealer=None,
        seats=7,
        time_zone=time_zone,
        day_starts_minute=day_starts_minute,
    )


def us(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("at", "time_zone", "starts", "day"),
    [
        ("2026-03-01T00:00:00+00:00", "UTC", 0, "2026-03-01"),
        ("2026-03-01T05:59:59+00:00", "UTC", 360, "2026-02-28"),
        ("2026-03-01T06:00:00+00:00", "UTC", 360, "2026-03-01"),
        ("2026-03-01T18:59:59+00:00", "Australia/Sydney", 360, "2026-03-01"),
        ("2026-03-01T19:00:00+00:00", "Australia/Sydney", 360, "2026-03-02"),
        # The night in which clocks go forward has no 02:30; the day still begins at six.
        ("2026-03-29T03:59:59+00:00", "Europe/Amsterdam", 360, "2026-03-28"),
        ("2026-03-29T04:00:00+00:00", "Europe/Amsterdam", 360, "2026-03-29"),
        # And the one in which they go back has 02:30 twice.
        ("2026-10-25T00:30:00+00:00", "Europe/Amsterdam", 150, "2026-10-25"),
        ("2026-10-25T04:59:59+00:00", "Europe/Amsterdam", 360, "2026-10-24"),
        ("2026-10-25T05:00:00+00:00", "Europe/Amsterdam", 360, "2026-10-25"),
    ],
)
def test_an_instant_counts_to_the_day_of_its_table(
    at: str, time_zone: str, starts: int, day: str
) -> None:
    assert gaming_day(us(at), time_zone, starts).isoformat() == day


@pytest.mark.parametrize(
    ("time_zone", "night"),
    [
        ("Europe/Amsterdam", "2026-10-24T22:00:00+00:00"),
        ("Europe/Amsterdam", "2026-03-28T22:00:00+00:00"),
        ("America/New_York", "2026-11-01T03:00:00+00:00"),
        ("Australia/Lord_Howe", "2026-04-04T12:00:00+00:00"),
    ],
)
@pytest.mark.parametrize("starts", [0, 60, 75, 90, 119, 120, 135, 150, 179, 180, 360, 1_439])
def test_days_follow_each_other_also_where_the_clock_goes_back(
    time_zone: str, night: str, starts: int
) -> None:
    """A day that began is not left for the one before it, whatever hour it begins at."""
    minutes = [us(night) + minute * 60_000_000 for minute in range(10 * 60)]
    days = [gaming_day(at, time_zone, starts) for at in minutes]
    assert days == sorted(days)


@pytest.mark.parametrize("name", ["", "Nowhere/Land", "../UTC", "Europe", "/etc/passwd", "UTC\x00"])
def test_an_unknown_zone_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnknownZone, match="is no time zone"):
        zone(name)
    with pytest.raises(Refused) as refused:
        settings(name, 0)
    assert refused.value.reason == "TIME_ZONE"


@pytest.mark.parametrize("name", ["UTC", "Pacific/Kiritimati", "America/Adak"])
@pytest.mark.parametrize("starts", [0, 360, 1_439])
def test_every_instant_that_a_recording_can_name_has_a_day(name: str, starts: int) -> None:
    """One that has none would be the end of everything that is folded from the log."""
    for at_us in (INSTANT_US_MIN, 1, INSTANT_US_MAX):
        day = gaming_day(at_us, name, starts)
        at = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=at_us)
        assert abs(day - at.date()) <= dt.timedelta(days=6)


def test_days_near_the_end_of_the_calendar_are_their_own() -> None:
    at = dt.datetime(9999, 12, 27, 12, tzinfo=dt.UTC)
    assert gaming_day(int(at.timestamp()) * 1_000_000, "UTC", 0) == at.date()
