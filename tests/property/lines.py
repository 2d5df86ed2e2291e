"""Moves that are lines of a table log."""

from __future__ import annotations

from typing import Any

from services.round.domain.order import next_for_hand, next_for_shoe
from services.tablelog.clock import rfc3339
from tests.property.wanderer import COPIES, DEVICE, PLAYERS, RULEBOOKS, SECOND_US, Wanderer
from tests.support.played import CASINO_SUPERVISOR, DUTY_MANAGER, GAME_SUPERVISOR

MAIN = ("player", "banker", "tie")
SIDE = ("player_pair", "banker_pair", "big", "small")
HANDS = ("player", "banker")
TWO = {"by": CASINO_SUPERVISOR, "second": GAME_SUPERVISOR}
ENDS = (
    (["9S", "KD"], ["7D", "TC"]),
    (["6S", "TD"], ["7H", "KC"]),
    (["7S", "KH"], ["7C", "QC"]),
    (["2S", "3D", "KD"], ["6H", "KC"]),
    (["KS", "KD", "4C"], ["2H", "2C", "5D"]),
)
"""Hands that can be what really lay there."""


# --- cards and shoe ---


def load_shoe(w: Wanderer) -> None:
    cards = w.order()
    fields: dict[str, Any] = {"shoe": f"S{w.steps}"}
    kind = w.choose(8)
    if kind == 0:
        fields |= {"cards": [], "partial": True}
    elif kind < 4:
        fields |= {"cards": cards[: w.pick((9, 24, 60, 104))], "partial": True}
    else:
        fields |= {"cards": cards}
    if w.odds(1, 2):
        fields["cut_card_after"] = 8 + w.choose(32)
    if w.theme == COPIES:
        fields |= {"cards": [], "partial": True}
    elif w.seated and w.rulebook != "nsw-baccarat" and (w.theme == DEVICE or w.odds(1, 8)):
        fields["source"] = "device"
    w.do("load_shoe", **fields)


def overfull_shoe(w: Wanderer) -> None:
    w.do("load_shoe", shoe=f"S{w.steps}", cards=["AS"] * 9, partial=True)


def inspect_cards(w: Wanderer) -> None:
    stage = w.pick(("pre", "pre", "post"))
    w.do("inspect_cards", witness=w.pick(("gs1", "dealer")), video=w.pick(("v1", "")), stage=stage)


def shuffle(w: Wanderer) -> None:
    w.do("shuffle", procedure=w.pick(("manual", "manual", "pre_shuffled", "device", "riffle")))


def prepare(w: Wanderer) -> None:
    """The next step of a new shoe's preparation."""
    done = w.cards.preparation
    if not done.shuffled:
        w.do("shuffle", procedure=w.pick(("manual", "manual", "pre_shuffled")))
    elif done.pre_shuffled and w.odds(1, 4):
        request_riffle(w)
    elif done.cut is not None:
        place_cut_card(w)
    elif done.offered is not None:
        w.pick((decline_cut, cut))(w)
    else:
        w.pick((offer_cut, offer_cut, cut))(w)


def request_riffle(w: Wanderer) -> None:
    w.do("request_riffle", player=w.pick(PLAYERS))


def offer_cut(w: Wanderer) -> None:
    w.do("offer_cut", seat=w.a_seat())


def decline_cut(w: Wanderer) -> None:
    offered = w.cards.preparation.offered
    w.do("decline_cut", seat=offered if offered is not None else w.a_seat())


def cut(w: Wanderer) -> None:
    offered = w.cards.preparation.offered
    chosen = offered if offered is not None else w.a_seat()
    seat = {"seat": chosen} if w.round.seats and w.odds(2, 3) else {}
    w.do("cut", position=w.pick((60, 100, 5)), **seat)


def place_cut_card(w: Wanderer) -> None:
    w.do("place_cut_card", from_back=w.pick((52, 7, 20, 30)))


def burn(w: Wanderer) -> None:
    shoe = w.cards.shoe
    owed = [*(shoe.owed if shoe else ())]
    reason = w.pick(owed).lower() if owed and w.odds(5, 6) else "discretion"
    w.do("burn", reason=reason, **({"count": 1 + w.choose(4)} if w.odds(1, 4) else {}))


def three_card_burn(w: Wanderer) -> None:
    w.do("approve", what="three_card_burn")


def expose_next(w: Wanderer) -> None:
    w.do("expose_next")


def draw(w: Wanderer) -> None:
    """One card, as it should be."""
    w.do("draw", **_read(w))


def odd_draw(w: Wanderer) -> None:
    """To the wrong hand, several at once, face down."""
    fields = _read(w)
    if w.odds(2, 3):
        fields["to"] = w.pick(HANDS)
    if w.odds(1, 3):
        fields["count"] = 2 + w.choose(3)
        fields.pop("card", None)
    if w.odds(1, 3):
        fields["face"] = w.pick(("up", "down"))
    w.do("draw", **fields)


def lay_wrong(w: Wanderer) -> None:
    """One of the first four cards, face down and on the hand whose turn it is not."""
    drawn = len(w.round.coup.drawn) if w.round.coup else 0
    w.do("draw", to=HANDS[(drawn + 1) % 2], face="down", **_read(w))


def _read(w: Wanderer) -> dict[str, Any]:
    shoe = w.cards.shoe
    scanned = shoe is not None and shoe.source == "SCANNED"
    return {"card": w.read()} if scanned or w.odds(1, 20) else {}


def shuffler_fault(w: Wanderer) -> None:
    fields = {"disadvantage": w.odds(1, 4), "spare": w.odds(1, 2), "transferable": w.odds(1, 2)}
    damaged = {"damaged": ["AS"]} if w.odds(1, 2) else {}
    w.do("shuffler_fault", **fields, **damaged)


def resume_coup(w: Wanderer) -> None:
    w.do("resume_coup", **({"cards": w.order()[:30]} if w.odds(2, 3) else {}))


# --- table and persons ---


def seat(w: Wanderer) -> None:
    w.do("seat", player=w.pick(PLAYERS), seat=1 + w.choose(5))


def unseat(w: Wanderer) -> None:
    if w.round.seats and w.odds(4, 5):
        number, player = w.pick(w.round.seats)
        w.do("unseat", player=player, seat=number)
    else:
        w.do("unseat", player=w.pick(PLAYERS), seat=w.a_seat())


def assign_dealer(w: Wanderer) -> None:
    w.do("assign_dealer", dealer=f"d{w.steps}")


def change_dealer(w: Wanderer) -> None:
    w.do("change_dealer", dealer=f"d{w.steps}")


def resume_table(w: Wanderer) -> None:
    w.do("resume_table", **(TWO if w.odds(4, 5) else {"by": w.anybody()}))


def incident(w: Wanderer) -> None:
    codes = ("VIDEO_LOST", "CARD_HANDLED", "PROHIBITED_DEVICE", "ADVICE", "SCAN_GAP", "NOTHING")
    w.do("incident", code=w.pick(codes), note="seen")


def tick(w: Wanderer) -> None:
    w.later(w.pick((1, 20, 70, 200, 700, 1_300)))


def notice(w: Wanderer) -> None:
    change = w.pick(("min", "game", "close"))
    values = {"min": {"value": w.pick((200, 500))}, "game": {"value": _other_game(w)}}
    effective = w.played.at_us + w.pick((60, 1_200, 1_500)) * SECOND_US
    w.do("notice", change=change, effective_at=rfc3339(effective), **values.get(change, {}))


def _other_game(w: Wanderer) -> str:
    now = w.round.settings.rulebook_id if w.round.settings else ""
    other = {"nsw-mini": "nsw-mini-even-money", "nsw-mini-even-money": "nsw-mini"}.get(now)
    return str(other) if other and w.odds(4, 5) else str(w.pick(RULEBOOKS))


def change_game(w: Wanderer) -> None:
    w.do("change_game", rulebook=_other_game(w))


def consent(w: Wanderer) -> None:
    asked = w.round.consent.asked if w.round.consent else ()
    w.do("consent", player=w.pick(asked or PLAYERS), change="game")


def close_table(w: Wanderer) -> None:
    w.do("close_table")


# --- wagers ---


def wager(w: Wanderer) -> None:
    name = f"w{len(w.wagers) + 1}"
    areas = MAIN if w.seated else (*MAIN, *(SIDE if w.odds(1, 2) else ()))
    fields: dict[str, Any] = {"player": w.pick(PLAYERS), "area": w.pick(areas)}
    fields["amount"] = w.pick((100, 125, 500, 1_000, 1_250, 2_000, 50, 333, 20_000_000))
    if w.seated and w.odds(1, 6):
        token = f"k{1 + w.choose(4)}"
        fields |= {"token": token, "amount": 500}
        w.tokens.append(token)
    if w.seated and w.odds(1, 6):
        fields["box"] = w.a_seat()
    if not w.seated and w.odds(1, 6):
        fields |= {"currency": "JPY", "amount": w.pick((10, 101, 500))}
    if w.odds(1, 10):
        fields["channel"] = w.pick(("screen", "layout"))
    w.wagers.append(name)
    w.do("wager", id=name, **fields)


def same_wager(w: Wanderer) -> None:
    """An id once more."""
    w.do("wager", id=w.a_wager(), player="p1", area="player", amount=500)


def change_wager(w: Wanderer) -> None:
    w.do("change_wager", id=w.a_wager(), amount=w.pick((100, 500, 1_500, 50, 0)))


def cancel_wager(w: Wanderer) -> None:
    w.do("cancel_wager", id=w.a_wager())


def reject_wager(w: Wanderer) -> None:
    out = [each.wager_id for each in w.book.wagers.values() if each.out_of_limits] if w.book else []
    w.do("reject_wager", id=w.pick(out) if out else w.a_wager())


def withdraw_wager(w: Wanderer) -> None:
    w.do("withdraw_wager", id=w.a_wager())


def keep_wager(w: Wanderer) -> None:
    w.do("keep_wager", id=w.a_wager())


def standing(w: Wanderer) -> None:
    w.do("standing", permitted=w.odds(3, 4))


def area_sharing(w: Wanderer) -> None:
    w.do("approve", what="area_sharing", max=2 + w.choose(3))


def opposing_wagers(w: Wanderer) -> None:
    coups = {"coups": 1 + w.choose(2)} if w.odds(1, 2) else {}
    w.do("approve", what="opposing_wagers", by=DUTY_MANAGER, **coups)


def change_limits(w: Wanderer) -> None:
    more = {"differential": w.pick((0, 500, 2_000))} if w.seated and w.odds(1, 2) else {}
    limits = {"*": {"min": w.pick((100, 200)), "max": w.pick((2_000, 50_000))}}
    w.do("change_limits", limits=limits, **more)


def grant_limits(w: Wanderer) -> None:
    w.do("grant_limits", player=w.pick(PLAYERS), min=w.pick((50, 300)), max=w.pick((900, 30_000)))


# --- the coup ---


def open_betting(w: Wanderer) -> None:
    w.do("open_betting", **({"closes_in_s": w.pick((5, 15, 60))} if w.odds(1, 3) else {}))


def no_bet_coup(w: Wanderer) -> None:
    w.do("open_betting", no_bet=True)


def no_more_bets(w: Wanderer) -> None:
    w.do("no_more_bets")


def close_book(w: Wanderer) -> None:
    w.do("close_book")


def deal(w: Wanderer) -> None:
    w.do("deal")


def announce(w: Wanderer) -> None:
    w.do("announce", **({"winner": w.pick((*HANDS, "tie"))} if w.odds(1, 3) else {}))


def method(w: Wanderer) -> None:
    wanted = w.round.method if w.odds(3, 4) else w.pick("BCD")
    w.do("approve", what="method", method=wanted)


def act_as_player(w: Wanderer) -> None:
    w.do("approve", what="act_as_player")


def offers(w: Wanderer) -> None:
    """Cards or shoe go to whoever is next, and he says yes or no."""
    coup = w.round.coup
    if coup is None:
        if w.round.holder is not None:
            w.do("pass_shoe", seat=w.round.holder.seat)
        return
    if coup.method == "B":
        _offer_cards(w, w.pick(HANDS))
        return
    if w.round.holder is not None:
        w.do("pass_shoe", seat=w.round.holder.seat)
        return
    offered = coup.shoe_play.offered
    if offered is None:
        due = next_for_shoe(w.round, coup)
        w.do("offer_shoe", seat=due if due is not None else w.a_seat())
    elif w.odds(2, 3):
        w.do("accept_shoe", seat=offered, hand=w.pick(HANDS))
    else:
        w.do("decline_shoe", seat=offered)


def _offer_cards(w: Wanderer, hand: str) -> None:
    play = w.round.coup.play(hand.upper())
    if play.status == "OUT":
        w.do("return_cards", hand=hand, seat=play.holder)
    elif play.offered is not None:
        w.do(
            w.pick(("accept_cards", "accept_cards", "decline_cards")), hand=hand, seat=play.offered
        )
    else:
        due = next_for_hand(w.round, w.round.coup, hand.upper())
        w.do("offer_cards", hand=hand, seat=due if due is not None else w.a_seat())


def any_offer(w: Wanderer) -> None:
    action = w.pick(("offer_cards", "return_cards", "decline_cards", "accept_cards"))
    w.do(action, hand=w.pick(HANDS), seat=w.a_seat())


def multi_pull(w: Wanderer) -> None:
    w.do("approve", what="multi_pull")


def extra_cards(w: Wanderer) -> None:
    w.do("approve", what="extra_cards")


def close_withdrawals(w: Wanderer) -> None:
    w.do("close_withdrawals")


# --- rulings ---


def _ruling(w: Wanderer, kind: str, **fields: Any) -> None:
    """By those who may, and now and then by somebody else."""
    who = TWO if w.odds(7, 8) else {"by": w.anybody()}
    w.do("ruling", kind=kind, **{**who, **fields})


def misdeal(w: Wanderer) -> None:
    kind = w.pick(("reconstruct", "reconstruct", "correct_placement", "correct_placement"))
    _ruling(w, kind, coup=w.coup())


def not_reconstructible(w: Wanderer) -> None:
    _ruling(w, "not_reconstructible", coup=w.coup())


def attest(w: Wanderer) -> None:
    _ruling(w, "attest", seen=w.odds(1, 2))


def confirm_result(w: Wanderer) -> None:
    _ruling(w, "confirm_result", coup=w.coup())


def correct_result(w: Wanderer) -> None:
    player, banker = w.pick(ENDS)
    hands = {"player": player, "banker": banker}
    _ruling(w, "correct_result", coup=w.coup(), reason="misread", cards=hands)


def void(w: Wanderer) -> None:
    _ruling(w, "void", coup=w.coup(), reason=w.pick(("EQUIPMENT_FAILED", "EVACUATION", "why not")))


def invalidate(w: Wanderer) -> None:
    _ruling(w, "invalidate", coup=w.coup(), reason=w.pick(("FIRE", "RIOT", "whim")))


def fraud(w: Wanderer) -> None:
    settled = w.money.settled.get(f"T1:{w.money.session}:{w.round.coups}")
    staked = [each.staked.player for each in settled.wagers.values()] if settled else []
    who: dict[str, Any] = {"player": w.pick(staked or PLAYERS)}
    if w.odds(1, 2):
        who = {"forfeit": [w.pick(staked or PLAYERS)]}
    _ruling(w, "invalidate", coup=w.coup(), reason="FRAUD", **who)


def void_wager(w: Wanderer) -> None:
    wager = w.pick(w.wagers) if w.wagers and w.odds(1, 2) else w.a_wager()
    _ruling(w, "void_wager", wager=wager, reason="PROHIBITED_DEVICE")


def bar_player(w: Wanderer) -> None:
    _ruling(w, "lift_bar" if w.odds(1, 3) else "bar_player", player="p4")


def vacate_seat(w: Wanderer) -> None:
    idle = w.round.idle
    _ruling(w, "vacate_seat", seat=max(idle, key=idle.__getitem__) if idle else w.a_seat())


def forfeit_shoe(w: Wanderer) -> None:
    holder = w.round.holder
    _ruling(w, "forfeit_shoe", **({"seat": holder.seat} if holder else {}))


# --- disputes ---


def dispute(w: Wanderer) -> None:
    w.disputes.append(f"x{len(w.disputes) + 1}")
    w.do("dispute", id=w.disputes[-1], coup=w.coup(), claim="it was a tie")


def decide_dispute(w: Wanderer) -> None:
    if not w.disputes:
        return
    name = w.pick(w.disputes)
    known = w.money.disputes.get(name)
    level = known.level + 1 if known and w.odds(4, 5) else 1 + w.choose(2)
    decision = w.pick(("upheld", "dismissed", "unresolved", "unresolved"))
    w.do("decide_dispute", id=name, level=level, decision=decision)


def advise_inspector(w: Wanderer) -> None:
    if w.disputes:
        w.do("advise_inspector", id=w.pick(w.disputes))
