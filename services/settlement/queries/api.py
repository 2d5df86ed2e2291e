"""The calls of the query API, kind by kind."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from google.protobuf.message import Message

from sabot.query.v1 import query_service_pb2 as pb
from sabot.query.v1 import query_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.rpc_errors import FieldFault, InvalidCommand, NotFound
from services.settlement.queries import players
from services.settlement.queries.drawn import drawn
from services.settlement.queries.reading import Reader
from services.settlement.queries.resources import (
    COUPS,
    DISPUTES,
    EXCEPTIONS,
    INCIDENTS,
    LIMITS,
    RULEBOOKS,
    SHOES,
    TABLES,
    WAGERS,
    Kind,
    Shoe,
    Table,
)


def _get(kind: Kind, response: type[Message]) -> Any:
    async def handle(self: Any, request: Any, context: Any) -> Any:  # noqa: ARG001
        return await self.reader.get(kind, request, response)

    return handle


def _batch(kind: Kind, response: type[Message]) -> Any:
    async def handle(self: Any, request: Any, context: Any) -> Any:  # noqa: ARG001
        return await self.reader.batch_get(kind, request, response)

    return handle


def _list(kind: Kind, response: type[Message]) -> Any:
    async def handle(self: Any, request: Any, context: Any) -> Any:  # noqa: ARG001
        return await self.reader.page(kind, request, response)

    return handle


def _export(kind: Kind, response: type[Message]) -> Any:
    async def handle(self: Any, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: ARG001
        async for answer in self.reader.export(kind, request, response):
            yield answer

    return handle


class QueryService(pb_grpc.QueryServiceServicer):
    """Everything that is on record, to be read."""

    def __init__(self, runtime: Runtime) -> None:
        self.reader = Reader(runtime)

    GetTable = _get(TABLES, pb.GetTableResponse)
    BatchGetTables = _batch(TABLES, pb.BatchGetTablesResponse)
    ListTables = _list(TABLES, pb.ListTablesResponse)
    ExportTables = _export(TABLES, pb.ExportTablesResponse)
    GetShoe = _get(SHOES, pb.GetShoeResponse)
    BatchGetShoes = _batch(SHOES, pb.BatchGetShoesResponse)
    ListShoes = _list(SHOES, pb.ListShoesResponse)
    ExportShoes = _export(SHOES, pb.ExportShoesResponse)
    GetCoup = _get(COUPS, pb.GetCoupResponse)
    BatchGetCoups = _batch(COUPS, pb.BatchGetCoupsResponse)
    ListCoups = _list(COUPS, pb.ListCoupsResponse)
    ExportCoups = _export(COUPS, pb.ExportCoupsResponse)
    GetWager = _get(WAGERS, pb.GetWagerResponse)
    BatchGetWagers = _batch(WAGERS, pb.BatchGetWagersResponse)
    ListWagers = _list(WAGERS, pb.ListWagersResponse)
    ExportWagers = _export(WAGERS, pb.ExportWagersResponse)
    GetIncident = _get(INCIDENTS, pb.GetIncidentResponse)
    BatchGetIncidents = _batch(INCIDENTS, pb.BatchGetIncidentsResponse)
    ListIncidents = _list(INCIDENTS, pb.ListIncidentsResponse)
    ExportIncidents = _export(INCIDENTS, pb.ExportIncidentsResponse)
    GetExceptionEntry = _get(EXCEPTIONS, pb.GetExceptionEntryResponse)
    BatchGetExceptionEntries = _batch(EXCEPTIONS, pb.BatchGetExceptionEntriesResponse)
    ListExceptionEntries = _list(EXCEPTIONS, pb.ListExceptionEntriesResponse)
    ExportExceptionEntries = _export(EXCEPTIONS, pb.ExportExceptionEntriesResponse)
    GetDispute = _get(DISPUTES, pb.GetDisputeResponse)
    BatchGetDisputes = _batch(DISPUTES, pb.BatchGetDisputesResponse)
    ListDisputes = _list(DISPUTES, pb.ListDisputesResponse)
    ExportDisputes = _export(DISPUTES, pb.ExportDisputesResponse)
    GetLimits = _get(LIMITS, pb.GetLimitsResponse)
    BatchGetLimitsHistory = _batch(LIMITS, pb.BatchGetLimitsHistoryResponse)
    ListLimitsHistory = _list(LIMITS, pb.ListLimitsHistoryResponse)
    ExportLimitsHistory = _export(LIMITS, pb.ExportLimitsHistoryResponse)
    GetRulebook = _get(RULEBOOKS, pb.GetRulebookResponse)
    BatchGetRulebooks = _batch(RULEBOOKS, pb.BatchGetRulebooksResponse)
    ListRulebooks = _list(RULEBOOKS, pb.ListRulebooksResponse)
    ExportRulebooks = _export(RULEBOOKS, pb.ExportRulebooksResponse)

    async def GetRoads(self, request: Any, context: Any) -> pb.GetRoadsResponse:
        """The five roads of a shoe, or of the one that is on a table."""
        if bool(request.id) == bool(request.table_id):
            raise InvalidCommand("which shoe?", fields=[FieldFault("id", "either it or table_id")])
        table_id = request.table_id or SHOES.table_of(request.id)
        async with self.reader.snapshot(request.min_position, table_id=table_id) as snapshot:
            key = request.id
            for table in await snapshot.fetch(TABLES, "where id = $1", [request.table_id]):
                assert isinstance(table, Table)
                key = f"{table.id}/{table.shoe_id}"
            found = await snapshot.fetch(SHOES, "where id = $1", [key])
        for shoe in found:
            assert isinstance(shoe, Shoe)
            answer = pb.GetRoadsResponse(roads=drawn(shoe.id, shoe.kept_road))
            return self.reader.stamp(answer, snapshot.as_of)  # type: ignore[no-any-return]
        raise NotFound(f"there is no shoe {request.id or 'on ' + request.table_id}")

    async def FindWagers(self, request: Any, context: Any) -> pb.FindWagersResponse:
        """The wager that a movement of money belongs to, or those of a slip."""
        return await players.find_wagers(self.reader, request)

    async def GetPlayerRecall(self, request: Any, context: Any) -> pb.GetPlayerRecallResponse:
        """The last coups that a player staked on."""
        return await players.recall(self.reader, request)

    async def GetPlayerStatement(self, request: Any, context: Any) -> pb.GetPlayerStatementResponse:
        """What a player staked, got back and won."""
        return await players.statement(self.reader, request)
