"""The manifests fit the code, and each check sees the fault that it looks for."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest

from services.devstack.brokers import SERVICES
from tests.deploy import kubernetes, manifests, provided, tools
from tests.deploy.manifests import Manifest, container_of, containers_of, documents, pod_of, title
from tests.deploy.support import need

pytestmark = pytest.mark.slow

Tree = dict[str, Manifest]
"""The objects of the combination that holds every component but one, by kind and name."""


@functools.cache
def _whole() -> tuple[Manifest, ...]:
    return tuple(documents(manifests.built(kubernetes.WHOLE)))


@pytest.mark.parametrize("target", manifests.targets())
def test_a_combination_fits_the_code(target: str) -> None:
    """Custom resources, security, references, settings, topics, users, network, sums."""
    need("kubectl")
    assert list(kubernetes.faults(documents(manifests.built(target)))) == []


def test_the_example_for_argo_fits_its_schema() -> None:
    """It is applied as it stands."""
    objects = manifests.examples()
    assert {each["kind"] for each in objects} == {"AppProject", "Application"}
    assert list(kubernetes._of_schemas(objects)) == []
    (application,) = manifests.of_kind(objects, "Application")
    assert (tools.ROOT / application["spec"]["source"]["path"]).is_dir()


def test_every_component_is_in_a_combination_that_is_built() -> None:
    """What nobody builds rots."""
    texts = [(manifests.K8S / t / "kustomization.yaml").read_text() for t in manifests.targets()]
    folders = {folder.name for folder in (manifests.K8S / "components").iterdir()}
    assert folders == {f for f in folders if any(f"components/{f}" in text for text in texts)}


def test_the_vault_gives_what_no_operator_makes() -> None:
    """The list of Secrets that a platform has to give is complete, and in the instructions."""
    need("kubectl")
    external = {
        item["spec"]["target"]["name"]: provided.keys_of(item)
        for item in manifests.of_kind(_whole(), "ExternalSecret")
    }
    assert external == dict(provided.GIVEN)
    told = (tools.ROOT / "docs" / "operations" / "install.md").read_text()
    for name, keys in provided.GIVEN.items():
        assert f"`{name}`" in told
        assert all(f"`{key}`" in told for key in keys), name


def test_the_image_is_replaced_by_the_name_that_the_instructions_say() -> None:
    """Every container of ours, the console's too, bears it in the built tree."""
    need("kubectl")
    told = (tools.ROOT / "docs" / "operations" / "install.md").read_text()
    name = told.partition("kustomize edit set image ")[2].partition("=")[0]
    ours = [w for w in manifests.of_kind(_whole(), *manifests.WORKLOADS) if manifests.is_ours(w)]
    assert len(ours) > len(SERVICES)
    assert {container_of(w)["image"].rpartition(":")[0] for w in ours} == {name}


# Faults, planted one at a time


def _variables(tree: Tree, name: str) -> dict[str, Manifest]:
    return {variable["name"]: variable for variable in container_of(tree[name])["env"]}


def _platform(tree: Tree) -> dict[str, str]:
    (found,) = [each for name, each in tree.items() if name.startswith("ConfigMap/platform-")]
    data: dict[str, str] = found["data"]
    return data


def _misspelt_resource(tree: Tree) -> None:
    spec = tree["KafkaTopic/sabot.round.events"]["spec"]
    spec["partitons"] = spec.pop("partitions")
    spec["partitions"] = 12


def _number_for_text(tree: Tree) -> None:
    tree["ScaledObject/round-worker"]["spec"]["triggers"][0]["metadata"]["lagThreshold"] = 2000


def _unserved_version(tree: Tree) -> None:
    tree["KafkaUser/round-kafka"]["apiVersion"] = "kafka.strimzi.io/v1beta2"


def _missing_acl(tree: Tree) -> None:
    tree["KafkaUser/wager-kafka"]["spec"]["authorization"]["acls"].pop(1)


def _too_much(tree: Tree) -> None:
    tree["KafkaUser/shoe-kafka"]["spec"]["authorization"]["acls"][0]["operations"].append("Delete")


def _watcher_reads(tree: Tree) -> None:
    tree["KafkaUser/keda"]["spec"]["authorization"]["acls"][0]["operations"].append("Read")


def _missing_topic(tree: Tree) -> None:
    del tree["KafkaTopic/sabot.wager.events.dlq"]


def _fewer_partitions(tree: Tree) -> None:
    tree["KafkaTopic/sabot.round.events"]["spec"]["partitions"] = 6


def _compacted(tree: Tree) -> None:
    tree["KafkaTopic/sabot.round.events"]["spec"]["config"]["cleanup.policy"] = "compact"


def _other_group(tree: Tree) -> None:
    trigger = tree["ScaledObject/round-worker"]["spec"]["triggers"][0]
    trigger["metadata"]["consumerGroup"] = "rounds"


def _wrong_selector(tree: Tree) -> None:
    tree["Service/round-worker"]["spec"]["selector"]["app.kubernetes.io/component"] = "workers"


def _wrong_port(tree: Tree) -> None:
    tree["Service/round-query"]["spec"]["ports"][0]["targetPort"] = "grcp"


def _other_port_behind_headless(tree: Tree) -> None:
    tree["Service/round-query"]["spec"]["ports"][0]["port"] = 443


def _wrong_budget(tree: Tree) -> None:
    tree["PodDisruptionBudget/wager-worker"]["spec"]["selector"] = {"matchLabels": {"a": "b"}}


def _wrong_monitor(tree: Tree) -> None:
    tree["ServiceMonitor/sabot"]["spec"]["endpoints"][0]["port"] = "prometheus"


def _wrong_scaler(tree: Tree) -> None:
    spec = tree["HorizontalPodAutoscaler/round-query"]["spec"]
    spec["scaleTargetRef"]["name"] = "round-queries"


def _fixed_and_scaled(tree: Tree) -> None:
    tree["Deployment/round-query"]["spec"]["replicas"] = 2


def _no_account(tree: Tree) -> None:
    del tree["ServiceAccount/shoe-service"]


def _probe_at_calls(tree: Tree) -> None:
    container_of(tree["StatefulSet/round-worker"])["readinessProbe"]["grpc"]["port"] = 50051


def _probe_for_nobody(tree: Tree) -> None:
    container_of(tree["StatefulSet/round-worker"])["startupProbe"]["grpc"]["service"] = "start"


def _without_version(tree: Tree) -> None:
    container_of(tree["Deployment/shoe-query"])["image"] = "registry.example.com:5000/sabot"


def _as_root(tree: Tree) -> None:
    pod_of(tree["StatefulSet/shoe-worker"])["securityContext"]["runAsUser"] = 0


def _writable(tree: Tree) -> None:
    container = container_of(tree["StatefulSet/shoe-worker"])
    container["securityContext"]["readOnlyRootFilesystem"] = False


def _host_network(tree: Tree) -> None:
    pod_of(tree["StatefulSet/shoe-worker"])["hostNetwork"] = True


def _without_limit(tree: Tree) -> None:
    del container_of(tree["StatefulSet/shoe-worker"])["resources"]["limits"]["memory"]


def _open_namespace(tree: Tree) -> None:
    labels = tree["Namespace/sabot"]["metadata"]["labels"]
    labels["pod-security.kubernetes.io/enforce"] = "baseline"


def _missing_variable(tree: Tree) -> None:
    del _platform(tree)["SABOT_AUTH_ISSUER"]


def _misspelt_variable(tree: Tree) -> None:
    _platform(tree)["SABOT_GRPC_HSOT"] = "0.0.0.0"


def _stray_variable(tree: Tree) -> None:
    _platform(tree)["KAFKA_SERVERS"] = "b:9093"


def _on_loopback(tree: Tree) -> None:
    del _platform(tree)["SABOT_HEALTH_HOST"]


def _test_tables(tree: Tree) -> None:
    _platform(tree)["SABOT_ALLOW_TEST_TABLES"] = "true"


def _believed_callers(tree: Tree) -> None:
    _platform(tree)["SABOT_AUTH_MODE"] = "development"


def _plain_and_encrypted(tree: Tree) -> None:
    _platform(tree)["SABOT_GRPC_PLAINTEXT"] = "true"


def _other_broker(tree: Tree) -> None:
    _platform(tree)["SABOT_KAFKA_BOOTSTRAP_SERVERS"] = "kafka-bootstrap:9093"


def _no_sealing_key(tree: Tree) -> None:
    env = container_of(tree["StatefulSet/shoe-worker"])["env"]
    env.remove(_variables(tree, "StatefulSet/shoe-worker")["SABOT_SEALING_KEY_FILE"])


def _credits_to_nobody(tree: Tree) -> None:
    _variables(tree, "StatefulSet/settlement-worker")["SABOT_WALLET_TARGET"]["value"] = "wager:1"


def _worker_as_query(tree: Tree) -> None:
    _variables(tree, "StatefulSet/round-worker")["SABOT_ROLE"]["value"] = "query"


def _no_secret(tree: Tree) -> None:
    del tree["ExternalSecret/sabot-auth-keys"]


def _other_key(tree: Tree) -> None:
    volumes = pod_of(tree["StatefulSet/round-worker"])["volumes"]
    volumes[1]["projected"]["sources"][0]["secret"]["items"][0]["key"] = "url"


def _source(tree: Tree, name: str) -> dict[str, str]:
    source: dict[str, str] = pod_of(tree[name])["volumes"][1]["projected"]["sources"][0]["secret"]
    return source


def _worker_as_owner(tree: Tree) -> None:
    _source(tree, "StatefulSet/round-worker")["name"] = "round-db-app"


def _query_as_owner(tree: Tree) -> None:
    _source(tree, "Deployment/wager-query")["name"] = "wager-db-app"


def _migration_without_tables(tree: Tree) -> None:
    _source(tree, "Job/shoe-migration")["name"] = "shoe-db-service"


def _rights_for_nobody(tree: Tree) -> None:
    _variables(tree, "Job/shoe-migration")["SABOT_DATABASE_SERVICE_ROLE"]["value"] = "sabot_shoe"


def _address_of_the_owner(tree: Tree) -> None:
    made = tree["ExternalSecret/shoe-db-service"]["spec"]["target"]["template"]["data"]
    made["uri"] = made["uri"].replace("sabot_shoe_service", "sabot_shoe")


def _impatient(tree: Tree) -> None:
    pod_of(tree["StatefulSet/settlement-worker"])["terminationGracePeriodSeconds"] = 60


def _hasty(tree: Tree) -> None:
    _platform(tree)["SABOT_GRACE_PERIOD_S"] = "30"


def _no_way_to_the_database(tree: Tree) -> None:
    del tree["NetworkPolicy/round-database"]


def _no_names(tree: Tree) -> None:
    del tree["NetworkPolicy/broker"]


def _open_to_all(tree: Tree) -> None:
    tree["NetworkPolicy/calls"]["spec"]["ingress"].append({"ports": [{"port": 50051}]})


def _other_database(tree: Tree) -> None:
    rule = tree["NetworkPolicy/shoe-database"]["spec"]["egress"][0]
    rule["to"].append({"podSelector": {}})
    ingress = tree["NetworkPolicy/round-db"]["spec"]["ingress"]
    ingress.append({"from": [{"podSelector": {}}], "ports": [{"port": 5432}]})


def _no_way_to_the_wallet(tree: Tree) -> None:
    del tree["NetworkPolicy/wallet"]


def _anywhere(tree: Tree) -> None:
    (rule,) = tree["NetworkPolicy/wallet"]["spec"]["egress"]
    rule["to"] = [{"ipBlock": {"cidr": "0.0.0.0/0"}}]


def _short_secret(tree: Tree) -> None:
    del _variables(tree, "StatefulSet/wager-worker")["SABOT_WALLET_SECRET_FILE"]["value"]


def _console(tree: Tree) -> dict[str, Manifest]:
    return _variables(tree, "Deployment/console")


def _stray_target(tree: Tree) -> None:
    _console(tree)["SABOT_QUERY_TARGET"]["value"] = "dns:///settlement-worker.sabot.svc:50051"


def _console_of_anybody(tree: Tree) -> None:
    _console(tree)["SABOT_CONSOLE_HOSTS"]["value"] = ""


def _unready_console(tree: Tree) -> None:
    probe = container_of(tree["Deployment/console"])["readinessProbe"]["httpGet"]
    probe["path"] = "/health/live"


def _console_without_a_way(tree: Tree) -> None:
    del tree["NetworkPolicy/console-queries"]


def _too_many_connections(tree: Tree) -> None:
    tree["HorizontalPodAutoscaler/round-query"]["spec"]["maxReplicas"] = 20


def _too_small_a_share(tree: Tree) -> None:
    tree["ResourceQuota/namespace"]["spec"]["hard"]["pods"] = "20"


def _unnamed_certificate(tree: Tree) -> None:
    tree["Certificate/wager"]["spec"]["dnsNames"].remove("wager-worker")


def _no_cluster(tree: Tree) -> None:
    tree["ScheduledBackup/round-db"]["spec"]["cluster"]["name"] = "rounds-db"


def _key_in_a_service(tree: Tree) -> None:
    volume = {"name": "anchors", "secret": {"secretName": "anchors-key"}}
    pod_of(tree["StatefulSet/round-worker"])["volumes"].append(volume)


def _logs_for_a_service(tree: Tree) -> None:
    source = {"secretKeyRef": {"name": "anchors-db", "key": "shoe"}}
    env = container_of(tree["Deployment/wager-query"])["env"]
    env.append({"name": "SABOT_DATABASE_URL", "valueFrom": source})


def _proof(tree: Tree, number: int) -> Manifest:
    return containers_of(tree["CronJob/anchors"])[number]


def _signed_unseen(tree: Tree) -> None:
    del pod_of(tree["CronJob/anchors"])["initContainers"]


def _two_writers(tree: Tree) -> None:
    tree["CronJob/anchors"]["spec"]["concurrencyPolicy"] = "Allow"


def _key_before_the_check(tree: Tree) -> None:
    _proof(tree, 0)["volumeMounts"].append({"name": "key", "mountPath": "/secrets/key"})


def _misspelt_option(tree: Tree) -> None:
    _proof(tree, 1)["args"][3] = "--bok"


def _no_such_key(tree: Tree) -> None:
    _proof(tree, 1)["args"][-1] = "/secrets/key/key.pem"


def _log_left_out(tree: Tree) -> None:
    _proof(tree, 0)["env"].pop(1)


def _no_book(tree: Tree) -> None:
    del tree["PersistentVolumeClaim/anchors"]


def _nobody_proves(tree: Tree) -> None:
    del tree["DatabaseRole/shoe-anchors"]


def _any_server(tree: Tree) -> None:
    made = tree["ExternalSecret/anchors-db"]["spec"]["target"]["template"]["data"]
    made["round"] = made["round"].replace("round.crt", "shoe.crt")


def _no_way_to_the_logs(tree: Tree) -> None:
    del tree["NetworkPolicy/anchors-databases"]


def _proof_goes_out(tree: Tree) -> None:
    tree["NetworkPolicy/anchors"]["spec"]["egress"].append({"ports": [{"port": 50051}]})


WORKER = "StatefulSet/round-worker: "
PROOF = "CronJob/anchors: "
PLANTED = [
    (_misspelt_resource, "KafkaTopic/sabot.round.events: spec: Additional properties"),
    (_number_for_text, "ScaledObject/round-worker: spec/triggers/0/metadata/lagThreshold"),
    (_unserved_version, "KafkaUser/round-kafka: no schema for kafka.strimzi.io/v1beta2"),
    (_missing_acl, "KafkaUser/wager-kafka: may not Describe, Read the topic sabot.round.events"),
    (_too_much, "KafkaUser/shoe-kafka: need not Delete, Describe, Write"),
    (_watcher_reads, "KafkaUser/keda: need not Describe, Read"),
    (_missing_topic, "KafkaTopic/sabot.wager.events.dlq: is missing"),
    (_fewer_partitions, "KafkaTopic/sabot.round.events: has 6 partitions, not 12"),
    (_compacted, "KafkaTopic/sabot.round.events: facts are not compacted"),
    (_other_group, "ScaledObject/round-worker: follows the group rounds"),
    (_wrong_selector, "Service/round-worker: selects no pod"),
    (_wrong_port, "Service/round-query: Deployment/round-query has no port grcp"),
    (_other_port_behind_headless, "Service/round-query: is headless, and port 443"),
    (_wrong_budget, "PodDisruptionBudget/wager-worker: selects no pod"),
    (_wrong_monitor, "ServiceMonitor/sabot: Service/round-query has no port prometheus"),
    (_wrong_scaler, "HorizontalPodAutoscaler/round-query: there is no Deployment round-queries"),
    (_fixed_and_scaled, "HorizontalPodAutoscaler/round-query: Deployment/round-query names"),
    (_no_account, "StatefulSet/shoe-worker: there is no ServiceAccount shoe-service"),
    (_probe_at_calls, WORKER + "readinessProbe does not ask the health port"),
    (_probe_for_nobody, WORKER + "startupProbe does not ask the health port for startup"),
    (_without_version, "Deployment/shoe-query: the image registry.example.com:5000/sabot has no"),
    (_as_root, "StatefulSet/shoe-worker: service: runAsUser must be another than root"),
    (_writable, "StatefulSet/shoe-worker: service: readOnlyRootFilesystem must be true"),
    (_host_network, "StatefulSet/shoe-worker: hostNetwork is set"),
    (_without_limit, "StatefulSet/shoe-worker: service: resources.limits must name"),
    (_open_namespace, "Namespace/sabot: pods are not held to the restricted standard"),
    (_missing_variable, WORKER + "SABOT_AUTH_ISSUER: is missing"),
    (_misspelt_variable, WORKER + "SABOT_GRPC_HSOT is not a setting of this service"),
    (_stray_variable, WORKER + "KAFKA_SERVERS is read by nobody"),
    (_on_loopback, WORKER + "health listens on 127.0.0.1"),
    (_test_tables, WORKER + "SABOT_ALLOW_TEST_TABLES: is on in production"),
    (_believed_callers, WORKER + "SABOT_AUTH_MODE: is development in environment production"),
    (_plain_and_encrypted, WORKER + "SABOT_GRPC_PLAINTEXT: is true although certificates"),
    (_other_broker, WORKER + "there is no broker kafka-bootstrap"),
    (_no_sealing_key, "StatefulSet/shoe-worker: SABOT_SEALING_KEY_FILE is missing"),
    (_credits_to_nobody, "StatefulSet/settlement-worker: credits go to wager:1"),
    (_worker_as_query, WORKER + "runs in the role query"),
    (_no_secret, WORKER + "nobody makes the Secret sabot-auth-keys"),
    (_other_key, WORKER + "the Secret round-db-service has no url"),
    (_worker_as_owner, WORKER + "logs in with round-db-app, not with round-db-service"),
    (_query_as_owner, "Deployment/wager-query: logs in with wager-db-app"),
    (_migration_without_tables, "Job/shoe-migration: migrates with shoe-db-service"),
    (_rights_for_nobody, "Job/shoe-migration: gives its rights to sabot_shoe, not to sabot_shoe_s"),
    (_address_of_the_owner, "ExternalSecret/shoe-db-service: the address is not that of"),
    (_impatient, "StatefulSet/settlement-worker: is killed after 60 s"),
    (_hasty, "StatefulSet/settlement-worker: stopping may take"),
    (_no_way_to_the_database, "round-worker does not reach round-db at 5432"),
    (_no_names, "round-worker does not reach kafka at 9093"),
    (_open_to_all, "stranger reaches round-worker at 50051, and need not"),
    (_other_database, "shoe-worker reaches round-db at 5432, and need not"),
    (_no_way_to_the_wallet, "wager-worker does not reach wallet at 443"),
    (_anywhere, "wager-query reaches internet at 443, and need not"),
    (_short_secret, "StatefulSet/wager-worker: SABOT_WALLET_SECRET_FILE"),
    (_stray_target, "Deployment/console: calls dns:///settlement-worker.sabot.svc:50051 as query"),
    (_console_of_anybody, "Deployment/console: SABOT_CONSOLE_HOSTS: is missing"),
    (_unready_console, "Deployment/console: readinessProbe does not ask for /health/ready"),
    (_console_without_a_way, "console does not reach settlement-query at 50051"),
    (_key_in_a_service, WORKER + "is shown anchors-key"),
    (_logs_for_a_service, "Deployment/wager-query: is shown anchors-db"),
    (_signed_unseen, PROOF + "does not verify the logs before it signs them"),
    (_two_writers, PROOF + "may run beside itself"),
    (_key_before_the_check, PROOF + "verify: checks with the key that signs"),
    (_misspelt_option, PROOF + "sign: anchor write --bok"),
    (_no_such_key, PROOF + "sign: there is no key key.pem"),
    (_log_left_out, PROOF + "verify: SABOT_ROUND_DATABASE_URL_FILE names no file"),
    (_no_book, PROOF + "there is no PersistentVolumeClaim anchors"),
    (_nobody_proves, "Cluster/shoe-db: does not know sabot_anchors"),
    (_any_server, "ExternalSecret/anchors-db: round does not hold the server to its authority"),
    (_no_way_to_the_logs, "anchors does not reach shoe-db at 5432"),
    (_proof_goes_out, "anchors reaches stranger at 50051, and need not"),
    (_too_many_connections, "Cluster/round-db: "),
    (_too_small_a_share, "ResourceQuota: pods is 20"),
    (_unnamed_certificate, "Certificate/wager: does not name wager-worker"),
    (_no_cluster, "ScheduledBackup/round-db: there is no Cluster rounds-db"),
]


@pytest.mark.parametrize(("plant", "seen"), PLANTED)
def test_a_planted_fault_is_seen(plant: Callable[[Tree], None], seen: str) -> None:
    """Every check is shown to find what it looks for."""
    need("kubectl")
    tree = {title(each): copy.deepcopy(each) for each in _whole()}
    plant(tree)
    found = list(kubernetes.faults(list(tree.values())))
    assert any(fault.startswith(seen) for fault in found), found


def test_a_misspelt_field_of_kubernetes_is_seen() -> None:
    """The schemas of Kubernetes are applied strictly: an unknown field is a fault."""
    need("kubectl", "kubernetes-validate")
    text = manifests.built("tests/own-servers")
    assert list(kubernetes.strict(text)) == []
    for right, wrong in (
        ("readinessProbe:", "readynessProbe:"),
        ("maxUnavailable: 1", "maxUnavailabel: 1"),
    ):
        found = list(kubernetes.strict(text.replace(right, wrong)))
        assert any(wrong.partition(":")[0] in fault for fault in found), found


def test_kustomize_refuses_a_component_that_changes_nothing_known(tmp_path: Any) -> None:
    """A patch whose path is gone is an error of the build, not a silent loss."""
    need("kubectl")
    text = "patches:\n- target: {kind: Service}\n  patch: '[{op: remove, path: /spec/gone}]'\n"
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {}\n"
    (tmp_path / "a.yaml").write_text(service)
    (tmp_path / "kustomization.yaml").write_text(f"resources: [a.yaml]\n{text}")
    with pytest.raises(manifests.Unbuildable, match="gone"):
        manifests.build(tmp_path)
