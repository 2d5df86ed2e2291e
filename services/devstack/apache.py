"""Apache Kafka from its Maven Central artifacts: fetch the jars once, start the broker's class.

Maven resolves `org.apache.kafka:kafka_2.13` with the settings of this machine (mirrors, proxies);
no address of a repository is written here. The jars stay in Maven's local repository, and the list
of their paths in our cache directory, so that later starts need Java only.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import os
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from services.devstack.ports import LOOPBACK

KAFKA_VERSION = "4.3.1"
LOG4J_VERSION = "2.25.4"  # the version that this Kafka brings; only the binding is added
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"
JAVA_VERSION_MIN = 17
JAVA_TIMEOUT_S = 4.0
FORMAT_TIMEOUT_S = 60.0
FETCH_TIMEOUT_S = 600.0
FETCH_TIMEOUT_AUTO_S = 120.0
FETCH_STALL_S = 45.0
POLL_S = 0.05
HEAP = "384m"

POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sabot.devstack</groupId>
  <artifactId>broker</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  {content}
</project>
"""
DEPENDENCIES = f"""\
<dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId>
      <artifactId>kafka_2.13</artifactId>
      <version>{KAFKA_VERSION}</version>
    </dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId>
      <artifactId>log4j-slf4j-impl</artifactId>
      <version>{LOG4J_VERSION}</version>
    </dependency>
  </dependencies>"""
# Importing a POM makes Maven fetch that one small file and needs no plugin.
PROBE = f"""\
<dependencyManagement>
    <dependencies>
      <dependency>
        <groupId>org.apache.kafka</groupId>
        <artifactId>kafka_2.13</artifactId>
        <version>{KAFKA_VERSION}</version>
        <type>pom</type>
        <scope>import</scope>
      </dependency>
    </dependencies>
  </dependencyManagement>"""
MAVEN_OPTIONS = ("--batch-mode", "--strict-checksums", "-Dstyle.color=never")
# Both generations of Maven's transport: a read that gets nothing fails instead of waiting for ever.
TRANSPORT = (
    "-Dmaven.wagon.rto=10000",
    "-Dmaven.wagon.http.retryHandler.count=1",
    "-Daether.connector.connectTimeout=5000",
    "-Daether.connector.requestTimeout=10000",
)

LOGGING = """\
status = error
appender.stdout.type = Console
appender.stdout.name = STDOUT
appender.stdout.layout.type = PatternLayout
appender.stdout.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = warn
rootLogger.appenderRefs = stdout
rootLogger.appenderRef.stdout.ref = STDOUT
logger.server.name = kafka.server.KafkaRaftServer
logger.server.level = info
"""
# One node does everything, so every internal topic has one replica. The buffers and pools are cut
# to a small heap; a crashed broker is taken back after two seconds instead of nine, because no
# other node could take over meanwhile; short group sessions are allowed for tests of failures.
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller_port}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller_port}
advertised.listeners=PLAINTEXT://{host}:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={logs}
auto.create.topics.enable=false
num.partitions=8
offsets.topic.replication.factor=1
offsets.topic.num.partitions=8
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=8
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
broker.session.timeout.ms=2000
broker.heartbeat.interval.ms=500
num.network.threads=2
num.io.threads=4
log.cleaner.dedupe.buffer.size=16777216
log.index.size.max.bytes=1048576
"""


class FetchFailed(RuntimeError):
    """Maven could not bring the files of Apache Kafka."""


class FetchTooSlow(FetchFailed):
    """Maven was not done in the time it was given; with more time it might be."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A formatted instance: what to start and where it keeps its data."""

    command: tuple[str, ...]
    logs: Path


def find_java() -> Path | None:
    """Return the `java` of JAVA_HOME or of the search path."""
    if home := os.environ.get("JAVA_HOME"):
        candidate = Path(home) / "bin" / "java"
        if os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("java")
    return None if found is None else Path(found)


def find_maven() -> Path | None:
    """Return the `mvn` of the search path."""
    found = shutil.which("mvn")
    return None if found is None else Path(found)


def java_version() -> int | None:
    """Return the major version of Java, or `None` where none runs."""
    java = find_java()
    if java is None:
        return None
    try:
        result = subprocess.run(
            (java, "-version"),
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=JAVA_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', result.stderr + result.stdout)
    return None if match is None else int(match.group(1))


def cache_directory() -> Path:
    """Return our directory below the user's cache, or below the temporary one if that is closed."""
    base = os.environ.get("XDG_CACHE_HOME")
    candidates = [Path(base)] if base else []
    with contextlib.suppress(RuntimeError):
        candidates.append(Path.home() / ".cache")
    candidates.append(Path(tempfile.gettempdir()) / f"sabot-cache-{os.geteuid()}")
    for candidate in candidates:
        directory = candidate / "sabot"
        with contextlib.suppress(OSError):
            directory.mkdir(parents=True, exist_ok=True)
            if os.access(directory, os.W_OK):
                return directory
    raise RuntimeError(f"none of these directories can be written: {candidates}")


def _classpath_file() -> Path:
    return cache_directory() / f"kafka-{KAFKA_VERSION}-log4j-{LOG4J_VERSION}.classpath"


def cached_classpath() -> tuple[Path, ...] | None:
    """Return the jars of an earlier fetch if all of them are still there."""
    try:
        jars = tuple(map(Path, _classpath_file().read_text().split(os.pathsep)))
    except OSError:
        return None
    return jars if jars and all(jar.is_file() for jar in jars) else None


def probe_artifacts(timeout_s: float) -> None:
    """Fetch one small file of Kafka's into an empty repository.

    Raises `FetchTooSlow` where it did not come in time, `FetchFailed` where it cannot come.
    """
    with tempfile.TemporaryDirectory(prefix="sabot-maven-") as name:
        directory = Path(name)
        (directory / "pom.xml").write_text(POM.format(content=PROBE))
        options = ("validate", f"-Dmaven.repo.local={directory / 'repository'}")
        _run_maven(options, directory, timeout_s=timeout_s, stall_s=timeout_s)


def fetch_classpath(*, timeout_s: float, report: Callable[[str], None] = print) -> tuple[Path, ...]:
    """Return the jars, from the cache or by Maven; raise `FetchFailed` after the timeout."""
    if (jars := cached_classpath()) is not None:
        return jars
    report(f"broker: fetching Apache Kafka {KAFKA_VERSION} with Maven (once, about 45 MB)")
    with tempfile.TemporaryDirectory(prefix="sabot-maven-") as name:
        directory = Path(name)
        (directory / "pom.xml").write_text(POM.format(content=DEPENDENCIES))
        output = directory / "classpath"
        options = (
            f"{DEPENDENCY_PLUGIN}:build-classpath",
            f"-Dmdep.outputFile={output}",
            "-DincludeScope=runtime",
        )
        _run_maven(options, directory, timeout_s=timeout_s, stall_s=FETCH_STALL_S)
        text = output.read_text().strip()
    target = _classpath_file()
    working = target.with_suffix(f".{os.getpid()}")
    working.write_text(text)
    working.replace(target)
    found = cached_classpath()
    if found is None:
        raise FetchFailed("Maven named jars that are not there")
    return found


def _own_repository() -> tuple[str, ...]:
    """Keep the jars in our cache where Maven cannot write to its usual place.

    Java takes the home directory from the system's list of users and not from HOME.
    """
    usual = Path(pwd.getpwuid(os.geteuid()).pw_dir) / ".m2"
    if os.access(usual if usual.exists() else usual.parent, os.W_OK):
        return ()
    return (f"-Dmaven.repo.local={cache_directory() / 'maven'}",)


def _run_maven(
    options: Sequence[str], directory: Path, *, timeout_s: float, stall_s: float
) -> None:
    maven = find_maven()
    if maven is None:
        raise FetchFailed("no Maven found")
    log = directory / "maven.log"
    repository = _own_repository()
    command = (str(maven), *MAVEN_OPTIONS, *TRANSPORT, *repository, *options)
    with log.open("wb") as output:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=directory,
            start_new_session=True,  # `mvn` is a script: the whole session is ended with it
        )
    try:
        for verdict in _watch(child, log, timeout_s=timeout_s, stall_s=stall_s):
            raise FetchTooSlow(verdict)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
    if child.returncode != 0:
        lines = [line for line in log.read_text(errors="replace").splitlines() if "ERROR" in line]
        said = lines[0].replace("[ERROR] ", "")[:300] if lines else ""
        raise FetchFailed(said or f"Maven ended with {child.returncode}")


def _watch(
    child: subprocess.Popen[bytes], log: Path, *, timeout_s: float, stall_s: float
) -> Iterator[str]:
    """Wait for the child's end; yield what is wrong when it takes too long or says nothing."""
    started = progressed = time.monotonic()
    size = 0
    while child.poll() is None:
        now = time.monotonic()
        if log.stat().st_size != size:
            size, progressed = log.stat().st_size, now
        if now - started > timeout_s:
            yield f"not done after {timeout_s:.0f} s"
        if now - progressed > stall_s:
            yield f"no progress for {stall_s:.0f} s"
        time.sleep(POLL_S)


@functools.cache
def _java_command(jars: tuple[Path, ...]) -> tuple[str, ...]:
    java = find_java()
    if java is None:
        raise RuntimeError(f"BROKER=apache needs a Java of {JAVA_VERSION_MIN} or newer")
    # A short life and a small heap: the simple collector and the quick compiler start fastest.
    flags = (f"-Xmx{HEAP}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
    return (str(java), *flags, "-cp", os.pathsep.join(map(str, jars)))


def prepare(
    root: Path,
    *,
    port: int,
    controller_port: int,
    jars: tuple[Path, ...],
    logins: Mapping[str, str] | None = None,
) -> Server:
    """Write the configuration and, on first use, format the storage of one instance.

    `logins` are passwords by user, for listeners that take SCRAM-SHA-512.
    """
    root.mkdir(parents=True, exist_ok=True)
    logs, properties, logging = (
        root / "logs",
        root / "server.properties",
        root / "log4j2.properties",
    )
    logging.write_text(LOGGING)
    properties.write_text(
        PROPERTIES.format(host=LOOPBACK, port=port, controller_port=controller_port, logs=logs)
    )
    java = _java_command(jars)
    if not (logs / "meta.properties").exists():
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        # A leading dash would be read as an option.
        words = ["format", "--cluster-id", cluster.replace("-", "A"), "--config", str(properties)]
        for user, password in (logins or {}).items():
            words += ["--add-scram", f"SCRAM-SHA-512=[name={user},password={password}]"]
        result = subprocess.run(
            (*java, "kafka.tools.StorageTool", *words),
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=FORMAT_TIMEOUT_S,
        )
        if result.returncode != 0:
            raise RuntimeError(f"formatting Kafka's storage failed:\n{result.stderr[-2000:]}")
    option = f"-Dlog4j2.configurationFile={logging}"
    return Server(command=(java[0], option, *java[1:], "kafka.Kafka", str(properties)), logs=logs)
