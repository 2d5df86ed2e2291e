-- What the wallet refused and took later is rare among all events, and asked for all the time.
create index events_open_items_idx on events (position)
where type in ('credit-outstanding', 'reversal-outstanding', 'credit-delivered', 'reversal-collected');
