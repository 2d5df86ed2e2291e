"""The decisions of supervisors: one page for each, with its form and then with what became of it."""

from __future__ import annotations

from typing import Any

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sabot.query.v1 import query_service_pb2 as queries
from sabot_client import CallFailed
from services.chassis import logs
from services.console import deeds
from services.console.page import Pages, proven_form_of, session_of

log = logs.logger(__name__)


async def decide(pages: Pages, request: Request) -> Response:
    """Show the form; posted, send the command and say what became of it."""
    deed = deeds.BY_KEY.get(request.path_params["key"])
    if deed is None:
        raise HTTPException(404, "There is no such decision.")
    client = pages.acting(request)
    # Refused to who looks, this is the end of his session, and nothing was decided yet.
    asked = queries.GetTableRequest(id=request.path_params["table_id"])
    table = (await client.call(client.query.GetTable, asked)).item
    if request.method != "POST":
        return _form(pages, request, deed, table, _known(request, deed, table))
    form = await proven_form_of(request)
    try:
        answer = await deeds.done(client, session_of(request), deed, table.table_id, form)
    except deeds.FaultyForm as faulty:
        return _form(pages, request, deed, table, form, problem=str(faulty))
    except CallFailed as failed:
        problem = _unanswered(failed, form)
        if not problem:
            raise
        log.warning("a decision was not answered", deed=deed.key, problem=str(failed))
        status = 503 if failed.repeatable else 403
        return _form(pages, request, deed, table, form, problem=problem, status=status)
    reason = answer.refusal.reason if answer.refusal else ""
    log.info("a decision was sent", deed=deed.key, table=table.table_id, refused=reason)
    if answer.refusal is not None:
        # The refusal is stored with the command's id: what is changed now is another command.
        again = {**form, "command_id": ""}
        return _form(pages, request, deed, table, again, refusal=answer.refusal)
    return pages.page(request, "decided.html", deed=deed, table=table, answer=answer)


def _unanswered(failed: CallFailed, form: dict[str, str]) -> str:
    """What to say beside the form where a call failed that the same form may mend; empty elsewhere."""
    if failed.repeatable:
        return (
            f"Nobody knows whether this was carried out: {failed.message} Send the form again as it is;"
            " it is the same command, and is carried out once."
        )
    if failed.code is grpc.StatusCode.UNAUTHENTICATED and form.get("second", "").strip():
        return f"The second person did not prove who he is: {failed.message}"
    return ""


def _known(request: Request, deed: deeds.Deed, table: Any) -> dict[str, str]:
    """What a form begins with: the coup at hand, and what the link to it says of what is asked.

    A link says neither the command's id nor who the second person is.
    """
    coup = table.coup_id.rpartition(":")[2]
    names = {asked.name for asked in deed.asked}
    linked = {name: value for name, value in request.query_params.items() if name in names}
    return {"coup": coup, **linked}


def _form(
    pages: Pages,
    request: Request,
    deed: deeds.Deed,
    table: Any,
    form: dict[str, str],
    *,
    problem: str = "",
    refusal: Any = None,
    status: int = 0,
) -> Response:
    command_id = form.get("command_id", "")
    # A command that may have been carried out keeps what it rests on; a new one rests on today's.
    shift = form.get("shift", "") if command_id else str(table.shift or "")
    status = status or (400 if problem else 409 if refusal else 200)
    return pages.page(
        request,
        "decide.html",
        status,
        deed=deed,
        table=table,
        form=form,
        command_id=command_id or deeds.new_command_id(),
        shift=shift,
        problem=problem,
        refusal=refusal,
        believes=pages.believes,
    )
