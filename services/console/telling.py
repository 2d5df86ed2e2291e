"""Instants, amounts and names for people; the filters and functions of the templates."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from services.rules.amounts import amount, exact

MINUTE_S: Final = 60
PHASES: Final[Mapping[str, str]] = {
    "IDLE": "between coups",
    "BETTING": "betting",
    "BETTING_CLOSED": "betting closed",
    "DEALING": "dealing",
    "RESULT": "result",
    "CLOSED": "closed",
}


def instant(at_us: int) -> str:
    """Date and time, UTC."""
    return f"{_utc(at_us):%Y-%m-%d %H:%M:%S}" if at_us else "–"


def clock(at_us: int) -> str:
    """Time of day with milliseconds, UTC."""
    return f"{_utc(at_us):%H:%M:%S.%f}"[:-3] if at_us else "–"


def iso(at_us: int) -> str:
    """For machines."""
    return _utc(at_us).isoformat() if at_us else ""


def _utc(at_us: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(at_us / 1_000_000, tz=dt.UTC)


def span(from_us: int, until_us: int) -> str:
    """How long something took."""
    if not from_us or until_us < from_us:
        return "–"
    seconds = (until_us - from_us) / 1_000_000
    if seconds < MINUTE_S:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), MINUTE_S)
    return f"{minutes} min {rest} s"


def money(minor: int, currency: str) -> str:
    """An amount with its currency; one of a currency that nobody knows in its minor units."""
    try:
        return f"{amount(minor, currency)} {currency}"
    except ValueError:
        return f"{minor} {currency}"


def percent(rate: str) -> str:
    """A rate of a report, such as "0.053000", as a percentage."""
    return f"{Decimal(rate) * 100:.1f}%"


def fraction(text: str, currency: str) -> str:
    """An exact amount, such as a commission."""
    try:
        return exact(text or "0", currency)
    except (ValueError, ZeroDivisionError):
        return text


def limits(table: Any) -> str:
    """What may be staked, in one line: the limits of most areas."""
    named = {(each.area, each.currency): each for each in table.limits}
    common = [each for (area, _), each in named.items() if area == "*"] or list(table.limits)[:1]
    return ", ".join(
        f"{money(each.min_minor, each.currency)} to {money(each.max_minor, each.currency)}"
        for each in common
    )


def tile_id(table_id: str) -> str:
    """The id of a tile on the page: letters and digits, whatever a table is called."""
    return "tile-" + hashlib.sha256(table_id.encode()).hexdigest()[:16]


def person(actor: Any) -> str:
    """Who, with his role."""
    return f"{actor.id} ({actor.role})" if actor.id else "–"


def phase(name: str) -> str:
    """The phase of a table in words."""
    return PHASES.get(name, name.lower().replace("_", " "))


def plain(name: str) -> str:
    """The name of an event or a code, as words."""
    return name.lower().replace("-", " ").replace("_", " ")


_HIDDEN: Final = frozenset({"clauses", "coup_id", "currency"})


def details(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields of an event with something in them, amounts in their currency."""
    currency = str(body.get("currency") or "")
    for name, value in body.items():
        if name in _HIDDEN or value in (None, "", [], {}):
            continue
        if currency and name.endswith("_minor") and isinstance(value, int):
            yield plain(name.removesuffix("_minor")), money(value, currency)
        elif name.endswith("_us") and isinstance(value, int):
            yield plain(name.removesuffix("_us")), instant(value)
        elif isinstance(value, bool):
            yield plain(name), "yes" if value else "no"
        elif isinstance(value, list) and all(isinstance(each, str | int) for each in value):
            yield plain(name), _together(value)
        elif isinstance(value, list | dict):
            yield plain(name), f"{len(value)} entries"
        else:
            yield plain(name), str(value)


def _together(values: Iterable[Any]) -> str:
    return " ".join(map(str, values))


FILTERS: Final = {
    "instant": instant,
    "clock": clock,
    "iso": iso,
    "money": money,
    "fraction": fraction,
    "percent": percent,
    "phase": phase,
    "plain": plain,
    "person": person,
    "tile_id": tile_id,
}
