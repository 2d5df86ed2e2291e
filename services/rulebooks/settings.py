"""A table's settings from what somebody asks for: rulebook, options and limits put together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from services.contracts.common import Limits, TableSettings
from services.contracts.core import Refused
from services.contracts.gaming_day import UTC, UnknownZone, zone
from services.rulebooks.catalogue import document, load_catalogue
from services.rules.currencies import currency_exponent
from services.rules.rulebook import RulebookRejected, rulebook_of, with_options


def table_settings(
    *,
    rulebook_id: str,
    options: Mapping[str, object],
    decks: int | None,
    currency: str,
    limits: Mapping[str, Limits],
    left_of_dealer: int | None,
    seats: int,
    time_zone: str = UTC,
    **others: Any,
) -> TableSettings:
    """The settings, with the rulebook's document in them.

    `limits` are by currency. Raises `Refused` with RULEBOOK where the rulebook is unknown or an
    option is not the house's to choose, with CURRENCY for a code that is no currency, and with
    TIME_ZONE for a name that is no time zone.
    """
    try:
        text = with_options(document(rulebook_id), options)
        rules = rulebook_of(text)
    except KeyError as error:
        raise Refused(
            "RULEBOOK",
            f"there is no rulebook {rulebook_id}; there are {', '.join(load_catalogue())}",
        ) from error
    except RulebookRejected as error:
        raise Refused("RULEBOOK", str(error)) from error
    except ValueError as error:
        raise Refused("RULEBOOK", str(error)) from error
    for code in {currency, *limits}:
        try:
            currency_exponent(code)
        except ValueError as error:
            raise Refused("CURRENCY", str(error)) from error
    try:
        zone(time_zone)
    except UnknownZone as error:
        raise Refused("TIME_ZONE", str(error)) from error
    return TableSettings(
        time_zone=time_zone,
        rulebook_id=rulebook_id,
        rulebook_hash=rules.hash,
        rulebook=dict(text),
        decks=decks if decks is not None else max(rules.decks),
        currency=currency,
        limits=dict(limits),
        seats=seats,
        left_of_dealer=left_of_dealer if left_of_dealer is not None else seats,
        **others,
    )
