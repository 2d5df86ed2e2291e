"""A whole service: flags, start before the migration, calls, roles, and the end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sabot.common.v1 import common_pb2
from services.chassis import app, auth, rpc
from services.chassis import runtime as runtime_module
from services.chassis.clock import SYSTEM_CLOCK
from services.chassis.config import load
from services.chassis.positions import read_position
from services.chassis.rpc_errors import call_failed
from services.chassis.store import StoreUnavailable
from services.devstack.ports import free_ports
from tests.chassis.counter_service import DEFINITION, TABLE
from tests.chassis.edge import DEALER, NAME, Client, until

SERVING = health_pb2.HealthCheckResponse.SERVING
READY_S = 30.0
READY_POLL_S = 0.2
READY_ASKED_MAX = 100


async def run(
    *flags: str, environment: Mapping[str, str], timeout_s: float = 30.0
) -> tuple[int, str, str]:
    process = await launch(*flags, environment=environment)
    output, errors = await asyncio.wait_for(process.communicate(), timeout_s)
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()


async def launch(*flags: str, environment: Mapping[str, str]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.chassis.counter_service",
        *flags,
        env={"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def test_a_faulty_configuration_ends_the_process_with_status_2() -> None:
    """Nothing is started, and standard error lists what is wrong."""
    status, output, errors = await run(environment={"SABOT_ENVIRONMENT": "moon"})
    assert (status, output) == (2, "")
    for variable in ("SABOT_ENVIRONMENT", "SABOT_DATABASE_URL", "SABOT_KAFKA_BOOTSTRAP_SERVERS"):
        assert variable in errors


async def test_a_configuration_can_be_checked_without_starting() -> None:
    """All values are listed without secrets, typing errors are pointed out, a flag counts."""
    environment = {
        "SABOT_ENVIRONMENT": "development",
        "SABOT_DATABASE_URL": "postgresql://u:geheim@h/d",
        "SABOT_HEALTH_PROT": "1",
    }
    status, output, errors = await run("--check-config", "--role", "query", environment=environment)
    assert status == 0
    assert {"SABOT_ROLE=query", "SABOT_DATABASE_URL=[set]"} <= set(output.splitlines())
    assert "did you mean SABOT_HEALTH_PORT?" in errors
    assert "geheim" not in output + errors


@dataclass
class Running:
    """A service process and its ports."""

    process: asyncio.subprocess.Process
    client: Client
    health: Any
    lines: list[dict[str, Any]]

    async def status(self, name: str) -> tuple[int, str]:
        call = self.health.Check(
            health_pb2.HealthCheckRequest(service=name), timeout=READY_S, wait_for_ready=True
        )
        answer = await call
        return answer.status, dict(await call.trailing_metadata()).get("sabot-reasons", "")

    async def ready(self) -> None:
        for _ in range(READY_ASKED_MAX):
            status, reasons = await self.status("readiness")
            if status == SERVING:
                return
            await asyncio.sleep(READY_POLL_S)
        pytest.fail(f"not ready: {reasons}\n" + "\n".join(map(str, self.lines[-20:])))

    async def said(self, event: str) -> dict[str, Any]:
        await until(lambda: any(line["event"] == event for line in self.lines), READY_S)
        return next(line for line in self.lines if line["event"] == event)

    async def count(self, command_id: str, **options: Any) -> common_pb2.CommandResult:
        result: common_pb2.CommandResult = await self.client.say(
            common_pb2.CommandMeta(command_id=command_id), **options
        )
        return result

    async def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.process.wait(), 30)


@contextlib.asynccontextmanager
async def service(*flags: str, environment: Mapping[str, str]) -> AsyncIterator[Running]:
    calls, health, metrics = free_ports(3)
    ports = {
        "SABOT_GRPC_PORT": str(calls),
        "SABOT_HEALTH_PORT": str(health),
        "SABOT_METRICS_PORT": str(metrics),
    }
    process = await launch(*flags, environment={**environment, **ports})
    lines: list[dict[str, Any]] = []

    async def read() -> None:
        assert process.stdout is not None
        async for line in process.stdout:
            lines.append(json.loads(line))  # noqa: PERF401 - others look while it grows

    reading = asyncio.ensure_future(read())
    channel = rpc.connect(
        f"127.0.0.1:{calls}",
        credentials=auth.development_credentials(DEALER, permissions=["import_table"]),
        deadline_s=5.0,
        repeatable=[NAME],
        tls=None,
        clock=SYSTEM_CLOCK,
    )
    probes: Any = grpc.aio.insecure_channel(f"127.0.0.1:{health}")
    stub = health_pb2_grpc.HealthStub(probes)
    try:
        yield Running(process, Client(channel), stub, lines)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        await asyncio.gather(channel.close(), probes.close(), reading)


@pytest.fixture
def environment(database_url: str, bootstrap_servers: str) -> dict[str, str]:
    return {
        "SABOT_ENVIRONMENT": "development",
        "SABOT_DATABASE_URL": database_url,
        "SABOT_KAFKA_BOOTSTRAP_SERVERS": bootstrap_servers,
        "SABOT_ALLOW_TEST_TABLES": "true",
    }


async def failure(call: Any) -> tuple[grpc.StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    failed = call_failed(raised.value)
    return failed.code, failed.reason


async def commands(running: Running) -> None:
    """What every command is answered: done, repeated, refused, in conflict, malformed."""
    first = await running.count("a.5")
    assert (first.duplicate, first.HasField("refusal")) == (False, False)
    again = await running.count("a.5")
    assert (again.duplicate, again.HasField("refusal")) == (True, False)
    for result in (first, again):
        assert read_position(result.position_token, service="counter", field="x") >= 1
    refused = await running.count("b.0")
    assert (refused.refusal.reason, list(refused.refusal.clauses)) == ("NO", ["000:1.1"])
    reused = await failure(running.count("a.6"))
    assert reused == (grpc.StatusCode.ALREADY_EXISTS, "COMMAND_ID_REUSED")
    malformed = await failure(running.count("c d.1"))
    assert malformed == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_COMMAND")
    recorded = common_pb2.Recorded(at_us=1, by=common_pb2.Actor(id="x", role="DEALER"))
    meta = common_pb2.CommandMeta(command_id="d.1", recorded=recorded)
    no_test_table = await failure(running.client.say(meta))
    assert no_test_table == (grpc.StatusCode.FAILED_PRECONDITION, "NOT_A_TEST_TABLE")


async def progress(running: Running, table_id: str) -> common_pb2.TableProgress:
    call: Any = running.client.channel.unary_unary(
        f"/{NAME}/Progress",
        request_serializer=common_pb2.Actor.SerializeToString,
        response_deserializer=common_pb2.TableProgress.FromString,
    )
    answer: common_pb2.TableProgress = await call(common_pb2.Actor(id=table_id))
    return answer


async def test_a_service_from_its_first_start_to_its_end(environment: dict[str, str]) -> None:
    """It waits for its migration without being ready, works, and ends in order with status 0."""
    async with service(environment=environment) as running:
        waits = await running.said("waits for the database")
        assert "SchemaBehind" in waits["problem"]
        assert await running.status("readiness") != (SERVING, "")
        assert (await running.status("liveness"))[0] == SERVING
        assert (await run("--migrate", environment=environment))[0] == 0
        await running.ready()
        await commands(running)
        told = await progress(running, TABLE)
        assert (told.own_position, told.open_wallet_movements) == (1, 2)
        assert not told.parked
        assert await running.stop() == 0
        stopped = [line["part"] for line in running.lines if line["event"] == "a part was stopped"]
        assert stopped == [
            "serving",
            "grpc",
            "consumers",
            "executor",
            "relay",
            "database",
            "health",
            "telemetry",
        ]


async def test_a_query_server_answers_without_a_broker_and_takes_no_commands(
    environment: dict[str, str],
) -> None:
    """In the role query nothing is heard or published, and a command is told to go elsewhere."""
    del environment["SABOT_KAFKA_BOOTSTRAP_SERVERS"]
    query = {**environment, "SABOT_ROLE": "query"}
    assert (await run("--migrate", environment=query))[0] == 0
    async with service("--role", "query", environment=query) as running:
        await running.ready()
        assert (await progress(running, TABLE)).own_position == 0
        refused = await failure(running.count("a.5"))
        assert refused == (grpc.StatusCode.FAILED_PRECONDITION, "QUERIES_ONLY")
        assert await running.stop() == 0


async def test_a_wrong_password_is_not_waited_for(environment: dict[str, str]) -> None:
    """What does not pass by itself ends the start at once, with status 1."""

    async def attempt() -> None:
        raise asyncpg.InvalidPasswordError("no")

    with pytest.raises(asyncpg.InvalidPasswordError):
        await app._patiently(attempt, SYSTEM_CLOCK)


async def test_calls_to_other_services_are_encrypted_outside_development(tmp_path: Path) -> None:
    """Where nothing says that a mesh encrypts, a channel trusts an authority and shows a token."""
    for name in ("crt", "key", "keys.json", "token", "ca"):
        (tmp_path / name).write_text("x")
    files = {
        "SABOT_GRPC_TLS_CERTIFICATE_FILE": "crt",
        "SABOT_GRPC_TLS_KEY_FILE": "key",
        "SABOT_AUTH_KEY_FILES": "keys.json",
        "SABOT_CLIENT_CA_FILE": "ca",
    }
    production = {
        "SABOT_ENVIRONMENT": "production",
        "SABOT_DATABASE_URL": "postgresql://h/d",
        "SABOT_KAFKA_BOOTSTRAP_SERVERS": "h:1",
        "SABOT_AUTH_ISSUER": "i",
        "SABOT_AUTH_AUDIENCE": "a",
        **{variable: str(tmp_path / name) for variable, name in files.items()},
    }
    mesh = {"SABOT_GRPC_PLAINTEXT": "true"} | {
        k: v for k, v in production.items() if "TLS" not in k and "CLIENT" not in k
    }

    def made(environment: dict[str, str]) -> app.Runtime:
        return app.Runtime(DEFINITION, load(DEFINITION.settings, environment, {}), SYSTEM_CLOCK)

    assert made(production)._tls() == rpc.ClientTls(str(tmp_path / "ca"), "", "")
    assert made(mesh)._tls() is None
    with pytest.raises(ValueError, match="SABOT_AUTH_TOKEN_FILE"):
        made(mesh).connect("h:1", deadline_s=1.0, repeatable=())
    token = {**mesh, "SABOT_AUTH_TOKEN_FILE": str(tmp_path / "token")}
    await made(token).connect("h:1", deadline_s=1.0, repeatable=()).close()


async def test_a_part_in_the_background_begins_again_when_the_database_was_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what passes by itself is tried again; anything else ends the process."""
    monkeypatch.setattr(runtime_module, "AGAIN_S", 0.01)
    settings = load(
        DEFINITION.settings,
        {
            "SABOT_ENVIRONMENT": "development",
            "SABOT_DATABASE_URL": "postgresql://h/d",
            "SABOT_KAFKA_BOOTSTRAP_SERVERS": "h:1",
        },
        {},
    )
    runtime = app.Runtime(DEFINITION, settings, SYSTEM_CLOCK)
    ended: list[str] = []
    runtime.fail = ended.append
    begun: list[int] = []

    async def work() -> None:
        begun.append(len(begun))
        if len(begun) < 3:
            raise StoreUnavailable("away")
        raise KeyError("a bug")

    part = app.background(runtime, "timers", work, stop_budget_s=1.0)
    await part.start()
    await until(lambda: bool(ended))
    assert (len(begun), ended) == (3, ["timers: KeyError('a bug')"])
    assert part.stop is not None
    await part.stop(1.0)


@pytest.mark.parametrize(
    "flags",
    [
        ("--skip", "T1"),
        ("--skip", "T1", "--event", "x:T1:2", "--reason", " ", "--by", "me"),
        ("--parked", "--by", "me"),
        ("--parked", "--migrate"),
        ("--retry", "T1", "--reason", "why not"),
    ],
    ids=" ".join,
)
async def test_nobody_passes_over_an_event_by_accident(flags: tuple[str, ...]) -> None:
    """A skip says which event, why and who; the other flags take none of it."""
    status, output, errors = await run(*flags, environment={})
    assert (status, output) == (2, "")
    assert "--" in errors
