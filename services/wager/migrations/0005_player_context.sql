-- Whose player a movement is for, and what his token said (JSON; empty where nothing did).
-- Expand only: the defaults are what old rows and old code agree with.
alter table operator_movements add column operator text not null default '';
alter table operator_movements add column context text not null default '';
