"""`python -m services.devstack up|down|status|logs|env|broker`: the local stack from a shell."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import shlex
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from services.devstack.brokers import (
    PARTITIONS_DEFAULT,
    SERVICES,
    BrokerKind,
    ExternalBroker,
    resolve_broker,
)
from services.devstack.stack import STATE_FILE, Stack, State, default_directory, stop_recorded

FOLLOW_POLL_S = 0.25
LOG_LINES_DEFAULT = 60
EXIT_NOT_RUNNING = 3
NOTHING_RUNS = "nothing runs here; `make up` starts the stack"


def report(line: str) -> None:
    """Print a line of progress at once, also into a pipe."""
    print(line, flush=True)


@contextlib.contextmanager
def exclusive(directory: Path) -> Iterator[None]:
    """Let only one `up` or `down` at a time work on a directory."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "devstack.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("another up or down is at work; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def up(options: argparse.Namespace) -> int:
    """Start the stack and leave it running."""
    directory: Path = options.directory
    with exclusive(directory):
        state = State.read(directory / STATE_FILE)
        if state is not None:
            alive = [entry.process().running() for entry in state.entries]
            if alive and all(alive):
                report("the stack runs already; `down` stops it")
                return show(state)
            stop_recorded(state, report)
            (directory / STATE_FILE).unlink(missing_ok=True)
        stack = Stack(
            directory,
            services=options.services,
            broker=options.broker,
            durable=not options.fast,
            partitions=options.partitions,
            console=True,
            report=report,
        )
        stack.start()
        state = State.read(stack.state_file)
        assert state is not None, "written by start"
        return show(state)


def down(options: argparse.Namespace) -> int:
    """Stop what `up` started."""
    with exclusive(options.directory):
        path = options.directory / STATE_FILE
        state = State.read(path)
        if state is None:
            report("nothing runs here")
            return 0
        stop_recorded(state, report)
        path.unlink()
    return 0


def status(options: argparse.Namespace) -> int:
    """Print what runs where; the exit status is 0 where everything does, 3 where not."""
    state = State.read(options.directory / STATE_FILE)
    if state is None:
        report(NOTHING_RUNS)
        return EXIT_NOT_RUNNING
    return show(state)


def show(state: State) -> int:
    """Print the table of a state."""
    table = Table(box=None, pad_edge=False)
    for column in ("what", "pid", "state", "address", "health", "metrics"):
        table.add_column(column, no_wrap=True)
    all_running = True
    for entry in state.entries:
        running = entry.process().running()
        all_running = all_running and running
        table.add_row(
            entry.name,
            str(entry.identity.pid),
            "running" if running else "ENDED",
            entry.address,
            str(entry.ports.get("health", "")),
            str(entry.ports.get("metrics", "")),
        )
    Console(width=110).print(table)
    report(state.broker)
    return 0 if all_running else EXIT_NOT_RUNNING


def env(options: argparse.Namespace) -> int:
    """Print the addresses as lines that a shell can evaluate."""
    state = State.read(options.directory / STATE_FILE)
    if state is None:
        print(NOTHING_RUNS, file=sys.stderr)
        return EXIT_NOT_RUNNING
    for name, value in state.environment.items():
        print(f"export {name}={shlex.quote(value)}")
    return 0


def logs(options: argparse.Namespace) -> int:
    """Print the end of the logs and, if asked, what is added to them."""
    state = State.read(options.directory / STATE_FILE)
    paths = {} if state is None else {entry.name: Path(entry.log) for entry in state.entries}
    for path in sorted((options.directory / "log").glob("*.log")):
        paths.setdefault(path.stem, path)
    wanted = options.names or list(paths)
    unknown = [name for name in wanted if name not in paths]
    if unknown:
        there = f"there is {', '.join(paths)}" if paths else NOTHING_RUNS
        print(f"no log of {', '.join(unknown)}; {there}", file=sys.stderr)
        return 1
    if not paths:
        print(NOTHING_RUNS)
    with contextlib.ExitStack() as stack:
        files = []
        for name in wanted:
            if paths[name].is_file():
                file = stack.enter_context(paths[name].open(errors="replace"))
                for line in deque(file, maxlen=options.lines):
                    print(f"{name:<10} {line}", end="")
                files.append((name, file))
        with contextlib.suppress(KeyboardInterrupt):
            while options.follow:
                lines = [(name, line) for name, file in files for line in file]
                for name, line in lines:
                    print(f"{name:<10} {line}", end="", flush=True)
                if not lines:
                    time.sleep(FOLLOW_POLL_S)
    return 0


def broker(options: argparse.Namespace) -> int:
    """Choose the broker, fetch what it needs, and print its kind for BROKER in the next command."""

    def to_stderr(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    choice = resolve_broker(options.broker, report=to_stderr)
    external = choice.kind is BrokerKind.EXTERNAL
    to_stderr(choice.sentence(ExternalBroker().bootstrap_servers if external else "a free port"))
    print(choice.kind)
    return 0


def names(text: str) -> tuple[str, ...]:
    """Read a list of services from the command line."""
    result = tuple(word for word in text.replace(",", " ").split() if word)
    if unknown := set(result) - set(SERVICES):
        raise argparse.ArgumentTypeError(f"unknown services: {', '.join(sorted(unknown))}")
    return result


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    result = argparse.ArgumentParser(prog="python -m services.devstack", description=__doc__)
    default = Path(os.environ.get("SABOT_DEVSTACK_DIRECTORY") or default_directory())
    result.add_argument("--directory", type=Path, default=default, help=f"default: {default}")
    verbs = result.add_subparsers(required=True)

    def verb(function: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        help_text = (function.__doc__ or "").splitlines()[0]
        added = verbs.add_parser(function.__name__, help=help_text, description=help_text)
        added.set_defaults(run=function)
        return added

    start = verb(up)
    start.add_argument("--broker", help="auto, apache, embedded or external; default: BROKER")
    start.add_argument("--services", type=names, default=SERVICES, help="a list; default: all")
    start.add_argument("--partitions", type=int, default=PARTITIONS_DEFAULT)
    start.add_argument("--fast", action="store_true", help="PostgreSQL without durable settings")
    choose = verb(broker)
    choose.add_argument("--broker", help="auto, apache, embedded or external; default: BROKER")
    verb(down)
    verb(status)
    verb(env)
    show_logs = verb(logs)
    show_logs.add_argument("names", nargs="*", help="services, postgres, broker; default: all")
    show_logs.add_argument("--lines", type=int, default=LOG_LINES_DEFAULT)
    show_logs.add_argument("--follow", action="store_true")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; a failure of the stack is told in words and not as a trace."""
    options = parser().parse_args(arguments)
    options.directory = options.directory.resolve()
    try:
        return int(options.run(options))
    except (RuntimeError, TimeoutError, ValueError) as error:
        print(f"{options.run.__name__} failed: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
