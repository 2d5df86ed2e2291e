"""Random play at a table: mostly what a dealer would do next, sometimes what he should not do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from services.round.domain.order import next_for_hand, next_for_shoe
from tests.support.played import CASINO_SUPERVISOR, GAME_SUPERVISOR, Played

Choose = Callable[[int], int]
"""A number from 0 to one less than what it is given."""

Option = tuple[str, dict[str, Any]]
SECOND = {"by": CASINO_SUPERVISOR, "second": GAME_SUPERVISOR}
PLAYERS = ("p1", "p2", "p3")
HANDS = ("player", "banker")


def wander(played: Played, choose: Choose, steps: int, *, cards: list[str]) -> Played:
    """Take so many steps; `cards` is the front of every shoe that is loaded."""
    for step in range(steps):
        options = [*_next(played, step, cards)]
        action, fields = options[choose(len(options))]
        played.do(action, **fields)
    return played


def _next(played: Played, step: int, cards: list[str]) -> Iterator[Option]:
    table, coup = played.round, played.round.coup
    if table.suspension is not None:
        yield "resume_table", dict(SECOND)
    if coup is None:
        yield from _between(played, step, cards)
    elif coup.hold is not None:
        yield from _held(coup)
    elif coup.window is not None:
        yield "close_withdrawals", {}
    elif coup.phase == "BETTING":
        yield from _betting(step)
    elif coup.phase == "CLOSED":
        yield from (("close_book", {}), ("deal", {}), ("draw", {}), ("expose_next", {}))
    else:
        yield from _dealing(played, coup)


def _between(played: Played, step: int, cards: list[str]) -> Iterator[Option]:
    shoe = played.round.shoe
    if shoe is None or shoe.ended or played.round.suspension is not None:
        yield "load_shoe", {"shoe": f"S{step}", "cards": cards}
        return
    for reason in shoe.owed:
        if reason == "GAME_ERROR":
            yield "approve", {"what": "three_card_burn"}
        yield "burn", {"reason": reason.lower()}
    yield "open_betting", {}
    yield "open_betting", {}
    yield "expose_next", {}
    yield "draw", {}
    yield "change_dealer", {"dealer": f"d{step}"}
    yield "load_shoe", {"shoe": f"S{step}", "cards": cards}
    if played.round.coups:
        hands = {"player": ["6S", "3D"], "banker": ["7H", "KC"]}
        number = {"coup": played.round.coups, **SECOND}
        yield "ruling", {"kind": "correct_result", "reason": "x", "cards": hands, **number}
        yield "ruling", {"kind": "invalidate", "reason": "FIRE", **number}


def _betting(step: int) -> Iterator[Option]:
    for player in PLAYERS:
        area = ("player", "banker", "tie")[step % 3]
        fields = {"id": f"w{step}", "player": player, "area": area, "amount": 100 + step}
        yield "wager", fields
    yield "no_more_bets", {}
    yield "no_more_bets", {}
    yield "draw", {"face": "down"}
    yield "expose_next", {}


def _held(coup: Any) -> Iterator[Option]:
    number = {"coup": coup.number}
    by = {"by": CASINO_SUPERVISOR}
    for kind in ("reconstruct", "correct_placement", "confirm_result"):
        yield "ruling", {"kind": kind, **number, **by}
    for seen in (True, False):
        yield "ruling", {"kind": "attest", "seen": seen, **by}
    yield "draw", {"to": "banker"}
    yield "ruling", {"kind": "void", "reason": "EVACUATION", **number, **SECOND}


def _dealing(played: Played, coup: Any) -> Iterator[Option]:
    yield "deal", {}
    yield "announce", {}
    for _ in range(3):
        yield "draw", {}
    for hand in HANDS:
        yield "draw", {"to": hand}
        yield "announce", {"winner": hand}
    yield "draw", {"count": 2}
    yield "expose_next", {}
    yield "approve", {"what": "multi_pull"}
    yield "approve", {"what": "extra_cards"}
    if coup.method in ("C", "D") and played.round.holder is None:
        seat = next_for_shoe(played.round, coup)
        if seat is not None:
            yield "offer_shoe", {"seat": seat}
            yield "accept_shoe", {"seat": seat, "hand": "banker"}
            yield "decline_shoe", {"seat": seat}
    if coup.method == "B":
        for hand in HANDS:
            seat = next_for_hand(played.round, coup, hand.upper())
            if seat is not None:
                for action in ("offer_cards", "accept_cards", "return_cards", "decline_cards"):
                    yield action, {"hand": hand, "seat": seat}
