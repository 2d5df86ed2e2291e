"""What a player may stake: combinations, limits, and the table differential.

Amounts are whole minor units of one currency; each currency is counted by itself, so every
function here is asked once per currency.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from services.rules.areas import MAIN_AREAS
from services.rules.currencies import EXPONENTS, currency_exponent
from services.rules.rulebook import Rulebook

__all__ = [
    "EXPONENTS",
    "AreaLimits",
    "BookWager",
    "Reduction",
    "area_full",
    "combination_allowed",
    "currency_exponent",
    "differential_gap",
    "limit_fault",
    "opens_gap",
    "reduce_to_differential",
]

LimitFault = Literal["BELOW_MINIMUM", "ABOVE_MAXIMUM", "NOT_MULTIPLE", "NOT_IN_CHIPS"]

_BOTH_HANDS: Final = frozenset(MAIN_AREAS)


@dataclass(frozen=True, slots=True)
class AreaLimits:
    """Limits on one area, in minor units; None where the sign says nothing.

    `step_minor` is the step above the minimum, `multiples_of_minimum` whether the total
    must be a multiple of the minimum (004 6.1).
    """

    minimum_minor: int | None = None
    maximum_minor: int | None = None
    step_minor: int | None = None
    multiples_of_minimum: bool = False


@dataclass(frozen=True, slots=True)
class BookWager:
    """One accepted wager of the book: its id, area, live stake, and whether it is a token."""

    wager: str
    area: str
    stake_minor: int
    token: bool = False


@dataclass(frozen=True, slots=True)
class Reduction:
    """A wager that the differential cut; nothing is left of it when `to_minor` is 0."""

    wager: str
    from_minor: int
    to_minor: int

    @property
    def excess_minor(self) -> int:
        """What goes back to the player, in minor units."""
        return self.from_minor - self.to_minor


def combination_allowed(rulebook: Rulebook, areas: frozenset[str]) -> bool | Literal["APPROVAL"]:
    """Tell whether one player may hold wagers on all of `areas` in one coup.

    Only Player and Banker together are in question; whatever else is staked beside them
    changes nothing (003 5.6, X-13). "APPROVAL" says that the role in `opposing_wagers_by`
    must have approved it before.
    """
    if not areas >= _BOTH_HANDS or rulebook.opposing_wagers == "ALLOW":
        return True
    return "APPROVAL" if rulebook.opposing_wagers == "APPROVAL" else False


def area_full(rulebook: Rulebook, live_wagers: int) -> bool:
    """Tell whether a player with so many live wagers on an area may place no further one.

    An increase is a further wager and counts; currencies count together (000 2.1.1, X-12).
    """
    most = rulebook.area_wagers_max
    return most is not None and live_wagers >= most


def limit_fault(
    limits: AreaLimits,
    *,
    amount_minor: int,
    total_minor: int,
    chip_minor: int = 1,
) -> LimitFault | None:
    """Return the first limit that a wager breaks, None when it breaks none.

    `total_minor` is the player's total on the area in the coup with this wager counted:
    minimum, maximum and step bind that total, so a further wager may be small and several
    may not pass the maximum together. `amount_minor` is the wager by itself, which must be
    payable in chips of `chip_minor` (1 where the table has none). The order of the checks
    is fixed: minimum, maximum, step, chips (clauses 8.6).
    """
    least = limits.minimum_minor
    if least is not None and total_minor < least:
        return "BELOW_MINIMUM"
    if limits.maximum_minor is not None and total_minor > limits.maximum_minor:
        return "ABOVE_MAXIMUM"
    if limits.step_minor and (total_minor - (least or 0)) % limits.step_minor:
        return "NOT_MULTIPLE"
    if limits.multiples_of_minimum and least and total_minor % least:
        return "NOT_MULTIPLE"
    return "NOT_IN_CHIPS" if amount_minor % chip_minor else None


def _total(wagers: Iterable[BookWager], area: str) -> int:
    return sum(wager.stake_minor for wager in wagers if wager.area == area)


def differential_gap(wagers: Iterable[BookWager]) -> int:
    """Return the difference of the Player and Banker totals, in minor units (004 1.1).

    Tie and side areas are no part of it; tokens count at face value.
    """
    kept = tuple(wagers)
    return abs(_total(kept, "PLAYER") - _total(kept, "BANKER"))


def opens_gap(
    wagers: Iterable[BookWager], *, area: str, amount_minor: int, differential_minor: int
) -> bool:
    """Tell whether a further wager would open the gap beyond the differential.

    For the policy REJECT, asked before a wager is accepted. A wager on the smaller side
    narrows the gap and opens nothing, even while the gap is too wide.
    """
    if area not in MAIN_AREAS:
        return False
    kept = tuple(wagers)
    before = differential_gap(kept)
    after = differential_gap((*kept, BookWager("", area, amount_minor)))
    return after > before and after > differential_minor


def reduce_to_differential(
    wagers: Sequence[BookWager], *, differential_minor: int, unit_minor: int
) -> tuple[Reduction, ...]:
    """Return the cuts that bring the book within the differential, in order of acceptance.

    `wagers` is the book in order of acceptance; `unit_minor` is the smallest amount by
    which a stake may differ (the table's rounding unit). The larger of the two hands is
    cut, pro rata, to the smaller plus the differential; units left over by rounding go
    one each to the largest remainders, earlier acceptance first. Tokens cannot be split:
    they are kept whole while they fit, else cash goes first and then the latest tokens
    (clause procedure 7). A large token that goes back can leave the other hand too far
    ahead; then that hand is cut in turn, for the book must close within the differential
    whatever is in it. A reduced wager below the minimum stays valid. The answer is empty
    when the gap is within the differential.
    """
    book = list(wagers)
    while differential_gap(book) > differential_minor:
        kept = _cut_once(book, differential_minor, unit_minor)
        book = [replace(held, stake_minor=kept.get(held.wager, held.stake_minor)) for held in book]
    return tuple(
        Reduction(before.wager, before.stake_minor, after.stake_minor)
        for before, after in zip(wagers, book, strict=True)
        if before.stake_minor != after.stake_minor
    )


def _cut_once(wagers: Sequence[BookWager], differential: int, unit: int) -> dict[str, int]:
    """Return the stakes that a cut of the larger hand leaves, by wager."""
    player, banker = _total(wagers, "PLAYER"), _total(wagers, "BANKER")
    larger = "PLAYER" if player > banker else "BANKER"
    target = min(player, banker) + differential
    side = [wager for wager in wagers if wager.area == larger]
    tokens = sum(wager.stake_minor for wager in side if wager.token)
    cash = [wager for wager in side if not wager.token]
    if tokens <= target:
        left = _shares([wager.stake_minor for wager in cash], target - tokens, unit)
        return {wager.wager: share for wager, share in zip(cash, left, strict=True)}
    return {wager.wager: 0 for wager in cash} | _returned_tokens(side, tokens, target)


def _returned_tokens(side: Sequence[BookWager], total: int, target: int) -> dict[str, int]:
    """Return the tokens that go back, the latest first, until the rest fits."""
    gone: dict[str, int] = {}
    for wager in reversed(side):
        if total <= target:
            break
        if wager.token:
            gone[wager.wager] = 0
            total -= wager.stake_minor
    return gone


def _shares(stakes: Sequence[int], available: int, unit: int) -> list[int]:
    """Split `available` among the stakes pro rata, in whole units.

    No share is larger than its stake: a stake that is no whole number of units takes none
    of the units left over that would not fit into it.
    """
    total = sum(stakes)
    whole = [stake * available // (total * unit) for stake in stakes]
    remainder = [stake * available % (total * unit) for stake in stakes]
    left_over = available // unit - sum(whole)
    for at in sorted(range(len(stakes)), key=lambda at: (-remainder[at], at)):
        if left_over and (whole[at] + 1) * unit <= stakes[at]:
            whole[at] += 1
            left_over -= 1
    return [units * unit for units in whole]
