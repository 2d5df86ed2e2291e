"""What the code relies on, on the broker of this run, and what each local broker keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.errors import KafkaError

from services.devstack.brokers import (
    Broker,
    BrokerKind,
    administration,
    build_broker,
    create_topics,
    wait_until_answering,
)
from services.devstack.ports import free_port
from tests.support.broker import MakeTopic, chosen_kind

pytestmark = [pytest.mark.integration, pytest.mark.timeout(180)]


@pytest.fixture
def own_broker() -> Iterator[Broker]:
    """A broker of this test's own, to be stopped and killed."""
    if chosen_kind() is BrokerKind.EXTERNAL:
        pytest.skip("somebody else's broker is not stopped")
    with build_broker(chosen_kind()) as broker:
        yield broker


async def publish(servers: str, topic: str, values: range) -> None:
    async with AIOKafkaProducer(bootstrap_servers=servers, enable_idempotence=True) as producer:
        for value in values:
            await producer.send_and_wait(topic, b"%d" % value, key=b"table-1")


async def read(servers: str, topic: str, count: int) -> list[int]:
    consumer = AIOKafkaConsumer(topic, bootstrap_servers=servers, auto_offset_reset="earliest")
    async with consumer:
        return [int((await consumer.getone()).value) for _ in range(count)]


async def end_of(servers: str, topic: str, partitions: int) -> int:
    async with AIOKafkaConsumer(bootstrap_servers=servers) as consumer:
        offsets = await consumer.end_offsets([TopicPartition(topic, n) for n in range(partitions)])
    return sum(offsets.values())


async def test_topics_are_created_once_with_their_partitions(bootstrap_servers: str) -> None:
    """Creating again is no error and changes nothing."""
    names = ["test.create.one", "test.create.two"]
    assert await create_topics(bootstrap_servers, names[:1], partitions=3) == ("test.create.one",)
    assert await create_topics(bootstrap_servers, names, partitions=5) == ("test.create.two",)
    async with administration(bootstrap_servers) as client:
        found = {t["topic"]: len(t["partitions"]) for t in await client.describe_topics(names)}
    assert found == {"test.create.one": 3, "test.create.two": 5}


async def test_an_idempotent_producer_keeps_the_order_of_a_key(
    bootstrap_servers: str, make_topic: MakeTopic
) -> None:
    """Records of one table come out as they went in."""
    topic = await make_topic()
    await publish(bootstrap_servers, topic, range(50))
    assert await read(bootstrap_servers, topic, 50) == list(range(50))


async def test_two_members_share_the_partitions_and_one_takes_over(
    bootstrap_servers: str, make_topic: MakeTopic
) -> None:
    """Partitions are split between two members of a group and come back when one leaves."""
    topic = await make_topic(partitions=4)

    def member() -> AIOKafkaConsumer:
        return AIOKafkaConsumer(
            topic,
            bootstrap_servers=bootstrap_servers,
            group_id=topic,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            heartbeat_interval_ms=300,
            metadata_max_age_ms=1_000,
        )

    async def settle(*members: AIOKafkaConsumer, shares: list[int]) -> None:
        async with asyncio.timeout(20):
            while [len(m.assignment()) for m in members] != shares:
                await asyncio.gather(*(m.getmany(timeout_ms=100) for m in members))

    first, second = member(), member()
    async with first:
        await settle(first, shares=[4])
        async with second:
            await settle(first, second, shares=[2, 2])
        await settle(first, shares=[4])


async def test_committed_offsets_are_where_a_group_goes_on(
    bootstrap_servers: str, make_topic: MakeTopic
) -> None:
    """What a group committed is not read again."""
    topic = await make_topic(partitions=1)
    await publish(bootstrap_servers, topic, range(10))
    options = {
        "bootstrap_servers": bootstrap_servers,
        "group_id": topic,
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
    }
    async with AIOKafkaConsumer(topic, **options) as consumer:
        for _ in range(4):
            await consumer.getone()
        await consumer.commit()
    async with AIOKafkaConsumer(topic, **options) as consumer:
        assert int((await consumer.getone()).value) == 4


async def test_a_restart_in_order_keeps_everything(own_broker: Broker) -> None:
    """Topics and records are there after stop and start, at the same address."""
    servers = own_broker.bootstrap_servers
    await create_topics(servers, ["kept"], partitions=2)
    await publish(servers, "kept", range(20))
    await asyncio.to_thread(own_broker.stop)
    await asyncio.to_thread(own_broker.start)
    assert own_broker.bootstrap_servers == servers
    assert await create_topics(servers, ["kept"], partitions=2) == ()
    assert await read(servers, "kept", 20) == list(range(20))


async def test_wiped_data_are_gone(own_broker: Broker) -> None:
    """A broker that lost its disk starts empty."""
    servers = own_broker.bootstrap_servers
    await create_topics(servers, ["lost"])
    await asyncio.to_thread(own_broker.stop)
    own_broker.delete_data()
    await asyncio.to_thread(own_broker.start)
    assert await create_topics(servers, ["lost"]) == ("lost",)


async def test_a_killed_broker_comes_back(own_broker: Broker) -> None:
    """After SIGKILL the broker starts, and a new producer can send."""
    servers = own_broker.bootstrap_servers
    await create_topics(servers, ["crash"], partitions=1)
    await publish(servers, "crash", range(20))
    await asyncio.to_thread(own_broker.kill)
    await asyncio.to_thread(own_broker.start)
    await create_topics(servers, ["crash"], partitions=1)
    await publish(servers, "crash", range(20, 25))
    assert await end_of(servers, "crash", 1) >= 5


@pytest.mark.apache
async def test_apache_keeps_what_it_acknowledged_before_a_kill(own_broker: Broker) -> None:
    """No acknowledged record is lost with the process, and a producer can go on."""
    servers = own_broker.bootstrap_servers
    await create_topics(servers, ["crash"], partitions=1)
    async with AIOKafkaProducer(bootstrap_servers=servers, enable_idempotence=True) as producer:
        for value in range(20):
            await producer.send_and_wait("crash", b"%d" % value, key=b"k")
        await asyncio.to_thread(own_broker.kill)
        await asyncio.to_thread(own_broker.start)
        await producer.send_and_wait("crash", b"20", key=b"k")
    assert await read(servers, "crash", 21) == list(range(21))


@pytest.mark.apache
async def test_apache_refuses_a_topic_that_was_not_created(bootstrap_servers: str) -> None:
    """Nothing creates topics by accident, as in production."""
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap_servers, request_timeout_ms=2_000)
    async with producer:
        with pytest.raises(KafkaError):
            await producer.send_and_wait("never.created", b"x")


async def test_a_silent_port_is_reported() -> None:
    """Waiting for a broker that is not there ends with its address."""
    with pytest.raises(TimeoutError, match="no Kafka answers at"):
        await wait_until_answering(f"127.0.0.1:{free_port()}", 0.3)
