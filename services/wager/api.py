"""The wager service's calls: translate, carry out, translate back."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from google.protobuf.message import Message
from msgspec.structs import fields

from sabot.common.v1 import common_pb2
from sabot.wager.v1 import wager_service_pb2 as pb
from sabot.wager.v1 import wager_service_pb2_grpc as pb_grpc
from services.chassis.app import Asked, Carried, Runtime
from services.chassis.auth import Stamp, identity
from services.chassis.calls import command, command_events, each_alone, fill, made
from services.chassis.rpc_errors import CommandIdReused, PermissionDenied
from services.contracts.access import may_see
from services.contracts.common import Limit, PlayerContext
from services.contracts.core import Command
from services.rules.currencies import currency_exponent
from services.rules.roles import PLAYER
from services.wager import commands
from services.wager.domain import BookState, is_staked
from services.wager.domain.state import first_debit, slip_wager
from services.wager.inputs import INPUTS
from services.wager.journal import Journal
from services.wager.open_items import open_items
from services.wager.wallet_api import SENDING

VERDICT_S: Final = 3.5
"""How long a caller is kept waiting for the wallet: longer than a debit may take (N-1)."""


CONTEXT: Final = frozenset(field.name for field in fields(PlayerContext))


def context_of(stamp: Stamp) -> PlayerContext | None:
    """The context of a player who stakes himself; whoever stakes for him has no token of his."""
    told = {name: text for name, text in stamp.context.items() if name in CONTEXT}
    return PlayerContext(**told) if told and stamp.by.role == PLAYER else None


def _used_before(name: str) -> common_pb2.Refusal:
    return common_pb2.Refusal(
        reason="DUPLICATE", message=f"the wager id {name} was used before for another wager"
    )


def _key(request: Any, name: str) -> str | None:
    """The key of a wager or slip: its id, for who may see what is answered under it.

    A stranger's call has a key of its own, so that it is decided: kept answers are not for him.
    """
    theirs = not may_see(identity().actor, request.player)
    return None if theirs else f"wager/{request.table_id}/{name}"


def _placing(request: Any) -> Asked:
    """A wager as a command. Its id is the key: what else may differ in a repetition is left out."""
    asked = pb.PlaceWagerRequest()
    asked.CopyFrom(request)
    asked.ClearField("meta")
    asked.ClearField("coup_id")
    return Asked(
        request=request,
        table_id=request.table_id,
        command=lambda stamp: made(commands.PlaceWager, request, stamp, context=context_of(stamp)),
        key=_key(request, request.wager_id),
        asked=asked,
        named_by=is_staked,
    )


def _placed(request: Any, carried: Carried | Exception) -> Any:
    """What became of a wager; an error of its command stays one."""
    response = pb.PlaceWagerResponse()
    if isinstance(carried, CommandIdReused):
        response.result.refusal.CopyFrom(_used_before(request.wager_id))
        return response
    if isinstance(carried, Exception):
        return carried
    response.result.CopyFrom(carried.result)
    return fill(response, carried.answer)


def _is_pending(answer: Any) -> bool:
    return isinstance(answer, pb.PlaceWagerResponse) and answer.status == "PENDING"


def _of_operator(kind: type[Command], response: type[Message]) -> Any:
    """A handler as `command`; whose token names an operator commands for him alone."""

    async def handle(self: Any, request: Any, context: Any) -> Message:  # noqa: ARG001
        own = identity().context.get("operator", "")
        if own and request.operator not in ("", own):
            raise PermissionDenied(f"this token commands for {own} alone", reason="OPERATOR")
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(kind, request, stamp, operator=own or request.operator),
            test_table=None,
            key=None,
        )
        return response(result=carried.result)

    return handle


class WagerService(pb_grpc.WagerServiceServicer):
    """Limits and books."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    CancelWager = command(commands.CancelWager, pb.CancelWagerResponse)
    RejectWager = command(commands.RejectWager, pb.RejectWagerResponse)
    PermitStanding = command(commands.PermitStanding, pb.PermitStandingResponse)
    WithdrawWager = command(commands.WithdrawWager, pb.WithdrawWagerResponse)
    KeepWager = command(commands.KeepWager, pb.KeepWagerResponse)
    VoidWager = command(commands.VoidWager, pb.VoidWagerResponse)
    PermitSharing = command(commands.PermitSharing, pb.PermitSharingResponse)
    ApproveOpposing = command(commands.ApproveOpposing, pb.ApproveOpposingResponse)
    GrantLimits = command(commands.GrantLimits, pb.GrantLimitsResponse)
    RevokePermission = command(commands.RevokePermission, pb.RevokePermissionResponse)
    BarPlayer = command(commands.BarPlayer, pb.BarPlayerResponse)
    LiftBar = command(commands.LiftBar, pb.LiftBarResponse)
    OrderStop = _of_operator(commands.OrderStop, pb.OrderStopResponse)
    LiftStop = _of_operator(commands.LiftStop, pb.LiftStopResponse)
    NotifyMinimum = command(commands.NotifyMinimum, pb.NotifyMinimumResponse)
    RemoveSign = command(commands.RemoveSign, pb.RemoveSignResponse)
    RepeatRefund = command(commands.RepeatRefund, pb.RepeatRefundResponse)

    async def PlaceWager(self, request: Any, context: Any) -> pb.PlaceWagerResponse:
        """Stake on an area. The wager's id is the key: the same wager again is answered as before.

        Where money or a token was asked for it, the id is the wager's for everybody; what was
        refused or rejected before that takes the id from its sender alone.
        """
        try:
            carried = await self.runtime.carry_out_asked(_placing(request))
        except CommandIdReused as reused:
            return _placed(request, reused)  # type: ignore[no-any-return]
        response: pb.PlaceWagerResponse = await self._confirm(request, _placed(request, carried))
        return response

    async def PlaceSlip(self, request: Any, context: Any) -> pb.PlaceSlipResponse:
        """Stake on several areas, all or none. The slip's id is the key, as a wager's is."""
        asked = pb.PlaceSlipRequest()
        asked.CopyFrom(request)
        asked.ClearField("meta")
        asked.ClearField("coup_id")
        stakes = tuple(
            commands.Stake(area=stake.area, amount_minor=stake.amount_minor)
            for stake in request.wagers
        )
        try:
            carried = await self.runtime.carry_out(
                request,
                request.table_id,
                lambda stamp: made(
                    commands.PlaceSlip, request, stamp, wagers=stakes, context=context_of(stamp)
                ),
                test_table=None,
                key=_key(request, request.slip_id),
                asked=asked,
                named_by=is_staked,
            )
        except CommandIdReused:
            response = pb.PlaceSlipResponse()
            response.result.refusal.CopyFrom(_used_before(request.slip_id))
            return response
        response = pb.PlaceSlipResponse(result=carried.result)
        if not response.result.HasField("refusal"):
            numbers = range(1, len(stakes) + 1)
            response.wager_ids.extend(slip_wager(request.slip_id, each) for each in numbers)
        first = slip_wager(request.slip_id, 1)
        answer = await self._confirmed(request.table_id, request.slip_id, first, carried.answer)
        return fill(response, answer)  # type: ignore[return-value]

    async def _confirm(self, request: Any, response: pb.PlaceWagerResponse) -> Any:
        """The response as the operator's wallet makes it, where its word is still out."""
        if response.status != "PENDING":
            return response
        wager_id, pending = request.wager_id, {"status": response.status}
        answer = await self._confirmed(request.table_id, wager_id, wager_id, pending)
        return fill(response, answer)

    async def _confirmed(
        self, table_id: str, debited: str, wager_id: str, answer: dict[str, Any]
    ) -> dict[str, Any]:
        """The answer to what is staked, once the operator's wallet has spoken of its debit."""
        if answer.get("status") != "PENDING" or not self.runtime.has(SENDING):
            return answer
        key = first_debit(table_id, debited)
        verdict = await self.runtime.take(SENDING).verdict(key, timeout_s=VERDICT_S)
        if verdict is not None:
            return dict(verdict)
        state: BookState = await self.runtime.executor.state(table_id)
        held = state.book.wagers.get(wager_id) if state.book else None
        if held is None:
            return answer
        return {"status": "ACCEPTED", "stake_minor": held.stake_minor}

    async def ChangeWager(self, request: Any, context: Any) -> pb.ChangeWagerResponse:
        """Stake another amount; an increase stands when the wallet has confirmed its debit."""
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(commands.ChangeWager, request, stamp, context=context_of(stamp)),
            test_table=None,
            key=None,
        )
        answer = carried.answer
        movement_id = answer.get("movement_id")
        if movement_id and self.runtime.has(SENDING):
            sending = self.runtime.take(SENDING)
            answer = await sending.verdict(movement_id, timeout_s=VERDICT_S) or answer
        response = pb.ChangeWagerResponse(result=carried.result)
        return fill(response, answer)  # type: ignore[return-value]

    async def ChangeLimits(self, request: Any, context: Any) -> pb.ChangeLimitsResponse:
        """Put other limits on the sign."""
        limits = {
            area: Limit(limit.min_minor, limit.max_minor, limit.unit_minor)
            for area, limit in request.limits.areas.items()
        }
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(commands.ChangeLimits, request, stamp, limits=limits),
            test_table=None,
            key=None,
        )
        return pb.ChangeLimitsResponse(result=carried.result)

    async def PlaceWagers(self, request: Any, context: Any) -> pb.PlaceWagersResponse:
        """Many wagers in one call, each answered alone; they share a commit where they can."""
        wagers = request.wagers
        several = await self.runtime.carry_out_all(list(map(_placing, wagers)), INPUTS.check)
        answers = list(map(_placed, wagers, several))
        pending = [place for place, each in enumerate(answers) if _is_pending(each)]
        # The operator's wallet speaks of each debit by itself: all of them are waited for at once.
        confirmed = await asyncio.gather(
            *(self._confirm(wagers[place], answers[place]) for place in pending),
            return_exceptions=True,
        )
        for place, answer in zip(pending, confirmed, strict=True):
            answers[place] = answer
        return pb.PlaceWagersResponse(
            responses=[
                pb.PlaceWagerResponse(error=answer)
                if isinstance(answer, common_pb2.CallError)
                else answer
                for answer in each_alone("PlaceWagers", answers)
            ]
        )

    async def GetBook(self, request: Any, context: Any) -> pb.GetBookResponse:
        """The book of the coup in progress; a player is shown his own wagers."""
        state: BookState = await self.runtime.executor.state(request.table_id)
        response = pb.GetBookResponse(limits_version=state.limits_version)
        if state.settings is not None and state.open:
            response.currency = state.settings.currency
            response.currency_exponent = currency_exponent(state.settings.currency)
        book = state.book
        if book is None:
            return response
        response.coup_id = book.coup_id
        response.phase = book.phase
        response.pending_debits = len(book.pending)
        actor = identity().actor
        for wager in book.wagers.values():
            if not may_see(actor, wager.player):
                continue
            response.wagers.add(
                wager_id=wager.wager_id,
                player=wager.player,
                area=wager.area,
                currency=wager.currency,
                stake_minor=wager.stake_minor,
            )
        return response

    async def ListStops(self, request: Any, context: Any) -> pb.ListStopsResponse:
        """Stops in force: of all live tables, and of this one.

        Whose token names an operator is told of those that bind his players.
        """
        own = identity().context.get("operator", "")
        found = await self.runtime.pool.fetch(
            "select kind, value, operator, table_id, reason, ordered_by, at_us from betting_stops "
            "order by at_us, kind, value, operator limit 10000"
        )
        response = pb.ListStopsResponse()
        for row in found:
            kind, value, operator, table_id, reason, ordered_by, at_us = row
            if own and operator not in ("", own):
                continue
            response.stops.add(
                of=kind, value=value, operator=operator, everywhere=True, table_id=table_id,
                reason=reason, ordered_by=ordered_by, at_us=at_us,
            )  # fmt: skip
        if request.table_id:
            state: BookState = await self.runtime.executor.state(request.table_id)
            for stop in state.permissions.stops:
                if own and stop.operator not in ("", own):
                    continue
                response.stops.add(
                    of=stop.of, value=stop.value, operator=stop.operator, table_id=request.table_id
                )
        return response

    async def ListOpenItems(self, request: Any, context: Any) -> pb.ListOpenItemsResponse:
        """What the wallet refused or has not confirmed."""
        items = await open_items(self.runtime, request.table_id)
        return pb.ListOpenItemsResponse(items=items)

    async def GetTableProgress(
        self,
        request: Any,
        context: Any,
    ) -> pb.GetTableProgressResponse:
        """How far this service has come with a table."""
        state: BookState = await self.runtime.executor.state(request.table_id)
        pending = len(state.book.pending) if state.book else 0
        pending += await Journal(self.runtime.pool).count_open(request.table_id)
        progress = await self.runtime.progress(request.table_id, open_wallet_movements=pending)
        return pb.GetTableProgressResponse(progress=progress)

    async def ListCommandEvents(
        self,
        request: Any,
        context: Any,
    ) -> pb.ListCommandEventsResponse:
        """What commands led to in this service."""
        events = await command_events(self.runtime, request.table_id, list(request.command_ids))
        return pb.ListCommandEventsResponse(events=events)
