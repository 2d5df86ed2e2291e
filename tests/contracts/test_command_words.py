"""A word in a command that means nothing is refused by the field's name, before anything is asked."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import pytest

from services.contracts.core import SYSTEM, Command, NotYet, Refused
from services.contracts.guards import OneOf
from services.tablelog.render import SERVICES

FILLED: dict[Any, Any] = {str: "x", int: 1, bool: True}


def words_of(hint: Any) -> tuple[str, ...]:
    """The words that a type lists; the type may be optional."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is Annotated:
            for extra in part.__metadata__:
                if isinstance(extra, OneOf):
                    return extra.words
    return ()


def fields() -> Iterator[tuple[str, type[Command], str, tuple[str, ...]]]:
    """Every field of every command that takes one of a few words."""
    for service in SERVICES:
        module = import_module(f"services.{service}.commands")
        for kind in vars(module).values():
            if isinstance(kind, type) and issubclass(kind, Command) and kind is not Command:
                for name, hint in get_type_hints(kind, include_extras=True).items():
                    if words := words_of(hint):
                        yield service, kind, name, words


FIELDS = [pytest.param(*each, id=f"{each[1].__name__}.{each[2]}") for each in fields()]


def command_of(kind: type[Command], field: str, word: str) -> Command:
    """A command with this word in a field, and something in all the others."""
    values: dict[str, Any] = {field: word}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if name not in values:
            words = words_of(hint)
            several = () if get_origin(hint) is tuple else None
            values[name] = words[0] if words else FILLED.get(hint, several)
    return kind(**{"at_us": 1, "by": SYSTEM, **{k: v for k, v in values.items() if v is not None}})


@pytest.mark.parametrize(("service", "kind", "name", "words"), FIELDS)
def test_a_word_that_means_nothing_is_refused_by_its_field(
    service: str, kind: type[Command], name: str, words: tuple[str, ...]
) -> None:
    """Whatever the table's state is; the refusal lists what may stand there. Case counts."""
    core = import_module(f"services.{service}.domain")
    for wrong in ("FOO", "", words[0].lower(), f"{words[0]} "):
        with pytest.raises(Refused) as raised:
            core.decide(command_of(kind, name, wrong), core.initial_state())
        assert raised.value.reason == "UNKNOWN"
        assert raised.value.message == f"{name}: {wrong!r} is none of {', '.join(words)}"
    for right in words:
        with pytest.raises((Refused, NotYet)) as known:
            core.decide(command_of(kind, name, right), core.initial_state())
        assert f"{name}: " not in str(known.value)


def test_the_words_of_all_services_are_listed() -> None:
    """The list is not empty by accident: these fields were taken with anything once."""
    found = {f"{kind.__name__}.{name}" for _, kind, name, _ in fields()}
    assert found >= {
        "LoadShoe.source",
        "DrawCard.to",
        "DrawCard.face",
        "DrawCard.source",
        "BurnCards.reason",
        "ShuffleCards.procedure",
        "AnnounceResult.winner",
        "RuleOnDeal.ruling",
        "AcceptShoe.hand",
        "PlaceWager.channel",
    }


@pytest.mark.parametrize(
    ("service", "name", "fields"),
    [
        ("round", "CorrectResult", {"coup": 1, "reason": "x", "banker": ("AS", "KS")}),
        ("shoe", "ReportFault", {"disadvantage": True, "spare": True, "transferable": True}),
        ("shoe", "InspectCards", {"witness": "gs1", "video": "v"}),
        ("shoe", "DrawCard", {}),
    ],
)
def test_a_card_of_no_deck_is_refused_by_its_field(
    service: str, name: str, fields: dict[str, Any]
) -> None:
    """000 1.3.1: in hands that are told, too, which nobody could count."""
    of = {"CorrectResult": "player", "ReportFault": "damaged", "InspectCards": "defects"}
    field = of.get(name, "cards")
    kind = getattr(import_module(f"services.{service}.commands"), name)
    core = import_module(f"services.{service}.domain")
    for wrong in ("T:1", "", "1S", "as"):
        command = kind(at_us=1, by=SYSTEM, **{**fields, field: ("AS", wrong)})
        with pytest.raises(Refused) as raised:
            core.decide(command, core.initial_state())
        assert raised.value.message == f"{field}: {wrong!r} is no card"
