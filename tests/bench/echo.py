"""A bare grpc.aio server that answers wagers without looking: the ceiling for single calls."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc
import uvloop

from sabot.wager.v1 import wager_service_pb2 as pb


async def accept(request: Any, context: Any) -> pb.PlaceWagerResponse:
    """Say yes, whatever the wager."""
    del context
    return pb.PlaceWagerResponse(status="ACCEPTED", stake_minor=request.amount_minor)


async def serve(port: int) -> None:
    """Answer until the process ends."""
    server = grpc.aio.server()
    handler = grpc.unary_unary_rpc_method_handler(
        accept,
        request_deserializer=pb.PlaceWagerRequest.FromString,
        response_serializer=pb.PlaceWagerResponse.SerializeToString,
    )
    generic = grpc.method_handlers_generic_handler(
        "sabot.wager.v1.WagerService", {"PlaceWager": handler}
    )
    server.add_generic_rpc_handlers((generic,))
    server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    await server.wait_for_termination()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(int(sys.argv[1])))
