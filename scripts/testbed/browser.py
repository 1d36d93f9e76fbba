"""Debian's Chromium, headless, driven by Playwright, and what a person does in the designer with it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from scripts.testbed.stack import Stack

UUID = r"[0-9a-f-]{36}"


def _add_factor(page: Page, label: str, levels: list[str]) -> Locator:
    """Add a factor with named levels; the element that contains it."""
    page.get_by_role("button", name="Add factor").first.click()
    page.get_by_role("textbox", name="Factor", exact=True).last.fill(label)
    factor = page.get_by_role("group", name=f"Factor {label}")
    for _ in levels[2:]:
        factor.get_by_role("button", name="Add level").click()
    for number, level in enumerate(levels, start=1):
        factor.get_by_role("textbox", name=f"Level {number}", exact=True).fill(level)
    return factor


def _set_variable(factor: Locator, name: str, values: dict[str, str]) -> None:
    """Name the first column of the table of levels, and fill its cells."""
    head = factor.get_by_role("textbox", name="Name of variable 1")
    head.fill(name)
    head.blur()
    for level, value in values.items():
        factor.get_by_role("textbox", name=f"Value of variable {name} of {level}").fill(value)


def write(page: Page, field: str, text: str) -> None:
    editor = page.locator(f'[data-field="{field}"] .cm-content')
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def fill_plan(page: Page, **values: str) -> None:
    """Fields of the plan by their labels, with _ for blanks and hyphens as they are written."""
    for label, value in values.items():
        page.get_by_role("textbox", name=label.replace("_", "-"), exact=True).fill(value)


def design_two_by_three(page: Page, name: str) -> None:
    """Starting at the gallery, design accept_mutex off and on with one, two and four workers."""
    page.get_by_role("link", name="New experiment").first.click()
    page.get_by_role("link", name=re.compile("Design from scratch")).click()
    page.wait_for_url("**/experiments/new/blank")
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_role("textbox", name="Question").fill("Does `accept_mutex` matter more with more workers?")
    accepting = _add_factor(page, "Accepting", ["Mutex off", "Mutex on"])
    _set_variable(accepting, "accept_mutex", {"Mutex off": "off", "Mutex on": "on"})
    workers = _add_factor(page, "Workers", ["1 worker", "2 workers", "4 workers"])
    _set_variable(workers, "workers", {"1 worker": "1", "2 workers": "2", "4 workers": "4"})
    page.get_by_role("textbox", name="Workers", exact=True).fill("{{ workers }}")
    page.get_by_text("main and events").click()
    write(page, "nginx.events", "accept_mutex {{ accept_mutex }};")
    write(page, "nginx.server", 'location / {\n    return 200 "hello";\n}')
    page.get_by_role("textbox", name="Connections", exact=True).fill("8")
    expect(page.get_by_role("switch", name=re.compile("^Mutex"))).to_have_count(6)


def cell(page: Page, label: str) -> Locator:
    return page.get_by_role("grid", name="Arms").get_by_role("switch", name=label, exact=True)


def run_host_test(page: Page) -> Locator:
    panel = page.locator("#host-test")
    button = panel.get_by_role("button", name="Test", exact=True)
    expect(button).to_be_enabled()
    button.click()
    expect(panel.get_by_role("list", name="Test results by arm")).to_be_visible()
    return panel


def save_and_run(page: Page) -> str:
    """Save the draft and start it on the suggested host; the run's id."""
    page.get_by_role("button", name="Save and run").click()
    page.get_by_role("dialog").get_by_role("button", name="Start run").click()
    page.wait_for_url(re.compile(f"/runs/{UUID}$"))
    return page.url.rpartition("/")[2]


CHROMIUM = "/usr/bin/chromium"
# Without these flags Chromium sends requests of its own at every start.
_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
expect.set_options(timeout=60_000)  # a busy machine is slow; what never comes is noticed all the same


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, whose contexts share nothing."""
    flags = [*_FLAGS, "--no-sandbox"] if os.getuid() == 0 else _FLAGS
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=flags)
        yield browser
        browser.close()


def sign_in(context: BrowserContext, stack: Stack) -> Page:
    page = context.new_page()
    page.goto(f"{stack.url}/")
    page.get_by_label("E-mail").fill(stack.admin_email)
    page.get_by_label("Password", exact=True).fill(stack.admin_password)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/experiments")
    return page


def settle(page: Page) -> None:
    """Wait until nothing is loading or moving, and no placeholder is left."""
    page.wait_for_load_state("networkidle")
    page.wait_for_function("() => !document.querySelector('.mantine-Skeleton-root')")
    still(page)


def still(page: Page) -> None:
    """Wait until nothing moves: also of a page that is told news all the time."""
    page.wait_for_function("() => !document.querySelector('[data-mantine-stop-transition]')")
    page.wait_for_function(
        "() => document.getAnimations().every(one => one.playState !== 'running'"
        " || one.effect?.getComputedTiming().iterations === Infinity)"
    )
