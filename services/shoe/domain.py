"""The shoe of a table: preparation, burns, draws, the cutting card, the end of the shoe. Pure.

The draw number is the truth: every card that leaves the shoe gets the next one, burned or dealt.
Cards that nobody has seen are not in this state; `decide` is given a sealed source for them (D8).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct
from msgspec.structs import replace

from services.contracts import round as table
from services.contracts.common import Card, RulebookActivated, TableSettings
from services.contracts.core import Caused, Command, Event, Heard, NotYet, Refused, Scope
from services.contracts.guards import require_role
from services.contracts.pinned import pinned
from services.contracts.shoe import (
    EVENTS,
    SERVICE,
    CardDrawn,
    CardsBurned,
    CardsInspected,
    CardsShuffled,
    CutCardPlaced,
    CutCardReached,
    CutDeclined,
    CutMade,
    CutOffered,
    LastCoupDesignated,
    PreShuffledIntroduced,
    RiffleRequested,
    ShoeAssembled,
    ShoeExhausted,
    ShoeInvalidated,
    ShoeLoaded,
    ShoeRetired,
    StackCut,
)
from services.rules import burns, cutting
from services.rules.citations import cite
from services.rules.rulebook import Rulebook
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

__all__ = [
    "EVENTS",
    "FOLLOWS",
    "HEARS",
    "SERVICE",
    "STATE_SCHEMA",
    "Cards",
    "NoCards",
    "ShoeState",
    "answer",
    "decide",
    "evolve",
    "initial_state",
    "react",
    "scope",
]

STATE_SCHEMA = 1
CARDS_PER_DECK = 52
NEW_SHOE, BETWEEN_COUPS, DEALER_CHANGE = "NEW_SHOE", "BETWEEN_COUPS", "DEALER_CHANGE"
SCANNED, PRESET, GENERATED = "SCANNED", "PRESET", "GENERATED"


class Cards(Protocol):
    """The sealed source of a shoe's cards."""

    def card(self, draw_number: int) -> Card | None:
        """The card with this draw number (from 1), or None where its identity is not known."""
        ...

    def known(self) -> int:
        """How many cards from the front have a known identity."""
        ...

    def overfull(self, decks: int) -> Card | None:
        """A card of which there are more copies than `decks` packs hold, if any."""
        ...


class NoCards:
    """A shoe whose order nobody knows: the identities come with the draws."""

    def card(self, draw_number: int) -> Card | None:
        """Nothing is known."""
        del draw_number
        return None

    def known(self) -> int:
        """Nothing is known."""
        return 0

    def overfull(self, decks: int) -> Card | None:
        """Nothing is known."""
        del decks
        return None


class Preparation(Struct, frozen=True):
    """What was done to the cards of the next shoe."""

    assembled: bool = False
    inspected: bool = False
    shuffled: bool = False
    pre_shuffled: bool = False
    riffle_owed: bool = False
    offered: int | None = None
    declined: tuple[int, ...] = ()
    cut: int | None = None
    from_back: int | None = None


class Shoe(Struct, frozen=True):
    """The shoe on the table."""

    shoe_id: str
    decks: int
    cards: int
    source: str
    partial: bool
    cuts_after: int | None
    drawn: int = 0
    """Draw number of the last card that left the shoe."""

    burned: int = 0
    owed: tuple[str, ...] = ()
    """Burns that are owed, oldest first."""

    cut_shown: bool = False
    last_coup: int | None = None
    ended: bool = False
    invalid: bool = False

    @property
    def dealt(self) -> int:
        """Cards that went to coups."""
        return self.drawn - self.burned

    @property
    def left(self) -> int:
        """Cards still in the shoe."""
        return self.cards - self.drawn


class Course(Struct, frozen=True):
    """What the shoe knows of the table's course of play."""

    phase: str = "IDLE"
    """IDLE, BETTING, CLOSED, DEALING or RESULTED."""

    coup_id: str = ""
    coup: int = 0
    """Number of the coup in progress, or of the last one."""

    drawn: int = 0
    """Cards drawn for the coup so far."""

    instructed: int = 0
    """Cards that round has asked for and that are still to be drawn."""

    betting_requested: bool = False


class ShoeState(Struct, frozen=True):
    """All that the shoe service knows of one table."""

    session: int = 0
    settings: TableSettings | None = None
    open: bool = False
    players: tuple[tuple[int, str], ...] = ()
    """Seats and players in the order in which they came."""

    shoes: int = 0
    """Shoes loaded in this session."""

    preparation: Preparation = Preparation()
    shoe: Shoe | None = None
    course: Course = Course()


def initial_state() -> ShoeState:
    """A table that nobody has opened."""
    return ShoeState()


def scope(state: ShoeState) -> Scope:
    """What of the state goes into the envelope of its events."""
    settings = state.settings
    if settings is None:
        return Scope()
    return Scope(
        settings.rulebook_id,
        settings.rulebook_hash,
        state.shoe.shoe_id if state.shoe else "",
        settings.test,
    )


def answer(command: Command, events: Sequence[Event], state: ShoeState) -> Mapping[str, Any]:
    """The draw number for a draw; nothing else needs telling."""
    del state
    if isinstance(command, DrawCard):
        numbers = [event.draw_number for event in events if isinstance(event, CardDrawn)]
        return {"draw_number": numbers[-1]} if numbers else {}
    return {}


# --- decide ---------------------------------------------------------------------------------


def decide(command: Command, state: ShoeState, cards: Cards) -> Sequence[Event]:
    """Events that the command causes; raises `Refused` where the rules do not allow it."""
    if isinstance(command, ActivateRulebook):
        return [RulebookActivated(session=command.session, settings=command.settings)]
    if state.settings is None:
        raise NotYet("the shoe service has not heard yet that this table is open")
    if not state.open and not isinstance(command, Proceed):
        raise Refused("STATE", "the table is closed")
    return _DECIDE[type(command)](command, state, cards)


def _book(state: ShoeState) -> Rulebook:
    return pinned(_settings(state))


def _cite(state: ShoeState, rule: str) -> tuple[str, ...]:
    return cite(_book(state).rulebook_id, rule)


def _fold(state: ShoeState, events: Sequence[Event]) -> ShoeState:
    for event in events:
        state = evolve(state, event)
    return state


def _inspect(command: InspectCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="inspecting the cards")
    rules = _book(state).inspection
    if command.stage not in rules.stages:
        raise Refused("STATE", f"this rulebook knows no inspection {command.stage}")
    if rules.persons > 1 and command.witness == command.by.id:
        raise Refused(
            "ROLE", "two different persons inspect the cards", _cite(state, "inspection")
        )
    if rules.video_required and not command.video:
        raise Refused("APPROVAL", "the inspection needs a video reference")
    events: list[Event] = []
    if not state.preparation.assembled:
        decks = _settings(state).decks
        events.append(ShoeAssembled(decks=decks, cards=decks * CARDS_PER_DECK))
    events.append(
        CardsInspected(
            stage=command.stage,
            witness=command.witness,
            video=command.video,
            defects=command.defects,
            clauses=_cite(state, "inspection"),
        )
    )
    return events


def _settings(state: ShoeState) -> TableSettings:
    assert state.settings is not None
    return state.settings


def _shuffle(command: ShuffleCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="shuffling")
    rules = _book(state)
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
            _cite(state, "shuffle"),
        )
    if command.procedure == "MULTISHUFFLER":
        decks = _settings(state).decks
        if decks not in rules.multishuffler_decks:
            raise Refused("DECKS", f"a multishuffler does not take {decks} decks here")
    return [CardsShuffled(procedure=command.procedure, clauses=_cite(state, "shuffle"))]


def _request_riffle(command: RequestRiffle, state: ShoeState, _: Cards) -> Sequence[Event]:
    if not _book(state).riffle_on_request:
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
    settings = _settings(state)
    order = cutting.cut_offers(
        _book(state),
        seated=[seat for seat, _ in state.players],
        first_shoe=state.shoes == 0,
        left_of_dealer=settings.left_of_dealer,
        seats=settings.seats,
    )
    asked = state.preparation.declined
    return next((seat for seat in order if isinstance(seat, int) and seat not in asked), None)


def _offer_cut(command: OfferCut, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="offering the cut")
    if _book(state).cut_by != "PLAYER_CHAIN":
        raise Refused("NOT_PERMITTED", "under this rulebook the dealer cuts")
    _ready_for_cut(state)
    if (due := _next_cutter(state)) != command.seat:
        who = f"seat {due}" if due is not None else "the game supervisor"
        raise Refused(
            "CUT_ORDER", f"the cut is to be offered to {who}", _cite(state, "cut_order")
        )
    return [CutOffered(seat=command.seat)]


def _decline_cut(command: DeclineCut, state: ShoeState, _: Cards) -> Sequence[Event]:
    if state.preparation.offered != command.seat:
        raise Refused("STATE", f"the cut is not offered to seat {command.seat}")
    return [CutDeclined(seat=command.seat)]


def _cut(command: CutCards, state: ShoeState, _: Cards) -> Sequence[Event]:
    rules = _book(state)
    if rules.cut_by == "DEALER":
        require_role(command, "DEALER", what="the cut")
    elif command.seat is None:
        require_role(command, "GAME_SUPERVISOR", what="the cut without a seat")
    _ready_for_cut(state)
    if rules.cut_by == "PLAYER_CHAIN" and (due := _next_cutter(state)) != command.seat:
        who = f"seat {due}" if due is not None else "the game supervisor"
        raise Refused("CUT_ORDER", f"{who} is to cut", _cite(state, "cut_order"))
    stack = _settings(state).decks * CARDS_PER_DECK
    if not cutting.cut_position_ok(rules, command.position, stack):
        least = rules.cut_in_min_cards
        raise Refused(
            "CUT_POSITION",
            f"the cut leaves {least} cards or more at each end: {least} to {stack - least}",
            _cite(state, "cut_position"),
        )
    return [
        CutMade(
            position=command.position, seat=command.seat, clauses=_cite(state, "cut_position")
        ),
        StackCut(position=command.position),
    ]


def _place_cut_card(command: PlaceCutCard, state: ShoeState, _: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="placing the cutting card")
    if state.preparation.cut is None:
        raise Refused("STATE", "the cards are not cut yet")
    stack = _settings(state).decks * CARDS_PER_DECK
    if not cutting.cut_depth_ok(_book(state), command.from_back, stack):
        raise Refused(
            "CUT_DEPTH",
            f"{command.from_back} cards behind the cutting card are not allowed here",
            _cite(state, "cut_depth"),
        )
    return [CutCardPlaced(kind="CUT", from_back=command.from_back)]


def _load(command: LoadShoe, state: ShoeState, cards: Cards) -> Sequence[Event]:
    require_role(command, "DEALER", what="loading a shoe")
    if state.course.phase != "IDLE":
        raise Refused("STATE", "a shoe is changed between coups, with no betting open")
    settings = _settings(state)
    decks = command.decks if command.decks is not None else settings.decks
    if decks not in _book(state).decks:
        raise Refused("DECKS", f"{decks} decks are not among {_book(state).decks}")
    _check_order(command, state, cards, decks)
    events: list[Event] = []
    if state.shoe is not None and not state.shoe.ended:
        events.append(_retired(state.shoe, "REPLACED"))
    events.extend(_prepared(command, state, decks))
    total = decks * CARDS_PER_DECK
    events.append(
        ShoeLoaded(
            shoe_id=command.shoe_id,
            decks=decks,
            cards=total if command.partial or command.source != PRESET else cards.known(),
            source=command.source,
            cuts_after=_cuts_after(command, state, total),
        )
    )
    after = _fold(state, events)
    return [*events, *_met_debts(after, cards, reasons=(NEW_SHOE,))]


def _check_order(command: LoadShoe, state: ShoeState, cards: Cards, decks: int) -> None:
    if command.source == SCANNED:
        return
    test = _settings(state).test
    if command.source == PRESET and not test:
        raise Refused("NOT_PERMITTED", "an order from outside is for tables in TEST mode only")
    if not test and GENERATED not in _book(state).card_sources:
        raise Refused("NOT_PERMITTED", "this rulebook takes no generated shoes")
    if (card := cards.overfull(decks)) is not None:
        raise Refused(
            "INTEGRITY",
            f"there are more than {decks} copies of {card}, too many for {decks} decks",
            _cite(state, "integrity"),
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
    if not (command.stands_for_preparation and _settings(state).test):
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
    return total - _book(state).cut_depth.cards


def _burn(command: BurnCards, state: ShoeState, cards: Cards) -> Sequence[Event]:
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
    rules = _book(state).burn
    if rules.discretionary_by is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no burns at discretion")
    require_role(command, rules.discretionary_by, what="a burn at discretion")
    count = command.count if command.count is not None else 1
    if not 1 <= count <= min(rules.discretionary_max_cards, shoe.left):
        raise Refused(
            "NOT_PERMITTED",
            f"1 to {rules.discretionary_max_cards} cards are burned at discretion",
            _cite(state, "burn_discretion"),
        )
    del cards
    return _burned(state, "DISCRETION", count, None)


def _size_of(
    reason: str, state: ShoeState, cards: Cards, first: Card | None
) -> tuple[int, Card | None]:
    """Number of cards of an owed burn, and its first card where that one is turned up."""
    rules = _book(state)
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


def _burned(
    state: ShoeState, reason: str, count: int, first_card: Card | None
) -> Sequence[Event]:
    """The burn, and what follows when the cutting card comes out with it (X-46)."""
    shoe = _usable(state)
    if shoe.left < count:
        return [_retired(shoe, "EXHAUSTED")]
    burned = CardsBurned(
        shoe_id=shoe.shoe_id,
        reason=reason,
        count=count,
        first_draw_number=shoe.drawn + 1,
        first_card=first_card,
        clauses=_cite(state, _BURN_RULES[reason]),
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
        clauses=_cite(state, "end_of_shoe"),
    )
    if _book(state).cutting_card_in_burn == "RETIRE_SHOE":
        after = _fold(state, [reached, burned]).shoe
        assert after is not None
        return [reached, burned, _retired(after, "CUT_CARD_IN_BURN")]
    return [reached, _last_coup(state, shoe, state.course.coup + 1), burned]


def _last_coup(state: ShoeState, shoe: Shoe, coup: int) -> LastCoupDesignated:
    return LastCoupDesignated(
        shoe_id=shoe.shoe_id,
        coup=coup,
        call=_book(state).last_coup_call,
        clauses=_cite(state, "last_coup"),
    )


def _retired(shoe: Shoe, reason: str) -> ShoeRetired:
    return ShoeRetired(
        shoe_id=shoe.shoe_id,
        reason=reason,
        dealt=shoe.dealt,
        burned=shoe.burned,
        left=shoe.left,
        lapsed=shoe.owed,
    )


def _draw(command: DrawCard, state: ShoeState, cards: Cards) -> Sequence[Event]:
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
            _cite(state, "cut_off"),
        )
    return _drawn(state, cards, command)


def _drawn_between_coups(state: ShoeState, shoe: Shoe) -> Sequence[Event]:
    """A card that comes out between coups: it is the burn that is owed, or nobody wants it."""
    rules = _book(state).burn
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
                clauses=_cite(state, "burn_missing"),
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
                clauses=_cite(state, "insufficient_cards"),
            ),
            _retired(shoe, "EXHAUSTED"),
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
    plus_one = _book(state).end_of_shoe == "FINISH_PLUS_ONE" and not as_first
    reached = CutCardReached(
        shoe_id=shoe.shoe_id,
        after_draw_number=shoe.drawn,
        as_first=as_first,
        in_burn=False,
        clauses=_cite(state, "end_of_shoe"),
    )
    return [reached, _last_coup(state, shoe, course.coup + 1 if plus_one else course.coup), drawn]


def _proceed(_: Proceed, state: ShoeState, cards: Cards) -> Sequence[Event]:
    """What has fallen due: instructed draws, burns by themselves, the end of the shoe."""
    shoe = state.shoe
    if shoe is None or shoe.ended:
        return ()
    if not state.open:
        return [_retired(shoe, "TABLE_CLOSED")]
    events: list[Event] = []
    while state.course.instructed > 0 and state.shoe is not None and not state.shoe.ended:
        step = _drawn(state, cards)
        state = _fold(state, step)
        events.extend(step)
    if state.course.phase != "IDLE":
        return events
    if shoe.last_coup is not None and state.course.coup >= shoe.last_coup:
        return [*events, _retired(shoe, "LAST_COUP")]
    due = (DEALER_CHANGE, BETWEEN_COUPS) if state.course.betting_requested else (DEALER_CHANGE,)
    return [*events, *_met_debts(state, cards, reasons=due)]


def _met_debts(state: ShoeState, cards: Cards, *, reasons: Sequence[str]) -> Sequence[Event]:
    """Burns that are owed for these reasons, made now where the table burns by itself."""
    if not _settings(state).auto_burn:
        return ()
    events: list[Event] = []
    while state.shoe is not None and not state.shoe.ended:
        reason = next((owed for owed in state.shoe.owed if owed in reasons), None)
        if reason is None:
            break
        if reason == NEW_SHOE and _needs_reading(state, cards):
            break  # the electronic shoe reports the first card with the burn
        step = _burned(state, reason, *_size_of(reason, state, cards, None))
        state = _fold(state, step)
        events.extend(step)
    return events


def _needs_reading(state: ShoeState, cards: Cards) -> bool:
    shoe = _usable(state)
    return _book(state).burn.new_shoe == "FACE_VALUE" and cards.card(shoe.drawn + 1) is None


_DECIDE: dict[type[Command], Callable[[Any, ShoeState, Cards], Sequence[Event]]] = {
    InspectCards: _inspect,
    ShuffleCards: _shuffle,
    RequestRiffle: _request_riffle,
    OfferCut: _offer_cut,
    DeclineCut: _decline_cut,
    CutCards: _cut,
    PlaceCutCard: _place_cut_card,
    LoadShoe: _load,
    BurnCards: _burn,
    DrawCard: _draw,
    Proceed: _proceed,
}


# --- evolve ---------------------------------------------------------------------------------


def evolve(state: ShoeState, event: Event | Heard) -> ShoeState:
    """The state after an event of this service, or after hearing one of another."""
    if isinstance(event, Heard):
        apply_heard = _EVOLVE_HEARD.get(type(event.event))
        return apply_heard(state, event.event) if apply_heard else state
    apply = _EVOLVE.get(type(event))
    return apply(state, event) if apply else state


def _activated(state: ShoeState, event: RulebookActivated) -> ShoeState:
    del state
    return ShoeState(
        session=event.session,
        settings=event.settings,
        open=True,
    )


def _prepare(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, preparation=replace(state.preparation, **changes))


def _declined(state: ShoeState, event: CutDeclined) -> ShoeState:
    declined = (*state.preparation.declined, event.seat)
    return _prepare(state, declined=declined, offered=None)


def _riffled(state: ShoeState, event: CardsShuffled) -> ShoeState:
    del event
    return _prepare(state, shuffled=True, riffle_owed=False)


def _loaded(state: ShoeState, event: ShoeLoaded) -> ShoeState:
    shoe = Shoe(
        shoe_id=event.shoe_id,
        decks=event.decks,
        cards=event.cards,
        source=event.source,
        partial=event.source == SCANNED,
        cuts_after=event.cuts_after,
        owed=(NEW_SHOE,),
    )
    return replace(state, shoe=shoe, preparation=Preparation(), shoes=state.shoes + 1)


def _with_shoe(state: ShoeState, **changes: Any) -> ShoeState:
    assert state.shoe is not None
    return replace(state, shoe=replace(state.shoe, **changes))


def _after_burn(state: ShoeState, event: CardsBurned) -> ShoeState:
    shoe = state.shoe
    assert shoe is not None
    owed = list(shoe.owed)
    if event.reason in owed:
        owed.remove(event.reason)
    return _with_shoe(
        state,
        drawn=shoe.drawn + event.count,
        burned=shoe.burned + event.count,
        owed=tuple(owed),
    )


def _after_draw(state: ShoeState, event: CardDrawn) -> ShoeState:
    course = state.course
    state = _with_shoe(state, drawn=event.draw_number)
    course = replace(
        course, drawn=course.drawn + 1, instructed=max(0, course.instructed - 1)
    )
    return replace(state, course=course)


def _after_exhaustion(state: ShoeState, event: ShoeExhausted) -> ShoeState:
    del event
    return replace(state, course=replace(state.course, instructed=0))


_EVOLVE: dict[type[Event], Callable[[ShoeState, Any], ShoeState]] = {
    RulebookActivated: _activated,
    ShoeAssembled: lambda state, _: _prepare(state, assembled=True),
    CardsInspected: lambda state, event: (
        _prepare(state, inspected=True) if event.stage == "PRE" else state
    ),
    CardsShuffled: _riffled,
    PreShuffledIntroduced: lambda state, _: _prepare(state, shuffled=True, pre_shuffled=True),
    RiffleRequested: lambda state, _: _prepare(state, riffle_owed=True),
    CutOffered: lambda state, event: _prepare(state, offered=event.seat),
    CutDeclined: _declined,
    CutMade: lambda state, event: _prepare(state, cut=event.position),
    CutCardPlaced: lambda state, event: _prepare(state, from_back=event.from_back),
    ShoeLoaded: _loaded,
    CardsBurned: _after_burn,
    CardDrawn: _after_draw,
    CutCardReached: lambda state, _: _with_shoe(state, cut_shown=True),
    LastCoupDesignated: lambda state, event: _with_shoe(state, last_coup=event.coup),
    ShoeExhausted: _after_exhaustion,
    ShoeRetired: lambda state, _: _with_shoe(state, ended=True, owed=()),
    ShoeInvalidated: lambda state, _: _with_shoe(state, invalid=True, ended=True),
}


def _course(state: ShoeState, **changes: Any) -> ShoeState:
    return replace(state, course=replace(state.course, **changes))


def _coup_opened(
    state: ShoeState, event: table.BettingOpened | table.NoBetCoupDeclared
) -> ShoeState:
    phase = "BETTING" if isinstance(event, table.BettingOpened) else "CLOSED"
    course = Course(phase=phase, coup_id=event.coup_id, coup=event.coup)
    return replace(state, course=course)


def _coup_closed(state: ShoeState, event: table.CoupClosed) -> ShoeState:
    state = replace(state, course=Course(coup_id=event.coup_id, coup=event.coup))
    shoe = state.shoe
    if shoe is None or shoe.ended or _book(state).burn.between_coups == 0:
        return state
    if shoe.last_coup is not None and event.coup >= shoe.last_coup:
        return state
    return _with_shoe(state, owed=(*shoe.owed, BETWEEN_COUPS))


def _dealer_changed(state: ShoeState, event: table.DealerChanged) -> ShoeState:
    del event
    shoe = state.shoe
    if shoe is None or shoe.ended or _book(state).burn.dealer_change == 0:
        return state
    return _with_shoe(state, owed=(*shoe.owed, DEALER_CHANGE))


def _seat_taken(state: ShoeState, event: table.SeatTaken) -> ShoeState:
    return replace(state, players=(*state.players, (event.seat, event.player)))


def _seat_vacated(state: ShoeState, event: table.SeatVacated) -> ShoeState:
    return replace(state, players=tuple(p for p in state.players if p[0] != event.seat))


_EVOLVE_HEARD: dict[type[Event], Callable[[ShoeState, Any], ShoeState]] = {
    table.TableClosed: lambda state, _: replace(state, open=False),
    table.SeatTaken: _seat_taken,
    table.SeatVacated: _seat_vacated,
    table.DealerChanged: _dealer_changed,
    table.BettingRequested: lambda state, _: _course(state, betting_requested=True),
    table.BettingOpened: _coup_opened,
    table.NoBetCoupDeclared: _coup_opened,
    table.BettingClosed: lambda state, _: _course(state, phase="CLOSED"),
    table.DealingOpened: lambda state, _: _course(state, phase="DEALING"),
    table.DrawInstructed: lambda state, event: _course(state, instructed=event.count),
    table.CoupResulted: lambda state, _: _course(state, phase="RESULTED"),
    table.CoupVoided: lambda state, _: _course(state, phase="RESULTED", instructed=0),
    table.CoupClosed: _coup_closed,
}

HEARS: Mapping[str, Mapping[str, type[Event]]] = {
    table.SERVICE: {
        event.type: event for event in (table.TableOpened, *_EVOLVE_HEARD)
    }
}
"""What the shoe listens to."""

_PROCEED_ON = frozenset(
    {
        table.TableClosed,
        table.DealerChanged,
        table.BettingRequested,
        table.DrawInstructed,
        table.CoupClosed,
    }
)


FOLLOWS = frozenset({table.TableOpened, *_EVOLVE_HEARD})
"""Heard events that change the state or cause something; the rest is only kept."""


def react(heard: Heard, state: ShoeState) -> Sequence[Command | Caused]:
    """What to do when another service's event is heard; `state` has it folded in already."""
    del state
    event = heard.event
    at_us, by = heard.meta.occurred_at_us, heard.meta.actor
    if isinstance(event, table.TableOpened):
        return [
            ActivateRulebook(at_us=at_us, by=by, session=event.session, settings=event.settings)
        ]
    if type(event) in _PROCEED_ON:
        return [Proceed(at_us=at_us, by=by)]
    return ()
