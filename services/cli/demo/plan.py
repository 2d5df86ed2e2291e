"""What the demo plays: four tables, the recorded shoes on them, and who stakes what."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Final

from msgspec import Struct

from services.rulebooks.catalogue import rulebook
from services.rules.cards import CARDS_PER_DECK, Card
from services.rules.rulebook import Rulebook
from services.tablelog import lines as log
from services.tablelog.reader import read

SEED: Final = 20_260_101
"""The pattern of the players who are in no recording."""

RECORDED: Final = "data/recorded"


class Recording(Struct, frozen=True):
    """A recorded table: its shoes in order, and what was staked on each coup."""

    shoes: tuple[tuple[str, tuple[Card, ...]], ...]
    """Name and order of each shoe, first card first."""

    stakes: tuple[tuple[str, int], ...]
    """Area and amount by coup."""


class Stake(Struct, frozen=True):
    """What a player means to stake on one area."""

    player: str
    area: str
    amount_minor: int


class TablePlan(Struct, frozen=True, kw_only=True):
    """One table of the demo."""

    table_id: str
    rulebook_id: str
    decks: int
    currency: str
    dealer: str
    relief: str = ""
    """The dealer who takes over at half time; empty where nobody does."""

    log: str
    """The recording whose cards are scanned."""

    first_shoe: int
    """Which of its shoes comes first."""

    coups: int
    chip_minor: int
    min_minor: int
    max_minor: int
    from_back: int
    """Cards behind the cutting card."""

    betting_seconds: int | None = None
    recorded_player: str
    """Who stakes what the recording says."""

    players: tuple[str, ...]
    """Who stakes by the seeded pattern."""

    @property
    def rules(self) -> Rulebook:
        """The table's rulebook."""
        return rulebook(self.rulebook_id)

    @property
    def everybody(self) -> tuple[str, ...]:
        """All players, who came first first."""
        return (self.recorded_player, *self.players)

    @property
    def seated(self) -> bool:
        """True where players take seats."""
        return self.rules.table_kind == "SEATED"


# Betting of the streamed tables is short, so that a demo of few minutes sees several coups; the
# rulebook's own pace of one coup in five seconds holds. The cutting card of the first table lies
# as deep as the rulebook allows: its shoe ends in the course of the demo.
TABLES: Final = (
    TablePlan(
        table_id="T1",
        rulebook_id="nsw-mini",
        decks=6,
        currency="AUD",
        dealer="dora",
        log="fibonacci-on-punto.jsonl",
        first_shoe=0,
        coups=14,
        chip_minor=50,
        min_minor=500,
        max_minor=10_000_000,
        from_back=260,
        recorded_player="ada",
        players=("ben", "cleo"),
    ),
    TablePlan(
        table_id="T2",
        rulebook_id="nsw-mini-even-money",
        decks=6,
        currency="AUD",
        dealer="emil",
        log="dalembert-on-banco.jsonl",
        first_shoe=0,
        coups=10,
        chip_minor=50,
        min_minor=500,
        max_minor=10_000_000,
        from_back=20,
        recorded_player="dan",
        players=("eva", "finn", "gina"),
    ),
    TablePlan(
        table_id="T3",
        rulebook_id="live-studio",
        decks=8,
        currency="EUR",
        dealer="femi",
        relief="gwen",
        log="dalembert-on-punto.jsonl",
        first_shoe=0,
        coups=8,
        chip_minor=1,
        min_minor=100,
        max_minor=5_000_000,
        from_back=52,
        betting_seconds=3,
        recorded_player="hugo",
        players=("ines", "jack", "kim", "lena"),
    ),
    TablePlan(
        table_id="T4",
        rulebook_id="super-six-commission",
        decks=8,
        currency="EUR",
        dealer="hana",
        log="fibonacci-on-punto.jsonl",
        first_shoe=2,
        coups=8,
        chip_minor=1,
        min_minor=100,
        max_minor=5_000_000,
        from_back=52,
        betting_seconds=3,
        recorded_player="mia",
        players=("noah", "olga", "paul", "rosa"),
    ),
)


def plans(coups: int | None) -> tuple[TablePlan, ...]:
    """The tables, with so many coups in all; by default with those that they name."""
    if coups is None:
        return TABLES
    share, over = divmod(coups, len(TABLES))
    numbers = [share + (place < over) for place in range(len(TABLES))]
    return tuple(
        replaced(plan, number) for plan, number in zip(TABLES, numbers, strict=True) if number
    )


def replaced(plan: TablePlan, coups: int) -> TablePlan:
    """The same table with another number of coups."""
    values = {name: getattr(plan, name) for name in TablePlan.__struct_fields__}
    return TablePlan(**{**values, "coups": coups})


def recording(name: str) -> Recording:
    """A packaged recording."""
    shoes: list[tuple[str, tuple[Card, ...]]] = []
    stakes: list[tuple[str, int]] = []
    with resources.as_file(resources.files("services.cli") / RECORDED / name) as path:
        for line in read(str(path), file=name):
            if isinstance(line, log.LoadShoe) and line.cards:
                shoes.append((line.shoe, tuple(line.cards)))
            elif isinstance(line, log.Wager):
                stakes.append((line.area, line.amount))
    return Recording(tuple(shoes), tuple(stakes))


@dataclasses.dataclass(slots=True)
class Scanner:
    """The electronic shoe: it sees each card as it leaves, in the recorded order."""

    order: Sequence[Card]

    def card(self, draw_number: int) -> Card:
        """The card with this draw number, from 1."""
        return self.order[draw_number - 1]

    def lasts(self, drawn: int, cards: int) -> bool:
        """Whether so many cards can still be read."""
        return drawn + cards <= len(self.order)


class Pattern:
    """What the players stake from coup to coup, the same in every run."""

    def __init__(self, plan: TablePlan, stakes: Sequence[tuple[str, int]]) -> None:
        self._plan = plan
        self._stakes = stakes
        self._chance = random.Random(f"{SEED}/{plan.table_id}")  # noqa: S311 - a pattern, no secret
        self._sides = tuple(a for a in plan.rules.areas if a not in ("PLAYER", "BANKER", "TIE"))

    def coup(self, number: int) -> tuple[Stake, ...]:
        """The stakes of a coup, counted from 1; asked for in order."""
        area, amount = self._stakes[(number - 1) % len(self._stakes)]
        return (
            Stake(self._plan.recorded_player, area.upper(), amount),
            *(stake for player in self._plan.players for stake in self._of(player)),
        )

    def _of(self, player: str) -> Iterator[Stake]:
        """Mostly one of the hands, sometimes a tie, often a side area where there are any."""
        chance = self._chance
        main = chance.choices(("PLAYER", "BANKER", ""), (45, 45, 10))[0]
        if main:
            yield Stake(player, main, self._amount(20))
        if not main or chance.random() < 0.35:
            yield Stake(player, "TIE", self._amount(4))
        for side in self._sides:
            if chance.random() < 0.3:
                yield Stake(player, side, self._amount(6))

    def _amount(self, most: int) -> int:
        """Some minimum stakes and an odd bit, in whole chips."""
        plan = self._plan
        amount = plan.min_minor * self._chance.randint(1, most)
        amount += self._chance.choice((0, 0, 50, 75, 250))
        return amount - amount % plan.chip_minor


def seats(plan: TablePlan) -> Mapping[int, str]:
    """Who sits where: every second seat, from the dealer's right."""
    return {2 * place + 1: player for place, player in enumerate(plan.everybody)}


def stack_cards(plan: TablePlan) -> int:
    """Cards of a whole shoe."""
    return plan.decks * CARDS_PER_DECK
