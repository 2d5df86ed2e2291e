"""`python -m services.devstack.asyncapi`: the AsyncAPI 3.0 document of each service.

FastStream renders the published models. What it cannot know is put around them: that all event
types of a service share one channel, the headers, the dead letters, and what each service hears.
It stands here and not beside the schemas because it looks at the services and at their consumers.
"""

from __future__ import annotations

import json
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import msgspec
from faststream.specification import AsyncAPI

from services.chassis import bus, topics
from services.chassis.consumer import Consumers
from services.chassis.decider import Aggregate
from services.contracts import models
from services.contracts.asyncapi import (
    DEAD_LETTER_HEADERS,
    HEADERS,
    event_headers_schema,
    headers_schema,
)
from services.contracts.core import Event, Meta
from services.contracts.generate import ROOT, example, text_of_json, write
from services.round import domain as round_domain
from services.settlement import domain as settlement_domain
from services.shoe import domain as shoe_domain
from services.wager import domain as wager_domain

DOCUMENTS: Final = "services/contracts/asyncapi"
SPECIFICATION: Final = "3.0.0"
KAFKA_BINDING: Final = "0.4.0"
SERVER: Final = "cluster"
SERVER_ADDRESS: Final = "kafka:9092"
SERVER_TEXT: Final = "Apache Kafka. The address is a matter of configuration; production uses TLS."

TOPIC_TEXT: Final = (
    "A topic that was deleted and made anew, which its topic id tells, gets all events again: "
    "an offset of the old one means nothing in it, so begin at the earliest."
)

SCHEMAS_AT: Final = "#/components/schemas/"
COMMON_HEADERS: Final = "headers.event"
LETTER_HEADERS: Final = "headers.dead-letter"
ENVELOPE: Final = "envelope"
DEAD_LETTER: Final = "sabot.dead-letter"
TAGS: Final = ({"name": "baccarat"}, {"name": "event-sourcing"}, {"name": "cloudevents"})

Document = dict[str, Any]

AGGREGATES: Final[Mapping[str, Aggregate]] = {
    domain.SERVICE: cast("Aggregate", domain)
    for domain in (shoe_domain, round_domain, wager_domain, settlement_domain)
}


def main() -> None:
    """Write the documents that differ."""
    write(documents())


def documents() -> dict[str, str]:
    """Path and text of the document of every service."""
    return {
        f"{DOCUMENTS}/{service}.json": text_of_json(document(service)) for service in AGGREGATES
    }


def document(service: str) -> Document:
    """Everything that a service publishes and hears."""
    rendered = _rendered(service)
    server = rendered["servers"]["development"]
    result: Document = {
        "asyncapi": SPECIFICATION,
        "id": f"urn:sabot:{service}",
        "info": rendered["info"],
        "defaultContentType": rendered["defaultContentType"],
        "servers": {
            SERVER: {
                "host": server["host"],
                "protocol": server["protocol"],
                "description": SERVER_TEXT,
            }
        },
        "channels": {},
        "operations": {},
        "components": {"messages": {}, "schemas": _common_schemas()},
    }
    _add_events(result, service, models.published(service), rendered)
    what = f"Everything that {service} publishes; the key is the table id."
    result["operations"]["publish"] = _operation(result, "send", topics.topic(service), what)
    for upstream in AGGREGATES[service].HEARS:
        _add_events(result, upstream, heard_of(service, upstream), _rendered(upstream))
        _add_hearing(result, service, upstream)
    result["components"]["messages"][DEAD_LETTER] = _dead_letter()
    return result


def heard_of(service: str, upstream: str) -> dict[str, type[Event]]:
    """The events of another service that a service does something about."""
    kinds = AGGREGATES[service].HEARS[upstream]
    return {name: event for name, event in models.published(upstream).items() if name in kinds}


def delivery(service: str) -> Document:
    """How a service hears, asked of the very subscriber that it runs with."""
    hears = AGGREGATES[service].HEARS
    consumers = Consumers(
        service=service,
        upstreams={upstream: kinds.keys() for upstream, kinds in hears.items()},
        ears=cast("Any", None),
        parking=cast("Any", None),
        kafka=_bus(),
        clock=cast("Any", None),
        instance=None,
    )
    subscriber = consumers.declare(bus.make_broker(_bus()))
    options = subscriber._connection_args  # noqa: SLF001 - there is no public way to see them
    return {
        "topics": list(subscriber.topic_names),
        "group": subscriber.group_id,
        "ack_policy": subscriber.ack_policy.name,
        "auto_offset_reset": options["auto_offset_reset"],
        "isolation_level": options["isolation_level"],
    }


# --- rendered by FastStream -----------------------------------------------------------------------


def _bus() -> bus.Bus:
    return bus.Bus(
        bootstrap_servers=SERVER_ADDRESS,
        client_id="document",
        security=None,
        topic_replication=None,
    )


def _rendered(service: str) -> Document:
    """FastStream's document of what a service publishes: one channel for each event type."""
    broker = bus.make_broker(_bus())
    for event in models.published(service).values():
        broker.publisher(
            topics.topic(service),
            schema=models.reading_model(event),
            title=models.ce_type(service, event),
            description=models.text_of(event),
        )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    specification = AsyncAPI(
        broker,
        title=f"Sabot {service}",
        version=project["version"],
        description=f"Events that the {service} service publishes and hears.",
        license={
            "name": project["license"],
            "url": "https://www.apache.org/licenses/LICENSE-2.0",
        },
        contact={"name": "The maintainers of Sabot", "url": "https://sabot.example"},
        tags=TAGS,
        schema_version=SPECIFICATION,
    )
    with warnings.catch_warnings():
        # FastStream warns where one schema takes the place of another of the same name.
        warnings.simplefilter("error", RuntimeWarning)
        return cast("Document", specification.to_specification().to_jsonable())


# --- put around it --------------------------------------------------------------------------------


def _add_events(
    result: Document, service: str, events: Mapping[str, type[Event]], rendered: Document
) -> None:
    """The channel of a service with a message for each of these events, and its dead letters."""
    address = topics.topic(service)
    letters = topics.dead_letter_topic(address)
    channels, components = result["channels"], result["components"]
    channels[address] = _channel(
        address,
        topics.PARTITIONS_PER_TOPIC,
        f"Events of the {service} service, those of one table in one order. {TOPIC_TEXT}",
    )
    channels[letters] = _channel(
        letters,
        topics.DEAD_LETTER_PARTITIONS,
        f"Messages of {address} that somebody who heard them could not handle.",
    )
    channels[letters]["messages"][DEAD_LETTER] = {"$ref": f"#/components/messages/{DEAD_LETTER}"}
    for event in events.values():
        name = models.ce_type(service, event)
        reference = rendered["components"]["messages"][f"{name}:Message"]["payload"]["$ref"]
        title = reference.removeprefix(SCHEMAS_AT)
        channels[address]["messages"][name] = {"$ref": f"#/components/messages/{name}"}
        components["messages"][name] = _message(service, event)
        components["schemas"] |= _schemas(service, title, rendered["components"]["schemas"])


def _channel(address: str, partitions: int, description: str) -> Document:
    return {
        "address": address,
        "description": description,
        "servers": [{"$ref": f"#/servers/{SERVER}"}],
        "messages": {},
        "bindings": {
            "kafka": {
                "topic": address,
                "partitions": partitions,
                "bindingVersion": KAFKA_BINDING,
            }
        },
    }


def _message(service: str, event: type[Event]) -> Document:
    summary, text = models.first_line(event), models.text_of(event)
    return {
        "name": models.ce_type(service, event),
        "title": event.__name__,
        "summary": summary,
        **({"description": text} if text != summary else {}),
        "contentType": "application/json",
        "correlationId": {"location": "$message.header#/ce_correlationid"},
        "headers": event_headers_schema(service, event, f"{SCHEMAS_AT}{COMMON_HEADERS}"),
        "payload": {"$ref": f"{SCHEMAS_AT}{service}.{event.__name__}"},
        "bindings": {"kafka": _KEY},
        "examples": [{"payload": json.loads(msgspec.json.encode(example(event)))}],
    }


def _dead_letter() -> Document:
    text = "A message that could not be handled: as it was, with headers that say why."
    return {
        "name": DEAD_LETTER,
        "title": "DeadLetter",
        "summary": text,
        "headers": {"$ref": f"{SCHEMAS_AT}{LETTER_HEADERS}"},
        "payload": {"description": "Whatever it was. A very long value is cut."},
        "bindings": {"kafka": _KEY},
    }


_KEY: Final = {
    "key": {"type": "string", "description": "The table id."},
    "bindingVersion": KAFKA_BINDING,
}


def _add_hearing(result: Document, service: str, upstream: str) -> None:
    """What a service receives of another, and what it does with what it cannot handle."""
    address = topics.topic(upstream)
    what = f"What {service} does something about, of all that {upstream} publishes."
    received = _operation(result, "receive", address, what)
    told = delivery(service)
    received["bindings"] = {
        "kafka": {
            "groupId": {"type": "string", "enum": [told["group"]]},
            "bindingVersion": KAFKA_BINDING,
        }
    }
    received["x-delivery"] = {key: told[key] for key in told if key not in ("topics", "group")}
    result["operations"][f"hear-{upstream}"] = received
    result["operations"][f"put-aside-{upstream}"] = _operation(
        result,
        "send",
        topics.dead_letter_topic(address),
        f"What {service} could not handle of what {upstream} publishes.",
    )


def _operation(result: Document, action: str, address: str, description: str) -> Document:
    channel = f"#/channels/{address}"
    return {
        "action": action,
        "channel": {"$ref": channel},
        "summary": description,
        "messages": [
            {"$ref": f"{channel}/messages/{name}"}
            for name in result["channels"][address]["messages"]
        ],
    }


def _common_schemas() -> Document:
    envelope = models.reading_model(Meta).model_json_schema(
        ref_template=f"{SCHEMAS_AT}{ENVELOPE}.{{model}}"
    )
    nested = envelope.pop("$defs")
    return {
        COMMON_HEADERS: headers_schema(HEADERS, "The headers of every event."),
        LETTER_HEADERS: headers_schema(
            DEAD_LETTER_HEADERS, "The headers that a dead letter has beside those it came with."
        ),
        f"{ENVELOPE}.{Meta.__name__}": envelope,
        **{f"{ENVELOPE}.{name}": schema for name, schema in nested.items()},
    }


def _schemas(service: str, title: str, rendered: Document) -> Document:
    """A schema and what it refers to, under the service's name: two may have one of a name."""
    found: Document = {}
    waiting = [title]
    while waiting:
        name = waiting.pop()
        if f"{service}.{name}" in found:
            continue
        schema = json.loads(json.dumps(rendered[name]))
        for holder in _references(schema):
            inner = holder["$ref"].removeprefix(SCHEMAS_AT)
            holder["$ref"] = f"{SCHEMAS_AT}{service}.{inner}"
            waiting.append(inner)
        found[f"{service}.{name}"] = schema
    return found


def _references(node: Any) -> Iterator[Document]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node
        for inner in node.values():
            yield from _references(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _references(inner)


if __name__ == "__main__":
    main()
