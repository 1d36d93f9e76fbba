"""A run can be started without a mouse."""

import re

from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import sign_in
from scripts.testbed.stack import Stack


def _tab_to(page: Page, name: str) -> None:
    """Press Tab until the element of that name has the focus."""
    seen = ""
    for _ in range(80):
        page.keyboard.press("Tab")
        seen = page.evaluate("() => document.activeElement?.textContent ?? ''")
        if re.match(name, seen):
            return
    raise AssertionError(f"Tab never reached {name!r}; the last was {seen!r}")


def test_a_template_is_run_without_a_mouse(stack: Stack, browser: Browser) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = sign_in(context, stack)
    _tab_to(page, "New experiment")
    page.keyboard.press("Enter")
    page.wait_for_url("**/experiments/new")
    expect(page.get_by_role("link", name=re.compile("Socket sharding"))).to_be_visible()
    _tab_to(page, "Socket sharding")
    page.keyboard.press("Enter")
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_enabled()
    preset = page.get_by_role("radio", name="Compact")
    preset.focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Quick look")).to_be_checked()
    expect(run).to_be_enabled()
    _tab_to(page, "Run$")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f-]{36}$"), timeout=60_000)
    run_id = page.url.rpartition("/")[2]
    stack.api("POST", f"/runs/{run_id}/cancel")
    stack.wait_for_end(run_id)
    context.close()
