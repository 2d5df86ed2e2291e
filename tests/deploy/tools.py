"""The validators of image, compose files, manifests and alerts: fetched once, kept in `var/tools`.

They are in virtual environments of their own, made from locks with hashes: no service needs them, and
together they are larger than everything that the services need. `promtool`
is in no Python package; it is taken out of Debian's, which is unpacked and not installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
TOOLS: Final = ROOT / "var" / "tools"
DEBIAN: Final = TOOLS / "debian"
SETS: Final = {"deploy": TOOLS / "venv", "docs": TOOLS / "docs"}
"""Environments by the name of their lock: validators, and the builder of the documentation site."""
FETCH_SECONDS_MAX: Final = 100
"""All of it; a package index that takes longer is away."""

LISTS_SECONDS_MAX: Final = 60
RUN_SECONDS_MAX: Final = 120


class ToolMissing(Exception):
    """A tool is not there, and could not be fetched."""


def in_ci() -> bool:
    """Tell whether a check that cannot run has to fail instead of being passed over."""
    return os.environ.get("CI", "").lower() in {"1", "true"}


def path(name: str) -> Path:
    """Where a tool is. Raises `ToolMissing`; `make deploy-tools` fetches what is missing."""
    for folder in (*(venv / "bin" for venv in SETS.values()), DEBIAN / "usr" / "bin"):
        if (folder / name).exists():
            return folder / name
    raise ToolMissing(f"{name} is not in {TOOLS.relative_to(ROOT)}: make deploy-tools fetches it")


def run(
    name: str, *words: str | Path, seconds_max: float = RUN_SECONDS_MAX
) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end; what it says is in the result."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SABOT_", "PYTHON"))}
    return subprocess.run(
        (path(name), *words),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds_max,
        cwd=ROOT,
        env=environment,
    )


def fetch() -> None:
    """Make `var/tools` what the lock says. Raises `ToolMissing` with the reason."""
    fetch_packages("deploy")
    _fetch_promtool()


def fetch_packages(name: str) -> None:
    """Make an environment of `SETS` what its lock says. Raises `ToolMissing` with the reason."""
    lock, venv = ROOT / f"requirements-{name}.lock", SETS[name]
    stamp = TOOLS / f"{name}-sha256"
    wanted = hashlib.sha256(lock.read_bytes() + str(ROOT).encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    TOOLS.mkdir(parents=True, exist_ok=True)
    stamp.unlink(missing_ok=True)
    uv = Path(sys.executable).parent / "uv"
    environment = {**os.environ, "VIRTUAL_ENV": str(venv), "UV_PYTHON_DOWNLOADS": "never"}
    environment["UV_LINK_MODE"] = "copy"
    for command in (
        (uv, "venv", "--quiet", "--clear", "--python", sys.executable, venv),
        (uv, "pip", "sync", "--quiet", "--require-hashes", lock),
    ):
        _run(command, FETCH_SECONDS_MAX, environment)
    stamp.write_text(wanted)


def _fetch_promtool() -> None:
    target = DEBIAN / "usr" / "bin" / "promtool"
    if target.exists():
        return
    DEBIAN.mkdir(parents=True, exist_ok=True)
    installed = shutil.which("promtool")
    if installed:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(installed)
        return
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise ToolMissing("promtool is not installed, and this is no Debian to take it from")
    download = ("apt-get", "download", "-q", "prometheus")
    try:
        _run(download, FETCH_SECONDS_MAX, dict(os.environ), DEBIAN)
    except ToolMissing:
        # A fresh machine has no package lists yet.
        _run(("apt-get", "update", "-q"), LISTS_SECONDS_MAX, dict(os.environ), DEBIAN)
        _run(download, FETCH_SECONDS_MAX, dict(os.environ), DEBIAN)
    package = next(iter(DEBIAN.glob("prometheus_*.deb")))
    _run(("dpkg-deb", "-x", package, DEBIAN), FETCH_SECONDS_MAX, dict(os.environ))
    package.unlink()


def _run(
    command: tuple[str | Path, ...],
    seconds_max: int,
    environment: dict[str, str],
    directory: Path = ROOT,
) -> None:
    words = " ".join(str(word) for word in command)
    try:
        result = subprocess.run(
            command,
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds_max,
            cwd=directory,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolMissing(f"{words}: {error}") from error
    if result.returncode:
        raise ToolMissing(f"{words}: {result.stderr.strip()[-500:]}")
