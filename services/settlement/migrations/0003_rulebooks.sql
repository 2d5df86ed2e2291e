-- What puts a rulebook in force at a table is rare in its stream, and looked for with every coup that is
-- rebuilt: settlement's own word on an opening, and the note of a change.
create index events_rulebooks_idx on events (stream_id, version)
where type = 'rulebook-activated'
    or (type = 'noted' and position('"event_type":"variant-changed"'::bytea in body) > 0);
