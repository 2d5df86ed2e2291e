"""The package stands alone: whoever installs it gets the stubs and nothing of the services."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import sabot_client
from tests.support.parsing import parsed
from tests.tidy.sources import ROOT, imported

FOLDER = ROOT / "clients" / "python"
OF_DEPENDENCIES = {"grpc": "grpcio", "google": "protobuf", "sabot": "", "sabot_client": ""}


def test_it_imports_what_it_declares() -> None:
    """Above all nothing of `services`."""
    found = {
        name.partition(".")[0]
        for path in sorted((FOLDER / "sabot_client").glob("*.py"))
        for node in ast.walk(parsed(path.read_text()))
        for name in imported(node)
    }
    assert found - sys.stdlib_module_names == set(OF_DEPENDENCIES)
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    declared = {each.partition(">")[0] for each in project["dependencies"]}
    assert declared == {"grpcio", "protobuf", "googleapis-common-protos"}


def test_it_has_the_version_of_the_services() -> None:
    """One release, one number."""
    versions = {
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"]
        for folder in (ROOT, FOLDER)
    }
    assert len(versions) == 1


def test_it_is_typed_and_tells_its_names() -> None:
    """Type checkers read it, and every public name exists."""
    assert (Path(sabot_client.__file__).parent / "py.typed").exists()
    assert all(hasattr(sabot_client, name) for name in sabot_client.__all__)
