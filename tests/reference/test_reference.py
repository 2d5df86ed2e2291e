"""The generated pages are those of today's code."""

from __future__ import annotations

import re

import pytest

from services.chassis.config import Settings, variables
from services.console.config import ConsoleSettings
from tests.reference.__main__ import DOCS, PAGES
from tests.reference.settings import SERVICES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_make_reference_writes(name: str) -> None:
    """A setting, command or call that changes without its page fails here."""
    assert (DOCS / name).read_text() == PAGES[name](), "run `make reference` and commit"


def test_every_setting_is_told_once_for_each_service_that_has_it() -> None:
    """Those of all services once; with its default, and whether it is secret."""
    page, _, console = (DOCS / "settings.md").read_text().partition("## The console")
    row = re.compile(r"^\| `([A-Z_]+)` \|", re.MULTILINE)
    common = {variable.name for variable in variables(Settings)}
    besides = [
        variable.name
        for model in SERVICES.values()
        for variable in variables(model)
        if variable.name not in common
    ]
    assert sorted(row.findall(page)) == sorted([*common, *besides])
    own = [variable.name for variable in variables(ConsoleSettings)]
    assert sorted(row.findall(console)) == sorted(own)
    secret = {variable.name for variable in variables(Settings) if variable.secret}
    assert "SABOT_DATABASE_URL" in secret
    page = (DOCS / "settings.md").read_text()
    for name in secret:
        assert re.search(rf"^\| `{name}` .*\| yes \|$", page, re.MULTILINE)
