"""How the command ends when something is wrong: exit statuses, and errors for people."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final, TextIO, cast

DONE: Final = 0
"""All was done; what the rules refused is an answer and no error."""

FAILED: Final = 1
"""Something else went wrong, or a check found what it looks for."""

WRONG_INPUT: Final = 2
"""The command was used wrongly, or its input is malformed."""

MISSING_PART: Final = 3
"""This installation has no such part."""

INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""As if by SIGPIPE: whoever read the output has gone, which is his right."""


class CommandFailed(Exception):
    """Ends a command with a sentence for a person, and a status."""

    status: int = FAILED


class WrongUse(CommandFailed):
    """The command was called with something that it cannot take."""

    status = WRONG_INPUT


class WrongInput(CommandFailed):
    """The input is malformed; the text is `FILE:LINE: what is wrong` and nothing else."""

    status = WRONG_INPUT


class PartMissing(CommandFailed):
    """A part of the program is not installed."""

    status = MISSING_PART


def guarded(command: Callable[[], Any], err: TextIO) -> int:
    """Run a command and return its exit status; errors become one message, no traceback.

    With SABOT_DEBUG=1 in the environment the traceback is shown too.
    """
    try:
        status = command()
        sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
        return BROKEN_PIPE
    except SystemExit as ending:
        # Typer catches a broken pipe before we can, and then only ends the program.
        if isinstance(ending.__context__, BrokenPipeError):
            _close_output()
            return BROKEN_PIPE
        raise
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - the one place that reports whatever is left
        return _flushed(_told(error, err))
    return DONE if status is None else int(status)


def _told(error: Exception, err: TextIO) -> int:
    """Tell a person of an error, and return the exit status that goes with it."""
    if os.environ.get("SABOT_DEBUG") == "1":
        traceback.print_exception(error, file=err)
    match error:
        case WrongInput():
            err.write(f"{error}\n")
            return error.status
        case CommandFailed():
            err.write(f"sabot: {error}\n")
            return error.status
        case OSError(filename=str() as name) if error.strerror:
            err.write(f"sabot: {name}: {error.strerror}\n")
            return FAILED
    show = getattr(error, "show", None)
    if callable(show) and hasattr(error, "exit_code"):  # a usage error that typer found
        show(err)
        return int(cast("int", error.exit_code))
    # Its module is heavy, and there already where it was raised.
    from services.tablelog.targets import NoServices  # noqa: PLC0415

    if isinstance(error, NoServices):
        err.write(f"sabot: {error}\n")
        return FAILED
    text = str(error) or type(error).__name__
    err.write(f"sabot: {text} ({type(error).__name__}; SABOT_DEBUG=1 shows where)\n")
    return FAILED


def _flushed(status: int) -> int:
    """Send what was printed before an error; nobody may be there to read it."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
    return status


def _close_output() -> None:
    """Keep the interpreter from flushing into the broken pipe once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
