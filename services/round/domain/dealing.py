"""From the closed book to the last card: the deal, the tableau, the dealer's words."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.round import (
    BookCloseRequested,
    CardDealt,
    CoupStarted,
    DealCalled,
    DealingOpened,
    DrawInstructed,
    NaturalDeclared,
    PointsAnnounced,
    ThirdCardDecision,
)
from services.contracts.round_hands import HandReturned, TurnInstructed
from services.round.commands import (
    AnnounceResult,
    DealCoup,
    InstructDraw,
    ShowHand,
)
from services.round.domain.coup import (
    ANNOUNCEMENT_MISMATCH,
    BACK,
    BANKER,
    CLOSED,
    DEALING,
    EMPTY_BOOK,
    INITIAL_CARDS,
    KEPT,
    OPEN,
    OUT,
    PLAYER,
    Coup,
    Drawn,
    has_hidden,
    is_complete,
    needed,
)
from services.round.domain.ending import result
from services.round.domain.incidents import held, incident
from services.round.domain.methods import BY_CARDS, HELD_BY_PLAYERS
from services.round.domain.misdeals import (
    check_errors_approved,
    initial_misplacement,
    needless,
    third_misplacement,
)
from services.round.domain.offers import HANDS, third_hidden
from services.round.domain.order import next_for_hand
from services.round.domain.persons import require_seat
from services.round.domain.state import (
    TableState,
    clauses_for,
    coup_of,
    kept_to_come,
    rules_of,
    waits_for,
)
from services.rules import tableau
from services.rules.hands import NATURAL_POINTS_MIN, points
from services.rules.outcome import outcome

RETURNED_RULES = {"C": "returned_c", "D": "returned_d"}


# --- what the dealer says ---


def _not_now(state: TableState, rule: str = "cut_off") -> Refused:
    return Refused(
        "STATE", f"not now: the table waits for {waits_for(state)}", clauses_for(state, rule)
    )


def deal(command: DealCoup, state: TableState) -> Sequence[Event]:
    require_role(command, "DEALER", what="dealing")
    coup = coup_of(state)
    held_up = coup.hold is not None or coup.window is not None or coup.backfilled
    if coup.phase not in (CLOSED, DEALING) or coup.deal_called or held_up:
        raise _not_now(state)
    if coup.phase == DEALING and coup.dealt >= INITIAL_CARDS:
        _check_hands_back(state, coup)
    check_errors_approved(state, coup)
    called = DealCalled(coup_id=coup.coup_id)
    if coup.phase == CLOSED and not coup.book_asked:
        return [BookCloseRequested(coup_id=coup.coup_id, reason="FIRST_CARD"), called]
    return [called]


def _check_hands_back(state: TableState, coup: Coup) -> None:
    """No third card and no result while a hand is with a player, or still to go to one (8.14)."""
    if coup.method != BY_CARDS:
        return
    for hand in HANDS:
        play = coup.play(hand)
        if play.status == OUT:
            raise Refused(
                "STATE",
                f"{hand}'s cards are with seat {play.holder}",
                clauses_for(state, "returned_b"),
            )
        if play.status == OPEN and (seat := next_for_hand(state, coup, hand)) is not None:
            raise Refused(
                "STATE",
                f"{hand}'s cards are to be offered to seat {seat}",
                clauses_for(state, "method_b"),
            )


def instruct_draw(command: InstructDraw, state: TableState) -> Sequence[Event]:
    """In methods C and D the player who has the shoe draws when he is told to (004 8.19, 8.28)."""
    require_role(command, "DEALER", what="asking for a card")
    coup = coup_of(state)
    if not 1 <= command.count <= INITIAL_CARDS:
        raise Refused("NOT_PERMITTED", f"1 to {INITIAL_CARDS} cards are asked for at a time")
    if coup.phase != DEALING or coup.hold is not None or coup.deal_called:
        raise _not_now(state, "draw_without_instruction")
    if coup.method not in HELD_BY_PLAYERS or state.holder is None:
        raise Refused("STATE", "the dealer has the shoe and needs no word to draw")
    return [DrawInstructed(coup_id=coup.coup_id, count=command.count)]


def show_hand(command: ShowHand, state: TableState) -> Sequence[Event]:
    """Who has a hand may show it (004 8.13, 8.23, 8.32)."""
    coup = coup_of(state)
    play = coup.play(command.hand)
    acts = coup.shoe_play.seat == command.seat and coup.shoe_play.hand == command.hand
    if not acts and not (play.status == OUT and play.holder == command.seat):
        raise Refused("STATE", f"seat {command.seat} does not have {command.hand}'s cards")
    require_seat(command, state, command.seat, what="showing a hand")
    numbers = _hidden_numbers(coup, (command.hand,))
    if coup.hold is not None or not numbers:
        raise _not_now(state, "method_b")
    return [TurnInstructed(coup_id=coup.coup_id, draw_numbers=numbers, seat=command.seat)]


def announce(command: AnnounceResult, state: TableState) -> Sequence[Event]:
    """The cards decide; other words of the dealer hold the payment (004 9.8.2, X-55)."""
    require_role(command, "DEALER", what="announcing the result")
    coup = coup_of(state)
    held_up = coup.hold is not None or coup.window is not None or coup.backfilled
    if coup.phase != DEALING or held_up:
        raise _not_now(state, "announcement")
    _check_hands_back(state, coup)
    if any(third_hidden(coup, hand) for hand in HANDS):
        raise Refused("STATE", "a card lies face down", clauses_for(state, "turned_by_dealer"))
    if not is_complete(coup):
        raise _not_now(state, "announcement")
    check_errors_approved(state, coup)
    if _words_fit(command, coup):
        return result(state, coup)
    return [
        incident(state, ANNOUNCEMENT_MISMATCH),
        held(coup, ANNOUNCEMENT_MISMATCH, command.at_us),
    ]


def _words_fit(command: AnnounceResult, coup: Coup) -> bool:
    end = outcome(coup.player, coup.banker)
    said = (command.winner, command.player_points, command.banker_points)
    computed = (end.winner.upper(), end.player_points, end.banker_points)
    return all(word is None or word == fact for word, fact in zip(said, computed, strict=True))


# --- what follows by itself ---


def opening_of_the_deal(coup: Coup) -> Sequence[Event]:
    """Dealing opens with the closed book; a card that is out already asks for it."""
    if coup.phase != CLOSED:
        return ()
    book = coup.book
    ready = book is not None and not (coup.no_bet and book.wagers)
    if ready:
        known = book or EMPTY_BOOK
        return [
            DealingOpened(
                coup_id=coup.coup_id,
                book_revision=known.revision,
                book_wagers=known.wagers,
                book_digest=known.digest,
            )
        ]
    if (coup.drawn or coup.first_card_asked) and not coup.book_asked:
        return [BookCloseRequested(coup_id=coup.coup_id, reason="FIRST_CARD")]
    return ()


def next_card(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """Give the next card of the draw order to the hand that needs it (invariant 2)."""
    drawn = coup.drawn[coup.dealt]
    if min(kept_to_come(state, coup), default=drawn.draw_number) < drawn.draw_number:
        return ()  # the draw order is theirs (ADR 11); a card that was out early waits for them
    if misplaced := initial_misplacement(state, coup, drawn, at_us):
        return misplaced
    if has_hidden(coup) and coup.dealt >= INITIAL_CARDS:
        return ()  # who needs it is known when the cards are turned
    hand = needed(coup)
    if hand is None:
        return needless(state, coup, drawn)
    due = hand.upper()
    cards = coup.player_cards if due == PLAYER else coup.banker_cards
    events: list[Event] = []
    if coup.dealt == 0:
        events.append(
            CoupStarted(coup_id=coup.coup_id, coup=coup.number, draw_number=drawn.draw_number)
        )
    events.extend(third_misplacement(state, coup, drawn, due))
    events.append(_dealt(coup, drawn, due, len(cards) + 1))
    return events


def _dealt(coup: Coup, drawn: Drawn, hand: str, position: int) -> CardDealt:
    return CardDealt(
        coup_id=coup.coup_id,
        draw_number=drawn.draw_number,
        hand=hand,
        position=position,
        card=drawn.card,
        face_up=drawn.face_up,
    )


def told(state: TableState, coup: Coup) -> Sequence[Event]:
    """Counts, naturals and decisions as the cards make them known (004 9.1)."""
    if coup.decided == len(HANDS):
        return ()
    if None in coup.player_cards[:2] or None in coup.banker_cards[:2]:
        return ()
    known = tableau.known_decisions(coup.player, coup.banker)
    if len(known) <= coup.decided:
        return ()
    events: list[Event] = []
    hands = (("PLAYER", coup.player), ("BANKER", coup.banker))
    if coup.decided == 0:
        counts = [(hand, points(cards[:2])) for hand, cards in hands]
        if rules_of(state).announce_points:
            events.extend(
                PointsAnnounced(coup_id=coup.coup_id, hand=hand, points=count)
                for hand, count in counts
            )
        events.extend(
            NaturalDeclared(
                coup_id=coup.coup_id, hand=hand, points=count, clauses=clauses_for(state, "natural")
            )
            for hand, count in counts
            if count >= NATURAL_POINTS_MIN
        )
    events.extend(
        ThirdCardDecision(
            coup_id=coup.coup_id,
            hand=made.hand.upper(),
            draw=made.draw,
            rule=made.rule,
            clauses=clauses_for(state, made.rule),
        )
        for made in known[coup.decided :]
    )
    return events


def _hidden_numbers(coup: Coup, hands: Sequence[str]) -> tuple[int, ...]:
    cards = {PLAYER: coup.player_cards, BANKER: coup.banker_cards}
    return tuple(
        number
        for number, hand, place in coup.numbers
        if hand in hands and cards[hand][place] is None and number not in coup.turning
    )


def turning(state: TableState, coup: Coup) -> Sequence[Event]:
    """Cards that lie face down are turned by the dealer, once they are his to turn (8.14.2)."""
    if not has_hidden(coup):
        return ()
    hands = [hand for hand in HANDS if _may_be_turned(coup, hand)]
    numbers = _hidden_numbers(coup, hands)
    if not numbers:
        return ()
    turn = TurnInstructed(
        coup_id=coup.coup_id,
        draw_numbers=numbers,
        clauses=clauses_for(state, "turned_by_dealer"),
    )
    return [*_collected(state, coup, numbers), turn]


def _may_be_turned(coup: Coup, hand: str) -> bool:
    if coup.method != BY_CARDS:
        return True
    play = coup.play(hand)
    if play.status == KEPT:
        # The dealer turns a hand of his own when no hand is out or to be offered any more.
        return all(coup.play(each).status in (BACK, KEPT) for each in HANDS)
    if play.status != BACK:
        return False
    return not third_hidden(coup, hand) or coup.deal_called


def _collected(state: TableState, coup: Coup, numbers: Sequence[int]) -> Sequence[Event]:
    """In methods C and D the dealer collects the hand that a player acted for (8.24, 8.33)."""
    play = coup.shoe_play
    acted = any(hand == play.hand and number in numbers for number, hand, _ in coup.numbers)
    if coup.method not in HELD_BY_PLAYERS or play.seat is None or not acted:
        return ()
    return [
        HandReturned(
            coup_id=coup.coup_id,
            hand=play.hand,
            seat=play.seat,
            clauses=clauses_for(state, RETURNED_RULES[coup.method]),
        )
    ]


def instructed(state: TableState, coup: Coup) -> Sequence[Event]:
    """In a coup that is dealt out: ask for what is needed, or give the result."""
    if not coup.deal_called or coup.instructed or coup.dealt < len(coup.drawn):
        return ()
    if needed(coup) is None:
        return result(state, coup) if is_complete(coup) else ()
    if kept_to_come(state, coup):
        return ()  # they come by themselves: asked for is what is wanted behind them
    count = max(1, INITIAL_CARDS - len(coup.drawn))
    return [DrawInstructed(coup_id=coup.coup_id, count=count)]
