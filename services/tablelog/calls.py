"""The running services as `play` sees them: commands as calls, progress, and what commands led to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import grpc
from google.protobuf.message import Message
from msgspec import Struct
from msgspec.structs import fields

from sabot.common.v1 import common_pb2
from sabot.round.v1 import round_service_pb2, round_service_pb2_grpc
from sabot.settlement.v1 import (
    report_service_pb2_grpc,
    settlement_service_pb2,
    settlement_service_pb2_grpc,
)
from sabot.shoe.v1 import shoe_service_pb2, shoe_service_pb2_grpc
from sabot.wager.v1 import (
    wager_service_pb2,
    wager_service_pb2_grpc,
    wallet_service_pb2,
    wallet_service_pb2_grpc,
)
from services.chassis import rpc
from services.chassis.auth import (
    IMPORT_TABLE,
    development_credentials,
    token_file_credentials,
)
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.registry import Registry, decode_meta
from services.chassis.rpc_errors import CallFailed, call_failed
from services.contracts import round as table_events
from services.contracts import settlement as money_events
from services.contracts import shoe as card_events
from services.contracts import wager as book_events
from services.contracts.common import Limit
from services.contracts.core import Actor, Command, Refused
from services.round.commands import OpenTable
from services.rulebooks.catalogue import document
from services.rules.fields import flatten
from services.shoe.commands import DrawCard
from services.tablelog.render import SERVICES, Told
from services.tablelog.steps import Unsupported
from services.tablelog.targets import file_of, targets

CALL_DEADLINE_S: Final = 10.0
IMPORTER: Final = Actor("importer", "SYSTEM")

_MODULES: Final[Mapping[str, Any]] = {
    "shoe": shoe_service_pb2,
    "round": round_service_pb2,
    "wager": wager_service_pb2,
    "settlement": settlement_service_pb2,
}
_REGISTRIES: Final = {
    module.SERVICE: Registry(module.SERVICE, module.EVENTS)
    for module in (card_events, table_events, book_events, money_events)
}
_NOT_A_FIELD: Final = frozenset({"at_us", "by", "second", "order_id"})


class ServiceFailed(Exception):
    """A call ended with an error, and which service it went to."""

    def __init__(self, service: str, failed: CallFailed) -> None:
        super().__init__(f"{service} does not answer: {failed}")
        self.service = service
        self.failed = failed


def words_of(error: grpc.aio.AioRpcError) -> str:
    """What a service said of a call that failed, with the fields that it could not take."""
    failed = call_failed(error)
    faults = "; ".join(f"{fault.field} {fault.problem}" for fault in failed.fields)
    # A fault of form is the message itself.
    return failed.message if faults in failed.message else f"{failed.message}: {faults}"


class ParkedAt(Struct, frozen=True):
    """The event that a service does not get past, and why."""

    event_id: str
    reason: str


class Reading(Struct, frozen=True):
    """How far one service is with a table."""

    own_position: int
    published_position: int
    handled: dict[str, int]
    parked: tuple[ParkedAt, ...]
    open_wallet_movements: int


class Answered(Struct, frozen=True):
    """What a service said to a command."""

    refused: Refused | None
    duplicate: bool


class Services:
    """Channels to the four services."""

    def __init__(
        self,
        targets: Mapping[str, str],
        *,
        token: Path | None = None,
        tls: rpc.ClientTls | None = None,
    ) -> None:
        """`token`: a file with the token to show; without one, callers have to be believed.

        Without `tls` calls are in plain text.
        """
        self._targets = targets
        self._token = token
        self._tls = tls
        self._channels: dict[str, Any] = {}
        self._stubs: dict[str, Any] = {}

    @classmethod
    def named(cls, token: Path | None = None) -> Self:
        """Those that the environment names, as their own clients are told of them.

        Encrypted where one of SABOT_CLIENT_CA_FILE, _CERTIFICATE_FILE and _KEY_FILE is set; without
        `token` it is the one of SABOT_AUTH_TOKEN_FILE. Raises `NoServices`.
        """
        ca, certificate, key, shown = map(
            file_of,
            (
                "SABOT_CLIENT_CA_FILE",
                "SABOT_CLIENT_CERTIFICATE_FILE",
                "SABOT_CLIENT_KEY_FILE",
                "SABOT_AUTH_TOKEN_FILE",
            ),
        )
        tls = rpc.ClientTls(ca, certificate, key) if ca or certificate or key else None
        return cls(targets(), token=token or (Path(shown) if shown else None), tls=tls)

    async def __aenter__(self) -> Self:
        credentials = (
            development_credentials(IMPORTER, permissions=[IMPORT_TABLE])
            if self._token is None
            else token_file_credentials(self._token, SYSTEM_CLOCK)
        )
        for name in SERVICES:
            self._channels[name] = rpc.connect(
                self._targets[name],
                credentials=credentials,
                deadline_s=CALL_DEADLINE_S,
                repeatable=[f"sabot.{name}.v1.{name.capitalize()}Service"],
                tls=self._tls,
                clock=SYSTEM_CLOCK,
            )
        make: dict[str, Any] = {
            "shoe": shoe_service_pb2_grpc.ShoeServiceStub,
            "round": round_service_pb2_grpc.RoundServiceStub,
            "wager": wager_service_pb2_grpc.WagerServiceStub,
            "settlement": settlement_service_pb2_grpc.SettlementServiceStub,
        }
        self._stubs = {name: make[name](self._channels[name]) for name in SERVICES}
        self._stubs["report"] = report_service_pb2_grpc.ReportServiceStub(
            self._channels["settlement"]
        )
        self._stubs["wallet"] = wallet_service_pb2_grpc.WalletServiceStub(self._channels["wager"])
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for channel in self._channels.values():
            await channel.close()

    def channel(self, service: str) -> Any:
        """The channel to a service."""
        return self._channels[service]

    def stub(self, name: str) -> Any:
        """The stub of a service, or of the wallet."""
        return self._stubs[name]

    async def send(
        self,
        service: str,
        command: Command,
        *,
        table_id: str,
        command_id: str,
        order: Sequence[str] | None,
    ) -> Answered:
        """Send a command as the importer, under its own instant and person."""
        name = type(command).__name__
        request = _request(_MODULES[service], name, command)
        request.table_id = table_id
        request.meta.command_id = command_id
        request.meta.recorded.CopyFrom(_recorded(command))
        if order is not None:
            request.order.extend(order)
        return _answered(await _called(service, getattr(self._stubs[service], name), request))

    async def fund(self, movement_id: str, player: str, currency: str, amount_minor: int) -> None:
        """Give a player what he is about to stake."""
        request = wallet_service_pb2.FundAccountRequest(
            movement_id=movement_id, player=player, currency=currency, amount_minor=amount_minor
        )
        await _called("wager", self._stubs["wallet"].FundAccount, request)

    async def progress(
        self, table_id: str, names: Collection[str] = SERVICES
    ) -> dict[str, Reading]:
        """How far each of these services is with the table."""

        async def one(name: str) -> Reading:
            request = _MODULES[name].GetTableProgressRequest(table_id=table_id)
            answer = (await _called(name, self._stubs[name].GetTableProgress, request)).progress
            return Reading(
                answer.own_position,
                answer.published_position,
                {each.upstream: each.position for each in answer.handled},
                tuple(ParkedAt(each.event_id, each.reason) for each in answer.parked),
                answer.open_wallet_movements,
            )

        readings = await asyncio.gather(*(one(name) for name in names))
        return dict(zip(names, readings, strict=True))

    async def told(
        self, table_id: str, command_ids: Sequence[str], names: Collection[str] = SERVICES
    ) -> list[Told]:
        """Everything that the commands led to in these services by now."""

        async def one(name: str) -> list[Told]:
            request = _MODULES[name].ListCommandEventsRequest(
                table_id=table_id, command_ids=command_ids
            )
            answer = await _called(name, self._stubs[name].ListCommandEvents, request)
            return [
                Told(
                    name,
                    stored.version,
                    decode_meta(stored.meta).depth,
                    _REGISTRIES[name].decode(stored.type, stored.schema_version, stored.body),
                )
                for stored in answer.events
            ]

        lists = await asyncio.gather(*(one(name) for name in names))
        return [each for told in lists for each in told]


async def _called(service: str, method: Any, request: Message) -> Any:
    try:
        return await method(request)
    except grpc.aio.AioRpcError as error:
        raise ServiceFailed(service, call_failed(error)) from error


def _request(module: Any, name: str, command: Command) -> Any:
    make = getattr(module, f"{name}Request", None)
    if make is None:
        raise Unsupported(f"the services take no {name} yet")
    request = make()
    if isinstance(command, OpenTable):
        _settings(request, command)
        return request
    known = request.DESCRIPTOR.fields_by_name
    for field in fields(command):
        if field.name in _NOT_A_FIELD or field.name not in known:
            continue
        value = getattr(command, field.name)
        if value is None:
            continue
        if isinstance(value, tuple):
            getattr(request, field.name).extend(value)
        elif isinstance(value, Mapping):
            _areas(getattr(request, field.name), value)
        else:
            setattr(request, field.name, value)
    if isinstance(command, DrawCard):
        request.face_down = not command.face_up
    return request


def _settings(request: Any, command: OpenTable) -> None:
    settings = command.settings
    for name in (
        "rulebook_id",
        "decks",
        "currency",
        "mode",
        "table_number",
        "smallest_chip_minor",
        "seats",
        "left_of_dealer",
        "layout",
        "method",
        "differential_minor",
        "player_coup_maximum_minor",
        "maximum_win_minor",
        "table_exposure_minor",
        "betting_seconds",
        "debit_drain_ms",
        "time_zone",
        "day_starts_minute",
        "book",
    ):
        value = getattr(settings, name)
        if value is not None:
            setattr(request, name, value)
    request.manual_burns = not settings.auto_burn
    request.options_json = _options(settings.rulebook_id, settings.rulebook)
    for currency, limits in settings.limits.items():
        _areas(request.limits[currency], limits)


def _areas(message: Any, limits: Mapping[str, Limit]) -> None:
    for area, limit in limits.items():
        message.areas[area].min_minor = limit.min_minor
        message.areas[area].max_minor = limit.max_minor
        message.areas[area].unit_minor = limit.unit_minor


def _options(rulebook_id: str, text: Mapping[str, object]) -> str:
    """The house's options, as the difference to the rulebook of that name."""
    plain = flatten(document(rulebook_id))
    options = {name: value for name, value in flatten(text).items() if plain[name] != value}
    return json.dumps(options) if options else ""


def _recorded(command: Command) -> common_pb2.Recorded:
    recorded = common_pb2.Recorded(
        at_us=command.at_us,
        by=common_pb2.Actor(id=command.by.id, role=command.by.role),
    )
    if command.second is not None:
        recorded.second.id = command.second.id
        recorded.second.role = command.second.role
    return recorded


def _answered(response: Message) -> Answered:
    result: common_pb2.CommandResult = response.result  # type: ignore[attr-defined]
    if result.HasField("refusal"):
        no = result.refusal
        return Answered(Refused(no.reason, no.message, tuple(no.clauses)), result.duplicate)
    if getattr(response, "status", "") == "REJECTED":
        code, message = response.code, getattr(response, "message", "")  # type: ignore[attr-defined]
        return Answered(Refused(code, message), result.duplicate)
    return Answered(None, result.duplicate)
