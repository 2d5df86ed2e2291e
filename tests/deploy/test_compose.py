"""Image and compose files hold what they promise, and each check sees its fault."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.deploy import compose, tools
from tests.deploy.compose import Model
from tests.deploy.support import need

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model() -> Model:
    """The compose file as Compose reads it."""
    need("docker-compose")
    return compose.read(compose.BASE)


@pytest.mark.parametrize("files", compose.STACKS)
def test_the_stack_fits_the_services(files: tuple[Path, ...]) -> None:
    """Settings, ports, databases, topics, health and grace periods."""
    need("docker-compose")
    assert list(compose.faults(compose.read(files))) == []


def test_the_wallet_of_the_stack_is_the_one_that_wager_calls() -> None:
    """Its address is the one that the simulator listens on, and both know the secret."""
    need("docker-compose")
    services = compose.read(compose.WITH_WALLET)["services"]
    told, wallet = services["wager"]["environment"], services["wallet"]
    port = wallet["command"][wallet["command"].index("--port") + 1]
    assert told["SABOT_WALLET_URL"] == f"http://127.0.0.1:{port}"
    assert told["SABOT_WALLET_SECRET"] == wallet["environment"]["SABOT_WALLET_SECRET"]
    assert told["SABOT_WALLET_KIND"] == "http"


def test_the_image_file_passes_its_linter() -> None:
    """Two stages, pinned, by hash, not as root."""
    need("hadolint")
    result = tools.run("hadolint", "deploy/Dockerfile")
    assert result.returncode == 0, result.stdout
    text = (compose.DEPLOY / "Dockerfile").read_text()
    assert "@sha256:" in text
    assert text.count("--require-hashes") == 2
    assert "\nUSER 10001:10001\n" in text
    assert '\nENTRYPOINT ["python", "-m"]\n' in text


def test_compose_refuses_a_variable_that_nobody_set(tmp_path: Path) -> None:
    """Compose itself is asked, and not only our reading of the file."""
    need("docker-compose")
    wrong = tmp_path / "compose.yaml"
    text = (compose.DEPLOY / "compose.yaml").read_text()
    wrong.write_text(text.replace("127.0.0.1:29092\n", "${NOWHERE:?is not set}\n", 1))
    with pytest.raises(compose.Unreadable, match="NOWHERE"):
        compose.read([wrong])


def _misspelt(services: Model) -> None:
    services["round"]["environment"]["SABOT_GRPC_PROT"] = "1"


def _without_database(services: Model) -> None:
    del services["wager"]["environment"]["SABOT_DATABASE_URL"]


def _other_database(services: Model) -> None:
    services["wager"]["environment"]["SABOT_DATABASE_URL"] = "postgresql://u@h/sabot_wagers"


def _as_owner(services: Model) -> None:
    services["wager"]["environment"]["SABOT_DATABASE_URL"] = "postgresql://postgres@h/sabot_wager"


def _as_another(services: Model) -> None:
    services["wager"]["environment"]["SABOT_DATABASE_URL"] = "postgresql://sabot_shoe@h/sabot_wager"


def _rights_for_nobody(services: Model) -> None:
    del services["migrate-wager"]["environment"]["SABOT_DATABASE_SERVICE_ROLE"]


def _without_tag(services: Model) -> None:
    services["round"]["image"] = "sabot"


def _same_port(services: Model) -> None:
    services["round"]["environment"]["SABOT_HEALTH_PORT"] = "50061"


def _impatient(services: Model) -> None:
    services["settlement"]["stop_grace_period"] = "30s"


def _open_to_all(services: Model) -> None:
    services["round"]["ports"] = [{"target": 50052, "published": "50052"}]


def _fewer_partitions(services: Model) -> None:
    script = services["topics"]["command"][0]
    services["topics"]["command"] = [script.replace('events" 12', 'events" 6')]


def _calls_another(services: Model) -> None:
    services["console"]["environment"]["SABOT_WAGER_TARGET"] = "127.0.0.1:50054"


def _console_misspelt(services: Model) -> None:
    services["console"]["environment"]["SABOT_CONSOLE_PROT"] = "1"


def _writable(services: Model) -> None:
    services["shoe"]["read_only"] = False


@pytest.mark.parametrize(
    ("plant", "seen"),
    [
        (_misspelt, "round: SABOT_GRPC_PROT is not a setting of this service"),
        (_without_database, "wager: SABOT_DATABASE_URL: is missing"),
        (_other_database, "wager: nobody creates the database sabot_wagers"),
        (_as_owner, "wager: logs in as postgres, not as a user of its own"),
        (_as_another, "wager: logs in as sabot_shoe, not as a user of its own"),
        (_rights_for_nobody, "migrate-wager: does not give its rights to sabot_wager"),
        (_without_tag, "round: the image sabot has no version"),
        (_same_port, "port 50061 is taken 2 times"),
        (_impatient, "settlement: is killed after 30 s"),
        (_open_to_all, "round: port 50052 is open to other machines"),
        (_fewer_partitions, "topics: sabot.shoe.events with 12 partitions is missing"),
        (_calls_another, "console: does not call wager at port 50053"),
        (_console_misspelt, "console: SABOT_CONSOLE_PROT is not a setting"),
        (_writable, "shoe: is not read-only without capabilities"),
    ],
)
def test_a_planted_fault_is_seen(model: Model, plant: Callable[[Model], None], seen: str) -> None:
    """Every check is shown to find what it looks for."""
    faulty = copy.deepcopy(model)
    plant(faulty["services"])
    assert any(fault.startswith(seen) for fault in compose.faults(faulty)), seen


def test_a_missing_user_for_the_proof_is_seen(model: Model) -> None:
    """Who proves the logs is made where the services' users are."""
    faulty = copy.deepcopy(model)
    databases = faulty["configs"]["databases"]
    databases["content"] = databases["content"].replace("sabot_anchors", "sabot_anchor")
    assert "databases: nobody creates sabot_anchors, who proves the logs" in compose.faults(faulty)


def test_the_collectors_pipelines_name_what_is_defined() -> None:
    """A misspelt exporter would stop the collector at its start."""
    text = (compose.DEPLOY / "observability" / "collector.yaml").read_text()
    assert list(compose.collector_faults(text)) == []
    wrong = text.replace("exporters: [otlp/jaeger]", "exporters: [otlp/jeager]")
    assert list(compose.collector_faults(wrong)) == [
        "exporters: otlp/jeager is not defined",
        "exporters: otlp/jaeger is in no pipeline",
    ]
