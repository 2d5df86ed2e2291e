"""Burns: how many cards, and which of them are owed (clause procedure 2)."""

from __future__ import annotations

from dataclasses import dataclass

from services.rules.cards import Card, burn_value
from services.rules.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class ErrorBurn:
    """A burn for a game error: all cards that go, and how many of them are still to draw."""

    cards: int
    to_draw: int


def new_shoe_burn(rulebook: Rulebook, first_card: Card | None, *, decks: int | None = None) -> int:
    """Return how many cards a new shoe burns in all, the first card included.

    FIXED burns its number whatever the first card is, and takes None. DECKS burns as many
    as the shoe has decks, which may be left out where the rulebook allows only one number
    of them. FACE_VALUE burns as many as the first card shows, on top of that card unless
    `burn.first_counts` says that it is one of them. Raises ValueError when FACE_VALUE is
    asked without a card, or DECKS without the decks.
    """
    burn = rulebook.burn
    if burn.new_shoe == "FIXED":
        return burn.new_shoe_cards or 0
    if burn.new_shoe == "DECKS":
        if decks is None and len(rulebook.decks) > 1:
            message = "as many cards burn as the shoe has decks, and their number is not known"
            raise ValueError(message)
        return decks or rulebook.decks[0]
    if first_card is None:
        message = "the first card of the shoe tells how many burn, and it is not known"
        raise ValueError(message)
    shown = burn_value(first_card, burn.ten_value or 0)
    return max(shown, 1) if burn.first_counts else shown + 1


def owed(rulebook: Rulebook, reason: str) -> int:
    """Return how many cards a standing obligation burns: 0 when the rulebook has none.

    `reason` is `between_coups` or `dealer_change`; each change of dealer owes its own burn
    (X-5). A new shoe's burn depends on its first card and an error's on what was set
    aside, so they have functions of their own. Raises ValueError for another reason.
    """
    if reason == "between_coups":
        return rulebook.burn.between_coups
    if reason == "dealer_change":
        return rulebook.burn.dealer_change
    message = f"{reason} is no standing obligation"
    raise ValueError(message)


def game_error_burn(rulebook: Rulebook, set_aside: int) -> ErrorBurn:
    """Return the burn for a game error when `set_aside` cards lie drawn in error.

    Where set-aside cards count, they go first and only the rest is drawn; more of them
    than the number are all burned and none is drawn. Where they do not count, the whole
    number is drawn on top and all are burned (X-6). Zero where the rulebook knows no
    error burn.
    """
    number = rulebook.burn.game_error
    if not number:
        return ErrorBurn(cards=0, to_draw=0)
    to_draw = number
    if rulebook.burn.game_error_counts_set_aside:
        to_draw = max(number - set_aside, 0)
    return ErrorBurn(cards=set_aside + to_draw, to_draw=to_draw)


def discretionary_ok(rulebook: Rulebook, count: int) -> bool:
    """Tell whether the house may burn `count` cards at its own discretion (000 3.4)."""
    return 1 <= count <= rulebook.burn.discretionary_max_cards
