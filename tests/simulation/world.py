"""All of it together: disks, processes, broker, network, people, faults, and the auditor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from services.chassis import relay, topics
from services.chassis.decider import Record
from services.chassis.executor import Outcome
from services.chassis.store import StoreUnavailable
from services.wager.wallet import FUND, Answer, Movement
from tests.simulation.auditor.auditor import Auditor, Breach
from tests.simulation.auditor.log import Entry
from tests.simulation.bank import Row
from tests.simulation.broker import PARTITIONS, Cluster
from tests.simulation.chance import Chance, Trace
from tests.simulation.disk import Disk
from tests.simulation.floor import PLAYERS, WIDE_FROM, Floor, planned
from tests.simulation.nodes import (
    CORES,
    REPLICAS,
    RESTART_S,
    NobodyThere,
    Node,
    Request,
    pay,
)
from tests.simulation.virtual import Owner, VirtualClock

STRIKE_S: Final = 1.0, 10.0
LATE_S: Final = 3.0, 25.0
REPEATED_S: Final = 5.0, 8.0
PLAY_S_MAX: Final = 240.0
"""Virtual seconds after which the people stop beginning anything, faults or not."""

REST_S_MAX: Final = 900.0
"""Virtual seconds within which everything comes to rest after the last fault."""

LOOK_S: Final = 0.5
DEPOSITS: Final = (2_000, 200_000, 10_000_000)
SKEWS_US: Final = (0, 0, 0, 3_000_000, -3_000_000, 250_000)


class World:
    """One run."""

    def __init__(self, seed: int, *, echo: bool) -> None:
        self.seed = seed
        self.trace = Trace(echo=echo)
        self.trace.now_s = asyncio.get_running_loop().time
        self.chance = Chance(seed)
        self.auditor = Auditor()
        self.breach: Exception | None = None
        self.steps = 0
        self.cluster = Cluster(self.chance, self.trace)
        self.cluster.crash = self._crashed
        loop = asyncio.get_running_loop()
        self.disks = {
            name: Disk(name, VirtualClock(loop), self._committed, self._moved) for name in CORES
        }
        self.nodes: dict[str, list[Node]] = {name: [] for name in CORES}
        self._lives = 0
        self._people = Owner()
        random = self.chance.random
        self.floors = [
            Floor(self, planned(number, random, wide=seed >= WIDE_FROM))
            for number in range(1, random.randint(1, 3) + 1)
        ]
        self._skewed = random.random() < 0.3

    # --- what is asked of it ----------------------------------------------------------------------

    def skew_us(self) -> int:
        return self.chance.random.choice(SKEWS_US) if self._skewed and not self.chance.calm else 0

    def begin(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Run what a person does; it goes on whichever process dies."""
        task = self._people.begin(work, name)
        # Who gave up shows in what does not come to rest; asyncio need not report it later as well.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        return task

    def node(self, service: str) -> Node:
        """A process of the service, as a load balancer chooses it."""
        alive = [node for node in self.nodes[service] if not node.dead]
        if not alive:
            raise NobodyThere(service)
        return self.chance.random.choice(alive)

    async def look(self, service: str, table_id: str) -> Any:
        """A query; None where nobody answers."""
        try:
            node = self.node(service)
            return await node.called(node.executor.state(table_id))
        except (NobodyThere, StoreUnavailable):
            return None

    async def wallet(self, movement: Movement) -> Answer:
        """A call of the settlement service to the wallet."""
        node = self.node("wager")
        answer: Answer = await node.called(pay(node, movement))
        return answer

    # --- what the auditor is told -----------------------------------------------------------------

    def _committed(self, service: str, records: Sequence[Record]) -> None:
        for record in records:
            self.steps += 1
            self._audited(self.auditor.event, _entry(record))

    def _moved(self, movement: Row) -> None:
        self.steps += 1
        self.trace(f"money: {movement.movement_id} {movement.kind} {movement.amount_minor}")
        account = movement.player, movement.currency
        amount, kind = movement.amount_minor, movement.kind
        self._audited(self.auditor.movement, movement.movement_id, *account, amount, kind)

    def answered(self, request: Request, outcome: Outcome) -> None:
        """A client was answered."""
        self.steps += 1
        name = request.command.__name__
        refused = outcome.refused
        what = f"refused {refused[0]}: {refused[1]}" if refused else f"{outcome.answer}"
        self.trace(f"{request.service} answers {request.command_id} {name} {what}")
        stored = [(record.event_id, record.digest.hex()) for record in outcome.records]
        key = f"{request.service} {request.key or request.command_id}"
        kept = not _refused_for_now(request, outcome)
        self._audited(self.auditor.answered, key, refused, outcome.answer, stored, kept=kept)

    def _audited(self, check: Callable[..., None], *what: Any, **more: Any) -> None:
        if self.breach is not None:
            return
        try:
            check(*what, **more)
        except Exception as error:  # noqa: BLE001 - ends the run; nothing in it may catch it
            self.breach = error
            self.trace(f"BREACH {error!r}")

    # --- processes --------------------------------------------------------------------------------

    def start(self, service: str) -> None:
        self._lives += 1
        node = Node(f"{service}-{self._lives}", self.disks[service], self)
        self.nodes[service].append(node)
        self.trace(f"{node.name} starts")
        node.start()

    def crash(self, node: Owner, when: str) -> None:
        """A process dies without a word, and another one takes its place after a while."""
        assert isinstance(node, Node), "only processes die"
        if node.dead:
            return
        self.trace(f"{node.name} dies {when}")
        node.kill()
        self._gone(node)

    def _crashed(self, owner: Owner, when: str) -> None:
        self.crash(owner, when)

    def _gone(self, node: Node) -> None:
        for member in [
            each
            for members in self.cluster.members.values()
            for each in members
            if each.owner is node
        ]:
            self.cluster.leave(member)
        self.nodes[node.disk.service].remove(node)
        self.begin(self._replace(node.disk.service), f"replace {node.name}")

    async def _replace(self, service: str) -> None:
        await asyncio.sleep(self.chance.between(*RESTART_S))
        if self._lives % 2:  # every other time it is an upgrade, or the way back
            self.disks[service].written_by_another_release()
        self.start(service)

    async def _stop(self, node: Node) -> None:
        """A rolling restart: no new work, finish what is in hand, then go."""
        self.trace(f"{node.name} is told to stop")
        try:
            await node.called(node.stop())
        except NobodyThere:
            return
        if node.dead:
            return
        self.trace(f"{node.name} has stopped")
        node.kill()
        self._gone(node)

    # --- faults out of the blue -------------------------------------------------------------------

    async def _strikes(self) -> None:
        while self.chance.strikes:
            await asyncio.sleep(self.chance.between(*STRIKE_S))
            if self.chance.calm:
                return
            kind = self.chance.random.choice(self.chance.strikes)
            self.chance.counts[kind] += 1
            self.trace(f"strike: {kind}")
            await self._strike(kind)

    async def _strike(self, kind: str) -> None:
        random, cluster = self.chance.random, self.cluster
        service = random.choice(list(CORES))
        nodes = self.nodes[service]
        if kind == "process killed" and nodes:
            self.crash(random.choice(nodes), "out of the blue")
        elif kind == "process stopped in order" and nodes:
            self.begin(self._stop(random.choice(nodes)), "stop")
        elif kind == "clock jumps" and nodes:
            random.choice(nodes).clock.skew_us = random.choice((-2_000_000, 4_000_000, 0))
        elif kind == "broker away":
            cluster.away = True
            await asyncio.sleep(self.chance.between(0.2, 15.0))
            cluster.away = False
        elif kind == "broker emptied":
            cluster.empty()
        elif kind == "topic made anew":
            await self._make_anew(service)
        elif kind == "partition cut":
            name = topics.topic(service)
            cluster.cut(name, random.randrange(PARTITIONS), random.randint(1, 20))
        elif kind == "consumer set back":
            for member in cluster.members.get(service, []):
                member.set_back(random.randint(1, 60))
        elif kind == "topic late":
            for member in cluster.members.get(service, []):
                member.delay(random.choice(member.topics), self.chance.between(*LATE_S))
        elif kind == "offsets lost":
            cluster.forget_offsets()
        elif kind == "garbage published":
            name = topics.topic(service)
            cluster.append(name, random.randrange(PARTITIONS), (b"T1", b"{", [("x", b"y")]))
        elif kind == "relay set back":
            head = await self.disks[service].store.head_position()
            await self._relay_set_back(service, random.randint(0, head))

    async def _make_anew(self, service: str) -> None:
        """Replace a topic that has a few records twice, while its readers are slow."""
        random, name = self.chance.random, topics.topic(service)
        head = await self.disks[service].store.head_position()
        await self._relay_set_back(service, max(0, head - random.randint(1, 12)))
        await asyncio.sleep(self.chance.between(*REPEATED_S))
        for members in self.cluster.members.values():
            for member in members:
                member.delay(name, self.chance.between(*LATE_S))
        self.cluster.replace(name)

    async def _relay_set_back(self, service: str, position: int) -> None:
        store = self.disks[service].store
        name = relay.checkpoint_name(service)
        if (await store.checkpoint(name)).position > position:
            await relay.rewind(store, position=position)

    # --- the run ----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play with faults, then without, until everything is at rest; then the last checks."""
        for service in CORES:
            for topic in (topics.topic(service), topics.dead_letter_topic(topics.topic(service))):
                self.cluster.create(topic, PARTITIONS if "dead" not in topic else 1)
            for _ in range(self.chance.random.choice(REPLICAS)):
                self.start(service)
        await self._fund()
        strikes = self.begin(self._strikes(), "strikes")
        dealers = [
            self.begin(floor.deal(), f"dealer of {floor.plan.table_id}") for floor in self.floors
        ]
        for floor in self.floors:
            for player in PLAYERS:
                self.begin(floor.play(player), f"{player} at {floor.plan.table_id}")
        await self._until(lambda: all(task.done() for task in dealers), PLAY_S_MAX)
        self.chance.calm = True
        for floor in self.floors:
            floor.leaving = True
        await self._until(strikes.done, 60.0)
        self.cluster.away = False
        self.trace("the last fault is over")
        if not await self._until(lambda: self._at_rest(dealers), REST_S_MAX):
            self._audited(self._not_at_rest, dealers)
        self._audited(self.auditor.at_the_end)
        self._audited(self._projections)

    async def _fund(self) -> None:
        """Everybody brings some money, some of them little."""
        for player in PLAYERS:
            disk = self.disks["wager"]
            amount = self.chance.random.choice(DEPOSITS)
            money = disk.bank.begin()
            deposit = Movement(
                movement_id=f"/deposit/{player}",
                player=player,
                currency="EUR",
                verb=FUND,
                amount_minor=amount,
            )
            await money.move([deposit])
            disk.bank.commit(money)
        self.disks["wager"].committed()

    async def _until(self, done: Callable[[], bool], seconds: float) -> bool:
        """Wait until something is so, a breach ends the run, or the time is up."""
        ends = asyncio.get_running_loop().time() + seconds
        while self.breach is None and not done():
            if asyncio.get_running_loop().time() > ends:
                return False
            await asyncio.sleep(LOOK_S)
        return True

    def _at_rest(self, dealers: Sequence[asyncio.Task[Any]]) -> bool:
        return all(task.done() for task in dealers) and not self.unrest()

    def unrest(self) -> list[str]:
        """What is still under way, or will never be."""
        found: list[str] = []
        for service, disk in self.disks.items():
            data = disk.store._data
            published = data.checkpoints.get(relay.checkpoint_name(service))
            if published is None or published.position != len(data.log):
                found.append(f"{service} has not published everything")
            if data.parking is not None and data.parking.tables:
                found += [
                    f"{consumer} has {table} parked: {parked.reason}"
                    for (consumer, table), parked in data.parking.tables.items()
                ]
            found += self._unheard(service)
        found += [f"movement {each} waits" for each in self.disks["settlement"].waiting]
        settled = self.disks["settlement"].store._data
        for name in ("subscription:credits", "subscription:stories"):
            reader = settled.checkpoints.get(name)
            if reader is None or reader.position != len(settled.log):
                found.append(f"{name} is behind")
        return found

    def _unheard(self, service: str) -> list[str]:
        """Published events that another service has not handled."""
        found = []
        for table in self.disks[service].store._data.streams:
            last = self.auditor.logs.last_published(service, table)
            for other, core in CORES.items():
                if service not in core.HEARS:
                    continue
                mark = self.disks[other].store._data.inbox.get((service, table))
                if (mark.position if mark else 0) != last:
                    found.append(f"{other} has not heard all of {service}'s {table}")
        return found

    def _not_at_rest(self, dealers: Sequence[asyncio.Task[Any]]) -> None:
        unrest = self.unrest()
        for floor, task in zip(self.floors, dealers, strict=True):
            if task.done() and not task.cancelled() and task.exception() is not None:
                raise Breach(f"the dealer of {floor.plan.table_id} gave up") from task.exception()
            if not task.done():
                unrest.append(f"the coup of {floor.plan.table_id} does not end")
        raise Breach(f"it does not come to rest: {'; '.join(unrest)}")

    def _projections(self) -> None:
        """Every row of the projection is what a rebuild from the log gives."""
        from services.settlement.projections import whole
        from services.settlement.rebuild import rebuilt

        disk = self.disks["settlement"]
        data = disk.store._data
        opened = [r for r in data.log if r.type in ("rulebook-activated", "noted")]
        for coup_id, row in disk.rows.items():
            records = data.coups.get(coup_id, [])
            evidence = rebuilt(coup_id, records, [r for r in opened if b"settings" in r.body])
            if whole(row, disk.wagers.get(coup_id, {}).values()) != evidence.story:
                raise Breach(f"the projection of {coup_id} is not what a rebuild gives")
            play = [f for f in evidence.findings if "the cards give" not in f and "follow" not in f]
            if play:
                raise Breach(f"the rebuild of {coup_id} finds {play}")


def _entry(record: Record) -> Entry:
    return Entry(
        record.service,
        record.stream,
        record.version,
        record.position,
        record.previous,
        record.type,
        record.schema_version,
        record.meta,
        record.body,
        record.previous_digest.hex(),
        record.digest.hex(),
        record.published,
    )


def _refused_for_now(request: Request, outcome: Outcome) -> bool:
    """Whether a person was refused who may be the next dealer, of whom the news is under way.

    Round hears of nobody late, and who says in which shift he came is refused for good.
    """
    if outcome.refused is None or request.service == "round" or request.fields.get("shift"):
        return False
    reason, message, _ = outcome.refused
    return reason == "ROLE" and message.startswith("in shift ")
