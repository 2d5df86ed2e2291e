"""Configuration: environment variables and secret files, checked as a whole before anything starts.

A service names all its settings in one frozen class. `load` reads every variable of that class,
each from exactly one place, and reports every fault at once: which variable, what is wrong with it,
and what would be right. Nothing else in the process reads the environment.
"""

from __future__ import annotations

import difflib
import functools
import ipaddress
import socket
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NoReturn, TextIO, TypeVar
from urllib.parse import parse_qs, urlencode

from msgspec import Struct
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

PREFIX = "SABOT_"
FILE_SUFFIX = "_FILE"
"""`SABOT_DATABASE_URL_FILE` names a file whose content is the value of `SABOT_DATABASE_URL`."""

SECRETS_DIRECTORY = f"{PREFIX}SECRETS_DIR"
"""A directory with one file per variable, named as the variable."""

SECRET_BYTES_MAX = 64 * 1024
EXIT_STATUS_FAULTY = 2

Environment = Literal["development", "staging", "production"]
Role = Literal["worker", "query", "all"]

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


def _split(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


CommaSeparated = Annotated[tuple[str, ...], BeforeValidator(_split)]
FileName = Annotated[str, Field(max_length=4096)]


def standard(variable: str, description: str) -> Any:
    """Describe a setting that is read from a variable which others know by this name, too."""
    return Field(description=description, json_schema_extra={"variable": variable})


class Piece(BaseModel):
    """A group of settings with a common beginning of their variables."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class DatabaseSettings(Piece):
    """SABOT_DATABASE_* and the standard variables of PostgreSQL: the service's own database."""

    url: Annotated[SecretStr, Field(description="postgresql://user:password@host:port/name")]
    service_role: Annotated[
        str,
        Field(
            max_length=63,
            description="for --migrate: the database user that the service logs in as, which is given"
            " its rights; empty: the service is the owner of its tables",
        ),
    ] = ""
    tls_mode: Annotated[
        Literal["", "disable", "allow", "prefer", "require", "verify-ca", "verify-full"],
        standard(
            "PGSSLMODE",
            "verify-full: encrypted, and only to a server with a certificate for its"
            " name; what the address says (?sslmode=) stands above it",
        ),
    ] = ""
    tls_ca_file: Annotated[
        FileName,
        standard(
            "PGSSLROOTCERT", "PEM file of the server's authority, for verify-ca and verify-full"
        ),
    ] = ""
    tls_certificate_file: Annotated[FileName, standard("PGSSLCERT", "PEM file, for mutual TLS")] = (
        ""
    )
    tls_key_file: Annotated[FileName, standard("PGSSLKEY", "PEM file, for mutual TLS")] = ""
    connections_max: Annotated[int, Field(ge=2, le=200, description="2 to 200 connections")] = 10
    command_timeout_s: Annotated[Seconds, Field(description="seconds for one statement")] = 10.0

    @property
    def address(self) -> str:
        """The secret address with what is told beside it of TLS."""
        url = self.url.get_secret_value()
        told = {
            "sslmode": self.tls_mode,
            "sslrootcert": self.tls_ca_file,
            "sslcert": self.tls_certificate_file,
            "sslkey": self.tls_key_file,
        }
        own = parse_qs(url.partition("?")[2])
        more = urlencode({key: text for key, text in told.items() if text and key not in own})
        return f"{url}{'&' if own else '?'}{more}" if more else url


class KafkaSettings(Piece):
    """SABOT_KAFKA_*: the broker."""

    bootstrap_servers: Annotated[
        str, Field(description="host:port, several with commas; not needed in the role query")
    ] = ""
    security_protocol: Annotated[
        Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"],
        Field(description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL"),
    ] = "PLAINTEXT"
    ca_file: Annotated[FileName, Field(description="PEM file of the broker's authority")] = ""
    certificate_file: Annotated[FileName, Field(description="PEM file, for mutual TLS")] = ""
    key_file: Annotated[FileName, Field(description="PEM file, for mutual TLS")] = ""
    sasl_mechanism: Annotated[
        Literal["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"],
        Field(description="PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"),
    ] = ""
    sasl_username: Annotated[str, Field(description="name of the Kafka user")] = ""
    sasl_password: Annotated[SecretStr, Field(description="its password")] = SecretStr("")
    group_instance_id: Annotated[
        str, Field(max_length=249, description="the pod's name, for static membership; or empty")
    ] = ""
    topic_replication: Annotated[
        int | None,
        Field(
            ge=0,
            le=9,
            description="replicas of topics that services create where they are missing; 0: they"
            " create none; if empty, 1 in development and 0 elsewhere",
        ),
    ] = None


class GrpcSettings(Piece):
    """SABOT_GRPC_*: the port for calls."""

    host: Annotated[str, Field(min_length=1, description="address to listen on")] = "127.0.0.1"
    port: Annotated[Port, Field(description="TCP port, 0 for any free one")] = 50051
    tls_certificate_file: Annotated[FileName, Field(description="PEM chain of the server")] = ""
    tls_key_file: Annotated[FileName, Field(description="PEM key of the server")] = ""
    tls_client_ca_file: Annotated[
        FileName, Field(description="PEM file; with it clients must show a certificate of theirs")
    ] = ""
    plaintext: Annotated[
        bool, Field(description="true where a mesh encrypts, and then no certificate is needed")
    ] = False
    reflection: Annotated[bool, Field(description="true or false")] = False
    in_flight_max: Annotated[
        int, Field(ge=1, le=100_000, description="calls at a time, streams included")
    ] = 1024
    in_flight_per_caller_max: Annotated[
        int,
        Field(
            ge=1, le=100_000, description="of them, calls of one caller, by the `sub` of his token"
        ),
    ] = 512
    deadline_floor_ms: Annotated[
        int, Field(ge=0, le=10_000, description="calls with less time left are refused")
    ] = 20
    call_time_s_max: Annotated[
        Seconds, Field(description="a single answer may take so long, whatever the caller says")
    ] = 30.0
    request_bytes_max: Annotated[int, Field(ge=1024, le=64 << 20, description="bytes")] = 1 << 20
    response_bytes_max: Annotated[int, Field(ge=1024, le=256 << 20, description="bytes")] = 16 << 20
    connection_age_s_max: Annotated[
        Seconds, Field(description="connections are renewed so often, to find new pods")
    ] = 300.0


class ClientSettings(Piece):
    """SABOT_CLIENT_*: how other services are called."""

    ca_file: Annotated[
        FileName,
        Field(description="PEM file of the other services' authority; if empty, the system's"),
    ] = ""
    certificate_file: Annotated[FileName, Field(description="PEM file, for mutual TLS")] = ""
    key_file: Annotated[FileName, Field(description="PEM file, for mutual TLS")] = ""


class HealthSettings(Piece):
    """SABOT_HEALTH_*: the plaintext port for probes."""

    host: Annotated[str, Field(min_length=1, description="address to listen on")] = "127.0.0.1"
    port: Annotated[Port, Field(description="TCP port, 0 for any free one")] = 50052
    poll_age_s_max: Annotated[
        Seconds, Field(description="a consumer that did not poll for so long is not ready")
    ] = 30.0
    relay_lag_max: Annotated[
        int, Field(ge=1, description="events; with more unpublished ones the service is not ready")
    ] = 50_000


class MetricsSettings(Piece):
    """SABOT_METRICS_*: the port for Prometheus."""

    host: Annotated[str, Field(min_length=1, description="address to listen on")] = "127.0.0.1"
    port: Annotated[Port, Field(description="TCP port, 0 for any free one")] = 9464


class TraceSettings(Piece):
    """SABOT_TRACE_* and the standard variables of OpenTelemetry."""

    ratio: Annotated[
        float, Field(ge=0, le=1, description="0 to 1: traces begun here that are kept")
    ] = 1.0
    otlp_endpoint: Annotated[
        str,
        standard(
            "OTEL_EXPORTER_OTLP_ENDPOINT", "address of a collector; empty: traces are not exported"
        ),
    ] = ""
    otlp_protocol: Annotated[
        Literal["grpc", "http/protobuf"],
        standard("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc or http/protobuf"),
    ] = "grpc"
    otlp_metrics: Annotated[bool, Field(description="true: metrics are pushed there too")] = False


class AuthSettings(Piece):
    """SABOT_AUTH_*: how callers prove who they are."""

    mode: Annotated[
        Literal["", "development", "jwt"],
        Field(
            description="jwt, or development (callers are believed, on loopback only); if empty,"
            " development in that environment and jwt elsewhere"
        ),
    ] = ""
    issuer: Annotated[str, Field(description="the `iss` of accepted tokens")] = ""
    audience: Annotated[str, Field(description="the `aud` of accepted tokens")] = ""
    key_files: Annotated[
        CommaSeparated,
        Field(description="JWKS (.json), PEM public keys (.pem) or HMAC secrets (.key), commas"),
    ] = ()
    roles_claim: Annotated[str, Field(min_length=1, description="claim with role names")] = "roles"
    permissions_claim: Annotated[
        str, Field(min_length=1, description="claim with permissions, a list or words")
    ] = "permissions"
    context_claim: Annotated[
        str, Field(min_length=1, description="claim with a player's context, an object of texts")
    ] = "sabot_context"
    token_file: Annotated[
        FileName, Field(description="file with the token under which this service calls others")
    ] = ""


Raw = Callable[[str], str]
"""Gives the text of a variable, or the text of its default; empty where it has neither."""


class Configured(BaseSettings):
    """What a process is told. Field names become variables: `database.url` is SABOT_DATABASE_URL."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leave the reading to `load`, which alone can say that a value came from two places."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)

    @classmethod
    def contradictions(cls, raw: Raw) -> Iterator[Fault]:
        """Find values that are right alone and wrong together.

        It works on texts and not on a settings object, so that these faults are reported beside
        those of single values. A subclass adds its own and yields from this one.
        """
        del raw
        return iter(())


class Settings(Configured):
    """What every service is told. A service adds its own fields in a subclass."""

    environment: Annotated[Environment, Field(description="development, staging or production")]
    role: Annotated[Role, Field(description="worker, query or all")] = "all"
    instance: Annotated[
        str, Field(max_length=249, description="name of this process; the host's name if empty")
    ] = ""
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Field(description="debug, info, warning or error"),
    ] = "info"
    allow_test_tables: Annotated[
        bool, Field(description="true or false; never true in production")
    ] = False
    grace_period_s: Annotated[
        Seconds,
        Field(description="seconds from SIGTERM to SIGKILL, without what a preStop hook takes"),
    ] = 55.0
    database: DatabaseSettings
    kafka: KafkaSettings
    grpc: GrpcSettings
    client: ClientSettings
    health: HealthSettings
    metrics: MetricsSettings
    trace: TraceSettings
    auth: AuthSettings

    @classmethod
    def contradictions(cls, raw: Raw) -> Iterator[Fault]:
        """Who calls, how calls are protected, and what a role needs."""
        yield from _of_auth(raw)
        yield from _of_transport(raw)
        if raw("SABOT_ENVIRONMENT") == "production" and _true(raw("SABOT_ALLOW_TEST_TABLES")):
            yield Fault(
                "SABOT_ALLOW_TEST_TABLES",
                "is on in production, where nothing may happen on paper only",
                "false",
            )
        if raw("SABOT_ROLE") != "query" and not raw("SABOT_KAFKA_BOOTSTRAP_SERVERS"):
            yield Fault(
                "SABOT_KAFKA_BOOTSTRAP_SERVERS", "is missing", "host:port, several with commas"
            )


class Fault(Struct, frozen=True):
    """One thing wrong with the configuration."""

    variable: str
    problem: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.variable}: {self.problem}. Allowed: {self.allowed}."


class ConfigFaults(Exception):
    """The configuration cannot be used. Holds every fault, not the first."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults), key=lambda fault: (fault.variable, fault.problem)))
        assert self.faults, "a configuration without faults was called faulty"
        super().__init__("\n".join(str(fault) for fault in self.faults))


def _true(text: str) -> bool:
    return text.strip().lower() in {"1", "true", "t", "yes", "y", "on"}


def auth_mode(mode: str, environment: str) -> str:
    """Tell how callers prove who they are, where nothing was said about it."""
    return mode or ("development" if environment == "development" else "jwt")


def _of_auth(raw: Raw) -> Iterator[Fault]:
    if not raw("SABOT_AUTH_MODE") and not raw("SABOT_ENVIRONMENT"):
        return  # the missing environment is a fault by itself, and what follows is not known yet
    mode = auth_mode(raw("SABOT_AUTH_MODE"), raw("SABOT_ENVIRONMENT"))
    if mode == "development":
        if raw("SABOT_ENVIRONMENT") not in {"development", ""}:
            yield Fault(
                "SABOT_AUTH_MODE",
                f"is development in environment {raw('SABOT_ENVIRONMENT')}: anyone could say who"
                " he is",
                "jwt",
            )
        if not is_loopback(raw("SABOT_GRPC_HOST")):
            yield Fault(
                "SABOT_GRPC_HOST",
                "is reachable from other machines while callers are believed (SABOT_AUTH_MODE)",
                "127.0.0.1, ::1 or localhost",
            )
    elif mode == "jwt":
        for variable, allowed in (
            ("SABOT_AUTH_ISSUER", "the `iss` of accepted tokens"),
            ("SABOT_AUTH_AUDIENCE", "the `aud` of accepted tokens"),
            ("SABOT_AUTH_KEY_FILES", "files with the issuer's keys"),
        ):
            if not raw(variable):
                yield Fault(
                    variable, "is missing, and callers show tokens (SABOT_AUTH_MODE)", allowed
                )
        for name in _split(raw("SABOT_AUTH_KEY_FILES")):
            yield from of_file("SABOT_AUTH_KEY_FILES", name)


def _of_transport(raw: Raw) -> Iterator[Fault]:
    certificate, key = raw("SABOT_GRPC_TLS_CERTIFICATE_FILE"), raw("SABOT_GRPC_TLS_KEY_FILE")
    if bool(certificate) != bool(key):
        missing = "SABOT_GRPC_TLS_KEY_FILE" if certificate else "SABOT_GRPC_TLS_CERTIFICATE_FILE"
        yield Fault(missing, "is missing while its counterpart is set", "both files or neither")
    plaintext = _true(raw("SABOT_GRPC_PLAINTEXT"))
    if certificate and plaintext:
        yield Fault("SABOT_GRPC_PLAINTEXT", "is true although certificates are set", "false")
    if raw("SABOT_GRPC_TLS_CLIENT_CA_FILE") and not certificate:
        yield Fault(
            "SABOT_GRPC_TLS_CLIENT_CA_FILE",
            "asks for clients' certificates on a port without TLS",
            "empty, or with SABOT_GRPC_TLS_CERTIFICATE_FILE",
        )
    development = raw("SABOT_ENVIRONMENT") in {"development", ""}
    if not development and not certificate and not plaintext:
        yield Fault(
            "SABOT_GRPC_TLS_CERTIFICATE_FILE",
            "is missing, and nothing says that a mesh encrypts",
            "a PEM file, or SABOT_GRPC_PLAINTEXT=true",
        )
    for variable in (
        "SABOT_GRPC_TLS_CERTIFICATE_FILE",
        "SABOT_GRPC_TLS_KEY_FILE",
        "SABOT_GRPC_TLS_CLIENT_CA_FILE",
        "SABOT_CLIENT_CA_FILE",
        "SABOT_CLIENT_CERTIFICATE_FILE",
        "SABOT_CLIENT_KEY_FILE",
        "SABOT_KAFKA_CA_FILE",
        "SABOT_KAFKA_CERTIFICATE_FILE",
        "SABOT_KAFKA_KEY_FILE",
        "SABOT_AUTH_TOKEN_FILE",
        "PGSSLROOTCERT",
        "PGSSLCERT",
        "PGSSLKEY",
    ):
        yield from of_file(variable, raw(variable))
    for own, its_key in (
        ("SABOT_CLIENT_CERTIFICATE_FILE", "SABOT_CLIENT_KEY_FILE"),
        ("PGSSLCERT", "PGSSLKEY"),
    ):
        if bool(raw(own)) != bool(raw(its_key)):
            yield Fault(own, f"and {its_key} are not both set", "both files or neither")
    named = raw("PGSSLROOTCERT") or "sslrootcert=" in raw("SABOT_DATABASE_URL")
    if raw("PGSSLMODE").startswith("verify") and not named:
        yield Fault("PGSSLROOTCERT", "is missing, and the server is verified", "a PEM file")
    if raw("SABOT_KAFKA_SECURITY_PROTOCOL").startswith("SASL"):
        for variable in ("SABOT_KAFKA_SASL_MECHANISM", "SABOT_KAFKA_SASL_USERNAME"):
            if not raw(variable):
                yield Fault(variable, "is missing while the broker asks for a login", "a value")


def of_file(variable: str, name: str) -> Iterator[Fault]:
    """A fault where a file that is named cannot be read."""
    if name:
        try:
            with Path(name).open("rb"):
                return
        except OSError as error:
            yield Fault(variable, f"names {name!r}: {error.strerror}", "a file this user can read")


@functools.lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Variable(Struct, frozen=True):
    """One setting and the environment variable that it is read from."""

    name: str
    path: tuple[str, ...]
    field: FieldInfo

    @property
    def secret(self) -> bool:
        return self.field.annotation is SecretStr

    @property
    def allowed(self) -> str:
        return self.field.description or "see the documentation"

    @property
    def default_text(self) -> str:
        default = self.field.get_default(call_default_factory=False)
        if self.field.is_required() or self.secret or default is None:
            return ""
        return ",".join(default) if isinstance(default, tuple) else str(default)


def variables(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[Variable]:
    """List every setting of a class; the documentation and the manifests are checked with it."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from variables(inner, (*path, name))
            continue
        extra = field.json_schema_extra
        variable = PREFIX + "_".join((*path, name)).upper()
        if isinstance(extra, dict):
            variable = str(extra.get("variable", variable))
        yield Variable(variable, (*path, name), field)


_settings = TypeVar("_settings", bound=Configured)


class _Reader:
    """Reads the variables of one class, each from exactly one place."""

    _FORMS: ClassVar = ("the variable itself", "its _FILE variable", "the secrets directory")

    def __init__(self, environ: Mapping[str, str]) -> None:
        # An empty variable is an unset one: that is how templates leave a value out.
        self._environ = {name: text for name, text in environ.items() if text.strip()}
        self._directory = self._environ.get(SECRETS_DIRECTORY, "")
        self.faults: list[Fault] = []
        if self._directory and not Path(self._directory).is_dir():
            self.faults.append(Fault(SECRETS_DIRECTORY, "is not a directory", "a directory"))
            self._directory = ""

    def read(self, variable: Variable) -> str | None:
        name = variable.name
        places = (self._environ.get(name), self._environ.get(name + FILE_SUFFIX), self._in(name))
        given = [i for i, place in enumerate(places) if place is not None]
        if len(given) > 1:
            both = " and ".join(self._FORMS[i] for i in given)
            self.faults.append(Fault(name, f"is given twice, by {both}", "one of them"))
        text, named, kept = places
        if text is not None:
            return text
        if named is not None:
            return self._content(name + FILE_SUFFIX, named)
        return None if kept is None else self._content(name, kept)

    def _in(self, name: str) -> str | None:
        if not self._directory:
            return None
        path = Path(self._directory, name)
        return str(path) if path.is_file() else None

    def _content(self, variable: str, path: str) -> str | None:
        try:
            with Path(path).open("rb") as file:
                content = file.read(SECRET_BYTES_MAX + 1)
            text = content.decode().strip()
        except OSError as error:
            problem = f"names {path!r}: {error.strerror}"
        except UnicodeDecodeError:
            problem = f"names {path!r}, which is not UTF-8"
        else:
            if len(content) <= SECRET_BYTES_MAX:
                return text
            problem = f"names {path!r}, which is larger than {SECRET_BYTES_MAX} bytes"
        self.faults.append(Fault(variable, problem, "a small file this user can read"))
        return None


def load(
    model: type[_settings], environ: Mapping[str, str], overrides: Mapping[str, str]
) -> _settings:
    """Read and check a configuration. Raises `ConfigFaults` with all that is wrong.

    `overrides` are values of the command line by variable; they stand above the environment.
    """
    known = {variable.name: variable for variable in variables(model)}
    assert all(name in known for name in overrides), overrides
    effective = {**environ, **overrides}
    for name in overrides:
        effective.pop(name + FILE_SUFFIX, None)
    reader = _Reader(effective)
    texts = {name: reader.read(variable) for name, variable in known.items()}
    faults = reader.faults
    unreadable = {fault.variable.removesuffix(FILE_SUFFIX) for fault in faults}
    try:
        settings = model(**_nested(model, texts, known))
    except ValidationError as error:
        found = _faults_of(error, known)
        faults.extend(fault for fault in found if fault.variable not in unreadable)
    faults.extend(_of_urls(texts))

    def raw(name: str) -> str:
        text = texts.get(name)
        return known[name].default_text if text is None else text.strip()

    reported = {fault.variable for fault in faults}
    faults.extend(fault for fault in model.contradictions(raw) if fault.variable not in reported)
    if faults:
        raise ConfigFaults(faults)
    return settings


def _nested(
    model: type[BaseModel], texts: Mapping[str, str | None], known: Mapping[str, Variable]
) -> dict[str, Any]:
    """Arrange the texts as the class is; every group exists, so that its gaps get their names."""
    nested: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            nested[name] = {}
    for name, text in texts.items():
        if text is not None:
            *groups, leaf = known[name].path
            place = nested
            for group in groups:
                place = place[group]
            place[leaf] = text
    return nested


def _faults_of(error: ValidationError, known: Mapping[str, Variable]) -> Iterator[Fault]:
    by_path = {variable.path: variable for variable in known.values()}
    for detail in error.errors(include_url=False):
        path = tuple(str(step) for step in detail["loc"])
        while path and path not in by_path:
            path = path[:-1]
        if not path:
            yield Fault("configuration", detail["msg"], "see the documentation")
            continue
        variable = by_path[path]
        if detail["type"] == "missing":
            problem = "is missing"
        elif variable.secret:
            problem = detail["msg"]
        else:
            problem = f"is {str(detail['input'])[:80]!r}: {detail['msg']}"
        yield Fault(variable.name, problem, variable.allowed)


def _of_urls(texts: Mapping[str, str | None]) -> Iterator[Fault]:
    url = texts.get("SABOT_DATABASE_URL")
    if url is not None and not url.startswith(("postgresql://", "postgres://")):
        # The text is not repeated: it may hold a password.
        yield Fault(
            "SABOT_DATABASE_URL",
            "is not a PostgreSQL address",
            "postgresql://user:password@host:port/name",
        )


def unknown_variables(model: type[Configured], environ: Mapping[str, str]) -> list[str]:
    """Name variables with our prefix that this service does not know.

    They are no fault, since several services share one environment, but most are typing errors.
    """
    known = {variable.name for variable in variables(model)}
    known |= {name + FILE_SUFFIX for name in known} | {SECRETS_DIRECTORY}
    lines = []
    for name in sorted(environ):
        if name.startswith(PREFIX) and name not in known:
            close = difflib.get_close_matches(name, known, n=1, cutoff=0.85)
            hint = f"; did you mean {close[0]}?" if close else ""
            lines.append(f"{name} is not a setting of this service{hint}")
    return lines


def describe(settings: Configured) -> list[str]:
    """List the effective values, one a line; secrets only as set or not."""
    lines = []
    for variable in variables(type(settings)):
        value: Any = settings
        for step in variable.path:
            value = getattr(value, step)
        if isinstance(value, SecretStr):
            shown = "[set]" if value.get_secret_value() else ""
        elif isinstance(value, tuple):
            shown = ",".join(value)
        else:
            shown = str(value).lower() if isinstance(value, bool) else str(value)
        lines.append(f"{variable.name}={shown}")
    return lines


def load_or_exit(
    model: type[_settings],
    environ: Mapping[str, str],
    overrides: Mapping[str, str],
    errors: TextIO = sys.stderr,
) -> _settings:
    """Load, or write a readable list of all faults and end with status 2."""
    try:
        return load(model, environ, overrides)
    except ConfigFaults as faulty:
        _exit_with(faulty, errors)


def _exit_with(faulty: ConfigFaults, errors: TextIO) -> NoReturn:
    errors.write(f"The configuration has {len(faulty.faults)} fault(s):\n")
    errors.writelines(f"  {fault}\n" for fault in faulty.faults)
    errors.flush()
    raise SystemExit(EXIT_STATUS_FAULTY) from faulty


def instance_of(settings: Settings) -> str:
    """Name this process: as told, or by the machine, which on Kubernetes is the pod."""
    return settings.instance or socket.gethostname()
