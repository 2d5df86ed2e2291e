"""The commands of the round service."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from services.contracts.core import Command, Decided, Event, Refused
from services.contracts.crew import require_on_shift, require_shift
from services.contracts.guards import require_meaning
from services.round import commands
from services.round.domain import (
    backfilling,
    betting,
    dealing,
    incidents,
    methods,
    misdeals,
    notices,
    offers,
    opening,
    rulings,
    seating,
    suspending,
    timers,
    windows,
)
from services.round.domain.evolve import evolve
from services.round.domain.following import proceed
from services.round.domain.state import TableState, settings_of, waits_for


def answer(command: Command, events: Sequence[Event], state: TableState) -> Mapping[str, Any]:
    """The coup that a command belongs to, and what the table waits for after it."""
    del command, events
    told: dict[str, Any] = {"waits_for": waits_for(state), "shift": state.crew.shift}
    if state.coup is not None:
        told["coup_id"] = state.coup.coup_id
        told["coup"] = state.coup.number
    return told


def decide(command: Command, state: TableState, bearer: str = "") -> Decided:
    """Events that the command causes, and the states after them; raises `Refused` where the rules do not allow it.

    `bearer` is the open table that bears the number of one that is to be opened, if any does.
    """
    if isinstance(command, commands.Proceed):
        return proceed(Decided(state, evolve), command.at_us)
    require_meaning(command)
    if not state.open and not isinstance(command, commands.OpenTable):
        raise Refused("STATE", "the table is not open")
    if state.open and not settings_of(state).test:
        coming = isinstance(command, _OF_ANY_SHIFT)
        require_shift(command, state.crew, coming=coming)
        if not coming:
            require_on_shift(command, state.crew, hears_late=False)
    if isinstance(command, commands.OpenTable):
        events = opening.open_table(command, state, bearer)
    else:
        events = _DECIDE[type(command)](command, state)
    return proceed(Decided(state, evolve).take(events), command.at_us)


_OF_ANY_SHIFT = (
    commands.OpenTable,
    commands.AssignDealer,
    commands.ChangeDealer,
    commands.AssignSupervisor,
)
"""What is said by those who come to the table, or send somebody to it."""

_DECIDE: dict[type[Command], Callable[[Any, TableState], Sequence[Event]]] = {
    commands.CloseTable: opening.close_table,
    commands.AbandonTable: opening.abandon_table,
    commands.TakeSeat: opening.take_seat,
    commands.LeaveSeat: opening.leave_seat,
    commands.AssignDealer: opening.assign_dealer,
    commands.AssignSupervisor: opening.assign_supervisor,
    commands.ChangeDealer: opening.change_dealer,
    commands.SuspendTable: suspending.suspend,
    commands.ResumeTable: suspending.resume,
    commands.DisplayNotice: notices.display_notice,
    commands.DisplaySign: notices.display_sign,
    commands.RemoveSign: notices.remove_sign,
    commands.AskConsent: notices.ask_consent,
    commands.GiveConsent: notices.give_consent,
    commands.ChangeGame: notices.change_game,
    commands.SelectMethod: methods.select,
    commands.ApproveMethod: methods.approve_method,
    commands.ApproveRole: methods.approve_role,
    commands.VacateSeat: seating.vacate,
    commands.OpenBetting: betting.open_betting,
    commands.CallNoMoreBets: betting.no_more_bets,
    commands.CloseBook: betting.close_book,
    commands.DealCoup: dealing.deal,
    commands.InstructDraw: dealing.instruct_draw,
    commands.ShowHand: dealing.show_hand,
    commands.AnnounceResult: dealing.announce,
    commands.OfferCards: offers.offer_cards,
    commands.AcceptCards: offers.accept_cards,
    commands.DeclineCards: offers.decline_cards,
    commands.ReturnCards: offers.return_cards,
    commands.OfferShoe: offers.offer_shoe,
    commands.AcceptShoe: offers.accept_shoe,
    commands.DeclineShoe: offers.decline_shoe,
    commands.PassShoe: offers.pass_shoe,
    commands.ForfeitShoe: offers.forfeit_shoe,
    commands.ApproveError: misdeals.approve_error,
    commands.RuleOnDeal: misdeals.rule_on_deal,
    commands.CloseWithdrawals: windows.close_withdrawals,
    commands.ExtendWithdrawals: windows.extend_withdrawals,
    commands.AttestCard: incidents.attest,
    commands.RecordIncident: incidents.record_incident,
    commands.VoidCoup: rulings.void,
    commands.ConfirmResult: rulings.confirm_result,
    commands.CorrectResult: rulings.correct_result,
    commands.InvalidateOutcome: rulings.invalidate,
    commands.BackfillCoup: backfilling.backfill,
    commands.AdvanceTime: timers.advance,
    commands.RecoverTable: timers.recover,
}
