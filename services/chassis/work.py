"""What one open transaction of a service decides before any of it is written.

Both ways in, commands from outside and events of other services, end here: load the tables, decide
on drafts, adopt the drafts that went well, let the companion's effects follow, append everything at
once. A draft is thrown away without a trace, which is how one failing command leaves its
neighbours in the same transaction alone.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from services.chassis import telemetry
from services.chassis.decider import Aggregate, Body, Companion, Decide, Record, Staged
from services.chassis.registry import Note, Registry, decode_meta, encode_meta
from services.chassis.snapshots import SNAPSHOT_EVENTS, StateCodec, UnfitState, is_due
from services.chassis.store import NOTHING_HANDLED, Batch, Head, InboxMark, Pair, Tx
from services.contracts.core import (
    Command,
    Event,
    Heard,
    Meta,
    Noted,
    NotYet,
    Refused,
    event_id,
)

LOAD_RECORDS_MAX: Final = 2_000
"""Records fetched at once while a table is loaded."""

EFFECT_WAVES_MAX: Final = 16
"""Rounds of effects in one transaction. More means that effects cause each other without end."""

_log = logging.getLogger(__name__)


def nobody(staged: Sequence[Staged]) -> None:
    """Nobody measures."""


class ItemFailed(Exception):
    """One command or record could not be decided; the transaction around it is sound."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class EffectFailed(Exception):
    """What follows from an event cannot be decided: the event must not happen either."""


class PlainCompanion:
    """The companion of a service that keeps nothing beside its log."""

    def __init__(self, aggregate: Aggregate) -> None:
        self._decide: Decide = aggregate.decide

    async def prepare(self, tx: Any, commands: Sequence[Command]) -> None:
        """Nothing is looked up for several commands at once."""

    async def decider(self, tx: Any, table_id: str, command: Command, state: Any) -> Decide:  # noqa: ARG002
        return self._decide

    async def effects(
        self,
        tx: Any,  # noqa: ARG002
        staged: Sequence[Staged],  # noqa: ARG002
    ) -> Sequence[tuple[Staged, Command]]:
        return ()

    async def keep(self, tx: Any, heard: Sequence[Record]) -> None:
        """Nothing is kept."""


class Loaded(Struct, frozen=True):
    """A table as it is after the event of `version`."""

    version: int
    state: Any
    folded: int = 0
    """Events that were read to get here: many mean that a snapshot is overdue."""


class StateCache:
    """Committed states of the tables in use. Values are immutable, so sharing them is safe."""

    def __init__(self, tables_max: int) -> None:
        self._tables_max = tables_max
        self._tables: OrderedDict[str, Loaded] = OrderedDict()

    def get(self, table_id: str) -> Loaded | None:
        loaded = self._tables.get(table_id)
        if loaded is not None:
            self._tables.move_to_end(table_id)
        return loaded

    def put(self, table_id: str, loaded: Loaded) -> None:
        """Keep a state, unless a later one is there: two commits may be reported out of order."""
        known = self._tables.get(table_id)
        if known is None or known.version < loaded.version:
            self._tables[table_id] = loaded
        self._tables.move_to_end(table_id)
        if len(self._tables) > self._tables_max:
            self._tables.popitem(last=False)

    def discard(self, tables: Iterable[str]) -> None:
        for table_id in tables:
            self._tables.pop(table_id, None)


class Core:
    """What stays the same from one transaction of a service to the next."""

    def __init__(
        self,
        aggregate: Aggregate,
        registry: Registry,
        companion: Companion,
        *,
        cached_tables_max: int,
        committed: Callable[[Sequence[Staged]], None] = nobody,
    ) -> None:
        assert registry.service == aggregate.SERVICE, "a registry of another service"
        self.aggregate = aggregate
        self.registry = registry
        self.companion = companion
        self.committed = committed
        """Told of new events after their commit."""

        self.cache = StateCache(cached_tables_max)
        self.initial = aggregate.initial_state()
        self.codec = StateCodec(type(self.initial), aggregate.STATE_SCHEMA)
        self.upstreams = {
            service: Registry(service, events) for service, events in aggregate.HEARS.items()
        }

    async def load(self, tx: Tx, table_id: str, head: Head) -> Loaded:
        """The table as it is at `head`: from the cache, a snapshot or its first event."""
        loaded = self.cache.get(table_id)
        if loaded is None or loaded.version > head.version:
            # A state from beyond the head is of a database that was restored to an earlier moment.
            self.cache.discard([table_id])
            loaded = await self._load_cold(tx, table_id, head)
        version, state, folded = loaded.version, loaded.state, loaded.folded
        while version < head.version:
            # Not beyond the head: without a lock on the stream there may be more by now.
            limit = min(LOAD_RECORDS_MAX, head.version - version)
            records = await tx.read_bodies(table_id, after_version=version, limit=limit)
            assert records, f"{table_id} ends at {version}, before its head {head.version}"
            state = self.fold(state, records)
            folded += len(records)
            version = records[-1].version
        assert version == head.version, "the read ends at the head"
        return Loaded(version, state, folded)

    async def look(self, tx: Tx, table_id: str) -> Loaded:
        """The table as committed, without a lock: for queries, and for nothing that is decided."""
        head = (await tx.heads([table_id]))[table_id]
        cached = self.cache.get(table_id)
        if cached is not None and cached.version >= head.version:
            return cached  # what was committed after we looked is no less true
        loaded = await self.load(tx, table_id, head)
        self.cache.put(table_id, loaded)
        return loaded

    async def _load_cold(self, tx: Tx, table_id: str, head: Head) -> Loaded:
        if head.version >= SNAPSHOT_EVENTS:
            schema = self.codec.state_schema
            snapshot = await tx.load_snapshot(table_id, state_schema=schema)
            if snapshot is not None and snapshot.version <= head.version:
                try:
                    return Loaded(snapshot.version, self.codec.decode(snapshot))
                except msgspec.MsgspecError:
                    # The events say the same: a damaged shortcut costs time and stops no table.
                    _log.exception(
                        "the snapshot of %s at version %d is unreadable: its events are read",
                        table_id,
                        snapshot.version,
                    )
        return Loaded(0, self.initial)

    def fold(self, state: Any, records: Iterable[Body]) -> Any:
        """The state after stored events of this service."""
        evolve, decode, note = self.aggregate.evolve, self.registry.decode, self.registry.note
        for record in records:
            if record.type != Noted.type:
                state = evolve(state, decode(record.type, record.schema_version, record.body))
            elif heard := self._heard_again(note(record.schema_version, record.body)):
                state = evolve(state, heard)
        return state

    def heard(self, record: Record) -> Heard:
        """An upstream's record as `evolve` and `react` get it."""
        event = self.upstreams[record.service].decode(
            record.type, record.schema_version, record.body
        )
        return Heard(event, decode_meta(record.meta), record.service, record.event_id)

    def _heard_again(self, noted: Note | Noted) -> Heard | None:
        """A noted event as it was heard; None if this release does not listen to it any more."""
        upstream = self.upstreams.get(noted.service)
        if upstream is None or noted.event_type not in upstream:
            return None
        event = upstream.decode(noted.event_type, noted.event_version, noted.body)
        return Heard(event, decode_meta(noted.meta), noted.service, noted.event_id)


class Origin(Struct, frozen=True):
    """Where new events come from, for their envelopes."""

    command_id: str
    cause: str
    depth: int
    traceparent: str

    @classmethod
    def of_heard(cls, heard: Heard) -> Origin:
        """Events that an event of another service leads to."""
        meta = heard.meta
        return cls(meta.command_id, heard.event_id, meta.depth + 1, meta.traceparent)


class Decided(Struct, frozen=True):
    """A new event with everything that is written of it."""

    staged: Staged
    version: int
    body: bytes
    meta: bytes


class Draft:
    """How a table would go on. Changes nothing until the work adopts it."""

    def __init__(self, core: Core, tx: Tx, table_id: str, loaded: Loaded) -> None:
        self.table_id = table_id
        self.state = loaded.state
        self.version = loaded.version
        self.decided: list[Decided] = []
        self._core = core
        self._tx = tx

    async def decide(self, command: Command, origin: Origin) -> None:
        """Decide a command on the draft. Raises `ItemFailed` where only this command is at fault.

        What the companion raises, other than a refusal, goes up as it is: its statements run in
        the transaction, so after an error there the transaction may be lost.
        """
        companion = self._core.companion
        try:
            decide = await companion.decider(self._tx, self.table_id, command, self.state)
        except (Refused, NotYet) as error:
            raise ItemFailed(error) from error
        try:
            for event, state in decide(command, self.state).steps():
                self._accept(event, state, command, origin)
        except Exception as error:
            raise ItemFailed(error) from error

    def note(self, record: Record, heard: Heard) -> None:
        """Take a record of another service into this service's own stream, as it was published."""
        noted = Noted(
            service=record.service,
            event_id=record.event_id,
            position=record.position,
            event_type=record.type,
            event_version=record.schema_version,
            meta=Raw(record.meta),
            body=Raw(record.body),
            previous_digest=record.previous_digest.hex(),
            digest=record.digest.hex(),
            recorded_at_us=record.recorded_at_us,
        )
        body = self._core.registry.encode(noted)
        self.state = self._core.aggregate.evolve(self.state, heard)
        self.version += 1
        meta = replace(heard.meta, cause=record.event_id)
        staged = Staged(self.table_id, noted, meta)
        self.decided.append(Decided(staged, self.version, body, encode_meta(meta)))

    def _accept(self, event: Event, state: Any, command: Command, origin: Origin) -> None:
        """Take an event of the command, and the state after it."""
        body = self._core.registry.encode(event)
        self.state = state
        self.version += 1
        scope = self._core.aggregate.scope(state, event)
        traceparent = scope.traceparent or origin.traceparent
        linked = traceparent != origin.traceparent and telemetry.is_sampled(traceparent)
        meta = Meta(
            table_id=self.table_id,
            occurred_at_us=command.at_us,
            actor=command.by,
            command_id=origin.command_id,
            cause=origin.cause,
            depth=origin.depth,
            rulebook_id=scope.rulebook_id,
            rulebook_hash=scope.rulebook_hash,
            shoe_id=getattr(event, "shoe_id", "") or scope.shoe_id,
            coup_id=getattr(event, "coup_id", "") or "",
            second=command.second,
            test=scope.test,
            traceparent=traceparent,
            chain_traceparent=origin.traceparent if linked else "",
        )
        staged = Staged(self.table_id, event, meta)
        self.decided.append(Decided(staged, self.version, body, encode_meta(meta)))


class Adopted(Struct, frozen=True):
    """A decided event that has its place in the batch, and the item that it belongs to."""

    decided: Decided
    item: int


class Work:
    """The open transaction: drafts that were adopted, in the order in which they will be stored.

    Its tables are locked, and were before anybody looked where they end: else that look is worth nothing.

    An item is whatever is answered as a whole, a command or a heard record; it is known here by its
    number.
    """

    def __init__(self, core: Core, tx: Tx, heads: dict[str, Head]) -> None:
        self.tx = tx
        self._core = core
        self._heads = heads
        self._tables: dict[str, Loaded] = {}
        self._batch = Batch(core.aggregate.SERVICE, heads)
        self._adopted: list[Adopted] = []
        self._states: dict[int, Any] = {}
        self._without_effects = 0
        # Before anybody is told of the events: who looks at once finds their state in memory.
        tx.hooks.after_commit(self._publish)

    async def draft(self, table_id: str) -> Draft:
        """A continuation of the table from what was adopted so far."""
        return Draft(self._core, self.tx, table_id, await self._table(table_id))

    async def _table(self, table_id: str) -> Loaded:
        loaded = self._tables.get(table_id)
        if loaded is None:
            loaded = await self._core.load(self.tx, table_id, self._heads[table_id])
            self._tables[table_id] = loaded
        return loaded

    def adopt(self, draft: Draft, *, item: int) -> None:
        """Take over what was decided on a draft. It must be the table's latest."""
        before = self._tables[draft.table_id]
        assert before.version + len(draft.decided) == draft.version, "the draft is outdated"
        for decided in draft.decided:
            meta, event = decided.staged.meta, decided.staged.event
            new = self._batch.add(
                draft.table_id,
                kind=event.type,
                schema_version=event.schema_version,
                published=event.published,
                coup_id=meta.coup_id,
                command_id=meta.command_id,
                meta=decided.meta,
                body=decided.body,
            )
            assert new.version == decided.version, "the event has the id that was promised"
            self._adopted.append(Adopted(decided, item))
        self._tables[draft.table_id] = Loaded(draft.version, draft.state, before.folded)
        self._states[item] = draft.state

    async def spread(self) -> None:
        """Let effects follow from new events, and events from those effects, until none come."""
        for _ in range(EFFECT_WAVES_MAX):
            wave = self._adopted[self._without_effects :]
            self._without_effects = len(self._adopted)
            if not wave:
                return
            by_staged = {id(adopted.decided.staged): adopted for adopted in wave}
            staged = [adopted.decided.staged for adopted in wave]
            for cause, command in await self._core.companion.effects(self.tx, staged):
                await self._follow(by_staged[id(cause)], command)
        if len(self._adopted) > self._without_effects:
            raise EffectFailed(f"effects still cause events after {EFFECT_WAVES_MAX} rounds")

    async def _follow(self, cause: Adopted, command: Command) -> None:
        meta = cause.decided.staged.meta
        service = self._core.aggregate.SERVICE
        origin = Origin(
            command_id=meta.command_id,
            cause=event_id(service, meta.table_id, cause.decided.version),
            depth=meta.depth + 1,
            traceparent=meta.traceparent,
        )
        draft = await self.draft(meta.table_id)
        try:
            await draft.decide(command, origin)
        except ItemFailed as failed:
            name = type(command).__name__
            raise EffectFailed(f"{name} after {origin.cause}: {failed.error}") from failed.error
        self.adopt(draft, item=cause.item)

    def events_by_item(self) -> dict[int, list[Event]]:
        """All events of each item, those that followed from its own included."""
        events: dict[int, list[Event]] = {}
        for adopted in self._adopted:
            events.setdefault(adopted.item, []).append(adopted.decided.staged.event)
        return events

    def state_after(self, item: int) -> Any:
        """The item's table after the last event that belongs to the item."""
        return self._states[item]

    async def append(
        self, handled: Mapping[Pair, InboxMark] = NOTHING_HANDLED
    ) -> dict[int, tuple[Record, ...]]:
        """Write the events, and the marks of what was handled.

        Comes last: from here to the commit all other appenders wait.
        """
        if not self._adopted:
            if handled:
                await self.tx.put_inbox(handled)
            return {}
        await self._save_snapshots()
        records = await self.tx.append(self._batch, handled=handled)
        by_item: dict[int, list[Record]] = {}
        for adopted, record in zip(self._adopted, records, strict=True):
            by_item.setdefault(adopted.item, []).append(record)
        return {item: tuple(of_item) for item, of_item in by_item.items()}

    async def _save_snapshots(self) -> None:
        for table_id in self._batch.expected:
            loaded = self._tables[table_id]
            before = self._heads[table_id].version
            if not is_due(before, loaded.version) and loaded.folded < SNAPSHOT_EVENTS:
                continue
            try:
                snapshot = self._core.codec.encode(table_id, loaded.version, loaded.state)
            except UnfitState:
                # Loading gets slower, nothing gets wrong: no reason to refuse what was decided.
                _log.exception("no snapshot of %s at version %d", table_id, loaded.version)
            else:
                await self.tx.save_snapshot(snapshot)

    def _publish(self) -> None:
        """Let later transactions begin with these states."""
        for table_id, loaded in self._tables.items():
            self._core.cache.put(table_id, Loaded(loaded.version, loaded.state))
        self._core.committed([adopted.decided.staged for adopted in self._adopted])
