"""`sabot wallet`: check an operator's endpoint, compare books, and list what is open."""

from __future__ import annotations

import asyncio
import csv
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, Final

import grpc
import msgspec

from sabot.settlement.v1 import settlement_service_pb2
from sabot.wager.v1 import wager_service_pb2
from sabot.wager.v1 import wallet_service_pb2 as pb
from services.chassis.auth import development_credentials
from services.chassis.clock import SYSTEM_CLOCK
from services.cli.errors import CommandFailed, WrongInput, WrongUse
from services.cli.local import use_local_stack
from services.contracts.core import Actor
from services.tablelog.calls import Services
from services.wager.comparing import Difference, Line, differences
from services.wager.seamless.amounts import Form
from services.wager.seamless.client import Limits, SeamlessWallet, Switches
from services.wager.seamless.conform import Conformance, Outcome
from services.wager.seamless.signing import HmacKey, RsaSigner, Signer

SECRET: Final = "SABOT_WALLET_SECRET"  # noqa: S105 - the name of a variable
AUDITOR: Final = Actor("auditor", "AUDITOR")
COLUMNS: Final = ("key", "verb", "player", "currency", "amount_minor")
EXPORT_S: Final = 600


def signer_of(key_file: Path | None) -> Signer:
    """The key that signs: a private key, or the secret in the environment."""
    try:
        if key_file is not None:
            return RsaSigner(key_file.read_bytes())
        return HmacKey(os.environ.get(SECRET, "").encode())
    except (OSError, ValueError) as error:
        raise WrongUse(f"no key to sign with (--key-file, or {SECRET}): {error}") from error


def conform(
    url: str,
    out: IO[str],
    *,
    player: str,
    currency: str,
    key_id: str,
    key_file: Path | None,
    switches: Switches,
    session: str = "",
    zero_credits: bool = False,
    coup_credits: bool = False,
) -> int:
    """Make every check; 0 where the endpoint passes all, else 1."""
    outcomes = asyncio.run(
        checks(
            url,
            signer_of(key_file),
            key_id,
            player=player,
            currency=currency,
            switches=switches,
            session=session,
            zero_credits=zero_credits,
            coup_credits=coup_credits,
        )
    )
    for each in outcomes:
        out.write(f"{'FAIL' if each.fault else 'ok  '}  {each.name}{_because(each)}\n")
    failed = sum(1 for each in outcomes if each.fault)
    out.write(f"{len(outcomes) - failed} of {len(outcomes)} checks passed\n")
    return 1 if failed else 0


def _because(outcome: Outcome) -> str:
    return f": {outcome.fault}" if outcome.fault else ""


async def checks(
    url: str,
    signer: Signer,
    key_id: str,
    *,
    player: str,
    currency: str,
    switches: Switches,
    session: str = "",
    zero_credits: bool = False,
    coup_credits: bool = False,
) -> list[Outcome]:
    """The conformance suite against an endpoint."""

    def adapter(key: Signer) -> SeamlessWallet:
        return SeamlessWallet(
            url,
            signer=key,
            key_id=key_id,
            clock=SYSTEM_CLOCK,
            switches=switches,
            limits=Limits(breaker_failures_max=1_000),
        )

    stranger = HmacKey(secrets.token_bytes(32))
    async with adapter(signer) as wallet, adapter(stranger) as other:
        suite = Conformance(
            wallet,
            other,
            player=player,
            currency=currency,
            run=secrets.token_hex(8),
            session=session,
            zero_credits=zero_credits,
            coup_credits=coup_credits,
        )
        return await suite.run()


def switches_of(
    *, amounts: str, decimals: int, forgets_cancels: bool, whole_cancels: bool, session: str
) -> Switches:
    """The switches that the options name."""
    return Switches(
        form=Form(amounts, decimals),
        remembers_cancels=not forgets_cancels,
        partial_cancel=not whole_cancels,
        session=session,
    )


# --- books ---


def listed(file: Path) -> list[Line]:
    """An operator's list of movements. Raises `WrongInput`, naming the line."""
    try:
        with file.open(newline="", encoding="utf-8") as text:
            return lines_of(text, str(file))
    except OSError as error:
        raise WrongInput(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise WrongInput(f"{file}: {error}") from error


def lines_of(text: Iterable[str], name: str) -> list[Line]:
    """The same from text."""
    try:
        reader = csv.DictReader(text)
        missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
        if missing:
            raise WrongInput(f"{name}: the columns {', '.join(missing)} are missing")
        return [_line(name, number, row) for number, row in enumerate(reader, start=2)]
    except csv.Error as error:
        raise WrongInput(f"{name}: {error}") from error


def _line(file: str, number: int, row: dict[str, Any]) -> Line:
    if None in row.values() or not row["key"]:
        raise WrongInput(f"{file}:{number}: has not all columns")
    amount = row["amount_minor"].strip()
    if not amount.isdecimal():
        raise WrongInput(f"{file}:{number}: amount_minor {amount!r} is no number of minor units")
    return Line(
        key=row["key"],
        verb=row["verb"],
        player=row["player"],
        currency=row["currency"],
        amount_minor=int(amount),
    )


def reconcile(
    file: Path,
    out: IO[str],
    *,
    from_us: int,
    until_us: int,
    as_json: bool,
    operator: str | None = None,
) -> int:
    """Compare an operator's list with Sabot's; 0 where nothing differs, else 1."""
    theirs = listed(file)
    use_local_stack()
    ours = asyncio.run(_exported(from_us, until_us, operator))
    found = differences(ours, theirs)
    write(found, out, as_json=as_json, ours=len(ours), theirs=len(theirs))
    return 1 if found else 0


def write(
    found: Sequence[Difference], out: IO[str], *, as_json: bool, ours: int, theirs: int
) -> None:
    """Print differences."""
    for each in found:
        if as_json:
            out.write(msgspec.json.encode(each).decode() + "\n")
            continue
        explained = " (an open item)" if each.open_item else ""
        out.write(
            f"{each.kind:<9}  {each.key}  {each.player} {each.amount_minor} {each.currency}: "
            f"{each.problem}{explained}\n"
        )
    if not as_json:
        out.write(
            f"{ours} movements with Sabot, {theirs} with the operator, {len(found)} differences\n"
        )


async def _exported(from_us: int, until_us: int, operator: str | None) -> list[Line]:
    async with Services.named() as services:
        return await exported(services, from_us=from_us, until_us=until_us, operator=operator)


async def exported(
    services: Services, *, from_us: int, until_us: int, operator: str | None = None
) -> list[Line]:
    """Sabot's movements, deposits left out: those are the operator's own business.

    `operator`: those of his wallet alone.
    """
    request = pb.ExportMovementsRequest(from_us=from_us, until_us=until_us, operator=operator)
    lines: list[Line] = []
    try:
        async for page in services.stub("wallet").ExportMovements(
            request, timeout=EXPORT_S, metadata=development_credentials(AUDITOR)()
        ):
            lines += [_ours(each) for each in page.movements if each.kind != "FUND"]
    except grpc.aio.AioRpcError as error:
        raise CommandFailed(f"the wager service does not answer: {error.details()}") from error
    return lines


def _ours(movement: Any) -> Line:
    return Line(
        key=movement.movement_id,
        verb=movement.kind,
        player=movement.player,
        currency=movement.currency,
        amount_minor=abs(movement.amount_minor),
        cancels=movement.cancels,
        status=movement.status,
    )


def items(table_id: str, out: IO[str], *, as_json: bool) -> int:
    """List open items of a table, or of all."""
    use_local_stack()
    found = asyncio.run(_items(table_id))
    for each in found:
        values = (each.kind, each.status, each.movement_id, each.player, each.amount_minor)
        if as_json:
            names = [field.name for field in each.DESCRIPTOR.fields]
            line = {name: getattr(each, name) for name in names}
            out.write(msgspec.json.encode(line).decode() + "\n")
        else:
            kind, status, key, player, amount = values
            out.write(
                f"{kind:<8}  {status:<9}  {key}  {player} {amount} {each.currency}  "
                f"{each.reason}, asked {each.attempts} times\n"
            )
    if not as_json:
        out.write(f"{len(found)} open items\n")
    return 0


async def _items(table_id: str) -> list[Any]:
    found: list[Any] = []
    async with Services.named() as services:
        for name, module in (("wager", wager_service_pb2), ("settlement", settlement_service_pb2)):
            request: Any = module.ListOpenItemsRequest(table_id=table_id)
            try:
                answer = await services.stub(name).ListOpenItems(
                    request, metadata=development_credentials(AUDITOR)()
                )
            except grpc.aio.AioRpcError as error:
                raise CommandFailed(f"{name} does not answer: {error.details()}") from error
            found += answer.items
    return found
