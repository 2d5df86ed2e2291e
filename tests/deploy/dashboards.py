"""Grafana's dashboards: do their expressions parse, and name what services really have?"""

from __future__ import annotations

import importlib
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from services.chassis.telemetry import METRICS
from services.devstack.brokers import SERVICES
from tests.deploy import alerts, tools
from tests.deploy.manifests import K8S

FOLDER: Final = K8S / "components" / "monitoring" / "dashboards"
WANTED: Final = frozenset({"pit", "services", "money", "slo"})
VARIABLES: Final[Mapping[str, str]] = {"$__rate_interval": "5m", "$service": "round"}
"""What stands for Grafana's variables when an expression is read without Grafana."""

Dashboard = dict[str, Any]


def read() -> dict[str, Dashboard]:
    """Every dashboard by the name of its file."""
    return {file.stem: json.loads(file.read_text()) for file in sorted(FOLDER.glob("*.json"))}


def panels(dashboard: Dashboard) -> Iterator[Dashboard]:
    """What shows something; rows only order it."""
    return (panel for panel in dashboard["panels"] if panel["type"] != "row")


def expression(target: Dashboard) -> str:
    """An expression as Prometheus gets it."""
    text: str = target["expr"]
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def faults(dashboards: Mapping[str, Dashboard]) -> Iterator[str]:
    """What is wrong beyond syntax: metrics, labels, bounds of buckets, types of events, form."""
    yield from (f"there is no dashboard {name}" for name in sorted(WANTED - dashboards.keys()))
    known, types, bounds = alerts.exported(), event_types(), bucket_bounds()
    uids = [dashboard["uid"] for dashboard in dashboards.values()]
    yield from (
        f"the uid {uid} is taken twice" for uid in sorted({u for u in uids if uids.count(u) > 1})
    )
    for name, dashboard in dashboards.items():
        for panel in panels(dashboard):
            place = f"{name}: {panel['title']}"
            yield from (f"{place}: {fault}" for fault in _of_form(panel))
            for target in panel["targets"]:
                text = expression(target)
                told = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
                found = [
                    *alerts.expression_faults(text, told, known),
                    *_of_values(text, types, bounds),
                ]
                yield from (f"{place}: {fault}" for fault in found)


def _of_form(panel: Dashboard) -> Iterator[str]:
    if not panel.get("description"):
        yield "does not say what it shows"
    if not panel["fieldConfig"]["defaults"].get("unit"):
        yield "has no unit"
    sources = [panel["datasource"], *(target["datasource"] for target in panel["targets"])]
    if any(source != {"type": "prometheus", "uid": "${datasource}"} for source in sources):
        yield "rests on one data source of one Grafana"


def _of_values(
    text: str, types: frozenset[str], bounds: Mapping[str, frozenset[str]]
) -> Iterator[str]:
    """Labels whose values are known: an event that nobody publishes is never seen."""
    for named in re.findall(r'sabot_type=~?"([^"]+)"', text):
        yield from (f"there is no event {kind}" for kind in named.split("|") if kind not in types)
    for metric, selector in re.findall(r"(\w+)_bucket\{([^}]*)\}", text):
        for bound in re.findall(r'le="([^"]+)"', selector):
            if bound not in bounds.get(metric, ()):
                yield f"{metric} has no bucket up to {bound}"


def event_types() -> frozenset[str]:
    """The types of every service's events."""
    modules = (importlib.import_module(f"services.contracts.{service}") for service in SERVICES)
    return frozenset(kind for module in modules for kind in module.EVENTS)


def bucket_bounds() -> dict[str, frozenset[str]]:
    """By the histogram's name at Prometheus, the upper bounds of its buckets as they are written."""
    return {
        f"{metric.name.replace('.', '_')}_seconds": frozenset(str(float(b)) for b in metric.buckets)
        for metric in METRICS.values()
        if metric.buckets
    }


def unparsed(dashboards: Mapping[str, Dashboard]) -> str:
    """Let Prometheus' own parser read every expression; returns what it complains about."""
    rules: Sequence[Any] = [
        {"record": f"{name}:p{panel['id']}:{target['refId']}", "expr": expression(target)}
        for name, dashboard in dashboards.items()
        for panel in panels(dashboard)
        for target in panel["targets"]
    ]
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "expressions.yaml")
        file.write_text(yaml.safe_dump({"groups": [{"name": "dashboards", "rules": list(rules)}]}))
        result = tools.run("promtool", "check", "rules", file)
    return f"{result.stdout}{result.stderr}" if result.returncode else ""


def check() -> list[str]:
    """Run every check of the dashboards."""
    dashboards = read()
    complaint = unparsed(dashboards)
    return [*faults(dashboards), *([f"promtool: {complaint}"] if complaint else [])]
