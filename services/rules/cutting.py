"""The cut, the cutting card and the end of the shoe (clause procedures 3 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.rules.cards import CARDS_PER_DECK, Card
from services.rules.rulebook import Rulebook

DEALER: Final = "dealer"
GAME_SUPERVISOR: Final = "game_supervisor"


def cut_position_ok(rulebook: Rulebook, position: int, cards: int) -> bool:
    """Tell whether a stack of `cards` may be cut with `position` cards in front.

    From either end at least `cut_in_min_cards` (000 3.3.2, 004 4.5).
    """
    least = rulebook.cut_in_min_cards
    return least <= position <= cards - least


def cut_depth_ok(rulebook: Rulebook, from_back: int, cards: int) -> bool:
    """Tell whether the cutting card may lie `from_back` cards from the back of `cards`.

    EXACT allows one depth; MIN allows any from its value up to all but one deck, so that
    a shoe cannot be over before it began (000 3.3.5, 004 4.6).
    """
    depth = rulebook.cut_depth
    if depth.mode == "EXACT":
        return from_back == depth.cards
    return depth.cards <= from_back <= cards - CARDS_PER_DECK


def rotate(cards: Sequence[Card], position: int) -> tuple[Card, ...]:
    """Return the stack after a cut: the `position` cards in front go to the back.

    Raises ValueError unless both parts have a card.
    """
    if not 0 < position < len(cards):
        message = f"{position} cards in front of {len(cards)} is no cut"
        raise ValueError(message)
    return (*cards[position:], *cards[:position])


def last_coup(rulebook: Rulebook, *, coup: int, as_first: bool, in_burn: bool) -> int | None:
    """Return the number of the last coup of the shoe, None when it retires at once.

    `coup` is the coup in which the cutting card showed: the one whose first card it came
    before (`as_first`) or whose later card (both false). When it showed in a burn between
    coups (`in_burn`), `coup` is the next one to be dealt. A coup counts here once it was
    started, however it ended (clause procedure 5).
    """
    if in_burn:
        return None if rulebook.cutting_card_in_burn == "RETIRE_SHOE" else coup
    if as_first or rulebook.end_of_shoe == "FINISH_CURRENT":
        return coup
    return coup + 1


def clockwise_from(start: int, seats: int | Sequence[int]) -> tuple[int, ...]:
    """Return all seats in clockwise order, beginning with `start`.

    `seats` is a number of seats, or their labels in the order in which they rise from the
    dealer's right. They rise counter-clockwise, so clockwise is downward and then on from
    the highest (X-33). Raises ValueError for a start that is no seat.
    """
    order = _labels(seats)[::-1]
    at = order.index(start) if start in order else -1
    if at < 0:
        message = f"there is no seat {start}"
        raise ValueError(message)
    return (*order[at:], *order[:at])


def counter_clockwise_from(start: int, seats: int | Sequence[int]) -> tuple[int, ...]:
    """Return all seats in counter-clockwise order, beginning with `start`.

    Arguments and errors as for `clockwise_from`.
    """
    downward = clockwise_from(start, seats)
    return (downward[0], *downward[:0:-1])


def from_dealers_right(left_of_dealer: int, seats: int | Sequence[int]) -> tuple[int, ...]:
    """Return all seats counter-clockwise, from the dealer's right to his left.

    Method B breaks ties in this order (004 8.7-8.8). Errors as for `clockwise_from`.
    """
    return clockwise_from(left_of_dealer, seats)[::-1]


def _labels(seats: int | Sequence[int]) -> tuple[int, ...]:
    return tuple(range(1, seats + 1)) if isinstance(seats, int) else tuple(seats)


def cut_offers(
    rulebook: Rulebook,
    *,
    seated: Sequence[int],
    first_shoe: bool,
    left_of_dealer: int,
    seats: int | Sequence[int],
) -> tuple[int | str, ...]:
    """Return to whom the stack is offered for the cut, in order.

    `seated` are the taken seats in the order in which their players came; standing players
    are not in it and are never offered anything. Where the dealer cuts, the answer is
    `("dealer",)`. Otherwise the first shoe of a table begins with the player who came
    first and later ones at the dealer's immediate left or the next taken seat clockwise;
    everybody is asked once, and the last is always `"game_supervisor"`.
    """
    if rulebook.cut_by == DEALER.upper():
        return (DEALER,)
    if not seated:
        return (GAME_SUPERVISOR,)
    start = seated[0] if first_shoe else left_of_dealer
    taken = set(seated)
    asked = [seat for seat in clockwise_from(start, seats) if seat in taken]
    return (*asked, GAME_SUPERVISOR)
