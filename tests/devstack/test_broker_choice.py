"""Which broker runs, on every kind of machine, within ten seconds."""

from __future__ import annotations

import dataclasses
import os
import time
from pathlib import Path

import pytest

from services.devstack import apache, brokers
from services.devstack.__main__ import main
from services.devstack.brokers import (
    BrokerKind,
    EmbeddedBroker,
    ExternalBroker,
    choose_broker,
    make_broker,
)
from services.devstack.stack import Stack

REFUSED = apache.FetchFailed("Unknown host")
SLOW = apache.FetchTooSlow("not done after 9 s")


@dataclasses.dataclass
class Machine:
    """A machine with these answers; it remembers what it was asked."""

    java: int | None = 17
    has_maven: bool = True
    has_files: bool = False
    failure: Exception | None = None
    asked: list[str] = dataclasses.field(default_factory=list)

    def java_version(self) -> int | None:
        self.asked.append("java")
        return self.java

    def maven(self) -> bool:
        self.asked.append("maven")
        return self.has_maven

    def cached(self) -> bool:
        self.asked.append("cached")
        return self.has_files

    def probe_artifacts(self, timeout_s: float) -> None:
        self.asked.append("artifacts")
        assert 0 < timeout_s < brokers.CHOICE_BUDGET_S
        if self.failure is not None:
            raise self.failure


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BROKER", raising=False)
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)


@pytest.mark.parametrize(
    ("machine", "kind", "reason"),
    [
        (Machine(java=None), "embedded", "no Java"),
        (Machine(java=11, has_files=True), "embedded", "Java 11 is older than 17"),
        (Machine(has_files=True), "apache", "cached"),
        (Machine(java=25, has_files=True, has_maven=False, failure=SLOW), "apache", "cached"),
        (Machine(has_maven=False), "embedded", "no Maven"),
        (Machine(), "apache", "can be fetched"),
        (Machine(failure=REFUSED), "embedded", "cannot be fetched now: Unknown host"),
        (Machine(failure=SLOW), "embedded", "within the 10 s"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_auto_takes_apache_where_it_can_run(machine: Machine, kind: str, reason: str) -> None:
    """Apache needs Java 17 and its files, from the cache or by Maven; else embedded."""
    choice = choose_broker("auto", probes=machine)
    assert choice.kind == kind
    assert reason in choice.reason


def test_cached_files_are_used_without_asking_the_network() -> None:
    """A machine that has the files works offline."""
    machine = Machine(has_files=True)
    choose_broker(probes=machine)
    assert "artifacts" not in machine.asked


@pytest.mark.parametrize("kind", ["external", "apache", "embedded"])
def test_a_named_broker_is_not_discussed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """BROKER decides without a probe, in any case of letters."""
    machine = Machine(java=None)
    monkeypatch.setenv("BROKER", kind.upper())
    assert choose_broker(probes=machine).kind == kind
    assert machine.asked == []


@pytest.mark.parametrize(("word", "problem"), [("redpanda", "is unknown"), ("external", "needs")])
def test_a_stack_is_refused_before_anything_of_it_is_there(
    word: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No PostgreSQL is started, and no file is written, for a broker that cannot be had."""
    monkeypatch.delenv("KAFKA_BOOTSTRAP_SERVERS", raising=False)
    with pytest.raises(ValueError, match=problem):
        Stack(tmp_path / "new", broker=word)
    assert main(["--directory", str(tmp_path / "up"), "up", "--broker", word]) == 1
    assert {each.name for each in tmp_path.rglob("*")} <= {"up", "devstack.lock"}


def test_an_unknown_broker_is_refused() -> None:
    """A typing error does not start something else."""
    with pytest.raises(ValueError, match="choose one of auto, external, apache, embedded"):
        choose_broker("redpanda")


def test_one_line_says_what_runs_and_how_to_choose() -> None:
    """The sentence names the broker, its address, the reason and the alternatives."""
    line = choose_broker("auto", probes=Machine(java=None)).sentence("127.0.0.1:9092")
    assert "\n" not in line
    for part in ("noida-db", "127.0.0.1:9092", "no Java found", "BROKER=external|apache"):
        assert part in line


def test_external_needs_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """`external` says what it is missing, and takes it from the environment."""
    with pytest.raises(ValueError, match="KAFKA_BOOTSTRAP_SERVERS"):
        make_broker("external")
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", "kafka.example:9092")
    broker, choice = make_broker("external")
    assert isinstance(broker, ExternalBroker)
    assert choice.kind is BrokerKind.EXTERNAL
    assert broker.bootstrap_servers == "kafka.example:9092"
    with pytest.raises(RuntimeError, match="not ours to delete"):
        broker.delete_data()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty search path and an empty cache, to be filled with fake programs."""
    directory = tmp_path / "bin"
    directory.mkdir()
    monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return directory


def program(directory: Path, name: str, text: str) -> None:
    path = directory / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


JAVA_17 = "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2"
JAVA_8 = "echo 'java version \"1.8.0_402\"' >&2"


@pytest.mark.parametrize(
    ("text", "version"), [(JAVA_17, 17), (JAVA_8, 8), ("exit 1", None), ("echo nonsense", None)]
)
def test_the_version_of_java_is_read(programs: Path, text: str, version: int | None) -> None:
    """Old and new ways of writing the version are understood, and no version is no Java."""
    program(programs, "java", text)
    assert apache.java_version() == version


def test_the_probe_of_a_silent_network_ends_in_time(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java and Maven are there, but the artifacts do not come: embedded, within the budget."""
    program(programs, "java", JAVA_17)
    program(programs, "mvn", "sleep 60")
    monkeypatch.setattr(brokers, "CHOICE_BUDGET_S", 1.6)
    began = time.monotonic()
    choice = choose_broker("auto")
    assert time.monotonic() - began < 1.6
    assert choice.kind is BrokerKind.EMBEDDED
    assert "cannot be fetched" not in choice.reason, "nobody knows: it only took too long"
    assert "within the 1.6 s" in choice.reason
    assert "BROKER=apache waits for it" in choice.reason


def test_the_probe_of_a_refusing_network_is_quick(programs: Path) -> None:
    """An error of Maven's is an answer too."""
    program(programs, "java", JAVA_17)
    program(programs, "mvn", "echo '[ERROR] Unknown host'; exit 1")
    choice = choose_broker("auto")
    assert choice.kind is BrokerKind.EMBEDDED
    assert choice.reason == "Apache Kafka cannot be fetched now: Unknown host"


def probe_succeeds_then(text: str) -> str:
    return f'case "$*" in *validate*) exit 0 ;; esac\n{text}'


def test_a_fetch_that_stalls_falls_back_and_says_so(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apache was chosen, its files stop coming: the embedded broker takes over, in words."""
    program(programs, "java", JAVA_17)
    program(programs, "mvn", probe_succeeds_then("sleep 60"))
    monkeypatch.setattr(apache, "FETCH_STALL_S", 0.3)
    lines: list[str] = []
    broker, choice = make_broker("auto", report=lines.append)
    broker.close()
    assert isinstance(broker, EmbeddedBroker)
    assert choice.kind is BrokerKind.EMBEDDED
    assert any("no progress" in line and "falling back" in line for line in lines)


def test_apache_by_name_does_not_fall_back(programs: Path) -> None:
    """Who asks for Apache Kafka gets it or an error."""
    program(programs, "java", JAVA_17)
    program(programs, "mvn", "echo '[ERROR] Unknown host'; exit 1")
    with pytest.raises(apache.FetchFailed, match="Unknown host"):
        make_broker("apache", report=lambda _: None)


def test_fetched_files_are_cached(programs: Path, tmp_path: Path) -> None:
    """Maven runs once; a file that has gone since makes it run again."""
    jars = [tmp_path / "a.jar", tmp_path / "b.jar"]
    for jar in jars:
        jar.touch()
    text = f"""for word in "$@"; do case "$word" in
-Dmdep.outputFile=*) printf '{os.pathsep.join(map(str, jars))}' > "${{word#*=}}" ;; esac; done"""
    program(programs, "mvn", text)
    assert apache.cached_classpath() is None
    assert apache.fetch_classpath(timeout_s=10, report=lambda _: None) == tuple(jars)
    program(programs, "mvn", "exit 1")
    assert apache.fetch_classpath(timeout_s=10) == tuple(jars)
    jars[0].unlink()
    assert apache.cached_classpath() is None


def test_nothing_of_a_fetch_survives_it(programs: Path, tmp_path: Path) -> None:
    """A fetch that is given up takes the processes of the `mvn` script with it."""
    mark = tmp_path / "survived"
    program(programs, "mvn", f"(sleep 1; touch {mark}) & wait")
    with pytest.raises(apache.FetchFailed, match="not done after"):
        apache.fetch_classpath(timeout_s=0.2, report=lambda _: None)
    time.sleep(1.2)
    assert not mark.exists()
