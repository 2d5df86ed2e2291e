"""The event classes, the models and the JSON Schemas accept and refuse the same."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from services.chassis.registry import Registry, encode_meta
from services.contracts import models
from services.contracts.asyncapi import envelope_schema
from services.contracts.core import Event, Meta
from services.contracts.generate import example, schema_of
from tests.contracts.cases import (
    JSON,
    PUBLISHED,
    STORED,
    instances,
    mutants,
    name_of,
    objects,
    places,
)
from tests.contracts.json_schema import faults

REGISTRIES = {service: Registry(service, events) for service, events in models.SERVICES.items()}
schema_for = cache(schema_of)
FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def takes(model: type[BaseModel], body: bytes) -> bool:
    try:
        model.model_validate_json(body)
    except ValidationError:
        return False
    return True


def decodes(event: type[msgspec.Struct], body: bytes) -> bool:
    try:
        msgspec.json.decode(body, type=event)
    except msgspec.ValidationError:
        return False
    return True


def judged(case: tuple[str, type[Event]], value: Any) -> dict[str, bool]:
    """What each of the three says about a body."""
    _, event = case
    body = json.dumps(value).encode()
    schema = schema_for(*case)
    return {
        "class": decodes(event, body),
        "model": takes(models.reading_model(event), body),
        "schema": not any(faults(value, schema, schema)),
    }


@pytest.mark.parametrize("case", STORED, ids=name_of)
@FEW
@given(data=st.data())
def test_what_we_write_is_what_the_models_promise(
    case: tuple[str, type[Event]], data: st.DataObject
) -> None:
    """The stored bytes of any event pass the strict model, the tolerant one and the schema.

    With any JSON in any one place of them, all still say the same.
    """
    service, event = case
    written = data.draw(instances(event))
    stored = REGISTRIES[service].encode(written)
    body = json.loads(stored)
    models.writing_model(event).model_validate_json(stored)
    assert set(judged(case, body).values()) == {True}
    assert REGISTRIES[service].decode(event.type, event.schema_version, stored) == written
    if spots := list(places(body)):
        container, key = data.draw(st.sampled_from(spots))
        container[key] = data.draw(JSON)
        verdicts = judged(case, body)
        assert len(set(verdicts.values())) == 1, verdicts


@pytest.mark.parametrize("case", STORED, ids=name_of)
def test_one_wrong_thing_is_judged_alike(case: tuple[str, type[Event]]) -> None:
    """Whatever is changed in a complete body, classes, models and schemas agree about it.

    Every value is taken away, made null and replaced by a value of every other JSON type, and every
    object gets one more key.
    """
    _, event = case
    body = json.loads(msgspec.json.encode(example(event)))
    for what, mutant in mutants(body):
        verdicts = judged(case, mutant)
        assert len(set(verdicts.values())) == 1, (what, verdicts)


@pytest.mark.parametrize("case", STORED, ids=name_of)
def test_a_missing_required_key_and_null_are_refused(case: tuple[str, type[Event]]) -> None:
    """Agreement would be worth nothing among judges that accept everything."""
    _, event = case
    body = json.loads(msgspec.json.encode(example(event)))
    nullable = {name for name in body if judged(case, {**body, name: None})["model"]}
    for field in msgspec.structs.fields(event):
        without = {name: value for name, value in body.items() if name != field.name}
        assert set(judged(case, without).values()) == {not field.required}
        may_be_null = field.type in (Any, msgspec.Raw) or type(None) in getattr(
            field.type, "__args__", ()
        )
        assert (field.name in nullable) == may_be_null, field.name


@pytest.mark.parametrize("case", PUBLISHED, ids=name_of)
def test_a_further_key_is_ignored_by_readers_and_refused_by_writers(
    case: tuple[str, type[Event]],
) -> None:
    """A later release may add keys, at any depth; our own release knows all of its keys."""
    _, event = case
    made = example(event)
    for path in objects(made):
        body = json.loads(msgspec.json.encode(made))
        container = body
        for key in path:
            container = container[key]
        container["later"] = 7
        text = json.dumps(body).encode()
        assert decodes(event, text)
        assert takes(models.reading_model(event), text)
        assert not takes(models.writing_model(event), text), path


@FEW
@given(instances(Meta))
def test_the_envelope_is_what_its_model_and_schema_promise(meta: Meta) -> None:
    """The header that carries the envelope follows its schema."""
    body = encode_meta(meta)
    schema = envelope_schema()
    models.writing_model(Meta).model_validate_json(body)
    assert not list(faults(json.loads(body), schema, schema))


def test_a_message_is_read_by_its_type() -> None:
    """`read` and the union choose the same model by the CloudEvents type, and know no other type."""
    for service, event in PUBLISHED:
        kind = models.ce_type(service, event)
        value = msgspec.json.encode(example(event))
        read = models.read(kind, value)
        assert type(read) is models.reading_model(event)
        joined = b'{"type":"%s","data":%s}' % (kind.encode(), value)
        assert models.reader(service).validate_json(joined).data == read
    with pytest.raises(models.UnknownMessage):
        models.read("sabot.round.never-heard-of.v1", b"{}")
    with pytest.raises(ValidationError):
        models.reader("round").validate_json(b'{"type":"sabot.round.deal-called.v9","data":{}}')
