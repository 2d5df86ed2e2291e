"""What is between a consumer and its connection: pauses and signs of life."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.protocol.fetch import FetchRequest

from services.chassis import bus

ASKED_S = 0.2


class Broker:
    """Stands for a client whose broker never waits."""

    def __init__(self, records: bytes = b"", error: int = 0) -> None:
        self.records = records
        self.error = error
        self.asked = 0

    async def send(self, node: int, request: Any) -> Any:
        self.asked += 1
        await asyncio.sleep(0)
        return SimpleNamespace(topics=[("t", [(0, self.error, 1, 1, 0, [], self.records)])])


async def ask(broker: Broker, request: Any) -> int:
    bus.pace(SimpleNamespace(_client=broker), lambda: None)
    until = time.perf_counter() + ASKED_S
    while time.perf_counter() < until:
        await broker.send(0, request)
    return broker.asked


def fetch() -> FetchRequest:
    return FetchRequest(bus.FETCH_WAIT_MS_MAX, 1, 1, 0, [])


async def test_empty_answers_are_followed_by_a_pause() -> None:
    assert await ask(Broker(), fetch()) <= ASKED_S / bus.PACE_S_MAX + 10


async def test_records_and_other_questions_are_not_held_up() -> None:
    assert await ask(Broker(b"records"), fetch()) > 100
    assert await ask(Broker(), object()) > 100


@pytest.mark.parametrize(("error", "answers"), [(0, 1), (6, 0)])
async def test_only_an_answer_without_an_error_is_a_sign_of_life(error: int, answers: int) -> None:
    heard: list[None] = []
    broker = Broker(error=error)
    bus.pace(SimpleNamespace(_client=broker), lambda: heard.append(None))
    await broker.send(0, fetch())
    await broker.send(0, object())
    assert len(heard) == answers
