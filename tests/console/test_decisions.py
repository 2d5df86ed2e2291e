"""Decisions of supervisors: what is sent for a form, under which names, and what comes back."""

from __future__ import annotations

from typing import Any

import pytest

from sabot.common.v1 import common_pb2
from sabot.round.v1 import round_service_pb2 as rounds
from services.console import deeds
from tests.client.fake import failing
from tests.console.rig import Browser, Code, console, hidden

VOID = "/tables/T1/decide/round.VoidCoup"
DONE = common_pb2.CommandResult(position_token="p")


def carried_out(request: Any, context: Any) -> rounds.VoidCoupResponse:
    return rounds.VoidCoupResponse(result=DONE)


async def filled(browser: Browser, path: str, **fields: str) -> dict[str, str]:
    """The form of a page with these fields filled in."""
    return {**await browser.form(path), **fields}


async def test_a_decision_is_sent_under_both_names() -> None:
    """With the id of the form, the shift of the table, the reason and the second person."""
    async with console() as (browser, fake):
        fake.answers["VoidCoup"] = carried_out
        await browser.sign_in()
        form = await filled(
            browser,
            VOID,
            coup="7",
            reason="EVACUATION",
            second="sven",
            second_role="GAME_SUPERVISOR",
        )
        answer = await browser.post(VOID, form)
        request = fake.last("VoidCoup")
    assert answer.status_code == 200
    assert "Done" in answer.text
    assert (request.table_id, request.coup, request.reason) == ("T1", 7, "EVACUATION")
    assert request.meta.command_id == form["command_id"]
    assert request.meta.shift == 4
    last = fake.metadata[-1]
    assert (last["sabot-actor-id"], last["sabot-actor-role"]) == ("petra", "CASINO_SUPERVISOR")
    assert (last["sabot-second-id"], last["sabot-second-role"]) == ("sven", "GAME_SUPERVISOR")


async def test_a_coup_of_an_outage_is_entered() -> None:
    """Cards, the instant in UTC and the recording; what is no instant is said."""
    path = "/tables/T1/decide/round.BackfillCoup"
    async with console() as (browser, fake):
        fake.answers["BackfillCoup"] = lambda *_: rounds.BackfillCoupResponse(result=DONE)
        await browser.sign_in()
        told = {
            "coup": "8",
            "cards": "6s 7H, TD KC",
            "winner": "BANKER",
            "reason": "power failure",
            "video": "cam 4",
            "second": "sven",
            "second_role": "GAME_SUPERVISOR",
        }
        faulty = []
        for instant in ("at one", "2026-03-01 01:10:05+01:00"):
            form = await filled(browser, path, **told, dealt_at_us=instant)
            faulty.append((await browser.post(path, form)).text)
        form = await filled(browser, path, **told, dealt_at_us="2026-03-01 01:10:05.250")
        answer = await browser.post(path, form)
        request = fake.last("BackfillCoup")
    assert "Dealt at is an instant such as" in faulty[0]
    assert "Dealt at is in UTC" in faulty[1]
    assert "Done" in answer.text
    assert (list(request.cards), request.winner) == (["6S", "7H", "TD", "KC"], "BANKER")
    assert (request.dealt_at_us, request.video) == (1_772_327_405_250_000, "cam 4")
    assert not request.HasField("sequence")


async def test_a_form_begins_with_the_coup_at_hand() -> None:
    """And what a link says."""
    async with console() as (browser, _):
        await browser.sign_in()
        text = (await browser.get(VOID)).text
        asked = await browser.get(
            "/tables/T1/decide/settlement.RepeatCredit", params={"movement_id": "m/1"}
        )
    assert 'name="coup" value="7"' in text
    assert 'name="movement_id" value="m/1"' in asked.text


async def test_a_form_that_is_sent_twice_is_one_command() -> None:
    """It has one id; a new page has another."""
    async with console() as (browser, fake):
        fake.answers["VoidCoup"] = carried_out
        await browser.sign_in()
        form = await filled(browser, VOID, reason="EVACUATION")
        for _ in range(2):
            await browser.post(VOID, {**form, "coup": "7"})
        ids = [r.meta.command_id for r in fake.requests if isinstance(r, rounds.VoidCoupRequest)]
        other = await browser.form(VOID)
    assert len(ids) == 2
    assert len(set(ids)) == 1
    assert other["command_id"] not in ids


async def test_a_refusal_is_told_with_its_clauses() -> None:
    """The form stays as it was filled in, for another try under another id."""

    def refused(request: Any, context: Any) -> rounds.VoidCoupResponse:
        refusal = common_pb2.Refusal(
            reason="NOT_PERMITTED", message="needs <two> persons", clauses=["000:13.2"]
        )
        return rounds.VoidCoupResponse(result=common_pb2.CommandResult(refusal=refusal))

    async with console() as (browser, fake):
        fake.answers["VoidCoup"] = refused
        await browser.sign_in()
        form = await filled(browser, VOID, coup="7", reason="RIOT")
        form["reason"] = "EVACUATION"
        answer = await browser.post(VOID, form)
    assert answer.status_code == 409
    assert "NOT_PERMITTED" in answer.text
    assert "needs &lt;two&gt; persons" in answer.text
    assert "000:13.2" in answer.text
    assert 'value="EVACUATION" selected' in answer.text
    assert form["command_id"] not in answer.text


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"coup": "x"}, "Coup number is a whole number."),
        ({"coup": ""}, "Coup number is missing."),
        ({"coup": "9" * 12}, "Coup number is a whole number."),
        ({"reason": "BOREDOM"}, "Reason is none of"),
        ({"command_id": ""}, "has lost its command id"),
        ({"second": "sven"}, "Which role has the second person?"),
    ],
)
async def test_a_form_that_is_filled_in_wrong_is_not_sent(
    fields: dict[str, str], problem: str
) -> None:
    """What is wrong is named, and stays on the page."""
    async with console() as (browser, fake):
        await browser.sign_in()
        form = await filled(browser, VOID, coup="7", reason="EVACUATION")
        answer = await browser.post(VOID, {**form, **fields})
        assert "VoidCoup" not in fake.called
    assert answer.status_code == 400
    assert problem in answer.text


async def test_a_form_of_another_session_is_refused() -> None:
    """The proof in it is that session's alone."""
    async with console() as (browser, fake):
        await browser.sign_in()
        form = await filled(browser, VOID, coup="7", reason="EVACUATION")
        await browser.sign_in("mallory")
        stolen = await browser.post(VOID, form)
        missing = await browser.post(VOID, {**form, "csrf": ""})
        assert "VoidCoup" not in fake.called
    assert (stolen.status_code, missing.status_code) == (403, 403)


async def test_cards_and_lists_are_read_as_people_write_them() -> None:
    """In small letters, with blanks or commas."""
    async with console() as (browser, fake):
        fake.answers["CorrectResult"] = lambda request, context: rounds.CorrectResultResponse(
            result=DONE
        )
        await browser.sign_in()
        path = "/tables/T1/decide/round.CorrectResult"
        form = await filled(
            browser, path, coup="7", player="7h, kd", banker="4c 3s th", reason="misread"
        )
        await browser.post(path, form)
        request = fake.last("CorrectResult")
    assert list(request.player) == ["7H", "KD"]
    assert list(request.banker) == ["4C", "3S", "TH"]


def test_every_decision_is_a_call_with_these_fields() -> None:
    """A field that a service does not know would be lost on the way."""
    for deed in deeds.DEEDS:
        request = getattr(deeds.MODULES[deed.service], f"{deed.name}Request")()
        known = request.DESCRIPTOR.fields_by_name
        assert {"meta", "table_id"} <= set(known), deed.key
        assert {asked.name for asked in deed.asked} <= set(known), deed.key
    held = {key for keys in deeds._CALLED_FOR.values() for key in keys}
    assert held | set(deeds.REPEATS.values()) <= set(deeds.BY_KEY)


@pytest.mark.parametrize(
    "fields",
    [
        {"second": "Sündör", "second_role": "GAME_SUPERVISOR"},
        {"second": "sven\r\nsabot-actor-id: x", "second_role": "GAME_SUPERVISOR"},
        {"second": "sven", "second_role": "ROLÉ"},
        {"shift": "²"},
        {"shift": "9" * 12},
    ],
)
async def test_what_no_call_can_carry_is_a_faulty_form(fields: dict[str, str]) -> None:
    """It is said beside the form, whoever wrote the form."""
    async with console() as (browser, fake):
        await browser.sign_in()
        form = await filled(browser, VOID, coup="7", reason="EVACUATION")
        answer = await browser.post(VOID, {**form, **fields})
        assert "VoidCoup" not in fake.called
    assert answer.status_code == 400


async def test_a_link_names_no_command_and_no_second_person() -> None:
    """Else it could have a decision answered by what somebody else sent before."""
    async with console() as (browser, _):
        await browser.sign_in()
        link = {"command_id": "taken", "second": "mallory", "shift": "1", "reason": "EVACUATION"}
        text = (await browser.get(VOID, params=link)).text
    assert "taken" not in text
    assert "mallory" not in text
    assert 'name="shift" value="4"' in text
    assert 'value="EVACUATION" selected' in text


async def test_a_decision_without_an_answer_is_sent_again_as_the_same_command() -> None:
    """A new form would be a second command, beside one that may have been carried out."""
    async with console() as (browser, fake):
        fake.answers["VoidCoup"] = failing(Code.UNAVAILABLE)
        await browser.sign_in()
        form = await filled(browser, VOID, coup="7", reason="EVACUATION", shift="3")
        answer = await browser.post(VOID, form)
        fake.answers["VoidCoup"] = carried_out
        again = await browser.post(
            VOID, {**hidden(answer.text), "coup": "7", "reason": "EVACUATION"}
        )
        sent = [each for each in fake.requests if isinstance(each, rounds.VoidCoupRequest)]
    assert answer.status_code == 503
    assert "Nobody knows whether this was carried out" in answer.text
    assert again.status_code == 200
    assert all(each == sent[0] for each in sent)


async def test_a_second_person_who_is_not_believed_ends_nobodys_session() -> None:
    """The first one stays, with his form; alone, it is his own end."""
    async with console() as (browser, fake):
        fake.answers["VoidCoup"] = failing(Code.UNAUTHENTICATED, "TOKEN_EXPIRED")
        await browser.sign_in()
        form = await filled(browser, VOID, coup="7", reason="EVACUATION")
        two = {**form, "second": "sven", "second_role": "GAME_SUPERVISOR"}
        answer = await browser.post(VOID, two)
        stays = await browser.get("/")
        alone = await browser.post(VOID, form)
        gone = await browser.get("/")
    assert answer.status_code == 403
    assert "The second person did not prove who he is" in answer.text
    assert form["command_id"] in answer.text
    assert (stays.status_code, alone.status_code, gone.status_code) == (200, 401, 303)
