"""Health for probes: `grpc.health.v1` on a plaintext port of its own.

The kubelet's probe sends no TLS, so it cannot use the port for calls; and a plaintext port that
also answered calls would be a hole. Probes ask for `startup`, `liveness` or `readiness`; the empty
name means readiness. Readiness is computed from named checks, and every check says why it fails:
in the log, in a metric, and in the trailing metadata of the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1.health import aio as health_aio
from msgspec import Struct

from services.chassis import logs, telemetry
from services.chassis.clock import Clock
from services.chassis.config import HealthSettings

STARTUP: Final = "startup"
LIVENESS: Final = "liveness"
READINESS: Final = "readiness"
OVERALL: Final = ""

CHECK_INTERVAL_S: Final = 1.0
CHECK_TIMEOUT_S: Final = 2.0
"""A check that takes longer has failed: what it asks is not answering."""

STALE_AFTER_S: Final = 10.0
"""Results older than this say nothing: the loop that renews them hangs."""

REASONS_METADATA: Final = "sabot-reasons"
REASONS_CHARACTERS_MAX: Final = 1_000
STOP_GRACE_S: Final = 0.2

log = logs.logger(__name__)

_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


class Failing(Exception):
    """A check fails; the text says why, for people."""


Probe = Callable[[], Awaitable[None]]
"""Returns when all is well and raises `Failing` when not."""


class Check(Struct, frozen=True):
    """One named condition."""

    name: str
    probe: Probe
    liveness: bool
    """True where a failure can only be mended by a restart; such a check is a condition of
    readiness as well."""


class _Servicer(health_aio.HealthServicer):
    """The library's servicer, with the reasons beside the status."""

    def __init__(self, health: Health) -> None:
        super().__init__()
        self._health = health

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802
        await self._health.expire()
        reasons = self._health.text()
        if reasons and request.service != STARTUP:
            context.set_trailing_metadata(((REASONS_METADATA, reasons),))
        return await super().Check(request, context)


class Health:
    """The state of this process, and the server that tells it."""

    def __init__(self, *, settings: HealthSettings, clock: Clock) -> None:
        """Nothing is healthy before `start`, and nothing ready before `started`."""
        self._settings = settings
        self._clock = clock
        self._checks: dict[str, Check] = {}
        self._results: dict[str, str] = {}
        self._evaluated_s = clock.steady_s()
        self._is_started = False
        self._stopping = False
        self._servicer = _Servicer(self)
        self._server: grpc.aio.Server | None = None
        self._loop: asyncio.Task[None] | None = None
        self.port = 0
        """The port that was really bound, from `start` on."""

    def add(self, name: str, probe: Probe, *, liveness: bool) -> None:
        """Add a condition. Called before the process is started up."""
        assert name not in self._checks, f"the check {name} exists"
        self._checks[name] = Check(name, probe, liveness)

    async def start(self) -> None:
        """Answer probes: alive, but neither started nor ready."""
        for name in (STARTUP, READINESS, OVERALL):
            await self._servicer.set(name, _NOT_SERVING)
        await self._servicer.set(LIVENESS, _SERVING)
        # Two processes on one port would answer for each other.
        server = grpc.aio.server(options=[("grpc.so_reuseport", 0)])
        health_pb2_grpc.add_HealthServicer_to_server(self._servicer, server)
        self.port = server.add_insecure_port(f"{self._settings.host}:{self._settings.port}")
        await server.start()
        self._server = server
        self._loop = asyncio.create_task(self._run(), name="health")

    async def stop(self, timeout_s: float) -> None:
        """End the answers; the last thing of a process that is asked about."""
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        if self._server is not None:
            await self._server.stop(min(STOP_GRACE_S, timeout_s))

    async def started(self) -> None:
        """Everything has been started: from here on the checks decide."""
        self._is_started = True
        await self._servicer.set(STARTUP, _SERVING)
        await self.evaluate()

    async def enter_graceful_shutdown(self) -> None:
        """Be not ready from now on, whatever the checks say, so that no new calls come.

        Liveness stays: a process that was killed for stopping would not stop well.
        """
        self._stopping = True
        for name in (READINESS, OVERALL):
            await self._servicer.set(name, _NOT_SERVING)

    @property
    def ready(self) -> bool:
        """Whether calls should come here."""
        return self._is_started and not self._stopping and not self.reasons()

    def reasons(self) -> Mapping[str, str]:
        """Tell why this process is not ready, by check."""
        if self._stopping:
            return {"lifecycle": "stopping"}
        if not self._is_started:
            return {"lifecycle": "starting"}
        return {name: reason for name, reason in self._results.items() if reason}

    def text(self) -> str:
        """Write the reasons on one line of ASCII, as metadata must be."""
        line = "; ".join(f"{name}: {reason}" for name, reason in self.reasons().items())
        return line.encode("ascii", "replace").decode()[:REASONS_CHARACTERS_MAX]

    async def evaluate(self) -> None:
        """Run all checks and set what they say."""
        checks = tuple(self._checks.values())
        results = await asyncio.gather(*(self._result(check) for check in checks))
        alive = True
        for check, reason in zip(checks, results, strict=True):
            alive = alive and not (check.liveness and reason)
            telemetry.gauge("sabot.health", 0 if reason else 1, check=check.name)
            before = self._results.get(check.name)
            self._results[check.name] = reason
            if reason and not before:
                log.warning("a health check fails", check=check.name, reason=reason)
            elif before and not reason:
                log.info("a health check passes again", check=check.name)
        self._evaluated_s = self._clock.steady_s()
        await self._servicer.set(LIVENESS, _SERVING if alive else _NOT_SERVING)
        if not self._stopping:
            for name in (READINESS, OVERALL):
                await self._servicer.set(name, _SERVING if self.ready else _NOT_SERVING)

    async def expire(self) -> None:
        """Do not go on telling results that nobody renews."""
        age_s = self._clock.steady_s() - self._evaluated_s
        if self._is_started and age_s > STALE_AFTER_S and not self._stopping:
            self._results["health"] = f"not evaluated for {age_s:.0f} s"
            for name in (READINESS, OVERALL):
                await self._servicer.set(name, _NOT_SERVING)

    async def _result(self, check: Check) -> str:
        try:
            async with asyncio.timeout(CHECK_TIMEOUT_S):
                await check.probe()
        except Failing as failing:
            return str(failing) or "fails"
        except TimeoutError:
            return f"no answer within {CHECK_TIMEOUT_S:g} s"
        except Exception as error:  # noqa: BLE001 - whatever a check raises, the check fails
            return f"{type(error).__name__}: {error}"
        return ""

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(CHECK_INTERVAL_S)
            self._results.pop("health", None)
            if self._is_started:
                await self.evaluate()
