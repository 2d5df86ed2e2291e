"""Make or refresh `.venv` from the locks. Standard library only: it runs before anything exists.

Every file is checked against a hash in the repository: pip installs uv from its own small lock, and
uv installs the rest. When neither the locks nor the project's metadata changed, nothing is done.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOCKS = ("requirements-uv.lock", "requirements-dev.lock")
# A partly written environment must not look finished, so each stamp is written last.
LOCK_STAMP = VENV / ".locks-sha256"
PROJECT_STAMP = VENV / ".project-sha256"
PYTHON_MIN = (3, 11)


def digest(*names: str) -> str:
    """Hash the named files and the place of the checkout: a moved environment does not work."""
    result = hashlib.sha256(str(ROOT).encode())
    for name in names:
        result.update((ROOT / name).read_bytes())
    return result.hexdigest()


def stamped(stamp: Path, expected: str) -> bool:
    """Tell whether an earlier run ended with this digest."""
    return stamp.is_file() and stamp.read_text().strip() == expected


def environment() -> dict[str, str]:
    """Leave the index as the machine has it, but take no Python and no stray wheel from it."""
    result = {k: v for k, v in os.environ.items() if k not in {"PIP_FIND_LINKS", "PYTHONPATH"}}
    result.update(
        UV_PYTHON_DOWNLOADS="never",
        UV_LINK_MODE="copy",  # caches on another file system would warn at every package
        VIRTUAL_ENV=str(VENV),
        PIP_DISABLE_PIP_VERSION_CHECK="1",
    )
    if os.geteuid() == 0:
        result["PIP_ROOT_USER_ACTION"] = "ignore"
    return result


def run(*command: str | Path) -> None:
    """Run one command in the root of the checkout and stop everything when it fails."""
    subprocess.run(command, check=True, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL)


def count_packages(lock: str) -> int:
    """Count what a lock pins."""
    return sum("==" in line for line in (ROOT / lock).read_text().splitlines())


@contextlib.contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is done now, and how long it took: the first setup takes about a minute."""
    began = time.monotonic()
    sys.stderr.write(f"setup: {what} ...")
    sys.stderr.flush()
    try:
        yield
    except BaseException:
        sys.stderr.write("\n")
        raise
    sys.stderr.write(f" {time.monotonic() - began:.0f} s\n")


def install() -> None:
    """Bring the environment to the state that the locks describe."""
    python = VENV / "bin" / "python"
    locks, project = digest(*LOCKS), digest("pyproject.toml")
    if not stamped(LOCK_STAMP, locks) or not python.exists():
        for stamp in (LOCK_STAMP, PROJECT_STAMP):
            stamp.unlink(missing_ok=True)
        if not python.exists() or subprocess.run((python, "-c", ""), check=False).returncode:
            with step(f"making {VENV} with Python {sys.version.split()[0]}"):
                venv.EnvBuilder(clear=True, symlinks=True, with_pip=True).create(VENV)
        with step("installing uv, which installs the rest"):
            options = ("--quiet", "--require-hashes", "--no-deps", "-r", LOCKS[0])
            run(python, "-m", "pip", "install", *options)
        many = count_packages(LOCKS[1])
        with step(f"fetching and installing {many} packages, each checked against its hash"):
            options = ("--quiet", "--require-hashes", "--strict", LOCKS[1])
            run(VENV / "bin" / "uv", "pip", "sync", *options)
        LOCK_STAMP.write_text(locks)
    if not stamped(PROJECT_STAMP, project):
        with step("installing this checkout into it"):
            # The build backend is in the lock, so the build needs no environment of its own.
            options = ("--quiet", "--no-deps", "--no-build-isolation", "--offline")
            run(VENV / "bin" / "uv", "pip", "install", *options, "--editable", ".")
        PROJECT_STAMP.write_text(project)


def main() -> None:
    """Let one run at a time work on the environment; a second one waits and finds it done."""
    if sys.version_info < PYTHON_MIN:
        sys.exit(
            f"Python {PYTHON_MIN[0]}.{PYTHON_MIN[1]} or newer is needed; this is {sys.version}"
        )
    with (ROOT / ".venv-setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            install()
        except subprocess.CalledProcessError as error:
            sys.exit(f"setup failed: {' '.join(map(str, error.cmd))} ended with {error.returncode}")


if __name__ == "__main__":
    main()
