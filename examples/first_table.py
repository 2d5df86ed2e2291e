"""A first table in one go: open it, load a shoe, deposit, stake, deal, look, and rebuild the coup.

It uses the generated stubs of `proto/sabot` and nothing else of Sabot, as your own programs would.

    make up
    eval "$(make env)"
    .venv/bin/python examples/first_table.py

The table is in TEST mode, where the order of the cards can be given; docs/tutorial.md walks through
it.
"""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import grpc

from sabot.round.v1 import round_service_pb2, round_service_pb2_grpc
from sabot.settlement.v1 import settlement_service_pb2, settlement_service_pb2_grpc
from sabot.shoe.v1 import shoe_service_pb2, shoe_service_pb2_grpc
from sabot.wager.v1 import (
    wager_service_pb2,
    wager_service_pb2_grpc,
    wallet_service_pb2,
    wallet_service_pb2_grpc,
)

PATIENCE_S = 30.0
PAUSE_S = 0.1
DEADLINE_S = 10.0
TOO_EARLY = {"STATE", "BURN_OWED"}

# The first card is burned, and as many after it as it counts. Of the next four Player gets the first
# and the third, Banker the second and the fourth.
CARDS = ["2S", "7H", "4C", "3D", "KH", "2D", "4S", "5C", "9D", "JC", "6S", "8H"]

# Who acts. On a developer's machine the services believe what a caller says; elsewhere a token in
# the metadata `authorization` says it (SECURITY.md).
PIT = (("sabot-actor-id", "petra"), ("sabot-actor-role", "CASINO_SUPERVISOR"))
DEALER = (("sabot-actor-id", "dan"), ("sabot-actor-role", "DEALER"))
AUDITOR = (("sabot-actor-id", "aurora"), ("sabot-actor-role", "AUDITOR"))


def channel(service: str) -> grpc.Channel:
    """A connection to a service, at the address that `make env` prints."""
    variable = f"SABOT_{service.upper()}_TARGET"
    if variable not in os.environ:
        sys.exit(f'{variable} is not set: run  make up  and  eval "$(make env)"')
    return grpc.insecure_channel(os.environ[variable])


def carried_out(call: Any, request: Any, who: Any) -> Any:
    """Send a command until it is carried out, and end the program where the rules refuse it.

    Services hear of each other a moment later. One that has not heard yet answers UNAVAILABLE: the
    same command, with the same id, may be sent again at any time and is carried out once. A refusal
    is an answer and is stored with the id; asked once more, it is a new command.
    """
    deadline = time.monotonic() + PATIENCE_S
    request.meta.command_id = str(uuid.uuid4())
    while True:
        try:
            answer = call(request, metadata=who, timeout=DEADLINE_S)
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > deadline:
                raise
        else:
            if not answer.result.HasField("refusal"):
                return answer
            refusal = answer.result.refusal
            if refusal.reason not in TOO_EARLY or time.monotonic() > deadline:
                sys.exit(f"{refusal.reason}: {refusal.message} {list(refusal.clauses)}")
            request.meta.command_id = str(uuid.uuid4())
        time.sleep(PAUSE_S)


def until(look: Callable[[], Any], seen: Callable[[Any], bool], what: str) -> Any:
    """Look again and again, until it is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not seen(found := look()):
        if time.monotonic() > deadline:
            sys.exit(f"{what} did not come within {PATIENCE_S:g} s")
        time.sleep(PAUSE_S)
    return found


class Table:
    """One table, and the four services at which something is done about it."""

    def __init__(self, table_id: str) -> None:
        self.table_id = table_id
        self.player = f"{table_id}.ann"
        self.shoe = shoe_service_pb2_grpc.ShoeServiceStub(channel("shoe"))
        self.round = round_service_pb2_grpc.RoundServiceStub(channel("round"))
        self.wager = wager_service_pb2_grpc.WagerServiceStub(channel("wager"))
        self.wallet = wallet_service_pb2_grpc.WalletServiceStub(channel("wager"))
        self.settlement = settlement_service_pb2_grpc.SettlementServiceStub(channel("settlement"))

    def look(self) -> Any:
        """The table as the dealer sees it."""
        request = round_service_pb2.GetTableRequest(table_id=self.table_id)
        return self.round.GetTable(request, metadata=DEALER, timeout=DEADLINE_S)

    def open(self) -> None:
        """Open the table under a rulebook, give it a dealer, and load a shoe of a given order."""
        opening = round_service_pb2.OpenTableRequest(
            table_id=self.table_id,
            rulebook_id="nsw-mini",
            currency="EUR",
            mode="TEST",
            smallest_chip_minor=50,
        )
        limits = opening.limits["EUR"].areas["*"]
        limits.min_minor, limits.max_minor = 5_00, 50_00
        carried_out(self.round.OpenTable, opening, PIT)
        assigning = round_service_pb2.AssignDealerRequest(table_id=self.table_id, dealer="dan")
        carried_out(self.round.AssignDealer, assigning, PIT)
        loading = shoe_service_pb2.LoadShoeRequest(
            table_id=self.table_id,
            shoe_id=f"{self.table_id}-shoe",
            source="PRESET",
            partial=True,
            stands_for_preparation=True,
            order=CARDS,
        )
        carried_out(self.shoe.LoadShoe, loading, DEALER)

    def deposit(self, amount_minor: int) -> None:
        """Put money into the player's account; the key moves it once."""
        request = wallet_service_pb2.FundAccountRequest(
            movement_id=f"{self.table_id}-deposit",
            player=self.player,
            currency="EUR",
            amount_minor=amount_minor,
        )
        self.wallet.FundAccount(request, metadata=PIT, timeout=DEADLINE_S)

    def open_betting(self) -> str:
        """Open betting on the next coup; returns its id."""
        until(self.look, lambda seen: not seen.waits_for, "a shoe that is ready")
        request = round_service_pb2.OpenBettingRequest(table_id=self.table_id)
        carried_out(self.round.OpenBetting, request, DEALER)
        seen = until(self.look, lambda seen: seen.phase == "BETTING", "open betting")
        return str(seen.coup_id)

    def stake(self, coup_id: str, wager_id: str, area: str, amount_minor: int) -> None:
        """A player's wager: accepted with its debit, or rejected with a code."""
        request = wager_service_pb2.PlaceWagerRequest(
            table_id=self.table_id,
            wager_id=wager_id,
            player=self.player,
            area=area,
            amount_minor=amount_minor,
            coup_id=coup_id,
        )
        who = (("sabot-actor-id", self.player), ("sabot-actor-role", "PLAYER"))
        answer = carried_out(self.wager.PlaceWager, request, who)
        told = f"{wager_id}: {units(amount_minor)} on {area}: {answer.status} {answer.code}"
        print(told.rstrip())

    def deal(self) -> None:
        """End betting, then deal what the rules call for: no card before the book is closed."""
        calling = round_service_pb2.CallNoMoreBetsRequest(table_id=self.table_id)
        carried_out(self.round.CallNoMoreBets, calling, DEALER)
        dealing = round_service_pb2.DealCoupRequest(table_id=self.table_id)
        carried_out(self.round.DealCoup, dealing, DEALER)

    def coup(self, coup_id: str) -> Any:
        """The coup as queries see it; an empty one as long as they have not heard of it."""
        request = settlement_service_pb2.GetCoupRequest(coup_id=coup_id)
        try:
            return self.settlement.GetCoup(request, metadata=AUDITOR, timeout=DEADLINE_S).coup
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise
            return settlement_service_pb2.Coup()

    def balance(self) -> int:
        """What the player has, in minor units."""
        request = wallet_service_pb2.GetBalanceRequest(player=self.player, currency="EUR")
        answer = self.wallet.GetBalance(request, metadata=PIT, timeout=DEADLINE_S)
        return int(answer.balance_minor)

    def rebuilt(self, coup_id: str) -> Any:
        """The coup folded from the log alone, and compared with what is stored."""
        request = settlement_service_pb2.RebuildCoupRequest(coup_id=coup_id)
        return self.settlement.RebuildCoup(request, metadata=AUDITOR, timeout=DEADLINE_S)

    def close(self) -> None:
        """Close the table when its coup is over."""
        until(self.look, lambda seen: not seen.coup_id, "the end of the coup")
        request = round_service_pb2.CloseTableRequest(table_id=self.table_id)
        carried_out(self.round.CloseTable, request, PIT)


def units(minor: int | Fraction) -> str:
    """Euros and cents."""
    return f"{float(minor) / 100:.2f}"


def main() -> None:
    """The whole way of one coup."""
    table = Table(f"first-{uuid.uuid4().hex[:8]}")
    table.open()
    print(f"table {table.table_id} is open, the shoe is loaded")
    table.deposit(100_00)

    coup_id = table.open_betting()
    table.stake(coup_id, "w1", "BANKER", 20_00)
    table.stake(coup_id, "w2", "TIE", 5_00)
    table.stake(coup_id, "w3", "PLAYER", 10_00)  # against his own wager
    table.deal()

    coup = until(
        lambda: table.coup(coup_id), lambda seen: seen.status == "SETTLED", "the settled coup"
    )
    print(f"player {' '.join(coup.player)} = {coup.player_points}")
    print(f"banker {' '.join(coup.banker)} = {coup.banker_points}")
    print(f"winner {coup.winner}")
    wanted = 100_00
    for wager in coup.wagers:
        paid = wager.returned_minor + wager.winnings_minor
        wanted += paid - wager.stake_minor
        commission = units(Fraction(wager.commission_exact))
        print(f"{wager.wager_id}: {wager.outcome}, {units(paid)} paid, commission {commission}")
    balance = until(table.balance, lambda minor: minor == wanted, f"a balance of {units(wanted)}")
    print(f"balance {units(balance)} EUR")
    table.close()

    proof = until(
        lambda: table.rebuilt(coup_id),
        lambda rebuilt: rebuilt.matches,
        "a rebuild that equals what is stored",
    )
    print(f"rebuilt from the log, as stored; digest {proof.digest}")
    print(f"its story: .venv/bin/sabot rebuild {coup_id}")


if __name__ == "__main__":
    main()
