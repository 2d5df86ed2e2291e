"""The AsyncAPI documents tell the truth about messages, subscribers and topics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import msgspec
import pytest

from services.chassis import dead_letters, envelope, topics
from services.chassis.decider import Record
from services.chassis.digest import digest_of
from services.chassis.registry import Registry, encode_meta
from services.contracts import asyncapi, models
from services.contracts.core import Meta
from services.contracts.generate import ROOT, example
from services.devstack import asyncapi as tool
from tests.contracts.cases import HINT, PUBLISHED
from tests.contracts.json_schema import faults, faults_of_schema

SERVICES = tuple(models.SERVICES)
DOCUMENTS: dict[str, Any] = {
    service: json.loads((ROOT / tool.DOCUMENTS / f"{service}.json").read_text(encoding="utf-8"))
    for service in SERVICES
}
EDGES = [
    (service, upstream, kind)
    for service in SERVICES
    for upstream, kinds in tool.AGGREGATES[service].HEARS.items()
    for kind in kinds
]


def at(document: dict[str, Any], reference: str) -> Any:
    """What a local reference leads to."""
    node: Any = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part]
    return node


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"]
        for inner in node.values():
            yield from references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from references(inner)


def messages_of(document: dict[str, Any], action: str, address: str) -> set[str]:
    """Names of the messages that are sent to, or received from, a topic."""
    names: set[str] = set()
    for operation in document["operations"].values():
        channel = at(document, operation["channel"]["$ref"])
        if operation["action"] == action and channel["address"] == address:
            for each in operation["messages"]:
                names.add(at(document, at(document, each["$ref"])["$ref"])["name"])
    return names


@pytest.mark.parametrize("service", SERVICES)
def test_the_structure_is_that_of_asyncapi_3(service: str) -> None:
    """All references lead somewhere, and operations use the messages of their own channel."""
    document = DOCUMENTS[service]
    assert document["asyncapi"] == "3.0.0"
    assert document["info"].keys() >= {"title", "version", "description", "contact", "license"}
    assert document["info"]["license"]["name"] == "Apache-2.0"
    assert document["info"]["tags"]
    for reference in references(document):
        assert at(document, reference) is not None
    for operation in document["operations"].values():
        assert operation["action"] in {"send", "receive"}
        channel = operation["channel"]["$ref"]
        assert operation["messages"]
        for each in operation["messages"]:
            assert each["$ref"].startswith(f"{channel}/messages/")
    for channel in document["channels"].values():
        assert channel["bindings"]["kafka"]["topic"] == channel["address"]
        assert channel["servers"] == [{"$ref": "#/servers/cluster"}]


@pytest.mark.parametrize("service", SERVICES)
def test_payloads_and_headers_are_json_schemas(service: str) -> None:
    """And each message's example is one of its payload."""
    document = DOCUMENTS[service]
    for name, schema in document["components"]["schemas"].items():
        assert not list(faults_of_schema(schema, document, name))
    for message in document["components"]["messages"].values():
        for schema in (message["headers"], message["payload"]):
            assert not list(faults_of_schema(schema, document, message["name"]))
        for shown in message.get("examples", []):
            assert not list(faults(shown["payload"], message["payload"], document))


@pytest.mark.parametrize("service", SERVICES)
def test_a_payload_is_the_schema_of_its_event(service: str) -> None:
    """Two services may each have an event of one name; neither takes the other's place."""
    document = DOCUMENTS[service]
    for publisher, event in PUBLISHED:
        message = document["components"]["messages"].get(models.ce_type(publisher, event))
        if message is not None:
            payload = at(document, message["payload"]["$ref"])
            schema = models.reading_model(event).model_json_schema()
            assert payload["properties"].keys() == schema["properties"].keys()
            assert payload.get("required") == schema.get("required")


@pytest.mark.parametrize("service", SERVICES)
def test_every_published_type_is_sent(service: str) -> None:
    """And nothing else is, private events least of all."""
    sent = messages_of(DOCUMENTS[service], "send", topics.topic(service))
    published = models.published(service).values()
    assert sent == {models.ce_type(service, event) for event in published}, HINT


def test_everything_that_is_heard_is_received() -> None:
    """Each edge between two services stands in the document of the one that hears."""
    assert EDGES
    for service, upstream, kind in EDGES:
        event = models.published(upstream).get(kind)
        assert event is not None, f"{service} hears {upstream}.{kind}, which is not published"
        received = messages_of(DOCUMENTS[service], "receive", topics.topic(upstream))
        assert models.ce_type(upstream, event) in received, HINT


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_not_heard_is_not_received(service: str) -> None:
    """The documents would be useless if everybody received everything."""
    received = {
        name
        for upstream in SERVICES
        for name in messages_of(DOCUMENTS[service], "receive", topics.topic(upstream))
    }
    heard = {
        models.ce_type(upstream, models.published(upstream)[kind])
        for listener, upstream, kind in EDGES
        if listener == service
    }
    assert received == heard


@pytest.mark.parametrize("service", SERVICES)
def test_delivery_is_that_of_the_running_subscriber(service: str) -> None:
    """Acknowledged after the effect, from the earliest offset, and on the topics documented."""
    told = tool.delivery(service)
    hears = tool.AGGREGATES[service].HEARS
    assert told["topics"] == [topics.topic(upstream) for upstream in hears]
    assert told["ack_policy"] == "NACK_ON_ERROR"
    assert told["auto_offset_reset"] == "earliest"
    assert told["group"] == topics.consumer_group(service)
    for upstream in hears:
        received = DOCUMENTS[service]["operations"][f"hear-{upstream}"]
        assert received["x-delivery"].items() <= told.items()
        assert received["bindings"]["kafka"]["groupId"]["enum"] == [told["group"]]


@pytest.mark.parametrize("service", SERVICES)
def test_the_process_subscribes_to_what_the_domain_hears(service: str) -> None:
    """The composition of a service names the same upstream services as its domain."""
    definition = import_module(f"services.{service}.main").DEFINITION
    assert set(definition.hears) == set(tool.AGGREGATES[service].HEARS)


@pytest.mark.parametrize("service", SERVICES)
def test_the_channels_are_the_topics(service: str) -> None:
    """Each topic has its dead letters beside it and as many partitions as we create."""
    channels = DOCUMENTS[service]["channels"]
    for name in (service, *tool.AGGREGATES[service].HEARS):
        topic = topics.topic(name)
        assert channels[topic]["bindings"]["kafka"]["partitions"] == topics.PARTITIONS_PER_TOPIC
        letters = channels[topics.dead_letter_topic(topic)]["bindings"]["kafka"]
        assert letters["partitions"] == topics.DEAD_LETTER_PARTITIONS
    for upstream in tool.AGGREGATES[service].HEARS:
        letters = topics.dead_letter_topic(topics.topic(upstream))
        assert messages_of(DOCUMENTS[service], "send", letters) == {tool.DEAD_LETTER}


# --- headers --------------------------------------------------------------------------------------


def sent(service: str, event: type[Any], meta: Meta, hop: str) -> dict[str, str]:
    """The headers of a message as the chassis writes them."""
    body = Registry(service, models.SERVICES[service]).encode(example(event))
    before, written = bytes(32), encode_meta(meta)
    record = Record(
        service=service,
        stream=meta.table_id,
        version=7,
        position=41,
        previous=0,
        type=event.type,
        schema_version=event.schema_version,
        meta=written,
        body=body,
        previous_digest=before,
        digest=digest_of(before, "id", event.type, event.schema_version, written, body),
        published=True,
        recorded_at_us=1_767_225_600_000_000,
    )
    return {name: value.decode() for name, value in envelope.encode(record, meta, hop=hop).headers}


def test_the_headers_are_those_that_the_chassis_writes() -> None:
    """Every message of every type fits its documented headers, and no header is left unsaid."""
    meta: Meta = example(Meta)
    described = {header.name for header in asyncapi.HEADERS}
    always = {header.name for header in asyncapi.HEADERS if header.always}
    for service, event in PUBLISHED:
        document = DOCUMENTS[service]
        name = models.ce_type(service, event)
        schema = document["components"]["messages"][name]["headers"]
        full = sent(service, event, meta, "00-1-2-01")
        bare = msgspec.structs.replace(meta, traceparent="", occurred_at_us=2**62)
        assert full.keys() == described
        assert sent(service, event, bare, "").keys() == always
        assert not list(faults(full, schema, document))
        assert list(faults({**full, "ce_type": "sabot.other.v1"}, schema, document))
        assert list(faults({**full, "ce_position": "-1"}, schema, document))
        del full["ce_id"]
        assert list(faults(full, schema, document))


def test_dead_letters_are_described_as_they_are_written() -> None:
    """Their headers and reasons are those of the chassis."""
    assert {header.name for header in asyncapi.DEAD_LETTER_HEADERS} == {
        envelope.DEAD_LETTER_REASON,
        envelope.DEAD_LETTER_ORIGIN,
        envelope.DEAD_LETTER_CONSUMER,
        envelope.DEAD_LETTER_WHAT,
    }
    reasons = {code for name, code in vars(dead_letters.Reason).items() if name.isupper()}
    (described,) = (
        h for h in asyncapi.DEAD_LETTER_HEADERS if h.name == envelope.DEAD_LETTER_REASON
    )
    assert set(described.schema["enum"]) == reasons
