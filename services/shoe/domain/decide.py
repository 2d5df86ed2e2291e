"""The commands of the shoe service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.contracts.common import RulebookActivated
from services.contracts.core import Command, Decided, Event, NotYet, Refused
from services.contracts.crew import require_heard, require_on_shift
from services.contracts.guards import require_meaning
from services.contracts.shoe import (
    CardDrawn,
)
from services.rules.roles import DEALER
from services.shoe.commands import (
    ActivateRulebook,
    ApproveErrorBurn,
    AssembleShoe,
    BurnCards,
    CollectCards,
    CutCards,
    DeclineCut,
    DrawCard,
    EndShoe,
    EnterCard,
    ExposeNext,
    InspectCards,
    LoadShoe,
    OfferCut,
    PlaceCutCard,
    Proceed,
    RegisterShoeDevice,
    RegisterShuffleDevice,
    RejectDeck,
    RemoveCards,
    ReplaceCards,
    ReportFault,
    RequestRiffle,
    ResumeCoup,
    SealPack,
    ShuffleCards,
)
from services.shoe.domain.burning import approve_error_burn, burn
from services.shoe.domain.dealing import draw
from services.shoe.domain.device import report_fault, resume
from services.shoe.domain.due import proceed
from services.shoe.domain.ending import end_shoe
from services.shoe.domain.errors import expose_next
from services.shoe.domain.evolve import evolve
from services.shoe.domain.loading import load
from services.shoe.domain.packs import (
    assemble,
    collect,
    register_shoe_device,
    register_shuffle_device,
    reject_deck,
    remove_cards,
    replace_cards,
    seal_pack,
)
from services.shoe.domain.preparing import (
    cut,
    decline_cut,
    inspect,
    offer_cut,
    place_cut_card,
    request_riffle,
    shuffle,
)
from services.shoe.domain.reading import enter
from services.shoe.domain.state import NO_CARDS, Cards, ShoeState


def answer(command: Command, events: Sequence[Event], state: ShoeState) -> Mapping[str, Any]:
    """The draw number for a draw; nothing else needs telling."""
    del state
    if isinstance(command, DrawCard):
        numbers = [event.draw_number for event in events if isinstance(event, CardDrawn)]
        return {"draw_number": numbers[-1]} if numbers else {}
    return {}


def decide(
    command: Command, state: ShoeState, cards: Cards = NO_CARDS, before: Cards = NO_CARDS
) -> Decided:
    """Events that the command causes, and the states after them; raises `Refused` where the rules do not allow it.

    `cards` is the sealed order of the shoe in question. Where the command brings in another order
    (`LoadShoe`, `ResumeCoup`), that is `cards`, and `before` is the one which it replaces.
    """
    decided = Decided(state, evolve)
    if isinstance(command, ActivateRulebook):
        return decided.take([RulebookActivated(session=command.session, settings=command.settings)])
    require_meaning(command)
    if state.settings is None:
        raise NotYet("the shoe service has not heard yet that this table is open")
    if not state.open and not isinstance(command, Proceed):
        raise Refused("STATE", "the table is closed")
    if _is_of_the_crew(command) and not state.settings.test:
        require_heard(command, state.crew, service="shoe")
        if command.by.role == DEALER and not state.crew.dealer:
            raise NotYet("the shoe service has not heard yet who deals at this table")
        require_on_shift(command, state.crew, hears_late=True)
    if isinstance(command, Proceed):
        return proceed(decided, cards)
    if isinstance(command, LoadShoe):
        return decided.take(load(command, state, cards, before))
    if isinstance(command, ResumeCoup):
        return decided.take(resume(command, state, cards, before))
    return decided.take(_DECIDE[type(command)](command, state, cards))


def _is_of_the_crew(command: Command) -> bool:
    """Cards on the table are the crew's; an electronic shoe reports whoever deals."""
    if isinstance(command, DrawCard):
        return not command.device_id
    return isinstance(command, BurnCards | CollectCards)


_DECIDE: dict[type[Command], Callable[[Any, ShoeState, Cards], Sequence[Event]]] = {
    InspectCards: inspect,
    ShuffleCards: shuffle,
    RequestRiffle: request_riffle,
    OfferCut: offer_cut,
    DeclineCut: decline_cut,
    CutCards: cut,
    PlaceCutCard: place_cut_card,
    BurnCards: burn,
    ApproveErrorBurn: approve_error_burn,
    DrawCard: draw,
    EnterCard: enter,
    ExposeNext: expose_next,
    EndShoe: end_shoe,
    ReportFault: report_fault,
    RegisterShoeDevice: register_shoe_device,
    RegisterShuffleDevice: register_shuffle_device,
    AssembleShoe: assemble,
    RejectDeck: reject_deck,
    ReplaceCards: replace_cards,
    RemoveCards: remove_cards,
    SealPack: seal_pack,
    CollectCards: collect,
}
