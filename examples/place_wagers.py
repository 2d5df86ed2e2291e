"""Stake for a player in the coup that a table takes wagers for.

    make up
    eval "$(make env)"
    .venv/bin/python examples/place_wagers.py T1 ann BANKER=20.00 TIE=5.00

A token in SABOT_TOKEN says who calls. Without one the services are told, and believe on a
developer's machine, that it is the player.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import uuid
from decimal import Decimal

from sabot.wager.v1.wager_service_pb2 import (
    GetBookRequest,
    PlaceWagerRequest,
    PlaceWagerResponse,
    PlaceWagersRequest,
    PlaceWagersResponse,
)
from sabot_client import Addresses, CallFailed, Client, Person, Tls, bearer, development


def minor(amount: Decimal, currency: str, exponent: int) -> int:
    """The amount in minor units of the currency, such as cents; a yen has none."""
    units = amount.scaleb(exponent)
    if units != units.to_integral_value():
        raise ValueError(f"{amount} {currency}: the currency has {exponent} decimals")
    return int(units)


def stake(text: str) -> tuple[str, Decimal]:
    """Read `BANKER=20.00`."""
    area, _, amount = text.partition("=")
    try:
        found = Decimal(amount)
        if found.is_finite() and found > 0:
            return area.upper(), found
    except ArithmeticError:
        pass  # no number at all
    raise argparse.ArgumentTypeError(f"{amount!r} is no amount above 0")


async def place(
    client: Client, table_id: str, player: str, stakes: list[tuple[str, Decimal]]
) -> PlaceWagersResponse:
    """All wagers in one call; each is accepted or rejected alone.

    An attempt that gets no answer is made again under the same command ids and wager ids: whatever
    happens, each wager is placed once.
    """
    book = await client.call(client.wager.GetBook, GetBookRequest(table_id=table_id))
    if not book.coup_id:
        sys.exit(f"{table_id} takes no wagers: no coup of it is open, or there is no such table")
    request = PlaceWagersRequest(
        wagers=[
            PlaceWagerRequest(
                table_id=table_id,
                wager_id=str(uuid.uuid4()),
                player=player,
                area=area,
                amount_minor=minor(amount, book.currency, book.currency_exponent),
                coup_id=book.coup_id,
            )
            for area, amount in stakes
        ]
    )
    return await client.call(client.wager.PlaceWagers, request)


def told(area: str, response: PlaceWagerResponse) -> str:
    """What became of one wager."""
    error, refusal = response.error, response.result.refusal
    if error.code:
        return f"{area}: {error.code} {error.reason}: {error.message}"
    if refusal.reason:
        return f"{area}: refused, {refusal.reason}: {refusal.message}"
    words = f"{area}: {response.status} {response.code} {response.message}"
    return words.rstrip()


async def main() -> None:
    """Place the wagers of the command line, and print what became of each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table")
    parser.add_argument("player")
    parser.add_argument("stakes", nargs="+", type=stake, metavar="AREA=AMOUNT")
    options = parser.parse_args()
    token = os.environ.get("SABOT_TOKEN")
    who = bearer(token) if token else development(Person(options.player, "PLAYER"))
    try:
        async with Client.connect(
            Addresses.from_environment(), who, tls=Tls.from_environment()
        ) as client:
            answer = await place(client, options.table, options.player, options.stakes)
    except (ValueError, CallFailed) as error:
        hint = (
            ""
            if getattr(error, "reason", "")
            else '\nDoes a stack run (make up)? Then eval "$(make env)"'
        )
        sys.exit(f"{error}{hint}")
    for (area, _), response in zip(options.stakes, answer.responses, strict=True):
        print(told(area, response))


if __name__ == "__main__":
    asyncio.run(main())
