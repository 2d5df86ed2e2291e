"""A service as a process: from its definition and its configuration to running parts and back.

`python -m services.<name>` calls `run_service`. A service says in a `ServiceDefinition` what is its
own; everything that all services have in common is built here, in one order, with one set of flags.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import random
import ssl
import sys
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import asyncpg
from faststream.security import BaseSecurity, SASLPlaintext, SASLScram256, SASLScram512

from services.chassis import auth, bus, config, logs, migrations, postgres, rpc, telemetry
from services.chassis.clock import SYSTEM_CLOCK, Clock
from services.chassis.consumer import Consumers
from services.chassis.duty import Duty, add_flags, asked_for
from services.chassis.executor import Executor
from services.chassis.health import Failing
from services.chassis.lifecycle import EXIT_CLEAN, EXIT_FAILED, Lifecycle, Part
from services.chassis.measures import Measures
from services.chassis.parking import Parking
from services.chassis.registry import Registry, check_registries
from services.chassis.relay import AdvisoryLock, Relay, checkpoint_name
from services.chassis.runtime import (
    START_S,
    Asked,
    Carried,
    Runtime,
    ServiceDefinition,
    background,
    stored_event,
)

__all__ = [
    "Asked",
    "Carried",
    "Runtime",
    "ServiceDefinition",
    "authenticator",
    "background",
    "plan",
    "run_service",
    "serve",
    "stored_event",
]

log = logs.logger(__name__)

SCHEMA_WAIT_S: Final = 120.0
"""How long a service waits, not ready, for its database and for the migration of its release."""

SCHEMA_POLL_S: Final = 1.0
COLLECTOR_THRESHOLDS: Final = (50_000, 20, 50)
TELEMETRY_STOP_S: Final = 3.0
HEALTH_STOP_S: Final = 1.0
DATABASE_STOP_S: Final = 4.0
RELAY_STOP_S: Final = 9.0
EXECUTOR_STOP_S: Final = 5.0
CONSUMERS_STOP_S: Final = 18.0
GRPC_STOP_S: Final = 8.0
SERVING_STOP_S: Final = 1.0
RESERVE_S: Final = 4.0
"""Of their budgets, what relay and consumers need for breaking off when the rest was not enough."""

_AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)
_REFUSED = (
    asyncpg.InvalidAuthorizationSpecificationError,
    PermissionError,
    ssl.SSLCertVerificationError,
)


# Building the parts


def plan(runtime: Runtime) -> list[Part]:
    """List the parts of a service in the order of their start.

    Telemetry and health surround everything; nothing is asked of a part before it is there, and
    nothing is taken from one that still works. Events of the last commands are still published,
    because the relay stops after the executor.
    """
    parts = [_telemetry(runtime), _health(runtime), _database(runtime)]
    if runtime.works:
        parts.append(_relay(runtime))
    parts.append(_executor(runtime))
    if runtime.works and runtime.definition.hears:
        parts.append(_consumers(runtime))
    return [*parts, *runtime.definition.parts(runtime), _grpc(runtime), _serving(runtime)]


def _part(
    name: str,
    start: Callable[[], Awaitable[None]],
    stop: Callable[[float], Awaitable[None]] | None,
    *,
    start_s: float,
    stop_s: float,
) -> Part:
    return Part(name=name, start=start, stop=stop, start_budget_s=start_s, stop_budget_s=stop_s)


def _telemetry(runtime: Runtime) -> Part:
    settings = runtime.settings
    protocol = settings.trace.otlp_protocol
    exported = bool(settings.trace.otlp_endpoint)
    providers = telemetry.Telemetry(
        service=runtime.definition.name,
        instance=runtime.instance,
        environment=settings.environment,
        sample_ratio=settings.trace.ratio,
        span_exporters=[telemetry.otlp_span_exporter(protocol)] if exported else [],
        metric_readers=(
            [telemetry.otlp_metric_reader(protocol)]
            if exported and settings.trace.otlp_metrics
            else []
        ),
        metrics_host=settings.metrics.host,
        metrics_port=settings.metrics.port,
    )

    async def start() -> None:
        await providers.start()
        if exported:
            # A span for every statement costs, so there are some only where somebody keeps them.
            from opentelemetry.instrumentation.asyncpg import (  # noqa: PLC0415
                AsyncPGInstrumentor,
            )

            AsyncPGInstrumentor().instrument()  # type: ignore[no-untyped-call]

    return _part("telemetry", start, providers.stop, start_s=START_S, stop_s=TELEMETRY_STOP_S)


def _health(runtime: Runtime) -> Part:
    health = runtime.health
    return _part("health", health.start, health.stop, start_s=START_S, stop_s=HEALTH_STOP_S)


def _dsn(runtime: Runtime) -> str:
    dsn: str = runtime.settings.database.address
    return dsn


def _packages(definition: ServiceDefinition) -> list[migrations.Package]:
    return [migrations.CHASSIS, *definition.migrations]


def _database(runtime: Runtime) -> Part:
    settings = runtime.settings.database

    async def start() -> None:
        check_registries(
            [
                runtime.registry,
                *(Registry(n, e) for n, e in runtime.definition.aggregate.HEARS.items()),
            ],
            of_all=False,
        )
        pool = await _patiently(partial(_open_database, runtime), runtime.clock)
        runtime.made("pool", pool)
        runtime.made("store", postgres.PostgresStore(runtime.definition.name, pool))
        telemetry.observe("sabot.database.connections", pool.get_size)
        telemetry.observe("sabot.database.idle", pool.get_idle_size)

        async def answers() -> None:
            await pool.fetchval("select 1", timeout=settings.command_timeout_s)

        runtime.health.add("database", answers, liveness=False)

    async def stop(timeout_s: float) -> None:
        if not runtime.has("pool"):
            return
        pool = runtime.pool
        try:
            async with asyncio.timeout(timeout_s * 0.8):
                await pool.close()
        except TimeoutError:
            pool.terminate()
            raise

    return _part("database", start, stop, start_s=SCHEMA_WAIT_S + START_S, stop_s=DATABASE_STOP_S)


async def _open_database(runtime: Runtime) -> postgres.Pool:
    settings = runtime.settings.database
    pool = await postgres.open_pool(
        _dsn(runtime),
        connections_max=settings.connections_max,
        command_timeout_s=settings.command_timeout_s,
    )
    try:
        async with pool.acquire() as connection:
            await migrations.check(connection, _packages(runtime.definition))
    except BaseException:
        pool.terminate()
        raise
    return pool


async def _patiently(attempt: Callable[[], Awaitable[Any]], clock: Clock) -> Any:
    """Wait for a database that is not there yet, or whose migration still runs.

    Only for what passes by itself: a wrong password, an unreadable certificate or that of a
    stranger does not.
    """
    deadline_s = clock.steady_s() + SCHEMA_WAIT_S
    said = ""
    while True:
        try:
            return await attempt()
        except _REFUSED:
            raise
        except (*_AWAY, migrations.SchemaBehind) as error:
            if clock.steady_s() >= deadline_s:
                raise
            if said != str(error):
                said = str(error)
                log.warning("waits for the database", problem=f"{type(error).__name__}: {error}")
        await asyncio.sleep(SCHEMA_POLL_S)


def _bus(runtime: Runtime) -> bus.Bus:
    kafka = runtime.settings.kafka
    replication = kafka.topic_replication
    if replication is None:
        replication = 1 if runtime.settings.environment == "development" else 0
    return bus.Bus(
        bootstrap_servers=kafka.bootstrap_servers,
        client_id=f"sabot-{runtime.definition.name}-{runtime.instance}",
        security=_security(kafka),
        topic_replication=replication or None,
    )


def _security(kafka: config.KafkaSettings) -> BaseSecurity | None:
    if kafka.security_protocol == "PLAINTEXT":
        return None
    context = None
    if kafka.security_protocol in {"SSL", "SASL_SSL"}:
        context = ssl.create_default_context(cafile=kafka.ca_file or None)
        if kafka.certificate_file:
            context.load_cert_chain(kafka.certificate_file, kafka.key_file or None)
    if kafka.security_protocol == "SSL":
        return BaseSecurity(ssl_context=context, use_ssl=True)
    login = {
        "PLAIN": SASLPlaintext,
        "SCRAM-SHA-256": SASLScram256,
        "SCRAM-SHA-512": SASLScram512,
    }[kafka.sasl_mechanism]
    return login(
        username=kafka.sasl_username,
        password=kafka.sasl_password.get_secret_value(),
        ssl_context=context,
        use_ssl=context is not None,
    )


def _relay(runtime: Runtime) -> Part:
    lag_max = runtime.settings.health.relay_lag_max

    async def start() -> None:
        name = checkpoint_name(runtime.definition.name)
        lock = AdvisoryLock(lambda: asyncpg.connect(_dsn(runtime)), name=name)
        relay = Relay(store=runtime.store, lock=lock, kafka=_bus(runtime), clock=runtime.clock)
        await relay.start()
        runtime.made("relay", relay)

        async def keeps_up() -> None:
            status = relay.status()
            if status.lag_events > lag_max:
                raise Failing(f"{status.lag_events} events are not published: {status.reason}")

        runtime.health.add("relay", keeps_up, liveness=False)

    async def stop(timeout_s: float) -> None:
        if runtime.has("relay"):
            await runtime.take("relay").stop(timeout_s - RESERVE_S)

    return _part("relay", start, stop, start_s=START_S, stop_s=RELAY_STOP_S)


def _executor(runtime: Runtime) -> Part:
    async def start() -> None:
        definition = runtime.definition
        executor = Executor(
            definition.aggregate,
            runtime.store,
            definition.companion(runtime),
            runtime.registry,
            limits=definition.limits,
            jitter=random.Random(),  # noqa: S311 - spreads retries, guards nothing
            committed=Measures(
                definition.name, runtime.clock, definition.intervals, definition.measure
            ).committed,
        )
        await executor.start()
        runtime.made("executor", executor)
        parking = Parking(store=runtime.store, executor=executor, consumer=definition.name)
        runtime.made("parking", parking)
        counters = executor.counters
        for name in ("commands", "failures", "alone", "overloads", "commits"):
            telemetry.observe(f"sabot.executor.{name}", partial(getattr, counters, _COUNTED[name]))
        telemetry.observe("sabot.executor.waiting", lambda: executor.waiting_commands)

    async def stop(timeout_s: float) -> None:
        if runtime.has("executor"):
            async with asyncio.timeout(timeout_s):
                await runtime.executor.stop()

    return _part("executor", start, stop, start_s=START_S, stop_s=EXECUTOR_STOP_S)


_COUNTED: Final = {
    "commands": "commands",
    "commits": "batches",
    "failures": "failed_attempts",
    "alone": "commands_alone",
    "overloads": "overloads",
}


def _consumers(runtime: Runtime) -> Part:
    age_s_max = runtime.settings.health.poll_age_s_max

    async def start() -> None:
        consumers = Consumers(
            service=runtime.definition.name,
            upstreams=runtime.definition.hears,
            ears=runtime.executor,
            parking=runtime.parking,
            kafka=_bus(runtime),
            clock=runtime.clock,
            instance=runtime.settings.kafka.group_instance_id or None,
        )
        await consumers.start()
        runtime.made("consumers", consumers)

        async def hears() -> None:
            status = consumers.status()
            if not status.open:
                raise Failing(status.reason or "has no partitions yet")
            telemetry.gauge(
                "sabot.consumer.poll_age", status.poll_age_s, consumer=runtime.definition.name
            )
            if status.poll_age_s > age_s_max:
                raise Failing(f"did not poll for {status.poll_age_s:.0f} s")
            if not status.partitions:
                raise Failing("has no partitions")

        runtime.health.add("consumers", hears, liveness=False)

    async def stop(timeout_s: float) -> None:
        if runtime.has("consumers"):
            await runtime.take("consumers").stop(timeout_s - RESERVE_S)

    return _part("consumers", start, stop, start_s=START_S, stop_s=CONSUMERS_STOP_S)


def authenticator(
    settings: config.Settings, roles: frozenset[str], clock: Clock
) -> auth.Authenticator:
    """Make what the configuration names. Believing callers cannot be had outside development."""
    if config.auth_mode(settings.auth.mode, settings.environment) == "development":
        return auth.DevelopmentAuthenticator(environment=settings.environment, roles=roles)
    return auth.JwtAuthenticator(
        keys=auth.KeyRing([Path(name) for name in settings.auth.key_files], clock),
        clock=clock,
        issuer=settings.auth.issuer,
        audience=settings.auth.audience,
        roles=roles,
        roles_claim=settings.auth.roles_claim,
        permissions_claim=settings.auth.permissions_claim,
        context_claim=settings.auth.context_claim,
    )


def _grpc(runtime: Runtime) -> Part:
    async def start() -> None:
        definition, settings = runtime.definition, runtime.settings
        served = definition.servicers(runtime)
        edge = rpc.Edge(
            service=definition.name,
            authenticator=authenticator(settings, definition.roles, runtime.clock),
            settings=settings.grpc,
            clock=runtime.clock,
            inputs={service.name: service.inputs for service in served},
            access=definition.access,
        )
        server = rpc.GrpcServer(settings=settings.grpc, edge=edge, served=served)
        runtime.made("grpc", server)
        await server.start()

    async def stop(timeout_s: float) -> None:
        if runtime.has("grpc"):
            await runtime.take("grpc").stop(timeout_s)

    return _part("grpc", start, stop, start_s=START_S, stop_s=GRPC_STOP_S)


def _serving(runtime: Runtime) -> Part:
    async def stop(_timeout_s: float) -> None:
        await runtime.health.enter_graceful_shutdown()

    return _part("serving", runtime.health.started, stop, start_s=START_S, stop_s=SERVING_STOP_S)


# The program


def run_service(definition: ServiceDefinition, argv: Sequence[str]) -> int:
    """Run a service, or do what a flag says; returns the exit status.

    0: ended in order. 1: did not start, or did not end well. 2: the configuration is faulty.
    """
    flags, duty = _flags(definition.name, argv)
    overrides = {} if flags.role is None else {"SABOT_ROLE": flags.role}
    settings = config.load_or_exit(definition.settings, os.environ, overrides, sys.stderr)
    if flags.check_config:
        return _show(settings)
    clock = SYSTEM_CLOCK
    logs.configure(
        service=definition.name,
        level=settings.log_level,
        clock=clock,
        # What somebody on duty asked for is the output then, and not the log.
        stream=sys.stdout if duty is None else sys.stderr,
        secret_keys=definition.secret_keys,
    )
    _mend_home()
    spare_the_collector()
    runtime = Runtime(definition, settings, clock)
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        if duty is not None:
            return runner.run(_on_duty(runtime, duty))
        return runner.run(_migrate(runtime) if flags.migrate else serve(runtime))


def spare_the_collector() -> None:
    """Let Python look for cycles seldom: what is kept here are values without any.

    A batch of some thousand records is as many objects, and with the usual thresholds looking
    through them takes a third of all the time.
    """
    gc.freeze()
    gc.set_threshold(*COLLECTOR_THRESHOLDS)


async def serve(runtime: Runtime) -> int:
    """Run all parts until a signal or a failure; returns the exit status."""
    for line in config.unknown_variables(type(runtime.settings), os.environ):
        if "did you mean" in line:
            log.warning("a variable was passed over", problem=line)
    try:
        lifecycle = Lifecycle(
            plan(runtime), grace_period_s=runtime.settings.grace_period_s, clock=runtime.clock
        )
    except ValueError as error:
        log.error("the stop budgets cannot be kept", problem=str(error))  # noqa: TRY400
        return EXIT_FAILED
    runtime.fail = lifecycle.fail
    return await lifecycle.run()


async def _migrate(runtime: Runtime) -> int:
    applied = await migrations.migrate(
        _dsn(runtime),
        _packages(runtime.definition),
        service_role=runtime.settings.database.service_role,
    )
    names = [f"{m.package} {m.version} {m.name}" for m in applied]
    log.info("the database is migrated", applied=names)
    return EXIT_CLEAN


async def _on_duty(runtime: Runtime, duty: Duty) -> int:
    """Do something about parked tables, with nothing of the service but its log and its rules."""
    parts = [_database(runtime), _executor(runtime)]
    try:
        for part in parts:
            await part.start()
        return await duty(runtime.parking, sys.stdout)
    finally:
        for part in reversed(parts):
            assert part.stop is not None, "both are stopped"
            await part.stop(part.stop_budget_s)


def _flags(name: str, argv: Sequence[str]) -> tuple[argparse.Namespace, Duty | None]:
    parser = argparse.ArgumentParser(
        prog=f"python -m services.{name}",
        description=f"The {name} service. Its settings are environment variables: see"
        " --check-config.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--migrate", action="store_true", help="bring the database to this release, and end"
    )
    what.add_argument(
        "--check-config", action="store_true", help="list all settings or all their faults, and end"
    )
    parser.add_argument("--role", choices=("worker", "query", "all"), help="instead of SABOT_ROLE")
    add_flags(parser, what)
    flags = parser.parse_args(argv)
    return flags, asked_for(parser, flags)


def _show(settings: config.Settings) -> int:
    for line in config.describe(settings):
        sys.stdout.write(f"{line}\n")
    for line in config.unknown_variables(type(settings), os.environ):
        sys.stderr.write(f"warning: {line}\n")
    return EXIT_CLEAN


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - there is none on some platforms
    except ImportError:
        return None
    return uvloop.new_event_loop


def _mend_home() -> None:
    """Point HOME at a place that this user can read.

    The database driver looks for certificates there. Where HOME still is another user's, that is a
    `PermissionError`, which looks like a database that is away.
    """
    home = os.environ.get("HOME", "")
    if home and not os.access(home, os.X_OK):
        log.warning("HOME cannot be read by this user and is not used", home=home)
        os.environ["HOME"] = "/"
