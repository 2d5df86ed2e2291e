-- The built-in ledger: what players have, and every movement that made it so.
create table accounts (
    player text not null,
    currency text not null,
    balance_minor bigint not null,
    primary key (player, currency),
    constraint accounts_never_negative check (balance_minor >= 0)
) with (fillfactor = 70);

-- One key moves money once, for ever.
create table movements (
    movement_id text primary key,
    number bigint generated always as identity unique,
    player text not null,
    currency text not null,
    kind text not null,
    -- Into the account where positive.
    amount_minor bigint not null,
    balance_minor bigint not null check (balance_minor >= 0),
    table_id text not null,
    coup_id text not null,
    moved_at timestamptz not null default clock_timestamp()
);

create index movements_account_idx on movements (player, currency, number);
