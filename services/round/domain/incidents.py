"""What is written down, and what of it holds a coup until a person decides."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_role
from services.contracts.round import BettingClosed, IncidentRecorded
from services.contracts.round_hands import CardAttested, CoupHeld, IncidentResolved
from services.contracts.round_table import TableSuspended
from services.round.commands import AttestCard, RecordIncident
from services.round.domain.coup import ATTEST, BETTING, SCAN_GAP, Coup
from services.round.domain.ending import voided
from services.round.domain.persons import GAME_SUPERVISOR, require
from services.round.domain.state import (
    VIDEO_LOST,
    TableState,
    clauses_for,
    coup_of,
    rules_of,
)

RULES = {
    "CARD_BEFORE_CLOSE": "card_before_close",
    "CALL_MISSING": "call",
    "PICKUP_DIRECTION": "pick_up",
    "ANNOUNCEMENT_MISMATCH": "announcement_mismatch",
    "CARD_HANDLED": "card_handled",
    "CARDS_OUT_OF_VIEW": "cards_out_of_view",
    "DRAW_WITHOUT_INSTRUCTION": "draw_without_instruction",
    "PROHIBITED_DEVICE": "prohibited_device",
    "DETENTION": "detention",
    "ADVICE": "advice",
    "INFLUENCE": "influence",
    "SCAN_GAP": "",
    "VIDEO_LOST": "",
    "BURN_MISSING": "burn_missing",
    "NEW_DECK_ORDER": "shuffle",
}
"""Every code, with the key of its clauses; "" where no text speaks of it."""


def incident(
    state: TableState, code: str, *, note: str = "", person: str | None = None
) -> IncidentRecorded:
    coup, rule = state.coup, RULES[code]
    return IncidentRecorded(
        code=code,
        coup_id=coup.coup_id if coup else None,
        coup=coup.number if coup else None,
        note=note,
        person=person,
        clauses=clauses_for(state, rule) if rule else (),
    )


def record_incident(command: RecordIncident, state: TableState) -> Sequence[Event]:
    if command.code not in RULES:
        raise Refused("UNKNOWN", f"code: {command.code!r} is none of {', '.join(RULES)}")
    if command.by.role != "INSPECTOR":
        require_role(command, "DEALER", what="recording an incident")
    on_duty = {state.crew.dealer, state.crew.supervisor} - {""}
    if command.code == "PROHIBITED_DEVICE" and command.person in on_duty:
        raise Refused(
            "NOT_PERMITTED",
            f"{command.person} is on duty here: staff may use what players may not",
            clauses_for(state, "prohibited_device"),
        )
    events: list[Event] = [incident(state, command.code, note=command.note, person=command.person)]
    streamed = rules_of(state).table_kind == "STREAMED"
    if command.code == VIDEO_LOST and streamed and state.suspension is None:
        # A streamed table opens no betting until video is back; a coup that runs is finished.
        events.append(TableSuspended(reason=VIDEO_LOST, note=command.note))
    return events


def held(coup: Coup, code: str, at_us: int) -> CoupHeld:
    return CoupHeld(coup_id=coup.coup_id, code=code, since_us=at_us)


# --- a card that was out before the close (A-25) ---


def card_before_close(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """Betting closes at that instant, and the coup waits to be told whether the card was seen."""
    scanned = any(one.scanned for one in coup.drawn)
    if coup.hold is not None and coup.hold.code == ATTEST:
        return _void_by_card(state, coup) if scanned else ()  # one that was read came behind it
    if coup.phase != BETTING or not any(one.early for one in coup.drawn):
        return ()
    events: list[Event] = [
        incident(state, ATTEST),
        BettingClosed(
            coup_id=coup.coup_id,
            closed_at_us=at_us,
            closed_by="CARD",
            clauses=clauses_for(state, "card_before_close"),
        ),
    ]
    if scanned or rules_of(state).card_before_close == "ALWAYS_VOID":
        return [*events, *_void_by_card(state, coup)]
    return [*events, held(coup, ATTEST, at_us)]


def _void_by_card(state: TableState, coup: Coup) -> Sequence[Event]:
    resolved = IncidentResolved(code=ATTEST, how="VOIDED", coup_id=coup.coup_id, coup=coup.number)
    return [resolved, voided(state, coup, "CARD_BEFORE_CLOSE")]


def attest(command: AttestCard, state: TableState) -> Sequence[Event]:
    """A supervisor gives the fact and chooses nothing; the rulebook does the rest."""
    require(command, state, GAME_SUPERVISOR, what="attesting a card")
    coup = coup_of(state, command.coup)
    if coup.hold is None or coup.hold.code != ATTEST:
        raise Refused("STATE", "no card waits for an attestation")
    attested = CardAttested(
        coup_id=coup.coup_id,
        draw_numbers=tuple(one.draw_number for one in coup.drawn),
        seen=command.seen,
        clauses=clauses_for(state, "card_before_close"),
    )
    if command.seen:
        return [attested, *_void_by_card(state, coup)]
    return [
        attested,
        IncidentResolved(code=ATTEST, how="PLAYED", coup_id=coup.coup_id, coup=coup.number),
    ]


# --- what was heard of cards ---


def gap(state: TableState, coup: Coup, at_us: int) -> Sequence[Event]:
    """A card that nobody has read holds the coup until two persons enter it (N-5)."""
    unread = any(one.card is None and one.face_up for one in coup.drawn)
    held_by_it = coup.hold is not None and coup.hold.code == SCAN_GAP
    if unread and coup.hold is None:
        return [incident(state, SCAN_GAP), held(coup, SCAN_GAP, at_us)]
    if held_by_it and not unread:
        return [
            IncidentResolved(code=SCAN_GAP, how="ENTERED", coup_id=coup.coup_id, coup=coup.number)
        ]
    return ()


def without_instruction(state: TableState, coup: Coup) -> Sequence[Event]:
    """A player drew without the dealer's word: written down, the card stays (004 8.19)."""
    if all(one.instructed for one in coup.drawn):
        return ()
    return [incident(state, "DRAW_WITHOUT_INSTRUCTION")]


def direction(state: TableState) -> Sequence[Event]:
    """A dealer picks the cards up in another direction than before (000 3.7.2)."""
    if not state.turned_direction:
        return ()
    return [incident(state, "PICKUP_DIRECTION", note=state.turned_direction)]
