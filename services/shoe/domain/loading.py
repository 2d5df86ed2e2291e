"""A shoe comes onto the table."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    ShoeAssembled,
    ShoeLoaded,
)
from services.shoe.commands import (
    LoadShoe,
)
from services.shoe.domain.dealing import met_debts, retired
from services.shoe.domain.evolve import fold
from services.shoe.domain.state import (
    CARDS_PER_DECK,
    GENERATED,
    NEW_SHOE,
    PRESET,
    SCANNED,
    Cards,
    ShoeState,
    clauses_for,
    rules_of,
    settings_of,
)


def load(command: LoadShoe, state: ShoeState, cards: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="loading a shoe")
    if state.course.phase != "IDLE":
        raise Refused("STATE", "a shoe is changed between coups, with no betting open")
    settings = settings_of(state)
    decks = command.decks if command.decks is not None else settings.decks
    if decks not in rules_of(state).decks:
        raise Refused("DECKS", f"{decks} decks are not among {rules_of(state).decks}")
    _check_order(command, state, cards, decks)
    events: list[Event] = []
    if state.shoe is not None and not state.shoe.ended:
        events.append(retired(state.shoe, "REPLACED"))
    events.extend(_prepared(command, state, decks))
    total = decks * CARDS_PER_DECK
    events.append(
        ShoeLoaded(
            shoe_id=command.shoe_id,
            decks=decks,
            cards=total if command.partial or command.source != PRESET else cards.known(),
            source=command.source,
            order_id=command.order_id,
            cuts_after=_cuts_after(command, state, total),
        )
    )
    after = fold(state, events)
    return [*events, *met_debts(after, cards, reasons=(NEW_SHOE,))]


def _check_order(command: LoadShoe, state: ShoeState, cards: Cards, decks: int) -> None:
    if command.source == SCANNED:
        return
    test = settings_of(state).test
    if command.source == PRESET and not test:
        raise Refused("NOT_PERMITTED", "an order from outside is for tables in TEST mode only")
    if not test and GENERATED not in rules_of(state).card_sources:
        raise Refused("NOT_PERMITTED", "this rulebook takes no generated shoes")
    if (card := cards.overfull(decks)) is not None:
        raise Refused(
            "INTEGRITY",
            f"there are more than {decks} copies of {card}, too many for {decks} decks",
            clauses_for(state, "integrity"),
        )
    if cards.known() > decks * CARDS_PER_DECK:
        raise Refused("INTEGRITY", f"{cards.known()} cards are too many for {decks} decks")


def _prepared(command: LoadShoe, state: ShoeState, decks: int) -> Sequence[Event]:
    """The steps that this load stands for, or a refusal that names the missing ones."""
    done = state.preparation
    missing = [
        step
        for step, is_done in (
            ("inspection", done.inspected),
            ("shuffle", done.shuffled),
            ("cut", done.cut is not None),
            ("cutting card", done.from_back is not None),
        )
        if not is_done
    ]
    if done.riffle_owed:
        raise Refused("STATE", "a riffle was asked for and comes before the cut")
    if not missing:
        return ()
    if not (command.stands_for_preparation and settings_of(state).test):
        raise Refused("STATE", f"not done yet: {', '.join(missing)}")
    if done.assembled:
        return ()
    return (ShoeAssembled(decks=decks, cards=decks * CARDS_PER_DECK),)


def _cuts_after(command: LoadShoe, state: ShoeState, total: int) -> int | None:
    if command.cuts_after is not None:
        return command.cuts_after
    if state.preparation.from_back is not None:
        return total - state.preparation.from_back
    if command.partial:
        return None  # a recording of the front of a shoe says nothing of its cutting card
    return total - rules_of(state).cut_depth.cards
