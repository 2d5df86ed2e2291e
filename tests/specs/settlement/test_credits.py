"""One credit for a player's coup, where his operator has it so (domain 4.2, switch)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from services.chassis.decider import Record
from services.chassis.registry import Registry, encode_meta
from services.contracts.common import PlayerContext
from services.contracts.core import SYSTEM, Event, Meta
from services.contracts.settlement import (
    CoupSettled,
    CreditGrouped,
    CreditOutstanding,
    CreditShare,
    WagerResettled,
    WagerSettled,
)
from services.settlement import domain as settlement
from services.settlement.commands import RepeatCredit, Settle
from services.settlement.companion import among
from services.settlement.delivery import Due, Said, _credit, due
from tests.support.spec import AT_US, Spec, like, person, spec
from tests.support.tables import (
    COUP,
    accepted,
    betting,
    book_closed,
    corrected,
    opened,
    resulted,
)

ACME, OTHER = PlayerContext(operator="acme"), PlayerContext(operator="other")
TIE = ("7S", "KH"), ("7C", "QC")


def decided() -> tuple[Spec, list[Event]]:
    """Banker has won: p1 of acme has three wagers on the coup, of which two are paid."""
    wagers = (
        replace(accepted("w1", "p1", "BANKER", 1000), context=ACME),
        replace(accepted("w2", "p1", "TIE", 100), context=ACME),
        replace(accepted("w3", "p2", "BANKER", 1000), context=OTHER),
        replace(accepted("w4", "p1", "BANKER", 400), context=ACME),
        replace(accepted("w5", "p3", "TIE", 100), context=ACME),
        accepted("w6", "p4", "BANKER", 1000),
    )
    given = spec(settlement).given(
        opened(), betting(), *wagers, book_closed(len(wagers)), resulted()
    )
    command = Settle(at_us=AT_US, by=SYSTEM, coup_id=COUP)
    return given, list(settlement.decide(command, given.state, among(("acme",))))


def paid(event: Event, *, zero: bool = False) -> Due | None:
    """What the delivery makes of it."""
    body = Registry("settlement", settlement.EVENTS).encode(event)
    meta = Meta(
        table_id="T1", occurred_at_us=AT_US, actor=SYSTEM, command_id="c", cause="c", depth=1
    )
    values: dict[str, Any] = {
        "service": "settlement", "stream": "T1", "version": 1, "position": 1, "previous": 0,
        "type": event.type, "schema_version": event.schema_version, "meta": encode_meta(meta),
        "body": body, "previous_digest": b"", "digest": b"", "published": True,
        "recorded_at_us": 0,
    }  # fmt: skip
    return due(Record(**values), zero_credits=among(("acme",) if zero else ()))


def test_one_credit_pays_all_wagers_of_a_player_in_a_coup() -> None:
    """By operator, in one settlement; the others' wagers are paid one by one."""
    _, events = decided()
    first, second = [event for event in events if isinstance(event, CreditGrouped)]
    assert (first.credit_id, first.player, first.amount_minor) == (f"{COUP}/#1", "p1", 1950 + 780)
    assert first.wagers == (
        CreditShare(wager_id="w1", area="BANKER", amount_minor=1950),
        CreditShare(wager_id="w2", area="TIE", amount_minor=0),
        CreditShare(wager_id="w4", area="BANKER", amount_minor=780),
    )
    assert (second.player, second.amount_minor, second.context) == ("p3", 0, ACME)
    movements = [found for event in events if (found := paid(event))]
    assert [(m.movement_id, m.amount_minor, len(m.shares)) for m in movements] == [
        (f"{COUP}/w3/1", 1950, 0),
        (f"{COUP}/w6/1", 1950, 0),
        (f"{COUP}/#1", 2730, 3),
    ]
    settled = [event for event in events if isinstance(event, CoupSettled)]
    assert events.index(first) < events.index(settled[0])


def test_a_player_who_lost_all_is_one_credit_of_zero_where_the_wallet_waits_for_it() -> None:
    """Both switches together: told once, and not once for each wager."""
    _, events = decided()
    movements = [found for event in events if (found := paid(event, zero=True))]
    assert [m.movement_id for m in movements if not m.amount_minor] == [f"{COUP}/#2"]


def test_a_correction_moves_wager_by_wager_what_one_credit_paid() -> None:
    """D7, N-7: what each has already is known of each; the tie gains, the hands give back."""
    given, events = decided()
    after = given.given(*events).when_heard(corrected(*TIE))
    anew = {event.wager_id: event for event in after.only(WagerResettled)}
    assert (anew["w1"].due_minor, anew["w2"].due_minor, anew["w4"].due_minor) == (-950, 900, -380)
    assert not after.only(CreditGrouped)
    assert all(not event.credit_id for event in anew.values())
    moved = paid(anew["w1"])
    assert moved is not None
    assert (moved.movement_id, moved.amount_minor) == (f"{COUP}/w1/2", -950)
    assert moved.context == ACME


def test_a_common_credit_that_was_refused_is_asked_for_again_with_its_parts() -> None:
    """Domain 4.2, D13: repeated by hand, the wallet is told as well what each wager has of it."""
    given, events = decided()
    now = given.given(*events)
    first = next(each for event in events if (each := paid(event)) and each.shares)
    refused = now.when(_credit(first, Said("REFUSED", "BALANCE_MAXIMUM")))
    owed = now.given(*refused.events)
    repeat = RepeatCredit(
        at_us=AT_US, by=person("CASINO_SUPERVISOR", "cs1"), movement_id=first.movement_id
    )
    again = paid(owed.when(repeat).events[0])
    assert again is not None
    assert (again.movement_id, again.amount_minor) == (first.movement_id, first.amount_minor)
    assert [share.wager_id for share in again.shares] == ["w1", "w2", "w4"]
    assert again.shares == first.shares
    once_more = owed.given(*owed.when(repeat).events).when(
        _credit(again, Said("REFUSED", "BALANCE_MAXIMUM"))
    )
    (still_owed,) = once_more.events
    assert isinstance(still_owed, CreditOutstanding)
    assert still_owed.wagers == first.shares


def test_without_the_switch_nothing_is_grouped() -> None:
    """The decision is that of every driver: replay and service print the same."""
    given, _ = decided()
    events = settlement.decide(Settle(at_us=AT_US, by=SYSTEM, coup_id=COUP), given.state)
    assert not [event for event in events if isinstance(event, CreditGrouped)]
    assert all(not event.credit_id for event in events if isinstance(event, WagerSettled))
    assert like(WagerSettled, wager_id="w1", context=ACME).fits(events[0])
