"""The calls of every kind of resource, by the kind."""

from __future__ import annotations

from typing import Any

import pytest

from sabot.query.v1 import query_service_pb2 as pb
from services.chassis import projection
from services.chassis.postgres import Pool
from services.settlement.inputs import QUERY_INPUTS
from services.settlement.queries.api import QueryService
from services.settlement.queries.projection import DECODE, RESOURCES
from services.settlement.queries.resources import KINDS, Kind, Resource
from tests.support.queried import runtime, sign_in

SINGLE = {
    "tables": "Table",
    "shoes": "Shoe",
    "coups": "Coup",
    "wagers": "Wager",
    "incidents": "Incident",
    "exceptions": "ExceptionEntry",
    "disputes": "Dispute",
    "limits": "Limits",
    "rulebooks": "Rulebook",
}
MANY = {"exceptions": "ExceptionEntries", "limits": "LimitsHistory"}

each_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


def many(kind: Kind) -> str:
    return MANY.get(kind.name, f"{SINGLE[kind.name]}s")


class Asked:
    """The calls of one kind."""

    def __init__(self, pool: Pool, kind: Kind) -> None:
        sign_in()
        self.service = QueryService(runtime(pool))
        self.kind = kind

    async def call(self, verb: str, name: str, **fields: Any) -> Any:
        request = getattr(pb, f"{verb}{name}Request")(**fields)
        QUERY_INPUTS.check(request)
        return await getattr(self.service, f"{verb}{name}")(request, None)

    async def get(self, key: str, **fields: Any) -> Any:
        return await self.call("Get", SINGLE[self.kind.name], id=key, **fields)

    async def batch(self, ids: list[str], **fields: Any) -> Any:
        return await self.call("BatchGet", many(self.kind), ids=ids, **fields)

    async def page(self, **fields: Any) -> Any:
        return await self.call("List", many(self.kind), **fields)

    async def pages(self, token: str = "", **fields: Any) -> list[Any]:
        found: list[Any] = []
        while True:
            page = await self.page(page_token=token, **fields)
            found += page.items
            token = page.next_page_token
            if not token:
                return found


async def stored(pool: Pool, kind: Kind) -> list[Any]:
    """What is in the table, in the order of lists."""
    async with pool.acquire() as connection:
        live = await projection.live(connection, RESOURCES)
        rows = await connection.fetch(f'select doc from "{live.schema}".{kind.name}')
    found: list[Resource] = [DECODE[kind.name](row[0]) for row in rows]
    return sorted(found, key=lambda each: (each.at_us, each.id))
