"""The sign of limits, its changes, and the notice of a higher minimum (004 6.1, 6.4).

A change is published at once under the next version. The coup in progress keeps the version that
its betting opened with; round names the version each time that it opens betting.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Limits
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.wager import (
    LimitChangeNotified,
    LimitsChanged,
    LimitsPublished,
    SignRemoved,
)
from services.wager.commands import ChangeLimits, NotifyMinimum, RemoveSign
from services.wager.domain.state import BookState, clauses_for, rules_of, settings_of

MINUTE_US = 60_000_000


def _require(command: ChangeLimits | NotifyMinimum | RemoveSign, state: BookState) -> None:
    rules = rules_of(state)
    require_role(
        command,
        rules.limits_changed_by,
        what="changing the limits",
        game_supervisor_counts=rules.games_supervisor_counts_as_casino_supervisor,
    )


def notify_minimum(command: NotifyMinimum, state: BookState) -> Sequence[Event]:
    _require(command, state)
    return [
        LimitChangeNotified(
            new_minimum_minor=command.minimum_minor,
            displayed_at_us=command.at_us,
            effective_at_us=command.effective_at_us,
            clauses=clauses_for(state, "notice"),
        )
    ]


def remove_sign(command: RemoveSign, state: BookState) -> Sequence[Event]:
    _require(command, state)
    notice = state.notice
    if notice is None:
        raise Refused("STATE", "no sign of a higher minimum is up")
    return [
        SignRemoved(new_minimum_minor=notice.minimum_minor, effective_at_us=notice.effective_at_us)
    ]


def change_limits(command: ChangeLimits, state: BookState) -> Sequence[Event]:
    _require(command, state)
    currency = settings_of(state).currency
    before = state.sign.limits.get(currency, {})
    after = _merged(before, command.limits, state)
    raised = _raised(before, after, state)
    notice_at = _check_notice(command.at_us, raised, state) if raised else None
    version = state.sign.version + 1
    gap = command.differential_minor
    if gap is not None and gap < 0:
        raise Refused("NOT_PERMITTED", f"differential_minor is 0 or more, not {gap}")
    return [
        LimitsChanged(
            limits_version=version,
            minimum_raised=bool(raised),
            notice_effective_at_us=notice_at,
            clauses=clauses_for(state, "limits_change"),
        ),
        LimitsPublished(
            limits_version=version,
            limits={**state.sign.limits, currency: after},
            differential_minor=state.sign.differential_minor if gap is None else gap,
        ),
    ]


def _merged(before: Limits, named: Limits, state: BookState) -> Limits:
    """The limits after the change; "*" among those named says that they are all there are."""
    unknown = set(named) - {"*", *rules_of(state).areas}
    if unknown:
        raise Refused("UNKNOWN_AREA", f"limits for {sorted(unknown)}")
    for area, limit in named.items():
        if limit.min_minor > limit.max_minor:
            raise Refused("STATE", f"on {area} the minimum is above the maximum")
        if limit.min_minor < 1 or limit.unit_minor < 0:
            raise Refused("NOT_PERMITTED", f"on {area}: a minimum from 1 and a unit from 0 on")
    return dict(named) if "*" in named else {**before, **named}


def _raised(before: Limits, after: Limits, state: BookState) -> list[int]:
    """The new minima of the areas where the minimum becomes higher."""
    raised: list[int] = []
    for area in rules_of(state).areas:
        old, new = (limits.get(area, limits.get("*")) for limits in (before, after))
        if old is not None and new is not None and new.min_minor > old.min_minor:
            raised.append(new.min_minor)
    return raised


def _check_notice(at_us: int, raised: Sequence[int], state: BookState) -> int | None:
    """A sign of the higher minimum has stood long enough (procedure 11); the instant it named."""
    minutes = rules_of(state).raise_minimum_notice_minutes
    notice = state.notice
    if not minutes:
        return None
    clauses = clauses_for(state, "notice")
    if notice is None or max(raised) > notice.minimum_minor:
        raise Refused("NOTICE", f"no sign shows a minimum of {max(raised)}", clauses)
    if notice.effective_at_us - notice.displayed_at_us < minutes * MINUTE_US:
        raise Refused("NOTICE", f"a sign stands {minutes} minutes before its time", clauses)
    if at_us < notice.effective_at_us:
        raise Refused("NOTICE", "the time that the sign names has not come", clauses)
    return notice.effective_at_us
