-- Numbers are compared without capitals and blanks: those that are borne already are written so. Of two
-- that become the same, the table that comes first keeps its number here.
delete from table_numbers as other
using table_numbers as kept
where lower(regexp_replace(other.number, '\s', '', 'g'))
    = lower(regexp_replace(kept.number, '\s', '', 'g'))
    and other.table_id > kept.table_id;

update table_numbers set number = lower(regexp_replace(number, '\s', '', 'g'))
where number <> lower(regexp_replace(number, '\s', '', 'g'));
