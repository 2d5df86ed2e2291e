"""The commands of the shoe service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.contracts.common import RulebookActivated
from services.contracts.core import Command, Event, NotYet, Refused
from services.contracts.shoe import (
    CardDrawn,
)
from services.shoe.commands import (
    ActivateRulebook,
    BurnCards,
    CutCards,
    DeclineCut,
    DrawCard,
    InspectCards,
    LoadShoe,
    OfferCut,
    PlaceCutCard,
    Proceed,
    RequestRiffle,
    ShuffleCards,
)
from services.shoe.domain.dealing import burn, draw, proceed
from services.shoe.domain.loading import load
from services.shoe.domain.preparing import (
    cut,
    decline_cut,
    inspect,
    offer_cut,
    place_cut_card,
    request_riffle,
    shuffle,
)
from services.shoe.domain.state import NO_CARDS, Cards, ShoeState


def answer(command: Command, events: Sequence[Event], state: ShoeState) -> Mapping[str, Any]:
    """The draw number for a draw; nothing else needs telling."""
    del state
    if isinstance(command, DrawCard):
        numbers = [event.draw_number for event in events if isinstance(event, CardDrawn)]
        return {"draw_number": numbers[-1]} if numbers else {}
    return {}


def decide(
    command: Command, state: ShoeState, cards: Cards = NO_CARDS
) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, ActivateRulebook):
        return [RulebookActivated(session=command.session, settings=command.settings)]
    if state.settings is None:
        raise NotYet("the shoe service has not heard yet that this table is open")
    if not state.open and not isinstance(command, Proceed):
        raise Refused("STATE", "the table is closed")
    return _DECIDE[type(command)](command, state, cards)


_DECIDE: dict[type[Command], Callable[[Any, ShoeState, Cards], Sequence[Event]]] = {
    InspectCards: inspect,
    ShuffleCards: shuffle,
    RequestRiffle: request_riffle,
    OfferCut: offer_cut,
    DeclineCut: decline_cut,
    CutCards: cut,
    PlaceCutCard: place_cut_card,
    LoadShoe: load,
    BurnCards: burn,
    DrawCard: draw,
    Proceed: proceed,
}
