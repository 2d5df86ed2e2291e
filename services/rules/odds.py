"""Exact odds: every deal of a fresh shoe is counted, nothing is simulated.

A deal is an ordered draw of six cards from all cards of the shoe; a coup that needs only
four or five leaves the rest unused. So every event is a whole number out of one total, and
burning cards that nobody saw changes none of them.

Winners, counts and numbers of cards depend on point values alone and are enumerated by
value. Pairs depend on ranks (and perfect pairs on suits), but only on the first four
cards, and are counted directly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Final

from services.rules.cards import CARDS_PER_DECK
from services.rules.fields import DECKS_MAX
from services.rules.hands import NATURAL_POINTS_MIN
from services.rules.money import rate
from services.rules.outcome import AREAS, SIX, End, Winner, area_result
from services.rules.rulebook import Rulebook
from services.rules.tableau import banker_draws, player_draws

RANKS_COUNT: Final = 13
DEAL_CARDS: Final = 6
_ZEROS_PER_DECK: Final = 16
_OTHERS_PER_DECK: Final = 4

Joint = Mapping[tuple[int, int, int, int], int]
"""(Player count, Banker count, Player cards, Banker cards) to deals."""

Event = Callable[[int, int, int, int], bool]


@dataclass(frozen=True, slots=True)
class AreaOdds:
    """How often an area wins, pushes and loses, and what one unit on it is worth.

    `expectation` is the exact gain per unit staked before rounding, negative where the
    house has the edge.
    """

    wins: int
    pushes: int
    loses: int
    expectation: Fraction

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of a unit staked, on average."""
        return -self.expectation


@dataclass(frozen=True, slots=True)
class Odds:
    """The exact odds of a rulebook's areas with a number of decks.

    `events` are deals out of `total_deals` in which something happens, by name.
    """

    decks: int
    total_deals: int
    areas: Mapping[str, AreaOdds]
    events: Mapping[str, int]
    mean_cards: Fraction


def _falling(count: int, taken: int) -> int:
    """Return count * (count - 1) * ..., `taken` factors: ordered draws without return."""
    product = 1
    for step in range(taken):
        product *= count - step
    return product


def _cards_of_value(decks: int) -> list[int]:
    return [_ZEROS_PER_DECK * decks] + [_OTHERS_PER_DECK * decks] * 9


def _thirds(
    player: int, banker: int, left: list[int], rest: int
) -> Iterator[tuple[tuple[int, int, int, int], int]]:
    """Yield each end that two counts can grow to, with the deals that lead to it.

    `left` are the cards left by value, `rest` their number; deals are counted from the
    fifth card on.
    """
    if max(player, banker) >= NATURAL_POINTS_MIN:
        yield (player, banker, 2, 2), rest * (rest - 1)
    elif not player_draws(player):
        if not banker_draws(banker, None):
            yield (player, banker, 2, 2), rest * (rest - 1)
            return
        for fifth in range(10):
            yield (player, (banker + fifth) % 10, 2, 3), left[fifth] * (rest - 1)
    else:
        for fifth in range(10):
            total = (player + fifth) % 10
            if not banker_draws(banker, fifth):
                yield (total, banker, 3, 2), left[fifth] * (rest - 1)
                continue
            for sixth in range(10):
                ways = left[fifth] * (left[sixth] - (fifth == sixth))
                yield (total, (banker + sixth) % 10, 3, 3), ways


@lru_cache(maxsize=DECKS_MAX)
def joint(decks: int) -> Joint:
    """Return in how many deals each pair of counts comes up, by cards of each hand.

    Raises ValueError for a number of decks outside 1 to 12.
    """
    if not 1 <= decks <= DECKS_MAX:
        message = f"{decks} decks: there must be 1 to {DECKS_MAX}"
        raise ValueError(message)
    deals: dict[tuple[int, int, int, int], int] = {}
    left = _cards_of_value(decks)
    rest = CARDS_PER_DECK * decks - 4
    for player_cards in combinations_with_replacement(range(10), 2):
        player_ways = _take(left, player_cards)
        for banker_cards in combinations_with_replacement(range(10), 2):
            ways = player_ways * _take(left, banker_cards)
            if ways:
                player, banker = sum(player_cards) % 10, sum(banker_cards) % 10
                for end, tail in _thirds(player, banker, left, rest):
                    deals[end] = deals.get(end, 0) + ways * tail
            _put_back(left, banker_cards)
        _put_back(left, player_cards)
    return MappingProxyType(deals)


def _take(left: list[int], values: tuple[int, int]) -> int:
    """Take two cards out of `left`; return in how many orders and ways that can be done."""
    ways = 1 if values[0] == values[1] else 2
    for value in values:
        ways *= left[value]
        left[value] -= 1
    return ways


def _put_back(left: list[int], values: tuple[int, int]) -> None:
    for value in values:
        left[value] += 1


def _pair_events(decks: int) -> Iterator[tuple[str, int]]:
    """Yield the events that hang on ranks and suits of the first four cards.

    Card kinds are ranks (4 copies a deck) or rank with suit (1 copy a deck); two pairs are
    either of one kind or of two.
    """
    cards = CARDS_PER_DECK * decks
    tail = _falling(cards - 4, 2)

    def both(kinds: int, copies: int) -> tuple[int, int]:
        same = kinds * _falling(copies, 4) * tail
        different = kinds * (kinds - 1) * _falling(copies, 2) ** 2 * tail
        return same, different

    pair = RANKS_COUNT * _falling(4 * decks, 2) * _falling(cards - 2, 4)
    same, different = both(RANKS_COUNT, 4 * decks)
    yield "player_pair", pair
    yield "banker_pair", pair
    yield "either_pair", 2 * pair - same - different
    yield "both_pairs", same + different
    yield "both_pairs_same_rank", same
    yield "both_pairs_different_ranks", different
    perfect = CARDS_PER_DECK * _falling(decks, 2) * _falling(cards - 2, 4)
    both_perfect = sum(both(CARDS_PER_DECK, decks))
    yield "player_perfect_pair", perfect
    yield "banker_perfect_pair", perfect
    yield "both_perfect_pairs", both_perfect
    yield "at_least_one_perfect_pair", 2 * perfect - both_perfect
    yield "exactly_one_perfect_pair", 2 * perfect - 2 * both_perfect


def _natural(points: int, cards: int) -> bool:
    return cards == 2 and points >= NATURAL_POINTS_MIN


def _any_natural(p: int, b: int, pc: int, bc: int) -> bool:
    return _natural(p, pc) or _natural(b, bc)


_EVENTS: Final[Mapping[str, Event]] = {
    "banker_wins": lambda p, b, _pc, _bc: b > p,
    "player_wins": lambda p, b, _pc, _bc: p > b,
    "ties": lambda p, b, _pc, _bc: p == b,
    "cards_4": lambda _p, _b, pc, bc: pc + bc == 4,
    "cards_5": lambda _p, _b, pc, bc: pc + bc == 5,
    "cards_6": lambda _p, _b, pc, bc: pc + bc == 6,
    "five_cards_player_drew": lambda _p, _b, pc, bc: pc > bc,
    "five_cards_banker_drew": lambda _p, _b, pc, bc: bc > pc,
    "banker_wins_6_two_cards": lambda p, b, _pc, bc: b > p and b == SIX and bc == 2,
    "banker_wins_6_three_cards": lambda p, b, _pc, bc: b > p and b == SIX and bc == 3,
    "dragon7_banker_three_card_7_wins": lambda p, b, _pc, bc: b > p and b == 7 and bc == 3,
    "panda8_player_three_card_8_wins": lambda p, b, pc, _bc: p > b and p == 8 and pc == 3,
    "player_natural": lambda p, _b, pc, _bc: _natural(p, pc),
    "banker_natural": lambda _p, b, _pc, bc: _natural(b, bc),
    "any_natural": _any_natural,
    "both_natural": lambda p, b, pc, bc: _natural(p, pc) and _natural(b, bc),
    "natural_tie": lambda p, b, pc, _bc: p == b and _natural(p, pc),
    "natural_8_8_tie": lambda p, b, pc, _bc: p == b == 8 and _natural(p, pc),
    "natural_9_9_tie": lambda p, b, pc, _bc: p == b == 9 and _natural(p, pc),
    "player_wins_with_natural": lambda p, b, pc, _bc: p > b and _natural(p, pc),
    "banker_wins_with_natural": lambda p, b, _pc, bc: b > p and _natural(b, bc),
    "natural_9_beats_natural_8": lambda p, b, pc, bc: (
        abs(p - b) == 1 and _natural(p, pc) and _natural(b, bc)
    ),
    "player_wins_with_three_cards": lambda p, b, pc, _bc: p > b and pc == 3,
    "banker_wins_with_three_cards": lambda p, b, _pc, bc: b > p and bc == 3,
}


def _by_number(deals: Joint) -> Iterator[tuple[str, int]]:
    """Yield wins and ties by count, and wins by margin, with and without naturals."""
    names: dict[str, int] = {}

    def count(name: str, ways: int) -> None:
        names[name] = names.get(name, 0) + ways

    for (p, b, pc, bc), ways in deals.items():
        if p == b:
            count(f"tie_on_{p}", ways)
            continue
        side = "player" if p > b else "banker"
        count(f"{side}_wins_with_{max(p, b)}", ways)
        count(f"{side}_wins_by_{abs(p - b)}", ways)
        if not _any_natural(p, b, pc, bc):
            count(f"{side}_non_natural_wins_by_{abs(p - b)}", ways)
    yield from names.items()


@lru_cache(maxsize=DECKS_MAX)
def events(decks: int) -> Mapping[str, int]:
    """Return in how many deals each named event happens.

    Raises ValueError for a number of decks outside 1 to 12.
    """
    deals = joint(decks)
    counted = {
        name: sum(ways for end, ways in deals.items() if happens(*end))
        for name, happens in _EVENTS.items()
    }
    counted.update(_by_number(deals))
    counted.update(_pair_events(decks))
    return MappingProxyType(counted)


def _winner(player_points: int, banker_points: int) -> Winner:
    if player_points == banker_points:
        return "tie"
    return "player" if player_points > banker_points else "banker"


def _ends(area: str, decks: int) -> Iterator[tuple[End, int]]:
    """Yield ends that decide `area`, with the deals in which each happens.

    Together they are all deals. A pair area sees the pairs only, any other area the rest.
    """
    total = _falling(CARDS_PER_DECK * decks, DEAL_CARDS)
    if area.endswith("_PAIR"):
        pairs = events(decks)[area.lower()]
        for pair, ways in ((True, pairs), (False, total - pairs)):
            yield End("tie", banker_six=False, player_pair=pair, banker_pair=pair, cards=4), ways
        return
    for (p, b, pc, bc), ways in joint(decks).items():
        winner = _winner(p, b)
        six = winner == "banker" and b == SIX
        yield End(winner, banker_six=six, player_pair=False, banker_pair=False, cards=pc + bc), ways


def _area_odds(rulebook: Rulebook, area: str, decks: int) -> AreaOdds:
    counts = {"WIN": 0, "PUSH": 0, "LOSE": 0}
    gained = Fraction(0)
    for end, ways in _ends(area, decks):
        result = area_result(area, end, rulebook.tie_main_areas)
        counts[result] += ways
        if result == "WIN":
            gained += ways * rate(rulebook, area, banker_six=end.banker_six).net
    total = _falling(CARDS_PER_DECK * decks, DEAL_CARDS)
    return AreaOdds(
        wins=counts["WIN"],
        pushes=counts["PUSH"],
        loses=counts["LOSE"],
        expectation=(gained - counts["LOSE"]) / total,
    )


def odds(rulebook: Rulebook, decks: int) -> Odds:
    """Return the exact odds of every area the rulebook offers, with `decks` decks.

    The number need not be one the rulebook allows. Raises ValueError for one outside 1 to
    12.
    """
    deals = joint(decks)
    total = _falling(CARDS_PER_DECK * decks, DEAL_CARDS)
    cards = sum((pc + bc) * ways for (_p, _b, pc, bc), ways in deals.items())
    offered = [area for area in AREAS if area in rulebook.areas]
    return Odds(
        decks=decks,
        total_deals=total,
        areas=MappingProxyType({area: _area_odds(rulebook, area, decks) for area in offered}),
        events=events(decks),
        mean_cards=Fraction(cards, total),
    )
