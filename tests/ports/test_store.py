"""The event store: one suite, and every implementation of the port has to pass it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import random
import weakref
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import asyncpg
import pytest

from services.chassis.decider import Body, Entry, Record
from services.chassis.digest import GENESIS, digest_of
from services.chassis.memory import MemoryStore
from services.chassis.postgres import PostgresStore, is_transient
from services.chassis.registry import decode_meta
from services.chassis.snapshots import Snapshot
from services.chassis.store import (
    EMPTY_HEAD,
    UNREAD,
    Advance,
    ConcurrencyConflict,
    DeadLetter,
    Head,
    InboxMark,
    LogBroken,
    Store,
    StoredAnswer,
    StoreUnavailable,
    Tx,
)
from tests.ports.counter import (
    AT_US,
    FEEDER,
    Added,
    Fed,
    Noticed,
    append,
    append_in,
    one_event,
)

WRITERS = 16
STREAMS = 40
APPENDS_PER_WRITER = 40
ROLLBACK_SHARE = 0.1
READ_LIMIT = 37
WAIT_S = 0.05


class Abandoned(Exception):
    """A rollback on purpose."""


@asynccontextmanager
async def rolled_back(store: Store) -> AsyncIterator[Tx]:
    """A transaction that is undone at the end of the block."""
    with contextlib.suppress(Abandoned):
        async with store.transaction() as tx:
            yield tx
            raise Abandoned


def fresh(store: Store) -> Store:
    """The store as a process sees it that wrote nothing: not by what it has in memory."""
    return PostgresStore(store.service, store.pool) if isinstance(store, PostgresStore) else store


class Holder:
    """Keeps a transaction, and is told of its end, as the work in it is."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.calls = 0

    def called(self) -> None:
        self.calls += 1


def check_log(records: Sequence[Record]) -> None:
    """What holds for every log: positions, versions, pointers and digests, worked out afresh."""
    last: dict[str, Record] = {}
    published: dict[str, int] = {}
    for position, record in enumerate(records, start=1):
        assert record.position == position
        before = last.get(record.stream)
        assert record.version == (before.version + 1 if before else 1)
        assert record.previous == published.get(record.stream, 0)
        assert record.previous_digest == (before.digest if before else GENESIS)
        assert record.digest == digest_of(
            record.previous_digest,
            f"{record.service}:{record.stream}:{record.version}",
            record.type,
            record.schema_version,
            record.meta,
            record.body,
        )
        last[record.stream] = record
        if record.published:
            published[record.stream] = record.position


class Writer:
    """Appends optimistically: looks in one transaction, writes in another, without locks."""

    def __init__(self, store: Store, number: int) -> None:
        self.store = store
        self.number = number
        self.random = random.Random(number)
        self.committed = self.conflicts = self.rollbacks = 0

    async def run(self) -> None:
        for round_number in range(1, APPENDS_PER_WRITER + 1):
            stream = f"t-{self.random.randrange(STREAMS)}"
            async with self.store.transaction() as tx:
                heads = await tx.heads([stream])
            await asyncio.sleep(0)
            try:
                await self._write(stream, heads, round_number)
                self.committed += 1
            except ConcurrencyConflict:
                self.conflicts += 1
            except Abandoned:
                self.rollbacks += 1

    async def _write(self, stream: str, heads: dict[str, Head], round_number: int) -> None:
        async with self.store.transaction() as tx:
            mark = InboxMark(round_number, "x")
            await tx.put_inbox({(f"writer-{self.number}", f"r-{round_number}"): mark})
            await tx.append(one_event(heads, stream))
            if self.random.random() < ROLLBACK_SHARE:
                raise Abandoned


class StoreSuite:
    """What every store promises."""

    async def test_concurrent_writers_leave_no_hole_and_no_inversion(self, store: Store) -> None:
        """Whatever writers do to each other, a reader that runs beside them misses nothing."""
        writers = [Writer(store, number) for number in range(WRITERS)]
        writing = asyncio.gather(*(writer.run() for writer in writers))
        seen: list[Record] = []

        async def read() -> None:
            while True:
                done = writing.done()
                records = await store.read_log(after_position=len(seen), limit=READ_LIMIT)
                seen.extend(records)
                if done and not records:
                    return
                await asyncio.sleep(0)

        await asyncio.gather(writing, read())
        assert sum(writer.conflicts for writer in writers) > 0
        assert sum(writer.rollbacks for writer in writers) > 0
        assert len(seen) == sum(writer.committed for writer in writers)
        assert await store.head_position() == len(seen)
        check_log(seen)

    async def test_pages_of_one_record_miss_nothing_of_a_commit(self, store: Store) -> None:
        """A reader may stop in the middle of a commit, and goes on with its rest."""
        for number in range(3):
            await append(store, ("a", Added(n=number)), ("b", Added(n=number)))
        seen: list[Record] = []
        while page := await store.read_log(after_position=len(seen), limit=1):
            seen += page
        assert [record.position for record in seen] == [1, 2, 3, 4, 5, 6]
        assert [record.stream for record in seen] == ["a", "b"] * 3

    async def test_entries_are_the_records_without_their_proof(self, store: Store) -> None:
        """Readers that fold miss no event and no field that they ask for."""
        await append(store, ("a", Added(n=1)), ("b", Noticed(what="x")), ("a", Added(n=2)))
        await append(store, ("b", Added(n=3)))
        entries = await fresh(store).read_entries(after_position=1, limit=2)
        records = await fresh(store).read_log(after_position=1, limit=2)
        assert [record.position for record in records] == [2, 3]
        for name in (*Entry.__struct_fields__, "event_id"):
            assert [getattr(e, name) for e in entries] == [getattr(r, name) for r in records], name

    async def test_a_stream_is_read_in_the_order_of_its_versions_whatever_clocks_say(
        self, store: Store
    ) -> None:
        """Two nodes whose clocks differ: what was second is stamped earlier, and stays second."""
        for number, seconds in enumerate((5, 3, 4), start=1):
            at_us = AT_US + seconds * 1_000_000
            await append(store, ("a", Added(n=number)), occurred_at_us=at_us)
        read = await store.read_stream("a", after_version=0, limit=9)
        assert [record.version for record in read] == [1, 2, 3]
        stamps = [decode_meta(record.meta).occurred_at_us for record in read]
        assert stamps != sorted(stamps)

    async def test_a_batch_of_several_streams_is_chained(self, store: Store) -> None:
        """Pointers and digests are right within a batch and across batches, unpublished or not."""
        first = await append(
            store,
            ("a", Added(n=1)),
            ("b", Noticed(what="x")),
            ("a", Noticed(what="y")),
            ("a", Added(n=2)),
            ("b", Added(n=3)),
        )
        second = await append(store, ("b", Added(n=4)), ("a", Added(n=5)), ("c", Added(n=6)))
        stored = await store.read_log(after_position=0, limit=100)
        assert [*first, *second] == stored
        assert [record.previous for record in stored] == [0, 0, 1, 1, 0, 5, 4, 0]
        check_log(stored)
        assert await store.read_stream("a", after_version=1, limit=2) == stored[2:4]
        async with store.transaction() as tx:
            heads = await tx.heads(["a", "b", "none"])
        assert heads["a"] == Head(4, 7, 7, stored[6].digest)
        assert heads["none"] == EMPTY_HEAD

    async def test_the_head_of_an_unpublished_end_points_to_the_last_published(
        self, store: Store
    ) -> None:
        """Readers of the topic are never pointed to a record that they cannot get."""
        await append(store, ("a", Added(n=1)), ("a", Noticed(what="x")))
        async with store.transaction() as tx:
            head = (await tx.heads(["a"]))["a"]
        assert (head.version, head.position, head.last_published_position) == (2, 2, 1)

    async def test_locked_streams_are_seen_as_they_are(self, store: Store) -> None:
        """Who waited for a lock sees what was committed meanwhile, so it need not conflict."""
        order: list[str] = []

        async def write(name: str, hold_s: float) -> None:
            async with store.transaction() as tx:
                await append_in(tx, store.service, ("a", Added(n=1)), ("b", Added(n=1)))
                order.append(name)
                await asyncio.sleep(hold_s)
                order.append(name)

        await asyncio.gather(*(write(name, 0.01) for name in "xyz"))
        assert order[0::2] == order[1::2], "transactions overlapped"
        check_log(await store.read_log(after_position=0, limit=100))

    @pytest.mark.parametrize("version", [0, 1, 3])
    async def test_an_outdated_or_invented_version_is_a_conflict(
        self, store: Store, version: int
    ) -> None:
        """A stream goes on exactly where it ends, or not at all."""
        await append(store, ("a", Added(n=1)), ("a", Added(n=1)))
        stale = {"a": Head(version, 1, 1, GENESIS)}
        with pytest.raises(ConcurrencyConflict):
            async with store.transaction() as tx:
                await tx.append(one_event(stale, "a"))
        assert await store.head_position() == 2

    async def test_a_rollback_leaves_nothing(self, store: Store) -> None:
        """Everything of a transaction is undone together."""
        record = (await append(store, ("a", Added(n=1))))[0]
        snapshot = Snapshot(stream="a", version=1, state_schema=1, state=b"s")
        async with rolled_back(store) as tx:
            await append_in(tx, store.service, ("a", Added(n=2)), ("new", Added(n=3)))
            await tx.put_answers({"k": StoredAnswer(b"h", b"a")})
            await tx.put_inbox({("up", "a"): InboxMark(7, "up:a:1")})
            await tx.save_snapshot(snapshot)
            await tx.advance_checkpoint("c", expected=0, position=5)
            await tx.park("me", "a", reason="r", event_id="e")
            await tx.keep_parked("me", [record])
        async with store.transaction() as tx:
            assert (await tx.heads(["a"]))["a"].version == 1
            assert await tx.answers(["k"]) == {}
            assert await tx.inbox([("up", "a")]) == {("up", "a"): 0}
            assert await tx.load_snapshot("a", state_schema=1) is None
            assert await tx.parked("me", ["a"]) == {}
            assert await tx.parked_records("me", "a", limit=9) == []
        assert await store.checkpoint("c") == UNREAD
        assert (await append(store, ("a", Added(n=2))))[0].position == 2

    @pytest.mark.parametrize("commits", [True, False])
    async def test_an_ended_transaction_does_not_wait_for_the_collector(
        self, store: Store, *, commits: bool
    ) -> None:
        """Whoever is called at its end holds it, and must not be held by it from then on."""
        gc.disable()
        try:
            async with store.transaction() if commits else rolled_back(store) as tx:
                holder = Holder(tx)
                tx.hooks.after_commit(holder.called)
                tx.hooks.on_rollback(holder.called)
            assert holder.calls == 1
            left = weakref.ref(holder)
            del holder, tx
            assert left() is None
        finally:
            gc.enable()

    async def test_a_transaction_sees_what_it_wrote(self, store: Store) -> None:
        """Later steps of a transaction build on earlier ones."""
        async with store.transaction() as tx:
            await append_in(tx, store.service, ("a", Added(n=1)))
            assert (await tx.heads(["a"]))["a"].version == 1
            (record,) = await tx.read_stream("a", after_version=0, limit=9)
            (body,) = await tx.read_bodies("a", after_version=0, limit=9)
            for name in Body.__struct_fields__:
                assert getattr(body, name) == getattr(record, name), name
            assert await tx.read_bodies("a", after_version=1, limit=9) == []
            await tx.put_answers({"k": StoredAnswer(b"h", b"a")})
            assert await tx.answers(["k", "l"]) == {"k": StoredAnswer(b"h", b"a")}
            await tx.put_inbox({("up", "a"): InboxMark(7, "up:a:1")})
            assert await tx.inbox([("up", "a")]) == {("up", "a"): 7}

    async def test_an_answer_is_given_once(self, store: Store) -> None:
        """Two who answer the same command at the same time: one of them has to look again."""
        async with store.transaction() as tx:
            await tx.put_answers({"k": StoredAnswer(b"h", b"a"), "l": StoredAnswer(b"h", b"b")})
        with pytest.raises(ConcurrencyConflict):
            async with store.transaction() as tx:
                await tx.put_answers({"m": StoredAnswer(b"h", b"x"), "l": StoredAnswer(b"h", b"b")})
        async with store.transaction() as tx:
            assert set(await tx.answers(["k", "l", "m"])) == {"k", "l"}

    async def test_the_inbox_only_moves_forward(self, store: Store) -> None:
        """A mark that would go back, or stay, means that somebody else handled the record."""
        pair = ("up", "a")
        async with store.transaction() as tx:
            await tx.put_inbox({pair: InboxMark(7, "up:a:1"), ("up", "b"): InboxMark(3, "up:b:1")})
        for position in (6, 7):
            with pytest.raises(ConcurrencyConflict):
                async with store.transaction() as tx:
                    await tx.put_inbox({pair: InboxMark(position, "up:a:0")})
        async with store.transaction() as tx:
            await tx.put_inbox({pair: InboxMark(9, "up:a:2")})
        async with store.transaction() as tx:
            marks = await tx.inbox([pair, ("up", "b"), ("other", "a")])
        assert marks == {pair: 9, ("up", "b"): 3, ("other", "a"): 0}

    async def test_one_look_tells_what_three_would(self, store: Store) -> None:
        """Ends, marks and parked tables, of streams with several upstreams and of new ones."""
        await append(store, ("a", Added(n=1)), ("a", Noticed(what="x")), ("b", Added(n=1)))
        pairs = [("up", "a"), ("down", "a"), ("up", "b"), ("up", "new")]
        async with store.transaction() as tx:
            await tx.put_inbox({("up", "a"): InboxMark(7, "x"), ("up", "b"): InboxMark(3, "y")})
            await tx.park("me", "b", reason="r", event_id="e")
            await tx.park("you", "a", reason="r", event_id="e")
        async with store.transaction(lock=["a", "b", "new"]) as tx:
            standing = await tx.standing("me", pairs)
            assert standing.heads == await tx.heads(["a", "b", "new"])
            assert standing.marks == await tx.inbox(pairs)
            assert standing.parked == {"b"}

    async def test_marks_move_with_the_events_or_not_at_all(self, store: Store) -> None:
        """Whoever was slower in handling a record leaves no events of it."""
        pair = ("up", "a")

        async def handle(position: int) -> None:
            async with store.transaction(lock=["a"]) as tx:
                batch = one_event(await tx.heads(["a"]), "a")
                await tx.append(batch, handled={pair: InboxMark(position, "up:a:1")})

        await handle(7)
        for position in (6, 7):
            with pytest.raises(ConcurrencyConflict):
                await handle(position)
        await handle(8)
        async with store.transaction() as tx:
            assert await tx.inbox([pair]) == {pair: 8}
            assert (await tx.heads(["a"]))["a"].version == 2

    async def test_a_checkpoint_has_four_answers(self, store: Store) -> None:
        """Whoever moves a checkpoint learns whether somebody else moved it."""
        advance = store.advance_checkpoint
        assert await advance("c", expected=3, position=5) is Advance.MISMATCH
        assert await advance("c", expected=0, position=5, note=b"n") is Advance.UPDATED
        assert await advance("c", expected=0, position=5) is Advance.UNCHANGED
        assert await advance("c", expected=0, position=4) is Advance.AHEAD
        assert await advance("c", expected=4, position=9) is Advance.MISMATCH
        assert await advance("c", expected=5, position=9) is Advance.UPDATED
        assert await advance("c", expected=9, position=9) is Advance.UNCHANGED
        checkpoint = await store.checkpoint("c")
        assert (checkpoint.position, checkpoint.note) == (9, b"n")
        await store.rewind_checkpoint("c", position=2, note=b"again")
        checkpoint = await store.checkpoint("c")
        assert (checkpoint.position, checkpoint.note) == (2, b"again")
        assert await store.checkpoint("never") == UNREAD

    async def test_one_of_many_moves_a_checkpoint(self, store: Store) -> None:
        """Readers that believe the same thing do not both go on."""
        moves = [store.advance_checkpoint("c", expected=0, position=n) for n in range(1, 9)]
        answers = await asyncio.gather(*moves)
        assert answers.count(Advance.UPDATED) == 1

    async def test_a_snapshot_of_another_schema_is_not_there(self, store: Store) -> None:
        """A state in an old form is never taken for a present one."""

        async def save(version: int, schema: int) -> None:
            async with store.transaction() as tx:
                await tx.save_snapshot(
                    Snapshot(
                        stream="a", version=version, state_schema=schema, state=b"%d" % version
                    )
                )

        async def load(schema: int) -> bytes | None:
            async with store.transaction() as tx:
                snapshot = await tx.load_snapshot("a", state_schema=schema)
                return None if snapshot is None else snapshot.state

        await save(500, 1)
        assert (await load(1), await load(2)) == (b"500", None)
        await save(1000, 1)
        assert await load(1) == b"1000"
        await save(700, 2)
        assert (await load(1), await load(2)) == (None, b"700")

    async def test_records_are_found_by_command_and_by_coup(self, store: Store) -> None:
        """What one outside command led to, and all of a coup, in the order of the log."""
        await append(store, ("a", Added(n=1)), command_id="c-1", coup_id="k-1")
        await append(store, ("b", Added(n=1)), ("a", Noticed(what="x")), command_id="c-2")
        await append(store, ("a", Added(n=1)), command_id="c-1", coup_id="k-1")
        by_command = await store.read_by_command(["c-2", "c-1"])
        assert [record.position for record in by_command] == [1, 2, 3, 4]
        assert [record.position for record in await store.read_by_command(["c-2"])] == [2, 3]
        assert [record.position for record in await store.read_by_coup("k-1")] == [1, 4]
        assert await store.read_by_coup("k-2") == []

    async def test_parked_records_wait_in_order_and_once(self, store: Store) -> None:
        """What a stopped table missed is kept until somebody decides, whatever is redelivered."""
        records = await append(
            store, *(("a", Fed(n=n)) for n in range(3)), ("b", Fed(n=9)), registry=FEEDER
        )
        async with store.transaction() as tx:
            await tx.park("me", "a", reason="broken", event_id=records[0].event_id)
            await tx.keep_parked("me", records[:2])
        async with store.transaction() as tx:
            await tx.keep_parked("me", records[1:])
            await tx.park("me", "a", reason="still", event_id=records[0].event_id)
        async with store.transaction() as tx:
            parked = await tx.parked("me", ["a", "b"])
            assert {table: one.reason for table, one in parked.items()} == {"a": "still"}
            assert await tx.parked("you", ["a"]) == {}
            assert await tx.parked_records("me", "a", limit=9) == records[:3]
            assert await tx.parked_records("me", "a", limit=2) == records[:2]
        assert (await store.progress("a")).parked_records == 3
        assert set(await store.parked_tables("me", limit=9)) == {"a"}
        letter = DeadLetter(record=records[0], reason="hopeless", by="p-1")
        async with store.transaction() as tx:
            await tx.bury("me", letter)
            await tx.drop_parked("me", records[:1])
        async with store.transaction() as tx:
            assert await tx.parked_records("me", "a", limit=9) == records[1:3]
            await tx.unpark("me", "a")
        assert await store.parked_tables("me", limit=9) == {}
        assert await store.dead_letters("me", "a", limit=9) == [letter]

    async def test_progress_tells_own_and_handled_positions(self, store: Store) -> None:
        """What a table waits for can be told from the database alone."""
        await append(store, ("b", Added(n=1)), ("a", Added(n=1)))
        async with store.transaction() as tx:
            await tx.put_inbox({("up", "a"): InboxMark(7, "x"), ("down", "a"): InboxMark(3, "y")})
        progress = await store.progress("a")
        assert (progress.version, progress.position) == (1, 2)
        assert progress.handled == {"up": 7, "down": 3}
        assert (await store.progress("none")).position == 0

    async def test_sleepers_are_woken_by_commits_only(self, store: Store) -> None:
        """Relay and projections wake when there is something to read, and not before."""
        listener = store.appended.listen()
        async with rolled_back(store) as tx:
            await append_in(tx, store.service, ("a", Added(n=1)))
        async with store.transaction() as tx:
            await tx.put_answers({"k": StoredAnswer(b"h", b"a")})
        assert not listener.is_set()
        async with store.transaction() as tx:
            await append_in(tx, store.service, ("a", Added(n=1)))
            assert not listener.is_set()
        assert listener.is_set()

    async def test_hooks_run_after_the_end_of_a_transaction(self, store: Store) -> None:
        """A companion that keeps things in memory can follow commit and rollback."""
        heard: list[str] = []
        async with store.transaction() as tx:
            tx.hooks.after_commit(lambda: heard.append("committed"))
            tx.hooks.on_rollback(lambda: heard.append("never"))
        async with rolled_back(store) as tx:
            tx.hooks.after_commit(lambda: heard.append("never"))
            tx.hooks.on_rollback(lambda: heard.append("second"))
            tx.hooks.on_rollback(lambda: heard.append("first"))
        assert heard == ["committed", "first", "second"]


class TestMemoryStore(StoreSuite):
    @pytest.fixture
    def store(self, memory_store: MemoryStore) -> Store:
        return memory_store


@pytest.mark.integration
class TestPostgresStore(StoreSuite):
    @pytest.fixture
    def store(self, postgres_store: PostgresStore) -> Store:
        return postgres_store

    async def test_a_hole_is_never_read_over(self, postgres_store: PostgresStore) -> None:
        """A reader stops at a log that somebody tampered with, instead of passing over it."""
        await append(postgres_store, *(("a", Added(n=n)) for n in range(4)))
        async with postgres_store.pool.acquire() as connection:
            with pytest.raises(asyncpg.RaiseError, match="never edited"):
                await connection.execute("delete from events where position = 3")
            await connection.execute("alter table events disable trigger all")
            await connection.execute("delete from events where position = 3")
            await connection.execute("alter table events enable trigger all")
        # Whoever wrote the events has them in memory.
        reader = PostgresStore(postgres_store.service, postgres_store.pool)
        with pytest.raises(LogBroken):
            await reader.read_log(after_position=0, limit=9)
        with pytest.raises(LogBroken):
            await reader.read_entries(after_position=0, limit=9)
        assert len(await reader.read_log(after_position=0, limit=2)) == 2

    async def test_streams_with_crossing_names_do_not_deadlock(
        self, postgres_store: PostgresStore
    ) -> None:
        """Locks are taken in the order of what is locked: many at once get through."""

        async def write(seed: int) -> None:
            names = [f"t-{n}" for n in range(12)]
            chosen = random.Random(seed).sample(names, 6)
            await append(postgres_store, *((name, Added(n=1)) for name in chosen))

        await asyncio.gather(*(write(seed) for seed in range(40)))
        assert await postgres_store.head_position() == 40 * 6

    async def test_whoever_gives_up_waiting_for_a_lock_holds_nothing(
        self, postgres_store: PostgresStore
    ) -> None:
        """A transaction begins with its locks; broken off there, its connection is as good as new."""
        complaints: list[str] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))
        async with postgres_store.transaction(lock=["a"]):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05), postgres_store.transaction(lock=["b", "a"]):
                    pass
            async with postgres_store.transaction(lock=["b"]) as tx:
                assert tx.connection.is_in_transaction()
        for _ in range(postgres_store.pool.get_size()):
            async with postgres_store.pool.acquire() as connection:
                assert not connection.is_in_transaction()
        loop.set_exception_handler(None)
        assert complaints == [], "the pool found a transaction that nobody had ended"

    async def test_a_lost_connection_says_try_again(self, postgres_store: PostgresStore) -> None:
        """The loss of a connection is told apart from a mistake, and the pool recovers."""
        with pytest.raises(StoreUnavailable):
            async with postgres_store.transaction() as tx:
                await tx.connection.execute("select pg_terminate_backend(pg_backend_pid())")
        assert len(await append(postgres_store, ("a", Added(n=1)))) == 1

    def test_a_driver_that_met_the_last_words_of_its_server_says_try_again(self) -> None:
        """A killed server tells idle connections so; the next statement finds its driver confused."""
        error = asyncpg.InternalClientError("cannot switch to state 15; another operation")
        assert is_transient(error)
        assert not is_transient(asyncpg.UndefinedTableError("no such table"))

    async def test_a_mistake_of_ours_is_not_transient(self, postgres_store: PostgresStore) -> None:
        """Trying again does not help against a wrong argument or wrong SQL."""
        with pytest.raises(asyncpg.DataError):
            async with postgres_store.transaction() as tx:
                await tx.connection.execute("select $1::integer", "no number")
        with pytest.raises(asyncpg.UndefinedTableError):
            async with postgres_store.transaction() as tx:
                await tx.connection.execute("select * from nowhere")

    async def test_all_appends_wait_for_the_one_before(self, postgres_store: PostgresStore) -> None:
        """The head is locked to the commit: a later position never becomes visible first."""
        async with postgres_store.transaction() as tx:
            await append_in(tx, "counter", ("a", Added(n=1)))
            other = asyncio.create_task(append(postgres_store, ("b", Added(n=1))))
            await asyncio.sleep(WAIT_S)
            assert not other.done()
            assert await postgres_store.read_log(after_position=0, limit=9) == []
        assert (await other)[0].position == 2
