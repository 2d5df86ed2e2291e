"""Trying a whole transaction again, which the store allows after a conflict and when it was away."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from services.chassis.store import ConcurrencyConflict, StoreUnavailable

ATTEMPTS_MAX: Final = 3
"""How often a transaction is begun at most."""

RETRY_DELAY_S: Final = 0.05
"""Pause before the second attempt; doubled for every further one, and shortened at random, so that
those who got into each other's way do not meet again."""

T = TypeVar("T")


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    *,
    on_failure: Callable[[], None],
    jitter: random.Random,
) -> T:
    """Run a transaction until it is committed, `ATTEMPTS_MAX` times at most.

    `on_failure` is called after every failure, of whatever kind, before anything else happens.
    """
    for number in range(ATTEMPTS_MAX):
        try:
            return await attempt()
        except (ConcurrencyConflict, StoreUnavailable):
            on_failure()
            if number + 1 == ATTEMPTS_MAX:
                raise
        except BaseException:
            on_failure()
            raise
        await asyncio.sleep(RETRY_DELAY_S * 2**number * jitter.uniform(0.5, 1.0))
    raise AssertionError("the last attempt returns or raises")
