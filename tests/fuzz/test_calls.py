"""Odd calls to the running system, from a seed, and those that once did harm."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from services.chassis.auth import development_credentials
from services.contracts.core import Actor
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import Desk
from tests.e2e.support import fresh
from tests.fuzz import known
from tests.fuzz.calls import Answered, breach_of
from tests.fuzz.system import answer_of, channels, fuzz_system, opened, plays_again
from tests.fuzz.tally import Tally

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(400)]

MANAGER = Actor("dm-1", "DUTY_MANAGER")
SEED = 7
INPUTS = 320
SECONDS = 25.0


async def test_no_call_of_a_seed_does_harm(fuzzed: Stack) -> None:
    """Proper statuses only, nothing half done, the table and a new one play on, money balances."""
    tally = Tally()
    await fuzz_system(
        fuzzed, tally, seconds=SECONDS, seed=SEED, name=fresh("fuzz"), inputs_max=INPUTS
    )
    assert tally.breaches == []
    assert sum(surface.inputs for surface in tally.surfaces.values()) > 20
    answered = {code for surface in tally.surfaces.values() for code in surface.seen}
    assert {"OK", "INVALID_ARGUMENT"} <= answered, "the seed makes no calls that pass"


async def test_what_once_did_harm_is_answered_as_it_should_be(fuzzed: Stack) -> None:
    """Every input that ever failed, with its right answer; the table plays on afterwards."""
    name = fresh("known")
    by = development_credentials(MANAGER)()
    async with Services(fuzzed.targets) as services, channels(fuzzed) as ways:
        desk = Desk(services, name)
        await opened(desk, "s")
        wrong: list[str] = []
        for number, (service, call, fields, wanted) in enumerate(known.KNOWN):
            answered = await answer_of(ways, request_of(service, call, fields, name, number), by)
            if breach := breach_of(answered):
                wrong.append(f"{call} {fields!r:.80}: {breach}")
            elif said(answered) != wanted:
                wrong.append(f"{call} {fields!r:.80}: {said(answered)}, not {wanted}")
        assert wrong == []
        assert await plays_again(desk) == []


def request_of(service: str, call: str, fields: dict[str, Any], table: str, number: int) -> Any:
    """The request, at the open table where it names none."""
    folder = "wager" if service == "wallet" else service
    module = import_module(f"sabot.{folder}.v1.{service}_service_pb2")
    kind = getattr(module, f"{call}Request")
    known_fields = kind.DESCRIPTOR.fields_by_name
    if "table_id" in known_fields and "table_id" not in fields and "meta" in known_fields:
        fields = {"table_id": table, **fields}
    if "meta" in known_fields:
        fields = {"meta": {"command_id": f"{table}:known:{number}"}, **fields}
    return kind(**fields)


def said(answered: Answered) -> str:
    """The status of a call that failed, or the reason of a refusal."""
    if answered.code != "OK":
        return answered.code
    result = getattr(answered.response, "result", None)
    return "OK" if result is None else str(result.refusal.reason or "OK")
