"""All folds, in the order in which they look at an event: what was before is looked up first."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event
from services.settlement.queries import (
    fold_coups,
    fold_records,
    fold_shoes,
    fold_tables,
    fold_wagers,
)
from services.settlement.queries.desk import Folds

FOLDS: Sequence[Folds] = (
    fold_records.EXCEPTION_FOLDS,
    fold_records.INCIDENT_FOLDS,
    fold_records.DISPUTE_FOLDS,
    fold_tables.FOLDS,
    fold_wagers.FOLDS,
    fold_coups.FOLDS,
    fold_shoes.FOLDS,
)

TOLD: frozenset[type[Event]] = frozenset(kind for folds in FOLDS for kind in folds)
"""Events that change a resource."""
