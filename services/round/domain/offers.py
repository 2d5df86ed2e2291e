"""Cards and shoe pass to players and come back (004 8, methods B, C and D)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_own
from services.contracts.round_hands import (
    CardsDeclined,
    CardsOffered,
    HandMarkerPlaced,
    HandPassed,
    HandRetainedByDealer,
    HandReturned,
    ShoeAccepted,
    ShoeDeclined,
    ShoeForfeited,
    ShoeHolderChanged,
    ShoeOffered,
    ShoePassed,
)
from services.contracts.round_table import DealingMethodSelected
from services.round.commands import (
    AcceptCards,
    AcceptShoe,
    DeclineCards,
    DeclineShoe,
    ForfeitShoe,
    OfferCards,
    OfferShoe,
    PassShoe,
    ReturnCards,
)
from services.round.domain.coup import (
    BACK,
    BANKER,
    DEALING,
    EMPTY_BOOK,
    OPEN,
    OUT,
    PLAYER,
    Coup,
)
from services.round.domain.methods import BY_CARDS, HELD_BY_PLAYERS, holds, rule_of
from services.round.domain.order import bettors, next_for_hand, next_for_shoe
from services.round.domain.persons import CASINO_SUPERVISOR, require, require_seat
from services.round.domain.state import (
    TableState,
    clauses_for,
    coup_of,
    rules_of,
    waits_for,
)
from services.rules.outcome import outcome

HANDS = (PLAYER, BANKER)


def _dealing(state: TableState, method: Sequence[str], what: str) -> Coup:
    coup = coup_of(state)
    if coup.phase != DEALING or coup.hold is not None or coup.window is not None:
        raise Refused("STATE", f"{what} not now: the table waits for {waits_for(state)}")
    if coup.method not in method:
        raise Refused("STATE", f"{what} does not belong to method {coup.method}")
    return coup


def _player_at(state: TableState, seat: int) -> str:
    player = next((who for taken, who in state.seats if taken == seat), None)
    if player is None:
        raise Refused("STATE", f"nobody sits at seat {seat}")
    return player


# --- method B: a hand's cards ---


def third_hidden(coup: Coup, hand: str) -> bool:
    """Whether the hand's third card lies face down and has not been with a player."""
    cards = coup.player_cards if hand == PLAYER else coup.banker_cards
    return len(cards) == 3 and cards[2] is None and coup.play(hand).returned < len(cards)


def can_be_offered(coup: Coup, hand: str) -> bool:
    """Whether the hand's cards, or its third card, still go to a player."""
    play = coup.play(hand)
    return play.status == OPEN or (play.status == BACK and third_hidden(coup, hand))


def offer_cards(command: OfferCards, state: TableState) -> Sequence[Event]:
    require(command, state, "DEALER", what="offering cards")
    coup = _dealing(state, (BY_CARDS,), "an offer of cards")
    hand = command.hand
    due = next_for_hand(state, coup, hand) if can_be_offered(coup, hand) else None
    if due != command.seat:
        who = f"to be offered to seat {due}" if due is not None else "not to be offered"
        raise Refused("STATE", f"{hand}'s cards are {who}", clauses_for(state, "method_b"))
    return [
        CardsOffered(
            coup_id=coup.coup_id,
            hand=hand,
            seat=command.seat,
            player=_player_at(state, command.seat),
            position=3 if coup.play(hand).status == BACK else 1,
            clauses=clauses_for(state, "method_b"),
        )
    ]


def _offered(coup: Coup, hand: str, seat: int) -> None:
    if coup.play(hand).offered != seat:
        raise Refused("STATE", f"{hand}'s cards are not offered to seat {seat}")


def accept_cards(command: AcceptCards, state: TableState) -> Sequence[Event]:
    """One hand is out at a time (004 8.11)."""
    coup = _dealing(state, (BY_CARDS,), "taking cards")
    _offered(coup, command.hand, command.seat)
    require_seat(command, state, command.seat, what="taking cards")
    if any(coup.play(hand).status == OUT for hand in HANDS):
        raise Refused(
            "STATE", "the other hand is out and comes back first", clauses_for(state, "one_hand")
        )
    return [
        HandMarkerPlaced(coup_id=coup.coup_id, hand=command.hand, seat=command.seat),
        HandPassed(
            coup_id=coup.coup_id,
            hand=command.hand,
            seat=command.seat,
            player=_player_at(state, command.seat),
            clauses=clauses_for(state, "one_hand"),
        ),
    ]


def decline_cards(command: DeclineCards, state: TableState) -> Sequence[Event]:
    coup = _dealing(state, (BY_CARDS,), "refusing cards")
    _offered(coup, command.hand, command.seat)
    require_seat(command, state, command.seat, what="refusing cards")
    declined = CardsDeclined(coup_id=coup.coup_id, hand=command.hand, seat=command.seat)
    if coup.play(command.hand).status != BACK:
        return [declined]
    return [declined, _retained(state, coup, command.hand, "ALL_DECLINED")]


def return_cards(command: ReturnCards, state: TableState) -> Sequence[Event]:
    coup = _dealing(state, (BY_CARDS,), "returning cards")
    play = coup.play(command.hand)
    if play.status != OUT or play.holder != command.seat:
        raise Refused("STATE", f"seat {command.seat} does not have {command.hand}'s cards")
    require_seat(command, state, command.seat, what="returning cards")
    return [
        HandReturned(
            coup_id=coup.coup_id,
            hand=command.hand,
            seat=command.seat,
            clauses=clauses_for(state, "returned_b"),
        )
    ]


def _retained(state: TableState, coup: Coup, hand: str, reason: str) -> HandRetainedByDealer:
    return HandRetainedByDealer(
        coup_id=coup.coup_id, hand=hand, reason=reason, clauses=clauses_for(state, "method_b")
    )


def kept_by_dealer(state: TableState, coup: Coup) -> Sequence[Event]:
    """A hand that nobody staked on, or that everybody refused, stays with the dealer."""
    if coup.method != BY_CARDS:
        return ()
    for hand in HANDS:
        if coup.play(hand).status == OPEN and next_for_hand(state, coup, hand) is None:
            reason = "ALL_DECLINED" if bettors(state, coup, hand) else "NO_WAGER"
            return [_retained(state, coup, hand, reason)]
    return ()


# --- methods C and D: the shoe ---


def offer_shoe(command: OfferShoe, state: TableState) -> Sequence[Event]:
    require(command, state, "DEALER", what="offering the shoe")
    coup = _dealing(state, HELD_BY_PLAYERS, "an offer of the shoe")
    if state.holder is not None:
        raise Refused("STATE", f"the shoe is with seat {state.holder.seat}")
    if (due := next_for_shoe(state, coup)) != command.seat:
        who = f"to be offered to seat {due}" if due is not None else "not to be offered"
        raise Refused("STATE", f"the shoe is {who}", clauses_for(state, rule_of(coup.method)))
    return [
        ShoeOffered(
            coup_id=coup.coup_id,
            seat=command.seat,
            player=_player_at(state, command.seat),
            clauses=clauses_for(state, rule_of(coup.method)),
        )
    ]


def accept_shoe(command: AcceptShoe, state: TableState) -> Sequence[Event]:
    """As Banker, or as Player where that was approved before (004 8.17, 8.27)."""
    coup = _dealing(state, HELD_BY_PLAYERS, "taking the shoe")
    if coup.shoe_play.offered != command.seat:
        raise Refused("STATE", f"the shoe is not offered to seat {command.seat}")
    require_seat(command, state, command.seat, what="taking the shoe")
    player = _player_at(state, command.seat)
    if command.hand == PLAYER and not _may_act_as_player(state, player, coup.number):
        raise Refused(
            "APPROVAL",
            "acting for Player's hand needs an approval before",
            clauses_for(state, "act_as_player"),
        )
    return [
        ShoeAccepted(
            coup_id=coup.coup_id,
            seat=command.seat,
            player=player,
            hand=command.hand,
            clauses=clauses_for(state, rule_of(coup.method)),
        ),
        ShoeHolderChanged(seat=command.seat, player=player),
        HandMarkerPlaced(coup_id=coup.coup_id, hand=command.hand, seat=command.seat),
    ]


def _may_act_as_player(state: TableState, player: str, coup: int) -> bool:
    approvals = state.act_as_player
    return holds(approvals, player, coup) or holds(approvals, "", coup)


def decline_shoe(command: DeclineShoe, state: TableState) -> Sequence[Event]:
    coup = _dealing(state, HELD_BY_PLAYERS, "refusing the shoe")
    if coup.shoe_play.offered != command.seat:
        raise Refused("STATE", f"the shoe is not offered to seat {command.seat}")
    require_seat(command, state, command.seat, what="refusing the shoe")
    return [ShoeDeclined(coup_id=coup.coup_id, seat=command.seat)]


def pass_shoe(command: PassShoe, state: TableState) -> Sequence[Event]:
    """The holder has had enough of it; inside the deal of a coup the dealer finishes that."""
    holder = state.holder
    if holder is None or holder.seat != command.seat:
        raise Refused("STATE", f"the shoe is not with seat {command.seat}")
    require_own(command, holder.player, what="passing the shoe on")
    return _passed(state, command.seat, "HOLDER")


def _passed(state: TableState, seat: int, reason: str) -> Sequence[Event]:
    return [
        ShoePassed(seat=seat, reason=reason, clauses=clauses_for(state, "shoe_forfeit")),
        ShoeHolderChanged(),
    ]


def forfeit_shoe(command: ForfeitShoe, state: TableState) -> Sequence[Event]:
    """A supervisor orders the shoe away (004 8.20, 8.29)."""
    methods = set(rules_of(state).methods) & set(HELD_BY_PLAYERS)
    if not methods:
        raise Refused("NOT_PERMITTED", "under this rulebook no player has the shoe")
    require(command, state, CASINO_SUPERVISOR, what="ordering the shoe away")
    holder = state.holder
    if holder is None or command.seat not in (None, holder.seat):
        raise Refused("STATE", "the shoe is with nobody there")
    return _forfeited(state, "ORDERED")


def _forfeited(state: TableState, reason: str) -> Sequence[Event]:
    holder = state.holder
    assert holder is not None
    return [
        ShoeForfeited(
            seat=holder.seat,
            player=holder.player,
            reason=reason,
            clauses=clauses_for(state, "shoe_forfeit"),
        ),
        ShoeHolderChanged(),
    ]


def shoe_moves_on(state: TableState, coup: Coup) -> Sequence[Event]:
    """Before the cards: a holder without a wager passes; where nobody is left, the dealer deals."""
    if coup.method not in HELD_BY_PLAYERS or coup.drawn:
        return ()
    holder = state.holder
    if holder is not None:
        staked = {each.player for each in (coup.book or EMPTY_BOOK).players}
        if coup.shoe_play.seat == holder.seat:
            return ()
        if holder.player not in staked:
            return _passed(state, holder.seat, "NO_WAGER")
        return [HandMarkerPlaced(coup_id=coup.coup_id, hand=holder.hand, seat=holder.seat)]
    if next_for_shoe(state, coup) is not None:
        return ()
    fallback = rules_of(state).method_fallback or "A"
    return [
        DealingMethodSelected(
            method=fallback,
            coup_id=coup.coup_id,
            fallback=True,
            clauses=clauses_for(state, rule_of(coup.method)),
        )
    ]


def shoe_after_coup(state: TableState, coup: Coup) -> Sequence[Event]:
    """In D the shoe comes back after each coup; in C a lost wager on a hand takes it away."""
    holder = state.holder
    if holder is None:
        return ()
    if coup.method == "D":
        return [
            ShoePassed(
                seat=holder.seat, reason="COUP_OVER", clauses=clauses_for(state, "method_d")
            ),
            ShoeHolderChanged(),
        ]
    return _forfeited(state, "LOST") if _lost(coup, holder.player) else ()


def _lost(coup: Coup, player: str) -> bool:
    """On both hands any loss counts; a tie takes nothing (X-34)."""
    winner = outcome(coup.player, coup.banker).winner
    if winner == "tie":
        return False
    losing = BANKER if winner == "player" else PLAYER
    return any(
        each.player == player and each.on(losing) > 0 for each in (coup.book or EMPTY_BOOK).players
    )


def holder_left(state: TableState) -> Sequence[Event]:
    """Who leaves his seat leaves the shoe."""
    holder = state.holder
    if holder is None or (holder.seat, holder.player) in state.seats:
        return ()
    return _passed(state, holder.seat, "LEFT")
