"""The language in which a rulebook says what an area is: what wins and pays, what pushes.

A definition is data, and so is every part of it. A finished coup has a few facts, each with
a short list of values that it can have (`FACTS`); a condition names facts and, for each, the
values with which it holds:

    {"winner": ["BANKER"], "banker_points": [6]}

All entries of an object must hold. `any` and `all` take lists of conditions, `not` takes
one. Nothing else can be said, so every condition has an answer for every coup, and no
definition can run for ever or reach anything but the coup.

A definition holds `pushes`, a condition or null, and `wins`, a list of cases, each with
`when` and `pay`. A coup that meets `pushes` gives the stake back; else the first case that
holds pays; else the stake is lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Literal, Protocol, cast

Winner = Literal["player", "banker", "tie"]
PairKind = Literal["NONE", "MIXED", "PERFECT"]
"""The first two cards of a hand: no pair, one rank in two suits, one rank in one suit."""

PAIR_KINDS: Final[tuple[PairKind, ...]] = ("NONE", "MIXED", "PERFECT")

NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
"""What an area may be called."""

DEPTH_MAX: Final = 8
PARTS_MAX: Final = 256
CASES_MAX: Final = 32


class Coup(Protocol):
    """The facts of a finished coup, of real cards or of one that could happen."""

    @property
    def winner(self) -> Winner:
        """Who won."""

    @property
    def player_points(self) -> int:
        """Player's count, 0 to 9."""

    @property
    def banker_points(self) -> int:
        """Banker's count, 0 to 9."""

    @property
    def margin(self) -> int:
        """By how much the counts differ."""

    @property
    def player_cards(self) -> int:
        """Player's cards, 2 or 3."""

    @property
    def banker_cards(self) -> int:
        """Banker's cards, 2 or 3."""

    @property
    def cards(self) -> int:
        """Cards in both hands, 4 to 6."""

    @property
    def player_pair_kind(self) -> PairKind:
        """What Player's first two cards are together."""

    @property
    def banker_pair_kind(self) -> PairKind:
        """What Banker's first two cards are together."""

    @property
    def pairs_of_one_rank(self) -> bool:
        """Whether both hands begin with a pair, and both pairs have one rank."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing to know about a coup: where it stands, and the words for its values."""

    attribute: str
    values: Mapping[str | int | bool, object]

    @property
    def wants(self) -> str:
        """The values in words."""
        return ", ".join(_spelt(value) for value in self.values)


def _spelt(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _numbers(attribute: str, low: int, high: int) -> Fact:
    return Fact(attribute, {number: number for number in range(low, high + 1)})


FACTS: Final[Mapping[str, Fact]] = {
    "winner": Fact("winner", {"PLAYER": "player", "BANKER": "banker", "TIE": "tie"}),
    "player_points": _numbers("player_points", 0, 9),
    "banker_points": _numbers("banker_points", 0, 9),
    "margin": _numbers("margin", 0, 9),
    "player_cards": _numbers("player_cards", 2, 3),
    "banker_cards": _numbers("banker_cards", 2, 3),
    "cards": _numbers("cards", 4, 6),
    "player_pair": Fact("player_pair_kind", {kind: kind for kind in PAIR_KINDS}),
    "banker_pair": Fact("banker_pair_kind", {kind: kind for kind in PAIR_KINDS}),
    "pairs_of_one_rank": Fact("pairs_of_one_rank", {True: True, False: False}),
}
"""What a condition can ask, by the name it asks under."""


class Condition(Protocol):
    """A question about a coup."""

    def holds(self, coup: Coup) -> bool:
        """Whether the coup is so."""


@dataclass(frozen=True, slots=True)
class Is:
    """A fact has one of some values."""

    attribute: str
    values: frozenset[object]

    def holds(self, coup: Coup) -> bool:
        """Whether it has."""
        return getattr(coup, self.attribute) in self.values


@dataclass(frozen=True, slots=True)
class Every:
    """All parts hold."""

    parts: tuple[Condition, ...]

    def holds(self, coup: Coup) -> bool:
        """Whether they do."""
        for part in self.parts:  # noqa: SIM110 - a generator costs more than its parts
            if not part.holds(coup):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: tuple[Condition, ...]

    def holds(self, coup: Coup) -> bool:
        """Whether one does."""
        return any(part.holds(coup) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition

    def holds(self, coup: Coup) -> bool:
        """Whether it does not."""
        return not self.part.holds(coup)


@dataclass(frozen=True, slots=True)
class Win:
    """A case in which an area wins, and what one unit of stake then gains, exactly.

    `number` is its place among the cases of the area, from 1.
    """

    number: int
    when: Condition
    gross: Fraction
    commission: Fraction
    net: Fraction


def win(number: int, when: Condition, pay: Fraction, commission: Fraction = Fraction(0)) -> Win:
    """A case that pays `pay` per unit, less the part `commission` of it."""
    taken = pay * commission
    return Win(number, when, gross=pay, commission=taken, net=pay - taken)


@dataclass(frozen=True, slots=True)
class Definition:
    """What an area is."""

    wins: tuple[Win, ...]
    pushes: Condition | None = None

    def verdict(self, coup: Coup) -> Win | Literal["PUSH", "LOSE"]:
        """What the coup means for a wager on the area: the case it wins by, or none."""
        if self.pushes is not None and self.pushes.holds(coup):
            return "PUSH"
        for case in self.wins:
            if case.when.holds(coup):
                return case
        return "LOSE"


Fault = tuple[str, str]
"""Where in the document, as a dotted path with cases counted from 1, and what is wrong."""


def is_odds(value: object) -> bool:
    """Tell whether a value is a pair of positive whole numbers."""
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(v, int) and not isinstance(v, bool) and v > 0 for v in value)
    )


class _Reader:
    """Reads one definition; what it cannot read is in `faults`, and stands for nothing."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._parts = 0

    def fault(self, path: str, problem: str) -> None:
        self.faults.append((path, problem))

    def definition(self, value: object, path: str) -> Definition:
        held = self._object(value, path, ("wins", "pushes"))
        wins = held.get("wins")
        pushes = held.get("pushes")
        cases: list[Win] = []
        if "wins" in held and not (isinstance(wins, list | tuple) and 0 < len(wins) <= CASES_MAX):
            self.fault(f"{path}.wins", f"must be a list of 1 to {CASES_MAX} cases")
        else:
            for number, case in enumerate(cast("list[object]", wins or []), start=1):
                cases += self._case(case, number, f"{path}.wins.{number}")
        push = None if pushes is None else self.condition(pushes, f"{path}.pushes")
        return Definition(tuple(cases), push)

    def _case(self, value: object, number: int, path: str) -> Iterator[Win]:
        held = self._object(value, path, ("when", "pay"))
        if not held:
            return
        when = self.condition(held["when"], f"{path}.when")
        if is_odds(held["pay"]):
            yield win(number, when, Fraction(*cast("list[int]", held["pay"])))
        else:
            problem = "must be a pair of positive whole numbers [numerator, denominator]"
            self.fault(f"{path}.pay", problem)

    def _object(self, value: object, path: str, names: tuple[str, ...]) -> Mapping[str, object]:
        """Return an object that has just these names, or nothing."""
        if not isinstance(value, Mapping):
            self.fault(path, f"must be an object with {' and '.join(names)}")
            return {}
        for name in names:
            if name not in value:
                self.fault(f"{path}.{name}", "missing")
        for name in value:
            if name not in names:
                self.fault(f"{path}.{name}", "unknown")
        return value if all(name in value for name in names) else {}

    def condition(self, value: object, path: str, depth: int = 1) -> Condition:
        self._parts += 1
        if depth > DEPTH_MAX or self._parts > PARTS_MAX:
            self.fault(path, "the condition is too long to be read")
        elif not isinstance(value, Mapping) or not value:
            self.fault(path, "must be an object with at least one fact, or any, all or not")
        else:
            parts = [self._part(name, held, path, depth) for name, held in value.items()]
            return parts[0] if len(parts) == 1 else Every(tuple(parts))
        return Some(())

    def _part(self, name: object, value: object, path: str, depth: int) -> Condition:
        here = f"{path}.{name}"
        if name == "not":
            return Not(self.condition(value, here, depth + 1))
        if name in ("any", "all"):
            if not isinstance(value, list | tuple) or not value:
                self.fault(here, "must be a list of conditions with at least one of them")
                return Some(())
            parts = tuple(
                self.condition(part, f"{here}.{number}", depth + 1)
                for number, part in enumerate(value, start=1)
            )
            return Some(parts) if name == "any" else Every(parts)
        fact = FACTS.get(name) if isinstance(name, str) else None
        if fact is None:
            self.fault(here, f"unknown: a coup has {', '.join(FACTS)}")
            return Some(())
        return self._is(fact, value, here)

    def _is(self, fact: Fact, value: object, path: str) -> Condition:
        values = value if isinstance(value, list | tuple) else ()
        meant = [
            held
            for one in values
            for word, held in fact.values.items()
            if type(one) is type(word) and one == word  # true is no 1
        ]
        if not meant or len(meant) != len(values) or len(set(meant)) != len(meant):
            self.fault(path, f"must be a list without repeats, each one of {fact.wants}")
        return Is(fact.attribute, frozenset(meant))


def condition_of(value: Mapping[str, object]) -> Condition:
    """Return the condition that `value` writes down. Raises ValueError with every fault."""
    reader = _Reader()
    found = reader.condition(value, "when")
    if reader.faults:
        raise ValueError("; ".join(f"{path}: {problem}" for path, problem in reader.faults))
    return found


def read_definitions(
    group: Mapping[str, object], path: str, reserved: frozenset[str]
) -> tuple[Mapping[str, Definition], tuple[Fault, ...]]:
    """Return the definitions that can be read in a group, and the faults of the others.

    `path` is where the group stands; a name among `reserved` cannot be given to an area.
    """
    found: dict[str, Definition] = {}
    faults: list[Fault] = []
    for name, value in group.items():
        here = f"{path}.{name}"
        reader = _Reader()
        definition = reader.definition(value, here)
        if not NAME.fullmatch(str(name)):
            reader.fault(here, "an area is named by capital letters, digits and underscores")
        elif name in reserved:
            reader.fault(here, "is built in and cannot be defined otherwise")
        if not reader.faults:
            found[name] = definition
        faults += reader.faults
    return MappingProxyType(found), tuple(faults)
