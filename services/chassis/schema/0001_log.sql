-- The log of one service and what is committed together with it. The four services share this text.

-- The end of the log. Every append moves it in the statement that inserts the events, so that it
-- also serialises them: positions have no holes, and their order is the order of the commits.
create table log_head (
    only_row boolean primary key default true check (only_row),
    position bigint not null
) with (fillfactor = 10);

insert into log_head (position) values (0);

create table events (
    position bigint primary key check (position > 0),
    stream_id text not null,
    version integer not null check (version > 0),
    type text not null,
    schema_version smallint not null check (schema_version > 0),
    published boolean not null,
    -- Position of the stream's previous published event, or 0: readers of a topic see a loss by it.
    previous bigint not null check (previous >= 0 and previous < position),
    coup_id text not null,
    -- The outside command at the beginning of the chain.
    command_id text not null,
    -- JSON, as bytes: nobody queries it here, and reading it is twice as fast.
    meta bytea not null,
    body bytea not null,
    previous_digest bytea not null check (octet_length(previous_digest) = 32),
    digest bytea not null check (octet_length(digest) = 32),
    recorded_at timestamptz not null,
    constraint events_stream_version_key unique (stream_id, version)
);

create index events_command_id_idx on events (command_id);
create index events_coup_id_idx on events (coup_id) where coup_id <> '';

-- Stored events are never edited. Whoever has to prove that a changed one is noticed must disable
-- the triggers first, which the services' own database users cannot.
create function refuse_to_edit_events() returns trigger language plpgsql as $$
begin
    raise exception 'stored events are never edited';
end
$$;

create trigger events_are_final before update or delete on events
for each row execute function refuse_to_edit_events();

create trigger events_are_not_truncated before truncate on events
for each statement execute function refuse_to_edit_events();

-- What was answered to a command, by its id or by what its service takes for one.
create table commands (
    command_key text not null,
    input_hash bytea not null,
    answer bytea not null,
    recorded_at timestamptz not null default clock_timestamp(),
    constraint commands_key primary key (command_key)
);

-- The last handled record of each upstream service for each table: one row, however long it plays.
create table inbox (
    upstream text not null,
    table_id text not null,
    position bigint not null check (position > 0),
    event_id text not null,
    primary key (upstream, table_id)
) with (fillfactor = 70);

create index inbox_table_id_idx on inbox (table_id);

-- Tables that a consumer has stopped at, because a record could not be handled.
create table parked (
    consumer text not null,
    table_id text not null,
    reason text not null,
    event_id text not null,
    since timestamptz not null default clock_timestamp(),
    primary key (consumer, table_id)
);

-- Their records from then on, until somebody retries or skips. `record` is MessagePack.
create table parked_records (
    arrival bigint generated always as identity primary key,
    consumer text not null,
    table_id text not null,
    upstream text not null,
    position bigint not null,
    record bytea not null,
    constraint parked_records_once unique (consumer, table_id, upstream, position)
);

-- Parked records that somebody passed over, and why.
create table dead_letters (
    number bigint generated always as identity primary key,
    consumer text not null,
    table_id text not null,
    event_id text not null,
    record bytea not null,
    reason text not null,
    skipped_by text not null,
    recorded_at timestamptz not null default clock_timestamp()
);

create index dead_letters_table_id_idx on dead_letters (table_id);

-- How far readers of a log are.
create table checkpoints (
    name text primary key,
    position bigint not null check (position >= 0),
    note bytea not null,
    moved_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);

-- Which tables of a projection queries read: a rebuild fills others and then changes this row.
create table projections (
    name text primary key,
    version integer not null check (version > 0),
    generation integer not null check (generation > 0),
    schema_name text not null,
    switched_at timestamptz not null default clock_timestamp()
);

create table snapshots (
    stream_id text primary key,
    version integer not null check (version > 0),
    state_schema integer not null,
    state bytea not null,
    recorded_at timestamptz not null default clock_timestamp()
);
