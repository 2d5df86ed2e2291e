"""Dealing methods A to D: which one, and who has to agree to it (004 8.1)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import TableSettings
from services.contracts.core import Event, Refused
from services.contracts.round_table import DealingMethodSelected, MethodApproved, RoleApproved
from services.round.commands import ApproveMethod, ApproveRole, SelectMethod
from services.round.domain.persons import require, require_known
from services.round.domain.state import TableState, clauses_for, rules_of, settings_of

HELD_BY_PLAYERS = ("C", "D")
"""Methods in which a player may hold the shoe."""

BY_CARDS = "B"
"""The method in which players hold the hands' cards."""

_RULES = {"A": "method_a", "B": "method_b", "C": "method_c", "D": "method_d"}


def rule_of(method: str) -> str:
    """The key of a method's clauses."""
    return _RULES[method]


def _approver(state: TableState, method: str) -> str | None:
    approval = rules_of(state).method_approval
    if method == BY_CARDS:
        return approval.b
    return approval.c_d if method in HELD_BY_PLAYERS else None


def check_dealt_by_dealer(settings: TableSettings, method: str) -> None:
    """Refuse with METHOD cards and shoe for players where no book says who staked (Procedure 10)."""
    if method != "A" and not settings.keeps_book:
        raise Refused(
            "METHOD", f"method {method} goes by what players staked: this table keeps no book"
        )


def check_possible(state: TableState, method: str) -> None:
    """Refuse with METHOD what rulebook, layout or shoe do not allow (004 8.1.2, 8.2)."""
    rules = rules_of(state)
    if method not in rules.methods:
        raise Refused(
            "METHOD",
            f"method {method} is not among this rulebook's: {', '.join(rules.methods)}",
            clauses_for(state, "method"),
        )
    check_dealt_by_dealer(settings_of(state), method)
    if method not in HELD_BY_PLAYERS:
        return
    layout = rules.method_layout.c_d
    if layout is not None and settings_of(state).layout != layout:
        raise Refused(
            "METHOD",
            f"method {method} needs layout {layout}",
            clauses_for(state, rule_of(method)),
        )
    if state.shoe is not None and state.shoe.device:
        raise Refused(
            "METHOD",
            "a shuffling device stays with the dealer",
            clauses_for(state, rule_of(method)),
        )


def check_approved(state: TableState, method: str) -> None:
    """Refuse with APPROVAL where the method's approval is missing or over."""
    wanted = _approver(state, method)
    if wanted is None or holds(state.approvals, method, state.coups + 1):
        return
    raise Refused(
        "APPROVAL",
        f"method {method} takes the approval of {wanted}",
        clauses_for(state, rule_of(method)),
    )


def holds(approvals: dict[str, int | None], what: str, coup: int) -> bool:
    """Whether an approval is there and holds for the coup."""
    if what not in approvals:
        return False
    until = approvals[what]
    return until is None or coup <= until


def select(command: SelectMethod, state: TableState) -> Sequence[Event]:
    """Another method from the next coup on; never inside one."""
    require(command, state, "DEALER", what="choosing the dealing method")
    if state.coup is not None or state.request is not None:
        raise Refused(
            "STATE", "the method is chosen before betting opens", clauses_for(state, "method")
        )
    check_possible(state, command.method)
    return [
        DealingMethodSelected(
            method=command.method, clauses=clauses_for(state, rule_of(command.method))
        )
    ]


def _until(state: TableState, coups: int | None) -> int | None:
    """The last coup of an approval that is for so many, the one that runs included."""
    if coups is None:
        return None
    if coups < 1:
        raise Refused("NOT_PERMITTED", f"an approval is for 1 coup or more, not {coups}")
    return state.coups + coups - (1 if state.coup is not None else 0)


def approve_method(command: ApproveMethod, state: TableState) -> Sequence[Event]:
    """B: the inspector, who may set conditions. C and D: the duty manager."""
    method = command.method
    if method not in (known := rules_of(state).methods):
        raise Refused("METHOD", f"method {method} is not among this rulebook's: {', '.join(known)}")
    require_known(
        command,
        state,
        _approver(state, method),
        what=f"approving method {method}",
        without=f"method {method} needs no approval",
    )
    return [
        MethodApproved(
            method=method,
            until_coup=_until(state, command.coups),
            conditions=command.conditions,
            clauses=clauses_for(state, rule_of(method)),
        )
    ]


def approve_role(command: ApproveRole, state: TableState) -> Sequence[Event]:
    """A player may act for Player's hand (004 8.17.2, 8.27.2)."""
    require_known(
        command,
        state,
        rules_of(state).play_player_hand_by,
        what="letting a player act for Player's hand",
        without="under this rulebook nobody acts for Player's hand",
    )
    return [
        RoleApproved(
            player=command.player,
            until_coup=_until(state, command.coups),
            clauses=clauses_for(state, "act_as_player"),
        )
    ]
