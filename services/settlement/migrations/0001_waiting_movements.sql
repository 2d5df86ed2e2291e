-- Movements whose outcome the wallet could not tell: each is asked for again by itself, so that the
-- others go on. The key is the place in the log of the event that the movement follows from.
create table waiting_movements (
    position bigint primary key,
    table_id text not null,
    attempts integer not null,
    problem text not null,
    next_at timestamptz not null,
    since timestamptz not null default clock_timestamp()
);

create index waiting_movements_next_idx on waiting_movements (next_at);
create index waiting_movements_table_idx on waiting_movements (table_id);
