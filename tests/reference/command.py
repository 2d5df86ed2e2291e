"""docs/reference/cli.md, from the help of the command itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer

from services.cli import errors
from services.cli.main import app
from tests.reference.pages import NOTICE, table

WIDTH = 90
HEAD = f"""# The `sabot` command

{NOTICE}

`make setup` puts it at `.venv/bin/sabot`. Commands that talk to services find them by
`SABOT_SHOE_TARGET`, `SABOT_ROUND_TARGET`, `SABOT_WAGER_TARGET` and `SABOT_SETTLEMENT_TARGET`
(`host:port`), and without these the local stack that `make up` left running. `SABOT_CLIENT_CA_FILE`,
`SABOT_CLIENT_CERTIFICATE_FILE` and `SABOT_CLIENT_KEY_FILE` are for services that speak TLS, and
`SABOT_AUTH_TOKEN_FILE` names the file of the token that is shown where no `--token` says another.

Results go to standard output, everything else to standard error.

## Exit statuses
"""
_CONSTANT = re.compile(r'^([A-Z_]+): Final = (\d+)\n(?:"""(.*?)""")?', re.MULTILINE | re.DOTALL)
INTERRUPTED = "Somebody interrupted it."


def command() -> str:
    """The page."""
    statuses = table(("status", "meaning"), _statuses())
    root = typer.main.get_command(app)
    return "\n".join((HEAD, statuses, *_helps(root, ("sabot",), None)))


def _statuses() -> Iterator[tuple[str, str]]:
    for _, status, told in _CONSTANT.findall(inspect.getsource(errors)):
        yield status, " ".join(told.split()) or INTERRUPTED


def _helps(each: Any, names: tuple[str, ...], parent: Any) -> Iterator[str]:
    context = each.make_context(names[-1], [], parent=parent, resilient_parsing=True)
    context.info_name = names[-1]
    context.terminal_width = context.max_content_width = WIDTH
    text = "\n".join(line.rstrip() for line in each.get_help(context).strip().splitlines())
    yield f"## `{' '.join(names)}`\n\n```text\n{text}\n```\n"
    for name, inner in sorted(getattr(each, "commands", {}).items()):
        yield from _helps(inner, (*names, name), context)
