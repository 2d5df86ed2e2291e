"""Custom resources against the operators' own definitions, without a cluster.

The API server drops fields that a definition does not name; here such a field is a fault, because it
is nearly always a misspelling. So is a kind or version without a schema: an API version that the
operator no longer serves cannot slip through. Not checked are CEL rules, defaults, and what an
admission webhook would say.
"""

from __future__ import annotations

import functools
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from jsonschema import Draft202012Validator

from tests.deploy.manifests import LOADER, Manifest

DATA: Final = Path(__file__).parent / "data"
MESSAGE_CHARACTERS_MAX: Final = 200
BUILT_IN_GROUPS: Final = frozenset({"", "apps", "autoscaling", "batch", "policy"})
OBJECT_FIELDS: Final[Manifest] = {"apiVersion": {}, "kind": {}, "metadata": {"type": "object"}}

Key = tuple[str, str, str]
"""Group, version, kind in lower case."""


@functools.cache
def schemas() -> dict[Key, Any]:
    """A validator for every served version of every kind that is known."""
    found: dict[Key, Any] = {}
    for name, text in _files():
        if name.suffix == ".json":
            kind, _, version = name.stem.rpartition("_")
            _add(found, (name.parent.name, version, kind), json.loads(text), {})
            continue
        for definition in yaml.load_all(text, LOADER):
            spec = definition["spec"]
            kind = spec["names"]["kind"]
            for version in spec["versions"]:
                if version.get("served", True):
                    key = (spec["group"], version["name"], kind.lower())
                    _add(found, key, version["schema"]["openAPIV3Schema"], {"const": kind})
    return found


def faults(manifest: Manifest) -> Iterator[str]:
    """One sentence for each fault of a custom resource; nothing for a built-in kind."""
    group, _, version = manifest["apiVersion"].rpartition("/")
    kind: str = manifest["kind"]
    validator = schemas().get((group, version, kind.lower()))
    if validator is None:
        known_group = any(group == other for other, _, _ in schemas())
        if known_group or not (group in BUILT_IN_GROUPS or group.endswith(".k8s.io")):
            yield f"no schema for {manifest['apiVersion']} {kind}"
        return
    for error in validator.iter_errors(manifest):
        place = "/".join(str(part) for part in error.absolute_path) or "(top)"
        yield f"{place}: {error.message[:MESSAGE_CHARACTERS_MAX]}"


def _files() -> Iterator[tuple[Path, str]]:
    for path in sorted((DATA / "own").rglob("*.json")):
        yield path, path.read_text()
    with tarfile.open(DATA / "crds.tgz") as archive:
        for member in archive:
            name = Path(member.name)
            if member.isfile() and name.suffix in {".yaml", ".json"}:
                content = archive.extractfile(member)
                assert content is not None, "a regular member always has content"
                yield name, content.read().decode()


def _add(found: dict[Key, Any], key: Key, schema: Any, kind: Manifest) -> None:
    assert key not in found, f"two schemas for {key}"
    schema.setdefault("properties", {}).update(OBJECT_FIELDS | {"kind": kind})
    _close(schema)
    found[key] = Draft202012Validator(schema)


def _close(schema: Any) -> None:
    """Turn a structural schema, in place, into a JSON Schema that allows nothing unnamed."""
    if not isinstance(schema, dict):
        return
    if schema.get("x-kubernetes-int-or-string"):
        schema.pop("type", None)
        schema.setdefault("anyOf", [{"type": "integer"}, {"type": "string"}])
    if schema.get("nullable") and isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    properties = schema.get("properties")
    if properties is not None:
        if schema.get("x-kubernetes-embedded-resource"):
            for name, field in OBJECT_FIELDS.items():
                properties.setdefault(name, field)
        if not schema.get("x-kubernetes-preserve-unknown-fields"):
            schema.setdefault("additionalProperties", False)
        for child in properties.values():
            _close(child)
    # allOf, anyOf, oneOf and not stay: in a structural schema they only add conditions.
    _close(schema.get("items"))
    _close(schema.get("additionalProperties"))
