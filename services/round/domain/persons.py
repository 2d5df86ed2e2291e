"""Who may do what at this table: roles, with the house's choice about game supervisors."""

from __future__ import annotations

from services.contracts.core import Command, Refused
from services.contracts.guards import require_own, require_role
from services.round.domain.state import TableState, rules_of

GAME_SUPERVISOR, CASINO_SUPERVISOR = "GAME_SUPERVISOR", "CASINO_SUPERVISOR"


def require(command: Command, state: TableState, wanted: str, *, what: str) -> None:
    """Refuse with ROLE unless the actor may act as `wanted` under the table's rulebook."""
    counts = rules_of(state).games_supervisor_counts_as_casino_supervisor
    require_role(command, wanted, what=what, game_supervisor_counts=counts)


def require_seat(command: Command, state: TableState, seat: int, *, what: str) -> None:
    """Refuse with ROLE unless who sits there acts, or the dealer for him."""
    player = next((who for taken, who in state.seats if taken == seat), "")
    require_own(command, player, what=what)


def require_known(
    command: Command, state: TableState, wanted: str | None, *, what: str, without: str
) -> None:
    """The same, for what the rulebook may not know at all: NOT_PERMITTED then, `without` saying so."""
    if wanted is None:
        raise Refused("NOT_PERMITTED", without)
    require(command, state, wanted, what=what)
