"""Settings of the wager service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Final, Literal

import msgspec
from pydantic import Field, SecretStr, TypeAdapter, ValidationError

from services.chassis.config import Fault, FileName, Piece, Raw, Seconds, Settings


class EndpointSettings(Piece):
    """Where the money of players is, and what that wallet is like."""

    kind: Annotated[
        Literal["ledger", "http"],
        Field(description="ledger (built in), or http (the operator's wallet)"),
    ] = "ledger"
    url: Annotated[str, Field(description="https://host/path of the operator's wallet")] = ""
    key_id: Annotated[str, Field(max_length=100, description="name of the key that signs")] = ""
    signature: Annotated[
        Literal["HMAC-SHA256", "RSA-SHA256"], Field(description="HMAC-SHA256 or RSA-SHA256")
    ] = "HMAC-SHA256"
    secret: Annotated[
        SecretStr, Field(description="secret of 32 bytes or more, for HMAC-SHA256")
    ] = SecretStr("")
    key_file: Annotated[
        FileName, Field(description="PEM file with the private key, for RSA-SHA256")
    ] = ""
    timeout_s: Annotated[float, Field(gt=0, le=2.9, description="seconds for one call")] = 2.5
    connect_timeout_s: Annotated[
        float, Field(gt=0, le=2.9, description="seconds for a connection")
    ] = 1.0
    connections_max: Annotated[int, Field(ge=1, le=1000, description="connections")] = 64
    breaker_failures_max: Annotated[
        int, Field(ge=1, description="failures in a row after which the wallet is left alone")
    ] = 10
    breaker_open_s: Annotated[Seconds, Field(description="for so many seconds")] = 2.0
    pause_s: Annotated[
        float,
        Field(ge=0.05, le=60, description="seconds before a movement is asked for again, doubled"),
    ] = 0.05
    pause_max_s: Annotated[
        float, Field(ge=5, le=3600, description="seconds that it comes to at most")
    ] = 60.0
    amounts: Annotated[
        Literal["MINOR", "DECIMAL", "THOUSANDS", "MILLIONTHS"],
        Field(description="MINOR, DECIMAL, THOUSANDS or MILLIONTHS: how amounts are written"),
    ] = "MINOR"
    decimals: Annotated[int, Field(ge=0, le=8, description="decimals of DECIMAL and THOUSANDS")] = 2
    remembers_cancels: Annotated[
        bool, Field(description="false: the cancel of an unknown debit is answered UNKNOWN_DEBIT")
    ] = True
    partial_cancel: Annotated[
        bool, Field(description="false: a cancel gives back the whole debit only")
    ] = True
    session: Annotated[
        Literal["DEBITS", "ALL", "NONE"],
        Field(description="DEBITS, ALL or NONE: which requests name the player's session"),
    ] = "DEBITS"


class LimitSettings(Piece):
    """What a player may stake on an area, minor units."""

    min_minor: Annotated[int, Field(ge=1)]
    max_minor: Annotated[int, Field(ge=1)]
    unit_minor: Annotated[int, Field(ge=0)] = 0


class LimitSetSettings(Piece):
    """An operator's limits in one currency."""

    areas: dict[str, LimitSettings] = Field(default_factory=dict)
    coup_maximum_minor: Annotated[int, Field(ge=1)] | None = None
    maximum_win_minor: Annotated[int, Field(ge=1)] | None = None


class OperatorSettings(EndpointSettings):
    """An operator with a wallet or limits of his own."""

    kind: Literal["", "ledger", "http"] = ""  # type: ignore[assignment]
    """Empty where his players' money is in the default wallet."""

    limit_sets: dict[str, dict[str, LimitSetSettings]] = Field(default_factory=dict)
    """By name, then currency."""


_OPERATORS: Final = TypeAdapter(dict[str, OperatorSettings])


class WalletSettings(EndpointSettings):
    """SABOT_WALLET_*: where the money of players is."""

    test_tables: Annotated[
        bool, Field(description="true: tables in TEST mode use the wallet too; development only")
    ] = False
    operators: Annotated[
        SecretStr, Field(description="JSON: operators by name, each with settings like these")
    ] = SecretStr("")

    @cached_property
    def by_operator(self) -> Mapping[str, OperatorSettings]:
        """Operators that have settings of their own; the others' are these."""
        return operators_in(self.operators.get_secret_value())

    def of(self, operator: str) -> EndpointSettings:
        """The settings of an operator's wallet."""
        own = self.by_operator.get(operator)
        return own if own is not None and own.kind else self


def operators_in(text: str) -> dict[str, OperatorSettings]:
    """The operators of a JSON text. Raises `ValueError` that names what is wrong, and no value."""
    if not text.strip():
        return {}
    try:
        return _OPERATORS.validate_python(msgspec.json.decode(text))
    except msgspec.DecodeError as error:
        raise ValueError(f"is no JSON: {error}") from None
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        raise ValueError(
            "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
        ) from None


class WagerSettings(Settings):
    """What the wager service is told."""

    wallet: WalletSettings = WalletSettings()

    @classmethod
    def contradictions(cls, raw: Raw) -> Iterator[Fault]:
        """An operator's wallet needs an address and a key, and encryption outside development."""
        yield from super().contradictions(raw)
        development = raw("SABOT_ENVIRONMENT") == "development"
        own = {name: raw(f"SABOT_WALLET_{name.upper()}") for name in _NEEDED}
        yield from (
            Fault(f"SABOT_WALLET_{name.upper()}", problem, allowed)
            for name, problem, allowed in _endpoint_faults(own, development=development)
        )
        if not development and raw("SABOT_WALLET_TEST_TABLES").lower() in _TRUE:
            yield Fault(
                "SABOT_WALLET_TEST_TABLES", "is on, and TEST tables move no real money", "false"
            )
        yield from _operator_faults(raw("SABOT_WALLET_OPERATORS"), development=development)


_TRUE: Final = ("1", "true", "yes", "on")
_NEEDED: Final = ("kind", "url", "key_id", "signature", "key_file", "secret")


def _endpoint_faults(
    given: Mapping[str, str], *, development: bool
) -> Iterator[tuple[str, str, str]]:
    """What is wrong with the settings of one wallet: which, what, and what would be right."""
    if given["kind"] != "http":
        return
    needed = {"url": "an address", "key_id": "the name of a key"}
    if given["signature"] == "RSA-SHA256":
        needed["key_file"] = "a PEM file"
    else:
        needed["secret"] = "a secret of 32 bytes or more"  # noqa: S105
    for name, allowed in needed.items():
        if not given[name]:
            yield name, "is missing while the kind is http", allowed
    if not development and not given["url"].startswith("https://"):
        yield "url", "is not encrypted", "https://host/path"


def _operator_faults(text: str, *, development: bool) -> Iterator[Fault]:
    variable = "SABOT_WALLET_OPERATORS"
    try:
        operators = operators_in(text)
    except ValueError as error:
        yield Fault(variable, str(error), "a JSON object of operators by name")
        return
    for operator, settings in operators.items():
        given: dict[str, Any] = settings.model_dump(include=set(_NEEDED))
        given["secret"] = settings.secret.get_secret_value()
        for name, problem, allowed in _endpoint_faults(given, development=development):
            yield Fault(variable, f"{operator}: {name} {problem}", allowed)
