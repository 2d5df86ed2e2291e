-- Orders of generated and preset shoes, encrypted. The key is not in this database.
create table sealed_orders (
    order_id text primary key,
    table_id text not null,
    sealed bytea not null,
    sealed_at timestamptz not null default clock_timestamp()
);
