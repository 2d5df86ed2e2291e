"""Names on the message broker, in one place: topics, dead letters, groups, and how many partitions.

All event types of a service go to one topic, keyed by stream; with a topic per type the order of a
stream would be lost.
"""

from __future__ import annotations

PREFIX = "sabot."
SUFFIX = ".events"
DEAD_LETTER_SUFFIX = ".dlq"

PARTITIONS_PER_TOPIC = 12
"""Partitions of a topic that we create. It never changes while the topic lives: a key would move to
another partition, and the records of its stream would be read in two places at once. Twelve divides
evenly among two, three, four and six replicas."""

DEAD_LETTER_PARTITIONS = 1
"""Dead letters are few, read by people, and best read in one order."""


def topic(service: str) -> str:
    """The topic of everything that `service` publishes."""
    return f"{PREFIX}{service}{SUFFIX}"


def service_of(topic_name: str) -> str:
    """The service that publishes to a topic; the inverse of `topic`."""
    service = topic_name.removeprefix(PREFIX).removesuffix(SUFFIX)
    if topic(service) != topic_name:
        raise ValueError(f"{topic_name!r} is not the name of an event topic")
    return service


def dead_letter_topic(topic_name: str) -> str:
    """Where records of a topic go that cannot be handled."""
    return f"{topic_name}{DEAD_LETTER_SUFFIX}"


def consumer_group(service: str) -> str:
    """The group in which all replicas of a service share the partitions of what they hear."""
    return service
