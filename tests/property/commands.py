"""Moves that no line of a table log stands for: commands of the services as they are."""

from __future__ import annotations

from typing import Any

from services.contracts.core import Actor
from services.round import commands as table
from services.settlement import commands as money
from services.shoe import commands as cards
from services.wager import commands as book
from tests.property import hands, lines
from tests.property.wanderer import Wanderer

DEALER, GAME, CASINO = "dealer", "game_supervisor", "casino_supervisor"


# --- shoe ---


def generated_shoe(w: Wanderer) -> None:
    load = {"shoe_id": f"S{w.steps}", "source": "GENERATED", "stands_for_preparation": True}
    order = tuple(w.order())
    w.send("shoe", cards.LoadShoe, DEALER, **load, order=order, secret=b"\x07" * 32)


def read_burn(w: Wanderer) -> None:
    """A burn whose first card the electronic shoe has read."""
    owed = w.cards.shoe.owed if w.cards.shoe else ()
    burn = {"reason": w.pick(owed or ("NEW_SHOE",)), "first_card": w.read()}
    w.send("shoe", cards.BurnCards, DEALER, **burn)


def scanned_draw(w: Wanderer) -> None:
    """A report of an electronic shoe: read or not, in order, twice, or with a gap."""
    devices = sorted(w.cards.custody.devices)
    device = w.pick(devices) if devices else ""
    last = w.cards.custody.sequences.get(device, 0)
    unread = w.odds(1, 3)
    read = {"unread": True} if unread else {"card": w.read()}
    sequence = {"sequence": max(1, last + w.pick((1, 1, 1, 0, 2)))} if device else {}
    w.send("shoe", cards.DrawCard, DEALER, device_id=device, **sequence, **read)


def enter_card(w: Wanderer) -> None:
    unread = sorted(w.cards.course.unread)
    second = Actor("gs2", "GAME_SUPERVISOR")
    number = w.pick(unread) if unread else 1
    card = w.read()
    w.send("shoe", cards.EnterCard, DEALER, draw_number=number, card=card, second=second)


def exposed_by(w: Wanderer) -> None:
    w.send("shoe", cards.ExposeNext, DEALER, person="p1")


def end_shoe(w: Wanderer) -> None:
    w.send("shoe", cards.EndShoe, GAME, reason="worn")


def register_shoe_device(w: Wanderer) -> None:
    w.send("shoe", cards.RegisterShoeDevice, GAME, device_id=w.pick(("e1", "e2")))


def register_shuffle_device(w: Wanderer) -> None:
    kind = w.pick(("MULTISHUFFLER", "SHUFFLING_DEVICE"))
    device = {"device_id": w.pick(("m1", "m2")), "kind": kind, "approval": "a1"}
    w.send("shoe", cards.RegisterShuffleDevice, GAME, **device)


def shuffle_in_machine(w: Wanderer) -> None:
    procedure, device = w.pick((("MULTISHUFFLER", "m1"), ("DEVICE", "m2")))
    w.send("shoe", cards.ShuffleCards, DEALER, procedure=procedure, device_id=device)


def assemble_shoe(w: Wanderer) -> None:
    decks = w.round.settings.decks
    names = tuple(f"k{w.steps}-{number}" for number in range(decks))
    w.send("shoe", cards.AssembleShoe, DEALER, deck_ids=names if w.odds(1, 2) else ())


def reject_deck(w: Wanderer) -> None:
    decks = w.cards.preparation.deck_ids
    w.send("shoe", cards.RejectDeck, DEALER, deck_id=w.pick(decks or ("k1",)), defect="bent")


def replace_cards(w: Wanderer) -> None:
    w.send("shoe", cards.ReplaceCards, CASINO, reason="NEW_CARDS", new_deck_ids=(f"n{w.steps}",))


def remove_cards(w: Wanderer) -> None:
    w.send("shoe", cards.RemoveCards, DEALER)


def seal_pack(w: Wanderer) -> None:
    w.seals.append(f"s{w.steps}")
    w.send("shoe", cards.SealPack, DEALER, seal_id=w.seals[-1], place="safe")


def open_pack(w: Wanderer) -> None:
    seal = w.pick(w.seals) if w.seals else "s0"
    w.send("shoe", cards.ShuffleCards, DEALER, procedure="PRE_SHUFFLED", seal_id=seal)


def incomplete_decks(w: Wanderer) -> None:
    look = {"witness": "gs1", "video": "v1", "stage": "PRE", "incomplete": ("k1",)}
    w.send("shoe", cards.InspectCards, DEALER, **look)


def inspect_again(w: Wanderer) -> None:
    """Cards that had left the table came back."""
    look = {"witness": "gs1", "video": "v1", "stage": w.pick(("RETURN", "PRE"))}
    w.send("shoe", cards.InspectCards, DEALER, **look)


def collect_cards(w: Wanderer) -> None:
    direction = w.pick(("LEFT_TO_RIGHT", "RIGHT_TO_LEFT"))
    w.send("shoe", cards.CollectCards, DEALER, direction=direction)


# --- round ---


def open_again(w: Wanderer) -> None:
    if w.round.settings is not None:
        w.send("round", table.OpenTable, CASINO, settings=w.round.settings)


def close_unseen(w: Wanderer) -> None:
    w.send("round", table.CloseTable, CASINO, exemption="the cards are gone")


def abandon(w: Wanderer) -> None:
    w.send("round", table.AbandonTable, CASINO)


def assign_supervisor(w: Wanderer) -> None:
    w.send("round", table.AssignSupervisor, GAME, supervisor=f"gs{w.steps}")


def suspend(w: Wanderer) -> None:
    w.send("round", table.SuspendTable, GAME, reason="a word")


def display_sign(w: Wanderer) -> None:
    w.send("round", table.DisplaySign, DEALER, sign="ODDS")


def remove_sign(w: Wanderer) -> None:
    w.send("round", table.RemoveSign, CASINO, sign=w.pick(("ODDS", "CLOSE", "GAME")))


def ask_consent(w: Wanderer) -> None:
    w.send("round", table.AskConsent, CASINO)


def select_method(w: Wanderer) -> None:
    w.send("round", table.SelectMethod, w.pick((GAME, "duty_manager")), method=w.pick("ABCD"))


def instruct_draw(w: Wanderer) -> None:
    w.send("round", table.InstructDraw, DEALER, count=w.pick((1, 1, 4)))


def held_draw(w: Wanderer) -> None:
    """The player who has the shoe draws."""
    holder = w.round.holder
    if holder is not None:
        w.send("shoe", cards.DrawCard, "player", who=holder.player)


def show_hand(w: Wanderer) -> None:
    """Whoever has a hand that lies face down, or somebody else."""
    coup = w.round.coup
    having = []
    if coup is not None:
        plays = [(hand, coup.play(hand)) for hand in ("PLAYER", "BANKER")]
        having = [(hand, play.holder) for hand, play in plays if play.status == "OUT"]
        if coup.shoe_play.seat is not None:
            having.append((coup.shoe_play.hand, coup.shoe_play.seat))
    hand, seat = w.pick(having or [("PLAYER", w.a_seat())])
    w.send("round", table.ShowHand, DEALER, hand=hand, seat=seat)


def extend_withdrawals(w: Wanderer) -> None:
    w.send("round", table.ExtendWithdrawals, GAME, seconds=w.pick((120, 300, 301)))


def recover(w: Wanderer) -> None:
    w.send("round", table.RecoverTable, "system")


def backfill_coup(w: Wanderer) -> None:
    """A coup of an outage, mostly as one can have been dealt."""
    order = [w.read() for _ in range(6)]
    player, banker, used = hands.hands_of(order)
    told = {
        "coup": w.round.coups + w.pick((1, 1, 1, 2)),
        "cards": tuple(order[:used]),
        "winner": hands.winner_of(tuple(player), tuple(banker)),
        "dealt_at_us": w.played.at_us,
        "reason": "no power",
        "video": "v1",
        "second": Actor("gs2", "GAME_SUPERVISOR"),
    }
    w.send("round", table.BackfillCoup, GAME, **told)


# --- wager and wallet ---


def record_debit(w: Wanderer) -> None:
    """The wallet answers a debit that waits."""
    pending = [*w.book.pending] if w.book else []
    movement = w.pick(pending) if pending else "none"
    outcome = w.pick(("DONE", "DONE", "REFUSED"))
    w.send("wager", book.RecordDebit, "system", movement_id=movement, outcome=outcome)


def expire_debits(w: Wanderer) -> None:
    w.send("wager", book.ExpireDebits, "system")


def revoke(w: Wanderer) -> None:
    kinds = ("STANDING", "AREA_SHARING", "OPPOSING_WAGERS", "PLAYER_LIMITS")
    w.send("wager", book.RevokePermission, "duty_manager", permission=w.pick(kinds))


def take_sign_down(w: Wanderer) -> None:
    w.send("wager", book.RemoveSign, CASINO)


def stake_on_another_coup(w: Wanderer) -> None:
    place = {"wager_id": f"c{w.steps}", "area": "player", "amount_minor": 500, "coup_id": "T1:1:99"}
    w.send("wager", book.PlaceWager, "player", who="p1", player="p1", **place)


# --- settlement ---


def _answered(w: Wanderer, service: str, make: type[Any], owed: dict[str, Any]) -> None:
    """The wallet's answer to what it owes a player, or refuses to take for the first time."""
    movement = w.pick([*owed, f"m{w.steps}"])
    outcome = w.pick(("DONE", "REFUSED", "REFUSED"))
    whose = {"coup_id": f"T1:1:{w.coup()}", "wager_id": "w1", "player": "p1"}
    sum_ = {"currency": "EUR", "amount_minor": 500}
    w.send(service, make, "system", movement_id=movement, outcome=outcome, **whose, **sum_)


def record_credit(w: Wanderer) -> None:
    _answered(w, "settlement", money.RecordCredit, w.money.credits)


def record_refund(w: Wanderer) -> None:
    _answered(w, "wager", book.RecordRefund, w.played.table.states["wager"].refunds)


def repeat_credit(w: Wanderer) -> None:
    movement = w.pick([*w.money.credits] or ["none"])
    w.send("settlement", money.RepeatCredit, CASINO, movement_id=movement)


def repeat_refund(w: Wanderer) -> None:
    movement = w.pick([*w.played.table.states["wager"].refunds] or ["none"])
    w.send("wager", book.RepeatRefund, CASINO, movement_id=movement)


def record_reversal(w: Wanderer) -> None:
    due = [*w.money.debits]
    movement = w.pick(due) if due else "none"
    outcome = w.pick(("DONE", "REFUSED"))
    w.send("settlement", money.RecordReversal, "system", movement_id=movement, outcome=outcome)


def repeat_reversal(w: Wanderer) -> None:
    due = [*w.money.debits]
    movement = w.pick(due) if due else "none"
    w.send("settlement", money.RepeatReversal, CASINO, movement_id=movement)


def go_on_with_debit(w: Wanderer) -> None:
    """What comes next of a debit that a correction made due."""
    for movement, due in w.money.debits.items():
        if due.attempts and w.odds(2, 3):
            w.send("settlement", money.RepeatReversal, CASINO, movement_id=movement)
        else:
            record_reversal(w)
        return


def go_on_with_dispute(w: Wanderer) -> None:
    """What comes next of a dispute that is not closed."""
    for name, known in w.money.disputes.items():
        if known.status == "CLOSED" and not known.advised:
            continue
        if known.advised:
            w.send("settlement", money.EscalateDispute, "inspector", dispute_id=name)
        elif known.level < 2:
            decision = w.pick(("upheld", "unresolved", "unresolved"))
            w.do("decide_dispute", id=name, level=known.level + 1, decision=decision)
        else:
            w.do("advise_inspector", id=name)
        return
    lines.dispute(w)


def close_review(w: Wanderer) -> None:
    open_ = sorted(w.money.reviews)
    w.send("settlement", money.CloseReview, CASINO, coup=w.pick(open_) if open_ else 1)


def count_drop(w: Wanderer) -> None:
    w.send("settlement", money.CountDrop, GAME, currency="EUR", counted_minor=5_000)


def escalate(w: Wanderer) -> None:
    dispute = w.pick(w.disputes) if w.disputes else "x0"
    w.send("settlement", money.EscalateDispute, "inspector", dispute_id=dispute)


def export_evidence(w: Wanderer) -> None:
    """For a dispute, or for nobody's."""
    proof = {"purpose": "a complaint", "position": 1, "digest": "0" * 64}
    coup_id = f"T1:{w.money.session}:{w.coup()}"
    w.send("settlement", money.ExportEvidence, CASINO, coup_id=coup_id, **proof)


def close_dispute(w: Wanderer) -> None:
    dispute = w.pick(w.disputes) if w.disputes else "x0"
    w.send("settlement", money.CloseDispute, CASINO, dispute_id=dispute)
