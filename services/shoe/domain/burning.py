"""Burns: what is owed, what the house may burn, what was kept for a burn (Procedure 2)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardsBurned,
    CutCardReached,
    ErrorBurnApproved,
)
from services.rules import burns
from services.shoe.commands import ApproveErrorBurn, BurnCards
from services.shoe.domain.ending import behind, last_coup, retired
from services.shoe.domain.evolve import fold
from services.shoe.domain.reading import breach_by, identified
from services.shoe.domain.state import (
    BETWEEN_COUPS,
    CARD_BEFORE_CLOSE,
    DEALER_CHANGE,
    DISCRETION,
    ERROR_BURN,
    GAME_ERROR,
    IDLE,
    NEW_SHOE,
    NEXT_BURN,
    Cards,
    Shoe,
    ShoeState,
    card_at,
    clauses_for,
    rules_of,
    settings_of,
    usable_shoe,
)

_RULES = {
    NEW_SHOE: "burn_new_shoe",
    BETWEEN_COUPS: "burn_between_coups",
    DEALER_CHANGE: "burn_dealer_change",
    DISCRETION: "burn_discretion",
    GAME_ERROR: "burn_game_error",
    CARD_BEFORE_CLOSE: "card_before_close",
}


def burn(command: BurnCards, state: ShoeState, cards: Cards) -> Sequence[Event]:
    shoe = usable_shoe(state)
    if state.course.phase != IDLE:
        raise Refused("STATE", "cards are burned between coups, with no betting open")
    if command.reason == DISCRETION:
        return _discretionary(command, state, shoe, cards)
    require_role(command, "DEALER", what="burning cards")
    if command.reason == GAME_ERROR:
        _check_error_burn(state, shoe)
    elif command.reason not in shoe.owed:
        raise Refused("STATE", f"no {command.reason} burn is owed")
    read = command.cards or ((command.first_card,) if command.first_card else ())
    count, first = _size_of(command.reason, state, cards, read[0] if read else None)
    if command.count is not None and command.count != count:
        raise Refused(
            "STATE",
            f"the {command.reason} burn is {count} cards",
            clauses_for(state, _RULES[command.reason]),
        )
    return burned(state, cards, command.reason, count, first_card=first, read=read)


def _check_error_burn(state: ShoeState, shoe: Shoe) -> None:
    if rules_of(state).burn.game_error_by is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no burn for a game error")
    if not shoe.error_approved:
        raise Refused(
            "APPROVAL",
            "the burn for a game error needs a supervisor's word first",
            clauses_for(state, "burn_game_error"),
        )


def approve_error_burn(command: ApproveErrorBurn, state: ShoeState, _: Cards) -> Sequence[Event]:
    """A supervisor agrees that cards are burned for a game error (000 3.4)."""
    wanted = rules_of(state).burn.game_error_by
    if wanted is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no burn for a game error")
    require_role(command, wanted, what="approving the burn for a game error")
    shoe = usable_shoe(state)
    last = state.course.coup
    if command.coup not in (None, last):
        raise Refused("STATE", f"coup {command.coup} was meant, and the last one is {last}")
    if shoe.error_approved:
        raise Refused("STATE", "the burn for a game error is approved already")
    return [ErrorBurnApproved(shoe_id=shoe.shoe_id, clauses=clauses_for(state, "burn_game_error"))]


def _discretionary(
    command: BurnCards, state: ShoeState, shoe: Shoe, cards: Cards
) -> Sequence[Event]:
    rules = rules_of(state)
    if rules.burn.discretionary_by is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no burns at discretion")
    require_role(command, rules.burn.discretionary_by, what="a burn at discretion")
    count = command.count if command.count is not None else 1
    if not burns.discretionary_ok(rules, count) or count > shoe.left:
        raise Refused(
            "NOT_PERMITTED",
            f"1 to {rules.burn.discretionary_max_cards} cards are burned at discretion",
            clauses_for(state, "burn_discretion"),
        )
    return burned(state, cards, DISCRETION, count, read=command.cards)


def kept_for(shoe: Shoe, reason: str) -> tuple[int, ...]:
    """Draw numbers of the cards that were kept for a burn with this reason."""
    to = {BETWEEN_COUPS: NEXT_BURN, GAME_ERROR: ERROR_BURN}.get(reason)
    return tuple(card.draw_number for card in shoe.carried if card.to == to)


def _size_of(
    reason: str, state: ShoeState, cards: Cards, first: Card | None
) -> tuple[int, Card | None]:
    """Number of cards of an owed burn, and its first card where that one is turned up."""
    rules = rules_of(state)
    if reason in (BETWEEN_COUPS, DEALER_CHANGE):
        return burns.owed(rules, reason.lower()), None
    shoe = usable_shoe(state)
    if reason == GAME_ERROR:
        return burns.game_error_burn(rules, len(kept_for(shoe, GAME_ERROR))).cards, None
    card = card_at(shoe, cards, shoe.drawn + 1) or first
    if rules.burn.new_shoe == "FACE_VALUE" and card is None:
        raise Refused("STATE", "the first card's face tells how many are burned: it must be read")
    count = burns.new_shoe_burn(rules, card, decks=shoe.decks)
    return count, card if rules.burn.first_card_face_up else None


def burned(
    state: ShoeState,
    cards: Cards,
    reason: str,
    count: int,
    *,
    first_card: Card | None = None,
    read: Sequence[Card] = (),
) -> Sequence[Event]:
    """The burn, and what follows when the cutting card comes out with it (X-46).

    Cards kept for it go first. `read` are cards that an electronic shoe read as they were
    burned; nobody is told which they were.
    """
    shoe = usable_shoe(state)
    kept = kept_for(shoe, reason)[:count]
    to_draw = count - len(kept)
    if shoe.left < to_draw:
        return retired(state, cards, "EXHAUSTED")
    known: list[Event] = []
    for number, card in enumerate(read[:to_draw], start=shoe.drawn + 1):
        if card_at(shoe, cards, number) is None:
            if breach := breach_by(fold(state, known), cards, number, card):
                return behind(state, [*known, breach], cards, "INTEGRITY")
            known.append(identified(shoe, number, card))
    made = CardsBurned(
        shoe_id=shoe.shoe_id,
        reason=reason,
        count=count,
        first_draw_number=kept[0] if kept else shoe.drawn + 1,
        set_aside=len(kept),
        first_card=first_card,
        clauses=clauses_for(state, _RULES[reason]),
    )
    return [*known, *_with_cutting_card(state, shoe, cards, made, to_draw)]


def _with_cutting_card(
    state: ShoeState, shoe: Shoe, cards: Cards, made: CardsBurned, to_draw: int
) -> Sequence[Event]:
    cut = shoe.cuts_after
    if cut is None or shoe.cut_shown or not shoe.drawn <= cut < shoe.drawn + to_draw:
        return [made]
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
        return behind(state, [reached, made], cards, "CUT_CARD_IN_BURN")
    return [reached, last_coup(state, shoe, state.course.coup + 1), made]


def early_cards_burned(state: ShoeState) -> Sequence[Event]:
    """Cards that were out before the close and were seen: they go to the rack (A-25)."""
    shoe, early = state.shoe, state.course.early
    if shoe is None or not state.course.burn_early or not early:
        return ()
    return [
        CardsBurned(
            shoe_id=shoe.shoe_id,
            reason=CARD_BEFORE_CLOSE,
            count=len(early),
            first_draw_number=early[0],
            set_aside=len(early),
            clauses=clauses_for(state, "card_before_close"),
        )
    ]


def met_by_kept_cards(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """The burn between coups, where cards kept for it are all that it takes (002 L31)."""
    shoe = state.shoe
    if shoe is None or shoe.ended or BETWEEN_COUPS not in shoe.owed:
        return ()
    count = rules_of(state).burn.between_coups
    if len(kept_for(shoe, BETWEEN_COUPS)) < count:
        return ()
    return burned(state, cards, BETWEEN_COUPS, count)


def met_debts(state: ShoeState, cards: Cards, *, reasons: Sequence[str]) -> Sequence[Event]:
    """A burn that is owed for one of these reasons, where the table burns by itself."""
    shoe = state.shoe
    if shoe is None or shoe.ended or not settings_of(state).auto_burn:
        return ()
    reason = next((owed for owed in shoe.owed if owed in reasons), None)
    if reason is None or (reason == NEW_SHOE and _needs_reading(state, shoe, cards)):
        return ()  # an electronic shoe reports the first card with the burn
    count, first = _size_of(reason, state, cards, None)
    return burned(state, cards, reason, count, first_card=first)


def _needs_reading(state: ShoeState, shoe: Shoe, cards: Cards) -> bool:
    face = rules_of(state).burn.new_shoe == "FACE_VALUE"
    return face and card_at(shoe, cards, shoe.drawn + 1) is None
