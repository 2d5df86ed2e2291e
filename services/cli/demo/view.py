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

from services.cli.demo.floor import Floor, TableView, WagerView, amount, face
from services.cli.demo.plan import TablePlan
from services.rules.hands import points

HEIGHT_MAX: Final = 46
HEIGHT_MIN: Final = 20
HEADER_LINES: Final = 3
PANEL_LINES: Final = 10
"""Lines of a panel beside its wagers."""

WAGER_LINES_MAX: Final = 8
NEWS_LINES_MIN: Final = 3
BAR_CELLS: Final = 26
SECOND_US: Final = 1_000_000

COLOURS: Final = {"PLAYER": "bright_blue", "BANKER": "bright_red", "TIE": "bright_green"}
OUTCOMES: Final = {"WON": "bright_green", "LOST": "red", "PUSH": "yellow"}
SERVICES: Final = {"shoe": "cyan", "round": "white", "wager": "magenta", "settlement": "green"}
PHASES: Final = {
    "": "–",
    "BETTING": "betting is open",
    "CLOSED": "no more bets",
    "DEALING": "dealing",
    "RESULT": "settlement",
    "OVER": "settled and closed",
}


class View:
    """Draws the floor for a terminal."""

    def __init__(self, console: Console, floor: Floor, plans: Sequence[TablePlan]) -> None:
        self._console = console
        self._floor = floor
        self._plans = plans
        self._began = time.monotonic()
        self.note = ""

    def render(self) -> RenderableType:
        """The whole picture, as large as the terminal allows."""
        height = max(min(self._console.height - 1, HEIGHT_MAX), HEIGHT_MIN)
        rows = (len(self._plans) + 1) // 2
        news = max(height - HEADER_LINES - rows * (PANEL_LINES + WAGER_LINES_MAX) - 2, 0)
        news = max(news, NEWS_LINES_MIN)
        panel = max((height - HEADER_LINES - news - 2) // rows, 6)
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
        return Group(grid, bar, Text(self.note, style="bright_black"))

    def _row(self, row: int, lines: int) -> RenderableType:
        layout = Layout()
        plans = self._plans[2 * row : 2 * row + 2]
        layout.split_row(*(Layout(self._panel(plan, lines)) for plan in plans))
        return layout

    def _panel(self, plan: TablePlan, lines: int) -> RenderableType:
        view = self._floor.tables.get(plan.table_id) or TableView(plan.table_id)
        colour = COLOURS.get(view.winner, "bright_black") if view.open else "bright_black"
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
    body: list[RenderableType] = [
        _shoe(view),
        _coup(view),
        _hand("PLAYER", view.player, view),
        _hand("BANKER", view.banker, view),
        _result(view),
    ]
    below = [_books(view), _road(view, plan)]
    room = lines - len(body) - len(below)
    body += _wagers(list(view.wagers.values()), view.currency, max(room, 0))
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
        line.append("  last coup" if view.coup >= view.last_coup else "  cut card", "bright_yellow")
    return line


def _coup(view: TableView) -> RenderableType:
    line = Text(no_wrap=True, overflow="ellipsis")
    line.append("coup ", style="bright_black")
    line.append(str(view.coup or "–"), style="bold")
    line.append("  ")
    if view.phase == "BETTING" and view.closes_at_us is not None:
        left = max(view.closes_at_us / SECOND_US - time.time(), 0.0)
        line.append(f"betting closes in {left:.1f} s", style="bright_green")
    else:
        style = "bright_green" if view.phase == "BETTING" else ""
        line.append(PHASES.get(view.phase, view.phase.lower()), style=style)
    return line


def _hand(name: str, held: list[str], view: TableView) -> RenderableType:
    line = Text(no_wrap=True, overflow="ellipsis")
    won = view.winner == name
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
    if view.natural and len(held) == 2 and points(held) >= 8:
        line.append("  natural", style="bright_yellow")
    return line


def _result(view: TableView) -> RenderableType:
    if not view.winner:
        return Text("")
    line = Text()
    said = "TIE" if view.winner == "TIE" else f"{view.winner} WINS"
    line.append(said, style=f"bold {COLOURS[view.winner]}")
    return line


def _wagers(wagers: Sequence[WagerView], currency: str, room: int) -> list[RenderableType]:
    shown = list(wagers)
    more = 0
    if len(shown) > room:
        more = len(shown) - max(room - 1, 0)
        shown = shown[: max(room - 1, 0)]
    lines: list[RenderableType] = []
    for wager in shown:
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append(f"{wager.player:<6}", style="bright_white")
        line.append(f"{amount(wager.stake_minor, currency):>10}")
        line.append(f" {wager.area.lower().replace('_', ' '):<12}", COLOURS.get(wager.area, ""))
        if wager.outcome:
            line.append(f"{wager.outcome.lower():<5}", style=OUTCOMES.get(wager.outcome, ""))
            if wager.paid_minor:
                line.append(f"{amount(wager.paid_minor, currency):>10}")
        lines.append(line)
    if more and room:
        lines.append(Text(f"and {more} more", style="bright_black"))
    return lines


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
