-- Of what no new wagers are taken at any live table.
create table betting_stops (
    kind text not null,
    value text not null,
    -- Whose players it binds; empty: everybody's.
    operator text not null,
    -- Where it was ordered, why, by whom and when.
    table_id text not null,
    reason text not null,
    ordered_by text not null,
    at_us bigint not null,
    primary key (kind, value, operator)
);
