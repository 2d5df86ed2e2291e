"""Settings of the console."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from services.chassis.config import (
    ClientSettings,
    CommaSeparated,
    Configured,
    Environment,
    Fault,
    Piece,
    Port,
    Raw,
    Seconds,
    auth_mode,
    is_loopback,
    of_file,
)

DEVELOPMENT: Final = "development"
FILES: Final = (
    "SABOT_CLIENT_CA_FILE",
    "SABOT_CLIENT_CERTIFICATE_FILE",
    "SABOT_CLIENT_KEY_FILE",
    "SABOT_CONSOLE_TLS_CERTIFICATE_FILE",
    "SABOT_CONSOLE_TLS_KEY_FILE",
)


class HttpSettings(Piece):
    """SABOT_CONSOLE_*: the port for browsers."""

    host: Annotated[str, Field(min_length=1, description="address to listen on")] = "127.0.0.1"
    port: Annotated[Port, Field(description="TCP port, 0 for any free one")] = 8080
    hosts: Annotated[
        CommaSeparated,
        Field(description="names under which browsers may ask for it; needed off the loopback"),
    ] = ()
    tls_certificate_file: Annotated[str, Field(description="PEM chain of the server")] = ""
    tls_key_file: Annotated[str, Field(description="PEM key of the server")] = ""
    plaintext: Annotated[
        bool, Field(description="true where an ingress or a mesh encrypts what browsers are sent")
    ] = False
    feeds_max: Annotated[
        int, Field(ge=1, le=100_000, description="live pages at a time; more show a page at rest")
    ] = 500
    feeds_per_caller_max: Annotated[
        int, Field(ge=1, le=100_000, description="of them, live pages of one person")
    ] = 50


class TargetSettings(Piece):
    """SABOT_*_TARGET: where the services take calls, as host:port or as a gRPC name."""

    shoe: Annotated[
        str,
        Field(
            min_length=1,
            description="the shoe service",
            json_schema_extra={"variable": "SABOT_SHOE_TARGET"},
        ),
    ]
    round: Annotated[
        str,
        Field(
            min_length=1,
            description="the round service",
            json_schema_extra={"variable": "SABOT_ROUND_TARGET"},
        ),
    ]
    wager: Annotated[
        str,
        Field(
            min_length=1,
            description="the wager service",
            json_schema_extra={"variable": "SABOT_WAGER_TARGET"},
        ),
    ]
    settlement: Annotated[
        str,
        Field(
            min_length=1,
            description="the settlement service",
            json_schema_extra={"variable": "SABOT_SETTLEMENT_TARGET"},
        ),
    ]
    query: Annotated[
        str,
        Field(
            description="processes that answer queries; the settlement service if empty",
            json_schema_extra={"variable": "SABOT_QUERY_TARGET"},
        ),
    ] = ""


class SignInSettings(Piece):
    """SABOT_AUTH_*: how people prove who they are."""

    mode: Annotated[
        Literal["", "development", "jwt"],
        Field(
            description="jwt, or development (people are believed, on loopback only); if empty,"
            " development in that environment and jwt elsewhere"
        ),
    ] = ""


class CallSettings(ClientSettings):
    """SABOT_CLIENT_*: how the services are called."""

    plaintext: Annotated[
        bool, Field(description="true where a mesh encrypts, and then no certificate is needed")
    ] = False


class ConsoleSettings(Configured):
    """What the console is told."""

    environment: Annotated[Environment, Field(description="development, staging or production")]
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Field(description="debug, info, warning or error"),
    ] = "info"
    grace_period_s: Annotated[
        Seconds, Field(description="seconds from SIGTERM to SIGKILL; live pages end at once")
    ] = 30.0
    console: HttpSettings
    targets: TargetSettings
    client: CallSettings
    auth: SignInSettings

    @property
    def believes(self) -> bool:
        """Whether people are believed, as services on a developer's machine believe callers."""
        return auth_mode(self.auth.mode, self.environment) == DEVELOPMENT

    @property
    def encrypted(self) -> bool:
        """Whether browsers are spoken to over TLS, by this process or by what stands before it."""
        return bool(self.console.tls_certificate_file) or self.console.plaintext

    @classmethod
    def contradictions(cls, raw: Raw) -> Iterator[Fault]:
        """No believing of strangers, and no password in plain text over a network."""
        environment = raw("SABOT_ENVIRONMENT")
        loopback = is_loopback(raw("SABOT_CONSOLE_HOST"))
        if auth_mode(raw("SABOT_AUTH_MODE"), environment) == DEVELOPMENT:
            if environment not in {DEVELOPMENT, ""}:
                yield Fault("SABOT_AUTH_MODE", f"is development in {environment}", "jwt")
            if not loopback:
                yield Fault(
                    "SABOT_CONSOLE_HOST",
                    "is reachable from other machines while people are believed",
                    "127.0.0.1, ::1 or localhost",
                )
        certificate = raw("SABOT_CONSOLE_TLS_CERTIFICATE_FILE")
        if bool(certificate) != bool(raw("SABOT_CONSOLE_TLS_KEY_FILE")):
            yield Fault(
                "SABOT_CONSOLE_TLS_CERTIFICATE_FILE", "and its key are not both set", "both files"
            )
        encrypted = certificate or raw("SABOT_CONSOLE_PLAINTEXT").lower() in {"true", "1", "yes"}
        if environment not in {DEVELOPMENT, ""} and not encrypted:
            yield Fault(
                "SABOT_CONSOLE_TLS_CERTIFICATE_FILE",
                "is missing, and nothing says that an ingress encrypts",
                "a PEM file, or SABOT_CONSOLE_PLAINTEXT=true",
            )
        if not loopback and not raw("SABOT_CONSOLE_HOSTS"):
            yield Fault("SABOT_CONSOLE_HOSTS", "is missing", "the names that browsers use")
        for variable in FILES:
            yield from of_file(variable, raw(variable))
