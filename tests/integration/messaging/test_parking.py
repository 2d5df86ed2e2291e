"""Parked tables: what stops them, what waits behind, and how they go on."""

from __future__ import annotations

import pytest

from services.chassis import consumer, relay
from services.chassis.hearing import NotParkedThere
from services.chassis.parking import Why, let_pass
from tests.integration.messaging.rig import (
    Added,
    Faults,
    Rig,
    assert_once,
    dead_letters,
    message_of,
    publish_raw,
    until,
)

BROKEN = 1_000_000


async def test_retry_goes_on_in_order_once_the_cause_is_put_right(rig: Rig) -> None:
    """Proves that a parked table loses nothing: the failed record first, then those behind it."""
    source = await rig.source()
    sink = await rig.sink(source, faults=Faults(broken={BROKEN}))
    await source.append(["T0", "T1"])
    await source.append(["T0"], event=Added(amount=BROKEN))
    await source.append(["T0", "T1", "T0"])
    await sink.parked("T0")
    await source.append(["T1"] * 5)
    await sink.has(8)

    released = await sink.parking.retry("T0")
    assert not released.free
    assert released.handled == 0
    assert "cannot add" in released.error
    (table,) = await sink.parking.tables()
    assert released.blocked_by == table.event_id
    waiting = await sink.parking.waiting("T0", limit=10)
    assert [record.version for record in waiting] == [2, 3, 4]

    sink.faults.broken.clear()
    released = await sink.parking.retry("T0")
    assert released.free
    assert released.handled == 3
    await source.append(["T0"])
    await sink.has(12)
    assert_once(await sink.causes(), await source.log())
    assert await sink.parking.tables() == []


async def test_skip_drops_exactly_the_record_in_the_way_and_says_who_did_it(rig: Rig) -> None:
    """Proves that passing over a record is deliberate, recorded, and touches no other record."""
    source = await rig.source()
    sink = await rig.sink(source, faults=Faults(broken={BROKEN, BROKEN + 1}))
    await source.append(["T0"])
    (first,) = await source.append(["T0"], event=Added(amount=BROKEN))
    await source.append(["T0"])
    (second,) = await source.append(["T0"], event=Added(amount=BROKEN + 1))
    await source.append(["T0"])
    await sink.parked("T0")
    await until(
        lambda: sink.consumers.status().parked_tables == 1, what="the parked table in the status"
    )

    async def all_wait() -> bool:
        return len(await sink.parking.waiting("T0", limit=10)) == 4

    await until(all_wait, what="four records that wait")
    with pytest.raises(NotParkedThere):
        await sink.parking.skip("T0", event_id=second.event_id, reason="wrong one", by="anna")
    with pytest.raises(ValueError, match="who"):
        await sink.parking.skip("T0", event_id=first.event_id, reason="no name", by=" ")
    released = await sink.parking.skip("T0", event_id=first.event_id, reason="a slip", by="anna")
    assert not released.free
    assert released.handled == 1
    assert released.blocked_by == second.event_id
    released = await sink.parking.skip("T0", event_id=second.event_id, reason="again", by="ben")
    assert released.free

    await source.append(["T0"])
    await sink.has(4)
    skipped = {first.event_id, second.event_id}
    log = await source.log()
    assert_once(await sink.causes(), [r for r in log if r.event_id not in skipped])
    letters = await sink.parking.skipped("T0", limit=10)
    assert [(letter.record, letter.reason, letter.by) for letter in letters] == [
        (first, "a slip", "anna"),
        (second, "again", "ben"),
    ]
    await dead_letters(source.kafka, source, count=1)


async def test_a_gap_stops_its_table_and_heals_when_the_relay_publishes_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a lost record is noticed, holds back its followers, and is put in its place."""
    monkeypatch.setattr(relay, "INSPECT_S", 0.3)
    source = await rig.source(start=False)
    sink = await rig.sink(source)
    records = await source.append(["T0", "T1", "T0", "T0", "T1", "T0"])
    lost = records[2]
    sent = [message_of(record) for record in records if record is not lost]
    await publish_raw(source.kafka, source.topic, sent)
    await sink.parked("T0")
    await sink.has(3)
    (table,) = await sink.parking.tables()
    assert table.why is Why.GAP
    assert table.event_id == records[3].event_id
    later = await source.append(["T0", "T1"])
    await publish_raw(source.kafka, source.topic, [message_of(record) for record in later])
    await sink.has(4)
    await source.relay.start()
    await sink.has(8)
    await sink.parked()
    await source.append(["T0"])
    await sink.has(9)
    assert_once(await sink.causes(), await source.log())


async def test_a_gap_of_one_upstream_holds_back_no_other(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that what can go on goes on, though the table is parked."""
    monkeypatch.setattr(consumer, "HEAL_S", 0.3)
    gap, other = [await rig.source(start=False) for _ in range(2)]
    sink = await rig.sink(gap, other)
    records = await gap.append(["T0"] * 3)
    await publish_raw(gap.kafka, gap.topic, [message_of(records[0]), message_of(records[2])])
    await sink.parked("T0")
    await other.append(["T0"] * 4)
    await other.relay.start()
    await sink.has(5)
    await sink.parked("T0")
    await gap.relay.start()
    await sink.has(7)
    assert_once(await sink.causes(), [*await gap.log(), *await other.log()])
    await sink.parked()


async def test_what_came_too_early_is_tried_again_until_it_is_due(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a record which rests on another upstream needs nobody's help."""
    monkeypatch.setattr(consumer, "HEAL_S", 0.3)
    monkeypatch.setattr(consumer, "RETRY_DELAY_S", 0.01)
    early, other = [await rig.source() for _ in range(2)]
    sink = await rig.sink(early, other, faults=Faults(early={BROKEN}))
    await early.append(["T0"], event=Added(amount=BROKEN))
    await early.append(["T0", "T1"])
    await sink.parked("T0")
    (table,) = await sink.parking.tables()
    assert table.why is Why.NOT_YET
    await other.append(["T0"])
    await sink.has(2)
    sink.faults.early.clear()
    await sink.has(4)
    await sink.parked()
    assert_once(await sink.causes(), [*await early.log(), *await other.log()])


async def test_a_failed_table_stays_parked_until_somebody_comes(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proves that a mistake is not retried for ever, and that nothing of its table is handled."""
    monkeypatch.setattr(consumer, "HEAL_S", 0.1)
    first, second = [await rig.source() for _ in range(2)]
    sink = await rig.sink(first, second, faults=Faults(broken={BROKEN}))
    await first.append(["T0"], event=Added(amount=BROKEN))
    await sink.parked("T0")
    sink.faults.broken.clear()
    await first.append(["T0", "T1"])
    await second.append(["T0", "T2"])
    await sink.has(2)

    async def all_wait() -> bool:
        return len(await sink.parking.waiting("T0", limit=10)) == 3

    await until(all_wait, what="three records that wait")
    assert len(await sink.counted()) == 2
    assert (await sink.parking.retry("T0")).free
    await sink.has(5)
    assert_once(await sink.causes(), [*await first.log(), *await second.log()])


async def test_what_is_blocked_lets_others_pass_and_keeps_every_order(memory_rig: Rig) -> None:
    """Proves that a late predecessor comes first of its upstream, behind the other upstreams."""
    first, second = [await memory_rig.source(start=False) for _ in range(2)]
    a1, a2, a3 = await first.append(["T0"] * 3)
    b1, b2 = await second.append(["T0"] * 2)
    assert let_pass([a2, b1, a3, b2, a1]) == [b1, b2, a1, a2, a3]
    assert let_pass([b1, a1, b2]) == [a1, b1, b2]
    assert let_pass([]) == []
