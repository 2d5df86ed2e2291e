"""Commands through the executor, on both stores: grouped, answered once, and each on its own."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec.structs import replace

from services.chassis.decider import Staged
from services.chassis.executor import Executor, Limits, Outcome, Overloaded
from services.chassis.memory import MemoryStore
from services.chassis.postgres import PostgresStore, PostgresTx
from services.chassis.registry import decode_meta
from services.chassis.snapshots import SNAPSHOT_EVENTS, StateCodec
from services.chassis.store import (
    ConcurrencyConflict,
    Head,
    Store,
    StoredAnswer,
    StoreUnavailable,
)
from services.chassis.work import EffectFailed
from services.contracts.core import SYSTEM, Actor, Command, Event, NotYet
from tests.ports.counter import (
    AT_US,
    COUNTER,
    PIT,
    Add,
    Added,
    AddMany,
    Deny,
    Refuse,
    Spy,
    State,
    Stumble,
    Wait,
    append,
)
from tests.ports.flaky import Flaky, as_store
from tests.ports.test_store import check_log

CALLERS = 64
HASH = b"h"


def add(n: int, **fields: Any) -> Add:
    fields.setdefault("by", PIT)
    return Add(at_us=AT_US, n=n, **fields)


def refuse() -> Refuse:
    return Refuse(at_us=AT_US, by=PIT)


def wait() -> Wait:
    return Wait(at_us=AT_US, by=PIT)


def stumble() -> Stumble:
    return Stumble(at_us=AT_US, by=PIT)


def make(store: Store, spy: Spy | None = None, *, limits: Limits | None = None) -> Executor:
    spy = spy or Spy()
    return Executor(
        spy.aggregate,
        store,
        spy,
        COUNTER,
        limits=limits or Limits(),
        jitter=random.Random(1),
    )


@asynccontextmanager
async def running(
    store: Store, spy: Spy | None = None, *, limits: Limits | None = None
) -> AsyncIterator[Executor]:
    async with make(store, spy, limits=limits) as executor:
        yield executor


async def send(
    executor: Executor, command: Command, name: str, *, table: str = "t", **options: Any
) -> Outcome:
    options.setdefault("input_hash", HASH)
    return await executor.command(table, command, command_id=name, **options)


async def send_all(
    executor: Executor, *commands: Command, table: str = "t"
) -> list[Outcome | BaseException]:
    """Send commands at once; they are named c-0, c-1 and so on."""
    sending = [send(executor, c, f"c-{n}", table=table) for n, c in enumerate(commands)]
    return await asyncio.gather(*sending, return_exceptions=True)


async def total(store: Store, table: str = "t") -> int:
    """What the log says, by the types and bodies alone."""
    records = await store.read_stream(table, after_version=0, limit=10_000)
    events = [COUNTER.decode(r.type, r.schema_version, r.body) for r in records]
    return sum(event.n for event in events if isinstance(event, Added))


class ExecutorSuite:
    """What the executor promises for commands."""

    async def test_a_command_becomes_events_with_their_envelope(self, store: Store) -> None:
        """Everything that a reader needs to know of an event is in its envelope."""
        async with running(store) as executor:
            outcome = await send(
                executor, add(5, coup_id="k-1", second=SYSTEM), "c-1", traceparent="00-ab"
            )
        assert outcome.answer == {"total": 5, "fed": 0, "events": ["added"]}
        assert (outcome.refused, outcome.duplicate, outcome.conflict) == (None, False, False)
        (record,) = await store.read_log(after_position=0, limit=9)
        assert outcome.records == (record,)
        meta = decode_meta(record.meta)
        assert (meta.table_id, meta.occurred_at_us, meta.actor) == ("t", AT_US, PIT)
        assert (meta.command_id, meta.cause, meta.depth) == ("c-1", "c-1", 1)
        assert (meta.coup_id, meta.second, meta.traceparent) == ("k-1", SYSTEM, "00-ab")
        assert (meta.rulebook_id, meta.shoe_id, meta.test) == ("rules-1", "s-1", False)
        assert await store.read_by_coup("k-1") == [record]

    @pytest.mark.parametrize("flags", ["01", "00"])
    async def test_an_event_that_ends_another_trace_lies_in_it(
        self, store: Store, flags: str
    ) -> None:
        """Its own chain's trace is named beside it where the other one is kept."""
        other = f"00-{2:032x}-{3:016x}-{flags}"
        async with running(store) as executor:
            await send(executor, add(1, ends=other), "c-1", traceparent="00-ab-01")
        (record,) = await store.read_log(after_position=0, limit=9)
        meta = decode_meta(record.meta)
        assert meta.traceparent == other
        assert meta.chain_traceparent == ("00-ab-01" if flags == "01" else "")

    async def test_callers_at_the_same_time_share_a_commit(self, store: Store) -> None:
        """Group commit: many callers cost few transactions, and all are decided in order."""
        async with running(store) as executor:
            outcomes = await send_all(executor, *(add(1) for _ in range(CALLERS)))
            assert executor.counters.commands == CALLERS
            assert executor.counters.batches <= 3
        totals = [outcome.answer["total"] for outcome in outcomes if isinstance(outcome, Outcome)]
        assert totals == list(range(1, CALLERS + 1))
        log = await store.read_log(after_position=0, limit=999)
        check_log(log)
        names = [decode_meta(record.meta).command_id for record in log]
        assert names == [f"c-{n}" for n in range(CALLERS)]

    async def test_a_group_is_bounded(self, store: Store) -> None:
        """One transaction never grows beyond its limit, however many wait."""
        limits = Limits(batch_commands_max=10)
        async with running(store, limits=limits) as executor:
            await send_all(executor, *(add(1) for _ in range(35)))
            assert executor.counters.batches >= 4
        assert await total(store) == 35

    async def test_a_lone_caller_does_not_wait_for_others(self, store: Store) -> None:
        """The pause for more commands is for crowds only."""
        limits = Limits(linger_s_max=30.0)
        async with asyncio.timeout(10), running(store, limits=limits) as executor:
            for number in range(3):
                await send(executor, add(1), f"lone-{number}")

    async def test_failing_commands_never_disturb_their_neighbours(self, store: Store) -> None:
        """Refusal, NotYet and a mistake are answered alone; the rest of the group is committed."""
        async with running(store) as executor:
            outcomes = await send_all(
                executor, add(1), refuse(), add(10), stumble(), add(100), wait(), add(1000)
            )
            assert executor.counters.batches == 1
            assert executor.counters.failed_attempts == 0
        good = [outcomes[n] for n in (0, 2, 4, 6)]
        assert all(isinstance(outcome, Outcome) and outcome.records for outcome in good)
        refused = outcomes[1]
        assert isinstance(refused, Outcome)
        assert refused.refused == ("NO", "not at 1", ("000:1.1",))
        assert isinstance(outcomes[3], TypeError)
        assert isinstance(outcomes[5], NotYet)
        assert await total(store) == 1111
        check_log(await store.read_log(after_position=0, limit=99))

    async def test_a_repeated_command_is_told_the_same(self, store: Store) -> None:
        """A caller that lost the answer asks again and nothing happens twice, refusals included."""
        async with running(store) as executor:
            first = await send(executor, add(5), "c-1")
            no = await send(executor, refuse(), "c-2")
            await send(executor, add(7), "c-3")
            again = await send(executor, add(5), "c-1")
            no_again = await send(executor, refuse(), "c-2")
        assert (again.answer, again.duplicate, again.records) == (first.answer, True, ())
        assert (no_again.refused, no_again.duplicate) == (no.refused, True)
        assert no.refused == ("NO", "not at 5", ("000:1.1",))
        assert await total(store) == 12

    async def test_the_same_key_with_another_input_is_a_conflict(self, store: Store) -> None:
        """A client that uses an id twice for different things is told, and nothing is done."""
        async with running(store) as executor:
            await send(executor, add(5), "c-1")
            conflict = await send(executor, add(6), "c-1", input_hash=b"other")
            same_wager = await send(executor, add(1), "c-2", key="c-1", input_hash=b"other")
        assert (conflict.conflict, conflict.duplicate, conflict.answer) == (True, False, {})
        assert same_wager.conflict
        assert await total(store) == 5

    async def test_what_one_actor_spends_is_not_spent_for_another(self, store: Store) -> None:
        """An id is the caller's own, whatever a stranger was told under it."""
        other = Actor("stranger", "PIT")
        async with running(store) as executor:
            for command in (Refuse(at_us=AT_US, by=other), add(7, by=other)):
                name = f"c-{type(command).__name__}"
                theirs = await send(executor, command, name, input_hash=b"theirs")
                mine = await send(executor, add(5), name)
                again = await send(executor, add(5), name)
                assert (mine.refused, mine.duplicate, mine.conflict) == (None, False, False)
                assert (again.answer, again.duplicate) == (mine.answer, True)
                theirs_again = await send(executor, command, name, input_hash=b"theirs")
                assert theirs_again.duplicate
                assert (theirs_again.answer, theirs_again.refused) == (
                    theirs.answer,
                    theirs.refused,
                )
        assert await total(store) == 17

    async def test_a_key_that_got_a_meaning_is_taken_for_everybody(self, store: Store) -> None:
        """What named nothing takes the key from its sender alone; what did is told to all."""
        other = Actor("stranger", "PIT")

        def named(events: Sequence[Event]) -> bool:
            return any(isinstance(event, Added) and event.n > 1 for event in events)

        async def asked(n: int, by: Actor, name: str) -> Outcome:
            command = add(n, by=by)
            hash_ = str(n).encode()
            return await send(executor, command, name, key="w", input_hash=hash_, named_by=named)

        async with running(store) as executor:
            assert (await asked(1, other, "c-1")).answer["total"] == 1
            first = await asked(5, PIT, "c-2")
            assert first.answer["total"] == 6
            for by in (PIT, SYSTEM):
                again = await asked(5, by, "c-3")
                assert (again.answer, again.duplicate) == (first.answer, True)
            assert (await asked(7, SYSTEM, "c-4")).conflict
            assert (await asked(1, other, "c-5")).duplicate
            assert (await asked(5, other, "c-6")).conflict
        assert await total(store) == 6

    async def test_answers_of_an_earlier_release_are_given_again(self, store: Store) -> None:
        """They were kept under the key alone: who repeats himself after an update is told the same."""
        async with store.transaction() as tx:
            stored = StoredAnswer(HASH, b'{"refused": null, "answer": {"total": 3}}')
            await tx.put_answers({"c-1": stored})
        async with running(store) as executor:
            outcome = await send(executor, add(5), "c-1")
        assert (outcome.answer, outcome.duplicate) == ({"total": 3}, True)
        assert await total(store) == 0

    async def test_a_refusal_that_may_pass_is_not_remembered(self, store: Store) -> None:
        """It is an answer like any other, and the same command may succeed later."""
        async with running(store) as executor:
            for reached in (0, 5):
                outcome = await send(executor, Deny(at_us=AT_US, by=PIT), "c-1")
                assert outcome.refused == ("NOT_NOW", f"not at {reached}", ())
                assert not outcome.duplicate
                await send(executor, add(5), f"then-{reached}")
            assert (await send(executor, add(1), "c-1")).duplicate is False

    async def test_the_same_key_at_the_same_time_is_done_once(self, store: Store) -> None:
        """Impatient clients repeat themselves before the first answer is there."""
        async with running(store) as executor:
            outcomes = await asyncio.gather(
                *(send(executor, add(5), f"c-{n}", key="w-1") for n in range(5)),
                send(executor, add(1), "other"),
            )
        assert [outcome.duplicate for outcome in outcomes] == [False, True, True, True, True, False]
        assert len({outcome.answer["total"] for outcome in outcomes[:5]}) == 1
        assert await total(store) == 6

    async def test_not_yet_is_not_remembered(self, store: Store) -> None:
        """Nothing was decided, so the same command may succeed later."""
        async with running(store) as executor:
            with pytest.raises(NotYet):
                await send(executor, wait(), "c-1")
            assert (await send(executor, add(1), "c-1")).duplicate is False

    async def test_in_a_recorded_story_nothing_is_under_way(self, store: Store) -> None:
        """What was not heard of will not be: the refusal is the answer, and is remembered."""
        async with running(store) as executor:
            for duplicate in (False, True):
                outcome = await send(executor, wait(), "c-1", recorded=True)
                assert outcome.refused == ("STATE", "not heard", ())
                assert outcome.duplicate is duplicate

    async def test_a_full_queue_says_so(self, store: Store) -> None:
        """Better an honest refusal now than an answer that comes too late."""
        limits = Limits(queue_commands_max=2)
        async with running(store, limits=limits) as executor:
            outcomes = await send_all(executor, *(add(1) for _ in range(5)))
            assert executor.counters.overloads == 3
            await send(executor, add(1), "later")
        assert [isinstance(outcome, Overloaded) for outcome in outcomes] == [False] * 2 + [True] * 3
        assert await total(store) == 3

    async def test_who_waits_too_long_behind_a_full_group_is_told_so(self, store: Store) -> None:
        """Both those who wait and those who come; a group that is not full waits for as long as it takes."""
        spy = Spy()
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def hang(_tx: Any) -> None:
            begun.set()
            await go_on.wait()

        spy.before_effects = hang
        limits = Limits(batch_commands_max=2, wait_s_max=0.05, linger_s_max=0.0)
        async with running(store, spy, limits=limits) as executor:
            first = asyncio.create_task(send(executor, add(1), "first"))
            await begun.wait()
            behind = asyncio.create_task(send(executor, add(1), "behind"))
            await asyncio.sleep(2 * limits.wait_s_max)
            waiting = [asyncio.create_task(send(executor, add(1), name)) for name in ("2nd", "3rd")]
            await asyncio.sleep(0)
            assert executor.waiting_commands == 2
            with pytest.raises(Overloaded):
                await waiting[1]
            await asyncio.sleep(2 * limits.wait_s_max)
            go_on.set()
            for task in (first, behind, waiting[0]):
                assert (await task).answer
        assert executor.counters.overloads == 1
        assert await total(store) == 3

    async def test_of_those_who_wait_too_long_one_group_is_served(self, store: Store) -> None:
        """The latest, who have the most time left; the others are told to come again."""
        spy = Spy()
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def hang(_tx: Any) -> None:
            begun.set()
            await go_on.wait()

        spy.before_effects = hang
        limits = Limits(batch_commands_max=2, wait_s_max=0.05, linger_s_max=0.0)
        async with running(store, spy, limits=limits) as executor:
            first = asyncio.create_task(send(executor, add(1), "first"))
            await begun.wait()
            sending = [send(executor, add(1), f"c-{number}") for number in range(5)]
            others = asyncio.gather(*sending, return_exceptions=True)
            await asyncio.sleep(2 * limits.wait_s_max)
            go_on.set()
            await first
            outcomes = await others
        assert [isinstance(outcome, Overloaded) for outcome in outcomes] == [True] * 3 + [False] * 2
        assert executor.counters.overloads == 3

    async def test_stopping_answers_those_who_wait(self, store: Store) -> None:
        """A graceful stop loses no command that was taken, and takes no more."""
        executor = make(store)
        await executor.start()
        sending = asyncio.create_task(send_all(executor, add(1), add(2)))
        for _ in range(2):  # one turn of the loop for the gathering, one for the callers
            await asyncio.sleep(0)
        await executor.stop()
        outcomes = await sending
        assert all(isinstance(outcome, Outcome) for outcome in outcomes)
        with pytest.raises(Overloaded):
            await send(executor, add(1), "late")
        assert await total(store) == 3

    async def test_a_stop_by_force_leaves_nobody_waiting(self, store: Store) -> None:
        """Whoever cannot be answered any more is told to try again, and so is whoever comes."""
        spy = Spy()
        began = asyncio.Event()

        async def hang(_tx: Any) -> None:
            began.set()
            await asyncio.sleep(1000)

        spy.before_effects = hang
        executor = make(store, spy, limits=Limits(batch_commands_max=1))
        await executor.start()
        sending = asyncio.create_task(send_all(executor, add(1), add(2)))
        await began.wait()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(executor.stop(), 0.01)
        first, second = await sending
        assert isinstance(first, StoreUnavailable)
        assert isinstance(second, Overloaded)
        with pytest.raises(Overloaded):
            await send(executor, add(1), "late")
        assert await total(store) == 0

    async def test_a_caller_who_left_before_the_start_is_forgotten(self, store: Store) -> None:
        """A cancelled call that nobody has begun leaves no event."""
        async with running(store) as executor:
            gone = asyncio.create_task(send(executor, add(100), "gone"))
            await asyncio.sleep(0)
            gone.cancel()
            await send(executor, add(1), "stays")
        with contextlib.suppress(asyncio.CancelledError):
            await gone
        assert await total(store) == 1

    # --- trying again ------------------------------------------------------------------------

    @pytest.mark.parametrize("error", [ConcurrencyConflict("x"), StoreUnavailable("x")])
    async def test_a_failed_commit_is_tried_again(self, store: Store, error: Exception) -> None:
        """A conflict or a lost connection costs a moment, not an answer."""
        flaky = Flaky(store)
        flaky.before_commit = [error, error]
        async with running(as_store(flaky)) as executor:
            outcomes = await send_all(executor, add(1), add(2), refuse())
            assert executor.counters.failed_attempts == 2
        assert all(isinstance(outcome, Outcome) for outcome in outcomes)
        assert await total(store) == 3

    async def test_a_commit_of_unknown_outcome_happens_once(self, store: Store) -> None:
        """The connection broke after the commit: the second try finds the answers."""
        flaky = Flaky(store)
        flaky.after_commit = [StoreUnavailable("gone")]
        async with running(as_store(flaky)) as executor:
            outcomes = await send_all(executor, add(1), refuse(), add(2))
        assert all(isinstance(outcome, Outcome) and outcome.duplicate for outcome in outcomes)
        assert await total(store) == 3

    async def test_a_database_that_stays_away_fails_all_at_once(self, store: Store) -> None:
        """Three tries for the group, not three for every command of it; nothing is remembered."""
        flaky = Flaky(store)
        flaky.before_commit = [StoreUnavailable("x")] * 3
        async with running(as_store(flaky)) as executor:
            outcomes = await send_all(executor, *(add(1) for _ in range(9)))
            assert all(isinstance(outcome, StoreUnavailable) for outcome in outcomes)
            assert flaky.transactions == 3
            again = await send(executor, add(1), "c-0")
        assert again.duplicate is False
        assert await total(store) == 1

    async def test_a_state_that_was_not_committed_is_never_used(self, store: Store) -> None:
        """What was decided in vain is forgotten, even where others then wrote as many events."""
        flaky = Flaky(store)
        async with running(as_store(flaky)) as executor:
            await send(executor, add(1), "c-0")
            flaky.before_commit = [StoreUnavailable("x")] * 3
            with pytest.raises(StoreUnavailable):
                await send(executor, add(1000), "c-1")
            await append(store, ("t", Added(n=10)))
            outcome = await send(executor, add(100), "c-2")
        assert outcome.answer["total"] == 111

    async def test_a_poisonous_command_fails_alone(self, store: Store) -> None:
        """An effect that cannot be done takes its command with it, and no other of the group."""
        spy = Spy()

        def effect(_tx: Any, staged: Staged) -> Command | None:
            if isinstance(staged.event, Added) and staged.event.n == 66:
                raise ValueError("poison")
            return None

        spy.effect = effect
        async with running(store, spy) as executor:
            outcomes = await send_all(executor, add(1), add(66), add(2), refuse())
            after = await send(executor, add(4), "after")
        assert isinstance(outcomes[1], ValueError)
        assert all(isinstance(outcomes[n], Outcome) for n in (0, 2, 3))
        assert after.answer["total"] == 7
        assert await total(store) == 7
        check_log(await store.read_log(after_position=0, limit=99))

    async def test_two_replicas_take_commands_for_one_table(self, store: Store) -> None:
        """Any replica may take any command: each catches up with what the other has stored."""
        async with running(store) as one, running(store) as other:
            for turn in range(10):
                replica = (one, other)[turn % 2]
                outcome = await send(replica, add(1), f"turn-{turn}")
                assert outcome.answer["total"] == turn + 1
            await asyncio.gather(
                *(
                    send((one, other)[n % 2], add(1), f"m-{n}", table=f"t-{n % 3}")
                    for n in range(60)
                )
            )
        assert await total(store) == 10
        assert sum([await total(store, f"t-{n}") for n in range(3)]) == 60
        check_log(await store.read_log(after_position=0, limit=999))

    async def test_the_same_key_at_two_replicas_is_done_once(self, store: Store) -> None:
        """A client that turns to another replica is recognised there, even at the same moment."""
        async with running(store) as one, running(store) as other:
            outcomes = await asyncio.gather(
                *(
                    send(executor, add(1), f"c-{n}", table=f"t-{n}", key=f"k-{n // 2}")
                    for n, executor in enumerate([one, other] * 8)
                )
            )
        assert sum(outcome.duplicate for outcome in outcomes) == 8
        assert await store.head_position() == 8

    # --- effects -----------------------------------------------------------------------------

    async def test_effects_follow_in_waves_in_the_same_transaction(self, store: Store) -> None:
        """What follows from an event is stored with it, belongs to its command, and is answered."""
        spy = Spy()

        def countdown(_tx: Any, staged: Staged) -> Command | None:
            event = staged.event
            if not isinstance(event, Added) or event.n <= 1:
                return None
            return add(event.n - 1)

        spy.effect = countdown
        async with running(store, spy) as executor:
            outcomes = await send_all(executor, add(3), add(2), add(1))
        assert spy.waves == [3, 2, 1]
        answers = [outcome.answer["events"] for outcome in outcomes if isinstance(outcome, Outcome)]
        assert [len(events) for events in answers] == [3, 2, 1]
        log = await store.read_log(after_position=0, limit=99)
        check_log(log)
        metas = [decode_meta(record.meta) for record in log]
        assert [(meta.command_id, meta.depth, meta.cause) for meta in metas] == [
            ("c-0", 1, "c-0"),
            ("c-1", 1, "c-1"),
            ("c-2", 1, "c-2"),
            ("c-0", 2, "counter:t:1"),
            ("c-1", 2, "counter:t:2"),
            ("c-0", 3, "counter:t:4"),
        ]
        first = outcomes[0]
        assert isinstance(first, Outcome)
        assert [record.version for record in first.records] == [1, 4, 6]

    @pytest.mark.parametrize("follow", [add(1), stumble(), refuse()])
    async def test_an_effect_without_end_or_sense_undoes_its_event(
        self, store: Store, follow: Command
    ) -> None:
        """An event whose effect cannot be decided does not happen either."""
        spy = Spy()
        spy.effect = lambda _tx, staged: follow if staged.meta.command_id == "c-1" else None
        async with running(store, spy) as executor:
            outcomes = await send_all(executor, add(1), add(7), add(2))
        assert isinstance(outcomes[1], EffectFailed)
        assert await total(store) == 3

    # --- states ------------------------------------------------------------------------------

    async def test_a_query_sees_what_is_committed(self, store: Store) -> None:
        """By whichever replica, and also for a table that nobody has touched."""
        async with running(store) as one, running(store) as other:
            assert await one.state("t") == State()
            await send(one, add(5), "c-1")
            assert (await other.state("t")).total == 5
            await send(one, add(7), "c-2")
            assert (await one.state("t")).total == (await other.state("t")).total == 12

    async def test_a_warm_table_is_not_read_again(self, store: Store) -> None:
        """A state in the cache saves the reading; only unseen events are folded."""
        spy = Spy()
        async with running(store, spy) as executor:
            await send(executor, add(1), "c-1")
            await append(store, ("t", Added(n=10)))
            folded = spy.aggregate.folded
            outcome = await send(executor, add(100), "c-2")
        assert outcome.answer["total"] == 111
        assert spy.aggregate.folded == folded + 2

    async def test_the_cache_is_bounded(self, store: Store) -> None:
        """The table that was used longest ago is dropped, and read again when it is needed."""
        spy = Spy()
        async with running(store, spy, limits=Limits(cached_tables_max=2)) as executor:
            for table in "abca":
                await send(executor, add(1), f"c-{table}-{spy.aggregate.folded}", table=table)
        # Four events folded when decided, and the first one again when its table had been dropped.
        assert spy.aggregate.folded == 5

    async def test_a_long_stream_is_loaded_from_its_snapshot(self, store: Store) -> None:
        """Snapshots shorten the load and change nothing else."""
        numbers = tuple(range(SNAPSHOT_EVENTS // 2))
        many = AddMany(at_us=AT_US, by=PIT, numbers=numbers)
        async with running(store) as executor:
            await send(executor, many, "many")
            await send(executor, add(1), "more")
        spy = Spy()
        async with running(store, spy) as executor:
            outcome = await send(executor, add(1), "cold")
        assert outcome.answer["total"] == sum(numbers) + 2
        assert spy.aggregate.folded == 2

    @pytest.mark.parametrize("schema", [1, 2])
    async def test_a_snapshot_that_is_damaged_or_of_another_schema_is_passed_over(
        self, store: Store, schema: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The table is folded from its events, and written anew; of a damaged one somebody is told."""
        many = AddMany(at_us=AT_US, by=PIT, numbers=tuple(range(SNAPSHOT_EVENTS // 2)))
        whole = StateCodec.encode
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(StateCodec, "encode", lambda *a: replace(whole(*a), state=b"\x81"))
            async with running(store) as executor:
                await send(executor, many, "many")
        for name, folded in (("cold", SNAPSHOT_EVENTS + 1), ("warmer", 1)):
            spy = Spy()
            spy.aggregate.STATE_SCHEMA = schema
            async with running(store, spy) as executor:
                await send(executor, add(1), name)
            assert spy.aggregate.folded == folded
        assert caplog.text.count("is unreadable") == (schema == 1)

    async def test_a_state_that_cannot_be_written_costs_only_time(
        self, store: Store, caplog: pytest.LogCaptureFixture
    ) -> None:
        """A snapshot that would not read back the same is not taken, and somebody is told."""
        spy = Spy()
        spy.aggregate.initial_state = lambda: State(total=2**70)  # type: ignore[method-assign]
        numbers = tuple(range(SNAPSHOT_EVENTS // 2))
        async with running(store, spy) as executor:
            await send(executor, AddMany(at_us=AT_US, by=PIT, numbers=numbers), "many")
        assert "no snapshot of t" in caplog.text
        async with store.transaction() as tx:
            assert await tx.load_snapshot("t", state_schema=1) is None


class TestExecutorInMemory(ExecutorSuite):
    @pytest.fixture
    def store(self, memory_store: MemoryStore) -> Store:
        return memory_store


@pytest.mark.integration
class TestExecutorOnPostgres(ExecutorSuite):
    @pytest.fixture
    def store(self, postgres_store: PostgresStore) -> Store:
        return postgres_store

    async def test_a_dropped_connection_is_survived(self, postgres_store: PostgresStore) -> None:
        """The server ends our session in the middle of a group: the group is done again, once."""
        spy = Spy()
        drops = 2

        async def drop(tx: Any) -> None:
            nonlocal drops
            if drops:
                drops -= 1
                await tx.connection.execute("select pg_terminate_backend(pg_backend_pid())")

        spy.before_effects = drop
        async with running(postgres_store, spy) as executor:
            outcomes = await send_all(executor, *(add(1) for _ in range(5)))
            assert executor.counters.failed_attempts == 2
        assert all(isinstance(outcome, Outcome) for outcome in outcomes)
        assert await total(postgres_store) == 5

    async def test_a_query_may_be_overtaken(self, postgres_store: PostgresStore) -> None:
        """Queries take no lock: an event that comes while one reads is not its mistake."""

        class Overtaken(PostgresStore):
            """Between looking at the head and reading, somebody appends."""

            @asynccontextmanager
            async def transaction(self, *, lock: Collection[str] = ()) -> AsyncIterator[PostgresTx]:
                async with super().transaction(lock=lock) as tx:
                    heads = tx.heads

                    async def slow(streams: Iterable[str]) -> dict[str, Head]:
                        found = await heads(streams)
                        await append(postgres_store, ("t", Added(n=100)))
                        return found

                    tx.heads = slow  # type: ignore[method-assign]
                    yield tx

        await append(postgres_store, ("t", Added(n=1)))
        async with running(Overtaken("counter", postgres_store.pool)) as executor:
            assert (await executor.state("t")).total == 1
            assert (await executor.state("t")).total == 101

    async def test_an_error_in_sql_fails_its_command_alone(
        self, postgres_store: PostgresStore
    ) -> None:
        """After an error in an effect the transaction is lost; neighbours are done in others."""
        spy = Spy()
        failures = 0

        async def fail(tx: Any) -> None:
            nonlocal failures
            failures += 1
            if failures in {1, 3}:
                await tx.connection.execute("select 1 / 0")

        spy.before_effects = fail
        async with running(postgres_store, spy) as executor:
            outcomes = await send_all(executor, add(1), add(2), add(4))
        assert [isinstance(outcome, Outcome) for outcome in outcomes] == [True, False, True]
        assert await total(postgres_store) == 5
