"""Small changes of the table's state that every `evolve` function uses."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from services.round.domain.coup import PLAYER, Coup, HandPlay
from services.round.domain.state import PAGE_COUPS, Past, TableState


def with_coup(state: TableState, **changes: Any) -> TableState:
    """The state with its coup changed; as it is where no coup runs."""
    if state.coup is None:
        return state
    return replace(state, coup=replace(state.coup, **changes))


def with_shoe(state: TableState, **changes: Any) -> TableState:
    """The state with what it knows of the shoe changed; as it is where there is none."""
    if state.shoe is None:
        return state
    return replace(state, shoe=replace(state.shoe, **changes))


def with_play(state: TableState, hand: str, **changes: Any) -> TableState:
    """The state with what it knows of a hand's holder changed."""
    coup = state.coup
    if coup is None:
        return state
    play: HandPlay = replace(coup.play(hand), **changes)
    name = "player_play" if hand == PLAYER else "banker_play"
    return with_coup(state, **{name: play})


def owe(state: TableState, reason: str) -> TableState:
    """A burn is owed before the next betting."""
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return state
    return with_shoe(state, owed=(*shoe.owed, reason))


def appended(past: tuple[tuple[Past, ...], ...], coup: Past) -> tuple[tuple[Past, ...], ...]:
    """The past with one more coup."""
    if past and len(past[-1]) < PAGE_COUPS:
        return (*past[:-1], (*past[-1], coup))
    return (*past, (coup,))


def amended(state: TableState, number: int, **changes: Any) -> TableState:
    """The state with a coup that is over changed."""
    page, place = divmod(number - 1, PAGE_COUPS)
    if number < 1 or page >= len(state.past) or place >= len(state.past[page]):
        return state
    held = list(state.past[page])
    held[place] = replace(held[place], **changes)
    return replace(state, past=(*state.past[:page], tuple(held), *state.past[page + 1 :]))


def placed(coup: Coup, hand: str, place: int, card: str | None) -> dict[str, Any]:
    """The change that puts a card at a place of a hand."""
    name = "player_cards" if hand == PLAYER else "banker_cards"
    cards = list(getattr(coup, name))
    if place < len(cards):
        cards[place] = card
    else:
        cards.append(card)
    return {name: tuple(cards)}
