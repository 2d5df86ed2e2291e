"""The built-in ledger's calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from msgspec.structs import fields

from sabot.wager.v1 import wallet_service_pb2 as pb
from sabot.wager.v1 import wallet_service_pb2_grpc as pb_grpc
from services.chassis import telemetry
from services.chassis.app import Runtime
from services.chassis.auth import identity
from services.chassis.rpc_errors import (
    FieldFault,
    InvalidCommand,
    PermissionDenied,
    Unavailable,
)
from services.contracts.access import may_see
from services.contracts.common import PlayerContext
from services.rules.currencies import currency_exponent
from services.rules.roles import PLAYER
from services.wager.journal import Entry, Journal
from services.wager.ledger import BALANCE_MINOR_MAX, LedgerWallet
from services.wager.wallet import (
    BALANCE_MAXIMUM,
    CONFLICT,
    CREDIT,
    DONE,
    FUND,
    REVERSE,
    Answer,
    Movement,
    Part,
    Wallet,
    ask,
)
from services.wager.wallets import Wallets, is_elsewhere

WALLET: Final = "wallet"
SENDING: Final = "sending"
"""Parts of a service whose wallet is the operator's, by name."""

DEPOSIT_MINOR_MAX: Final = 10**15
FUNDED: Final = "/"
"""Before the keys of deposits, so that none can be that of a payment: those begin with a table."""

_AT_US: Final = "(extract(epoch from {}) * 1000000)::bigint as moved_at_us"
LEDGER_ROWS: Final = (
    "select number, movement_id, kind, amount_minor, balance_minor, table_id, coup_id, player, "  # noqa: S608
    "currency, '' as wager_id, cancels, 'DONE' as status, '' as operator, "
    + _AT_US.format("moved_at")
    + " from movements where kind <> 'TOMBSTONE'"
)
OPERATOR_ROWS: Final = (
    "select number, movement_id, verb as kind, "  # noqa: S608
    "case when verb in ('DEBIT', 'REVERSE') then -amount_minor else amount_minor end "
    "as amount_minor, coalesce(balance_minor, 0) as balance_minor, table_id, coup_id, player, "
    "currency, wager_id, cancels, status, operator, "
    + _AT_US.format("made_at")
    + " from operator_movements"
)
"""Movements of both wallets, in one form."""

PAGE_MOVEMENTS: Final = 50
PAGE_MOVEMENTS_MAX: Final = 1_000


class WalletService(pb_grpc.WalletServiceServicer):
    """Accounts of players."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._ledger = LedgerWallet(runtime.pool)
        self._operators: Wallets | None = runtime.take(WALLET) if runtime.has(WALLET) else None
        self._journal = Journal(runtime.pool)

    async def FundAccount(self, request: Any, context: Any) -> pb.FundAccountResponse:  # noqa: N802, ARG002
        """Put money into an account."""
        answer = await self._ledger.move(_movement(request, FUND))
        if not answer.done:
            raise InvalidCommand("the deposit can't be made", fields=[_FAULTS[answer.reason]])
        return pb.FundAccountResponse(
            balance_minor=answer.balance_minor, duplicate=answer.duplicate
        )

    async def CreditAccount(self, request: Any, context: Any) -> pb.CreditAccountResponse:  # noqa: N802, ARG002
        """Give a player what a settlement owes him; where the wallet refuses, say so."""
        answer = await self._ask(request, CREDIT)
        return pb.CreditAccountResponse(
            balance_minor=answer.balance_minor or 0,
            duplicate=answer.duplicate,
            outcome=answer.outcome,
            reason=answer.reason,
        )

    async def ReverseAccount(self, request: Any, context: Any) -> pb.ReverseAccountResponse:  # noqa: N802, ARG002
        """Take back what was paid too much; where the account holds too little, say so."""
        answer = await self._ask(request, REVERSE)
        return pb.ReverseAccountResponse(
            done=answer.done,
            balance_minor=answer.balance_minor or 0,
            duplicate=answer.duplicate,
            outcome=answer.outcome,
            reason=answer.reason,
        )

    async def _ask(self, request: Any, verb: str) -> Answer:
        """Ask the table's wallet, once. Of the operator's, what was asked is written down first.

        What its wallet has confirmed before it is not asked for again: done stays done.
        """
        movement = _movement(request, verb)
        if not self._is_elsewhere(movement.operator, test=request.test):
            return await ask(self._ledger, movement)
        status, _ = await self._journal.status(movement.movement_id)
        if status == DONE:
            return Answer(movement_id=movement.movement_id, outcome=DONE, duplicate=True)
        entry = Entry(
            movement=movement,
            command_id="",
            cause="",
            depth=0,
            traceparent=telemetry.current_traceparent(),
            at_us=self.runtime.clock.now_us(),
            test=request.test,
        )
        await self._journal.ask([entry], own=False)
        assert self._operators is not None, "money that is elsewhere has a wallet"
        answer = await ask(self._operators, movement)
        await self._journal.answered(answer, cause=entry.cause, pause_s=0)
        return answer

    async def GetBalance(self, request: Any, context: Any) -> pb.GetBalanceResponse:  # noqa: N802, ARG002
        """What is in an account."""
        _check_own(request.player)
        operator = _operator(request)
        wallet: Wallet = self._ledger
        if self._operators is not None and self._is_elsewhere(operator):
            wallet = self._operators.of(operator)
        found = await wallet.balance(request.player, request.currency)
        if found is None:
            raise Unavailable("the operator's wallet does not answer", reason="WALLET")
        return pb.GetBalanceResponse(balance_minor=found)

    async def ListMovements(self, request: Any, context: Any) -> pb.ListMovementsResponse:  # noqa: N802, ARG002
        """The movements of an account, oldest first: of the ledger, or what the operator's did."""
        _check_own(request.player)
        size = min(request.page_size or PAGE_MOVEMENTS, PAGE_MOVEMENTS_MAX)
        after = int(request.page_token or "0")
        rows = await self.runtime.pool.fetch(
            f"select * from ({self._listed(_operator(request))}) as m where player = $1 and currency = $2 "  # noqa: S608
            "and status = 'DONE' and number > $3 order by number limit $4",
            request.player,
            request.currency,
            after,
            size,
        )
        response = pb.ListMovementsResponse(movements=[_message(row) for row in rows])
        if len(rows) == size:
            response.next_page_token = str(rows[-1]["number"])
        return response

    async def ExportMovements(  # noqa: N802
        self,
        request: Any,
        context: Any,  # noqa: ARG002
    ) -> AsyncIterator[pb.ExportMovementsResponse]:
        """All movements in order, in pages: no transaction stays open while the caller reads."""
        after = 0
        operator = request.operator if request.HasField("operator") else None
        listed = LEDGER_ROWS if self._operators is None else OPERATOR_ROWS
        if operator is not None:
            listed = self._listed(operator)
        while True:
            rows = await self.runtime.pool.fetch(
                f"select * from ({listed}) as m where number > $1 "  # noqa: S608
                "and ($2 = 0 or moved_at_us >= $2) and ($3 = 0 or moved_at_us < $3) "
                "and ($4::text is null or operator = $4) order by number limit $5",
                after,
                request.from_us,
                request.until_us,
                operator,
                PAGE_MOVEMENTS_MAX,
            )
            yield pb.ExportMovementsResponse(movements=[_message(row) for row in rows])
            if len(rows) < PAGE_MOVEMENTS_MAX:
                return
            after = rows[-1]["number"]

    def _is_elsewhere(self, operator: str, *, test: bool = False) -> bool:
        return is_elsewhere(self.runtime.settings.wallet, operator, test=test)

    def _listed(self, operator: str) -> str:
        return OPERATOR_ROWS if self._is_elsewhere(operator) else LEDGER_ROWS


def _message(row: Any) -> pb.Movement:
    return pb.Movement(
        movement_id=row["movement_id"].removeprefix(FUNDED),
        kind=row["kind"],
        amount_minor=row["amount_minor"],
        balance_minor=row["balance_minor"],
        table_id=row["table_id"],
        coup_id=row["coup_id"],
        moved_at_us=row["moved_at_us"],
        player=row["player"],
        currency=row["currency"],
        wager_id=row["wager_id"],
        cancels=row["cancels"],
        status=row["status"],
        operator=row["operator"],
    )


def _operator(request: Any) -> str:
    """Whose wallet an account is in: a player's token says so, others name it."""
    caller = identity()
    if caller.actor.role == PLAYER:
        return caller.context.get("operator", "")
    return str(getattr(request, "operator", ""))


def _check_own(player: str) -> None:
    """Let a player look into no account but his own."""
    actor = identity().actor
    if not may_see(actor, player):
        raise PermissionDenied(f"{actor.id} may not look into this account", reason="ROLE")


def _check(request: Any, verb: str) -> None:
    faults = []
    least = 0 if verb == CREDIT else 1  # a lost wager may be a credit of zero
    # What is won is a multiple of the stake: only what an account can hold bounds it.
    most = DEPOSIT_MINOR_MAX if verb == FUND else BALANCE_MINOR_MAX
    if not least <= request.amount_minor <= most:
        faults.append(FieldFault("amount_minor", f"{least} to {most} minor units"))
    try:
        currency_exponent(request.currency)
    except ValueError as error:
        faults.append(FieldFault("currency", str(error)))
    if faults:
        raise InvalidCommand("no such movement of money can be", fields=faults)


_FAULTS: Final = {
    BALANCE_MAXIMUM: FieldFault("amount_minor", "is more than the account can hold"),
    CONFLICT: FieldFault("movement_id", "was used before, for another movement"),
}


def _context(request: Any) -> PlayerContext | None:
    """What a payment says of its player; a deposit says nothing."""
    if "context" not in request.DESCRIPTOR.fields_by_name or not request.HasField("context"):
        return None
    told = request.context
    return PlayerContext(**{each.name: getattr(told, each.name) for each in fields(PlayerContext)})


def _movement(request: Any, verb: str) -> Movement:
    """The movement that a call asks for; raises `InvalidCommand` where it is not complete."""
    _check(request, verb)
    return Movement(
        movement_id=(FUNDED if verb == FUND else "") + request.movement_id,
        player=request.player,
        currency=request.currency,
        verb=verb,
        amount_minor=request.amount_minor,
        table_id=getattr(request, "table_id", ""),
        coup_id=getattr(request, "coup_id", ""),
        wager_id=getattr(request, "wager_id", ""),
        context=_context(request),
        parts=tuple(
            Part(wager_id=each.wager_id, area=each.area, amount_minor=each.amount_minor)
            for each in getattr(request, "wagers", ())
        ),
    )
