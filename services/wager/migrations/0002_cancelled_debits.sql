-- A cancel may name the debit that it undoes, made or not; a debit is undone once, under one key.
-- Expand only: the new column has a default that old rows and old code agree with.
alter table movements add column cancels text not null default '';

create unique index movements_cancels_idx on movements (cancels) where cancels <> '';
