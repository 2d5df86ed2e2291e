"""Where the command takes the addresses of the logs from."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.cli.local import database_url

NAME = "SABOT_SHOE_DATABASE_URL"


def test_an_address_is_a_variable_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable itself counts before the file; neither is no address."""
    monkeypatch.delenv(NAME, raising=False)
    monkeypatch.delenv(f"{NAME}_FILE", raising=False)
    assert database_url(NAME) == ""
    file = tmp_path / "address"
    file.write_text("postgresql://u@h/file\n")
    monkeypatch.setenv(f"{NAME}_FILE", str(file))
    assert database_url(NAME) == "postgresql://u@h/file"
    monkeypatch.setenv(NAME, "postgresql://u@h/variable")
    assert database_url(NAME) == "postgresql://u@h/variable"


def test_a_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not passed over in favour of a local stack."""
    monkeypatch.delenv(NAME, raising=False)
    monkeypatch.setenv(f"{NAME}_FILE", "/nowhere/address")
    with pytest.raises(FileNotFoundError, match="/nowhere/address"):
        database_url(NAME)
