"""Time: where it comes from and how it is written."""

from __future__ import annotations

import pytest

from services.chassis.clock import SECOND_US, SYSTEM_CLOCK, ManualClock, rfc3339


def test_manual_time_passes_only_when_told() -> None:
    """Both clocks move together, and never back."""
    clock = ManualClock(1_000)
    assert (clock.now_us(), clock.steady_s()) == (1_000, 0.0)
    clock.advance(1.5)
    assert (clock.now_us(), clock.steady_s()) == (1_000 + 1_500_000, 1.5)
    with pytest.raises(AssertionError):
        clock.advance(-1)


def test_the_system_clock_is_of_this_century_and_steady() -> None:
    """Microseconds since 1970, and a clock for durations that does not go back."""
    assert SYSTEM_CLOCK.now_us() > 1_700_000_000 * SECOND_US
    first = SYSTEM_CLOCK.steady_s()
    assert SYSTEM_CLOCK.steady_s() >= first


def test_instants_are_written_exactly() -> None:
    """Microseconds survive, without a float on the way."""
    assert rfc3339(1_767_225_600_000_001) == "2026-01-01T00:00:00.000001Z"
    assert rfc3339(-1) == "1969-12-31T23:59:59.999999Z"
