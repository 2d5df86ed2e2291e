"""Every misbehaviour of an operator's wallet at every verb, and a crash at every step: books agree.

In one process, without a socket or a real second: see `tests/support/operator.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from services.contracts.core import Actor
from services.tablelog.steps import Step
from services.wager.commands import PlaceSlip, Stake
from services.walletsim.app import FAULTS, NO_ANSWER
from tests.simulation.virtual import VirtualLoop
from tests.support.operator import (
    CALLED,
    DEPOSIT,
    NOTED,
    RECORDED,
    STEPS,
    TABLE,
    Crash,
    Operator,
)
from tests.support.owed import unsettled

PLAYERS: Final = ("p1", "p2")
CARDS: Final = "AC 9D 2S AD 3H 2C KD 4S 6S 7H TD KC 9S 7D KD TC 5C 4H 3D QH 8C JD 2H 6H"


def stake(wager_id: str, player: str, area: str, amount: int) -> dict[str, Any]:
    return {"do": "wager", "id": wager_id, "player": player, "area": area, "amount": amount}


LINES: Final[list[dict[str, Any]]] = [
    {
        "do": "open_table",
        "table": TABLE,
        "rulebook": "nsw-mini",
        "decks": 8,
        "limits": {"*": {"min": 100, "max": 1_000_000}},
    },
    {"do": "load_shoe", "shoe": "S1", "partial": True, "cards": CARDS.split()},
    {"do": "open_betting"},
    stake("w1", "p1", "banker", 1_000),
    stake("w2", "p2", "tie", 500),
    {"do": "cancel_wager", "id": "w2"},
    {"do": "no_more_bets"},
    {"do": "deal"},
    {
        "do": "ruling",
        "kind": "invalidate",
        "coup": 1,
        "reason": "FIRE",
        "second": {"id": "cs-2", "role": "casino_supervisor"},
    },
]
"""One wager that is paid and taken back after the coup was set aside, and one that is cancelled."""

UNDO: Final = "UNDO"
"""The cancel, by name, of a debit of which nobody knows the outcome."""

PLACES: Final = {
    "DEBIT": ("DEBIT", "p1"),
    "CANCEL": ("CANCEL", "p2"),
    UNDO: ("CANCEL", "p1"),
    "CREDIT": ("CREDIT", "p1"),
    "REVERSE": ("REVERSE", "p1"),
}
"""Where a misbehaviour is planted: the verb and the player of its movement."""


UNANSWERED: Final = ("SLOW", *NO_ANSWER)


def reached(place: str, fault: str) -> tuple[str, ...]:
    """The steps that a movement comes to: not everything is told to the table, or the journal."""
    steps = STEPS[PLACES[place][0]]
    unknown = fault in UNANSWERED or (place, fault) == ("DEBIT", "WRONG_AMOUNT")
    if place == "DEBIT" and unknown:
        return tuple(step for step in steps if step != NOTED)
    refused = fault == "REFUSE" or (fault == "WRONG_AMOUNT" and place != UNDO)
    told = refused or (unknown and place != "CREDIT")
    if place in ("CANCEL", UNDO, "CREDIT") and not told:
        return tuple(step for step in steps if step != RECORDED)
    return steps


def written(folder: Path, lines: Sequence[dict[str, Any]]) -> str:
    path = folder / "table.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return str(path)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("log"), LINES)


async def check(made: Operator) -> dict[str, str]:
    """What has to be so whenever nothing moves; returns the open items."""
    items = await made.items()
    assert items == unsettled(made.simulator.answers)
    assert "DONE" not in {made.journal.rows[key].status for key in items}, "done stays done"
    movements = {key: made.journal.rows[key].entry.movement for key in items}
    undone = {movement.cancels for movement in movements.values()}
    assert {each.key for each in made.differences()} <= {*items, *undone}
    right = dict.fromkeys(made.players, DEPOSIT)
    moved = {row.key: row.amount_minor for row in made.simulator.books.movements()}
    for key, movement in movements.items():
        sign = -1 if movement.verb == "REVERSE" else 1
        right[movement.player] += moved.get(key, 0) - sign * movement.amount_minor
    assert made.balances() == right
    return items


async def played(
    log: str, place: str, faults: Sequence[str], at: str, *, dies: bool | None
) -> None:
    """One table, with misbehaviours one behind the other and a crash; then a person repeats."""
    verb, player = PLACES[place]
    crash = Crash(at, verb, player)
    async with Operator(crash, PLAYERS) as made:
        if place == UNDO:
            made.misbehaves("DEBIT", "LOST", player)
        for fault in faults:
            made.misbehaves(verb, fault, player)
        await made.play(log)
        assert dies is None or crash.reached == dies, "a step is where it was"
        met = [each.fault for each in made.simulator.answers if each.fault and each.verb == verb]
        assert met[:1] == list(faults[:1])
        made.simulator.faults.clear()
        for key, kind in (await check(made)).items():
            await made.repeat(kind, key)
        for key in await check(made):
            assert "WRONG_AMOUNT" in met, f"{key} is taken by a wallet that behaves"


def run(log: str, place: str, faults: Sequence[str], at: str, *, dies: bool | None) -> None:
    """In virtual time; where it fails, say at which step."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        try:
            runner.run(played(log, place, faults, at, dies=dies))
        except AssertionError as error:
            raise AssertionError(f"crash at {at or 'no step'}: {error}") from error


@pytest.mark.parametrize("fault", ["", *FAULTS])
@pytest.mark.parametrize("place", PLACES)
def test_every_misbehaviour_at_every_verb_and_a_crash_at_every_step(
    log: str, place: str, fault: str
) -> None:
    """D13, N-1, N-7, domain 4.4: equal books to the minor unit; what is refused is an open item."""
    for at in ("", *STEPS[PLACES[place][0]]):
        run(log, place, [fault] if fault else [], at, dies=at in ("", *reached(place, fault)))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("place", PLACES)
def test_a_refusal_behind_any_misbehaviour(log: str, place: str, fault: str) -> None:
    """Domain 4.2: whatever became of the first request, and whoever knows of it, nothing is lost."""
    steps = STEPS[PLACES[place][0]]
    for at in steps[1:]:
        run(log, place, [fault, "REFUSE"], at, dies=None)


async def seconds(log: str, **settings: Any) -> float:
    """How long it takes until nothing moves, where a cancel is not answered three times."""
    async with Operator(Crash(), PLAYERS, **settings) as made:
        for _ in range(3):
            made.misbehaves("CANCEL", "ERROR", "p2")
        await made.play(log)
        await check(made)
        return asyncio.get_running_loop().time()


def test_an_operator_has_it_in_his_settings_how_soon_he_is_asked_again(log: str) -> None:
    """Domain 4.2: some take a repeat once in five minutes; the pauses double to the longest."""
    took = []
    for settings in ({}, {"pause_s": 10.0}, {"pause_s": 10.0, "pause_max_s": 15.0}):
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            took.append(runner.run(seconds(log, **settings)))
    assert took[0] < 10
    assert 70 <= took[1] < 80
    assert 40 <= took[2] < 50


# --- slips, increases, and one credit for a coup ---


def own(player: str) -> dict[str, str]:
    return {"id": player, "role": "player"}


P3: Final = Actor("p3", "PLAYER")
WIDE: Final[list[dict[str, Any]]] = [
    *LINES[:3],
    stake("w1", "p1", "banker", 1_000),
    {"do": "change_wager", "id": "w1", "amount": 1_500, "by": own("p1")},
    {"do": "change_wager", "id": "w1", "amount": 1_200, "by": own("p1")},
    {"do": "cancel_wager", "id": "s1#slip-3", "by": own("p3")},
    *LINES[6:],
]
SLIP: Final = Step(
    "wager",
    PlaceSlip(
        at_us=0,
        by=P3,
        slip_id="s1",
        player=P3.id,
        wagers=tuple(
            Stake(area=area, amount_minor=amount)
            for area, amount in (("BANKER", 300), ("TIE", 200), ("TIE", 100))
        ),
    ),
)
SLIP_AFTER: Final = 6
WIDE_PLACES: Final = {
    "INCREASE": (5, "DEBIT", "p1"),
    "DECREASE": (6, "CANCEL", "p1"),
    "SLIP": (-SLIP_AFTER, "DEBIT", "p3"),
    "SLIP_UNDONE": (-SLIP_AFTER, "CANCEL", "p3"),
    "SLIP_PART": (7, "CANCEL", "p3"),
    "COUP_CREDIT": (9, "CREDIT", "p3"),
    "CORRECTED_UP": (10, "CREDIT", "p3"),
    "CORRECTED_DOWN": (10, "REVERSE", "p3"),
}
"""Before which line (negative: the slip behind it) a misbehaviour is planted, and at what."""


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("wide"), WIDE)


async def played_wide(log: str, place: str, fault: str) -> None:
    line, verb, player = WIDE_PLACES[place]
    crash = Crash(CALLED, verb, player)
    crash.armed = False
    async with Operator(crash, ("p1", "p3"), together=("*",)) as made:

        def plant(number: int) -> None:
            if number != line:
                return
            if place == "SLIP_UNDONE":
                made.misbehaves("DEBIT", "LOST", player)
            made.misbehaves(verb, fault, player)
            crash.armed = True

        await made.play(log, behind={SLIP_AFTER: SLIP}, before=plant)
        assert crash.reached
        assert fault in {each.fault for each in made.simulator.answers}
        for key, kind in (await check(made)).items():
            await made.repeat(kind, key)
        # A wager that was credited meanwhile is cancelled no more: that takes the operator's hand.
        final = fault == "WRONG_AMOUNT" or (place, fault) == ("DECREASE", "REFUSE")
        assert not await check(made) or final


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("place", WIDE_PLACES)
def test_slips_increases_and_common_credits_too(wide: str, place: str, fault: str) -> None:
    """D13, N-1, N-7, domain 4.2: one debit of several wagers, a second one of a wager, its part
    that goes back, one credit for a player's coup, and what a correction moves wager by wager.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.run(played_wide(wide, place, fault))
