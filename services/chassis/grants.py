"""What the database user of a running service may do: with its log, read and append, and no more.

Two users stand against a changed log. The one that migrates owns the tables; the one that the service
logs in as is given rights here, after each migration, and could not switch off the triggers of the
log if it wanted to. Nothing is taken from the owner: his updates meet those triggers.
"""

from __future__ import annotations

from typing import Any, Final

READER: Final = "reporting"
"""Who may log in beside the service, where the server has such a user; views say what he reads."""

ANCHORS: Final = "sabot_anchors"
"""Who proves the log and signs its end (`sabot verify`, `sabot anchor`), where the server has such a user."""

PROVED: Final = frozenset({"events", "log_head"})
"""All that he reads."""

RIGHTS: Final = {
    "log_head": "select, update",  # an append moves it
    "schema_version": "select",
}
"""Of tables that the service does not use as it likes."""

KEPT: Final = "select, insert"
"""Of tables that refuse by a trigger to be truncated: they are added to, and nothing else."""

READ: Final = "select"
OTHERWISE: Final = "select, insert, update, delete"

_TRUNCATES: Final = 32  # in `tgtype`
_TABLES: Final = f"""
select relname, quote_ident(relname), relkind = 'v',
    exists (select from pg_trigger where tgrelid = pg_class.oid and tgtype & {_TRUNCATES} <> 0)
from pg_class
where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') order by relname
"""  # noqa: S608 - a number of ours

# What projections made in a database that was served by its owner before: whoever keeps them up to
# date and rebuilds them has to own them.
_SCHEMAS: Final = """
select quote_ident(nspname) from pg_namespace
where nspname ~ '^(p_[a-z0-9_]+_g[0-9]+|reporting)$' and nspowner <> $1::regrole
"""
_INSIDE: Final = """
select quote_ident(nspname) || '.' || quote_ident(relname)
from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where quote_ident(nspname) = $1 and relkind in ('r', 'v')
"""


async def grant(connection: Any, role: str) -> None:
    """Give `role` its rights in this database, and take what it has beyond them.

    In an open transaction, as the owner of the tables. Raises `UndefinedObjectError` where the server
    has no such role, and `InsufficientPrivilegeError` where the owner may not hand over projections
    that he made himself: that takes membership in `role`.
    """
    name = await connection.fetchval("select quote_ident($1)", role)
    database = await connection.fetchval("select quote_ident(current_database())")
    await connection.execute(f"revoke all on database {database} from public")
    await connection.execute(f"grant create on database {database} to {name}")
    # Passed on to a reader who is made later: the service gives him his rights on its views.
    await connection.execute(f"grant connect on database {database} to {name} with grant option")
    known = "select true from pg_roles where rolname = $1"
    if await connection.fetchval(known, READER):
        await connection.execute(f"grant connect on database {database} to {READER}")
    await connection.execute("revoke create on schema public from public")
    await connection.execute(f"grant usage on schema public to {name}")
    if proving := await connection.fetchval(known, ANCHORS):
        await connection.execute(f"revoke all on database {database} from {ANCHORS}")
        await connection.execute(f"grant connect on database {database} to {ANCHORS}")
        await connection.execute(f"revoke all on schema public from {ANCHORS}")
        await connection.execute(f"grant usage on schema public to {ANCHORS}")
    for table, quoted, view, kept in await connection.fetch(_TABLES):
        usual = READ if view else KEPT if kept else OTHERWISE
        await connection.execute(f"revoke all on {quoted} from public, {name}")
        await connection.execute(f"grant {RIGHTS.get(table, usual)} on {quoted} to {name}")
        if proving:
            await connection.execute(f"revoke all on {quoted} from {ANCHORS}")
        if proving and table in PROVED:
            await connection.execute(f"grant select on {quoted} to {ANCHORS}")
    for (schema,) in await connection.fetch(_SCHEMAS, name):
        await connection.execute(f"alter schema {schema} owner to {name}")
        for (table,) in await connection.fetch(_INSIDE, schema):
            await connection.execute(f"alter table {table} owner to {name}")
