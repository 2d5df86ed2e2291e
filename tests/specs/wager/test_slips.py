"""Slips: several areas with one debit, all of them or none."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from services.contracts.common import Limit, PlayerContext
from services.contracts.core import Event, Refused
from services.contracts.wager import (
    BookClosed,
    DebitRequested,
    SlipDebitRequested,
    SlipRejected,
    WagerAccepted,
    WagerCancelled,
    WagerRejected,
)
from services.wager import domain as wager
from services.wager.commands import (
    CancelWager,
    ChangeWager,
    ExpireDebits,
    PlaceSlip,
    RecordDebit,
    Stake,
)
from services.wager.config import WalletSettings
from services.wager.domain.facts import Facts
from services.wager.movements import movement_of
from services.wager.wallet import CANCEL, DEBIT, Part
from services.wager.wallets import rules
from tests.support.spec import AT_US, Spec, Told, heard, like, person, spec
from tests.support.tables import asked, betting, closed, opened, place, sign

PLAYER = person("PLAYER", "p1")
SECOND_US = 1_000_000
ACME = PlayerContext(operator="acme")


def table(rulebook: str = "live-studio") -> Spec:
    return spec(wager).given(opened(rulebook), sign({"*": Limit(100, 5_000)}), betting())


def slip(*stakes: tuple[str, int], **fields: Any) -> PlaceSlip:
    wagers = tuple(Stake(area=area, amount_minor=amount) for area, amount in stakes)
    values = {"at_us": AT_US, "by": PLAYER, "slip_id": "s1", "player": "p1", **fields}
    return PlaceSlip(wagers=wagers, **values)


BOTH = slip(("BANKER", 1_000), ("TIE", 500))


def paid(outcome: str = "DONE", at_us: int = AT_US) -> RecordDebit:
    return RecordDebit(at_us=at_us, by=PLAYER, movement_id="T1/s1/1", outcome=outcome)


def rejected(told: Told, code: str) -> list[str]:
    """Every wager is, with this reason; returns the movements of the slip's cancel."""
    assert told.refused is None
    gone, *wagers = told.events
    assert isinstance(gone, SlipRejected)
    assert gone.code == code
    assert [getattr(each, "code", "") for each in wagers[:2]] == [code, code]
    assert all(isinstance(each, WagerRejected) and not each.refund_minor for each in wagers[:2])
    return [gone.cancelled_movement_id] if gone.cancelled_movement_id else []


def test_a_slip_from_a_screen_is_no_chips_on_the_layout() -> None:
    """X-11: as for a wager by itself, a player says SCREEN at a streamed table, or nothing."""
    table().when(slip(("BANKER", 900), channel="LAYOUT")).then_raises("ROLE")
    table().when(slip(("BANKER", 900), channel="SCREEN")).then(
        like(SlipDebitRequested, channel="SCREEN")
    )
    by_hand = slip(("BANKER", 900), channel="LAYOUT", by=person("DEALER"))
    table().when(by_hand).then(like(SlipDebitRequested, channel="LAYOUT"))


def test_a_slip_is_one_debit_of_all_its_stakes() -> None:
    """D13: its wagers exist once that is confirmed, all of them at once."""
    asked_for = table().when(BOTH)
    (event,) = asked_for.events
    assert isinstance(event, SlipDebitRequested)
    assert (event.movement_id, event.amount_minor) == ("T1/s1/1", 1_500)
    movement = movement_of(event, "T1")
    assert movement is not None
    assert (movement.verb, movement.amount_minor, movement.wager_id) == (DEBIT, 1_500, "s1")
    assert movement.parts == (
        Part(wager_id="s1#slip-1", area="BANKER", amount_minor=1_000),
        Part(wager_id="s1#slip-2", area="TIE", amount_minor=500),
    )
    waiting = asked_for.then(event)
    assert not waiting.state.book.wagers
    held = waiting.when(paid()).then(
        like(WagerAccepted, wager_id="s1#slip-1", area="BANKER", stake_minor=1_000),
        like(WagerAccepted, wager_id="s1#slip-2", area="TIE", stake_minor=500),
    )
    assert held.state.book.pending == {}
    held.when(paid()).then_raises("UNKNOWN")


@pytest.mark.parametrize(
    ("stakes", "code", "which"),
    [
        ((("BANKER", 1_000), ("MOON", 500)), "UNKNOWN_AREA", "wager 2, MOON"),
        ((("BANKER", 99), ("TIE", 500)), "BELOW_MINIMUM", "wager 1, BANKER"),
        ((("TIE", 500), ("BANKER", 5_001)), "ABOVE_MAXIMUM", "wager 2, BANKER"),
        ((("BANKER", 4_000), ("BANKER", 1_001)), "ABOVE_MAXIMUM", "wager 2, BANKER"),
    ],
)
def test_one_wager_that_may_not_stand_rejects_all(
    stakes: tuple[tuple[str, int], ...], code: str, which: str
) -> None:
    """With its reason, and before any money moves; what is before it in the slip counts."""
    told = table().when(slip(*stakes))
    assert rejected(told, code) == []
    assert all(which in getattr(event, "message", "") for event in told.events)
    assert all(movement_of(event, "T1") is None for event in told.events)
    told.then(*told.events).when(place()).then(like(DebitRequested))


def test_a_slip_is_held_to_what_holds_for_wagers() -> None:
    """Its own player, its coup, the cut-off, bars; and it is never empty."""
    table().when(replace(BOTH, by=person("PLAYER", "p2"))).then_raises("ROLE")
    table().when(slip()).then_raises("STATE")
    late = table().given(closed())
    assert rejected(late.when(BOTH), "LATE") == []
    barred = wager.decide(BOTH, table().state, Facts(barred=frozenset({"p1"})))
    assert {getattr(event, "code", "") for event in barred} == {"BARRED"}
    assert wager.staking_player(BOTH, table().state) == "p1"
    assert wager.staked_under(replace(BOTH, context=ACME), table().state) == ACME


@pytest.mark.parametrize(
    ("answer", "code", "undone"),
    [
        (paid("REFUSED"), "INSUFFICIENT_FUNDS", []),
        (paid("UNKNOWN"), "NO_CONFIRMATION", ["T1/s1/1"]),
        (paid("DONE", AT_US + 3 * SECOND_US + 1), "NO_CONFIRMATION", ["T1/s1/1"]),
    ],
)
def test_a_debit_that_is_not_confirmed_in_time_is_undone_whole(
    answer: RecordDebit, code: str, undone: list[str]
) -> None:
    """N-1: one cancel that names the one debit; after a clean refusal none (domain 4.2)."""
    waiting = table().given(*table().when(replace(BOTH, context=ACME)).events)
    told = waiting.when(answer)
    assert rejected(told, code) == undone
    moved = [movement for event in told.events if (movement := movement_of(event, "T1"))]
    assert [(m.verb, m.cancels, m.amount_minor, m.operator) for m in moved] == [
        (CANCEL, key, 1_500, "acme") for key in undone
    ]
    assert told.then(*told.events).state.book.pending == {}


def test_a_slip_waits_as_a_wager_does_and_the_book_waits_for_it() -> None:
    """A-30, N-1: until the drain time is over; then it expires as one."""
    waiting = table().given(*table().when(BOTH).events, closed(at_us=AT_US), heard(asked()))
    assert wager.next_due_us(waiting.state) == AT_US + SECOND_US + 1
    waiting.when(ExpireDebits(at_us=AT_US + SECOND_US, by=PLAYER)).then_nothing()
    told = waiting.when(ExpireDebits(at_us=AT_US + SECOND_US + 1, by=PLAYER))
    assert rejected(told, "NO_CONFIRMATION") == ["T1/s1/1"]
    told.then_among(like(BookClosed, wagers=0))
    on_time = waiting.when(paid(at_us=AT_US + 800_000))
    on_time.then_among(like(WagerAccepted), like(WagerAccepted), like(BookClosed, wagers=2))


def test_a_wager_of_a_slip_is_taken_back_by_a_part_of_its_debit() -> None:
    """Domain 4.2: the amount and the rest; the others stand. It may be raised by itself too."""
    debited = table().given(*table().when(BOTH).events)
    held = debited.given(*debited.when(paid()).events)
    back = held.when(CancelWager(at_us=AT_US, by=PLAYER, wager_id="s1#slip-1"))
    left = back.then(like(WagerCancelled, refund_minor=1_000))
    movement = movement_of(back.events[0], "T1")
    assert movement is not None
    assert (movement.movement_id, movement.verb, movement.cancels) == ("T1/s1#slip-1/1", CANCEL, "")
    assert list(left.state.book.wagers) == ["s1#slip-2"]
    more = ChangeWager(at_us=AT_US, by=PLAYER, wager_id="s1#slip-2", amount_minor=900)
    left.when(more).then(like(DebitRequested, movement_id="T1/s1#slip-2/1", amount_minor=400))


def test_a_wallet_of_whole_cancels_takes_no_slip() -> None:
    """Domain 4.2, switch: a wager of a slip goes back by a part, which this wallet cannot do."""
    check = rules(WalletSettings(kind="http", partial_cancel=False))
    assert check is not None
    with pytest.raises(Refused, match="slip"):
        check(BOTH, table().state)
    check(place(), table().state)


def test_no_client_names_a_wager_of_a_slip() -> None:
    """Nobody else's wager is taken for it; any other id is as good as ever."""
    for command in (place("s1#slip-1"), replace(BOTH, slip_id="x#slip-9")):
        table().when(command).then_raises("NOT_PERMITTED")
    table().when(place("s1#1")).then(like(DebitRequested))


def test_what_was_asked_for_means_the_slip_alone() -> None:
    """Its id is spent from then on."""
    events: list[Event] = list(table().when(BOTH).events)
    assert wager.is_staked(events)
    assert not wager.is_staked(table().when(slip(("MOON", 1))).events)
