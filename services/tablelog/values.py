"""The values in the lines of a table log: what each may be, and what the core makes of it.

Every field of a line has one of the types below. A type says three things: how the value is written
in a log (`Form.wire`), how it is told to a person what is allowed (`Form.allowed`), and what the
core gets (`Form.read`). Areas, hands and roles are lower case in a log and upper case in the core;
the other choices (`reason`, `kind`, `what`, ...) stay as the log writes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, get_args

from msgspec import Meta, Struct

from services.contracts.core import Actor
from services.tablelog.clock import instant_us

MONEY_MAX: Final = 10**15
"""The largest amount of a log, in minor units of its currency."""

NUMBER_MAX: Final = 10**9
"""Larger plain numbers (seats, coups, counts) mean a broken log, whatever the rules say."""

ID_LENGTH_MAX: Final = 256
"""Characters in the name of a table, a shoe, a person, a wager, a token or a dispute."""

ROLES: Final = (
    "dealer",
    "game_supervisor",
    "casino_supervisor",
    "duty_manager",
    "inspector",
    "player",
    "system",
)

INCIDENT_CODES: Final = (
    "CARD_BEFORE_CLOSE",
    "CALL_MISSING",
    "PICKUP_DIRECTION",
    "ANNOUNCEMENT_MISMATCH",
    "CARD_HANDLED",
    "CARDS_OUT_OF_VIEW",
    "DRAW_WITHOUT_INSTRUCTION",
    "PROHIBITED_DEVICE",
    "DETENTION",
    "ADVICE",
    "INFLUENCE",
    "SCAN_GAP",
    "VIDEO_LOST",
    "BURN_MISSING",
    "NEW_DECK_ORDER",
)
"""Codes that the platform knows. A log may record another one; the rules answer it."""

SUPERVISOR_VOID_REASONS: Final = (
    "DRAW_ORDER_LOST",
    "CARD_UNREADABLE",
    "CARDS_DISTURBED",
    "EQUIPMENT_FAILED",
    "EVACUATION",
    "MEDICAL_EMERGENCY",
    "REGULATOR_ORDER",
)
"""Why a coup may be void by a supervisor's word once a card is out (Procedure 13)."""

INVALIDATE_REASONS: Final = (
    "CIVIL_COMMOTION",
    "FIRE",
    "RIOT",
    "BRAWL",
    "ROBBERY",
    "ACT_OF_GOD",
    "FRAUD",
)
"""Why an outcome may be set aside (004:14.4.1, 004:14.4.2)."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a value is written in a log, what is allowed, and what the core gets of it."""

    wire: Any = None
    """The type that msgspec checks; None where it is the annotated type itself."""

    allowed: str = ""
    """What follows "must be" in an error; empty where it is the list of the type's choices."""

    read: Callable[[Any], Any] | None = None
    """From the log's value to the core's; raises `ValueError` where it is no such value."""

    def of(self, annotated: Any) -> Form:
        """The same with nothing left open, for a field of this type."""
        wire = annotated if self.wire is None else self.wire
        return Form(wire, self.allowed or _either(get_args(wire)), self.read)


def _either(choices: tuple[str, ...]) -> str:
    *first, last = (f'"{choice}"' for choice in choices)
    return f"{', '.join(first)} or {last}" if first else last


def _cards_by_spelling() -> dict[str, str]:
    spellings: dict[str, str] = {}
    for rank in "A23456789TJQK":
        for suit in "SHDC":
            for written in {rank, rank.lower()} | ({"10"} if rank == "T" else set()):
                spellings[written + suit] = rank + suit
                spellings[written + suit.lower()] = rank + suit
    return spellings


CARDS: Final = _cards_by_spelling()
"""Each way to write a card, and the card: `10h` and `Th` are `TH`. A joker is not among them."""


def card(text: str) -> str:
    """The card as the core writes it; `ValueError` for a joker or anything else."""
    found = CARDS.get(text)
    if found is None:
        raise ValueError(f"{text[:20]!r} is no card")
    return found


def cards(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The cards as the core writes them, in order; `ValueError` where one is no card."""
    try:
        return tuple([CARDS[text] for text in texts])
    except KeyError as missing:
        raise ValueError(f"{missing.args[0][:20]!r} is no card") from None


class Limit(Struct, frozen=True, forbid_unknown_fields=True):
    """What may be staked on an area. Amounts are minor units of the currency they stand under."""

    min: Annotated[int, Meta(ge=0, le=MONEY_MAX)]
    max: Annotated[int, Meta(ge=0, le=MONEY_MAX)]
    unit: Annotated[int, Meta(ge=1, le=MONEY_MAX)] | None = None
    """The step above the minimum, where there is one."""


Limits = dict[str, Limit]
"""By area; "*" stands for every area that is not named."""


class Hands(Struct, frozen=True):
    """The cards of both hands, in the order of the deal."""

    player: tuple[str, ...]
    banker: tuple[str, ...]


class _Hands(Struct, frozen=True, forbid_unknown_fields=True):
    player: tuple[str, ...]
    banker: tuple[str, ...]


class PersonWritten(Struct, frozen=True, forbid_unknown_fields=True):
    """A person as a log writes him."""

    id: Annotated[str, Meta(min_length=1, max_length=ID_LENGTH_MAX)]
    role: Literal[
        "dealer",
        "game_supervisor",
        "casino_supervisor",
        "duty_manager",
        "inspector",
        "player",
        "system",
    ]


def person(person: PersonWritten) -> Actor:
    """The person as the core has him, the role in capitals."""
    return Actor(person.id, person.role.upper())


def _hands(hands: _Hands) -> Hands:
    return Hands(cards(hands.player), cards(hands.banker))


def _limits(limits: dict[str, Limit]) -> Limits:
    return {area.upper(): limit for area, limit in limits.items()}


def _currencies(currencies: dict[str, dict[str, Limit]]) -> dict[str, Limits]:
    return {code: _limits(limits) for code, limits in currencies.items()}


DEPTH_MAX: Final = 32
"""How deep the value of an option may be nested."""


def _shallow(value: Any, left: int) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return left > 0 and all(_shallow(one, left - 1) for one in inner)
    return True


def _options(options: dict[str, Any]) -> dict[str, Any]:
    if not _shallow(options, DEPTH_MAX):
        raise ValueError("nested too deeply")
    return options


_id = Annotated[str, Meta(min_length=1, max_length=ID_LENGTH_MAX)]
_area = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,63}\Z")]
_area_or_all = Annotated[str, Meta(pattern=r"^(?:[a-z][a-z0-9_]{0,63}|\*)\Z")]
_code = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
_LIMIT_TOLD = '{"min", "max", optional "unit"} in whole minor units from 0 to 10^15'

Id = Annotated[str, Form(_id, f"a text of 1 to {ID_LENGTH_MAX} characters")]
Ids = Annotated[
    tuple[str, ...], Form(tuple[_id, ...], f"a list of texts of 1 to {ID_LENGTH_MAX} characters")
]
Text = Annotated[str, Form(str, "a text")]
"""Words of a person, or a name that the rules look up; may be empty."""

Flag = Annotated[bool, Form(bool, "true or false")]
Whole = Annotated[
    int, Form(Annotated[int, Meta(ge=-NUMBER_MAX, le=NUMBER_MAX)], "a whole number of at most 10^9")
]
"""A number that the rules look up or check: a seat, a coup, a depth, decks."""

Count = Annotated[
    int, Form(Annotated[int, Meta(ge=0, le=NUMBER_MAX)], "a whole number from 0 to 10^9")
]
Positive = Annotated[
    int, Form(Annotated[int, Meta(ge=1, le=NUMBER_MAX)], "a whole number from 1 to 10^9")
]
Money = Annotated[
    int, Form(Annotated[int, Meta(ge=0, le=MONEY_MAX)], "whole minor units from 0 to 10^15")
]
"""Minor units of a currency, by its ISO 4217 exponent."""

Chip = Annotated[
    int, Form(Annotated[int, Meta(ge=1, le=MONEY_MAX)], "whole minor units from 1 to 10^15")
]
Currency = Annotated[str, Form(_code, "an ISO 4217 code of three capital letters")]
Card = Annotated[str, Form(str, "a card such as AS, 10H or Td", card)]
Cards = Annotated[
    tuple[str, ...], Form(tuple[str, ...], "a list of cards such as AS, 10H or Td", cards)
]
BothHands = Annotated[Hands, Form(_Hands, '{"player": [cards], "banker": [cards]}', _hands)]
Area = Annotated[str, Form(_area, "the name of an area in lower case", str.upper)]
AreaLimits = Annotated[
    Limits, Form(dict[_area_or_all, Limit], f'an object of area or "*": {_LIMIT_TOLD}', _limits)
]
CurrencyLimits = Annotated[
    dict[str, Limits],
    Form(
        dict[_code, dict[_area_or_all, Limit]],
        f'an object of currency code: {{area or "*": {_LIMIT_TOLD}}}',
        _currencies,
    ),
]
Options = Annotated[
    dict[str, Any],
    Form(dict[str, Any], f"an object of rulebook fields, nested at most {DEPTH_MAX}", _options),
]
PERSON_FORM: Final = Form(
    PersonWritten,
    f'{{"id", "role"}}, the role {", ".join(ROLES[:-1])} or {ROLES[-1]}',
    person,
)
INSTANT_FORM: Final = Form(str, "an RFC 3339 instant in UTC", instant_us)
Person = Annotated[Actor, PERSON_FORM]
Instant = Annotated[int, INSTANT_FORM]
"""Microseconds since 1970-01-01T00:00:00Z."""

Hand = Annotated[
    Literal["PLAYER", "BANKER"], Form(wire=Literal["player", "banker"], read=str.upper)
]
Winner = Annotated[
    Literal["PLAYER", "BANKER", "TIE"],
    Form(wire=Literal["player", "banker", "tie"], read=str.upper),
]
Book = Annotated[Literal["KEPT", "NONE"], Form(wire=Literal["kept", "none"], read=str.upper)]
Method = Annotated[Literal["A", "B", "C", "D"], Form()]
Layout = Annotated[Literal["A", "B", "C", "D"], Form()]
Stage = Annotated[Literal["pre", "post"], Form()]
Procedure = Annotated[
    Literal["manual", "riffle", "pre_shuffled", "multishuffler", "device", "rng"], Form()
]
Source = Annotated[Literal["shoe", "device"], Form()]
BurnReason = Annotated[
    Literal["new_shoe", "between_coups", "dealer_change", "game_error", "discretion"], Form()
]
Channel = Annotated[Literal["screen", "layout"], Form()]
Face = Annotated[Literal["up", "down"], Form()]
Approval = Annotated[
    Literal[
        "opposing_wagers",
        "area_sharing",
        "method",
        "act_as_player",
        "three_card_burn",
        "multi_pull",
        "extra_cards",
    ],
    Form(),
]
RulingKind = Annotated[
    Literal[
        "reconstruct",
        "not_reconstructible",
        "correct_placement",
        "void",
        "confirm_result",
        "correct_result",
        "invalidate",
        "void_wager",
        "bar_player",
        "lift_bar",
        "vacate_seat",
        "forfeit_shoe",
        "attest",
    ],
    Form(),
]
NoticeChange = Annotated[Literal["min", "game", "close"], Form()]
NoticeValue = Annotated[int | str, Form(int | str, "the new minimum or the next rulebook")]
ConsentChange = Annotated[Literal["game"], Form()]
Decision = Annotated[Literal["upheld", "dismissed", "unresolved"], Form()]
