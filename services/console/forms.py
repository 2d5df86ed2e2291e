"""The decisions of supervisors: one page for each, with its form and then with what became of it."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sabot.query.v1 import query_service_pb2 as queries
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
    asked = queries.GetTableRequest(id=request.path_params["table_id"])
    table = (await client.call(client.query.GetTable, asked)).item
    if request.method != "POST":
        return _form(pages, request, deed, table, _known(request, table))
    form = await proven_form_of(request)
    try:
        answer = await deeds.done(client, session_of(request), deed, table.table_id, form)
    except deeds.FaultyForm as faulty:
        return _form(pages, request, deed, table, form, problem=str(faulty))
    reason = answer.refusal.reason if answer.refusal else ""
    log.info("a decision was sent", deed=deed.key, table=table.table_id, refused=reason)
    if answer.refusal is not None:
        # The refusal is stored with the command's id: what is changed now is another command.
        again = {**form, "command_id": ""}
        return _form(pages, request, deed, table, again, refusal=answer.refusal)
    return pages.page(request, "decided.html", deed=deed, table=table, answer=answer)


def _known(request: Request, table: Any) -> dict[str, str]:
    """What a form begins with: the coup at hand, and what the link to it says."""
    coup = table.coup_id.rpartition(":")[2]
    return {"coup": coup, **dict(request.query_params)}


def _form(
    pages: Pages,
    request: Request,
    deed: deeds.Deed,
    table: Any,
    form: dict[str, str],
    *,
    problem: str = "",
    refusal: Any = None,
) -> Response:
    command_id = form.get("command_id", "") or deeds.new_command_id()
    status = 400 if problem else 409 if refusal else 200
    return pages.page(
        request,
        "decide.html",
        status,
        deed=deed,
        table=table,
        form=form,
        command_id=command_id,
        problem=problem,
        refusal=refusal,
        believes=pages.believes,
    )
