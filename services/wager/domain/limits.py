"""Limits on a wager, in the order of their checks (clauses 8.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from services.contracts.common import Limit
from services.rules.betting import AreaLimits, limit_fault, opens_gap
from services.rules.outcome import worst_win
from services.rules.payout import payable_unit
from services.wager.domain.differential import as_book, bound_of
from services.wager.domain.state import (
    LAYOUT,
    OUTSIDE_LIMITS,
    Book,
    BookState,
    Wager,
    live,
    rules_of,
    settings_of,
)


class Rejection(Exception):
    """The wager can't stand; becomes a `WagerRejected`."""

    def __init__(self, code: str, message: str, rule: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.rule = rule


def limit_of(state: BookState, book: Book, wager: Wager, at_us: int | None = None) -> Limit | None:
    """What binds this player on this area: his own limits where he has some (004 6.5).

    `at_us` decides whether his own limits still hold; without it they do.
    """
    limits = book.sign.limits.get(wager.currency, {})
    limit = limits.get(wager.area, limits.get("*"))
    own = state.permissions.limits.get(wager.player)
    if limit is None or own is None or wager.currency != settings_of(state).currency:
        return limit
    if not own.holds.holds(book.coup, 0 if at_us is None else at_us):
        return limit
    return Limit(
        limit.min_minor if own.minimum_minor is None else own.minimum_minor,
        limit.max_minor if own.maximum_minor is None else own.maximum_minor,
        limit.unit_minor,
    )


def check_money(
    wager: Wager,
    held: Sequence[Wager],
    state: BookState,
    book: Book,
    *,
    amount_minor: int,
    at_us: int,
) -> Wager:
    """Limits in their order; the wager comes back with the mark of one outside them.

    `held`: the player's live wagers (`live_of`).
    """
    if wager.stake_minor < 1:
        raise Rejection("BELOW_MINIMUM", f"{wager.stake_minor} is no stake", "limits")
    limit = limit_of(state, book, wager, at_us)
    if limit is None:
        raise Rejection("UNKNOWN_AREA", f"no limits are published for {wager.area}")
    mine = [w for w in held if w.wager_id != wager.wager_id and w.currency == wager.currency]
    total = wager.stake_minor + sum(w.stake_minor for w in mine if w.area == wager.area)
    bounds = AreaLimits(limit.min_minor, limit.max_minor, limit.unit_minor or None)
    chip = payable_unit(rules_of(state), settings_of(state).smallest_chip_minor)
    fault = limit_fault(bounds, amount_minor=amount_minor, total_minor=total, chip_minor=chip)
    outside = fault is not None
    if fault is not None and not let_stand(fault, wager, state):
        raise Rejection(fault, _LIMIT_WORDS[fault].format(limit=limit, chip=chip), "limits")
    if outside and amount_minor % chip:
        raise Rejection("NOT_IN_CHIPS", f"stakes are whole chips of {chip}", "limits")
    _check_table_maxima(wager, mine, state, book)
    _check_operator_limits(wager, mine, state, amount_minor=amount_minor)
    return replace(wager, out_of_limits=outside)


_LIMIT_WORDS = {
    "BELOW_MINIMUM": "the total on the area is below {limit.min_minor}",
    "ABOVE_MAXIMUM": "the total on the area is above {limit.max_minor}",
    "NOT_MULTIPLE": "the total does not go up in steps of {limit.unit_minor}",
    "NOT_IN_CHIPS": "stakes are whole chips of {chip}",
}


def let_stand(fault: str, wager: Wager, state: BookState) -> bool:
    """Chips on the layout stand outside the limits unless the dealer rejects them (X-11)."""
    return (
        fault in OUTSIDE_LIMITS
        and wager.channel == LAYOUT
        and rules_of(state).out_of_limits == "VALID_UNLESS_REJECTED"
    )


def check_gap(wager: Wager, state: BookState, book: Book, *, amount_minor: int) -> None:
    """The policy REJECT: no wager opens the gap beyond the differential (004 6.2)."""
    bound = bound_of(state, book)
    if bound is None or rules_of(state).differential_policy != "REJECT":
        return
    if wager.currency != settings_of(state).currency:
        return
    held = as_book(state, live(book))
    if opens_gap(held, area=wager.area, amount_minor=amount_minor, differential_minor=bound):
        raise Rejection(
            "DIFFERENTIAL", f"both hands would be more than {bound} apart", "differential"
        )


def _check_table_maxima(wager: Wager, mine: Sequence[Wager], state: BookState, book: Book) -> None:
    settings = settings_of(state)
    stakes = sum(w.stake_minor for w in mine) + wager.stake_minor
    most = settings.player_coup_maximum_minor
    if most is not None and stakes > most:
        raise Rejection("PLAYER_COUP_MAXIMUM", f"one player stakes at most {most} in a coup")
    chip = settings.smallest_chip_minor
    if settings.maximum_win_minor is not None:
        win = worst_win(rules_of(state), _by_area([*mine, wager]), chip)
        if win > settings.maximum_win_minor:
            raise Rejection("MAXIMUM_WIN", f"the wager could win {win}")
    if settings.table_exposure_minor is not None:
        others = (w for w in live(book) if w.wager_id != wager.wager_id)
        alike = [w for w in others if w.currency == wager.currency]
        cost = worst_win(rules_of(state), _by_area([*alike, wager]), chip)
        if cost > settings.table_exposure_minor:
            raise Rejection("TABLE_EXPOSURE", f"the coup could cost the table {cost}")


def _check_operator_limits(
    wager: Wager, mine: Sequence[Wager], state: BookState, *, amount_minor: int
) -> None:
    """The limits of the player's operator, on top of the table's: the stricter refuses (4.2)."""
    name = wager.context.limit_set if wager.context else ""
    if not name or settings_of(state).test:
        return
    own = (state.facts.limits or {}).get(wager.currency)
    if own is None:
        raise Rejection("LIMIT_SET", f"nobody knows the limits {name} in {wager.currency}")
    total = wager.stake_minor + sum(w.stake_minor for w in mine if w.area == wager.area)
    limit = own.areas.get(wager.area, own.areas.get("*"))
    if limit is not None:
        bounds = AreaLimits(limit.min_minor, limit.max_minor, limit.unit_minor or None)
        fault = limit_fault(bounds, amount_minor=amount_minor, total_minor=total, chip_minor=1)
        if fault is not None:
            raise Rejection(fault, f"{_LIMIT_WORDS[fault].format(limit=limit, chip=1)} of {name}")
    stakes = sum(w.stake_minor for w in mine) + wager.stake_minor
    most = own.coup_maximum_minor
    if most is not None and stakes > most:
        raise Rejection("PLAYER_COUP_MAXIMUM", f"{name} lets a player stake {most} in a coup")
    if own.maximum_win_minor is not None:
        chip = settings_of(state).smallest_chip_minor
        win = worst_win(rules_of(state), _by_area([*mine, wager]), chip)
        if win > own.maximum_win_minor:
            raise Rejection("MAXIMUM_WIN", f"{name} lets a player win {own.maximum_win_minor}")


def _by_area(wagers: Iterable[Wager]) -> dict[str, int]:
    stakes: dict[str, int] = {}
    for wager in wagers:
        stakes[wager.area] = stakes.get(wager.area, 0) + wager.stake_minor
    return stakes
