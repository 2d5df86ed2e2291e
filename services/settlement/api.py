"""The settlement service's calls: queries, and coups rebuilt from the log."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Final

from sabot.common.v1 import common_pb2
from sabot.settlement.v1 import settlement_service_pb2 as pb
from sabot.settlement.v1 import settlement_service_pb2_grpc as pb_grpc
from services.chassis import projection, telemetry
from services.chassis.app import Runtime
from services.chassis.auth import identity, require_role
from services.chassis.calls import command, command_events, fill, made
from services.chassis.decider import Entry, Record
from services.chassis.positions import read_position
from services.chassis.projection import OwnLog, Projector
from services.chassis.rpc_errors import FieldFault, InvalidCommand, NotFound
from services.contracts.access import may_see
from services.contracts.common import RulebookActivated
from services.contracts.core import Noted, NotYet
from services.contracts.round_table import VariantChanged
from services.contracts.settlement import EvidenceExported
from services.rulebooks.text import readable
from services.rules.roles import DEALER, PLAYER, ROLES
from services.rules.rulebook import rulebook_of
from services.settlement import commands, delivery, domain, evidence, rebuild
from services.settlement.open_items import open_items
from services.settlement.projections import (
    PROJECTIONS,
    STORIES,
    stored_rulebook,
    stored_story,
    stories_of,
)
from services.settlement.reading import read
from services.settlement.story import Story

REBUILDERS: Final = tuple(role for role in ROLES if role not in {PLAYER, DEALER})
PAGE_COUPS: Final = 50
PAGE_COUPS_MAX: Final = 1_000
EVIDENCE_PART_BYTES: Final = 1 << 20
PROGRESS_QUEUE_MAX: Final = 1_000

_ACTIVATIONS: Final = (
    "select version from events "  # noqa: S608
    f"where stream_id = $1 and (type = '{RulebookActivated.type}' or (type = '{Noted.type}' and "
    f'position(\'"event_type":"{VariantChanged.type}"\'::bytea in body) > 0)) order by version'
)
"""Types and text stand in the statement as in the partial index, so that it is used."""


class SettlementService(pb_grpc.SettlementServiceServicer):
    """Payments, and everything that is known of a coup afterwards."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime

    VoidWager = command(commands.VoidWager, pb.VoidWagerResponse)
    RepeatReversal = command(commands.RepeatReversal, pb.RepeatReversalResponse)
    RepeatCredit = command(commands.RepeatCredit, pb.RepeatCreditResponse)
    OpenDispute = command(commands.OpenDispute, pb.OpenDisputeResponse)
    DecideDispute = command(commands.DecideDispute, pb.DecideDisputeResponse)
    AdviseInspector = command(commands.AdviseInspector, pb.AdviseInspectorResponse)
    EscalateDispute = command(commands.EscalateDispute, pb.EscalateDisputeResponse)
    CloseDispute = command(commands.CloseDispute, pb.CloseDisputeResponse)

    async def GetCoup(self, request: Any, context: Any) -> pb.GetCoupResponse:
        """A coup as queries see it."""
        await self._reached(request.min_position)
        async with self.runtime.pool.acquire() as connection:
            live = await projection.live(connection, STORIES)
            story = await stored_story(connection, live.schema, request.coup_id)
        if story is None:
            raise NotFound(f"there is no coup {request.coup_id}")
        token = self.runtime.token(live.position)
        return pb.GetCoupResponse(coup=_message(story), as_of_token=token)

    async def ListCoups(self, request: Any, context: Any) -> pb.ListCoupsResponse:
        """Coups of a table, oldest first; without a table those of all, table by table."""
        size = min(request.page_size or PAGE_COUPS, PAGE_COUPS_MAX)
        after = _page(request.page_token)
        await self._reached(request.min_position)
        async with self.runtime.pool.acquire() as connection:
            live = await projection.live(connection, STORIES)
            stories = await stories_of(
                connection, live.schema, request.table_id, after=after, limit=size
            )
        response = pb.ListCoupsResponse(
            coups=[_message(story) for story in stories],
            as_of_token=self.runtime.token(live.position),
        )
        if len(stories) == size:
            response.next_page_token = _page_after(stories[-1])
        return response

    async def RebuildCoup(self, request: Any, context: Any) -> pb.RebuildCoupResponse:
        """A coup from the log alone, compared with what is stored."""
        coup_id = request.coup_id
        table_id = _table_of(coup_id)
        records = rebuild.of_coup(await self.runtime.store.read_by_coup(coup_id))
        if not records:
            raise NotFound(f"the log holds no coup {coup_id}")
        found = rebuild.rebuilt(coup_id, records, await self._activations(table_id, records))
        differences = list(found.findings)
        differences += await self._against_projection(found.story, records)
        whole = found.written()
        telemetry.count(
            "sabot.settlement.rebuilds", outcome="DIFFERS" if differences else "MATCHES"
        )
        return pb.RebuildCoupResponse(
            evidence=whole,
            digest=rebuild.digest(whole),
            matches=not differences,
            differences=differences,
        )

    async def GetEvidence(
        self, request: Any, context: Any
    ) -> AsyncIterator[pb.GetEvidenceResponse]:
        """The evidence of a coup up to a position of the log, in parts."""
        pack = await self._packed(request.coup_id, request.position or None)
        for start in range(0, len(pack.content), EVIDENCE_PART_BYTES):
            yield pb.GetEvidenceResponse(
                position=pack.position,
                digest=pack.digest,
                part=pack.content[start : start + EVIDENCE_PART_BYTES],
            )

    async def ExportEvidence(self, request: Any, context: Any) -> pb.ExportEvidenceResponse:
        """Make the evidence as it is now, and put on record that it was handed out."""
        if not request.purpose.strip():
            raise InvalidCommand("for nothing", fields=[FieldFault("purpose", "is missing")])
        if _table_of(request.coup_id) != request.table_id:
            raise InvalidCommand(
                "a coup of another table", fields=[FieldFault("coup_id", "is of another table")]
            )
        pack = await self._packed(request.coup_id, None)
        carried = await self.runtime.carry_out(
            request,
            request.table_id,
            lambda stamp: made(
                commands.ExportEvidence,
                request,
                stamp,
                position=pack.position,
                digest=pack.digest,
            ),
            test_table=None,
            key=None,
        )
        response = pb.ExportEvidenceResponse(result=carried.result)
        return fill(response, carried.answer)  # type: ignore[return-value]

    async def ListEvidenceExports(
        self, request: Any, context: Any
    ) -> pb.ListEvidenceExportsResponse:
        """Who was given what of a coup's evidence, and when."""
        response = pb.ListEvidenceExportsResponse()
        for record in await self.runtime.store.read_by_coup(request.coup_id):
            each = read(record) if record.type == EvidenceExported.type else None
            if each is None:
                continue
            exported, by = each.event, each.meta.actor
            assert isinstance(exported, EvidenceExported)
            response.exports.add(
                event_id=each.event_id,
                exported_at_us=each.meta.occurred_at_us,
                by=common_pb2.Actor(id=by.id, role=by.role),
                purpose=exported.purpose,
                dispute_id=exported.dispute_id,
                position=exported.position,
                digest=exported.digest,
            )
        return response

    async def _packed(self, coup_id: str, upto: int | None) -> evidence.Pack:
        table_id = _table_of(coup_id)
        if upto is None:
            upto = await self.runtime.store.head_position()
        records = await self.runtime.store.read_by_coup(coup_id)
        known = await self._activations(table_id, records)
        pack = evidence.packed(coup_id, records, known, upto=upto)
        if pack is None:
            raise NotFound(f"the log holds no coup {coup_id} up to position {upto}")
        return pack

    async def GetRulebook(self, request: Any, context: Any) -> pb.GetRulebookResponse:
        """The rules of a hash, or those that a coup was played under, never newer ones."""
        if bool(request.rulebook_hash) == bool(request.coup_id):
            raise InvalidCommand(
                "which rules?", fields=[FieldFault("rulebook_hash", "either it or coup_id")]
            )
        await self._reached(request.min_position)
        wanted = request.rulebook_hash
        async with self.runtime.pool.acquire() as connection:
            live = await projection.live(connection, STORIES)
            if request.coup_id:
                story = await stored_story(connection, live.schema, request.coup_id)
                wanted = story.rulebook_hash if story is not None else ""
            document = await stored_rulebook(connection, live.schema, wanted)
        if document is None:
            raise NotFound(f"there are no rules of {request.coup_id or request.rulebook_hash}")
        rules = rulebook_of(json.loads(document))
        return pb.GetRulebookResponse(
            rulebook_id=rules.rulebook_id,
            rulebook_hash=rules.hash,
            document=document,
            text=readable(rules),
        )

    async def _reached(self, token: str) -> None:
        position = read_position(token, service=domain.SERVICE, field="min_position")
        if position:
            await projection.reached(self.runtime.pool, STORIES, position)

    async def _against_projection(self, story: Story, records: list[Record]) -> list[str]:
        """Where the stored story is another one than that of the records, once it has their last."""
        last = records[-1].position
        position, kept = await self._kept(story.coup_id)
        if position < last:
            with suppress(NotYet):
                await projection.reached(self.runtime.pool, STORIES, last)
            position, kept = await self._kept(story.coup_id)
        if position < last:
            return ["the projection has not reached the coup's last event yet"]
        if kept is None:
            return ["the projection does not know the coup"]
        if kept != story:
            # The coup may have gone on since its records were read.
            later = await self.runtime.store.read_by_coup(story.coup_id)
            story = rebuild.story_of(story.coup_id, rebuild.of_coup(later, upto=position))
        fields = [
            name for name in Story.__struct_fields__ if getattr(kept, name) != getattr(story, name)
        ]
        return [f"the projection differs from the log in: {', '.join(fields)}"] if fields else []

    async def _kept(self, coup_id: str) -> tuple[int, Story | None]:
        """How far the projection is, and what it tells of a coup then."""
        async with (
            self.runtime.pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            live = await projection.live(connection, STORIES)
            stored = await stored_story(connection, live.schema, coup_id)
        return live.position, stored

    async def _activations(self, table_id: str, records: Sequence[Record]) -> list[Record]:
        """The records that put rulebooks in force at the table, up to that of the coup with these records.

        A table is opened often, and goes by the same rulebook for long: the first one will do.
        """
        rulebook_hash = rebuild.named(records)
        versions = await self.runtime.pool.fetch(_ACTIVATIONS, table_id)
        found: list[Record] = []
        async with self.runtime.store.transaction() as tx:
            for row in versions:
                found += await tx.read_stream(table_id, after_version=row[0] - 1, limit=1)
                if rebuild.holds(found[-1], rulebook_hash):
                    break
        return found

    async def RebuildProjections(
        self,
        request: Any,
        context: Any,
    ) -> AsyncIterator[pb.RebuildProjectionsResponse]:
        """Fold every projection again beside the live one; it costs, so not everybody may."""
        require_role(*REBUILDERS)
        for kind in PROJECTIONS:
            async for step in self._rebuild(kind):
                yield step

    async def _rebuild(self, kind: type[Any]) -> AsyncIterator[pb.RebuildProjectionsResponse]:
        steps: asyncio.Queue[tuple[int, int]] = asyncio.Queue(PROGRESS_QUEUE_MAX)
        projector: Projector[Entry] = Projector(
            kind(), OwnLog(self.runtime.store), self.runtime.pool
        )

        def progress(position: int, end: int) -> None:
            if not steps.full():
                steps.put_nowait((position, end))

        running = asyncio.create_task(projector.rebuild(progress=progress))
        try:
            while not running.done() or not steps.empty():
                try:
                    async with asyncio.timeout(0.2):
                        position, end = await steps.get()
                except TimeoutError:
                    continue
                yield pb.RebuildProjectionsResponse(
                    projection=kind.name, position=position, end=end
                )
            live = await running
        finally:
            running.cancel()
        yield pb.RebuildProjectionsResponse(
            projection=kind.name, position=live.position, end=live.position, switched=True
        )

    async def ListOpenItems(self, request: Any, context: Any) -> pb.ListOpenItemsResponse:
        """What the wallet refused, and is still owed."""
        items = await open_items(self.runtime, request.table_id)
        return pb.ListOpenItemsResponse(items=items)

    async def GetTableProgress(
        self,
        request: Any,
        context: Any,
    ) -> pb.GetTableProgressResponse:
        """How far this service has come with a table."""
        open_credits = await delivery.open_credits(self.runtime, request.table_id)
        progress = await self.runtime.progress(request.table_id, open_wallet_movements=open_credits)
        return pb.GetTableProgressResponse(progress=progress)

    async def ListCommandEvents(
        self,
        request: Any,
        context: Any,
    ) -> pb.ListCommandEventsResponse:
        """What commands led to in this service."""
        events = await command_events(self.runtime, request.table_id, list(request.command_ids))
        return pb.ListCommandEventsResponse(events=events)


def _table_of(coup_id: str) -> str:
    return coup_id.partition(":")[0]


def _page_after(story: Story) -> str:
    session, number = story.coup_id.rsplit(":", 2)[1:]
    return f"{session}.{number}.{story.table_id}"


def _page(token: str) -> tuple[str, int, int]:
    """The table, session and number behind which a page begins; the edge has seen the token."""
    session, number, table_id = token.split(".", 2) if token else ("0", "0", "")
    return table_id, int(session), int(number)


def _message(story: Story) -> pb.Coup:
    """The coup for who asks: a player is shown his own wagers."""
    message = pb.Coup(
        coup_id=story.coup_id,
        table_id=story.table_id,
        number=story.number,
        shoe_id=story.shoe_id,
        status=story.status,
        reason=story.reason,
        player=story.player,
        banker=story.banker,
        player_points=story.player_points or 0,
        banker_points=story.banker_points or 0,
        winner=story.winner,
        natural=story.natural,
        revision=story.revision,
        rulebook_id=story.rulebook_id,
        rulebook_hash=story.rulebook_hash,
        test=story.test,
    )
    actor = identity().actor
    for wager in story.wagers.values():
        if not may_see(actor, wager.player):
            continue
        message.wagers.add(
            wager_id=wager.wager_id,
            player=wager.player,
            area=wager.area,
            currency=wager.currency,
            stake_minor=wager.stake_minor,
            outcome=wager.outcome,
            returned_minor=wager.returned_minor,
            winnings_minor=wager.winnings_minor,
            commission_exact=wager.commission_exact,
            rounding_exact=wager.rounding_exact,
        )
    return message
