"""Burns, draws, the cutting card and the end of the shoe (Procedures 2 and 5)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardDrawn,
    CardsBurned,
    CutCardReached,
    LastCoupDesignated,
    ShoeExhausted,
    ShoeInvalidated,
    ShoeRetired,
)
from services.rules import burns
from services.shoe.commands import (
    BurnCards,
    DrawCard,
    Proceed,
)
from services.shoe.domain.evolve import fold
from services.shoe.domain.state import (
    BETWEEN_COUPS,
    DEALER_CHANGE,
    GENERATED,
    NEW_SHOE,
    Cards,
    Shoe,
    ShoeState,
    clauses_for,
    rules_of,
    settings_of,
)


def burn(command: BurnCards, state: ShoeState, cards: Cards) -> Sequence[Event]:
    shoe = _usable(state)
    if state.course.phase != "IDLE":
        raise Refused("STATE", "cards are burned between coups, with no betting open")
    if command.reason == "DISCRETION":
        return _discretionary(command, state, shoe, cards)
    require_role(command, "DEALER", what="burning cards")
    if command.reason not in shoe.owed:
        raise Refused("STATE", f"no {command.reason} burn is owed")
    count, first = _size_of(command.reason, state, cards, command.first_card)
    if command.count is not None and command.count != count:
        raise Refused("STATE", f"the {command.reason} burn is {count} cards")
    return _burned(state, command.reason, count, first)


def _discretionary(
    command: BurnCards, state: ShoeState, shoe: Shoe, cards: Cards
) -> Sequence[Event]:
    rules = rules_of(state).burn
    if rules.discretionary_by is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no burns at discretion")
    require_role(command, rules.discretionary_by, what="a burn at discretion")
    count = command.count if command.count is not None else 1
    if not 1 <= count <= min(rules.discretionary_max_cards, shoe.left):
        raise Refused(
            "NOT_PERMITTED",
            f"1 to {rules.discretionary_max_cards} cards are burned at discretion",
            clauses_for(state, "burn_discretion"),
        )
    del cards
    return _burned(state, "DISCRETION", count, None)


def _size_of(
    reason: str, state: ShoeState, cards: Cards, first: Card | None
) -> tuple[int, Card | None]:
    """Number of cards of an owed burn, and its first card where that one is turned up."""
    rules = rules_of(state)
    if reason == BETWEEN_COUPS:
        return rules.burn.between_coups, None
    if reason == DEALER_CHANGE:
        return rules.burn.dealer_change, None
    shoe = _usable(state)
    card = cards.card(shoe.drawn + 1) or first
    if rules.burn.new_shoe == "FACE_VALUE" and card is None:
        raise Refused("STATE", "the first card's face tells how many are burned: it must be read")
    count = burns.new_shoe_burn(rules, card)
    return count, card if rules.burn.first_card_face_up else None


def _usable(state: ShoeState) -> Shoe:
    if state.shoe is None:
        raise Refused("STATE", "there is no shoe on the table")
    if state.shoe.ended or state.shoe.invalid:
        raise Refused("SHOE_ENDED", f"shoe {state.shoe.shoe_id} deals no more")
    return state.shoe


_BURN_RULES = {
    NEW_SHOE: "burn_new_shoe",
    BETWEEN_COUPS: "burn_between_coups",
    DEALER_CHANGE: "burn_dealer_change",
    "DISCRETION": "burn_discretion",
    "GAME_ERROR": "burn_game_error",
}


def _burned(state: ShoeState, reason: str, count: int, first_card: Card | None) -> Sequence[Event]:
    """The burn, and what follows when the cutting card comes out with it (X-46)."""
    shoe = _usable(state)
    if shoe.left < count:
        return [retired(shoe, "EXHAUSTED")]
    burned = CardsBurned(
        shoe_id=shoe.shoe_id,
        reason=reason,
        count=count,
        first_draw_number=shoe.drawn + 1,
        first_card=first_card,
        clauses=clauses_for(state, _BURN_RULES[reason]),
    )
    cut = shoe.cuts_after
    if cut is None or shoe.cut_shown or not shoe.drawn <= cut < shoe.drawn + count:
        return [burned]
    # The cutting card comes out before the last card of the burn, and is told before it: who
    # waits for the burn must know by then that the shoe is over.
    reached = CutCardReached(
        shoe_id=shoe.shoe_id,
        after_draw_number=cut,
        as_first=False,
        in_burn=True,
        clauses=clauses_for(state, "end_of_shoe"),
    )
    if rules_of(state).cutting_card_in_burn == "RETIRE_SHOE":
        after = fold(state, [reached, burned]).shoe
        assert after is not None
        return [reached, burned, retired(after, "CUT_CARD_IN_BURN")]
    return [reached, _last_coup(state, shoe, state.course.coup + 1), burned]


def _last_coup(state: ShoeState, shoe: Shoe, coup: int) -> LastCoupDesignated:
    return LastCoupDesignated(
        shoe_id=shoe.shoe_id,
        coup=coup,
        call=rules_of(state).last_coup_call,
        clauses=clauses_for(state, "last_coup"),
    )


def retired(shoe: Shoe, reason: str) -> ShoeRetired:
    return ShoeRetired(
        shoe_id=shoe.shoe_id,
        reason=reason,
        dealt=shoe.dealt,
        burned=shoe.burned,
        left=shoe.left,
        lapsed=shoe.owed,
    )


def draw(command: DrawCard, state: ShoeState, cards: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="drawing a card")
    shoe = _usable(state)
    phase = state.course.phase
    if phase == "IDLE":
        return _drawn_between_coups(state, shoe)
    if phase == "RESULTED":
        raise Refused("STATE", "the coup has its result: no card belongs to it")
    if shoe.source == GENERATED and phase != "DEALING":
        raise Refused(
            "STATE",
            "no card is drawn before betting and the book are closed",
            clauses_for(state, "cut_off"),
        )
    return _drawn(state, cards, command)


def _drawn_between_coups(state: ShoeState, shoe: Shoe) -> Sequence[Event]:
    """A card that comes out between coups: it is the burn that is owed, or nobody wants it."""
    rules = rules_of(state).burn
    if NEW_SHOE in shoe.owed:
        if rules.missing == "REFUSE":
            raise Refused("BURN_OWED", "the new shoe's burn is owed")
        return [
            ShoeInvalidated(
                shoe_id=shoe.shoe_id,
                reason="NO_BURN",
                dealt=shoe.dealt + 1,
                burned=shoe.burned,
                left=shoe.left - 1,
                clauses=clauses_for(state, "burn_missing"),
            )
        ]
    if BETWEEN_COUPS in shoe.owed:
        return _burned(state, BETWEEN_COUPS, rules.between_coups, None)
    raise Refused("STATE", "no coup is running and no burn is owed: the table waits for betting")


def _drawn(state: ShoeState, cards: Cards, command: DrawCard | None = None) -> Sequence[Event]:
    """One card for the coup in progress, after the cutting card where that comes first."""
    shoe = _usable(state)
    course = state.course
    number = shoe.drawn + 1
    card = cards.card(number) or (command.card if command else None)
    if card is None or shoe.left < 1:
        return [
            ShoeExhausted(
                shoe_id=shoe.shoe_id,
                coup_id=course.coup_id,
                clauses=clauses_for(state, "insufficient_cards"),
            ),
            retired(shoe, "EXHAUSTED"),
        ]
    face_up = command.face_up if command else True
    source = shoe.source if cards.card(number) else (command.source if command else "")
    drawn = CardDrawn(
        shoe_id=shoe.shoe_id,
        coup_id=course.coup_id,
        draw_number=number,
        card=card if face_up else None,
        face_up=face_up,
        to=command.to if command else None,
        source=source,
    )
    if shoe.cuts_after != shoe.drawn or shoe.cut_shown:
        return [drawn]
    as_first = course.drawn == 0
    plus_one = rules_of(state).end_of_shoe == "FINISH_PLUS_ONE" and not as_first
    reached = CutCardReached(
        shoe_id=shoe.shoe_id,
        after_draw_number=shoe.drawn,
        as_first=as_first,
        in_burn=False,
        clauses=clauses_for(state, "end_of_shoe"),
    )
    return [reached, _last_coup(state, shoe, course.coup + 1 if plus_one else course.coup), drawn]


def proceed(_: Proceed, state: ShoeState, cards: Cards) -> Sequence[Event]:
    """What has fallen due: instructed draws, burns by themselves, the end of the shoe."""
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return ()
    if not state.open:
        return [retired(shoe, "TABLE_CLOSED")]
    events: list[Event] = []
    while state.course.instructed > 0 and state.shoe is not None and not state.shoe.ended:
        step = _drawn(state, cards)
        state = fold(state, step)
        events.extend(step)
    if state.course.phase != "IDLE":
        return events
    if shoe.last_coup is not None and state.course.coup >= shoe.last_coup:
        return [*events, retired(shoe, "LAST_COUP")]
    due = (DEALER_CHANGE, BETWEEN_COUPS) if state.course.betting_requested else (DEALER_CHANGE,)
    return [*events, *met_debts(state, cards, reasons=due)]


def met_debts(state: ShoeState, cards: Cards, *, reasons: Sequence[str]) -> Sequence[Event]:
    """Burns that are owed for these reasons, made now where the table burns by itself."""
    if not settings_of(state).auto_burn:
        return ()
    events: list[Event] = []
    while state.shoe is not None and not state.shoe.ended:
        reason = next((owed for owed in state.shoe.owed if owed in reasons), None)
        if reason is None:
            break
        if reason == NEW_SHOE and _needs_reading(state, cards):
            break  # the electronic shoe reports the first card with the burn
        step = _burned(state, reason, *_size_of(reason, state, cards, None))
        state = fold(state, step)
        events.extend(step)
    return events


def _needs_reading(state: ShoeState, cards: Cards) -> bool:
    shoe = _usable(state)
    return rules_of(state).burn.new_shoe == "FACE_VALUE" and cards.card(shoe.drawn + 1) is None
