"""Heard events, on both stores: once each, in order, and no table stops another."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from services.chassis.clock import SystemClock
from services.chassis.decider import Record
from services.chassis.executor import Executor
from services.chassis.hearing import MissingPredecessor, NotParkedThere, Result, Verdict
from services.chassis.memory import MemoryStore
from services.chassis.parking import Parking, Why
from services.chassis.postgres import PostgresStore
from services.chassis.registry import NewerVersion, decode_meta
from services.chassis.store import ConcurrencyConflict, Store, StoreUnavailable
from services.chassis.upcast import UPCASTERS
from services.contracts.core import Event, Noted
from tests.ports.counter import COUNTER, FEEDER, Added, Fed, Rested, Spy, append
from tests.ports.flaky import Flaky, as_store
from tests.ports.test_executor import add, running, send
from tests.ports.test_store import check_log

ME = "counter"
BROKEN = 13
"""The counter's second reaction to this number meets a mistake."""


async def feed(feeder: Store, *events: tuple[str, Event], **meta: Any) -> list[Record]:
    """Events of the feeder, as they would come from its topic: published ones only."""
    records = await append(feeder, *events, registry=FEEDER, **meta)
    return [record for record in records if record.published]


def fed(table: str, *numbers: int) -> list[tuple[str, Event]]:
    return [(table, Fed(n=n)) for n in numbers]


def results(verdicts: list[Verdict]) -> list[Result]:
    return [verdict.result for verdict in verdicts]


async def added(store: Store, table: str = "t") -> list[int]:
    """What the counter added at a table, in order."""
    records = await store.read_stream(table, after_version=0, limit=10_000)
    events = [COUNTER.decode(r.type, r.schema_version, r.body) for r in records]
    return [event.n for event in events if isinstance(event, Added)]


class HearingSuite:
    """What the executor promises for heard events."""

    @pytest.fixture
    def feeder(self) -> Store:
        return MemoryStore("feeder", SystemClock())

    async def test_a_heard_event_is_noted_and_leads_to_commands(
        self, store: Store, feeder: Store
    ) -> None:
        """The chain of causes goes on across services, and what was heard is kept as published."""
        (record,) = await feed(feeder, *fed("t", 5), command_id="c-9", depth=3, traceparent="00-x")
        spy = Spy()
        async with running(store, spy) as executor:
            (verdict,) = await executor.hear([record], ME)
        assert verdict.result is Result.DONE
        log = await store.read_log(after_position=0, limit=9)
        assert list(verdict.records) == log
        noted = COUNTER.decode("noted", 1, log[0].body)
        assert isinstance(noted, Noted)
        assert (bytes(noted.meta), bytes(noted.body)) == (record.meta, record.body)
        assert (noted.digest, noted.position) == (record.digest.hex(), record.position)
        assert not log[0].published
        meta = decode_meta(log[1].meta)
        assert (meta.command_id, meta.cause, meta.depth) == ("c-9", "feeder:t:1", 4)
        assert meta.traceparent == "00-x"
        assert meta.occurred_at_us == decode_meta(record.meta).occurred_at_us + 1
        assert spy.kept == [record]
        assert (await store.progress("t")).handled == {"feeder": 1}

    async def test_a_record_that_comes_again_is_a_duplicate(
        self, store: Store, feeder: Store
    ) -> None:
        """At least once on the wire, once in effect: alone, in the same batch, and in a later one."""
        records = await feed(feeder, *fed("t", 1, 2), *fed("u", 4))
        async with running(store) as executor:
            first = await executor.hear([*records, *records], ME)
            again = await executor.hear(records[:2], ME)
        assert results(first) == [Result.DONE] * 3 + [Result.DUPLICATE] * 3
        assert results(again) == [Result.DUPLICATE] * 2
        assert await added(store) == [1, 2]

    async def test_two_replicas_handle_a_record_once(self, store: Store, feeder: Store) -> None:
        """During a rebalance two consumers may hold the same records for a moment."""
        records = await feed(feeder, *fed("t", *range(10)))
        async with running(store) as one, running(store) as other:
            both = await asyncio.gather(one.hear(records, ME), other.hear(records, ME))
        done = [v for verdicts in both for v in verdicts if v.result is Result.DONE]
        assert len(done) == 10
        assert await added(store) == list(range(10))

    async def test_a_lost_predecessor_stops_its_table_only(
        self, store: Store, feeder: Store
    ) -> None:
        """A hole in what was delivered is noticed before anything after it is believed."""
        records = await feed(feeder, *fed("t", 1, 2, 3), *fed("u", 7))
        async with running(store) as executor:
            verdicts = await executor.hear([records[0], *records[2:]], ME)
            assert results(verdicts) == [Result.DONE, Result.GAP, Result.DONE]
            assert isinstance(verdicts[1].error, MissingPredecessor)
            assert (await store.progress("t")).handled == {"feeder": 1}
            healed = await executor.hear(records, ME)
        assert results(healed)[1:3] == [Result.DONE, Result.DONE]
        assert await added(store) == [1, 2, 3]
        assert await added(store, "u") == [7]

    async def test_positions_may_be_skipped_between_records(
        self, store: Store, feeder: Store
    ) -> None:
        """Other tables and unpublished events lie between; only the pointer tells of a loss."""
        await feed(feeder, *fed("u", 1, 2, 3))
        first = await feed(feeder, *fed("t", 1))
        await feed(feeder, *fed("u", 4))
        second = await feed(feeder, *fed("t", 2))
        async with running(store) as executor:
            assert results(await executor.hear(first + second, ME)) == [Result.DONE] * 2

    async def test_types_without_a_reaction_are_passed_over(
        self, store: Store, feeder: Store
    ) -> None:
        """They count as handled, or the next record would seem to follow on a lost one."""
        records = await feed(feeder, ("t", Rested()), *fed("t", 5), ("t", Rested()))
        stranger = replace(records[2], service="stranger", position=1, previous=0)
        spy = Spy()
        async with running(store, spy) as executor:
            verdicts = await executor.hear([*records, stranger], ME)
        assert results(verdicts) == [Result.PASSED, Result.DONE, Result.PASSED, Result.PASSED]
        assert (await store.progress("t")).handled == {"feeder": 3, "stranger": 1}
        assert spy.kept == [*records, stranger]
        assert spy.aggregate.folded == 2

    @pytest.mark.parametrize("number", [BROKEN, 14])
    async def test_a_failing_record_stops_its_table_and_nothing_else(
        self, store: Store, feeder: Store, number: int
    ) -> None:
        """All or nothing of a record; what comes after it at its table waits, neighbours do not."""
        records = await feed(
            feeder, *fed("t", 1, number, 2), *fed("u", 5), *fed("t", 3), *fed("u", 6)
        )
        async with running(store) as executor:
            verdicts = await executor.hear(records, ME)
            outcome = await send(executor, add(100), "c-1")
        failed, behind, done = Result.FAILED, Result.BEHIND, Result.DONE
        assert results(verdicts) == [done, failed, behind, done, behind, done]
        assert isinstance(verdicts[1].error, TypeError if number == BROKEN else ValueError)
        assert await added(store) == [1, 100]
        assert outcome.answer["total"] == 101
        assert await added(store, "u") == [5, 6]
        assert (await store.progress("t")).handled == {"feeder": 1}
        check_log(await store.read_log(after_position=0, limit=99))

    async def test_a_body_of_a_later_release_fails_its_record(
        self, store: Store, feeder: Store
    ) -> None:
        """Guessing what a newer form means would be worse than waiting for the next release."""
        (record,) = await feed(feeder, *fed("t", 1))
        newer = replace(record, schema_version=2)
        garbage = replace(record, body=b'{"n": "x"}')
        async with running(store) as executor:
            (verdict,) = await executor.hear([newer], ME)
            assert isinstance(verdict.error, NewerVersion)
            assert results(await executor.hear([garbage], ME)) == [Result.FAILED]
            assert results(await executor.hear([record], ME)) == [Result.DONE]

    async def test_what_a_later_release_wrote_waits_for_that_release(
        self, store: Store, feeder: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Writers were deployed before readers: the table goes on in order, and nobody is asked."""
        first, second = await feed(feeder, *fed("t", 1, 2))
        newer = replace(first, schema_version=2)
        async with running(store) as executor:
            parking = Parking(store=store, executor=executor, consumer=ME)
            (verdict,) = await executor.hear([newer], ME)
            await executor.park(ME, newer, reason=repr(verdict.error))
            assert results(await executor.hear([second], ME)) == [Result.PARKED]
            (table,) = await parking.tables()
            assert (table.why, await parking.heal()) == (Why.NEWER, 1)
            assert [record.version for record in await parking.waiting("t", limit=9)] == [1, 2]
        monkeypatch.setattr(Fed, "schema_version", 2)
        monkeypatch.setitem(UPCASTERS, ("feeder", Fed.type, 1), lambda body: body)
        async with running(store) as executor:
            assert await Parking(store=store, executor=executor, consumer=ME).heal() == 0
        assert await added(store) == [1, 2]

    async def test_a_poisonous_effect_fails_its_record_alone(
        self, store: Store, feeder: Store
    ) -> None:
        """What breaks the transaction of all is found by handling them one by one."""
        records = await feed(feeder, *fed("t", 1, 66, 2), *fed("u", 5))
        spy = Spy()

        def effect(_tx: Any, staged: Any) -> None:
            if isinstance(staged.event, Added) and staged.event.n == 66:
                raise ValueError("poison")

        spy.effect = effect
        async with running(store, spy) as executor:
            verdicts = await executor.hear(records, ME)
        assert results(verdicts) == [Result.DONE, Result.FAILED, Result.BEHIND, Result.DONE]
        assert await added(store) == [1]
        assert await added(store, "u") == [5]
        assert spy.kept == [records[0], records[3]]

    async def test_an_earlier_cause_is_named(self, store: Store, feeder: Store) -> None:
        """A reaction may rest on an event heard earlier; that one is then the cause."""
        (record,) = await feed(feeder, *fed("t", 15))
        async with running(store) as executor:
            (verdict,) = await executor.hear([replace(record, version=7)], ME)
        assert decode_meta(verdict.records[1].meta).cause == "feeder:t:1"

    async def test_what_is_noted_keeps_its_spacing(self, store: Store, feeder: Store) -> None:
        """However a publisher writes its JSON, its digest can be checked from the note."""
        (record,) = await feed(feeder, *fed("t", 1))
        meta = record.meta.replace(b",", b" , ", 1)
        spaced = replace(record, meta=meta, body=b'{ "n" : 5, "later": [ 1.50 ] }')
        async with running(store) as executor:
            (verdict,) = await executor.hear([spaced], ME)
        noted = COUNTER.decode("noted", 1, verdict.records[0].body)
        assert isinstance(noted, Noted)
        assert (bytes(noted.meta), bytes(noted.body)) == (spaced.meta, spaced.body)

    async def test_heard_events_are_part_of_the_state(self, store: Store, feeder: Store) -> None:
        """A table loaded cold knows what it heard, from its own stream alone."""
        spy = Spy()
        records = await feed(feeder, *fed("t", 1, 2, 3))
        async with running(store, spy) as executor:
            await executor.hear(records, ME)
        cold = Spy()
        async with running(store, cold) as executor:
            outcome = await send(executor, add(1), "c-1")
        assert (outcome.answer["fed"], outcome.answer["total"]) == (6, 7)

    async def test_commands_and_records_meet_at_one_table(
        self, store: Store, feeder: Store
    ) -> None:
        """Both ways in take the same lock, so neither decides on an outdated state."""
        records = await feed(feeder, *fed("t", *[1] * 30))
        async with running(store) as executor:
            hearing = [executor.hear([record], ME) for record in records]

            async def hear_all() -> None:
                for one in hearing:
                    await one

            await asyncio.gather(hear_all(), *(send(executor, add(1), f"c-{n}") for n in range(30)))
            assert executor.counters.failed_attempts == 0
            outcome = await send(executor, add(1), "last")
        assert outcome.answer["total"] == 61
        check_log(await store.read_log(after_position=0, limit=999))

    @pytest.mark.parametrize("error", [ConcurrencyConflict("x"), StoreUnavailable("x")])
    async def test_a_failed_commit_is_tried_again(
        self, store: Store, feeder: Store, error: Exception
    ) -> None:
        """Twice is borne; a store that stays away is told to the consumer, which reads again."""
        records = await feed(feeder, *fed("t", 1, 2))
        flaky = Flaky(store)
        flaky.before_commit = [error, error]
        async with running(as_store(flaky)) as executor:
            assert results(await executor.hear(records[:1], ME)) == [Result.DONE]
            flaky.before_commit = [error] * 3
            with pytest.raises(type(error)):
                await executor.hear(records, ME)
            flaky.after_commit = [StoreUnavailable("the commit happened all the same")]
            verdicts = await executor.hear(records, ME)
        assert results(verdicts) == [Result.DUPLICATE, Result.DUPLICATE]
        assert await added(store) == [1, 2]

    # --- parked tables -----------------------------------------------------------------------

    async def test_records_of_a_parked_table_wait_and_are_retried_in_order(
        self, store: Store, feeder: Store
    ) -> None:
        """After the reason is mended, one call handles what was missed, and the table goes on."""
        spy = Spy()
        records = await feed(feeder, *fed("t", 1, 66, 2, 3), *fed("u", 5))
        broken = True

        def effect(_tx: Any, staged: Any) -> None:
            if broken and isinstance(staged.event, Added) and staged.event.n == 66:
                raise ValueError("poison")

        spy.effect = effect
        async with running(store, spy) as executor:
            verdicts = await executor.hear(records[:2], ME)
            await executor.park(ME, records[1], reason=repr(verdicts[1].error))
            later = await executor.hear(records, ME)
            expected = [Result.DUPLICATE, Result.PARKED, Result.PARKED, Result.PARKED, Result.DONE]
            assert results(later) == expected
            assert (await executor.progress("t")).parked_records == 3
            assert results(await executor.retry(ME, "t")) == [Result.FAILED]
            assert set(await store.parked_tables(ME, limit=9)) == {"t"}
            broken = False
            assert results(await executor.retry(ME, "t")) == [Result.DONE] * 3
            assert await store.parked_tables(ME, limit=9) == {}
            assert results(await executor.hear(records, ME)) == [Result.DUPLICATE] * 5
        assert await added(store) == [1, 66, 2, 3]

    async def test_a_record_in_the_way_is_passed_over_with_a_reason(
        self, store: Store, feeder: Store
    ) -> None:
        """Nobody skips what they did not see, and what was skipped stays on record."""
        records = await feed(feeder, *fed("t", 1, BROKEN, 2))
        async with running(store) as executor:
            await executor.hear(records, ME)
            await executor.park(ME, records[1], reason="broken")
            await executor.hear(records, ME)
            with pytest.raises(NotParkedThere):
                await executor.skip(ME, "t", event_id=records[2].event_id, reason="no", by="p-1")
            await executor.skip(ME, "t", event_id=records[1].event_id, reason="void", by="p-1")
            assert results(await executor.retry(ME, "t")) == [Result.DONE]
        assert await added(store) == [1, 2]
        (letter,) = await store.dead_letters(ME, "t", limit=9)
        assert (letter.record, letter.reason, letter.by) == (records[1], "void", "p-1")
        assert (await store.progress("t")).handled == {"feeder": 3}

    async def test_a_gap_stays_parked_until_the_missing_record_comes(
        self, store: Store, feeder: Store
    ) -> None:
        """A retry does not step over a hole."""
        records = await feed(feeder, *fed("t", 1, 2, 3))
        async with running(store) as executor:
            await executor.hear(records[:1], ME)
            await executor.park(ME, records[2], reason="gap")
            assert results(await executor.retry(ME, "t")) == [Result.GAP]
            assert (await store.parked_tables(ME, limit=9))["t"].event_id == records[2].event_id
        assert await added(store) == [1]

    async def test_nothing_heard_is_nothing_done(self, store: Store) -> None:
        """An empty batch opens no transaction."""
        flaky = Flaky(store)
        async with running(as_store(flaky)) as executor:
            assert await executor.hear([], ME) == []
        assert flaky.transactions == 0

    async def test_whoever_is_woken_finds_the_state_in_memory(self, store: Store) -> None:
        """Readers of the log look at once, and need not ask the database what was just decided."""
        flaky = Flaky(store)
        woken = store.appended.listen()

        async def look(executor: Executor) -> tuple[int, int]:
            await woken.wait()
            before = flaky.transactions
            state = executor.held("t", 1)
            assert state is not None
            return state.total, flaky.transactions - before

        async with running(as_store(flaky)) as executor:
            looking = asyncio.create_task(look(executor))
            await asyncio.sleep(0)
            await send(executor, add(5), "c-1")
            assert await looking == (5, 0)


class TestHearingInMemory(HearingSuite):
    @pytest.fixture
    def store(self, memory_store: MemoryStore) -> Store:
        return memory_store


@pytest.mark.integration
class TestHearingOnPostgres(HearingSuite):
    @pytest.fixture
    def store(self, postgres_store: PostgresStore) -> Store:
        return postgres_store
