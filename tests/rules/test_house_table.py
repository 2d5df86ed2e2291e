"""A table of the house of `examples/`, played through all four cores in one process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from services.round.commands import OpenTable
from services.rules.rulebook import rulebook_of
from services.tablelog.inprocess import InProcessTable
from services.tablelog.reader import LogParser
from services.tablelog.render import OutLine, Renderer
from services.tablelog.replay import run_line
from services.tablelog.steps import Step, steps
from tests.rules.test_house import house_document

BURN = "2C 3C 4C 5C 6C 7C 8C 9C"
"""Enough for a burn of eight; the first card does not tell how many burn."""

LUCKY_SIX = "JS 4D JS KC 3H 2H"
"""Banker's six of three cards against Player's three; Player has a pair of one suit."""


class House:
    """One table of the house, line by line as in a table log."""

    def __init__(self, decks: int = 8, **settings: Any) -> None:
        self.table = InProcessTable("T1")
        self._parser = LogParser("test")
        self._renderer = Renderer()
        self._number = 0
        limits = {"*": {"min": 100, "max": 10_000_000}}
        line = self._line(
            "open_table", table="T1", rulebook="live-studio", limits=limits, decks=decks, **settings
        )
        (opening,) = steps(line, "T1")
        assert isinstance(opening.command, OpenTable)
        document = house_document()
        of_house = replace(
            opening.command.settings,
            rulebook_id="house",
            rulebook=document,
            rulebook_hash=rulebook_of(document).hash,
        )
        command = replace(opening.command, settings=of_house)
        refused, _ = self.table.run(Step(opening.service, command), "1")
        assert refused is None

    def _line(self, action: str, **fields: Any) -> Any:
        self._number += 1
        return self._parser.line(json.dumps({"do": action, **fields}).encode(), self._number)

    def do(self, action: str, **fields: Any) -> list[OutLine]:
        """One line of a log, and what it prints."""
        line = self._line(action, **fields)
        refused, told = run_line(self.table, line)
        extra = {"id": line.id} if action == "wager" else {}
        return list(self._renderer.line(self._number, action, refused, told, **extra))

    def shoe(self, cards: str) -> list[OutLine]:
        """A shoe with these cards in front, the rest unknown."""
        return self.do("load_shoe", shoe=f"S{self._number}", cards=cards.split(), partial=True)

    def betting(self, **stakes: int) -> None:
        """A round of betting with a wager on each of these areas."""
        self.do("open_betting")
        for area, amount in stakes.items():
            assert self.do("wager", id=area, player="p1", area=area, amount=amount) == []
        self.do("no_more_bets")


def of_kind(lines: Sequence[OutLine], kind: str) -> OutLine:
    """The one line of this kind."""
    (found,) = [line for line in lines if line["kind"] == kind]
    return found


@pytest.mark.parametrize("decks", [6, 8, 12])
def test_a_new_shoe_burns_as_many_cards_as_the_table_has_decks(decks: int) -> None:
    """The rulebook allows several numbers of decks; the table's own counts."""
    burned = of_kind(House(decks).shoe(f"{BURN} {LUCKY_SIX}"), "burned")
    assert (burned["reason"], burned["cards"], burned["first"]) == ("new_shoe", decks, None)


def test_a_coup_is_settled_on_every_area_of_the_house() -> None:
    """From the document alone: accepted, dealt, paid by the case that came about."""
    house = House()
    house.shoe(f"{BURN} {LUCKY_SIX}")
    areas = (*rulebook_of(house_document()).areas,)
    house.betting(**{area.lower(): 500 for area in areas})
    coup = of_kind(house.do("deal"), "coup")
    assert (coup["player_points"], coup["banker_points"]) == (3, 6)
    paid = {w["area"]: (w["outcome"], w["returned"], w["winnings"]) for w in coup["wagers"]}
    lost = ("lost", 0, 0)
    assert paid == {
        "player": lost,
        "banker": ("won", 500, 475),
        "tie": lost,
        "lucky_6": ("won", 500, 10_000),
        "dragon_7": lost,
        "panda_8": lost,
        "either_pair": ("won", 500, 2_500),
        "perfect_pair": ("won", 500, 12_500),
    }


def test_an_area_of_another_house_is_no_area_here() -> None:
    """The list is closed: a built-in area that is not offered is refused as well."""
    house = House()
    house.shoe(f"{BURN} {LUCKY_SIX}")
    house.do("open_betting")
    for area in ("big", "lucky_7"):
        told = house.do("wager", id=area, player="p1", area=area, amount=500)
        assert of_kind(told, "refused")["reason"] == "UNKNOWN_AREA"


def test_exposure_looks_at_what_the_house_pays() -> None:
    """8.6: a wager that could win more than the table allows is refused."""
    house = House(maximum_win=10_000)
    house.shoe(f"{BURN} {LUCKY_SIX}")
    house.do("open_betting")
    assert house.do("wager", id="1", player="p1", area="lucky_6", amount=500) == []
    assert house.do("wager", id="2", player="p1", area="panda_8", amount=400) == []
    refused = of_kind(
        house.do("wager", id="3", player="p1", area="dragon_7", amount=300), "refused"
    )
    assert refused["reason"] == "MAXIMUM_WIN"


def test_a_supervisors_void_pays_what_the_open_cards_have_won() -> None:
    """Procedure 13: pairs lie open and are paid; what hangs on the result is refunded."""
    house = House()
    house.shoe(f"{BURN} {LUCKY_SIX}")
    house.betting(either_pair=500, perfect_pair=500, lucky_6=500, banker=500)
    for _ in range(4):
        house.do("draw")
    told = house.do(
        "ruling",
        kind="void",
        coup=1,
        reason="EQUIPMENT_FAILED",
        by={"id": "cs1", "role": "casino_supervisor"},
        second={"id": "gs1", "role": "game_supervisor"},
    )
    coup = of_kind(told, "coup")
    paid = {w["area"]: (w["outcome"], w["returned"], w["winnings"]) for w in coup["wagers"]}
    assert coup["status"] == "void"
    assert paid["either_pair"] == ("won", 500, 2_500)
    assert paid["perfect_pair"] == ("won", 500, 12_500)
    assert {paid["lucky_6"][1:], paid["banker"][1:]} == {(500, 0)}
