"""Alert rules: do they parse, fire, name metrics that exist, and say what to do?"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from prometheus_client import CollectorRegistry

from services.chassis import telemetry
from services.chassis.telemetry import Kind
from services.devstack.brokers import SERVICES
from tests.deploy import settings, tools
from tests.deploy.manifests import K8S, documents

SOURCE: Final = tools.ROOT / "deploy" / "observability" / "rules.yaml"
RESOURCE: Final = K8S / "components" / "monitoring" / "rules.yaml"
UNIT_TESTS: Final = Path(__file__).parent / "data" / "alerts.yaml"
RUNBOOKS: Final = tools.ROOT / "docs" / "operations" / "runbooks.md"
RUNBOOKS_NAME: Final = "docs/operations/runbooks.md"
SEVERITIES: Final = frozenset({"page", "ticket"})
OF_PROMETHEUS: Final = frozenset({"up"})
OF_CLUSTER: Final[Mapping[str, frozenset[str]]] = {
    "kube_job_failed": frozenset({"namespace", "job_name", "condition"}),
    "kube_cronjob_created": frozenset({"namespace", "cronjob"}),
    "kube_cronjob_status_last_successful_time": frozenset({"namespace", "cronjob"}),
}
"""What kube-state-metrics tells of jobs, with its labels."""

OF_TARGETS: Final = frozenset({"job", "instance", "le"})
"""Labels that the scrape adds, and that of a histogram's buckets."""

HEAD: Final = (
    f"# Written by `python -m tests.deploy rules` from {SOURCE.relative_to(tools.ROOT)}.\n"
)

Rule = dict[str, Any]


def rules(text: str) -> list[Rule]:
    """Every alert of a rules file."""
    (document,) = documents(text)
    return [rule for group in document["groups"] for rule in group["rules"]]


def resource(text: str) -> str:
    """The custom resource for a rules file, with a reference to its runbook in every alert."""
    (document,) = documents(text)
    for group in document["groups"]:
        for rule in group["rules"]:
            anchor = rule["alert"].lower()
            rule["annotations"]["runbook"] = f"{RUNBOOKS_NAME}#{anchor}"
    manifest = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "sabot"},
        "spec": document,
    }
    return HEAD + yaml.safe_dump(manifest, sort_keys=False, width=4096)


def write() -> list[str]:
    """Write the custom resource; nothing can be wrong with that."""
    RESOURCE.write_text(resource(SOURCE.read_text()))
    return []


def exported() -> Mapping[str, frozenset[str]]:
    """Every time series that a service can have, with its labels, as Prometheus is told."""
    for service in SERVICES:
        settings.definition_of(service)  # declares the metrics of its own
    registry = CollectorRegistry(auto_describe=False)
    reader = PrometheusMetricReader(scope_info_enabled=False, registry=registry)
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    instruments = telemetry.Instruments(provider.get_meter("alerts"))
    instruments.histograms.join([reader], Resource.get_empty())
    for metric in telemetry.METRICS.values():
        attributes = dict.fromkeys(metric.attributes, "x")
        one: dict[Kind, Callable[..., None]] = {
            Kind.COUNTER: instruments.count,
            Kind.GAUGE: instruments.gauge,
            Kind.HISTOGRAM: instruments.record,
            Kind.UP_DOWN: instruments.change,
        }
        if metric.kind in one:
            one[metric.kind](metric.name, 1, **attributes)
        else:
            instruments.observe(metric.name, lambda: 1)
    found: dict[str, frozenset[str]] = {}
    for family in registry.collect():
        for sample in family.samples:
            found[sample.name] = frozenset(sample.labels)
    return found


def faults(text: str, runbooks: str, tests: str) -> Iterator[str]:
    """What is wrong with the rules beyond their syntax."""
    known = {**exported(), **OF_CLUSTER}
    tested = {
        case["alertname"]
        for test in documents(tests)[0]["tests"]
        for case in test["alert_rule_test"]
        if case.get("exp_alerts")
    }
    sections = set(re.findall(r"(?m)^## (Sabot\w+)$", runbooks))
    alerts = rules(text)
    named = [rule["alert"] for rule in alerts]
    yield from (
        f"{name}: is there twice" for name in sorted({n for n in named if named.count(n) > 1})
    )
    for rule in alerts:
        yield from (f"{rule['alert']}: {fault}" for fault in _of_rule(rule, known))
        if rule["alert"] not in tested:
            yield f"{rule['alert']}: no test shows it firing"
        if rule["alert"] not in sections:
            yield f"{rule['alert']}: has no runbook"
    yield from (f"{name}: is in the runbooks and no alert" for name in sorted(
        sections - {rule["alert"] for rule in alerts}
    ))  # fmt: skip


def _of_rule(rule: Rule, known: Mapping[str, frozenset[str]]) -> Iterator[str]:
    if rule["labels"].get("severity") not in SEVERITIES:
        yield "is neither a page nor a ticket"
    if not {"summary", "description"} <= set(rule["annotations"]):
        yield "does not say what it means"
    told = " ".join(rule["annotations"].values())
    yield from expression_faults(rule["expr"], set(re.findall(r"\$labels\.(\w+)", told)), known)


def expression_faults(
    expression: str, told: set[str], known: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """Metrics and labels that neither a service nor the cluster has; `told` are labels that a text names."""
    names = set(re.findall(r"\b(sabot_\w+|kube_\w+|up)\b(?=[{\[) ]|$)", expression, re.MULTILINE))
    labels = set(re.findall(r"(\w+)=~?\"|(\w+)!=~?\"", expression))
    used = {left or right for left, right in labels}
    for group in re.findall(r"\bby \(([\w, ]+)\)", expression):
        used |= set(group.replace(" ", "").split(","))
    used |= told
    metrics = {name for name in names if name in known or name in OF_PROMETHEUS}
    if not metrics:
        yield "rests on no metric"
    offered = OF_TARGETS.union(*(known.get(name, frozenset()) for name in metrics))
    attributes = {name for name in names - metrics if name in offered}
    yield from (f"there is no metric {name}" for name in sorted(names - metrics - attributes))
    yield from (f"its metrics have no label {label}" for label in sorted(used - offered))


def unit_tests(text: str, tests: str) -> str:
    """Let promtool check the rules and run their tests; returns what it complains about."""
    with tempfile.TemporaryDirectory() as directory:
        file, cases = Path(directory, "rules.yaml"), Path(directory, "tests.yaml")
        file.write_text(text)
        cases.write_text(tests)
        for words in (("check", "rules", file), ("test", "rules", cases)):
            result = tools.run("promtool", *words)
            if result.returncode:
                return f"{result.stdout}{result.stderr}"
    return ""


def check() -> list[str]:
    """Run every check of the alerts."""
    text, tests = SOURCE.read_text(), UNIT_TESTS.read_text()
    found = list(faults(text, RUNBOOKS.read_text(), tests))
    if not RESOURCE.exists() or RESOURCE.read_text() != resource(text):
        found.append("the custom resource is another: python -m tests.deploy rules writes it")
    complaint = unit_tests(text, tests)
    return [*found, *([f"promtool: {complaint}"] if complaint else [])]
