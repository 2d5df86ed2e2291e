"""The built-in ledger's calls."""

from __future__ import annotations

from typing import Any, Final

from sabot.wager.v1 import wallet_service_pb2 as pb
from sabot.wager.v1 import wallet_service_pb2_grpc as pb_grpc
from services.chassis.app import Runtime
from services.chassis.auth import identity
from services.chassis.rpc_errors import FieldFault, InvalidCommand, PermissionDenied
from services.contracts.access import may_see
from services.rules.currencies import currency_exponent
from services.wager.ledger import LedgerWallet
from services.wager.wallet import (
    BALANCE_MAXIMUM,
    CONFLICT,
    CREDIT,
    FUND,
    REVERSE,
    Movement,
    Wallet,
    ask,
)

AMOUNT_MINOR_MAX: Final = 10**15
FUNDED: Final = "/"
"""Before the keys of deposits, so that none can be that of a payment: those begin with a table."""

PAGE_MOVEMENTS: Final = 50
PAGE_MOVEMENTS_MAX: Final = 1_000


class WalletService(pb_grpc.WalletServiceServicer):
    """Accounts of players."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._ledger = LedgerWallet(runtime.pool)
        self._wallet: Wallet = self._ledger

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
        answer = await ask(self._wallet, _movement(request, CREDIT))
        return pb.CreditAccountResponse(
            balance_minor=answer.balance_minor or 0,
            duplicate=answer.duplicate,
            outcome=answer.outcome,
            reason=answer.reason,
        )

    async def ReverseAccount(self, request: Any, context: Any) -> pb.ReverseAccountResponse:  # noqa: N802, ARG002
        """Take back what was paid too much; where the account holds too little, say so."""
        answer = await ask(self._wallet, _movement(request, REVERSE))
        return pb.ReverseAccountResponse(
            done=answer.done,
            balance_minor=answer.balance_minor or 0,
            duplicate=answer.duplicate,
            outcome=answer.outcome,
            reason=answer.reason,
        )

    async def GetBalance(self, request: Any, context: Any) -> pb.GetBalanceResponse:  # noqa: N802, ARG002
        """What is in an account."""
        _check_own(request.player)
        found = await self._wallet.balance(request.player, request.currency)
        return pb.GetBalanceResponse(balance_minor=found or 0)

    async def ListMovements(self, request: Any, context: Any) -> pb.ListMovementsResponse:  # noqa: N802, ARG002
        """The movements of an account, oldest first."""
        _check_own(request.player)
        size = min(request.page_size or PAGE_MOVEMENTS, PAGE_MOVEMENTS_MAX)
        after = int(request.page_token or "0")
        rows = await self.runtime.pool.fetch(
            "select number, movement_id, kind, amount_minor, balance_minor, table_id, coup_id, "
            "(extract(epoch from moved_at) * 1000000)::bigint from movements "
            "where player = $1 and currency = $2 and number > $3 order by number limit $4",
            request.player,
            request.currency,
            after,
            size,
        )
        response = pb.ListMovementsResponse()
        for row in rows:
            response.movements.add(
                movement_id=row[1].removeprefix(FUNDED),
                kind=row[2],
                amount_minor=row[3],
                balance_minor=row[4],
                table_id=row[5],
                coup_id=row[6],
                moved_at_us=row[7],
            )
        if len(rows) == size:
            response.next_page_token = str(rows[-1][0])
        return response


_FAULTS: Final = {
    BALANCE_MAXIMUM: FieldFault("amount_minor", "is more than the account can hold"),
    CONFLICT: FieldFault("movement_id", "was used before, for another movement"),
}


def _movement(request: Any, verb: str) -> Movement:
    """The movement that a call asks for; raises `InvalidCommand` where it is not complete."""
    _check(request)
    return Movement(
        movement_id=(FUNDED if verb == FUND else "") + request.movement_id,
        player=request.player,
        currency=request.currency,
        verb=verb,
        amount_minor=request.amount_minor,
        table_id=getattr(request, "table_id", ""),
        coup_id=getattr(request, "coup_id", ""),
        wager_id=getattr(request, "wager_id", ""),
    )


def _check_own(player: str) -> None:
    """Let a player look into no account but his own."""
    actor = identity().actor
    if not may_see(actor, player):
        raise PermissionDenied(f"{actor.id} may not look into this account", reason="ROLE")


def _check(request: Any) -> None:
    faults = []
    if not 0 < request.amount_minor <= AMOUNT_MINOR_MAX:
        faults.append(FieldFault("amount_minor", f"1 to {AMOUNT_MINOR_MAX} minor units"))
    try:
        currency_exponent(request.currency)
    except ValueError as error:
        faults.append(FieldFault("currency", str(error)))
    if faults:
        raise InvalidCommand("no such movement of money can be", fields=faults)
