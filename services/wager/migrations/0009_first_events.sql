-- The first events of tables are few, and timers look for all of them when a process starts; so are
-- refunds that the wallet refused, which are asked for all the time.
create index events_first_idx on events (stream_id) where type = 'rulebook-activated';
create index events_outstanding_refunds_idx on events (stream_id) where type = 'refund-outstanding';
