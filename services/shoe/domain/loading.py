"""A shoe, or a shuffling device in its place, comes onto the table."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    DeviceLoaded,
    ShoeAssembled,
    ShoeCommitted,
    ShoeLoaded,
)
from services.shoe.commands import LoadShoe
from services.shoe.domain.burning import met_debts
from services.shoe.domain.ending import retired
from services.shoe.domain.evolve import fold
from services.shoe.domain.packs import check_decks
from services.shoe.domain.state import (
    CARDS_PER_DECK,
    GENERATED,
    IDLE,
    NEW_SHOE,
    PRESET,
    SCANNED,
    Cards,
    ShoeState,
    clauses_for,
    rules_of,
    settings_of,
)


def load(command: LoadShoe, state: ShoeState, cards: Cards, before: Cards) -> Sequence[Event]:
    """`cards` is the new shoe's order, `before` that of the shoe which it replaces."""
    require_role(command, "DEALER", what="loading a shoe")
    if state.course.phase != IDLE or state.course.betting_requested:
        raise Refused("STATE", "a shoe is changed between coups, with no betting open")
    decks = command.decks if command.decks is not None else settings_of(state).decks
    if decks not in rules_of(state).decks:
        raise Refused(
            "DECKS",
            f"{decks} decks are not among {rules_of(state).decks}",
            clauses_for(state, "decks"),
        )
    _check_order(command, state, cards, decks)
    _check_replacement(state)
    events: list[Event] = []
    if state.shoe is not None and not state.shoe.ended:
        events.extend(retired(state, before, "REPLACED"))
    events.extend(_prepared(command, state, decks))
    if command.source == GENERATED and cards.commitment():
        events.append(
            ShoeCommitted(
                shoe_id=command.shoe_id,
                number=state.custody.commitments + 1,
                commitment=cards.commitment(),
            )
        )
    events.extend(_loaded(command, state, cards, decks))
    after = fold(state, events)
    return [*events, *met_debts(after, cards, reasons=(NEW_SHOE,))]


def _loaded(command: LoadShoe, state: ShoeState, cards: Cards, decks: int) -> Sequence[Event]:
    total = decks * CARDS_PER_DECK
    front = command.partial or command.device or not cards.known()
    loaded = ShoeLoaded(
        shoe_id=command.shoe_id,
        decks=decks,
        cards=total if front else cards.known(),
        source=command.source,
        order_id=command.order_id,
        cuts_after=_cuts_after(command, state, total),
        device=command.device,
    )
    if not command.device:
        return [loaded]
    into = DeviceLoaded(shoe_id=command.shoe_id, cards=total, clauses=clauses_for(state, "device"))
    return [loaded, into]


def _check_order(command: LoadShoe, state: ShoeState, cards: Cards, decks: int) -> None:
    test, rules = settings_of(state).test, rules_of(state)
    if command.device and "SHUFFLING_DEVICE" not in rules.card_sources:
        raise Refused("NOT_PERMITTED", "this rulebook takes no shuffling device")
    if command.source == SCANNED:
        return
    if command.source == PRESET and not test:
        raise Refused("NOT_PERMITTED", "an order from outside is for tables in TEST mode only")
    if not test and GENERATED not in rules.card_sources:
        raise Refused("NOT_PERMITTED", "this rulebook takes no generated shoes")
    if command.device:
        return  # cards come back into a device: its order may hold a card over and over
    if command.source == PRESET and not command.partial and not cards.known():
        raise Refused("INTEGRITY", "an order without cards is no shoe, unless it is partial")
    if (card := cards.overfull(decks)) is not None:
        raise Refused(
            "INTEGRITY",
            f"there are more than {decks} copies of {card}, too many for {decks} decks",
            clauses_for(state, "integrity"),
        )
    if cards.known() > decks * CARDS_PER_DECK:
        raise Refused(
            "INTEGRITY",
            f"{cards.known()} cards are too many for {decks} decks",
            clauses_for(state, "integrity"),
        )
    if not test and cards.known() != decks * CARDS_PER_DECK:
        raise Refused(
            "INTEGRITY",
            f"{cards.known()} cards were shuffled, and {decks} decks have {decks * CARDS_PER_DECK}",
            clauses_for(state, "integrity"),
        )


def _check_replacement(state: ShoeState) -> None:
    """A recording may start anywhere; at a live table a shoe ends before another one comes."""
    live = not settings_of(state).test
    if live and state.shoe is not None and not state.shoe.ended:
        raise Refused("STATE", f"shoe {state.shoe.shoe_id} is still in use")


def _prepared(command: LoadShoe, state: ShoeState, decks: int) -> Sequence[Event]:
    """The steps that this load stands for, or a refusal that names the missing ones."""
    done = state.preparation
    check_decks(done.deck_ids, state)
    if done.incomplete:
        raise Refused(
            "STATE",
            f"incomplete decks: {', '.join(done.incomplete)}",
            clauses_for(state, "inspection"),
        )
    if done.out:
        raise Refused(
            "STATE",
            "the cards left the table and are not inspected again",
            clauses_for(state, "inspection"),
        )
    if done.riffle_owed:
        raise Refused(
            "STATE", "a riffle was asked for and comes before the cut", clauses_for(state, "riffle")
        )
    if command.device and done.cut is not None:
        raise Refused(
            "NOT_PERMITTED", "cards for a device are not cut", clauses_for(state, "device")
        )
    missing = _missing(command, state)
    if not missing:
        return ()
    if done.replaced or not (command.stands_for_preparation and settings_of(state).test):
        raise Refused("STATE", f"not done yet: {', '.join(missing)}")
    if done.assembled:
        return ()
    return (ShoeAssembled(decks=decks, cards=decks * CARDS_PER_DECK),)


def _missing(command: LoadShoe, state: ShoeState) -> list[str]:
    done = state.preparation
    steps = [("inspection", done.inspected)]
    if command.device:
        steps.append(("shuffle by hand", done.by_hand))
    else:
        steps += [
            ("shuffle", done.shuffled),
            ("cut", done.cut is not None),
            ("cutting card", done.from_back is not None),
        ]
    return [step for step, is_done in steps if not is_done]


def _cuts_after(command: LoadShoe, state: ShoeState, total: int) -> int | None:
    if command.device:
        return None
    if command.cuts_after is not None:
        if not 0 <= command.cuts_after <= total:
            raise Refused("CUT_DEPTH", f"a cutting card shows after 0 to {total} cards")
        return command.cuts_after
    if state.preparation.from_back is not None:
        return total - state.preparation.from_back
    if command.partial:
        return None  # a recording of the front of a shoe says nothing of its cutting card
    return total - rules_of(state).cut_depth.cards
