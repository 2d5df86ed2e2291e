"""Alert rules rest on what exists, fire when they should, and say what to do; each check sees its fault."""

from __future__ import annotations

import pytest

from tests.deploy import alerts
from tests.deploy.support import need

TEXT = alerts.SOURCE.read_text()
RUNBOOKS = alerts.RUNBOOKS.read_text()
TESTS = alerts.UNIT_TESTS.read_text()


def test_the_alerts_rest_on_what_exists() -> None:
    """Metrics, labels, tests and runbooks."""
    assert list(alerts.faults(TEXT, RUNBOOKS, TESTS)) == []


def test_the_custom_resource_is_the_same() -> None:
    """One source, written by `python -m tests.deploy rules`."""
    assert alerts.RESOURCE.read_text() == alerts.resource(TEXT)


def test_the_alerts_fire_when_they_should() -> None:
    """Promtool plays series of figures through every rule."""
    need("promtool")
    assert alerts.unit_tests(TEXT, TESTS) == ""


@pytest.mark.parametrize(
    ("right", "wrong", "seen"),
    [
        ("(sabot_consumer_parked)", "(sabot_consumer_praked)", "there is no metric sabot_consumer"),
        ("(sabot_consumer_lag)", "(sabot_relay_age)", "there is no metric sabot_relay_age"),
        ("instance, sabot_check)", "instance, check)", "its metrics have no label check"),
        ("(kube_job_failed{", "(kube_job_fialed{", "there is no metric kube_job_fialed"),
        ('{job_name=~"', '{cronjobs=~"', "its metrics have no label cronjobs"),
        ('{sabot_code!="OK"}', '{code!="OK"}', "its metrics have no label code"),
        ("severity: page", "severity: warn", "is neither a page nor a ticket"),
        ("alert: SabotCallsSlow", "alert: SabotCallsSlower", "has no runbook"),
        ("alert: SabotCallsSlow", "alert: SabotCallsSlower", "no test shows it firing"),
        ("alert: SabotCallsSlow", "alert: SabotCallsSlower", "is in the runbooks and no alert"),
        ("alert: SabotCallsSlow", "alert: SabotOverloaded", "SabotOverloaded: is there twice"),
        ("$labels.sabot_upstream", "$labels.upstream", "its metrics have no label upstream"),
    ],
)
def test_a_planted_fault_is_seen(right: str, wrong: str, seen: str) -> None:
    """Every check is shown to find what it looks for."""
    found = list(alerts.faults(TEXT.replace(right, wrong), RUNBOOKS, TESTS))
    assert any(seen in fault for fault in found), found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong", "seen"),
    [("> 2000", "> 20000", "SabotConsumerBehind"), ("max by (job) (", "max by job (", "parse")],
)
def test_promtool_sees_what_does_not_fire_and_what_does_not_parse(
    right: str, wrong: str, seen: str
) -> None:
    """The rules' own tests fail where a threshold is another."""
    need("promtool")
    assert seen in alerts.unit_tests(TEXT.replace(right, wrong), TESTS)
