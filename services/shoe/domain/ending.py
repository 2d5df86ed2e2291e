"""The end of a shoe: last coup, early end, what lapses, and the revelation of a sealed order."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardsRetired,
    LastCoupDesignated,
    ShoeInvalidated,
    ShoeRetired,
    ShoeRevealed,
)
from services.shoe.commands import EndShoe
from services.shoe.domain.evolve import fold
from services.shoe.domain.state import (
    GENERATED,
    IDLE,
    Cards,
    Shoe,
    ShoeState,
    clauses_for,
    rules_of,
    usable_shoe,
)


def last_coup(state: ShoeState, shoe: Shoe, coup: int) -> LastCoupDesignated:
    return LastCoupDesignated(
        shoe_id=shoe.shoe_id,
        coup=coup,
        call=rules_of(state).last_coup_call,
        clauses=clauses_for(state, "last_coup"),
    )


def retired(state: ShoeState, cards: Cards, reason: str, note: str = "") -> Sequence[Event]:
    """The shoe deals no more; `cards` is its own sealed order."""
    shoe = state.shoe
    assert shoe is not None
    kept = ("CARRIED_CARD",) * len(shoe.carried)
    over = ShoeRetired(
        shoe_id=shoe.shoe_id,
        reason=reason,
        note=note,
        dealt=shoe.dealt,
        burned=shoe.burned,
        left=shoe.left,
        lapsed=(*shoe.owed, *kept),
    )
    return [over, *_afterwards(state, shoe, cards)]


def behind(state: ShoeState, events: Sequence[Event], cards: Cards, reason: str) -> list[Event]:
    """These events, and the end of the shoe behind them."""
    return [*events, *retired(fold(state, events), cards, reason)]


def invalidated(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """A card came out before the new shoe's burn: the shoe is spoiled (002 L29)."""
    shoe = usable_shoe(state)
    spoiled = ShoeInvalidated(
        shoe_id=shoe.shoe_id,
        reason="NO_BURN",
        dealt=shoe.dealt + 1,
        burned=shoe.burned,
        left=shoe.left - 1,
        clauses=clauses_for(state, "burn_missing"),
    )
    return [spoiled, *_afterwards(state, shoe, cards)]


def _afterwards(state: ShoeState, shoe: Shoe, cards: Cards) -> Sequence[Event]:
    events: list[Event] = []
    if shoe.handled and rules_of(state).retire_handled_cards:
        events.append(
            CardsRetired(
                shoe_id=shoe.shoe_id,
                reason="HANDLED",
                deck_ids=shoe.deck_ids,
                clauses=clauses_for(state, "handled_cards"),
            )
        )
    if shoe.source == GENERATED and cards.secret():
        events.append(
            ShoeRevealed(
                shoe_id=shoe.shoe_id,
                number=shoe.number,
                order=cards.order(),
                secret=cards.secret(),
            )
        )
    return events


def end_shoe(command: EndShoe, state: ShoeState, cards: Cards) -> Sequence[Event]:
    """The house ends a shoe before its cutting card does (000 3.2.3)."""
    wanted = rules_of(state).reshuffle_between_coups_by
    if wanted is None:
        raise Refused("NOT_PERMITTED", "under this rulebook only the cutting card ends a shoe")
    require_role(command, wanted, what="ending a shoe early")
    usable_shoe(state)
    if state.course.phase != IDLE:
        raise Refused(
            "STATE",
            "a shoe is ended between coups, with no betting open",
            clauses_for(state, "reshuffle"),
        )
    return retired(state, cards, "ENDED_EARLY", command.reason)
