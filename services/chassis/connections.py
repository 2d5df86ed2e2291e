"""Connections to the broker that broke a moment ago, told as such.

uvloop refuses to write to a connection that it has just closed with a `RuntimeError`. The broker's
client library takes that for none of its own errors: its background tasks, which would go on after a
broken connection, end for good on it, and closing the client raises it once more.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from aiokafka.conn import AIOKafkaConnection, CloseReason
from aiokafka.errors import KafkaConnectionError, KafkaError

_WRITERS: Final = ("send", "_send_sasl_token")


def tell_broken_ones() -> None:
    """From now on, writing to a broken connection closes it and raises `KafkaConnectionError`."""
    for name in _WRITERS:
        write = getattr(AIOKafkaConnection, name)
        if not hasattr(write, "__wrapped__"):
            setattr(AIOKafkaConnection, name, _telling(write))


def _telling(write: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(write)
    def told(connection: AIOKafkaConnection, *request: Any, **more: Any) -> Any:
        try:
            return write(connection, *request, **more)
        except (KafkaError, NotImplementedError):  # the latter: its versions are others
            raise
        except RuntimeError as error:
            connection.close(reason=CloseReason.CONNECTION_BROKEN, exc=error)
            raise KafkaConnectionError(str(error)) from error

    return told
