-- The ledger's books: every movement is two postings, so that they sum to zero in each currency. What a
-- player has came from, or went to, a table's account; deposits come from the house's. The other side
-- follows from the movement, so that no row of a table's account has to be locked for each wager.
create view postings as
select number, movement_id, kind, 'PLAYER' as account, player as name, currency, amount_minor, moved_at
from movements
where amount_minor <> 0
union all
select
    number,
    movement_id,
    kind,
    case when kind = 'FUND' then 'HOUSE' else 'TABLE' end,
    case when kind = 'FUND' then '' else table_id end,
    currency,
    -amount_minor,
    moved_at
from movements
where amount_minor <> 0;

create function movements_are_kept() returns trigger language plpgsql as $$
begin
    raise exception 'movements of money are never changed or deleted';
end
$$;

create trigger movements_are_kept before update or delete on movements
for each row execute function movements_are_kept();

create trigger movements_are_not_truncated before truncate on movements
for each statement execute function movements_are_kept();
