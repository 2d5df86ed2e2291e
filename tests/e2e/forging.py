"""Messages that no relay would send, and a way past those at which a table is parked."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from importlib import import_module

import msgspec

from services.chassis import bus, envelope, topics
from services.chassis.decider import Record
from services.chassis.digest import GENESIS, digest_of
from services.contracts.core import SYSTEM, Meta, event_id
from services.devstack.stack import Stack
from tests.e2e.support import COMMAND_S, ROOT, value
from tests.integration.messaging.rig import publish_raw, read_topic

Raw = tuple[bytes | None, bytes | None, Sequence[tuple[str, bytes]]]


def kafka(stack: Stack) -> bus.Bus:
    """The broker, for somebody who is no service."""
    return bus.Bus(
        bootstrap_servers=stack.bootstrap_servers,
        client_id="test",
        security=None,
        topic_replication=None,
    )


async def published(
    stack: Stack, service: str, messages: Sequence[Raw], *, partition: int | None = None
) -> None:
    """Put messages on the topic of a service."""
    await publish_raw(kafka(stack), topics.topic(service), messages, partition=partition)


async def letters(stack: Stack, service: str) -> list[dict[str, str]]:
    """The dead letters of a topic: their headers, with the value under an empty name."""
    found = await read_topic(kafka(stack), topics.dead_letter_topic(topics.topic(service)))
    return [
        {
            "": (message.value or b"").decode(errors="replace"),
            **{name: data.decode(errors="replace") for name, data in message.headers},
        }
        for message in found
    ]


async def forged(
    stack: Stack, service: str, table_id: str, *, kind: str, version: int = 1, body: bytes
) -> tuple[str, Raw]:
    """A record that could be the table's next one: its id, and the message.

    It takes the position behind the table's last one. Somebody else's event must stand there, or the
    table's next real event would look as if it had been handled.
    """
    last = await value(
        stack,
        service,
        "select max(position) from events where stream_id = $1 and published",
        table_id,
    )
    head = await value(stack, service, "select position from log_head")
    assert head > last, "somebody else's event stands behind the table's last one"
    stream_version = 1_000_000 + last
    meta = msgspec.json.encode(
        Meta(
            table_id=table_id,
            occurred_at_us=1_764_460_800_000_000,
            actor=SYSTEM,
            command_id="forged",
            cause="forged",
            depth=1,
            test=True,
        )
    )
    name = event_id(service, table_id, stream_version)
    record = Record(
        service=service,
        stream=table_id,
        version=stream_version,
        position=last + 1,
        previous=last,
        type=kind,
        schema_version=version,
        meta=meta,
        body=body,
        previous_digest=GENESIS,
        digest=digest_of(GENESIS, name, kind, version, meta, body),
        published=True,
        recorded_at_us=1_764_460_800_000_000,
    )
    message = envelope.encode(record, envelope.meta_of(record), hop="")
    return name, (message.key, message.value, message.headers)


def on_duty(stack: Stack, service: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run a service's program as somebody on duty does, beside the service itself."""
    running = stack.services[service]
    return subprocess.run(
        (*running.command, *flags),
        check=False,
        capture_output=True,
        text=True,
        env=running._environment,
        cwd=ROOT,
        timeout=COMMAND_S,
    )


def hearing(service: str) -> list[str]:
    """Who hears a service."""
    return [
        name
        for name in ("shoe", "round", "wager", "settlement")
        if service in import_module(f"services.{name}.domain").HEARS
    ]


def listening(service: str, kind: str) -> list[str]:
    """Who does something about a type of event, or keeps it; the others pass over it."""
    return [
        name
        for name in hearing(service)
        if kind in import_module(f"services.{name}.domain").HEARS[service]
    ]
