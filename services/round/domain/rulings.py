"""A supervisor's word on a whole coup: void, confirm, correct, set aside (Procedure 13)."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.common import Card
from services.contracts.core import Event, Refused
from services.contracts.guards import require_second
from services.contracts.round import OutcomeInvalidated
from services.contracts.round_hands import IncidentResolved
from services.round.commands import ConfirmResult, CorrectResult, InvalidateOutcome, VoidCoup
from services.round.domain.coup import (
    ANNOUNCEMENT_MISMATCH,
    ATTEST,
    EMPTY_BOOK,
    RESULTED,
    VOID,
    WITHOUT_WAGERS,
    Coup,
    has_hidden,
    needed,
)
from services.round.domain.ending import corrected, result, voided
from services.round.domain.persons import (
    CASINO_SUPERVISOR,
    GAME_SUPERVISOR,
    require,
)
from services.round.domain.state import (
    Past,
    TableState,
    clauses_for,
    past_coup,
    rules_of,
    waits_for,
)
from services.rules import tableau

VOID_REASONS = frozenset(
    {
        "DRAW_ORDER_LOST",
        "CARD_UNREADABLE",
        "CARDS_DISTURBED",
        "EQUIPMENT_FAILED",
        "EVACUATION",
        "MEDICAL_EMERGENCY",
        "REGULATOR_ORDER",
    }
)
"""Why a coup may be void by a supervisor's word once a card is out."""


FRAUD = "FRAUD"

INVALIDATE_REASONS = frozenset(
    {"CIVIL_COMMOTION", "FIRE", "RIOT", "BRAWL", "ROBBERY", "ACT_OF_GOD", FRAUD}
)
"""Why an outcome may be set aside (004 14.4)."""


def void(command: VoidCoup, state: TableState) -> Sequence[Event]:
    """Before the first card a game supervisor alone; after it two persons and a listed reason."""
    coup = state.coup if state.coup is not None and state.coup.number == command.coup else None
    over = past_coup(state, command.coup)
    card_out = over is not None or (coup is not None and bool(coup.drawn))
    require(
        command,
        state,
        CASINO_SUPERVISOR if card_out else GAME_SUPERVISOR,
        what="voiding a coup after its first card" if card_out else "voiding a coup",
    )
    if card_out:
        require_second(command, what="voiding a coup after its first card")
    if coup is None:
        if over is None:
            raise Refused("UNKNOWN", f"there is no coup {command.coup}")
        raise Refused("STATE", f"coup {command.coup} is over")
    if coup.phase in (RESULTED, VOID):
        raise Refused("STATE", f"coup {command.coup} has its end")
    if coup.hold is not None and coup.hold.code in (ANNOUNCEMENT_MISMATCH, ATTEST):
        raise Refused(
            "STATE",
            f"such a hold is never voided: the table waits for {waits_for(state)}",
            clauses_for(state, _HELD[coup.hold.code]),
        )
    if card_out and command.reason not in VOID_REASONS:
        raise Refused(
            "NOT_PERMITTED",
            f"after the first card a coup is void for one of {', '.join(sorted(VOID_REASONS))}",
            clauses_for(state, "void"),
        )
    return [voided(state, coup, "SUPERVISOR", "void", note=command.reason)]


_HELD = {ANNOUNCEMENT_MISMATCH: "announcement_mismatch", ATTEST: "card_before_close"}


def _held_for_words(state: TableState, number: int) -> Coup | None:
    """The coup, where it waits because the dealer's words did not fit the cards."""
    coup = state.coup
    if coup is None or coup.number != number or coup.hold is None:
        return None
    return coup if coup.hold.code == ANNOUNCEMENT_MISMATCH else None


def _unknown_or_not_now(state: TableState, number: int, what: str) -> Refused:
    known = past_coup(state, number) is not None
    if not known and (state.coup is None or state.coup.number != number):
        return Refused("UNKNOWN", f"there is no coup {number}")
    return Refused("STATE", f"{what}: the table waits for {waits_for(state)}")


def confirm_result(command: ConfirmResult, state: TableState) -> Sequence[Event]:
    """The cards win over the words (X-55)."""
    require(command, state, GAME_SUPERVISOR, what="confirming a result")
    coup = _held_for_words(state, command.coup)
    if coup is None:
        raise _unknown_or_not_now(state, command.coup, "no result waits for confirmation")
    if has_hidden(coup) or needed(coup) is not None:
        raise Refused("STATE", "the cards on the table give no result: it takes a correction")
    return [_resolved(coup, "CONFIRMED"), *result(state, coup)]


def _resolved(coup: Coup, how: str) -> IncidentResolved:
    return IncidentResolved(
        code=ANNOUNCEMENT_MISMATCH, how=how, coup_id=coup.coup_id, coup=coup.number
    )


def _as_past(coup: Coup, revision: int) -> Past:
    """A coup in progress, looked at as one that is over."""
    held = coup.book or EMPTY_BOOK
    return Past(coup.coup_id, coup.status, revision, held.revision, coup.player, coup.banker)


def _with_result(state: TableState, number: int) -> Past:
    """The coup with this number, which must have a result."""
    coup = state.coup
    if coup is not None and coup.number == number and coup.phase == RESULTED:
        return _as_past(coup, coup.revision)
    past = past_coup(state, number)
    if past is None or past.status in ("VOID", "TERMINATED"):
        raise _unknown_or_not_now(state, number, f"coup {number} has no result")
    if past.status == "INVALIDATED":
        raise Refused("STATE", f"the outcome of coup {number} was set aside")
    return past


def correct_result(command: CorrectResult, state: TableState) -> Sequence[Event]:
    """A card was misread: two persons say what the hands really were."""
    require(command, state, GAME_SUPERVISOR, what="correcting a result")
    require_second(command, what="correcting a result")
    held = _held_for_words(state, command.coup)
    # What ends a hold is the first result: nothing was paid before.
    ended = _with_result(state, command.coup) if held is None else _as_past(held, 0)
    if not could_be_dealt(command.player, command.banker):
        raise Refused(
            "STATE",
            "no deal ends with these hands",
            clauses_for(state, "announcement_mismatch"),
        )
    told = corrected(
        state,
        coup_id=ended.coup_id,
        number=command.coup,
        player=command.player,
        banker=command.banker,
        book_revision=ended.book_revision,
        no_bet=ended.status in WITHOUT_WAGERS,
        revision=ended.revision + 1,
        reason=command.reason,
    )
    return [_resolved(held, "CORRECTED"), told] if held is not None else [told]


def could_be_dealt(player: Sequence[Card], banker: Sequence[Card]) -> bool:
    """Whether the table of play ends with exactly these hands."""
    left = {"player": list(player), "banker": list(banker)}
    hands: dict[str, list[Card]] = {"player": [], "banker": []}
    while (hand := tableau.next_hand(hands["player"], hands["banker"])) is not None:
        if not left[hand]:
            return False
        hands[hand].append(left[hand].pop(0))
    return not left["player"] and not left["banker"]


def invalidate(command: InvalidateOutcome, state: TableState) -> Sequence[Event]:
    """An outcome is set aside, for a listed reason, after the result and after payment too."""
    rules = rules_of(state)
    require(command, state, rules.invalidate_by, what="setting an outcome aside")
    if command.forfeit and rules.forfeit_by is not None:
        require(command, state, rules.forfeit_by, what="keeping stakes")
    require_second(command, what="setting an outcome aside")
    if command.forfeit and rules.forfeit_by is None:
        raise Refused("NOT_PERMITTED", "under this rulebook no stakes are kept")
    if command.reason not in INVALIDATE_REASONS:
        raise Refused(
            "NOT_PERMITTED",
            f"outcomes are set aside for one of {', '.join(sorted(INVALIDATE_REASONS))}",
            clauses_for(state, "invalidate"),
        )
    persons = _persons(command, state)
    ended = _with_result(state, command.coup)
    return [
        OutcomeInvalidated(
            coup_id=ended.coup_id,
            coup=command.coup,
            reason=command.reason,
            persons=persons,
            forfeit=command.forfeit,
            book_revision=ended.book_revision,
            player=ended.player,
            banker=ended.banker,
            clauses=clauses_for(state, "invalidate"),
        )
    ]


def _persons(command: InvalidateOutcome, state: TableState) -> tuple[str, ...]:
    """Who committed the fraud; only their stakes can be kept (004 14.5)."""
    if command.reason != FRAUD:
        if command.forfeit:
            raise Refused(
                "STATE", "stakes are kept for a fraud only", clauses_for(state, "forfeit")
            )
        return ()
    persons = (command.player,) if command.player is not None else command.forfeit
    if not persons:
        raise Refused("STATE", "a fraud names the persons", clauses_for(state, "invalidate"))
    if strangers := [player for player in command.forfeit if player not in persons]:
        raise Refused(
            "STATE",
            f"not named for the fraud: {', '.join(strangers)}",
            clauses_for(state, "forfeit"),
        )
    return persons
