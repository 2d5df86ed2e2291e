-- Movements that an operator's wallet is asked for: written with the event that asks for them, kept
-- for ever, and sent until the wallet has answered. The built-in ledger uses none of it.
create table operator_movements (
    movement_id text primary key,
    number bigint generated always as identity unique,
    verb text not null,
    player text not null,
    currency text not null,
    amount_minor bigint not null,
    rest_minor bigint not null,
    table_id text not null,
    coup_id text not null,
    wager_id text not null,
    cancels text not null,
    -- OPEN; DONE; REFUSED; UNCONFIRMED: a debit that another movement undoes.
    status text not null,
    reason text not null default '',
    attempts integer not null default 0,
    -- Where the movement comes from: the chain of causes goes on with what the wallet answers.
    command_id text not null,
    cause text not null,
    depth integer not null,
    traceparent text not null,
    at_us bigint not null,
    test boolean not null,
    -- It had been refused, and somebody has it asked for again.
    repeated boolean not null default false,
    -- Nobody sends it before; infinity where its sender is not this service.
    next_at timestamptz not null,
    made_at timestamptz not null default clock_timestamp(),
    answered_at timestamptz,
    balance_minor bigint,
    -- The wallet's own number of the movement.
    transaction text not null default '',
    -- What the player is told of a debit.
    verdict jsonb
);

create index operator_movements_next_idx on operator_movements (next_at) where status = 'OPEN';
create index operator_movements_table_idx on operator_movements (table_id) where status = 'OPEN';
