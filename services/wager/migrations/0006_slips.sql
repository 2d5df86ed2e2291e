-- The wagers of a slip's one debit (JSON; empty where a debit is for one wager).
-- Expand only: the default is what old rows and old code agree with.
alter table operator_movements add column parts text not null default '';
