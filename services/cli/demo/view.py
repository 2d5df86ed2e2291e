"""The live view: one panel a table, a bar over all, and the latest events with their clauses."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.layout import Layout
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from services.cli.demo.floor import CoupView, Floor, TableView, WagerView, face
from services.cli.demo.plan import TablePlan
from services.rules.amounts import amount
from services.rules.hands import points

HEIGHT_MAX: Final = 54
HEIGHT_MIN: Final = 20
HEADER_LINES: Final = 2
PANEL_LINES: Final = 8
"""Lines of a panel beside its wagers."""

WAGER_LINES_MAX: Final = 6
NEWS_LINES_MIN: Final = 2
NEWS_SHARE: Final = 7
"""One line in so many is the ticker's."""
BAR_CELLS: Final = 22
SECOND_US: Final = 1_000_000

COLOURS: Final = {"PLAYER": "bright_blue", "BANKER": "bright_red", "TIE": "bright_green"}
OUTCOMES: Final = {"WON": "bright_green", "LOST": "red", "PUSH": "yellow"}
SERVICES: Final = {"shoe": "cyan", "round": "white", "wager": "magenta", "settlement": "green"}
PHASES: Final = {
    "": "–",
    "CLOSED": "no more bets",
    "DEALING": "dealing",
    "RESULT": "settlement",
    "OVER": "settled",
}


class View:
    """Draws the floor for a terminal."""

    def __init__(self, console: Console, floor: Floor, plans: Sequence[TablePlan]) -> None:
        self._console = console
        self._floor = floor
        self._plans = plans
        self._began = time.monotonic()

    def render(self) -> RenderableType:
        """The whole picture, as large as the terminal allows."""
        height = max(min(self._console.height - 1, HEIGHT_MAX), HEIGHT_MIN)
        rows = (len(self._plans) + 1) // 2
        news = max(height // NEWS_SHARE - 1, NEWS_LINES_MIN)
        room = (height - HEADER_LINES - news - 2) // rows
        panel = max(min(room, PANEL_LINES + WAGER_LINES_MAX), PANEL_LINES - 1)
        news = max(height - HEADER_LINES - rows * panel - 2, news)
        layout = Layout()
        layout.split_column(
            Layout(self._header(), size=HEADER_LINES),
            *(Layout(self._row(row, panel), size=panel) for row in range(rows)),
            Layout(self._ticker(news), size=news + 2),
        )
        lines = HEADER_LINES + rows * panel + news + 2
        return _Cut(layout, lines)

    def _header(self) -> RenderableType:
        total = sum(plan.coups for plan in self._plans)
        done = self._floor.coups
        title = Text.assemble(
            ("SABOT", "bold bright_yellow"),
            ("  recorded shoes, played live through four services", "bright_black"),
        )
        told = Text.assemble(
            (f"{done}", "bold"),
            f" of {total} coups   ",
            (f"{self._floor.events:,}", "bold"),
            " events   ",
            (f"{time.monotonic() - self._began:.0f} s", "bold"),
            justify="right",
        )
        grid = Table.grid(expand=True)
        grid.add_column(ratio=1, no_wrap=True)
        grid.add_column(justify="right", no_wrap=True)
        grid.add_row(title, told)
        bar = ProgressBar(
            total=max(total, 1),
            completed=done,
            complete_style="bright_yellow",
            finished_style="bright_green",
        )
        return Group(grid, bar)

    def _row(self, row: int, lines: int) -> RenderableType:
        layout = Layout()
        plans = self._plans[2 * row : 2 * row + 2]
        layout.split_row(*(Layout(self._panel(plan, lines)) for plan in plans))
        return layout

    def _panel(self, plan: TablePlan, lines: int) -> RenderableType:
        view = self._floor.tables.get(plan.table_id) or TableView(plan.table_id)
        colour = COLOURS.get(view.coup.winner, "bright_black") if view.open else "bright_black"
        title = Text.assemble(
            (f" {plan.table_id} ", "bold"), (plan.rulebook_id, "bright_yellow"), " "
        )
        dealer = f" {view.dealer or plan.dealer} deals " if view.open else " closed "
        return Panel(
            Group(*_body(view, plan, lines - 2)),
            title=title,
            title_align="left",
            subtitle=Text(dealer, style="bright_black"),
            subtitle_align="right",
            border_style=colour,
            padding=(0, 1),
        )

    def _ticker(self, lines: int) -> RenderableType:
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(no_wrap=True, width=2)
        grid.add_column(no_wrap=True, width=10)
        grid.add_column(no_wrap=True, ratio=1)
        grid.add_column(no_wrap=True, justify="right")
        for news in list(self._floor.news)[-lines:]:
            grid.add_row(
                Text(news.table_id, style="bold"),
                Text(news.service, style=SERVICES[news.service]),
                Text(news.text, overflow="ellipsis"),
                Text(" ".join(news.clauses[:3]), style="bright_black"),
            )
        return Panel(
            grid,
            title=" events from the log, with the clauses that they rest on ",
            title_align="left",
            border_style="bright_black",
            padding=(0, 1),
        )


class _Cut:
    """A layout of so many lines, instead of the whole screen."""

    def __init__(self, layout: Layout, lines: int) -> None:
        self._layout = layout
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wanted = options.update(height=self._lines)
        yield from console.render(self._layout, wanted)


def _body(view: TableView, plan: TablePlan, lines: int) -> list[RenderableType]:
    coup = view.coup
    body: list[RenderableType] = [
        _shoe(view),
        _coup(view),
        _hand("PLAYER", coup.player, coup),
        _hand("BANKER", coup.banker, coup),
    ]
    below = [_books(view), _road(view, plan)]
    room = lines - len(body) - len(below)
    body += _wagers(list(coup.wagers.values()), view.currency, max(room, 0))
    body += [Text("")] * (lines - len(body) - len(below))
    return [*body, *below][:lines]


def _shoe(view: TableView) -> RenderableType:
    if not view.shoe_id:
        return Text("the cards are being prepared", style="bright_black")
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append("shoe ", style="bright_black")
    cells = view.shoe_cards
    used = round(BAR_CELLS * view.drawn / cells)
    cut = None if view.cuts_after is None else round(BAR_CELLS * view.cuts_after / cells)
    for cell in range(BAR_CELLS):
        if cell == cut:
            line.append("│", style="bold bright_yellow")
        else:
            line.append(
                "█" if cell < used else "░", style="cyan" if cell < used else "bright_black"
            )
    line.append(f" {view.drawn}", style="bold")
    line.append(f"/{view.shoe_cards}, {view.burned} burned", style="bright_black")
    if view.last_coup is not None:
        line.append(
            "  last coup" if view.coup.number >= view.last_coup else "  cut card", "bright_yellow"
        )
    return line


def _coup(view: TableView) -> RenderableType:
    coup = view.coup
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append("coup ", style="bright_black")
    line.append(f"{coup.number or '–':<3}", style="bold")
    if coup.winner:
        said = "TIE" if coup.winner == "TIE" else f"{coup.winner} WINS"
        line.append(f"{said}  ", style=f"bold {COLOURS[coup.winner]}")
    if coup.phase == "BETTING" and coup.closes_at_us is not None:
        left = max(coup.closes_at_us / SECOND_US - time.time(), 0.0)
        line.append(f"betting closes in {left:.1f} s", style="bright_green")
    elif coup.phase == "BETTING":
        line.append("betting is open", style="bright_green")
    else:
        line.append(PHASES.get(coup.phase, coup.phase.lower()), style="bright_black")
    return line


def _hand(name: str, held: list[str], coup: CoupView) -> RenderableType:
    line = Text(no_wrap=True, overflow="ellipsis")
    won = coup.winner == name
    line.append(f"{name:<7}", style=f"bold {COLOURS[name]}" if won else COLOURS[name])
    for place in range(3):
        if place < len(held):
            red = held[place][1] in "HD"
            style = "bold red on white" if red else "bold black on white"
            line.append(" ")
            line.append(f"{face(held[place]):>3} ", style=style)
        else:
            line.append("     ")
    if held:
        line.append(f"  {points(held)}", style="bold")
    if coup.natural and len(held) == 2 and points(held) >= 8:
        line.append("  natural", style="bright_yellow")
    return line


def _wagers(wagers: Sequence[WagerView], currency: str, room: int) -> list[RenderableType]:
    """A line a player: what he staked, in the colour of what became of it, and what he was paid."""
    by_player: dict[str, list[WagerView]] = {}
    for wager in wagers:
        by_player.setdefault(wager.player, []).append(wager)
    lines: list[RenderableType] = [
        _slip(player, mine, currency) for player, mine in sorted(by_player.items())
    ]
    if len(lines) > room:
        hidden = len(lines) - max(room - 1, 0)
        lines = [*lines[: max(room - 1, 0)], Text(f"and {hidden} more", style="bright_black")]
    return lines[:room]


def _slip(player: str, wagers: Sequence[WagerView], currency: str) -> RenderableType:
    staked = Text(no_wrap=True, overflow="ellipsis")
    for place, wager in enumerate(wagers):
        staked.append(" · " if place else "", style="bright_black")
        said = f"{amount(wager.stake_minor, currency)} {wager.area.lower().replace('_', ' ')}"
        staked.append(said, style=OUTCOMES.get(wager.outcome, ""))
    decided = all(wager.outcome for wager in wagers)
    paid = sum(wager.paid_minor for wager in wagers)
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(no_wrap=True, width=5)
    grid.add_column(no_wrap=True, ratio=1)
    grid.add_column(no_wrap=True, justify="right")
    told = Text(amount(paid, currency), style="bright_green") if decided and paid else Text("")
    grid.add_row(Text(player, style="bright_white"), staked, told)
    return grid


def _books(view: TableView) -> RenderableType:
    books, currency = view.books, view.currency
    line = Text(no_wrap=True, overflow="ellipsis")
    for name, value in (("staked", books.staked), ("paid", books.paid)):
        line.append(f"{name} ", style="bright_black")
        line.append(f"{amount(value, currency)}  ")
    line.append("house ", style="bright_black")
    style = "bright_green" if books.house >= 0 else "bright_red"
    line.append(f"{amount(books.house, currency)} {currency}", style=f"bold {style}")
    return line


def _road(view: TableView, plan: TablePlan) -> RenderableType:
    line = Text(no_wrap=True, overflow="crop")
    for winner in view.road[-24:]:
        line.append("● ", style=COLOURS[winner])
    left = plan.coups - len(view.road)
    line.append("○ " * max(left, 0), style="bright_black")
    return line
