"""The schema `reporting`: stable views in SQL for Grafana, dbt and their like, and who may read them.

A view is a promise: its columns keep name, type and meaning for ever, new ones come at its end, and
what could not be kept so gets a new version beside the old one. The views belong to the service and
read its tables in its name, so that a reader needs rights to nothing else.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from services.settlement.reports.facts import TABLES

SCHEMA: Final = "reporting"
ROLE: Final = "reporting"
"""Who may read the views, where the database has such a role. It is made with the database."""


class View(Struct, frozen=True, kw_only=True):
    """One view. `{schema}` in the query is where the facts lie."""

    about: str
    columns: tuple[str, ...]
    query: str


_LAST: Final = (
    'from "{{schema}}".{table} as f where not exists (select from "{{schema}}".{table} as later '
    "where {same} and (later.position, later.ordinal) > (f.position, f.ordinal))"
)
_PLACE: Final = ("record_id", "position", "ordinal", "at_us", "recorded_at_us", "gaming_day")
_MONEY: Final = (
    "turnover_minor",
    "valid_minor",
    "returned_minor",
    "lost_minor",
    "forfeited_minor",
    "refunded_minor",
    "winnings_minor",
    "win_minor",
    "token_minor",
)


def _of(table: str, *, but: tuple[str, ...] = ()) -> tuple[str, ...]:
    return tuple(name for name in TABLES[table].__struct_fields__ if name not in but)


def _all(about: str, table: str, where: str = "true", but: tuple[str, ...] = ()) -> View:
    return View(
        about=about,
        columns=_of(table, but=but),
        query=f'from "{{schema}}".{table} as f where {where}',
    )


VIEWS: Final[dict[str, View]] = {
    "coup_v1": View(
        about="Every coup as it stands now.",
        columns=_of("coups"),
        query=_LAST.format(table="coups", same="later.coup_id = f.coup_id"),
    ),
    "coup_history_v1": _all(
        "Every coup as it stood after each event that changed it: the last row of a coup up to a "
        "position is the coup as of that position.",
        "coups",
    ),
    "settlement_v1": _all(
        "What became of money: a row for each event of a wager, to be added up. A correction is a "
        "negative row and a new one, under the same transaction_id.",
        "money",
        "kind <> 'DROP'",
        but=("drop_minor",),
    ),
    "drop_v1": View(
        about="What was counted in drop boxes.",
        columns=(*_PLACE, "table_id", "test", "currency", "drop_minor", "actor", "role"),
        query="from \"{schema}\".money as f where kind = 'DROP'",
    ),
    "daily_table_v1": View(
        about="The money of each table, gaming day and currency.",
        columns=(
            "gaming_day",
            "table_id",
            "currency",
            "test",
            *_MONEY,
            "drop_minor",
            "decided_coups",
            "last_position",
        ),
        query="from (select gaming_day, table_id, currency, test, "
        + ", ".join(f"sum({name})::bigint as {name}" for name in (*_MONEY, "drop_minor"))
        + ", count(distinct coup_id) filter (where turnover_minor <> 0) as decided_coups, "
        "max(position) as last_position "
        'from "{schema}".money group by gaming_day, table_id, currency, test) as f',
    ),
    "exception_v1": _all(
        "Exceptions: what was before, what is after, why, and who said so.",
        "notes",
        "list = 'EXCEPTION'",
        but=("list",),
    ),
    "significant_event_v1": _all(
        "Significant events.", "notes", "list = 'SIGNIFICANT'", but=("list",)
    ),
    "dealer_error_v1": _all("Errors at the table.", "notes", "list = 'ERROR'", but=("list",)),
    "shoe_v1": View(
        about="Every shoe as it stands now, with its cards.",
        columns=_of("shoes"),
        query=_LAST.format(
            table="shoes",
            same="later.table_id = f.table_id and later.shoe_id = f.shoe_id "
            "and later.loading = f.loading",
        ),
    ),
    "limit_v1": _all("Every limit that came into force.", "limits"),
    "token_v1": _all("What became of promotional tokens.", "tokens"),
    "dispute_v1": _all("Every step of every dispute.", "disputes"),
    "rulebook_change_v1": _all(
        "Tables that were put under another rulebook than they had.", "rulebook_changes"
    ),
    "rulebook_v1": View(
        about="The rulebooks that tables were opened with.",
        columns=("rulebook_hash", "rulebook_id"),
        query='from "{schema}".rulebooks as f',
    ),
    "freshness_v1": View(
        about="How far the views are: everything up to this position of settlement's log is in them.",
        columns=("position", "moved_at"),
        query="from (select position, moved_at from checkpoints "
        "where name = 'projection:reports') as f",
    ),
}
"""By name."""


def statement(name: str, schema: str) -> str:
    """What makes a view read the facts of a schema."""
    view = VIEWS[name]
    columns = ", ".join(f"f.{column}" for column in view.columns)
    query = view.query.format(schema=schema)
    return f"create or replace view {SCHEMA}.{name} as select {columns} {query}"


async def publish(connection: Any, schema: str) -> None:
    """Make the views, in the open transaction, and let the role read them where there is one."""
    await connection.execute(f"create schema if not exists {SCHEMA}")
    for name, view in VIEWS.items():
        await connection.execute(statement(name, schema))
        about = view.about.replace("'", "''")
        await connection.execute(f"comment on view {SCHEMA}.{name} is '{about}'")
    await grant(connection)


async def grant(connection: Any) -> None:
    """Let the role `reporting` read the views and nothing else, where the database has it."""
    if not await connection.fetchval("select true from pg_roles where rolname = $1", ROLE):
        return
    if await connection.fetchval(
        "select has_database_privilege($1, current_database(), 'connect') and "
        "bool_and(has_table_privilege($1, c.oid, 'select')) and "
        "bool_and(has_schema_privilege($1, n.oid, 'usage')) from pg_class c "
        "join pg_namespace n on n.oid = c.relnamespace where n.nspname = $2 and c.relkind = 'v'",
        ROLE,
        SCHEMA,
    ):
        return
    database = await connection.fetchval("select quote_ident(current_database())")
    await connection.execute(f"grant connect on database {database} to {ROLE}")
    await connection.execute(f"grant usage on schema {SCHEMA} to {ROLE}")
    for name in VIEWS:
        await connection.execute(f"grant select on {SCHEMA}.{name} to {ROLE}")
