"""Health: what probes are told, and why."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from services.chassis import health as module
from services.chassis.clock import SYSTEM_CLOCK, Clock, ManualClock
from services.chassis.config import HealthSettings
from services.chassis.health import Failing, Health

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@dataclass
class Probe:
    """A health server and somebody who asks it."""

    health: Health
    stub: Any

    async def ask(self, service: str) -> tuple[int, str]:
        call = self.stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=2.0)
        status = (await call).status
        trailing = dict(await call.trailing_metadata())
        return status, trailing.get(module.REASONS_METADATA, "")

    async def states(self) -> dict[str, bool]:
        names = ("startup", "liveness", "readiness", "")
        return {name: (await self.ask(name))[0] == SERVING for name in names}


@contextlib.asynccontextmanager
async def probing(clock: Clock = SYSTEM_CLOCK) -> AsyncIterator[Probe]:
    health = Health(settings=HealthSettings(port=0), clock=clock)
    await health.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{health.port}") as channel:
        untyped: Any = channel
        yield Probe(health, health_pb2_grpc.HealthStub(untyped))
    await health.stop(1.0)


async def passes() -> None:
    return None


class Switch:
    """A check that fails while it has a reason."""

    reason = ""

    async def __call__(self) -> None:
        if self.reason:
            raise Failing(self.reason)


async def test_a_starting_process_is_alive_and_not_ready() -> None:
    """The startup probe holds the others back until everything was started."""
    async with probing() as probe:
        assert await probe.states() == {
            "startup": False,
            "liveness": True,
            "readiness": False,
            "": False,
        }
        assert (await probe.ask("readiness"))[1] == "lifecycle: starting"
        probe.health.add("database", passes, liveness=False)
        await probe.health.started()
        assert all((await probe.states()).values())


async def test_readiness_follows_the_checks_and_names_the_failing_ones() -> None:
    """A failing check takes readiness and nothing else, and its reason can be read."""
    database, consumers = Switch(), Switch()
    async with probing() as probe:
        probe.health.add("database", database, liveness=False)
        probe.health.add("consumers", consumers, liveness=False)
        await probe.health.started()
        database.reason, consumers.reason = "no connection", "did not poll round for 40 s"
        await probe.health.evaluate()
        assert await probe.states() == {
            "startup": True,
            "liveness": True,
            "readiness": False,
            "": False,
        }
        reasons = "database: no connection; consumers: did not poll round for 40 s"
        assert await probe.ask("readiness") == (NOT_SERVING, reasons)
        database.reason = consumers.reason = ""
        await probe.health.evaluate()
        assert await probe.ask("readiness") == (SERVING, "")


async def test_checks_are_run_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has to ask for an evaluation."""
    monkeypatch.setattr(module, "CHECK_INTERVAL_S", 0.02)
    switch = Switch()
    async with probing() as probe:
        probe.health.add("database", switch, liveness=False)
        await probe.health.started()
        switch.reason = "gone"
        async with asyncio.timeout(3):
            while probe.health.ready:
                await asyncio.sleep(0.01)


async def test_a_check_that_hangs_or_breaks_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """An unanswered question is an answer, and so is any exception."""
    monkeypatch.setattr(module, "CHECK_TIMEOUT_S", 0.05)

    async def hangs() -> None:
        await asyncio.sleep(60)

    async def breaks() -> None:
        raise KeyError("x")

    async with probing() as probe:
        probe.health.add("hangs", hangs, liveness=False)
        probe.health.add("breaks", breaks, liveness=False)
        await probe.health.started()
        assert probe.health.reasons() == {
            "hangs": "no answer within 0.05 s",
            "breaks": "KeyError: 'x'",
        }


async def test_only_checks_of_liveness_take_liveness() -> None:
    """What a restart would mend is told to the liveness probe as well."""
    switch = Switch()
    async with probing() as probe:
        probe.health.add("loop", switch, liveness=True)
        await probe.health.started()
        switch.reason = "the task has ended"
        await probe.health.evaluate()
        states = await probe.states()
        assert not states["liveness"]
        assert not states["readiness"]


async def test_a_stopping_process_is_not_ready_whatever_the_checks_say() -> None:
    """From the beginning of the stop no new calls come, and nobody kills it for that."""
    async with probing() as probe:
        await probe.health.started()
        assert probe.health.ready
        await probe.health.enter_graceful_shutdown()
        await probe.health.evaluate()
        assert await probe.states() == {
            "startup": True,
            "liveness": True,
            "readiness": False,
            "": False,
        }
        assert (await probe.ask(""))[1] == "lifecycle: stopping"


async def test_results_that_nobody_renews_expire() -> None:
    """A hanging evaluation is noticed by whoever asks."""
    clock = ManualClock(0)
    async with probing(clock) as probe:
        await probe.health.started()
        assert (await probe.ask("readiness"))[0] == SERVING
        clock.advance(module.STALE_AFTER_S + 1)
        assert await probe.ask("readiness") == (NOT_SERVING, "health: not evaluated for 11 s")


async def test_unknown_services_are_unknown() -> None:
    """A probe with a typing error does not pass."""
    async with probing() as probe:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await probe.ask("rediness")
        assert raised.value.code() is grpc.StatusCode.NOT_FOUND


async def test_watchers_hear_of_changes() -> None:
    """A client that watches is told when the process stops."""
    async with probing() as probe:
        await probe.health.started()
        watch = probe.stub.Watch(health_pb2.HealthCheckRequest(service="readiness"))
        assert (await watch.read()).status == SERVING
        await probe.health.enter_graceful_shutdown()
        assert (await watch.read()).status == NOT_SERVING
        watch.cancel()
