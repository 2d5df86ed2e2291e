"""Signs and notices, and the change of game that needs one or everybody's consent."""

from __future__ import annotations

from collections.abc import Sequence

from services.contracts.core import Event, Refused
from services.contracts.guards import require_own
from services.contracts.pinned import pinned
from services.contracts.round_table import (
    SignDisplayed,
    SignRemoved,
    TableClosureNotified,
    VariantChanged,
    VariantChangeNotified,
    VariantConsentAsked,
    VariantConsentGiven,
)
from services.round.commands import (
    AskConsent,
    ChangeGame,
    DisplayNotice,
    DisplaySign,
    GiveConsent,
    RemoveSign,
)
from services.round.domain.persons import CASINO_SUPERVISOR, GAME_SUPERVISOR, require
from services.round.domain.state import (
    MINUTE_US,
    Consent,
    TableState,
    clauses_for,
    rules_of,
    settings_of,
)

CLOSE, GAME, ODDS = "CLOSE", "GAME", "ODDS"


def check_notice(
    state: TableState, sign: str, at_us: int, *, minutes: int, rule: str, value: str = ""
) -> None:
    """Refuse with NOTICE unless a sign has stood long enough (Procedure 11)."""
    if not minutes:
        return
    notice = state.notices.get(sign)
    clauses = clauses_for(state, rule)
    if notice is None or notice.value != value:
        raise Refused("NOTICE", f"a sign stands {minutes} minutes before", clauses)
    if notice.effective_at_us - notice.displayed_at_us < minutes * MINUTE_US:
        raise Refused("NOTICE", f"the sign gives less than {minutes} minutes", clauses)
    if at_us < notice.effective_at_us:
        raise Refused("NOTICE", "the sign's time has not come", clauses)


def display_notice(command: DisplayNotice, state: TableState) -> Sequence[Event]:
    """A sign says what will change and when (004 14.8, 14.9)."""
    if command.change == CLOSE:
        require(command, state, GAME_SUPERVISOR, what="a notice that the table closes")
        rule, value = "close_table", ""
        told: Event = TableClosureNotified(
            displayed_at_us=command.at_us,
            effective_at_us=command.effective_at_us,
            clauses=clauses_for(state, rule),
        )
    else:
        require(command, state, CASINO_SUPERVISOR, what="a notice of another game")
        _check_target(command.rulebook_id, state)
        rule, value = "variant_change", command.rulebook_id
        told = VariantChangeNotified(
            rulebook_id=value,
            displayed_at_us=command.at_us,
            effective_at_us=command.effective_at_us,
            clauses=clauses_for(state, rule),
        )
    sign = SignDisplayed(
        sign=command.change,
        displayed_at_us=command.at_us,
        value=value,
        effective_at_us=command.effective_at_us,
        clauses=clauses_for(state, rule),
    )
    return [sign, told]


def display_sign(command: DisplaySign, state: TableState) -> Sequence[Event]:
    """The sign of the odds, where the rulebook asks for it (004 2.5)."""
    require(command, state, "DEALER", what="showing a sign")
    return [
        SignDisplayed(sign=ODDS, displayed_at_us=command.at_us, clauses=clauses_for(state, "sign"))
    ]


def remove_sign(command: RemoveSign, state: TableState) -> Sequence[Event]:
    require(command, state, "DEALER", what="taking a sign down")
    stands = state.odds_sign if command.sign == ODDS else command.sign in state.notices
    if not stands:
        raise Refused("STATE", f"no sign {command.sign} stands at the table")
    return [SignRemoved(sign=command.sign)]


def _check_target(rulebook_id: str, state: TableState) -> None:
    wanted = rules_of(state).variant_change_to
    if wanted is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no other game for the table")
    if rulebook_id != wanted:
        raise Refused(
            "RULEBOOK",
            f"the table can only go over to {wanted}",
            clauses_for(state, "variant_change"),
        )


def ask_consent(command: AskConsent, state: TableState) -> Sequence[Event]:
    require(command, state, CASINO_SUPERVISOR, what="asking for a change of game")
    _check_variants(state)
    if state.consent is not None:
        raise Refused("STATE", "the players are asked already")
    return [_asked(state)]


def _check_variants(state: TableState) -> None:
    if rules_of(state).variant_change_to is None:
        raise Refused("NOT_PERMITTED", "this rulebook knows no other game for the table")


def _asked(state: TableState) -> VariantConsentAsked:
    """Who staked in this coup or the last one; who comes later is added (X-47)."""
    coup = state.coup
    now = coup.book.players if coup is not None and coup.book is not None else ()
    players = dict.fromkeys((*state.stakers, *(each.player for each in now)))
    return VariantConsentAsked(players=tuple(players), clauses=clauses_for(state, "variant_change"))


def give_consent(command: GiveConsent, state: TableState) -> Sequence[Event]:
    """A player agrees; the first one's word is also the request."""
    _check_variants(state)
    require_own(command, command.player, what="consent")
    events: list[Event] = [] if state.consent is not None else [_asked(state)]
    given = state.consent.given if state.consent is not None else frozenset()
    if command.player in given:
        return ()
    events.append(
        VariantConsentGiven(player=command.player, clauses=clauses_for(state, "variant_change"))
    )
    return events


def change_game(command: ChangeGame, state: TableState) -> Sequence[Event]:
    """Between coups, after a sign or with the consent of all who play (004 14.8)."""
    require(command, state, CASINO_SUPERVISOR, what="changing the game")
    settings = command.settings
    if settings is None:
        raise Refused("RULEBOOK", f"there is no rulebook {command.rulebook_id}")
    _check_target(command.rulebook_id, state)
    if state.coup is not None or state.request is not None:
        raise Refused("STATE", "the game changes between coups")
    by_consent = _everybody_agrees(state)
    if not by_consent:
        _check_way(command, state)
    try:
        rules = pinned(settings)
    except ValueError as error:
        raise Refused("RULEBOOK", str(error)) from error
    events: list[Event] = [
        VariantChanged(
            settings=settings,
            before=settings_of(state).rulebook_id,
            by_consent=by_consent,
            clauses=clauses_for(state, "variant_change"),
        )
    ]
    if rules.sign_odds_required and settings_of(state).test:
        events.append(SignDisplayed(sign=ODDS, displayed_at_us=command.at_us))
    return events


def _agreed(consent: Consent) -> bool:
    return bool(consent.given) and set(consent.asked) <= consent.given


def _everybody_agrees(state: TableState) -> bool:
    return state.consent is not None and _agreed(state.consent)


def _check_way(command: ChangeGame, state: TableState) -> None:
    try:
        check_notice(
            state,
            GAME,
            command.at_us,
            minutes=rules_of(state).variant_change_notice_minutes or 0,
            rule="variant_change",
            value=command.rulebook_id,
        )
    except Refused as no:
        consent = state.consent
        if consent is None or not consent.given:
            raise
        left = [player for player in consent.asked if player not in consent.given]
        raise Refused("CONSENT", f"not agreed yet: {', '.join(left)}", no.clauses) from no
