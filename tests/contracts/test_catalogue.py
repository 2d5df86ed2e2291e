"""The events of the rules are published, and what is private is so on purpose."""

from __future__ import annotations

from services.contracts import models
from services.contracts.core import Event
from tests.contracts.cases import STORED

PRIVATE = {
    "card-identified": "the identity of a card that nobody may see yet",
    "noted": "what another service published stands in its own log already",
}
"""Types that never leave their service, and why."""

_NAMES = """
ShoeDeviceRegistered ShuffleDeviceRegistered ShoeAssembled PackSealed PackOpened
PreShuffledIntroduced CardsInspected DeckRejected CardsReplaced CardsRemovedFromTable
RiffleRequested CardsShuffled CutOffered CutDeclined CutMade StackCut CutCardPlaced ShoeCommitted
ShoeLoaded DeviceLoaded DiscardsReturned CardsBurned ErrorBurnApproved CardDrawn CardRevealed
CardExposedEarly CardFoundExposed CardCarriedOver CutCardReached LastCoupDesignated ShoeExhausted
ShoeInvalidated ShoeIntegrityBreached ShufflerFaulted CardsTransferred CardsRemoved CardsCollected
CardsDiscarded CardsRetired ShoeRetired ShoeRevealed

TableOpened TableSuspended TableResumed TableClosureNotified TableClosed DealerAssigned
SupervisorAssigned DealerChanged SeatTaken SeatVacated SeatIdleCounted SeatVacateRequired
SignDisplayed SignRemoved VariantChangeNotified VariantConsentGiven VariantChanged
DealingMethodSelected MethodApproved RoleApproved BettingOpened NoMoreBetsAnnounced BettingClosed
BookCloseRequested DealingOpened ShoeRequested CoupStarted ShoeOffered ShoeAccepted ShoePassed
ShoeForfeited ShoeHolderChanged DrawInstructed CardsOffered CardsDeclined HandPassed HandReturned
HandRetainedByDealer HandMarkerPlaced CardDealt PointsAnnounced NaturalDeclared ThirdCardDecision
CoupResulted ResultCorrected MisdealDetected PlacementCorrected CardReassigned
ReconstructionAttempted ReconstructionCompleted ReconstructionFailed WithdrawalWindowOpened
WithdrawalWindowClosed NoBetCoupDeclared CoupVoided CoupTerminated CoupResumed OutcomeInvalidated
IncidentRecorded CardAttested IncidentResolved HoldEscalated CoupClosed

LimitsPublished LimitChangeNotified LimitsChanged PlayerLimitsGranted AreaSharingPermitted
StandingWagerPermitted OpposingWagerApproved PlayerBarred WagerAccepted WagerRejected
WagerCancelled WagerReduced WagerWithdrawn WagerVoided WagerRefunded PromoTokenConsumed
DifferentialUpdated DifferentialBreached WagerLocked DebitRequested BookClosed BookRevised

PayTablePublished WagerSettled CommissionCollected CoupSettled SettlementReversed WagerResettled
WagerForfeited ReversalOutstanding PlayerNotified DropCounted DisputeOpened DisputeDecided
DisputeReviewed InspectorAdvised DisputeEscalated CoupReviewOpened CoupReviewClosed
EvidenceExported ReportClosed

RulebookActivated RulebookRejected PermissionRevoked
"""

CATALOGUE = tuple(_NAMES.split())
"""The event catalogue of the rules: shoe, round, wager, settlement, and any of them."""


def judged_private(events: dict[str, type[Event]]) -> set[str]:
    return {name for name, event in events.items() if not event.published}


def test_what_is_private_is_so_on_purpose() -> None:
    """Every type is published or has its reason here, and no reason is left over."""
    stored = {event.type: event for _, event in STORED}
    assert judged_private(stored) == set(PRIVATE)


def test_the_catalogue_of_the_rules_is_published() -> None:
    """Every event that the rules name and the code has goes out, unless a reason says why not."""
    known = {event.__name__: event for _, event in STORED}
    there = [known[name] for name in CATALOGUE if name in known]
    assert len(there) > len(CATALOGUE) // 2, "the catalogue or the classes have other names now"
    assert [
        event.type for event in there if not event.published and event.type not in PRIVATE
    ] == []


def test_every_service_and_every_event_is_looked_at() -> None:
    """A module of events that is not in the list would be published without a contract."""
    from importlib import import_module
    from pkgutil import iter_modules

    import services.contracts as package

    found = {}
    for info in iter_modules(package.__path__):
        module = import_module(f"{package.__name__}.{info.name}")
        if hasattr(module, "EVENTS") and hasattr(module, "SERVICE"):
            found[module.SERVICE] = set(module.EVENTS)
    assert found == {service: set(events) for service, events in models.SERVICES.items()}


def test_a_private_event_has_no_schema() -> None:
    """Nobody outside is told the form of what never comes."""
    from services.contracts.generate import schemas

    names = {path.rpartition("/")[2] for path in schemas()}
    for service, event in STORED:
        told = f"{service}.{event.type}.v{event.schema_version}.json" in names
        assert told == event.published
