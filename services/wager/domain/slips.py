"""Slips: several wagers of a player, all of them or none, with one debit."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from services.contracts.core import Event, Refused
from services.contracts.guards import require_own
from services.contracts.wager import SlipDebitRequested, SlipRejected, SlipStake
from services.wager.commands import PlaceSlip, Stake
from services.wager.domain.boxes import box_of
from services.wager.domain.limits import Rejection
from services.wager.domain.placing import (
    accepted,
    book_for,
    channel_of,
    check_name,
    check_word,
    checked,
    rejected,
)
from services.wager.domain.state import (
    Book,
    BookState,
    Pending,
    Slip,
    Wager,
    movement,
    settings_of,
    slip_wager,
)

WAGERS_MIN = 1


def place_slip(command: PlaceSlip, state: BookState) -> Sequence[Event]:
    """Each wager is checked with those before it in place; one that may not stand rejects all."""
    require_own(command, command.player, what="a slip")
    check_name(command.slip_id)
    check_word(command, state)
    if len(command.wagers) < WAGERS_MIN:
        raise Refused("STATE", "a slip without wagers")
    book = book_for(command, state)
    wagers = [_wager(command, number, state) for number in range(1, len(command.wagers) + 1)]
    slip = Slip(command.slip_id, movement(state, command.slip_id, 1))
    so_far: dict[str, Pending] = dict(book.pending)
    taken: list[Wager] = []
    for number, wager in enumerate(wagers, start=1):
        try:
            may = checked(wager, command.at_us, state, replace(book, pending=so_far))
        except Rejection as no:
            why = Rejection(no.code, f"wager {number}, {wager.area}: {no.message}", no.rule)
            return slip_rejected(slip, wagers, state, book, why, debited=False)
        taken.append(may)
        so_far[may.wager_id] = Pending(may, may.stake_minor, 0, book.sign.version)
    return [_debit(command, taken, slip, book)]


def _wager(command: PlaceSlip, number: int, state: BookState) -> Wager:
    stake: Stake = command.wagers[number - 1]
    return Wager(
        wager_id=slip_wager(command.slip_id, number),
        player=command.player,
        area=stake.area,
        currency=command.currency or settings_of(state).currency,
        stake_minor=stake.amount_minor,
        channel=command.channel or channel_of(state),
        box=box_of(command.player, command.box, state),
        context=command.context,
    )


def _debit(
    command: PlaceSlip, wagers: Sequence[Wager], slip: Slip, book: Book
) -> SlipDebitRequested:
    first = wagers[0]
    return SlipDebitRequested(
        coup_id=book.coup_id,
        slip_id=slip.slip_id,
        movement_id=slip.movement_id,
        player=first.player,
        currency=first.currency,
        amount_minor=sum(wager.stake_minor for wager in wagers),
        wagers=tuple(
            SlipStake(
                wager_id=wager.wager_id,
                area=wager.area,
                stake_minor=wager.stake_minor,
                out_of_limits=wager.out_of_limits,
            )
            for wager in wagers
        ),
        channel=first.channel,
        limits_version=book.sign.version,
        box=first.box,
        standing=first.standing,
        requested_at_us=command.at_us,
        context=first.context,
    )


def slip_accepted(parts: Sequence[Pending], book: Book, at_us: int) -> list[Event]:
    """The debit was made: every wager stands."""
    return [accepted(part.wager, book, part.limits_version, at_us) for part in parts]


def slip_rejected(
    slip: Slip,
    wagers: Sequence[Wager],
    state: BookState,
    book: Book,
    no: Rejection,
    *,
    debited: bool,
) -> list[Event]:
    """No wager stands. `debited`: the debit was made, or may have been, and is cancelled whole."""
    first = wagers[0]
    gone = SlipRejected(
        coup_id=book.coup_id,
        slip_id=slip.slip_id,
        player=first.player,
        currency=first.currency,
        amount_minor=sum(wager.stake_minor for wager in wagers),
        code=no.code,
        message=no.message,
        movement_id=movement(state, slip.slip_id, 2) if debited else None,
        cancelled_movement_id=slip.movement_id if debited else None,
        context=first.context,
    )
    return [gone, *(rejected(wager, state, book, no) for wager in wagers)]
