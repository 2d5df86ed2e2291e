"""The areas a wager can be on: those that are built in, and those that a rulebook defines.

Both are definitions of one language (`services.rules.area_language`); the built-in ones take
their pay, the commission and the word on ties from fields of the rulebook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from services.rules.area_language import (
    Condition,
    Definition,
    Fault,
    Win,
    condition_of,
    read_definitions,
    win,
)

AREAS: Final = ("PLAYER", "BANKER", "TIE", "PLAYER_PAIR", "BANKER_PAIR", "BIG", "SMALL")
"""Every area that is built in; a rulebook may define further ones."""

MAIN_AREAS: Final = ("PLAYER", "BANKER")
"""The two hands: they push on a tie, oppose each other, and make up the differential."""

GROUP: Final = "area_definitions"
"""The group of a rulebook that defines areas of its own."""

RESERVED: Final = frozenset({*AREAS, "BANKER_ON_SIX"})
"""Names that the pay table of every rulebook has."""

_PAIR: Final = ["MIXED", "PERFECT"]

WINS: Final[Mapping[str, Condition]] = {
    "PLAYER": condition_of({"winner": ["PLAYER"]}),
    "BANKER": condition_of({"winner": ["BANKER"]}),
    "TIE": condition_of({"winner": ["TIE"]}),
    "PLAYER_PAIR": condition_of({"player_pair": _PAIR}),
    "BANKER_PAIR": condition_of({"banker_pair": _PAIR}),
    "BIG": condition_of({"cards": [5, 6]}),
    "SMALL": condition_of({"cards": [4]}),
}
"""When each built-in area wins (002 L13-L24, 004 11.1)."""

_BANKER_SIX: Final = condition_of({"winner": ["BANKER"], "banker_points": [6]})
"""The win that some pay tables treat apart (002 L19, 004 11.2.2)."""


def built_in(
    area: str,
    *,
    pay: Fraction,
    on_six: Fraction | None = None,
    commission: Fraction = Fraction(0),
    tie_pushes: bool = True,
) -> Definition:
    """Return a built-in area with the rates of a rulebook.

    `on_six` is what BANKER pays when he wins with a count of 6, if it is something else.
    `tie_pushes` is the rulebook's word on PLAYER and BANKER when the counts are equal.
    Raises KeyError for an area that is not built in.
    """
    wins: tuple[Win, ...]
    if area == "BANKER" and on_six is not None:
        wins = (win(1, _BANKER_SIX, on_six, commission), win(2, WINS[area], pay, commission))
    else:
        wins = (win(1, WINS[area], pay, commission),)
    return Definition(wins, WINS["TIE"] if area in MAIN_AREAS and tie_pushes else None)


def defined(
    group: Mapping[str, object],
) -> tuple[Mapping[str, Definition], tuple[Fault, ...]]:
    """Return the areas that the group of a document defines, and the faults of the rest."""
    return read_definitions(group, GROUP, RESERVED)


def definitions(
    areas: tuple[str, ...],
    *,
    pay: Mapping[str, Fraction],
    on_six: Fraction | None,
    commission: Mapping[str, Fraction],
    tie_pushes: bool,
    own: Mapping[str, Definition],
) -> Mapping[str, Definition]:
    """Return what each offered area is, in the order in which the rulebook offers them.

    `pay` and `commission` are of built-in areas; `own` are the rulebook's own areas.
    """
    return MappingProxyType(
        {
            area: own[area]
            if area in own
            else built_in(
                area,
                pay=pay[area],
                on_six=on_six,
                commission=commission.get(area, Fraction(0)),
                tie_pushes=tie_pushes,
            )
            for area in areas
        }
    )


def pay_lines(own: Mapping[str, Definition]) -> Iterator[tuple[str, Fraction]]:
    """Yield what defined areas pay, as lines of a pay table.

    An area with several cases has a line for each, numbered as in the document: `LUCKY_6.1`.
    """
    for area, definition in own.items():
        for case in definition.wins:
            yield (area if len(definition.wins) == 1 else f"{area}.{case.number}"), case.gross
