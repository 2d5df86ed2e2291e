"""The client: one connection to each service, and the few ways in which calls are made."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
from google.protobuf.message import Message

from sabot.query.v1.query_service_pb2_grpc import QueryServiceStub
from sabot.query.v1.watch_service_pb2_grpc import WatchServiceStub
from sabot.round.v1.round_service_pb2_grpc import RoundServiceStub
from sabot.settlement.v1.report_service_pb2_grpc import ReportServiceStub
from sabot.settlement.v1.settlement_service_pb2_grpc import SettlementServiceStub
from sabot.shoe.v1.shoe_service_pb2_grpc import ShoeServiceStub
from sabot.wager.v1.wager_service_pb2_grpc import WagerServiceStub
from sabot.wager.v1.wallet_service_pb2_grpc import WalletServiceStub
from sabot_client.answers import Answer
from sabot_client.connecting import Addresses, Tls, channel, on_this_machine
from sabot_client.credentials import SECRET, Credentials, Metadata
from sabot_client.errors import CallFailed
from sabot_client.timing import Countdown, Timing

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)
Item = TypeVar("Item")
SERVICES: Final = ("shoe", "round", "wager", "settlement", "query")
CURSOR: Final = "resume_cursor"


class Client:
    """Calls to the services under one name. Made by `connect`, as a context."""

    def __init__(
        self,
        channels: Mapping[str, grpc.aio.Channel],
        credentials: Credentials,
        timing: Timing,
        *,
        exposed: bool = False,
    ) -> None:
        """Take channels by service; whoever made them closes them.

        `exposed`: others can read what goes through them, so that no token does.
        """
        self._channels = dict(channels)
        self._credentials = credentials
        self._exposed = exposed
        self.timing = timing
        self.shoe = ShoeServiceStub(channels["shoe"])
        self.round = RoundServiceStub(channels["round"])
        self.wager = WagerServiceStub(channels["wager"])
        self.wallet = WalletServiceStub(channels["wager"])
        self.settlement = SettlementServiceStub(channels["settlement"])
        self.query = QueryServiceStub(channels["query"])
        self.watch = WatchServiceStub(channels["query"])
        self.report = ReportServiceStub(channels["query"])

    @classmethod
    def connect(
        cls,
        addresses: Addresses,
        credentials: Credentials,
        *,
        tls: Tls | None = None,
        plaintext: bool = False,
        timing: Timing | None = None,
    ) -> Self:
        """A client of the services at these addresses; without `tls` in plain text.

        A token goes in plain text to the same machine only, or where `plaintext` says that what lies
        between encrypts, such as a mesh: else a call with one raises `ValueError` and sends nothing.
        """
        targets = {name: addresses.of(name) for name in SERVICES}
        channels = {name: channel(target, tls) for name, target in targets.items()}
        exposed = tls is None and not plaintext and not all(map(on_this_machine, targets.values()))
        return cls(channels, credentials, timing or Timing(), exposed=exposed)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End all connections, also those of clients that `acting` made of this one."""
        for each in self._channels.values():
            await each.close()

    def acting(self, credentials: Credentials, *, timing: Timing | None = None) -> Client:
        """The same connections under another name, or with other times."""
        return Client(self._channels, credentials, timing or self.timing, exposed=self._exposed)

    async def _shown(self) -> Metadata:
        """Who calls."""
        shown = await self._credentials()
        if self._exposed and any(name in SECRET for name, _ in shown):
            raise ValueError(
                "a token is not sent in plain text to another machine: give tls, or plaintext=True"
                " where what lies between encrypts"
            )
        return shown

    async def call(
        self, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], request: Request
    ) -> Response:
        """Make a call, and repeat it where it may be repeated; raises `CallFailed`.

        Whatever in it needs a command id and has none is given one first: every attempt is the same
        command, and is carried out once.
        """
        give_ids(request)
        countdown = Countdown(self.timing)
        while True:
            shown = await self._shown()  # may take its time, which is the call's
            try:
                return await method(request, timeout=countdown.next_attempt_s(), metadata=shown)
            except grpc.aio.AioRpcError as error:
                failed = CallFailed.of(error)
                if not failed.repeatable or not await countdown.pause():
                    raise failed from error

    async def command(
        self, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], request: Request
    ) -> Answer[Response]:
        """Send a command; what the rules refuse is in the answer. Otherwise as `call`."""
        response = await self.call(method, request)
        meta: Any = getattr(request, "meta")  # noqa: B009 - no message type is known to have it
        return Answer.of(response, meta.command_id)

    async def pages(
        self, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], request: Request
    ) -> AsyncGenerator[Response, None]:
        """All pages of a list from the request's `page_token` on; only an empty token is the end."""
        asked: Any = type(request)()
        asked.CopyFrom(request)
        while True:
            page: Any = await self.call(method, asked)
            yield page
            if not page.next_page_token:
                return
            if page.next_page_token == asked.page_token:
                raise CallFailed(grpc.StatusCode.INTERNAL, "a page leads to itself")
            asked.page_token = page.next_page_token

    async def items(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Request, Response],
        request: Request,
        of: Callable[[Response], Iterable[Item]],
    ) -> AsyncGenerator[Item, None]:
        """All elements of a list; `of` says where in a page they are."""
        async for page in self.pages(method, request):
            for item in of(page):
                yield item

    async def stream(
        self,
        method: grpc.aio.UnaryStreamMultiCallable[Request, Response],
        request: Request,
    ) -> AsyncGenerator[Response, None]:
        """What a service sends one after another, until it ends or the caller looks no further.

        A feed whose messages have a `resume_cursor` is taken up behind the last one where it breaks;
        any other ends with the error. A feed that is away for `Timing.total_s` is given up; one that
        was there and quiet for as long is not.
        """
        asked: Any = type(request)()
        asked.CopyFrom(request)
        resumable = CURSOR in request.DESCRIPTOR.fields_by_name
        countdown = Countdown(self.timing)
        while True:
            quiet = Countdown(self.timing)
            call = method(asked, metadata=await self._shown())
            try:
                async for response in call:
                    yield response
                    if resumable and getattr(response, CURSOR):
                        setattr(asked, CURSOR, getattr(response, CURSOR))
                    countdown = Countdown(self.timing)
            except grpc.aio.AioRpcError as error:
                failed = CallFailed.of(error)
                if quiet.over():
                    countdown = Countdown(self.timing)
                countdown.next_attempt_s()
                if not resumable or not failed.repeatable or not await countdown.pause():
                    raise failed from error
            else:
                return
            finally:
                call.cancel()  # a caller who looks no further leaves nothing running


def give_ids(message: Any) -> None:
    """Give every command in a request an id, where it has none: its own, or those in its lists."""
    fields = message.DESCRIPTOR.fields_by_name
    if "meta" in fields and fields["meta"].message_type.name == "CommandMeta":
        if not message.meta.command_id:
            message.meta.command_id = str(uuid.uuid4())
        return
    for field in fields.values():
        inner = field.message_type
        if inner is not None and field.is_repeated and "meta" in inner.fields_by_name:
            for each in getattr(message, field.name):
                give_ids(each)
