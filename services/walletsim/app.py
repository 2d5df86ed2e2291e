"""The simulator's HTTP server: the five verbs, and its own calls below `/sim` for whoever tests.

POST /sim/fund       {"player", "currency", "amount_minor"}
POST /sim/sessions   {"session", "ended": true}
POST /sim/faults     {"verb": "DEBIT", "fault": "LOST", "player": "", "times": 1, "seconds": 3,
                      "refusal": ""}
GET  /sim/movements  what moved, as CSV
GET  /sim/answers    every request for a movement and its answer, oldest first, as JSON lines
"""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec
from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from services.rules.currencies import currency_exponent
from services.wager.seamless import protocol
from services.wager.seamless.amounts import Form, Inexact
from services.wager.seamless.signing import Verifier, is_signed
from services.walletsim.books import FUND, Books, Result, Row

FAULTS: Final = ("SLOW", "LOST", "TWICE", "REFUSE", "ERROR", "WRONG_AMOUNT", "GARBAGE", "RESTART")
"""Slow: done, and answered late. Lost: done, and never answered. Twice: done as if it came twice.
Refuse: not done. Error: status 500, not done. Wrong amount: one minor unit too much. Garbage: done,
and answered with something else. Restart: not done, and everybody's connection breaks for a while."""

NO_ANSWER: Final = ("LOST", "ERROR", "GARBAGE", "RESTART")
"""Those of which the caller is told nothing."""

CSV_COLUMNS: Final = (
    "key", "verb", "player", "currency", "amount_minor", "table_id", "coup_id", "wager_id",
)  # fmt: skip


class Fault(Struct, kw_only=True):
    """Misbehaviour at the next requests of a verb, for everybody or for one player."""

    verb: str
    fault: str
    player: str = ""
    times: int = 1
    seconds: float = 3.0
    refusal: str = "INSUFFICIENT_FUNDS"


class Answered(Struct, frozen=True, kw_only=True):
    """A request for a movement, what went wrong on purpose, and what the caller was told."""

    key: str
    verb: str
    player: str
    asked_minor: int
    fault: str = ""
    status: str = ""
    """Empty where what was sent, if anything, is no answer."""

    code: str = ""
    told_minor: int = 0
    cancels: str = ""


class Simulator:
    """The wallet of an operator that does not exist."""

    def __init__(self, books: Books, form: Form, verifier: Verifier) -> None:
        self.books = books
        self.faults: list[Fault] = []
        self.answers: list[Answered] = []
        """In the order of the requests. Whether the caller lived to read one, nobody knows here."""
        self._form = form
        self._verifier = verifier
        self._down_until_s = 0.0

    def application(self) -> web.Application:
        """The server's routes."""
        application = web.Application(client_max_size=64 << 10)
        for verb, path in protocol.PATHS.items():
            application.router.add_post(path, self._handler(verb))
        application.router.add_post("/sim/fund", self._fund)
        application.router.add_post("/sim/faults", self._misbehave)
        application.router.add_post("/sim/sessions", self._end_session)
        application.router.add_get("/sim/movements", self._movements)
        application.router.add_get("/sim/answers", self._listed)
        return application

    def _handler(self, verb: str) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def handle(request: web.Request) -> web.StreamResponse:
            body = await request.read()
            if asyncio.get_running_loop().time() < self._down_until_s:
                return _broken(request)
            if not is_signed(self._verifier, request.headers, request.path, body):
                return web.Response(status=401)
            try:
                asked = protocol.asked(body)
                return await self._answer(request, verb, asked)
            except (msgspec.MsgspecError, Inexact, ValueError) as error:
                return web.Response(status=400, text=str(error))

        return handle

    async def _answer(
        self, request: web.Request, verb: str, asked: protocol.Asked
    ) -> web.StreamResponse:
        if verb == "BALANCE":
            balance = self.books.balance(asked.player, asked.currency)
            return self._told(asked, Result(status="DONE", balance_minor=balance), amount=False)
        row = Row(
            key=asked.key,
            player=asked.player,
            currency=asked.currency,
            verb=verb,
            amount_minor=self._form.read(asked.amount, asked.currency),
            balance_minor=0,
            table_id=asked.table_id,
            coup_id=asked.coup_id,
            wager_id=asked.wager_id,
            slip_id=asked.slip_id,
            wagers=tuple(share.wager_id for share in asked.wagers),
            cancels=asked.cancels,
            session=asked.session,
        )
        if asked.wagers and row.amount_minor != sum(
            self._form.read(share.amount, asked.currency) for share in asked.wagers
        ):
            return web.Response(status=400, text="the wagers are not what the slip's debit takes")
        fault = self._next(verb, asked.player)
        if fault is None:
            result = self.books.move(row)
            self._note(row, result=result)
            return self._told(asked, result)
        return await self._wrong(request, asked, row, fault)

    async def _wrong(
        self, request: web.Request, asked: protocol.Asked, row: Row, fault: Fault
    ) -> web.StreamResponse:
        """The same, as it goes wrong."""
        kind = fault.fault
        if kind == "RESTART":
            self._down_until_s = asyncio.get_running_loop().time() + fault.seconds
        if kind == "REFUSE":
            result = Result(status="REFUSED", code=fault.refusal)
        elif kind not in ("ERROR", "RESTART"):
            result = self.books.move(row, more_minor=kind == "WRONG_AMOUNT")
            if kind == "TWICE":
                result = self.books.move(row)
        if kind in NO_ANSWER:
            self._note(row, fault=kind)
            if kind == "GARBAGE":
                return web.Response(text="<html>it works</html>")
            return web.Response(status=500) if kind == "ERROR" else _broken(request)
        self._note(row, fault=kind, result=result)
        if kind == "SLOW":
            await asyncio.sleep(fault.seconds)
        return self._told(asked, result)

    def _note(self, row: Row, *, fault: str = "", result: Result | None = None) -> None:
        answered = Answered(
            key=row.key,
            verb=row.verb,
            player=row.player,
            asked_minor=row.amount_minor,
            fault=fault,
            status=result.status if result else "",
            code=result.code if result else "",
            told_minor=result.amount_minor if result else 0,
            cancels=row.cancels,
        )
        self.answers.append(answered)

    def _next(self, verb: str, player: str) -> Fault | None:
        for fault in self.faults:
            meant = fault.verb in (verb, "*") and fault.player in (player, "")
            if meant and fault.times > 0:
                fault.times -= 1
                return fault
        return None

    def _told(
        self, asked: protocol.Asked, result: Result, *, amount: bool = True
    ) -> web.StreamResponse:
        moved = amount and result.status != "REFUSED"
        told = protocol.Told(
            status=result.status,
            key=asked.key,
            code=result.code,
            amount=self._form.write(result.amount_minor, asked.currency) if moved else None,
            balance=self._form.write(result.balance_minor, asked.currency),
            transaction=f"sim-{result.number}" if result.number else "",
        )
        return web.Response(body=protocol.encode(told), content_type="application/json")

    async def _fund(self, request: web.Request) -> web.StreamResponse:
        asked: dict[str, Any] = await request.json()
        key = asked.get("key") or f"/fund/{len(self.books.rows)}"
        currency_exponent(asked["currency"])
        result = self.books.move(
            Row(
                key=key,
                player=asked["player"],
                currency=asked["currency"],
                verb=FUND,
                amount_minor=int(asked["amount_minor"]),
                balance_minor=0,
            )
        )
        return web.json_response(msgspec.to_builtins(result))

    async def _end_session(self, request: web.Request) -> web.StreamResponse:
        asked: dict[str, Any] = await request.json()
        ended = self.books.ended
        (ended.add if asked.get("ended", True) else ended.discard)(asked["session"])
        return web.json_response({"ended": len(ended)})

    async def _misbehave(self, request: web.Request) -> web.StreamResponse:
        fault = msgspec.json.decode(await request.read(), type=Fault)
        if fault.fault not in FAULTS:
            return web.Response(status=400, text=f"one of {', '.join(FAULTS)}")
        self.faults.append(replace(fault))
        return web.json_response({"faults": len(self.faults)})

    async def _listed(self, _: web.Request) -> web.StreamResponse:
        lines = b"".join(msgspec.json.encode(each) + b"\n" for each in self.answers)
        return web.Response(body=lines, content_type="application/jsonl")

    async def _movements(self, _: web.Request) -> web.StreamResponse:
        return web.Response(text=movements_csv(self.books), content_type="text/csv")


def movements_csv(books: Books) -> str:
    """What moved, as an operator would list it: without deposits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in books.movements():
        if row.verb != FUND:
            values = {name: getattr(row, name) for name in CSV_COLUMNS}
            writer.writerow({**values, "amount_minor": abs(row.amount_minor)}.values())
    return text.getvalue()


def _broken(request: web.Request) -> web.StreamResponse:
    """Break the connection without an answer."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)
