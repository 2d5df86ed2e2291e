"""The shoe service's calls: translate, carry out, translate back."""

from __future__ import annotations

from typing import Any

from sabot.shoe.v1 import shoe_service_pb2 as pb
from sabot.shoe.v1 import shoe_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.auth import identity
from services.chassis.calls import command, command_events, made
from services.chassis.rpc_errors import FieldFault, InvalidCommand
from services.contracts.core import NotYet
from services.rules.cards import parse_card
from services.shoe import commands, sealing
from services.shoe.domain import ShoeState
from services.shoe.inputs import LOADED_DECKS_MAX


class ShoeService(pb_grpc.ShoeServiceServicer):
    """Every shoe of a table."""

    def __init__(self, runtime: Runtime, vault: sealing.Vault) -> None:
        self.runtime = runtime
        self._vault = vault

    InspectCards = command(commands.InspectCards, pb.InspectCardsResponse)
    ShuffleCards = command(commands.ShuffleCards, pb.ShuffleCardsResponse)
    RequestRiffle = command(commands.RequestRiffle, pb.RequestRiffleResponse)
    OfferCut = command(commands.OfferCut, pb.OfferCutResponse)
    DeclineCut = command(commands.DeclineCut, pb.DeclineCutResponse)
    CutCards = command(commands.CutCards, pb.CutCardsResponse)
    PlaceCutCard = command(commands.PlaceCutCard, pb.PlaceCutCardResponse)
    BurnCards = command(commands.BurnCards, pb.BurnCardsResponse)
    EnterCard = command(commands.EnterCard, pb.EnterCardResponse)
    ExposeNext = command(commands.ExposeNext, pb.ExposeNextResponse)
    ApproveErrorBurn = command(commands.ApproveErrorBurn, pb.ApproveErrorBurnResponse)
    EndShoe = command(commands.EndShoe, pb.EndShoeResponse)
    ReportFault = command(commands.ReportFault, pb.ReportFaultResponse)
    RegisterShoeDevice = command(commands.RegisterShoeDevice, pb.RegisterShoeDeviceResponse)
    RegisterShuffleDevice = command(
        commands.RegisterShuffleDevice, pb.RegisterShuffleDeviceResponse
    )
    AssembleShoe = command(commands.AssembleShoe, pb.AssembleShoeResponse)
    RejectDeck = command(commands.RejectDeck, pb.RejectDeckResponse)
    ReplaceCards = command(commands.ReplaceCards, pb.ReplaceCardsResponse)
    RemoveCards = command(commands.RemoveCards, pb.RemoveCardsResponse)
    SealPack = command(commands.SealPack, pb.SealPackResponse)
    CollectCards = command(commands.CollectCards, pb.CollectCardsResponse)

    async def LoadShoe(self, request: Any, context: Any) -> pb.LoadShoeResponse:
        """Seal the order, if there is one, and load the shoe."""
        order_id = ""
        if request.source in ("PRESET", "GENERATED"):
            order_id = await self._sealed(request, await self._order(request))
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(commands.LoadShoe, request, stamp, order_id=order_id),
            test_table=None,
            key=None,
        )
        return pb.LoadShoeResponse(result=carried.result)

    async def ResumeCoup(self, request: Any, context: Any) -> pb.ResumeCoupResponse:
        """Seal the order after shuffle and cut, if one is told, and go on with the coup."""
        order_id = ""
        if request.order:
            order_id = await self._sealed(request, self._from_outside(request))
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(
                commands.ResumeCoup,
                request,
                stamp,
                order_id=order_id,
                new_order=request.new_order or bool(order_id),
            ),
            test_table=None,
            key=None,
        )
        return pb.ResumeCoupResponse(result=carried.result)

    async def _sealed(self, request: Any, order: sealing.Order) -> str:
        # The kind of order is in its name: what somebody told is never taken for a shuffle, nor an
        # order of more or fewer cards, as the table had decks before, for that of today's.
        kind = f"generated-{len(order.cards)}" if order.secret else "told"
        # Command ids are each actor's own: no order is ever that of another's command.
        who = identity().actor.id
        order_id = f"{request.table_id}/{request.meta.command_id}/{who}/{kind}"
        await self._vault.seal(self.runtime.pool, order_id, request.table_id, order)
        return order_id

    def _from_outside(self, request: Any) -> sealing.Order:
        if not self.runtime.settings.allow_test_tables:
            raise InvalidCommand(
                "this installation takes no orders from outside",
                fields=[FieldFault("order", "is for tables in TEST mode only")],
            )
        return sealing.preset([_card("order", card) for card in request.order])

    async def _order(self, request: Any) -> sealing.Order:
        if request.source == "PRESET":
            return self._from_outside(request)
        state: ShoeState = await self.runtime.executor.state(request.table_id)
        if state.settings is None:
            raise NotYet("the shoe service has not heard yet that this table is open")
        decks = request.decks if request.HasField("decks") else state.settings.decks
        if not 1 <= decks <= LOADED_DECKS_MAX:
            raise InvalidCommand(
                "no shoe has so many decks",
                fields=[FieldFault("decks", f"1 to {LOADED_DECKS_MAX}")],
            )
        return sealing.generated(decks)

    async def DrawCard(self, request: Any, context: Any) -> pb.DrawCardResponse:
        """Record a card that came out, or take one out of a generated shoe."""
        more: dict[str, Any] = {"face_up": not request.face_down}
        if request.HasField("card"):
            more["card"] = _card("card", request.card)
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(commands.DrawCard, request, stamp, **more),
            test_table=None,
            key=None,
        )
        drawn = carried.answer.get("draw_number", 0)
        return pb.DrawCardResponse(result=carried.result, draw_number=drawn)

    async def GetShoe(self, request: Any, context: Any) -> pb.GetShoeResponse:
        """The shoe on the table."""
        state: ShoeState = await self.runtime.executor.state(request.table_id)
        shoe = state.shoe
        if shoe is None:
            return pb.GetShoeResponse()
        return pb.GetShoeResponse(
            shoe_id=shoe.shoe_id,
            cards=shoe.cards,
            dealt=shoe.dealt,
            burned=shoe.burned,
            left=shoe.left,
            owed=shoe.owed,
            ended=shoe.ended,
            last_coup=shoe.last_coup or 0,
        )

    async def GetTableProgress(
        self,
        request: Any,
        context: Any,
    ) -> pb.GetTableProgressResponse:
        """How far this service has come with a table."""
        progress = await self.runtime.progress(request.table_id, open_wallet_movements=0)
        return pb.GetTableProgressResponse(progress=progress)

    async def ListCommandEvents(
        self,
        request: Any,
        context: Any,
    ) -> pb.ListCommandEventsResponse:
        """What commands led to in this service."""
        events = await command_events(self.runtime, request.table_id, list(request.command_ids))
        return pb.ListCommandEventsResponse(events=events)


def _card(field: str, text: str) -> str:
    try:
        return parse_card(text)
    except ValueError as error:
        raise InvalidCommand("no such card", fields=[FieldFault(field, str(error))]) from error
