"""Configuration: every fault at once, one place for each value, no secrets in sight."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

import pytest
from pydantic import Field

from services.chassis import app, config
from services.chassis.auth import DevelopmentAuthenticator
from services.chassis.clock import SYSTEM_CLOCK


class WalletSettings(config.Settings):
    """A service with a setting of its own."""

    wallet_target: Annotated[str, Field(min_length=1, description="host:port of the wallet")]

    @classmethod
    def contradictions(cls, raw: config.Raw) -> Iterator[config.Fault]:
        yield from super().contradictions(raw)
        if raw("SABOT_WALLET_TARGET") == "nowhere":
            yield config.Fault("SABOT_WALLET_TARGET", "is nowhere", "host:port")


GOOD = {
    "SABOT_ENVIRONMENT": "development",
    "SABOT_DATABASE_URL": "postgresql://u:geheim@h/d",
    "SABOT_KAFKA_BOOTSTRAP_SERVERS": "localhost:9092",
}


def faults(
    changes: dict[str, str], model: type[config.Settings] = config.Settings
) -> dict[str, str]:
    with pytest.raises(config.ConfigFaults) as raised:
        config.load(model, {**GOOD, **changes}, {})
    return {fault.variable: fault.problem for fault in raised.value.faults}


def loaded(changes: dict[str, str]) -> config.Settings:
    return config.load(config.Settings, {**GOOD, **changes}, {})


def test_a_good_configuration_is_read_and_frozen() -> None:
    """Values arrive with their types and cannot be changed."""
    settings = loaded({"SABOT_GRPC_PORT": "50061", "SABOT_GRPC_REFLECTION": "true"})
    assert (settings.grpc.port, settings.grpc.reflection, settings.role) == (50061, True, "all")
    assert settings.database.url.get_secret_value() == "postgresql://u:geheim@h/d"
    with pytest.raises(ValueError, match="frozen"):
        settings.role = "query"  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        settings.grpc.port = 1  # type: ignore[misc]


def test_every_fault_is_named_at_once() -> None:
    """Missing, malformed and contradictory values come in one list, each under its variable."""
    found = faults(
        {
            "SABOT_ENVIRONMENT": "production",
            "SABOT_DATABASE_URL": "",
            "SABOT_KAFKA_BOOTSTRAP_SERVERS": "",
            "SABOT_GRPC_PORT": "many",
            "SABOT_HEALTH_PORT": "70000",
            "SABOT_ROLE": "boss",
            "SABOT_ALLOW_TEST_TABLES": "yes",
            "SABOT_AUTH_MODE": "development",
            "SABOT_TRACE_RATIO": "2",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "pigeon",
            "SABOT_WALLET_TARGET": "nowhere",
        },
        WalletSettings,
    )
    assert set(found) == {
        "SABOT_DATABASE_URL",
        "SABOT_KAFKA_BOOTSTRAP_SERVERS",
        "SABOT_GRPC_PORT",
        "SABOT_GRPC_TLS_CERTIFICATE_FILE",
        "SABOT_HEALTH_PORT",
        "SABOT_ROLE",
        "SABOT_ALLOW_TEST_TABLES",
        "SABOT_AUTH_MODE",
        "SABOT_TRACE_RATIO",
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        "SABOT_WALLET_TARGET",
    }
    assert found["SABOT_DATABASE_URL"] == "is missing"


def test_nothing_given_names_what_is_needed() -> None:
    """An empty environment is answered with the variables that have no default."""
    with pytest.raises(config.ConfigFaults) as raised:
        config.load(config.Settings, {}, {})
    assert [fault.variable for fault in raised.value.faults] == [
        "SABOT_DATABASE_URL",
        "SABOT_ENVIRONMENT",
        "SABOT_KAFKA_BOOTSTRAP_SERVERS",
    ]


def test_every_fault_says_what_would_be_right() -> None:
    """A fault is a whole sentence: variable, problem, what is allowed."""
    with pytest.raises(config.ConfigFaults) as raised:
        config.load(config.Settings, {**GOOD, "SABOT_LOG_LEVEL": "loud"}, {})
    (fault,) = raised.value.faults
    assert str(fault).startswith("SABOT_LOG_LEVEL: is 'loud'")
    assert str(fault).endswith("Allowed: debug, info, warning or error.")


def test_secrets_are_not_shown_anywhere() -> None:
    """Neither a fault nor the list of values repeats a password."""
    with pytest.raises(config.ConfigFaults) as raised:
        config.load(config.Settings, {**GOOD, "SABOT_DATABASE_URL": "mysql://u:geheim@h"}, {})
    assert "geheim" not in str(raised.value)
    settings = loaded({})
    assert "geheim" not in repr(settings)
    assert "SABOT_DATABASE_URL=[set]" in config.describe(settings)


def test_secrets_come_from_files(tmp_path: Path) -> None:
    """A value may stand in a named file, or in the directory of secrets under its own name."""
    (tmp_path / "SABOT_DATABASE_URL").write_text("postgresql://dir\n")
    (tmp_path / "url").write_text("postgresql://file\n")
    environment = {k: v for k, v in GOOD.items() if k != "SABOT_DATABASE_URL"}
    by_file = {**environment, "SABOT_DATABASE_URL_FILE": str(tmp_path / "url")}
    by_directory = {**environment, "SABOT_SECRETS_DIR": str(tmp_path)}
    for given, url in ((by_file, "postgresql://file"), (by_directory, "postgresql://dir")):
        settings = config.load(config.Settings, given, {})
        assert settings.database.url.get_secret_value() == url


def test_a_value_from_two_places_is_a_fault(tmp_path: Path) -> None:
    """Nobody has to guess which of two values counts."""
    path = tmp_path / "url"
    path.write_text("postgresql://file")
    found = faults({"SABOT_DATABASE_URL_FILE": str(path)})
    assert "is given twice" in found["SABOT_DATABASE_URL"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "No such file"), (b"\xff\xfe", "not UTF-8"), (b"x" * 70_000, "larger")],
)
def test_a_secret_file_that_cannot_be_used_is_a_fault(
    tmp_path: Path, content: bytes | None, problem: str
) -> None:
    """The variable that names the file is the one that is reported, once."""
    path = tmp_path / "url"
    if content is not None:
        path.write_bytes(content)
    found = faults({"SABOT_DATABASE_URL": "", "SABOT_DATABASE_URL_FILE": str(path)})
    assert list(found) == ["SABOT_DATABASE_URL_FILE"]
    assert problem in found["SABOT_DATABASE_URL_FILE"]


def test_believed_callers_stay_on_this_machine() -> None:
    """Development identities and a port for others exclude each other."""
    assert list(faults({"SABOT_GRPC_HOST": "0.0.0.0"})) == ["SABOT_GRPC_HOST"]
    for host in ("127.0.0.1", "::1", "localhost"):
        assert loaded({"SABOT_GRPC_HOST": host}).grpc.host == host


def production(tmp_path: Path) -> dict[str, str]:
    for name in ("crt", "key", "jwks.json"):
        (tmp_path / name).write_text("x")
    return {
        "SABOT_ENVIRONMENT": "production",
        "SABOT_GRPC_HOST": "0.0.0.0",
        "SABOT_GRPC_TLS_CERTIFICATE_FILE": str(tmp_path / "crt"),
        "SABOT_GRPC_TLS_KEY_FILE": str(tmp_path / "key"),
        "SABOT_AUTH_ISSUER": "https://issuer",
        "SABOT_AUTH_AUDIENCE": "sabot",
        "SABOT_AUTH_KEY_FILES": f"{tmp_path / 'jwks.json'}, ",
    }


def test_production_needs_tokens_and_encryption(tmp_path: Path) -> None:
    """Each part that is missing in production is named; a mesh may encrypt instead."""
    good = production(tmp_path)
    assert loaded(good).auth.key_files == (str(tmp_path / "jwks.json"),)
    plain = {**good, "SABOT_GRPC_TLS_CERTIFICATE_FILE": "", "SABOT_GRPC_TLS_KEY_FILE": ""}
    assert list(faults(plain)) == ["SABOT_GRPC_TLS_CERTIFICATE_FILE"]
    assert loaded({**plain, "SABOT_GRPC_PLAINTEXT": "true"}).grpc.plaintext
    assert list(faults({**good, "SABOT_GRPC_TLS_KEY_FILE": ""})) == ["SABOT_GRPC_TLS_KEY_FILE"]
    assert list(faults({**good, "SABOT_GRPC_PLAINTEXT": "1"})) == ["SABOT_GRPC_PLAINTEXT"]
    assert list(faults({**good, "SABOT_AUTH_AUDIENCE": ""})) == ["SABOT_AUTH_AUDIENCE"]
    assert list(faults({**good, "SABOT_AUTH_KEY_FILES": "/nowhere.json"})) == [
        "SABOT_AUTH_KEY_FILES"
    ]
    assert list(faults({**good, "SABOT_ALLOW_TEST_TABLES": "true"})) == ["SABOT_ALLOW_TEST_TABLES"]
    assert list(faults({**good, "SABOT_AUTH_MODE": "development"})) == [
        "SABOT_AUTH_MODE",
        "SABOT_GRPC_HOST",
    ]


def test_the_environment_decides_about_identities_where_nothing_was_said(tmp_path: Path) -> None:
    """Development believes callers; any other environment cannot."""
    made = app.authenticator(loaded({}), frozenset({"DEALER"}), SYSTEM_CLOCK)
    assert isinstance(made, DevelopmentAuthenticator)
    settings = loaded(production(tmp_path))
    with pytest.raises(ValueError, match="json"):
        app.authenticator(settings, frozenset({"DEALER"}), SYSTEM_CLOCK)


def test_a_query_server_needs_no_broker() -> None:
    """Only who hears and publishes has to know where the broker is."""
    changes = {"SABOT_KAFKA_BOOTSTRAP_SERVERS": ""}
    assert list(faults(changes)) == ["SABOT_KAFKA_BOOTSTRAP_SERVERS"]
    assert loaded({**changes, "SABOT_ROLE": "query"}).role == "query"


def test_flags_stand_above_variables() -> None:
    """A value of the command line replaces the environment's."""
    settings = config.load(
        config.Settings, {**GOOD, "SABOT_ROLE": "worker"}, {"SABOT_ROLE": "query"}
    )
    assert settings.role == "query"


def test_typing_errors_are_pointed_out() -> None:
    """A variable with our prefix that means nothing here is named with what was probably meant."""
    lines = config.unknown_variables(
        config.Settings, {**GOOD, "SABOT_GRPC_PROT": "1", "SABOT_OTHERS": "x", "PATH": "x"}
    )
    assert lines == [
        "SABOT_GRPC_PROT is not a setting of this service; did you mean SABOT_GRPC_PORT?",
        "SABOT_OTHERS is not a setting of this service",
    ]


def test_a_faulty_configuration_ends_with_status_2_and_a_list() -> None:
    """The process says everything on standard error and does not start."""
    errors = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        config.load_or_exit(config.Settings, {"SABOT_GRPC_PORT": "x"}, {}, errors)
    assert ended.value.code == 2
    lines = errors.getvalue().splitlines()
    assert lines[0] == "The configuration has 4 fault(s):"
    assert len(lines) == 5


def test_every_setting_says_what_is_allowed() -> None:
    """No variable without a description, and no two with one name."""
    known = list(config.variables(WalletSettings))
    assert all(variable.field.description for variable in known)
    assert len({variable.name for variable in known}) == len(known)


def test_the_budgets_of_all_parts_fit_the_default_grace_period() -> None:
    """What a service does to stop is shorter than the time it is given, with room for its own."""
    stopping_s = (
        app.TELEMETRY_STOP_S
        + app.HEALTH_STOP_S
        + app.DATABASE_STOP_S
        + app.RELAY_STOP_S
        + app.EXECUTOR_STOP_S
        + app.CONSUMERS_STOP_S
        + app.GRPC_STOP_S
        + app.SERVING_STOP_S
    )
    assert stopping_s + 5.0 <= loaded({}).grace_period_s


def test_encryption_to_the_database_is_told_by_postgresqls_own_variables(tmp_path: Path) -> None:
    """Into the address, whose own words stand above them; files are looked at before the start."""
    authority, own = tmp_path / "ca & co.crt", tmp_path / "own.pem"
    authority.touch()
    own.touch()
    told = {
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": str(authority),
        "PGSSLCERT": str(own),
        "PGSSLKEY": str(own),
    }
    assert loaded({}).database.address == GOOD["SABOT_DATABASE_URL"]
    url = urlsplit(loaded(told).database.address)
    assert (url.hostname, url.path) == ("h", "/d")
    assert parse_qs(url.query) == {
        "sslmode": ["verify-full"],
        "sslrootcert": [str(authority)],
        "sslcert": [str(own)],
        "sslkey": [str(own)],
    }
    own_word = loaded({**told, "SABOT_DATABASE_URL": "postgresql://u@h/d?sslmode=require"})
    assert parse_qs(urlsplit(own_word.database.address).query)["sslmode"] == ["require"]


def test_half_of_what_encryption_to_the_database_needs_is_a_fault(tmp_path: Path) -> None:
    """A certificate without its key, a verified server without an authority, a file not there."""
    own = tmp_path / "own.pem"
    own.touch()
    assert set(faults({"PGSSLMODE": "verify-full"})) == {"PGSSLROOTCERT"}
    assert set(faults({"PGSSLCERT": str(own)})) == {"PGSSLCERT"}
    assert set(faults({"PGSSLROOTCERT": str(tmp_path / "gone")})) == {"PGSSLROOTCERT"}
    assert set(faults({"PGSSLMODE": "always"})) == {"PGSSLMODE"}
