"""Before a shoe is loaded: inspection, shuffle, cut and cutting card (Procedure 3)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardsInspected,
    CardsShuffled,
    CutCardPlaced,
    CutDeclined,
    CutMade,
    CutOffered,
    PreShuffledIntroduced,
    RiffleRequested,
    ShoeAssembled,
    StackCut,
)
from services.rules import cutting
from services.shoe.commands import (
    CutCards,
    DeclineCut,
    InspectCards,
    OfferCut,
    PlaceCutCard,
    RequestRiffle,
    ShuffleCards,
)
from services.shoe.domain.state import (
    CARDS_PER_DECK,
    Cards,
    ShoeState,
    clauses_for,
    rules_of,
    settings_of,
)


def inspect(command: InspectCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="inspecting the cards")
    rules = rules_of(state).inspection
    if command.stage not in rules.stages:
        raise Refused("STATE", f"this rulebook knows no inspection {command.stage}")
    if rules.persons > 1 and command.witness == command.by.id:
        raise Refused(
            "ROLE", "two different persons inspect the cards", clauses_for(state, "inspection")
        )
    if rules.video_required and not command.video:
        raise Refused("APPROVAL", "the inspection needs a video reference")
    events: list[Event] = []
    if not state.preparation.assembled:
        decks = settings_of(state).decks
        events.append(ShoeAssembled(decks=decks, cards=decks * CARDS_PER_DECK))
    events.append(
        CardsInspected(
            stage=command.stage,
            witness=command.witness,
            video=command.video,
            defects=command.defects,
            clauses=clauses_for(state, "inspection"),
        )
    )
    return events


def shuffle(command: ShuffleCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="shuffling")
    rules = rules_of(state)
    preparation = state.preparation
    if command.procedure == "PRE_SHUFFLED":
        if not rules.pre_shuffled_packs:
            raise Refused("NOT_PERMITTED", "this rulebook takes no pre-shuffled packs")
        return [PreShuffledIntroduced()]
    manual = rules.shuffle_procedure == "WASH_STACK_RIFFLE"
    if command.procedure == "RIFFLE" and not preparation.pre_shuffled and manual:
        raise Refused("STATE", "a riffle alone is not this rulebook's shuffle")
    if manual and command.procedure not in ("MANUAL", "RIFFLE"):
        raise Refused(
            "NOT_PERMITTED",
            f"this rulebook shuffles by {rules.shuffle_procedure}, not by {command.procedure}",
            clauses_for(state, "shuffle"),
        )
    if command.procedure == "MULTISHUFFLER":
        decks = settings_of(state).decks
        if decks not in rules.multishuffler_decks:
            raise Refused("DECKS", f"a multishuffler does not take {decks} decks here")
    return [CardsShuffled(procedure=command.procedure, clauses=clauses_for(state, "shuffle"))]


def request_riffle(command: RequestRiffle, state: ShoeState, _: Cards) -> Sequence[Event]:
    if not rules_of(state).riffle_on_request:
        raise Refused("NOT_PERMITTED", "this rulebook knows no riffle on request")
    preparation = state.preparation
    if not preparation.pre_shuffled or preparation.cut is not None:
        raise Refused("STATE", "only pre-shuffled cards that are not cut yet can be riffled")
    return [RiffleRequested(player=command.player)]


def _ready_for_cut(state: ShoeState) -> None:
    preparation = state.preparation
    if not preparation.shuffled:
        raise Refused("STATE", "the cards are not shuffled yet")
    if preparation.cut is not None:
        raise Refused("STATE", "the cards are cut already")
    if preparation.riffle_owed:
        raise Refused("STATE", "a riffle was asked for and comes before the cut")


def _next_cutter(state: ShoeState) -> int | None:
    """The seat that is asked next; None where the game supervisor cuts (Procedure 3)."""
    settings = settings_of(state)
    order = cutting.cut_offers(
        rules_of(state),
        seated=[seat for seat, _ in state.players],
        first_shoe=state.shoes == 0,
        left_of_dealer=settings.left_of_dealer,
        seats=settings.seats,
    )
    asked = state.preparation.declined
    return next((seat for seat in order if isinstance(seat, int) and seat not in asked), None)


def offer_cut(command: OfferCut, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="offering the cut")
    if rules_of(state).cut_by != "PLAYER_CHAIN":
        raise Refused("NOT_PERMITTED", "under this rulebook the dealer cuts")
    _ready_for_cut(state)
    if (due := _next_cutter(state)) != command.seat:
        who = f"seat {due}" if due is not None else "the game supervisor"
        raise Refused(
            "CUT_ORDER", f"the cut is to be offered to {who}", clauses_for(state, "cut_order")
        )
    return [CutOffered(seat=command.seat)]


def decline_cut(command: DeclineCut, state: ShoeState, _: Cards) -> Sequence[Event]:
    if state.preparation.offered != command.seat:
        raise Refused("STATE", f"the cut is not offered to seat {command.seat}")
    return [CutDeclined(seat=command.seat)]


def cut(command: CutCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    rules = rules_of(state)
    if rules.cut_by == "DEALER":
        require_role(command, "DEALER", what="the cut")
    elif command.seat is None:
        require_role(command, "GAME_SUPERVISOR", what="the cut without a seat")
    _ready_for_cut(state)
    if rules.cut_by == "PLAYER_CHAIN" and (due := _next_cutter(state)) != command.seat:
        who = f"seat {due}" if due is not None else "the game supervisor"
        raise Refused("CUT_ORDER", f"{who} is to cut", clauses_for(state, "cut_order"))
    stack = settings_of(state).decks * CARDS_PER_DECK
    if not cutting.cut_position_ok(rules, command.position, stack):
        least = rules.cut_in_min_cards
        raise Refused(
            "CUT_POSITION",
            f"the cut leaves {least} cards or more at each end: {least} to {stack - least}",
            clauses_for(state, "cut_position"),
        )
    return [
        CutMade(
            position=command.position, seat=command.seat, clauses=clauses_for(state, "cut_position")
        ),
        StackCut(position=command.position),
    ]


def place_cut_card(command: PlaceCutCard, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="placing the cutting card")
    if state.preparation.cut is None:
        raise Refused("STATE", "the cards are not cut yet")
    stack = settings_of(state).decks * CARDS_PER_DECK
    if not cutting.cut_depth_ok(rules_of(state), command.from_back, stack):
        raise Refused(
            "CUT_DEPTH",
            f"{command.from_back} cards behind the cutting card are not allowed here",
            clauses_for(state, "cut_depth"),
        )
    return [CutCardPlaced(kind="CUT", from_back=command.from_back)]
