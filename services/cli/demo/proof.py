"""The proof: every coup once more from the log, and the books against the wallet.

The sums here are the demo's own: of the answers that players got, and of the movements of their
accounts. None of the services' totals is believed.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import io
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from sabot.settlement.v1 import settlement_service_pb2 as settlement
from sabot.wager.v1 import wallet_service_pb2 as wallet
from services.cli.demo.dealing import Played, PlayedCoup
from services.cli.demo.desk import Pauses, called
from services.cli.demo.floor import Books
from services.cli.wallet import exported, lines_of
from services.contracts.core import Actor
from services.devstack.operator import SimulatedWallet
from services.tablelog.calls import Services
from services.wager.comparing import differences

AUDITOR: Final = Actor("aurora", "AUDITOR")
PAGE: Final = 500
REBUILDS_AT_ONCE: Final = 3
NOT_REACHED: Final = "has not reached"
"""A projection that is still on its way is looked at again."""


@dataclasses.dataclass(slots=True)
class TableProof:
    """What was found of one table."""

    played: Played
    books: Books = dataclasses.field(default_factory=Books)
    wagers: int = 0
    lost: int = 0
    """Stakes of lost wagers, minor units."""

    cancelled: int = 0
    rebuilt: int = 0
    nets: dict[tuple[str, str], int] = dataclasses.field(default_factory=dict)
    """By coup and player: what the coup moved in his account, after the answers."""

    digests: dict[str, str] = dataclasses.field(default_factory=dict)
    """By coup: digest of its evidence."""

    faults: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Proof:
    """What was found of all."""

    tables: list[TableProof] = dataclasses.field(default_factory=list)
    stored_events: int = 0
    deposits: dict[str, int] = dataclasses.field(default_factory=dict)
    balances: dict[str, int] = dataclasses.field(default_factory=dict)
    movements: int = 0
    operated: bool = False
    """The money is in an operator's wallet, and deposits are no movements of Sabot's."""

    @property
    def faults(self) -> list[str]:
        """Everything that does not agree; empty when all is well."""
        return [fault for table in self.tables for fault in table.faults]

    @property
    def digest(self) -> str:
        """SHA-256 over the evidence of all coups, in the order of their ids."""
        all_coups = {coup: each for table in self.tables for coup, each in table.digests.items()}
        lines = "".join(f"{coup} {all_coups[coup]}\n" for coup in sorted(all_coups))
        return hashlib.sha256(lines.encode()).hexdigest()


async def prove(
    services: Services, played: Sequence[Played], operator: SimulatedWallet | None = None
) -> Proof:
    """Look at every coup and every account, and at the operator's own list where he has the money."""
    proof = Proof(operated=operator is not None)
    for each in played:
        await _settled(services, each.plan.table_id)
    proof.tables = list(await asyncio.gather(*(_table(services, each) for each in played)))
    for table in proof.tables:
        await _accounts(services, table, proof)
    if operator is not None and proof.tables:
        proof.tables[0].faults += await _against(services, operator)
    readings = [await services.progress(each.plan.table_id) for each in played]
    names = readings[0] if readings else {}
    proof.stored_events = sum(max(r[name].own_position for r in readings) for name in names)
    return proof


async def _settled(services: Services, table_id: str) -> None:
    """Payments are delivered after the coup: wait until none is on its way."""
    pauses = Pauses(f"the payments of {table_id}")
    while True:
        progress = await services.progress(table_id)
        parked = [why for reading in progress.values() for why in reading.parked]
        if parked or not any(reading.open_wallet_movements for reading in progress.values()):
            return
        await pauses.next()


async def _table(services: Services, played: Played) -> TableProof:
    table = TableProof(played)
    progress = await services.progress(played.plan.table_id)
    for name, reading in progress.items():
        table.faults += [f"{name} has parked {what}" for what in reading.parked]
    gate = asyncio.Semaphore(REBUILDS_AT_ONCE)

    async def one(coup: PlayedCoup) -> None:
        async with gate:
            await _rebuild(services, table, coup)

    await asyncio.gather(*(one(coup) for coup in played.coups))
    shown = await _coups(services, played.plan.table_id)
    if sorted(shown) != sorted(coup.coup_id for coup in played.coups):
        table.faults.append(f"the projection lists {sorted(shown)}")
    for coup in played.coups:
        if coup.coup_id in shown:
            compare(table, coup, shown[coup.coup_id])
    return table


async def _rebuild(services: Services, table: TableProof, coup: PlayedCoup) -> None:
    """Fold the coup from the log; the service compares it with its projection."""
    request = settlement.RebuildCoupRequest(coup_id=coup.coup_id)
    pauses = Pauses(f"the projection of {coup.coup_id}")
    while True:
        answer = await called(services, "settlement", "RebuildCoup", AUDITOR, request)
        differences = list(answer.differences)
        if not any(NOT_REACHED in each for each in differences) or pauses.over():
            break
        await pauses.next()
    table.digests[coup.coup_id] = answer.digest
    if hashlib.sha256(answer.evidence).hexdigest() != answer.digest:
        differences.append("the digest is not that of the evidence")
    if answer.matches and not differences:
        table.rebuilt += 1
    table.faults += [f"{coup.coup_id}: {each}" for each in differences]
    if not answer.matches and not differences:
        table.faults.append(f"{coup.coup_id}: does not match its projection")


async def _coups(services: Services, table_id: str) -> dict[str, Any]:
    """All coups of the table as the projection has them."""
    found: dict[str, Any] = {}
    token = ""
    while True:
        request = settlement.ListCoupsRequest(table_id=table_id, page_size=PAGE, page_token=token)
        page = await called(services, "settlement", "ListCoups", AUDITOR, request)
        found.update({coup.coup_id: coup for coup in page.coups})
        token = page.next_page_token
        if not token:
            return found


def compare(table: TableProof, coup: PlayedCoup, shown: Any) -> None:
    """What those at the table saw and were told, against what the projection says."""
    say = table.faults.append
    if shown.status != "SETTLED":
        say(f"{coup.coup_id}: is {shown.status}")
    if [*shown.player] != coup.player or [*shown.banker] != coup.banker:
        say(
            f"{coup.coup_id}: scanned {coup.player} {coup.banker}, shown {shown.player} "
            f"{shown.banker}"
        )
    by_id = {wager.wager_id: wager for wager in shown.wagers}
    if sorted(by_id) != sorted(wager.wager_id for wager in coup.wagers):
        say(f"{coup.coup_id}: the wagers are {sorted(by_id)}")
    for placed in coup.wagers:
        wager = by_id.get(placed.wager_id)
        if wager is None:
            continue
        wanted = (placed.player, placed.area, placed.stake_minor, placed.cancelled)
        is_now = (wager.player, wager.area, wager.stake_minor, wager.outcome == "CANCELLED")
        if wanted != is_now:
            say(f"{coup.coup_id}/{placed.wager_id}: answered {wanted}, shown {is_now}")
        _book(table, coup, wager)


def _book(table: TableProof, coup: PlayedCoup, wager: Any) -> None:
    """Add a wager to the demo's books."""
    if wager.outcome == "CANCELLED":
        table.cancelled += 1
        if wager.returned_minor != wager.stake_minor or wager.winnings_minor:
            table.faults.append(f"{coup.coup_id}/{wager.wager_id}: not given back whole")
        return
    table.wagers += 1
    back = wager.returned_minor
    place = (coup.coup_id, wager.player)
    net = back + wager.winnings_minor - wager.stake_minor
    table.nets[place] = table.nets.get(place, 0) + net
    whole = {"WON": back == wager.stake_minor, "PUSH": back == wager.stake_minor, "LOST": not back}
    if not whole.get(wager.outcome, False) or (wager.outcome != "WON" and wager.winnings_minor):
        table.faults.append(f"{coup.coup_id}/{wager.wager_id}: {wager.outcome} gives {back} back")
    table.books.staked += wager.stake_minor
    table.books.returned += back
    table.books.winnings += wager.winnings_minor
    table.books.commission += Fraction(wager.commission_exact)
    table.lost += wager.stake_minor if wager.outcome == "LOST" else 0


async def _accounts(services: Services, table: TableProof, proof: Proof) -> None:
    """Every account of the table's players: its movements, its balance, and what they should be."""
    currency = table.played.plan.currency
    moved: dict[tuple[str, str], int] = {}
    deposits = balances = 0
    for player, deposit in table.played.deposits.items():
        deposits += deposit
        movements = await _movements(services, player, currency)
        proof.movements += len(movements)
        request = wallet.GetBalanceRequest(player=player, currency=currency)
        answer = await called(services, "wallet", "GetBalance", AUDITOR, request)
        balance = answer.balance_minor
        balances += balance
        funded = sum(m.amount_minor for m in movements if m.kind == "FUND")
        outside = deposit if proof.operated else 0
        moved_in_all = sum(m.amount_minor for m in movements)
        if funded + outside != deposit or moved_in_all + outside != balance:
            table.faults.append(f"the account of {player} does not add up to {balance}")
        for movement in movements:
            if movement.coup_id:
                place = (movement.coup_id, player)
                moved[place] = moved.get(place, 0) + movement.amount_minor
    house = table.books.house
    books = table.books
    if books.staked != books.returned + table.lost or house != table.lost - books.winnings:
        table.faults.append(
            f"{table.played.plan.table_id}: of {books.staked} staked {books.returned} went back and "
            f"{table.lost} was lost"
        )
    if deposits - balances != house:
        table.faults.append(
            f"{table.played.plan.table_id}: accounts are down by {deposits - balances}, the house "
            f"is up by {house}"
        )
    for place in sorted({*moved, *table.nets}):
        paid, owed = moved.get(place, 0), table.nets.get(place, 0)
        if paid != owed:
            table.faults.append(f"{place[0]}: moved {paid} for {place[1]}, answered was {owed}")
    proof.deposits[currency] = proof.deposits.get(currency, 0) + deposits
    proof.balances[currency] = proof.balances.get(currency, 0) + balances


async def _against(services: Services, operator: SimulatedWallet) -> list[str]:
    """The operator's list of movements against Sabot's."""
    text = await asyncio.to_thread(operator.movements)
    theirs = lines_of(io.StringIO(text), "the operator's list")
    found = differences(await exported(services, from_us=0, until_us=0), theirs)
    return [f"{each.kind} {each.key}: {each.problem}" for each in found]


async def _movements(services: Services, player: str, currency: str) -> list[Any]:
    found: list[Any] = []
    token = ""
    while True:
        request = wallet.ListMovementsRequest(
            player=player, currency=currency, page_size=PAGE, page_token=token
        )
        page = await called(services, "wallet", "ListMovements", AUDITOR, request)
        found += page.movements
        token = page.next_page_token
        if not token:
            return found
