"""Cards laid wrong, pulled together, or drawn without need (Procedures 6 and 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.contracts.core import Event, Refused
from services.contracts.round import WithdrawalWindowOpened
from services.contracts.round_hands import (
    CardReassigned,
    CoupResumed,
    ErrorApproved,
    MisdealDetected,
    PlacementCorrected,
    ReconstructionAttempted,
    ReconstructionCompleted,
    ReconstructionFailed,
)
from services.round.commands import ApproveError, RuleOnDeal
from services.round.domain.coup import (
    BANKER,
    EMPTY_BOOK,
    INITIAL_CARDS,
    INITIAL_HANDS,
    MISDEAL,
    PLAYER,
    RESULTED,
    VOID,
    Coup,
    Drawn,
)
from services.round.domain.ending import voided
from services.round.domain.incidents import held
from services.round.domain.persons import GAME_SUPERVISOR, require
from services.round.domain.state import (
    SECOND_US,
    TableState,
    clauses_for,
    coup_of,
    kept_to_come,
    past_coup,
    rules_of,
    waits_for,
)

MULTI_PULL, EXTRA_CARDS = "MULTI_PULL", "EXTRA_CARDS"


# --- what the cards themselves show ---


def initial_misplacement(
    state: TableState, coup: Coup, drawn: Drawn, at_us: int
) -> Sequence[Event]:
    """One of the first four cards lies on the wrong hand: the coup stands still (004 12.1)."""
    place = coup.dealt
    if place >= INITIAL_CARDS or place < coup.ordered or drawn.to is None:
        return ()
    due = INITIAL_HANDS[place]
    if drawn.to == due:
        return ()
    return [
        MisdealDetected(
            coup_id=coup.coup_id,
            kind="WRONG_PLACEMENT",
            draw_numbers=(drawn.draw_number,),
            laid=drawn.to,
            due=due,
            holds=True,
            clauses=clauses_for(state, "misdeal"),
        ),
        held(coup, MISDEAL, at_us),
    ]


def excess(state: TableState, coup: Coup) -> Sequence[Event]:
    """More than two of the first four cards on one hand void the coup, by rule (004 12.3)."""
    if len(coup.drawn) <= INITIAL_CARDS // 2 or rules_of(state).excess_initial != "VOID":
        return ()
    if coup.hold is not None and coup.hold.code != MISDEAL:
        return ()
    if not any(one.to for one in coup.drawn):
        return ()  # no card was told to lie elsewhere than the draw order has it
    places = _places(state, coup)
    first = [one for one in coup.drawn if places[one.draw_number] < INITIAL_CARDS]
    laid = [_laid(coup, one, places[one.draw_number]) for one in first]
    if max(map(laid.count, laid), default=0) <= INITIAL_CARDS // 2:
        return ()
    return [
        MisdealDetected(
            coup_id=coup.coup_id,
            kind="EXCESS_INITIAL",
            draw_numbers=tuple(one.draw_number for one in first),
            clauses=clauses_for(state, "excess_initial"),
        ),
        voided(state, coup, "EXCESS_INITIAL"),
    ]


def _laid(coup: Coup, one: Drawn, place: int) -> str:
    """The hand that one of the first four cards lies on: its own, where nothing else was told."""
    return INITIAL_HANDS[place] if place < coup.ordered or one.to is None else one.to


def third_misplacement(state: TableState, coup: Coup, drawn: Drawn, due: str) -> Sequence[Event]:
    """A third card on the wrong hand belongs to the hand that needs it (004 12.4)."""
    if coup.dealt < INITIAL_CARDS or drawn.to in (None, due):
        return ()
    clauses = clauses_for(state, "extra_card")
    kind = "UNAUTHORISED_PLAYER_THIRD" if due == BANKER else "WRONG_PLACEMENT"
    detected = MisdealDetected(
        coup_id=coup.coup_id,
        kind=kind,
        draw_numbers=(drawn.draw_number,),
        laid=drawn.to,
        due=due,
        clauses=clauses,
    )
    if due == PLAYER:
        put = PlacementCorrected(
            coup_id=coup.coup_id,
            cause="THIRD_CARD",
            draw_numbers=(drawn.draw_number,),
            hands=(PLAYER,),
            clauses=clauses,
        )
        return [detected, put]
    moved = CardReassigned(
        coup_id=coup.coup_id,
        draw_number=drawn.draw_number,
        card=drawn.card if drawn.face_up else None,
        to="BANKER_3",
        clauses=clauses,
    )
    return [detected, moved]


def needless(state: TableState, coup: Coup, drawn: Drawn) -> Sequence[Event]:
    """No hand needs the card: the shoe keeps it for what the rulebook says."""
    return [
        MisdealDetected(
            coup_id=coup.coup_id,
            kind="EXTRA_CARD",
            draw_numbers=(drawn.draw_number,),
            laid=drawn.to,
            clauses=clauses_for(state, "extra_card"),
        )
    ]


def pulled_together(state: TableState, coup: Coup) -> Sequence[Event]:
    """Cards that came out in one movement count upper first, up to a number (002 L33-L34)."""
    first = next(
        (one for one in coup.drawn if one.pulled > 1 and one.draw_number > coup.pulls_seen), None
    )
    if first is None:
        return ()
    together = tuple(range(first.draw_number, first.draw_number + first.pulled))
    detected = MisdealDetected(
        coup_id=coup.coup_id,
        kind=MULTI_PULL,
        draw_numbers=together,
        clauses=clauses_for(state, "multi_pull"),
    )
    if first.pulled > rules_of(state).multi_pull_max_cards:
        return [detected, voided(state, coup, MULTI_PULL)]
    if MULTI_PULL not in coup.approved:
        return [detected]
    places = _places(state, coup)
    place = places[first.draw_number]
    places |= {number: place + at for at, number in enumerate(together)}  # others are on their way
    return [detected, _confirmed(state, coup, together, places)]


def _places(state: TableState, coup: Coup) -> dict[int, int]:
    """Where in the draw order each card of the coup is, by draw number, from 0 on.

    Kept cards that are still to come are counted: they are before every other one (ADR 11).
    """
    ahead = len(kept_to_come(state, coup))
    return {one.draw_number: at if one.carried else at + ahead for at, one in enumerate(coup.drawn)}


def _confirmed(
    state: TableState, coup: Coup, together: tuple[int, ...], places: Mapping[int, int]
) -> PlacementCorrected:
    hands = tuple(
        INITIAL_HANDS[places[number]] if places.get(number, INITIAL_CARDS) < INITIAL_CARDS else ""
        for number in together
    )
    return PlacementCorrected(
        coup_id=coup.coup_id,
        cause=MULTI_PULL,
        draw_numbers=together,
        hands=hands,
        clauses=clauses_for(state, "multi_pull"),
    )


# --- what persons say ---


def approve_error(command: ApproveError, state: TableState) -> Sequence[Event]:
    """A supervisor confirms a pull, or is there for more than one needless card."""
    require(command, state, GAME_SUPERVISOR, what="confirming what was drawn in error")
    coup = coup_of(state, command.coup)
    if coup.phase in (RESULTED, VOID):
        raise Refused("STATE", f"the coup is announced: the table waits for {waits_for(state)}")
    rule = "multi_pull" if command.what == MULTI_PULL else "extra_card"
    approved = ErrorApproved(
        coup_id=coup.coup_id, what=command.what, clauses=clauses_for(state, rule)
    )
    if command.what == MULTI_PULL and coup.pulls:
        return [approved, _confirmed(state, coup, coup.pulls, _places(state, coup))]
    return [approved]


def check_errors_approved(state: TableState, coup: Coup) -> None:
    """Refuse with APPROVAL an announcement that a supervisor's word is missing for."""
    if coup.pulls:
        raise Refused(
            "APPROVAL",
            "the cards pulled together are not confirmed",
            clauses_for(state, "multi_pull"),
        )
    several = len(coup.extra) > 1 and rules_of(state).extra_card == "NEXT_BURN"
    if several and EXTRA_CARDS not in coup.approved:
        raise Refused(
            "APPROVAL",
            "more than one needless card takes a supervisor",
            clauses_for(state, "extra_card"),
        )


def rule_on_deal(command: RuleOnDeal, state: TableState) -> Sequence[Event]:
    """Rulings on misplaced cards: RECONSTRUCT, NOT_RECONSTRUCTIBLE, CORRECT_PLACEMENT."""
    rules = rules_of(state)
    rebuilds = command.ruling != "CORRECT_PLACEMENT"
    wanted = GAME_SUPERVISOR if command.ruling == "RECONSTRUCT" else rules.misdeal_by
    require(command, state, wanted, what="a ruling on the deal")
    if rebuilds != (rules.misdeal == "RECONSTRUCT"):
        raise Refused(
            "NOT_PERMITTED",
            f"under this rulebook misplaced cards are put right by {rules.misdeal}",
            clauses_for(state, "misdeal"),
        )
    coup = _misdealt(command, state)
    if command.ruling == "NOT_RECONSTRUCTIBLE":
        failed = ReconstructionFailed(
            coup_id=coup.coup_id, clauses=clauses_for(state, "reconstruction")
        )
        return [failed, voided(state, coup, "NOT_RECONSTRUCTIBLE")]
    numbers = tuple(one.draw_number for one in coup.drawn[:INITIAL_CARDS])
    hands = INITIAL_HANDS[: len(numbers)]
    if not rebuilds:
        return [
            PlacementCorrected(
                coup_id=coup.coup_id,
                cause="MISPLACED",
                draw_numbers=numbers,
                hands=hands,
                clauses=clauses_for(state, "misdeal"),
            )
        ]
    exposed = any(one.card is not None for one in coup.drawn)
    events: list[Event] = [
        ReconstructionAttempted(coup_id=coup.coup_id, clauses=clauses_for(state, "misdeal")),
        ReconstructionCompleted(
            coup_id=coup.coup_id,
            draw_numbers=numbers,
            hands=hands,
            exposed=exposed,
            clauses=clauses_for(state, "reconstruction"),
        ),
    ]
    seconds = rules.withdrawal.window_seconds
    staked = (coup.book or EMPTY_BOOK).wagers > 0
    if exposed or not staked or not rules.withdrawal.after_reconstruction or seconds is None:
        return [*events, CoupResumed(coup_id=coup.coup_id, after="RECONSTRUCTION")]
    window = WithdrawalWindowOpened(
        coup_id=coup.coup_id,
        coup=coup.number,
        cause="RECONSTRUCTION",
        until_us=command.at_us + seconds * SECOND_US,
        clauses=clauses_for(state, "withdrawal"),
    )
    return [*events, window]


def _misdealt(command: RuleOnDeal, state: TableState) -> Coup:
    coup = state.coup
    if coup is None or coup.number != command.coup:
        if past_coup(state, command.coup) is None:
            raise Refused("UNKNOWN", f"there is no coup {command.coup}")
        raise Refused("STATE", f"coup {command.coup} is over")
    if coup.hold is None or coup.hold.code != MISDEAL:
        raise Refused("STATE", f"no card is misplaced: the table waits for {waits_for(state)}")
    return coup
