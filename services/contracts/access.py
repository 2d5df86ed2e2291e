"""Who may make which call: every method of every service, and the roles that it is open to.

A command is open to everybody who may command at all; what his role lets him do there is for the
rules to say, in an answer and with clauses. Queries know no rules, so what they are open to is
decided here alone. A method that is not listed is closed to all.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from services.contracts.core import Actor
from services.rules.roles import (
    AUDITOR,
    CASINO_SUPERVISOR,
    DEALER,
    DUTY_MANAGER,
    GAME_SUPERVISOR,
    PLAYER,
    ROLES,
    SYSTEM,
)

Roles = frozenset[str]

EVERYBODY: Final[Roles] = frozenset(ROLES)
COMMANDING: Final[Roles] = EVERYBODY - {AUDITOR}
"""An auditor reads everything and commands nothing (clauses 1.3)."""

READING: Final[Roles] = EVERYBODY - {PLAYER}
"""Who works here or looks into it: what is not a player's own, and how the machine stands."""

REPORTING: Final[Roles] = READING - {DEALER}
"""What the house earns, and who of the staff errs how often."""

AT_THE_TABLE: Final[Roles] = frozenset(
    {DEALER, GAME_SUPERVISOR, CASINO_SUPERVISOR, DUTY_MANAGER, SYSTEM}
)
"""Who may have an order of cards sealed; whether he may load the shoe is for the rules to say."""

CASHIERS: Final[Roles] = frozenset({CASINO_SUPERVISOR, DUTY_MANAGER, SYSTEM})
PAYERS: Final[Roles] = frozenset({SYSTEM})
"""Settlement, under its own name: what it pays follows from events."""

KEEPERS: Final[Roles] = frozenset({DUTY_MANAGER, SYSTEM})
"""Who may have everything folded again."""

_IN_EVERY_SERVICE: Final = {"GetTableProgress": READING, "ListCommandEvents": READING}


def _methods(service: str, queries: Mapping[str, Roles], commands: str) -> dict[str, Roles]:
    """The methods of one service by full name: queries with their roles, and commands in a list."""
    methods = {**dict.fromkeys(commands.split(), COMMANDING), **queries}
    return {f"{service}/{method}": roles for method, roles in methods.items()}


_OF_A_PLAYER: Final = ("FindWagers", "GetPlayerRecall", "GetPlayerStatement")
"""Queries that are answered to a player as far as they are about himself."""

_SINGULAR: Final = {"LimitsHistory": "Limits", "ExceptionEntries": "ExceptionEntry"}


def _reads(*kinds: str, roles: Roles = EVERYBODY) -> dict[str, Roles]:
    """The calls that read each kind of resource; whole exports are for who works here."""
    methods: dict[str, Roles] = {}
    for kind in kinds:
        single = _SINGULAR.get(kind, kind.removesuffix("s"))
        methods |= dict.fromkeys((f"Get{single}", f"BatchGet{kind}", f"List{kind}"), roles)
        methods[f"Export{kind}"] = READING
    return methods


ACCESS: Final[Mapping[str, Roles]] = MappingProxyType(
    {
        **_methods(
            "sabot.shoe.v1.ShoeService",
            {
                **_IN_EVERY_SERVICE,
                "LoadShoe": AT_THE_TABLE,
                "ResumeCoup": AT_THE_TABLE,
                "GetShoe": EVERYBODY,
            },
            "InspectCards ShuffleCards RequestRiffle OfferCut DeclineCut CutCards PlaceCutCard "
            "BurnCards DrawCard EnterCard ExposeNext ApproveErrorBurn EndShoe ReportFault "
            "RegisterShoeDevice RegisterShuffleDevice AssembleShoe RejectDeck ReplaceCards "
            "RemoveCards SealPack CollectCards",
        ),
        **_methods(
            "sabot.round.v1.RoundService",
            {**_IN_EVERY_SERVICE, "GetTable": EVERYBODY},
            "OpenTable CloseTable AbandonTable SuspendTable ResumeTable TakeSeat LeaveSeat "
            "VacateSeat AssignDealer ChangeDealer AssignSupervisor DisplayNotice DisplaySign "
            "RemoveSign AskConsent GiveConsent ChangeGame SelectMethod ApproveMethod ApproveRole "
            "ApproveError OpenBetting CallNoMoreBets CloseBook DealCoup AnnounceResult InstructDraw "
            "OfferCards AcceptCards DeclineCards ReturnCards ShowHand OfferShoe AcceptShoe "
            "DeclineShoe PassShoe ForfeitShoe RuleOnDeal CloseWithdrawals ExtendWithdrawals "
            "AttestCard VoidCoup ConfirmResult CorrectResult InvalidateOutcome BackfillCoup "
            "RecordIncident AdvanceTime",
        ),
        **_methods(
            "sabot.wager.v1.WagerService",
            # Of the book a player is shown his own wagers.
            {
                **_IN_EVERY_SERVICE,
                "GetBook": EVERYBODY,
                "ListOpenItems": READING,
                "ListStops": READING,
            },
            "PlaceWager PlaceWagers PlaceSlip ChangeWager CancelWager RejectWager PermitStanding "
            "WithdrawWager KeepWager VoidWager PermitSharing ApproveOpposing GrantLimits "
            "RevokePermission BarPlayer LiftBar OrderStop LiftStop ChangeLimits NotifyMinimum RemoveSign RepeatRefund",
        ),
        **_methods(
            "sabot.wager.v1.WalletService",
            {
                "FundAccount": CASHIERS,
                "CreditAccount": PAYERS,
                "ReverseAccount": PAYERS,
                # A player looks into no account but his own.
                "GetBalance": EVERYBODY,
                "ListMovements": EVERYBODY,
                "ExportMovements": CASHIERS | {AUDITOR},
            },
            "",
        ),
        **_methods(
            "sabot.settlement.v1.SettlementService",
            {
                **_IN_EVERY_SERVICE,
                # Of a coup a player is shown cards, result and his own wagers.
                "GetCoup": EVERYBODY,
                "ListCoups": EVERYBODY,
                "GetRulebook": EVERYBODY,
                "RebuildCoup": READING,
                "GetEvidence": READING,
                "ListEvidenceExports": READING,
                "ListOpenItems": READING,
                "RebuildProjections": KEEPERS,
            },
            "VoidWager RepeatReversal RepeatCredit OpenDispute DecideDispute AdviseInspector EscalateDispute "
            "CloseDispute ExportEvidence",
        ),
        **_methods(
            "sabot.query.v1.QueryService",
            {
                # Of wagers a player is shown his own.
                **_reads("Tables", "Shoes", "Coups", "Wagers", "LimitsHistory", "Rulebooks"),
                **_reads("Incidents", "ExceptionEntries", "Disputes", roles=READING),
                **dict.fromkeys(_OF_A_PLAYER, EVERYBODY),
                "GetRoads": EVERYBODY,
            },
            "",
        ),
        **_methods(
            "sabot.query.v1.WatchService",
            {"WatchTable": EVERYBODY, "WatchTables": EVERYBODY},
            "",
        ),
        **_methods(
            "sabot.settlement.v1.ReportService",
            {"ListReports": REPORTING, "GetReport": REPORTING},
            "",
        ),
    }
)
"""Roles by method, as `package.Service/Method`."""


def may_see(actor: Actor, player: str) -> bool:
    """Whether somebody may see wagers and money of this player: his own, unless he works here."""
    return actor.role != PLAYER or actor.id == player
