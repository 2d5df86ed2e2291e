"""What the event store says to PostgreSQL."""

from __future__ import annotations

from typing import Final

_PLANS: Final = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "jit": "off",
}
"""How statements are planned that find rows by key and take their arguments as arrays.

Left to itself the server plans such a statement anew each time that its arrays are shorter than the
ten elements that it expects of any. A plan that is kept must not be one that reads a whole table
because it was small when the plan was made.
"""

BEGIN: Final = "; ".join(
    ["begin isolation level read committed", *(f"set local {k} = {v}" for k, v in _PLANS.items())]
)
"""How every transaction that writes begins."""

_FILLING: Final = {**_PLANS, "synchronous_commit": "off"}
FILL: Final = "; ".join(f"set {name} = {value}" for name, value in _FILLING.items())
FILLED: Final = "; ".join(f"reset {name}" for name in _FILLING)
"""The same for a connection that fills tables without transactions, and does not wait for the disk."""

BODY: Final = "version, type, schema_version, body"
"""The fields of a `Body`."""

ENTRY: Final = f"{BODY}, stream_id, position, meta, timestamptz_send(recorded_at)"
"""Those of an `Entry`, but its service. The instant comes as the eight bytes that the driver
would make a `datetime` of: microseconds since 2000."""

RECORD: Final = f"{ENTRY}, previous, previous_digest, digest, published"
"""Those of a `Record`."""

# One snapshot per statement: this one begins after the locks are held, so it sees everything that
# was committed by those who held them before.
HEADS: Final = """
select wanted.stream_id, last.version, last.position, last.digest,
       case when last.published then last.position else last.previous end as last_published
from unnest($1::text[]) as wanted (stream_id)
cross join lateral (
    select version, position, previous, published, digest from events
    where events.stream_id = wanted.stream_id order by version desc limit 1
) as last
"""

# The same, and what else is asked before records are handled: one look instead of three.
STANDING: Final = """
select wanted.upstream, wanted.table_id, coalesce(mark.position, 0),
       last.version, last.position, last.last_published, last.digest,
       exists (select from parked where consumer = $3 and parked.table_id = wanted.table_id)
from unnest($1::text[], $2::text[]) as wanted (upstream, table_id)
left join lateral (
    select position from inbox
    where inbox.upstream = wanted.upstream and inbox.table_id = wanted.table_id limit 1
) as mark on true
left join lateral (
    select version, position, digest,
           case when published then position else previous end as last_published
    from events where events.stream_id = wanted.table_id order by version desc limit 1
) as last on true
"""

# `missing` can only be the result of a mistake of ours: a stream would go on after a version that it
# does not have. A version that is taken already is found by the unique constraint. It is a scalar
# subquery, because `not exists` becomes a join, which is planned for good while the table is small
# and then reads all of it at every append.
APPEND: Final = """
with handled as (
    insert into inbox (upstream, table_id, position, event_id)
    select * from unnest($15::text[], $16::text[], $17::bigint[], $18::text[])
    on conflict (upstream, table_id) do update
    set position = excluded.position, event_id = excluded.event_id
    where inbox.position < excluded.position
    returning 1
), head as (
    update log_head set position = position + cardinality($1::text[])
    returning position - cardinality($1::text[]) as start, clock_timestamp() as recorded_at
), inserted as (
    insert into events (
        position, stream_id, version, type, schema_version, published, previous, coup_id,
        command_id, meta, body, previous_digest, digest, recorded_at
    )
    select head.start + new.place, new.stream_id, new.version, new.type, new.schema_version,
           new.published,
           case when new.previous < 0 then head.start - new.previous else new.previous end,
           new.coup_id, new.command_id, new.meta, new.body, new.previous_digest, new.digest,
           head.recorded_at
    from head, unnest(
        $1::text[], $2::integer[], $3::text[], $4::smallint[], $5::boolean[], $6::bigint[],
        $7::text[], $8::text[], $9::bytea[], $10::bytea[], $11::bytea[], $12::bytea[]
    ) with ordinality as new (
        stream_id, version, type, schema_version, published, previous,
        coup_id, command_id, meta, body, previous_digest, digest, place
    )
)
select head.start, head.recorded_at, array(
    select expected.stream_id
    from unnest($13::text[], $14::integer[]) as expected (stream_id, version)
    where expected.version > 0 and (
        select true from events
        where events.stream_id = expected.stream_id and events.version = expected.version
    ) is null
) as missing, (select count(*) from handled) as handled
from head
"""

INBOX: Final = """
select wanted.upstream, wanted.table_id, last.position
from unnest($1::text[], $2::text[]) as wanted (upstream, table_id)
cross join lateral (
    select position from inbox
    where inbox.upstream = wanted.upstream and inbox.table_id = wanted.table_id limit 1
) as last
"""

PUT_INBOX: Final = """
insert into inbox (upstream, table_id, position, event_id)
select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[])
on conflict (upstream, table_id) do update
set position = excluded.position, event_id = excluded.event_id
where inbox.position < excluded.position
"""

SAVE_SNAPSHOT: Final = """
insert into snapshots (stream_id, version, state_schema, state) values ($1, $2, $3, $4)
on conflict (stream_id) do update
set version = excluded.version, state_schema = excluded.state_schema, state = excluded.state,
    recorded_at = clock_timestamp()
where snapshots.version < excluded.version or snapshots.state_schema <> excluded.state_schema
"""

PARK: Final = """
insert into parked (consumer, table_id, reason, event_id) values ($1, $2, $3, $4)
on conflict (consumer, table_id) do update
set reason = excluded.reason, event_id = excluded.event_id
"""

KEEP_PARKED: Final = """
insert into parked_records (consumer, table_id, upstream, position, record)
select $1, * from unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[])
on conflict on constraint parked_records_once do nothing
"""

ADVANCE: Final = """
update checkpoints set position = $3, note = coalesce($4, note), moved_at = clock_timestamp()
where name = $1 and position = $2 and position < $3
"""

BEGIN_CHECKPOINT: Final = """
insert into checkpoints (name, position, note) values ($1, $2, coalesce($3, ''::bytea))
on conflict (name) do nothing
"""

REWIND: Final = """
insert into checkpoints (name, position, note) values ($1, $2, $3)
on conflict (name) do update
set position = excluded.position, note = excluded.note, moved_at = clock_timestamp()
"""
