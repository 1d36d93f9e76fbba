"""The main pages keep the rules of accessibility, light and dark; and a run can be started without a mouse."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from axe import violations
from playwright.sync_api import Browser, Page, expect

from scripts.testbed.browser import settle, sign_in
from scripts.testbed.stack import Stack

SMALL = {"blocks": 1, "warmup_s": 0, "measure_s": 1, "cooldown_s": 0}


@pytest.fixture(scope="module")
def finished_run(stack: Stack) -> str:
    run_id = stack.start_run(**SMALL)
    ended = stack.wait_for_end(run_id)
    assert ended["state"] == "completed"
    moment = {"trial_id": ended["trials"][0]["id"], "t_s": 0.5}
    for note in ({"text": "## Why\n\n- a **backup**, see [log](https://example.org)"}, {"text": "`dip`", **moment}):
        stack.api("POST", f"/runs/{run_id}/notes", note)
    return run_id


@pytest.fixture(params=["light", "dark"])
def page(request: pytest.FixtureRequest, stack: Stack, browser: Browser) -> Iterator[Page]:
    scheme: Literal["light", "dark"] = request.param
    context = browser.new_context(viewport={"width": 1440, "height": 900}, color_scheme=scheme)
    yield sign_in(context, stack)
    context.close()


def test_main_pages_break_no_rule(stack: Stack, page: Page, finished_run: str) -> None:
    paths = {
        "start": "/experiments",
        "gallery": "/experiments/new",
        "template": "/experiments/new/reuseport",
        "designer": "/experiments/new/blank",
        "live": f"/runs/{finished_run}",
        "report": f"/runs/{finished_run}/report",
        "sessions": "/account?tab=sessions",
        "people": "/people",
        "storage": "/storage",
    }
    found = {}
    for name, path in paths.items():
        page.goto(f"{stack.url}{path}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        settle(page)
        found[name] = violations(page)
    assert found == {name: [] for name in paths}


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
