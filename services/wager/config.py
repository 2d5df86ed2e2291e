"""Settings of the wager service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from services.chassis.config import Fault, FileName, Piece, Raw, Seconds, Settings


class WalletSettings(Piece):
    """SABOT_WALLET_*: where the money of players is."""

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
    test_tables: Annotated[
        bool, Field(description="true: tables in TEST mode use the wallet too; development only")
    ] = False


class WagerSettings(Settings):
    """What the wager service is told."""

    wallet: WalletSettings = WalletSettings()

    @classmethod
    def contradictions(cls, raw: Raw) -> Iterator[Fault]:
        """An operator's wallet needs an address and a key, and encryption outside development."""
        yield from super().contradictions(raw)
        if raw("SABOT_WALLET_KIND") != "http":
            return
        needed = {"SABOT_WALLET_URL": "an address", "SABOT_WALLET_KEY_ID": "the name of a key"}
        if raw("SABOT_WALLET_SIGNATURE") == "RSA-SHA256":
            needed["SABOT_WALLET_KEY_FILE"] = "a PEM file"
        else:
            needed["SABOT_WALLET_SECRET"] = "a secret of 32 bytes or more"  # noqa: S105
        for variable, allowed in needed.items():
            if not raw(variable):
                yield Fault(variable, "is missing while SABOT_WALLET_KIND is http", allowed)
        development = raw("SABOT_ENVIRONMENT") == "development"
        if not development and not raw("SABOT_WALLET_URL").startswith("https://"):
            yield Fault("SABOT_WALLET_URL", "is not encrypted", "https://host/path")
        if not development and raw("SABOT_WALLET_TEST_TABLES").lower() in (
            "1",
            "true",
            "yes",
            "on",
        ):
            yield Fault(
                "SABOT_WALLET_TEST_TABLES", "is on, and TEST tables move no real money", "false"
            )
