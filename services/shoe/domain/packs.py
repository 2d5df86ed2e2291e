"""Decks, packs and machines: what belongs to the table, what left it, what never comes back."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardsCollected,
    CardsRemovedFromTable,
    CardsReplaced,
    DeckRejected,
    PackSealed,
    ShoeAssembled,
    ShoeDeviceRegistered,
    ShuffleDeviceRegistered,
)
from services.shoe.commands import (
    AssembleShoe,
    CollectCards,
    RegisterShoeDevice,
    RegisterShuffleDevice,
    RejectDeck,
    RemoveCards,
    ReplaceCards,
    SealPack,
)
from services.shoe.domain.state import (
    CARDS_PER_DECK,
    IDLE,
    RESULTED,
    Cards,
    ShoeState,
    clauses_for,
    rules_of,
    settings_of,
)


def register_shoe_device(
    command: RegisterShoeDevice, state: ShoeState, _: Cards
) -> Sequence[Event]:
    """Between two draws and in mid-shoe too: the shoe and the count of its cards go on (A-04)."""
    require_role(command, "GAME_SUPERVISOR", what="registering an electronic shoe")
    if command.device_id in state.custody.devices:
        raise Refused("DUPLICATE", f"the device {command.device_id} is registered already")
    if command.replaces and command.replaces not in state.custody.devices:
        raise Refused("UNKNOWN", f"the device {command.replaces} does not belong to this table")
    return [
        ShoeDeviceRegistered(
            device_id=command.device_id,
            certificate=command.certificate,
            replaces=command.replaces,
            reason=command.reason,
        )
    ]


def register_shuffle_device(
    command: RegisterShuffleDevice, state: ShoeState, _: Cards
) -> Sequence[Event]:
    """Approved machines only, of two kinds (004 1.1)."""
    require_role(command, "GAME_SUPERVISOR", what="registering a shuffling machine")
    if not command.approval:
        raise Refused("APPROVAL", "a shuffling machine needs an approval")
    if command.device_id in state.custody.shufflers:
        raise Refused("DUPLICATE", f"the machine {command.device_id} is registered already")
    decks = settings_of(state).decks
    if command.kind == "MULTISHUFFLER" and decks not in rules_of(state).multishuffler_decks:
        raise Refused("DECKS", f"a multishuffler does not take {decks} decks here")
    return [
        ShuffleDeviceRegistered(
            device_id=command.device_id,
            kind=command.kind,
            approval=command.approval,
            clauses=clauses_for(state, "device"),
        )
    ]


def check_decks(deck_ids: Sequence[str], state: ShoeState) -> None:
    """Refuse decks that never load again: rejected ones, or ones that players touched."""
    barred = [deck for deck in deck_ids if deck in state.custody.barred]
    if barred:
        raise Refused(
            "NOT_PERMITTED",
            f"never to be loaded again: {', '.join(barred)}",
            clauses_for(state, "handled_cards"),
        )


def assemble(command: AssembleShoe, state: ShoeState, _: Cards) -> Sequence[Event]:
    """Decks of one back, no jokers, no deck twice (000 1.3.1, 004 3.1)."""
    require_role(command, "DEALER", what="assembling a shoe")
    if state.preparation.assembled and not state.preparation.replaced:
        raise Refused("STATE", "the cards of the next shoe lie on the table already")
    check_decks(command.deck_ids, state)
    decks = command.decks if command.decks is not None else settings_of(state).decks
    if decks not in rules_of(state).decks:
        raise Refused(
            "DECKS",
            f"{decks} decks are not among {rules_of(state).decks}",
            clauses_for(state, "decks"),
        )
    if command.deck_ids and len(set(command.deck_ids)) != decks:
        raise Refused("DECKS", f"{len(set(command.deck_ids))} decks are told, {decks} are wanted")
    return [
        ShoeAssembled(
            decks=decks,
            cards=decks * CARDS_PER_DECK,
            deck_ids=command.deck_ids,
            back_colour=command.back_colour,
            clauses=clauses_for(state, "decks"),
        )
    ]


def reject_deck(command: RejectDeck, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="rejecting a deck")
    if not command.defect:
        raise Refused("STATE", "a deck is rejected for a defect, which is noted")
    return [
        DeckRejected(
            deck_id=command.deck_id,
            defect=command.defect,
            clauses=clauses_for(state, "card_replacement"),
        )
    ]


def replace_cards(command: ReplaceCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    """Other cards come in, between coups and on a supervisor's word (004 3.8, 3.10)."""
    require_role(
        command,
        rules_of(state).replace_cards_by,
        what="replacing the cards",
        game_supervisor_counts=rules_of(state).games_supervisor_counts_as_casino_supervisor,
    )
    if state.course.phase != IDLE:
        raise Refused(
            "STATE", "cards are replaced between coups", clauses_for(state, "card_replacement")
        )
    check_decks(command.new_deck_ids, state)
    return [
        CardsReplaced(
            reason=command.reason,
            new_deck_ids=command.new_deck_ids,
            clauses=clauses_for(state, "card_replacement"),
        )
    ]


def remove_cards(command: RemoveCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="taking cards off the table")
    if state.course.phase != IDLE or (state.shoe is not None and not state.shoe.ended):
        raise Refused("STATE", "cards leave the table when no shoe is in use")
    return [
        CardsRemovedFromTable(deck_ids=command.deck_ids, clauses=clauses_for(state, "inspection"))
    ]


def seal_pack(command: SealPack, state: ShoeState, _: Cards) -> Sequence[Event]:
    """Shuffled cards are put away under a seal (004 3.5)."""
    require_role(command, "DEALER", what="sealing a pack")
    if not rules_of(state).pre_shuffled_packs:
        raise Refused("NOT_PERMITTED", "this rulebook takes no pre-shuffled packs")
    if not command.seal_id or not command.place:
        raise Refused("STATE", "a sealed pack has a seal and a place")
    if command.seal_id in state.custody.seals:
        raise Refused("DUPLICATE", f"the seal {command.seal_id} is on another pack")
    check_decks(command.deck_ids, state)
    return [
        PackSealed(
            seal_id=command.seal_id,
            place=command.place,
            sealed_at_us=command.at_us,
            deck_ids=command.deck_ids,
            clauses=clauses_for(state, "pre_shuffled"),
        )
    ]


def collect(command: CollectCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    """Record in which direction the cards of the last coup were picked up (000 3.7)."""
    require_role(command, "DEALER", what="picking up the cards")
    kept = state.collection
    if kept is None or state.shoe is None or state.course.phase not in (IDLE, RESULTED):
        raise Refused("STATE", "there are no cards of a finished coup to be picked up")
    order = command.draw_numbers or kept.draw_numbers
    if sorted(order) != sorted(kept.draw_numbers):
        raise Refused("STATE", "these are not the cards of the coup")
    return [
        CardsCollected(
            shoe_id=state.shoe.shoe_id,
            coup_id=kept.coup_id,
            direction=command.direction,
            draw_numbers=order,
            clauses=clauses_for(state, "pick_up"),
        )
    ]
