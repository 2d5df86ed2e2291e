"""The adapter: the wallet's port over signed HTTP requests.

An answer is HTTP status 200 with a message that fits the request. Everything else is UNKNOWN: a
time-out, a broken connection, another status, an answer about other money. Only a request that
never left says so (NOT_SENT). Whoever asks decides what an unknown outcome means.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, Self

import aiohttp
import msgspec
from msgspec import Struct

from services.chassis import telemetry
from services.chassis.clock import SECOND_US, Clock
from services.chassis.telemetry import DURATION_BUCKETS_S, Kind, Metric
from services.contracts.common import PlayerContext
from services.rules.currencies import currency_exponent
from services.wager.domain.state import slip_of
from services.wager.seamless import protocol
from services.wager.seamless.amounts import Form, Inexact
from services.wager.seamless.breaker import Breaker
from services.wager.seamless.signing import Signer, headers
from services.wager.wallet import CANCEL, DEBIT, DONE, REFUSED, UNKNOWN, Answer, Movement

NOT_SENT: Final = "NOT_SENT"
AMOUNT_DIFFERS: Final = "AMOUNT_DIFFERS"
"""The wallet moved another amount under this key: somebody has to look."""

INEXACT: Final = "INEXACT"
DEBITS, ALL, NONE = "DEBITS", "ALL", "NONE"
SESSIONS: Final = (DEBITS, ALL, NONE)
BODY_BYTES_MAX: Final = 64 << 10

telemetry.declare(
    Metric(
        "sabot.wallet.calls", Kind.COUNTER, "{call}", "calls of the wallet", ("verb", "outcome")
    ),
    Metric(
        "sabot.wallet.duration",
        Kind.HISTOGRAM,
        "s",
        "one call of the wallet",
        ("verb",),
        DURATION_BUCKETS_S,
    ),
    Metric("sabot.wallet.breaker", Kind.OBSERVED, "{wallet}", "wallets that are left alone"),
)


class Limits(Struct, frozen=True, kw_only=True):
    """Bounds of the adapter."""

    timeout_s: float = 2.5
    connect_timeout_s: float = 1.0
    connections_max: int = 64
    breaker_failures_max: int = 10
    breaker_open_s: float = 2.0


class Switches(Struct, frozen=True, kw_only=True):
    """In what wallets differ (domain 4.2)."""

    form: Form = Form()
    remembers_cancels: bool = True
    """The cancel of an unknown debit succeeds and is remembered. Otherwise the wallet says
    UNKNOWN_DEBIT, which counts as done."""

    partial_cancel: bool = True
    """A cancel may give back a part of what was debited."""

    session: str = DEBITS
    """Which requests name the player's session: DEBITS, ALL or NONE."""


class SeamlessWallet:
    """An operator's wallet. Use it as an asynchronous context."""

    def __init__(
        self,
        url: str,
        *,
        signer: Signer,
        key_id: str,
        clock: Clock,
        switches: Switches,
        limits: Limits,
    ) -> None:
        self.switches = switches
        self._url = url.rstrip("/")
        self._signer = signer
        self._key_id = key_id
        self._clock = clock
        self._limits = limits
        self._breaker = Breaker(
            clock, failures_max=limits.breaker_failures_max, open_s=limits.breaker_open_s
        )
        self._session: aiohttp.ClientSession | None = None

    @property
    def is_left_alone(self) -> bool:
        """Whether it failed too often, and is asked for nothing."""
        return self._breaker.is_open

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=self._limits.connections_max),
            timeout=aiohttp.ClientTimeout(
                total=self._limits.timeout_s, sock_connect=self._limits.connect_timeout_s
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def balance(self, player: str, currency: str) -> int | None:
        """What is in an account; None where the wallet does not answer."""
        asked = protocol.Asked(player=player, currency=currency, at=self._now())
        told = await self._call("BALANCE", asked)
        answered = not isinstance(told, str) and told.status == protocol.DONE
        balance = self._read(told.balance, currency) if answered else None  # type: ignore[union-attr]
        outcome = UNKNOWN if balance is None else DONE
        telemetry.count("sabot.wallet.calls", verb="BALANCE", outcome=outcome)
        return balance

    async def debit(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def cancel(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def credit(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def reverse(self, movement: Movement) -> Answer:
        return await self.move(movement)

    async def move(self, movement: Movement) -> Answer:
        """Ask for a movement once."""
        form, context = self.switches.form, movement.context or PlayerContext()
        try:
            amount = form.write(movement.amount_minor, movement.currency)
            rest = form.write(movement.rest_minor, movement.currency)
            shares = tuple(
                protocol.Share(
                    wager_id=part.wager_id,
                    area=part.area,
                    amount=form.write(part.amount_minor, movement.currency),
                )
                for part in movement.parts
            )
        except Inexact:
            return _answer(movement, REFUSED, INEXACT)
        told = await self._call(
            movement.verb,
            protocol.Asked(
                key=movement.movement_id,
                player=movement.player,
                currency=movement.currency,
                amount=amount,
                exponent=currency_exponent(movement.currency),
                table_id=movement.table_id,
                coup_id=movement.coup_id,
                wager_id=movement.wager_id,
                slip_id=slip_of(movement.wager_id),
                wagers=shares,
                cancels=movement.cancels,
                rest=rest,
                operator=context.operator,
                brand=context.brand,
                jurisdiction=context.jurisdiction,
                session=context.session if self._names_session(movement.verb) else "",
                at=self._now(),
            ),
        )
        answer = (
            _answer(movement, UNKNOWN, told)
            if isinstance(told, str)
            else self._judged(movement, told)
        )
        telemetry.count("sabot.wallet.calls", verb=movement.verb, outcome=answer.outcome)
        return answer

    def _names_session(self, verb: str) -> bool:
        named = self.switches.session
        return named == ALL or (named == DEBITS and verb == DEBIT)

    def _judged(self, movement: Movement, told: protocol.Told) -> Answer:
        if told.key != movement.movement_id:
            return _answer(movement, UNKNOWN, "ANOTHER_KEY")
        balance = self._read(told.balance, movement.currency)
        if told.status == protocol.REFUSED:
            forgotten = movement.verb == CANCEL and movement.cancels
            if forgotten and told.code == protocol.UNKNOWN_DEBIT:
                return self._unknown_debit(movement, balance)
            return _answer(movement, REFUSED, told.code or "REFUSED", balance)
        if told.status not in (protocol.DONE, protocol.EXISTS):
            return _answer(movement, UNKNOWN, "NO_STATUS")
        if not movement.cancels and self._read(told.amount, movement.currency) != (
            movement.amount_minor
        ):
            # A debit of another amount is undone whole; of anything else a person must judge.
            outcome = UNKNOWN if movement.verb == DEBIT else REFUSED
            return _answer(movement, outcome, AMOUNT_DIFFERS, balance)
        return Answer(
            movement_id=movement.movement_id,
            outcome=DONE,
            duplicate=told.status == protocol.EXISTS,
            balance_minor=balance,
            transaction=told.transaction,
        )

    def _unknown_debit(self, movement: Movement, balance: int | None) -> Answer:
        """A wallet that remembers no cancels never saw the debit; others should not say so."""
        if self.switches.remembers_cancels:
            return _answer(movement, REFUSED, protocol.UNKNOWN_DEBIT, balance)
        return _answer(movement, DONE, protocol.UNKNOWN_DEBIT, balance)

    def _read(self, amount: protocol.Amount | None, currency: str) -> int | None:
        try:
            return None if amount is None else self.switches.form.read(amount, currency)
        except Inexact:
            return None

    def _now(self) -> str:
        now = datetime.fromtimestamp(self._clock.now_us() // SECOND_US, UTC)
        return now.isoformat().replace("+00:00", "Z")

    async def _call(self, verb: str, asked: protocol.Asked) -> protocol.Told | str:
        """The answer, or why there is none."""
        assert self._session is not None, "the wallet is a context"
        if not self._breaker.allows():
            return NOT_SENT
        path, body = protocol.PATHS[verb], protocol.encode(asked)
        signed = headers(self._signer, self._key_id, path, asked.at, body)
        began_s = self._clock.steady_s()
        told: protocol.Told | str
        try:
            async with self._session.post(
                self._url + path, data=body, headers=signed, allow_redirects=False
            ) as response:
                content = await _whole(response.content)
                told = f"HTTP_{response.status}"
                if response.status == 200:  # noqa: PLR2004 - the only status that is an answer
                    told = protocol.told(content)
        except aiohttp.ClientConnectorError:
            told = NOT_SENT
        except TimeoutError:
            told = "TIMEOUT"
        except (aiohttp.ClientError, OSError, msgspec.MsgspecError) as error:
            told = type(error).__name__.upper()
        self._breaker.note(answered=isinstance(told, protocol.Told))
        telemetry.record("sabot.wallet.duration", self._clock.steady_s() - began_s, verb=verb)
        return told


async def _whole(content: aiohttp.StreamReader) -> bytes:
    """The body, in however many pieces it comes; one that is too long is cut, and no answer."""
    read = bytearray()
    async for piece in content.iter_chunked(BODY_BYTES_MAX):
        read += piece
        if len(read) > BODY_BYTES_MAX:
            break
    return bytes(read[:BODY_BYTES_MAX])


def _answer(
    movement: Movement, outcome: str, reason: str, balance_minor: int | None = None
) -> Answer:
    return Answer(
        movement_id=movement.movement_id,
        outcome=outcome,
        reason=reason,
        balance_minor=balance_minor,
    )
