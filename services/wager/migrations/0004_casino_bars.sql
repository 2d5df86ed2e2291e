-- Players who are barred from the casino, by whichever live table (004 14.3.3).
create table casino_bars (
    player text primary key,
    -- Where the bar was given, why, by whom and when.
    table_id text not null,
    reason text not null,
    barred_by text not null,
    at_us bigint not null
);

-- Bars that tables have given already; of two of one player the first.
insert into casino_bars (player, table_id, reason, barred_by, at_us)
select
    bar ->> 'player',
    stream_id,
    coalesce(bar ->> 'reason', ''),
    meta -> 'actor' ->> 'id',
    (meta ->> 'occurred_at_us')::bigint
from (
    select
        position,
        stream_id,
        convert_from(body, 'UTF8')::jsonb as bar,
        convert_from(meta, 'UTF8')::jsonb as meta
    from events
    where type = 'player-barred'
) as bars
where bar ->> 'scope' = 'CASINO' and not coalesce((meta ->> 'test')::boolean, false)
order by position
on conflict do nothing;
