"""Exact odds: every deal of a fresh shoe is counted, nothing is simulated.

A deal is an ordered draw of six cards from all cards of the shoe; a coup that needs only
four or five leaves the rest unused. So every event is a whole number out of one total, and
burning cards that nobody saw changes none of them.

Winners, counts and numbers of cards depend on point values alone and are enumerated by
value. Pairs depend on ranks (and perfect pairs on suits), but only on the first four
cards: for each four values the deals are divided by what the cards are as pairs. Together
that is every fact that an area can be decided by, so any area has exact odds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Final

from services.rules.area_language import Definition, PairKind, Win
from services.rules.cards import CARDS_PER_DECK, SUITS
from services.rules.ends import End
from services.rules.fields import DECKS_MAX
from services.rules.hands import NATURAL_POINTS_MIN
from services.rules.rulebook import Rulebook
from services.rules.tableau import banker_draws, player_draws

DEAL_CARDS: Final = 6
_SUITS: Final = len(SUITS)
_RANKS_OF_ZERO: Final = 4

Deals = Mapping[End, int]
"""How a coup ends, to the deals that end so."""

Joint = Mapping[tuple[int, int, int, int], int]
"""(Player count, Banker count, Player cards, Banker cards) to deals."""

Event = Callable[[int, int, int, int], bool]

Pairs = tuple[PairKind, PairKind, bool]
"""What Player's and Banker's first two cards are, and whether both are pairs of one rank."""

NO_PAIR: Final[Pairs] = ("NONE", "NONE", False)


@dataclass(frozen=True, slots=True)
class AreaOdds:
    """How often an area wins, pushes and loses, and what one unit on it is worth.

    `cases` are the wins by the case that they are won by. `expectation` is the exact gain
    per unit staked before rounding, negative where the house has the edge; `variance` is
    that of this gain from coup to coup.
    """

    cases: tuple[int, ...]
    pushes: int
    loses: int
    expectation: Fraction
    variance: Fraction

    @property
    def wins(self) -> int:
        """How often it wins, by any case."""
        return sum(self.cases)

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


def _ranks_of(value: int) -> int:
    return 1 if value else _RANKS_OF_ZERO


def _cards_of_value(decks: int) -> list[int]:
    return [_ranks_of(value) * _SUITS * decks for value in range(10)]


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
def ends(decks: int) -> Deals:
    """Return in how many deals a coup ends in each way that an area can tell apart.

    Raises ValueError for a number of decks outside 1 to 12.
    """
    if not 1 <= decks <= DECKS_MAX:
        message = f"{decks} decks: there must be 1 to {DECKS_MAX}"
        raise ValueError(message)
    deals: dict[tuple[tuple[int, int, int, int], Pairs], int] = {}
    left = _cards_of_value(decks)
    rest = CARDS_PER_DECK * decks - 4
    for player_cards in combinations_with_replacement(range(10), 2):
        player_ways = _take(left, player_cards)
        for banker_cards in combinations_with_replacement(range(10), 2):
            ways = player_ways * _take(left, banker_cards)
            if ways:
                divided = _by_pairs(decks, player_cards, banker_cards, ways)
                player, banker = sum(player_cards) % 10, sum(banker_cards) % 10
                for end, tail in _thirds(player, banker, left, rest):
                    for pairs, among in divided:
                        deals[end, pairs] = deals.get((end, pairs), 0) + among * tail
            _put_back(left, banker_cards)
        _put_back(left, player_cards)
    return MappingProxyType(
        {End(*end, *pairs): count for (end, pairs), count in deals.items() if count}
    )


@lru_cache(maxsize=DECKS_MAX)
def joint(decks: int) -> Joint:
    """Return in how many deals each pair of counts comes up, by cards of each hand.

    Raises ValueError for a number of decks outside 1 to 12.
    """
    return _joint_among(ends(decks))


def _joint_among(deals: Deals) -> Joint:
    found: dict[tuple[int, int, int, int], int] = {}
    for end, ways in deals.items():
        counts = (end.player_points, end.banker_points, end.player_cards, end.banker_cards)
        found[counts] = found.get(counts, 0) + ways
    return MappingProxyType(found)


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


def _by_pairs(
    decks: int, player: tuple[int, int], banker: tuple[int, int], ways: int
) -> list[tuple[Pairs, int]]:
    """Divide the deals of four cards with these values by what they are as pairs."""
    divided: dict[Pairs, int]
    only: dict[PairKind, int] = {"NONE": 1}
    player_even, banker_even = player[0] == player[1], banker[0] == banker[1]
    if not (player_even or banker_even):
        return [(NO_PAIR, ways)]
    if player_even and banker_even and player[0] == banker[0]:
        divided = _four_of_one_value(decks, player[0])
    else:
        # The hands share no value in which a pair could be, so that neither changes how
        # the other's cards divide.
        players = _two_of_one_value(decks, player[0]) if player_even else only
        bankers = _two_of_one_value(decks, banker[0]) if banker_even else only
        share = ways // (sum(players.values()) * sum(bankers.values()))
        divided = {
            (one, two, False): share * ones * twos
            for one, ones in players.items()
            for two, twos in bankers.items()
        }
    return [(pairs, count) for pairs, count in divided.items() if count]


def _two_of_one_value(decks: int, value: int) -> dict[PairKind, int]:
    """Divide the ordered draws of two cards of a value by what they are as a pair."""
    ranks, copies = _ranks_of(value), _SUITS * decks
    perfect = ranks * _SUITS * _falling(decks, 2)
    pair = ranks * _falling(copies, 2)
    return {
        "NONE": _falling(ranks * copies, 2) - pair,
        "MIXED": pair - perfect,
        "PERFECT": perfect,
    }


def _four_of_one_value(decks: int, value: int) -> dict[Pairs, int]:
    """Divide the ordered draws of two hands of two cards of one value by their pairs.

    Pairs of one rank take from the same cards: counted are the draws in which both are
    perfect (of one suit or of two), in which one at least is, and in which both are pairs.
    """
    ranks, copies = _ranks_of(value), _SUITS * decks
    cards = ranks * copies
    two_alike = _falling(decks, 2)
    both = ranks * (_SUITS * _falling(decks, 4) + _SUITS * (_SUITS - 1) * two_alike * two_alike)
    one = ranks * _SUITS * two_alike * _falling(copies - 2, 2) - both
    neither = ranks * _falling(copies, 4) - both - 2 * one
    perfect, pair = _SUITS * two_alike, _falling(copies, 2)
    mixed, other = pair - perfect, ranks * (ranks - 1)
    found: dict[Pairs, int] = {
        ("PERFECT", "PERFECT", True): both,
        ("PERFECT", "MIXED", True): one,
        ("MIXED", "PERFECT", True): one,
        ("MIXED", "MIXED", True): neither,
        ("PERFECT", "PERFECT", False): other * perfect * perfect,
        ("PERFECT", "MIXED", False): other * perfect * mixed,
        ("MIXED", "PERFECT", False): other * perfect * mixed,
        ("MIXED", "MIXED", False): other * mixed * mixed,
    }
    kinds: tuple[tuple[PairKind, int], ...] = (("PERFECT", perfect), ("MIXED", mixed))
    for kind, ways in kinds:
        with_pair = sum(count for pairs, count in found.items() if pairs[0] == kind)
        alone = ranks * ways * _falling(cards - 2, 2) - with_pair
        found[kind, "NONE", False] = found["NONE", kind, False] = alone
    found[NO_PAIR] = _falling(cards, 4) - sum(found.values())
    return found


_PAIR_EVENTS: Final[Mapping[str, Callable[[End], bool]]] = {
    "player_pair": lambda end: end.player_pair_kind != "NONE",
    "banker_pair": lambda end: end.banker_pair_kind != "NONE",
    "either_pair": lambda end: _pairs(end) >= 1,
    "both_pairs": lambda end: _pairs(end) == 2,
    "both_pairs_same_rank": lambda end: end.pairs_of_one_rank,
    "both_pairs_different_ranks": lambda end: _pairs(end) == 2 and not end.pairs_of_one_rank,
    "player_perfect_pair": lambda end: end.player_pair_kind == "PERFECT",
    "banker_perfect_pair": lambda end: end.banker_pair_kind == "PERFECT",
    "both_perfect_pairs": lambda end: _perfect_pairs(end) == 2,
    "at_least_one_perfect_pair": lambda end: _perfect_pairs(end) >= 1,
    "exactly_one_perfect_pair": lambda end: _perfect_pairs(end) == 1,
}


def _pairs(end: End) -> int:
    return (end.player_pair_kind != "NONE") + (end.banker_pair_kind != "NONE")


def _perfect_pairs(end: End) -> int:
    return (end.player_pair_kind == "PERFECT") + (end.banker_pair_kind == "PERFECT")


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
    "banker_wins_6_two_cards": lambda p, b, _pc, bc: b > p and b == 6 and bc == 2,
    "banker_wins_6_three_cards": lambda p, b, _pc, bc: b > p and b == 6 and bc == 3,
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
    return _events_among(ends(decks))


def _events_among(deals: Deals) -> Mapping[str, int]:
    by_counts = _joint_among(deals)
    counted = {
        name: sum(ways for end, ways in by_counts.items() if happens(*end))
        for name, happens in _EVENTS.items()
    }
    counted.update(_by_number(by_counts))
    counted.update(
        (name, sum(ways for end, ways in deals.items() if happens(end)))
        for name, happens in _PAIR_EVENTS.items()
    )
    return MappingProxyType(counted)


def area_odds(definition: Definition, decks: int) -> AreaOdds:
    """Return the exact odds of one area with `decks` decks.

    Raises ValueError for a number of decks outside 1 to 12.
    """
    return _area_among(definition, ends(decks))


def _area_among(definition: Definition, deals: Deals) -> AreaOdds:
    counts = {"PUSH": 0, "LOSE": 0}
    won = [0] * len(definition.wins)
    for end, ways in deals.items():
        verdict = definition.verdict(end)
        if isinstance(verdict, Win):
            won[verdict.number - 1] += ways
        else:
            counts[verdict] += ways
    cases = list(zip(won, definition.wins, strict=True))
    lost, total = counts["LOSE"], sum(won) + sum(counts.values())
    gained = sum((ways * case.net for ways, case in cases), Fraction(-lost))
    squares = sum((ways * case.net * case.net for ways, case in cases), Fraction(lost))
    expectation = gained / total
    return AreaOdds(
        cases=tuple(won),
        pushes=counts["PUSH"],
        loses=lost,
        expectation=expectation,
        variance=squares / total - expectation * expectation,
    )


def odds(rulebook: Rulebook, decks: int) -> Odds:
    """Return the exact odds of every area the rulebook offers, with `decks` decks.

    The number need not be one the rulebook allows. Raises ValueError for one outside 1 to
    12.
    """
    return _odds_among(rulebook, decks, ends(decks), events(decks))


def odds_among(rulebook: Rulebook, decks: int, deals: Deals) -> Odds:
    """Return what the odds would be if `deals` were all deals, such as some that were counted.

    Raises ValueError where there are none.
    """
    if not any(deals.values()):
        raise ValueError("there must be at least one deal")
    return _odds_among(rulebook, decks, deals, _events_among(deals))


def _odds_among(rulebook: Rulebook, decks: int, deals: Deals, named: Mapping[str, int]) -> Odds:
    total = sum(deals.values())
    areas = {area: _area_among(held, deals) for area, held in rulebook.definitions.items()}
    return Odds(
        decks=decks,
        total_deals=total,
        areas=MappingProxyType(areas),
        events=named,
        mean_cards=Fraction(sum(end.cards * ways for end, ways in deals.items()), total),
    )
