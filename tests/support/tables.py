"""Tables, coups and wagers for specifications: events and commands with sensible values."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from services.contracts import round as table
from services.contracts.common import Card, Limit, Limits, RulebookActivated, TableSettings
from services.contracts.core import SYSTEM, Actor
from services.contracts.wager import BookClosed, LimitsPublished, WagerAccepted
from services.rulebooks.catalogue import document
from services.rulebooks.settings import table_settings
from services.rules.outcome import outcome
from services.rules.rulebook import rulebook_of
from services.wager import commands as book
from tests.support.spec import AT_US, TABLE, person

PLENTY: Limits = {"*": Limit(100, 10_000_000)}
COUP = f"{TABLE}:1:1"

HAND = ("6S", "TD"), ("7H", "KC")
"""Banker wins with 7 against 6, on four cards."""


def coup_id(number: int) -> str:
    return f"{TABLE}:1:{number}"


def settings(
    rulebook: str = "nsw-mini",
    *,
    limits: Mapping[str, Limits] | Limits | None = None,
    changed: Mapping[str, Any] | None = None,
    **others: Any,
) -> TableSettings:
    """Settings of a table; `changed` overrides fields of the rulebook, as a house's own would."""
    by_currency: Any = PLENTY if limits is None else limits
    if any(isinstance(limit, Limit) for limit in by_currency.values()):
        by_currency = {"EUR": by_currency}
    made = table_settings(
        table_id=TABLE,
        rulebook_id=rulebook,
        options={},
        decks=8,
        currency="EUR",
        limits=by_currency,
        seats=9,
        left_of_dealer=9,
        **others,
    )
    return _with_rules(made, changed) if changed else made


def _with_rules(made: TableSettings, changed: Mapping[str, Any]) -> TableSettings:
    text = document(made.rulebook_id)
    for name, value in changed.items():
        group, _, field = name.rpartition(".")
        inner: Any = text[group] if group else text
        inner[field] = value
    rules = rulebook_of(text)
    values = {name: getattr(made, name) for name in made.__struct_fields__}
    return TableSettings(**{**values, "rulebook": dict(text), "rulebook_hash": rules.hash})


def opened(rulebook: str = "nsw-mini", *, session: int = 1, **others: Any) -> RulebookActivated:
    """The service has taken the table up."""
    return RulebookActivated(session=session, settings=settings(rulebook, **others))


def sign(
    limits: Limits | None = None,
    *,
    version: int = 1,
    differential: int | None = None,
    others: Mapping[str, Limits] | None = None,
) -> LimitsPublished:
    """The sign of limits in euro, and in other currencies."""
    return LimitsPublished(
        limits_version=version,
        limits={"EUR": PLENTY if limits is None else limits, **(others or {})},
        differential_minor=differential,
    )


def betting(
    number: int = 1, *, version: int = 1, closes_at_us: int | None = None
) -> table.BettingOpened:
    """Betting is open on a coup."""
    return table.BettingOpened(
        coup_id=coup_id(number),
        coup=number,
        shoe_id="S1",
        opened_at_us=AT_US,
        closes_at_us=closes_at_us,
        limits_version=version,
        method="A",
    )


def closed(number: int = 1, *, by: str = "CALL", at_us: int = AT_US) -> table.BettingClosed:
    return table.BettingClosed(coup_id=coup_id(number), closed_at_us=at_us, closed_by=by)


def asked(number: int = 1, reason: str = "DEALER") -> table.BookCloseRequested:
    return table.BookCloseRequested(coup_id=coup_id(number), reason=reason)


def started(number: int = 1) -> table.CoupStarted:
    """The first card is out."""
    return table.CoupStarted(coup_id=coup_id(number), coup=number, draw_number=3)


def over(number: int = 1) -> table.CoupClosed:
    return table.CoupClosed(coup_id=coup_id(number), coup=number, status="SETTLED")


def voided(number: int = 1, reason: str = "NOT_RECONSTRUCTIBLE", **others: Any) -> table.CoupVoided:
    return table.CoupVoided(coup_id=coup_id(number), coup=number, reason=reason, **others)


def window(cause: str = "RECONSTRUCTION", *, seconds: int = 60) -> table.WithdrawalWindowOpened:
    return table.WithdrawalWindowOpened(
        coup_id=COUP, coup=1, cause=cause, until_us=AT_US + seconds * 1_000_000
    )


def window_over() -> table.WithdrawalWindowClosed:
    return table.WithdrawalWindowClosed(coup_id=COUP, coup=1)


@cache
def _result(player: tuple[Card, ...], banker: tuple[Card, ...]) -> dict[str, Any]:
    end = outcome(player, banker)
    return {
        "player": player,
        "banker": banker,
        "player_points": end.player_points,
        "banker_points": end.banker_points,
        "winner": end.winner.upper(),
        "natural": end.natural,
        "decisions": (),
    }


def resulted(
    player: tuple[Card, ...] = HAND[0],
    banker: tuple[Card, ...] = HAND[1],
    *,
    number: int = 1,
    revision: int = 1,
    book: int = 1,
    no_bet: bool = False,
) -> table.CoupResulted:
    return table.CoupResulted(
        coup_id=coup_id(number),
        coup=number,
        book_revision=book,
        no_bet=no_bet,
        revision=revision,
        **_result(player, banker),
    )


def corrected(
    player: tuple[Card, ...],
    banker: tuple[Card, ...],
    *,
    number: int = 1,
    revision: int = 2,
    book: int = 1,
) -> table.ResultCorrected:
    return table.ResultCorrected(
        coup_id=coup_id(number),
        coup=number,
        book_revision=book,
        revision=revision,
        reason="misread",
        **_result(player, banker),
    )


def accepted(
    wager: str = "w1",
    player: str = "p1",
    area: str = "BANKER",
    stake: int = 1000,
    *,
    number: int = 1,
    currency: str = "EUR",
    token: str | None = None,
    **others: Any,
) -> WagerAccepted:
    """A wager that stands."""
    return WagerAccepted(
        coup_id=coup_id(number),
        wager_id=wager,
        player=player,
        area=area,
        currency=currency,
        stake_minor=stake,
        channel=others.pop("channel", "LAYOUT"),
        limits_version=1,
        funding="PROMO" if token else "CASH",
        token=token,
        accepted_at_us=others.pop("accepted_at_us", AT_US - 1),
        **others,
    )


def book_closed(wagers: int, *, number: int = 1, revision: int = 1) -> BookClosed:
    return BookClosed(
        coup_id=coup_id(number), revision=revision, wagers=wagers, totals={}, digest="d"
    )


def place(
    wager: str = "w1",
    player: str = "p1",
    area: str = "BANKER",
    amount: int = 1000,
    *,
    by: Actor | None = None,
    at_us: int = AT_US,
    **others: Any,
) -> book.PlaceWager:
    """A player stakes; a token is staked by whom it was handed to."""
    staking = SYSTEM if "token" in others else person("PLAYER", player)
    return book.PlaceWager(
        at_us=at_us,
        by=by or staking,
        wager_id=wager,
        player=player,
        area=area,
        amount_minor=amount,
        **others,
    )
