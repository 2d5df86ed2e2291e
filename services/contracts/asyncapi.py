"""What a message on the broker looks like beside its value: headers, as JSON Schemas and as text.

The names are those of CloudEvents 1.0 in binary mode. Here they are only described; the chassis
writes and reads them, and a test holds both against each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from services.contracts.core import Event, Meta
from services.contracts.models import ce_type, reading_model

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_NUMBER: Final[Schema] = {"type": "string", "pattern": "^(0|[1-9][0-9]{0,18})$"}
_DIGEST: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_INSTANT: Final[Schema] = {"type": "string", "format": "date-time"}

SCHEMAS_AT: Final = "/sabot/schemas/"


class Header(Struct, frozen=True):
    """One header of a message. All headers are UTF-8 text."""

    name: str
    schema: Mapping[str, Any]
    says: str
    always: bool = True


HEADERS: Final = (
    Header("content-type", {"const": "application/json"}, "What the value is."),
    Header("ce_specversion", {"const": "1.0"}, "The version of CloudEvents."),
    Header(
        "ce_id",
        _TEXT,
        "`service:table:version`, unique for ever: the key by which a repeated message is known.",
    ),
    Header("ce_source", _TEXT, "`/sabot/<service>`: who publishes."),
    Header("ce_type", _TEXT, "`sabot.<service>.<type>.v<version>`: what the value is read as."),
    Header(
        "ce_time",
        _INSTANT,
        "When it happened, in UTC with microseconds. Absent where that is no date of the calendar.",
        always=False,
    ),
    Header("ce_subject", _TEXT, "The table id, as in the key."),
    Header("ce_dataschema", _TEXT, "The `$id` of the JSON Schema of the value."),
    Header("ce_sequence", _NUMBER, "Place among the publishing service's events of the table."),
    Header("ce_position", _NUMBER, "Place in the publishing service's log; it only grows."),
    Header(
        "ce_previousposition",
        _NUMBER,
        "`ce_position` of the table's previous message on this topic; 0 for its first.",
    ),
    Header("ce_correlationid", _TEXT, "The command from outside that began the chain of events."),
    Header("ce_causationid", _TEXT, "The command or the event that caused this one directly."),
    Header(
        "ce_traceparent",
        _TEXT,
        "W3C trace context in which the chain began. Absent where nothing was traced.",
        always=False,
    ),
    Header("traceparent", _TEXT, "W3C trace context of this sending.", always=False),
    Header(
        "ce_sabotmeta",
        {"type": "string", "contentMediaType": "application/json"},
        "The envelope, as JSON: actor, rulebook, shoe, coup, test flag. See below.",
    ),
    Header("ce_sabotdigest", _DIGEST, "SHA-256 over the event and the table's previous digest."),
    Header("ce_sabotpreviousdigest", _DIGEST, "The digest of the table's previous event."),
    Header("ce_sabotrecordedat", _INSTANT, "When it was stored, in UTC with microseconds."),
)
"""Every header of an event."""

DEAD_LETTER_HEADERS: Final = (
    Header(
        "dlq-reason",
        {"enum": ["NO_KEY", "BAD_MESSAGE", "UNKNOWN_TYPE", "FAILED"]},
        "Why it was put aside.",
    ),
    Header("dlq-origin", _TEXT, "`topic/partition/offset` of the message."),
    Header("dlq-consumer", _TEXT, "The service that put it aside."),
    Header("dlq-what", _TEXT, "What was wrong, for a person."),
)
"""What is added to the headers of a message that could not be handled."""


def schema_name(service: str, kind: str, version: int) -> str:
    """The name of a JSON Schema, without the ending."""
    return f"{service}.{kind}.v{version}"


def data_schema(service: str, event: type[Event]) -> str:
    """What the header `ce_dataschema` says of such an event."""
    return f"{SCHEMAS_AT}{schema_name(service, event.type, event.schema_version)}.json"


def headers_schema(headers: tuple[Header, ...], description: str) -> Schema:
    """Headers as the JSON Schema of an object of texts."""
    return {
        "type": "object",
        "description": description,
        "properties": {
            header.name: {"type": "string", **header.schema, "description": header.says}
            for header in headers
        },
        "required": [header.name for header in headers if header.always],
    }


def event_headers_schema(service: str, event: type[Event], common: str) -> Schema:
    """The headers of one event type; `common` is a reference to what all of them have."""
    told = {
        "ce_source": f"/sabot/{service}",
        "ce_type": ce_type(service, event),
        "ce_dataschema": data_schema(service, event),
    }
    return {
        "type": "object",
        "allOf": [{"$ref": common}],
        "properties": {name: {"type": "string", "const": text} for name, text in told.items()},
    }


def envelope_schema() -> Schema:
    """The JSON Schema of the envelope in the header `ce_sabotmeta`."""
    return reading_model(Meta).model_json_schema()
