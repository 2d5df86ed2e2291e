"""What the texts forbid has no command at all."""

from __future__ import annotations

from types import ModuleType

import pytest

from services.contracts.core import Command
from services.round import commands as round_commands
from services.settlement import commands as settlement_commands
from services.shoe import commands as shoe_commands
from services.wager import commands as wager_commands
from tests.support.played import SIX_SEVEN, Played

MODULES = (round_commands, shoe_commands, wager_commands, settlement_commands)


def commands_of(module: ModuleType) -> dict[str, tuple[str, ...]]:
    """The commands of a service, with their fields."""
    return {
        name: tuple(kind.__struct_fields__)
        for name, kind in vars(module).items()
        if isinstance(kind, type) and issubclass(kind, Command) and kind is not Command
    }


ALL = {name: fields for module in MODULES for name, fields in commands_of(module).items()}


def test_no_command_moves_a_wager_to_another_area() -> None:
    """A-29: an area is said once, when the wager is placed; change and cancel know the id only."""
    assert {name for name, fields in ALL.items() if "area" in fields} == {"PlaceWager"}
    assert "amount_minor" in ALL["ChangeWager"]


def test_before_the_close_a_wager_is_taken_back_and_placed_anew() -> None:
    """A-29: that is the way from one area to another, and after the close there is none."""
    played = Played().shoe(f"AC 9D {SIX_SEVEN}").betting().wager("w1", "p1", "tie")
    assert played.wager("w1", "p1", "banker").reason == "DUPLICATE"
    assert played.do("cancel_wager", id="w1").reason is None
    assert played.wager("w2", "p1", "banker").reason is None
    played.do("no_more_bets")
    assert played.do("cancel_wager", id="w2").reason == "LATE"
    wagers = {one["id"]: one for one in played.do("deal").line("coup")["wagers"]}
    assert (wagers["w1"]["outcome"], wagers["w2"]["outcome"]) == ("cancelled", "won")


def test_no_command_takes_money_from_one_player_to_another() -> None:
    """F-179: what names a player and an amount is a wager, or what the wallet said of giving back his own.

    No command names two players.
    """
    staking = {name for name, fields in ALL.items() if {"player", "amount_minor"} <= {*fields}}
    assert staking == {"PlaceWager", "RecordCredit", "RecordRefund"}
    people = [name for fields in ALL.values() for name in fields if "player" in name]
    assert set(people) <= {"player", "players_max", "player_points"}


@pytest.mark.parametrize("area", ["p2", "side", "next_card", "player_vs_player"])
def test_a_bet_on_anything_but_the_tables_areas_is_refused(area: str) -> None:
    """F-179: a wager between players would need an area that no rulebook has."""
    played = Played().shoe(f"AC 9D {SIX_SEVEN}").betting()
    assert played.wager("w1", "p1", area).reason == "UNKNOWN_AREA"
