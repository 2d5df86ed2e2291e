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
    PackOpened,
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
    WINDOW,
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
        known = ", ".join(rules.stages)
        raise Refused("STATE", f"stage: this rulebook inspects at {known}, not {command.stage!r}")
    if rules.persons > 1 and command.witness == command.by.id:
        raise Refused(
            "ROLE", "two different persons inspect the cards", clauses_for(state, "inspection")
        )
    if rules.video_required and not command.video:
        raise Refused(
            "APPROVAL",
            "the inspection needs a video reference",
            clauses_for(state, "inspection"),
        )
    events: list[Event] = []
    if not state.preparation.assembled and command.stage == "PRE":
        decks = settings_of(state).decks
        events.append(ShoeAssembled(decks=decks, cards=decks * CARDS_PER_DECK))
    events.append(
        CardsInspected(
            stage=command.stage,
            witness=command.witness,
            video=command.video,
            defects=command.defects,
            incomplete=command.incomplete,
            clauses=clauses_for(state, "inspection"),
        )
    )
    return events


def shuffle(command: ShuffleCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="shuffling")
    rules = rules_of(state)
    if command.procedure == "PRE_SHUFFLED":
        return _introduced(command, state)
    manual = rules.shuffle_procedure == "WASH_STACK_RIFFLE"
    if command.procedure == "RIFFLE" and not state.preparation.pre_shuffled and manual:
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
            raise Refused(
                "DECKS",
                f"a multishuffler does not take {decks} decks here",
                clauses_for(state, "decks"),
            )
    if command.procedure == "DEVICE" and "SHUFFLING_DEVICE" not in rules.card_sources:
        raise Refused("NOT_PERMITTED", "this rulebook takes no shuffling device")
    if command.device_id and command.device_id not in state.custody.shufflers:
        raise Refused("UNKNOWN", f"the machine {command.device_id} is not this table's")
    return [
        CardsShuffled(
            procedure=command.procedure,
            device_id=command.device_id,
            clauses=clauses_for(state, "shuffle"),
        )
    ]


def _introduced(command: ShuffleCards, state: ShoeState) -> Sequence[Event]:
    """A sealed pack of shuffled cards comes in (004 3.5, 4.1.2)."""
    if not rules_of(state).pre_shuffled_packs:
        raise Refused("NOT_PERMITTED", "this rulebook takes no pre-shuffled packs")
    clauses = clauses_for(state, "pre_shuffled")
    known = command.seal_id in state.custody.seals
    if not known and (command.seal_id or not settings_of(state).test):
        raise Refused("UNKNOWN", f"no pack lies under the seal {command.seal_id!r}", clauses)
    opened = [PackOpened(seal_id=command.seal_id, clauses=clauses)] if known else []
    return [*opened, PreShuffledIntroduced(seal_id=command.seal_id, clauses=clauses)]


def request_riffle(command: RequestRiffle, state: ShoeState, _: Cards) -> Sequence[Event]:
    if not rules_of(state).riffle_on_request:
        raise Refused("NOT_PERMITTED", "this rulebook knows no riffle on request")
    preparation = state.preparation
    if not preparation.pre_shuffled or preparation.cut is not None:
        raise Refused("STATE", "only pre-shuffled cards that are not cut yet can be riffled")
    return [RiffleRequested(player=command.player)]


def _stack(state: ShoeState) -> int:
    """Cards that are cut: all of them, or those that a failed device had left (004 13.5.3)."""
    shoe = state.shoe
    if shoe is not None and not shoe.ended and shoe.fault == WINDOW:
        return shoe.left
    return settings_of(state).decks * CARDS_PER_DECK


def _ready_for_cut(state: ShoeState) -> None:
    preparation = state.preparation
    if not preparation.shuffled:
        raise Refused("STATE", "the cards are not shuffled yet")
    if preparation.procedure == "DEVICE":
        raise Refused(
            "NOT_PERMITTED", "cards in a shuffling device are not cut", clauses_for(state, "device")
        )
    if preparation.cut is not None:
        raise Refused("STATE", "the cards are cut already")
    if preparation.riffle_owed:
        raise Refused(
            "STATE", "a riffle was asked for and comes before the cut", clauses_for(state, "riffle")
        )


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
    stack = _stack(state)
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
    rules = rules_of(state)
    if not cutting.cut_depth_ok(rules, command.from_back, _stack(state)):
        raise Refused(
            "CUT_DEPTH",
            f"{command.from_back} cards behind the cutting card are not allowed here",
            clauses_for(state, "cut_depth"),
        )
    back = [CutCardPlaced(kind="BACK", from_back=0)] if "BACK" in rules.cut_markers else []
    return [*back, CutCardPlaced(kind="CUT", from_back=command.from_back)]
