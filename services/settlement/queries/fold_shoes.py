"""Shoes: who did what with them, what came out of them, and their roads."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from services.contracts import round as table
from services.contracts import shoe as cards
from services.contracts.core import Event
from services.rules.hands import is_pair
from services.settlement.queries.desk import Desk, Fold, Folds, Said
from services.settlement.queries.fold_tables import change_table, day_of, session_of, table_of
from services.settlement.queries.resources import COUPS, SHOES, TABLES, Custody, RoadMark, Shoe

TAIL_MARKS: Final = 24
"""Coups at the end of the roads that a table shows."""

CUSTODY_MAX: Final = 500
"""Of one shoe: more of it is in the log."""

_LETTERS: Final = {"BANKER": "B", "PLAYER": "P", "TIE": "T"}


def _custody(said: Said) -> Custody:
    meta = said.meta
    return Custody(said.at_us, said.event.type, meta.actor, meta.second, said.detail())


def _prepared(desk: Desk, said: Said) -> None:
    """Something was done with the cards of the next shoe, or of the one on the table."""
    known = table_of(desk, said)
    if known.shoe_id and (shoe := desk.find(SHOES, f"{said.table_id}/{known.shoe_id}")) is not None:
        desk.put(SHOES, shoe, custody=(*shoe.custody, _custody(said))[:CUSTODY_MAX])
        return
    kept = (*known.kept_custody, _custody(said))[-CUSTODY_MAX:]
    change_table(desk, said, kept_custody=kept)


def shoe_of(desk: Desk, said: Said) -> Shoe:
    """The event's shoe, as it is; coups may be heard of before it was loaded, so it may be new."""
    event: Any = said.event
    found: Shoe | None = desk.find(SHOES, said.named("shoe_id"))
    if found is not None:
        return found
    return Shoe(
        id=said.named("shoe_id"),
        at_us=said.at_us,
        table_id=said.table_id,
        gaming_day=day_of(desk, said),
        test=said.meta.test,
        rulebook_id=said.meta.rulebook_id,
        shoe_id=event.shoe_id,
        session=session_of(table_of(desk, said), said),
    )


def _loaded(desk: Desk, said: Said) -> None:
    event: Any = said.event
    known = table_of(desk, said)
    day = day_of(desk, said)
    number = known.kept_shoes + 1 if known.kept_shoe_day == day else 1
    commitment, digest, committed = known.kept_commitment
    shoe = Shoe(
        id=said.named("shoe_id"),
        at_us=said.at_us,
        table_id=said.table_id,
        gaming_day=day,
        test=said.meta.test,
        rulebook_id=said.meta.rulebook_id,
        shoe_id=event.shoe_id,
        session=session_of(known, said),
        number=number,
        source=event.source,
        decks=event.decks,
        cards=event.cards,
        device=event.device,
        cuts_after=event.cuts_after or 0,
        custody=(*known.kept_custody, _custody(said)),
    )
    if committed == event.shoe_id:
        shoe = replace(shoe, commitment_number=commitment, commitment=digest)
    before: Shoe | None = desk.find(SHOES, shoe.id)
    if before is not None:
        # The order of the lists never changes, also where an id is used again.
        shoe = replace(shoe, at_us=before.at_us)
    if before is not None and not before.cards:  # coups of it were heard of before
        names = ("coups", "kept_road", "banker_wins", "player_wins", "ties")
        shoe = replace(shoe, **{name: getattr(before, name) for name in names})
    desk.put(SHOES, shoe)
    change_table(
        desk,
        said,
        shoe_id=event.shoe_id,
        road_tail=shoe.kept_road[-TAIL_MARKS:],
        kept_custody=(),
        kept_shoes=number,
        kept_shoe_day=day,
    )


def _committed(desk: Desk, said: Said) -> None:
    """Of the shoe that is loaded next: one with its id may be there from before."""
    event: Any = said.event
    change_table(desk, said, kept_commitment=(event.number, event.commitment, event.shoe_id))


def _with_custody(desk: Desk, said: Said, **changes: Any) -> None:
    shoe: Shoe | None = desk.find(SHOES, said.named("shoe_id"))
    if shoe is not None:
        desk.put(SHOES, shoe, custody=(*shoe.custody, _custody(said))[:CUSTODY_MAX], **changes)


def _noted(desk: Desk, said: Said) -> None:
    _with_custody(desk, said)


def _drawn(desk: Desk, said: Said) -> None:
    event: Any = said.event
    shoe: Shoe | None = desk.find(SHOES, said.named("shoe_id"))
    if shoe is not None and not event.carried:
        desk.put(SHOES, shoe, drawn=shoe.drawn + 1)


def _burned(desk: Desk, said: Said) -> None:
    event: Any = said.event
    shoe: Shoe | None = desk.find(SHOES, said.named("shoe_id"))
    if shoe is not None:
        _with_custody(desk, said, burned=shoe.burned + event.count)


def _cut_card(desk: Desk, said: Said) -> None:
    event: Any = said.event
    _with_custody(desk, said, cut_card_after=event.after_draw_number)


def _last_coup(desk: Desk, said: Said) -> None:
    event: Any = said.event
    _with_custody(desk, said, last_coup=event.coup)


def _ended(status: str) -> Fold:
    def fold(desk: Desk, said: Said) -> None:
        event: Any = said.event
        _with_custody(desk, said, status=status, reason=event.reason, ended_us=said.at_us)
        if table_of(desk, said).shoe_id == event.shoe_id:
            change_table(desk, said, shoe_id="", road_tail=())

    return fold


def _revealed(desk: Desk, said: Said) -> None:
    event: Any = said.event
    _with_custody(desk, said, revealed_order=event.order, revealed_secret=event.secret)


# --- roads ---


def _shoe_of_coup(desk: Desk, said: Said) -> Shoe | None:
    event: Any = said.event
    coup = desk.find(COUPS, event.coup_id)
    shoe_id = coup.shoe_id if coup is not None and coup.shoe_id else said.meta.shoe_id
    found: Shoe | None = desk.find(SHOES, f"{said.table_id}/{shoe_id}") if shoe_id else None
    return found


def _put_road(desk: Desk, said: Said, shoe: Shoe, road: tuple[RoadMark, ...]) -> None:
    results = [mark.result for mark in road]
    desk.put(
        SHOES,
        shoe,
        kept_road=road,
        banker_wins=results.count("B"),
        player_wins=results.count("P"),
        ties=results.count("T"),
    )
    known = desk.find(TABLES, said.table_id)
    if known is not None and known.shoe_id == shoe.shoe_id:
        change_table(desk, said, road_tail=road[-TAIL_MARKS:])


def _resulted(desk: Desk, said: Said) -> None:
    event: Any = said.event
    shoe = _shoe_of_coup(desk, said)
    if shoe is None:
        return
    mark = RoadMark(
        event.coup,
        _LETTERS[event.winner],
        player_pair=is_pair(event.player),
        banker_pair=is_pair(event.banker),
        natural=event.natural,
        no_bet=event.no_bet,
    )
    others = [each for each in shoe.kept_road if each.coup != event.coup]
    road = tuple(sorted([*others, mark], key=lambda each: each.coup))
    _put_road(desk, said, shoe, road)


def _no_result(desk: Desk, said: Said) -> None:
    """A void or terminated coup is on no road, also where it had a result before."""
    event: Any = said.event
    shoe = _shoe_of_coup(desk, said)
    if shoe is not None and any(each.coup == event.coup for each in shoe.kept_road):
        road = tuple(each for each in shoe.kept_road if each.coup != event.coup)
        _put_road(desk, said, shoe, road)


_PREPARING: tuple[type[Event], ...] = (
    cards.ShoeDeviceRegistered,
    cards.ShuffleDeviceRegistered,
    cards.ShoeAssembled,
    cards.PackSealed,
    cards.PackOpened,
    cards.DeckRejected,
    cards.CardsReplaced,
    cards.CardsRemovedFromTable,
    cards.CardsInspected,
    cards.CardsShuffled,
    cards.PreShuffledIntroduced,
    cards.RiffleRequested,
    cards.CutOffered,
    cards.CutDeclined,
    cards.CutMade,
    cards.StackCut,
    cards.CutCardPlaced,
)
"""Of cards, and of no shoe in particular."""

_KEPT: tuple[type[Event], ...] = (
    cards.DeviceLoaded,
    cards.ErrorBurnApproved,
    cards.CardExposedEarly,
    cards.CardFoundExposed,
    cards.ShoeExhausted,
    cards.ShoeIntegrityBreached,
    cards.ShufflerFaulted,
    cards.CardsRemoved,
    cards.CardsTransferred,
    cards.CardsRetired,
)

FOLDS: Folds = {
    **dict.fromkeys(_PREPARING, _prepared),
    **dict.fromkeys(_KEPT, _noted),
    cards.ShoeLoaded: _loaded,
    cards.ShoeCommitted: _committed,
    cards.CardDrawn: _drawn,
    cards.CardsBurned: _burned,
    cards.CutCardReached: _cut_card,
    cards.LastCoupDesignated: _last_coup,
    cards.ShoeRetired: _ended("RETIRED"),
    cards.ShoeInvalidated: _ended("INVALIDATED"),
    cards.ShoeRevealed: _revealed,
    table.CoupResulted: _resulted,
    table.ResultCorrected: _resulted,
    table.OutcomeInvalidated: _no_result,
    table.CoupVoided: _no_result,
    table.CoupTerminated: _no_result,
}
