"""Whom cards and shoe are offered, in which order (Procedure 10)."""

from __future__ import annotations

from services.round.domain.coup import BANKER, EMPTY_BOOK, KEPT, OPEN, PLAYER, Coup, PlayerStakes
from services.round.domain.state import TableState, seat_of, settings_of
from services.rules.cutting import counter_clockwise_from, from_dealers_right


def _seated(state: TableState, coup: Coup) -> list[tuple[int, PlayerStakes]]:
    """Seats whose players are in the book; who stands is offered nothing (003 5.5)."""
    found = []
    for stakes in (coup.book or EMPTY_BOOK).players:
        seat = seat_of(state, stakes.player)
        if seat is not None:
            found.append((seat, stakes))
    return found


def bettors(state: TableState, coup: Coup, hand: str) -> list[int]:
    """Method B: seats by what they have on the hand, the highest first (004 8.5 to 8.8).

    Equal amounts: nearest the dealer's right first, then counter-clockwise.
    """
    settings = settings_of(state)
    place = {
        seat: at
        for at, seat in enumerate(from_dealers_right(settings.left_of_dealer, settings.seats))
    }
    staked = [(seat, stakes.on(hand)) for seat, stakes in _seated(state, coup)]
    ranked = sorted(
        (pair for pair in staked if pair[1] > 0), key=lambda pair: (-pair[1], place[pair[0]])
    )
    return [seat for seat, _ in ranked]


def next_for_hand(state: TableState, coup: Coup, hand: str) -> int | None:
    """The seat that is offered the hand next; None where the dealer keeps it."""
    play = coup.play(hand)
    if play.status == KEPT:
        return None
    if play.status != OPEN:
        return play.holder  # the third card goes where the first two went (004 9.6.2)
    return next((seat for seat in bettors(state, coup, hand) if seat not in play.declined), None)


def holders(state: TableState, coup: Coup) -> list[int]:
    """Methods C and D: seats in the order in which the shoe is offered (004 8.15, 8.25)."""
    seated = _seated(state, coup)
    if coup.method == "D":
        rank = {seat: max(stakes.on(PLAYER), stakes.on(BANKER)) for seat, stakes in seated}
        return sorted((s for s in rank if rank[s] > 0), key=lambda seat: (-rank[seat], seat))
    staked = sorted(seat for seat, _ in seated)
    after = state.offers_after
    if after is None:
        return staked
    round_ = counter_clockwise_from(after, settings_of(state).seats)[1:]
    return [seat for seat in round_ if seat in staked]


def next_for_shoe(state: TableState, coup: Coup) -> int | None:
    """The seat that is offered the shoe next; None where nobody is left."""
    declined = coup.shoe_play.declined
    return next((seat for seat in holders(state, coup) if seat not in declined), None)
