"""The round service's calls: translate, carry out, translate back."""

from __future__ import annotations

import json
from typing import Any

from sabot.round.v1 import round_service_pb2 as pb
from sabot.round.v1 import round_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.calls import command, command_events, fill, made
from services.chassis.rpc_errors import FieldFault, InvalidCommand
from services.contracts.common import Limit, TableSettings
from services.contracts.core import Refused
from services.round import commands
from services.round.domain import TableState, waits_for
from services.rulebooks.changing import under_rulebook
from services.rulebooks.settings import table_settings


class RoundService(pb_grpc.RoundServiceServicer):
    """Tables and their coups."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    CloseTable = command(commands.CloseTable, pb.CloseTableResponse)
    TakeSeat = command(commands.TakeSeat, pb.TakeSeatResponse)
    LeaveSeat = command(commands.LeaveSeat, pb.LeaveSeatResponse)
    AssignDealer = command(commands.AssignDealer, pb.AssignDealerResponse)
    ChangeDealer = command(commands.ChangeDealer, pb.ChangeDealerResponse)
    OpenBetting = command(commands.OpenBetting, pb.OpenBettingResponse)
    CallNoMoreBets = command(commands.CallNoMoreBets, pb.CallNoMoreBetsResponse)
    CloseBook = command(commands.CloseBook, pb.CloseBookResponse)
    DealCoup = command(commands.DealCoup, pb.DealCoupResponse)
    AnnounceResult = command(commands.AnnounceResult, pb.AnnounceResultResponse)
    RecordIncident = command(commands.RecordIncident, pb.RecordIncidentResponse)
    AdvanceTime = command(commands.AdvanceTime, pb.AdvanceTimeResponse)
    AbandonTable = command(commands.AbandonTable, pb.AbandonTableResponse)
    AssignSupervisor = command(commands.AssignSupervisor, pb.AssignSupervisorResponse)
    SuspendTable = command(commands.SuspendTable, pb.SuspendTableResponse)
    ResumeTable = command(commands.ResumeTable, pb.ResumeTableResponse)
    DisplayNotice = command(commands.DisplayNotice, pb.DisplayNoticeResponse)
    DisplaySign = command(commands.DisplaySign, pb.DisplaySignResponse)
    RemoveSign = command(commands.RemoveSign, pb.RemoveSignResponse)
    AskConsent = command(commands.AskConsent, pb.AskConsentResponse)
    GiveConsent = command(commands.GiveConsent, pb.GiveConsentResponse)
    SelectMethod = command(commands.SelectMethod, pb.SelectMethodResponse)
    ApproveMethod = command(commands.ApproveMethod, pb.ApproveMethodResponse)
    ApproveRole = command(commands.ApproveRole, pb.ApproveRoleResponse)
    VacateSeat = command(commands.VacateSeat, pb.VacateSeatResponse)
    InstructDraw = command(commands.InstructDraw, pb.InstructDrawResponse)
    OfferCards = command(commands.OfferCards, pb.OfferCardsResponse)
    AcceptCards = command(commands.AcceptCards, pb.AcceptCardsResponse)
    DeclineCards = command(commands.DeclineCards, pb.DeclineCardsResponse)
    ReturnCards = command(commands.ReturnCards, pb.ReturnCardsResponse)
    ShowHand = command(commands.ShowHand, pb.ShowHandResponse)
    OfferShoe = command(commands.OfferShoe, pb.OfferShoeResponse)
    AcceptShoe = command(commands.AcceptShoe, pb.AcceptShoeResponse)
    DeclineShoe = command(commands.DeclineShoe, pb.DeclineShoeResponse)
    PassShoe = command(commands.PassShoe, pb.PassShoeResponse)
    ForfeitShoe = command(commands.ForfeitShoe, pb.ForfeitShoeResponse)
    ApproveError = command(commands.ApproveError, pb.ApproveErrorResponse)
    RuleOnDeal = command(commands.RuleOnDeal, pb.RuleOnDealResponse)
    CloseWithdrawals = command(commands.CloseWithdrawals, pb.CloseWithdrawalsResponse)
    ExtendWithdrawals = command(commands.ExtendWithdrawals, pb.ExtendWithdrawalsResponse)
    AttestCard = command(commands.AttestCard, pb.AttestCardResponse)
    VoidCoup = command(commands.VoidCoup, pb.VoidCoupResponse)
    ConfirmResult = command(commands.ConfirmResult, pb.ConfirmResultResponse)
    CorrectResult = command(commands.CorrectResult, pb.CorrectResultResponse)
    BackfillCoup = command(commands.BackfillCoup, pb.BackfillCoupResponse)
    InvalidateOutcome = command(commands.InvalidateOutcome, pb.InvalidateOutcomeResponse)

    async def OpenTable(self, request: Any, context: Any) -> pb.OpenTableResponse:
        """Put the settings together and open the table."""
        test = request.mode == "TEST"
        if test and not self.runtime.settings.allow_test_tables:
            raise InvalidCommand(
                "this installation has no test tables", fields=[FieldFault("mode", "LIVE")]
            )
        try:
            settings = _settings(request)
        except Refused as no:
            response = pb.OpenTableResponse()
            response.result.refusal.reason = no.reason
            response.result.refusal.message = no.message
            return response
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: commands.OpenTable(
                at_us=stamp.at_us, by=stamp.by, second=stamp.second, settings=settings
            ),
            test_table=test,
            key=None,
        )
        return fill(pb.OpenTableResponse(result=carried.result), carried.answer)  # type: ignore[return-value]

    async def ChangeGame(self, request: Any, context: Any) -> pb.ChangeGameResponse:
        """Put the table's settings to the other rulebook, and go over to it."""
        state: TableState = await self.runtime.executor.state(request.table_id)
        settings = None
        if state.settings is not None:
            settings = under_rulebook(state.settings, request.rulebook_id)
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(commands.ChangeGame, request, stamp, settings=settings),
            test_table=None,
            key=None,
        )
        return pb.ChangeGameResponse(result=carried.result)

    async def GetTable(self, request: Any, context: Any) -> pb.GetTableResponse:
        """The table, its coup and what it waits for."""
        state: TableState = await self.runtime.executor.state(request.table_id)
        settings, coup = state.settings, state.coup
        response = pb.GetTableResponse(
            open=state.open,
            session=state.session,
            dealer=state.crew.dealer,
            supervisor=state.crew.supervisor,
            shift=state.crew.shift,
            coups=state.coups,
            waits_for=waits_for(state),
        )
        if settings is not None:
            response.rulebook_id = settings.rulebook_id
            response.rulebook_hash = settings.rulebook_hash
            response.test = settings.test
        if coup is not None:
            response.coup_id = coup.coup_id
            response.phase = coup.phase
            response.player.extend(coup.player)
            response.banker.extend(coup.banker)
            if coup.closes_at_us is not None:
                response.closes_at_us = coup.closes_at_us
        return response

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


def _settings(request: Any) -> TableSettings:
    optional = {
        name: getattr(request, name)
        for name in (
            "differential_minor",
            "player_coup_maximum_minor",
            "maximum_win_minor",
            "table_exposure_minor",
            "betting_seconds",
            "debit_drain_ms",
        )
        if request.HasField(name)
    }
    limits = {
        currency: {
            area: Limit(limit.min_minor, limit.max_minor, limit.unit_minor)
            for area, limit in by_area.areas.items()
        }
        for currency, by_area in request.limits.items()
    }
    return table_settings(
        table_id=request.table_id,
        table_number=request.table_number or request.table_id,
        rulebook_id=request.rulebook_id,
        options=_options(request.options_json),
        decks=request.decks if request.HasField("decks") else None,
        currency=request.currency or "EUR",
        limits=limits,
        mode=request.mode or "LIVE",
        smallest_chip_minor=request.smallest_chip_minor or 1,
        seats=request.seats or 9,
        left_of_dealer=request.left_of_dealer if request.HasField("left_of_dealer") else None,
        layout=request.layout or "A",
        method=request.method or "A",
        auto_burn=not request.manual_burns,
        time_zone=request.time_zone or "UTC",
        day_starts_minute=request.day_starts_minute,
        book=request.book or "KEPT",
        **optional,
    )


def _options(text: str) -> dict[str, object]:
    """The house's options; the edge has seen that they are a JSON object."""
    return json.loads(text) if text else {}
