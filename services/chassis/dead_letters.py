"""Writing what cannot be handled to the dead letters of its topic, with a reason and its origin."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError
from msgspec import Struct

from services.chassis import bus, envelope, telemetry, topics

log = logging.getLogger(__name__)

LETTER_TIMEOUT_S: Final = 10.0
"""How long the dead letters of one batch may take to be acknowledged."""

LETTER_BYTES_MAX: Final = 1_000_000
"""A dead letter gets headers on top of what it was; a value that would not fit is cut."""

LETTER_OVERHEAD_BYTES: Final = 4_096
WHAT_CHARACTERS_MAX: Final = 500
"""Length of the explanation in a dead letter's header."""


class Reason:
    """Codes in the header `dlq-reason`."""

    NO_KEY: Final = "NO_KEY"
    BAD_MESSAGE: Final = "BAD_MESSAGE"
    UNKNOWN_TYPE: Final = "UNKNOWN_TYPE"
    FAILED: Final = "FAILED"


class Letter(Struct, frozen=True):
    """A message that goes to the dead letters."""

    message: Any
    reason: str
    what: str


class DeadLettersAway(Exception):
    """The dead letters cannot be written, so nothing may be put aside."""


class DeadLetters:
    """Writes what cannot be handled to the dead letters of its topic."""

    def __init__(self, *, kafka: bus.Bus, consumer: str) -> None:
        self._kafka = kafka
        self._consumer = consumer
        self._producer: AIOKafkaProducer | None = None

    async def send(self, letters: Sequence[Letter]) -> None:
        """Return when the broker has acknowledged all of them. Raises `DeadLettersAway`."""
        if not letters:
            return
        try:
            async with asyncio.timeout(LETTER_TIMEOUT_S):
                await self._send(letters)
        except (KafkaError, OSError, TimeoutError) as error:
            await self.close(flush=False)
            raise DeadLettersAway(f"dead letters cannot be written: {error!r}") from error
        for letter in letters:
            telemetry.count(
                "sabot.consumer.dead_letters", consumer=self._consumer, reason=letter.reason
            )
            log.warning("dead letter: %s at %s: %s", letter.reason, _origin(letter), letter.what)

    async def close(self, *, flush: bool) -> None:
        producer, self._producer = self._producer, None
        if producer is not None:
            await bus.close_producer(producer, flush=flush)

    async def _send(self, letters: Sequence[Letter]) -> None:
        if self._producer is None:
            self._producer = bus.make_producer(self._kafka)
            await self._producer.start()
        sent = []
        for letter in letters:
            message = letter.message
            sent.append(
                await self._producer.send(
                    topics.dead_letter_topic(message.topic),
                    _fitting(message),
                    key=message.key,
                    headers=self._headers(letter),
                )
            )
        await asyncio.gather(*sent)

    def _headers(self, letter: Letter) -> list[tuple[str, bytes]]:
        original = [(name, value or b"") for name, value in letter.message.headers]
        return [
            *original,
            (envelope.DEAD_LETTER_REASON, letter.reason.encode()),
            (envelope.DEAD_LETTER_ORIGIN, _origin(letter).encode()),
            (envelope.DEAD_LETTER_CONSUMER, self._consumer.encode()),
            (
                envelope.DEAD_LETTER_WHAT,
                letter.what[:WHAT_CHARACTERS_MAX].encode(errors="replace"),
            ),
        ]


def _origin(letter: Letter) -> str:
    message = letter.message
    return f"{message.topic}/{message.partition}/{message.offset}"


def _fitting(message: Any) -> bytes:
    """The value, cut where the letter would be larger than the message was allowed to be."""
    headers = sum(len(name) + len(value or b"") for name, value in message.headers)
    room = LETTER_BYTES_MAX - LETTER_OVERHEAD_BYTES - headers - len(message.key or b"")
    value: bytes = message.value or b""
    return value[: max(room, 0)]
