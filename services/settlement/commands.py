"""Commands of the settlement service."""

from __future__ import annotations

from services.contracts.common import TableSettings
from services.contracts.core import Command


class ActivateRulebook(Command, frozen=True, kw_only=True):
    """Take up a table that round opened."""

    session: int
    settings: TableSettings


class Settle(Command, frozen=True, kw_only=True):
    """Settle a coup whose result and book are both known."""

    coup_id: str
