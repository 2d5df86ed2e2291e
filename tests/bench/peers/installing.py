"""The libraries that the bench is beside, each in an environment of its own below build/."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from services.devstack.state import CHECKOUT

HERE: Final = Path(__file__).parent
PINNED: Final[Mapping[str, Any]] = tomllib.loads((HERE / "peers.toml").read_text())
BUILD: Final = CHECKOUT / "build" / "peers"
SECONDS_MAX: Final = 180
"""To install a library, and for its work of one round."""

Peer = Callable[..., dict[str, float]]
"""It does its work with these words and further variables, and tells what it measured."""


def installed(name: str, say: Callable[[str], None]) -> Peer | None:
    """A library that is ready to work; None, and why, where it cannot be installed."""
    try:
        command = _with_node(name) if "node" in PINNED[name] else _with_python(name)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or ""
        say(f"no rows beside {name}, it cannot be installed: {error} {said}")
        return None

    def work(*words: object, **variables: str) -> dict[str, float]:
        try:
            told = _run(*command, *map(str, words), **variables)
        except subprocess.CalledProcessError as error:
            raise RuntimeError(f"{name} did not do its work: {error.stderr}") from error
        figures: dict[str, float] = json.loads(told)
        return figures

    return work


def _with_python(name: str) -> tuple[Path, ...]:
    environment = BUILD / name
    python = environment / "bin" / "python"
    uv = Path(sys.executable).with_name("uv")
    _run(uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, environment)
    # pybaccarat looks for a keyboard before it can be installed.
    windows = str(HERE / "windows") if name == "pybaccarat" else ""
    packages = PINNED[name]["python"]
    _run(uv, "pip", "install", "--quiet", "--python", python, *packages, PYTHONPATH=windows)
    return python, HERE / f"{name}_work.py"


def _with_node(name: str) -> tuple[Path, ...]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise FileNotFoundError("there is no Node.js with npm on this machine")
    directory = BUILD / name
    directory.mkdir(parents=True, exist_ok=True)
    packages = {"private": True, "dependencies": PINNED[name]["node"]}
    (directory / "package.json").write_text(json.dumps(packages))
    _run(npm, "install", "--prefix", directory, "--no-audit", "--no-fund", "--no-package-lock")
    # A module of Node finds packages beside itself.
    work = f"{name}_work.mjs"
    shutil.copy(HERE / work, directory / work)
    return Path(node), directory / work


def _run(*command: str | Path, **variables: str) -> str:
    result = subprocess.run(
        command,
        check=True,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        # Nothing of ours is in the way of a library.
        env={**os.environ, "PYTHONPATH": "", **variables},
    )
    return result.stdout
