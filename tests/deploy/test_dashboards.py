"""Dashboards show what exists, and each check sees its fault."""

from __future__ import annotations

import copy
import json

import pytest

from tests.deploy import dashboards
from tests.deploy.support import need

READ = dashboards.read()


def test_the_dashboards_rest_on_what_exists() -> None:
    """Metrics, labels, buckets, event types; a title, a unit and a sentence for each panel."""
    assert list(dashboards.faults(READ)) == []
    assert all(len(list(dashboards.panels(each))) > 5 for each in READ.values())


@pytest.mark.slow
def test_every_expression_is_read_by_prometheus() -> None:
    """Promtool parses all of them, and finds the one that is broken."""
    need("promtool")
    assert dashboards.unparsed(READ) == ""
    broken = copy.deepcopy(READ)
    next(dashboards.panels(broken["slo"]))["targets"][0]["expr"] = "sum by job (up)"
    assert "parse" in dashboards.unparsed(broken)


@pytest.mark.parametrize(
    ("right", "wrong", "seen"),
    [
        ("sabot_relay_age_seconds", "sabot_relay_age", "there is no metric sabot_relay_age"),
        ("(sabot_verb)", "(verb)", "its metrics have no label verb"),
        ("{{sabot_code}}", "{{code}}", "its metrics have no label code"),
        ('le=\\"0.25\\"', 'le=\\"0.3\\"', "has no bucket up to 0.3"),
        ("coup-closed", "coup-finished", "there is no event coup-finished"),
        ('"unit": "reqps"', '"unit": ""', "has no unit"),
        ('"description": "As beside it."', '"description": ""', "does not say what it shows"),
        ('"uid": "${datasource}"', '"uid": "P1"', "rests on one data source of one Grafana"),
        ('"uid": "sabot-pit"', '"uid": "sabot-slo"', "the uid sabot-slo is taken twice"),
    ],
)
def test_a_planted_fault_is_seen(right: str, wrong: str, seen: str) -> None:
    """Every check is shown to find what it looks for."""
    texts = {name: json.dumps(each, ensure_ascii=False) for name, each in READ.items()}
    assert any(right in text for text in texts.values()), right
    planted = {name: json.loads(text.replace(right, wrong)) for name, text in texts.items()}
    found = list(dashboards.faults(planted))
    assert any(seen in fault for fault in found), found


def test_a_missing_dashboard_is_seen() -> None:
    """The four are there."""
    fewer = {name: each for name, each in READ.items() if name != "money"}
    assert "there is no dashboard money" in list(dashboards.faults(fewer))
