-- The first events of tables are few, and timers look for all of them when a process starts.
create index events_first_idx on events (stream_id) where type = 'table-opened';
