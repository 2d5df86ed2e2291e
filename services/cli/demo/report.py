"""What the demo prints: a line a coup in a pipe, the proof as a table, and the summary."""

from __future__ import annotations

import dataclasses
from collections import Counter
from fractions import Fraction
from typing import Final

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from services.cli.demo.floor import CoupView, TableView, hand
from services.cli.demo.proof import Proof, TableProof
from services.rules.amounts import amount, exact

RECORDED: Final = "services/cli/data/recorded/dalembert-on-punto.jsonl"
FAULTS_SHOWN_MAX: Final = 20


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long the parts took, seconds."""

    start_s: float
    play_s: float
    proof_s: float


def coup_line(view: TableView, coup: CoupView) -> str:
    """One coup for a pipe."""
    staked = sum(wager.stake_minor for wager in coup.wagers.values())
    paid = sum(wager.paid_minor for wager in coup.wagers.values())
    natural = ", natural" if coup.natural else ""
    wagers = "1 wager" if len(coup.wagers) == 1 else f"{len(coup.wagers)} wagers"
    return (
        f"{view.table_id} {view.rulebook_id} coup {coup.number}: player {hand(coup.player)}, "
        f"banker {hand(coup.banker)}: {coup.winner.lower()}{natural}; "
        f"{wagers}, staked {amount(staked, view.currency)}, "
        f"paid {amount(paid, view.currency)} {view.currency}"
    )


def show_proof(console: Console, proof: Proof) -> None:
    """The books by table, and what does not agree."""
    table = Table(
        title="The proof: every coup from the log, every account from its movements",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        title_justify="left",
        title_style="bold",
    )
    table.add_column("table", no_wrap=True)
    for name in ("rebuilt", "staked", "returned", "lost", "winnings", "commission", "house"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    table.add_column("verdict", no_wrap=True)
    for each in proof.tables:
        table.add_row(*_row(each))
    console.print(table)
    for currency in proof.deposits:
        console.print(_balance(proof, currency))
    for fault in proof.faults[:FAULTS_SHOWN_MAX]:
        console.print(Text(f"DIFFERS   {fault}", style="bold red"))
    hidden = len(proof.faults) - FAULTS_SHOWN_MAX
    if hidden > 0:
        console.print(Text(f"          and {hidden} more", style="bold red"))


def _row(each: TableProof) -> tuple[str | Text, ...]:
    plan, books = each.played.plan, each.books
    coups = len(each.played.coups)
    verdict = Text("balanced", "bold green") if not each.faults else Text("DIFFERS", "bold red")
    return (
        f"{plan.table_id} {plan.rulebook_id}",
        f"{each.rebuilt} of {coups}",
        amount(books.staked, plan.currency),
        amount(books.returned, plan.currency),
        amount(each.lost, plan.currency),
        amount(books.winnings, plan.currency),
        exact(books.commission, plan.currency),
        amount(books.house, plan.currency),
        plan.currency,
        verdict,
    )


def _balance(proof: Proof, currency: str) -> Text:
    """Deposits are in the accounts or with the house, to the minor unit."""
    deposits, balances = proof.deposits[currency], proof.balances[currency]
    house = sum(each.books.house for each in proof.tables if each.played.plan.currency == currency)
    agrees = deposits == balances + house
    said = (
        f"{currency}: deposits {amount(deposits, currency)} = accounts "
        f"{amount(balances, currency)} + house {amount(house, currency)}"
    )
    return Text(said, style="green") if agrees else Text(f"{said}: DIFFERS", style="bold red")


def show_summary(
    console: Console, proof: Proof, *, heard: int, times: Times, broker: str, pages: str = ""
) -> None:
    """The numbers of the whole demo, and how to go on; `pages` is where a console runs."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bright_black", no_wrap=True)
    grid.add_column()
    for name, told in _numbers(proof, heard, times, broker):
        grid.add_row(name, told)
    good = not proof.faults
    console.print(
        Panel(
            grid,
            title="all agrees" if good else f"{len(proof.faults)} differences",
            title_align="left",
            border_style="green" if good else "bold red",
            expand=False,
            padding=(0, 1),
        )
    )
    console.print("Nothing is left running. To go on:", style="bold")
    for what, command in (
        ("the same stack, to stay", "make up"),
        ("its tables in a browser", pages or "the console, whose address make up prints"),
        ("a recorded table through it", f".venv/bin/sabot play {RECORDED}"),
        ("and a coup of it, proven", ".venv/bin/sabot rebuild RUN.1.PB:1:1"),
        ("where everything lives", "ARCHITECTURE.md"),
    ):
        console.print(f"  {what:<28}  {command}", highlight=False, soft_wrap=True)


def _numbers(proof: Proof, heard: int, times: Times, broker: str) -> list[tuple[str, str]]:
    tables = proof.tables
    coups = sum(len(each.played.coups) for each in tables)
    rebuilt = sum(each.rebuilt for each in tables)
    planned = sum(each.played.plan.coups for each in tables)
    shortened = f"; {planned} were planned, this machine is slow" if coups < planned else ""
    dealt = sum(len(c.player) + len(c.banker) for each in tables for c in each.played.coups)
    gone = sum(sum(each.played.shoes.values()) for each in tables)
    shoes = sum(len(each.played.shoes) for each in tables)
    wagers = sum(each.wagers for each in tables)
    cancelled = sum(each.cancelled for each in tables)
    rejected: Counter[str] = Counter()
    for coup in (coup for each in tables for coup in each.played.coups):
        rejected.update(coup.rejected)
    why = ", ".join(f"{number} {reason}" for reason, number in rejected.most_common())
    money = [_money(proof, currency) for currency in proof.deposits]
    return [
        ("coups", f"{coups} at {len(tables)} tables, {shoes} shoes{shortened}"),
        ("cards", f"{gone} scanned: {dealt} dealt, {gone - dealt} burned"),
        ("wagers", f"{wagers} settled, {cancelled} taken back, rejected: {why or 'none'}"),
        *money,
        ("movements", f"{proof.movements} in the accounts of the players"),
        ("events", f"{proof.stored_events:,} stored, {heard:,} published and heard without a gap"),
        ("rebuilt", f"{rebuilt} of {coups} coups, each like its projection"),
        ("evidence", f"SHA-256 {proof.digest}"),
        ("broker", broker),
        (
            "time",
            f"{times.start_s:.0f} s to start, {times.play_s:.0f} to play, {times.proof_s:.1f} to prove",
        ),
    ]


def _money(proof: Proof, currency: str) -> tuple[str, str]:
    mine = [each for each in proof.tables if each.played.plan.currency == currency]
    staked = sum(each.books.staked for each in mine)
    paid = sum(each.books.paid for each in mine)
    commission = sum((each.books.commission for each in mine), Fraction())
    told = (
        f"{amount(staked, currency)} staked, {amount(paid, currency)} paid, "
        f"{exact(commission, currency)} commission, house {amount(staked - paid, currency)}"
    )
    return currency, told
