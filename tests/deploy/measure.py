"""`python -m tests.deploy.measure`: what the services need, as far as a process can be asked.

The local stack runs with durable settings; recorded tables are played through it at once, several
times, as fast as they go. For each service: memory at rest and at its peak (resident, with the
shared libraries), the share of a processor that it takes at rest, and the time of the processor that one
coup costs on top of that. The console is watched meanwhile by some people, each with the pit on the
screen and a page asked for every second. The requests of the manifests rest on it: memory at its peak
with room above, and the processor for as many coups a second as a worker has to carry.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import httpx
from msgspec import Struct

from services.devstack.stack import Stack
from services.devstack.state import CHECKOUT
from tests.bench.figures import machine

RECORDED: Final = CHECKOUT / "services" / "cli" / "data" / "recorded"
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
SETTLE_S: Final = 5.0
REST_S: Final = 20.0
ROUNDS: Final = 3
WATCHERS: Final = 5
LOOK_S: Final = 1.0
SIGNED_IN: Final = {"person": "watcher", "role": "CASINO_SUPERVISOR"}
PAGES: Final = ("/", "/exceptions", "/search?q=x")
PLAY_SECONDS_MAX: Final = 900
COUP_RESULT: Final = '"kind":"coup"'
MIB: Final = 1024.0


class Use(Struct, frozen=True):
    """What a process has used so far."""

    memory_mib: float
    peak_mib: float
    processor_s: float


def use_of(pid: int) -> Use:
    """Ask the kernel."""
    status = Path(f"/proc/{pid}/status").read_text()
    figures = {
        name: int(words.split()[0])
        for name, _, words in (line.partition(":") for line in status.splitlines())
        if name in {"VmRSS", "VmHWM"}
    }
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    return Use(figures["VmRSS"] / MIB, figures["VmHWM"] / MIB, ticks / TICKS_A_SECOND)


def play(stack: Stack, run: str, files: Sequence[Path]) -> int:
    """Play recorded tables at once; returns the number of coups."""
    result = subprocess.run(
        (sys.executable, "-m", "services.cli", "play", "--run", run, *files),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
        env={**os.environ, **stack.env()},
        timeout=PLAY_SECONDS_MAX,
    )
    return result.stdout.count(COUP_RESULT)


@contextlib.contextmanager
def watched(console: str) -> Iterator[None]:
    """People at the console while something is measured."""
    over = threading.Event()

    def watch() -> None:
        with httpx.Client(base_url=console, headers={"origin": console}, timeout=None) as client:
            client.post("/sign-in", data=SIGNED_IN)
            with client.stream("GET", "/pit/feed") as feed:
                look_s = 0.0
                for _ in feed.iter_raw():
                    if over.is_set():
                        return
                    if time.monotonic() - look_s > LOOK_S:
                        look_s = time.monotonic()
                        for page in PAGES:
                            client.get(page).raise_for_status()

    def until_the_end() -> None:
        with contextlib.suppress(httpx.TransportError):  # the console goes before its watchers
            watch()

    people = [threading.Thread(target=until_the_end, daemon=True) for _ in range(WATCHERS)]
    for person in people:
        person.start()
    try:
        yield
    finally:
        over.set()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("files", nargs="*", type=Path, default=sorted(RECORDED.glob("*.jsonl")))
    options = parser.parse_args()
    say = functools.partial(print, file=sys.stderr)
    with Stack(durable=True, console=True, report=say) as stack:
        assert stack.console is not None
        running = {name: service.process for name, service in stack.services.items()}
        running["console"] = stack.console.process
        processes = {name: process.pid for name, process in running.items() if process}
        time.sleep(SETTLE_S)
        started = {name: use_of(pid) for name, pid in processes.items()}
        time.sleep(REST_S)
        before = {name: use_of(pid) for name, pid in processes.items()}
        began_s = time.monotonic()
        with watched(stack.console.url):
            coups = sum(play(stack, f"m{n}", options.files) for n in range(options.rounds))
        took_s = time.monotonic() - began_s
        after = {name: use_of(pid) for name, pid in processes.items()}
    print(f"{machine()}; {coups} coups in {took_s:.0f} s, {coups / took_s:.1f} a second\n")
    print(f"{WATCHERS} people watch the console.\n")
    print("| service | MiB at rest | MiB at the peak | processor at rest | ms of it for a coup |")
    print("|---|---:|---:|---:|---:|")
    for name, rest in before.items():
        idle = (rest.processor_s - started[name].processor_s) / REST_S
        spent_s = after[name].processor_s - rest.processor_s - idle * took_s
        print(
            f"| {name} | {rest.memory_mib:.0f} | {after[name].peak_mib:.0f} "
            f"| {idle:.1%} | {1000 * spent_s / coups:.0f} |"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
