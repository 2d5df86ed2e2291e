"""The console before a real browser and real services: every screen, live, and no refusal by the policy.

It takes Chromium, as Debian's package `chromium` brings it. With SABOT_SCREENSHOTS naming a folder
the pictures of the README are taken into it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, ViewportSize, async_playwright, expect

from services.devstack.console import ConsoleProcess
from services.devstack.stack import Stack
from services.tablelog.calls import Services
from tests.e2e.desk import DEALER
from tests.e2e.scene import betting, coup, played_table
from tests.e2e.support import fresh

SHOWN_S = 20.0
expect.set_options(timeout=SHOWN_S * 1_000)
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = [
    pytest.mark.once,
    pytest.mark.timeout(240),
    pytest.mark.usefixtures("mended"),
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium: install the package chromium"),
]
WIDE: ViewportSize = {"width": 1120, "height": 760}
TABLET: ViewportSize = {"width": 768, "height": 1024}
UNLABELLED = """() => [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
    .filter((each) => !each.labels.length).map((each) => each.outerHTML)"""
UNNAMED = """() => [...document.querySelectorAll('[role=img]')]
    .filter((each) => !each.getAttribute('aria-label') && !each.querySelector('title')).length"""
PICTURES = ("pit", "table", "coup")
TOO_WIDE = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def console(stack: Stack) -> ConsoleProcess:
    """The console as a process beside the services of all tests; it ends with them."""
    started = stack.start_console()
    assert stack.env()["SABOT_CONSOLE_URL"] == started.url
    assert [each.address for each in stack.entries() if each.name == "console"] == [started.url]
    return started


@asynccontextmanager
async def opened(
    *, dark: bool = False, size: ViewportSize = WIDE
) -> AsyncIterator[tuple[Page, list[str]]]:
    """A page of a browser, and everything that the browser complains of."""
    complaints: list[str] = []
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = await browser.new_page(viewport=size, color_scheme="dark" if dark else "light")
        page.on(
            "console",
            lambda said: (
                complaints.append(said.text) if said.type in {"error", "warning"} else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        try:
            yield page, complaints
        finally:
            await browser.close()


async def sign_in(
    page: Page, url: str, person: str = "petra", role: str = "CASINO_SUPERVISOR"
) -> None:
    await page.goto(f"{url}/sign-in")
    await page.get_by_label("Name").fill(person)
    await page.get_by_label("Role").select_option(role)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("heading", name="Pit")).to_be_visible()


async def looked_at(page: Page, name: str) -> None:
    """What holds for every screen; and its picture, where one is wanted."""
    assert await page.evaluate(UNLABELLED) == []
    assert await page.evaluate(UNNAMED) == 0
    assert not await page.evaluate(TOO_WIDE), f"{name} is wider than the screen"
    folder = os.environ.get("SABOT_SCREENSHOTS", "")
    if folder and name in PICTURES:
        await page.evaluate("() => scrollTo(0, 0)")
        await page.screenshot(path=Path(folder) / f"{name}.png")


async def asked_again(page: Page, *shown: Locator) -> None:
    """A page that is not live shows what was so when it was asked for: ask until all of this is there.

    Log, projection and rebuild come one after the other, so that one of them says nothing of the others.
    """
    deadline = time.monotonic() + SHOWN_S
    while not all([await each.count() for each in shown]) and time.monotonic() < deadline:
        await page.wait_for_timeout(100)
        await page.reload()
    for each in shown:
        await expect(each.first).to_be_visible()


async def decide(page: Page, title: str, **fields: str) -> None:
    """From a table's screen: a decision with its form."""
    await page.get_by_role("link", name=title, exact=True).click()
    for label, value in fields.items():
        field = page.get_by_label(label.replace("_", " "), exact=True)
        if await field.evaluate("each => each.tagName") == "SELECT":
            await field.select_option(value)
        else:
            await field.fill(value)
    await page.get_by_role("button", name=title, exact=True).click()


async def test_every_screen_in_a_browser(stack: Stack, console: ConsoleProcess) -> None:
    """Pit and table follow the play by themselves; coup, exceptions and search show what happened."""
    table_id = fresh("con")
    async with Services(stack.targets) as services, opened() as (page, complaints):
        desk, _ = await asyncio.gather(
            played_table(services, table_id, number="B11", coups=8, start=5),
            played_table(services, fresh("con"), number="B12", coups=5, start=17),
        )
        await sign_in(page, console.url)
        tile = page.locator(".tile").filter(has_text=f"{table_id}-1")
        await expect(tile).to_contain_text("between coups")
        await expect(page.locator("#live")).to_contain_text("Live, as of")
        await betting(desk, 9)
        await expect(tile).to_contain_text(f"{table_id}:1:9")
        await expect(tile).to_contain_text("betting")
        await looked_at(page, "pit")

        await tile.get_by_role("link", name="B11", exact=True).click()
        await expect(page.get_by_role("heading", name="Table B11")).to_be_visible()
        await expect(page.locator("#live")).to_contain_text("Live, as of")
        await expect(page.locator("#view")).to_contain_text("Waits for betting to close.")
        beads = page.locator("svg.bead circle.full")
        await expect(beads).to_have_count(8)
        await desk.act("round", "CallNoMoreBets", DEALER)
        await desk.act("round", "DealCoup", DEALER)
        await expect(beads).to_have_count(9)
        await expect(page.locator("#view")).to_contain_text("Ready for the next coup.")
        await looked_at(page, "table")
        await corrected(page, console.url, table_id)
        await suspended(page, console.url, table_id)
        await searched(page, console.url, table_id)
        # The form that was refused is answered as a conflict, and the browser says so.
        assert [each for each in complaints if "status of 409" not in each] == []


async def corrected(page: Page, url: str, table_id: str) -> None:
    """Two persons correct a result: refused without the second one, then done and told."""
    await decide(
        page,
        "Correct the result",
        Coup_number="3",
        **{"Player's_cards": "9S 7D", "Banker's_cards": "KD TC 5C"},
        Reason="the cards were misread",
    )
    await expect(page.get_by_role("alert")).to_contain_text("Refused")
    await page.get_by_label("Name", exact=True).fill("sven")
    await page.locator("#second_role").select_option("DUTY_MANAGER")
    await page.get_by_role("button", name="Correct the result").click()
    await expect(page.get_by_role("status")).to_contain_text("Done")
    await page.goto(f"{url}/coups/{table_id}:1:3")
    revised = page.locator("#revisions + .sides").filter(has_text="result corrected")
    await asked_again(
        page,
        revised.filter(has_text="sven (DUTY_MANAGER)"),
        page.locator("#head + dl .mark").filter(has_text="corrected"),
        page.get_by_text("Rebuilt from the log: equal to what is stored."),
    )
    await expect(page.locator("main")).not_to_contain_text("do not balance")
    await page.locator("details summary").first.click()
    await looked_at(page, "coup")


async def suspended(page: Page, url: str, table_id: str) -> None:
    """A decision is on the table's screen and among the exceptions; the way back is offered."""
    await page.goto(f"{url}/tables/{table_id}")
    await decide(page, "Suspend the table", Reason="a spill")
    await page.get_by_role("link", name="Back to table").click()
    await expect(page.locator(".held")).to_contain_text("suspended")
    await expect(page.locator(".held").get_by_role("link", name="Resume the table")).to_be_visible()
    await page.goto(f"{url}/exceptions")
    row = page.get_by_role("row").filter(has_text=table_id).filter(has_text="suspension")
    await asked_again(page, row.filter(has_text="petra (CASINO_SUPERVISOR)"))
    await looked_at(page, "exceptions")


async def searched(page: Page, url: str, table_id: str) -> None:
    """By keyboard alone: the search, and the way past the header."""
    await page.goto(f"{url}/")
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator("#main")).to_be_focused()
    await page.goto(f"{url}/search")
    await page.locator("#quick").focus()
    await page.keyboard.type(f"{table_id}:1:2")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name=f"Coup {table_id}:1:2")).to_be_visible()
    await page.goto(f"{url}/search?table={table_id}&status=SETTLED")
    await asked_again(page, page.get_by_role("row").nth(9))
    await expect(page.get_by_role("row")).to_have_count(10)
    await looked_at(page, "search")


async def test_a_tablet_in_the_dark(stack: Stack, console: ConsoleProcess) -> None:
    """Nothing is wider than the screen, colours follow the system, and the page works without script."""
    async with (
        Services(stack.targets) as services,
        opened(dark=True, size=TABLET) as (page, complaints),
    ):
        table_id = fresh("con")
        desk = await played_table(services, table_id, number="B14", coups=2, start=23)
        await sign_in(page, console.url)
        for path in (
            "/",
            f"/tables/{table_id}",
            f"/coups/{table_id}:1:1",
            "/exceptions",
            "/search",
        ):
            await page.goto(console.url + path)
            await looked_at(page, "dark" + path.partition("con")[0].replace("/", "-"))
        colour = await page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert colour == "rgb(19, 23, 21)"
        await coup(desk, 3)
        assert complaints == []


async def test_the_policy_is_kept_by_the_browser(console: ConsoleProcess) -> None:
    """The complaints that the tests above look for do come: a script of nobody's is refused."""
    async with opened() as (page, complaints):
        await page.goto(f"{console.url}/sign-in")
        await page.evaluate(
            "() => { const each = document.createElement('script'); each.textContent = 'window.in = 1';"
            " document.head.append(each); }"
        )
        assert await page.evaluate("() => window.in") is None
    assert any("Content Security Policy" in each for each in complaints), complaints
