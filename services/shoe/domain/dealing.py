"""Cards that leave the shoe for a coup, and the cutting card among them (Procedure 5)."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.shoe import (
    CardDrawn,
    CardIdentified,
    CardRequested,
    CardRevealed,
    CutCardReached,
    ShoeExhausted,
)
from services.rules.roles import PLAYER
from services.shoe.commands import DrawCard
from services.shoe.domain.burning import burned
from services.shoe.domain.ending import behind, invalidated, last_coup
from services.shoe.domain.evolve import fold
from services.shoe.domain.reading import breach_by, identity_of, is_repeat, missing_before
from services.shoe.domain.state import (
    BETTING,
    BETWEEN_COUPS,
    CLOSED,
    DEALING,
    GENERATED,
    IDLE,
    NEW_SHOE,
    NEXT_COUP,
    RESULTED,
    Cards,
    Entered,
    Shoe,
    ShoeState,
    card_at,
    clauses_for,
    rules_of,
    usable_shoe,
)

PULLED_MAX = 20
"""Cards of one movement; no slip of the hand takes out more."""

HELD_BY_PLAYERS = ("C", "D")
"""Methods in which a player may hold the shoe."""


class Pull(Struct, frozen=True):
    """What is known of a movement that takes cards out of the shoe."""

    count: int = 1
    pulled: int = 0
    """Cards of the whole movement, where these are only some of them."""

    read: tuple[Card, ...] = ()
    """What an electronic shoe read, upper card first."""

    to: str | None = None
    face_up: bool | None = None
    source: str = ""
    device_id: str = ""
    sequence: int | None = None
    before_close: bool = False
    instructed: bool = True
    unread: bool = False
    entered: bool = False
    """Persons told the cards, afterwards: no electronic shoe reported them."""


def draw(command: DrawCard, state: ShoeState, cards: Cards) -> Sequence[Event]:
    instructed = _check_actor(command, state)
    if command.sequence is not None and command.sequence < 1:
        raise Refused("NOT_PERMITTED", "reports of a device are numbered from 1")
    if is_repeat(command, state):
        return ()  # the device sent this report before (N-5)
    if not 1 <= command.count <= PULLED_MAX:
        raise Refused("NOT_PERMITTED", f"1 to {PULLED_MAX} cards are pulled, not {command.count}")
    if command.layers and sorted(command.layers) != list(range(1, len(command.cards) + 1)):
        raise Refused("NOT_PERMITTED", "every card has a layer of its own, from 1 on, or none has")
    if len(command.cards) > command.count:
        read = len(command.cards)
        raise Refused("NOT_PERMITTED", f"{read} cards were read of {command.count} pulled")
    shoe = usable_shoe(state)
    _check_device(command, state)
    course = state.course
    if course.phase == IDLE:
        return _drawn_between_coups(command, state, cards)
    if course.phase == RESULTED:
        raise Refused("STATE", "the coup has its result: no card belongs to it")
    if course.entered is not None:
        raise Refused(
            "STATE",
            "the coup was dealt in an outage and has the cards that were entered: "
            "a card that comes out now waits for the next coup",
        )
    if course.held:
        raise Refused("STATE", "the coup is held: the table waits for a ruling")
    if shoe.fault:
        raise Refused("STATE", "the shuffling device failed: the table waits for what follows")
    if shoe.source == GENERATED and course.phase != DEALING:
        return _asked(command, state, shoe)
    pull = Pull(
        count=command.count,
        read=_upper_first(command),
        to=command.to,
        face_up=_face(command),
        source=command.source,
        device_id=command.device_id,
        sequence=command.sequence,
        before_close=course.phase == BETTING,
        instructed=instructed,
        unread=command.unread,
    )
    missing = missing_before(command, state)
    if missing >= shoe.left:
        raise Refused("INTEGRITY", f"{missing} reports are missing, and {shoe.left} cards left")
    # Kept cards come before any other; before the close they wait for the book.
    events = [] if pull.before_close else list(carried_first(state, cards))
    if missing:
        lost = Pull(count=missing, pulled=1, unread=True, before_close=pull.before_close)
        events += drawn(fold(state, events), cards, lost)
    return [*events, *drawn(fold(state, events), cards, pull)]


def _check_actor(command: DrawCard, state: ShoeState) -> bool:
    """Who may draw; False where a player does so without the dealer's word (004 8.19, 8.28)."""
    course = state.course
    if command.by.role != PLAYER:
        require_role(command, "DEALER", what="drawing a card")
        return True
    if course.method not in HELD_BY_PLAYERS or course.holder is None:
        require_role(command, "DEALER", what="drawing a card")
    if command.by.id != course.holder:
        raise Refused("ROLE", f"the shoe is with {course.holder}, not with {command.by.id}")
    instructed = course.instructed > 0
    if not instructed and state.shoe is not None and state.shoe.source == GENERATED:
        raise Refused(
            "STATE",
            "the dealer has not asked for a card",
            clauses_for(state, "draw_without_instruction"),
        )
    return instructed


def _check_device(command: DrawCard, state: ShoeState) -> None:
    if command.device_id and command.device_id not in state.custody.devices:
        raise Refused("UNKNOWN", f"the device {command.device_id} does not belong to this table")


def _upper_first(command: DrawCard) -> tuple[Card, ...]:
    """Cards pulled together count upper first, in whatever order they were read (002 L33-L34)."""
    if not command.cards:
        return (command.card,) if command.card is not None else ()
    layers = command.layers or tuple(range(1, len(command.cards) + 1))
    ranked = sorted(zip(layers, command.cards, strict=True))
    return tuple(card for _, card in ranked)


def _face(command: DrawCard) -> bool | None:
    """How the card is laid; none: as the dealing method has it."""
    if command.face is not None:
        return command.face == "UP"
    return None if command.face_up else False


def _asked(command: DrawCard, state: ShoeState, shoe: Shoe) -> Sequence[Event]:
    """A generated shoe gives no card before the book is closed (D5)."""
    if state.course.phase != CLOSED:
        raise Refused(
            "STATE",
            "no card is drawn before betting and the book are closed",
            clauses_for(state, "cut_off"),
        )
    return [
        CardRequested(
            shoe_id=shoe.shoe_id,
            coup_id=state.course.coup_id,
            count=command.count,
            to=command.to,
            face_up=_face(command),
        )
    ]


def _drawn_between_coups(command: DrawCard, state: ShoeState, cards: Cards) -> Sequence[Event]:
    """A card that comes out between coups: it is the burn that is owed, or nobody wants it."""
    shoe = usable_shoe(state)
    rules = rules_of(state).burn
    if NEW_SHOE in shoe.owed:
        if rules.missing == "REFUSE":
            raise Refused(
                "BURN_OWED", "the new shoe's burn is owed", clauses_for(state, "burn_missing")
            )
        return invalidated(state, cards)
    if BETWEEN_COUPS in shoe.owed:
        read = _upper_first(command)
        return burned(state, cards, BETWEEN_COUPS, rules.between_coups, read=read)
    raise Refused("STATE", "no coup is running and no burn is owed: the table waits for betting")


def drawn(state: ShoeState, cards: Cards, pull: Pull) -> Sequence[Event]:
    """The cards of one movement, upper first, as far as the shoe has them."""
    events: list[Event] = []
    step: Sequence[Event] = ()
    for place in range(pull.count):
        if place:
            state = fold(state, step)
            if state.shoe is None or state.shoe.ended:
                break
        step = _one(state, cards, pull, place)
        if isinstance(step[0], ShoeExhausted) and place:
            break  # fewer came out than were pulled at
        events.extend(step)
    return events


def _one(state: ShoeState, cards: Cards, pull: Pull, place: int) -> Sequence[Event]:
    """One card for the coup in progress, after the cutting card where that comes first."""
    shoe, course = usable_shoe(state), state.course
    number = shoe.drawn + 1
    read = pull.read[place] if place < len(pull.read) else None
    ordered = card_at(shoe, cards, number)
    card = ordered or read
    if shoe.left < 1 or (card is None and not pull.unread):
        exhausted = ShoeExhausted(
            shoe_id=shoe.shoe_id,
            coup_id=course.coup_id,
            clauses=clauses_for(state, "insufficient_cards"),
        )
        return behind(state, [exhausted], cards, "EXHAUSTED")
    if ordered is None and card is not None and (breach := breach_by(state, cards, number, card)):
        return behind(state, [breach], cards, "INTEGRITY")
    face_up = pull.face_up if pull.face_up is not None else course.method == "A"
    source = shoe.source if ordered else ("UNREAD" if card is None else pull.source)
    events: list[Event] = [
        CardDrawn(
            shoe_id=shoe.shoe_id,
            coup_id=course.coup_id,
            draw_number=number,
            card=card if face_up else None,
            face_up=face_up,
            to=pull.to,
            source=source,
            device_id=pull.device_id,
            sequence=pull.sequence,
            pulled=pull.pulled or pull.count,
            before_close=pull.before_close,
            scanned=read is not None and not pull.entered,
            instructed=pull.instructed,
        )
    ]
    # What a person enters counts against the decks like what an electronic shoe reads.
    if (not face_up or pull.entered) and ordered is None and card is not None:
        events.append(CardIdentified(shoe_id=shoe.shoe_id, draw_number=number, card=card))
    return [*_cutting_card(state, shoe), *events]


def _cutting_card(state: ShoeState, shoe: Shoe) -> Sequence[Event]:
    if shoe.cuts_after != shoe.drawn or shoe.cut_shown:
        return ()
    course = state.course
    as_first = not course.numbers
    plus_one = rules_of(state).end_of_shoe == "FINISH_PLUS_ONE" and not as_first
    reached = CutCardReached(
        shoe_id=shoe.shoe_id,
        after_draw_number=shoe.drawn,
        as_first=as_first,
        in_burn=False,
        clauses=clauses_for(state, "end_of_shoe"),
    )
    return [reached, last_coup(state, shoe, course.coup + 1 if plus_one else course.coup)]


def carried_first(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """Cards kept from the coup before are the first of this one (002 L32, 004 12.4)."""
    shoe = state.shoe
    if shoe is None or shoe.ended or not shoe.carried:
        return ()
    kept = [
        each
        for each in shoe.carried
        if each.to == NEXT_COUP and each.coup_id != state.course.coup_id
    ]
    entered = state.course.entered
    if kept and entered is not None and state.course.came < len(entered.cards):
        return _carried_as_entered(state, shoe, entered, cards, kept[0].draw_number)
    return [
        CardDrawn(
            shoe_id=shoe.shoe_id,
            coup_id=state.course.coup_id,
            draw_number=each.draw_number,
            card=identity_of(state, cards, each.draw_number) if each.seen else None,
            face_up=each.seen,
            source=shoe.source if each.card is None else "SCANNER",
            carried=True,
            clauses=clauses_for(state, "extra_card"),
        )
        for each in kept
    ]


def _carried_as_entered(
    state: ShoeState, shoe: Shoe, entered: Entered, cards: Cards, number: int
) -> Sequence[Event]:
    """A kept card of a coup that is entered: it was turned, and one that nobody read is read now.

    Where the shoe knows another card than the persons told, it tells its own: round holds the coup.
    """
    told = entered.cards[state.course.came]
    known = identity_of(state, cards, number)
    if known is None and (breach := breach_by(state, cards, number, told)):
        return behind(state, [breach], cards, "INTEGRITY")
    card = CardDrawn(
        shoe_id=shoe.shoe_id,
        coup_id=state.course.coup_id,
        draw_number=number,
        card=known or told,
        face_up=True,
        source="MANUAL" if known is None else "SCANNER",
        carried=True,
        clauses=clauses_for(state, "extra_card"),
    )
    if known is not None:
        return [card]
    return [card, CardIdentified(shoe_id=shoe.shoe_id, draw_number=number, card=told)]


def entered_card(state: ShoeState, entered: Entered, cards: Cards) -> Sequence[Event]:
    """The next card of a coup that was dealt while the platform was down, off the shoe's account.

    Kept cards were its first ones, and came by themselves.
    """
    place = state.course.came
    if place >= len(entered.cards):
        return ()
    card, last = entered.cards[place], place == len(entered.cards) - 1
    heard = state.custody.sequences.get(entered.device_id, 0)
    device = entered.device_id if entered.device_id in state.custody.devices else ""
    counts = bool(last and device and entered.sequence is not None and entered.sequence > heard)
    pull = Pull(
        read=(card,),
        face_up=True,
        source="MANUAL",
        device_id=device,
        sequence=entered.sequence if counts else None,
        entered=True,
    )
    return drawn(state, cards, pull)


def turned(state: ShoeState, cards: Cards) -> Sequence[Event]:
    """Cards that lie face down and are to be turned."""
    shoe = state.shoe
    events: list[Event] = []
    for number, seat in state.course.turn:
        card = identity_of(state, cards, number)
        if shoe is not None and card is not None:
            events.append(
                CardRevealed(
                    shoe_id=shoe.shoe_id,
                    coup_id=state.course.coup_id,
                    draw_number=number,
                    card=card,
                    seat=seat,
                )
            )
    return events
