-- The numbers that open live tables bear: one table a number, and one number a table (000 1.2.2).
create table table_numbers (
    number text primary key,
    table_id text not null,
    constraint table_numbers_table_id_key unique (table_id)
);

-- Tables that are open already bear theirs; of two with the same number, the one opened first.
insert into table_numbers (number, table_id)
select coalesce(nullif(settings ->> 'table_number', ''), stream_id), stream_id
from (
    select distinct on (stream_id)
        stream_id, position, type, convert_from(body, 'UTF8')::jsonb -> 'settings' as settings
    from events
    where type in ('table-opened', 'table-closed')
    order by stream_id asc, version desc
) as last_change
where type = 'table-opened' and coalesce(settings ->> 'mode', 'LIVE') = 'LIVE'
order by position
on conflict do nothing;
