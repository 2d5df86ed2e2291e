"""Seats, boxes, and players who stand (003 5.5, 004 5.5, X-12).

A box belongs to its seat. By default one player wagers on it; a supervisor may let several, up to
the rulebook's number, and a permission for standing players opens the box that one of them names.
"""

from __future__ import annotations

from msgspec.structs import replace

from services.contracts.core import Refused
from services.wager.domain.limits import Rejection
from services.wager.domain.state import (
    EVERYBODY,
    Book,
    BookState,
    Wager,
    is_box,
    live,
    rules_of,
)


def box_of(player: str, named: str | None, state: BookState) -> str | None:
    """The box of a wager: the one named, or that of the player's seat; none where nobody counts."""
    if rules_of(state).box_players_default is None:
        return named
    if named is None:
        seat = state.seats.get(player)
        return None if seat is None else str(seat)
    if not is_box(named, state):
        raise Refused("UNKNOWN", f"there is no box {named}")
    return named


def check_box(wager: Wager, state: BookState, book: Book) -> Wager:
    """Whether the player may wager there; the wager comes back marked where he stands."""
    wager = _check_standing(wager, state)
    most = rules_of(state).box_players_max
    if wager.box is None or most is None:
        return wager
    others = [w for w in live(book) if w.box == wager.box and w.player != wager.player]
    players = {w.player for w in others}
    shared = _shared(wager.box, state)
    if shared is not None:
        if len(players) >= min(shared, most):
            raise _full(wager, len(players))
        return wager
    if len(players) >= most:
        raise _full(wager, len(players))
    owners = {player for player, seat in state.seats.items() if str(seat) == wager.box}
    counted = (owners | {w.player for w in others if not w.standing}) - {wager.player}
    default = rules_of(state).box_players_default or most
    if not wager.standing and len(counted) >= default:
        raise _full(wager, len(counted))
    return wager


def _full(wager: Wager, players: int) -> Rejection:
    return Rejection("BOX_FULL", f"box {wager.box} has {players} players", "box_sharing")


def _shared(box: str, state: BookState) -> int | None:
    """The number of players that a supervisor allowed on the box."""
    sharing = state.permissions.sharing
    return sharing.get(box, sharing.get(EVERYBODY))


def _check_standing(wager: Wager, state: BookState) -> Wager:
    """A player without a seat needs permission where the rulebook asks for it."""
    if rules_of(state).standing_players != "PERMISSION" or wager.player in state.seats:
        return wager
    standing = state.permissions.standing
    if EVERYBODY not in standing and wager.player not in standing:
        raise Rejection(
            "STANDING_NOT_PERMITTED", "a player without a seat needs permission", "standing"
        )
    return replace(wager, standing=True)
