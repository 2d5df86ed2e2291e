"""Every field of every request of every service is held to a rule, found by its descriptor."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any
from unittest.mock import MagicMock

import pytest
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from services.chassis.inputs import LARGE_MAX, Inputs
from services.chassis.rpc_errors import InvalidCommand
from services.tablelog.render import SERVICES
from services.wager.ledger import BALANCE_MINOR_MAX
from services.wager.wallet import CREDIT, FUND
from services.wager.wallet_api import _movement

Place = tuple[FieldDescriptor, ...]
"""The way to a field: messages, then the field itself."""

WHAT_IT_IS_ABOUT = {
    "table_id",
    "coup_id",
    "wager_id",
    "player",
    "movement_id",
    "dispute_id",
    "shoe_id",
}
MAY_BE_LEFT_OUT = {
    "sabot.settlement.v1.ExportEvidenceRequest.dispute_id",
    "sabot.settlement.v1.GetRulebookRequest.coup_id",
    "sabot.settlement.v1.ListCoupsRequest.table_id",
    "sabot.settlement.v1.GetReportRequest.player",
    "sabot.settlement.v1.GetReportRequest.table_id",
    "sabot.settlement.v1.ListOpenItemsRequest.table_id",
    "sabot.wager.v1.ListOpenItemsRequest.table_id",
    "sabot.wager.v1.ListStopsRequest.table_id",
    "sabot.query.v1.GetRoadsRequest.table_id",
    *(
        f"sabot.query.v1.{verb}{kind}Request.table_id"
        for verb in ("List", "Export")
        for kind in (
            "Tables",
            "Shoes",
            "Coups",
            "Wagers",
            "Incidents",
            "ExceptionEntries",
            "Disputes",
            "LimitsHistory",
        )
    ),
    *(
        f"sabot.wager.v1.{call}AccountRequest.{field}"
        for call in ("Credit", "Reverse")
        for field in ("table_id", "coup_id", "wager_id")
    ),
}
"""What queries are not narrowed by where it is empty, and what a movement need not belong to."""

WHOLE = (
    FieldDescriptor.CPPTYPE_INT32,
    FieldDescriptor.CPPTYPE_INT64,
    FieldDescriptor.CPPTYPE_UINT32,
    FieldDescriptor.CPPTYPE_UINT64,
)


def calls() -> Iterator[tuple[Inputs, MethodDescriptor]]:
    """Every call that a service offers, with the rules that its process puts before it."""
    for name in SERVICES:
        definition: Any = import_module(f"services.{name}.main").DEFINITION
        runtime = MagicMock()  # what a servicer needs to answer is none of this
        for served in definition.servicers(runtime):
            service = descriptor_pool.Default().FindServiceByName(served.name)
            for method in service.methods:
                yield served.inputs, method


CALLS = {method.full_name: (inputs, method) for inputs, method in calls()}


def places(descriptor: Any, before: Place = ()) -> Iterator[Place]:
    """Every field of a message and of the messages in it."""
    for field in descriptor.fields:
        here = (*before, field)
        if field.message_type is None:
            yield here
        elif not field.message_type.GetOptions().map_entry and len(here) < 5:
            yield from places(field.message_type, here)


def with_value(descriptor: Any, place: Place, value: Any, *, many: int = 1) -> Message:
    """A request in which one field, and nothing else, holds something."""
    request: Any = GetMessageClass(descriptor)()
    message = request
    for field in place[:-1]:
        message = getattr(message, field.name)
        message = message.add() if field.is_repeated else message
    last = place[-1]
    if last.is_repeated:
        getattr(message, last.name).extend([value] * many)
    else:
        setattr(message, last.name, value)
    return request  # type: ignore[no-any-return]


def faults(inputs: Inputs, request: Message) -> set[str]:
    try:
        inputs.check(request)
    except InvalidCommand as error:
        return {fault.field for fault in error.fields}
    return set()


def named(place: Place, *, item: bool = True) -> str:
    """The path of a field as errors write it."""
    steps = [f"{field.name}[0]" if field.is_repeated else field.name for field in place[:-1]]
    last = place[-1]
    steps.append(f"{last.name}[0]" if last.is_repeated and item else last.name)
    return ".".join(steps)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_no_field_of_a_call_takes_everything(name: str) -> None:
    """No text holds a NUL or 100,000 characters, no number is the largest or the least there is,
    no list is endless: whatever the field, its path is in the error.
    """
    inputs, method = CALLS[name]
    request: Any = method.input_type
    if name.endswith(".PlaceWagers"):
        request = request.fields_by_name["wagers"].message_type  # each is checked alone
    for place in places(request):
        field = place[-1]
        if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
            values: list[Any] = ["\0", "a\0b", "x" * 100_000, "\x1b[2J"]
        elif field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
            values = [99, -1]
        elif field.cpp_type in WHOLE:
            bits = 31 if field.cpp_type == FieldDescriptor.CPPTYPE_INT32 else 63
            values = [2**bits - 1, -(2**bits)]
        else:
            assert field.cpp_type == FieldDescriptor.CPPTYPE_BOOL, f"{named(place)}: a new kind"
            continue
        for value in values:
            found = faults(inputs, with_value(request, place, value))
            assert named(place) in found, f"{named(place)} takes {value!r:.20}"
        if field.is_repeated:
            item = "AS" if field.cpp_type == FieldDescriptor.CPPTYPE_STRING else 1
            found = faults(inputs, with_value(request, place, item, many=1_001))
            assert named(place, item=False) in found, f"{named(place)} takes any number of items"


@pytest.mark.parametrize("name", sorted(CALLS))
def test_what_a_call_is_about_cannot_be_left_out(name: str) -> None:
    """A table, and the id of a command, where the request has a field for them."""
    inputs, method = CALLS[name]
    request = method.input_type
    found = faults(inputs, GetMessageClass(request)())
    has = set(request.fields_by_name)
    for path in found - {"meta.command_id"}:
        field = request.fields_by_name[path]
        assert not field.has_presence, f"{path} is optional"
        assert field.cpp_type == FieldDescriptor.CPPTYPE_STRING, f"{path} may be 0"
    if "meta" in has:
        assert "meta.command_id" in found
    for needed in WHAT_IT_IS_ABOUT & has:
        known = request.fields_by_name[needed]
        if known.has_presence or known.is_repeated or known.full_name in MAY_BE_LEFT_OUT:
            continue
        assert needed in found, f"{known.full_name} may be left out"


def test_each_rule_is_of_a_field_that_there_is() -> None:
    """A rule whose field was renamed would rest on nobody."""
    known: set[str] = set()
    for _, method in CALLS.values():
        for place in places(method.input_type):
            known |= {name for field in place for name in (field.name, field.full_name)}
        known |= set(method.input_type.fields_by_name)
    for name in SERVICES:
        module: Any = import_module(f"services.{name}.inputs")
        for inputs in (value for value in vars(module).values() if isinstance(value, Inputs)):
            assert set(inputs.rules) - known == set(), name


@pytest.mark.parametrize("call", ["CreditAccount", "ReverseAccount"])
def test_a_payment_may_be_more_than_any_stake(call: str) -> None:
    """D13: a stake of the largest size that wins is paid, up to what an account can hold."""
    inputs, method = CALLS[f"sabot.wager.v1.WalletService.{call}"]
    request = GetMessageClass(method.input_type)
    won = 2 * LARGE_MAX
    assert "amount_minor" not in faults(inputs, request(amount_minor=won))
    assert "amount_minor" in faults(inputs, request(amount_minor=BALANCE_MINOR_MAX + 1))
    whole = request(
        movement_id="T1/w1/2", player="p1", currency="EUR", amount_minor=won, coup_id="T1:1:1"
    )
    assert _movement(whole, CREDIT).amount_minor == won
    with pytest.raises(InvalidCommand):
        _movement(whole, FUND)
