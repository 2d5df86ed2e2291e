"""The story of a rebuilt coup as lines for a person: what happened, the cards, the money."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, Final

from services.rules.amounts import amount, exact
from services.settlement.rebuild import Evidence
from services.settlement.story import Line, Story, StoryWager

_MINOR: Final = "_minor"
_EXACT: Final = "_exact"
_TOLD_ELSEWHERE: Final = frozenset({"clauses", "coup", "coup_id", "currency", "shoe_id"})
_FOR_MACHINES: Final = ("_us", "digest", "_version", "movement_id", "settlement_id")
_NOTHING: Final[tuple[Any, ...]] = (None, "", [], {})


def story_lines(evidence: Evidence) -> list[str]:
    """What happened in the order of time, then the cards, every wager and the sums by currency.

    The log has it in the order in which settlement heard of it; it decides where the time is one.
    """
    story = evidence.story
    happened = sorted(
        zip(evidence.lines, evidence.events, strict=True), key=lambda each: each[0].at_us
    )
    opened = dt.datetime.fromtimestamp(story.opened_at_us / 1_000_000, tz=dt.UTC)
    return [
        f"coup {story.number} of table {story.table_id}, shoe {story.shoe_id}, "
        f"{opened:%Y-%m-%d}: {story.status}" + (f" ({story.reason})" if story.reason else ""),
        f"rulebook  {story.rulebook_id} {story.rulebook_hash}",
        *(_happened(line, kept) for line, kept in happened),
        *_result(story),
        *map(_wager, story.wagers.values()),
        *_books(story),
    ]


def _happened(line: Line, kept: Mapping[str, Any]) -> str:
    at = dt.datetime.fromtimestamp(line.at_us / 1_000_000, tz=dt.UTC)
    details = ", ".join(_details(kept["event"]))
    told = line.what.replace("-", " ") + (f": {details}" if details else "")
    return f"{at:%H:%M:%S.%f} {line.service:<10} {told}{_clauses(line.clauses)}"


def _details(event: Mapping[str, Any]) -> Iterator[str]:
    """The fields of an event that a person can make something of, each with its name."""
    currency = event.get("currency") or ""
    for name, value in event.items():
        if name in _TOLD_ELSEWHERE or name.endswith(_FOR_MACHINES) or value in _NOTHING:
            continue
        word = name.removesuffix(_MINOR).removesuffix(_EXACT).replace("_", " ")
        if currency and name.endswith(_MINOR):
            yield f"{word} {amount(value, currency)} {currency}"
        elif currency and name.endswith(_EXACT):
            if value != "0" and name != "winnings_exact":  # beside `winnings_minor` it says no more
                rounded = event.get(name.removesuffix(_EXACT) + _MINOR)
                if rounded is None:
                    yield f"{word} {exact(value, currency)} {currency}"
                elif value != str(rounded):
                    yield f"exactly {exact(value, currency)} {currency}"
        elif isinstance(value, bool):
            yield f"{word} {'yes' if value else 'no'}"
        elif isinstance(value, list | tuple):
            if all(isinstance(each, str | int) for each in value):
                yield f"{word} {' '.join(map(str, value))}"
        elif not isinstance(value, Mapping):
            yield f"{word} {value}"


def _result(story: Story) -> Iterator[str]:
    if story.winner:
        yield f"player    {' '.join(story.player)} = {story.player_points}"
        yield f"banker    {' '.join(story.banker)} = {story.banker_points}"
        yield f"winner    {story.winner}" + (" (natural)" if story.natural else "")


def _wager(wager: StoryWager) -> str:
    currency = wager.currency
    commission = wager.commission_exact
    return (
        f"wager     {wager.wager_id}: {wager.player} {amount(wager.stake_minor, currency)} "
        f"{currency} on {wager.area}: {wager.outcome}, "
        f"returned {amount(wager.returned_minor, currency)}, "
        f"winnings {amount(wager.winnings_minor, currency)}"
        + (f", commission {exact(commission, currency)}" if commission != "0" else "")
        + _clauses(wager.clauses)
    )


def _books(story: Story) -> Iterator[str]:
    for currency, sums in story.totals.items():
        yield (
            f"books     {currency}: staked {amount(sums.staked_minor, currency)}, "
            f"returned {amount(sums.returned_minor, currency)}, "
            f"winnings {amount(sums.winnings_minor, currency)}, "
            f"house {amount(sums.house_minor, currency)}"
        )


def _clauses(clauses: tuple[str, ...]) -> str:
    return f" [{' '.join(clauses)}]" if clauses else ""
